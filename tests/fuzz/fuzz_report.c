/* Fuzzing the report: whatever the bytes of a trace or of GeoJSON, a clear failure or a page that is not too large, in
 * which nothing of the trace has become markup and no number is not one. The parts of the command around it are played
 * here. */
#define _GNU_SOURCE
#include "report/report.h"

#include <inttypes.h>
#include <stdarg.h>
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

/* ---- the rest of the command ------------------------------------------------------------------------------------ */

meguri_status cli_fail(cli_run *run, meguri_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(run->error, sizeof run->error, format, args);
    va_end(args);
    return status;
}

int cli_on_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)phase, (void)done, (void)total;
    return 0;
}

bool cli_interrupted(void) { return false; }

const char *cli_thousands(char buffer[CLI_NUMBER_TEXT], uint64_t number) {
    snprintf(buffer, CLI_NUMBER_TEXT, "%" PRIu64, number);
    return buffer;
}

uint64_t cli_file_bytes(const char *path) {
    (void)path;
    return 0;
}

/* There are no graphs here. */
meguri_status cli_open_graph(meguri_graph **out, cli_run *run, const char *path) {
    (void)out, (void)run, (void)path;
    return MEGURI_NOT_FOUND;
}

const char report_css[] = "", report_js[] = "", report_colors_css[] = "", report_map_css[] = "";

/* ---- one trace -------------------------------------------------------------------------------------------------- */

static void check_page(const char *text, size_t length) {
    static const char *const wrong[] = {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"};
    CHECK(length > 0 && length < MOST_BYTES && strlen(text) == length);
    const char *script = strstr(text, "<script");
    CHECK(script && !strstr(script + 1, "<script"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(!strstr(text, wrong[i]));
}

static void check_picture(const report_map *map) {
    static const char *const wrong[] = {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf", "<script"};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    CHECK(file);
    report_put_picture(file, map);
    CHECK(fclose(file) == 0);
    CHECK(length > 0 && length < MOST_BYTES && strlen(text) == length);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(!strstr(text, wrong[i]));
    free(text);
}

static void check_sentence(meguri_status status, const char *sentence) {
    size_t end = strlen(sentence);
    CHECK(status == MEGURI_BAD_INPUT && end > 0 && sentence[end - 1] == '.' && !strchr(sentence, '\n'));
}

static void check_trace(cli_run *run, FILE *file) {
    report_trace trace;
    char *text = NULL;
    size_t length = 0;
    meguri_status status = report_read_stream(&trace, run, file, "trace");
    if (status == MEGURI_OK) {
        report_frame(&trace.map);
        FILE *page = open_memstream(&text, &length);
        CHECK(page);
        report_put_page(page, &trace);
        CHECK(fclose(page) == 0);
        check_page(text, length);
        free(text);
        check_picture(&trace.map);
    } else check_sentence(status, run->error);
    report_free(&trace);
}

static void check_geojson(cli_run *run, FILE *file) {
    report_map *map = calloc(1, sizeof *map);
    CHECK(map);
    meguri_status status = report_read_geojson_stream(map, run, file, "paths");
    if (status == MEGURI_OK) {
        report_frame(map);
        check_picture(map);
    } else check_sentence(status, run->error);
    report_map_free(map);
    free(map);
}

/* The same bytes as a trace and as GeoJSON. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    static cli_run run;
    for (int kind = 0; kind < 2; kind++) {
        FILE *file = count ? fmemopen((void *)(uintptr_t)data, count, "rb") : fopen("/dev/null", "rb");
        CHECK(file);
        run.error[0] = '\0';
        if (kind) check_geojson(&run, file);
        else check_trace(&run, file);
        fclose(file);
    }
    return 0;
}
