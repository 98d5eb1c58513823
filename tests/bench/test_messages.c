/* bench_messages beside real runs: what it counts of a stream of edges is what vertex programs deliver on the graph of
 * the same edges, by every delivery, at every number of workers from 1 to 64. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"
#include "pregel/programs.h"
#include "support/sanitized.h"

#include <meguri.h>
#include <meguri/run.h>
#include <stdio.h>
#include <string.h>

enum { SCALE = 8, SEED = 7, MOST = 64, DELIVERIES = MEGURI_DELIVERY_MIRROR };

/* ---- programs --------------------------------------------------------------------------------------------------- */

MEGURI_VERTEX(rank, double, meguri_none, double); /* a superstep of PageRank: everybody sends to all */
static inline void rank_compute(rank_vertex *v, double *sum) {
    MEGURI_EACH_MESSAGE(rank, m, v) *sum += m.value;
    if (rank_superstep(v) == 0) rank_send_all(v, 1);
    else rank_halt(v);
}
static inline void rank_combine(double *into, const double *message) { *into += *message; }
MEGURI_COMBINES(rank);
static const meguri_output sums[] = {MEGURI_OUTPUT("sum", double)};
MEGURI_PROGRAM(rank, .outputs = sums, .output_count = 1, MEGURI_COMBINED(rank));

MEGURI_VERTEX(wave, uint64_t, meguri_none, uint64_t); /* a search: messages are ids of 8 bytes, as in the paper */
static inline void wave_compute(wave_vertex *v, uint64_t *parent) {
    const uint32_t *source = wave_globals(v);
    bool reached = wave_superstep(v) == 0 && wave_id(v) == *source;
    MEGURI_EACH_MESSAGE(wave, m, v) {
        reached = true;
        *parent = m.value;
        break;
    }
    wave_halt(v);
    if (!reached) return;
    wave_done(v);
    wave_send_all(v, wave_id(v));
}
static inline void wave_combine(uint64_t *into, const uint64_t *message) { *into = MG_MIN(*into, *message); }
MEGURI_COMBINES(wave);
static int begin(meguri_master *m, void *source, int argc, const char *const *argv) {
    return argc == 1 && m->find(m, argv[0], source) ? 0 : 1;
}
static const meguri_output parents[] = {MEGURI_OUTPUT("parent", uint64_t)};
MEGURI_PROGRAM(wave, .outputs = parents, .output_count = 1, .globals_bytes = sizeof(uint32_t), .begin = begin,
               MEGURI_COMBINED(wave));

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

typedef struct graphs {
    const char *name;
    meguri_graph *directed, *both_ways;
    char root[16];
} graphs;

static void make(graphs *g, meguri_ctx *ctx, bool uniform) {
    meguri_drawing *drawing;
    uint32_t ends[2];
    meguri_build_options build = {.size = sizeof build, .duplicates = MEGURI_DUPLICATES_KEEP, .keep_loops = 1};
    meguri_rmat_options r = {
        .size = sizeof r, .scale = SCALE, .a = 0.45, .b = 0.15, .c = 0.15, .seed = SEED, .scramble = 1};
    meguri_uniform_options u = {.size = sizeof u, .vertices = 1 << SCALE, .edges = (uint64_t)16 << SCALE, .seed = SEED};
    g->name = uniform ? "uniform" : "rmat";
    for (int way = 0; way < 2; way++) {
        build.direction = way ? MEGURI_UNDIRECTED : MEGURI_DIRECTED;
        r.build = u.build = &build;
        meguri_graph **graph = way ? &g->both_ways : &g->directed;
        meguri_status made = uniform ? meguri_gen_uniform(graph, ctx, &u) : meguri_gen_rmat(graph, ctx, &r);
        assert_int_equal(made, MEGURI_OK);
    }
    meguri_status drawn = uniform ? meguri_draw_uniform(&drawing, ctx, &u) : meguri_draw_rmat(&drawing, ctx, &r);
    assert_int_equal(drawn, MEGURI_OK);
    assert_int_equal(meguri_draw_edges(ends, NULL, drawing, 0, 1), MEGURI_OK);
    meguri_drawing_free(drawing);
    snprintf(g->root, sizeof g->root, "%u", ends[0]);
}

/* ---- beside each other ------------------------------------------------------------------------------------------ */

typedef struct counted {
    char program[16];
    unsigned workers, supersteps;
    unsigned long long messages[DELIVERIES + 1], bytes[DELIVERIES + 1];
} counted;

static bool read_line(counted *c, const char *line) {
    int at;
    if (sscanf(line, "%15s %u %u%n", c->program, &c->workers, &c->supersteps, &at) != 3) return false;
    for (int how = 1, more; how <= DELIVERIES; how++, at += more)
        if (sscanf(line + at, "%llu %llu%n", &c->messages[how], &c->bytes[how], &more) != 2) return false;
    return true;
}

static void compare(meguri_ctx *ctx, const graphs *g, const counted *c, meguri_delivery how) {
    bool search = strcmp(c->program, "bfs") == 0;
    const char *const arguments[] = {g->root};
    meguri_run_options o = {
        .size = sizeof o, .delivery = how, .workers = c->workers, .argc = search, .argv = arguments};
    meguri_result *result;
    meguri_status status = meguri_run(&result, ctx, search ? g->both_ways : g->directed,
                                      search ? LIST(&wave_program) : LIST(&rank_program), &o);
    if (status != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    uint64_t delivered = fact_of(result, "delivered"), bytes = fact_of(result, "model_bytes");
    if (delivered != c->messages[how] || bytes != c->bytes[how])
        fail_msg("%s of %s, %u workers, %s: counted %llu messages and %llu bytes, delivered %llu and %llu", c->program,
                 g->name, c->workers, meguri_delivery_name(how), c->messages[how], c->bytes[how],
                 (unsigned long long)delivered, (unsigned long long)bytes);
    assert_int_equal(fact_of(result, "messages"), c->messages[MEGURI_DELIVERY_NORMAL]);
    meguri_result_free(result);
}

/* Every number from 1 to 64 divides one of 33 to 64. All deliveries on both graphs at few workers, one on one of them
 * else. */
static uint64_t compare_all(meguri_ctx *ctx, const graphs *g, const char *tool) {
    bool seen[2][MOST + 1] = {{false}};
    char command[4096], line[1024];
    uint64_t compared = 0;
    counted c;
    for (unsigned most = MOST; most > MOST / 2; most--) {
        snprintf(command, sizeof command, "'%s' %s %d %u 2 %d 2>/dev/null", tool, g->name, SCALE, most, SEED);
        FILE *lines = popen(command, "r");
        assert_non_null(lines);
        assert_non_null(fgets(line, sizeof line, lines));
        while (fgets(line, sizeof line, lines)) {
            assert_true(read_line(&c, line));
            bool *known = &seen[strcmp(c.program, "bfs") == 0][c.workers];
            bool all = c.workers <= 4 || c.workers == 8 || c.workers == 16, uniform = g->name[0] == 'u';
            for (unsigned how = 1; how <= DELIVERIES && !*known; how++) {
                if (!all && (c.workers % 2 != uniform || c.workers / 2 % DELIVERIES + 1 != how)) continue;
                if (UNDER_ASAN && c.workers > 12) continue;
                compare(ctx, g, &c, (meguri_delivery)how);
                compared++;
            }
            *known = true;
        }
        assert_int_equal(pclose(lines), 0);
    }
    for (unsigned w = 1; w <= MOST; w++) assert_true(seen[0][w] && seen[1][w]);
    return compared;
}

static void counts_are_those_of_runs(void **unused) {
    (void)unused;
    const char *tool = getenv("BENCH_MESSAGES");
    assert_non_null(tool);
    meguri_ctx *ctx = context_with(2);
    for (int uniform = 0; uniform < 2; uniform++) {
        graphs g;
        make(&g, ctx, uniform);
        assert_true(compare_all(ctx, &g, tool) > 100);
        meguri_graph_free(g.directed);
        meguri_graph_free(g.both_ways);
    }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_those_of_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
