/* The steps of a loop that all processes run: what every such loop does alike.
 *
 * Processes meet once in a step, where they need sums over all of them anyway. With these they learn whether one of
 * them has failed or was cancelled (then all end, with one sentence), whether anybody writes a trace, and what all have
 * sent since they met last. So the line of a step needs no messages of its own. */
#include "net/net.h"

/* What goes round. */
typedef struct round_trip {
    uint64_t trouble, traced, messages, bytes;
    mg_meeting values;
} round_trip;

static void join(void *mine, const void *more, uint64_t count) {
    round_trip *a = mine;
    const round_trip *b = more;
    (void)count; /* one */
    a->trouble |= b->trouble;
    a->traced |= b->traced;
    a->messages += b->messages;
    a->bytes += b->bytes;
    for (size_t i = 0; i < sizeof a->values.sums / sizeof *a->values.sums; i++) a->values.sums[i] += b->values.sums[i];
    for (size_t i = 0; i < sizeof a->values.most / sizeof *a->values.most; i++)
        a->values.most[i] = MG_MAX(a->values.most[i], b->values.most[i]);
    for (size_t i = 0; i < sizeof a->values.reals / sizeof *a->values.reals; i++)
        a->values.reals[i] += b->values.reals[i];
}

void mg_steps_open(mg_steps *s, meguri_ctx *ctx, meguri_cluster *cluster, const char *run) {
    *s = (mg_steps){.ctx = ctx, .cluster = cluster, .run = run, .before = mg_traffic_sum(cluster)};
    mg_steps_begin(s);
}

void mg_steps_begin(mg_steps *s) { s->since = mg_now(); }

meguri_status mg_steps_meet(mg_steps *s, meguri_status status, mg_meeting *values) {
    meguri_cluster *cluster = s->cluster;
    if (cluster->failed) return status == MEGURI_OK ? MEGURI_ENGINE_FAILED : status;
    if (status == MEGURI_OK && mg_cancelled(s->ctx)) status = mg_fail_cancelled(s->ctx);
    mg_traffic now = mg_traffic_sum(cluster);
    round_trip r = {.trouble = status != MEGURI_OK,
                    .traced = mg_trace_on(s->ctx),
                    .messages = now.messages - s->before.messages,
                    .bytes = now.bytes - s->before.bytes,
                    .values = *values};
    s->before = now;
    meguri_status talk = mg_reduce(s->ctx, cluster, &cluster->all, &r, 1, sizeof r, join);
    if (talk != MEGURI_OK) return talk;
    if (r.trouble) return mg_agree(s->ctx, cluster, status);
    *values = r.values;
    s->traced = r.traced;
    s->step_messages = r.messages;
    s->step_bytes = r.bytes;
    s->messages += r.messages;
    s->bytes += r.bytes;
    return MEGURI_OK;
}

void mg_steps_end(mg_steps *s, const char *phase, const char *way, uint64_t frontier, uint64_t edges) {
    int64_t number = s->number++;
    if (!mg_trace_on(s->ctx)) return;
    mg_step line = MG_STEP_NONE;
    line.run = s->run;
    line.step = number;
    line.phase = phase;
    line.frontier = (int64_t)frontier;
    line.edges = (int64_t)edges;
    line.way = way;
    line.engine = "cluster";
    line.threads = (int64_t)meguri_ctx_threads(s->ctx);
    line.seconds = mg_now() - s->since;
    line.bytes = (int64_t)s->step_bytes;
    line.messages = (int64_t)s->step_messages;
    mg_trace(s->ctx, &line);
}
