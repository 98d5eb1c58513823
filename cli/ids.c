/* Ids of vertices, as people and programs read them. */
#include "cli.h"

#include <inttypes.h>

#define SHOWN 60 /* bytes of a name that people see */

meguri_status cli_get_id(cli_id *out, cli_run *run, const meguri_graph *graph, meguri_id_kind kind, uint64_t vertex) {
    *out = (cli_id){.kind = kind};
    if (kind == MEGURI_ID_STRING) return meguri_graph_names(&out->name, &out->length, run->ctx, graph, vertex, 1);
    return meguri_graph_ids(&out->number, run->ctx, graph, vertex, 1);
}

void cli_json_id(meguri_json *json, const char *key, const cli_id *id) {
    if (id->kind == MEGURI_ID_STRING) meguri_json_text(json, key, id->name, id->length);
    else if (id->kind == MEGURI_ID_SIGNED) meguri_json_signed(json, key, (int64_t)id->number);
    else meguri_json_number(json, key, id->number);
}

void cli_print_id(const cli_id *id) {
    if (id->kind == MEGURI_ID_SIGNED) printf("%" PRId64, (int64_t)id->number);
    else if (id->kind == MEGURI_ID_UNSIGNED) printf("%" PRIu64, id->number);
    else {
        putchar('"');
        for (size_t i = 0; i < id->length && i < SHOWN; i++) {
            unsigned char c = (unsigned char)id->name[i];
            putchar(c < 0x20 || c == 0x7F ? '?' : c);
        }
        fputs(id->length > SHOWN ? "…\"" : "\"", stdout);
    }
}
