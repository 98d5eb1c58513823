/* passwords: those in the text of a configuration, which are taken out of it before it is parsed. */
#ifndef MG_PASSWORDS_H
#define MG_PASSWORDS_H

#include "bolt/secret.h"

typedef struct mg_passwords {
    mg_secrets *secrets; /* where they are */
    char **words;
    size_t count;
} mg_passwords;

/* Writes the text into `out`, with the number of each password in place of it: strings behind a member "password" of
 * the object itself, and of objects in its member "databases". What is not JSON stays as it is, but for such strings.
 * False without memory. */
bool mg_passwords_take(mg_passwords *passwords, mg_bytes *out, const char *text, size_t length);
/* The password that a string of the text written stands for; NULL: none. */
const char *mg_passwords_find(const mg_passwords *passwords, const char *number);
void mg_passwords_free(mg_passwords *passwords); /* not the secrets */

#endif
