/* All paths with the fewest edges: those of a world without dead ends (path_world.c), from each vertex every arc that
 * is one hop nearer, in the user's order, each given as it is found.
 *
 * Where there is a limit on cost they are the paths with the fewest edges of those that it allows. One such path tells
 * how many edges that is; all are then the simple paths of so many edges, since a walk that is not simple could be cut
 * short. */
#include "algo/path/path_world.h"

static meguri_status give_all(mg_path_question *question, mg_path_kind kind) {
    mg_path_world world;
    meguri_status status = mg_path_world_new(&world, question, kind);
    mg_path_wanted wanted = MG_PATH_ALL_WANTED;
    if (status == MEGURI_OK && world.count > 0) status = mg_path_walk(question, &world, kind, &wanted);
    mg_path_world_free(&world);
    return status;
}

static int note_hops(void *user, const meguri_path *path) {
    *(uint64_t *)user = path->hops;
    return 0;
}

/* The fewest edges of a path that does not cost too much; 0: there is none. */
static meguri_status search_hops(uint64_t *hops, mg_path_question *question) {
    meguri_path_query query = *question->query;
    meguri_path_answer answer = {.size = sizeof answer};
    mg_path_question one = *question;
    query.limit = 0;
    *hops = 0;
    one.query = &query;
    one.answer = &answer;
    one.take = note_hops;
    one.user = hops;
    meguri_status status = mg_path_layers(&one, true);
    question->answer->settled += answer.settled;
    question->answer->edges += answer.edges;
    if (one.over) question->answer->end = answer.end;
    question->over = one.over;
    return status;
}

meguri_status mg_path_fewest(mg_path_question *question) {
    const meguri_path_query *asked = question->query;
    if (question->from == question->to) return mg_path_give(question, NULL, 0);
    if (!asked->has_max_cost || !question->finder->weighted) return give_all(question, MG_PATH_FEWEST);
    meguri_path_query query = *asked;
    meguri_status status = search_hops(&query.max_hops, question);
    if (status != MEGURI_OK || question->over || query.max_hops == 0) return status;
    question->query = &query;
    status = give_all(question, MG_PATH_SIMPLE);
    question->query = asked;
    return status;
}
