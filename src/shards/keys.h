/* Ids of edges that are spread over the processes, on their way to positions: what the files that read text share. */
#ifndef MG_SHARDS_KEYS_H
#define MG_SHARDS_KEYS_H

#include "shards/shards.h"

/* ---- keys.c: distinct numbers in increasing order --------------------------------------------------------------- */

/* All distinct keys of all processes in their order, in ranges: this process has some. */
typedef struct mg_key_order {
    uint64_t total;        /* of all */
    uint64_t first, count; /* places of those that are here … */
    uint64_t *keys;        /* … which are these; mg_alloc */
} mg_key_order;

/* keys: some increasing numbers, places[i] becomes the place of keys[i] among the distinct ones of all processes.
 * `ranges`, the same at all processes, are keys too. */
meguri_status mg_order_keys(mg_key_order *out, uint64_t *places, meguri_ctx *ctx, meguri_cluster *cluster,
                            const uint64_t *keys, uint64_t count, const mg_id_range *ranges, uint64_t range_count);
/* The keys whose places are positions that this process is home of; *out is for mg_free. */
meguri_status mg_keys_to_homes(uint64_t **out, meguri_ctx *ctx, meguri_cluster *cluster, const mg_key_order *order);

/* ---- names.c: strings by first appearance ----------------------------------------------------------------------- */

/* Strings by position. */
typedef struct mg_name_order {
    uint64_t total;
    uint64_t *positions;    /* by number in the names of this process */
    uint64_t *name_offsets; /* of the positions that this process is home of, and */
    char *names;
} mg_name_order;
meguri_status mg_order_names(mg_name_order *out, meguri_ctx *ctx, meguri_cluster *cluster, const mg_read_part *part);
void mg_name_order_free(mg_name_order *order);

#endif
