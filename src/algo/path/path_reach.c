/* The search from both ends, level by level, always on from the end whose next level has fewer arcs.
 *
 * It goes on until the levels of both ends together are as many as a path may have hops, or one end is at the end of
 * what it can reach. A vertex v on a path that is short enough is then known from one end at least: were it more than a
 * levels from one and more than b from the other, with a + b = most, the path would be too long. So both searches can
 * be finished among the vertices that the other one has met, and never see the rest of the graph. */
#include "algo/path/path_reach.h"

typedef struct search {
    mg_path_reach *reach;
    mg_path_question *question;
    const mg_rows *rows[2];
    uint32_t begin[2], end[2]; /* of the last level, in the list */
    uint32_t depth[2];
    uint64_t work[2]; /* arcs of the last level */
    bool fewest;
} search;

static meguri_status make_room(mg_path_reach *r, mg_path_question *q) {
    meguri_ctx *ctx = q->ctx;
    uint32_t before = r->map.room;
    meguri_status status = before ? mg_path_map_grow(&r->map, q) : mg_path_map_new(&r->map, q);
    if (status != MEGURI_OK) return status;
    for (int end = 0; end < 2; end++) {
        size_t bytes = (size_t)r->map.room * sizeof(uint32_t);
        uint32_t *hops = mg_resize(ctx, r->hops[end], bytes, "hops of a path question");
        if (!hops) return MEGURI_NO_MEMORY;
        r->hops[end] = hops;
        memset(hops + before, 0xff, ((size_t)r->map.room - before) * sizeof *hops);
        uint32_t *list = mg_resize(ctx, r->list[end], bytes, "hops of a path question");
        if (!list) return MEGURI_NO_MEMORY;
        r->list[end] = list;
    }
    return MEGURI_OK;
}

/* Puts a vertex on the next level of an end, if it is new there. */
static void reach_vertex(search *s, int end, uint32_t local) {
    mg_path_reach *r = s->reach;
    if (r->hops[end][local] != MG_PATH_FAR) return;
    r->hops[end][local] = s->depth[end] + 1;
    r->list[end][s->end[end]++] = local;
    uint32_t vertex = r->map.vertices[local], other = r->hops[!end][local];
    s->work[end] += mg_row_end(s->rows[end], vertex) - mg_row_begin(s->rows[end], vertex);
    if (s->fewest && other != MG_PATH_FAR) r->most = MG_MIN(r->most, s->depth[end] + 1 + other);
}

/* The other end knows this vertex, and a path may run through it. */
static bool is_wanted(const search *s, int end, uint32_t local) {
    if (local == MG_NO_VERTEX) return false;
    uint32_t other = s->reach->hops[!end][local];
    return other != MG_PATH_FAR && (uint64_t)s->depth[end] + 1 + other <= s->reach->most;
}

/* Takes an end one level further: `within` what the other end knows, or anywhere. */
static meguri_status step(search *s, int end, bool within) {
    mg_path_reach *r = s->reach;
    const mg_rows *rows = s->rows[end];
    uint32_t begin = s->begin[end], level_end = s->end[end];
    s->question->answer->settled += level_end - begin;
    s->work[end] = 0;
    for (uint32_t i = begin; i < level_end; i++) {
        uint32_t vertex = r->map.vertices[r->list[end][i]];
        uint64_t last = mg_row_end(rows, vertex);
        s->question->answer->edges += last - mg_row_begin(rows, vertex);
        for (uint64_t arc = mg_row_begin(rows, vertex); arc < last; arc++) {
            if (mg_path_time_over(s->question)) return MEGURI_OK;
            uint32_t local;
            if (within) {
                local = mg_path_map_find(&r->map, rows->neighbors[arc]);
                if (!is_wanted(s, end, local)) continue;
            } else {
                bool added;
                if (r->map.count == r->map.room) {
                    meguri_status status = make_room(r, s->question);
                    if (status != MEGURI_OK) return status;
                }
                local = mg_path_map_add(&r->map, rows->neighbors[arc], &added);
            }
            reach_vertex(s, end, local);
        }
    }
    s->begin[end] = level_end;
    s->depth[end]++;
    return MEGURI_OK;
}

static void start(search *s, int end, uint32_t vertex) {
    bool added;
    mg_path_reach *r = s->reach;
    uint32_t local = mg_path_map_add(&r->map, vertex, &added);
    r->hops[end][local] = 0;
    r->list[end][0] = local;
    s->end[end] = 1;
    s->work[end] = mg_row_end(s->rows[end], vertex) - mg_row_begin(s->rows[end], vertex);
}

meguri_status mg_path_reach_new(mg_path_reach *reach, mg_path_question *question, uint32_t most, bool fewest) {
    const meguri_path_finder *finder = question->finder;
    *reach = (mg_path_reach){.most = most};
    search s = {.reach = reach, .question = question, .rows = {&finder->forward, &finder->backward}, .fewest = fewest};
    meguri_status status = make_room(reach, question);
    if (status != MEGURI_OK) return status;
    start(&s, 0, question->from);
    start(&s, 1, question->to);
    if (fewest && question->from == question->to) reach->most = 0;
    while (status == MEGURI_OK && !question->over && (uint64_t)s.depth[0] + s.depth[1] < reach->most &&
           s.begin[0] < s.end[0] && s.begin[1] < s.end[1])
        status = step(&s, s.work[1] < s.work[0], false);
    for (int end = 1; end >= 0; end--)
        while (status == MEGURI_OK && !question->over && s.begin[end] < s.end[end] && s.depth[end] < reach->most)
            status = step(&s, end, true);
    return status;
}

void mg_path_reach_free(mg_path_reach *reach) {
    mg_path_map_free(&reach->map);
    for (int end = 0; end < 2; end++) {
        mg_free(reach->hops[end]);
        mg_free(reach->list[end]);
    }
    *reach = (mg_path_reach){0};
}
