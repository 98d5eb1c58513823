/* The first screen: a line for each fact, lists, notes. */
#include "overview/overview.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPARKS 40 /* columns of a small histogram, at most */

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

const char *cli_percent(char buffer[CLI_NUMBER_TEXT], double share) {
    double percent = 100 * share;
    if (percent > 0 && percent < 0.05) return strcpy(buffer, "<0.1 %");
    if (percent < 100 && percent >= 99.95) return strcpy(buffer, ">99.9 %");
    bool tenths = (percent > 0 && percent < 9.95) || (percent > 90.05 && percent < 100);
    snprintf(buffer, CLI_NUMBER_TEXT, tenths ? "%.1f %%" : "%.0f %%", percent);
    return buffer;
}

const char *cli_number_text(char buffer[CLI_NUMBER_TEXT], double number) {
    char digits[CLI_NUMBER_TEXT];
    double size = fabs(number);
    bool whole = number == floor(number) || size >= 9999.5;
    if (!whole || !(size < 1e15)) {
        snprintf(buffer, CLI_NUMBER_TEXT, size >= 999.5 && size < 9999.5 ? "%.1f" : "%.4g", number);
        return buffer;
    }
    snprintf(buffer, CLI_NUMBER_TEXT, "%s%s", number < 0 ? "-" : "", cli_thousands(digits, (uint64_t)(size + 0.5)));
    return buffer;
}

const char *cli_plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void print_label(const char *label) { printf("  %-*s", CLI_OVERVIEW_LABEL - 2, label); }

/* "12 self-loops", "no self-loops" */
static void print_count(uint64_t count, const char *noun) {
    char text[CLI_NUMBER_TEXT];
    printf("%s %s%s", count ? cli_thousands(text, count) : "no", noun, cli_plural(count));
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

static void print_title(const cli_overview *o) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT];
    const meguri_graph_info *g = &o->graph_info;
    printf("%s: %s %s, %s edge%s, %s", cli_base_name(o->input), cli_thousands(a, g->vertices),
           g->vertices == 1 ? "vertex" : "vertices", cli_thousands(b, g->edges), cli_plural(g->edges),
           g->directed ? "directed" : "undirected");
    if (g->weight_type != MEGURI_TYPE_NONE) printf(", weighted");
    puts("\n");
}

static meguri_status print_ids(const cli_overview *o) {
    static const char *const kinds[] = {"unsigned integers", "signed integers", "strings"};
    const meguri_graph_info *g = &o->graph_info;
    if (!g->vertices) return MEGURI_OK;
    print_label("ids");
    printf("%s, ", kinds[g->id_kind]);
    for (int last = 0; last < 2 && (!last || g->vertices > 1); last++) {
        cli_id id;
        meguri_status status = cli_get_id(&id, o->run, o->graph, g->id_kind, last ? g->vertices - 1 : 0);
        if (status != MEGURI_OK) return status;
        if (last) fputs(" … ", stdout);
        cli_print_id_within(&id, 24);
    }
    putchar('\n');
    return MEGURI_OK;
}

static void print_edges(const cli_overview *o) {
    char text[CLI_NUMBER_TEXT];
    const meguri_overview_info *i = &o->info;
    if (o->graph_info.edges || o->graph_info.dropped_loops) {
        bool dropped = o->graph_info.dropped_loops || o->graph_info.dropped_duplicates, kept = i->loops || i->parallel;
        print_label("edges");
        if (kept || !dropped) {
            print_count(i->loops, "self-loop");
            fputs(", ", stdout);
            print_count(i->parallel, "parallel edge");
            putchar('\n');
        }
        cli_print_dropped(&o->graph_info, kept ? "              " : "", NULL);
    }
    if (!o->graph_info.directed || !o->graph_info.edges) return;
    print_label("direction");
    printf("%s of the edges are mutual", cli_percent(text, i->reciprocity));
    if (i->sources) printf("; %s source%s", cli_thousands(text, i->sources), cli_plural(i->sources));
    if (i->sinks) printf("%s%s sink%s", i->sources ? ", " : "; ", cli_thousands(text, i->sinks), cli_plural(i->sinks));
    putchar('\n');
}

static void print_weights(const cli_overview *o) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT], c[CLI_NUMBER_TEXT], d[CLI_NUMBER_TEXT];
    const meguri_overview_numbers *n = &o->info.weights;
    if (!n->count) return;
    print_label("weights");
    printf("%s to %s, median %s, mean %s (%s)", cli_number_text(a, n->least), cli_number_text(b, n->most),
           cli_number_text(c, n->median), cli_number_text(d, n->mean), meguri_type_name(o->graph_info.weight_type));
    if (o->info.negative_weights) printf(", %s negative", cli_thousands(a, o->info.negative_weights));
    if (o->info.zero_weights) printf(", %s zero", cli_thousands(a, o->info.zero_weights));
    putchar('\n');
}

static meguri_status print_columns(const cli_overview *o) {
    meguri_column_info column = {.size = sizeof column};
    uint32_t edges = o->graph_info.edge_columns, count = edges + o->graph_info.vertex_columns;
    if (!count) return MEGURI_OK;
    print_label("columns");
    for (uint32_t c = 0; c < count; c++) {
        meguri_status status = c < edges ? meguri_graph_edge_column(&column, o->run->ctx, o->graph, c)
                                         : meguri_graph_vertex_column(&column, o->run->ctx, o->graph, c - edges);
        if (status != MEGURI_OK) return status;
        fputs(c == 0 ? "" : c == edges ? "; of vertices: " : ", ", stdout);
        if (c == 5 && count > 6) {
            printf("and %" PRIu32 " more", count - c);
            break;
        }
        const cli_id name = {.kind = MEGURI_ID_STRING, .name = column.name, .length = strlen(column.name)};
        cli_print_id_within(&name, 20);
        printf(" (%s)", meguri_type_name(column.type));
    }
    putchar('\n');
    return MEGURI_OK;
}

static void print_coordinates(const cli_overview *o) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT], text[MEGURI_COUNT_TEXT];
    const meguri_overview_info *i = &o->info;
    if (!i->located) return;
    print_label("coordinates");
    printf("x %s to %s", cli_number_text(a, i->least_x), cli_number_text(b, i->most_x));
    printf(", y %s to %s", cli_number_text(a, i->least_y), cli_number_text(b, i->most_y));
    if (i->located < o->graph_info.vertices) printf(", of %s", meguri_count_text(text, i->located, "vertex"));
    putchar('\n');
}

/* ---- structure -------------------------------------------------------------------------------------------------- */

static void print_sizes(const meguri_overview_list *list, uint32_t first, double above) {
    char text[CLI_NUMBER_TEXT];
    for (uint32_t k = first; k < list->count && k < first + 3 && list->items[k].value > above; k++)
        printf("%s%s", k == first ? ", then " : ", ", cli_number_text(text, list->items[k].value));
}

static void print_components(const cli_overview *o) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT], c[CLI_NUMBER_TEXT];
    const meguri_overview_numbers *n = &o->info.components;
    const char *shape = !o->info.is_forest || !o->info.pairs ? ""
                        : n->count == 1                      ? ", a tree"
                                                             : "; no cycles: a forest";
    const char *weak = o->graph_info.directed ? " (weak)" : "";
    uint64_t isolated = o->graph_info.isolated;
    if (!n->count) return;
    print_label("components");
    if (n->most == 1) puts("every vertex is isolated");
    else if (n->count == 1) printf("1%s: all vertices are connected%s\n", weak, shape);
    else {
        printf("%s%s, the largest %s (%s)", cli_thousands(a, n->count), weak, cli_number_text(b, n->most),
               cli_percent(c, n->most / (double)o->graph_info.vertices));
        print_sizes(&o->info.largest_components, 1, 1);
        puts(shape);
    }
    if (isolated && n->most > 1)
        printf("%*s%s vert%s no edge\n", CLI_OVERVIEW_LABEL, "", cli_thousands(a, isolated),
               isolated == 1 ? "ex has" : "ices have");
}

/* Vertices by degree in powers of two, on a logarithmic scale: power laws fall evenly. */
static void print_sparks(const meguri_overview_numbers *n, bool explain) {
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT];
    uint64_t sums[SPARKS] = {0}, most = 1;
    int last = 0;
    for (uint32_t k = 0; k < n->bin_count; k++) {
        int octave = n->bins[k].from < 1 ? 0 : 1 + ilogb(n->bins[k].from);
        if (octave >= SPARKS) octave = SPARKS - 1;
        if (octave > last) last = octave;
        sums[octave] += n->bins[k].count;
        if (sums[octave] > most) most = sums[octave];
    }
    printf("%*s%s ", CLI_OVERVIEW_LABEL, "", cli_number_text(a, n->least));
    for (int k = n->least < 1 ? 0 : 1 + ilogb(n->least); k <= last; k++)
        fputs(bars[sums[k] == 0 ? 0 : most == 1 ? 8 : 1 + (int)(7 * log((double)sums[k]) / log((double)most))], stdout);
    printf(" %s%s\n", cli_number_text(b, n->most), explain ? "   (vertices by degree 1, 2, 4 …; log scale)" : "");
}

static void print_degrees(const cli_overview *o, const char *label, const meguri_overview_degrees *d) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT];
    const meguri_overview_numbers *n = &d->numbers;
    if (!n->most) return;
    print_label(label);
    printf("%s to %s", cli_number_text(a, n->least), cli_number_text(b, n->most));
    printf(", median %s, mean %s", cli_number_text(a, n->median), cli_number_text(b, n->mean));
    if (o->graph_info.vertices >= 100)
        printf("; top 1 %% have %s of edge%s", cli_percent(a, d->top_share), o->graph_info.directed ? "s" : " ends");
    putchar('\n');
    if (n->most >= 4) print_sparks(n, d == &o->info.degrees);
}

static meguri_status print_distances(const cli_overview *o) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT];
    const meguri_overview_info *i = &o->info;
    cli_id source;
    if (!i->levels.count) return MEGURI_OK;
    meguri_status status = cli_get_id(&source, o->run, o->graph, o->graph_info.id_kind, i->source);
    if (status != MEGURI_OK) return status;
    print_label("distances");
    printf("from ");
    cli_print_id_within(&source, 16);
    printf("%s: %s of vertices within %s step%s\n", o->graph_info.directed ? " along edges" : "",
           cli_percent(a, (double)i->reached / (double)o->graph_info.vertices), cli_number_text(b, i->levels.most),
           cli_plural((uint64_t)i->levels.most));
    printf("%*smedian %s, ", CLI_OVERVIEW_LABEL, "", cli_number_text(a, i->levels.median));
    if (o->graph_info.directed) printf("longest distance found %s\n", cli_thousands(a, i->longest));
    else if (i->longest == i->diameter_at_most) printf("diameter %s\n", cli_thousands(a, i->longest));
    else printf("diameter from %s to %s\n", cli_thousands(a, i->longest), cli_thousands(b, i->diameter_at_most));
    return MEGURI_OK;
}

static void print_clustering(const cli_overview *o) {
    char text[CLI_NUMBER_TEXT];
    const meguri_overview_info *i = &o->info;
    if (!i->pairs) return;
    print_label("clustering");
    if (i->triangles_skipped == MEGURI_OVERVIEW_TOO_LONG)
        puts("skipped, as it would take long; meguri triangles counts");
    else if (i->triangles_skipped) puts("skipped for want of memory; --memory gives more");
    else if (!i->triangles) puts("no triangles");
    else
        printf("%s triangle%s, transitivity %.3f, mean coefficient %.3f\n", cli_thousands(text, i->triangles),
               cli_plural(i->triangles), i->transitivity, i->mean_clustering);
}

static void print_communities(const cli_overview *o) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT];
    const meguri_overview_info *i = &o->info;
    const meguri_overview_numbers *n = &i->communities;
    if (!n->count) return;
    print_label("communities");
    printf("%s by label propagation, modularity %.2f, %s of edges inside\n", cli_thousands(a, n->count), i->modularity,
           cli_percent(b, i->inside));
    printf("%*s", CLI_OVERVIEW_LABEL, "");
    uint64_t joined = o->graph_info.vertices - o->graph_info.isolated;
    if (i->division == MEGURI_OVERVIEW_ONE)
        printf("no division: one of them has %s of the vertices with edges\n",
               cli_percent(a, n->most / (double)joined));
    else if (i->division == MEGURI_OVERVIEW_FRAGMENTS)
        printf("fragments of %s vertices: the method does not suit this graph\n",
               cli_number_text(a, round(10 * n->mean) / 10));
    else {
        printf("the largest %s (%s)", cli_number_text(a, n->most),
               cli_percent(b, n->most / (double)o->graph_info.vertices));
        print_sizes(&i->largest_communities, 1, 0);
        putchar('\n');
    }
    if (i->unsettled > 0.1)
        printf("%*snot settled: %s of the labels changed in the last iteration\n", CLI_OVERVIEW_LABEL, "",
               cli_percent(a, i->unsettled));
}

/* ---- notes ------------------------------------------------------------------------------------------------------ */

static void print_notes(const cli_overview *o) {
    const meguri_overview_info *i = &o->info;
    if (!o->graph_info.vertices) puts("the graph is empty: it has neither vertices nor edges");
    if (i->seems_undirected && i->reciprocity > 0)
        puts("note: every edge has its reverse; --undirected reads such a pair as one edge");
    else if (i->seems_undirected)
        puts("note: all edges go from a smaller id to a larger one, as undirected graphs are often\n"
             "      listed; if edges have no direction, read them with --undirected");
}

static void print_end(const cli_overview *o) {
    char a[CLI_NUMBER_TEXT], b[CLI_NUMBER_TEXT], c[CLI_NUMBER_TEXT];
    uint32_t threads = meguri_ctx_threads(o->run->ctx);
    printf("%s (open %s, measure %s", cli_seconds_text(a, cli_now() - o->run->started),
           cli_seconds_text(b, o->seconds.open), cli_seconds_text(c, o->seconds.measure));
    if (o->output) printf(", write %s", cli_seconds_text(a, o->seconds.write));
    printf("), memory %s, %" PRIu32 " thread%s", cli_size_text(a, meguri_ctx_memory_peak(o->run->ctx)), threads,
           cli_plural(threads));
    if (o->output) cli_print_written(o->output);
    putchar('\n');
}

bool cli_overview_two_degrees(const cli_overview *o) {
    bool symmetric = o->info.reciprocity == 1 && !o->info.parallel;
    return o->graph_info.directed && !symmetric;
}

meguri_status cli_overview_text(const cli_overview *o) {
    bool two = cli_overview_two_degrees(o);
    print_title(o);
    meguri_status status = print_ids(o);
    print_edges(o);
    print_weights(o);
    if (status == MEGURI_OK) status = print_columns(o);
    print_coordinates(o);
    print_components(o);
    print_degrees(o, two ? "out-degree" : "degree", &o->info.degrees);
    if (two) print_degrees(o, "in-degree", &o->info.in_degrees);
    if (status == MEGURI_OK) status = print_distances(o);
    print_clustering(o);
    print_communities(o);
    if (status == MEGURI_OK && o->graph_info.edges) status = cli_overview_lists(o);
    if (o->graph_info.vertices) putchar('\n');
    print_notes(o);
    cli_overview_next(o);
    print_end(o);
    return status;
}
