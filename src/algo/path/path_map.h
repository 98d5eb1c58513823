/* Vertices that a question has met, numbered as they come: what it knows about them lies in arrays by that number, so
 * that a question costs what it looks at and not what the graph has. */
#ifndef MG_PATH_MAP_H
#define MG_PATH_MAP_H

#include "algo/path/path.h"

/* An open-addressing table of vertices, never more than half full. */
typedef struct mg_path_map {
    uint32_t *vertices; /* by local number */
    uint32_t count, room;
    uint32_t *table; /* local numbers; MG_NO_VERTEX where empty */
    uint32_t mask;
} mg_path_map;

meguri_status mg_path_map_new(mg_path_map *map, mg_path_question *question);
void mg_path_map_free(mg_path_map *map);
/* Forgets all vertices; takes about as long as they are many. */
void mg_path_map_clear(mg_path_map *map);
/* Room for another vertex. Arrays that go with the map grow when `room` does. When time is over meanwhile, the question
 * knows, and vertices may be missing. */
meguri_status mg_path_map_grow(mg_path_map *map, mg_path_question *question);

/* The place in the table where a vertex is, or would be. Multiplication spreads neighbours that lie side by side. */
static inline uint32_t mg_path_map_place(const mg_path_map *map, uint32_t vertex) {
    uint32_t place = (uint32_t)((vertex * 0x9e3779b97f4a7c15u) >> 32) & map->mask;
    while (map->table[place] != MG_NO_VERTEX && map->vertices[map->table[place]] != vertex)
        place = (place + 1) & map->mask;
    return place;
}

/* The local number; MG_NO_VERTEX where it was not met. */
static inline uint32_t mg_path_map_find(const mg_path_map *map, uint32_t vertex) {
    return map->table[mg_path_map_place(map, vertex)];
}

/* The local number of a vertex that is new if *added; there is room for it (map->count < map->room). */
static inline uint32_t mg_path_map_add(mg_path_map *map, uint32_t vertex, bool *added) {
    uint32_t place = mg_path_map_place(map, vertex), local = map->table[place];
    *added = local == MG_NO_VERTEX;
    if (!*added) return local;
    map->vertices[map->count] = vertex;
    return map->table[place] = map->count++;
}

#endif
