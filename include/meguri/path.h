/* Paths between two vertices: the cheapest one, several of the cheapest, those with the fewest edges, or all. */
#ifndef MEGURI_PATH_H
#define MEGURI_PATH_H

#include <meguri/columns.h>
#include <meguri/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum meguri_path_algorithm {
    MEGURI_PATH_AUTO = 0,          /* one cheapest path (fewest edges where there are no weights), the fastest way */
    MEGURI_PATH_DIJKSTRA = 1,      /* one cheapest path */
    MEGURI_PATH_ASTAR = 2,         /* the same, from both ends, guided by coordinates */
    MEGURI_PATH_BIDIRECTIONAL = 3, /* the same, from both ends */
    MEGURI_PATH_SHORTEST = 4,      /* one path with the fewest edges, whatever they weigh */
    MEGURI_PATH_ALL_SHORTEST = 5,  /* all of these */
    MEGURI_PATH_ALL = 6,     /* all paths that have no edge twice; the shortest first where there is no max_hops and
                                no max_cost, else depth first */
    MEGURI_PATH_SIMPLE = 7,  /* all paths that have no vertex twice, in the same order */
    MEGURI_PATH_YENS = 8,    /* the k cheapest paths that have no vertex twice, cheapest first */
    MEGURI_PATH_INDEXED = 9, /* one cheapest path by the index of the finder */
    MEGURI_PATH_TREE = 10    /* the same as _DIJKSTRA, but the search is kept, and questions from the same vertex that
                                come next go on from where it ended: each vertex is settled once, whatever the number
                                of targets */
} meguri_path_algorithm;

const char *meguri_path_algorithm_name(meguri_path_algorithm algorithm);
/* The algorithm of that name; -1 where there is none. */
int meguri_path_algorithm_from_name(const char *name);

typedef enum meguri_path_direction {
    MEGURI_PATH_OUT = 0, /* edges are followed as they point */
    MEGURI_PATH_IN = 1,  /* against that */
    MEGURI_PATH_BOTH = 2 /* either way */
} meguri_path_direction;

/* What the coordinates of a graph are, for A*. */
typedef enum meguri_path_metric {
    MEGURI_PATH_METRIC_AUTO = 0, /* what tells most about the weights; answers do not depend on it */
    MEGURI_PATH_PLANAR = 1,      /* x and y, the straight line */
    MEGURI_PATH_GREAT_CIRCLE = 2 /* longitude and latitude in degrees (or in millionths of them) */
} meguri_path_metric;

/* ---- the index -------------------------------------------------------------------------------------------------- */

/* An index for cheapest paths (contraction hierarchies): exact, and far faster for roads and the like. It is made for
 * a graph, is given to finders, and is saved with the graph (meguri_save_options); it holds its graph, and what uses it
 * holds it. About the size of the graph itself for roads, and larger than it is worth for graphs with hubs, where a
 * part of them is left as it was. */
typedef struct meguri_path_index_options {
    size_t size;        /* sizeof(meguri_path_index_options) */
    const char *weight; /* a numeric edge column, as of finders, which are to have the same; NULL: the weights of the
                           graph. A file keeps an index for these alone */
} meguri_path_index_options;
void meguri_path_index_options_init(meguri_path_index_options *options, size_t size);

/* Makes one: seconds for a large city. */
meguri_status meguri_path_index_new(meguri_path_index **out, meguri_ctx *ctx, const meguri_graph *graph,
                                    const meguri_path_index_options *options);
/* The one that a graph was opened with; MEGURI_NOT_FOUND: it has none (has_path_index of its info). O(1). */
meguri_status meguri_path_index_of(meguri_path_index **out, meguri_ctx *ctx, const meguri_graph *graph);
void meguri_path_index_free(meguri_path_index *index);

typedef struct meguri_path_index_info {
    size_t size;           /* set by the caller to sizeof(meguri_path_index_info) */
    uint64_t bytes;        /* in memory, and in a file */
    uint64_t edges;        /* of the index: each between two vertices, in one direction or both */
    uint64_t shortcuts;    /* directed edges that stand for several of the graph */
    uint64_t uncontracted; /* vertices that were not worth taking out */
} meguri_path_index_info;

/* O(1), also of a file. */
meguri_status meguri_path_index_get_info(meguri_path_index_info *out, meguri_ctx *ctx, const meguri_path_index *index);

/* ---- finders and questions -------------------------------------------------------------------------------------- */

/* Which index a finder has that is given none. */
typedef enum meguri_path_index_use {
    MEGURI_PATH_INDEX_STORED = 0, /* the one that the graph was opened with, if any: nothing to prepare */
    MEGURI_PATH_INDEX_MAKE = 1,   /* where there is none, one is made for this finder */
    MEGURI_PATH_INDEX_NONE = 2    /* none */
} meguri_path_index_use;

/* What a finder is made for. */
typedef struct meguri_path_finder_options {
    size_t size; /* sizeof(meguri_path_finder_options) */
    meguri_path_direction direction;
    meguri_path_metric metric;
    meguri_path_index_use index_use; /* where `index` is NULL. The index of a graph is not for MEGURI_PATH_BOTH of
                                        directed graphs, nor for types */
    const char *const *types;        /* names of types (columns.h): only edges that have one of them are followed */
    uint32_t type_count;             /* 0: all edges are */
    /* MEGURI_ENGINE_DEVICE: questions are answered on a device, one after another: MEGURI_PATH_DIJKSTRA, for which
     * there are no max_hops, and MEGURI_PATH_SHORTEST, for which there is no max_cost where edges have weights; _AUTO
     * is the first of these where there are weights, else the second. Other questions are refused. There is no index.
     * Every search has a copy of the rows there. */
    meguri_engine engine;
    const meguri_path_index *index; /* of this graph: it is used, or the finder is refused with the reason */
    const char *weight; /* the name of a numeric edge column (columns.h) that is the weight; NULL: that of the graph.
                           The index of a graph is for its own weight, and is not used for another */
} meguri_path_finder_options;
void meguri_path_finder_options_init(meguri_path_finder_options *options, size_t size);

/* Limits of one question. 0 means: none, except where it says otherwise. */
typedef struct meguri_path_query {
    size_t size; /* sizeof(meguri_path_query) */
    meguri_path_algorithm algorithm;
    uint64_t from, to; /* vertices */
    uint64_t k;        /* of MEGURI_PATH_YENS; 0: 1 */
    uint64_t max_hops; /* edges of a path at most; MEGURI_PATH_ALL and _SIMPLE need it or a limit or a maximum cost */
    double max_cost;   /* where has_max_cost is set */
    int has_max_cost;
    uint64_t limit; /* paths at most */
    double timeout; /* seconds, from when what questions share has been prepared */
    int costs_only; /* no path is made or given: the answer has the cost alone. For algorithms that find one cheapest
                       path */
} meguri_path_query;

/* One path. Everything it points to holds until the function that was given it returns. */
typedef struct meguri_path {
    size_t size;              /* sizeof(meguri_path), set by the library */
    uint64_t index;           /* 0 for the first path of a question */
    uint64_t hops;            /* its edges */
    const uint64_t *vertices; /* hops + 1 of them */
    const uint64_t *edges;    /* hops of them: the numbers of edges (rows.h), which tell parallel ones apart */
    const double *costs;      /* hops + 1: from the first vertex up to each; exact for integer weights below 2^53 */
    double cost;              /* of the whole */
} meguri_path;

typedef enum meguri_path_end {
    MEGURI_PATH_COMPLETE = 0, /* every path that was asked for was given */
    MEGURI_PATH_LIMIT = 1,    /* there may be more: the limit on their number was reached */
    MEGURI_PATH_TIMEOUT = 2,  /* there may be more: the time was over */
    MEGURI_PATH_STOPPED = 3   /* the taker wanted no more */
} meguri_path_end;

const char *meguri_path_end_name(meguri_path_end end);

/* What became of a question. */
typedef struct meguri_path_answer {
    size_t size;    /* set by the caller to sizeof(meguri_path_answer) */
    uint64_t paths; /* given; 0: there is none */
    meguri_path_end end;
    meguri_path_algorithm algorithm; /* never AUTO: what was chosen */
    uint64_t settled;                /* vertices taken from queues, or steps of an enumeration */
    uint64_t edges;                  /* looked at */
    double seconds;
    double cost; /* of the first path given, also where it is the cost alone; infinity: there is none */
} meguri_path_answer;

/* Takes a path; 0 to go on, anything else to have no more. On the calling thread; the library may be
 * called from here with the same context, but not with the same search (MEGURI_BUSY). */
typedef int (*meguri_path_take)(void *user, const meguri_path *path);

/* What questions about one graph share: it never changes, so any number of threads may ask it at once, each with a
 * context and a search of its own. What only some questions need (rows against the edges, points for A*) is made when
 * the first of them comes; those that need it too wait. A finder holds its graph. */
typedef struct meguri_path_finder meguri_path_finder;

meguri_status meguri_path_finder_new(meguri_path_finder **out, meguri_ctx *ctx, const meguri_graph *graph,
                                     const meguri_path_finder_options *options);
void meguri_path_finder_free(meguri_path_finder *finder);

/* Answers one question; no path is no failure. Paths of an enumeration are given as they are found, so memory does not
 * grow with their number. */
meguri_status meguri_path_find(meguri_path_answer *answer, meguri_ctx *ctx, const meguri_path_finder *finder,
                               const meguri_path_query *query, meguri_path_take take, void *user);

/* ---- several questions, one after another ----------------------------------------------------------------------- */

/* What one thread asks with: its workspace, the tree of MEGURI_PATH_TREE, and what earlier questions have told about
 * which way is the faster one for MEGURI_PATH_AUTO. One question at a time. A search holds its finder. */
typedef struct meguri_path_search meguri_path_search;

meguri_status meguri_path_search_new(meguri_path_search **out, meguri_ctx *ctx, const meguri_path_finder *finder);
/* As meguri_path_find. The context may be another than that of _new. After a failure, a time-out or a cancel the search
 * goes on with the next question, and its tree from where it was. */
meguri_status meguri_path_search_run(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_search *search,
                                     const meguri_path_query *query, meguri_path_take take, void *user);
void meguri_path_search_free(meguri_path_search *search);

/* ---- many questions, each thread at one of its own -------------------------------------------------------------- */

/* Takes a path of a question (path->index counts within it); 0 to go on, anything else to have no more of this
 * question. */
typedef int (*meguri_path_many_path)(void *user, uint64_t index, const meguri_path *path);
/* Takes the answer to a question, after its paths. Anything but MEGURI_OK ends the whole with that status. */
typedef meguri_status (*meguri_path_many_take)(void *user, uint64_t index, const meguri_path_answer *answer);

/* Answers many questions, each thread of the context at one of its own (the first by this search, the others by ones
 * that it keeps for the next time), and hands paths (`path` may be NULL) and answers over,
 * one at a time and in the order of the questions, on the calling thread, which may call the library from there with
 * the same context, but not with this search (MEGURI_BUSY). Questions of MEGURI_PATH_AUTO that follow each other and
 * have the same source are answered by MEGURI_PATH_TREE where a tree is faster than a search for each: what they cost
 * is the same, but of several cheapest paths it may be another one. */
meguri_status meguri_path_many(meguri_ctx *ctx, meguri_path_search *search, const meguri_path_query *queries,
                               uint64_t count, meguri_path_many_path path, meguri_path_many_take take, void *user);

/* ---- checking --------------------------------------------------------------------------------------------------- */

/* Looks at what questions give, by code of its own: that every path is one, that its edges add up to its cost, that it
 * keeps the limits and repeats nothing it must not; and that the best one is as good as a breadth-first search or
 * shortest paths to all vertices say. It may be called where a search hands paths over, with the same context. */
typedef struct meguri_path_checker meguri_path_checker;

/* `options` are those of the finder: direction and types are looked at. */
meguri_status meguri_path_checker_new(meguri_path_checker **out, meguri_ctx *ctx, const meguri_graph *graph,
                                      const meguri_path_finder_options *options);
/* Each path of a question, then its answer; `question` is for the sentence. MEGURI_WRONG_ANSWER where it is wrong. */
meguri_status meguri_path_checker_path(meguri_ctx *ctx, meguri_path_checker *checker, uint64_t question,
                                       const meguri_path_query *query, const meguri_path *path);
meguri_status meguri_path_checker_answer(meguri_ctx *ctx, meguri_path_checker *checker, uint64_t question,
                                         const meguri_path_query *query, const meguri_path_answer *answer);
/* 0: of some question it was not looked at whether there is something better, because of its limits on hops, its time,
 * or edges that are followed either way. */
int meguri_path_checker_saw_all(const meguri_path_checker *checker);
void meguri_path_checker_free(meguri_path_checker *checker);

#ifdef __cplusplus
}
#endif
#endif
