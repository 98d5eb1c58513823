/* The table of vertices that a question has met. */
#include "algo/path/path_map.h"

#define FIRST_ROOM 64

static void empty(mg_path_map *map) { memset(map->table, 0xff, ((size_t)map->mask + 1) * sizeof *map->table); }

/* A large table takes longer than a user is to wait. */
static void fill(mg_path_map *map, mg_path_question *q) {
    empty(map);
    for (uint32_t i = 0; i < map->count && !mg_path_time_over(q); i++)
        map->table[mg_path_map_place(map, map->vertices[i])] = i;
}

/* Room doubles; the table has two places for each vertex. */
meguri_status mg_path_map_grow(mg_path_map *map, mg_path_question *q) {
    meguri_ctx *ctx = q->ctx;
    if (map->room > UINT32_MAX / 4)
        return mg_fail(ctx, MEGURI_NO_MEMORY, "a path question met more than %u vertices; limit it.", map->room);
    uint32_t room = map->room ? 2 * map->room : FIRST_ROOM;
    uint32_t *vertices = mg_resize(ctx, map->vertices, room * sizeof *vertices, "vertices of a path question");
    if (!vertices) return MEGURI_NO_MEMORY;
    map->vertices = vertices;
    uint32_t *table = mg_alloc_array(ctx, 2 * (uint64_t)room, sizeof *table, "vertices of a path question");
    if (!table) return MEGURI_NO_MEMORY;
    mg_free(map->table);
    map->table = table;
    map->mask = 2 * room - 1;
    map->room = room;
    fill(map, q);
    return MEGURI_OK;
}

meguri_status mg_path_map_new(mg_path_map *map, mg_path_question *q) {
    *map = (mg_path_map){0};
    return mg_path_map_grow(map, q);
}

void mg_path_map_free(mg_path_map *map) {
    mg_free(map->vertices);
    mg_free(map->table);
    *map = (mg_path_map){0};
}

/* Few vertices go one by one, the last first: then no chain of places is broken before its end is looked for. */
void mg_path_map_clear(mg_path_map *map) {
    if (map->count < map->mask / 16) {
        while (map->count > 0) {
            uint32_t place = mg_path_map_place(map, map->vertices[map->count - 1]);
            map->table[place] = MG_NO_VERTEX;
            map->count--;
        }
        return;
    }
    map->count = 0;
    empty(map);
}
