// Exceptions of C++ pass through callbacks, which they must not: the next call ends with an error, the one after it and
// those with other contexts are done, and an object that was left half done is busy. Exit code 0, or 1 and what was
// wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <meguri.h>
#include <stdexcept>
#include <vector>

namespace {
int failures;

void expect(bool good, const char *what, const meguri_ctx *ctx) {
    if (good) return;
    std::fprintf(stderr, "%s: %s\n", what, meguri_ctx_error(ctx));
    failures++;
}

int throwing_progress(void *user, const char *, uint64_t, uint64_t) {
    if (*static_cast<bool *>(user)) throw std::runtime_error("progress");
    return 0;
}

meguri_status throwing_take(void *, uint64_t index, const meguri_result *) {
    if (index == 5) throw std::runtime_error("take");
    return MEGURI_OK;
}

int throwing_path(void *, uint64_t, const meguri_path *) { throw std::runtime_error("path"); }
int throwing_one(void *, const meguri_path *) { throw std::runtime_error("one path"); }
meguri_status fine_answer(void *, uint64_t, const meguri_path_answer *) { return MEGURI_OK; }

// Calls, catches, and looks at the calls after it.
template <typename Call> void throws(const char *what, meguri_ctx *ctx, const meguri_graph *graph, Call call) {
    bool thrown = false;
    try {
        call();
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    meguri_result *result = nullptr;
    expect(thrown, what, ctx);
    meguri_status status = meguri_bfs(&result, ctx, graph, 0, nullptr);
    expect(status == MEGURI_ENGINE_FAILED && std::strstr(meguri_ctx_error(ctx), "exception") && !result, what, ctx);
    for (int i = 0; i < 3; i++) {
        status = meguri_bfs(&result, ctx, graph, 0, nullptr);
        expect(status == MEGURI_OK, what, ctx);
        meguri_result_free(result);
    }
}
} // namespace

int main() {
    meguri_ctx *ctx = nullptr;
    bool progress_throws = false;
    meguri_ctx_options options;
    meguri_ctx_options_init(&options, sizeof options);
    options.threads = 4;
    options.memory = uint64_t(1) << 30;
    options.progress = throwing_progress;
    options.progress_user = &progress_throws;
    if (meguri_ctx_new(&ctx, &options) != MEGURI_OK) return 1;
    meguri_grid_options grid;
    meguri_grid_options_init(&grid, sizeof grid);
    grid.width = grid.height = 100;
    meguri_graph *graph = nullptr;
    expect(meguri_gen_grid(&graph, ctx, &grid) == MEGURI_OK, "grid", ctx);
    std::vector<uint64_t> sources;
    for (uint64_t i = 0; i < 200; i++) sources.push_back(i);

    throws("meguri_bfs_many", ctx, graph,
           [&] { meguri_bfs_many(ctx, graph, sources.data(), 200, nullptr, throwing_take, nullptr); });
    throws("meguri_sssp_many", ctx, graph,
           [&] { meguri_sssp_many(ctx, graph, sources.data(), 200, nullptr, throwing_take, nullptr); });
    throws("meguri_sssp_table", ctx, graph, [&] {
        meguri_sssp_table(ctx, graph, sources.data(), 200, sources.data(), 3, nullptr, throwing_take, nullptr);
    });
    struct off {
        bool &value;
        ~off() { value = false; }
    };
    throws("progress", ctx, graph, [&] {
        meguri_result *result = nullptr;
        progress_throws = true;
        off after{progress_throws};
        meguri_betweenness(&result, ctx, graph, nullptr);
    });

    meguri_path_finder *finder = nullptr;
    meguri_path_search *search = nullptr, *other = nullptr;
    expect(meguri_path_finder_new(&finder, ctx, graph, nullptr) == MEGURI_OK, "finder", ctx);
    expect(meguri_path_search_new(&search, ctx, finder) == MEGURI_OK, "search", ctx);
    expect(meguri_path_search_new(&other, ctx, finder) == MEGURI_OK, "search", ctx);
    std::vector<meguri_path_query> queries(100);
    for (uint64_t i = 0; i < 100; i++) {
        queries[i] = meguri_path_query();
        queries[i].size = sizeof(meguri_path_query);
        queries[i].from = i;
        queries[i].to = 9000 + i;
    }
    throws("meguri_path_many", ctx, graph,
           [&] { meguri_path_many(ctx, search, queries.data(), 100, throwing_path, fine_answer, nullptr); });
    meguri_path_answer answer = meguri_path_answer();
    answer.size = sizeof answer;
    expect(meguri_path_search_run(&answer, ctx, search, queries.data(), nullptr, nullptr) == MEGURI_BUSY, "busy", ctx);
    throws("meguri_path_search_run", ctx, graph,
           [&] { meguri_path_search_run(&answer, ctx, other, queries.data(), throwing_one, nullptr); });
    // While the points of A* are made, which others then would wait for.
    meguri_path_query query = queries[0];
    query.algorithm = MEGURI_PATH_ASTAR;
    throws("progress of a finder", ctx, graph, [&] {
        progress_throws = true;
        off after{progress_throws};
        meguri_path_find(&answer, ctx, finder, &query, nullptr, nullptr);
    });
    expect(meguri_path_find(&answer, ctx, finder, &query, nullptr, nullptr) == MEGURI_OK, "after", ctx);
    meguri_path_search_free(other);
    meguri_path_search_free(search);
    meguri_path_finder_free(finder);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return failures ? 1 : 0;
}
