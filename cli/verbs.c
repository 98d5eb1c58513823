/* The list of verbs, and the options that (almost) all of them have. */
#include "cli.h"

/* X(name, the task that help lists it under): one row for each verb, those of a task one after another; it is the
 * cli_verb_NAME of verbs/NAME.c, help.c, man.c or completion.c. */
#define VERB_LIST(X)                                                                                                   \
    X(gen, "make")                                                                                                     \
    X(build, "make")                                                                                                   \
    X(convert, "make")                                                                                                 \
    X(overview, "inspect")                                                                                             \
    X(info, "inspect")                                                                                                 \
    X(report, "inspect")                                                                                               \
    X(help, "inspect")                                                                                                 \
    X(bfs, "search")                                                                                                   \
    X(sssp, "search")                                                                                                  \
    X(run, "search")                                                                                                   \
    X(pagerank, "rank")                                                                                                \
    X(betweenness, "rank")                                                                                             \
    X(components, "group")                                                                                             \
    X(communities, "group")                                                                                            \
    X(cores, "group")                                                                                                  \
    X(triangles, "group")                                                                                              \
    X(clustering, "group")                                                                                             \
    X(path, "paths")                                                                                                   \
    X(index, "paths")                                                                                                  \
    X(pull, "databases")                                                                                               \
    X(write_back, "databases")                                                                                         \
    X(partition, "databases")                                                                                          \
    X(devices, "cluster and device")                                                                                   \
    X(selftest, "cluster and device")                                                                                  \
    X(graph500, "benchmark")                                                                                           \
    X(man, "")                                                                                                         \
    X(completion, "")

#define DECLARE(name, task) extern const cli_verb cli_verb_##name;
VERB_LIST(DECLARE)
#undef DECLARE

const cli_option cli_common_options[] = {
    {.name = "threads",
     .kind = CLI_NUMBER,
     .argument = "N",
     .standard = "all processors",
     .help = "threads to work with",
     .least = 1,
     .most = 1024},
    {.name = "memory",
     .kind = CLI_SIZE,
     .argument = "SIZE",
     .standard = "9/10 of what is free",
     .help = "at most: 2G, 1.5GiB",
     .least = 1},
    {.name = "engine",
     .kind = CLI_CHOICE,
     .argument = "NAME",
     .standard = "auto",
     .help = "auto, host, cluster or device",
     .choices = "auto|host|cluster|device"},
    {.name = "trace", .kind = CLI_OUTPUT, .argument = "FILE", .help = "write every step as a line of JSON"},
    {.name = "json", .kind = CLI_FLAG, .help = "the summary as one JSON object"},
    {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .help = "no summary, no progress line, no warnings"},
    {0},
};

const cli_option cli_device_options[] = {
    {.name = "device", .kind = CLI_STRING, .argument = "D"},
    {.name = "device-memory",
     .kind = CLI_SIZE,
     .argument = "S",
     .help = "gpu, cpu, names or numbers; its memory",
     .least = 1},
    {0},
};

const cli_option cli_help_options[] = {
    {.name = "help", .letter = 'h', .kind = CLI_FLAG},
    {.name = "version", .kind = CLI_FLAG, .help = "show this text; show the version"},
    {0},
};

const cli_option cli_output_option[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .content = CLI_GRAPH,
     .argument = "FILE",
     .help = "what to write; its suffix chooses the format",
     .required = true},
    {0},
};

static const cli_option *const root_options[] = {cli_common_options, cli_help_options, NULL};
static const cli_verb *const root_verbs[] = {
#define POINT(name, task) &cli_verb_##name,
    VERB_LIST(POINT)
#undef POINT
        NULL,
};

const char *const cli_tasks[] = {
#define TASK(name, task) task,
    VERB_LIST(TASK)
#undef TASK
};

static const char *const root_examples[] = {"meguri overview edges.csv", NULL};

const cli_verb cli_root = {
    .name = "meguri",
    .summary = "graph traversal: searches, shortest paths, rankings",
    .examples = root_examples,
    .options = root_options,
    .verbs = root_verbs,
    .verbs_title = "verb",
};
