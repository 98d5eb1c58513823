/* The search from one source where levels are narrow, as on roads: by one thread, as Brandes wrote it.
 *
 * Forwards a vertex adds its number of ways to each neighbour in the next level at the moment it looks at it; back it
 * sums what these need of it. A row is read twice. Which neighbours count is unpredictable, so there is no branch for
 * it: everybody gets something, most of them zero. Sums run in the order of the list, which one thread makes, so the
 * bits depend on nothing else. */
#include "algo/betweenness/betweenness.h"

#include "policy/policy.h"

#include <math.h>

#define NO_LEVEL UINT32_MAX

/* The number, or zero: by a mask, as compilers like to make a branch of a choice between two numbers. */
static inline double only_if(bool condition, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits &= -(uint64_t)condition;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* ---- forwards --------------------------------------------------------------------------------------------------- */

/* Lists what level l leads to, and adds up the ways; returns the largest number of ways of level l itself. */
static double push_level(mg_betweenness *s, uint64_t l) {
    const uint32_t *neighbors = s->out.neighbors;
    uint32_t *list = s->list, *level_of = s->level_of, next = (uint32_t)l + 1;
    double *ways = s->ways, most = 0;
    uint64_t count = s->count, edges = 0;
    for (uint64_t i = s->levels[l].begin; i < s->levels[l].end; i++) {
        uint32_t u = list[i];
        uint64_t begin = mg_row_begin(&s->out, u), end = mg_row_end(&s->out, u);
        double passed_on = ways[u];
        most = MG_MAX(most, passed_on);
        for (uint64_t arc = begin; arc < end; arc++) {
            uint32_t w = neighbors[arc], level = level_of[w];
            bool fresh = level == NO_LEVEL;
            list[count] = w;
            count += fresh;
            level = fresh ? next : level;
            level_of[w] = level;
            ways[w] = only_if(!fresh, ways[w]) + only_if(level == next, passed_on);
        }
        edges += end - begin;
    }
    s->count = count;
    s->levels[l].arcs = edges;
    s->edges += edges;
    return most;
}

/* Makes the numbers of the last level smaller by a power of two, which is noted. */
static void scale_level(mg_betweenness *s) {
    mg_betweenness_level *last = &s->levels[s->level_count - 1];
    double most = 0, least = INFINITY;
    for (uint64_t i = last->begin; i < last->end; i++) most = MG_MAX(most, s->ways[s->list[i]]);
    last->shift = ilogb(most) - ilogb(MG_BETWEENNESS_LARGE) + 64;
    for (uint64_t i = last->begin; i < last->end; i++) {
        double *ways = &s->ways[s->list[i]];
        *ways = ldexp(*ways, -last->shift);
        least = MG_MIN(least, *ways);
    }
    s->too_large = least < MG_BETWEENNESS_SMALL;
}

/* The level after l. Numbers of level l that have just been found beyond LARGE were small enough to be added up: those
 * of the level before were not larger. So it is the next level that is scaled. */
static meguri_status next_level(mg_betweenness *s, uint64_t l) {
    uint64_t begin = s->count;
    double most = push_level(s, l);
    if (!mg_policy_betweenness_narrow_level(s->levels[l].arcs)) s->abandoned = true;
    if (s->count == begin || s->abandoned) return MEGURI_OK;
    meguri_status status = mg_betweenness_add_level(s, begin);
    if (status == MEGURI_OK && most > MG_BETWEENNESS_LARGE) scale_level(s);
    return status;
}

/* Until `enough` vertices have been reached, or all. */
static meguri_status forwards(mg_betweenness *s, uint64_t enough) {
    meguri_status status = MEGURI_OK;
    for (uint64_t l = 0; l < s->level_count && s->count < enough && status == MEGURI_OK; l++) {
        if (mg_betweenness_stopped(s)) return mg_fail_cancelled(s->ctx);
        status = next_level(s, l);
        if (s->too_large || s->abandoned) break;
    }
    return status;
}

meguri_status mg_betweenness_is_narrow(bool *out, mg_betweenness *s) {
    meguri_status status = forwards(s, mg_policy_betweenness_look(s->rows));
    *out = !s->abandoned && mg_policy_betweenness_narrow(s->level_count);
    return status;
}

/* ---- and back --------------------------------------------------------------------------------------------------- */

/* Level l: the dependency of each vertex; what is kept of it becomes (1 + dependency) / ways, in the scale of the level
 * before. */
static void depend_on_next(mg_betweenness *s, uint64_t l) {
    const uint32_t *neighbors = s->out.neighbors, *level_of = s->level_of;
    uint32_t next = (uint32_t)l + 1;
    double *ways = s->ways, factor = ldexp(1, -s->levels[l].shift);
    for (uint64_t i = s->levels[l].begin; i < s->levels[l].end; i++) {
        uint32_t u = s->list[i];
        uint64_t end = mg_row_end(&s->out, u);
        double sum = 0;
        for (uint64_t arc = mg_row_begin(&s->out, u); arc < end; arc++) {
            uint32_t w = neighbors[arc];
            sum += only_if(level_of[w] == next, ways[w]);
        }
        double dependency = ways[u] * sum;
        s->score[u] += dependency;
        ways[u] = (1 + dependency) / ways[u] * factor;
    }
    s->edges += s->levels[l].arcs;
}

meguri_status mg_betweenness_narrow(mg_betweenness *s) {
    meguri_status status = forwards(s, UINT64_MAX);
    if (status != MEGURI_OK || s->too_large || s->abandoned) return status;
    for (uint64_t l = s->level_count - 1; l > 0; l--) { /* the source itself gets nothing */
        if (mg_betweenness_stopped(s)) return mg_fail_cancelled(s->ctx);
        depend_on_next(s, l);
    }
    return MEGURI_OK;
}
