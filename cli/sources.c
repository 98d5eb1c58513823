/* Vertices that are named on the command line or in a file, as the graph has them. */
#include "cli.h"

#include <stdlib.h>

meguri_status cli_sources_read(cli_sources *out, cli_run *run, const char *path, meguri_list_kind kind) {
    *out = (cli_sources){.path = path};
    meguri_status status = meguri_list_read(&out->list, run->ctx, path, kind);
    if (status != MEGURI_OK) return status;
    out->path = meguri_list_name(out->list);
    out->count = meguri_list_rows(out->list);
    if (out->count || kind == MEGURI_LIST_PAIRS) return MEGURI_OK; /* a header of pairs may be wrong */
    return cli_fail(run, MEGURI_BAD_INPUT, "%s has no ids below its header.", out->path);
}

meguri_status cli_sources_find(uint64_t **out, cli_sources *sources, cli_run *run, const meguri_graph *graph,
                               const char *column) {
    *out = calloc(sources->count, sizeof **out);
    sources->ids = calloc(sources->count, sizeof *sources->ids);
    if (!*out || !sources->ids)
        return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the ids of %s.", sources->path);
    return meguri_list_vertices(*out, sources->ids, run->ctx, sources->list, graph, column);
}

void cli_sources_free(cli_sources *sources) {
    meguri_list_free(sources->list);
    free(sources->ids);
    *sources = (cli_sources){0};
}

/* ---- where a search starts -------------------------------------------------------------------------------------- */

meguri_status cli_starts_read(cli_starts *out, cli_run *run) {
    *out = (cli_starts){.many = cli_given(&run->args, "sources")};
    if (!out->many) return MEGURI_OK;
    if (run->cluster)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--sources is for one machine; give one --source to the processes of a cluster, or say "
                        "--engine host.");
    return cli_sources_read(&out->list, run, cli_text(&run->args, "sources"), MEGURI_LIST_VERTICES);
}

meguri_status cli_starts_find(cli_starts *s, cli_algorithm *a) {
    cli_run *run = a->run;
    meguri_status status;
    if (s->many) {
        s->count = s->list.count;
        status = cli_sources_find(&s->vertices, &s->list, run, a->graph, "source");
    } else {
        s->count = 1;
        s->vertices = calloc(1, sizeof *s->vertices);
        status = s->vertices ? MEGURI_OK : cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a source.");
        status = cli_cluster_agree(run, status);
        if (status != MEGURI_OK) return status;
        status = meguri_graph_find_like(s->vertices, run->ctx, a->graph, cli_text(&run->args, "source"));
    }
    return status == MEGURI_OK ? cli_algorithm_id(&s->first, a, s->vertices[0]) : status;
}

void cli_starts_free(cli_starts *starts) {
    cli_sources_free(&starts->list);
    free(starts->vertices);
    *starts = (cli_starts){0};
}
