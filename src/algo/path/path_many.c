/* To come. */
#include "algo/path/path.h"

meguri_status meguri_path_many(meguri_ctx *ctx, meguri_path_finder *finder, const meguri_path_query *queries,
                               uint64_t count, const meguri_path_many_taker *taker) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    (void)finder, (void)queries, (void)count, (void)taker;
    return mg_fail(ctx, MEGURI_ENGINE_FAILED, "this version of the library does not answer many questions yet.");
}
