/* Framing: messages as chunks. A chunk is a length of two bytes (big-endian) and so many bytes; one of length zero ends
 * the message. Between messages a lone zero keeps the connection alive and means nothing.
 *
 * Incoming bytes go straight into a buffer, where the chunks of a message are moved together: a message that came in
 * one chunk is read where it arrived. No sockets here, so that a fuzzer can feed it. */
#ifndef MG_BOLT_FRAMING_H
#define MG_BOLT_FRAMING_H

#include "bolt/packstream.h"

#define MG_CHUNK_MOST 0xFFFF

typedef struct mg_frames {
    uint8_t *data;
    size_t room, most; /* the buffer, and the bytes of a message at most */
    size_t next, end;  /* bytes that have arrived and are not yet part of a message */
    size_t begin, has; /* the message so far: where it begins, and its bytes */
    bool inside;       /* it has begun */
    const mg_heap *heap;
} mg_frames;

typedef enum mg_frame_state {
    MG_FRAME_READY,     /* *message is one, until the next call */
    MG_FRAME_MORE,      /* bytes are needed */
    MG_FRAME_TOO_LARGE, /* the message has more bytes than it may */
} mg_frame_state;

/* `heap` may be NULL. */
bool mg_frames_new(mg_frames *frames, size_t most, const mg_heap *heap);
void mg_frames_free(mg_frames *frames);
mg_frame_state mg_frames_next(mg_cursor *message, mg_frames *frames);
/* Where bytes that arrive go: *room of them at *at, one at least; false without memory. Then how many they were. */
bool mg_frames_room(uint8_t **at, size_t *room, mg_frames *frames);
void mg_frames_arrived(mg_frames *frames, size_t bytes);

/* Appends a message to what is to be sent. */
void mg_frames_put(mg_bytes *out, const mg_bytes *message);

#endif
