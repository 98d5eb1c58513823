/* The tables of an overview: facts, the highest vertices, the largest groups. */
#include "report/overview_page.h"

#include <math.h>
#include <string.h>

#define ID_TEXT 256 /* bytes; mg_report_put shows fewer characters */

const char *mg_overview_number(char buffer[MG_REPORT_TEXT], double number) {
    double size = fabs(number);
    if (size >= 99999.5) {
        buffer[0] = '-';
        mg_report_si(buffer + (number < 0), size);
    } else if (number == floor(number) && number >= 0) mg_thousands(buffer, (uint64_t)number);
    else snprintf(buffer, MG_REPORT_TEXT, size >= 999.5 ? "%.0f" : "%.4g", number);
    return buffer;
}

void mg_overview_put_id(mg_overview_page *p, uint64_t vertex) {
    char text[ID_TEXT];
    size_t length = 0;
    if (p->status != MEGURI_OK || p->sink->status != MEGURI_OK) return; /* asking would forget why */
    p->status = meguri_graph_id_text(text, sizeof text, &length, p->ctx, p->graph, vertex);
    if (p->status != MEGURI_OK) return;
    if (length >= sizeof text) { /* cut, maybe within a character */
        size_t end = sizeof text - 1;
        while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80) end--;
        text[end ? end - 1 : 0] = '\0';
    }
    mg_sink_put(p->sink, "<bdi title=\""); /* where there is no room for all of it */
    mg_report_put(p->sink, text);
    mg_sink_put(p->sink, "\">");
    mg_report_put(p->sink, text);
    mg_sink_put(p->sink, "</bdi>");
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

static void open_fact(const mg_overview_page *p, const char *name) {
    mg_sink_format(p->sink, "<tr><th scope=\"row\">%s</th><td>", name);
}

static void close_fact(const mg_overview_page *p) { mg_sink_put(p->sink, "</td></tr>\n"); }

static void put_count(const mg_overview_page *p, const char *name, uint64_t count) {
    char text[MG_REPORT_TEXT];
    if (!count) return;
    open_fact(p, name);
    mg_sink_put(p->sink, mg_thousands(text, count));
    close_fact(p);
}

static void put_range(const mg_overview_page *p, const char *name, double least, double most) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    open_fact(p, name);
    mg_sink_format(p->sink, "%s to %s", mg_overview_number(a, least), mg_overview_number(b, most));
    close_fact(p);
}

static void put_ids(mg_overview_page *p) {
    static const char *const kinds[] = {"Unsigned integers", "Signed integers", "Strings"};
    if (!p->facts.vertices) return;
    open_fact(p, "Ids");
    mg_sink_format(p->sink, "%s, ", kinds[p->facts.id_kind]);
    mg_overview_put_id(p, 0);
    if (p->facts.vertices > 1) {
        mg_sink_put(p->sink, " … ");
        mg_overview_put_id(p, p->facts.vertices - 1);
    }
    close_fact(p);
}

static void put_columns(mg_overview_page *p, bool of_vertices) {
    uint32_t count = of_vertices ? p->facts.vertex_columns : p->facts.edge_columns;
    if (!count) return;
    open_fact(p, of_vertices ? "Columns of vertices" : "Columns of edges");
    for (uint32_t c = 0; c < count && p->status == MEGURI_OK && p->sink->status == MEGURI_OK; c++) {
        meguri_column_info column = {.size = sizeof column};
        p->status = (of_vertices ? meguri_graph_vertex_column : meguri_graph_edge_column)(&column, p->ctx, p->graph, c);
        if (p->status != MEGURI_OK) break;
        mg_sink_put(p->sink, c ? ", <bdi>" : "<bdi>");
        mg_report_put(p->sink, column.name);
        mg_sink_format(p->sink, "</bdi> <span class=\"soft\">%s</span>", meguri_type_name(column.type));
    }
    close_fact(p);
}

static void put_weights(const mg_overview_page *p) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    const meguri_overview_numbers *n = &p->info->weights;
    open_fact(p, "Weights");
    if (!n->count) mg_sink_put(p->sink, "none");
    else
        mg_sink_format(p->sink, "%s, median %s, mean ", meguri_type_name(p->facts.weight_type),
                       mg_overview_number(a, n->median)),
            mg_sink_put(p->sink, mg_overview_number(b, n->mean));
    close_fact(p);
    if (!n->count) return;
    put_range(p, "Range of weights", n->least, n->most);
    put_count(p, "Negative weights", p->info->negative_weights);
    put_count(p, "Zero weights", p->info->zero_weights);
}

void mg_overview_put_facts(mg_overview_page *p) {
    char text[MG_REPORT_TEXT];
    const meguri_overview_info *i = p->info;
    mg_sink_put(p->sink, "<table class=\"terms\"><tbody>\n");
    put_ids(p);
    put_count(p, "Edges read", p->facts.dropped_duplicates + p->facts.dropped_loops ? p->facts.input_edges : 0);
    put_count(p, "Duplicates dropped", p->facts.dropped_duplicates);
    put_count(p, "Self-loops dropped", p->facts.dropped_loops);
    put_count(p, "Self-loops", i->loops);
    put_count(p, "Parallel edges", i->parallel);
    put_count(p, "Isolated vertices", p->facts.isolated);
    if (p->facts.directed) {
        open_fact(p, "Edges with their reverse");
        mg_sink_put(p->sink, mg_report_percent(text, i->reciprocity, 1));
        close_fact(p);
        put_count(p, "Sources (no in-edges)", i->sources);
        put_count(p, "Sinks (no out-edges)", i->sinks);
    }
    put_weights(p);
    put_columns(p, false);
    put_columns(p, true);
    if (i->located) {
        put_range(p, "Coordinates, x", i->least_x, i->most_x);
        put_range(p, "Coordinates, y", i->least_y, i->most_y);
        put_count(p, "Vertices with coordinates", i->located < p->facts.vertices ? i->located : 0);
    }
    mg_sink_put(p->sink, "</tbody></table>\n");
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

/* The place in the list, the id, and the columns that `others` names. */
static void open_list(const mg_overview_page *p, const char *id, const char *others) {
    mg_sink_format(p->sink,
                   "<table class=\"top\"><thead><tr><th scope=\"col\"></th><th scope=\"col\">%s</th>%s</tr></thead>\n"
                   "<tbody>\n",
                   id, others);
}

static void put_place(mg_overview_page *p, uint32_t place, uint64_t vertex) {
    mg_sink_format(p->sink, "<tr><td>%u</td><th scope=\"row\">", place + 1);
    mg_overview_put_id(p, vertex);
    mg_sink_put(p->sink, "</th>");
}

/* A number above a bar. */
static void put_bar(const mg_overview_page *p, const char *text, double share) {
    mg_sink_format(p->sink, "<td class=\"share\"><span style=\"--w:%.1f%%\">%s</span></td></tr>\n", 100 * share, text);
}

static void put_list(mg_overview_page *p, const char *title, const meguri_overview_list *list, bool real) {
    char text[MG_REPORT_TEXT];
    if (!list->count) return;
    double highest = list->items[0].value;
    int decimals = highest < 1 && highest > 0 ? 3 - (int)floor(log10(highest)) : 3;
    mg_sink_format(p->sink, "<div class=\"card\"><h3>%s</h3>\n", title);
    open_list(p, "Vertex", real ? "<th scope=\"col\">Rank</th>" : "<th scope=\"col\">Edges</th>");
    for (uint32_t i = 0; i < list->count; i++) {
        double number = list->items[i].value;
        if (!real) mg_thousands(text, (uint64_t)number);
        else if (highest < 1e-4) snprintf(text, sizeof text, "%.3e", number);
        else snprintf(text, sizeof text, "%.*f", decimals, number);
        put_place(p, i, list->items[i].vertex);
        put_bar(p, text, number / highest);
    }
    mg_sink_put(p->sink, "</tbody></table></div>\n");
}

void mg_overview_put_lists(mg_overview_page *p) {
    const meguri_overview_info *i = p->info;
    if (!p->facts.edges) return;
    mg_sink_put(p->sink, "<section><h2>Vertices that stand out</h2>\n<div class=\"cards three\">\n");
    put_list(p, "Highest PageRank", &i->by_pagerank, true);
    put_list(p, p->two_degrees ? "Highest out-degree" : "Highest degree", &i->degrees.top, false);
    if (p->two_degrees) put_list(p, "Highest in-degree", &i->in_degrees.top, false);
    mg_sink_put(p->sink, "</div></section>\n");
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

static void put_groups(mg_overview_page *p, const meguri_overview_list *list, const char *id, bool leaders) {
    char text[MG_REPORT_TEXT];
    double all = (double)p->facts.vertices;
    open_list(p, id, "<th scope=\"col\">Vertices</th><th scope=\"col\">Share</th>");
    for (uint32_t i = 0; i < list->count; i++) {
        const meguri_overview_item *item = &list->items[i];
        put_place(p, i, leaders ? item->leader : item->vertex);
        mg_sink_format(p->sink, "<td>%s</td>", mg_thousands(text, (uint64_t)item->value));
        put_bar(p, mg_report_percent(text, item->value, all), item->value / all);
    }
    mg_sink_put(p->sink, "</tbody></table>\n");
}

void mg_overview_put_components(mg_overview_page *p) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    const meguri_overview_numbers *n = &p->info->components;
    if (!n->count) return;
    mg_sink_format(p->sink, "<div class=\"card\"><h3>%s</h3>\n<p>",
                   p->facts.directed ? "Weakly connected components" : "Connected components");
    if (n->count == 1) mg_sink_put(p->sink, "One: all vertices are connected");
    else if (n->most == 1) mg_sink_put(p->sink, "Every vertex is isolated");
    else
        mg_sink_format(p->sink, "%s, of which the largest has %s of the vertices", mg_thousands(a, n->count),
                       mg_report_percent(b, n->most, (double)p->facts.vertices));
    if (p->info->is_forest && p->info->pairs)
        mg_sink_put(p->sink, n->count == 1 ? "; it is a tree" : "; there are no cycles");
    mg_sink_put(p->sink, ".</p>\n");
    mg_overview_put_sizes(p, n, "components", "Components by size", "Components");
    if (n->count > 1 && n->most > 1) put_groups(p, &p->info->largest_components, "First vertex", false);
    mg_sink_put(p->sink, "</div>\n");
}

static void put_verdict(const mg_overview_page *p) {
    char a[MG_REPORT_TEXT];
    const meguri_overview_info *i = p->info;
    double joined = (double)(p->facts.vertices - p->facts.isolated);
    if (i->division == MEGURI_OVERVIEW_ONE)
        mg_sink_format(p->sink, " There is no division: one community has %s of the vertices with edges.",
                       mg_report_percent(a, i->communities.most, joined));
    if (i->division == MEGURI_OVERVIEW_FRAGMENTS)
        mg_sink_format(p->sink,
                       " These are fragments of %.1f vertices on average: the method does not suit this graph.",
                       i->communities.mean);
    if (i->unsettled > 0.1)
        mg_sink_format(p->sink, " The labels had not settled: %s of them changed in the last iteration.",
                       mg_report_percent(a, i->unsettled, 1));
}

void mg_overview_put_communities(mg_overview_page *p) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    const meguri_overview_info *i = p->info;
    if (!i->communities.count) return;
    mg_sink_put(p->sink, "<div class=\"card\"><h3>Communities</h3>\n");
    mg_sink_format(p->sink, "<p>%s by label propagation; %s of the edges are inside, modularity %.2f.",
                   mg_thousands(a, i->communities.count), mg_report_percent(b, i->inside, 1), i->modularity);
    put_verdict(p);
    mg_sink_put(p->sink, " The leader of a community is its member of highest PageRank.</p>\n");
    mg_overview_put_sizes(p, &i->communities, "communities", "Communities by size", "Communities");
    put_groups(p, &i->largest_communities, "Leader", true);
    mg_sink_put(p->sink, "</div>\n");
}
