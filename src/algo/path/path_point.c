/* To come. */
#include "algo/path/path.h"

meguri_status mg_path_cheapest(mg_path_question *question) {
    return mg_fail(question->ctx, MEGURI_ENGINE_FAILED,
                   "this version of the library does not find cheapest paths yet.");
}
