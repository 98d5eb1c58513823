/* Framing: chunks into messages, and messages into chunks (framing.h). */
#include "bolt/framing.h"

#include <string.h>

enum { FIRST_ROOM = 256 << 10, LARGE_ROOM = 16 << 20 };

bool mg_frames_new(mg_frames *frames, size_t most, const mg_heap *heap) {
    *frames = (mg_frames){.room = FIRST_ROOM, .most = most, .heap = heap};
    frames->data = mg_heap_resize(heap, NULL, FIRST_ROOM);
    return frames->data != NULL;
}

void mg_frames_free(mg_frames *frames) {
    mg_heap_release(frames->heap, frames->data);
    *frames = (mg_frames){0};
}

mg_frame_state mg_frames_next(mg_cursor *message, mg_frames *frames) {
    uint8_t *data = frames->data;
    while (frames->end - frames->next >= 2) {
        size_t length = (size_t)data[frames->next] << 8 | data[frames->next + 1];
        if (length == 0) {
            frames->next += 2;
            if (!frames->inside) continue; /* a sign of life */
            frames->inside = false;
            *message = (mg_cursor){data + frames->begin, data + frames->begin + frames->has};
            return MG_FRAME_READY;
        }
        if (frames->end - frames->next < 2 + length) break;
        if (!frames->inside) {
            frames->inside = true;
            frames->begin = frames->next + 2;
            frames->has = 0;
        }
        if (length > frames->most - frames->has) return MG_FRAME_TOO_LARGE;
        if (frames->begin + frames->has != frames->next + 2)
            memmove(data + frames->begin + frames->has, data + frames->next + 2, length);
        frames->has += length;
        frames->next += 2 + length;
    }
    return MG_FRAME_MORE;
}

/* Moves what is still needed to the front: the message so far, and right behind it what is no part of it yet. */
static void close_gaps(mg_frames *frames) {
    size_t kept = frames->inside ? frames->has : 0, rest = frames->end - frames->next;
    if (kept && frames->begin) memmove(frames->data, frames->data + frames->begin, kept);
    if (rest && frames->next != kept) memmove(frames->data + kept, frames->data + frames->next, rest);
    frames->begin = 0;
    frames->next = kept;
    frames->end = kept + rest;
}

bool mg_frames_room(uint8_t **at, size_t *room, mg_frames *frames) {
    if (frames->next == frames->end || frames->room - frames->end < FIRST_ROOM / 4) close_gaps(frames);
    if (frames->room - frames->end < MG_CHUNK_MOST + 4) {
        size_t more = frames->room < LARGE_ROOM ? frames->room : frames->room / 4;
        uint8_t *grown = mg_heap_resize(frames->heap, frames->data, frames->room + more);
        if (!grown) return false;
        frames->data = grown;
        frames->room += more;
    }
    *at = frames->data + frames->end;
    *room = frames->room - frames->end;
    return true;
}

void mg_frames_arrived(mg_frames *frames, size_t bytes) { frames->end += bytes; }

void mg_frames_put(mg_bytes *out, const mg_bytes *message) {
    out->failed |= message->failed;
    for (size_t at = 0; at < message->length;) {
        size_t length = message->length - at < MG_CHUNK_MOST ? message->length - at : MG_CHUNK_MOST;
        mg_bytes_add(out, (uint8_t[]){(uint8_t)(length >> 8), (uint8_t)length}, 2);
        mg_bytes_add(out, message->data + at, length);
        at += length;
    }
    mg_bytes_add(out, (uint8_t[]){0, 0}, 2);
}
