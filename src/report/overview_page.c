/* meguri_overview_write: the measures of a graph as a page, in the style of the report. */
#define _GNU_SOURCE
#include "report/overview_page.h"

#include "algo/overview/overview.h"

#include <locale.h>
#include <string.h>

/* ---- the head --------------------------------------------------------------------------------------------------- */

static void put_diameter(const mg_overview_page *p) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT], text[3 * MG_REPORT_TEXT];
    const meguri_overview_info *i = p->info;
    if (!i->levels.count) return;
    mg_thousands(a, i->longest);
    mg_thousands(b, i->diameter_at_most);
    bool exact = p->facts.directed || i->longest == i->diameter_at_most;
    snprintf(text, sizeof text, exact ? "%s" : "%s to %s", a, b);
    mg_report_put_tile(p->sink, p->facts.directed ? "Longest distance found" : "Diameter", text);
}

static void put_tiles(const mg_overview_page *p) {
    char text[MG_REPORT_TEXT];
    const meguri_overview_info *i = p->info;
    double vertices = (double)p->facts.vertices;
    mg_sink_put(p->sink, "<dl class=\"tiles even\">\n");
    mg_report_put_tile(p->sink, "Vertices", mg_thousands(text, p->facts.vertices));
    mg_report_put_tile(p->sink, "Edges", mg_thousands(text, p->facts.edges));
    if (p->facts.edges) {
        mg_report_put_tile(p->sink, "Components", mg_thousands(text, i->components.count));
        mg_report_put_tile(p->sink, "Largest component", mg_report_percent(text, i->components.most, vertices));
        mg_report_put_tile(p->sink, p->two_degrees ? "Mean out-degree" : "Mean degree",
                           mg_overview_number(text, i->degrees.numbers.mean));
        mg_report_put_tile(p->sink, p->two_degrees ? "Highest out-degree" : "Highest degree",
                           mg_overview_number(text, i->degrees.numbers.most));
        put_diameter(p);
        mg_report_put_tile(p->sink, "Communities", mg_thousands(text, i->communities.count));
    }
    mg_sink_put(p->sink, "</dl>\n");
}

static void put_notes(const mg_overview_page *p) {
    const meguri_overview_info *i = p->info;
    if (!p->facts.vertices) mg_sink_put(p->sink, "<p class=\"note\">The graph has neither vertices nor edges.</p>\n");
    if (i->seems_undirected)
        mg_sink_format(
            p->sink, "<p class=\"note\">%s</p>\n",
            i->reciprocity > 0
                ? "Every edge has its reverse: read as undirected, such a pair is one edge."
                : "All edges go from a smaller id to a larger one, as undirected graphs are often listed: if "
                  "edges have no direction, read them as undirected.");
}

static void put_header(mg_overview_page *p, const char *name) {
    mg_report_open_page(p->sink, &name, 1, "overview");
    mg_sink_format(p->sink, "A%s graph with%s weights", p->facts.directed ? " directed" : "n undirected",
                   p->facts.weight_type == MEGURI_TYPE_NONE ? "out" : "");
    if (p->facts.has_coordinates) mg_sink_put(p->sink, " and coordinates");
    mg_sink_put(p->sink, ".</p>\n");
    put_tiles(p);
    put_notes(p);
    mg_sink_put(p->sink, "</header>\n");
}

/* ---- the parts -------------------------------------------------------------------------------------------------- */

static void put_degree_facts(const mg_overview_page *p, const char *name, const meguri_overview_degrees *d) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT], c[MG_REPORT_TEXT];
    mg_sink_format(p->sink, "<p>%s %s to %s, ", name, mg_overview_number(a, d->numbers.least),
                   mg_overview_number(b, d->numbers.most));
    mg_sink_format(p->sink, "median %s, mean %s", mg_overview_number(a, d->numbers.median),
                   mg_overview_number(b, d->numbers.mean));
    if (p->facts.vertices >= 100)
        mg_sink_format(p->sink, "; the 1%s%% of the vertices with the highest have %s of the edge%s", MG_REPORT_NBSP,
                       mg_report_percent(c, d->top_share, 1), p->facts.directed ? "s" : " ends");
    mg_sink_put(p->sink, ".</p>\n");
}

static void put_degrees(const mg_overview_page *p) {
    if (!p->facts.edges) return;
    mg_sink_put(p->sink, "<div class=\"card\"><h3>Degrees</h3>\n");
    put_degree_facts(p, p->two_degrees ? "Out-degrees" : "Degrees", &p->info->degrees);
    if (p->two_degrees) put_degree_facts(p, "In-degrees", &p->info->in_degrees);
    mg_overview_put_degrees(p);
    mg_sink_put(p->sink, "</div>\n");
}

static void put_weights(const mg_overview_page *p) {
    const meguri_overview_numbers *n = &p->info->weights;
    if (n->bin_count < 2) return;
    const meguri_overview_bin *first = &n->bins[0], *last = &n->bins[n->bin_count - 1];
    bool growing = last->to - last->from > 2 * (first->to - first->from);
    mg_sink_put(p->sink, "<div class=\"card\"><h3>Weights</h3>\n");
    mg_overview_put_bars(p, n, "weights", growing ? "Edges by weight, on a logarithmic axis" : "Edges by weight",
                         "Weight", "Edges");
    mg_sink_put(p->sink, "</div>\n");
}

static void put_distances(mg_overview_page *p) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    const meguri_overview_info *i = p->info;
    if (!i->levels.count) return;
    mg_sink_put(p->sink, "<div class=\"card\"><h3>Distances</h3>\n<p>From <b>");
    mg_overview_put_id(p, i->source);
    mg_sink_format(p->sink, "</b>%s, %s of the vertices are reached; half of these within %s step%s.",
                   p->facts.directed ? " along the edges" : "",
                   mg_report_percent(a, (double)i->reached, (double)p->facts.vertices),
                   mg_overview_number(b, i->levels.median), i->levels.median == 1 ? "" : "s");
    if (!p->facts.directed && i->longest < i->diameter_at_most)
        mg_sink_format(p->sink, " The diameter of this component is between %s and %s.", mg_thousands(a, i->longest),
                       mg_thousands(b, i->diameter_at_most));
    mg_sink_put(p->sink, "</p>\n");
    mg_overview_put_bars(p, &i->levels, "levels", "Vertices by distance in edges", "Distance", "Vertices");
    mg_sink_put(p->sink, "</div>\n");
}

static void put_clustering(const mg_overview_page *p) {
    char text[MG_REPORT_TEXT];
    const meguri_overview_info *i = p->info;
    if (!i->pairs) return;
    mg_sink_put(p->sink, "<div class=\"card\"><h3>Clustering</h3>\n<p>");
    if (i->triangles_skipped == MEGURI_OVERVIEW_TOO_LONG)
        mg_sink_put(p->sink, "Triangles were not counted, as that would take long.");
    else if (i->triangles_skipped) mg_sink_put(p->sink, "Triangles were not counted for want of memory.");
    else if (!i->triangles) mg_sink_put(p->sink, "There are no triangles.");
    else
        mg_sink_format(p->sink, "%s triangle%s; transitivity %.3f, mean local clustering coefficient %.3f.",
                       mg_thousands(text, i->triangles), i->triangles == 1 ? "" : "s", i->transitivity,
                       i->mean_clustering);
    mg_sink_put(p->sink, "</p></div>\n");
}

static void put_page(mg_overview_page *p, const char *name, const mg_report_map *map) {
    put_header(p, name);
    mg_overview_put_map(p->sink, map);
    mg_overview_put_lists(p);
    mg_sink_put(p->sink, "<section><h2>Structure</h2>\n<div class=\"flow\">\n");
    put_degrees(p);
    put_distances(p);
    mg_overview_put_communities(p);
    mg_overview_put_components(p);
    put_weights(p);
    put_clustering(p);
    mg_sink_put(p->sink, "<div class=\"card\"><h3>The graph</h3>\n");
    mg_overview_put_facts(p);
    mg_sink_put(p->sink, "</div>\n</div></section>\n");
    mg_report_close_page(p->sink, " Distances count edges; communities and PageRank do not use weights.");
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static meguri_status write_page(uint64_t *bytes, mg_overview_page *p, const char *name, const mg_report_map *map,
                                const mg_output *output) {
    mg_sink sink;
    meguri_status status = mg_sink_open(&sink, p->ctx, output);
    if (status == MEGURI_OK) {
        p->sink = &sink;
        put_page(p, name, map);
        status = mg_sink_close(&sink, p->status == MEGURI_OK);
        if (p->status != MEGURI_OK) status = p->status;
        if (bytes) *bytes = sink.sent;
    }
    mg_sink_free(&sink);
    return status;
}

/* Numbers look the same in every locale. */
static meguri_status write_plain(uint64_t *bytes, mg_overview_page *p, const char *name, const mg_report_map *map,
                                 const mg_output *output) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) return mg_fail(p->ctx, MEGURI_NO_MEMORY, "the system has no memory for a locale.");
    locale_t before = uselocale(plain);
    meguri_status status = write_page(bytes, p, name, map, output);
    uselocale(before);
    freelocale(plain);
    return status;
}

meguri_status meguri_overview_write(uint64_t *bytes, meguri_ctx *ctx, const meguri_overview *overview, const char *name,
                                    const meguri_sink *sink) {
    mg_output output;
    mg_report_map map = {0};
    if (!ctx || !overview || !name) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = mg_output_of(&output, ctx, sink, false, __func__);
    if (status == MEGURI_OK && *output.suffix && strcmp(output.suffix + 1, ".html") != 0)
        status =
            mg_fail(ctx, MEGURI_BAD_ARGUMENT, "form: unknown form '%s': an overview is 'html'.", output.suffix + 2);
    if (status != MEGURI_OK) return status;
    mg_overview_page page = {
        .ctx = ctx, .graph = overview->graph, .info = &overview->info, .facts.size = sizeof page.facts};
    bool symmetric = overview->info.reciprocity == 1 && !overview->info.parallel;
    status = meguri_graph_get_info(&page.facts, ctx, overview->graph);
    page.two_degrees = page.facts.directed && !symmetric;
    if (status == MEGURI_OK && overview->info.located) status = mg_overview_map(&map, ctx, overview->graph);
    if (status == MEGURI_OK) status = write_plain(bytes, &page, name, &map, &output);
    mg_report_map_free(&map);
    return status;
}
