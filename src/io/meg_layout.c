/* The rules that the numbers of a graph and the sizes of its parts obey, in memory and in a .meg file alike.
 *
 * The one place that says which sections a file has and how large they are: opening checks a foreign file against
 * it, saving checks our own graph, so that nothing is written that could not be opened. No number here is trusted
 * before it is bounded: every product is checked for overflow. */
#include "io/meg.h"

static const struct {
    uint32_t number;
    bool must_know;
    const char *name;
} parts[MG_PART_FIXED] = {
    [MG_PART_OFFSETS] = {1, true, "row offsets"},
    [MG_PART_NEIGHBORS] = {2, true, "neighbours"},
    [MG_PART_WEIGHTS] = {3, true, "weights"},
    [MG_PART_TO_USER] = {4, true, "internal-to-user map"},
    [MG_PART_TO_INTERNAL] = {5, true, "user-to-internal map"},
    [MG_PART_IDS] = {6, true, "ids"},
    [MG_PART_NAME_OFFSETS] = {7, true, "name offsets"},
    [MG_PART_NAMES] = {8, true, "names"},
    [MG_PART_NAME_INDEX] = {9, false, "name index"},
    [MG_PART_COORDINATES] = {10, false, "coordinates"},
    [MG_PART_INDEX_FACTS] = {11, false, "path index facts"},
    [MG_PART_INDEX_HEIGHTS] = {12, false, "path index heights"},
    [MG_PART_INDEX_ROWS] = {13, false, "path index rows"},
    [MG_PART_INDEX_EDGES] = {14, false, "path index edges"},
    [MG_PART_INDEX_HALVES] = {15, false, "path index halves"},
    [MG_PART_COLUMNS] = {16, false, "columns of edges"},
    [MG_PART_COLUMN_TEXTS] = {17, false, "names of columns"},
    [MG_PART_IN_OFFSETS] = {18, false, "row offsets backwards"},
    [MG_PART_IN_NEIGHBORS] = {19, false, "neighbours backwards"},
    [MG_PART_IN_WEIGHTS] = {20, false, "weights backwards"},
    [MG_PART_IN_ARCS] = {21, false, "arcs of rows backwards"},
    [MG_PART_VERTEX_COLUMNS] = {22, false, "columns of vertices"},
    [MG_PART_VERTEX_TEXTS] = {23, false, "names of columns of vertices"},
    [MG_PART_GENERATION] = {24, false, "numbers of the generation"},
};

/* Pieces of columns: the number of that of column 0, and those that follow are for the others. The first columns have
 * had their numbers since there were columns; what came later has numbers further on. */
enum { MOST_COLUMNS = 1 << 24 };
static const struct {
    uint32_t first_number, first_columns; /* of the first columns */
    uint32_t number;                      /* of all others */
    const char *name;
} pieces[2][MG_COLUMN_PIECES] = {
    [MG_OF_EDGES] = {[MG_COLUMN_VALUES] = {256, 64, 1u << 24, "values of a column"},
                     [MG_COLUMN_VALIDITY] = {0, 0, 3u << 24, "missing values of a column"}},
    [MG_OF_VERTICES] = {[MG_COLUMN_VALUES] = {512, 16, 2u << 24, "values of a column of vertices"},
                        [MG_COLUMN_VALIDITY] = {0, 0, 4u << 24, "missing values of a column of vertices"}},
};

static uint32_t number_of_piece(const mg_column_place *place) {
    uint32_t first = pieces[place->set][place->piece].first_number;
    return (place->column < pieces[place->set][place->piece].first_columns ? first
                                                                           : pieces[place->set][place->piece].number) +
           place->column;
}

uint32_t mg_meg_number(const meguri_graph *graph, mg_part part) {
    mg_column_place place;
    return mg_part_is_column(&place, graph, part) ? number_of_piece(&place) : parts[part].number;
}

const char *mg_meg_part_name(const meguri_graph *graph, mg_part part) {
    mg_column_place place;
    return mg_part_is_column(&place, graph, part) ? pieces[place.set][place.piece].name : parts[part].name;
}

bool mg_meg_must_know(const meguri_graph *graph, mg_part part) {
    mg_column_place place;
    return mg_part_is_column(&place, graph, part) ? place.piece == MG_COLUMN_VALIDITY : parts[part].must_know;
}

int mg_meg_part(const meguri_graph *graph, uint32_t number) {
    for (int part = 0; part < MG_PART_FIXED; part++)
        if (parts[part].number == number) return part;
    for (int set = 0; set < 2; set++)
        for (int piece = 0; piece < MG_COLUMN_PIECES; piece++) {
            mg_column_place place = {.set = (mg_column_set)set, .piece = (mg_column_piece)piece};
            bool first = number < (1u << 24);
            place.column = number - (first ? pieces[set][piece].first_number : pieces[set][piece].number);
            if (place.column < graph->columns[set] && number_of_piece(&place) == number)
                return (int)mg_column_part(graph, place.set, place.column, place.piece);
        }
    return -1;
}

/* Values have the size that they share the section out to; that it is the one of their type is looked at with the types
 * (mg_columns_trouble). */
static uint32_t value_bytes(const meguri_graph *g, mg_part part, const mg_column_place *place) {
    uint64_t bytes = g->part[part].bytes, items = mg_columns_items(g, place->set);
    if (place->piece == MG_COLUMN_VALIDITY) return 1;
    return items && bytes % items == 0 && bytes / items <= 8 ? (uint32_t)(bytes / items) : 1;
}

uint32_t mg_meg_element_bytes(const meguri_graph *graph, mg_part part) {
    mg_column_place place;
    switch (part) {
    case MG_PART_IN_ARCS:
    case MG_PART_IN_OFFSETS:
    case MG_PART_OFFSETS: return graph->offset_bytes;
    case MG_PART_IN_WEIGHTS:
    case MG_PART_WEIGHTS: return (uint32_t)meguri_type_bytes(graph->weight_type);
    case MG_PART_IDS:
    case MG_PART_INDEX_FACTS:
    case MG_PART_INDEX_HALVES:
    case MG_PART_NAME_OFFSETS: return 8;
    case MG_PART_GENERATION:
    case MG_PART_COLUMNS:
    case MG_PART_VERTEX_COLUMNS: return 8;
    case MG_PART_COLUMN_TEXTS:
    case MG_PART_VERTEX_TEXTS:
    case MG_PART_NAMES: return 1;
    case MG_PART_COORDINATES: return 16;
    default: return mg_part_is_column(&place, graph, part) ? value_bytes(graph, part, &place) : 4;
    }
}

const char *mg_meg_check_numbers(const meguri_graph *g) {
    if (g->vertices > MG_MAX_VERTICES) return "it has more vertices than 32 bits can number";
    if (g->rows > g->vertices) return "it has more rows than vertices";
    if (g->isolated > g->vertices || g->isolated < g->vertices - g->rows)
        return "its numbers of rows and of isolated vertices contradict each other";
    if (g->offset_bytes != 4 && g->offset_bytes != 8) return "its row offsets have neither 4 nor 8 bytes";
    if (g->arcs > (g->offset_bytes == 4 ? UINT32_MAX : (uint64_t)INT64_MAX)) return "it has more arcs than it can hold";
    if (g->rows == 0 && g->arcs > 0) return "it has arcs but no rows";
    if (g->edges > g->arcs || (g->directed ? g->edges != g->arcs : g->arcs - g->edges > g->edges))
        return "its numbers of arcs and of edges contradict each other";
    if (g->weight_type != MEGURI_TYPE_NONE && !mg_type_is_weight(g->weight_type))
        return "it has a type of weights that is not known";
    if (g->declared_weights && !(mg_type_is_number(g->declared_weights) && g->weight_type))
        return "it has a declared type of weights that is not known, or no weights";
    if ((unsigned)g->id_kind > MEGURI_ID_STRING) return "it has a kind of ids that is not known";
    if (g->order < MEGURI_ORDER_DEGREE || g->order > MEGURI_ORDER_NONE) return "it has an order that is not known";
    return NULL;
}

/* Where ids are id_base, id_base+1, … the last must not wrap around. */
static bool ids_wrap(const meguri_graph *g) {
    if (g->part[MG_PART_IDS].data || g->id_kind == MEGURI_ID_STRING || g->vertices == 0) return false;
    uint64_t last = g->vertices - 1;
    if (g->id_kind == MEGURI_ID_UNSIGNED) return g->id_base > UINT64_MAX - last;
    return (int64_t)g->id_base > INT64_MAX - (int64_t)last;
}

/* Elements that a part has if it is there; the name index, the names and the edges of a path index are free within
 * limits of their own. */
static uint64_t expected_elements(const meguri_graph *g, mg_part part) {
    switch (part) {
    case MG_PART_IN_OFFSETS:
    case MG_PART_OFFSETS: return g->rows + 1;
    case MG_PART_IN_ARCS:
    case MG_PART_IN_NEIGHBORS:
    case MG_PART_IN_WEIGHTS:
    case MG_PART_NEIGHBORS:
    case MG_PART_WEIGHTS: return g->arcs;
    case MG_PART_INDEX_FACTS: return sizeof(mg_index_facts) / 8;
    case MG_PART_GENERATION: return sizeof(mg_generation) / 8;
    case MG_PART_INDEX_ROWS:
    case MG_PART_NAME_OFFSETS: return g->vertices + 1;
    default: return g->vertices;
    }
}

static bool size_fits(const meguri_graph *g, mg_part part) {
    uint64_t bytes = g->part[part].bytes, exact;
    mg_column_place place;
    if (part == MG_PART_NAMES || part == MG_PART_COLUMN_TEXTS || part == MG_PART_VERTEX_TEXTS)
        return bytes <= INT64_MAX;
    if (part == MG_PART_COLUMNS || part == MG_PART_VERTEX_COLUMNS)
        return bytes && bytes == mg_columns_count(g, part == MG_PART_VERTEX_COLUMNS) * sizeof(mg_column);
    if (mg_part_is_column(&place, g, part)) { /* 1, 2, 4 or 8 bytes for each arc, or vertex */
        uint64_t size = value_bytes(g, part, &place);
        if (place.piece == MG_COLUMN_VALIDITY) return bytes == mg_bits_bytes(mg_columns_items(g, place.set));
        return (size & (size - 1)) == 0 && size && bytes == mg_columns_items(g, place.set) * size;
    }
    if (part == MG_PART_NAME_INDEX) {
        uint64_t slots = bytes / 4;
        return bytes % 4 == 0 && slots > g->vertices && (slots & (slots - 1)) == 0;
    }
    if (part == MG_PART_INDEX_EDGES) return true; /* looked at with the halves, which come after it */
    if (part == MG_PART_INDEX_HALVES)
        return mg_index_sizes(g->part[MG_PART_INDEX_EDGES].bytes, g->part[MG_PART_INDEX_HALVES].bytes);
    if (__builtin_mul_overflow(expected_elements(g, part), (uint64_t)mg_meg_element_bytes(g, part), &exact))
        return false;
    return bytes == exact;
}

static bool is_forbidden(const meguri_graph *g, mg_part part) {
    switch (part) {
    case MG_PART_WEIGHTS: return g->weight_type == MEGURI_TYPE_NONE;
    case MG_PART_IDS: return g->id_kind == MEGURI_ID_STRING;
    case MG_PART_NAME_OFFSETS:
    case MG_PART_NAMES:
    case MG_PART_NAME_INDEX: return g->id_kind != MEGURI_ID_STRING;
    case MG_PART_COLUMN_TEXTS: return !g->part[MG_PART_COLUMNS].data;
    case MG_PART_VERTEX_TEXTS: return !g->part[MG_PART_VERTEX_COLUMNS].data;
    case MG_PART_IN_OFFSETS:
    case MG_PART_IN_NEIGHBORS: return !g->directed || !g->arcs;
    case MG_PART_IN_WEIGHTS: return !g->directed || !g->arcs || g->weight_type == MEGURI_TYPE_NONE;
    case MG_PART_IN_ARCS: return !g->directed || !g->arcs || !mg_graph_column_count(g);
    default: return false;
    }
}

/* The parts of a path index are there together. */
static bool has_index(const meguri_graph *g) {
    bool has = false;
    for (int part = MG_PART_INDEX_FACTS; part <= MG_PART_INDEX_HALVES; part++) has |= g->part[part].data != NULL;
    return has;
}

/* So are rows backwards. */
static bool has_in_rows(const meguri_graph *g) {
    bool has = false;
    for (int part = MG_PART_IN_OFFSETS; part <= MG_PART_IN_ARCS; part++) has |= g->part[part].data != NULL;
    return has;
}

static bool is_required(const meguri_graph *g, mg_part part) {
    mg_column_place place;
    switch (part) {
    case MG_PART_OFFSETS: return g->rows > 0;
    case MG_PART_NEIGHBORS: return g->arcs > 0;
    case MG_PART_WEIGHTS: return g->arcs > 0 && g->weight_type != MEGURI_TYPE_NONE;
    case MG_PART_TO_USER: return g->part[MG_PART_TO_INTERNAL].data != NULL;
    case MG_PART_TO_INTERNAL: return g->part[MG_PART_TO_USER].data != NULL;
    case MG_PART_NAME_OFFSETS:
    case MG_PART_NAMES:
    case MG_PART_NAME_INDEX: return g->id_kind == MEGURI_ID_STRING && g->vertices > 0;
    case MG_PART_INDEX_FACTS:
    case MG_PART_INDEX_HEIGHTS:
    case MG_PART_INDEX_ROWS:
    case MG_PART_INDEX_EDGES:
    case MG_PART_INDEX_HALVES: return has_index(g);
    case MG_PART_COLUMN_TEXTS: return g->part[MG_PART_COLUMNS].data != NULL;
    case MG_PART_VERTEX_TEXTS: return g->part[MG_PART_VERTEX_COLUMNS].data != NULL;
    case MG_PART_IN_OFFSETS:
    case MG_PART_IN_NEIGHBORS: return has_in_rows(g);
    case MG_PART_IN_WEIGHTS: return has_in_rows(g) && g->weight_type != MEGURI_TYPE_NONE;
    case MG_PART_IN_ARCS: return has_in_rows(g) && mg_graph_column_count(g);
    default:
        return mg_part_is_column(&place, g, part) && place.piece == MG_COLUMN_VALUES && mg_columns_items(g, place.set);
    }
}

const char *mg_meg_check_parts(const meguri_graph *g, mg_part *culprit) {
    for (uint32_t i = 0; i < g->part_count; i++) {
        mg_part part = *culprit = (mg_part)i;
        bool there = g->part[part].data != NULL;
        if (there && is_forbidden(g, part)) return "must not be there";
        if (!there && is_required(g, part)) return "are not there";
        if (there && !size_fits(g, part)) return "do not have the size that the header says";
    }
    *culprit = MG_PART_IDS;
    if (ids_wrap(g)) return "run past the largest number";
    return NULL;
}
