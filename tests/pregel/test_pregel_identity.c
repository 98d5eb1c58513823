/* What a checkpoint is of: the same however a graph lies and by how many it is worked on; and when one thing that a
 * program can see differs, and nothing else, the run is refused, says which, and leaves the checkpoint as it was. */
#define _GNU_SOURCE
#include "pregel/checkpoint.h"

#include "pregel/programs.h"
#include "shards/answers.h"
#include "support/sinks.h"

#include <dirent.h>
#include <xxhash.h>

/* Everything that a graph and a program can have; in three supersteps. */
MEGURI_VERTEX(seeing, double, uint32_t, double);
static inline void seeing_compute(seeing_vertex *v, double *sum) {
    MEGURI_EACH_MESSAGE(seeing, m, v) *sum = (*sum + m.value) * 1.01 + m.edge;
    if (seeing_superstep(v) < 2) seeing_send_all(v, *sum + 1.0 / (1 + seeing_id(v)));
    else seeing_halt(v);
}
static const meguri_output sum_columns[] = {MEGURI_OUTPUT("sum", double)},
                           other_columns[] = {MEGURI_OUTPUT("other", double)};
MEGURI_PROGRAM(seeing, .outputs = sum_columns, .output_count = 1, .edge_column = "toll");

/* Of any graph: no values of edges. */
MEGURI_VERTEX(plain, uint64_t, meguri_none, uint64_t);
static inline void plain_compute(plain_vertex *v, uint64_t *count) {
    MEGURI_EACH_MESSAGE(plain, m, v) *count += m.value;
    if (plain_superstep(v) == 0) plain_send_all(v, 1);
    else plain_halt(v);
}
static const meguri_output counts[] = {MEGURI_OUTPUT("count", uint64_t)};
MEGURI_PROGRAM(plain, .outputs = counts, .output_count = 1);

/* ---- the same however it lies ----------------------------------------------------------------------------------- */

typedef struct trial {
    const char *graph_file, *folder;
    const meguri_program *program;
    const arrangement *arrangement;
    bool resumes;
} trial;

static mg_manifest manifest_in(const char *folder) {
    char path[FOLDER_TEXT + 16];
    mg_manifest m;
    snprintf(path, sizeof path, "%s/checkpoint", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(&m, 1, sizeof m, file), sizeof m);
    fclose(file);
    return m;
}

static meguri_status run_in_parts(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    const trial *t = user;
    meguri_graph *parts;
    meguri_result *result = NULL;
    meguri_layout layout = arranged(cluster, t->arrangement);
    layout.programs = 1;
    const meguri_run_options o = {
        .size = sizeof o, .checkpoint = t->resumes ? NULL : t->folder, .resume = t->resumes ? t->folder : NULL};
    meguri_status status = meguri_open(&parts, ctx, t->graph_file, in_layout(&layout));
    if (status != MEGURI_OK) return status;
    status = meguri_run(&result, ctx, parts, LIST(t->program), &o);
    meguri_result_free(result);
    meguri_graph_free(parts);
    return status;
}

static const arrangement few[] = {
    {1, 0, 0, 0, BY_POSITION}, {2, 1, 2, 0, BY_POSITION}, {2, 0, 0, 1, BY_DEGREE},   {3, 3, 1, 0, BY_BLOCKS},
    {4, 2, 2, 0, BY_DEGREE},   {1, 0, 0, 0, BY_DEGREE},   {5, 1, 5, 0, BY_POSITION}, {2, 0, 0, 0, 0}};

/* The identity as one process has it, as workers that are threads have it, and as parts of a file have it. */
static void is_same_everywhere(meguri_ctx *ctx, const meguri_graph *graph, const meguri_program *program,
                               const char *name, size_t turn, size_t step) {
    char folder[FOLDER_TEXT], file[FOLDER_TEXT + 16];
    meguri_result *result;
    folder_new(folder);
    snprintf(file, sizeof file, "%s/g.meg", folder);
    assert_int_equal(meguri_save(ctx, graph, to_file(file), NULL), MEGURI_OK);
    meguri_run_options o = {.size = sizeof o, .checkpoint = folder};
    assert_int_equal(meguri_run(&result, ctx, graph, LIST(program), &o), MEGURI_OK);
    meguri_result_free(result);
    const mg_manifest whole = manifest_in(folder);
    o.workers = 2 + turn % 3;
    assert_int_equal(meguri_run(&result, ctx, graph, LIST(program), &o), MEGURI_OK);
    meguri_result_free(result);
    mg_manifest other = manifest_in(folder);
    assert_memory_equal(&other.identity, &whole.identity, sizeof whole.identity);
    for (size_t i = turn % step; i < COUNT_OF(few); i += step) {
        trial t = {.graph_file = file, .folder = folder, .program = program, .arrangement = &few[i]};
        run_on_threads(&few[i], 1, name, run_in_parts, &t);
        other = manifest_in(folder);
        for (int k = 0; k < MG_IDENTITY_COUNT; k++)
            if (other.identity.item[k] != whole.identity.item[k])
                fail_msg("%s, %u ranks, owner %d: item %d", name, few[i].ranks, (int)few[i].owner, k);
    }
    folder_remove(folder);
}

static void zoo_is_same_everywhere(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    size_t turn = 0;
    for (int index = 0; zoo_get(&g, index); index++) {
        for (int kind = index % 3; g.count < 700 && kind < 12; kind += UNDER_TSAN || UNDER_ASAN ? 9 : 3) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = kind & 1 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                      .order = (meguri_order)(1 + (kind + index / 3) % 3),
                                      .duplicates = kind / 3 % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = kind / 6 % 2};
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            is_same_everywhere(ctx, graph, &plain_program, g.name, turn++, UNDER_TSAN || UNDER_ASAN ? 8 : 4);
            meguri_graph_free(graph);
        }
        zoo_free(&g);
    }
    assert_true(turn > 20);
    context_done(ctx);
}

/* ---- a graph that has everything -------------------------------------------------------------------------------- */

enum { VERTICES = 60, EDGES = 400 };

typedef struct input {
    uint64_t ids[VERTICES];
    uint32_t from[EDGES], to[EDGES], tolls[EDGES], weights[EDGES];
    uint16_t years[EDGES];
    uint8_t kinds[VERTICES];
    uint64_t vertices;
    const char *toll, *kind;
    meguri_build_options build;
} input;

static input input_new(void) {
    uint64_t seed = 5;
    input in = {.vertices = VERTICES, .toll = "toll", .kind = "kind"};
    in.build = (meguri_build_options){.size = sizeof in.build,
                                      .direction = MEGURI_DIRECTED,
                                      .order = MEGURI_ORDER_NONE,
                                      .duplicates = MEGURI_DUPLICATES_KEEP,
                                      .keep_loops = 1};
    for (uint64_t v = 0; v < VERTICES; v++) {
        in.ids[v] = 10 + 3 * v;
        in.kinds[v] = (uint8_t)(next_random(&seed) % 4);
    }
    for (uint64_t e = 0; e < EDGES; e++) {
        in.from[e] = (uint32_t)(next_random(&seed) % VERTICES);
        in.to[e] = (uint32_t)(next_random(&seed) % VERTICES);
        in.tolls[e] = (uint32_t)(next_random(&seed) % 90);
        in.years[e] = (uint16_t)(1900 + next_random(&seed) % 100);
        in.weights[e] = (uint32_t)(1 + next_random(&seed) % 50);
    }
    /* Edges 7 and 8 are parallel, and alike but for their columns. */
    in.from[8] = in.from[7];
    in.to[8] = in.to[7];
    in.weights[8] = in.weights[7];
    in.tolls[8] = in.tolls[7] + 1;
    return in;
}

static meguri_graph *graph_of(meguri_ctx *ctx, const input *in) {
    uint64_t from[EDGES], to[EDGES];
    meguri_builder *builder;
    meguri_graph *graph;
    for (uint64_t e = 0; e < EDGES; e++) {
        from[e] = in->ids[in->from[e]];
        to[e] = in->ids[in->to[e]];
    }
    const meguri_column_data columns[] = {
        {.size = sizeof *columns, .name = in->toll, .type = MEGURI_TYPE_U32, .values = in->tolls},
        {.size = sizeof *columns, .name = "year", .type = MEGURI_TYPE_U16, .values = in->years}};
    const meguri_column_data vertex_columns[] = {
        {.size = sizeof *columns, .name = in->kind, .type = MEGURI_TYPE_U8, .values = in->kinds}};
    const meguri_builder_options o = {.size = sizeof o,
                                      .ids = MEGURI_ID_UNSIGNED,
                                      .build = &in->build,
                                      .columns = columns,
                                      .column_count = 2,
                                      .vertex_columns = vertex_columns,
                                      .vertex_column_count = 1};
    const meguri_vertex_arrays vertices = {.size = sizeof vertices,
                                           .count = in->vertices,
                                           .ids = in->ids,
                                           .id_bytes = 8,
                                           .columns = vertex_columns,
                                           .column_count = 1};
    const meguri_edge_arrays edges = {.size = sizeof edges,
                                      .count = EDGES,
                                      .from = from,
                                      .to = to,
                                      .weights = in->weights,
                                      .weight_type = MEGURI_TYPE_U32,
                                      .columns = columns,
                                      .column_count = 2};
    assert_int_equal(meguri_builder_new(&builder, ctx, &o), MEGURI_OK);
    assert_int_equal(meguri_builder_vertices(NULL, ctx, builder, 0, &vertices), MEGURI_OK);
    assert_int_equal(meguri_builder_add(ctx, builder, 0, &edges), MEGURI_OK);
    assert_int_equal(meguri_builder_finish(&graph, ctx, builder), MEGURI_OK);
    meguri_builder_free(builder);
    return graph;
}

static void columns_are_same_everywhere(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(2);
    for (int order = MEGURI_ORDER_NONE; order <= MEGURI_ORDER_BFS; order++) {
        input in = input_new();
        in.build.order = (meguri_order)order;
        meguri_graph *graph = graph_of(ctx, &in);
        is_same_everywhere(ctx, graph, &seeing_program, "columns", 0, 1);
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

/* ---- one thing differs ------------------------------------------------------------------------------------------ */

/* What resumes a run that was begun with what base_new makes. */
typedef struct attempt {
    input in;
    meguri_program program;
    struct meguri_program_file file;
    meguri_program_list list;
    const meguri_program *programs[1];
    const char *argument;
} attempt;

static attempt attempt_new(void) {
    return (attempt){.in = input_new(),
                     .program = seeing_program,
                     .file = {.text = 11, .compiler = 22},
                     .list = {MEGURI_PREGEL_ABI, sizeof(meguri_program_list), 1, NULL},
                     .argument = "7"};
}

static void flip_arc(attempt *a) { a->in.to[5] = (a->in.to[5] + 1) % VERTICES; }
static void flip_end(attempt *a) { /* two arcs change their targets: degrees stay */
    uint32_t to = a->in.to[5];
    a->in.to[5] = a->in.to[6];
    a->in.to[6] = to;
}
static void flip_weight(attempt *a) { a->in.weights[100]++; }
static void flip_toll(attempt *a) { a->in.tolls[100]++; }
static void flip_year(attempt *a) { a->in.years[399]++; } /* which the program does not read */
static void flip_parallel(attempt *a) {
    a->in.tolls[7]++;
    a->in.tolls[8]--;
}
static void flip_kind(attempt *a) { a->in.kinds[59] ^= 1; }
static void flip_kind_name(attempt *a) { a->in.kind = "sort"; }
static void flip_id(attempt *a) { a->in.ids[30]++; } /* between its neighbours: positions stay */
static void flip_direction(attempt *a) { a->in.build.direction = MEGURI_UNDIRECTED; }
static void flip_order(attempt *a) { a->in.build.order = MEGURI_ORDER_DEGREE; }
static void flip_text(attempt *a) { a->file.text++; }
static void flip_compiler(attempt *a) { a->file.compiler++; }
static void flip_column(attempt *a) { a->program.outputs = other_columns; }
static void flip_globals(attempt *a) { a->program.globals_bytes = 8; }
static void flip_argument(attempt *a) { a->argument = "8"; }

static const struct {
    void (*flip)(attempt *a);
    const char *said;
    bool in_order; /* the program reads messages in the graph's own order */
} flips[] = {
    {flip_arc, "of another graph: its arcs differ", false},
    {flip_end, "of another graph: its arcs differ", false},
    {flip_weight, "of another graph: its weights differ", false},
    {flip_toll, "of another graph: the columns of its edges differ", false},
    {flip_year, "of another graph: the columns of its edges differ", false},
    {flip_parallel, "of another graph: the columns of its edges differ", false},
    {flip_kind, "of another graph: the columns of its vertices differ", false},
    {flip_kind_name, "of another graph: the columns of its vertices differ", false},
    {flip_id, "of another graph: the ids of its vertices differ", false},
    {flip_direction, "of another graph: the number of its vertices or arcs differs", false},
    {flip_order, "of another graph: its vertices are stored in another order", true},
    {flip_order, NULL, false}, /* who reads by source does not see it */
    {flip_text, "of another program: its text", false},
    {flip_compiler, "of another program: the compiler or its options differ", false},
    {flip_column, "of another program: names, types", false},
    {flip_globals, "of another program: names, types", false},
    {flip_argument, "of another list of arguments", false},
};

static meguri_status run_attempt(meguri_ctx *ctx, attempt *a, bool in_order, const char *checkpoint, const char *resume,
                                 uint64_t most) {
    meguri_graph *graph = graph_of(ctx, &a->in);
    meguri_result *result = NULL;
    a->program.any_order = in_order;
    a->programs[0] = &a->program;
    a->list.programs = a->programs;
    a->file.list = &a->list;
    const meguri_run_options o = {.size = sizeof o,
                                  .max_supersteps = most,
                                  .argc = 1,
                                  .argv = &a->argument,
                                  .checkpoint = checkpoint,
                                  .every = 1,
                                  .resume = resume,
                                  .file = &a->file};
    meguri_status status = meguri_run(&result, ctx, graph, &a->list, &o);
    assert_int_equal(status == MEGURI_OK, result != NULL);
    meguri_result_free(result);
    meguri_graph_free(graph);
    return status;
}

/* A hash of the names and the bytes of all files in a folder. */
static uint64_t hash_folder(const char *folder) {
    uint64_t sum = 0;
    char path[2 * FOLDER_TEXT + 256], data[65536];
    DIR *list = opendir(folder);
    assert_non_null(list);
    for (struct dirent *e; (e = readdir(list));) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *file = fopen(path, "rb");
        size_t bytes = fread(data, 1, sizeof data, file);
        fclose(file);
        sum += XXH64(data, bytes, XXH64(e->d_name, strlen(e->d_name), 0));
    }
    closedir(list);
    return sum;
}

static void each_item_alone(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(2);
    char folder[FOLDER_TEXT], other[FOLDER_TEXT + 8];
    folder_new(folder);
    snprintf(other, sizeof other, "%s/other", folder);
    for (size_t i = 0; i < COUNT_OF(flips); i++) {
        attempt base = attempt_new(), flipped = attempt_new();
        flips[i].flip(&flipped);
        char kept[FOLDER_TEXT + 8];
        snprintf(kept, sizeof kept, "%s/%zu", folder, i);
        assert_int_equal(run_attempt(ctx, &base, flips[i].in_order, kept, NULL, 2), MEGURI_ENGINE_FAILED);
        uint64_t before = hash_folder(kept);
        for (int again = 0; again < 2 && flips[i].said; again++) { /* a checkpoint of its own would be begun */
            const char *where = again ? other : kept;
            assert_int_equal(run_attempt(ctx, &flipped, flips[i].in_order, where, kept, 0), MEGURI_BAD_INPUT);
            if (!strstr(meguri_ctx_error(ctx), flips[i].said)) fail_msg("%zu: %s", i, meguri_ctx_error(ctx));
            assert_int_equal(hash_folder(kept), before);
            assert_int_equal(access(other, F_OK), -1);
        }
        if (!flips[i].said) assert_int_equal(run_attempt(ctx, &flipped, false, NULL, kept, 0), MEGURI_OK);
        assert_int_equal(run_attempt(ctx, &base, flips[i].in_order, kept, kept, 0), MEGURI_OK);
    }
    folder_remove(folder);
    context_done(ctx);
}

/* What no run of this library can flip: the version of the header, and that of checkpoints. */
static void versions(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 16];
    attempt base = attempt_new();
    folder_new(folder);
    assert_int_equal(run_attempt(ctx, &base, false, folder, NULL, 2), MEGURI_ENGINE_FAILED);
    snprintf(path, sizeof path, "%s/checkpoint", folder);
    for (int i = 0; i < 3; i++) {
        mg_manifest m = manifest_in(folder), wrong = m;
        if (i == 0) wrong.identity.item[MG_IDENTITY_ABI]--;
        if (i == 1) wrong.magic -= (uint64_t)1 << 56;
        if (i == 2) wrong.program = 1;
        wrong.hash = XXH64(&wrong, offsetof(mg_manifest, hash), 0);
        FILE *file = fopen(path, "wb");
        assert_int_equal(fwrite(&wrong, 1, i == 1 ? 4160 : sizeof wrong, file), i == 1 ? 4160 : sizeof wrong);
        fclose(file);
        static const char *const said[] = {"compiled for another version of meguri/pregel.h",
                                           "written by another version of meguri", "it is damaged"};
        assert_int_equal(run_attempt(ctx, &base, false, NULL, folder, 0), MEGURI_BAD_INPUT);
        assert_non_null(strstr(meguri_ctx_error(ctx), said[i]));
        file = fopen(path, "wb");
        assert_int_equal(fwrite(&m, 1, sizeof m, file), sizeof m);
        fclose(file);
    }
    assert_int_equal(run_attempt(ctx, &base, false, NULL, folder, 0), MEGURI_OK);
    folder_remove(folder);
    context_done(ctx);
}

/* The programs of a file, and a file that has others. */
static void file_of_other_programs(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(1);
    attempt a = attempt_new();
    meguri_graph *graph = graph_of(ctx, &a.in);
    meguri_result *result;
    a.file.list = LIST(&plain_program);
    const meguri_run_options o = {.size = sizeof o, .file = &a.file};
    assert_int_equal(meguri_run(&result, ctx, graph, LIST(&seeing_program), &o), MEGURI_BAD_ARGUMENT);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zoo_is_same_everywhere), cmocka_unit_test(columns_are_same_everywhere),
        cmocka_unit_test(each_item_alone),        cmocka_unit_test(versions),
        cmocka_unit_test(file_of_other_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
