/* The hubs: lists of the first vertices as rows of bits. Row u has the bits below u, so all rows together are half of
 * a square. They are worth it as far as hubs are joined to most others before them; in graphs without hubs there
 * are none. */
#include "algo/triangles/triangles.h"

enum {
    STEP = 512,
    MOST = 1 << 26, /* bytes: 32,768 vertices, or 23,040 where there is `both` */
    SPARSEST = 128  /* bits for each edge among them, at most */
};

/* The largest number of vertices whose rows pay and take no more than a quarter of the memory that is left. */
static uint32_t choose_hubs(const meguri_ctx *ctx, const mg_triangle_lists *l) {
    uint64_t edges = 0, left = mg_memory_left(ctx) / 4;
    uint32_t best = 0;
    for (uint32_t v = 0; v < l->vertices; v++) {
        edges += l->length[v];
        uint64_t bits = (uint64_t)(v + 1) * (v + 1) / 2, bytes = bits / 8 << (l->both != NULL);
        if (bytes > MOST || bytes + 64 * (uint64_t)(v + 1) > left) break;
        if (((v + 1) % STEP == 0 || v + 1 == l->vertices) && bits / SPARSEST <= edges) best = v + 1;
    }
    return best;
}

static void set_row(mg_triangle_lists *l, uint32_t u) {
    const uint32_t *list = l->neighbors + l->begin[u];
    bool both = l->both != NULL;
    uint64_t *bits = l->hub_bits + (l->hub_at[u] << both);
    memset(bits, 0, (mg_triangle_row_words(u) << both) * sizeof *bits);
    for (uint32_t i = 0; i < l->length[u]; i++) {
        uint64_t bit = (uint64_t)1 << (list[i] % 64), *word = bits + ((uint64_t)(list[i] / 64) << both);
        word[0] |= bit;
        if (both && l->both[l->begin[u] + i]) word[1] |= bit;
    }
}

static void set_rows(void *what, mg_worker *worker) {
    for (mg_range rows; mg_take(worker, &rows);)
        for (uint64_t u = rows.begin; u < rows.end; u++) set_row(what, (uint32_t)u);
}

meguri_status mg_triangle_hubs(meguri_ctx *ctx, mg_triangle_lists *l, const char *run) {
    double since = mg_now();
    uint32_t hubs = choose_hubs(ctx, l);
    if (!hubs) return MEGURI_OK;
    l->hub_at = mg_alloc_array(ctx, hubs, sizeof *l->hub_at, "the hubs of the graph");
    if (!l->hub_at) return MEGURI_NO_MEMORY;
    uint64_t words = 0;
    for (uint32_t u = 0; u < hubs; u++) {
        l->hub_at[u] = words;
        words += mg_triangle_row_words(u);
    }
    words <<= l->both ? 1 : 0;
    l->hub_bits = mg_alloc_array(ctx, words, sizeof *l->hub_bits, "the hubs of the graph");
    if (!l->hub_bits) return MEGURI_NO_MEMORY;
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, words, 1 << 13),
                    .items = hubs,
                    .chunk = 64,
                    .work = set_rows,
                    .what = l,
                    .phase = run,
                    .total = l->edges,
                    .steady = true};
    meguri_status status = mg_loop_run(&loop);
    if (status != MEGURI_OK) return status;
    l->hubs = hubs;
    mg_trace_phase(ctx, run, "hubs", -1, (int64_t)(words * sizeof *l->hub_bits), since);
    return MEGURI_OK;
}
