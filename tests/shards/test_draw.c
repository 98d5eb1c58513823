/* Graphs drawn in shares are those that one process draws, also after all ranks have written them to a file of many
 * chunks; and the memory that each rank needs falls with their number. */
#define _GNU_SOURCE
#include "shards/gathered.h"
#include "support/sinks.h"

/* ---- generators ------------------------------------------------------------------------------------------------- */

enum { SCALE = UNDER_TSAN || UNDER_ASAN ? 9 : 15 };

static const meguri_rmat_options rmat = {
    .size = sizeof rmat,
    .scale = SCALE,
    .edge_factor = 20,
    .weights = MEGURI_TYPE_F32,
    .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .keep_loops = 1}};
static const meguri_uniform_options uniform = {.size = sizeof uniform,
                                               .vertices = 20000,
                                               .edges = UNDER_TSAN || UNDER_ASAN ? 10000 : 300000,
                                               .weights = MEGURI_TYPE_U32,
                                               .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                                .direction = MEGURI_UNDIRECTED,
                                                                                .duplicates = MEGURI_DUPLICATES_KEEP}};
static const meguri_grid_options grid = {.size = sizeof grid, .width = 200, .height = 150, .links = 900};
static const meguri_kronecker_options kronecker = {
    .size = sizeof kronecker,
    .scale = SCALE,
    .weights = MEGURI_TYPE_U32,
    .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .ignore_weights = 1}};

enum { PARALLEL = 4, DRAWN = PARALLEL + 2 * MEGURI_DUPLICATES_KEEP }; /* the first with parallel edges; all */

typedef struct job {
    int which;
    const char *path;
    gathered *all;
} job;

static meguri_status draw_one(meguri_graph **out, meguri_ctx *ctx, int which, const meguri_layout *layout) {
    meguri_rmat_options r = rmat;
    meguri_uniform_options u = uniform;
    meguri_grid_options g = grid;
    meguri_kronecker_options k = kronecker;
    meguri_build_options r_build = *r.build, u_build = *u.build, k_build = *k.build;
    meguri_build_options g_build = {.size = sizeof g_build, .layout = layout};
    r_build.layout = u_build.layout = k_build.layout = layout;
    r.build = &r_build;
    u.build = &u_build;
    g.build = &g_build;
    k.build = &k_build;
    if (which >= PARALLEL) { /* many parallel edges, and each choice of what becomes of them */
        u.vertices = 300;
        u.edges = UNDER_TSAN || UNDER_ASAN ? 3000 : 40000;
        u.weights = which % 2 ? MEGURI_TYPE_F32 : MEGURI_TYPE_U32;
        u_build.duplicates = k_build.duplicates = g_build.duplicates = (meguri_duplicates)((which - PARALLEL) / 2);
        u_build.direction = which % 3 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED;
        g.width = 9;
        g.height = 8;
    }
    switch (which) {
    case PARALLEL + 2 * MEGURI_DUPLICATES_FIRST: return meguri_gen_grid(out, ctx, &g);
    case PARALLEL + 2 * MEGURI_DUPLICATES_COUNT: return meguri_gen_kronecker(out, ctx, &k);
    case 0: return meguri_gen_rmat(out, ctx, &r);
    case 1: return meguri_gen_uniform(out, ctx, &u);
    case 2: return meguri_gen_grid(out, ctx, &g);
    case 3: return meguri_gen_kronecker(out, ctx, &k);
    default: return meguri_gen_uniform(out, ctx, &u);
    }
}

static meguri_status draw(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    job *j = user;
    meguri_graph *s = NULL;
    const meguri_layout layout = square(c);
    meguri_status status = draw_one(&s, ctx, j->which, &layout);
    if (status == MEGURI_OK) status = gathered_add(j->all, ctx, s, true);
    if (status == MEGURI_OK) status = meguri_save(ctx, s, to_file(j->path), NULL);
    meguri_graph_free(s);
    return status;
}

static void generators(void **state) {
    (void)state;
    static const uint32_t rank_counts[] = {1, 3, 8};
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/g.meg", folder);
    for (int which = 0; which < DRAWN; which++) {
        meguri_graph *graph = NULL;
        assert_int_equal(draw_one(&graph, ctx, which, NULL), MEGURI_OK);
        for (size_t i = 0; i < COUNT_OF(rank_counts); i++) {
            gathered all;
            gathered_begin(&all, graph);
            job j = {which, path, &all};
            run_on(rank_counts[i], 0, draw, &j);
            gathered_end(&all, ctx, "a generator", rank_counts[i]);
            compare_saved(ctx, path, graph, "a generator");
        }
        meguri_graph_free(graph);
    }
    folder_remove(folder);
    context_done(ctx);
}

static meguri_status refuse(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    meguri_graph *s;
    const meguri_layout layout = square(c);
    const meguri_rmat_options r = {
        .size = sizeof r,
        .scale = 48,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    const meguri_uniform_options u = {
        .size = sizeof u,
        .edges = 5,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    const meguri_grid_options g = {
        .size = sizeof g, .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    RANK_CHECK(ctx, meguri_gen_rmat(&s, ctx, &r) == MEGURI_BAD_ARGUMENT && !s);
    RANK_CHECK(ctx, meguri_gen_uniform(&s, ctx, &u) == MEGURI_BAD_ARGUMENT && !s);
    RANK_CHECK(ctx, meguri_gen_grid(&s, ctx, &g) == MEGURI_BAD_ARGUMENT && !s);
    return MEGURI_OK;
}

static void bad_options(void **state) {
    (void)state;
    run_on(3, 0, refuse, NULL);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Ways to get a graph in parts, and the most that any rank ever needed for it. */
typedef struct measurement {
    int way;
    uint32_t scale;
    const char *folder;
    pthread_mutex_t lock;
    uint64_t most;
} measurement;

static const char *const ways[] = {"drawn", "drawn and saved", "opened", "read"};

static meguri_status measure(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    measurement *m = user;
    char path[2 * FOLDER_TEXT];
    meguri_graph *s = NULL;
    const meguri_layout layout = square(c);
    const meguri_kronecker_options k = {
        .size = sizeof k,
        .scale = m->scale,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    snprintf(path, sizeof path, "%s/%u.%s", m->folder, m->scale, m->way == 3 ? "el" : "meg");
    const char *paths[] = {path};
    const meguri_read_options r = {.size = sizeof r,
                                   .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                    .direction = MEGURI_UNDIRECTED,
                                                                    .layout = &layout}};
    meguri_status status = m->way == 2   ? meguri_open(&s, ctx, path, in_layout(&layout))
                           : m->way == 3 ? meguri_read(&s, ctx, paths, 1, &r)
                                         : meguri_gen_kronecker(&s, ctx, &k);
    if (status == MEGURI_OK && m->way == 1) {
        snprintf(path, sizeof path, "%s/out.meg", m->folder);
        status = meguri_save(ctx, s, to_file(path), NULL);
    }
    meguri_graph_free(s);
    pthread_mutex_lock(&m->lock);
    m->most = MG_MAX(m->most, meguri_ctx_memory_peak(ctx));
    pthread_mutex_unlock(&m->lock);
    return status;
}

static uint64_t peak(int way, uint32_t scale, uint32_t ranks, const char *folder) {
    measurement m = {.way = way, .scale = scale, .folder = folder, .lock = PTHREAD_MUTEX_INITIALIZER};
    run_on(ranks, 0, measure, &m);
    return m.most;
}

static void make_files(const char *folder, uint32_t scale) {
    meguri_ctx *ctx = context_with(1);
    char path[2 * FOLDER_TEXT];
    const meguri_kronecker_options k = {.size = sizeof k, .scale = scale};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    snprintf(path, sizeof path, "%s/%u.meg", folder, scale);
    assert_int_equal(meguri_save(ctx, graph, to_file(path), NULL), MEGURI_OK);
    snprintf(path, sizeof path, "%s/%u.el", folder, scale);
    assert_int_equal(meguri_write(ctx, graph, to_file(path), as_format(MEGURI_FORMAT_EDGELIST)), MEGURI_OK);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* Buffers of a fixed size are what a tiny graph needs; beyond them, P ranks need 1/P each, with room for hubs that are
 * not dealt evenly. */
static void memory_falls(void **state) {
    (void)state;
    if (UNDER_ASAN || UNDER_TSAN) return;
    enum { TINY = 3, LARGE = 16 };
    char folder[FOLDER_TEXT];
    folder_new(folder);
    make_files(folder, TINY);
    make_files(folder, LARGE);
    for (int way = 0; way < (int)COUNT_OF(ways); way++) {
        double alone = 0;
        for (uint32_t ranks = 1; ranks <= 8; ranks *= 2) {
            uint64_t fixed = peak(way, TINY, ranks, folder), all = peak(way, LARGE, ranks, folder);
            double beyond = (double)all - (double)fixed;
            /* Alone the rows of an opened file serve both ways, and several take them in both forms. */
            if (ranks == 1 || (ranks == 2 && strcmp(ways[way], "opened") == 0)) alone = beyond * ranks;
            print_message("%s on %u: %.1f MB, of which %.1f MB are buffers; %.2f of a share\n", ways[way], ranks,
                          (double)all / 1e6, (double)fixed / 1e6, beyond * ranks / alone);
            assert_true(beyond * ranks <= 1.6 * alone);
        }
    }
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(generators), cmocka_unit_test(bad_options),
                                       cmocka_unit_test(memory_falls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
