/* Messages of any size, and of none, with values of edges of every type: what is read is what was sent, in the order
 * that pregel.h promises, by every delivery. */
#define _GNU_SOURCE
#include "pregel/pregel.h"

#include "algo_bfs/searching.h"
#include "pregel/programs.h"

#include <meguri.h>
#include <meguri/run.h>

enum { VERTICES = 150, DEGREE = 5 };

static inline uint64_t mix(uint64_t hash, uint64_t x) { return meguri_random(hash, x, 3); }
/* A byte of the message that `source` sends; kind 0: to all neighbours, 1: to one vertex. */
static inline uint8_t byte_of(uint64_t source, int kind, size_t i) {
    return (uint8_t)(source * 7 + (uint64_t)kind * 101 + i * 13 + (i >> 8));
}

/* ---- the programs ----------------------------------------------------------------------------------------------- */

/* Everybody sends to all, every third vertex to one besides; every fifth reads no more than two messages. A message
 * that is to one vertex says so by its bytes; without any it cannot. */
#define SIZED(P, N, E, EDGE)                                                                                           \
    typedef struct P##_block {                                                                                         \
        uint8_t bytes[N];                                                                                              \
    } P##_block;                                                                                                       \
    MEGURI_VERTEX(P, uint64_t, E, P##_block);                                                                          \
    static inline P##_block P##_make(uint64_t source, int kind) {                                                      \
        P##_block block;                                                                                               \
        for (size_t i = 0; i < N; i++) block.bytes[i] = byte_of(source, kind, i);                                      \
        return block;                                                                                                  \
    }                                                                                                                  \
    static inline void P##_compute(P##_vertex *v, uint64_t *hash) {                                                    \
        uint32_t id = P##_id(v), read = 0;                                                                             \
        MEGURI_EACH_MESSAGE(P, m, v) {                                                                                 \
            int kind = m.value.bytes[0] != byte_of(m.source, 0, 0);                                                    \
            P##_block sent = P##_make(m.source, kind);                                                                 \
            if (memcmp(&sent, &m.value, sizeof sent) != 0) P##_fail(v, "what is read was never sent.");                \
            *hash = mix(mix(*hash, m.source * 2 + (uint64_t)kind), EDGE);                                              \
            if (id % 5 == 0 && ++read == 2) break;                                                                     \
        }                                                                                                              \
        if (P##_superstep(v) == 0) {                                                                                   \
            if (id % 3 == 0) P##_send(v, id * 7 % VERTICES, P##_make(id, 1));                                          \
            P##_send_all(v, P##_make(id, 0));                                                                          \
        }                                                                                                              \
        P##_halt(v);                                                                                                   \
    }                                                                                                                  \
    static const meguri_output P##_columns[] = {MEGURI_OUTPUT("hash", uint64_t)};                                      \
    MEGURI_PROGRAM(P, .outputs = P##_columns, .output_count = 1)

SIZED(one, 1, meguri_none, 0);
SIZED(three, 3, uint8_t, m.edge);
SIZED(four, 4, uint64_t, m.edge);
SIZED(five, 5, double, (uint64_t)m.edge);
SIZED(eight, 8, uint16_t, m.edge);
SIZED(twelve, 12, meguri_none, 0);
SIZED(sixteen, 16, uint32_t, m.edge);
SIZED(seventeen, 17, float, (uint64_t)m.edge);
SIZED(thousand, 1000, uint8_t, m.edge);

MEGURI_VERTEX(silent, uint64_t, uint32_t, meguri_none);
static inline void silent_compute(silent_vertex *v, uint64_t *hash) {
    MEGURI_EACH_MESSAGE(silent, m, v) *hash = mix(*hash, m.source * 1000 + m.edge);
    if (silent_superstep(v) == 0) {
        if (silent_id(v) % 3 == 0) silent_send(v, silent_id(v) * 7 % VERTICES, (meguri_none){0});
        silent_send_all(v, (meguri_none){0});
    }
    silent_halt(v);
}
static const meguri_output silent_columns[] = {MEGURI_OUTPUT("hash", uint64_t)};
MEGURI_PROGRAM(silent, .outputs = silent_columns, .output_count = 1);

/* ---- what must come of them ------------------------------------------------------------------------------------- */

static uint64_t target(uint64_t from, uint64_t k) { return (from + 1 + k * (k + 1) / 2) % (VERTICES - 20); }
static uint64_t weight(uint64_t from, uint64_t k) { return (from * 5 + k * 3) % 250 + 1; }

/* By increasing source, and of one source what went to all before what went to one. `edges`: they have values. */
static uint64_t expected(uint64_t v, bool edges, bool silent) {
    uint64_t hash = 0, read = 0;
    for (uint64_t u = 0; u < VERTICES; u++)
        for (uint64_t k = 0; k <= DEGREE; k++) { /* the last stands for what goes to one vertex */
            bool one = k == DEGREE;
            if (one ? u % 3 != 0 || u * 7 % VERTICES != v : u >= VERTICES - 20 || target(u, k) != v) continue;
            uint64_t edge = one || !edges ? 0 : weight(u, k);
            if (silent) hash = mix(hash, u * 1000 + edge);
            else hash = mix(mix(hash, u * 2 + one), edge);
            if (!silent && v % 5 == 0 && ++read == 2) return hash;
        }
    return hash;
}

static meguri_graph *a_graph(meguri_ctx *ctx, meguri_order order) {
    enum { EDGES = (VERTICES - 20) * DEGREE };
    static uint64_t from[EDGES + 1], to[EDGES + 1];
    static double weights[EDGES + 1];
    uint64_t count = 0;
    for (uint64_t u = 0; u < VERTICES - 20; u++)
        for (uint64_t k = 0; k < DEGREE; k++, count++)
            from[count] = u, to[count] = target(u, k), weights[count] = (double)weight(u, k);
    meguri_edge_arrays edges = {.size = sizeof edges,
                                .count = count,
                                .from = from,
                                .to = to,
                                .weights = weights,
                                .weight_type = MEGURI_TYPE_F64,
                                .vertices = VERTICES};
    meguri_build_options options = {
        .size = sizeof options, .direction = MEGURI_DIRECTED, .order = order, .keep_loops = 1};
    meguri_graph *graph;
    if (meguri_graph_from_edges(&graph, ctx, &edges, &options) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    return graph;
}

static void check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_program *p, meguri_run_options *o) {
    meguri_result *result;
    meguri_column got = {.size = sizeof got};
    if (meguri_run(&result, ctx, graph, LIST(p), o) != MEGURI_OK) fail_msg("%s: %s", p->name, meguri_ctx_error(ctx));
    assert_int_equal(meguri_result_column(&got, result, "hash"), MEGURI_OK);
    assert_int_equal(got.count, VERTICES);
    for (uint64_t v = 0; v < VERTICES; v++)
        if (((const uint64_t *)got.data)[v] != expected(v, p->edge_type != 0, !p->message_bytes))
            fail_msg("%s, delivery %s, %u workers: vertex %u", p->name, meguri_delivery_name(o->delivery), o->workers,
                     (unsigned)v);
    meguri_result_free(result);
}

static void what_is_read_was_sent(void **state) {
    (void)state;
    static const meguri_program *const programs[] = {
        &silent_program, &one_program,    &three_program,   &four_program,      &five_program,
        &eight_program,  &twelve_program, &sixteen_program, &seventeen_program, &thousand_program};
    meguri_ctx *ctx = context_with(2);
    for (meguri_order order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
        meguri_graph *graph = a_graph(ctx, order);
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
            for (int how = 0; how <= MEGURI_DELIVERY_MIRROR; how++)
                for (uint32_t workers = 1; workers < 9 && how != MEGURI_DELIVERY_COMBINE; workers += 3) {
                    meguri_run_options o = {.size = sizeof o, .delivery = (meguri_delivery)how, .workers = workers};
                    check(ctx, graph, programs[i], &o);
                }
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_was_sent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
