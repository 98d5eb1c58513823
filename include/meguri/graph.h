/* Graphs: building them from arrays, asking what they are, ids, neighbours.
 *
 * A graph lies whole in the memory of this process, or in parts at the processes of a cluster (cluster.h). The
 * functions are the same; of a graph in parts all processes call them, in the same order and with the same arguments,
 * and those that need all of it at once, as neighbours do, refuse.
 *
 * A graph is immutable once built and may be shared between threads. It is counted: searches, finders, writers and the
 * like hold their graph, so that all of them, the graph and contexts may be freed in any order. A vertex is a number
 * from 0 to vertices-1: its position in the user's order (increasing for integer ids, by first appearance for strings).
 * However the graph is arranged inside, nothing here shows it; rows.h does. */
#ifndef MEGURI_GRAPH_H
#define MEGURI_GRAPH_H

#include <meguri/context.h>
#include <meguri/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_graph meguri_graph;

/* How a graph lies in parts at the processes of a cluster (cluster.h). */
typedef struct meguri_layout meguri_layout;

/* An index for cheapest paths (path.h). */
typedef struct meguri_path_index meguri_path_index;

/* What does the work. One that is asked for by name is used, or the call is refused with the reason. */
typedef enum meguri_engine {
    MEGURI_ENGINE_AUTO = 0,    /* the one that goes with where the graph lies */
    MEGURI_ENGINE_HOST = 1,    /* the threads of this process */
    MEGURI_ENGINE_CLUSTER = 2, /* the processes of a cluster, each with its threads */
    MEGURI_ENGINE_DEVICE = 3 /* a GPU or another compute device (device.h), of a graph in the memory of this process */
} meguri_engine;
const char *meguri_engine_name(meguri_engine engine);

typedef enum meguri_id_kind { MEGURI_ID_UNSIGNED = 0, MEGURI_ID_SIGNED = 1, MEGURI_ID_STRING = 2 } meguri_id_kind;

/* How vertices are arranged inside; results never show it, only speed does. */
typedef enum meguri_order {
    MEGURI_ORDER_AUTO = 0,   /* degree for skewed graphs, breadth-first for sparse even ones, else none */
    MEGURI_ORDER_DEGREE = 1, /* falling degree, isolated vertices last */
    MEGURI_ORDER_BFS = 2,    /* neighbours near each other, isolated vertices last */
    MEGURI_ORDER_NONE = 3    /* as the user's */
} meguri_order;

typedef enum meguri_direction {
    MEGURI_DIRECTION_DEFAULT = 0, /* what the format says; directed for arrays */
    MEGURI_DIRECTED = 1,
    MEGURI_UNDIRECTED = 2 /* every edge is stored both ways */
} meguri_direction;

/* What becomes of parallel edges: those of one direction between two vertices, or of an undirected graph all of them.
 * All but the last make them one edge. Where several have the weight that is kept, the first of these in the input is
 * kept, with its columns; sums and counts have the columns of the first edge. */
typedef enum meguri_duplicates {
    MEGURI_DUPLICATES_MIN = 0, /* the edge with the smallest weight */
    MEGURI_DUPLICATES_MAX = 1, /* … the largest weight */
    MEGURI_DUPLICATES_SUM = 2, /* an edge with the sum of the weights. Whole numbers are added exactly, and a sum above
                                  2^53 is refused; others with an error below one unit in the last place, finite or
                                  refused. Without weights there is nothing to add */
    MEGURI_DUPLICATES_FIRST = 3, /* the edge that comes first in the input */
    MEGURI_DUPLICATES_COUNT = 4, /* an edge whose weight is their number; weights of the input are not read */
    MEGURI_DUPLICATES_KEEP = 5   /* all of them */
} meguri_duplicates;

typedef struct meguri_build_options {
    size_t size; /* sizeof(meguri_build_options) */
    meguri_direction direction;
    meguri_order order;
    meguri_duplicates duplicates;
    int keep_loops; /* 0: edges from a vertex to itself are dropped */
    int ignore_weights;
    const meguri_layout *layout; /* NULL: whole, in the memory of this process */
    int in_rows; /* 1: rows backwards are kept in the graph and its file, so that nobody makes them again; of undirected
                    graphs there are none. Not with a layout */
} meguri_build_options;
void meguri_build_options_init(meguri_build_options *options, size_t size);

/* What edges carry beside their weight (columns.h). */
typedef struct meguri_column_data meguri_column_data;

/* Edges in the caller's memory; read, never changed, not needed after the call. The i-th edge goes from
 * the id at (char *)from + i * stride to the one at (char *)to + i * stride. */
typedef struct meguri_edge_arrays {
    size_t size; /* sizeof(meguri_edge_arrays) */
    uint64_t count;
    const void *from, *to;
    uint32_t id_bytes; /* 4 or 8; 0 means 8 */
    int signed_ids;
    uint64_t stride;         /* in bytes; 0: no gaps */
    const void *weights;     /* without gaps; NULL: none */
    meguri_type weight_type; /* any type of numbers; integers from -2^53 to 2^53 */
    uint64_t vertices;       /* 0: the ids that occur are the vertices; N: the vertices are 0…N-1 */
    const meguri_column_data *columns;
    uint32_t column_count;
} meguri_edge_arrays;

/* O(edges) time; memory at the peak about that of the input and of the graph together. No layout: meguri_graph_spread.
 */
meguri_status meguri_graph_from_edges(meguri_graph **out, meguri_ctx *ctx, const meguri_edge_arrays *edges,
                                      const meguri_build_options *options);
void meguri_graph_free(meguri_graph *graph);

typedef struct meguri_graph_info {
    size_t size; /* set by the caller to sizeof(meguri_graph_info) */
    uint64_t vertices;
    uint64_t arcs;     /* stored arcs: an undirected edge counts twice, an undirected loop once */
    uint64_t edges;    /* edges as the user counts them */
    uint64_t isolated; /* vertices with no edge at all */
    int directed;
    int has_coordinates;
    meguri_type weight_type; /* that weights were declared to have; types of results follow it. Of text that does not
                                say it is that of the storage: an integer if all are whole numbers below 2^32 */
    meguri_id_kind id_kind;
    meguri_order order;          /* never AUTO: what was chosen */
    uint64_t input_edges;        /* edges read before any were dropped */
    uint64_t dropped_duplicates; /* input edges merged into another */
    uint64_t dropped_loops;
    uint64_t file_bytes; /* of the .meg file it was opened from; 0 for a graph made in memory */
    uint32_t processes;  /* that have it in parts; 1: it is whole */
    uint64_t first,
        count; /* the vertices whose items the columns of results have here: all, or those of this process */
    uint32_t edge_columns; /* columns.h */
    int in_rows;           /* rows backwards are kept */
    uint32_t vertex_columns;
    int has_path_index; /* it was opened with one (path.h) */
    /* What it takes now, without what it shares with a base (columns.h) or with the caller; 0 in parts. */
    uint64_t memory_bytes; /* allocated, with the forms that were made on demand (meguri_graph_prepare): they count in
                              the memory budget until the graph is freed, also after their context */
    uint64_t mapped_bytes; /* of files: the one that it was opened from, and temporary ones */
    meguri_type weight_storage; /* what weights are stored as: the smallest type that holds all of them */
} meguri_graph_info;

/* O(columns): reads nothing but the head of a file. */
meguri_status meguri_graph_get_info(meguri_graph_info *out, meguri_ctx *ctx, const meguri_graph *graph);

/* Reads everything that the graph consists of and checks all that can be known without a search, in parallel: hashes,
 * bounds, order, that an undirected graph has every edge both ways, that ids are different, that an index of paths is
 * one of this graph (docs/meg-format.md has the list). O(vertices + arcs · log(degree)). */
meguri_status meguri_graph_verify(meguri_ctx *ctx, const meguri_graph *graph);

/* What is made of a graph at its first use and kept with it. */
typedef enum meguri_graph_form {
    MEGURI_FORM_TRANSPOSE = 1,   /* the rows of in-edges of a directed graph; in-degrees come from them, too */
    MEGURI_FORM_EDGE_NUMBERS = 2 /* the number of the edge of each arc (rows.h), in the transpose as well where that is
                                    asked for or kept; a directed graph needs none for its out-edges */
} meguri_graph_form;

/* Makes them in advance, so that no later call takes the time: `forms` is a sum of meguri_graph_form. Those that are
 * there already cost nothing. */
meguri_status meguri_graph_prepare(meguri_ctx *ctx, const meguri_graph *graph, unsigned forms);

/* Out-degrees (stored arcs) of the vertices first … first+count-1. */
meguri_status meguri_graph_degrees(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t first,
                                   uint64_t count);
/* In-degrees; made and kept at the first use for directed graphs. */
meguri_status meguri_graph_in_degrees(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t first,
                                      uint64_t count);

/* The neighbours of a vertex, increasing, at most `capacity` of them, and their number in *count; with the weights and
 * the numbers (rows.h) of the edges that lead there, either of which may be NULL. An unweighted edge weighs 1.
 * O(d log d); whole graphs are read faster as arrays (rows.h). */
meguri_status meguri_graph_neighbors(uint64_t *neighbors, double *weights, uint64_t *edges, uint64_t capacity,
                                     uint64_t *count, meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex);
/* Where edges come from instead of where they go. */
meguri_status meguri_graph_in_neighbors(uint64_t *neighbors, double *weights, uint64_t *edges, uint64_t capacity,
                                        uint64_t *count, meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex);

/* Integer ids of a range of vertices (signed ones as int64_t in the same bits). O(count): only the part of
 * the file that holds the range is read. */
meguri_status meguri_graph_ids(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t first,
                               uint64_t count);
/* String ids: out[i] points into the graph, length[i] bytes, not zero-terminated. */
meguri_status meguri_graph_names(const char **out, size_t *length, meguri_ctx *ctx, const meguri_graph *graph,
                                 uint64_t first, uint64_t count);

/* The vertex that has an id. MEGURI_NOT_FOUND where there is none. O(log vertices) or better. */
meguri_status meguri_graph_find(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, uint64_t id);
meguri_status meguri_graph_find_name(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, const char *name,
                                     size_t length);
/* The same from the text a user typed, whatever kind of ids the graph has. */
meguri_status meguri_graph_find_text(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, const char *text);
/* The same for people: the sentence about a name that is not there tells those that are like it, for which it looks
 * around for a quarter of a second at most. */
meguri_status meguri_graph_find_like(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, const char *text);
/* And back: the id of a vertex as text, whatever kind it has, ended by a zero and cut to `room` bytes; *length (may be
 * NULL) is that of the whole text. */
meguri_status meguri_graph_id_text(char *out, size_t room, size_t *length, meguri_ctx *ctx, const meguri_graph *graph,
                                   uint64_t vertex);

/* x and y (longitude and latitude, or planar) of a range of vertices, in the units of the input; NaN where a
 * vertex has none. */
meguri_status meguri_graph_coordinates(double *x, double *y, meguri_ctx *ctx, const meguri_graph *graph, uint64_t first,
                                       uint64_t count);

const char *meguri_id_kind_name(meguri_id_kind kind);
const char *meguri_order_name(meguri_order order);

/* ---- caches ----------------------------------------------------------------------------------------------------- */

/* Of a graph that is a cache of something else, such as a database: which generation it is, and when it was extracted.
 * A .meg file keeps it. */
typedef struct meguri_generation {
    size_t size;     /* sizeof(meguri_generation) */
    uint64_t number; /* from 1; 0: the graph is no cache, or does not say */
    uint64_t time;   /* seconds since the beginning of 1970, UTC; at most those of the year 9999 */
} meguri_generation;

/* That of the file which the graph was opened from; meguri_save gives a file one. */
meguri_status meguri_graph_generation(meguri_generation *out, meguri_ctx *ctx, const meguri_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
