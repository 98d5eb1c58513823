/* Lists of shares, and the records of a share. */
#include "source/source.h"

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
