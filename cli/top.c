/* The highest of a result, or its largest groups, as a small table and in JSON. */
#include "cli.h"

#include <stdlib.h>

enum { SHOWN = 10 };

const cli_option cli_top_option[] = {
    {.name = "top",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "10",
     .help = "show the N highest, or largest; 0: none"},
    {0},
};

static bool make_room(cli_top *t, uint64_t most) {
    t->vertices = calloc(most, sizeof *t->vertices);
    t->ids = calloc(most, sizeof *t->ids);
    if (t->groups) t->sizes = calloc(most, sizeof *t->sizes);
    else t->values = calloc(most, sizeof *t->values);
    return t->vertices && t->ids && (t->sizes || t->values);
}

meguri_status cli_top_get(cli_top *t, cli_algorithm *a, const meguri_result *result) {
    uint64_t most = cli_number(&a->run->args, "top", SHOWN);
    if (most > a->info.vertices) most = a->info.vertices;
    if (!most) return MEGURI_OK;
    meguri_status status = make_room(t, most) ? MEGURI_OK : MEGURI_NO_MEMORY;
    status = cli_cluster_agree(a->run, status);
    meguri_ctx *ctx = a->run->ctx;
    if (status == MEGURI_OK)
        status = t->groups
                     ? meguri_result_groups(t->vertices, t->sizes, &t->count, ctx, a->graph, result, t->column, most)
                     : meguri_result_top(t->vertices, t->values, &t->count, ctx, a->graph, result, t->column, most);
    for (uint64_t i = 0; i < t->count && status == MEGURI_OK; i++)
        status = cli_algorithm_id(&t->ids[i], a, t->vertices[i]);
    return status;
}

void cli_top_free(cli_top *t) {
    free(t->vertices);
    free(t->values);
    free(t->sizes);
    free(t->ids);
}

/* Numbers come first: they are all of one width, and ids can be as wide as they like. */
void cli_top_print(const cli_top *t) {
    char text[CLI_NUMBER_TEXT];
    if (!t->count) return;
    char column[CLI_ERROR_TEXT]; /* of a vertex program it can be called anything */
    meguri_escape_string(column, sizeof column, t->column);
    printf("%13s  %s\n", t->groups ? "size" : column, t->groups ? column : "vertex");
    for (uint64_t i = 0; i < t->count; i++) {
        if (t->groups) printf("%13s  ", cli_thousands(text, t->sizes[i]));
        else printf("%13.6g  ", t->values[i]);
        cli_print_id(&t->ids[i]);
        putchar('\n');
    }
}

void cli_top_json(meguri_json *json, const cli_top *t) {
    meguri_json_open(json, "top", '[');
    for (uint64_t i = 0; i < t->count; i++) {
        meguri_json_open(json, NULL, '{');
        cli_json_id(json, t->groups ? t->column : "vertex", &t->ids[i]);
        if (t->groups) meguri_json_number(json, "size", t->sizes[i]);
        else meguri_json_real(json, t->column, t->values[i]);
        meguri_json_close(json, '}');
    }
    meguri_json_close(json, ']');
}
