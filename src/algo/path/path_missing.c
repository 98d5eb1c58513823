/* Searches that are still to come. */
#include "algo/path/path.h"

static meguri_status missing(mg_path_question *question, const char *what) {
    return mg_fail(question->ctx, MEGURI_ENGINE_FAILED, "this version of the library does not find %s yet.", what);
}

meguri_status mg_path_fewest(mg_path_question *question) {
    return missing(question, "all paths with the fewest edges");
}
meguri_status mg_path_every(mg_path_question *question) { return missing(question, "all paths"); }
meguri_status mg_path_yens(mg_path_question *question) { return missing(question, "the k cheapest paths"); }
