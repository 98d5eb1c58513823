/* meguri gen: graphs made by rule, the same for the same seed at any number of threads. */
#include "cli.h"

#define NO_MORE_NUMBERS "a .meg file has no numbers for more vertices" /* a cluster could draw them */

static const cli_option scale_rows[] = {
    {.name = "scale",
     .kind = CLI_NUMBER,
     .argument = "N",
     .help = "2^N vertices, 1 to 31",
     .least = 1,
     .most = 31,
     .because = NO_MORE_NUMBERS,
     .required = true},
    {.name = "edgefactor",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "16",
     .help = "edges per vertex",
     .least = 1,
     .most = UINT32_MAX},
    {0},
};
static const cli_option rmat_rows[] = {
    {.name = "a", .kind = CLI_REAL, .argument = "X", .most = 1},
    {.name = "b", .kind = CLI_REAL, .argument = "X", .most = 1},
    {.name = "c",
     .kind = CLI_REAL,
     .argument = "X",
     .standard = ".57 .19 .19",
     .help = "chances of three quarters",
     .most = 1},
    {.name = "noise",
     .kind = CLI_REAL,
     .argument = "X",
     .standard = "0",
     .help = "share by which they move at every level",
     .most = 1},
    {.name = "scramble", .kind = CLI_FLAG, .help = "permute the labels, so that hubs lie anywhere"},
    {0},
};
static const cli_option uniform_rows[] = {
    {.name = "vertices",
     .kind = CLI_NUMBER,
     .argument = "N",
     .help = "number of vertices",
     .most = UINT32_MAX - 1,
     .because = NO_MORE_NUMBERS,
     .required = true},
    {.name = "edges",
     .kind = CLI_NUMBER,
     .argument = "M",
     .help = "edges drawn, before any are dropped",
     .required = true},
    {0},
};
static const cli_option grid_rows[] = {
    {.name = "width", .kind = CLI_NUMBER, .argument = "W", .least = 1, .most = UINT32_MAX - 1, .required = true},
    {.name = "height",
     .kind = CLI_NUMBER,
     .argument = "H",
     .help = "crossings each way",
     .least = 1,
     .most = UINT32_MAX - 1,
     .required = true},
    {.name = "links",
     .kind = CLI_NUMBER,
     .argument = "K",
     .standard = "0",
     .help = "long links besides, as railways have"},
    {0},
};
static const cli_option seed_rows[] = {
    {.name = "seed", .kind = CLI_NUMBER, .argument = "N", .standard = "1", .help = "another seed, another graph"},
    {0},
};
static const cli_option weight_rows[] = {
    {.name = "weights",
     .kind = CLI_CHOICE,
     .standard = "none",
     .help = "whole 1 to 255, or real 0 to 1",
     .choices = "none|u32|f32"},
    {0},
};

static meguri_type weights(const cli_args *args) {
    static const meguri_type types[] = {MEGURI_TYPE_NONE, MEGURI_TYPE_U32, MEGURI_TYPE_F32};
    return types[cli_choice(args, "weights")];
}

static meguri_status make_kronecker(meguri_graph **out, cli_run *run, const meguri_build_options *build) {
    meguri_kronecker_options o = {
        .size = sizeof o,
        .build = build,
        .scale = (uint32_t)cli_number(&run->args, "scale", 0),
        .edge_factor = (uint32_t)cli_number(&run->args, "edgefactor", 0),
        .seed = cli_number(&run->args, "seed", 0),
        .weights = weights(&run->args),
    };
    return meguri_gen_kronecker(out, run->ctx, &o);
}

static meguri_status make_rmat(meguri_graph **out, cli_run *run, const meguri_build_options *build) {
    meguri_rmat_options o = {
        .size = sizeof o,
        .build = build,
        .scale = (uint32_t)cli_number(&run->args, "scale", 0),
        .edge_factor = (uint32_t)cli_number(&run->args, "edgefactor", 0),
        .a = cli_real(&run->args, "a", 0.57),
        .b = cli_real(&run->args, "b", 0.19),
        .c = cli_real(&run->args, "c", 0.19),
        .noise = cli_real(&run->args, "noise", 0),
        .scramble = cli_given(&run->args, "scramble"),
        .seed = cli_number(&run->args, "seed", 0),
        .weights = weights(&run->args),
    };
    if (o.a + o.b + o.c == 0) /* the library takes three zeros for "not set" */
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--a, --b and --c are all 0: give at least one chance above 0.");
    return meguri_gen_rmat(out, run->ctx, &o);
}

static meguri_status make_uniform(meguri_graph **out, cli_run *run, const meguri_build_options *build) {
    meguri_uniform_options o = {
        .size = sizeof o,
        .build = build,
        .vertices = cli_number(&run->args, "vertices", 0),
        .edges = cli_number(&run->args, "edges", 0),
        .seed = cli_number(&run->args, "seed", 0),
        .weights = weights(&run->args),
    };
    return meguri_gen_uniform(out, run->ctx, &o);
}

static meguri_status make_grid(meguri_graph **out, cli_run *run, const meguri_build_options *build) {
    meguri_grid_options o = {
        .size = sizeof o,
        .build = build,
        .width = cli_number(&run->args, "width", 0),
        .height = cli_number(&run->args, "height", 0),
        .links = cli_number(&run->args, "links", 0),
        .seed = cli_number(&run->args, "seed", 0),
    };
    if (run->cluster && o.width > (UINT32_MAX - 1) / o.height)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "%llu x %llu crossings can be drawn, but not saved: a .meg file has numbers for %llu vertices.",
                        (unsigned long long)o.width, (unsigned long long)o.height, (unsigned long long)UINT32_MAX - 1);
    if (run->cluster && !cli_given(&run->args, "quiet"))
        cli_on_log(run, MEGURI_LOG_WARNING, "a cluster makes the grid without coordinates.");
    return meguri_gen_grid(out, run->ctx, &o);
}

typedef meguri_status make_fn(meguri_graph **out, cli_run *run, const meguri_build_options *build);

static meguri_status generate(cli_run *run, make_fn *make) {
    meguri_graph *graph = NULL;
    double start = cli_now();
    meguri_build_options build;
    cli_get_build_options(&build, &run->args);
    meguri_status status = cli_get_layout(&build.layout, run);
    if (status == MEGURI_OK) status = make(&graph, run, &build);
    double begun = cli_now();
    if (status == MEGURI_OK) status = cli_write_output(run, graph, NULL);
    cli_times times = {.phase = "generate", .first = begun - start, .write = cli_now() - begun};
    if (status == MEGURI_OK) status = cli_summary(run, graph, &times);
    meguri_graph_free(graph);
    return status;
}

static meguri_status run_kronecker(cli_run *run) { return generate(run, make_kronecker); }
static meguri_status run_rmat(cli_run *run) { return generate(run, make_rmat); }
static meguri_status run_uniform(cli_run *run) { return generate(run, make_uniform); }
static meguri_status run_grid(cli_run *run) { return generate(run, make_grid); }

CLI_MANUAL(gen_kronecker);
CLI_MANUAL(gen_rmat);
CLI_MANUAL(gen_uniform);
CLI_MANUAL(gen_grid);

static const cli_verb gen_kronecker = {
    .name = "gen kronecker",
    .on_cluster = true,
    .summary = "the Graph500 graph: few hubs, many leaves; undirected",
    .manual = cli_manual_gen_kronecker,
    .examples = (const char *const[]){"meguri gen kronecker --scale 20 -o g.meg",
                                      "meguri gen kronecker --scale 16 --weights f32 --seed 7 -o k.wel", NULL},
    .options = (const cli_option *const[]){scale_rows, seed_rows, weight_rows, cli_build_options, cli_output_option,
                                           cli_grid_option, cli_common_options, cli_help_options, NULL},
    .run = run_kronecker,
};
static const cli_verb gen_rmat = {
    .name = "gen rmat",
    .on_cluster = true,
    .summary = "R-MAT with probabilities of your own; directed",
    .manual = cli_manual_gen_rmat,
    .examples = (const char *const[]){"meguri gen rmat --scale 20 --a .45 --b .15 --c .15 -o r.meg", NULL},
    .options =
        (const cli_option *const[]){scale_rows, rmat_rows, seed_rows, weight_rows, cli_build_options, cli_output_option,
                                    cli_grid_option, cli_common_options, cli_help_options, NULL},
    .run = run_rmat,
};
static const cli_verb gen_uniform = {
    .name = "gen uniform",
    .on_cluster = true,
    .summary = "ends drawn uniformly (Erdős–Rényi); directed",
    .manual = cli_manual_gen_uniform,
    .examples = (const char *const[]){"meguri gen uniform --vertices 1000000 --edges 8000000 -o u.meg", NULL},
    .options = (const cli_option *const[]){uniform_rows, seed_rows, weight_rows, cli_build_options, cli_output_option,
                                           cli_grid_option, cli_common_options, cli_help_options, NULL},
    .run = run_uniform,
};
static const cli_verb gen_grid = {
    .name = "gen grid",
    .on_cluster = true,
    .summary = "streets of a town, with weights and coordinates; undirected",
    .manual = cli_manual_gen_grid,
    .examples = (const char *const[]){"meguri gen grid --width 1195 --height 1195 --links 20000 -o town.meg", NULL},
    .options = (const cli_option *const[]){grid_rows, seed_rows, cli_build_options, cli_output_option, cli_grid_option,
                                           cli_common_options, cli_help_options, NULL},
    .run = run_grid,
};

const cli_verb cli_verb_gen = {
    .name = "gen",
    .summary = "make a graph: kronecker, rmat, uniform or grid",
    .examples = (const char *const[]){"meguri gen kronecker --scale 20 -o g.meg", NULL},
    .options = (const cli_option *const[]){cli_help_options, NULL},
    .verbs = (const cli_verb *const[]){&gen_kronecker, &gen_rmat, &gen_uniform, &gen_grid, NULL},
    .verbs_title = "model",
};
