/* Distinct numbers of all processes in increasing order: a sample sort of the distinct ones of each.
 *
 * Samples of all say where to cut the range of numbers so that every process gets about as many. It drops those that
 * come from several, knows how many are before its range, and answers everyone with places, in the order of asking. */
#include "shards/keys.h"

#include <inttypes.h>

enum { SAMPLES = 128, RANGE_SAMPLES = 32, ALL_SAMPLES = SAMPLES + RANGE_SAMPLES };

typedef struct sorting {
    meguri_ctx *ctx;
    meguri_cluster *cluster;
    const uint64_t *keys;
    uint64_t count;
    const mg_id_range *ranges;
    uint64_t range_count;
    uint64_t *cuts;      /* process p has the keys from cuts[p] on; cuts[0] is 0 */
    uint64_t *begins[2]; /* of keys that leave and that arrive */
    uint64_t *arrived;
    uint64_t arrived_count;
} sorting;

/* ---- where to cut ----------------------------------------------------------------------------------------------- */

/* What one process tells: numbers, evenly chosen, and how many each stands for. */
typedef struct sample {
    uint64_t keys[ALL_SAMPLES];
    double weight[2]; /* of the first ones, and of those of ranges */
} sample;

static uint64_t range_total(const sorting *s) {
    uint64_t total = 0;
    for (uint64_t i = 0; i < s->range_count; i++) total += s->ranges[i].count;
    return total;
}

/* Number i of all that are in ranges, one range after another. */
static uint64_t range_key(const sorting *s, uint64_t i) {
    for (uint64_t r = 0; r < s->range_count; r++) {
        if (i < s->ranges[r].count) return s->ranges[r].first + i;
        i -= s->ranges[r].count;
    }
    return 0;
}

static void take_sample(sample *out, const sorting *s) {
    mg_range part = mg_share(range_total(s), s->cluster->rank, s->cluster->size);
    uint64_t ranged = part.end - part.begin;
    for (int i = 0; i < SAMPLES; i++) out->keys[i] = s->count ? s->keys[mg_share(s->count, i, SAMPLES).begin] : 0;
    for (int i = 0; i < RANGE_SAMPLES; i++)
        out->keys[SAMPLES + i] = ranged ? range_key(s, part.begin + mg_share(ranged, i, RANGE_SAMPLES).begin) : 0;
    out->weight[0] = (double)s->count / SAMPLES;
    out->weight[1] = (double)ranged / RANGE_SAMPLES;
}

static meguri_status choose_cuts(sorting *s) {
    meguri_cluster *c = s->cluster;
    uint64_t size = (uint64_t)c->size, n = size * ALL_SAMPLES, at = 0;
    sample mine, *all = mg_alloc_array(s->ctx, size, sizeof *all, "samples of ids");
    uint64_t *keys = mg_alloc_array(s->ctx, n, sizeof *keys, "samples of ids");
    double *weights = mg_alloc_array(s->ctx, n, sizeof *weights, "samples of ids"), total = 0, before = 0;
    meguri_status status = mg_agree(s->ctx, c, all && keys && weights ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) goto cleanup;
    take_sample(&mine, s);
    status = mg_all_gather(s->ctx, c, &c->all, &mine, sizeof mine, all);
    if (status != MEGURI_OK) goto cleanup;
    for (uint64_t p = 0; p < size; p++)
        for (int i = 0; i < ALL_SAMPLES; i++, at++) {
            keys[at] = all[p].keys[i];
            total += weights[at] = all[p].weight[i >= SAMPLES];
        }
    status = mg_agree(s->ctx, c, mg_sort_u64(s->ctx, keys, weights, 8, n, 64));
    if (status != MEGURI_OK) goto cleanup;
    uint64_t p = 0;
    s->cuts[p++] = 0;
    for (uint64_t i = 0; i < n && p < size; i++) {
        while (p < size && before >= total * (double)p / (double)size && weights[i] > 0) s->cuts[p++] = keys[i];
        before += weights[i];
    }
    while (p < size) s->cuts[p++] = UINT64_MAX;
cleanup:
    mg_free(all);
    mg_free(keys);
    mg_free(weights);
    return status;
}

/* ---- there and back --------------------------------------------------------------------------------------------- */

static meguri_status send_keys(sorting *s) {
    uint64_t at = 0;
    for (int p = 0; p < s->cluster->size; p++) {
        while (at < s->count && s->keys[at] < s->cuts[p]) at++;
        s->begins[0][p] = at;
    }
    s->begins[0][0] = 0;
    s->begins[0][s->cluster->size] = s->count;
    void *arrived;
    meguri_status status =
        mg_alltoallv_items(&arrived, s->begins[1], s->ctx, s->cluster, s->keys, s->begins[0], 8, "ids");
    s->arrived = arrived;
    if (status == MEGURI_OK) s->arrived_count = s->begins[1][s->cluster->size];
    return status;
}

/* The part of a range that is this process's. */
static mg_id_range range_here(const sorting *s, mg_id_range r) {
    int me = s->cluster->rank;
    uint64_t low = MG_MAX(r.first, s->cuts[me]), last = r.first + (r.count - 1);
    if (me + 1 < s->cluster->size) {
        if (s->cuts[me + 1] == 0) return (mg_id_range){0, 0};
        last = MG_MIN(last, s->cuts[me + 1] - 1);
    }
    return low > last ? (mg_id_range){0, 0} : (mg_id_range){low, last - low + 1};
}

static meguri_status merge(mg_key_order *out, const sorting *s) {
    uint64_t count = s->arrived_count, kept = 0;
    for (uint64_t i = 0; i < s->range_count; i++) count += range_here(s, s->ranges[i]).count;
    uint64_t *keys = out->keys = mg_alloc_array(s->ctx, count, sizeof *keys, "ids");
    if (!keys) return MEGURI_NO_MEMORY;
    memcpy(keys, s->arrived, s->arrived_count * sizeof *keys);
    uint64_t at = s->arrived_count;
    for (uint64_t i = 0; i < s->range_count; i++) {
        mg_id_range here = range_here(s, s->ranges[i]);
        for (uint64_t k = 0; k < here.count; k++) keys[at++] = here.first + k;
    }
    meguri_status status = mg_sort_u64(s->ctx, keys, NULL, 0, count, 64);
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < count; i++)
        if (kept == 0 || keys[kept - 1] != keys[i]) keys[kept++] = keys[i];
    out->count = kept;
    mg_trim(keys, kept * sizeof *keys);
    return MEGURI_OK;
}

static uint64_t find(const uint64_t *keys, uint64_t count, uint64_t key) {
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct find_job {
    const sorting *s;
    const mg_key_order *order;
    uint64_t *answers;
} find_job;

static void find_keys(void *what, uint64_t begin, uint64_t end) {
    const find_job *job = what;
    const mg_key_order *order = job->order;
    for (uint64_t i = begin; i < end; i++)
        job->answers[i] = order->first + find(order->keys, order->count, job->s->arrived[i]);
}

static meguri_status answer(sorting *s, const mg_key_order *order, uint64_t *places) {
    uint64_t *answers = mg_alloc_array(s->ctx, s->arrived_count, sizeof *answers, "places of ids");
    meguri_status status = mg_agree(s->ctx, s->cluster, answers ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        find_job job = {s, order, answers};
        mg_for(s->ctx, mg_threads(s->ctx, s->arrived_count, 1 << 14), s->arrived_count, find_keys, &job);
        status = mg_alltoallv_answers(places, s->ctx, s->cluster, answers, s->begins[1], s->begins[0], sizeof *places,
                                      "places of ids");
    }
    for (uint64_t i = 0; i < s->count && status == MEGURI_OK; i++)
        if (places[i] >= order->total) status = mg_strange(s->ctx, s->cluster, "a place that no id has");
    mg_free(answers);
    return status;
}

static meguri_status count_all(mg_key_order *out, const sorting *s) {
    meguri_cluster *c = s->cluster;
    out->total = out->first = out->count;
    meguri_status status = mg_reduce_u64(s->ctx, c, &c->all, &out->total, 1, MG_SUM);
    if (status == MEGURI_OK) status = mg_exscan_u64(s->ctx, c, &c->all, &out->first, 1);
    if (status == MEGURI_OK && out->total > MG_MAX_GLOBAL)
        status = mg_fail(s->ctx, MEGURI_BAD_INPUT,
                         "%" PRIu64 " different ids are more than the %" PRIu64 " vertices that fit.", out->total,
                         MG_MAX_GLOBAL);
    return status;
}

meguri_status mg_order_keys(mg_key_order *out, uint64_t *places, meguri_ctx *ctx, meguri_cluster *cluster,
                            const uint64_t *keys, uint64_t count, const mg_id_range *ranges, uint64_t range_count) {
    sorting s = {
        .ctx = ctx, .cluster = cluster, .keys = keys, .count = count, .ranges = ranges, .range_count = range_count};
    uint64_t size = (uint64_t)cluster->size;
    *out = (mg_key_order){0};
    s.cuts = mg_alloc_array(ctx, 3 * (size + 1), sizeof *s.cuts, "samples of ids");
    meguri_status status = mg_agree(ctx, cluster, s.cuts ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        for (int i = 0; i < 2; i++) s.begins[i] = s.cuts + (uint64_t)(i + 1) * (size + 1);
        status = choose_cuts(&s);
    }
    if (status == MEGURI_OK) status = send_keys(&s);
    if (status == MEGURI_OK) status = mg_agree(ctx, cluster, merge(out, &s));
    if (status == MEGURI_OK) status = count_all(out, &s);
    if (status == MEGURI_OK) status = answer(&s, out, places);
    mg_free(s.arrived);
    mg_free(s.cuts);
    if (status != MEGURI_OK) {
        mg_free(out->keys);
        out->keys = NULL;
    }
    return status;
}

meguri_status mg_keys_to_homes(uint64_t **out, meguri_ctx *ctx, meguri_cluster *c, const mg_key_order *order) {
    uint64_t size = (uint64_t)c->size;
    void *arrived = NULL;
    uint64_t *begins = mg_alloc_array(ctx, 2 * (size + 1), sizeof *begins, "ids");
    meguri_status status = mg_agree(ctx, c, begins ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        for (int p = 0; p <= c->size; p++) {
            uint64_t begin = p < c->size ? mg_share(order->total, p, c->size).begin : order->total;
            begins[p] = begin <= order->first ? 0 : MG_MIN(begin - order->first, order->count);
        }
        status = mg_alltoallv_items(&arrived, begins + size + 1, ctx, c, order->keys, begins, 8, "ids");
    }
    mg_range home = mg_share(order->total, c->rank, c->size);
    if (status == MEGURI_OK && begins[2 * size + 1] != home.end - home.begin)
        status = mg_strange(ctx, c, "it has not an id for each position that is at home here");
    if (status != MEGURI_OK) {
        mg_free(arrived);
        arrived = NULL;
    }
    mg_free(begins);
    *out = arrived;
    return status;
}
