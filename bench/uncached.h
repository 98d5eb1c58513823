/* A search across the partitions of a graph in databases, without a cache: what paper P5 says is slow, and does not
 * measure.
 *
 * Every round asks each partition, all at once and over a connection of its own, for the relationships that leave the
 * vertices that were found and not yet asked for: one query for a frontier and a partition. A vertex is known by its
 * key; one that was seen as a node is sought by its id there, one that was only seen as a proxy by its key, in all
 * other partitions, where an index has it. What came is kept until the search ends, and relaxed here by Dijkstra's
 * algorithm, so that no vertex is asked for twice. A search for one target does not ask for vertices that are farther
 * than it. */
#ifndef BENCH_UNCACHED_H
#define BENCH_UNCACHED_H

#include "bolt/bolt.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTITIONS_MOST = 64, GROUP = 1024 };
#define NOWHERE UINT32_MAX /* no vertex; no edge; home not known */

static inline void *must(void *memory) {
    if (memory) return memory;
    fprintf(stderr, "no memory\n");
    exit(4);
}

typedef struct remote_vertex {
    int64_t key, node; /* of a database: its id there, where `home` is known */
    double distance;
    uint32_t home, seen; /* partitions: where it is a node; one where it is a proxy */
    uint32_t edges;      /* the first that has come; NOWHERE: none */
    bool asked;
} remote_vertex;

typedef struct remote_edge {
    uint32_t to, next;
    double weight;
} remote_edge;

typedef struct waiting {
    double distance;
    uint32_t vertex;
} waiting;

typedef struct partition {
    struct remote *remote;
    mg_bolt *bolt;
    mg_bytes ids, keys, parameters, records;
    uint32_t id_count, key_count;
    bool failed;
    pthread_t thread;
} partition;

/* A search, and what was counted in it. */
typedef struct remote {
    partition partitions[PARTITIONS_MOST];
    uint32_t partition_count;
    bool weighted;
    remote_vertex *vertices;
    uint32_t vertex_count, vertex_room;
    uint32_t *table; /* of vertices by their keys */
    uint64_t mask;
    remote_edge *edges;
    uint32_t edge_count, edge_room;
    waiting *heap;
    size_t heap_count, heap_room;
    uint32_t *frontier;
    size_t frontier_count, frontier_room;
    uint64_t rounds, queries, relationships;
} remote;

/* ---- vertices and edges ----------------------------------------------------------------------------------------- */

static inline uint64_t remote_place(const remote *r, int64_t key) {
    uint64_t at = (uint64_t)key * 0x9e3779b97f4a7c15u >> 20;
    while (r->table[at & r->mask] != NOWHERE && r->vertices[r->table[at & r->mask]].key != key) at++;
    return at & r->mask;
}

static void remote_grow_table(remote *r) {
    uint64_t size = r->mask ? 2 * (r->mask + 1) : 1024;
    r->table = must(realloc(r->table, size * sizeof *r->table));
    memset(r->table, 0xFF, size * sizeof *r->table);
    r->mask = size - 1;
    for (uint32_t v = 0; v < r->vertex_count; v++) r->table[remote_place(r, r->vertices[v].key)] = v;
}

static uint32_t remote_find(remote *r, int64_t key) {
    if (2 * (uint64_t)r->vertex_count >= r->mask) remote_grow_table(r);
    uint64_t place = remote_place(r, key);
    if (r->table[place] != NOWHERE) return r->table[place];
    if (r->vertex_count == r->vertex_room) {
        r->vertex_room = r->vertex_room ? 2 * r->vertex_room : 1024;
        r->vertices = must(realloc(r->vertices, r->vertex_room * sizeof *r->vertices));
    }
    r->vertices[r->vertex_count] =
        (remote_vertex){.key = key, .distance = INFINITY, .home = NOWHERE, .seen = NOWHERE, .edges = NOWHERE};
    return r->table[place] = r->vertex_count++;
}

static void remote_add_edge(remote *r, uint32_t from, uint32_t to, double weight) {
    if (r->edge_count == r->edge_room) {
        r->edge_room = r->edge_room ? 2 * r->edge_room : 4096;
        r->edges = must(realloc(r->edges, r->edge_room * sizeof *r->edges));
    }
    r->edges[r->edge_count] = (remote_edge){to, r->vertices[from].edges, weight};
    r->vertices[from].edges = r->edge_count++;
}

/* ---- who is next ------------------------------------------------------------------------------------------------ */

static void remote_push(remote *r, double distance, uint32_t vertex) {
    if (r->heap_count == r->heap_room) {
        r->heap_room = r->heap_room ? 2 * r->heap_room : 1024;
        r->heap = must(realloc(r->heap, r->heap_room * sizeof *r->heap));
    }
    size_t at = r->heap_count++;
    for (; at && r->heap[(at - 1) / 2].distance > distance; at = (at - 1) / 2) r->heap[at] = r->heap[(at - 1) / 2];
    r->heap[at] = (waiting){distance, vertex};
}

static waiting remote_pop(remote *r) {
    waiting first = r->heap[0], last = r->heap[--r->heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < r->heap_count; at = child) {
        if (child + 1 < r->heap_count && r->heap[child + 1].distance < r->heap[child].distance) child++;
        if (r->heap[child].distance >= last.distance) break;
        r->heap[at] = r->heap[child];
    }
    if (r->heap_count) r->heap[at] = last;
    return first;
}

/* Follows all edges that have come from vertices that became nearer; those without edges become the frontier. */
static void remote_relax(remote *r, uint32_t target) {
    r->frontier_count = 0;
    while (r->heap_count) {
        waiting next = remote_pop(r);
        const remote_vertex *v = &r->vertices[next.vertex];
        if (next.distance > v->distance || next.vertex == target) continue;
        if (target != NOWHERE && next.distance >= r->vertices[target].distance) continue;
        if (!v->asked) {
            if (r->frontier_count == r->frontier_room) {
                r->frontier_room = r->frontier_room ? 2 * r->frontier_room : 1024;
                r->frontier = must(realloc(r->frontier, r->frontier_room * sizeof *r->frontier));
            }
            r->frontier[r->frontier_count++] = next.vertex;
            continue;
        }
        for (uint32_t e = v->edges; e != NOWHERE; e = r->edges[e].next) {
            double distance = next.distance + (r->weighted ? r->edges[e].weight : 1);
            if (distance >= r->vertices[r->edges[e].to].distance) continue;
            r->vertices[r->edges[e].to].distance = distance;
            remote_push(r, distance, r->edges[e].to);
        }
    }
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

/* Nodes are sought by id or by the index of keys; the LIMIT keeps the planner from scanning instead. */
static const char remote_query[] =
    "CALL { UNWIND $ids AS i MATCH (n) WHERE id(n) = i RETURN n UNION ALL UNWIND $keys AS k MATCH (n:Vertex) WHERE "
    "n.uid = k RETURN n } WITH n LIMIT 1000000000 MATCH (n)-[r]->(m) WITH id(r) % $groups AS g, collect(n.uid) AS s, "
    "collect(m.uid) AS t, collect(id(m)) AS i, collect(m:Proxy) AS p, collect(r.weight) AS w RETURN s, t, i, p, w";

static void remote_address(remote *r) {
    for (uint32_t p = 0; p < r->partition_count; p++) {
        partition *to = &r->partitions[p];
        to->ids.length = to->keys.length = to->id_count = to->key_count = 0;
    }
    for (size_t i = 0; i < r->frontier_count; i++) {
        remote_vertex *v = &r->vertices[r->frontier[i]];
        if (v->asked) continue;
        v->asked = true;
        if (v->home != NOWHERE) {
            mg_pack_integer(&r->partitions[v->home].ids, v->node);
            r->partitions[v->home].id_count++;
            continue;
        }
        for (uint32_t p = 0; p < r->partition_count; p++)
            if (p != v->seen) mg_pack_integer(&r->partitions[p].keys, v->key), r->partitions[p].key_count++;
    }
}

/* A thread asks one partition. */
static void *remote_ask(void *what) {
    partition *p = what;
    bool more = true;
    mg_cursor record;
    p->parameters.length = p->records.length = 0;
    mg_pack_map(&p->parameters, 3);
    mg_pack_string(&p->parameters, "ids");
    mg_pack_list(&p->parameters, p->id_count);
    mg_bytes_add(&p->parameters, p->ids.data, p->ids.length);
    mg_pack_string(&p->parameters, "keys");
    mg_pack_list(&p->parameters, p->key_count);
    mg_bytes_add(&p->parameters, p->keys.data, p->keys.length);
    mg_pack_string(&p->parameters, "groups");
    mg_pack_integer(&p->parameters, (p->id_count + p->key_count) / GROUP + 1);
    meguri_status status = mg_bolt_run(p->bolt, remote_query, &p->parameters, false);
    while (status == MEGURI_OK && (status = mg_bolt_next(&more, &record, p->bolt)) == MEGURI_OK && more) {
        uint32_t length = (uint32_t)(record.end - record.at);
        mg_bytes_add(&p->records, &length, sizeof length);
        mg_bytes_add(&p->records, record.at, length);
    }
    p->failed = status != MEGURI_OK || p->records.failed;
    return NULL;
}

/* A record has five lists of the same length. */
static bool remote_take_record(remote *r, uint32_t p, mg_cursor record) {
    mg_cursor lists[5];
    uint64_t fields, counts[5];
    if (!mg_unpack_list(&fields, &record) || fields != 5) return false;
    for (int i = 0; i < 5; i++) {
        lists[i] = record;
        if (!mg_unpack_list(&counts[i], &lists[i]) || counts[i] != counts[0] || !mg_unpack_skip(&record)) return false;
    }
    for (uint64_t k = 0; k < counts[0]; k++) {
        mg_value source, target, node, proxy, weight;
        if (!mg_unpack(&source, &lists[0]) || !mg_unpack(&target, &lists[1]) || !mg_unpack(&node, &lists[2]) ||
            !mg_unpack(&proxy, &lists[3]) || !mg_unpack(&weight, &lists[4]))
            return false;
        uint32_t from = remote_find(r, source.integer), to = remote_find(r, target.integer);
        remote_vertex *v = &r->vertices[to];
        if (proxy.integer) v->seen = p;
        else v->home = p, v->node = node.integer;
        remote_add_edge(r, from, to, weight.kind == MG_REAL ? weight.real : (double)weight.integer);
    }
    r->relationships += counts[0];
    return true;
}

static bool remote_take(remote *r, uint32_t p) {
    const mg_bytes *records = &r->partitions[p].records;
    for (size_t at = 0; at < records->length;) {
        uint32_t length;
        memcpy(&length, records->data + at, sizeof length);
        at += sizeof length;
        if (!remote_take_record(r, p, (mg_cursor){records->data + at, records->data + at + length})) return false;
        at += length;
    }
    return true;
}

/* One round: all partitions at once. */
static bool remote_round(remote *r) {
    bool asked[PARTITIONS_MOST];
    remote_address(r);
    for (uint32_t p = 0; p < r->partition_count; p++) {
        partition *to = &r->partitions[p];
        asked[p] = to->id_count + to->key_count > 0;
        if (asked[p] && pthread_create(&to->thread, NULL, remote_ask, to) != 0) must(NULL);
        r->queries += asked[p];
    }
    bool good = true;
    for (uint32_t p = 0; p < r->partition_count; p++) {
        if (!asked[p]) continue;
        pthread_join(r->partitions[p].thread, NULL);
        if (r->partitions[p].failed) fprintf(stderr, "%s\n", mg_bolt_error(r->partitions[p].bolt));
        good = good && !r->partitions[p].failed && remote_take(r, p);
    }
    for (size_t i = 0; i < r->frontier_count; i++) remote_push(r, r->vertices[r->frontier[i]].distance, r->frontier[i]);
    r->rounds++;
    return good;
}

/* Distances from one key: to all (target NULL), or until that of the target is certain. False: a database failed. */
static bool remote_search(remote *r, int64_t source, const int64_t *target) {
    r->vertex_count = r->edge_count = 0;
    r->heap_count = 0;
    r->rounds = r->queries = r->relationships = 0;
    if (r->table) memset(r->table, 0xFF, (r->mask + 1) * sizeof *r->table);
    uint32_t from = remote_find(r, source), to = target ? remote_find(r, *target) : NOWHERE;
    r->vertices[from].distance = 0;
    remote_push(r, 0, from);
    for (;;) {
        remote_relax(r, to);
        if (!r->frontier_count) return true;
        if (!remote_round(r)) return false;
    }
}

static void remote_free(remote *r) {
    for (uint32_t p = 0; p < r->partition_count; p++) {
        partition *at = &r->partitions[p];
        mg_bolt_close(at->bolt);
        mg_bytes_free(&at->ids), mg_bytes_free(&at->keys), mg_bytes_free(&at->parameters), mg_bytes_free(&at->records);
    }
    free(r->vertices), free(r->table), free(r->edges), free(r->heap), free(r->frontier);
}

#endif
