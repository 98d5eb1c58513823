/* Host and devices at one level of a breadth-first search (paper P1, section 3.3): who does how much of it, and what
 * goes from side to side.
 *
 * A level that both do is cut by words of the bitmap, of the frontier for a push, of the unvisited for a pull: devices
 * have the first ones, which in degree order are those of high degree, as in the paper; several devices have each what
 * its own rows say of them. All that is found is OR-ed.
 * The paper tries fixed shares and leaves the choice open; here it is made before each level (policy/choices.c), from
 * what the model of the cost says of the level and how long such levels have taken each side: all of it may be one
 * side's. In parts the host has to feed the device, so that one of them does a level, unless shares are fixed. */
#include "algo/bfs/bfs_device.h"

#include "policy/policy.h"

#define LATENCY  100e-6 /* of launches and copies, in seconds, before it was measured */
#define EXCHANGE 0.2e-9 /* for each byte */

void mg_bfs_split_start(meguri_ctx *ctx, mg_bfs_device *s) {
    double threads = (double)MG_MAX(meguri_ctx_threads(ctx), 1u);
    for (int i = 0; i < 2 * MG_BFS_PACES; i++)
        s->paces[i / MG_BFS_PACES][i % MG_BFS_PACES] = (mg_bfs_paces){1e-9 / threads, 1e-9 / s->count, 0};
    s->latency = LATENCY;
    s->exchange = LATENCY / 4 + EXCHANGE * 4 * s->words * s->count;
}

/* ---- what is to be done ----------------------------------------------------------------------------------------- */

static uint64_t words_of(const mg_bfs_device *s) { return s->words / 2; }

static void find_frontier(const mg_bfs_device *s, uint64_t *out) {
    const mg_bfs_host *here = &s->here;
    uint64_t words = mg_bitmap_words(here->rows);
    if (!here->has_list) {
        for (uint64_t w = 0; w < words; w++) out[w] = here->visited[w] & ~here->previous[w];
        return;
    }
    memset(out, 0, words * sizeof *out);
    for (uint64_t k = 0; k < here->list.count; k++) {
        uint32_t v = here->list.items[k];
        out[v / 64] |= (uint64_t)1 << v % 64;
    }
}

/* All below the leaves that can be reached and are not. */
static void find_unvisited(const mg_bfs_device *s, uint64_t *out) {
    const mg_bfs_host *here = &s->here;
    uint64_t inner = mg_bitmap_words(here->first_leaf), words = words_of(s);
    for (uint64_t w = 0; w < inner; w++) out[w] = ~here->visited[w] & (here->has_in ? here->has_in[w] : ~(uint64_t)0);
    if (here->first_leaf % 64) out[inner - 1] &= ((uint64_t)1 << here->first_leaf % 64) - 1;
    memset(out + inner, 0, (words - inner) * sizeof *out);
}

static void want(mg_bfs_device *s, bool pull) {
    if (pull) find_unvisited(s, s->wanted);
    else find_frontier(s, s->wanted);
}

/* Work of a word: vertices of a pull; arcs of a push, as if its vertices were an average sample of those of the word.
 */
static uint64_t work_of(const mg_bfs_device *s, bool pull, uint64_t word) {
    const mg_rows *out = &s->here.out;
    uint64_t vertices = (uint64_t)__builtin_popcountll(s->wanted[word]);
    if (pull || !vertices) return vertices;
    uint64_t begin = 64 * word, end = MG_MIN(begin + 64, out->rows);
    uint64_t arcs = mg_row_offset(out, end) - mg_row_offset(out, begin);
    return vertices == end - begin ? arcs : MG_MAX(arcs * vertices / (end - begin), 1u);
}

/* The words that devices have if the host has this share of the work. The share becomes that of one side where nothing
 * is left for the other. */
static void cut_level(mg_bfs_device *s, bool pull) {
    uint64_t words = words_of(s), all = 0, sum = 0;
    for (uint64_t w = 0; w < words; w++) all += work_of(s, pull, w);
    double wanted = (1 - s->share) * (double)all;
    for (s->cut = 0; s->cut < words && (double)sum < wanted; s->cut++) sum += work_of(s, pull, s->cut);
    if (sum == 0) s->share = 1;
    else if (sum == all) s->share = 0;
}

/* ---- from side to side ------------------------------------------------------------------------------------------ */

void mg_bfs_lend(mg_bfs_device *s) {
    meguri_bfs_search *here = &s->here.base;
    here->frontier = s->base.frontier;
    here->frontier_arcs = s->base.frontier_arcs;
    here->visited_vertices = s->base.visited_vertices;
    here->unvisited = s->base.unvisited;
    here->depth = s->base.depth;
}

/* The frontier of a push, as the queue on the device has it: rows with several pieces come several times. */
static meguri_status read_queue(meguri_ctx *ctx, mg_bfs_device *s) {
    const mg_bfs_there *d = &s->there[0];
    mg_queue *list = &s->here.list;
    uint32_t *entries = mg_alloc_array(ctx, 2 * d->entries, sizeof *entries, "the frontier of a search");
    if (!entries) return MEGURI_NO_MEMORY;
    meguri_status status = mg_buffer_read(ctx, &d->queue, 0, entries, d->entries * 2 * sizeof *entries);
    list->count = 0;
    for (uint64_t i = 0; i < d->entries && status == MEGURI_OK; i++)
        if (entries[2 * i + 1] == 0) list->items[list->count++] = entries[2 * i];
    s->here.has_list = true;
    mg_free(entries);
    return status;
}

/* What one device found since, and its last level. In parts it never is ahead by more than one. */
static meguri_status tell_here(meguri_ctx *ctx, mg_bfs_device *s) {
    mg_bfs_host *here = &s->here;
    const mg_bfs_there *d = &s->there[0];
    uint64_t *free = here->previous, bytes = s->words * sizeof(uint32_t);
    if (!s->found_there) return MEGURI_OK;
    double since = mg_now();
    here->has_list = false;
    here->previous = here->visited;
    here->visited = free;
    meguri_status status = mg_buffer_read(ctx, &d->visited, 0, here->visited, bytes);
    if (status == MEGURI_OK && !s->in_parts && d->has_queue) status = read_queue(ctx, s);
    else if (status == MEGURI_OK && !s->in_parts) status = mg_buffer_read(ctx, &d->other, 0, here->previous, bytes);
    s->exchange = mg_policy_learn(s->exchange, 1, mg_now() - since);
    s->found_there = status != MEGURI_OK;
    return status;
}

/* What was found here since, and the last level of it: devices make their queues of that. */
static meguri_status tell_there(meguri_ctx *ctx, mg_bfs_device *s) {
    const mg_bfs_host *here = &s->here;
    uint64_t bytes = s->words * sizeof(uint32_t);
    if (!s->found_here) return MEGURI_OK;
    double since = mg_now();
    meguri_status status = MEGURI_OK;
    if (!s->in_parts) {
        find_frontier(s, s->heard);
        for (uint64_t w = 0; w < words_of(s); w++) s->heard[w] = here->visited[w] & ~s->heard[w];
    }
    for (uint32_t i = 0; i < s->count && status == MEGURI_OK; i++) {
        mg_bfs_there *d = &s->there[i];
        status = mg_buffer_write(ctx, &d->visited, 0, here->visited, bytes);
        if (status == MEGURI_OK && !s->in_parts) status = mg_buffer_write(ctx, &d->other, 0, s->heard, bytes);
        d->has_queue = false;
        d->entries = MG_BFS_UNCOUNTED;
    }
    s->exchange = mg_policy_learn(s->exchange, 1, mg_now() - since);
    s->found_here = status != MEGURI_OK;
    return status;
}

/* ---- one side alone --------------------------------------------------------------------------------------------- */

/* What the step counted; the next one has counters that are zero. */
static meguri_status read_counters(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, mg_bfs_there *d,
                                   bool others) {
    uint32_t words[MG_BFS_COUNTERS];
    meguri_status status = mg_buffer_read(ctx, &d->counters[0], 0, words, sizeof words);
    if (status != MEGURI_OK) return status;
    *found = (mg_bfs_found){.reached = words[MG_BFS_REACHED],
                            .arcs = words[MG_BFS_ARCS] + ((uint64_t)words[MG_BFS_ARCS_HIGH] << 32),
                            .edges = words[MG_BFS_EDGES] + ((uint64_t)words[MG_BFS_EDGES_HIGH] << 32)};
    /* Kernels set those of the next step to zero, if any was launched that does. */
    if (s->in_parts || others) return mg_buffer_fill(ctx, &d->counters[0], 0);
    mg_bfs_swap(&d->counters[0], &d->counters[1]);
    d->entries = words[MG_BFS_ENTRIES];
    d->queue_arcs = found->arcs;
    return MEGURI_OK;
}

/* A device's part of a step, up to `cut`, is launched. */
static meguri_status launch(meguri_ctx *ctx, mg_bfs_device *s, mg_bfs_there *d, bool pull) {
    const int32_t level = (int32_t)s->base.depth + 1;
    const uint32_t words = 2 * (uint32_t)s->cut;
    d->device->kernel_seconds = 0;
    if (s->in_parts)
        return pull ? mg_bfs_parts_pull(ctx, d, s->wanted, level) : mg_bfs_parts_push(ctx, d, s->wanted, level);
    return pull ? mg_bfs_there_pull(ctx, d, words, level) : mg_bfs_there_push(ctx, d, words, level);
}

static meguri_status step_there(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    meguri_status status = s->in_parts ? tell_here(ctx, s) : MEGURI_OK;
    if (status == MEGURI_OK) status = tell_there(ctx, s);
    if (s->in_parts) want(s, pull);
    s->cut = words_of(s);
    if (status == MEGURI_OK) status = launch(ctx, s, &s->there[0], pull);
    if (status == MEGURI_OK) status = read_counters(found, ctx, s, &s->there[0], false);
    if (status == MEGURI_OK && found->reached) s->found_there = true;
    return status;
}

static meguri_status step_here(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    meguri_status status = tell_here(ctx, s);
    mg_bfs_lend(s);
    if (status == MEGURI_OK) status = mg_bfs_on_host.step(found, ctx, &s->here.base, pull);
    if (found->reached) s->found_here = true;
    s->host_edges += found->edges;
    return status;
}

/* ---- several ---------------------------------------------------------------------------------------------------- */

/* The words from `cut` on. */
static mg_bfs_found half_here(meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    mg_bfs_host *here = &s->here;
    if (s->share == 0) return (mg_bfs_found){0};
    mg_bfs_lend(s);
    if (pull) {
        memcpy(here->spare, here->visited, s->cut * sizeof *here->spare);
        return mg_bfs_pull(ctx, here, s->cut);
    }
    here->list.count = 0;
    here->base.frontier_arcs = 0;
    for (uint64_t w = s->cut; w < words_of(s); w++) {
        here->base.frontier_arcs += work_of(s, false, w);
        for (uint64_t bits = s->wanted[w]; bits; bits &= bits - 1)
            here->list.items[here->list.count++] = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
    }
    here->has_list = true;
    here->base.frontier = here->list.count;
    return mg_bfs_push(ctx, here);
}

/* What all have found; a vertex that several have counts once. After a pull a device knows the words up to `cut` alone.
 */
static meguri_status merge(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    mg_bfs_host *here = &s->here;
    uint64_t words = words_of(s), known = pull && !s->in_parts ? s->cut : words;
    uint64_t inner = mg_bitmap_words(here->first_leaf);
    for (uint32_t i = 0; i < s->count; i++) {
        meguri_status status = mg_buffer_read(ctx, &s->there[i].visited, 0, s->heard, known * sizeof *s->heard);
        if (status != MEGURI_OK) return status;
        for (uint64_t w = 0; w < known; w++) here->visited[w] |= s->heard[w];
    }
    found->reached = found->arcs = 0;
    for (uint64_t w = 0; w < inner; w++) {
        uint64_t reached = (uint64_t)__builtin_popcountll(here->visited[w] & ~s->old[w]);
        if (!reached) continue;
        found->reached += reached;
        found->arcs += mg_bfs_estimate_arcs(here, w, w + 1, reached);
    }
    memcpy(here->previous, s->old, words * sizeof *s->old);
    here->has_list = false;
    s->found_there = false;
    s->found_here = true;
    return MEGURI_OK;
}

/* Puts the frontier back that a step without any find leaves behind. */
static void leave(mg_bfs_device *s) {
    mg_bfs_host *here = &s->here;
    memcpy(here->visited, s->old, words_of(s) * sizeof *s->old);
    for (uint64_t w = 0; w < words_of(s); w++) here->previous[w] = s->old[w] & ~s->last[w];
    here->has_list = false;
}

typedef struct paces {
    double host, device; /* seconds */
} paces;

/* Devices begin with what they have of the level. */
static meguri_status launch_all(meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    uint64_t words = words_of(s);
    meguri_status status = MEGURI_OK;
    if (s->in_parts) memset(s->wanted + s->cut, 0, (words - s->cut) * sizeof *s->wanted);
    for (uint32_t i = 0; i < s->count && status == MEGURI_OK; i++) {
        status = launch(ctx, s, &s->there[i], pull);
        if (status == MEGURI_OK) status = mg_device_flush(ctx, s->there[i].device);
    }
    if (s->in_parts) want(s, pull); /* that of the host, too */
    return status;
}

static meguri_status step_all(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull, paces *took) {
    mg_bfs_host *here = &s->here;
    s->found_here = true; /* a queue of all of the frontier is of no use */
    meguri_status status = tell_there(ctx, s);
    find_frontier(s, s->last);
    memcpy(s->old, here->visited, words_of(s) * sizeof *s->old);
    if (status == MEGURI_OK) status = launch_all(ctx, s, pull);
    double since = mg_now();
    if (status == MEGURI_OK) *found = half_here(ctx, s, pull);
    took->host = mg_now() - since;
    s->host_edges += found->edges;
    for (uint32_t i = 0; i < s->count && status == MEGURI_OK; i++) {
        mg_bfs_there *d = &s->there[i];
        mg_bfs_found theirs = {0};
        status = read_counters(&theirs, ctx, s, d, true);
        if (status == MEGURI_OK) status = mg_device_finish(ctx, d->device);
        took->device = MG_MAX(took->device, d->device->kernel_seconds);
        mg_bfs_add(found, &theirs);
    }
    if (status == MEGURI_OK && found->reached) return merge(found, ctx, s, pull);
    leave(s);
    return status;
}

/* ---- who does it ------------------------------------------------------------------------------------------------ */

/* Those of the level that is next. */
static mg_bfs_paces *paces_of(mg_bfs_device *s, bool pull) {
    return &s->paces[pull][MG_MIN(s->base.step_count, MG_BFS_PACES - 1)];
}

static double share_of(mg_bfs_device *s, bool pull) {
    const meguri_bfs_options *o = &s->base.options;
    const mg_bfs_paces *p = paces_of(s, pull);
    if (o->split_host || o->split_device)
        return (double)o->split_host / ((double)o->split_host + (double)o->split_device);
    mg_bfs_facts facts = mg_bfs_facts_of(&s->base, pull);
    const mg_split_facts split = {.host = p->host * mg_policy_bfs_cost(&facts, mg_bfs_on_host.costs, pull),
                                  .device = p->device * mg_policy_bfs_cost(&facts, s->base.costs, pull),
                                  .latency = s->latency,
                                  .exchange = s->exchange,
                                  .both = p->both * mg_policy_bfs_cost(&facts, mg_bfs_on_host.costs, pull),
                                  .host_knows = !s->found_there,
                                  .device_knows = !s->found_here,
                                  .in_turn = s->in_parts};
    return mg_policy_split(&split);
}

/* Where several are to work, what they share. */
static meguri_status prepare_several(meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    meguri_status status = tell_here(ctx, s);
    if (status != MEGURI_OK) return status;
    want(s, pull);
    cut_level(s, pull);
    return MEGURI_OK;
}

meguri_status mg_bfs_split_step(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    bool fixed = s->base.options.split_host || s->base.options.split_device;
    mg_bfs_facts facts = mg_bfs_facts_of(&s->base, pull);
    double host = mg_policy_bfs_cost(&facts, mg_bfs_on_host.costs, pull);
    double there = mg_policy_bfs_cost(&facts, s->base.costs, pull);
    meguri_status status = MEGURI_OK;
    paces took = {0, 0};
    s->share = share_of(s, pull);
    for (uint32_t i = 0; i < s->count; i++) s->there[i].device->timed = !fixed || s->in_parts;
    double since = mg_now();
    if (s->share < 1) status = mg_bfs_device_begin(ctx, s);
    if (status == MEGURI_OK && s->share < 1 && (s->share > 0 || s->count > 1)) status = prepare_several(ctx, s, pull);
    if (status != MEGURI_OK) return status;
    if (s->share == 1) {
        status = step_here(found, ctx, s, pull);
        took.host = mg_now() - since;
    } else if (s->share == 0 && s->count == 1) {
        mg_device *device = s->there[0].device;
        status = step_there(found, ctx, s, pull);
        mg_device_add_times(device);
        took.device = device->kernel_seconds;
        if (!fixed && took.device > 0) s->latency = mg_policy_learn(s->latency, 1, mg_now() - since - took.device);
    } else status = step_all(found, ctx, s, pull, &took);
    s->kernel_seconds += took.device;
    mg_bfs_paces *p = paces_of(s, pull);
    if (s->share == 1) p->host = mg_policy_learn(p->host, host, took.host);
    else if (s->share > 0) p->both = mg_policy_learn(p->both, host, mg_now() - since);
    p->device = mg_policy_learn(p->device, (1 - s->share) * there, took.device);
    return status;
}
