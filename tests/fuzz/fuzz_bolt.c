/* Fuzzes what a client of graph databases reads: chunks into messages, messages into values. The first byte says how
 * large the pieces are in which the others arrive. */
#include "bolt/framing.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    mg_frames frames;
    mg_cursor message;
    if (!size || !mg_frames_new(&frames, 1 << 16, NULL)) return 0;
    size_t piece = 1 + data[0];
    for (size_t at = 1; at < size;) {
        uint8_t *to;
        size_t room, part = size - at < piece ? size - at : piece;
        if (!mg_frames_room(&to, &room, &frames)) break;
        memcpy(to, data + at, part);
        mg_frames_arrived(&frames, part);
        at += part;
        mg_frame_state state;
        while ((state = mg_frames_next(&message, &frames)) == MG_FRAME_READY) {
            int64_t numbers[16];
            uint64_t count;
            bool found;
            mg_cursor all = message, map = message, list = message;
            (void)mg_unpack_skip(&all);
            (void)mg_unpack_find(&found, &map, "n");
            (void)mg_unpack_integers(numbers, 16, &count, &list);
        }
        if (state == MG_FRAME_TOO_LARGE) break;
    }
    mg_frames_free(&frames);
    return 0;
}
