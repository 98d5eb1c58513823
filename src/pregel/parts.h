/* A graph that lies in parts, as vertex programs need it (parts.c). */
#ifndef MG_PREGEL_PARTS_H
#define MG_PREGEL_PARTS_H

#include "pregel/edges.h"
#include "pregel/pregel.h"

struct mg_pregel_parts {
    mg_shards *shards;
    uint32_t *numbers;               /* by position, of all vertices; NULL: the position, or there is one process */
    uint32_t *position_of;           /* by number; NULL: the number */
    uint32_t *to_internal, *to_user; /* the order of the file; NULL: by position */
    uint32_t *own_positions;         /* by place; NULL: worker + place * workers */
    uint32_t *own_in_order;
    mg_shards everyone; /* vertices without arcs are owned, too */
};

/* All processes call these. */
meguri_status mg_pregel_parts_open(mg_pregel_parts **out, meguri_ctx *ctx, mg_shards *shards);
void mg_pregel_parts_close(mg_pregel_parts *parts);

/* Rows of this process's vertices, by place; ends are positions. */
typedef struct mg_pregel_parts_rows {
    uint64_t rows, arcs, bytes;
    uint64_t *offsets;
    uint32_t *ends;
    char *values; /* of edges->to */
} mg_pregel_parts_rows;
/* Values of a column, for the arcs of the tiles; nothing where it is none, or the weight. */
typedef struct mg_pregel_parts_values {
    void *of_tile[2];
} mg_pregel_parts_values;
meguri_status mg_pregel_parts_values_new(mg_pregel_parts_values *out, meguri_ctx *ctx, const mg_pregel_parts *parts,
                                         const char *column);
void mg_pregel_parts_values_free(mg_pregel_parts_values *values);
/* Out-rows, or in-rows: each by position, or in the order of the file. */
meguri_status mg_pregel_parts_rows_new(mg_pregel_parts_rows *out, meguri_ctx *ctx, const mg_pregel_parts *parts,
                                       const mg_edge_values *edges, const mg_pregel_parts_values *columns,
                                       uint64_t count, bool backwards, bool by_position);
void mg_pregel_parts_rows_free(mg_pregel_parts_rows *rows);

/* Values of this process's vertices, by place, to the homes of their positions. */
meguri_status mg_pregel_parts_to_homes(meguri_ctx *ctx, mg_pregel_parts *parts, void *out, const void *values,
                                       size_t bytes);

/* The position of the vertex at a place of a window. */
static inline uint32_t mg_parts_position(const mg_pregel_parts *p, const mg_window *window, uint32_t size,
                                         uint32_t place) {
    uint64_t number = mg_window_number(window, size, place);
    return p->position_of ? p->position_of[number] : (uint32_t)number;
}

#endif
