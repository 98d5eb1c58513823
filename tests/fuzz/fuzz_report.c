/* Fuzzing the report: whatever the bytes of a trace or of GeoJSON, a clear failure or a page that is not too large, in
 * which nothing of the trace has become markup and no number is not one. */
#include <meguri.h>
#include <meguri/extra/path_writer.h>
#include <meguri/extra/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define MOST_BYTES 6000000

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "broken: %s\n", #condition);                                                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef struct page {
    char *text;
    size_t used;
} page;

static meguri_status take(void *user, const void *data, size_t bytes) {
    page *p = user;
    p->text = realloc(p->text, p->used + bytes + 1);
    CHECK(p->text);
    memcpy(p->text + p->used, data, bytes);
    p->text[p->used += bytes] = '\0';
    return MEGURI_OK;
}

static page write_report(meguri_ctx *ctx, const meguri_report *report, const char *form) {
    static const char *const wrong[] = {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"};
    page p = {0};
    uint64_t bytes = 0;
    meguri_sink output = {.size = sizeof output, .form = form, .write = take, .user = &p};
    CHECK(meguri_report_write(&bytes, ctx, report, &output) == MEGURI_OK);
    CHECK(p.used > 0 && p.used < MOST_BYTES && strlen(p.text) == p.used && bytes == p.used);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(!strstr(p.text, wrong[i]));
    return p;
}

static void check_page(meguri_ctx *ctx, const meguri_report *report) {
    page p = write_report(ctx, report, "html");
    const char *script = strstr(p.text, "<script");
    CHECK(script && !strstr(script + 1, "<script"));
    free(p.text);
}

static void check_map(meguri_ctx *ctx, const meguri_report *report) {
    page p = write_report(ctx, report, "svg");
    CHECK(!strstr(p.text, "<script"));
    free(p.text);
}

/* The same bytes as a trace and as GeoJSON. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = 1};
    CHECK(meguri_ctx_new(&ctx, &options) == MEGURI_OK);
    for (int geojson = 0; geojson < 2; geojson++) {
        meguri_report *report;
        meguri_report_options o = {.size = sizeof o, .text = count ? (const char *)data : "", .text_bytes = count};
        meguri_status status = meguri_report_read(&report, ctx, geojson ? "a.geojson" : "a.json", &o);
        if (status != MEGURI_OK) {
            const char *sentence = meguri_ctx_error(ctx);
            size_t end = strlen(sentence);
            CHECK(status == MEGURI_BAD_INPUT && end > 0 && sentence[end - 1] == '.' && !strchr(sentence, '\n'));
            continue;
        }
        meguri_report_info info = {.size = sizeof info};
        CHECK(meguri_report_get_info(&info, report) == MEGURI_OK);
        if (!geojson) check_page(ctx, report);
        if (info.has_paths) check_map(ctx, report);
        meguri_report_free(report);
    }
    CHECK(meguri_ctx_memory_used(ctx) == 0);
    meguri_ctx_free(ctx);
    return 0;
}
