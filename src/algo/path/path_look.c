/* Whether a question should stop: cancelled, out of time, or another of many has failed. It has a file of its own so
 * that a test can stand in its place, and see how much is done between two looks. */
#include "algo/path/path.h"

bool mg_path_look(mg_path_question *q) {
    q->steps = 0;
    if (mg_progress(q->ctx, "path", q->answer->settled, 0) || (q->halt && mg_load(q->halt) != MEGURI_OK))
        q->over = true;
    else if (mg_now() > q->deadline) {
        q->over = true;
        q->answer->end = MEGURI_PATH_TIMEOUT;
    } else if (q->most_settled && q->answer->settled > q->most_settled) q->over = true;
    return q->over;
}
