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
/* From a configuration in a file. `more` is the text of another JSON object, whose members go before those of the file;
 * NULL: there are none. Passwords in the file, as those of password files and of the environment, are kept where core
 * dumps do not have them, and overwritten when the source is freed; of `config` above the caller has a copy. */
meguri_status meguri_source_read(meguri_source **out, meguri_ctx *ctx, const char *path, const char *more);
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
    uint64_t generation;    /* that the cache is: 1, or one more than the one that was refreshed */
    double connect_seconds, node_seconds, relationship_seconds, build_seconds, save_seconds;
    uint64_t estimated_file;   /* by meguri_pull_estimate: bytes of the cache … */
    uint64_t estimated_memory; /* … and of memory while it is made */
    uint64_t device_memory; /* bytes of the device that the context names; 0: there is none (meguri_sssp_device_fit) */
    uint64_t device_whole;  /* … those that shortest paths need there, with all of the graph on it */
    uint64_t device_parts;  /* … in how many parts its edges come; 1: it fits, 0: not even parts do */
} meguri_pull_info;

typedef struct meguri_pull_options {
    size_t size; /* sizeof(meguri_pull_options) */
    int refresh; /* the file must be there already, and is to become the next generation of it */
} meguri_pull_options;
void meguri_pull_options_init(meguri_pull_options *options, size_t size);

/* Pulls the nodes and relationships of all databases in parallel, and saves them as one graph. An old file of that name
 * is replaced when the new one is whole. What has come so far is kept beside it, in PATH.pull, until then: the same
 * call goes on from there after an interruption. `out` may be NULL. */
meguri_status meguri_pull(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source, const char *path,
                          const meguri_pull_options *options);
/* Only counts, and says what a cache would need, on disk, in memory and on a device. */
meguri_status meguri_pull_estimate(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source);

/* ---- results, written back -------------------------------------------------------------------------------------- */

typedef struct meguri_write_back_info {
    size_t size; /* set by the caller to sizeof(meguri_write_back_info) */
    uint32_t databases;
    uint64_t written; /* nodes that got their value, or, where there is none, lost the property */
    uint64_t resumed; /* … that had been written before, by a call that was interrupted */
    uint64_t missing; /* nodes that are not there any more, or have another key */
    double connect_seconds, write_seconds;
} meguri_write_back_info;

typedef struct meguri_write_back_options {
    size_t size;          /* sizeof(meguri_write_back_options) */
    const char *property; /* that nodes get */
    const char *column;   /* of the result; NULL: the only one that is no `parent` */
    const char *journal;  /* a file that notes what has been written, until all is: the same call goes on from there
                             after an interruption; NULL: none */
} meguri_write_back_options;
void meguri_write_back_options_init(meguri_write_back_options *options, size_t size);

/* Writes a column of a result to the nodes that the vertices of its graph are, each once, in batches; the graph was
 * pulled, and the source has all databases that it was pulled from, in any order. Of the source's other members only
 * `key` counts: where it is given, only nodes are written whose key is still the id of their vertex. Where a vertex has
 * no value (an infinite distance, no parent) its node has no such property afterwards. `out` may be NULL. */
meguri_status meguri_write_back(meguri_write_back_info *out, meguri_ctx *ctx, const meguri_source *source,
                                const meguri_graph *graph, const meguri_result *result,
                                const meguri_write_back_options *options);

#ifdef __cplusplus
}
#endif
#endif
