/* The same searches across the partitions of a graph through the databases themselves (uncached.h), and on a cache that
 * was pulled out of them: both times, and after how many searches pulling has paid for itself.
 *
 *     bench_uncached SEARCHES SEED URI…
 *
 * The databases are those that `meguri partition` writes, with integers as ids and an index on (:Vertex {uid});
 * bench_uncached.py makes them. NEO4J_USERNAME and NEO4J_PASSWORD say who logs in. Answers are compared. */
#define _GNU_SOURCE /* mkdtemp */
#include "graphs.h"
#include "uncached.h"

#include <meguri/db.h>
#include <unistd.h>

typedef struct bench {
    meguri_ctx *ctx;
    meguri_graph *graph;
    remote remote;
    uint64_t searches, seed;
    double pulled; /* seconds */
} bench;

/* Sums over the searches of a kind; `seconds` of the databases, of the same search on the cache, and of the fastest. */
typedef struct sums {
    double there, here, fastest;
    uint64_t rounds, queries, relationships, wrong;
} sums;

static bool open_all(bench *b, char **uris, uint32_t count) {
    char error[MG_BOLT_ERROR] = "";
    const char *user = getenv("NEO4J_USERNAME"), *password = getenv("NEO4J_PASSWORD");
    const mg_bolt_options options = {.stream = {.connect_timeout = 15, .timeout = 600},
                                     .username = user && *user ? user : NULL,
                                     .password = password};
    for (uint32_t p = 0; p < count; p++) {
        mg_bolt_uri uri;
        partition *to = &b->remote.partitions[p];
        if (mg_bolt_parse_uri(&uri, uris[p], error) != MEGURI_OK ||
            mg_bolt_open(&to->bolt, &uri, &options, error) != MEGURI_OK) {
            fprintf(stderr, "%s\n", error);
            return false;
        }
        to->remote = &b->remote;
        b->remote.partition_count++;
    }
    return true;
}

static meguri_status pull(bench *b, char **uris, uint32_t count) {
    char config[8192], path[] = "/tmp/meguri-uncached-XXXXXX", file[64];
    size_t at = (size_t)snprintf(config, sizeof config, "{\"databases\": [");
    for (uint32_t p = 0; p < count && at < sizeof config; p++)
        at += (size_t)snprintf(config + at, sizeof config - at, "%s\"%s\"", p ? ", " : "", uris[p]);
    if (at < sizeof config)
        at += (size_t)snprintf(config + at, sizeof config - at,
                               "], \"key\": \"uid\", \"proxy\": \"Proxy\", \"weight\": \"weight\"}");
    meguri_source *source = NULL;
    meguri_pull_info info = {.size = sizeof info};
    if (at >= sizeof config || !mkdtemp(path)) return MEGURI_NO_MEMORY;
    snprintf(file, sizeof file, "%s/c.meg", path);
    meguri_status status = meguri_source_new(&source, b->ctx, config, "bench_uncached");
    double start = now();
    if (status == MEGURI_OK) status = meguri_pull(&info, b->ctx, source, file, NULL);
    if (status == MEGURI_OK) status = meguri_open(&b->graph, b->ctx, file, NULL);
    b->pulled = now() - start;
    meguri_source_free(source);
    unlink(file);
    rmdir(path);
    if (status == MEGURI_OK)
        printf("pull: %.3f s for %llu vertices and %llu edges of %u databases\n", b->pulled,
               (unsigned long long)info.nodes, (unsigned long long)info.relationships, count);
    return status;
}

/* ---- searches --------------------------------------------------------------------------------------------------- */

static void print(const bench *b, const char *name, const sums *s) {
    const double n = (double)b->searches;
    printf("%-24s through the databases %9.4f s (%.0f rounds, %.0f queries, %.0f relationships), on the cache %9.6f s",
           name, s->there / n, (double)s->rounds / n, (double)s->queries / n, (double)s->relationships / n,
           s->here / n);
    if (s->fastest > 0) printf(" (%.6f by auto)", s->fastest / n);
    printf(": %.0f times; pulling pays from search %.0f on", s->there / s->here,
           ceil(b->pulled / ((s->there - s->here) / n)));
    if (s->wrong) printf("; %llu ANSWERS DIFFER", (unsigned long long)s->wrong);
    printf("\n");
    fflush(stdout);
}

static bool search_there(bench *b, sums *s, uint64_t source, const int64_t *target) {
    double start = now();
    bool good = remote_search(&b->remote, (int64_t)source, target);
    s->there += now() - start;
    s->rounds += b->remote.rounds;
    s->queries += b->remote.queries;
    s->relationships += b->remote.relationships;
    return good;
}

/* How many vertices were reached, and the sum of their distances. */
static void add_up(double out[2], const remote *r) {
    out[0] = out[1] = 0;
    for (uint32_t v = 0; v < r->vertex_count; v++) {
        if (isinf(r->vertices[v].distance)) continue;
        out[0]++;
        out[1] += r->vertices[v].distance;
    }
}

static bool same_sums(bench *b, const meguri_result *result) {
    meguri_column column = {.size = sizeof column};
    double theirs[2], ours[2] = {0, 0};
    if (meguri_result_column(&column, result, "distance") != MEGURI_OK) return false;
    for (uint64_t v = 0; v < column.count; v++) {
        bool whole = column.type == MEGURI_TYPE_U64;
        double distance = whole ? (double)((const uint64_t *)column.data)[v] : ((const double *)column.data)[v];
        if (whole ? ((const uint64_t *)column.data)[v] == UINT64_MAX : isinf(distance)) continue;
        ours[0]++;
        ours[1] += distance;
    }
    add_up(theirs, &b->remote);
    return theirs[0] == ours[0] && fabs(theirs[1] - ours[1]) <= 1e-9 * ours[1];
}

static meguri_status from_one(bench *b) {
    sums s = {0};
    uint64_t state = b->seed;
    meguri_sssp_search *search = NULL;
    meguri_status status = meguri_sssp_search_new(&search, b->ctx, b->graph, NULL);
    b->remote.weighted = true;
    for (uint64_t i = 0; i < b->searches && status == MEGURI_OK; i++) {
        uint64_t root, key;
        const meguri_result *result;
        status = random_root(&root, b->ctx, b->graph, &state);
        if (status == MEGURI_OK) status = meguri_graph_ids(&key, b->ctx, b->graph, root, 1);
        double start = now();
        if (status == MEGURI_OK) status = meguri_sssp_search_run(&result, b->ctx, search, root);
        s.here += now() - start;
        if (status == MEGURI_OK && !search_there(b, &s, key, NULL)) status = MEGURI_ENGINE_FAILED;
        s.wrong += status == MEGURI_OK && !same_sums(b, result);
    }
    meguri_sssp_search_free(search);
    if (status == MEGURI_OK) print(b, "from one vertex to all", &s);
    return status;
}

typedef struct found {
    double cost, hops; /* infinite: there is no path */
} found;

static int note(void *user, const meguri_path *path) {
    *(found *)user = (found){path->cost, (double)path->hops};
    return 0;
}

static meguri_status ask(found *out, double *seconds, bench *b, meguri_path_search *search, meguri_path_query query,
                         meguri_path_algorithm algorithm) {
    meguri_path_answer answer = {.size = sizeof answer};
    query.algorithm = algorithm;
    *out = (found){INFINITY, INFINITY};
    double start = now();
    meguri_status status = meguri_path_search_run(&answer, b->ctx, search, &query, note, out);
    *seconds += now() - start;
    return status;
}

/* Two vertices, and their keys. */
static meguri_status draw(meguri_path_query *query, int64_t keys[2], const bench *b, uint64_t *state) {
    *query = (meguri_path_query){.size = sizeof *query};
    meguri_status status = random_root(&query->from, b->ctx, b->graph, state);
    do
        if (status == MEGURI_OK) status = random_root(&query->to, b->ctx, b->graph, state);
    while (status == MEGURI_OK && query->to == query->from);
    if (status == MEGURI_OK) status = meguri_graph_ids((uint64_t *)&keys[0], b->ctx, b->graph, query->from, 1);
    if (status == MEGURI_OK) status = meguri_graph_ids((uint64_t *)&keys[1], b->ctx, b->graph, query->to, 1);
    return status;
}

/* Between random pairs: by weights, or by the number of edges. */
static meguri_status between_two(bench *b, bool weighted) {
    sums s = {0};
    uint64_t state = b->seed;
    meguri_path_finder *finder = NULL;
    meguri_path_search *search = NULL;
    meguri_status status = meguri_path_finder_new(&finder, b->ctx, b->graph, NULL);
    if (status == MEGURI_OK) status = meguri_path_search_new(&search, b->ctx, finder);
    b->remote.weighted = weighted;
    for (uint64_t i = 0; i < b->searches && status == MEGURI_OK; i++) {
        meguri_path_query query;
        int64_t keys[2];
        found path, other;
        status = draw(&query, keys, b, &state);
        if (status == MEGURI_OK)
            status = ask(&path, &s.here, b, search, query, weighted ? MEGURI_PATH_DIJKSTRA : MEGURI_PATH_SHORTEST);
        if (status == MEGURI_OK && weighted) status = ask(&other, &s.fastest, b, search, query, MEGURI_PATH_AUTO);
        if (status == MEGURI_OK && !search_there(b, &s, keys[0], &keys[1])) status = MEGURI_ENGINE_FAILED;
        double theirs = b->remote.vertices[1].distance, ours = weighted ? path.cost : path.hops; /* 1: the target */
        s.wrong += status == MEGURI_OK && !(theirs == ours || fabs(theirs - ours) <= 1e-9 * ours);
    }
    meguri_path_search_free(search);
    meguri_path_finder_free(finder);
    if (status == MEGURI_OK) print(b, weighted ? "cheapest path" : "path with fewest edges", &s);
    return status;
}

int main(int argc, char **argv) {
    bench b = {0};
    uint32_t count = argc > 3 ? (uint32_t)argc - 3 : 0;
    if (!count || count > PARTITIONS_MOST || (b.searches = strtoull(argv[1], NULL, 10)) == 0) {
        fprintf(stderr, "bench_uncached SEARCHES SEED URI…\n");
        return 2;
    }
    b.seed = strtoull(argv[2], NULL, 10);
    meguri_status status = meguri_ctx_new(&b.ctx, NULL);
    if (status == MEGURI_OK && !open_all(&b, argv + 3, count)) status = MEGURI_ENGINE_FAILED;
    if (status == MEGURI_OK) status = pull(&b, argv + 3, count);
    if (status == MEGURI_OK) status = between_two(&b, false);
    if (status == MEGURI_OK) status = between_two(&b, true);
    if (status == MEGURI_OK) status = from_one(&b);
    if (status != MEGURI_OK) fprintf(stderr, "%s\n", b.ctx ? meguri_ctx_error(b.ctx) : "no context");
    remote_free(&b.remote);
    meguri_graph_free(b.graph);
    meguri_ctx_free(b.ctx);
    return status == MEGURI_OK ? 0 : 1;
}
