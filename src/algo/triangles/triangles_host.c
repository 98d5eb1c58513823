/* The loop over all vertices: threads take a few at a time, as many as make some 50 µs of work; long lists are cut, so
 * that a cancel does not wait for the end of one. Counts are whole numbers: their sum does not depend on who takes
 * what. */
#include "algo/triangles/triangles.h"

enum {
    GRAIN = 1 << 16, /* looks, roughly, that a thread takes at a time */
    FEW = 8,         /* members of a list that is not worth marking */
    LONG = 1024,     /* members of a list that is cut … */
    PIECE = 64       /* … into pieces of so many */
};

/* One run over all lists. */
typedef struct tour {
    meguri_ctx *ctx;
    const mg_triangle_lists *lists;
    const mg_triangle_hot *hot;
    const char *run;
    uint64_t *sums; /* for each vertex; NULL: only the total */
    uint32_t next;  /* vertices below are taken */
} tour;

/* Takes the vertices [*begin, *end); false if none are left. */
static bool take(tour *t, uint32_t *begin, uint32_t *end) {
    const mg_triangle_lists *l = t->lists;
    for (;;) {
        uint32_t first = mg_load(&t->next), last = first;
        if (first >= l->vertices) return false;
        for (uint64_t work = 0; last < l->vertices && work < GRAIN; last++)
            work += (uint64_t)l->length[last] * l->length[last] + 16;
        if (!mg_compare_swap(&t->next, first, last)) continue;
        *begin = first;
        *end = last;
        return true;
    }
}

static void mark(const mg_triangle_lists *l, const mg_triangle_workspace *workspace, uint32_t v) {
    const uint32_t *list = l->neighbors + l->begin[v];
    for (uint32_t i = 0; i < l->length[v]; i++) {
        uint64_t bit = (uint64_t)1 << (list[i] % 64);
        workspace->marks[list[i] / 64] |= bit;
        if (workspace->both_marks && l->both[l->begin[v] + i]) workspace->both_marks[list[i] / 64] |= bit;
    }
}

/* How v's list sees rows of hubs. */
static void lay_out(const mg_triangle_lists *l, const mg_triangle_workspace *workspace, uint32_t v) {
    const uint32_t *list = l->neighbors + l->begin[v];
    uint32_t count = 0, i = 0;
    for (; i < l->length[v] && list[i] < l->hubs; i++) {
        bool new_word = i == 0 || list[i] / 64 != list[i - 1] / 64;
        if (i % 64 == 0) {
            workspace->first_word[i / 64] = count;
            if (workspace->own_both) workspace->own_both[i / 64] = 0;
        }
        if (new_word) workspace->words[count++] = (mg_triangle_word){.word = list[i] / 64, .place = i};
        workspace->words[count - 1].mask |= (uint64_t)1 << (list[i] % 64);
        if (workspace->own_both) workspace->own_both[i / 64] |= (uint64_t)l->both[l->begin[v] + i] << (i % 64);
    }
    workspace->first_word[(i + 63) / 64] = count;
    workspace->words[count] = (mg_triangle_word){.place = UINT32_MAX};
}

static void wipe(const mg_triangle_lists *l, const mg_triangle_workspace *workspace, uint32_t v) {
    const uint32_t *list = l->neighbors + l->begin[v];
    for (uint32_t i = 0; i < l->length[v]; i++) {
        workspace->marks[list[i] / 64] = 0;
        if (workspace->both_marks) workspace->both_marks[list[i] / 64] = 0;
    }
}

/* What the members of v's list got goes from the workspace to the sums; those of hubs at the end. */
static void hand_out(const tour *t, const mg_triangle_workspace *workspace, uint32_t v, uint64_t own) {
    const mg_triangle_lists *l = t->lists;
    const uint32_t *list = l->neighbors + l->begin[v];
    if (own) mg_fetch_add(&t->sums[v], own);
    for (uint32_t i = 0; i < l->length[v]; i++) {
        uint64_t got = (uint64_t)workspace->by_place[i] + workspace->by_vertex[list[i]];
        workspace->by_place[i] = workspace->by_vertex[list[i]] = 0;
        if (list[i] < l->hubs) workspace->hub_sums[list[i]] += got;
        else if (got) mg_fetch_add(&t->sums[list[i]], got);
    }
}

static uint64_t visit(const tour *t, const mg_triangle_workspace *workspace, uint32_t v) {
    const mg_triangle_lists *l = t->lists;
    uint32_t length = l->length[v], piece = length > LONG ? PIECE : length;
    uint64_t sum = 0;
    if (length < 2) return 0;
    if (length <= FEW && !t->sums) return t->hot->few(l, v);
    mark(l, workspace, v);
    if (t->sums) lay_out(l, workspace, v);
    for (uint32_t i = 0; i < length; i += piece) {
        if (length > LONG && mg_progress(t->ctx, t->run, l->begin[v], l->begin[l->vertices - 1])) break;
        sum += (t->sums ? t->hot->each : t->hot->count)(l, workspace, v, i, MG_MIN(length, i + piece));
    }
    wipe(l, workspace, v);
    if (t->sums) hand_out(t, workspace, v, sum);
    return sum;
}

static uint64_t work(tour *t, const mg_triangle_workspace *workspace) {
    uint32_t begin, end;
    uint64_t sum = 0;
    while (take(t, &begin, &end)) {
        if (mg_progress(t->ctx, t->run, t->lists->begin[begin], t->lists->begin[t->lists->vertices - 1])) break;
        for (uint32_t v = begin; v < end; v++) sum += visit(t, workspace, v);
    }
    for (uint32_t u = 0; t->sums && u < t->lists->hubs; u++)
        if (workspace->hub_sums[u]) mg_fetch_add(&t->sums[u], workspace->hub_sums[u]);
    return sum;
}

/* ---- workspaces
 * ------------------------------------------------------------------------------------------------------ */

/* Words of 64 bits that a thread needs for each thing on its workspace, whole cache lines. */
typedef struct desk_plan {
    uint64_t marks, both, by_place, by_vertex, hub_sums, words, first_word, own_both, all;
} desk_plan;

static uint64_t lines_for(uint64_t bytes) { return (bytes + 63) / 64 * 8; }

static desk_plan plan_desks(const tour *t) {
    const mg_triangle_lists *l = t->lists;
    uint64_t parts = (uint64_t)l->longest / 64 + 1; /* of the longest list, 64 members each */
    desk_plan plan = {.marks = mg_triangle_row_words(l->vertices)};
    if (t->sums) {
        plan.both = l->both ? plan.marks : 0;
        plan.by_place = lines_for(parts * 64 * sizeof(uint32_t));
        plan.by_vertex = lines_for((uint64_t)l->vertices * sizeof(uint32_t));
        plan.hub_sums = lines_for((uint64_t)l->hubs * sizeof(uint64_t));
        plan.words = lines_for(((uint64_t)MG_MIN(l->hubs / 64 + 1, l->longest) + 1) * sizeof(mg_triangle_word));
        plan.first_word = lines_for((parts + 1) * sizeof(uint32_t));
        plan.own_both = l->both ? lines_for(parts * sizeof(uint64_t)) : 0;
    }
    plan.all = plan.marks + plan.both + plan.by_place + plan.by_vertex + plan.hub_sums + plan.words + plan.first_word +
               plan.own_both;
    return plan;
}

/* The next so many words; NULL if none are wanted. */
static void *next_part(uint64_t **words, uint64_t count) {
    void *part = count ? *words : NULL;
    *words += count;
    return part;
}

static mg_triangle_workspace desk_at(const desk_plan *plan, uint64_t *words) {
    mg_triangle_workspace workspace;
    workspace.marks = next_part(&words, plan->marks);
    workspace.both_marks = next_part(&words, plan->both);
    workspace.by_place = next_part(&words, plan->by_place);
    workspace.by_vertex = next_part(&words, plan->by_vertex);
    workspace.hub_sums = next_part(&words, plan->hub_sums);
    workspace.words = next_part(&words, plan->words);
    workspace.first_word = next_part(&words, plan->first_word);
    workspace.own_both = next_part(&words, plan->own_both);
    return workspace;
}

typedef struct count_job {
    tour *t;
    const desk_plan *plan;
    uint64_t *workspaces; /* room for each thread */
    uint64_t sum;
} count_job;

/* Threads take stretches of equal work by themselves (take), not chunks of the loop. */
static void count_at_desk(void *what, mg_worker *worker) {
    count_job *job = what;
    mg_triangle_workspace workspace = desk_at(job->plan, job->workspaces + job->plan->all * worker->number);
    mg_fetch_add(&job->sum, work(job->t, &workspace));
}

static meguri_status go(tour *t, uint64_t *total) {
    const mg_triangle_lists *l = t->lists;
    double since = mg_now();
    *total = 0;
    if (!l->edges) return MEGURI_OK;
    int threads = mg_threads(t->ctx, l->edges, 1 << 12);
    desk_plan plan = plan_desks(t);
    count_job job = {.t = t, .plan = &plan};
    job.workspaces =
        mg_alloc_array_zero(t->ctx, plan.all * (uint64_t)threads, sizeof *job.workspaces, "counting triangles");
    if (!job.workspaces) return MEGURI_NO_MEMORY;
    mg_loop loop = {
        .ctx = t->ctx, .threads = threads, .work = count_at_desk, .what = &job, .phase = t->run, .total = l->edges};
    meguri_status status = mg_loop_run(&loop);
    mg_free(job.workspaces);
    if (status != MEGURI_OK) return status;
    *total = job.sum;
    mg_trace_phase(t->ctx, t->run, "count", (int64_t)l->edges, -1, since);
    return MEGURI_OK;
}

meguri_status mg_triangles_count(uint64_t *out, meguri_ctx *ctx, const mg_triangle_lists *lists) {
    tour t = {.ctx = ctx, .lists = lists, .hot = mg_triangle_hot_loops(), .run = "triangles"};
    return go(&t, out);
}

meguri_status mg_triangles_each(uint64_t *sums, meguri_ctx *ctx, const mg_triangle_lists *lists, const char *run) {
    tour t = {.ctx = ctx, .lists = lists, .hot = mg_triangle_hot_loops(), .run = run, .sums = sums};
    uint64_t total;
    return go(&t, &total);
}
