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

static void mark(const mg_triangle_lists *l, const mg_triangle_desk *desk, uint32_t v) {
    const uint32_t *list = l->neighbors + l->begin[v];
    for (uint32_t i = 0; i < l->length[v]; i++) {
        uint64_t bit = (uint64_t)1 << (list[i] % 64);
        desk->marks[list[i] / 64] |= bit;
        if (desk->both_marks && l->both[l->begin[v] + i]) desk->both_marks[list[i] / 64] |= bit;
    }
}

/* How v's list sees rows of the core. */
static void lay_out(const mg_triangle_lists *l, const mg_triangle_desk *desk, uint32_t v) {
    const uint32_t *list = l->neighbors + l->begin[v];
    uint32_t count = 0, i = 0;
    for (; i < l->length[v] && list[i] < l->core; i++) {
        bool new_word = i == 0 || list[i] / 64 != list[i - 1] / 64;
        if (i % 64 == 0) {
            desk->first_word[i / 64] = count;
            if (desk->own_both) desk->own_both[i / 64] = 0;
        }
        if (new_word) desk->words[count++] = (mg_triangle_word){.word = list[i] / 64, .place = i};
        desk->words[count - 1].mask |= (uint64_t)1 << (list[i] % 64);
        if (desk->own_both) desk->own_both[i / 64] |= (uint64_t)l->both[l->begin[v] + i] << (i % 64);
    }
    desk->first_word[(i + 63) / 64] = count;
    desk->words[count] = (mg_triangle_word){.place = UINT32_MAX};
}

static void wipe(const mg_triangle_lists *l, const mg_triangle_desk *desk, uint32_t v) {
    const uint32_t *list = l->neighbors + l->begin[v];
    for (uint32_t i = 0; i < l->length[v]; i++) {
        desk->marks[list[i] / 64] = 0;
        if (desk->both_marks) desk->both_marks[list[i] / 64] = 0;
    }
}

/* What the members of v's list got goes from the desk to the sums; that of the core at the end. */
static void hand_out(const tour *t, const mg_triangle_desk *desk, uint32_t v, uint64_t own) {
    const mg_triangle_lists *l = t->lists;
    const uint32_t *list = l->neighbors + l->begin[v];
    if (own) mg_fetch_add(&t->sums[v], own);
    for (uint32_t i = 0; i < l->length[v]; i++) {
        uint64_t got = (uint64_t)desk->by_place[i] + desk->by_vertex[list[i]];
        desk->by_place[i] = desk->by_vertex[list[i]] = 0;
        if (list[i] < l->core) desk->core_sums[list[i]] += got;
        else if (got) mg_fetch_add(&t->sums[list[i]], got);
    }
}

static uint64_t visit(const tour *t, const mg_triangle_desk *desk, uint32_t v) {
    const mg_triangle_lists *l = t->lists;
    uint32_t length = l->length[v], piece = length > LONG ? PIECE : length;
    uint64_t sum = 0;
    if (length < 2) return 0;
    if (length <= FEW && !t->sums) return t->hot->few(l, v);
    mark(l, desk, v);
    if (t->sums) lay_out(l, desk, v);
    for (uint32_t i = 0; i < length; i += piece) {
        if (length > LONG && mg_progress(t->ctx, t->run, l->begin[v], l->begin[l->vertices - 1])) break;
        sum += (t->sums ? t->hot->each : t->hot->count)(l, desk, v, i, MG_MIN(length, i + piece));
    }
    wipe(l, desk, v);
    if (t->sums) hand_out(t, desk, v, sum);
    return sum;
}

static uint64_t work(tour *t, const mg_triangle_desk *desk) {
    uint32_t begin, end;
    uint64_t sum = 0;
    while (take(t, &begin, &end)) {
        if (mg_progress(t->ctx, t->run, t->lists->begin[begin], t->lists->begin[t->lists->vertices - 1])) break;
        for (uint32_t v = begin; v < end; v++) sum += visit(t, desk, v);
    }
    for (uint32_t u = 0; t->sums && u < t->lists->core; u++)
        if (desk->core_sums[u]) mg_fetch_add(&t->sums[u], desk->core_sums[u]);
    return sum;
}

/* ---- desks ------------------------------------------------------------------------------------------------------ */

/* Words of 64 bits that a thread needs for each thing on its desk, whole cache lines. */
typedef struct desk_plan {
    uint64_t marks, both, by_place, by_vertex, core_sums, words, first_word, own_both, all;
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
        plan.core_sums = lines_for((uint64_t)l->core * sizeof(uint64_t));
        plan.words = lines_for(((uint64_t)MG_MIN(l->core / 64 + 1, l->longest) + 1) * sizeof(mg_triangle_word));
        plan.first_word = lines_for((parts + 1) * sizeof(uint32_t));
        plan.own_both = l->both ? lines_for(parts * sizeof(uint64_t)) : 0;
    }
    plan.all = plan.marks + plan.both + plan.by_place + plan.by_vertex + plan.core_sums + plan.words + plan.first_word +
               plan.own_both;
    return plan;
}

/* The next so many words; NULL if none are wanted. */
static void *next_part(uint64_t **words, uint64_t count) {
    void *part = count ? *words : NULL;
    *words += count;
    return part;
}

static mg_triangle_desk desk_at(const desk_plan *plan, uint64_t *words) {
    mg_triangle_desk desk;
    desk.marks = next_part(&words, plan->marks);
    desk.both_marks = next_part(&words, plan->both);
    desk.by_place = next_part(&words, plan->by_place);
    desk.by_vertex = next_part(&words, plan->by_vertex);
    desk.core_sums = next_part(&words, plan->core_sums);
    desk.words = next_part(&words, plan->words);
    desk.first_word = next_part(&words, plan->first_word);
    desk.own_both = next_part(&words, plan->own_both);
    return desk;
}

static meguri_status go(tour *t, uint64_t *total) {
    const mg_triangle_lists *l = t->lists;
    double since = mg_now();
    *total = 0;
    if (!l->edges) return MEGURI_OK;
    int threads = mg_threads(t->ctx, l->edges, 1 << 12), next_desk = 0;
    desk_plan plan = plan_desks(t);
    uint64_t sum = 0;
    uint64_t *desks = mg_alloc_array_zero(t->ctx, plan.all * (uint64_t)threads, sizeof *desks, "counting triangles");
    if (!desks) return MEGURI_NO_MEMORY;
    /* The other threads may take everything: whoever called us looks before. */
    if (!mg_progress(t->ctx, t->run, 0, l->edges)) {
#pragma omp parallel num_threads(mg_team(threads)) reduction(+ : sum)
        {
            mg_triangle_desk desk = desk_at(&plan, desks + plan.all * (uint64_t)mg_fetch_add(&next_desk, 1));
            sum += work(t, &desk);
        }
    }
    mg_free(desks);
    if (mg_cancelled(t->ctx)) return mg_fail_cancelled(t->ctx);
    *total = sum;
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
