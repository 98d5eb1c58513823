/* Ids of vertices, as people and programs read them. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN 60 /* columns of a name that people see */

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

/* ---- names on a terminal ---------------------------------------------------------------------------------------- */

/* The code of the character that begins here, in UTF-8 that is valid, and its bytes. */
static size_t decode(uint32_t *code, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    size_t bytes = *s < 0x80 ? 1 : *s >= 0xF0 ? 4 : *s >= 0xE0 ? 3 : 2;
    *code = bytes == 1 ? *s : *s & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) *code = *code << 6 | (s[i] & 0x3F);
    return bytes;
}

static int columns_of(uint32_t c) {
    if ((c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200D) || (c >= 0xFE00 && c <= 0xFE0F))
        return 0; /* they combine */
    bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF && c != 0x303F) ||
                (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) ||
                (c >= 0xFF00 && c <= 0xFF60) || (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
                (c >= 0x20000 && c <= 0x3FFFD);
    return wide ? 2 : 1;
}

/* As much of a name as fits, escaped; *whole says whether that is all of it. */
static int name_cell(char out[CLI_CELL_TEXT], const cli_id *id, int columns, bool *whole) {
    char escaped[4 * CLI_CELL_TEXT]; /* what is cut off here would not fit in any case */
    size_t used = 0, bytes;
    int width = 0;
    meguri_escape(escaped, sizeof escaped, id->name, id->length);
    for (; escaped[used]; used += bytes) {
        uint32_t code;
        bytes = decode(&code, escaped + used);
        int more = columns_of(code);
        if (width + more > columns || used + bytes >= CLI_CELL_TEXT) break;
        memcpy(out + used, escaped + used, bytes);
        width += more;
    }
    out[used] = '\0';
    *whole = !escaped[used];
    return width;
}

int cli_id_cell(char out[CLI_CELL_TEXT], const cli_id *id, int columns) {
    bool whole = true;
    if (id->kind == MEGURI_ID_SIGNED) return snprintf(out, CLI_CELL_TEXT, "%" PRId64, (int64_t)id->number);
    if (id->kind == MEGURI_ID_UNSIGNED) return snprintf(out, CLI_CELL_TEXT, "%" PRIu64, id->number);
    int width = name_cell(out, id, columns, &whole);
    if (whole) return width;
    width = name_cell(out, id, columns - 1, &whole);
    if (strlen(out) + sizeof "…" <= CLI_CELL_TEXT) strcat(out, "…");
    return width + 1;
}

void cli_print_id_within(const cli_id *id, int columns) {
    char text[CLI_CELL_TEXT];
    const char *quote = id->kind == MEGURI_ID_STRING ? "\"" : "";
    cli_id_cell(text, id, columns);
    printf("%s%s%s", quote, text, quote);
}

void cli_print_id(const cli_id *id) { cli_print_id_within(id, SHOWN); }
