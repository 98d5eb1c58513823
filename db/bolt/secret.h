/* secret: memory for passwords. Its pages are left out of core dumps, locked where the limits of the process allow it,
 * and overwritten before the system gets them back. */
#ifndef MG_BOLT_SECRET_H
#define MG_BOLT_SECRET_H

#include "bolt/packstream.h"

/* As realloc; NULL where there is no memory. */
void *mg_secret_resize(void *block, size_t bytes);
void mg_secret_release(void *block);
/* The same as a heap, for messages that hold a password. */
extern const mg_heap mg_secret_heap;

/* Many texts, which are released together. */
typedef struct mg_secrets {
    struct mg_secret_page *last;
} mg_secrets;
/* Room for a text and the zero behind it; NULL where there is no memory. */
char *mg_secrets_new(mg_secrets *secrets, size_t length);
char *mg_secrets_copy(mg_secrets *secrets, const char *text);
void mg_secrets_free(mg_secrets *secrets);

/* Writes a text of a server into `out`, cut where it does not fit, with stars for a password in it (NULL: none). How
 * many bytes there are, without the zero behind them. */
size_t mg_secret_hide(char *out, size_t room, const char *text, size_t length, const char *password);

#endif
