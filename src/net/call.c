/* Whether all processes call the same, with the same arguments: at the first agreement of each public function, with
 * the message that is sent there anyway. A number stands for the function, and one for each argument; the maxima of
 * these and of their complements over all processes tell which of them differ.
 *
 * Without that, processes which do different things would wait for each other for ever, or take each other's messages
 * for what they are not. */
#include "net/net.h"

#define NAME 64

static uint64_t hash_bytes(const void *data, size_t bytes) {
    const unsigned char *at = data;
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_text(const char *text) { return text ? hash_bytes(text, strlen(text)) : 0; }

static void say(mg_call *call, const char *what, uint64_t hash) {
    if (call->count < MG_CALL_MOST) call->said[call->count++] = (mg_said){what, hash};
}

void mg_call_number(mg_call *call, const char *what, uint64_t number) { say(call, what, number); }
void mg_call_real(mg_call *call, const char *what, double real) { say(call, what, hash_bytes(&real, sizeof real)); }
void mg_call_text(mg_call *call, const char *what, const char *text) { say(call, what, hash_text(text)); }

void mg_call_bytes(mg_call *call, const char *what, const void *data, size_t bytes) {
    say(call, what, hash_bytes(data, bytes));
}

/* ---- agreement -------------------------------------------------------------------------------------------------- */

/* What goes round: whose failure counts, and whether a rank has none; then each number and its complement. */
typedef struct round_trip {
    uint64_t whose, good;
    struct {
        uint64_t most, complement;
    } said[1 + MG_CALL_MOST]; /* the function, and its arguments */
} round_trip;

static void fill(round_trip *r, const mg_call *call) {
    for (uint32_t i = 0; i <= MG_CALL_MOST; i++) {
        uint64_t hash = i == 0 ? hash_text(call->name) : i <= call->count ? call->said[i - 1].hash : 0;
        r->said[i].most = hash;
        r->said[i].complement = ~hash;
    }
}

/* All processes come here: the sentence about a failure of one of them. Of memory, which a rank has for itself, it says
 * whose there is too little of, unless all have too little. */
static meguri_status share_failure(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status,
                                   const round_trip *r) {
    enum { SENTENCE = 1024 };
    struct {
        int64_t status;
        char sentence[SENTENCE];
    } failure = {.status = status};
    char rank[32] = "";
    int root = cluster->size - (int)r->whose;
    if (r->good && status == MEGURI_NO_MEMORY) snprintf(rank, sizeof rank, "rank %d: ", root);
    if (root == cluster->rank) snprintf(failure.sentence, SENTENCE, "%s%s", rank, meguri_ctx_error(ctx));
    meguri_status talk = mg_broadcast(ctx, cluster, &cluster->all, root, &failure, sizeof failure);
    if (talk != MEGURI_OK) return talk;
    failure.sentence[SENTENCE - 1] = '\0';
    mg_begin(ctx); /* also where this process had a failure of its own: one sentence for all */
    return mg_fail_again(ctx, (meguri_status)failure.status, "%s", failure.sentence);
}

static meguri_status fail_functions(meguri_ctx *ctx, meguri_cluster *cluster, const mg_call *call) {
    char first[NAME] = "";
    if (cluster->rank == 0) snprintf(first, sizeof first, "%s", call->name ? call->name : "");
    meguri_status talk = mg_broadcast(ctx, cluster, &cluster->all, 0, first, sizeof first);
    if (talk != MEGURI_OK) return talk;
    first[NAME - 1] = '\0';
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "the processes of the cluster do not do the same: process 0 is %s%s, and another is not; all of "
                   "them must call the same functions in the same order.",
                   *first ? "calling " : "inside a function", first);
}

meguri_status mg_agree_call(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status, const mg_call *call) {
    if (cluster->failed) return status == MEGURI_OK ? MEGURI_ENGINE_FAILED : status;
    /* The first process that failed, counted from the end: its sentence is the one that all give. */
    round_trip r = {.whose = status == MEGURI_OK ? 0 : (uint64_t)(cluster->size - cluster->rank),
                    .good = status == MEGURI_OK};
    fill(&r, call);
    meguri_status talk = mg_reduce_u64(ctx, cluster, &cluster->all, &r.whose, sizeof r / 8, MG_MAXIMUM);
    if (talk != MEGURI_OK) return talk;
    if (r.whose) return share_failure(ctx, cluster, status, &r);
    if (r.said[0].most != ~r.said[0].complement) return fail_functions(ctx, cluster, call);
    for (uint32_t i = 1; i <= call->count; i++)
        if (r.said[i].most != ~r.said[i].complement)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                           "%s was given another %s by one process of the cluster than by another: all of them must "
                           "give the same.",
                           call->name, call->said[i - 1].what);
    return MEGURI_OK;
}

meguri_status mg_agree(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status) {
    return mg_agree_call(ctx, cluster, status, &(mg_call){0});
}
