/* pulling: what a pull, and an estimate of one, have in hand. */
#ifndef MG_PULLING_H
#define MG_PULLING_H

#include "source/crew.h"

typedef struct mg_pulling {
    meguri_ctx *ctx;
    const meguri_source *source;
    const char *path;
    mg_crew crew;
    meguri_pull_info info;
    mg_queries *queries; /* to each database */
    uint64_t *highest;   /* id of a node; UINT64_MAX: there is none */
    uint64_t *highest_relationship;
    uint64_t counted;        /* relationships, before the pull */
    mg_crew_ask_first *also; /* asked of every database after that; NULL: nothing */
    meguri_type widest;      /* of some weights, as mg_estimate has it */
    mg_spool *spool;
    bool forget; /* what has come: nodes that are wrong would else come out of the spool again */
    mg_shares node_shares, relationship_shares;
    mg_nodes nodes;
    meguri_builder *builder;
} mg_pulling;

/* What the functions of db.h that pull were given; `function` is their name. */
meguri_status mg_pulling_check(const meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source,
                               const char *function);
/* Connects to all databases, and counts their nodes and relationships; `also` asks each for more (NULL: nothing).
 * mg_pulling_end also where this fails; `forget`: what was kept for another try is needed no more. */
meguri_status mg_pulling_begin(mg_pulling *out, meguri_ctx *ctx, const meguri_source *source, mg_crew_ask_first *also);
void mg_pulling_end(mg_pulling *pulling, bool forget);
/* The parameters of the queries of a share. */
void mg_pulling_parameters(mg_worker *worker, const mg_share *share);

#endif
