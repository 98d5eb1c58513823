/* Edges on their way into a graph: blocks as they come from readers and generators.
 *
 * Blocks stay in memory while they take less than a third of the budget (sorting them needs about as much again, and
 * so does the result); later ones are written to one unnamed temporary file and read back when their turn comes. The
 * values of columns lie behind ends and weights there, and are mapped when they are gathered (columns_build.c). */
#include "graph/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What stays in memory; the rest is spilled. */
static uint64_t share_in_memory(const meguri_ctx *ctx) { return meguri_ctx_memory_limit(ctx) / 3; }

meguri_status mg_edges_new(mg_edges **out, meguri_ctx *ctx) {
    *out = NULL;
    mg_edges *edges = mg_alloc_zero(ctx, sizeof *edges, "a list of edges");
    if (!edges) return MEGURI_NO_MEMORY;
    edges->spill_fd = -1;
    edges->most_in_memory = share_in_memory(ctx);
    if (pthread_mutex_init(&edges->lock, NULL) != 0) {
        mg_free(edges);
        return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no room for a lock.");
    }
    *out = edges;
    return MEGURI_OK;
}

void mg_edge_block_free(mg_edge_block *block) {
    mg_free(block->ends);
    mg_free(block->weights);
    block->ends = block->weights = NULL;
    for (uint32_t c = 0; c < block->column_count; c++) {
        mg_free(block->columns[c].values);
        mg_free(block->columns[c].validity);
    }
    mg_free(block->columns);
    block->columns = NULL;
    block->column_count = 0;
}

meguri_status mg_edge_block_make_columns(meguri_ctx *ctx, mg_edge_block *block, uint32_t count) {
    if (!count) return MEGURI_OK;
    block->columns = mg_alloc_array_zero(ctx, count, sizeof *block->columns, "the columns of a block");
    if (!block->columns) return MEGURI_NO_MEMORY;
    block->column_count = count;
    return MEGURI_OK;
}

/* What the caller of a borrowed block does not have is the list of its columns. */
static void free_block(mg_stored_block *s) {
    if (!s->borrowed) mg_edge_block_free(&s->block);
    else mg_free(s->block.columns);
}

void mg_edges_free(mg_edges *edges) {
    if (!edges) return;
    for (uint64_t i = 0; i < edges->block_count; i++) free_block(&edges->blocks[i]);
    for (uint32_t i = 0; i < edges->column_count; i++) {
        mg_free(edges->columns[i].name);
        mg_name_table_free(&edges->columns[i].labels);
    }
    mg_free(edges->columns);
    for (uint64_t i = 0; i < edges->named_arrays; i++) mg_free(edges->named[i]);
    mg_free(edges->blocks);
    mg_free(edges->declared);
    mg_free(edges->named);
    mg_free(edges->named_counts);
    mg_name_table_free(&edges->names);
    mg_free(edges->name_positions);
    if (edges->spill_fd >= 0) close(edges->spill_fd);
    pthread_mutex_destroy(&edges->lock);
    mg_free(edges);
}

uint64_t mg_edges_count(const mg_edges *edges) { return edges->count; }
uint32_t mg_edges_columns(const mg_edges *edges) { return edges->column_count; }
mg_names *mg_edges_labels(const mg_edges *edges, uint32_t column) { return edges->columns[column].labels.names; }
mg_names *mg_edges_names(const mg_edges *edges) { return edges->names.names; }

meguri_status mg_edges_declare_column(meguri_ctx *ctx, mg_edges *edges, const char *name, meguri_column_kind kind,
                                      meguri_type type, bool labelled) {
    if (!*name) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a column of the edges has no name.");
    for (uint32_t i = 0; i < edges->column_count; i++) {
        if (strcmp(edges->columns[i].name, name) == 0)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "two columns of the edges have the name \"%s\".", name);
        if (kind != MEGURI_COLUMN_VALUES && edges->columns[i].kind == kind)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the columns \"%s\" and \"%s\" are both the %s of the edges.",
                           edges->columns[i].name, name, meguri_column_kind_name(kind));
    }
    mg_edge_values column = {.kind = kind, .type = type, .labelled = labelled, .text = type == MEGURI_TYPE_TEXT};
    column.name = mg_strdup(ctx, name, "the name of a column");
    meguri_status status = column.name ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK && labelled) status = mg_names_new(&column.labels.names, ctx);
    mg_edge_values *columns = NULL;
    if (status == MEGURI_OK)
        columns = mg_resize(ctx, edges->columns, (edges->column_count + (size_t)1) * sizeof *columns, "columns");
    if (!columns) {
        mg_free(column.name);
        mg_name_table_free(&column.labels);
        return MEGURI_NO_MEMORY;
    }
    edges->columns = columns;
    columns[edges->column_count++] = column;
    return MEGURI_OK;
}
void mg_edges_declare_weights(mg_edges *edges, meguri_type type) {
    pthread_mutex_lock(&edges->lock);
    edges->declared_weights = mg_type_join(edges->declared_weights, type);
    pthread_mutex_unlock(&edges->lock);
}

void mg_edges_set_signed(mg_edges *edges) { edges->signed_ids = true; }
void mg_edges_set_names(mg_edges *edges, struct mg_names *names) {
    edges->names.names = names;
    edges->string_ids = true;
}

static void find_extent(mg_stored_block *s) {
    s->min = UINT64_MAX;
    s->signed_min = INT64_MAX;
    s->signed_max = INT64_MIN;
    uint64_t ends = s->block.count * 2;
    if (s->block.id_bytes == 4) {
        const uint32_t *ids = s->block.ends;
        uint32_t min = UINT32_MAX, max = 0;
        for (uint64_t i = 0; i < ends; i++) {
            min = MG_MIN(min, ids[i]);
            max = MG_MAX(max, ids[i]);
        }
        s->min = min;
        s->max = max;
        s->signed_min = min;
        s->signed_max = max;
    } else {
        const uint64_t *ids = s->block.ends;
        for (uint64_t i = 0; i < ends; i++) {
            s->min = MG_MIN(s->min, ids[i]);
            s->max = MG_MAX(s->max, ids[i]);
            s->signed_min = MG_MIN(s->signed_min, (int64_t)ids[i]);
            s->signed_max = MG_MAX(s->signed_max, (int64_t)ids[i]);
        }
    }
}

meguri_status mg_edges_expect(meguri_ctx *ctx, uint64_t bytes) {
    struct statvfs disk;
    uint64_t memory = share_in_memory(ctx);
    if (bytes <= memory || statvfs(mg_temp_dir(ctx), &disk) != 0) return MEGURI_OK; /* a missing folder is told later */
    uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (bytes - memory <= free_bytes) return MEGURI_OK;
    char needed[MG_SIZE_TEXT], kept[MG_SIZE_TEXT], room[MG_SIZE_TEXT];
    return mg_fail(ctx, MEGURI_NO_DISK,
                   "the edges take %s, of which %s may stay in memory, and %s has room for %s; allow more memory, set "
                   "TMPDIR to a folder with more room, or make a smaller graph.",
                   mg_size_text(needed, bytes), mg_size_text(kept, memory), mg_temp_dir(ctx),
                   mg_size_text(room, free_bytes));
}

/* Both take the lock's protection for granted. */
static meguri_status make_room(meguri_ctx *ctx, mg_edges *edges) {
    if (edges->block_count < edges->block_room) return MEGURI_OK;
    uint64_t room = edges->block_room * 2 + 16;
    mg_stored_block *blocks = mg_resize(ctx, edges->blocks, room * sizeof *blocks, "a list of edges");
    if (!blocks) return MEGURI_NO_MEMORY;
    edges->blocks = blocks;
    edges->block_room = room;
    return MEGURI_OK;
}

static meguri_status choose_place(meguri_ctx *ctx, mg_edges *edges, mg_stored_block *s) {
    uint64_t bytes = mg_block_column_at(edges, &s->block, edges->column_count);
    s->spilled = edges->bytes_in_memory + bytes > edges->most_in_memory;
    if (!s->spilled) {
        edges->bytes_in_memory += bytes;
        return MEGURI_OK;
    }
    if (edges->spill_fd < 0) {
        edges->spill_fd = mg_tempfile(ctx);
        if (edges->spill_fd < 0) return MEGURI_NO_DISK;
        mg_log(ctx, MEGURI_LOG_INFO, "the edges exceed a third of the memory budget: the rest goes to a file in %s.",
               mg_temp_dir(ctx));
    }
    s->file_offset = edges->spill_bytes;
    edges->spill_bytes += bytes;
    return MEGURI_OK;
}

static meguri_status write_block(meguri_ctx *ctx, const mg_edges *edges, int fd, const mg_stored_block *s) {
    static const char name[] = "a temporary file of edges";
    double since = mg_now();
    const mg_edge_block *b = &s->block;
    uint64_t id_bytes = mg_block_id_bytes(b), weight_bytes = mg_block_weight_bytes(b);
    meguri_status status = mg_pwrite_all(ctx, fd, b->ends, id_bytes, s->file_offset, name);
    if (status == MEGURI_OK && weight_bytes)
        status = mg_pwrite_all(ctx, fd, b->weights, weight_bytes, s->file_offset + id_bytes, name);
    for (uint32_t c = 0; c < edges->column_count && status == MEGURI_OK; c++) {
        uint64_t at = s->file_offset + mg_block_column_at(edges, b, c);
        uint64_t bytes = b->count * meguri_type_bytes(b->columns[c].type);
        status = mg_pwrite_all(ctx, fd, b->columns[c].values, bytes, at, name);
        if (status == MEGURI_OK && b->columns[c].validity)
            status = mg_pwrite_all(ctx, fd, b->columns[c].validity, mg_bits_bytes(b->count), at + bytes, name);
    }
    uint64_t bytes = mg_block_column_at(edges, b, edges->column_count);
    mg_trace_phase(ctx, "read", "spill", (int64_t)b->count, (int64_t)bytes, since);
    return status;
}

static void join_facts(mg_value_facts *all, const mg_value_facts *more) {
    all->fractions |= more->fractions;
    all->not_f32 |= more->not_f32;
    all->not_f64 |= more->not_f64;
    all->max = MG_MAX(all->max, more->max);
}

/* Looks at the values of a block, where what they are decides about their type, and notes what it finds. */
static void note_values(mg_edges *edges, const mg_edge_block *block) {
    for (uint32_t c = 0; c < edges->column_count; c++) {
        mg_edge_values *column = &edges->columns[c];
        if (!column->labelled && column->type != MEGURI_TYPE_NONE) continue;
        mg_value_facts facts = mg_value_facts_of(&block->columns[c], block->count);
        pthread_mutex_lock(&edges->lock);
        join_facts(&column->facts, &facts);
        pthread_mutex_unlock(&edges->lock);
    }
}

static meguri_status check_booleans(meguri_ctx *ctx, const mg_edges *edges, const mg_edge_block *block) {
    for (uint32_t c = 0; c < edges->column_count; c++) {
        const mg_block_column *column = &block->columns[c];
        if (column->type != MEGURI_TYPE_BOOLEAN) continue;
        for (uint64_t i = 0; i < block->count; i++)
            if (((const uint8_t *)column->values)[i] > 1 && (!column->validity || mg_bit_at(column->validity, i)))
                return mg_fail(ctx, MEGURI_BAD_INPUT, "a value of the column \"%s\" is %u: booleans are 0 or 1.",
                               edges->columns[c].name, ((const uint8_t *)column->values)[i]);
    }
    return MEGURI_OK;
}

/* Frees nothing: on failure the arrays are still the caller's. */
static meguri_status add_block(meguri_ctx *ctx, mg_edges *edges, mg_stored_block *s) {
    if (!s->block.weights) s->block.weight_type = MEGURI_TYPE_NONE;
    find_extent(s);
    s->weights = mg_weight_facts_of(s->block.weights, s->block.weight_type, s->block.count);
    if (s->weights.nan) return mg_fail(ctx, MEGURI_BAD_INPUT, "an edge has a weight that is not a number (NaN).");

    meguri_status status = check_booleans(ctx, edges, &s->block);
    if (status != MEGURI_OK) return status;
    note_values(edges, &s->block);
    pthread_mutex_lock(&edges->lock);
    status = s->borrowed ? MEGURI_OK : choose_place(ctx, edges, s);
    int fd = edges->spill_fd;
    pthread_mutex_unlock(&edges->lock);
    if (status == MEGURI_OK && s->spilled) status = write_block(ctx, edges, fd, s);
    if (status != MEGURI_OK) return status;

    pthread_mutex_lock(&edges->lock);
    status = make_room(ctx, edges);
    if (status == MEGURI_OK) {
        mg_stored_block *place = &edges->blocks[edges->block_count++];
        *place = *s;
        if (s->spilled) {
            place->block.ends = place->block.weights = NULL;
            for (uint32_t c = 0; c < place->block.column_count; c++) {
                mg_block_column *column = &place->block.columns[c];
                column->spilled_validity = column->validity != NULL;
                mg_free(column->values);
                mg_free(column->validity);
                column->values = column->validity = NULL;
            }
        }
        edges->count += s->block.count;
    }
    pthread_mutex_unlock(&edges->lock);
    return status;
}

meguri_status mg_edges_add(meguri_ctx *ctx, mg_edges *edges, mg_edge_block *block) {
    mg_stored_block stored = {.block = *block};
    meguri_status status = block->count ? add_block(ctx, edges, &stored) : MEGURI_OK;
    if (status != MEGURI_OK || block->count == 0) mg_edge_block_free(block);
    else if (stored.spilled) {
        mg_free(block->ends);
        mg_free(block->weights);
    }
    *block = (mg_edge_block){0};
    return status;
}

/* ---- blocks that have names of their own ------------------------------------------------------------------------ */

void mg_name_maps_free(mg_name_maps *maps) {
    mg_free(maps->ids);
    for (uint32_t c = 0; c < maps->column_count; c++) mg_free(maps->labels[c]);
    mg_free(maps->labels);
    *maps = (mg_name_maps){0};
}

static meguri_status merge(uint32_t **map, meguri_ctx *ctx, mg_name_table *table, uint64_t place,
                           const mg_names *local) {
    *map = mg_alloc_array(ctx, mg_names_count(local), sizeof **map, "the names of a block");
    return *map ? mg_name_table_merge(ctx, table, place, local, *map) : MEGURI_NO_MEMORY;
}

meguri_status mg_edges_merge_names(mg_name_maps *out, meguri_ctx *ctx, mg_edges *edges, uint64_t place,
                                   const mg_names *ids, mg_names *const *labels) {
    *out = (mg_name_maps){0};
    meguri_status status = MEGURI_OK;
    if (labels && edges->column_count) {
        out->labels = mg_alloc_array_zero(ctx, edges->column_count, sizeof *out->labels, "the names of a block");
        if (!out->labels) return MEGURI_NO_MEMORY;
        out->column_count = edges->column_count;
    }
    pthread_mutex_lock(&edges->lock);
    if (ids) status = merge(&out->ids, ctx, &edges->names, place, ids);
    for (uint32_t c = 0; labels && c < edges->column_count && status == MEGURI_OK; c++) {
        if (!labels[c]) continue;
        status = merge(&out->labels[c], ctx, &edges->columns[c].labels, place, labels[c]);
    }
    pthread_mutex_unlock(&edges->lock);
    if (status != MEGURI_OK) mg_name_maps_free(out);
    return status;
}

meguri_status mg_edges_add_mapped(meguri_ctx *ctx, mg_edges *edges, mg_edge_block *block, mg_name_maps *maps) {
    uint32_t *ends = block->ends;
    for (uint64_t i = 0; maps->ids && i < 2 * block->count; i++) ends[i] = maps->ids[ends[i]];
    for (uint32_t c = 0; c < maps->column_count; c++)
        for (uint64_t i = 0; maps->labels[c] && i < block->count; i++) {
            const uint8_t *validity = block->columns[c].validity;
            uint32_t *value = (uint32_t *)block->columns[c].values + i;
            if (!validity || mg_bit_at(validity, i)) *value = maps->labels[c][*value];
        }
    mg_name_maps_free(maps);
    return mg_edges_add(ctx, edges, block);
}

meguri_status mg_edges_borrow(meguri_ctx *ctx, mg_edges *edges, const mg_edge_block *block) {
    mg_stored_block stored = {.block = *block, .borrowed = true};
    return block->count ? add_block(ctx, edges, &stored) : MEGURI_OK;
}

meguri_status mg_edges_declare(meguri_ctx *ctx, mg_edges *edges, uint64_t first, uint64_t count) {
    if (count == 0) return MEGURI_OK;
    if (count > MG_MAX_VERTICES)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%" PRIu64 " vertices are more than the %" PRIu64 " that fit.", count,
                       MG_MAX_VERTICES);
    pthread_mutex_lock(&edges->lock);
    mg_id_range *declared =
        mg_resize(ctx, edges->declared, (edges->declared_count + 1) * sizeof *declared, "the ids of a header");
    if (declared) {
        edges->declared = declared;
        declared[edges->declared_count++] = (mg_id_range){first, count};
    }
    pthread_mutex_unlock(&edges->lock);
    return declared ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_edges_name(meguri_ctx *ctx, mg_edges *edges, uint64_t *ids, uint64_t count) {
    const char *what = "the ids of a vertex file";
    pthread_mutex_lock(&edges->lock);
    uint64_t **named = mg_resize(ctx, edges->named, (edges->named_arrays + 1) * sizeof *named, what);
    if (named) edges->named = named;
    uint64_t *counts =
        named ? mg_resize(ctx, edges->named_counts, (edges->named_arrays + 1) * sizeof *counts, what) : NULL;
    if (counts) {
        edges->named_counts = counts;
        named[edges->named_arrays] = ids;
        counts[edges->named_arrays++] = count;
    }
    pthread_mutex_unlock(&edges->lock);
    if (counts) return MEGURI_OK;
    mg_free(ids);
    return MEGURI_NO_MEMORY;
}

meguri_status mg_edges_slice(mg_edge_block *out, meguri_ctx *ctx, const mg_edges *edges, uint64_t block, uint64_t first,
                             void *scratch) {
    const mg_stored_block *s = &edges->blocks[block];
    size_t pair_bytes = 2 * s->block.id_bytes, weight_bytes = meguri_type_bytes(s->block.weight_type);
    *out = s->block;
    out->count = s->block.count - first;
    if (!s->spilled) {
        out->ends = (char *)s->block.ends + first * pair_bytes;
        out->weights = weight_bytes ? (char *)s->block.weights + first * weight_bytes : NULL;
        return MEGURI_OK;
    }
    out->count = MG_MIN(out->count, (uint64_t)MG_SLICE_EDGES);
    out->ends = scratch;
    out->weights = weight_bytes ? (char *)scratch + out->count * pair_bytes : NULL;
    const char *name = "a temporary file of edges";
    meguri_status status = mg_pread_all(ctx, edges->spill_fd, out->ends, out->count * pair_bytes,
                                        s->file_offset + first * pair_bytes, name);
    if (status == MEGURI_OK && weight_bytes)
        status = mg_pread_all(ctx, edges->spill_fd, out->weights, out->count * weight_bytes,
                              s->file_offset + mg_block_id_bytes(&s->block) + first * weight_bytes, name);
    return status;
}

void mg_edges_done(mg_edges *edges, uint64_t block) {
    mg_stored_block *s = &edges->blocks[block];
    if (!s->borrowed) {
        mg_free(s->block.ends);
        mg_free(s->block.weights);
    }
    s->block.ends = s->block.weights = NULL;
}

void mg_edges_column_done(mg_edges *edges, uint32_t column) {
    for (uint64_t i = 0; i < edges->block_count; i++) {
        mg_stored_block *s = &edges->blocks[i];
        mg_block_column *of = &s->block.columns[column];
        if (!s->borrowed) mg_free(of->values);
        if (!s->borrowed) mg_free(of->validity);
        of->values = of->validity = NULL;
    }
}

static int by_place(const void *a, const void *b) {
    const mg_stored_block *x = a, *y = b;
    if (x->block.place != y->block.place) return x->block.place < y->block.place ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

void mg_edges_number(mg_edges *edges) {
    uint64_t first = 0;
    for (uint64_t i = 0; i < edges->block_count; i++) edges->blocks[i].first = i; /* in the order they were added */
    if (edges->block_count) qsort(edges->blocks, edges->block_count, sizeof *edges->blocks, by_place);
    for (uint64_t i = 0; i < edges->block_count; i++) {
        edges->blocks[i].first = first;
        first += edges->blocks[i].block.count;
    }
}
