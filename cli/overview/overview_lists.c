/* The highest vertices and the largest communities, side by side: the columns get the width that their ids need, and
 * where that is too much, the widest are cut. */
#include "overview/overview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 3, WIDTH = 80, GAP = 3, NUMBER = 4 };

typedef struct cell {
    cli_id id;
    char value[CLI_NUMBER_TEXT];
} cell;

typedef struct list {
    const char *title;
    const meguri_overview_list *items;
    bool leaders, real;
    cell *cells;
    int id_width, value_width; /* columns */
} list;

/* All of a list with as many decimals as its highest needs for four digits that count. */
static void put_real(char text[CLI_NUMBER_TEXT], double value, double highest) {
    if (highest < 1e-4) snprintf(text, CLI_NUMBER_TEXT, "%.3e", value);
    else snprintf(text, CLI_NUMBER_TEXT, "%.*f", highest < 1 ? 3 - (int)floor(log10(highest)) : 3, value);
}

static meguri_status fill(list *l, const cli_overview *o) {
    meguri_status status = MEGURI_OK;
    l->cells = calloc(l->items->count + 1, sizeof *l->cells);
    if (!l->cells) return cli_fail(o->run, MEGURI_NO_MEMORY, "the system has no memory for a list of vertices.");
    for (uint32_t i = 0; i < l->items->count && status == MEGURI_OK; i++) {
        const meguri_overview_item *item = &l->items->items[i];
        cell *c = &l->cells[i];
        char text[CLI_CELL_TEXT];
        status = cli_get_id(&c->id, o->run, o->graph, o->graph_info.id_kind, l->leaders ? item->leader : item->vertex);
        if (status != MEGURI_OK) break;
        if (l->real) put_real(c->value, item->value, l->items->items[0].value);
        else cli_thousands(c->value, (uint64_t)item->value);
        int id = cli_id_cell(text, &c->id, WIDTH), value = (int)strlen(c->value);
        if (id > l->id_width) l->id_width = id;
        if (value > l->value_width) l->value_width = value;
    }
    int title = (int)strlen(l->title) - l->value_width - 2;
    if (l->id_width < title) l->id_width = title;
    return status;
}

/* Takes a column from the widest until all fit. Numbers stay whole. */
static void fit(list *lists, meguri_id_kind kind) {
    for (;;) {
        int width = NUMBER - GAP, widest = 0;
        for (int k = 0; k < LISTS; k++) {
            width += GAP + lists[k].id_width + 2 + lists[k].value_width;
            if (lists[k].id_width > lists[widest].id_width) widest = k;
        }
        if (kind != MEGURI_ID_STRING || width <= WIDTH || lists[widest].id_width <= 1) return;
        lists[widest].id_width--;
    }
}

static void print_row(const list *lists, uint32_t row) {
    printf("%*u", NUMBER - 2, row + 1);
    int missing = 2; /* spaces that come before what is printed next */
    for (int k = 0; k < LISTS; k++, missing += GAP) {
        const list *l = &lists[k];
        char text[CLI_CELL_TEXT];
        if (row >= l->items->count) {
            missing += l->id_width + 2 + l->value_width;
            continue;
        }
        int width = cli_id_cell(text, &l->cells[row].id, l->id_width);
        printf("%*s%s%*s", missing, "", text, l->id_width - width + 2 + l->value_width, l->cells[row].value);
        missing = 0;
    }
    putchar('\n');
}

static void print_lists(const list *lists) {
    uint32_t rows = 0;
    printf("\n%*s", NUMBER, "");
    for (int k = 0; k < LISTS; k++) {
        int width = lists[k].id_width + 2 + lists[k].value_width;
        printf("%-*s", k + 1 < LISTS ? width + GAP : 0, lists[k].title);
        if (lists[k].items->count > rows) rows = lists[k].items->count;
    }
    putchar('\n');
    for (uint32_t row = 0; row < rows; row++) print_row(lists, row);
}

meguri_status cli_overview_lists(const cli_overview *o) {
    const meguri_overview_info *i = &o->info;
    list lists[LISTS] = {{.title = "highest PageRank", .items = &i->by_pagerank, .real = true},
                         {.title = "highest degree", .items = &i->degrees.top},
                         {.title = "largest community of", .items = &i->largest_communities, .leaders = true}};
    if (cli_overview_two_degrees(o)) {
        lists[1] = (list){.title = "highest out-degree", .items = &i->degrees.top};
        lists[2] = (list){.title = "highest in-degree", .items = &i->in_degrees.top};
    }
    meguri_status status = MEGURI_OK;
    for (int k = 0; k < LISTS && status == MEGURI_OK; k++) status = fill(&lists[k], o);
    if (status == MEGURI_OK) {
        fit(lists, o->graph_info.id_kind);
        print_lists(lists);
    }
    for (int k = 0; k < LISTS; k++) free(lists[k].cells);
    return status;
}
