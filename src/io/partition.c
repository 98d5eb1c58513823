/* meguri_partition: a graph as several databases, in the form that neo4j-admin imports.
 *
 *     part-K/nodes.csv           uid:ID,:LABEL[,x:double,y:double]        Vertex, or Proxy for a target elsewhere
 *     part-K/relationships.csv   :START_ID,:END_ID,:TYPE[,weight:…][,COLUMN:…]
 *
 * Every edge lies in the part of its source, once (of an undirected one the end that comes first counts as the source),
 * so that joining the parts by `uid` gives the graph again. */
#include "io/format.h"

#include <dirent.h>
#include <errno.h>
#include <meguri/partition.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PARTS = 4096, PIECE = 1 << 20 };

typedef struct parting {
    mg_write_job job;
    const char *folder;
    bool made; /* the folder was not there */
    uint32_t parts, begun;
    uint32_t *part;  /* of each vertex, by internal number */
    uint32_t *order; /* positions, sorted by part */
    uint64_t *begin; /* of each part in the order */
    uint32_t *shown; /* the last part + 1 in which a vertex was a proxy */
    meguri_partition_info info;
} parting;

/* A file that is written a piece at a time. */
typedef struct sheet {
    mg_outfile file;
    mg_text text;
} sheet;

static meguri_status open_sheet(sheet *out, const parting *p, uint32_t part, const char *name) {
    char path[4096];
    out->text.ctx = p->job.ctx;
    if (snprintf(path, sizeof path, "%s/part-%u/%s", p->folder, part, name) >= (int)sizeof path)
        return mg_fail(p->job.ctx, MEGURI_BAD_ARGUMENT, "the name of the folder %s is too long.", p->folder);
    return mg_outfile_open(&out->file, p->job.ctx, path);
}

static meguri_status flush(sheet *s, meguri_ctx *ctx, bool all) {
    if (s->text.failed) return MEGURI_NO_MEMORY;
    if (s->text.used < (all ? 1 : PIECE)) return MEGURI_OK;
    meguri_status status = mg_outfile_write(ctx, &s->file, s->text.data, s->text.used);
    s->text.used = 0;
    return status;
}

static void close_sheet(sheet *s) {
    mg_outfile_abandon(&s->file);
    mg_text_free(&s->text);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

static meguri_status write_vertex(parting *p, uint32_t part, uint32_t position, sheet *nodes, sheet *relationships) {
    const mg_rows *rows = &p->job.rows;
    uint32_t v = mg_to_internal(&p->job.numbering, position);
    mg_neo4j_node(&p->job, &nodes->text, position, MG_NEO4J_VERTEX, true);
    for (uint64_t arc = mg_row_begin(rows, v), end = mg_row_end(rows, v); arc < end; arc++) {
        uint32_t n = rows->neighbors[arc], other = mg_to_user(&p->job.numbering, n);
        if (!p->job.graph->directed && other < position) continue;
        mg_neo4j_relationship(&p->job, &relationships->text, position, other, arc);
        p->info.edges++;
        if (p->part[n] != part) {
            p->info.cut_edges++;
            if (p->shown[n] != part + 1) {
                p->shown[n] = part + 1;
                p->info.proxies++;
                mg_neo4j_node(&p->job, &nodes->text, other, MG_NEO4J_PROXY, false);
            }
        }
        if (relationships->text.used >= PIECE) {
            meguri_status status = flush(relationships, p->job.ctx, false);
            if (status != MEGURI_OK) return status;
        }
    }
    meguri_status status = flush(nodes, p->job.ctx, false);
    return status == MEGURI_OK ? flush(relationships, p->job.ctx, false) : status;
}

static meguri_status make_folder(meguri_ctx *ctx, const char *path) {
    mg_refusal why;
    if (mg_create_folder(&why, path, 0777)) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_NO_DISK, "the folder %s cannot be made: %s.", path, why.text);
}

static meguri_status write_part(parting *p, uint32_t part) {
    meguri_ctx *ctx = p->job.ctx;
    char path[4096];
    sheet nodes = {.file.fd = -1}, relationships = {.file.fd = -1};
    snprintf(path, sizeof path, "%s/part-%u", p->folder, part);
    meguri_status status = make_folder(ctx, path);
    p->begun += status == MEGURI_OK;
    if (status == MEGURI_OK) status = open_sheet(&nodes, p, part, "nodes.csv");
    if (status == MEGURI_OK) status = open_sheet(&relationships, p, part, "relationships.csv");
    if (status == MEGURI_OK) {
        mg_neo4j_node_head(&p->job, &nodes.text);
        mg_neo4j_relationship_head(&p->job, &relationships.text);
    }
    for (uint64_t i = p->begin[part]; i < p->begin[part + 1] && status == MEGURI_OK; i++) {
        status = write_vertex(p, part, p->order[i], &nodes, &relationships);
        bool look = i % 4096 == 0 || i == p->begin[part]; /* there may be many small parts */
        if (status == MEGURI_OK && look && mg_progress(ctx, "write", i, p->job.graph->vertices))
            status = mg_fail_cancelled(ctx);
    }
    if (status == MEGURI_OK) status = flush(&nodes, ctx, true);
    if (status == MEGURI_OK) status = flush(&relationships, ctx, true);
    if (status == MEGURI_OK) status = mg_outfile_commit(ctx, &nodes.file);
    if (status == MEGURI_OK) status = mg_outfile_commit(ctx, &relationships.file);
    close_sheet(&nodes);
    close_sheet(&relationships);
    return status;
}

/* Some of the parts would pass for all of them, and be in the way of the next attempt. */
static void take_back(const parting *p) {
    static const char *const files[] = {"/nodes.csv", "/relationships.csv", ""};
    char path[4096];
    for (uint32_t part = p->begun; part-- > 0;)
        for (size_t i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "%s/part-%u%s", p->folder, part, files[i]);
            remove(path);
        }
    if (p->made) rmdir(p->folder);
}

/* Positions by part, increasing in each. */
static meguri_status sort_by_part(parting *p) {
    uint64_t vertices = p->job.graph->vertices;
    const uint64_t piece = 1 << 20; /* vertices between looks at a cancel */
    for (uint64_t v = 0; v < vertices; v++) p->begin[p->part[v] + 1]++;
    p->info.least = vertices;
    for (uint32_t k = 0; k < p->parts; k++) {
        uint64_t size = p->begin[k + 1];
        p->info.least = MG_MIN(p->info.least, size);
        p->info.most = MG_MAX(p->info.most, size);
        p->begin[k + 1] += p->begin[k];
    }
    for (uint64_t position = 0; position < vertices; position++) {
        if (position % piece == 0 && mg_progress(p->job.ctx, "sort", position, vertices))
            return mg_fail_cancelled(p->job.ctx);
        uint32_t v = mg_to_internal(&p->job.numbering, (uint32_t)position);
        p->order[p->begin[p->part[v]]++] = (uint32_t)position;
    }
    for (uint32_t k = p->parts; k > 0; k--) p->begin[k] = p->begin[k - 1];
    p->begin[0] = 0;
    return MEGURI_OK;
}

/* ---- the front -------------------------------------------------------------------------------------------------- */

/* A folder that is there must be empty: what lies there could be taken for a part. */
static meguri_status prepare_folder(bool *made, meguri_ctx *ctx, const char *folder) {
    DIR *entries = opendir(folder);
    *made = !entries;
    if (!entries)
        return errno == ENOENT ? make_folder(ctx, folder)
                               : mg_fail(ctx, MEGURI_NO_DISK, "%s cannot be used: %s.", folder, strerror(errno));
    bool empty = true;
    for (struct dirent *entry; (entry = readdir(entries));)
        empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(entries);
    return empty ? MEGURI_OK : mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the folder %s is not empty; name a new one.", folder);
}

static meguri_status prepare(parting *p) {
    static const mg_writer writer = {.columns = true};
    meguri_ctx *ctx = p->job.ctx;
    const meguri_graph *graph = p->job.graph;
    meguri_status status = mg_write_get_graph(&p->job, &writer);
    p->job.id_form = MG_ID_FORM_CSV;
    p->job.with_weights = graph->weight_type != MEGURI_TYPE_NONE;
    if (status == MEGURI_OK) status = mg_write_check_neo4j_columns(&p->job);
    if (status != MEGURI_OK) return status;
    p->part = mg_alloc_array(ctx, graph->vertices, sizeof *p->part, "the parts of vertices");
    p->order = mg_alloc_array(ctx, graph->vertices, sizeof *p->order, "the vertices of parts");
    p->shown = mg_alloc_array_zero(ctx, graph->vertices, sizeof *p->shown, "proxies");
    p->begin = mg_alloc_array_zero(ctx, (uint64_t)p->parts + 1, sizeof *p->begin, "sizes of parts");
    return p->part && p->order && p->shown && p->begin ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status check(meguri_ctx *ctx, const meguri_partition_info *out, const meguri_partition_options *options) {
    if ((out && out->size != sizeof *out) || options->size != sizeof *options)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_partition: a struct has not the size that this library knows.");
    if (options->parts < 1 || options->parts > MOST_PARTS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "parts is %u; it must be from 1 to %d.", options->parts, MOST_PARTS);
    if (options->cut != MEGURI_CUT_LOCALITY && options->cut != MEGURI_CUT_RANDOM)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no cut with the number %d.", (int)options->cut);
    return MEGURI_OK;
}

meguri_status meguri_partition(meguri_partition_info *out, meguri_ctx *ctx, const meguri_graph *graph,
                               const char *folder, const meguri_partition_options *options) {
    if (!ctx || !graph || !folder || !options) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = check(ctx, out, options);
    if (status == MEGURI_OK && !*folder)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_partition needs the name of a folder.");
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, graph);
    parting p = {.job = {.ctx = ctx, .graph = graph, .path = folder}, .folder = folder, .parts = options->parts};
    if (status == MEGURI_OK) status = prepare_folder(&p.made, ctx, folder);
    if (status != MEGURI_OK) return status;
    status = prepare(&p);
    if (status == MEGURI_OK)
        status = mg_graph_cut(p.part, ctx, graph, p.parts, options->cut == MEGURI_CUT_RANDOM, options->seed);
    if (status == MEGURI_OK) status = sort_by_part(&p);
    for (uint32_t k = 0; k < p.parts && status == MEGURI_OK; k++) status = write_part(&p, k);
    if (status != MEGURI_OK) take_back(&p);
    mg_free(p.part);
    mg_free(p.order);
    mg_free(p.shown);
    mg_free(p.begin);
    mg_powers_free(p.job.powers);
    mg_free(p.job.columns);
    p.info.size = sizeof p.info;
    if (out && status == MEGURI_OK) *out = p.info;
    return status;
}
