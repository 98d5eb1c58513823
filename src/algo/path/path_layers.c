/* To come. */
#include "algo/path/path.h"

meguri_status mg_path_layers(mg_path_question *question, bool fewest) {
    (void)fewest;
    return mg_fail(question->ctx, MEGURI_ENGINE_FAILED, "this version of the library has no layers yet.");
}
