/* For data_test.py: reads a file and searches it from several vertices, with every policy that users have, on several
 * numbers of threads, one by one and in one pass; compares each answer with a textbook search and has it checked.
 *
 *   bfs_probe FORMAT DIRECTION(0 1 2) THREADS,… FILE [ID…]
 *
 * Without ids: from the first vertex, the last, one in between, and the one with most neighbours, and says how many
 * were compared. With ids: for each a line "source ID REACHED DEPTH" and one line for every vertex: id, level, id of
 * parent; or "source ID none". */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"
#include "support/checks.h"

#include <inttypes.h>
#include <meguri.h>

typedef struct probe {
    subject subject;
    meguri_id_kind id_kind;
    uint32_t threads[8];
    int thread_counts;
} probe;

static void give_up(const probe *p, const char *what, const char *why) {
    printf("wrong %s: %s: %s\n", p->subject.name, what, why);
    exit(1);
}

static void take_graph(probe *p, meguri_ctx *ctx) {
    meguri_graph_info info = {.size = sizeof info};
    if (meguri_graph_get_info(&info, ctx, p->subject.graph) != MEGURI_OK) give_up(p, "info", meguri_ctx_error(ctx));
    plain *g = &p->subject.plain;
    *g = (plain){.vertices = info.vertices, .arcs = info.arcs};
    g->offsets = calloc(info.vertices + 1, sizeof *g->offsets);
    g->to = calloc(info.arcs + 1, sizeof *g->to);
    uint64_t *row = calloc(info.arcs + 1, sizeof *row), count, at = 0;
    if (!g->offsets || !g->to || !row) abort();
    for (uint64_t v = 0; v < info.vertices; v++) {
        if (meguri_graph_neighbors(row, NULL, NULL, info.arcs, &count, ctx, p->subject.graph, v) != MEGURI_OK)
            give_up(p, "neighbours", meguri_ctx_error(ctx));
        for (uint64_t i = 0; i < count; i++) g->to[at++] = (uint32_t)row[i];
        g->offsets[v + 1] = at;
    }
    p->id_kind = info.id_kind;
    free(row);
}

/* ---- searches --------------------------------------------------------------------------------------------------- */

static meguri_ctx *new_context(uint32_t threads) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads};
    if (meguri_ctx_new(&ctx, &options) != MEGURI_OK) abort();
    return ctx;
}

static const char *search_fault(meguri_ctx *ctx, const probe *p, uint64_t source, const meguri_bfs_options *options,
                                const answer *right) {
    const subject *s = &p->subject;
    meguri_result *result;
    meguri_column level = {.size = sizeof level}, parent = {.size = sizeof parent};
    meguri_fact reached = {.size = sizeof reached}, depth = {.size = sizeof depth};
    if (meguri_bfs(&result, ctx, s->graph, source, options) != MEGURI_OK) return meguri_ctx_error(ctx);
    if (meguri_result_column(&level, result, "level") != MEGURI_OK ||
        meguri_result_column(&parent, result, "parent") != MEGURI_OK ||
        meguri_result_fact(&reached, result, "reached") != MEGURI_OK ||
        meguri_result_fact(&depth, result, "depth") != MEGURI_OK)
        return "a column or fact is missing";
    if (memcmp(level.data, right->level, s->plain.vertices * sizeof *right->level) != 0) return "a level differs";
    if (reached.number != right->reached) return "the number of reached vertices differs";
    if (depth.number != (uint64_t)right->depth) return "the depth differs";
    const char *wrong = tree_fault(&s->plain, source, right->level, parent.data);
    if (!wrong && mg_bfs_check(ctx, s->graph, source, level.data, parent.data, 0) != MEGURI_OK)
        wrong = meguri_ctx_error(ctx);
    meguri_result_free(result);
    return wrong;
}

/* Every policy, every number of threads. */
static void search_from(const probe *p, uint64_t source, const answer *right) {
    for (int t = 0; t < p->thread_counts; t++)
        for (int policy = MEGURI_BFS_AUTO; policy <= MEGURI_BFS_P1; policy++) {
            meguri_bfs_options options = {.size = sizeof options,
                                          .max_depth = UINT32_MAX,
                                          .levels = 1,
                                          .parents = 1,
                                          .policy = (meguri_bfs_policy)policy,
                                          .alpha = 10,
                                          .beta = 14};
            meguri_ctx *ctx = new_context(p->threads[t]);
            const char *wrong = search_fault(ctx, p, source, &options, right);
            if (wrong) give_up(p, policy ? "p1" : "auto", wrong);
            meguri_ctx_free(ctx);
        }
}

typedef struct expected {
    const probe *probe;
    const answer *right;
} expected;

static meguri_status compare(void *user, uint64_t index, const meguri_result *result) {
    const expected *e = user;
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, "level") != MEGURI_OK) give_up(e->probe, "many", "no column");
    for (uint64_t v = 0; v < column.count; v++) {
        const char *at = (const char *)column.data + v * column.stride;
        int32_t level = column.item_bytes == 1   ? *(const int8_t *)at
                        : column.item_bytes == 2 ? *(const int16_t *)(const void *)at
                                                 : *(const int32_t *)(const void *)at;
        if (level != e->right[index].level[v]) give_up(e->probe, "many", "a level differs");
    }
    return MEGURI_OK;
}

static void search_from_all(const probe *p, const uint64_t *sources, uint64_t count, const answer *right) {
    meguri_ctx *ctx = new_context(p->threads[p->thread_counts - 1]);
    expected e = {p, right};
    if (meguri_bfs_many(ctx, p->subject.graph, sources, count, NULL, compare, &e) != MEGURI_OK)
        give_up(p, "many", meguri_ctx_error(ctx));
    meguri_ctx_free(ctx);
}

/* ---- what is printed -------------------------------------------------------------------------------------------- */

static void print_id(meguri_ctx *ctx, const probe *p, uint64_t vertex) {
    uint64_t id = 0;
    const char *name = "";
    size_t length = 0;
    if (p->id_kind == MEGURI_ID_STRING) {
        meguri_graph_names(&name, &length, ctx, p->subject.graph, vertex, 1);
        printf("%.*s", (int)length, name);
        return;
    }
    meguri_graph_ids(&id, ctx, p->subject.graph, vertex, 1);
    if (p->id_kind == MEGURI_ID_SIGNED) printf("%" PRId64, (int64_t)id);
    else printf("%" PRIu64, id);
}

static void print_answer(meguri_ctx *ctx, const probe *p, uint64_t source, const char *id) {
    meguri_result *result;
    if (meguri_bfs(&result, ctx, p->subject.graph, source, NULL) != MEGURI_OK) give_up(p, id, meguri_ctx_error(ctx));
    uint64_t n = p->subject.plain.vertices;
    const int32_t *level = column_of(result, "level", MEGURI_TYPE_I32, n);
    const uint32_t *parent = column_of(result, "parent", MEGURI_TYPE_VERTEX, n);
    printf("source %s %" PRIu64 " %" PRIu64 "\n", id, fact_of(result, "reached"), fact_of(result, "depth"));
    for (uint64_t v = 0; v < n; v++) {
        print_id(ctx, p, v);
        printf(" %d ", level[v]);
        if (parent[v] == UINT32_MAX) printf("-1");
        else print_id(ctx, p, parent[v]);
        putchar('\n');
    }
    meguri_result_free(result);
}

static void probe_ids(meguri_ctx *ctx, const probe *p, char **ids, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t source;
        meguri_status status = meguri_graph_find_text(&source, ctx, p->subject.graph, ids[i]);
        if (status == MEGURI_NOT_FOUND) printf("source %s none\n", ids[i]);
        else if (status != MEGURI_OK) give_up(p, ids[i], meguri_ctx_error(ctx));
        else {
            answer right = plain_search(&p->subject.plain, source, 0);
            search_from(p, source, &right);
            answer_free(&right);
            print_answer(ctx, p, source, ids[i]);
        }
    }
}

static void probe_some(const probe *p) {
    enum { SOME = 4 };
    const plain *g = &p->subject.plain;
    uint64_t sources[SOME] = {0, g->vertices - 1, g->vertices / 3, plain_hub(g)};
    answer right[SOME];
    for (int i = 0; i < SOME; i++) right[i] = plain_search(g, sources[i], 0);
    for (int i = 0; i < SOME; i++) search_from(p, sources[i], &right[i]);
    search_from_all(p, sources, SOME, right);
    for (int i = 0; i < SOME; i++) answer_free(&right[i]);
    printf("compared %d\n", SOME);
}

int main(int count, char **words) {
    if (count < 5) return 2;
    probe p = {.subject.name = words[4]};
    for (char *at = words[3]; *at && p.thread_counts < 8; at += *at == ',')
        p.threads[p.thread_counts++] = (uint32_t)strtoul(at, &at, 10);
    meguri_ctx *ctx = new_context(p.threads[0]);
    meguri_build_options build = {.size = sizeof build};
    meguri_read_options options = {
        .size = sizeof options, .format = (meguri_format)meguri_format_from_name(words[1]), .build = &build};
    build.direction = (meguri_direction)atoi(words[2]);
    build.ignore_weights = 1;
    const char *path = words[4];
    meguri_status status = meguri_read(&p.subject.graph, ctx, &path, 1, &options);
    if (status != MEGURI_OK) printf("refused %d %s\n", (int)status, meguri_ctx_error(ctx));
    else {
        take_graph(&p, ctx);
        if (count > 5) probe_ids(ctx, &p, words + 5, count - 5);
        else if (p.subject.plain.vertices) probe_some(&p);
        else printf("compared 0\n");
        subject_free(&p.subject);
    }
    meguri_ctx_free(ctx);
    return 0;
}
