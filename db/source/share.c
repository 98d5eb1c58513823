/* Lists of shares, the records of a share, and memory for them. */
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mg_shares_add(mg_shares *shares, const mg_share *share) {
    if (shares->count == shares->room) {
        size_t room = shares->room ? 2 * shares->room : 64;
        mg_share *grown = realloc(shares->all, room * sizeof *grown);
        if (!grown) return false;
        shares->all = grown;
        shares->room = room;
    }
    shares->all[shares->count++] = *share;
    return true;
}

bool mg_share_next(mg_cursor *record, const uint8_t **at, const uint8_t *end) {
    uint32_t length;
    if ((size_t)(end - *at) < sizeof length) return false;
    memcpy(&length, *at, sizeof length);
    if (length > (size_t)(end - *at) - sizeof length) return false;
    *record = (mg_cursor){*at + sizeof length, *at + sizeof length + length};
    *at = record->end;
    return true;
}

bool mg_memory_resize(mg_memory *memory, void *block, size_t bytes, const char *what, char error[MG_BOLT_ERROR]) {
    void **at = block;
    pthread_mutex_lock(&memory->lock);
    void *grown = meguri_ctx_resize(memory->ctx, *at, bytes, what);
    if (grown) *at = grown;
    else snprintf(error, MG_BOLT_ERROR, "%s", meguri_ctx_error(memory->ctx));
    pthread_mutex_unlock(&memory->lock);
    return grown != NULL;
}
