/* Text read in shares is the graph that one process reads: ids, arcs and counts, for every format; and so are the
 * sentences about what is wrong, and the warnings. */
#define _GNU_SOURCE
#include "base/ctx.h"
#include "io/io.h"
#include "shards/gathered.h"
#include "support/sinks.h"

#include <pthread.h>
#include <sys/stat.h>

static const uint32_t rank_counts[] = {1, 2, 3, 4, 6, 9};

/* The warnings of a context, one after another. */
typedef struct warnings {
    char text[2000];
} warnings;

static void on_log(void *user, meguri_log_level level, const char *text) {
    warnings *w = user;
    size_t used = strlen(w->text);
    if (level == MEGURI_LOG_WARNING) snprintf(w->text + used, sizeof w->text - used, "%s|", text);
}

static void listen(meguri_ctx *ctx, warnings *w) {
    *w = (warnings){{0}};
    ctx->log = on_log;
    ctx->log_user = w;
    ctx->log_level = MEGURI_LOG_WARNING;
}

typedef struct job {
    gathered *all;
    const char *const *paths;
    size_t count;
    const meguri_read_options *options;
    meguri_status expected; /* where it is a failure */
    const char *sentence;
    const char *said; /* the warnings; NULL: any */
} job;

static meguri_status read_in_shares(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    job *j = user;
    meguri_graph *s;
    warnings here;
    const meguri_layout layout = square(c);
    meguri_read_options options = {.size = sizeof options};
    if (j->options) options = *j->options;
    meguri_build_options build = {.size = sizeof build};
    if (options.build) build = *options.build;
    build.layout = &layout;
    options.build = &build;
    listen(ctx, &here);
    meguri_status status = meguri_read(&s, ctx, j->paths, j->count, &options);
    ctx->log = NULL;
    if (j->expected != MEGURI_OK) {
        RANK_CHECK(ctx, !s);
        /* Which line has the second kind of ids, only one process that has both can tell. */
        const char *sentence = meguri_ctx_error(ctx);
        const char *both = strstr(j->sentence, "some ids are negative");
        bool same = strcmp(sentence, j->sentence) == 0 || (both && strcmp(sentence, both) == 0);
        if (status == j->expected && (c->rank != 0 || same)) return MEGURI_OK;
        char text[600];
        snprintf(text, sizeof text, "%d: %s", (int)status, meguri_ctx_error(ctx));
        mg_begin(ctx);
        return mg_fail(ctx, MEGURI_WRONG_ANSWER, "rank %d: %s instead of: %s", c->rank, text, j->sentence);
    }
    if (status != MEGURI_OK) return status;
    if (j->said && strcmp(here.text, j->said) != 0) {
        mg_begin(ctx);
        return mg_fail(ctx, MEGURI_WRONG_ANSWER, "rank %d says '%s' instead of '%s'", c->rank, here.text, j->said);
    }
    status = gathered_add(j->all, ctx, s, true);
    meguri_graph_free(s);
    return status;
}

/* What one process reads, or says, on all numbers of ranks. */
static size_t compared;
static void compare(meguri_ctx *ctx, const char *const *paths, size_t count, const meguri_read_options *options) {
    meguri_graph *graph;
    char sentence[1024];
    warnings alone;
    listen(ctx, &alone);
    meguri_status status = meguri_read(&graph, ctx, paths, count, options);
    ctx->log = NULL;
    snprintf(sentence, sizeof sentence, "%s", meguri_ctx_error(ctx));
    compared++;
    for (size_t i = 0; i < COUNT_OF(rank_counts); i++) {
        if (!ONE_OF(3, compared + i)) continue;
        gathered all = {0};
        if (graph) gathered_begin(&all, graph);
        job j = {&all, paths, count, options, status, sentence, alone.text};
        run_on(rank_counts[i], i == 3 ? 1000 : 0, read_in_shares, &j);
        if (graph) gathered_end(&all, ctx, paths[0], rank_counts[i]);
    }
    meguri_graph_free(graph);
}

/* ---- the zoo in all formats ------------------------------------------------------------------------------------- */

static void the_zoo(void **state) {
    (void)state;
    static const struct {
        const char *name;
        meguri_format format;
    } files[] = {{"g.el", MEGURI_FORMAT_EDGELIST},
                 {"g.csv", MEGURI_FORMAT_CSV},
                 {"g.mtx", MEGURI_FORMAT_MATRIX_MARKET},
                 {"g.gr", MEGURI_FORMAT_DIMACS},
                 {"g.el.gz", MEGURI_FORMAT_EDGELIST},
                 {"g.adj", MEGURI_FORMAT_ADJACENCY},
                 {"g.e", MEGURI_FORMAT_LDBC},
                 {"g.bin64", MEGURI_FORMAT_BIN64},
                 {"g.mtx.zst", MEGURI_FORMAT_MATRIX_MARKET}};
    meguri_ctx *ctx = context_with(1);
    zoo_graph g;
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    int written = 0;
    for (int index = 0; zoo_get(&g, index); index++) {
        for (size_t f = 0; f < COUNT_OF(files) && g.count < 20000; f++) {
            if ((index + (int)f) % (UNDER_ASAN || UNDER_TSAN ? 5 : 2)) continue;
            meguri_build_options o = {.size = sizeof o,
                                      .direction = index & 1 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                      .duplicates = MEGURI_DUPLICATES_KEEP,
                                      .keep_loops = 1};
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            snprintf(path, sizeof path, "%s/%s", folder, files[f].name);
            /* Not every format holds every graph. */
            meguri_status status = meguri_write(ctx, graph, to_file(path), as_format(files[f].format));
            meguri_graph_free(graph);
            if (status != MEGURI_OK) continue;
            written++;
            const meguri_read_options r = {.size = sizeof r,
                                           .format = files[f].format,
                                           .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                            .direction = (meguri_direction)(index % 3),
                                                                            .keep_loops = index >> 1 & 1,
                                                                            .duplicates = index >> 2 & 1
                                                                                              ? MEGURI_DUPLICATES_KEEP
                                                                                              : MEGURI_DUPLICATES_MIN}};
            compare(ctx, (const char *const[]){path}, 1, &r);
        }
        zoo_free(&g);
    }
    assert_true(written > 20);
    folder_remove(folder);
    context_done(ctx);
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static void put(const char *folder, const char *name, const char *text, size_t bytes) {
    char path[2 * FOLDER_TEXT];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    fclose(file);
}

static const struct {
    const char *name, *text;
    meguri_ids ids;
} texts[] = {
    {"empty.el", "", MEGURI_IDS_AUTO},
    {"blank.el", "\n\n# nothing\n\n", MEGURI_IDS_AUTO},
    {"one.el", "7 7", MEGURI_IDS_AUTO},
    {"no-end.el", "1 2\n3 4\n5 1000000000000", MEGURI_IDS_AUTO},
    {"crlf.el", "1 2\r\n3 4\r\n4 1\r\n", MEGURI_IDS_AUTO},
    {"signed.el", "-5 3\n3 9\n9 -9223372036854775808\n-5 -6\n", MEGURI_IDS_AUTO},
    {"huge.el", "18446744073709551615 3\n3 9\n9 9223372036854775808\n", MEGURI_IDS_AUTO},
    {"both.el", "18446744073709551615 3\n3 9\n9 -1\n", MEGURI_IDS_AUTO},
    {"gaps.el", "10 20 1.5\n20 40 2\n40 10 0.1\n# x\n10 20 0.25\n", MEGURI_IDS_AUTO},
    {"dense.el", "3 4\n5 6\n7 8\n9 3\n4 5\n6 7\n", MEGURI_IDS_AUTO},
    {"alone.el", "3 4\n5 6\n99\n7\n1 3\n", MEGURI_IDS_AUTO},
    {"weights.el", "1 2 3\n2 3 70000\n3 1 4000000000\n", MEGURI_IDS_AUTO},
    {"strings.el", "b a\na c\nc b\nd d\nb e\nz y\ny x\n", MEGURI_IDS_AUTO},
    {"as-strings.el", "10 9\n9 010\n1 10\n", MEGURI_IDS_STRING},
    {"bad.el", "1 2\n3 4\n5 x\n6 7\n8 9\ny 10\n11 12\n", MEGURI_IDS_INTEGER},
    {"columns.el", "1 2\n3 4\n5 6 7\n6 7\n8 9\n10 11\n11 12 13\n", MEGURI_IDS_AUTO},
    {"late.el", "1 2\n3 4\n5 6\n6 7\n8 9\n10 11\n11 12 13", MEGURI_IDS_AUTO},
    {"quoted.csv", "source,target,weight\n\"a,b\",c,1\nc,\"d\"\"\ne\",2\nc,a,3\n", MEGURI_IDS_AUTO},
    {"plain.csv", "id,target,source\n1,5,6\n2,6,7\n3,7,5\n", MEGURI_IDS_AUTO},
    {"bad.csv", "source,target\n1,2\n3\n4,5\n", MEGURI_IDS_AUTO},
    {"ok.gr", "c hello\np sp 6 3\na 1 2 5\na 2 3 6\na 6 1 7\n", MEGURI_IDS_AUTO},
    {"short.gr", "p sp 6 4\na 1 2 5\na 2 3 6\na 6 1 7\n", MEGURI_IDS_AUTO},
    {"range.gr", "p sp 6 3\na 1 2 5\na 2 3 6\na 7 1 7\n", MEGURI_IDS_AUTO},
    {"ok.mtx", "%%MatrixMarket matrix coordinate real symmetric\n5 5 3\n2 1 0.5\n3 3 1\n5 2 7\n", MEGURI_IDS_AUTO},
    {"nothing.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n", MEGURI_IDS_AUTO},
    {"zero.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", MEGURI_IDS_AUTO},
    {"header.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 4 0\n", MEGURI_IDS_AUTO},
    {"hidden.el", "a\tb\nc\td\n#e\tf\na\td\n#g\th\nb\tc\n", MEGURI_IDS_AUTO},
    {"letters.txt", "e 1 2\ne 2 3\ne 3 4\ne 4 5\n", MEGURI_IDS_AUTO},
    {"comma.el", "1 2 1\n2 3 4\n3 4 1,5\n4 5 6\n", MEGURI_IDS_AUTO},
    {"nearly.el", "1 2\n2 3\n007 4\n4 5\n", MEGURI_IDS_AUTO},
    {"nearly-not.el", "1 2\n2 3\n1.0 4\n4 5\n", MEGURI_IDS_AUTO},
    {"twice.csv", "source,source,target\n1,2,3\n", MEGURI_IDS_AUTO},
    {"tabs.el", "1\t2\n2\t3\n3\t\t4\n4\t5\n", MEGURI_IDS_AUTO},
    {"misfits.mtx",
     "%%MatrixMarket matrix coordinate real general\n%%GraphBLAS type int8_t\n4 4 4\n1 2 1\n2 3 1\n3 4 500\n4 1 600\n",
     MEGURI_IDS_AUTO},
    {"wide.e", "1 2\n2 30\n", MEGURI_IDS_AUTO},
    {"wrong.e", "1 2\n2 30\n", MEGURI_IDS_AUTO},
    {"ok.e", "1 2\n2 30\n", MEGURI_IDS_AUTO},
    {"relationships.csv", ":START_ID,:END_ID,:TYPE,km:int,weight:int\n1,2,A,3,4\n2,9,B,5,6\n", MEGURI_IDS_AUTO},
    {"n-relationships.csv", ":START_ID(S),:END_ID(T)\nq,x\nz,q\n", MEGURI_IDS_STRING},
    {"names.e", "x y\ny z\n", MEGURI_IDS_AUTO},
};

static void small_texts(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    put(folder, "ok.v", "1\n2\n30\n4\n-7\n", 13);
    put(folder, "names.v", "q\nz\ny\nx\n", 8);
    put(folder, "nodes.csv", "uid:ID,x:double,y:double\n9,1,2\n-7,,\n", 37);
    put(folder, "n-nodes.csv", "name:ID(T)\nq\ny\nx\n", 17);
    put(folder, "wide.v", "1\n2\n30 x\n4 y\n", 13);
    put(folder, "wrong.v", "1\n2\n30\nx\n", 9);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (UNDER_TSAN && i % 4) continue;
        put(folder, texts[i].name, texts[i].text, strlen(texts[i].text));
        snprintf(path, sizeof path, "%s/%s", folder, texts[i].name);
        for (int direction = 0; direction < 3; direction += 2) {
            meguri_build_options build = {.size = sizeof build, .direction = (meguri_direction)direction};
            meguri_read_options o = {.size = sizeof o, .ids = texts[i].ids, .build = &build};
            compare(ctx, (const char *const[]){path}, 1, &o);
        }
    }
    snprintf(path, sizeof path, "%s/no such file", folder);
    compare(ctx, (const char *const[]){path}, 1, NULL);
    folder_remove(folder);
    context_done(ctx);
}

static void several_files(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], paths[4][2 * FOLDER_TEXT];
    folder_new(folder);
    static const char *const names[] = {"a.el", "b.el", "c.mtx", "d.csv"};
    static const char *const contents[] = {"q w\nw e\n", "r q\nt w\ne y\n", "3 3 1\n1 2\n",
                                           "source,target\ne,new\nq,t\n"};
    for (int i = 0; i < 4; i++) {
        put(folder, names[i], contents[i], strlen(contents[i]));
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    }
    compare(ctx, (const char *const[]){paths[0], paths[1], paths[3]}, 3, NULL);
    compare(ctx, (const char *const[]){paths[3], paths[1], paths[0], paths[3]}, 4, NULL);
    compare(ctx, (const char *const[]){paths[0], paths[2]}, 2, NULL); /* strings and numbers */
    folder_remove(folder);
    context_done(ctx);
}

/* A line of a graph of few vertices, most of whose edges are parallel to others. */
static int put_parallel(char *to, int kind, uint64_t *seed) {
    uint64_t a = next_random(seed) % 6, b = next_random(seed) % 6, r = next_random(seed);
    int used = sprintf(to, kind == 3 ? "v%lu w%lu" : "%lu %lu", a, b);
    switch (kind) {
    case 0: return used + sprintf(to + used, " %lu\n", r % 200);
    case 1: return used + sprintf(to + used, " %lu\n", r % 3000000000);
    case 2: return used + sprintf(to + used, " %lu.%lu\n", r % 50, r % 7);
    case 3: return used + sprintf(to + used, " -%lu\n", r % 9);
    default: return used + sprintf(to + used, "\n");
    }
}

/* Every choice of what becomes of parallel edges, in files that are cut and in such that are dealt out. */
static void parallel_edges(void **state) {
    (void)state;
    enum { LINES = 3000 };
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], paths[3][2 * FOLDER_TEXT], command[5 * FOLDER_TEXT], *text = malloc(LINES * 40);
    folder_new(folder);
    snprintf(paths[0], sizeof paths[0], "%s/a.el", folder);
    snprintf(paths[1], sizeof paths[1], "%s/b.el", folder);
    snprintf(paths[2], sizeof paths[2], "%s/b.el.gz", folder);
    snprintf(command, sizeof command, "gzip -kf '%s'", paths[1]);
    for (int kind = 0; kind < 5; kind++) {
        uint64_t seed = 11 + (uint64_t)kind;
        for (int file = 0; file < 2; file++) {
            size_t used = 0;
            for (int i = 0; i < LINES; i++) used += (size_t)put_parallel(text + used, kind, &seed);
            put(folder, file ? "b.el" : "a.el", text, used);
        }
        assert_int_equal(system(command), 0);
        for (int how = 0; how <= MEGURI_DUPLICATES_KEEP; how++) {
            if ((UNDER_ASAN || UNDER_TSAN) && (kind + how) % 3) continue;
            meguri_build_options build = {.size = sizeof build,
                                          .duplicates = (meguri_duplicates)how,
                                          .direction = (kind + how) % 2 ? MEGURI_UNDIRECTED : MEGURI_DIRECTED,
                                          .keep_loops = how % 3 != 1,
                                          .ignore_weights = how == MEGURI_DUPLICATES_COUNT && kind == 2};
            meguri_read_options o = {.size = sizeof o, .build = &build};
            compare(ctx, (const char *const[]){paths[how % 2], paths[2]}, 2, &o);
            if (how == MEGURI_DUPLICATES_FIRST) compare(ctx, (const char *const[]){paths[2], paths[0]}, 2, &o);
        }
    }
    put(folder, "a.el", "5 -6 9007199254740992\n-6 5 1\n1 2 3\n5 -6 7\n", 43);
    meguri_read_options o = {
        .size = sizeof o,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .duplicates = MEGURI_DUPLICATES_SUM}};
    compare(ctx, (const char *const[]){paths[0]}, 1, &o);
    free(text);
    folder_remove(folder);
    context_done(ctx);
}

/* What the table of formats says is read by one process alone. */
static void metis(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT], sentence[1024];
    folder_new(folder);
    put(folder, "g.graph", "3 2\n2\n1 3\n2\n", 12);
    snprintf(path, sizeof path, "%s/g.graph", folder);
    snprintf(sentence, sizeof sentence,
             "%s has the format metis, which only one process alone can read: build a .meg file from it first.", path);
    job j = {NULL, (const char *const[]){path}, 1, NULL, MEGURI_BAD_INPUT, sentence, NULL};
    run_on(3, 0, read_in_shares, &j);
    folder_remove(folder);
}

/* ---- longer texts ----------------------------------------------------------------------------------------------- */

static char *long_text(size_t *bytes, int kind, int bad_line) {
    char *text = malloc(2 << 20);
    size_t used = 0;
    uint64_t random = (uint64_t)kind + 3;
    for (int i = 0; i < 20000; i++) {
        uint64_t from = next_random(&random), to = next_random(&random);
        from = from % 3 ? from % 50 : from % 3000;
        to = kind == 1 ? (to % 4000) << 40 : to % 4000;
        if (i == bad_line) used += (size_t)sprintf(text + used, "this is no edge\n");
        else if (kind == 2)
            used += (size_t)sprintf(text + used, "v%lu-%.*s w%lu\n", from, (int)(from % 30),
                                    "abcdefghijklmnopqrstuvwxyzabcdefgh", to);
        else used += (size_t)sprintf(text + used, "%lu %lu\n", from, to);
    }
    *bytes = used;
    return text;
}

static void long_texts(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT], command[5 * FOLDER_TEXT];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/long.el", folder);
    snprintf(command, sizeof command, "%s.gz", path);
    for (int kind = 0; kind < 3; kind++)
        for (int bad = 0; bad < 3; bad++) {
            if ((UNDER_ASAN || UNDER_TSAN) && (kind + bad) % 2) continue;
            size_t bytes;
            char *text = long_text(&bytes, kind, bad == 0 ? -1 : bad == 1 ? 5000 : 19999);
            put(folder, "long.el", text, bytes);
            const meguri_read_options o = {
                .size = sizeof o,
                .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .direction = MEGURI_UNDIRECTED}};
            compare(ctx, (const char *const[]){path}, 1, &o);
            if (kind == 2 || bad) {
                snprintf(command, sizeof command, "gzip -kf '%s'", path);
                assert_int_equal(system(command), 0);
                snprintf(command, sizeof command, "%s.gz", path);
                compare(ctx, (const char *const[]){command}, 1, &o);
            }
            free(text);
        }
    folder_remove(folder);
    context_done(ctx);
}

/* More nothing than any look ahead sees, a line that is too long, compressed data that ends too early. */
static void much_nothing(void **state) {
    (void)state;
    enum { NOTHING = 5 << 20 };
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT], command[6 * FOLDER_TEXT];
    char *text = malloc(NOTHING + 100);
    folder_new(folder);
    snprintf(path, sizeof path, "%s/long.txt", folder);
    for (int kind = 0; kind < 3; kind++) {
        memset(text, kind == 1 ? '7' : '\n', NOTHING);
        memcpy(text, "1 2\n\n", kind ? 5 : 0);
        memcpy(text + NOTHING, "\nx y\n", 5);
        put(folder, "long.txt", text, NOTHING + 5);
        compare(ctx, (const char *const[]){path}, 1, NULL);
        snprintf(command, sizeof command, "gzip -kf '%s' && truncate -s -%d '%s.gz'", path, kind == 2 ? 9 : 0, path);
        assert_int_equal(system(command), 0);
        snprintf(command, sizeof command, "%s.gz", path);
        compare(ctx, (const char *const[]){command}, 1, NULL);
    }
    free(text);
    folder_remove(folder);
    context_done(ctx);
}

/* ---- pipes ------------------------------------------------------------------------------------------------------ */

typedef struct feed {
    const char *path, *text;
    size_t bytes;
} feed;

static void *feed_pipe(void *user) {
    const feed *f = user;
    FILE *file = fopen(f->path, "w");
    if (file) {
        fwrite(f->text, 1, f->bytes, file);
        fclose(file);
    }
    return NULL;
}

static void a_pipe(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT], pipe[2 * FOLDER_TEXT];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/text.el", folder);
    snprintf(pipe, sizeof pipe, "%s/pipe.el", folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    for (int kind = 0; kind < 3; kind += 2) {
        size_t bytes;
        char *text = long_text(&bytes, kind, -1);
        put(folder, "text.el", text, bytes);
        meguri_graph *graph;
        assert_int_equal(meguri_read(&graph, ctx, (const char *const[]){path}, 1, NULL), MEGURI_OK);
        for (size_t i = 0; i < COUNT_OF(rank_counts); i += 2) {
            gathered all;
            gathered_begin(&all, graph);
            feed f = {pipe, text, bytes};
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, feed_pipe, &f), 0);
            job j = {.all = &all, .paths = (const char *const[]){pipe}, .count = 1};
            run_on(rank_counts[i], 0, read_in_shares, &j);
            pthread_join(thread, NULL);
            gathered_end(&all, ctx, "pipe", rank_counts[i]);
        }
        meguri_graph_free(graph);
        free(text);
    }
    folder_remove(folder);
    context_done(ctx);
}

/* ---- no memory -------------------------------------------------------------------------------------------------- */

/* The k-th allocation of one rank fails: all ranks hear of it, nobody waits for ever, nothing is left. */
typedef struct failing {
    const char *path;
    uint64_t at;
    int rank;
} failing;

static meguri_status fail_at(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const failing *f = user;
    const char *paths[] = {f->path};
    const meguri_layout layout = square(c);
    const meguri_read_options options = {
        .size = sizeof options,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    meguri_graph *s;
    if (c->rank == f->rank) mg_memory_fail_at(ctx, f->at);
    meguri_status status = meguri_read(&s, ctx, paths, 1, &options);
    mg_memory_fail_at(ctx, 0);
    meguri_graph_free(s);
    RANK_CHECK(ctx, status == MEGURI_OK || status == MEGURI_NO_MEMORY || status == MEGURI_ENGINE_FAILED);
    return MEGURI_OK;
}

static void no_memory(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    static const char *const names[] = {"a.el", "b.el", "c.csv"};
    static const char *const contents[] = {"1 2\n3 4\n900 7\n5 6\n", "a b\nb c\nd a\n",
                                           "source,target\na,b\nb,c\nc,d\n"};
    for (int i = 0; i < 3; i++) {
        put(folder, names[i], contents[i], strlen(contents[i]));
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        for (uint64_t at = 1; at < 150; at += UNDER_ASAN || UNDER_TSAN ? 13 : 1) {
            failing f = {path, at, (int)(at % 3)};
            run_on(3, 0, fail_at, &f);
        }
    }
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_texts),    cmocka_unit_test(several_files), cmocka_unit_test(metis),
        cmocka_unit_test(parallel_edges), cmocka_unit_test(long_texts),    cmocka_unit_test(much_nothing),
        cmocka_unit_test(a_pipe),         cmocka_unit_test(the_zoo),       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
