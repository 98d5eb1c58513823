/* To come. */
#include "algo/path/path.h"

meguri_status mg_path_guide_make(meguri_ctx *ctx, meguri_path_finder *finder) {
    (void)finder;
    return mg_fail(ctx, MEGURI_ENGINE_FAILED, "this version of the library has no A* yet.");
}
