/* The queries. All seek by id, and collect into lists.
 *
 * Relationships are sought by their own ids, which costs the same whatever the degrees are, and at degree 20 two thirds
 * of following them from nodes (Neo4j 5.26). Where a filter leaves nodes out, they are followed from those that are
 * wanted, because most may be of no use.
 *
 * `collect` drops nulls, so nothing that is collected is null: what may be missing becomes false, which no number is. A
 * LIMIT that limits nothing stands between seeking nodes and following their relationships, because the planner would
 * else be free to scan all relationships once for every id, and does so on small graphs. */
#include "source/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void mg_query_add(mg_bytes *text, const char *format, ...) {
    char piece[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (length < 0 || length >= (int)sizeof piece) text->failed = true;
    else mg_bytes_add(text, piece, (size_t)length);
}

/* A backtick is written twice. Cypher reads \uXXXX as a character before it reads anything else, so that \u0060 would
 * end the name: a backslash before a u is written that way itself. */
void mg_query_name(mg_bytes *text, const char *name) {
    static const char backslash[] = "\\u005C";
    mg_bytes_add(text, "`", 1);
    for (; *name; name++) {
        if (*name == '`') mg_bytes_add(text, "`", 1);
        if (name[0] == '\\' && name[1] == 'u') mg_bytes_add(text, backslash, strlen(backslash));
        else mg_bytes_add(text, name, 1);
    }
    mg_bytes_add(text, "`", 1);
}

/* " PREFIX variable.`name`", and the like. */
static void property(mg_bytes *text, const char *variable, const char *name) {
    mg_query_add(text, "%s.", variable);
    mg_query_name(text, name);
}

static void equal(mg_bytes *text, const char *before, const char *variable, const mg_words *names, const char *map) {
    for (size_t i = 0; i < names->count; i++) {
        mg_query_add(text, "%s", i ? " AND " : before);
        property(text, variable, names->words[i]);
        mg_query_add(text, " = $%s.", map);
        mg_query_name(text, names->words[i]);
    }
}

/* Which nodes are wanted: with one of the labels and all of the values, or as proxies. */
static void node_filter(mg_bytes *text, const char *before, const meguri_source *source, const char *variable) {
    if (!mg_source_filters(source)) return;
    mg_query_add(text, "%s(", before);
    if (source->proxy) {
        mg_query_add(text, "%s:", variable);
        mg_query_name(text, source->proxy);
        mg_query_add(text, " OR (");
    }
    for (size_t i = 0; i < source->labels.count; i++) {
        mg_query_add(text, "%s%s:", i ? " OR " : "(", variable);
        mg_query_name(text, source->labels.words[i]);
    }
    if (source->labels.count) mg_query_add(text, ")");
    equal(text, source->labels.count ? " AND " : "", variable, &source->node_properties, "nodes");
    mg_query_add(text, source->proxy ? "))" : ")");
}

static void types(mg_bytes *text, const meguri_source *source) {
    for (size_t i = 0; i < source->types.count; i++) {
        mg_query_add(text, i ? "|" : ":");
        mg_query_name(text, source->types.words[i]);
    }
}

static void collect(mg_bytes *text, const char *name) {
    mg_query_add(text, ", collect(coalesce(");
    property(text, "n", name);
}

static void make_nodes(mg_bytes *text, const meguri_source *source, int version) {
    mg_query_add(text, "UNWIND range($a, $b) AS i MATCH (n) WHERE id(n) = i");
    node_filter(text, " AND ", source, "n");
    mg_query_add(text, " RETURN collect(id(n))");
    if (mg_source_filters(source)) {
        mg_query_add(text, ", collect(%s(n)-[", version >= 500 ? "COUNT { " : "size(");
        types(text, source);
        mg_query_add(text, "]->()%s)", version >= 500 ? " }" : ")");
    }
    if (source->key) {
        collect(text, source->key);
        mg_query_add(text, ", false))");
    }
    if (source->proxy) {
        mg_query_add(text, ", collect(n:");
        mg_query_name(text, source->proxy);
        mg_query_add(text, ")");
    }
    const char *const ends[] = {source->x, source->y};
    for (int i = 0; i < 2; i++)
        if (source->point) {
            collect(text, source->point);
            mg_query_add(text, ".%c, false))", "xy"[i]);
        } else if (ends[i]) {
            collect(text, ends[i]);
            mg_query_add(text, ", false))");
        }
    mg_bytes_add(text, "", 1);
}

static void collect_weights(mg_bytes *text, const meguri_source *source) {
    if (!source->weight) return;
    mg_query_add(text, ", collect(coalesce(");
    property(text, "r", source->weight);
    mg_query_add(text, ", false)) AS w");
}

/* Those of a range of ids, so many ids a record. */
static void make_by_id(mg_bytes *text, const meguri_source *source) {
    bool typed = source->types.count != 1;
    mg_query_add(text, "UNWIND range($a, $b, $items) AS k CALL { WITH k UNWIND range(k, k + $items - 1) AS i MATCH "
                       "(n)-[r");
    types(text, source);
    mg_query_add(text, "]->(m) WHERE id(r) = i");
    equal(text, " AND ", "r", &source->relationship_properties, "relationships");
    mg_query_add(text, " RETURN %scollect(id(n)) AS s, collect(id(m)) AS t, collect(id(r)) AS e",
                 typed ? "type(r) AS y, " : "");
    collect_weights(text, source);
    mg_query_add(text, " } RETURN %ss, t, e%s", typed ? "y, " : "", source->weight ? ", w" : "");
    mg_bytes_add(text, "", 1);
}

/* Those that leave a range of nodes. */
static void make_by_node(mg_bytes *text, const meguri_source *source) {
    bool typed = source->types.count != 1;
    mg_query_add(text, "UNWIND range($a, $b) AS i MATCH (n) WHERE id(n) = i");
    node_filter(text, " AND ", source, "n");
    mg_query_add(text, " WITH n LIMIT 1000000000 MATCH (n)-[r");
    types(text, source);
    mg_query_add(text, "]->(m) WHERE ($parts = 1 OR id(r) %% $parts = $part)");
    node_filter(text, " AND ", source, "m");
    equal(text, " AND ", "r", &source->relationship_properties, "relationships");
    mg_query_add(text,
                 " WITH %sid(r) / $parts %% $groups AS g, collect(id(n)) AS s, collect(id(m)) AS t, "
                 "collect(id(r)) AS e",
                 typed ? "type(r) AS y, " : "");
    collect_weights(text, source);
    mg_query_add(text, " RETURN %ss, t, e%s", typed ? "y, " : "", source->weight ? ", w" : "");
    mg_bytes_add(text, "", 1);
}

void mg_query_sample(mg_bytes *text, const meguri_source *source) {
    mg_query_add(text, "MATCH ()-[r");
    types(text, source);
    mg_query_add(text, "]->() WITH r LIMIT 10000 RETURN collect(coalesce(");
    property(text, "r", source->weight);
    mg_query_add(text, ", false))");
    mg_bytes_add(text, "", 1);
}

meguri_status mg_queries_make(mg_queries *out, meguri_ctx *ctx, const meguri_source *source, int version) {
    *out = (mg_queries){0};
    mg_query_add(&out->count, "MATCH (n)");
    node_filter(&out->count, " WHERE ", source, "n");
    mg_query_add(&out->count, " RETURN count(n), max(id(n))");
    mg_bytes_add(&out->count, "", 1);
    mg_query_add(&out->count_relationships, "MATCH ()-[r");
    types(&out->count_relationships, source);
    mg_query_add(&out->count_relationships, "]->() RETURN count(r), max(id(r))");
    mg_bytes_add(&out->count_relationships, "", 1);
    make_nodes(&out->nodes, source, version);
    if (mg_source_filters(source)) make_by_node(&out->relationships, source);
    else make_by_id(&out->relationships, source);
    if (!out->count.failed && !out->count_relationships.failed && !out->nodes.failed && !out->relationships.failed)
        return MEGURI_OK;
    mg_queries_free(out);
    return mg_source_no_memory(ctx);
}

void mg_queries_free(mg_queries *queries) {
    mg_bytes_free(&queries->count);
    mg_bytes_free(&queries->count_relationships);
    mg_bytes_free(&queries->nodes);
    mg_bytes_free(&queries->relationships);
}
