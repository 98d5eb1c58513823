/* How many threads a loop of the library gets. */
#include "par/par.h"

#include "policy/policy.h"

int mg_threads(const meguri_ctx *ctx, uint64_t work, uint64_t grain) {
    return (int)mg_policy_threads(meguri_ctx_threads(ctx), work, grain);
}
