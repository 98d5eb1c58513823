/* Parallel edges in text: every choice of what becomes of them gives the graph that the same edges in arrays give
 * (tests/graph compares that one with a slow builder), in every format that has weights, cut into chunks of any size
 * for any number of threads. */
#include "reading.h"

enum { VERTICES = 5, EDGES = 70 };

typedef struct edges {
    uint32_t ends[2 * EDGES];
    double weights[EDGES];
} edges;

/* By their first ends, as METIS lists them; every vertex occurs. */
static edges make_edges(int kind) {
    edges e;
    uint32_t seed = 12345u + (uint32_t)kind;
    for (uint32_t i = 0; i < EDGES; i++) {
        seed = seed * 1664525 + 1013904223;
        e.ends[2 * i] = 1 + i * VERTICES / EDGES;
        e.ends[2 * i + 1] = 1 + (seed >> 8) % VERTICES;
        e.weights[i] = kind == 0 ? seed >> 16 & 15 : kind == 1 ? seed : (double)(seed >> 16 & 255) / 4;
    }
    return e;
}

/* ---- as text ---------------------------------------------------------------------------------------------------- */

typedef struct writing {
    char text[EDGES * 64];
    size_t used;
} writing;

static void put(writing *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, args);
    va_end(args);
}

static void each_line(writing *w, const edges *e, const char *format) {
    for (uint32_t i = 0; i < EDGES; i++) put(w, format, e->ends[2 * i], e->ends[2 * i + 1], e->weights[i]);
}

static void write_list(writing *w, const edges *e) { each_line(w, e, "%u %u %.15g\n"); }
static void write_csv(writing *w, const edges *e) {
    put(w, "source,target,weight\n");
    each_line(w, e, "%u,%u,%.15g\n");
}
static void write_dimacs(writing *w, const edges *e) {
    put(w, "p sp %d %d\n", VERTICES, EDGES);
    each_line(w, e, "a %u %u %.15g\n");
}
static void write_matrix(writing *w, const edges *e) {
    put(w, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", VERTICES, VERTICES, EDGES);
    each_line(w, e, "%u %u %.15g\n");
}
/* Arcs, of which there are as many as edges. */
static void write_metis(writing *w, const edges *e) {
    put(w, "%d %d 1\n", VERTICES, EDGES);
    for (uint32_t v = 1; v <= VERTICES; v++) {
        for (uint32_t i = 0; i < EDGES; i++)
            if (e->ends[2 * i] == v) put(w, "%u %.15g ", e->ends[2 * i + 1], e->weights[i]);
        put(w, "\n");
    }
}

/* ---- the same in arrays ----------------------------------------------------------------------------------------- */

static char *wanted(const edges *e, const meguri_build_options *build) {
    reading r;
    reading_start(&r, 1);
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = EDGES,
                                 .from = e->ends,
                                 .to = e->ends + 1,
                                 .id_bytes = 4,
                                 .stride = 8,
                                 .weights = e->weights,
                                 .weight_type = MEGURI_TYPE_F64};
    meguri_graph *graph;
    assert_int_equal(meguri_graph_from_edges(&graph, r.ctx, &arrays, build), MEGURI_OK);
    char *text = graph_text(r.ctx, graph);
    meguri_graph_free(graph);
    reading_end(&r);
    return text;
}

static void every_format_every_choice(void **state) {
    (void)state;
    static const struct {
        const char *name;
        void (*write)(writing *w, const edges *e);
    } formats[] = {{"a.wel", write_list},
                   {"a.csv", write_csv},
                   {"a.gr", write_dimacs},
                   {"a.mtx", write_matrix},
                   {"a.graph", write_metis}};
    for (int kind = 0; kind < 3; kind++) {
        edges e = make_edges(kind);
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            writing w = {.used = 0};
            formats[f].write(&w, &e);
            for (int how = 0; how <= MEGURI_DUPLICATES_KEEP; how++)
                for (int undirected = 0; undirected < 2; undirected++) {
                    meguri_read_options o = {
                        .size = sizeof o,
                        .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                         .direction = undirected ? MEGURI_UNDIRECTED : MEGURI_DIRECTED,
                                                         .duplicates = (meguri_duplicates)how,
                                                         .keep_loops = 1}};
                    char *want = wanted(&e, o.build);
                    expect(formats[f].name, (bytes){w.text, w.used}, &o, want);
                    free(want);
                }
        }
    }
}

static void edges_that_stand_at_both_ends(void **state) {
    (void)state;
    meguri_read_options count = {
        .size = sizeof count,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .duplicates = MEGURI_DUPLICATES_COUNT}};
    meguri_read_options sum = {
        .size = sizeof sum,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .duplicates = MEGURI_DUPLICATES_SUM}};
    expect("a.graph", BYTES("3 3\n2 2\n1 1 3\n2\n"), &count,
           "undirected u8 unsigned 2 of 3\n1: 2(2)\n2: 1(2) 3(1)\n3: 2(1)\n");
    expect("a.graph", BYTES("3 3 1\n2 4 2 5\n1 4 1 5 3 7\n2 7\n"), &sum,
           "undirected u8 unsigned 2 of 3\n1: 2(9)\n2: 1(9) 3(7)\n3: 2(7)\n");
    expect("a.mtx", BYTES("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 0.5\n2 1 3\n"), &sum,
           "undirected f32 unsigned 1 of 2\n1: 2(3.5)\n2: 1(3.5)\n");
    expect("a.csv", BYTES("source,target\n1,2\n1,2\n2,1\n"), &count, "directed u8 unsigned 2 of 3\n1: 2(2)\n2: 1(1)\n");
    count.build = &(meguri_build_options){
        .size = sizeof(meguri_build_options), .direction = MEGURI_UNDIRECTED, .duplicates = MEGURI_DUPLICATES_COUNT};
    sum.build = &(meguri_build_options){
        .size = sizeof(meguri_build_options), .direction = MEGURI_UNDIRECTED, .duplicates = MEGURI_DUPLICATES_SUM};
    expect("a.csv", BYTES("source,target\n1,2\n1,2\n2,1\n"), &count,
           "undirected u8 unsigned 1 of 3\n1: 2(3)\n2: 1(3)\n");
    /* An adjacency list says nothing of its edges: those at both ends are two. */
    count.format = MEGURI_FORMAT_ADJACENCY;
    expect("a.adj", BYTES("1 2\n2 1\n"), &count, "undirected u8 unsigned 1 of 2\n1: 2(2)\n2: 1(2)\n");
}

/* Weights are not even looked at where edges are counted. */
static void weights_that_do_not_count(void **state) {
    (void)state;
    meguri_read_options count = {
        .size = sizeof count,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .duplicates = MEGURI_DUPLICATES_COUNT}};
    expect("a.csv", BYTES("source,target,weight\n1,2,x\n1,2,\n1,3,4\n"), &count,
           "directed u8 unsigned 2 of 3\n1: 2(2) 3(1)\n2:\n3:\n");
    meguri_read_options sum = {
        .size = sizeof sum,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .duplicates = MEGURI_DUPLICATES_SUM}};
    refuse("a.csv", BYTES("source,target,weight\nNara,Kobe,9007199254740992\nKobe,Nara,1\nNara,Kobe,1\n"), &sum,
           "the weights of the parallel edges from \"Nara\" to \"Kobe\" have a sum that no weight holds");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_format_every_choice),
                                       cmocka_unit_test(edges_that_stand_at_both_ends),
                                       cmocka_unit_test(weights_that_do_not_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
