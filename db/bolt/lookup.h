/* The addresses of a host, looked up on a thread of its own.
 *
 * getaddrinfo has no time limit and hears no signal: a name server that is away may hold it for half a minute. So the
 * caller waits for a descriptor instead, as long as it likes, and may leave: the thread then ends the lookup alone. */
#ifndef MG_BOLT_LOOKUP_H
#define MG_BOLT_LOOKUP_H

#include <netdb.h>

typedef struct mg_lookup mg_lookup;

/* NULL without memory, a descriptor or a thread. */
mg_lookup *mg_lookup_new(const char *host, const char *port);
/* Can be read from once the answer is there. */
int mg_lookup_descriptor(const mg_lookup *lookup);
/* The answer: 0 and addresses, which are the caller's, or a code of getaddrinfo. Only once it is there. */
int mg_lookup_take(struct addrinfo **out, mg_lookup *lookup);
/* Whether the answer is there or not. */
void mg_lookup_leave(mg_lookup *lookup);

#endif
