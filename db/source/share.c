/* Lists of shares, the records of a share, and memory for them. */
#include "source/source.h"

#include <string.h>

static void *resize(void *user, void *block, size_t bytes) {
    return meguri_ctx_resize(user, block, bytes, "what a database sends");
}

mg_heap mg_source_heap(meguri_ctx *ctx) { return (mg_heap){resize, meguri_ctx_release, ctx}; }

bool mg_shares_add(mg_shares *shares, meguri_ctx *ctx, const mg_share *share) {
    if (shares->count == shares->room) {
        size_t room = shares->room ? 2 * shares->room : 64;
        mg_share *grown = meguri_ctx_resize(ctx, shares->all, room * sizeof *grown, "the list of shares");
        if (!grown) return false;
        shares->all = grown;
        shares->room = room;
    }
    shares->all[shares->count++] = *share;
    return true;
}

void mg_shares_free(mg_shares *shares) {
    for (size_t i = 0; i < shares->count; i++) meguri_ctx_release(shares->all[i].own);
    meguri_ctx_release(shares->all);
    *shares = (mg_shares){0};
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
