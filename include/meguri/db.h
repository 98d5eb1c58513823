/* Graph databases: a cache of what path searches need, pulled out of Neo4j, and results written back
 * (docs/graph-databases.md).
 *
 * These are functions of libmeguri_db, a library of its own beside libmeguri, because it needs OpenSSL: link with both.
 * The command loads it when it is asked for. */
#ifndef MEGURI_DB_H
#define MEGURI_DB_H

#include <meguri/context.h>
#include <meguri/graph.h>
#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which databases, how to log in, and what of them is wanted. */
typedef struct meguri_source meguri_source;

/* From a configuration: the text of a JSON object (docs/graph-databases.md has its members), and its name for
 * sentences. Nothing is connected yet; password files are read. Where it has no name and password, those of the
 * environment are used: NEO4J_USERNAME and NEO4J_PASSWORD. */
meguri_status meguri_source_new(meguri_source **out, meguri_ctx *ctx, const char *config, const char *name);
void meguri_source_free(meguri_source *source);

/* What was pulled, or would be. */
typedef struct meguri_pull_info {
    size_t size; /* set by the caller to sizeof(meguri_pull_info) */
    uint32_t databases;
    uint64_t nodes;         /* vertices, without proxies */
    uint64_t proxies;       /* nodes that stand for a vertex of another database */
    uint64_t relationships; /* edges */
    uint64_t outside;       /* relationships that were left out because one of their nodes was: by a filter, or because
                               the database changed */
    uint64_t received;      /* bytes from the databases */
    uint64_t resumed;       /* relationships that were there already, from a pull that was interrupted */
    double connect_seconds, node_seconds, relationship_seconds, build_seconds, save_seconds;
    uint64_t estimated_file;   /* by meguri_pull_estimate: bytes of the cache … */
    uint64_t estimated_memory; /* … and of memory while it is made */
} meguri_pull_info;

typedef struct meguri_pull_options {
    size_t size; /* sizeof(meguri_pull_options) */
    int refresh; /* the file must be there already */
} meguri_pull_options;

/* Pulls the nodes and relationships of all databases in parallel, and saves them as one graph. An old file of that name
 * is replaced when the new one is whole. What has come so far is kept beside it, in PATH.pull, until then: the same
 * call goes on from there after an interruption. `out` may be NULL. */
meguri_status meguri_pull(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source, const char *path,
                          const meguri_pull_options *options);
/* Only counts, and says what a cache would need. */
meguri_status meguri_pull_estimate(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source);

#ifdef __cplusplus
}
#endif
#endif
