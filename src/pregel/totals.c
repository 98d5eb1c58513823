/* Aggregators: what vertices add up over a superstep.
 *
 * Each thread adds up its own, then those of all threads and all workers are put together. That gives the same bits in
 * any order: sums of reals are whole numbers of the smallest double (pregel.h), rounded once at the end. */
#include "pregel/pregel.h"

#include <math.h>

static void reset(meguri_total *t, const meguri_aggregator *a) {
    t->kind = a->kind;
    t->fold = a->fold;
    if (a->kind == MEGURI_SUM_REAL) memset(t->sum, 0, sizeof t->sum);
    else if (a->kind == MEGURI_LEAST_REAL || a->kind == MEGURI_MOST_REAL)
        t->of.real = a->kind == MEGURI_LEAST_REAL ? INFINITY : -INFINITY;
    else if (a->kind == MEGURI_OWN) {
        if (a->identity) memcpy(t->of.own, a->identity, a->bytes);
        else memset(t->of.own, 0, a->bytes);
    } else t->of.whole = a->kind == MEGURI_LEAST_WHOLE ? INT64_MAX : a->kind == MEGURI_MOST_WHOLE ? INT64_MIN : 0;
}

static meguri_status new_totals(meguri_total **out, meguri_ctx *ctx, const meguri_program *p) {
    const char *what = "the aggregators of a program";
    *out = mg_alloc_array_zero(ctx, MG_MAX(p->aggregator_count, 1u), sizeof **out, what);
    if (!*out) return MEGURI_NO_MEMORY;
    for (uint32_t i = 0; i < p->aggregator_count; i++) {
        (*out)[i].kind = p->aggregators[i].kind;
        if (p->aggregators[i].kind == MEGURI_OWN && !((*out)[i].of.own = mg_alloc(ctx, p->aggregators[i].bytes, what)))
            return MEGURI_NO_MEMORY;
        reset(&(*out)[i], &p->aggregators[i]);
    }
    return MEGURI_OK;
}

static void free_totals(meguri_total *totals, const meguri_program *p) {
    for (uint32_t i = 0; i < p->aggregator_count && totals; i++)
        if (totals[i].kind == MEGURI_OWN) mg_free(totals[i].of.own);
    mg_free(totals);
}

meguri_status mg_totals_new(mg_pregel_worker *w) {
    const meguri_program *p = w->program;
    uint32_t count = MG_MAX(p->aggregator_count, 1u);
    const char *what = "the aggregators of a program";
    meguri_status status = new_totals(&w->totals, w->ctx, p);
    for (int t = 0; t < w->threads && status == MEGURI_OK; t++) {
        status = new_totals(&w->tallies[t].totals, w->ctx, p);
        w->tallies[t].total_count = p->aggregator_count;
    }
    w->reals = mg_alloc_array_zero(w->ctx, count, sizeof *w->reals, what);
    w->wholes = mg_alloc_array_zero(w->ctx, count, sizeof *w->wholes, what);
    w->owns = mg_alloc_array_zero(w->ctx, count, sizeof *w->owns, what);
    if (!w->reals || !w->wholes || !w->owns) status = MEGURI_NO_MEMORY;
    for (uint32_t i = 0; i < p->aggregator_count && status == MEGURI_OK; i++) {
        const meguri_aggregator *a = &p->aggregators[i];
        if (a->kind != MEGURI_OWN) continue;
        w->owns[i] = mg_alloc(w->ctx, a->bytes, what);
        if (!w->owns[i]) status = MEGURI_NO_MEMORY;
        else memcpy(w->owns[i], w->totals[i].of.own, a->bytes);
    }
    return status;
}

void mg_totals_free(mg_pregel_worker *w) {
    if (!w->program) return;
    free_totals(w->totals, w->program);
    for (int t = 0; t < w->threads && w->tallies; t++) free_totals(w->tallies[t].totals, w->program);
    for (uint32_t i = 0; i < w->program->aggregator_count && w->owns; i++) mg_free(w->owns[i]);
    mg_free(w->reals);
    mg_free(w->wholes);
    mg_free(w->owns);
    w->totals = NULL;
    w->reals = NULL;
    w->wholes = NULL;
    w->owns = NULL;
}

/* ---- exact sums ------------------------------------------------------------------------------------------------- */

/* Digits become 0 … 2^32-1, all but the last, which has the sign. */
static void carry(int64_t *sum) {
    int64_t over = 0;
    for (int i = 0; i < MEGURI_EXACT_DIGITS - 1; i++) {
        int64_t digit = sum[i] + over;
        sum[i] = digit & UINT32_MAX;
        over = (digit - sum[i]) / ((int64_t)1 << 32);
    }
    sum[MEGURI_EXACT_DIGITS - 1] += over;
}

void mg_totals_carry(meguri_total *totals, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (totals[i].kind == MEGURI_SUM_REAL) carry(totals[i].sum);
}

/* The first 64 bits from the highest on, the last of them 1 if anything below is not 0: rounding that is rounding all.
 */
double mg_exact_round(int64_t *sum) {
    const int64_t *strange = sum + MEGURI_EXACT_DIGITS;
    if (strange[2] || (strange[0] && strange[1])) return NAN;
    if (strange[0] || strange[1]) return strange[0] ? INFINITY : -INFINITY;
    carry(sum);
    bool negative = sum[MEGURI_EXACT_DIGITS - 1] < 0;
    if (negative) {
        for (int i = 0; i < MEGURI_EXACT_DIGITS; i++) sum[i] = -sum[i];
        carry(sum);
    }
    int top = MEGURI_EXACT_DIGITS - 1;
    while (top > 2 && !sum[top]) top--;
    uint64_t high = (uint64_t)sum[top] << 32 | (uint64_t)sum[top - 1], low = (uint64_t)sum[top - 2];
    int shift = high ? __builtin_clzll(high) : 32, below = 0;
    if (shift > 32) shift = 32; /* all that there is: the sum has no more digits */
    if (shift) high = high << shift | low >> (32 - shift);
    if (shift < 32 && (low & (((uint64_t)1 << (32 - shift)) - 1))) below = 1;
    for (int i = 0; i < top - 2; i++) below |= sum[i] != 0;
    double rounded = ldexp((double)(high | (uint64_t)below), 32 * (top - 1) - shift - 1074);
    return negative ? -rounded : rounded;
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

static void put_together(meguri_total *into, const meguri_total *from) {
    switch (into->kind) {
    case MEGURI_SUM_REAL:
        for (int i = 0; i < MEGURI_EXACT; i++) into->sum[i] += from->sum[i];
        break;
    case MEGURI_LEAST_REAL: into->of.real = MG_MIN(into->of.real, from->of.real); break;
    case MEGURI_MOST_REAL: into->of.real = MG_MAX(into->of.real, from->of.real); break;
    case MEGURI_SUM_WHOLE: into->of.whole = (int64_t)((uint64_t)into->of.whole + (uint64_t)from->of.whole); break;
    case MEGURI_LEAST_WHOLE: into->of.whole = MG_MIN(into->of.whole, from->of.whole); break;
    case MEGURI_MOST_WHOLE: into->of.whole = MG_MAX(into->of.whole, from->of.whole); break;
    case MEGURI_OWN: into->fold(into->of.own, from->of.own, 1); break;
    }
}

static void join_totals(void *mine, const void *more, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) put_together((meguri_total *)mine + i, (const meguri_total *)more + i);
}

/* Those of all workers; own ones lie elsewhere in each of them, and go by themselves. */
static meguri_status reduce(mg_pregel_worker *w) {
    uint32_t count = w->program->aggregator_count;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < count && status == MEGURI_OK; i++) {
        const meguri_aggregator *a = &w->program->aggregators[i];
        meguri_total *t = &w->totals[i];
        if (a->kind == MEGURI_OWN)
            status = mg_reduce(w->ctx, w->cluster, &w->cluster->all, t->of.own, 1, a->bytes, a->fold);
        else status = mg_reduce(w->ctx, w->cluster, &w->cluster->all, t, 1, sizeof *t, join_totals);
    }
    return status;
}

meguri_status mg_totals_collect(mg_pregel_worker *w) {
    const meguri_program *p = w->program;
    bool own = false; /* folds of the program's */
    for (uint32_t i = 0; i < p->aggregator_count; i++) own = own || p->aggregators[i].kind == MEGURI_OWN;
    if (own) mg_pregel_enter(w);
    for (uint32_t i = 0; i < p->aggregator_count; i++) {
        reset(&w->totals[i], &p->aggregators[i]);
        for (int t = 0; t < w->threads; t++) {
            put_together(&w->totals[i], &w->tallies[t].totals[i]);
            reset(&w->tallies[t].totals[i], &p->aggregators[i]);
        }
    }
    mg_totals_carry(w->totals, p->aggregator_count);
    meguri_status status = w->cluster ? reduce(w) : MEGURI_OK;
    if (own) mg_pregel_leave(w);
    for (uint32_t i = 0; i < p->aggregator_count; i++) {
        meguri_total *t = &w->totals[i];
        if (t->kind == MEGURI_OWN) memcpy(w->owns[i], t->of.own, p->aggregators[i].bytes);
        else if (t->kind == MEGURI_SUM_REAL) w->reals[i] = mg_exact_round(t->sum);
        else if (t->kind <= MEGURI_MOST_REAL) w->reals[i] = t->of.real;
        else w->wholes[i] = t->of.whole;
    }
    return status;
}
