/* What goes where in a .meg file: sections, each on a page of its own, and the head with their hashes. */
#include "io/meg.h"

#include <xxhash.h>

static uint64_t next_page(uint64_t at) { return (at + MG_MEG_PAGE - 1) / MG_MEG_PAGE * MG_MEG_PAGE; }

static void place_sections(mg_meg_plan *p) {
    uint64_t *hashes = p->hashes;
    p->head_bytes = sizeof(mg_meg_header) + p->sections * sizeof(mg_meg_entry);
    p->file_bytes = p->head_bytes;
    for (uint32_t i = 0; i < p->sections; i++) {
        mg_meg_planned *s = &p->section[i];
        s->hashes = hashes;
        hashes += s->chunks;
        s->offset = next_page(p->file_bytes);
        p->file_bytes = s->offset + mg_meg_list_at(s->bytes) + s->chunks * 8;
    }
}

meguri_status mg_meg_plan_make(mg_meg_plan *p, meguri_ctx *ctx, const char *path) {
    const meguri_graph *graph = p->graph;
    mg_part culprit;
    const char *wrong = mg_meg_check_numbers(graph);
    if (wrong) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "cannot save the graph to %s: %s.", path, wrong);
    wrong = mg_meg_check_parts(graph, &culprit);
    if (wrong)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "cannot save the graph to %s: its %s %s.", path,
                       mg_meg_part_name(graph, culprit), wrong);
    p->section = mg_alloc_array(ctx, graph->part_count, sizeof *p->section, "the sections of a .meg file");
    if (!p->section) return MEGURI_NO_MEMORY;
    for (uint32_t part = 0; part < graph->part_count; part++) {
        const mg_part_data *data = &graph->part[part];
        if (!data->data) continue;
        mg_meg_planned *s = &p->section[p->sections++];
        *s = (mg_meg_planned){.part = (mg_part)part, .data = data->data, .bytes = data->bytes};
        s->chunks = mg_meg_chunks(s->bytes, MG_MEG_CHUNK_LOG2);
        p->chunks += s->chunks;
        p->work += s->bytes;
    }
    p->hashes = mg_alloc_array_zero(ctx, p->chunks, 8, "the checksums of a .meg file");
    if (!p->hashes) return MEGURI_NO_MEMORY;
    place_sections(p);
    if (p->head_bytes > MG_MEG_MAX_HEAD)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "cannot save the graph to %s: it has too many columns.", path);
    p->head = mg_alloc(ctx, p->head_bytes, "the head of a .meg file");
    return p->head ? MEGURI_OK : MEGURI_NO_MEMORY;
}

void mg_meg_plan_free(mg_meg_plan *p) {
    mg_free(p->section);
    mg_free(p->hashes);
    mg_free(p->head);
}

/* ---- head ------------------------------------------------------------------------------------------------------- */

static mg_meg_header header_of(const mg_meg_plan *p) {
    const meguri_graph *g = p->graph;
    bool later = false; /* sections that 1.0 did not have */
    for (uint32_t i = 0; i < p->sections; i++) later |= mg_meg_number(g, p->section[i].part) > MG_MEG_FIRST_SECTIONS;
    mg_meg_header h = {
        .major = MG_MEG_MAJOR,
        .minor = later ? MG_MEG_MINOR_LATER : MG_MEG_MINOR,
        .header_bytes = sizeof h,
        .file_bytes = p->file_bytes,
        .vertices = g->vertices,
        .rows = g->rows,
        .arcs = g->arcs,
        .edges = g->edges,
        .isolated = g->isolated,
        .id_base = g->id_base,
        .input_edges = g->input_edges,
        .dropped_duplicates = g->dropped_duplicates,
        .dropped_loops = g->dropped_loops,
        .flags = g->directed ? MG_MEG_DIRECTED : 0,
        .weight_type = mg_type_code(g->weight_type),
        .id_kind = (uint8_t)g->id_kind,
        .order = (uint8_t)g->order,
        .offset_bytes = (uint8_t)g->offset_bytes,
        .sections = p->sections,
        .entry_bytes = sizeof(mg_meg_entry),
        .chunk_log2 = MG_MEG_CHUNK_LOG2,
        .declared_weights = mg_graph_declared(g) == g->weight_type ? 0 : mg_type_code(g->declared_weights),
    };
    memcpy(h.magic, MG_MEG_MAGIC, sizeof h.magic);
    return h;
}

void mg_meg_head(mg_meg_plan *p) {
    unsigned char *head = p->head;
    mg_meg_header header = header_of(p);
    for (uint32_t i = 0; i < p->sections; i++) {
        const mg_meg_planned *s = &p->section[i];
        mg_meg_entry entry = {
            .number = mg_meg_number(p->graph, s->part),
            .flags = mg_meg_must_know(p->graph, s->part) ? MG_MEG_MUST_KNOW : 0,
            .element_bytes = mg_meg_element_bytes(p->graph, s->part),
            .offset = s->offset,
            .bytes = s->bytes,
            .list_hash = XXH3_64bits(s->hashes, s->chunks * 8),
        };
        memcpy(head + sizeof header + i * sizeof entry, &entry, sizeof entry);
    }
    memcpy(head, &header, sizeof header);
    header.head_hash = XXH3_64bits(head, p->head_bytes);
    memcpy(head, &header, sizeof header);
}
