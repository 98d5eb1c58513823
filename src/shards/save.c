/* A graph in parts as a .meg file: every process writes a range of each section.
 *
 * Homes know the ids and the numbers of their positions. Internal numbers are those of falling degree: not the ranks
 * that arcs were dealt by, which counted parallel edges that have been merged since. The file is one that any number of
 * processes, or one alone, can open. */
#include "shards/save.h"
#include "shards/build.h"

/* ---- sections --------------------------------------------------------------------------------------------------- */

/* Where the bytes that every process has begin and end. */
typedef struct stretch {
    uint64_t begin, end;
} stretch;

static int process_of(const stretch *all, int size, uint64_t byte) {
    for (int p = 0; p < size; p++)
        if (byte >= all[p].begin && byte < all[p].end) return p;
    return 0; /* there is one: stretches lie side by side */
}

meguri_status mg_save_section(mg_saving *s, mg_part part, const void *data, uint64_t first, uint64_t bytes) {
    meguri_cluster *c = s->shards->cluster;
    uint64_t size = (uint64_t)c->size, loose = first % MG_SECTION_CHUNK;
    const stretch mine = {first, first + bytes};
    const char *from = data;
    void *arrived = NULL;
    char *tail = NULL;
    stretch *all = mg_alloc_array(s->ctx, size, sizeof *all, "a section of a file");
    uint64_t *begins = mg_alloc_array_zero(s->ctx, 2 * (size + 1), sizeof *begins, "a section of a file");
    meguri_status status = mg_agree(s->ctx, c, all && begins ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = mg_all_gather(s->ctx, c, &c->all, &mine, sizeof mine, all);
    if (status != MEGURI_OK) goto cleanup;
    uint64_t head = loose ? MG_MIN(bytes, MG_SECTION_CHUNK - loose) : 0;
    int to = head ? process_of(all, c->size, first - loose) : 0;
    for (int p = to + 1; p <= c->size; p++) begins[p] = head;
    status = mg_alltoallv(&arrived, begins + size + 1, s->ctx, c, from, begins, "a section of a file");
    if (status != MEGURI_OK) goto cleanup;
    from += head;
    first += head;
    bytes -= head;
    uint64_t more = begins[2 * size + 1], rest = bytes % MG_SECTION_CHUNK;
    if (more > (rest ? MG_SECTION_CHUNK - rest : 0)) status = mg_strange(s->ctx, c, "more than a chunk has");
    else if (!(tail = mg_alloc(s->ctx, rest + more, "a section of a file"))) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_meg_parts_write(s->ctx, s->parts, &s->file, part, from, first, bytes - rest);
    if (status == MEGURI_OK && rest + more) {
        memcpy(tail, from + bytes - rest, rest);
        memcpy(tail + rest, arrived, more);
        status = mg_meg_parts_write(s->ctx, s->parts, &s->file, part, tail, first + bytes - rest, rest + more);
    }
    status = mg_agree(s->ctx, c, status);
cleanup:
    mg_free(tail);
    mg_free(arrived);
    mg_free(begins);
    mg_free(all);
    return status;
}

/* ---- internal numbers ------------------------------------------------------------------------------------------- */

/* To the degrees in s->owned: a vertex that arcs only lead to has a row, too. */
static meguri_status add_in_degrees(mg_saving *s) {
    mg_shards *shards = s->shards;
    uint32_t *in = mg_alloc_array_zero(s->ctx, shards->layout.window[0].stride, sizeof *in, "degrees");
    meguri_status status = mg_agree(s->ctx, shards->cluster, in ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = mg_shards_count_degrees(in, s->ctx, shards, true);
    for (uint32_t v = 0; v < shards->owned && status == MEGURI_OK; v++)
        s->owned[v] = MG_MAX(s->owned[v], s->owned[v] + in[v]); /* no less where the sum is too large */
    mg_free(in);
    return status;
}

static meguri_status number_homes(mg_saving *s) {
    mg_shards *shards = s->shards;
    uint64_t here = shards->home.end - shards->home.begin;
    const uint32_t none = 0;
    s->numbers = mg_alloc_array(s->ctx, here, sizeof *s->numbers, "numbers of vertices");
    s->owned = mg_alloc_array_zero(s->ctx, shards->layout.window[0].stride, sizeof *s->owned, "numbers of vertices");
    meguri_status status = mg_agree(s->ctx, shards->cluster, s->numbers && s->owned ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    if (shards->directed && shards->owner == MEGURI_OWNER_DEGREE) { /* nothing depends on an exact order there */
        memcpy(s->numbers, shards->number.items, here * sizeof *s->numbers);
        return MEGURI_OK;
    }
    memcpy(s->owned, shards->degree, shards->owned * sizeof *s->owned);
    if (shards->directed) status = add_in_degrees(s);
    if (status == MEGURI_OK) status = mg_shards_to_homes(s->ctx, shards, s->numbers, s->owned, sizeof *s->owned, &none);
    uint64_t with_arcs;
    return status == MEGURI_OK ? mg_shards_rank_degrees(s->ctx, shards, (mg_globals){s->numbers, false}, &with_arcs)
                               : status;
}

/* From homes: to owners (rank, number), or to those who write the map from numbers to positions (number, position). */
typedef struct number_reader {
    const mg_saving *saving;
    uint64_t place;
    bool to_owners;
} number_reader;

static uint64_t next_number(void *user, void *items, uint32_t *to, uint64_t capacity) {
    number_reader *r = user;
    const mg_shards *s = r->saving->shards;
    uint64_t n = 0, here = s->home.end - s->home.begin;
    for (; r->place < here && n < capacity; r->place++) {
        uint32_t rank = (uint32_t)mg_global_at(s->number, r->place), number = r->saving->numbers[r->place];
        if (r->to_owners && rank >= s->active) continue;
        ((uint32_t *)items)[2 * n] = r->to_owners ? rank : number;
        ((uint32_t *)items)[2 * n + 1] = r->to_owners ? number : (uint32_t)(s->home.begin + r->place);
        to[n++] =
            r->to_owners ? rank % (uint32_t)s->cluster->size : (uint32_t)mg_home(s->vertices, s->cluster->size, number);
    }
    return n;
}

static meguri_status number_owned(mg_saving *s) {
    number_reader reader = {s, 0, true};
    const mg_route_source source = {next_number, &reader, 8};
    void *items;
    uint64_t count;
    meguri_status status = mg_route(&items, &count, s->ctx, s->shards->cluster, &source, "numbers of vertices");
    if (status != MEGURI_OK) return status;
    const uint32_t *pairs = items;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        uint64_t local = pairs[2 * i] / (uint32_t)s->shards->cluster->size;
        if (local < s->shards->owned && pairs[2 * i + 1] < s->shards->vertices) s->owned[local] = pairs[2 * i + 1];
        else status = mg_strange(s->ctx, s->shards->cluster, "a number that is not for this process");
    }
    mg_free(items);
    return mg_agree(s->ctx, s->shards->cluster, status);
}

static meguri_status save_maps(mg_saving *s) {
    mg_range home = s->shards->home;
    uint64_t here = home.end - home.begin, count;
    if (!s->shards->vertices) return MEGURI_OK;
    number_reader reader = {s, 0, false};
    const mg_route_source source = {next_number, &reader, 8};
    void *items;
    meguri_status status = mg_route(&items, &count, s->ctx, s->shards->cluster, &source, "positions of vertices");
    if (status != MEGURI_OK) return status;
    uint32_t *to_user = mg_alloc_array(s->ctx, here, sizeof *to_user, "positions of vertices");
    status = mg_agree(s->ctx, s->shards->cluster, to_user ? MEGURI_OK : MEGURI_NO_MEMORY);
    const uint32_t *pairs = items;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        if (pairs[2 * i] - home.begin < here) to_user[pairs[2 * i] - home.begin] = pairs[2 * i + 1];
        else status = mg_strange(s->ctx, s->shards->cluster, "a number that is not for this process");
    }
    mg_free(items);
    if (status == MEGURI_OK) status = mg_save_section(s, MG_PART_TO_USER, to_user, home.begin * 4, here * 4);
    mg_free(to_user);
    return status == MEGURI_OK ? mg_save_section(s, MG_PART_TO_INTERNAL, s->numbers, home.begin * 4, here * 4) : status;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void add_part(meguri_graph *g, mg_part part, uint64_t bytes) {
    g->part[part] = (mg_part_data){.data = "", .bytes = bytes};
}

/* What the whole has. */
static meguri_status plan(mg_saving *s, const char *path) {
    const mg_shards *shards = s->shards;
    mg_part_data part[MG_PART_FIXED] = {{0}};
    meguri_graph g = {.part = part,
                      .part_count = MG_PART_FIXED,
                      .vertices = shards->vertices,
                      .rows = s->stored,
                      .arcs = shards->arcs,
                      .edges = shards->edges,
                      .isolated = shards->isolated,
                      .directed = shards->directed,
                      .weight_type = s->weight_type,
                      .declared_weights = shards->declared_weights,
                      .id_kind = shards->id_kind,
                      .order = MEGURI_ORDER_DEGREE,
                      .offset_bytes = s->offset_bytes,
                      .id_base = shards->id_kind == MEGURI_ID_STRING || shards->ids ? 0 : shards->id_base,
                      .input_edges = shards->input_edges,
                      .dropped_duplicates = shards->dropped_duplicates,
                      .dropped_loops = shards->dropped_loops};
    add_part(&g, MG_PART_OFFSETS, (g.rows + 1) * g.offset_bytes);
    add_part(&g, MG_PART_NEIGHBORS, g.arcs * 4);
    if (g.weight_type != MEGURI_TYPE_NONE) add_part(&g, MG_PART_WEIGHTS, g.arcs * meguri_type_bytes(g.weight_type));
    if (g.vertices) add_part(&g, MG_PART_TO_USER, g.vertices * 4);
    if (g.vertices) add_part(&g, MG_PART_TO_INTERNAL, g.vertices * 4);
    if (shards->ids) add_part(&g, MG_PART_IDS, g.vertices * 8);
    if (shards->id_kind == MEGURI_ID_STRING) {
        add_part(&g, MG_PART_NAME_OFFSETS, (g.vertices + 1) * 8);
        add_part(&g, MG_PART_NAMES, s->name_bytes);
        add_part(&g, MG_PART_NAME_INDEX, s->slots * 4);
    }
    return mg_meg_parts_new(&s->parts, s->ctx, &g, path);
}

static meguri_status prepare(mg_saving *s, const char *path) {
    const mg_shards *shards = s->shards;
    uint64_t size = (uint64_t)shards->cluster->size + 1, here = shards->home.end - shards->home.begin;
    s->offset_bytes = shards->arcs <= UINT32_MAX ? 4 : 8;
    s->rows = mg_alloc_array(s->ctx, 2 * size, sizeof *s->rows, "rows of a file");
    meguri_status status = mg_agree(s->ctx, shards->cluster, s->rows ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    s->arcs = s->rows + size;
    if (shards->id_kind == MEGURI_ID_STRING) {
        s->slots = mg_name_slots(shards->vertices);
        s->name_bytes = shards->name_offsets[here];
        status = mg_reduce_u64(s->ctx, shards->cluster, &shards->cluster->all, &s->name_bytes, 1, MG_SUM);
    }
    s->weight_type = shards->file_weights;
    if (status == MEGURI_OK) status = mg_agree(s->ctx, shards->cluster, plan(s, path));
    if (status == MEGURI_OK) status = number_homes(s);
    return status == MEGURI_OK ? number_owned(s) : status;
}

static meguri_status save_ids(mg_saving *s) {
    const mg_shards *shards = s->shards;
    uint64_t here = shards->home.end - shards->home.begin;
    if (shards->id_kind == MEGURI_ID_STRING) return mg_save_names(s);
    if (!shards->ids) return MEGURI_OK;
    return mg_save_section(s, MG_PART_IDS, shards->ids, shards->home.begin * 8, here * 8);
}

/* The hashes of all chunks come together; the first process writes them, and the head. */
static meguri_status finish(mg_saving *s) {
    meguri_cluster *c = s->shards->cluster;
    uint64_t count;
    uint64_t *hashes = mg_meg_parts_hashes(s->parts, &count);
    meguri_status status = MEGURI_OK;
    for (uint64_t at = 0; at < count && status == MEGURI_OK; at += MG_REDUCE_MOST)
        status = mg_reduce_u64(s->ctx, c, &c->all, hashes + at, (uint32_t)MG_MIN(count - at, (uint64_t)MG_REDUCE_MOST),
                               MG_SUM);
    return status == MEGURI_OK && c->rank == 0 ? mg_meg_parts_finish(s->ctx, s->parts, &s->file) : status;
}

static meguri_status write_file(mg_saving *s, const char *path) {
    meguri_cluster *c = s->shards->cluster;
    meguri_status status = mg_shared_open(&s->file, s->ctx, c, path);
    if (status != MEGURI_OK) return status;
    if (c->rank == 0) status = mg_outfile_reserve(s->ctx, &s->file, mg_meg_parts_bytes(s->parts));
    status = mg_agree(s->ctx, c, status);
    if (status == MEGURI_OK) status = mg_save_rows(s);
    if (status == MEGURI_OK) status = save_maps(s);
    if (status == MEGURI_OK) status = save_ids(s);
    if (status == MEGURI_OK) status = finish(s);
    return mg_shared_close(s->ctx, c, &s->file, status);
}

meguri_status mg_shards_save(meguri_ctx *ctx, void *parts, const char *path) {
    mg_shards *shards = parts;
    mg_saving s = {.ctx = ctx, .shards = shards, .stored = shards->vertices - shards->isolated};
    double since = mg_now();
    const mg_call call = {.name = "meguri_save"};
    meguri_status status = MEGURI_OK;
    if (shards->columns_left)
        status =
            mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                    "cannot save the graph to %s: its edges have columns, and in parts it has them no more; save it "
                    "from one process.",
                    path);
    else if (shards->wide)
        status =
            mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                    "cannot save the graph to %s: it has %llu vertices, and a .meg file has numbers for %llu; read "
                    "or draw it again wherever it is needed.",
                    path, (unsigned long long)shards->vertices, (unsigned long long)MG_MAX_VERTICES);
    status = mg_agree_call(ctx, shards->cluster, status, &call);
    mg_recycle_begin(ctx);
    if (status == MEGURI_OK) status = prepare(&s, path);
    if (status == MEGURI_OK) status = write_file(&s, path);
    if (status == MEGURI_OK)
        mg_trace_phase(ctx, "save", "write", (int64_t)shards->arcs, (int64_t)mg_meg_parts_bytes(s.parts), since);
    mg_meg_parts_free(s.parts);
    mg_free(s.numbers);
    mg_free(s.owned);
    mg_free(s.rows);
    mg_recycle_end(ctx);
    return status;
}
