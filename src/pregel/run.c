/* The front of vertex programs: options, workers, one program after another, the result. */
#include "pregel/checkpoint.h"
#include "pregel/identity.h"
#include "pregel/parts.h"
#include <meguri/extra/cluster_threads.h>

#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

static const char *const delivery_names[] = {"auto",         "normal", "combine", "sendall",
                                             "sendall-sopt", "ghost",  "list",    "mirror"};

const char *meguri_delivery_name(meguri_delivery delivery) {
    return (size_t)delivery < sizeof delivery_names / sizeof *delivery_names ? delivery_names[delivery] : "unknown";
}

/* ---- what was asked for ----------------------------------------------------------------------------------------- */

static meguri_status check_program(meguri_ctx *ctx, const meguri_program *p, meguri_delivery delivery) {
    if (!p || p->abi != MEGURI_PREGEL_ABI || p->size != sizeof *p || !p->name || !p->kernels[0])
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "a program was made for another version of meguri/pregel.h; compile it again.");
    if (delivery == MEGURI_DELIVERY_COMBINE && !p->combine)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the program %s has no combiner, which the delivery combine needs.",
                       p->name);
    if (p->combine && p->edge_type)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "the program %s has a combiner and reads values of edges with its messages; add them before "
                       "sending, or leave one of the two out.",
                       p->name);
    for (uint32_t i = 0; i < p->output_count; i++) {
        const meguri_output *o = &p->outputs[i];
        size_t size = mg_column_size(o->type);
        if (!o->name || !*o->name || !mg_type_is_result(o->type) || o->offset + size > p->value_bytes)
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "output %" PRIu32 " of the program %s lies outside the value of a vertex.", i + 1, p->name);
    }
    for (uint32_t i = 0; i < p->aggregator_count; i++) {
        const meguri_aggregator *a = &p->aggregators[i];
        if (a->kind < MEGURI_SUM_REAL || a->kind > MEGURI_OWN || (a->kind == MEGURI_OWN && (!a->fold || !a->bytes)))
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "aggregator %" PRIu32 " of the program %s is of no kind that is known.", i + 1, p->name);
    }
    return MEGURI_OK;
}

/* A column that a program makes. */
typedef struct named_output {
    const char *name;
    uint32_t program, output;
} named_output;

static int by_name(const void *a, const void *b) {
    const named_output *p = a, *q = b;
    int order = strcmp(p->name, q->name);
    if (order) return order;
    if (p->program != q->program) return p->program < q->program ? -1 : 1;
    return p->output < q->output ? -1 : p->output > q->output;
}

static meguri_status strange_name(meguri_ctx *ctx, const meguri_program_list *list, const named_output *o) {
    for (const char *c = o->name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "output %" PRIu32 " of the program %s has control characters in its name.", o->output + 1,
                           list->programs[o->program]->name);
    return MEGURI_OK;
}

/* Files name their columns, each by a name of its own; the first is `vertex`. */
static meguri_status check_columns(meguri_ctx *ctx, const meguri_program_list *list) {
    uint64_t count = 0;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < list->count; i++) count += list->programs[i]->output_count;
    named_output *all = mg_alloc_array(ctx, count, sizeof *all, "names of columns"), *next = all;
    if (!all) return MEGURI_NO_MEMORY;
    for (uint32_t i = 0; i < list->count && status == MEGURI_OK; i++)
        for (uint32_t c = 0; c < list->programs[i]->output_count && status == MEGURI_OK; c++) {
            *next = (named_output){list->programs[i]->outputs[c].name, i, c};
            status = strange_name(ctx, list, next++);
        }
    if (status == MEGURI_OK) qsort(all, count, sizeof *all, by_name);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
        if (strcmp(all[i].name, "vertex") == 0 || (i && strcmp(all[i].name, all[i - 1].name) == 0))
            status = mg_fail(ctx, MEGURI_BAD_INPUT,
                             "output %" PRIu32 " of the program %s is called \"%.200s\", as another column of the "
                             "result is; give it a name of its own.",
                             all[i].output + 1, list->programs[all[i].program]->name, all[i].name);
    mg_free(all);
    return status;
}

static meguri_status check(mg_run *run, const meguri_run_options *options) {
    meguri_run_options *o = &run->options;
    meguri_ctx *ctx = run->ctx;
    const meguri_program_list *list = run->programs;
    meguri_status status = MG_OPTIONS(ctx, o, options, meguri_run_options);
    if (status != MEGURI_OK) return status;
    if ((unsigned)o->delivery > MEGURI_DELIVERY_MIRROR)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "delivery %d is none that is known.", (int)o->delivery);
    if (o->workers > MG_PREGEL_WORKERS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu32 " workers are not possible: choose 1 to %d.", o->workers,
                       MG_PREGEL_WORKERS);
    if ((o->cluster || run->graph->elsewhere) && o->workers > 1)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "the processes of a cluster are the workers; leave `workers` at 0 there.");
    if (run->graph->elsewhere && o->cluster && o->cluster != mg_shards_of(run->graph)->cluster)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the graph lies in parts on another cluster than `cluster`.");
    if (run->graph->processes > MG_PREGEL_WORKERS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a program runs on %d processes at most.", MG_PREGEL_WORKERS);
    if (o->cluster && o->cluster->size > MG_PREGEL_WORKERS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a program runs on %d processes at most.", MG_PREGEL_WORKERS);
    if (o->argc < 0 || (o->argc && !o->argv))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "arguments of programs are missing: argc and argv do not agree.");
    if (o->file && o->file->list != list)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the programs to run are not those of `file`.");
    if (list->abi != MEGURI_PREGEL_ABI || list->size != sizeof *list || !list->count || !list->programs)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "the programs were made for version %" PRIu32
                       " of meguri/pregel.h, and this library has version "
                       "%d; compile them again.",
                       list->abi, MEGURI_PREGEL_ABI);
    for (uint32_t i = 0; i < list->count && status == MEGURI_OK; i++)
        status = check_program(ctx, list->programs[i], o->delivery);
    return status == MEGURI_OK ? check_columns(ctx, list) : status;
}

/* Columns by position, and values of out-edges in the types of the programs: once for all workers. In parts each has
 * its own. */
static meguri_status make_tables(mg_run *run) {
    const meguri_graph *graph = run->graph;
    mg_rows out = {0};
    uint32_t programs = run->programs->count;
    uint64_t items = mg_graph_results(graph);
    meguri_status status = mg_result_new(&run->result, run->ctx);
    if (status == MEGURI_OK && !graph->elsewhere) status = mg_graph_rows(&out, run->ctx, graph);
    if (status != MEGURI_OK) return status;
    run->values = mg_alloc_array_zero(run->ctx, programs, sizeof *run->values, "the programs of a run");
    run->edges = mg_alloc_array_zero(run->ctx, programs, sizeof *run->edges, "the programs of a run");
    if (!run->values || !run->edges) return MEGURI_NO_MEMORY;
    for (uint32_t i = 0; i < programs && status == MEGURI_OK; i++) {
        const meguri_program *p = run->programs->programs[i];
        mg_edge_values e;
        status = mg_edge_values_of(&e, run->ctx, graph, p);
        if (status == MEGURI_OK && !graph->elsewhere)
            status = mg_edge_values_of_rows(&run->edges[i].values, &run->edges[i].owned, run->ctx, &e, &out);
        if (status != MEGURI_OK || !p->output_count) continue;
        run->values[i] = mg_alloc_array(run->ctx, items, p->value_bytes, "the results of a program");
        if (!run->values[i]) return MEGURI_NO_MEMORY;
        status = mg_result_own(run->ctx, run->result, run->values[i]);
        for (uint32_t c = 0; c < p->output_count && status == MEGURI_OK; c++)
            status = mg_result_add_column(run->ctx, run->result, p->outputs[c].name, p->outputs[c].type,
                                          run->values[i] + p->outputs[c].offset, items, p->value_bytes);
    }
    return status;
}

/* ---- a worker --------------------------------------------------------------------------------------------------- */

/* The values of its vertices into the table by position. */
static void store(const mg_pregel_worker *w) {
    size_t bytes = w->left_bytes;
    char *to = w->run->values[w->number];
    for (uint64_t place = 0; place < w->count; place++)
        memcpy(to + (uint64_t)mg_pregel_position(w, place) * bytes, w->left + place * bytes, bytes);
}

/* Processes that share no memory: everybody gets the values of all. */
static meguri_status spread_values(const mg_pregel_worker *w) {
    size_t bytes = w->left_bytes;
    uint64_t most = (w->run->graph->vertices + w->workers - 1) / w->workers;
    char *mine = mg_alloc_array_zero(w->ctx, most, bytes, "the results of a program");
    char *all = mg_alloc_array(w->ctx, most * w->workers, bytes, "the results of a program");
    meguri_status status = mg_agree(w->ctx, w->cluster, mine && all ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        memcpy(mine, w->left, w->count * bytes);
        status = mg_all_gather(w->ctx, w->cluster, &w->cluster->all, mine, most * bytes, all);
    }
    for (uint64_t p = 0; p < w->run->graph->vertices && status == MEGURI_OK; p++)
        memcpy(w->run->values[w->number] + p * bytes, all + (p % w->workers * most + p / w->workers) * bytes, bytes);
    mg_free(mine);
    mg_free(all);
    return status;
}

static uint64_t sum_of(const uint64_t *numbers, int count) {
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) sum += numbers[i];
    return sum;
}

static meguri_status set_facts(const mg_pregel_worker *w, const double *reals, const uint64_t *memory,
                               uint64_t most_row_bytes) {
    meguri_ctx *ctx = w->run->ctx;
    meguri_result *r = w->run->result;
    const uint64_t *bits = w->all.model_bits, *bytes = w->all.bytes;
    const struct {
        const char *name;
        uint64_t number;
    } numbers[] = {{"supersteps", w->all.supersteps},
                   {"computed", w->all.computed},
                   {"messages", w->all.messages},
                   {"delivered", w->all.delivered},
                   {"model_bytes", (sum_of(bits, MG_MODEL_COUNT) + 7) / 8},
                   {"model_bytes_ids", (bits[MG_MODEL_IDS] + 7) / 8},
                   {"model_bytes_values", (bits[MG_MODEL_VALUES] + 7) / 8},
                   {"model_bytes_bits", (bits[MG_MODEL_BITS] + 7) / 8},
                   {"model_bytes_questions", (bits[MG_MODEL_QUESTIONS] + 7) / 8},
                   {"bytes", sum_of(bytes, MG_WIRE_COUNT)},
                   {"bytes_messages", bytes[MG_WIRE_MESSAGES]},
                   {"bytes_sendall", bytes[MG_WIRE_SENDALL]},
                   {"bytes_questions", bytes[MG_WIRE_QUESTIONS]},
                   {"bytes_control", bytes[MG_WIRE_CONTROL]},
                   {"workers", w->workers},
                   {"memory_rows", memory[MG_MEMORY_ROWS]},
                   {"memory_masks", memory[MG_MEMORY_MASKS]},
                   {"memory_ghosts", memory[MG_MEMORY_GHOSTS]},
                   {"most_row_bytes", most_row_bytes}};
    static const char *const real_names[] = {"seconds", "seconds_compute", "seconds_before", "seconds_communication",
                                             "seconds_after"};
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == MEGURI_OK; i++)
        status = mg_result_set_number(ctx, r, numbers[i].name, numbers[i].number);
    for (size_t i = 0; i < sizeof real_names / sizeof *real_names && status == MEGURI_OK; i++)
        status = mg_result_set_real(ctx, r, real_names[i], reals[i]);
    if (status == MEGURI_OK)
        status = mg_result_set_text(ctx, r, "engine",
                                    meguri_engine_name(w->cluster ? MEGURI_ENGINE_CLUSTER : MEGURI_ENGINE_HOST));
    return status;
}

static meguri_status finish(mg_pregel_worker *w) {
    double reals[1 + MG_SPLIT_COUNT] = {w->all.seconds};
    uint64_t memory[MG_MEMORY_COUNT], row_bytes = w->most_row_bytes;
    memcpy(memory, w->most_memory, sizeof memory);
    for (int i = 0; i < MG_SPLIT_COUNT; i++) reals[1 + i] = w->all.split[i];
    meguri_status status = MEGURI_OK;
    if (w->cluster) {
        status = mg_reduce_f64(w->ctx, w->cluster, &w->cluster->all, reals, 1 + MG_SPLIT_COUNT, MG_MAXIMUM);
        if (status == MEGURI_OK)
            status = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, memory, MG_MEMORY_COUNT, MG_SUM);
        if (status == MEGURI_OK)
            status = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, &row_bytes, 1, MG_MAXIMUM);
    }
    if (status == MEGURI_OK && (w->me == 0 || !w->run->shared)) status = set_facts(w, reals, memory, row_bytes);
    return mg_pregel_agree(w, status);
}

/* From a checkpoint, or from the beginning, of which there is one, too, once this is over. */
static meguri_status begin(mg_pregel_worker *w, uint64_t *first) {
    const meguri_run_options *o = &w->run->options;
    bool there = false;
    meguri_status status = o->resume || o->checkpoint ? mg_identity_of(&w->identity, w) : MEGURI_OK;
    if (status == MEGURI_OK && o->resume) status = mg_checkpoint_look(w, first, &there);
    if (status == MEGURI_OK && o->checkpoint && !there) status = mg_pregel_agree(w, mg_checkpoint_write(w, true));
    if (status == MEGURI_OK && there && *first) {
        w->left_bytes = w->run->programs->programs[*first - 1]->value_bytes;
        w->left = mg_alloc_array(w->ctx, MG_MAX(w->count, 1), w->left_bytes, "the vertices of a program");
        status = mg_pregel_agree(w, w->left ? MEGURI_OK : MEGURI_NO_MEMORY);
    }
    if (!there) {
        mg_free(w->manifest);
        w->manifest = NULL;
    }
    return status;
}

/* Where vertices are, and in which order. */
static meguri_status get_numbers(mg_pregel_worker *w) {
    const mg_run *run = w->run;
    const mg_pregel_parts *parts = run->parts;
    if (parts) {
        w->numbers = parts->numbers;
        w->own_positions = parts->own_positions;
        w->order = (mg_numbering){parts->to_user, parts->to_internal};
        return MEGURI_OK;
    }
    meguri_status status = mg_graph_rows(&w->out, w->ctx, run->graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&w->numbering, w->ctx, run->graph);
    w->order = w->numbering;
    return mg_pregel_agree(w, status);
}

static meguri_status work(mg_run *run, meguri_ctx *ctx, meguri_cluster *cluster) {
    mg_pregel_worker w = {.run = run, .ctx = ctx, .workers = 1};
    if (cluster && cluster->size > 1) {
        w.cluster = cluster;
        w.me = (uint64_t)cluster->rank;
        w.workers = (uint64_t)cluster->size;
    }
    uint64_t vertices = run->graph->vertices;
    w.count = vertices > w.me ? (vertices - w.me + w.workers - 1) / w.workers : 0;
    w.words = mg_bitmap_words(w.count);
    w.block = mg_bitmap_words((vertices + w.workers - 1) / w.workers) * 64;
    if (run->shared && w.me == 0) mg_begin(run->ctx); /* this thread reports progress for all */
    uint64_t first = 0;
    meguri_status status = get_numbers(&w);
    if (status == MEGURI_OK) status = begin(&w, &first);
    for (uint32_t i = (uint32_t)first; i < run->programs->count && status == MEGURI_OK; i++) {
        w.number = i;
        w.program = run->programs->programs[i];
        status = mg_pregel_loop(&w);
        mg_free(w.manifest);
        w.manifest = NULL;
        if (status != MEGURI_OK || !run->values[i]) continue;
        if (run->parts) status = mg_pregel_parts_to_homes(ctx, run->parts, run->values[i], w.left, w.left_bytes);
        else if (w.workers == 1 || run->shared) store(&w);
        else status = spread_values(&w);
    }
    if (status == MEGURI_OK) status = finish(&w);
    mg_free(w.manifest);
    mg_free(w.left);
    return status;
}

static meguri_status work_as_rank(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    return work(user, ctx, cluster);
}

/* ---- the front -------------------------------------------------------------------------------------------------- */

static meguri_status start(mg_run *run) {
    const meguri_run_options *o = &run->options;
    if (o->workers <= 1) return work(run, run->ctx, o->cluster);
    mg_rows in; /* made now: ranks have only a share of the memory each */
    meguri_status status = mg_graph_in_rows(&in, run->ctx, run->graph);
    if (status != MEGURI_OK) return status;
    run->shared = true;
    meguri_cluster_threads_options ranks = {.size = sizeof ranks, .ranks = o->workers};
    status = meguri_cluster_threads(run->ctx, &ranks, work_as_rank, run);
    if (o->place) o->place->program = NULL;
    return status;
}

static void describe(mg_call *call, const mg_run *run) {
    const meguri_run_options *o = &run->options;
    mg_call_number(call, "delivery", (uint64_t)o->delivery);
    mg_call_number(call, "max_supersteps", o->max_supersteps);
    mg_call_number(call, "every", o->every);
    mg_call_number(call, "number of programs", run->programs->count);
    mg_call_graph(call, run->ctx, run->graph);
    uint64_t arguments = 0;
    for (int i = 0; i < o->argc; i++) arguments = XXH64(o->argv[i], strlen(o->argv[i]) + 1, arguments);
    mg_call_number(call, "list of arguments", arguments + (uint64_t)o->argc);
}

meguri_status meguri_run(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                         const meguri_program_list *programs, const meguri_run_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx || !graph || !programs) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_run run = {.ctx = ctx, .graph = graph, .programs = programs};
    meguri_status status = check(&run, options);
    if (status == MEGURI_OK) status = make_tables(&run);
    if (status == MEGURI_OK) status = mg_pregel_watch(&run);
    meguri_cluster *cluster = graph->elsewhere ? mg_shards_of(graph)->cluster : run.options.cluster;
    if (cluster && cluster->size > 1) {
        mg_call call = {.name = "meguri_run"};
        if (status == MEGURI_OK) describe(&call, &run);
        status = mg_agree_call(ctx, cluster, status, &call);
    }
    run.options.cluster = cluster;
    if (status == MEGURI_OK && graph->elsewhere) status = mg_pregel_parts_open(&run.parts, ctx, mg_shards_of(graph));
    if (status == MEGURI_OK) status = start(&run);
    mg_pregel_unwatch(&run);
    mg_pregel_parts_close(run.parts);
    for (uint32_t i = 0; i < programs->count && run.edges; i++) mg_free(run.edges[i].owned);
    mg_free(run.edges);
    mg_free(run.values);
    if (status == MEGURI_OK) *out = run.result;
    else meguri_result_free(run.result);
    return status;
}
