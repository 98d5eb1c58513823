/* Vertex programs: what a vertex does in each superstep, in C, run on all vertices by the library (paper P4: Pregel
 * with SendAll). A program includes this header alone and links nothing; `meguri run` compiles and runs it, and run.h
 * has the same as functions. docs/vertex-programs.md teaches it in ten minutes.
 *
 *     #include <meguri/pregel.h>
 *     MEGURI_VERTEX(pr, double, meguri_none, double);              value of a vertex, of an edge, message
 *     static inline void pr_compute(pr_vertex *v, double *rank) {
 *         double sum = 0;
 *         MEGURI_EACH_MESSAGE(pr, m, v) sum += m.value;
 *         *rank = pr_superstep(v) ? 0.15 / pr_vertices(v) + 0.85 * sum : 1.0 / pr_vertices(v);
 *         if (pr_superstep(v) < 30) pr_send_all(v, *rank / pr_out_degree(v));
 *         else pr_halt(v);
 *     }
 *     static const meguri_output columns[] = {MEGURI_OUTPUT("rank", double)};
 *     MEGURI_PROGRAM(pr, .outputs = columns, .output_count = 1);
 *     MEGURI_RUN(&pr_program);
 *
 * The macros make a kernel around the compute function for each way of receiving messages, in which that way is a
 * constant: the library calls one function for some thousands of vertices, and none for each vertex or message. So a
 * program is compiled with the header of the library that runs it; MEGURI_PREGEL_ABI says whether the two fit. */
#ifndef MEGURI_PREGEL_H
#define MEGURI_PREGEL_H

#include <meguri/extra/pregel_kernel.h>

#ifndef __cplusplus

#define MEGURI_BYTES_OF(type) ((uint32_t) _Generic(*(type *)0, meguri_none : 0, default : sizeof(type)))
#define MEGURI_EDGE_TYPE_OF(type)                                                                                      \
    _Generic(*(type *)0, meguri_none : 0, uint8_t                                                                      \
             : MEGURI_VALUE_U8, uint16_t                                                                               \
             : MEGURI_VALUE_U16, uint32_t                                                                              \
             : MEGURI_VALUE_U32, uint64_t                                                                              \
             : MEGURI_VALUE_U64, float                                                                                 \
             : MEGURI_VALUE_F32, double                                                                                \
             : MEGURI_VALUE_F64)
#define MEGURI_COLUMN_TYPE_OF(item)                                                                                    \
    _Generic((item), int8_t                                                                                            \
             : MEGURI_COLUMN_I8, int16_t                                                                               \
             : MEGURI_COLUMN_I16, int32_t                                                                              \
             : MEGURI_COLUMN_I32, uint64_t                                                                             \
             : MEGURI_COLUMN_U64, double                                                                               \
             : MEGURI_COLUMN_F64, uint32_t                                                                             \
             : MEGURI_COLUMN_VERTEX)
/* A column of the result: the whole value of a vertex, or a field of it. Types: int8_t, int16_t, int32_t, uint64_t,
 * double; uint32_t is a vertex, of which files have the id. */
#define MEGURI_OUTPUT(label, T)                                                                                        \
    { .name = label, .type = MEGURI_COLUMN_TYPE_OF(*(T *)0), .offset = 0 }
#define MEGURI_OUTPUT_FIELD(label, T, field)                                                                           \
    { .name = label, .type = MEGURI_COLUMN_TYPE_OF(((T *)0)->field), .offset = offsetof(T, field) }

#define MEGURI_EACH_MESSAGE(P, m, v)  for (P##_message m; P##_receive((v), &(m));)
#define MEGURI_EACH_OUT_EDGE(P, e, v) for (P##_edge e = P##_out_edges(v); P##_next_out((v), &(e));)
#define MEGURI_EACH_IN_EDGE(P, e, v)  for (P##_edge e = P##_in_edges(v); P##_next_in((v), &(e));)
#define MEGURI_INLINE                 static inline __attribute__((always_inline, unused))

/* The types of a program, and its functions; `name`_compute follows.
 *
 *   name_superstep(v), name_vertices(v), name_edges(v)     0, 1, …; of the whole graph
 *   name_id(v)                                             the vertex itself: its position in the user's order
 *   name_out_degree(v), name_in_degree(v)
 *   MEGURI_EACH_MESSAGE(name, m, v) …                      m.value, m.source, m.edge; break at any point
 *   MEGURI_EACH_OUT_EDGE(name, e, v) …                     e.vertex, e.value; in the graph's own order
 *   MEGURI_EACH_IN_EDGE(name, e, v) …                      in the order of messages
 *   name_send_all(v, message)                              along all out-edges
 *   name_send(v, vertex, message)                          to one vertex, whichever it is
 *   name_halt(v)                                           no compute until a message comes
 *   name_done(v)                                           … and none ever
 *   name_real(v, i, x), name_whole(v, i, x), name_own(v, i, &x)   to aggregator i
 *   name_last_real(v, i), name_last_whole(v, i), name_last_own(v, i)   what came of it in the last superstep
 *   name_globals(v), name_left(v)                          pointers: globals; the value that the program before left
 *   name_fail(v, "a sentence")                             ends the run */
#define MEGURI_VERTEX(P, V, E, M)                                                                                      \
    typedef struct P##_vertex {                                                                                        \
        const meguri_span *s;                                                                                          \
        meguri_tally *t;                                                                                               \
        uint64_t v, at, end, box, arcs;                                                                                \
        uint32_t slot; /* of the in-edge at `at`, where it was found before */                                         \
        int found, way, halt, done, sent;                                                                              \
    } P##_vertex;                                                                                                      \
    typedef struct P##_message {                                                                                       \
        M value;                                                                                                       \
        E edge;                                                                                                        \
        uint32_t source;                                                                                               \
    } P##_message;                                                                                                     \
    typedef struct P##_edge {                                                                                          \
        uint32_t vertex;                                                                                               \
        E value;                                                                                                       \
        uint64_t at, end;                                                                                              \
    } P##_edge;                                                                                                        \
    typedef struct P##_parcel {                                                                                        \
        M value;                                                                                                       \
        E edge;                                                                                                        \
    } P##_parcel;                                                                                                      \
    typedef V P##_value_type;                                                                                          \
    typedef M P##_message_type;                                                                                        \
    enum {                                                                                                             \
        P##_message_bytes = MEGURI_BYTES_OF(M),                                                                        \
        P##_edge_bytes = MEGURI_BYTES_OF(E),                                                                           \
        P##_edge_type = MEGURI_EDGE_TYPE_OF(E),                                                                        \
        P##_parcel_edge = P##_message_bytes ? offsetof(P##_parcel, edge) : 0,                                          \
        P##_parcel_bytes = !P##_edge_bytes     ? P##_message_bytes                                                     \
                           : P##_message_bytes ? sizeof(P##_parcel)                                                    \
                                               : P##_edge_bytes                                                        \
    };                                                                                                                 \
    MEGURI_INLINE void P##_compute(P##_vertex *v, V *value);                                                           \
    MEGURI_INLINE uint64_t P##_superstep(const P##_vertex *v) { return v->s->superstep; }                              \
    MEGURI_INLINE uint64_t P##_vertices(const P##_vertex *v) { return v->s->vertices; }                                \
    MEGURI_INLINE uint64_t P##_edges(const P##_vertex *v) { return v->s->edges; }                                      \
    MEGURI_INLINE uint32_t P##_id(const P##_vertex *v) { return meguri_span_own(v->s, v->v); }                         \
    MEGURI_INLINE const void *P##_globals(const P##_vertex *v) { return v->s->globals; }                               \
    MEGURI_INLINE const void *P##_left(const P##_vertex *v) {                                                          \
        return v->s->left ? (const char *)v->s->left + v->v * v->s->left_bytes : NULL;                                 \
    }                                                                                                                  \
    MEGURI_INLINE uint64_t P##_row(const P##_vertex *v) { return v->s->row_of ? v->s->row_of[v->v] : v->v; }           \
    MEGURI_INLINE uint64_t P##_out_degree(const P##_vertex *v) {                                                       \
        uint64_t row_ = P##_row(v);                                                                                    \
        return meguri_span_offset(&v->s->out, row_ + 1) - meguri_span_offset(&v->s->out, row_);                        \
    }                                                                                                                  \
    MEGURI_INLINE uint64_t P##_in_degree(const P##_vertex *v) {                                                        \
        return meguri_span_offset(&v->s->in, v->v + 1) - meguri_span_offset(&v->s->in, v->v);                          \
    }                                                                                                                  \
    MEGURI_INLINE void P##_halt(P##_vertex *v) { v->halt = 1; }                                                        \
    MEGURI_INLINE void P##_done(P##_vertex *v) { v->done = 1; }                                                        \
    MEGURI_INLINE void P##_fail(P##_vertex *v, const char *sentence) {                                                 \
        if (!v->t->fault) strncpy(v->t->fault_text, sentence, sizeof v->t->fault_text - 1);                            \
        meguri_tally_fault(v->t, MEGURI_FAULT_OWN, P##_id(v), 0);                                                      \
    }                                                                                                                  \
    MEGURI_INLINE void P##_real(P##_vertex *v, uint32_t i, double x) { meguri_tally_real(v->t, i, x); }                \
    MEGURI_INLINE void P##_whole(P##_vertex *v, uint32_t i, int64_t x) { meguri_tally_whole(v->t, i, x); }             \
    MEGURI_INLINE void P##_own(P##_vertex *v, uint32_t i, const void *x) { meguri_tally_own(v->t, i, x); }             \
    MEGURI_INLINE double P##_last_real(const P##_vertex *v, uint32_t i) { return v->s->reals[i]; }                     \
    MEGURI_INLINE int64_t P##_last_whole(const P##_vertex *v, uint32_t i) { return v->s->wholes[i]; }                  \
    MEGURI_INLINE const void *P##_last_own(const P##_vertex *v, uint32_t i) { return v->s->owns[i]; }                  \
    /* edges */                                                                                                        \
    MEGURI_INLINE P##_edge P##_out_edges(const P##_vertex *v) {                                                        \
        P##_edge e;                                                                                                    \
        memset(&e, 0, sizeof e);                                                                                       \
        e.at = meguri_span_offset(&v->s->out, P##_row(v));                                                             \
        e.end = meguri_span_offset(&v->s->out, P##_row(v) + 1);                                                        \
        return e;                                                                                                      \
    }                                                                                                                  \
    MEGURI_INLINE int P##_next_out(const P##_vertex *v, P##_edge *e) {                                                 \
        if (e->at >= e->end) return 0;                                                                                 \
        uint32_t end = v->s->out.ends[e->at];                                                                          \
        e->vertex = v->s->out_position ? v->s->out_position[end] : end;                                                \
        if (P##_edge_bytes) e->value = ((const E *)v->s->out.values)[e->at];                                           \
        e->at++;                                                                                                       \
        return 1;                                                                                                      \
    }                                                                                                                  \
    MEGURI_INLINE P##_edge P##_in_edges(const P##_vertex *v) {                                                         \
        P##_edge e;                                                                                                    \
        memset(&e, 0, sizeof e);                                                                                       \
        e.at = meguri_span_offset(&v->s->in, v->v);                                                                    \
        e.end = meguri_span_offset(&v->s->in, v->v + 1);                                                               \
        return e;                                                                                                      \
    }                                                                                                                  \
    MEGURI_INLINE int P##_next_in(const P##_vertex *v, P##_edge *e) {                                                  \
        if (e->at >= e->end) return 0;                                                                                 \
        e->vertex = meguri_span_position(v->s, v->s->in.ends[e->at]);                                                  \
        if (P##_edge_bytes) e->value = ((const E *)v->s->in.values)[e->at];                                            \
        e->at++;                                                                                                       \
        return 1;                                                                                                      \
    }                                                                                                                  \
    /* sending */                                                                                                      \
    MEGURI_INLINE void P##_post(P##_vertex *v, uint32_t to, const M *message, const E *edge) {                         \
        meguri_tally *t = v->t;                                                                                        \
        if (to >= v->s->vertices) {                                                                                    \
            meguri_tally_fault(t, MEGURI_FAULT_MISSING, P##_id(v), to);                                                \
            return;                                                                                                    \
        }                                                                                                              \
        if (t->parcel_count == t->parcel_room && !t->more_parcels(t)) {                                                \
            meguri_tally_fault(t, MEGURI_FAULT_MEMORY, 0, 0);                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        uint32_t id = P##_id(v);                                                                                       \
        char *parcel = t->parcels + t->parcel_count * P##_parcel_bytes;                                                \
        t->keys[t->parcel_count++] = (uint64_t)to << 32 | (v->s->key_of_position ? v->s->key_of_position[id] : id);    \
        if (P##_message_bytes) memcpy(parcel, message, P##_message_bytes);                                             \
        if (P##_edge_bytes) memcpy(parcel + P##_parcel_edge, edge, P##_edge_bytes);                                    \
        t->singles++;                                                                                                  \
    }                                                                                                                  \
    MEGURI_INLINE void P##_send(P##_vertex *v, uint32_t to, M message) {                                               \
        E none;                                                                                                        \
        memset(&none, 0, sizeof none);                                                                                 \
        P##_post(v, to, &message, &none);                                                                              \
    }                                                                                                                  \
    MEGURI_INLINE void P##_send_all(P##_vertex *v, M message) {                                                        \
        if (v->sent) { /* a second time: each on its own, so that nothing is lost */                                   \
            MEGURI_EACH_OUT_EDGE(P, e, v) P##_post(v, e.vertex, &message, &e.value);                                   \
            return;                                                                                                    \
        }                                                                                                              \
        v->sent = 1;                                                                                                   \
        v->arcs = P##_out_degree(v);                                                                                   \
        if (P##_message_bytes) ((M *)v->s->send)[v->v] = message;                                                      \
    }                                                                                                                  \
    /* receiving */                                                                                                    \
    MEGURI_INLINE int P##_seek(P##_vertex *v) { /* the next in-edge along which something came */                      \
        const meguri_span *s = v->s;                                                                                   \
        if (v->way == MEGURI_READ_EVERY || v->way == MEGURI_READ_FOLDED) return v->at < v->end;                        \
        if (v->way == MEGURI_READ_BOTH && !s->bits) return v->at < v->end;                                             \
        if (v->found) return 1;                                                                                        \
        while (v->at < v->end && !meguri_span_bit(s->bits, s->in.ends[v->at])) v->at++;                                \
        return v->at < v->end;                                                                                         \
    }                                                                                                                  \
    MEGURI_INLINE void P##_take(P##_vertex *v, P##_message *m) {                                                       \
        const meguri_span *s = v->s;                                                                                   \
        uint32_t slot = v->found ? v->slot : s->in.ends[v->at];                                                        \
        uint64_t place = slot;                                                                                         \
        if (v->way == MEGURI_READ_PACKED || (v->way == MEGURI_READ_BOTH && s->ranks)) {                                \
            uint64_t below = s->bits[slot / 64] & (((uint64_t)1 << (slot % 64)) - 1);                                  \
            place = s->ranks[slot / 64] + (uint32_t)__builtin_popcountll(below);                                       \
        }                                                                                                              \
        m->source = meguri_span_position(s, slot);                                                                     \
        if (P##_message_bytes) m->value = ((const M *)s->messages)[place];                                             \
        if (P##_edge_bytes) m->edge = ((const E *)s->in.values)[v->at];                                                \
        v->found = 0;                                                                                                  \
        v->at++;                                                                                                       \
    }                                                                                                                  \
    MEGURI_INLINE int P##_in_box(const P##_vertex *v) {                                                                \
        return v->box < v->s->parcel_count && v->s->keys[v->box] >> v->s->shift == v->v;                               \
    }                                                                                                                  \
    MEGURI_INLINE uint32_t P##_box_key(const P##_vertex *v) {                                                          \
        return (uint32_t)(v->s->keys[v->box] & (((uint64_t)1 << v->s->shift) - 1));                                    \
    }                                                                                                                  \
    MEGURI_INLINE void P##_unpack(P##_vertex *v, P##_message *m) {                                                     \
        const meguri_span *s = v->s;                                                                                   \
        uint32_t key = P##_box_key(v);                                                                                 \
        const char *parcel = (const char *)s->parcels + v->box * P##_parcel_bytes;                                     \
        m->source = s->position_of_key ? s->position_of_key[key] : key;                                                \
        if (P##_message_bytes) memcpy(&m->value, parcel, P##_message_bytes);                                           \
        if (P##_edge_bytes) memcpy(&m->edge, parcel + P##_parcel_edge, P##_edge_bytes);                                \
        v->box++;                                                                                                      \
    }                                                                                                                  \
    MEGURI_INLINE int P##_receive(P##_vertex *v, P##_message *m) {                                                     \
        if (v->way == MEGURI_READ_NOTHING) return 0;                                                                   \
        if (v->way == MEGURI_READ_INBOX || v->way == MEGURI_READ_BOTH) {                                               \
            int more = v->way == MEGURI_READ_BOTH && P##_seek(v);                                                      \
            if (more && P##_in_box(v)) {                                                                               \
                uint32_t source = meguri_span_position(v->s, v->s->in.ends[v->at]);                                    \
                uint32_t key = v->s->key_of_position ? v->s->key_of_position[source] : source;                         \
                more = key <= P##_box_key(v);                                                                          \
            }                                                                                                          \
            if (more) {                                                                                                \
                P##_take(v, m);                                                                                        \
                return 1;                                                                                              \
            }                                                                                                          \
            if (!P##_in_box(v)) return 0;                                                                              \
            P##_unpack(v, m);                                                                                          \
            return 1;                                                                                                  \
        }                                                                                                              \
        if (!P##_seek(v)) return 0;                                                                                    \
        if (v->way == MEGURI_READ_FOLDED) {                                                                            \
            m->source = meguri_span_position(v->s, v->s->in.ends[v->at]);                                              \
            if (P##_message_bytes) m->value = ((const M *)v->s->folded)[v->v];                                         \
            if (P##_edge_bytes) memset(&m->edge, 0, sizeof m->edge); /* who combines has none */                       \
            v->at = v->end;                                                                                            \
            return 1;                                                                                                  \
        }                                                                                                              \
        P##_take(v, m);                                                                                                \
        return 1;                                                                                                      \
    }                                                                                                                  \
    typedef P##_vertex P##_vertex_of_program

/* After `name`_compute: the kernels, and `name`_program with the fields that follow. */
#define MEGURI_PROGRAM(P, ...)                                                                                         \
    static const meguri_program P##_program;                                                                           \
    MEGURI_INLINE uint64_t P##_first_parcel(const meguri_span *s, uint64_t v) {                                        \
        uint64_t begin = 0, end = s->parcel_count;                                                                     \
        while (begin < end) {                                                                                          \
            uint64_t middle = begin + (end - begin) / 2;                                                               \
            if (s->keys[middle] >> s->shift < v) begin = middle + 1;                                                   \
            else end = middle;                                                                                         \
        }                                                                                                              \
        return begin;                                                                                                  \
    }                                                                                                                  \
    MEGURI_INLINE void P##_span(const meguri_span *s, meguri_tally *t, uint64_t word, uint64_t end, int way) {         \
        uint64_t ran = 0, active = 0, senders = 0, arcs = 0, rows = 0;                                                 \
        const int boxed = way == MEGURI_READ_INBOX || way == MEGURI_READ_BOTH;                                         \
        const int pulled = way != MEGURI_READ_INBOX && way != MEGURI_READ_NOTHING;                                     \
        const int firsts = way == MEGURI_READ_SOME && MEGURI_SEARCHES(P##_program) && s->probe;                        \
        meguri_span_found found;                                                                                       \
        uint64_t box = boxed ? P##_first_parcel(s, word * 64) : 0;                                                     \
        for (; word < end; word++) {                                                                                   \
            uint64_t present = s->count - word * 64 >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (s->count % 64)) - 1;       \
            uint64_t halted = s->halted[word], done = s->done[word], sent = 0;                                         \
            uint64_t awake = s->awake ? s->awake[word] : 0;                                                            \
            if (pulled && s->probe) awake = boxed ? ~(uint64_t)0 : s->listeners[word];                                 \
            uint64_t look = (~halted | awake) & ~done & present;                                                       \
            if (firsts) look &= ~halted | meguri_span_find(s, &found, word, look & halted);                            \
            if (!look) { /* all have halted */                                                                         \
                if (s->sent[word]) s->sent[word] = 0;                                                                  \
                continue;                                                                                              \
            }                                                                                                          \
            for (; look; look &= look - 1) {                                                                           \
                const uint64_t bit = look & (0 - look);                                                                \
                P##_vertex v;                                                                                          \
                v.s = s;                                                                                               \
                v.t = t;                                                                                               \
                v.way = way;                                                                                           \
                v.v = word * 64 + (uint64_t)__builtin_ctzll(look);                                                     \
                v.halt = v.done = v.sent = 0;                                                                          \
                v.at = v.end = v.box = v.arcs = 0;                                                                     \
                v.found = 0;                                                                                           \
                if (pulled) {                                                                                          \
                    v.at = meguri_span_offset(&s->in, v.v);                                                            \
                    v.end = meguri_span_offset(&s->in, v.v + 1);                                                       \
                }                                                                                                      \
                const uint64_t row = v.end - v.at;                                                                     \
                if (firsts && halted & bit) {                                                                          \
                    v.slot = found.slot[v.v % 64];                                                                     \
                    v.at += found.after[v.v % 64];                                                                     \
                    v.found = 1;                                                                                       \
                }                                                                                                      \
                if (boxed) {                                                                                           \
                    while (box < s->parcel_count && s->keys[box] >> s->shift < v.v) box++;                             \
                    v.box = box;                                                                                       \
                }                                                                                                      \
                if (pulled && s->probe && halted & bit && !(boxed && P##_in_box(&v)) && !P##_seek(&v)) continue;       \
                P##_compute(&v, (P##_value_type *)s->values + v.v);                                                    \
                ran++;                                                                                                 \
                rows += row;                                                                                           \
                senders += v.arcs > 0;                                                                                 \
                arcs += v.arcs;                                                                                        \
                halted = v.halt | v.done ? halted | bit : halted & ~bit;                                               \
                if (v.done) done |= bit;                                                                               \
                if (v.sent) sent |= bit;                                                                               \
            }                                                                                                          \
            s->halted[word] = halted;                                                                                  \
            s->done[word] = done;                                                                                      \
            s->sent[word] = sent;                                                                                      \
            active += (uint64_t)__builtin_popcountll(~halted & present);                                               \
        }                                                                                                              \
        t->ran += ran;                                                                                                 \
        t->active += active;                                                                                           \
        t->senders += senders;                                                                                         \
        t->arcs += arcs;                                                                                               \
        t->rows += rows;                                                                                               \
    }                                                                                                                  \
    MEGURI_KERNEL(P, nothing, MEGURI_READ_NOTHING)                                                                     \
    MEGURI_KERNEL(P, every, MEGURI_READ_EVERY)                                                                         \
    MEGURI_KERNEL(P, some, MEGURI_READ_SOME)                                                                           \
    MEGURI_KERNEL(P, packed, MEGURI_READ_PACKED)                                                                       \
    MEGURI_KERNEL(P, inbox, MEGURI_READ_INBOX)                                                                         \
    MEGURI_KERNEL(P, both, MEGURI_READ_BOTH)                                                                           \
    MEGURI_KERNEL(P, folded, MEGURI_READ_FOLDED)                                                                       \
    static const meguri_program P##_program = {                                                                        \
        .abi = MEGURI_PREGEL_ABI,                                                                                      \
        .size = sizeof(meguri_program),                                                                                \
        .name = #P,                                                                                                    \
        .value_bytes = MEGURI_BYTES_OF(P##_value_type),                                                                \
        .message_bytes = P##_message_bytes,                                                                            \
        .edge_type = P##_edge_type,                                                                                    \
        .parcel_bytes = P##_parcel_bytes,                                                                              \
        .parcel_edge = P##_parcel_edge,                                                                                \
        .kernels = {P##_nothing, P##_every, P##_some, P##_packed, P##_inbox, P##_both, P##_folded},                    \
        __VA_ARGS__}

#define MEGURI_KERNEL(P, suffix, way)                                                                                  \
    static void P##_##suffix(const meguri_span *s, meguri_tally *t, uint64_t first_word, uint64_t end_word) {          \
        P##_span(s, t, first_word, end_word, way);                                                                     \
    }

/* Messages to one vertex may be made one: `name`_combine(M *into, const M *message), written before this. Then add
 * MEGURI_COMBINED(P) to MEGURI_PROGRAM. Whether they are is the library's choice; m.source is that of the first. */
#define MEGURI_COMBINES(P)                                                                                             \
    MEGURI_INLINE void P##_fold_one(P##_message_type *into, uint8_t *begun, const P##_message_type *messages,          \
                                    const void *slots, uint64_t at, uint32_t length, int wide) {                       \
        P##_message_type sum = messages[meguri_tile_column(slots, at, wide)];                                          \
        if (*begun) {                                                                                                  \
            sum = *into;                                                                                               \
            P##_combine(&sum, &messages[meguri_tile_column(slots, at, wide)]);                                         \
        }                                                                                                              \
        for (uint32_t k = 1; k < length; k++) P##_combine(&sum, &messages[meguri_tile_column(slots, at + k, wide)]);   \
        *into = sum;                                                                                                   \
        *begun = 1;                                                                                                    \
    }                                                                                                                  \
    /* `count` pieces of one length, four at a time: what is combined need not wait for the one before */              \
    MEGURI_INLINE void P##_fold_alike(P##_message_type *sums, uint8_t *begun, const P##_message_type *messages,        \
                                      const uint16_t *rows, const void *slots, uint64_t at, uint32_t count,            \
                                      uint32_t length, int wide) {                                                     \
        uint32_t i = 0;                                                                                                \
        for (; i + 4 <= count; i += 4, at += 4 * (uint64_t)length) {                                                   \
            P##_message_type sum[4];                                                                                   \
            if (wide)                                                                                                  \
                for (uint32_t k = 0; k < 4 * length; k++)                                                              \
                    __builtin_prefetch(&messages[meguri_tile_column(slots, at + MEGURI_TILE_AHEAD + k, wide)]);        \
            for (uint32_t j = 0; j < 4; j++) {                                                                         \
                const P##_message_type *first = &messages[meguri_tile_column(slots, at + j * length, wide)];           \
                sum[j] = *first;                                                                                       \
                if (begun[rows[i + j]]) {                                                                              \
                    sum[j] = sums[rows[i + j]];                                                                        \
                    P##_combine(&sum[j], first);                                                                       \
                }                                                                                                      \
            }                                                                                                          \
            for (uint32_t k = 1; k < length; k++)                                                                      \
                for (uint32_t j = 0; j < 4; j++)                                                                       \
                    P##_combine(&sum[j], &messages[meguri_tile_column(slots, at + j * length + k, wide)]);             \
            for (uint32_t j = 0; j < 4; j++) {                                                                         \
                sums[rows[i + j]] = sum[j];                                                                            \
                begun[rows[i + j]] = 1;                                                                                \
            }                                                                                                          \
        }                                                                                                              \
        for (; i < count; i++, at += length)                                                                           \
            P##_fold_one(&sums[rows[i]], &begun[rows[i]], messages, slots, at, length, wide);                          \
    }                                                                                                                  \
    MEGURI_INLINE void P##_fold_pieces(P##_message_type *sums, uint8_t *begun, const P##_message_type *messages,       \
                                       const meguri_tile *t, int wide) {                                               \
        const uint16_t *pieces = t->pieces;                                                                            \
        uint64_t at = 0;                                                                                               \
        while (pieces[0]) {                                                                                            \
            const uint32_t length = pieces[0], count = pieces[1];                                                      \
            switch (length) {                                                                                          \
                MEGURI_FOLD_CASE(P, 1);                                                                                \
                MEGURI_FOLD_CASE(P, 2);                                                                                \
                MEGURI_FOLD_CASE(P, 3);                                                                                \
                MEGURI_FOLD_CASE(P, 4);                                                                                \
                MEGURI_FOLD_CASE(P, 5);                                                                                \
                MEGURI_FOLD_CASE(P, 6);                                                                                \
                MEGURI_FOLD_CASE(P, 7);                                                                                \
                MEGURI_FOLD_CASE(P, 8);                                                                                \
                MEGURI_FOLD_CASE(P, 9);                                                                                \
                MEGURI_FOLD_CASE(P, 10);                                                                               \
                MEGURI_FOLD_CASE(P, 11);                                                                               \
                MEGURI_FOLD_CASE(P, 12);                                                                               \
                MEGURI_FOLD_CASE(P, 13);                                                                               \
                MEGURI_FOLD_CASE(P, 14);                                                                               \
                MEGURI_FOLD_CASE(P, 15);                                                                               \
                MEGURI_FOLD_CASE(P, 16);                                                                               \
            default: P##_fold_alike(sums, begun, messages, pieces + 2, t->columns, at, count, length, wide);           \
            }                                                                                                          \
            at += (uint64_t)count * length;                                                                            \
            pieces += 2 + count;                                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static void P##_fold(void *sums, uint8_t *begun, const void *messages, const meguri_tile *t) {                     \
        const P##_message_type *from = (const P##_message_type *)messages + t->first;                                  \
        if (t->wide) P##_fold_pieces((P##_message_type *)sums, begun, from, t, 1);                                     \
        else P##_fold_pieces((P##_message_type *)sums, begun, from, t, 0);                                             \
    }                                                                                                                  \
    static uint64_t P##_combine_runs(uint64_t *keys, void *parcels, uint64_t count, uint32_t shift) {                  \
        P##_message_type *items = parcels;                                                                             \
        uint64_t last = 0;                                                                                             \
        for (uint64_t i = 1; i < count; i++) {                                                                         \
            if (keys[i] >> shift == keys[last] >> shift) {                                                             \
                P##_combine(&items[last], &items[i]);                                                                  \
                continue;                                                                                              \
            }                                                                                                          \
            keys[++last] = keys[i];                                                                                    \
            if (P##_message_bytes) items[last] = items[i];                                                             \
        }                                                                                                              \
        return count ? last + 1 : 0;                                                                                   \
    }                                                                                                                  \
    typedef P##_message P##_message_combined
#define MEGURI_COMBINED(P) .combine = P##_combine_runs, .fold = P##_fold
#define MEGURI_FOLD_CASE(P, length)                                                                                    \
    case length: P##_fold_alike(sums, begun, messages, pieces + 2, t->columns, at, count, length, wide); break

/* Questions: name_ask(v, vertex) in one superstep, const A *name_answer(v, vertex) in the next; each pair of workers
 * sends a question once, however many vertices have it. `name`_respond(const V *value), which returns an A, says what
 * the vertex answers at the end of the superstep. Who asks must not halt. MEGURI_ASKS goes before compute,
 * MEGURI_ANSWERS(P, A) into MEGURI_PROGRAM. */
#define MEGURI_ASKS(P, A)                                                                                              \
    MEGURI_INLINE A P##_respond(const P##_value_type *value);                                                          \
    static void P##_respond_all(const void *values, const uint32_t *vertices, uint64_t count, void *answers) {         \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            ((A *)answers)[i] = P##_respond((const P##_value_type *)values + vertices[i]);                             \
    }                                                                                                                  \
    MEGURI_INLINE void P##_ask(P##_vertex *v, uint32_t vertex) {                                                       \
        meguri_tally *t = v->t;                                                                                        \
        if (vertex >= v->s->vertices) {                                                                                \
            meguri_tally_fault(t, MEGURI_FAULT_MISSING, P##_id(v), vertex);                                            \
            return;                                                                                                    \
        }                                                                                                              \
        if (t->question_count == t->question_room && !t->more_questions(t)) {                                          \
            meguri_tally_fault(t, MEGURI_FAULT_MEMORY, 0, 0);                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        t->questions[t->question_count++] = vertex;                                                                    \
    }                                                                                                                  \
    MEGURI_INLINE const A *P##_answer(const P##_vertex *v, uint32_t vertex) {                                          \
        return meguri_span_answer(v->s, vertex, sizeof(A));                                                            \
    }                                                                                                                  \
    typedef A P##_answer_type
#define MEGURI_ANSWERS(P) .respond = P##_respond_all, .answer_bytes = sizeof(P##_answer_type)

/* The programs of a file, in the order in which they run. */
#define MEGURI_RUN(...)                                                                                                \
    static const meguri_program *const meguri_programs_here[] = {__VA_ARGS__};                                         \
    extern const meguri_program_list meguri_programs;                                                                  \
    __attribute__((visibility("default"))) const meguri_program_list meguri_programs = {                               \
        MEGURI_PREGEL_ABI, sizeof(meguri_program_list), sizeof meguri_programs_here / sizeof *meguri_programs_here,    \
        meguri_programs_here}

#endif
#endif
