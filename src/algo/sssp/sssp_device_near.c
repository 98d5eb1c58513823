/* Shortest paths on a device by near and far (Davidson, Baxter, Garland and Owens, IPDPS 2014), one source or several
 * side by side.
 *
 * A step takes on what is below a limit: phases relax the arcs of the near list until it is empty; what they find
 * beyond the limit goes to the far list. Then the limit rises, and the far ones below it become near. How far it rises
 * follows the work that was in the last step, as on the host (policy/sssp.c): steps are wide where few vertices wait,
 * narrow where the order saves work. Where so much comes near within a step that a lower limit would do, it falls, and
 * what is beyond goes back. A phase is
 * two launches, or one of many while they are short; the host reads 48 bytes. */
#include "algo/sssp/sssp_device.h"

/* Measured with PoCL, of no GPU: a launch costs as much as some thousand arcs. */
#define ENOUGH      131072 /* work of a step, for each compute unit and each search */
#define MOST_SPAN   ((uint64_t)1 << 40)
#define MOST_PHASES 256 /* of a launch: between two the work may be cancelled */

/* The limit is `span` bins beyond `from`: never so near that nothing can be below it. */
static void raise_limit(const mg_sssp_device *s, mg_sssp_near *n, uint64_t from) {
    const uint64_t last = s->wide ? UINT64_MAX : UINT32_MAX; /* that is above all distances */
    double distance = mg_sssp_device_real(s, from) + (double)n->span * s->plan.delta;
    n->begin = from;
    if (s->plan.real) n->limit = distance < INFINITY ? (mg_sssp_distance){.real = distance}.number : last;
    else n->limit = distance >= (double)last ? last : (uint64_t)distance;
    n->limit = MG_MAX(n->limit, from + 1);
}

/* ---- with all of the graph on the device ------------------------------------------------------------------------ */

/* What is near becomes the list of the next phase, and the host reads what was counted. */
static meguri_status list_near(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t count = mg_sssp_words(s);
    meguri_status status =
        MG_LAUNCH(ctx, &s->kernels.list_near, mg_sssp_takers(s, count), s->device->group, MG_VALUE(uint32_t, count),
                  MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets), MG_BUFFER(&s->bits), MG_BUFFER(&s->seen),
                  MG_BUFFER(&s->lower), MG_BUFFER(&s->list), MG_BUFFER(&s->counters[0]), MG_BUFFER(&s->counters[1]));
    return status == MEGURI_OK ? mg_sssp_device_count(words, ctx, s) : status;
}

/* Phases of so few that one group does several of them in a launch. */
static meguri_status relax_few(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t group = s->device->group;
    meguri_status status =
        MG_LAUNCH(ctx, &s->kernels.near_few, group, group, MG_BUFFER(&s->list), MG_BUFFER(&s->next),
                  MG_VALUE(uint32_t, s->entries), MG_VALUE(uint32_t, mg_policy_sssp_few(group)),
                  MG_VALUE(uint32_t, MOST_PHASES), MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets),
                  MG_BUFFER(&s->out.neighbors), MG_BUFFER(mg_sssp_row_weights(&s->out)), MG_BUFFER(&s->lower),
                  MG_VALUE(uint64_t, s->near.limit), MG_VALUE(uint64_t, mg_sssp_device_most(s)), MG_BUFFER(&s->bits),
                  MG_BUFFER(&s->marks), MG_BUFFER(&s->seen), MG_BUFFER(&s->counters[0]), MG_BUFFER(&s->counters[1]));
    if (status == MEGURI_OK) status = mg_sssp_device_count(words, ctx, s);
    if (status == MEGURI_OK && words[MG_SSSP_PHASES] % 2) mg_sssp_swap(&s->list, &s->next);
    return status;
}

static meguri_status relax(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    if (s->entries <= mg_policy_sssp_few(s->device->group)) return relax_few(words, ctx, s);
    meguri_status status =
        MG_LAUNCH(ctx, &s->kernels.relax_near, mg_sssp_takers(s, s->entries), s->device->group, MG_BUFFER(&s->list),
                  MG_VALUE(uint32_t, s->entries), MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets),
                  MG_BUFFER(&s->out.neighbors), MG_BUFFER(mg_sssp_row_weights(&s->out)), MG_BUFFER(&s->lower),
                  MG_VALUE(uint64_t, s->near.limit), MG_VALUE(uint64_t, mg_sssp_device_most(s)), MG_BUFFER(&s->bits),
                  MG_BUFFER(&s->marks), MG_BUFFER(&s->counters[0]));
    return status == MEGURI_OK ? list_near(words, ctx, s) : status;
}

static meguri_status split(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s, uint64_t old) {
    const uint32_t count = mg_sssp_words(s);
    meguri_status status = mg_buffer_fill(ctx, &s->seen, 0);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.split_bits, mg_sssp_takers(s, count), s->device->group,
                           MG_VALUE(uint32_t, count), MG_BUFFER(&s->lower), MG_VALUE(uint64_t, old),
                           MG_VALUE(uint64_t, s->near.limit), MG_BUFFER(&s->bits), MG_BUFFER(&s->marks),
                           MG_BUFFER(&s->counters[0]));
    return status == MEGURI_OK ? list_near(words, ctx, s) : status;
}

static meguri_status cut(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    meguri_status status =
        MG_LAUNCH(ctx, &s->kernels.cut, mg_sssp_takers(s, s->entries), s->device->group, MG_BUFFER(&s->list),
                  MG_VALUE(uint32_t, s->entries), MG_BUFFER(&s->lower), MG_VALUE(uint64_t, s->near.limit),
                  MG_BUFFER(&s->bits), MG_BUFFER(&s->marks), MG_BUFFER(&s->counters[0]));
    return status == MEGURI_OK ? list_near(words, ctx, s) : status;
}

const mg_sssp_near_moves mg_sssp_near_whole = {.relax = relax, .split = split, .cut = cut};

/* ---- the loop --------------------------------------------------------------------------------------------------- */

static const mg_sssp_near_moves *moves_of(const mg_sssp_device *s) {
    if (!s->in_parts) return &mg_sssp_near_whole;
    if (!s->here.here) return &mg_sssp_near_in_parts;
    return s->here.round ? &mg_sssp_near_here : &mg_sssp_near_several;
}

static meguri_status do_phase(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    mg_sssp_near *n = &s->near;
    double since = mg_now();
    meguri_status status = mg_sssp_choose(ctx, s, s->entries);
    if (status == MEGURI_OK) status = moves_of(s)->relax(words, ctx, s);
    if (status != MEGURI_OK) return status;
    uint64_t edges = mg_sssp_long(&words[MG_SSSP_EDGES]);
    mg_sssp_device_trace(ctx, s, "near", "near", words[MG_SSSP_CHANGED], (int64_t)edges, mg_now() - since);
    s->entries = words[MG_SSSP_ENTRIES];
    s->vertices += words[MG_SSSP_CHANGED];
    s->edges += edges;
    const uint32_t phases = MG_MAX(words[MG_SSSP_PHASES], 1u);
    s->phases += phases;
    n->phase += phases;
    n->far += words[MG_SSSP_FAR_ENTRIES];
    n->work.vertices += words[MG_SSSP_CHANGED];
    n->work.again += words[MG_SSSP_AGAIN];
    n->work.work += mg_policy_sssp_work(words[MG_SSSP_CHANGED], edges);
    return MEGURI_OK;
}

/* The far ones below the limit become near. */
static meguri_status do_split(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s, uint64_t old) {
    double since = mg_now();
    uint32_t before = s->near.far;
    meguri_status status = moves_of(s)->split(words, ctx, s, old);
    if (status != MEGURI_OK) return status;
    s->entries = words[MG_SSSP_ENTRIES];
    s->near.far = words[MG_SSSP_FAR_ENTRIES];
    mg_sssp_device_trace(ctx, s, "split", "far", before, 0, mg_now() - since);
    return MEGURI_OK;
}

/* The limit falls half way, and what is beyond goes to the far ones. */
static meguri_status do_cut(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    double since = mg_now();
    uint32_t before = s->entries;
    s->near.span /= 2;
    raise_limit(s, &s->near, s->near.begin);
    meguri_status status = moves_of(s)->cut(words, ctx, s);
    if (status != MEGURI_OK) return status;
    s->entries = words[MG_SSSP_ENTRIES];
    s->near.far += words[MG_SSSP_FAR_ENTRIES];
    mg_sssp_device_trace(ctx, s, "cut", "far", before, 0, mg_now() - since);
    return MEGURI_OK;
}

/* The near list is empty: another step. */
static meguri_status next_step(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    mg_sssp_near *n = &s->near;
    const uint64_t old = n->limit;
    if (!s->plan.fixed) n->span = mg_policy_sssp_span(n->span, &n->work, &n->costs);
    n->work = (mg_sssp_work){0};
    n->first = n->phase;
    raise_limit(s, n, old);
    meguri_status status = do_split(words, ctx, s, old);
    if (status != MEGURI_OK || s->entries || !n->far) return status;
    raise_limit(s, n, s->wide ? mg_sssp_long(&words[MG_SSSP_LEAST]) : words[MG_SSSP_LEAST]); /* there is a gap */
    return do_split(words, ctx, s, old);
}

/* Whether it is over for the goal: what lies below the limit is final while nothing is near. */
static meguri_status is_there(bool *there, meguri_ctx *ctx, mg_sssp_device *s) {
    uint64_t word;
    *there = mg_sssp_device_real(s, s->near.limit) > s->goal->most;
    if (*there) return MEGURI_OK;
    meguri_status status = mg_sssp_look(&word, ctx, s, s->goal->target);
    *there = word < s->near.limit;
    return status;
}

meguri_status mg_sssp_near_go_on(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s) {
    mg_sssp_near *n = &s->near;
    uint32_t words[MG_SSSP_COUNTERS];
    meguri_status status = MEGURI_OK;
    s->given_up = false;
    while (status == MEGURI_OK && (s->entries || n->far)) {
        if (mg_progress(ctx, "sssp", s->phases, 0)) return mg_fail_cancelled(ctx);
        if (!s->entries) {
            bool there = false;
            if (s->goal) status = is_there(&there, ctx, s);
            if (there) return status;
            if (status == MEGURI_OK) status = next_step(words, ctx, s);
            continue;
        }
        if (s->goal && s->goal->over(s->goal->what)) {
            s->given_up = true;
            return MEGURI_OK;
        }
        status = do_phase(words, ctx, s);
        if (status != MEGURI_OK) break;
        *beyond = words[MG_SSSP_TOO_FAR] != 0;
        if (*beyond) return MEGURI_OK;
        if (!s->plan.fixed && n->span > 1 && mg_policy_sssp_cut(s->entries, &n->costs)) status = do_cut(words, ctx, s);
    }
    n->limit = UINT64_MAX; /* all that there is is final */
    return status;
}

static meguri_status search(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s) {
    s->near = (mg_sssp_near){
        .phase = 1, .first = 1, .span = 1, .costs = {(uint64_t)ENOUGH * s->device->units * s->running, MOST_SPAN}};
    raise_limit(s, &s->near, 0);
    return mg_sssp_near_go_on(beyond, ctx, s);
}

const mg_sssp_strategy mg_sssp_near_far = {.name = "near-far", .search = search};
