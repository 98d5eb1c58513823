/* Host and device at one level of a breadth-first search (paper P1, section 3.3): who does how much of it, and what
 * goes from side to side.
 *
 * A level that both do is cut by words of the bitmap, of the frontier for a push, of the unvisited for a pull: the
 * device has the first ones, which in degree order are those of high degree, as in the paper. Both halves are OR-ed.
 * The paper tries fixed shares and leaves the choice open; here it is made before each level (policy/choices.c), from
 * what the model of the cost says of the level and how long such levels have taken each side: all of it may be one
 * side's. In parts the host has to feed the device, so that one of them does a level, unless shares are fixed. */
#include "algo/bfs/bfs_device.h"

#include "policy/policy.h"

#define LATENCY  100e-6 /* of launches and copies, in seconds, before it was measured */
#define EXCHANGE 0.2e-9 /* for each byte */

void mg_bfs_split_start(meguri_ctx *ctx, mg_bfs_device *s) {
    double threads = (double)MG_MAX(meguri_ctx_threads(ctx), 1u);
    for (int pull = 0; pull < 2; pull++) {
        s->host_pace[pull] = 1e-9 / threads;
        s->device_pace[pull] = 1e-9;
    }
    s->latency = LATENCY;
    s->exchange = LATENCY / 4 + EXCHANGE * 4 * s->words;
}

/* ---- what is to be done ----------------------------------------------------------------------------------------- */

static uint64_t words_of(const mg_bfs_device *s) { return s->words / 2; }

static void want_frontier(mg_bfs_device *s) {
    const mg_bfs_host *here = &s->here;
    uint64_t words = mg_bitmap_words(here->rows);
    if (here->has_list) {
        memset(s->wanted, 0, words * sizeof *s->wanted);
        for (uint64_t k = 0; k < here->list.count; k++) {
            uint32_t v = here->list.items[k];
            s->wanted[v / 64] |= (uint64_t)1 << v % 64;
        }
    } else
        for (uint64_t w = 0; w < words; w++) s->wanted[w] = here->visited[w] & ~here->previous[w];
}

/* All below the leaves that can be reached and are not. */
static void want_unvisited(mg_bfs_device *s) {
    const mg_bfs_host *here = &s->here;
    uint64_t inner = mg_bitmap_words(here->first_leaf), words = words_of(s);
    for (uint64_t w = 0; w < inner; w++)
        s->wanted[w] = ~here->visited[w] & (here->has_in ? here->has_in[w] : ~(uint64_t)0);
    if (here->first_leaf % 64) s->wanted[inner - 1] &= ((uint64_t)1 << here->first_leaf % 64) - 1;
    memset(s->wanted + inner, 0, (words - inner) * sizeof *s->wanted);
}

static void want(mg_bfs_device *s, bool pull) {
    if (pull) want_unvisited(s);
    else want_frontier(s);
}

/* What a word of `wanted` has to be followed: arcs and entries of a queue. */
typedef struct load {
    uint64_t arcs, entries;
} load;

static load load_of(const mg_bfs_device *s, uint64_t word) {
    load sum = {0, 0};
    for (uint64_t bits = s->wanted[word]; bits; bits &= bits - 1) {
        uint64_t v = 64 * word + (uint64_t)__builtin_ctzll(bits), degree;
        degree = mg_row_end(&s->here.out, v) - mg_row_begin(&s->here.out, v);
        sum.arcs += degree;
        sum.entries += mg_bfs_pieces(degree);
    }
    return sum;
}

/* Work of words [begin, end): arcs of a push, vertices of a pull. */
static uint64_t work_of(const mg_bfs_device *s, bool pull, uint64_t begin, uint64_t end) {
    uint64_t sum = 0;
    for (uint64_t w = begin; w < end; w++)
        sum += pull ? (uint64_t)__builtin_popcountll(s->wanted[w]) : load_of(s, w).arcs;
    return sum;
}

/* The words that the device has if the host has this share of the work. */
static uint64_t cut_at(const mg_bfs_device *s, bool pull, double share) {
    uint64_t words = words_of(s), w = 0;
    double wanted = (1 - share) * (double)work_of(s, pull, 0, words), sum = 0;
    for (; w < words && sum < wanted; w++) sum += (double)work_of(s, pull, w, w + 1);
    return w;
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
    mg_queue *list = &s->here.list;
    uint32_t *entries = mg_alloc_array(ctx, 2 * s->entries, sizeof *entries, "the frontier of a search");
    if (!entries) return MEGURI_NO_MEMORY;
    meguri_status status = mg_buffer_read(ctx, &s->queue, 0, entries, s->entries * 2 * sizeof *entries);
    list->count = 0;
    for (uint64_t i = 0; i < s->entries && status == MEGURI_OK; i++)
        if (entries[2 * i + 1] == 0) list->items[list->count++] = entries[2 * i];
    s->here.has_list = true;
    mg_free(entries);
    return status;
}

/* What the device found since, and its last level. In parts it never is ahead by more than one. */
static meguri_status tell_here(meguri_ctx *ctx, mg_bfs_device *s) {
    mg_bfs_host *here = &s->here;
    uint64_t *free = here->previous, bytes = s->words * sizeof(uint32_t);
    if (!s->found_there) return MEGURI_OK;
    double since = mg_now();
    here->has_list = false;
    here->previous = here->visited;
    here->visited = free;
    meguri_status status = mg_buffer_read(ctx, &s->visited, 0, here->visited, bytes);
    if (status == MEGURI_OK && !s->in_parts && s->has_queue) status = read_queue(ctx, s);
    else if (status == MEGURI_OK && !s->in_parts) status = mg_buffer_read(ctx, &s->other, 0, here->previous, bytes);
    s->exchange = mg_policy_learn(s->exchange, 1, mg_now() - since);
    s->found_there = status != MEGURI_OK;
    return status;
}

/* What was found here since, and the last level of it. */
static meguri_status tell_there(meguri_ctx *ctx, mg_bfs_device *s) {
    const mg_bfs_host *here = &s->here;
    uint64_t bytes = s->words * sizeof(uint32_t);
    if (!s->found_here) return MEGURI_OK;
    double since = mg_now();
    meguri_status status = mg_buffer_write(ctx, &s->visited, 0, here->visited, bytes);
    if (!s->in_parts && status == MEGURI_OK) {
        load sum = {0, 0};
        want_frontier(s);
        for (uint64_t w = 0; w < words_of(s); w++) {
            load word = load_of(s, w);
            sum.arcs += word.arcs;
            sum.entries += word.entries;
            s->there[w] = here->visited[w] & ~s->wanted[w];
        }
        s->has_queue = false;
        s->entries = sum.entries;
        s->queue_arcs = sum.arcs;
        status = mg_buffer_write(ctx, &s->other, 0, s->there, bytes);
    }
    s->exchange = mg_policy_learn(s->exchange, 1, mg_now() - since);
    s->found_here = status != MEGURI_OK;
    return status;
}

/* ---- one side alone --------------------------------------------------------------------------------------------- */

/* What the step counted; the next one has counters that were set to zero meanwhile. */
static meguri_status read_counters(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s) {
    uint32_t words[MG_BFS_COUNTERS];
    meguri_status status = mg_buffer_read(ctx, &s->counters[0], 0, words, sizeof words);
    if (status != MEGURI_OK) return status;
    *found = (mg_bfs_found){.reached = words[MG_BFS_REACHED],
                            .arcs = words[MG_BFS_ARCS] + ((uint64_t)words[MG_BFS_ARCS_HIGH] << 32),
                            .edges = words[MG_BFS_EDGES] + ((uint64_t)words[MG_BFS_EDGES_HIGH] << 32)};
    if (!s->in_parts) mg_bfs_swap(&s->counters[0], &s->counters[1]);
    if (!found->reached) return MEGURI_OK;
    s->entries = words[MG_BFS_ENTRIES];
    s->queue_arcs = found->arcs;
    s->found_there = true;
    return MEGURI_OK;
}

/* The device's part of a step, up to `cut`, is launched. */
static meguri_status launch(meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    if (!s->in_parts) return pull ? mg_bfs_device_pull(ctx, s) : mg_bfs_device_push(ctx, s);
    meguri_status status = mg_buffer_fill(ctx, &s->counters[0], 0);
    if (status != MEGURI_OK) return status;
    return pull ? mg_bfs_parts_pull(ctx, s) : mg_bfs_parts_push(ctx, s);
}

static meguri_status step_there(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    meguri_status status = s->in_parts ? tell_here(ctx, s) : MEGURI_OK;
    if (status == MEGURI_OK) status = tell_there(ctx, s);
    if (s->in_parts) want(s, pull);
    s->cut = words_of(s);
    if (status == MEGURI_OK) status = launch(ctx, s, pull);
    return status == MEGURI_OK ? read_counters(found, ctx, s) : status;
}

static meguri_status step_here(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    meguri_status status = tell_here(ctx, s);
    mg_bfs_lend(s);
    if (status == MEGURI_OK) status = mg_bfs_on_host.step(found, ctx, &s->here.base, pull);
    if (found->reached) s->found_here = true;
    s->host_edges += found->edges;
    return status;
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

/* The words from `cut` on. */
static mg_bfs_found half_here(meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    mg_bfs_host *here = &s->here;
    mg_bfs_lend(s);
    if (pull) {
        memcpy(here->spare, here->visited, s->cut * sizeof *here->spare);
        return mg_bfs_pull(ctx, here, s->cut);
    }
    here->list.count = 0;
    here->base.frontier_arcs = 0;
    for (uint64_t w = s->cut; w < words_of(s); w++) {
        here->base.frontier_arcs += load_of(s, w).arcs;
        for (uint64_t bits = s->wanted[w]; bits; bits &= bits - 1)
            here->list.items[here->list.count++] = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
    }
    here->has_list = true;
    here->base.frontier = here->list.count;
    return mg_bfs_push(ctx, here);
}

/* What either has found. A vertex that both have counts once. After a pull the device knows its own words alone. */
static meguri_status merge(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    mg_bfs_host *here = &s->here;
    uint64_t words = words_of(s), known = pull && !s->in_parts ? s->cut : words, reached = 0;
    meguri_status status = mg_buffer_read(ctx, &s->visited, 0, s->there, known * sizeof *s->there);
    if (status != MEGURI_OK) return status;
    for (uint64_t w = 0; w < words; w++) {
        here->visited[w] |= w < known ? s->there[w] : 0;
        reached += (uint64_t)__builtin_popcountll(here->visited[w] & ~s->old[w]);
    }
    if (found->reached) found->arcs = (uint64_t)((double)found->arcs * (double)reached / (double)found->reached);
    found->reached = reached;
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
    for (uint64_t w = 0; w < words_of(s); w++) here->previous[w] = s->old[w] & ~s->there[w];
    here->has_list = false;
}

typedef struct paces {
    double host, device; /* seconds */
} paces;

static meguri_status step_both(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull, paces *took) {
    mg_bfs_found mine = {0}, theirs = {0};
    mg_bfs_host *here = &s->here;
    uint64_t words = words_of(s);
    s->found_here = true; /* a queue of all of the frontier is of no use */
    meguri_status status = tell_there(ctx, s);
    if (status != MEGURI_OK) return status;
    want_frontier(s);
    memcpy(s->there, s->wanted, words * sizeof *s->there);
    memcpy(s->old, here->visited, words * sizeof *s->old);
    want(s, pull);
    if (!s->in_parts && !pull)
        for (uint64_t w = s->cut; w < words; w++) {
            load word = load_of(s, w);
            s->entries -= word.entries;
            s->queue_arcs -= word.arcs;
        }
    if (s->in_parts) memset(s->wanted + s->cut, 0, (words - s->cut) * sizeof *s->wanted);
    s->device->kernel_seconds = 0;
    status = launch(ctx, s, pull);
    if (status == MEGURI_OK) status = mg_device_flush(ctx, s->device);
    if (s->in_parts) want(s, pull);
    double since = mg_now();
    if (status == MEGURI_OK) mine = half_here(ctx, s, pull);
    took->host = mg_now() - since;
    if (status == MEGURI_OK) status = read_counters(&theirs, ctx, s);
    if (status == MEGURI_OK) status = mg_device_finish(ctx, s->device);
    took->device = s->device->kernel_seconds;
    *found = mine;
    mg_bfs_add(found, &theirs);
    s->host_edges += mine.edges;
    if (status == MEGURI_OK && found->reached) return merge(found, ctx, s, pull);
    leave(s);
    return status;
}

/* ---- who does it ------------------------------------------------------------------------------------------------ */

static double share_of(const mg_bfs_device *s, bool pull) {
    const meguri_bfs_options *o = &s->base.options;
    if (o->split_host || o->split_device)
        return (double)o->split_host / ((double)o->split_host + (double)o->split_device);
    mg_bfs_facts facts = mg_bfs_facts_of(&s->base, pull);
    const mg_split_facts split = {.host = s->host_pace[pull] * mg_policy_bfs_cost(&facts, mg_bfs_on_host.costs, pull),
                                  .device = s->device_pace[pull] * mg_policy_bfs_cost(&facts, s->base.costs, pull),
                                  .latency = s->latency,
                                  .exchange = s->exchange,
                                  .host_knows = !s->found_there,
                                  .device_knows = !s->found_here,
                                  .in_turn = s->in_parts};
    return mg_policy_split(&split);
}

/* Where both are to work, what they share; one of them alone, where a word is too much. */
static meguri_status prepare_both(meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    meguri_status status = tell_here(ctx, s);
    if (status != MEGURI_OK) return status;
    want(s, pull);
    s->cut = cut_at(s, pull, s->share);
    if (work_of(s, pull, 0, s->cut) == 0) s->share = 1;
    else if (work_of(s, pull, s->cut, words_of(s)) == 0) s->share = 0;
    return MEGURI_OK;
}

meguri_status mg_bfs_split_step(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *s, bool pull) {
    bool fixed = s->base.options.split_host || s->base.options.split_device;
    mg_bfs_facts facts = mg_bfs_facts_of(&s->base, pull);
    double host = mg_policy_bfs_cost(&facts, mg_bfs_on_host.costs, pull);
    double device = mg_policy_bfs_cost(&facts, s->base.costs, pull);
    meguri_status status = MEGURI_OK;
    paces took = {0, 0};
    s->share = share_of(s, pull);
    s->device->timed = !fixed;
    if (s->share > 0 && s->share < 1) status = prepare_both(ctx, s, pull);
    double since = mg_now();
    if (status != MEGURI_OK) return status;
    if (s->share == 1) {
        status = step_here(found, ctx, s, pull);
        took.host = mg_now() - since;
    } else if (s->share == 0) {
        s->device->kernel_seconds = 0;
        status = step_there(found, ctx, s, pull);
        mg_device_add_times(s->device);
        took.device = s->device->kernel_seconds;
        if (!fixed && took.device > 0) s->latency = mg_policy_learn(s->latency, 1, mg_now() - since - took.device);
    } else status = step_both(found, ctx, s, pull, &took);
    s->host_pace[pull] = mg_policy_learn(s->host_pace[pull], s->share * host, took.host);
    s->device_pace[pull] = mg_policy_learn(s->device_pace[pull], (1 - s->share) * device, took.device);
    return status;
}
