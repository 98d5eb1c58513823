/* The path that the labels of an indexed search tell: its shortcuts are replaced by what they stand for, until only
 * arcs are left.
 *
 * All shortcuts of the path are opened at once, then all of those that came out, and so on: what is read next does not
 * wait for what was read last, and memory is as slow as it is only once for each level. */
#include "algo/path/path_index.h"

static uint64_t chain(const mg_path_point *p, int side, uint32_t v) {
    uint64_t count = 0;
    while ((v = p->labels[2 * (size_t)v + (size_t)side].parent) != MG_NO_VERTEX) count++;
    return count;
}

/* What the edge between two heights stands for, in the row of `at`. */
static uint64_t half_of(const mg_index *x, uint32_t at, uint32_t to, int side) {
    uint64_t i = x->rows[at];
    while ((x->narrow ? x->narrow[i].to : x->wide[i].to) != to) i++; /* the search came along it */
    return x->halves[2 * i + (unsigned)side];
}

static bool make_room(mg_path_task *t, uint64_t **words, uint64_t *room, uint64_t count) {
    if (count <= *room) return true;
    uint64_t *bigger = mg_resize(t->question->ctx, *words, 2 * (count + 64) * sizeof *bigger, "a path");
    if (!bigger) return false;
    *words = bigger;
    *room = 2 * (count + 64);
    return true;
}

/* The edges of the way up and down, into point->arcs. */
static meguri_status collect(uint64_t *count, mg_path_task *t) {
    mg_path_point *p = t->point;
    const mg_index *x = &t->question->finder->index;
    uint64_t up = chain(p, 0, t->met), down = chain(p, 1, t->met);
    if (!make_room(t, &p->arcs, &p->arc_room, up + down)) return MEGURI_NO_MEMORY;
    *count = up + down;
    uint32_t v = t->met, next;
    for (uint64_t i = up; i-- > 0; v = next) {
        next = p->labels[2 * (size_t)v].parent;
        p->arcs[i] = half_of(x, next, v, 0);
    }
    v = t->met;
    for (uint64_t i = up; i < *count; i++, v = next) {
        next = p->labels[2 * (size_t)v + 1].parent;
        p->arcs[i] = half_of(x, next, v, 1);
    }
    return MEGURI_OK;
}

static meguri_status foreign(mg_path_task *t) {
    return mg_fail(t->question->ctx, MEGURI_BAD_INPUT,
                   "the path index of the graph does not belong to it; make it again with meguri index.");
}

/* Opens every shortcut of point->arcs once. */
static meguri_status open_once(uint64_t *count, bool *again, mg_path_task *t) {
    mg_path_point *p = t->point;
    const uint64_t *halves = t->question->finder->index.halves;
    if (!make_room(t, &p->opened, &p->opened_room, 2 * *count)) return MEGURI_NO_MEMORY;
    uint64_t made = 0, shortcuts = 0, *to = p->opened;
    for (uint64_t i = 0; i < *count; i++) {
        uint64_t half = p->arcs[i];
        if (half & MG_INDEX_ARC) {
            to[made++] = half;
            continue;
        }
        to[made++] = halves[2 * (half >> 32) + 1];
        to[made++] = halves[2 * (half & UINT32_MAX)];
        shortcuts++;
    }
    p->opened = p->arcs;
    p->arcs = to;
    uint64_t room = p->opened_room;
    p->opened_room = p->arc_room;
    p->arc_room = room;
    *count = made;
    *again = shortcuts;
    /* Neither way has a vertex twice. */
    return made > 2 * t->question->finder->graph->vertices ? foreign(t) : MEGURI_OK;
}

/* The arcs as places in the out-rows of the index, each looked at: it must go on where the last one ended. */
static meguri_status follow(mg_path_task *t, uint64_t hops) {
    const mg_path_question *q = t->question;
    const meguri_path_finder *f = q->finder;
    const mg_rows *rows = f->against ? &f->backward : &f->forward;
    uint64_t *arcs = t->point->arcs;
    uint32_t v = f->against ? q->to : q->from;
    bool wrong = false;
    for (uint64_t i = 0; i < hops; i++) {
        uint64_t arc = arcs[i] ^= MG_INDEX_ARC;
        wrong |= arc < mg_row_begin(rows, v) || arc >= mg_row_end(rows, v);
        v = rows->neighbors[arc];
    }
    return wrong || v != (f->against ? q->from : q->to) ? foreign(t) : MEGURI_OK;
}

/* A path that was found against the direction of the finder is turned round. */
static meguri_status turn(mg_path_task *t, uint64_t hops) {
    const mg_path_question *q = t->question;
    const meguri_path_finder *f = q->finder;
    uint64_t *arcs = t->point->arcs;
    uint32_t v = q->to;
    for (uint64_t i = 0; i < hops; i++) {
        uint32_t next = f->backward.neighbors[arcs[i]];
        arcs[i] = mg_path_arc(f, next, v);
        if (arcs[i] >= f->forward.arcs || f->forward.neighbors[arcs[i]] != v) return foreign(t);
        v = next;
    }
    for (uint64_t i = 0, j = hops; i + 1 < j; i++) {
        uint64_t arc = arcs[i];
        arcs[i] = arcs[--j];
        arcs[j] = arc;
    }
    return MEGURI_OK;
}

/* Where edges cost nothing (or vanish in a sum) the way up and the way down may have a part in common, there and back;
 * it is cut out. Labels are not needed any more, and note the place of a vertex in the path. */
static void cut_circles(uint64_t *hops, mg_path_task *t) {
    mg_path_point *p = t->point;
    const uint32_t *neighbors = t->question->finder->forward.neighbors;
    uint32_t mark = ++p->mark;
    uint64_t kept = 0;
    p->labels[t->question->from] = (mg_path_label){.mark = mark};
    for (uint64_t i = 0; i < *hops; i++) {
        uint32_t v = neighbors[p->arcs[i]];
        mg_path_label *l = &p->labels[v];
        uint64_t place = l->distance.whole;
        bool back =
            l->mark == mark && place <= kept && v == (place ? neighbors[p->arcs[place - 1]] : t->question->from);
        if (back) {
            kept = place;
            continue;
        }
        p->arcs[kept++] = p->arcs[i];
        *l = (mg_path_label){.mark = mark, .distance.whole = kept};
    }
    *hops = kept;
}

/* Whether an edge can cost nothing, or so little that a sum as long as this path does not feel it. */
static bool may_circle(const meguri_path_finder *f, uint64_t hops) {
    return f->index.facts.free_arcs || (f->real && f->lightest <= f->heaviest * (double)hops * mg_path_rounding(hops));
}

meguri_status mg_path_unpack(uint64_t *hops, mg_path_task *t) {
    const meguri_path_finder *f = t->question->finder;
    meguri_status status = collect(hops, t);
    for (bool again = true; again && status == MEGURI_OK;) status = open_once(hops, &again, t);
    if (status == MEGURI_OK) status = follow(t, *hops);
    if (status == MEGURI_OK && f->against) status = turn(t, *hops);
    if (status == MEGURI_OK && may_circle(f, *hops)) cut_circles(hops, t);
    return status;
}
