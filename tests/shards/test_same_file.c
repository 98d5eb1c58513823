/* Ranks that see different files under one name: a stale copy, one that is not complete, none. All of them refuse, with
 * one sentence that names the file and the ranks; whatever it is that they read. */
#define _GNU_SOURCE
#include "meg/graphs.h"
#include "net/ranks.h"
#include "support/sinks.h"

#include <meguri/run.h>

#include <fcntl.h>

enum { RANKS = 5 };

typedef struct seeing {
    uint32_t ranks;
    const char *path[RANKS]; /* what each rank sees */
    bool whole;
    const char *checkpoint[RANKS], *compiler[RANKS];
    meguri_status (*look)(const struct seeing *s, meguri_ctx *ctx, meguri_cluster *c);
    meguri_status status[RANKS];
    char sentence[RANKS][1024];
} seeing;

static meguri_status look_as_rank(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    seeing *s = user;
    s->status[c->rank] = s->look(s, ctx, c);
    snprintf(s->sentence[c->rank], sizeof s->sentence[0], "%s", meguri_ctx_error(ctx));
    RANK_CHECK(ctx, !meguri_cluster_broken(c));
    return MEGURI_OK;
}

/* `part` NULL: they see the same, and the work is done. */
static void expect(seeing *s, const char *what, const char *part) {
    run_on(s->ranks, 0, look_as_rank, s);
    meguri_status status = part ? MEGURI_BAD_INPUT : MEGURI_OK;
    for (uint32_t r = 0; r < s->ranks; r++)
        if (s->status[r] != status || (part && !strstr(s->sentence[r], part)))
            fail_msg("%s: rank %u has %d '%s' instead of %d '%s'", what, r, (int)s->status[r], s->sentence[r],
                     (int)status, part ? part : "");
}

/* ---- .meg files ------------------------------------------------------------------------------------------------- */

static meguri_status open_it(const seeing *s, meguri_ctx *ctx, meguri_cluster *c) {
    meguri_graph *graph;
    const meguri_layout layout = {.size = sizeof layout, .cluster = c, .programs = 1};
    meguri_status status = meguri_open(&graph, ctx, s->path[c->rank], in_layout(&layout));
    meguri_graph_free(graph);
    return status;
}

/* Files of one size and one header that differ in one byte of one section, with every checksum right. */
static void sections_are_compared(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = make_full_graph(ctx);
    size_t count, tried = 0;
    unsigned char *bytes = saved_bytes(ctx, graph, &count), *other = malloc(count);
    meguri_graph_free(graph);
    memory_file first = new_memory_file(bytes, count);
    seeing s = {.ranks = 3, .look = open_it, .path = {first.path, first.path, first.path}};
    expect(&s, "one file", NULL);
    uint32_t header, sections, entry;
    memcpy(&header, bytes + 12, 4), memcpy(&sections, bytes + 112, 4), memcpy(&entry, bytes + 116, 4);
    for (uint32_t i = 0; i < sections; i++) {
        char what[32];
        uint64_t offset, size;
        memcpy(&offset, bytes + header + (uint64_t)i * entry + 16, 8);
        memcpy(&size, bytes + header + (uint64_t)i * entry + 24, 8);
        if (!size) continue;
        memcpy(other, bytes, count);
        other[offset + size / 2] ^= 1;
        reseal(other, count);
        memory_file changed = new_memory_file(other, count);
        snprintf(what, sizeof what, "section %u", i);
        s.path[i % 3] = changed.path;
        char part[64];
        snprintf(part, sizeof part, "all ranks: rank %u differs from rank %d in content", i % 3, i % 3 == 0);
        expect(&s, what, part);
        s.path[i % 3] = first.path;
        close(changed.fd);
        tried++;
    }
    assert_true(tried > 12);
    close(first.fd);
    free(bytes);
    free(other);
    context_done(ctx);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static meguri_status read_it(const seeing *s, meguri_ctx *ctx, meguri_cluster *c) {
    meguri_graph *graph;
    const meguri_layout layout = {.size = sizeof layout, .cluster = c, .whole_files = s->whole};
    const meguri_read_options o = {
        .size = sizeof o, .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    meguri_status status = meguri_read(&graph, ctx, &s->path[c->rank], 1, &o);
    meguri_graph_free(graph);
    return status;
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Folders of hosts, each with a file of that name. */
typedef struct hosts {
    char folder[FOLDER_TEXT], path[3][FOLDER_TEXT + 32];
} hosts;

static void hosts_new(hosts *h) { folder_new(h->folder); }

/* The paths of a file that every host has. */
static void hosts_file(hosts *h, const char *name, const char *const text[3]) {
    for (int i = 0; i < 3; i++) {
        snprintf(h->path[i], sizeof h->path[i], "%s/%d", h->folder, i);
        mkdir(h->path[i], 0700);
        snprintf(h->path[i], sizeof h->path[i], "%s/%d/%s", h->folder, i, name);
        if (text[i]) write_text(h->path[i], text[i]);
    }
}

static void texts_are_compared(void **state) {
    (void)state;
    static const char *const same = "1 2\n2 3\n", *const other = "1 2\n2 4\n", *const part = "1 2\n";
    hosts h;
    hosts_new(&h);
    hosts_file(&h, "g.el", (const char *const[]){same, other, part});
    seeing s = {.look = read_it, .ranks = 3, .path = {h.path[0], h.path[0], h.path[0]}};
    expect(&s, "one file", NULL);
    s.path[2] = h.path[1];
    expect(&s, "another content", "rank 2 differs from rank 0 in content (8 bytes); put it in a folder that all");
    s.path[0] = h.path[2], s.path[2] = h.path[0];
    expect(&s, "half copied", "rank 0 differs from rank 1 (rank 0: 4 bytes, rank 1: 8 bytes)");
    s.path[1] = h.path[1];
    expect(&s, "three files", "ranks 1 and 2 differ from rank 0 (rank 1: 8 bytes, rank 0: 4 bytes)");
    s.path[0] = s.path[2] = h.path[0], s.path[1] = "/dev/null";
    expect(&s, "no regular file", "rank 1 differs from rank 0 (rank 1: not a regular file, rank 0: 8 bytes)");
    unlink(h.path[1]);
    s.path[1] = h.path[1];
    expect(&s, "no file", "rank 1 differs from rank 0 (rank 1: no such file, rank 0: 8 bytes)");
    s = (seeing){.look = read_it, .ranks = 5, .path = {h.path[2], h.path[0], h.path[2], h.path[0], h.path[0]}};
    expect(&s, "five ranks", "ranks 0 and 2 differ from rank 1 (");
    folder_remove(h.folder);
}

static void files_beside_are_compared(void **state) {
    (void)state;
    static const char *const edges = "1 2\n2 3\n";
    hosts h;
    hosts_new(&h);
    hosts_file(&h, "g.e", (const char *const[]){edges, edges, edges});
    const char *const e[] = {strdup(h.path[0]), strdup(h.path[1]), strdup(h.path[2])};
    hosts_file(&h, "g.v", (const char *const[]){"1\n2\n3\n4\n", "1\n2\n3\n5\n", NULL});
    seeing s = {.look = read_it, .ranks = 2, .path = {e[0], e[0]}};
    expect(&s, "one file", NULL);
    s.path[1] = e[1];
    expect(&s, "other vertices", "g.v is not the same file on all ranks: rank 1 differs from rank 0 in content (8");
    s.path[1] = e[2];
    run_on(2, 0, look_as_rank, &s); /* whose format is another, too */
    assert_true(s.status[0] != MEGURI_OK && s.status[0] == s.status[1]);
    for (int i = 0; i < 3; i++) free((char *)e[i]);
    folder_remove(h.folder);
}

/* Which bytes of a long file are compared: the same by any number of threads. */
static void long_files_are_sampled(void **state) {
    (void)state;
    const uint64_t bytes = ((uint64_t)1 << 30) + 12345, piece = 1 << 16;
    const uint64_t hashed = (bytes - piece) / 1023 / 4096 * 4096; /* the second block */
    const uint64_t places[] = {0, (1 << 20) - 1, hashed, hashed + piece - 1, bytes - (1 << 20), bytes - 1};
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 16];
    mg_seen empty[2], seen, again;
    folder_new(folder);
    snprintf(path, sizeof path, "%s/long", folder);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0); /* nothing but holes */
    meguri_ctx *one = context_with(1), *two = context_with(2);
    assert_int_equal(mg_see_file(&empty[false], one, path, false), MEGURI_OK);
    assert_int_equal(mg_see_file(&empty[true], two, path, true), MEGURI_OK);
    for (size_t i = 0; i <= COUNT_OF(places); i++) {
        bool between = i == COUNT_OF(places);
        off_t at = (off_t)(between ? hashed + piece : places[i]);
        assert_int_equal(pwrite(fd, "x", 1, at), 1);
        assert_int_equal(mg_see_file(&seen, one, path, false), MEGURI_OK);
        assert_int_equal(mg_see_file(&again, two, path, false), MEGURI_OK);
        assert_memory_equal(&seen, &again, sizeof seen);
        assert_int_equal(seen.bytes, bytes);
        assert_int_equal(seen.hash == empty[false].hash, between);
        if (between) assert_int_equal(mg_see_file(&seen, two, path, true), MEGURI_OK);
        assert_true(!between || seen.hash != empty[true].hash);
        assert_int_equal(pwrite(fd, "", 1, at), 1);
    }
    assert_int_equal(ftruncate(fd, (off_t)64 << 20), 0); /* up to here all bytes are */
    assert_int_equal(mg_see_file(&seen, one, path, false), MEGURI_OK);
    assert_int_equal(mg_see_file(&again, one, path, true), MEGURI_OK);
    assert_memory_equal(&seen, &again, sizeof seen);
    close(fd);
    meguri_ctx_free(one);
    meguri_ctx_free(two);
    folder_remove(folder);
}

/* ---- programs, checkpoints, graphs in memory -------------------------------------------------------------------- */

static const char program_text[] = "#include <meguri/pregel.h>\n"
                                   "#include <math.h>\n"
                                   "#include \"factor.h\"\n"
                                   "MEGURI_VERTEX(few, double, meguri_none, meguri_none);\n"
                                   "static inline void few_compute(few_vertex *v, double *x) {\n"
                                   "    *x = FACTOR * sqrt((double)few_id(v));\n"
                                   "    if (few_superstep(v) == 3) few_halt(v);\n"
                                   "}\n"
                                   "MEGURI_PROGRAM(few);\n"
                                   "MEGURI_RUN(&few_program);\n";

static meguri_status open_program(meguri_program_file **out, const seeing *s, meguri_ctx *ctx, meguri_cluster *c) {
    char cache[FOLDER_TEXT];
    snprintf(cache, sizeof cache, "%s", s->path[0]);
    snprintf(strrchr(cache, '/'), 7, "/cache");
    const meguri_compile_options o = {
        .size = sizeof o, .cluster = c, .compiler = s->compiler[c->rank], .cache = cache, .include = HEADERS};
    return meguri_program_open(out, ctx, s->path[c->rank], &o);
}

static meguri_status compile_it(const seeing *s, meguri_ctx *ctx, meguri_cluster *c) {
    meguri_program_file *file;
    meguri_status status = open_program(&file, s, ctx, c);
    meguri_program_close(file);
    return status;
}

static meguri_status run_it(const seeing *s, meguri_ctx *ctx, meguri_cluster *c) {
    const meguri_layout layout = {.size = sizeof layout, .cluster = c};
    const meguri_uniform_options u = {
        .size = sizeof u,
        .vertices = 50,
        .edges = 100,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    const char *folder = s->checkpoint[c->rank];
    const meguri_run_options o = {.size = sizeof o, .resume = folder};
    meguri_program_file *file;
    meguri_graph *graph = NULL;
    meguri_result *result = NULL;
    meguri_status status = open_program(&file, s, ctx, c);
    if (status == MEGURI_OK) status = meguri_gen_uniform(&graph, ctx, &u);
    if (status == MEGURI_OK) status = meguri_run(&result, ctx, graph, meguri_program_file_list(file), &o);
    meguri_result_free(result);
    meguri_graph_free(graph);
    meguri_program_close(file);
    return status;
}

/* Leaves a checkpoint of the first supersteps. */
static meguri_status begin_run(const seeing *s, meguri_ctx *ctx, meguri_cluster *c) {
    const meguri_layout layout = {.size = sizeof layout, .cluster = c};
    const meguri_uniform_options u = {
        .size = sizeof u,
        .vertices = 50,
        .edges = 100,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    const meguri_run_options o = {
        .size = sizeof o, .checkpoint = s->checkpoint[0], .every = 1, .max_supersteps = s->whole ? 3 : 2};
    meguri_program_file *file;
    meguri_graph *graph = NULL;
    meguri_result *result = NULL;
    meguri_status status = open_program(&file, s, ctx, c);
    if (status == MEGURI_OK) status = meguri_gen_uniform(&graph, ctx, &u);
    if (status == MEGURI_OK) status = meguri_run(&result, ctx, graph, meguri_program_file_list(file), &o);
    meguri_result_free(result);
    meguri_graph_free(graph);
    meguri_program_close(file);
    return status == MEGURI_OK ? MEGURI_WRONG_ANSWER : MEGURI_OK; /* there are more supersteps */
}

static void programs_are_compared(void **state) {
    (void)state;
    static const char *const factors[] = {"#define FACTOR 2\n", "\n#define FACTOR 2 // the same\n",
                                          "#define FACTOR 3\n"};
    hosts h;
    char kept[2][FOLDER_TEXT + 16];
    hosts_new(&h);
    hosts_file(&h, "factor.h", factors);
    hosts_file(&h, "few.c", (const char *const[]){program_text, program_text, program_text});
    for (int i = 0; i < 2; i++) snprintf(kept[i], sizeof kept[i], "%s/kept%d", h.folder, i);
    seeing s = {.look = compile_it, .ranks = 2, .path = {h.path[0], h.path[0]}};
    expect(&s, "one program", NULL);
    s.path[1] = h.path[1];
    expect(&s, "the same program elsewhere", NULL);
    s.path[1] = h.path[2];
    expect(&s, "another header", "few.c is not the same file on all ranks: rank 1 differs from rank 0 in content");
    s.path[1] = h.path[0];
    s.compiler[0] = "cc -O1", s.compiler[1] = "/usr/bin/cc -O1";
    expect(&s, "one compiler", NULL);
    s.compiler[1] = "cc -O1 -ffast-math";
    expect(&s, "other options", "few.c is not the same file on all ranks: rank 1 differs from rank 0 in content");
    s.compiler[0] = s.compiler[1] = NULL;
    for (int i = 0; i < 2; i++) {
        s.look = begin_run;
        s.whole = i;
        s.checkpoint[0] = kept[i];
        expect(&s, "a checkpoint", NULL);
    }
    s.look = run_it;
    s.checkpoint[0] = s.checkpoint[1] = kept[1];
    expect(&s, "one checkpoint", NULL);
    s.checkpoint[1] = kept[0];
    expect(&s, "two checkpoints", "/checkpoint is not the same file on all ranks: rank 1 differs from rank 0 in");
    folder_remove(h.folder);
}

/* A graph that every rank is said to have. */
static meguri_status spread_it(const seeing *s, meguri_ctx *ctx, meguri_cluster *c) {
    const meguri_layout layout = {.size = sizeof layout, .cluster = c};
    meguri_graph *whole, *parts = NULL;
    meguri_status status = meguri_open(&whole, ctx, s->path[c->rank], NULL);
    if (status == MEGURI_OK) status = meguri_graph_spread(&parts, ctx, whole, &layout);
    meguri_graph_free(parts);
    meguri_graph_free(whole);
    return status == MEGURI_BAD_ARGUMENT ? MEGURI_BAD_INPUT : status; /* what a program gives wrong, not a file */
}

static void graphs_are_compared(void **state) {
    (void)state;
    hosts h;
    meguri_ctx *ctx = context_with(2);
    hosts_new(&h);
    hosts_file(&h, "g.meg", (const char *const[]){NULL, NULL, NULL});
    for (uint64_t seed = 0; seed < 2; seed++) {
        const meguri_uniform_options u = {.size = sizeof u,
                                          .vertices = 300,
                                          .edges = 900,
                                          .seed = 1,
                                          .weights = seed ? MEGURI_TYPE_U32 : MEGURI_TYPE_F32};
        meguri_graph *graph;
        assert_int_equal(meguri_gen_uniform(&graph, ctx, &u), MEGURI_OK);
        assert_int_equal(meguri_save(ctx, graph, to_file(h.path[seed]), NULL), MEGURI_OK);
        meguri_graph_free(graph);
    }
    seeing s = {.look = spread_it, .ranks = 2, .path = {h.path[0], h.path[0]}};
    expect(&s, "one graph", NULL);
    s.path[1] = h.path[1];
    expect(&s, "other weights", "meguri_graph_spread was given another graph by one process");
    folder_remove(h.folder);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_compared),     cmocka_unit_test(texts_are_compared),
        cmocka_unit_test(files_beside_are_compared), cmocka_unit_test(long_files_are_sampled),
        cmocka_unit_test(programs_are_compared),     cmocka_unit_test(graphs_are_compared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
