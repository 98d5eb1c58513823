/* Nodes: which vertices there are, which node of which database is which, and how many relationships to expect.
 *
 * A vertex is the value of the key property where one is named, else the node's id (with several databases, with the
 * database before it). A node that the proxy rule knows is never a vertex, but another name of one. */
#include "source/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 3 };
#define MOST_DEGREE ((int64_t)1 << 48) /* relationships of a node; no database has so many */

/* A node as it came. */
typedef struct item {
    uint64_t id, degree;
    mg_value key;
    bool proxy;
    double x, y;
    const char *trouble; /* with a coordinate that is none, which is `odd`; NULL: there is none */
    mg_value odd;
} item;

/* Things that are wrong with the data: how many, and the first of them. */
typedef struct complaint {
    uint64_t count;
    char examples[640];
} complaint;

typedef struct proxy {
    uint16_t database;
    uint64_t node;
    mg_value key;
} proxy;

typedef struct merging {
    mg_nodes *nodes;
    mg_shares *plan;
    meguri_ctx *ctx;
    const meguri_source *source;
    char *const *names;
    mg_keys keys;
    item *items; /* of a share */
    proxy *proxies;
    uint64_t proxy_room;
    bool known; /* the kind of ids is settled */
    complaint keyless, mixed, unfit, twice, unresolved, odd;
} merging;

static void complain(complaint *out, const merging *m, uint32_t database, uint64_t node, const char *more) {
    size_t length = strlen(out->examples);
    if (out->count++ < EXAMPLES)
        snprintf(out->examples + length, sizeof out->examples - length, "%snode %" PRIu64 " of %s%s",
                 out->count > 1 ? ", " : "", node, m->names[database], more);
}

/* ---- decoding --------------------------------------------------------------------------------------------------- */

static meguri_status malformed(const merging *m, const mg_share *share) {
    return mg_source_fail(m->ctx, MEGURI_ENGINE_FAILED,
                          "%s: lists of a record do not fit together; does the database change while it is read? Pull "
                          "again.",
                          m->names[share->database]);
}

/* The next list of a record must have as many items as the first. */
static bool same_list(mg_cursor *record, uint64_t count) {
    uint64_t other;
    return mg_unpack_list(&other, record) && other == count;
}

/* Numbers, or texts that are; false is a coordinate that is missing. */
static bool take_coordinates(item *items, uint64_t count, mg_cursor *record, bool second) {
    mg_value value;
    if (!same_list(record, count)) return false;
    for (uint64_t i = 0; i < count; i++) {
        mg_cursor at = *record;
        double number = NAN;
        if (!mg_unpack(&value, &at) || !mg_unpack_skip(record)) return false;
        bool missing = value.kind == MG_BOOL && !value.integer;
        if (!missing && !items[i].trouble && (items[i].trouble = mg_number_trouble(&number, &value)))
            items[i].odd = value;
        if (second && !items[i].trouble && missing != (bool)isnan(items[i].x)) {
            items[i].trouble = "which is one coordinate without the other";
            items[i].odd = (mg_value){.kind = MG_REAL, .real = missing ? items[i].x : number};
        }
        *(second ? &items[i].y : &items[i].x) = number;
    }
    return true;
}

/* All of one record, as many nodes as a share can have. */
static bool decode(const merging *m, const mg_share *share, mg_cursor record, uint64_t *count) {
    const meguri_source *s = m->source;
    mg_value value;
    uint64_t fields;
    item *items = m->items;
    if (!mg_unpack_list(&fields, &record) || !mg_unpack_list(count, &record) || *count > MG_SHARE_NODES) return false;
    for (uint64_t i = 0; i < *count; i++) {
        if (!mg_unpack(&value, &record) || value.kind != MG_INTEGER) return false;
        items[i] = (item){.id = (uint64_t)value.integer};
        if (items[i].id < share->first || items[i].id > share->last) return false;
    }
    if (mg_source_filters(s) && !same_list(&record, *count)) return false;
    for (uint64_t i = 0; mg_source_filters(s) && i < *count; i++) {
        if (!mg_unpack(&value, &record) || value.kind != MG_INTEGER || value.integer < 0) return false;
        if (value.integer >= MOST_DEGREE) return false;
        items[i].degree = (uint64_t)value.integer;
    }
    if (s->key) {
        if (!same_list(&record, *count)) return false;
        for (uint64_t i = 0; i < *count; i++) {
            mg_cursor at = record;
            if (!mg_unpack(&items[i].key, &at) || !mg_unpack_skip(&record)) return false;
        }
    }
    if (s->proxy) {
        if (!same_list(&record, *count)) return false;
        for (uint64_t i = 0; i < *count; i++) {
            if (!mg_unpack(&value, &record) || value.kind != MG_BOOL) return false;
            items[i].proxy = value.integer;
        }
    }
    if (!s->point && !s->x) return true;
    return take_coordinates(items, *count, &record, false) && take_coordinates(items, *count, &record, true);
}

static int by_id(const void *a, const void *b) {
    uint64_t p = ((const item *)a)->id, q = ((const item *)b)->id;
    return p < q ? -1 : p > q;
}

/* ---- vertices --------------------------------------------------------------------------------------------------- */

static bool grow_nodes(mg_nodes *nodes, meguri_ctx *ctx, bool coordinates) {
    uint64_t room = nodes->room ? 2 * nodes->room : 2 * MG_SHARE_NODES;
    struct {
        void **array;
        size_t size;
    } arrays[] = {{(void **)&nodes->ids, sizeof *nodes->ids},
                  {(void **)&nodes->node, sizeof *nodes->node},
                  {(void **)&nodes->database, sizeof *nodes->database},
                  {(void **)&nodes->texts, nodes->kind == MEGURI_ID_STRING ? sizeof *nodes->texts : 0},
                  {(void **)&nodes->x, coordinates ? sizeof *nodes->x : 0},
                  {(void **)&nodes->y, coordinates ? sizeof *nodes->y : 0}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!arrays[i].size) continue;
        void *grown = meguri_ctx_resize(ctx, *arrays[i].array, room * arrays[i].size, "the ids of nodes");
        if (!grown) return false;
        *arrays[i].array = grown;
    }
    nodes->room = room;
    return true;
}

static bool set_lookup(mg_lookup *lookup, meguri_ctx *ctx, uint64_t id, uint32_t vertex) {
    static const char what[] = "the vertices of nodes";
    uint64_t page = id / MG_PAGE;
    if (page >= lookup->page_count) {
        size_t count = (size_t)page + 1 + lookup->page_count / 2;
        uint32_t **grown = meguri_ctx_resize(ctx, lookup->pages, count * sizeof *grown, what);
        if (!grown) return false;
        memset(grown + lookup->page_count, 0, (count - lookup->page_count) * sizeof *grown);
        lookup->pages = grown;
        lookup->page_count = count;
    }
    if (!lookup->pages[page]) {
        lookup->pages[page] = meguri_ctx_resize(ctx, NULL, MG_PAGE * sizeof **lookup->pages, what);
        if (!lookup->pages[page]) return false;
        memset(lookup->pages[page], 0xFF, MG_PAGE * sizeof **lookup->pages);
    }
    lookup->pages[page][id % MG_PAGE] = vertex;
    return true;
}

/* "DATABASE:NODE", where several databases have no key in common. */
static bool make_text(mg_value *out, mg_nodes *nodes, meguri_ctx *ctx, uint32_t database, uint64_t node) {
    static const char what[] = "the names of nodes";
    char text[48];
    int length = snprintf(text, sizeof text, "%" PRIu32 ":%" PRIu64, database, node);
    if (nodes->made_count % MG_SHARE_NODES == 0) {
        size_t blocks = nodes->made_count / MG_SHARE_NODES + 1;
        void **grown = meguri_ctx_resize(ctx, nodes->made, blocks * sizeof *grown, what);
        if (!grown) return false;
        nodes->made = grown;
        nodes->made[blocks - 1] = meguri_ctx_resize(ctx, NULL, MG_SHARE_NODES * sizeof text, what);
        if (!nodes->made[blocks - 1]) return false;
    }
    char *to =
        (char *)nodes->made[nodes->made_count / MG_SHARE_NODES] + nodes->made_count % MG_SHARE_NODES * sizeof text;
    nodes->made_count++;
    memcpy(to, text, sizeof text);
    *out = (mg_value){.kind = MG_TEXT, .text = to, .length = (size_t)length};
    return true;
}

/* Whether a key can be one: integers or texts, all of one kind. */
static bool fits(merging *m, const mg_share *share, const item *node) {
    mg_kind kind = node->key.kind;
    if (kind == MG_BOOL || kind == MG_NULL) {
        complain(&m->keyless, m, share->database, node->id, "");
        return false;
    }
    bool text = kind == MG_TEXT;
    if (!m->known && (text || kind == MG_INTEGER)) {
        m->known = true;
        m->nodes->kind = text ? MEGURI_ID_STRING : MEGURI_ID_UNSIGNED;
    }
    if ((!text && kind != MG_INTEGER) || text != (m->nodes->kind == MEGURI_ID_STRING)) {
        complain(&m->mixed, m, share->database, node->id, "");
        return false;
    }
    if (text && !mg_is_text_name(node->key.text, node->key.length)) {
        complain(&m->unfit, m, share->database, node->id, "");
        return false;
    }
    if (!text && node->key.integer < 0) m->nodes->kind = MEGURI_ID_SIGNED;
    return true;
}

static meguri_status add_vertex(merging *m, const mg_share *share, const item *node, const mg_value *key) {
    mg_nodes *nodes = m->nodes;
    uint32_t vertex = (uint32_t)nodes->vertices, other = MG_NO_VERTEX;
    if (mg_lookup_get(&nodes->lookups[share->database], (int64_t)node->id) != MG_NO_VERTEX) return malformed(m, share);
    if (nodes->vertices == UINT32_MAX)
        return mg_source_fail(m->ctx, MEGURI_BAD_INPUT, "there are more than 4,294,967,295 nodes; leave some out.");
    if (nodes->vertices == nodes->room && !grow_nodes(nodes, m->ctx, m->source->point || m->source->x))
        return MEGURI_NO_MEMORY;
    nodes->node[vertex] = node->id;
    nodes->database[vertex] = (uint16_t)share->database;
    if (nodes->x) nodes->x[vertex] = node->x, nodes->y[vertex] = node->y;
    if (nodes->kind == MEGURI_ID_STRING) nodes->texts[vertex] = (meguri_text){key->text, key->length};
    else nodes->ids[vertex] = (uint64_t)key->integer;
    if (m->source->key && !mg_keys_add(&other, &m->keys, m->ctx, nodes, vertex)) return MEGURI_NO_MEMORY;
    if (other != MG_NO_VERTEX) {
        char more[120];
        snprintf(more, sizeof more, " and node %" PRIu64 " of %.60s", nodes->node[other],
                 m->names[nodes->database[other]]);
        complain(&m->twice, m, share->database, node->id, more);
        return MEGURI_OK;
    }
    nodes->vertices++;
    return set_lookup(&nodes->lookups[share->database], m->ctx, node->id, vertex) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status add_proxy(merging *m, const mg_share *share, const item *node) {
    mg_nodes *nodes = m->nodes;
    if (nodes->proxies == m->proxy_room) {
        uint64_t room = m->proxy_room ? 2 * m->proxy_room : 1024;
        proxy *grown = meguri_ctx_resize(m->ctx, m->proxies, room * sizeof *grown, "proxies");
        if (!grown) return MEGURI_NO_MEMORY;
        m->proxies = grown;
        m->proxy_room = room;
    }
    m->proxies[nodes->proxies++] = (proxy){(uint16_t)share->database, node->id, node->key};
    return MEGURI_OK;
}

static meguri_status add_node(merging *m, const mg_share *share, const item *node) {
    mg_value made = {.kind = MG_INTEGER, .integer = (int64_t)node->id};
    if (node->trouble) {
        char shown[MG_VALUE_TEXT], more[2 * MG_VALUE_TEXT];
        snprintf(more, sizeof more, " (%s, %s)",
                 mg_value_text(shown, &node->odd, &m->source->databases[share->database]), node->trouble);
        complain(&m->odd, m, share->database, node->id, more);
    }
    if (m->source->key) {
        if (!fits(m, share, node)) return MEGURI_OK;
        return node->proxy ? add_proxy(m, share, node) : add_vertex(m, share, node, &node->key);
    }
    if (m->source->database_count > 1 && !make_text(&made, m->nodes, m->ctx, share->database, node->id))
        return MEGURI_NO_MEMORY;
    return add_vertex(m, share, node, &made);
}

/* ---- the plan --------------------------------------------------------------------------------------------------- */

/* Relationships of the nodes of a share: ranges that have few enough together, single nodes that have too many. */
static bool plan_share(const merging *m, const mg_share *share, uint64_t count) {
    mg_share next = {.database = share->database, .relationships = true, .parts = 1};
    for (uint64_t i = 0; i < count; i++) {
        const item *node = &m->items[i];
        if (!node->degree) continue;
        if (next.expected && next.expected + node->degree > MG_SHARE_RELATIONSHIPS) {
            if (!mg_shares_add(m->plan, m->ctx, &next)) return false;
            next.expected = 0;
        }
        if (node->degree > MG_SHARE_MOST) {
            mg_share part = next;
            part.first = part.last = node->id;
            part.parts = (uint32_t)((node->degree - 1) / MG_SHARE_MOST + 1);
            part.expected = node->degree / part.parts;
            for (part.part = 0; part.part < part.parts; part.part++)
                if (!mg_shares_add(m->plan, m->ctx, &part)) return false;
            continue;
        }
        if (!next.expected) next.first = node->id;
        next.last = node->id;
        next.expected += node->degree;
    }
    return !next.expected || mg_shares_add(m->plan, m->ctx, &next);
}

static meguri_status merge_share(merging *m, const mg_share *share) {
    const uint8_t *at = share->records, *end = at + share->bytes;
    mg_cursor record;
    meguri_status status = MEGURI_OK;
    while (mg_share_next(&record, &at, end)) {
        uint64_t count;
        if (!decode(m, share, record, &count)) return malformed(m, share);
        qsort(m->items, count, sizeof *m->items, by_id);
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
            status = i && m->items[i].id == m->items[i - 1].id ? malformed(m, share) : add_node(m, share, &m->items[i]);
        if (status != MEGURI_OK) return status;
        if (mg_source_filters(m->source) && !plan_share(m, share, count)) return MEGURI_NO_MEMORY;
    }
    return at == end ? MEGURI_OK : malformed(m, share);
}

/* ---- in the end ------------------------------------------------------------------------------------------------- */

static meguri_status resolve(merging *m) {
    mg_nodes *nodes = m->nodes;
    for (uint64_t i = 0; i < nodes->proxies; i++) {
        const proxy *p = &m->proxies[i];
        if (i % MG_SHARE_NODES == 0 && meguri_ctx_progress(m->ctx, "merge", i, nodes->proxies) != MEGURI_OK)
            return MEGURI_CANCELLED;
        meguri_text text = {p->key.text, p->key.length};
        bool named = nodes->kind == MEGURI_ID_STRING;
        uint32_t vertex = mg_keys_find(&m->keys, nodes, named ? 0 : (uint64_t)p->key.integer, named ? &text : NULL);
        if (vertex == MG_NO_VERTEX) {
            complain(&m->unresolved, m, p->database, p->node, "");
            nodes->unresolved++;
        } else if (!set_lookup(&nodes->lookups[p->database], m->ctx, p->node, vertex)) return MEGURI_NO_MEMORY;
    }
    return MEGURI_OK;
}

static meguri_status judge(const merging *m) {
    const char *key = m->source->key;
    if (m->keyless.count)
        return mg_source_fail(m->ctx, MEGURI_BAD_INPUT,
                              "%" PRIu64 " nodes have no property %s, which is to be the key: %s; leave them out by "
                              "labels, or name another key.",
                              m->keyless.count, key, m->keyless.examples);
    if (m->mixed.count)
        return mg_source_fail(m->ctx, MEGURI_BAD_INPUT,
                              "the key %s is an integer here and a text there, or neither: %" PRIu64
                              " nodes are unlike the first, such as %s; all must be of one kind.",
                              key, m->mixed.count, m->mixed.examples);
    if (m->unfit.count)
        return mg_source_fail(m->ctx, MEGURI_BAD_INPUT,
                              "%" PRIu64
                              " nodes have a key %s that is empty, or holds a line end, a tab or a zero byte, "
                              "which ids of files cannot: %s; name another key.",
                              m->unfit.count, key, m->unfit.examples);
    if (m->twice.count)
        return mg_source_fail(m->ctx, MEGURI_BAD_INPUT,
                              "%" PRIu64 " nodes have a key %s that another has, too: %s; if these stand for nodes of "
                              "other databases, name their label as the proxy rule.",
                              m->twice.count, key, m->twice.examples);
    if (m->odd.count)
        return mg_source_fail(m->ctx, MEGURI_BAD_INPUT,
                              "%" PRIu64 " nodes have coordinates that are no numbers: %s; mend them, or name other "
                              "properties.",
                              m->odd.count, m->odd.examples);
    if (m->unresolved.count && !mg_source_filters(m->source))
        return mg_source_fail(m->ctx, MEGURI_BAD_INPUT,
                              "%" PRIu64 " proxies stand for a node that no database has: %s; is a database missing?",
                              m->unresolved.count, m->unresolved.examples);
    return MEGURI_OK;
}

meguri_status mg_nodes_make(mg_nodes *out, mg_shares *plan, meguri_ctx *ctx, const meguri_source *source,
                            const mg_shares *shares, char *const *names) {
    *out = (mg_nodes){.lookup_count = source->database_count,
                      .kind = source->key || source->database_count == 1 ? MEGURI_ID_UNSIGNED : MEGURI_ID_STRING};
    merging m = {.nodes = out, .plan = plan, .ctx = ctx, .source = source, .names = names};
    m.items = meguri_ctx_resize(ctx, NULL, MG_SHARE_NODES * sizeof *m.items, "the nodes of a share");
    out->lookups = calloc(source->database_count, sizeof *out->lookups);
    meguri_status status = !m.items ? MEGURI_NO_MEMORY : out->lookups ? MEGURI_OK : mg_source_no_memory(ctx);
    for (size_t i = 0; i < shares->count && status == MEGURI_OK; i++) {
        status = merge_share(&m, &shares->all[i]);
        if (status == MEGURI_OK) status = meguri_ctx_progress(ctx, "merge", i + 1, shares->count);
    }
    if (status == MEGURI_OK) status = resolve(&m);
    if (status == MEGURI_OK) status = judge(&m);
    mg_keys_free(&m.keys);
    meguri_ctx_release(m.items);
    meguri_ctx_release(m.proxies);
    if (status != MEGURI_OK) mg_nodes_free(out);
    return status;
}

void mg_nodes_free(mg_nodes *nodes) {
    for (size_t d = 0; nodes->lookups && d < nodes->lookup_count; d++) {
        for (size_t p = 0; p < nodes->lookups[d].page_count; p++) meguri_ctx_release(nodes->lookups[d].pages[p]);
        meguri_ctx_release(nodes->lookups[d].pages);
    }
    for (size_t i = 0; i * MG_SHARE_NODES < nodes->made_count; i++) meguri_ctx_release(nodes->made[i]);
    void *const blocks[] = {nodes->made, nodes->ids, nodes->texts, nodes->node, nodes->database, nodes->x, nodes->y};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) meguri_ctx_release(blocks[i]);
    free(nodes->lookups);
    *nodes = (mg_nodes){0};
}

uint32_t mg_nodes_columns(const meguri_source *source) { return source->key || source->database_count > 1 ? 2 : 1; }

meguri_status mg_nodes_give(mg_nodes *nodes, meguri_ctx *ctx, const meguri_source *source, meguri_builder *builder) {
    const uint64_t block = 1 << 20;
    bool named = nodes->kind == MEGURI_ID_STRING;
    meguri_status status = MEGURI_OK;
    for (uint64_t first = 0; first < nodes->vertices && status == MEGURI_OK; first += block) {
        const meguri_column_data columns[] = {
            {.size = sizeof *columns,
             .name = MG_COLUMN_DATABASE,
             .type = MEGURI_TYPE_U16,
             .values = nodes->database + first},
            {.size = sizeof *columns, .name = MG_COLUMN_NODE, .type = MEGURI_TYPE_U64, .values = nodes->node + first}};
        meguri_vertex_arrays vertices = {.size = sizeof vertices,
                                         .count = MG_MIN(block, nodes->vertices - first),
                                         .ids = named ? (const void *)(nodes->texts + first) : nodes->ids + first,
                                         .x = nodes->x ? nodes->x + first : NULL,
                                         .y = nodes->y ? nodes->y + first : NULL,
                                         .columns = columns,
                                         .column_count = mg_nodes_columns(source)};
        status = meguri_builder_vertices(named ? nodes->ids + first : NULL, ctx, builder, first / block, &vertices);
    }
    return status;
}
