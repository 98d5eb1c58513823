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
 * The macros give the functions of meguri/extra/pregel_vertex.h and pregel_combine.h the types of a program, and make a
 * kernel around its compute function for each way of receiving messages, in which that way is a constant: the library
 * calls one function for some thousands of vertices, and none for each vertex or message. So a program is compiled with
 * the header of the library that runs it; MEGURI_PREGEL_ABI says whether the two fit. */
#ifndef MEGURI_PREGEL_H
#define MEGURI_PREGEL_H

#include <meguri/extra/pregel_combine.h>
#include <meguri/extra/pregel_vertex.h>

#ifndef __cplusplus

#define MEGURI_BYTES_OF(type) ((uint32_t) _Generic(*(type *)0, meguri_none : 0, default : sizeof(type)))
#define MEGURI_EDGE_TYPE_OF(type)                                                                                      \
    _Generic(*(type *)0, meguri_none : 0, uint8_t                                                                      \
             : MEGURI_TYPE_U8, uint16_t                                                                                \
             : MEGURI_TYPE_U16, uint32_t                                                                               \
             : MEGURI_TYPE_U32, uint64_t                                                                               \
             : MEGURI_TYPE_U64, float                                                                                  \
             : MEGURI_TYPE_F32, double                                                                                 \
             : MEGURI_TYPE_F64)
#define MEGURI_COLUMN_TYPE_OF(item)                                                                                    \
    _Generic((item), int8_t                                                                                            \
             : MEGURI_TYPE_I8, int16_t                                                                                 \
             : MEGURI_TYPE_I16, int32_t                                                                                \
             : MEGURI_TYPE_I32, uint64_t                                                                               \
             : MEGURI_TYPE_U64, double                                                                                 \
             : MEGURI_TYPE_F64, uint32_t                                                                               \
             : MEGURI_TYPE_VERTEX)
/* A column of the result: the whole value of a vertex, or a field of it. Types: int8_t, int16_t, int32_t, uint64_t,
 * double; uint32_t is a vertex, of which files have the id. */
#define MEGURI_OUTPUT(label, T)                                                                                        \
    { .name = label, .type = MEGURI_COLUMN_TYPE_OF(*(T *)0), .offset = 0 }
#define MEGURI_OUTPUT_FIELD(label, T, field)                                                                           \
    { .name = label, .type = MEGURI_COLUMN_TYPE_OF(((T *)0)->field), .offset = offsetof(T, field) }

#define MEGURI_EACH_MESSAGE(P, m, v)  for (P##_message m; P##_receive((v), &(m));)
#define MEGURI_EACH_OUT_EDGE(P, e, v) for (P##_edge e = P##_out_edges(v); P##_next_out((v), &(e));)
#define MEGURI_EACH_IN_EDGE(P, e, v)  for (P##_edge e = P##_in_edges(v); P##_next_in((v), &(e));)

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
    typedef meguri_vertex P##_vertex;                                                                                  \
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
    MEGURI_INLINE meguri_shape P##_shape(void) {                                                                       \
        return (meguri_shape){P##_message_bytes, P##_edge_bytes, P##_parcel_bytes, P##_parcel_edge};                   \
    }                                                                                                                  \
    MEGURI_INLINE void P##_compute(P##_vertex *v, V *value);                                                           \
    MEGURI_INLINE uint64_t P##_superstep(const P##_vertex *v) { return v->s->superstep; }                              \
    MEGURI_INLINE uint64_t P##_vertices(const P##_vertex *v) { return v->s->vertices; }                                \
    MEGURI_INLINE uint64_t P##_edges(const P##_vertex *v) { return v->s->edges; }                                      \
    MEGURI_INLINE uint32_t P##_id(const P##_vertex *v) { return meguri_vertex_id(v); }                                 \
    MEGURI_INLINE const void *P##_globals(const P##_vertex *v) { return v->s->globals; }                               \
    MEGURI_INLINE const void *P##_left(const P##_vertex *v) { return meguri_vertex_left(v); }                          \
    MEGURI_INLINE uint64_t P##_out_degree(const P##_vertex *v) { return meguri_vertex_out_degree(v); }                 \
    MEGURI_INLINE uint64_t P##_in_degree(const P##_vertex *v) { return meguri_vertex_in_degree(v); }                   \
    MEGURI_INLINE void P##_halt(P##_vertex *v) { v->halt = 1; }                                                        \
    MEGURI_INLINE void P##_done(P##_vertex *v) { v->done = 1; }                                                        \
    MEGURI_INLINE void P##_fail(P##_vertex *v, const char *sentence) { meguri_vertex_fail(v, sentence); }              \
    MEGURI_INLINE void P##_real(P##_vertex *v, uint32_t i, double x) { meguri_tally_real(v->t, i, x); }                \
    MEGURI_INLINE void P##_whole(P##_vertex *v, uint32_t i, int64_t x) { meguri_tally_whole(v->t, i, x); }             \
    MEGURI_INLINE void P##_own(P##_vertex *v, uint32_t i, const void *x) { meguri_tally_own(v->t, i, x); }             \
    MEGURI_INLINE double P##_last_real(const P##_vertex *v, uint32_t i) { return v->s->reals[i]; }                     \
    MEGURI_INLINE int64_t P##_last_whole(const P##_vertex *v, uint32_t i) { return v->s->wholes[i]; }                  \
    MEGURI_INLINE const void *P##_last_own(const P##_vertex *v, uint32_t i) { return v->s->owns[i]; }                  \
    MEGURI_INLINE P##_edge P##_out_edges(const P##_vertex *v) {                                                        \
        P##_edge e;                                                                                                    \
        memset(&e, 0, sizeof e);                                                                                       \
        meguri_vertex_out_edges(v, &e.at, &e.end);                                                                     \
        return e;                                                                                                      \
    }                                                                                                                  \
    MEGURI_INLINE P##_edge P##_in_edges(const P##_vertex *v) {                                                         \
        P##_edge e;                                                                                                    \
        memset(&e, 0, sizeof e);                                                                                       \
        meguri_vertex_in_edges(v, &e.at, &e.end);                                                                      \
        return e;                                                                                                      \
    }                                                                                                                  \
    MEGURI_INLINE int P##_next_out(const P##_vertex *v, P##_edge *e) {                                                 \
        return meguri_vertex_next_out(v, &e->at, e->end, &e->vertex, &e->value, P##_edge_bytes);                       \
    }                                                                                                                  \
    MEGURI_INLINE int P##_next_in(const P##_vertex *v, P##_edge *e) {                                                  \
        return meguri_vertex_next_in(v, &e->at, e->end, &e->vertex, &e->value, P##_edge_bytes);                        \
    }                                                                                                                  \
    MEGURI_INLINE void P##_send(P##_vertex *v, uint32_t to, M message) {                                               \
        meguri_vertex_post(v, to, &message, NULL, P##_shape());                                                        \
    }                                                                                                                  \
    MEGURI_INLINE void P##_send_all(P##_vertex *v, M message) {                                                        \
        if (meguri_vertex_send_all(v, &message, P##_shape())) return;                                                  \
        MEGURI_EACH_OUT_EDGE(P, e, v) meguri_vertex_post(v, e.vertex, &message, &e.value, P##_shape());                \
    }                                                                                                                  \
    MEGURI_INLINE int P##_receive(P##_vertex *v, P##_message *m) {                                                     \
        return meguri_vertex_receive(v, &m->source, &m->value, &m->edge, P##_shape());                                 \
    }                                                                                                                  \
    typedef P##_vertex P##_vertex_of_program

/* After `name`_compute: the kernels, and `name`_program with the fields that follow. */
#define MEGURI_PROGRAM(P, ...)                                                                                         \
    static const meguri_program P##_program;                                                                           \
    MEGURI_INLINE void P##_compute_value(meguri_vertex *v, void *value) { P##_compute(v, (P##_value_type *)value); }   \
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
        meguri_span_run(s, t, first_word, end_word, way, P##_compute_value, sizeof(P##_value_type),                    \
                        MEGURI_SEARCHES(P##_program));                                                                 \
    }

/* Messages to one vertex may be made one: `name`_combine(M *into, const M *message), written before this. Then add
 * MEGURI_COMBINED(P) to MEGURI_PROGRAM. Whether they are is the library's choice; m.source is that of the first. */
#define MEGURI_COMBINES(P)                                                                                             \
    MEGURI_INLINE void P##_combine_bytes(void *into, const void *message) {                                            \
        P##_combine((P##_message_type *)into, (const P##_message_type *)message);                                      \
    }                                                                                                                  \
    static void P##_fold(void *sums_, uint8_t *begun_, const void *messages_, const meguri_tile *tile_) {              \
        meguri_fold_messages(sums_, begun_, messages_, tile_, sizeof(P##_message_type), P##_combine_bytes);            \
    }                                                                                                                  \
    static uint64_t P##_combine_runs(uint64_t *keys, void *parcels, uint64_t count, uint32_t shift) {                  \
        return meguri_combine_runs(keys, parcels, count, shift, sizeof(P##_message_type), P##_combine_bytes);          \
    }                                                                                                                  \
    typedef P##_message P##_message_combined
#define MEGURI_COMBINED(P) .combine = P##_combine_runs, .fold = P##_fold

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
