/* The handle of a cluster: one rank over its transport, whichever that is. */
#include "net/net.h"

#include <meguri/version.h>

/* ---- the first message ------------------------------------------------------------------------------------------ */

/* A version of the library, and the first rank that has it. */
typedef struct announced {
    char version[40];
    uint64_t rank;
} announced;

/* What ranks tell each other before anything else. Messages mean something only between equal versions, so this one has
 * the same form in all of them, from 0.1 on: it must not change. */
typedef struct greeting {
    announced lowest, highest; /* in the order of strcmp; of ranks with the same version, the first */
    uint64_t machine, complement;
} greeting;
_Static_assert(sizeof(greeting) == 112, "the first message has 112 bytes in every version");

static int compare_announced(const announced *a, const announced *b) {
    return strncmp(a->version, b->version, sizeof a->version);
}

static void join_greetings(void *mine, const void *more, uint64_t count) {
    greeting *a = mine;
    const greeting *b = more;
    (void)count; /* one */
    int low = compare_announced(&b->lowest, &a->lowest), high = compare_announced(&b->highest, &a->highest);
    if (low < 0 || (low == 0 && b->lowest.rank < a->lowest.rank)) a->lowest = b->lowest;
    if (high > 0 || (high == 0 && b->highest.rank < a->highest.rank)) a->highest = b->highest;
    a->machine = MG_MAX(a->machine, b->machine);
    a->complement = MG_MAX(a->complement, b->complement);
}

/* Refuses ranks of other versions; and one machine, or two for any other number: several if the largest number and the
 * smallest are not the same. */
static meguri_status greet(meguri_ctx *ctx, meguri_cluster *c) {
    greeting g = {.machine = c->transport->machine, .complement = ~c->transport->machine};
    snprintf(g.lowest.version, sizeof g.lowest.version, "%s", meguri_version());
    g.lowest.rank = (uint64_t)c->rank;
    g.highest = g.lowest;
    meguri_status status = mg_reduce(ctx, c, &c->all, &g, 1, sizeof g, join_greetings);
    if (status != MEGURI_OK) return status;
    c->machines = g.machine == ~g.complement ? 1 : 2;
    g.lowest.version[sizeof g.lowest.version - 1] = g.highest.version[sizeof g.highest.version - 1] = '\0';
    if (compare_announced(&g.lowest, &g.highest) == 0) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "rank %llu runs libmeguri %s and rank %llu runs libmeguri %s; install one version on all machines.",
                   (unsigned long long)g.lowest.rank, g.lowest.version, (unsigned long long)g.highest.rank,
                   g.highest.version);
}

/* ---- the handle ------------------------------------------------------------------------------------------------- */

meguri_status mg_cluster_new(meguri_cluster **out, meguri_ctx *ctx, mg_transport *transport,
                             const struct mg_makers *makers) {
    *out = NULL;
    meguri_cluster *c = mg_alloc_essential(ctx, 1, sizeof *c, "a cluster");
    if (!c) {
        transport->close(transport, meguri_status_exit_code(MEGURI_NO_MEMORY));
        return MEGURI_NO_MEMORY;
    }
    c->makers = makers;
    c->transport = transport;
    c->rank = c->all.me = transport->rank;
    c->size = c->all.count = transport->size;
    c->most = transport->most;
    mg_traffic_named(c, "control"); /* MG_TRAFFIC_CONTROL … */
    mg_traffic_named(c, "bulk");
    c->all.ranks = mg_alloc_essential(ctx, (uint64_t)c->size, sizeof *c->all.ranks, "a cluster");
    for (int r = 0; r < c->size && c->all.ranks; r++) c->all.ranks[r] = r;
    meguri_status status = c->all.ranks ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_exchange_new(&c->control, ctx, c, "control");
    if (status == MEGURI_OK) status = mg_exchange_new(&c->bulk, ctx, c, "bulk");
    if (status != MEGURI_OK) c->failed = status;
    if (status == MEGURI_OK) status = greet(ctx, c);
    if (status == MEGURI_OK) *out = c;
    else meguri_cluster_free(c);
    return status;
}

void meguri_cluster_free(meguri_cluster *c) {
    if (!c) return;
    mg_exchange_free(c->control);
    mg_exchange_free(c->bulk);
    mg_free(c->all.ranks);
    c->transport->close(c->transport, c->failed == MEGURI_OK ? 0 : meguri_status_exit_code(c->failed));
    mg_free(c);
}

uint32_t meguri_cluster_rank(const meguri_cluster *c) { return c ? (uint32_t)c->rank : 0; }
uint32_t meguri_cluster_size(const meguri_cluster *c) { return c ? (uint32_t)c->size : 0; }
