/* Within a vertex program: the vertex that computes, its edges, what it sends and what it receives. pregel.h gives
 * these functions the types of a program; here values are bytes, whose numbers are constants wherever this is inlined.
 */
#ifndef MEGURI_PREGEL_VERTEX_H
#define MEGURI_PREGEL_VERTEX_H

#include <meguri/extra/pregel_kernel.h>

#ifndef __cplusplus

/* The vertex that computes, and how far it has read its messages. */
typedef struct meguri_vertex {
    const meguri_span *s;
    meguri_tally *t;
    uint64_t v, at, end, box, arcs;
    uint32_t slot; /* of the in-edge at `at`, where it was found before */
    int found, way, halt, done, sent;
} meguri_vertex;

/* Sizes of a program's types; 0: it has none. A parcel is a message on its way, with the value of its edge. */
typedef struct meguri_shape {
    uint32_t message_bytes, edge_bytes, parcel_bytes, parcel_edge;
} meguri_shape;

MEGURI_INLINE uint32_t meguri_vertex_id(const meguri_vertex *v) { return meguri_span_own(v->s, v->v); }
MEGURI_INLINE const void *meguri_vertex_left(const meguri_vertex *v) {
    return v->s->left ? (const char *)v->s->left + v->v * v->s->left_bytes : NULL;
}
MEGURI_INLINE uint64_t meguri_vertex_row(const meguri_vertex *v) { return v->s->row_of ? v->s->row_of[v->v] : v->v; }
MEGURI_INLINE uint64_t meguri_vertex_out_degree(const meguri_vertex *v) {
    const uint64_t row = meguri_vertex_row(v);
    return meguri_span_offset(&v->s->out, row + 1) - meguri_span_offset(&v->s->out, row);
}
MEGURI_INLINE uint64_t meguri_vertex_in_degree(const meguri_vertex *v) {
    return meguri_span_offset(&v->s->in, v->v + 1) - meguri_span_offset(&v->s->in, v->v);
}
MEGURI_INLINE void meguri_vertex_fail(meguri_vertex *v, const char *sentence) {
    if (!v->t->fault) strncpy(v->t->fault_text, sentence, sizeof v->t->fault_text - 1);
    meguri_tally_fault(v->t, MEGURI_FAULT_OWN, meguri_vertex_id(v), 0);
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

MEGURI_INLINE void meguri_vertex_out_edges(const meguri_vertex *v, uint64_t *at, uint64_t *end) {
    const uint64_t row = meguri_vertex_row(v);
    *at = meguri_span_offset(&v->s->out, row);
    *end = meguri_span_offset(&v->s->out, row + 1);
}
MEGURI_INLINE void meguri_vertex_in_edges(const meguri_vertex *v, uint64_t *at, uint64_t *end) {
    *at = meguri_span_offset(&v->s->in, v->v);
    *end = meguri_span_offset(&v->s->in, v->v + 1);
}
MEGURI_INLINE int meguri_vertex_next_out(const meguri_vertex *v, uint64_t *at, uint64_t end, uint32_t *vertex,
                                         void *value, uint32_t bytes) {
    if (*at >= end) return 0;
    const uint32_t head = v->s->out.ends[*at];
    *vertex = v->s->out_position ? v->s->out_position[head] : head;
    if (bytes) memcpy(value, (const char *)v->s->out.values + *at * bytes, bytes);
    ++*at;
    return 1;
}
MEGURI_INLINE int meguri_vertex_next_in(const meguri_vertex *v, uint64_t *at, uint64_t end, uint32_t *vertex,
                                        void *value, uint32_t bytes) {
    if (*at >= end) return 0;
    *vertex = meguri_span_position(v->s, v->s->in.ends[*at]);
    if (bytes) memcpy(value, (const char *)v->s->in.values + *at * bytes, bytes);
    ++*at;
    return 1;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

/* One message to one vertex; `edge` is NULL where it goes along none. */
MEGURI_INLINE void meguri_vertex_post(meguri_vertex *v, uint32_t to, const void *message, const void *edge,
                                      meguri_shape shape) {
    meguri_tally *t = v->t;
    if (to >= v->s->vertices) {
        meguri_tally_fault(t, MEGURI_FAULT_MISSING, meguri_vertex_id(v), to);
        return;
    }
    if (t->parcel_count == t->parcel_room && !t->more_parcels(t)) {
        meguri_tally_fault(t, MEGURI_FAULT_MEMORY, 0, 0);
        return;
    }
    const uint32_t id = meguri_vertex_id(v);
    char *parcel = t->parcels + t->parcel_count * shape.parcel_bytes;
    t->keys[t->parcel_count++] = (uint64_t)to << 32 | (v->s->key_of_position ? v->s->key_of_position[id] : id);
    if (shape.message_bytes) memcpy(parcel, message, shape.message_bytes);
    if (shape.edge_bytes && edge) memcpy(parcel + shape.parcel_edge, edge, shape.edge_bytes);
    if (shape.edge_bytes && !edge) memset(parcel + shape.parcel_edge, 0, shape.edge_bytes);
    t->singles++;
}
/* The message of all out-edges. 0 where there is one already: then each goes on its own, so that none is lost. */
MEGURI_INLINE int meguri_vertex_send_all(meguri_vertex *v, const void *message, meguri_shape shape) {
    if (v->sent) return 0;
    v->sent = 1;
    v->arcs = meguri_vertex_out_degree(v);
    if (shape.message_bytes) memcpy((char *)v->s->send + v->v * shape.message_bytes, message, shape.message_bytes);
    return 1;
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

/* Advances to the next in-edge along which something came. */
MEGURI_INLINE int meguri_vertex_seek(meguri_vertex *v) {
    const meguri_span *s = v->s;
    if (v->way == MEGURI_READ_EVERY || v->way == MEGURI_READ_FOLDED) return v->at < v->end;
    if (v->way == MEGURI_READ_BOTH && !s->bits) return v->at < v->end;
    if (v->found) return 1;
    while (v->at < v->end && !meguri_span_bit(s->bits, s->in.ends[v->at])) v->at++;
    return v->at < v->end;
}
/* The message of that in-edge. */
MEGURI_INLINE void meguri_vertex_take(meguri_vertex *v, uint32_t *source, void *message, void *edge,
                                      meguri_shape shape) {
    const meguri_span *s = v->s;
    const uint32_t slot = v->found ? v->slot : s->in.ends[v->at];
    uint64_t place = slot;
    if (v->way == MEGURI_READ_PACKED || (v->way == MEGURI_READ_BOTH && s->ranks)) {
        const uint64_t below = s->bits[slot / 64] & (((uint64_t)1 << (slot % 64)) - 1);
        place = s->ranks[slot / 64] + (uint32_t)__builtin_popcountll(below);
    }
    *source = meguri_span_position(s, slot);
    if (shape.message_bytes)
        memcpy(message, (const char *)s->messages + place * shape.message_bytes, shape.message_bytes);
    if (shape.edge_bytes) memcpy(edge, (const char *)s->in.values + v->at * shape.edge_bytes, shape.edge_bytes);
    v->found = 0;
    v->at++;
}
MEGURI_INLINE int meguri_vertex_in_box(const meguri_vertex *v) {
    return v->box < v->s->parcel_count && v->s->keys[v->box] >> v->s->shift == v->v;
}
MEGURI_INLINE uint32_t meguri_vertex_box_key(const meguri_vertex *v) {
    return (uint32_t)(v->s->keys[v->box] & (((uint64_t)1 << v->s->shift) - 1));
}
/* The next message of the inbox. */
MEGURI_INLINE void meguri_vertex_unpack(meguri_vertex *v, uint32_t *source, void *message, void *edge,
                                        meguri_shape shape) {
    const meguri_span *s = v->s;
    const uint32_t key = meguri_vertex_box_key(v);
    const char *parcel = (const char *)s->parcels + v->box * shape.parcel_bytes;
    *source = s->position_of_key ? s->position_of_key[key] : key;
    if (shape.message_bytes) memcpy(message, parcel, shape.message_bytes);
    if (shape.edge_bytes) memcpy(edge, parcel + shape.parcel_edge, shape.edge_bytes);
    v->box++;
}
/* The next message, from an in-edge or the inbox, whichever source comes first; 0 after the last. */
MEGURI_INLINE int meguri_vertex_receive(meguri_vertex *v, uint32_t *source, void *message, void *edge,
                                        meguri_shape shape) {
    if (v->way == MEGURI_READ_NOTHING) return 0;
    if (v->way == MEGURI_READ_INBOX || v->way == MEGURI_READ_BOTH) {
        int more = v->way == MEGURI_READ_BOTH && meguri_vertex_seek(v);
        if (more && meguri_vertex_in_box(v)) {
            const uint32_t next = meguri_span_position(v->s, v->s->in.ends[v->at]);
            const uint32_t key = v->s->key_of_position ? v->s->key_of_position[next] : next;
            more = key <= meguri_vertex_box_key(v);
        }
        if (more) {
            meguri_vertex_take(v, source, message, edge, shape);
            return 1;
        }
        if (!meguri_vertex_in_box(v)) return 0;
        meguri_vertex_unpack(v, source, message, edge, shape);
        return 1;
    }
    if (!meguri_vertex_seek(v)) return 0;
    if (v->way == MEGURI_READ_FOLDED) {
        *source = meguri_span_position(v->s, v->s->in.ends[v->at]);
        if (shape.message_bytes)
            memcpy(message, (const char *)v->s->folded + v->v * shape.message_bytes, shape.message_bytes);
        if (shape.edge_bytes) memset(edge, 0, shape.edge_bytes); /* a combined message has none */
        v->at = v->end;
        return 1;
    }
    meguri_vertex_take(v, source, message, edge, shape);
    return 1;
}

/* ---- the loop over vertices ------------------------------------------------------------------------------------- */

/* The first parcel of the inbox that is for vertex v or a later one. */
MEGURI_INLINE uint64_t meguri_span_first_parcel(const meguri_span *s, uint64_t v) {
    uint64_t begin = 0, end = s->parcel_count;
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        if (s->keys[middle] >> s->shift < v) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

/* Computes the vertices of the words `word` … `end` - 1 that have not halted or that a message wakes. `way` of
 * receiving, `compute`, the size of a value and whether the program is a search (MEGURI_SEARCHES) are constants. */
MEGURI_INLINE void meguri_span_run(const meguri_span *s, meguri_tally *t, uint64_t word, uint64_t end, int way,
                                   void (*compute)(meguri_vertex *v, void *value), size_t value_bytes, int searches) {
    uint64_t ran = 0, active = 0, senders = 0, arcs = 0, rows = 0;
    const int boxed = way == MEGURI_READ_INBOX || way == MEGURI_READ_BOTH;
    const int pulled = way != MEGURI_READ_INBOX && way != MEGURI_READ_NOTHING;
    const int firsts = way == MEGURI_READ_SOME && searches && s->probe;
    meguri_span_found found;
    uint64_t box = boxed ? meguri_span_first_parcel(s, word * 64) : 0;
    for (; word < end; word++) {
        const uint64_t present = s->count - word * 64 >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (s->count % 64)) - 1;
        uint64_t halted = s->halted[word], done = s->done[word], sent = 0;
        uint64_t awake = s->awake ? s->awake[word] : 0;
        if (pulled && s->probe) awake = boxed ? ~(uint64_t)0 : s->listeners[word];
        uint64_t left = (~halted | awake) & ~done & present;
        if (firsts) left &= ~halted | meguri_span_find(s, &found, word, left & halted);
        if (!left) { /* all have halted */
            if (s->sent[word]) s->sent[word] = 0;
            continue;
        }
        for (; left; left &= left - 1) {
            const uint64_t bit = left & (0 - left);
            meguri_vertex v;
            v.s = s;
            v.t = t;
            v.way = way;
            v.v = word * 64 + (uint64_t)__builtin_ctzll(left);
            v.halt = v.done = v.sent = 0;
            v.at = v.end = v.box = v.arcs = 0;
            v.found = 0;
            if (pulled) meguri_vertex_in_edges(&v, &v.at, &v.end);
            const uint64_t row = v.end - v.at;
            if (firsts && halted & bit) {
                v.slot = found.slot[v.v % 64];
                v.at += found.after[v.v % 64];
                v.found = 1;
            }
            if (boxed) {
                while (box < s->parcel_count && s->keys[box] >> s->shift < v.v) box++;
                v.box = box;
            }
            if (pulled && s->probe && halted & bit && !(boxed && meguri_vertex_in_box(&v)) && !meguri_vertex_seek(&v))
                continue;
            compute(&v, (char *)s->values + v.v * value_bytes);
            ran++;
            rows += row;
            senders += v.arcs > 0;
            arcs += v.arcs;
            halted = v.halt | v.done ? halted | bit : halted & ~bit;
            if (v.done) done |= bit;
            if (v.sent) sent |= bit;
        }
        s->halted[word] = halted;
        s->done[word] = done;
        s->sent[word] = sent;
        active += (uint64_t)__builtin_popcountll(~halted & present);
    }
    t->ran += ran;
    t->active += active;
    t->senders += senders;
    t->arcs += arcs;
    t->rows += rows;
}

#endif
#endif
