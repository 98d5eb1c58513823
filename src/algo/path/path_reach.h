/* Which vertices lie on a way from one vertex to another of few hops, and how many hops they are from either. */
#ifndef MG_PATH_REACH_H
#define MG_PATH_REACH_H

#include "algo/path/path.h"
#include "algo/path/path_map.h"

#define MG_PATH_FAR UINT32_MAX /* hops that are not known */

/* Vertices met, in local numbers: 0 is question->from. Those whose hops from and to add up to `most` at most have both
 * exactly; of others either may be missing. */
typedef struct mg_path_reach {
    mg_path_map map;
    uint32_t *hops[2]; /* from question->from, and to question->to */
    uint32_t *list[2]; /* vertices that have them, nearest first */
    uint32_t most;     /* hops of a path */
} mg_path_reach;

/* Searches from both ends; `fewest`: `most` becomes the fewest hops that a path has. To be freed also after a failure;
 * when time is over it is not complete. */
meguri_status mg_path_reach_new(mg_path_reach *reach, mg_path_question *question, uint32_t most, bool fewest);
void mg_path_reach_free(mg_path_reach *reach);

static inline bool mg_path_reached(const mg_path_reach *reach, uint32_t local) {
    uint32_t from = reach->hops[0][local], to = reach->hops[1][local];
    return from != MG_PATH_FAR && to != MG_PATH_FAR && (uint64_t)from + to <= reach->most;
}

#endif
