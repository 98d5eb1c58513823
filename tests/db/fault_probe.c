/* Every allocation of a pull, or of a write-back, made to fail, one after another: fault_probe pull|write-back URI. The
 * linker has malloc and its like of libmeguri_db and of libmeguri lead here (--wrap); test_faults.py plays the
 * database. Whichever fails, the call succeeds without it or says that there is no memory, and the old cache is whole.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <meguri.h>
#include <meguri/db.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t calls, fail_at; /* 0: none */

static int fails(void) { return fail_at && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == fail_at; }

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t most);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);
void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t count, size_t bytes) { return fails() ? NULL : __real_calloc(count, bytes); }
void *__wrap_realloc(void *old, size_t bytes) { return fails() ? NULL : __real_realloc(old, bytes); }
char *__wrap_strdup(const char *text) { return fails() ? NULL : __real_strdup(text); }
char *__wrap_strndup(const char *text, size_t most) { return fails() ? NULL : __real_strndup(text, most); }

void *__real_mmap(void *at, size_t bytes, int rights, int how, int file, off_t first);
void *__wrap_mmap(void *at, size_t bytes, int rights, int how, int file, off_t first);
void *__wrap_mmap(void *at, size_t bytes, int rights, int how, int file, off_t first) {
    if (!(how & MAP_ANONYMOUS) || !fails()) return __real_mmap(at, bytes, rights, how, file, first);
    errno = ENOMEM;
    return MAP_FAILED;
}

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "allocation %llu: not so: %s (%s)\n", (unsigned long long)fail_at, #condition,             \
                    ctx ? meguri_ctx_error(ctx) : "");                                                                 \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static meguri_status attempt(meguri_ctx *ctx, const char *config, const meguri_graph *graph,
                             const meguri_result *result) {
    meguri_source *source;
    const meguri_pull_options pull = {.size = sizeof pull, .refresh = 1};
    const meguri_write_back_options back = {.size = sizeof back, .property = "p", .journal = "journal"};
    meguri_status status = meguri_source_new(&source, ctx, config, "test");
    if (status == MEGURI_OK)
        status = graph ? meguri_write_back(NULL, ctx, source, graph, result, &back)
                       : meguri_pull(NULL, ctx, source, "c.meg", &pull);
    meguri_source_free(source);
    return status;
}

/* The bytes of the cache: those of the old one where a pull has failed. */
static uint64_t sum_of_cache(void) {
    uint64_t sum = 0;
    FILE *file = fopen("c.meg", "rb");
    for (int c; file && (c = getc(file)) != EOF;) sum = sum * 1099511628211u + (unsigned)c;
    if (file) fclose(file);
    return sum;
}

int main(int argc, char **argv) {
    char config[300];
    meguri_ctx *ctx = NULL;
    meguri_graph *graph = NULL;
    meguri_result *result = NULL;
    uint64_t failed = 0, k = 0;
    MUST(argc == 3);
    snprintf(
        config, sizeof config,
        "{\"databases\": [\"%s\"], \"key\": \"uid\", \"weight\": \"w\", \"connections\": 1, \"where\": {\"up\": 1}, "
        "\"password\": \"word\"}",
        argv[2]);
    const meguri_ctx_options options = {.size = sizeof options, .threads = 1, .memory = 256 << 20};
    MUST(meguri_ctx_new(&ctx, &options) == MEGURI_OK);
    if (strcmp(argv[1], "write-back") == 0) {
        MUST(meguri_open(&graph, ctx, "c.meg", NULL) == MEGURI_OK);
        MUST(meguri_pagerank(&result, ctx, graph, NULL) == MEGURI_OK);
    }
    for (int more = 1; more; k++) {
        uint64_t old = sum_of_cache();
        calls = 0;
        fail_at = k + 1;
        meguri_status status = attempt(ctx, config, graph, result);
        more = calls >= fail_at;
        fail_at = 0;
        failed += status != MEGURI_OK;
        MUST(status == MEGURI_OK || (more && status == MEGURI_NO_MEMORY));
        MUST(status == MEGURI_OK || *meguri_ctx_error(ctx));
        MUST(status == MEGURI_OK || sum_of_cache() == old);
        unlink("c.meg.pull");
        unlink("journal");
    }
    printf("%llu %llu\n", (unsigned long long)k, (unsigned long long)failed);
    meguri_result_free(result);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return 0;
}
