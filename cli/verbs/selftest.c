/* meguri selftest: small graphs of many shapes on every engine and device that is there, each answer judged. */
#include "selftest/selftest.h"
#include <meguri/extra/cluster_threads.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RANKS 4 /* of a cluster whose processes are threads */

/* What came of an algorithm on an engine. */
typedef struct outcome {
    uint32_t graphs;
    double seconds;
    meguri_status status; /* of the first graph on which something was wrong */
    char why[CASE_TEXT + 80];
} outcome;

/* An engine, or a device. */
typedef struct bench {
    meguri_engine engine;
    meguri_ctx *ctx;
    uint32_t number; /* of a device, */
    char *name;      /* its name */
    char *trouble;   /* why it cannot be used; NULL: it can */
    outcome outcomes[SELF_CASES];
} bench;

typedef struct selftest {
    cli_run *run;
    bench *benches;
    uint32_t count, graphs;
    const char *no_devices; /* why there are none */
    uint32_t failures;
    const outcome *first; /* that is wrong */
    double seconds;
} selftest;

/* ---- engines and devices ---------------------------------------------------------------------------------------- */

static meguri_status no_memory(cli_run *run) {
    return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a test.");
}

static meguri_status add_bench(selftest *t, meguri_engine engine, uint32_t number, const meguri_device_info *device) {
    char text[16];
    bench *b = &t->benches[t->count];
    snprintf(text, sizeof text, "%" PRIu32, number);
    meguri_ctx_options options = {.size = sizeof options,
                                  .progress = cli_stop_when_interrupted,
                                  .device = device ? text : NULL,
                                  .device_memory = cli_number(&t->run->args, "device-memory", 0)};
    *b = (bench){.engine = engine, .number = number};
    t->count++;
    if (device && !(b->name = strdup(device->name))) return no_memory(t->run);
    if (device && device->trouble && !(b->trouble = strdup(device->trouble))) return no_memory(t->run);
    return meguri_ctx_new(&b->ctx, &options);
}

/* All devices, or the one that --device names. */
static meguri_status add_devices(selftest *t, uint32_t devices) {
    cli_run *run = t->run;
    const char *wanted = cli_text(&run->args, "device");
    uint32_t found = 0;
    for (uint32_t i = 0; i < devices; i++) {
        meguri_device_info device = {.size = sizeof device};
        meguri_status status = meguri_device_get_info(&device, run->ctx, i);
        if (status != MEGURI_OK) return status;
        if (wanted && !device.chosen) continue;
        status = add_bench(t, MEGURI_ENGINE_DEVICE, i, &device);
        if (status != MEGURI_OK) return status;
        found++;
    }
    if (!wanted || found) return MEGURI_OK;
    if (!devices) return cli_fail(run, MEGURI_ENGINE_FAILED, "there is no device: %s.", t->no_devices);
    return cli_fail(run, MEGURI_ENGINE_FAILED, "there is no device \"%s\" here; meguri devices lists those that are.",
                    wanted);
}

static meguri_status add_all(selftest *t) {
    uint32_t devices = 0;
    meguri_status status = meguri_devices(&devices, &t->no_devices, t->run->ctx);
    if (status != MEGURI_OK) return status;
    if (devices) t->no_devices = NULL;
    t->benches = calloc((size_t)devices + 2, sizeof *t->benches);
    if (!t->benches) return no_memory(t->run);
    status = add_bench(t, MEGURI_ENGINE_HOST, 0, NULL);
    if (status == MEGURI_OK) status = add_bench(t, MEGURI_ENGINE_CLUSTER, 0, NULL);
    return status == MEGURI_OK ? add_devices(t, devices) : status;
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

typedef struct cluster_job {
    const self_case *what;
    const zoo_graph *zoo;
    char why[CASE_TEXT];
} cluster_job;

/* What each rank does. */
static meguri_status run_rank(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    cluster_job *job = user;
    char why[CASE_TEXT] = "";
    meguri_graph *graph = NULL;
    meguri_layout layout = {.size = sizeof layout, .cluster = cluster};
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_spread(&graph, ctx, job->zoo->graph, &layout);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, ctx, graph);
    if (status != MEGURI_OK) snprintf(why, sizeof why, "%s", meguri_ctx_error(ctx));
    place p = {.ctx = ctx,
               .engine = MEGURI_ENGINE_CLUSTER,
               .zoo = job->zoo,
               .graph = graph,
               .cluster = cluster,
               .begin = info.first,
               .end = info.first + info.count};
    if (status == MEGURI_OK) status = job->what->run(why, &p);
    if (meguri_cluster_rank(cluster) == 0) memcpy(job->why, why, sizeof why);
    meguri_graph_free(graph);
    return status;
}

static meguri_status run_case(char why[CASE_TEXT], const bench *b, const self_case *what, const zoo_graph *zoo) {
    if (b->engine == MEGURI_ENGINE_CLUSTER) {
        meguri_cluster_threads_options options = {.size = sizeof options, .ranks = RANKS};
        cluster_job job = {.what = what, .zoo = zoo};
        meguri_status status = meguri_cluster_threads(b->ctx, &options, run_rank, &job);
        snprintf(why, CASE_TEXT, "%s", *job.why ? job.why : meguri_ctx_error(b->ctx));
        return status;
    }
    place p = {.ctx = b->ctx, .engine = b->engine, .zoo = zoo, .graph = zoo->graph, .end = zoo->vertices};
    return what->run(why, &p);
}

static bool has(const bench *b, const self_case *what) {
    if (b->trouble) return false;
    return b->engine == MEGURI_ENGINE_HOST || (b->engine == MEGURI_ENGINE_DEVICE ? what->on_device : what->on_cluster);
}

/* One graph on one engine. */
static meguri_status run_bench(selftest *t, bench *b, const zoo_graph *zoo) {
    for (int i = 0; i < SELF_CASES; i++) {
        char why[CASE_TEXT] = "";
        outcome *o = &b->outcomes[i];
        if (!has(b, &self_cases[i])) continue;
        double since = cli_now();
        meguri_status status = run_case(why, b, &self_cases[i], zoo);
        if (status == MEGURI_CANCELLED || cli_interrupted()) return cli_fail(t->run, MEGURI_CANCELLED, "interrupted.");
        o->seconds += cli_now() - since;
        o->graphs++;
        if (status == MEGURI_OK || o->status != MEGURI_OK) continue;
        o->status = status;
        snprintf(o->why, sizeof o->why, "%s: %s", zoo->name, why);
        if (!t->failures++) t->first = o;
    }
    return MEGURI_OK;
}

static meguri_status run_all(selftest *t) {
    double since = cli_now();
    meguri_status status = MEGURI_OK;
    for (bool there = true; status == MEGURI_OK && there; t->graphs += there) {
        zoo_graph zoo;
        status = zoo_make(&zoo, &there, t->run, t->graphs);
        for (uint32_t i = 0; i < t->count && there && status == MEGURI_OK; i++)
            status = run_bench(t, &t->benches[i], &zoo);
        if (there) zoo_free(&zoo);
    }
    t->seconds = cli_now() - since;
    return status;
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

static const char *word(const bench *b, int i) {
    if (!has(b, &self_cases[i])) return "-";
    return b->outcomes[i].status == MEGURI_OK             ? "ok"
           : b->outcomes[i].status == MEGURI_WRONG_ANSWER ? "WRONG"
                                                          : "FAILED";
}

static void title(char out[24], const bench *b) {
    if (b->engine == MEGURI_ENGINE_DEVICE) snprintf(out, 24, "device %" PRIu32, b->number);
    else snprintf(out, 24, "%s", meguri_engine_name(b->engine));
}

static void tell_text(const selftest *t) {
    char name[24];
    printf("%12s", "");
    for (uint32_t k = 0; k < t->count; k++) title(name, &t->benches[k]), printf("  %9s", name);
    putchar('\n');
    for (int i = 0; i < SELF_CASES; i++) {
        printf("%-12s", self_cases[i].name);
        for (uint32_t k = 0; k < t->count; k++) printf("  %9s", word(&t->benches[k], i));
        putchar('\n');
    }
    for (uint32_t k = 0; k < t->count; k++) {
        const bench *b = &t->benches[k];
        title(name, b);
        if (b->engine == MEGURI_ENGINE_DEVICE) printf("%s is ", name), cli_print_text(b->name);
        if (b->trouble) fputs(", which cannot be used: ", stdout), cli_print_text(b->trouble);
        if (b->engine == MEGURI_ENGINE_DEVICE) putchar('\n');
        for (int i = 0; i < SELF_CASES; i++)
            if (b->outcomes[i].status != MEGURI_OK)
                printf("%s, %s: %s\n", self_cases[i].name, name, b->outcomes[i].why);
    }
    if (t->no_devices) printf("no devices: %s\n", t->no_devices);
    printf("%" PRIu32 " small graphs in %.1f seconds\n", t->graphs, t->seconds);
}

static void tell_bench(meguri_json *json, const bench *b) {
    meguri_json_open(json, NULL, '{');
    meguri_json_string(json, "engine", meguri_engine_name(b->engine));
    if (b->engine == MEGURI_ENGINE_DEVICE) {
        meguri_json_number(json, "number", b->number);
        meguri_json_string(json, "name", b->name);
        meguri_json_bool(json, "usable", !b->trouble);
        if (b->trouble) meguri_json_string(json, "trouble", b->trouble);
    }
    meguri_json_open(json, "algorithms", '[');
    for (int i = 0; i < SELF_CASES; i++) {
        const outcome *o = &b->outcomes[i];
        if (!has(b, &self_cases[i])) continue;
        meguri_json_open(json, NULL, '{');
        meguri_json_string(json, "name", self_cases[i].name);
        meguri_json_bool(json, "ok", o->status == MEGURI_OK);
        meguri_json_number(json, "graphs", o->graphs);
        meguri_json_real(json, "seconds", o->seconds);
        if (o->status != MEGURI_OK) meguri_json_string(json, "failure", o->why);
        meguri_json_close(json, '}');
    }
    meguri_json_close(json, ']');
    meguri_json_close(json, '}');
}

static void tell_json(const selftest *t) {
    meguri_json json = cli_json_to(stdout);
    meguri_json_open(&json, NULL, '{');
    meguri_json_bool(&json, "ok", !t->failures);
    meguri_json_number(&json, "graphs", t->graphs);
    meguri_json_open(&json, "engines", '[');
    for (uint32_t k = 0; k < t->count; k++) tell_bench(&json, &t->benches[k]);
    meguri_json_close(&json, ']');
    if (t->no_devices) meguri_json_string(&json, "no_devices", t->no_devices);
    meguri_json_real(&json, "seconds", t->seconds);
    meguri_json_close(&json, '}');
    putchar('\n');
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static meguri_status run_selftest(cli_run *run) {
    selftest t = {.run = run};
    meguri_ctx_options options = {
        .size = sizeof options, .progress = cli_stop_when_interrupted, .device = cli_text(&run->args, "device")};
    cli_catch_signals();
    meguri_status status = meguri_ctx_new(&run->ctx, &options);
    if (status == MEGURI_OK) status = add_all(&t);
    if (status == MEGURI_OK) status = run_all(&t);
    if (status == MEGURI_OK && cli_given(&run->args, "json")) tell_json(&t);
    else if (status == MEGURI_OK) tell_text(&t);
    if (status == MEGURI_OK && t.failures)
        status = cli_fail(run, MEGURI_WRONG_ANSWER, "%" PRIu32 " algorithm%s went wrong, the first on %s", t.failures,
                          t.failures == 1 ? "" : "s", t.first->why);
    for (uint32_t i = 0; i < t.count; i++) {
        meguri_ctx_free(t.benches[i].ctx);
        free(t.benches[i].name);
        free(t.benches[i].trouble);
    }
    free(t.benches);
    return status;
}

static const char *const examples[] = {"meguri selftest", "meguri selftest --device gpu --json", NULL};
static const cli_option rows[] = {
    {.name = "json", .kind = CLI_FLAG, .help = "what came out as one JSON object"},
    {0},
};
static const cli_option *const options[] = {cli_device_options, rows, cli_help_options, NULL};

CLI_MANUAL(selftest);

const cli_verb cli_verb_selftest = {
    .name = "selftest",
    .summary = "try every algorithm on every engine and device of this machine",
    .manual = cli_manual_selftest,
    .examples = examples,
    .options = options,
    .run = run_selftest,
};
