/* The distribution of weights. The median is exact: it is selected by radix, 16 bits of the weights' keys at a time.
 * Sums are made in blocks of fixed size. */
#include "algo/overview/overview.h"

#include <math.h>
#include <string.h>

enum { DIGIT = 16, DIGITS = 64 / DIGIT, WAYS = 1 << DIGIT, BINS = 48 };
#define SPREAD 1000.0 /* largest over smallest from which on bins grow by a factor */
#define SIGN   ((uint64_t)1 << 63)

/* What one block has, or all of them. */
typedef struct weight_facts {
    uint64_t count, negative, zero;
    double least, most, sum;
    bool whole;
} weight_facts;

/* How weights are put into bins. */
typedef struct weight_scale {
    double least, width; /* of a bin; of logarithms where it is `log` */
    int bins;
    bool log, each; /* each: a bin for each whole number */
} weight_scale;

typedef struct weight_job {
    mg_overview_work *w;
    weight_facts *blocks;
    uint64_t prefix; /* digits of the median that are known */
    int digit;       /* the one that is counted, from the highest on */
    uint64_t *counts;
    double median;
    uint64_t at_most; /* weights not above it … */
    double next;      /* … and the smallest above */
    weight_scale scale;
} weight_job;

static double weight_of(const weight_job *job, uint64_t arc) {
    return mg_weight_at(job->w->out.weights, job->w->graph->weight_type, arc);
}

/* Numbers in the order of the weights. */
static uint64_t key_of(double weight) {
    uint64_t key;
    weight += 0.0; /* minus zero is zero */
    memcpy(&key, &weight, sizeof key);
    return key & SIGN ? ~key : key | SIGN;
}

static double weight_of_key(uint64_t key) {
    double weight;
    key = key & SIGN ? key ^ SIGN : ~key;
    memcpy(&weight, &key, sizeof weight);
    return weight;
}

static uint64_t block_count(const weight_job *job) {
    return (job->w->out.arcs + MG_OVERVIEW_BLOCK_ARCS - 1) / MG_OVERVIEW_BLOCK_ARCS;
}

static mg_overview_walk walk_block(const weight_job *job, uint64_t block) {
    uint64_t begin = block * MG_OVERVIEW_BLOCK_ARCS;
    return mg_overview_walk_from(job->w, begin, MG_MIN(begin + MG_OVERVIEW_BLOCK_ARCS, job->w->out.arcs));
}

/* One pass over all weights. */
static meguri_status pass(weight_job *job, mg_work_fn *work) {
    mg_loop loop = {.ctx = job->w->ctx,
                    .threads = mg_threads(job->w->ctx, job->w->out.arcs, 4 * MG_OVERVIEW_BLOCK_ARCS),
                    .items = block_count(job),
                    .chunk = 1,
                    .work = work,
                    .what = job,
                    .phase = "weights",
                    .total = block_count(job)};
    return mg_loop_run(&loop);
}

/* ---- least, most, mean ------------------------------------------------------------------------------------------ */

static void take_facts(void *what, mg_worker *worker) {
    const weight_job *job = what;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t block = chunk.begin; block < chunk.end; block++) {
            weight_facts f = {.least = INFINITY, .most = -INFINITY, .whole = true};
            mg_overview_walk walk = walk_block(job, block);
            for (uint64_t arc; mg_overview_next(&walk, &arc);) {
                double weight = weight_of(job, arc);
                if (!isfinite(weight)) continue;
                f.count++;
                f.negative += weight < 0;
                f.zero += weight == 0;
                f.least = fmin(f.least, weight);
                f.most = fmax(f.most, weight);
                f.sum += weight;
                f.whole = f.whole && weight == floor(weight);
            }
            job->blocks[block] = f;
        }
}

static weight_facts add_up(const weight_job *job) {
    weight_facts all = {.least = INFINITY, .most = -INFINITY, .whole = true};
    for (uint64_t b = 0; b < block_count(job); b++) {
        const weight_facts *f = &job->blocks[b];
        all.count += f->count;
        all.negative += f->negative;
        all.zero += f->zero;
        all.least = fmin(all.least, f->least);
        all.most = fmax(all.most, f->most);
        all.sum += f->sum;
        all.whole = all.whole && f->whole;
    }
    return all;
}

/* ---- the median ------------------------------------------------------------------------------------------------- */

static void add_counts(const mg_worker *worker, uint64_t *sums, const uint64_t *own, int count) {
    mg_loop_lock(worker);
    for (int i = 0; i < count; i++) sums[i] += own[i];
    mg_loop_unlock(worker);
}

static void count_digit(void *what, mg_worker *worker) {
    weight_job *job = what;
    int shift = 64 - DIGIT * (job->digit + 1);
    uint64_t *own = mg_alloc_array_zero(job->w->ctx, WAYS, sizeof *own, "the median of weights");
    if (!own) {
        mg_loop_fail(worker, MEGURI_NO_MEMORY);
        return;
    }
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t block = chunk.begin; block < chunk.end; block++) {
            mg_overview_walk walk = walk_block(job, block);
            for (uint64_t arc; mg_overview_next(&walk, &arc);) {
                double weight = weight_of(job, arc);
                uint64_t key = key_of(weight);
                bool known = job->digit == 0 || key >> (shift + DIGIT) == job->prefix;
                if (known && isfinite(weight)) own[key >> shift & (WAYS - 1)]++;
            }
        }
    add_counts(worker, job->counts, own, WAYS);
    mg_free(own);
}

static void look_above(void *what, mg_worker *worker) {
    weight_job *job = what;
    uint64_t at_most = 0;
    double next = INFINITY;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t block = chunk.begin; block < chunk.end; block++) {
            mg_overview_walk walk = walk_block(job, block);
            for (uint64_t arc; mg_overview_next(&walk, &arc);) {
                double weight = weight_of(job, arc);
                if (!isfinite(weight)) continue;
                if (weight <= job->median) at_most++;
                else next = fmin(next, weight);
            }
        }
    mg_loop_lock(worker);
    job->at_most += at_most;
    job->next = fmin(job->next, next);
    mg_loop_unlock(worker);
}

/* The lower of the two in the middle, digit by digit; then the upper one. */
static meguri_status find_median(weight_job *job, uint64_t count) {
    uint64_t place = (count - 1) / 2;
    meguri_status status = MEGURI_OK;
    for (job->digit = 0; job->digit < DIGITS && status == MEGURI_OK; job->digit++) {
        memset(job->counts, 0, WAYS * sizeof *job->counts);
        status = pass(job, count_digit);
        if (status != MEGURI_OK) return status;
        uint64_t way = 0;
        for (; way < WAYS - 1 && place >= job->counts[way]; way++) place -= job->counts[way];
        job->prefix = job->prefix << DIGIT | way;
    }
    job->median = weight_of_key(job->prefix);
    job->next = INFINITY;
    if (count % 2) return MEGURI_OK;
    status = pass(job, look_above);
    if (job->at_most <= count / 2) job->median = job->median / 2 + job->next / 2;
    return status;
}

/* ---- bins ------------------------------------------------------------------------------------------------------- */

static weight_scale scale_of(const weight_facts *f) {
    weight_scale s = {.least = f->least, .bins = BINS};
    double range = f->most - f->least;
    if (range == 0 || (f->whole && range < BINS)) {
        s.each = true;
        s.width = 1;
        s.bins = (int)range + 1;
    } else if (f->least > 0 && f->most / f->least > SPREAD) {
        s.log = true;
        s.least = log(f->least);
        s.width = (log(f->most) - s.least) / BINS;
    } else s.width = f->most / BINS - f->least / BINS; /* the range may be infinite */
    return s;
}

static int bin_of(const weight_scale *s, double weight) {
    double place = ((s->log ? log(weight) : weight) / s->width - s->least / s->width);
    return place < 0 ? 0 : place < s->bins ? (int)place : s->bins - 1;
}

static void count_bins(void *what, mg_worker *worker) {
    weight_job *job = what;
    uint64_t own[BINS] = {0};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t block = chunk.begin; block < chunk.end; block++) {
            mg_overview_walk walk = walk_block(job, block);
            for (uint64_t arc; mg_overview_next(&walk, &arc);) {
                double weight = weight_of(job, arc);
                if (isfinite(weight)) own[bin_of(&job->scale, weight)]++;
            }
        }
    add_counts(worker, job->counts, own, job->scale.bins);
}

static double edge_of(const weight_scale *s, const weight_facts *f, int bin) {
    if (s->each) return s->least + bin;
    if (bin == 0) return f->least;
    if (bin == s->bins) return f->most;
    double share = (double)bin / s->bins;
    return s->log ? exp(s->least + bin * s->width) : f->least * (1 - share) + f->most * share;
}

static meguri_status fill_bins(weight_job *job, const weight_facts *f) {
    meguri_overview_numbers *out = &job->w->info->weights;
    meguri_overview_bin *bins = job->w->overview->bins[MG_OVERVIEW_WEIGHTS];
    job->scale = scale_of(f);
    memset(job->counts, 0, BINS * sizeof *job->counts);
    meguri_status status = pass(job, count_bins);
    for (int b = 0; b < job->scale.bins; b++)
        bins[b] = (meguri_overview_bin){edge_of(&job->scale, f, b), edge_of(&job->scale, f, b + !job->scale.each),
                                        job->counts[b]};
    out->bins = bins;
    out->bin_count = (uint32_t)job->scale.bins;
    return status;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

meguri_status mg_overview_weights(mg_overview_work *w) {
    meguri_overview_info *info = w->info;
    if (w->graph->weight_type == MEGURI_TYPE_NONE || w->out.arcs == 0) return MEGURI_OK;
    weight_job job = {.w = w};
    job.blocks = mg_alloc_array(w->ctx, block_count(&job), sizeof *job.blocks, "the distribution of weights");
    job.counts = mg_alloc_array(w->ctx, WAYS, sizeof *job.counts, "the distribution of weights");
    meguri_status status = job.blocks && job.counts ? pass(&job, take_facts) : MEGURI_NO_MEMORY;
    weight_facts all = {0};
    if (status == MEGURI_OK) all = add_up(&job);
    if (all.count) {
        status = find_median(&job, all.count);
        info->weights = (meguri_overview_numbers){.count = all.count,
                                                  .least = all.least,
                                                  .median = job.median,
                                                  .mean = all.sum / (double)all.count,
                                                  .most = all.most};
        info->negative_weights = all.negative;
        info->zero_weights = all.zero;
        if (status == MEGURI_OK) status = fill_bins(&job, &all);
    }
    mg_free(job.blocks);
    mg_free(job.counts);
    return status;
}
