/* What unit tests share: cmocka, a context with a number of threads, random numbers that are the same anywhere,
 * a temporary folder. */
#ifndef MG_TEST_UNIT_H
#define MG_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#include "par/par.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static const uint32_t thread_counts[] = {1, 2, 5};
#define THREAD_COUNTS COUNT_OF(thread_counts)

static inline meguri_ctx *context_with(uint32_t threads) {
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads, .memory = (uint64_t)1 << 30};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

/* Frees the context after a look that nothing is left. */
static inline void context_done(meguri_ctx *ctx) {
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

/* splitmix64 */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A new folder for the files of one test; `path` has room for FOLDER_TEXT characters. */
#define FOLDER_TEXT 256
static inline void folder_new(char path[FOLDER_TEXT]) {
    const char *base = getenv("TMPDIR");
    snprintf(path, FOLDER_TEXT, "%s/meguri-test-XXXXXX", base && *base ? base : "/tmp");
    assert_non_null(mkdtemp(path));
}

static inline int folder_remove_one(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info, (void)kind, (void)where;
    return remove(path);
}

static inline void folder_remove(const char *path) {
    assert_int_equal(nftw(path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* What this machine lacks is skipped, unless nothing may be. */
static inline void skip_because(const char *reason) {
    const char *all = getenv("MEGURI_REQUIRE_ALL");
    if (all && strcmp(all, "1") == 0) fail_msg("%s", reason);
    print_message("skipped: %s\n", reason);
    skip();
}

#endif
