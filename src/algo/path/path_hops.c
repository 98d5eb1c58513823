/* All paths with the fewest edges: those of a world without dead ends (path_world.c), from each vertex every arc that
 * is one hop nearer, in the user's order, each given as it is found. A limit on cost holds for the paths with the
 * fewest edges; it does not make longer ones count. */
#include "algo/path/path_world.h"

meguri_status mg_path_fewest(mg_path_question *question) {
    mg_path_world world;
    meguri_status status = mg_path_world_new(&world, question, MG_PATH_FEWEST);
    if (status == MEGURI_OK && world.count > 0) status = mg_path_walk(question, &world, MG_PATH_FEWEST);
    mg_path_world_free(&world);
    return status;
}
