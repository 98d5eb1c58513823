/* source: graph databases as sources of graphs (paper P5, sections 2.1 and 2.2).
 *
 * Of a database only what path searches need is pulled: ids, the ends of relationships, weights. Nodes come first, then
 * relationships, both in shares that are bounded and found by id seek: a share of nodes is a range of ids; a share of
 * relationships, too; where a filter leaves nodes out, one of relationships is those that leave a range of nodes,
 * planned by their degrees. A share comes in few records, each with
 * lists of numbers (a database hands these out five times faster than rows), and becomes a part of the spool when it is
 * complete: after an interruption only the shares that were on their way are pulled again. Live or out of the spool, a
 * share is decoded by the same functions, from the same bytes. */
#ifndef MG_SOURCE_H
#define MG_SOURCE_H

#include "bolt/bolt.h"
#include "bolt/secret.h"

#include <meguri/builder.h>
#include <meguri/db.h>
#include <pthread.h>

#define MG_MIN(a, b)           ((a) < (b) ? (a) : (b))
#define MG_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Notes a sentence; returns the status. */
meguri_status mg_source_fail(meguri_ctx *ctx, meguri_status status, const char *format, ...) MG_PRINTF(3, 4);
meguri_status mg_source_fail_open(meguri_ctx *ctx, const char *path, int error); /* errno, where it was not opened */
meguri_status mg_source_no_memory(meguri_ctx *ctx);

/* Memory of a context's budget, for what comes from a database; while a thread uses it, no other uses the context. */
mg_heap mg_source_heap(meguri_ctx *ctx);

/* ---- the configuration (config.c) ------------------------------------------------------------------------------- */

typedef struct mg_database {
    char *text; /* the URI as it was given */
    mg_bolt_uri uri;
    char *username, *ca_file;
    const char *password; /* one of the source's secrets; NULL: none */
} mg_database;

typedef struct mg_words {
    char **words;
    size_t count;
} mg_words;

struct meguri_source {
    mg_database *databases;
    size_t database_count;
    mg_secrets secrets;
    char *key, *proxy;      /* NULL: none */
    mg_words labels, types; /* none: all */
    mg_bytes where_node;    /* maps of properties and their values, packed */
    mg_bytes where_relationship;
    mg_words node_properties, relationship_properties; /* their names */
    char *weight;
    bool has_default;
    double default_weight;
    char *point, *x, *y;
    bool undirected;
    uint32_t connections; /* to each database */
    double timeout;       /* seconds in which a record must come */
    double deadline;      /* seconds for all of it; 0: as long as it takes */
    uint64_t hash;        /* of all that decides what is pulled */
};

/* Whether something but the key and the proxy rule leaves nodes out. */
bool mg_source_filters(const meguri_source *source);

/* ---- queries (query.c) ------------------------------------------------------------------------------------------ */

/* Text that grows and ends with a zero; check `failed` in the end. */
void mg_query_add(mg_bytes *text, const char *format, ...) MG_PRINTF(2, 3);
/* A name as Cypher takes any. */
void mg_query_name(mg_bytes *text, const char *name);

/* The weights of some relationships, in one list. */
void mg_query_sample(mg_bytes *text, const meguri_source *source);

/* The fields of the records, in this order; those that are not wanted are left out. */
typedef struct mg_queries {
    mg_bytes count;               /* number of nodes, their highest id */
    mg_bytes count_relationships; /* of the types; their highest id */
    mg_bytes nodes;               /* ids [, degrees] [, keys] [, whether each is a proxy] [, x, y]; parameters a, b */
    mg_bytes relationships; /* [type,] sources, targets, ids [, weights]; parameters a, b, items, groups, parts, part */
} mg_queries;
meguri_status mg_queries_make(mg_queries *out, meguri_ctx *ctx, const meguri_source *source, int version);
void mg_queries_free(mg_queries *queries);

/* ---- shares (share.c) ------------------------------------------------------------------------------------------- */

enum {
    MG_SHARE_NODES = 8192,          /* ids of a share of nodes */
    MG_SHARE_RELATIONSHIPS = 65536, /* of a share of relationships, unless one node has more */
    MG_SHARE_MOST = 1 << 20,        /* a node that has more gets several */
    MG_RECORD_ITEMS = 1024          /* relationships of a record, about */
};

/* What is pulled at a time. */
typedef struct mg_share {
    uint32_t database;
    bool relationships;   /* else nodes */
    uint64_t first, last; /* ids of nodes, or of relationships where `parts` is 0 */
    uint32_t part, parts; /* of the relationships of a single node: those whose id is `part` modulo `parts` */
    uint64_t expected;    /* relationships */
    /* Its records as they came, each with its length (32 bits) before it; in the spool, or its own. */
    const uint8_t *records;
    void *own; /* of the budget */
    uint64_t bytes;
    bool done; /* in the spool */
} mg_share;

typedef struct mg_shares {
    mg_share *all;
    size_t count, room;
} mg_shares;
/* False, and the context has the sentence, where there is no memory. */
bool mg_shares_add(mg_shares *shares, meguri_ctx *ctx, const mg_share *share);
void mg_shares_free(mg_shares *shares); /* and what they own */

/* Steps through records; false at the end. */
bool mg_share_next(mg_cursor *record, const uint8_t **at, const uint8_t *end);

/* ---- what was done before (spool.c) ----------------------------------------------------------------------------- */

typedef struct mg_spool mg_spool;
/* Opens the file of that name and suffix, and begins it anew where it is of other work, or damaged from the start. */
meguri_status mg_spool_open(mg_spool **out, meguri_ctx *ctx, const char *path, const char *suffix, uint64_t hash);
/* When that was: seconds since the beginning of 1970. */
uint64_t mg_spool_began(const mg_spool *spool);
/* Looks for a share: sets its records, and `done`. */
void mg_spool_find(mg_spool *spool, mg_share *share);
/* Adds a share; from any thread. False with errno where it cannot be written. */
bool mg_spool_add(mg_spool *spool, const mg_share *share);
/* Closes it, and removes the file if it is needed no more. */
void mg_spool_close(mg_spool *spool, bool remove);

/* ---- nodes (nodes.c) -------------------------------------------------------------------------------------------- */

/* The vertex of each node of a database: a table of pages, because ids are dense where they are. */
typedef struct mg_lookup {
    uint32_t **pages;
    size_t page_count;
} mg_lookup;
enum { MG_PAGE = 4096 };
#define MG_NO_VERTEX UINT32_MAX

static inline uint32_t mg_lookup_get(const mg_lookup *lookup, int64_t id) {
    uint64_t page = (uint64_t)id / MG_PAGE;
    return page < lookup->page_count && lookup->pages[page] ? lookup->pages[page][(uint64_t)id % MG_PAGE]
                                                            : MG_NO_VERTEX;
}

/* All vertices, in the order of databases and of the ids of their nodes. */
typedef struct mg_nodes {
    uint64_t vertices, proxies, unresolved; /* proxies of vertices that a filter has left out count as unresolved */
    uint64_t room;
    meguri_id_kind kind;
    uint64_t *ids;      /* integer ids; or what the builder calls the vertex (mg_nodes_give) */
    meguri_text *texts; /* string ids, in the records of the shares or in `made` */
    uint64_t *node;     /* its id in its database */
    uint16_t *database;
    double *x, *y;      /* NULL: there are none */
    mg_lookup *lookups; /* one for each database */
    size_t lookup_count;
    void **made; /* texts that came from no database */
    size_t made_count;
} mg_nodes;

/* Decodes all shares of nodes, resolves proxies, and plans shares of relationships by their nodes, where a filter
 * leaves nodes out. `names` are those of the databases, for sentences. The records must outlive the nodes. */
meguri_status mg_nodes_make(mg_nodes *out, mg_shares *plan, meguri_ctx *ctx, const meguri_source *source,
                            const mg_shares *shares, char *const *names);
void mg_nodes_free(mg_nodes *nodes);
/* Columns of vertices, by which an answer finds the node in its source: the number of its database, whose name is what
 * the database calls itself (mg_crew); and, where that is not the id of the vertex, the node's id there. */
#define MG_COLUMN_DATABASE "database"
#define MG_COLUMN_NODE     "node"
uint32_t mg_nodes_columns(const meguri_source *source);
/* Gives them to a builder, from place 0 on, with their columns. */
meguri_status mg_nodes_give(mg_nodes *nodes, meguri_ctx *ctx, const meguri_source *source, meguri_builder *builder);

/* A number that nobody can foresee, for hashes of what a database sends: it could choose keys that all collide. */
uint64_t mg_source_seed(void);

/* ---- ids of vertices (keys.c) ----------------------------------------------------------------------------------- */

/* A table of the vertices by their ids, which it does not hold itself. */
typedef struct mg_keys {
    uint32_t *table;
    uint64_t mask, seed;
} mg_keys;

/* Adds a vertex whose id is in the nodes already; *found is another one that has it, or MG_NO_VERTEX. False, and the
 * context has the sentence, where there is no memory. */
bool mg_keys_add(uint32_t *found, mg_keys *keys, meguri_ctx *ctx, const mg_nodes *nodes, uint32_t vertex);
/* The vertex that has an id: a text where that is not NULL. */
uint32_t mg_keys_find(const mg_keys *keys, const mg_nodes *nodes, uint64_t id, const meguri_text *text);
void mg_keys_free(mg_keys *keys);

/* ---- values (numbers.c) ----------------------------------------------------------------------------------------- */

/* The number that a value is, exactly; else why there is none, as the end of a sentence. */
const char *mg_number_trouble(double *out, const mg_value *value);
/* A value of a database for a sentence. */
enum { MG_VALUE_TEXT = 64 };
const char *mg_value_text(char out[MG_VALUE_TEXT], const mg_value *value, const mg_database *database);
/* Whether a text can be a name in a cache: not empty, UTF-8, without a zero, a tab or a line end. */
bool mg_is_text_name(const char *text, size_t length);

/* ---- types (types.c) -------------------------------------------------------------------------------------------- */

/* The types of a share, numbered as they appear. */
typedef struct mg_types {
    mg_bytes texts;    /* one behind another, each with a zero behind it */
    uint64_t *begin;   /* of each in the texts */
    const char **list; /* the texts, as mg_types_list makes it */
    uint32_t *table;   /* numbers by hash; MG_NO_TYPE: free */
    uint32_t count, room, mask;
    uint64_t seed; /* of the hashes */
} mg_types;
#define MG_NO_TYPE UINT32_MAX

/* The number of a type; MG_NO_TYPE, and the context has the sentence, where there is no memory. */
uint32_t mg_types_add(mg_types *types, meguri_ctx *ctx, const char *text, size_t length);
const char *const *mg_types_list(mg_types *types);
void mg_types_clear(mg_types *types);
void mg_types_free(mg_types *types);

/* ---- relationships (relationships.c) ---------------------------------------------------------------------------- */

/* What one thread decodes shares with. */
typedef struct mg_pulled {
    meguri_ctx *ctx; /* of that thread */
    uint64_t room, count;
    uint64_t *from, *to, *ids;
    double *weights;
    uint32_t *types;
    uint16_t *databases;
    mg_types names;
    uint64_t outside;          /* left out, because an end is no vertex */
    char error[MG_BOLT_ERROR]; /* what was wrong with the share */
} mg_pulled;

/* Decodes a share; its ends are ids of the builder then. */
meguri_status mg_pulled_decode(mg_pulled *edges, const meguri_source *source, const mg_nodes *nodes,
                               const mg_share *share, const char *name);
void mg_pulled_free(mg_pulled *edges);

#endif
