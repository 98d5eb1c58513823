/* meguri_graph_find_like: an id that no vertex has is answered with those that are like it, or nearest to it.
 *
 * On large graphs the search among names ends after a moment with what it has. */
#include "graph/graph.h"

#include <inttypes.h>
#include <string.h>

#define BLOCK    1024 /* names asked for at a time */
#define PATIENCE 0.25 /* seconds */
#define SENTENCE 512

static void look_around(mg_similar *s, meguri_ctx *ctx, const meguri_graph *graph) {
    const char *names[BLOCK];
    size_t lengths[BLOCK];
    double until = mg_now() + PATIENCE;
    for (uint64_t first = 0; first < graph->vertices && mg_now() < until && !mg_cancelled(ctx); first += BLOCK) {
        uint64_t count = MG_MIN(graph->vertices - first, (uint64_t)BLOCK);
        if (meguri_graph_names(names, lengths, ctx, graph, first, count) != MEGURI_OK) return;
        for (uint64_t i = 0; i < count; i++) mg_similar_see(s, names[i], lengths[i]);
        mg_progress(ctx, "names", first, graph->vertices);
    }
}

static void put_id(char text[24], const meguri_graph *graph, uint64_t id) {
    if (graph->id_kind == MEGURI_ID_SIGNED) snprintf(text, 24, "%" PRId64, (int64_t)id);
    else snprintf(text, 24, "%" PRIu64, id);
}

/* "; the nearest ids are 4 and 7." or, before the first and behind the last, "; the ids … go from 1 to 20." */
static void tell_around(char *out, size_t room, meguri_ctx *ctx, const meguri_graph *graph, uint64_t id) {
    char a[24], b[24];
    mg_id_view view;
    uint64_t at, ends[2], last = graph->vertices - 1;
    snprintf(out, room, ".");
    if (!graph->vertices || mg_graph_id_view(&view, ctx, graph) != MEGURI_OK) return;
    mg_look_up_id(&at, &view, id); /* where it would stand */
    bool inside = view.ids && at > 0 && at <= last;
    if (meguri_graph_ids(&ends[0], ctx, graph, inside ? at - 1 : 0, 1) != MEGURI_OK ||
        meguri_graph_ids(&ends[1], ctx, graph, inside ? at : last, 1) != MEGURI_OK)
        return;
    put_id(a, graph, ends[0]);
    put_id(b, graph, ends[1]);
    if (inside) snprintf(out, room, "; the nearest ids are %s and %s.", a, b);
    else if (last == 0) snprintf(out, room, "; the only id of this graph is %s.", a);
    else snprintf(out, room, "; the ids of this graph go from %s to %s.", a, b);
}

meguri_status meguri_graph_find_like(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, const char *text) {
    char sentence[SENTENCE], hint[MG_SIMILAR_TEXT] = ".";
    uint64_t id;
    meguri_status status = meguri_graph_find_text(vertex, ctx, graph, text);
    if (status != MEGURI_NOT_FOUND || graph->elsewhere) return status;
    snprintf(sentence, sizeof sentence, "%s", meguri_ctx_error(ctx));
    if (graph->id_kind == MEGURI_ID_STRING) {
        mg_similar s;
        mg_similar_start(&s, text, false);
        look_around(&s, ctx, graph);
        mg_similar_text(hint, sizeof hint, &s, "");
    } else if (mg_id_from_text(&id, text, graph->id_kind)) tell_around(hint, sizeof hint, ctx, graph, id);
    size_t length = strlen(sentence);
    if (length > 0) sentence[length - 1] = '\0'; /* the full stop */
    mg_begin(ctx);
    return mg_fail(ctx, status, "%s%s", sentence, hint);
}
