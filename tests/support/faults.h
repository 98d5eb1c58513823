/* Calls that cannot end well, the same for every algorithm: each allocation fails in turn, budgets grow from too small
 * to enough, a user has had enough. What is asked for is a clear status, and that nothing is left behind. */
#ifndef FAULTS_H
#define FAULTS_H

#include "support/unit.h"

#include "base/base.h"

/* A call of the library in this context. What it looks at afterwards it looks at in another one. */
typedef meguri_status attempt_fn(meguri_ctx *ctx, void *what);

/* ---- every allocation fails in turn ----------------------------------------------------------------------------- */

enum {
    LEAVES_NOTHING = 0,
    MAY_KEEP = 1,       /* what was made before the failure: in-rows of a graph, steps of a handle */
    MAY_DO_WITHOUT = 2, /* some of the memory: with fewer threads, or without what only speeds up */
    LEAVES_ITS_WORK = 4 /* where it succeeds */
};

/* Attempts with the first allocation failing, then the second … until there is none to fail: then it succeeds. Returns
 * how many there were. */
uint64_t fail_each_allocation(meguri_ctx *ctx, attempt_fn *attempt, void *what, int may);

/* A status and a part of its sentence. */
void expect_failure(meguri_ctx *ctx, meguri_status got, meguri_status status, const char *part);

/* ---- budgets ---------------------------------------------------------------------------------------------------- */

typedef struct budgets {
    int refused, done;
    uint64_t most_refused, least_done; /* of the budgets */
    uint64_t least_peak, most_peak;    /* of what was done */
} budgets;

/* Attempts with two threads and budgets from `first` on, each `factor` times the one before, below `end`. Whatever the
 * budget, the attempt stays within it or says that it cannot; both happen twice at least. */
budgets try_budgets(uint64_t first, uint64_t end, double factor, attempt_fn *attempt, void *what);

/* ---- cancel ----------------------------------------------------------------------------------------------------- */

/* A user who has had enough at the report of this number, and at all later ones; never, if it is 0. */
typedef struct impatient {
    uint64_t enough, reports;
    const char *only; /* reports of this phase count; NULL: of all */
    bool keeps;       /* what is attempted has workspaces that it keeps, those of a thread from its first work on */
    double since;     /* when it was enough */
    char phase[24];   /* of the last report that counted */
} impatient;

meguri_ctx *context_of(impatient *user, uint32_t threads);

/* Attempts until the user has enough: it is cancelled in this phase (NULL: in any) within ten seconds, and all memory
 * is given back. The user is patient afterwards. Where only one phase counts, which may be over before a report is due,
 * it is attempted again until there is one. */
void cancel_at(meguri_ctx *ctx, impatient *user, uint64_t report, const char *phase, attempt_fn *attempt, void *what);

#endif
