/* A graph out of blocks, from several threads: build_blocks OUT.meg makes a timetable of trains and ships whose edges
 * have types and ids, as a program would that gets them from a database over several connections.
 *
 * Every thread has a context of its own; the place of a block, not when it comes, says where its edges belong. */
#include <meguri.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, TOWNS = 100 };

typedef struct share {
    meguri_builder *builder;
    uint64_t number;
    meguri_status status;
} share;

/* What one connection brings: a part of a ring of railways, and a ship across. */
static void *add_share(void *user) {
    share *s = user;
    char names[2 * TOWNS][16];
    meguri_text from[TOWNS], to[TOWNS];
    uint32_t minutes[TOWNS];
    uint8_t types[TOWNS];
    uint64_t ids[TOWNS];
    static const char *const labels[] = {"SHIP", "TRAIN"};
    for (uint64_t i = 0; i < TOWNS; i++) {
        uint64_t town = s->number * TOWNS + i, last = i == TOWNS - 1;
        uint64_t next = last ? town / 2 : town + 1;
        from[i].length = (size_t)snprintf(names[2 * i], sizeof *names, "town %d", (int)town);
        to[i].length = (size_t)snprintf(names[2 * i + 1], sizeof *names, "town %d", (int)next);
        from[i].text = names[2 * i];
        to[i].text = names[2 * i + 1];
        minutes[i] = 5 + (uint32_t)(town % 7);
        types[i] = !last;
        ids[i] = 1000 + town;
    }
    const meguri_column_data columns[] = {
        {.size = sizeof *columns, .type = MEGURI_TYPE_U8, .values = types, .labels = labels, .label_count = 2},
        {.size = sizeof *columns, .type = MEGURI_TYPE_U64, .values = ids}};
    const meguri_edge_arrays edges = {.size = sizeof edges,
                                      .count = TOWNS,
                                      .from = from,
                                      .to = to,
                                      .weights = minutes,
                                      .weight_type = MEGURI_TYPE_U32,
                                      .columns = columns,
                                      .column_count = 2};
    meguri_ctx *ctx = NULL;
    s->status = meguri_ctx_new(&ctx, NULL);
    if (s->status == MEGURI_OK) s->status = meguri_builder_add(ctx, s->builder, s->number, &edges);
    if (s->status != MEGURI_OK) fprintf(stderr, "%s\n", meguri_ctx_error(ctx));
    meguri_ctx_free(ctx);
    return NULL;
}

static meguri_status add_all(meguri_builder *builder) {
    share shares[THREADS];
    pthread_t threads[THREADS];
    meguri_status status = MEGURI_OK;
    int started = 0;
    for (; started < THREADS; started++) {
        shares[started] = (share){builder, (uint64_t)started, MEGURI_OK};
        if (pthread_create(&threads[started], NULL, add_share, &shares[started]) != 0) break;
    }
    if (started < THREADS) status = MEGURI_NO_MEMORY;
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        if (status == MEGURI_OK) status = shares[i].status;
    }
    return status;
}

int main(int argc, char **argv) {
    meguri_ctx *ctx;
    meguri_builder *builder = NULL;
    meguri_graph *graph = NULL;
    const meguri_column_data columns[] = {{.size = sizeof *columns, .name = "type", .kind = MEGURI_COLUMN_TYPES},
                                          {.size = sizeof *columns, .name = "id", .kind = MEGURI_COLUMN_IDS}};
    const meguri_builder_options options = {
        .size = sizeof options,
        .ids = MEGURI_ID_STRING,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .direction = MEGURI_UNDIRECTED},
        .columns = columns,
        .column_count = 2};
    if (argc != 2 || meguri_ctx_new(&ctx, NULL) != MEGURI_OK) return 2;
    const meguri_sink sink = {.size = sizeof sink, .path = argv[1]};
    meguri_status status = meguri_builder_new(&builder, ctx, &options);
    if (status == MEGURI_OK) status = add_all(builder);
    if (status == MEGURI_OK) status = meguri_builder_finish(&graph, ctx, builder);
    if (status == MEGURI_OK) status = meguri_save(ctx, graph, &sink, NULL);
    if (status != MEGURI_OK) fprintf(stderr, "%s\n", meguri_ctx_error(ctx));
    meguri_graph_free(graph);
    meguri_builder_free(builder);
    meguri_ctx_free(ctx);
    return status == MEGURI_OK ? 0 : 1;
}
