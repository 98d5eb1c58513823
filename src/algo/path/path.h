/* path: questions about paths between two vertices.
 *
 * A question goes through one of several algorithms, each in a file of its own, which all have the same shape: they
 * read the finder (what questions share, which no question changes), work in a search (what one question at a time
 * needs, one for each thread), and hand paths to mg_path_give, which applies limits and calls the taker. */
#ifndef MG_PATH_H
#define MG_PATH_H

#include "graph/graph.h"

#include <meguri/path.h>

/* For A*: points such that a straight line times per_unit is never more than a path costs (path_guide.c). */
typedef struct mg_path_guide {
    bool tried;          /* as an option */
    unsigned dimensions; /* 2: planar; 3: the unit sphere */
    double *points;      /* by internal number; NULL: there is none */
    double per_unit;     /* 0: tells nothing */
    double tells;        /* how much of the mean edge, from 0 to 1 */
} mg_path_guide;

#define MG_PATH_MERGED 3

/* The types of edges that are followed (path_types.c). */
typedef struct mg_path_types {
    bool *wanted; /* by number of the type, for mg_free; NULL: all are followed */
    const void *values;
    size_t size;
    const uint8_t *validity; /* as of a column; an edge whose type is missing has none of them */
} mg_path_types;
/* `arc` is one of the graph's out-rows. */
static inline bool mg_path_type_wanted(const mg_path_types *types, uint64_t arc) {
    if (types->validity && !mg_bit_at(types->validity, arc)) return false;
    return types->wanted[mg_value_whole(types->values, types->size, arc)];
}
/* Types by their names; no names: all. */
meguri_status mg_path_types_find(mg_path_types *out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const char *const *names, uint32_t count);
void mg_path_types_free(mg_path_types *types);

#define MG_PATH_CHOSEN 4 /* arrays that rows of some types consist of */

/* What questions about one graph share (path.c makes it). Internal numbers throughout.
 *
 * Invariant: threads read all of it without a lock, but for what is made at its first use, `backward` where there was
 * half of the rows and `guide`. That is written within the gate, never changed again, and read by a search that has
 * seen it there within the gate (mg_path_ready). */
struct meguri_path_finder {
    const meguri_graph *graph;
    uint32_t holders; /* the caller, and searches; atomic */
    meguri_path_finder_options options;
    mg_rows forward, backward; /* arcs as they are followed, and against that; for MEGURI_PATH_BOTH and undirected
                                  graphs the same */
    bool half;                 /* there is no `backward` yet; within the gate */
    bool on_device;            /* questions are answered there */
    mg_numbering numbering;
    bool weighted, real;          /* there are weights; they are f32 or f64 */
    double lightest, heaviest;    /* no weight is below, none above */
    uint64_t *stored;             /* directed graphs both ways: the place in the out-rows of each arc; else NULL */
    void *merged[MG_PATH_MERGED]; /* directed graphs both ways: what forward and backward consist of */
    mg_path_types types;
    void *chosen[2][MG_PATH_CHOSEN]; /* where not all types are followed: what out-rows and in-rows consist of */
    mg_gate gate;
    mg_path_guide guide;
    bool indexed;     /* there is an index */
    bool index_owned; /* made for this finder; else it is the graph's, or that of `given` */
    const meguri_path_index *given;
    bool against; /* the index follows `backward`: its paths are turned round */
    mg_index index;
};

/* What a search has seen of the finder and learned about its graph. */
typedef struct mg_path_known {
    bool backward;              /* the finder has rows backwards */
    const mg_path_guide *guide; /* NULL, or the finder has points */
    bool no_guide;              /* they were tried as an option, and there are none */
    bool asked;                 /* there was a question of MEGURI_PATH_AUTO */
    unsigned wins[2]; /* trials: questions for which both ends without points, and with them, were the cheaper way */
} mg_path_known;

/* What one question at a time works in; kept from question to question, so that a question costs what it touches. Each
 * algorithm keeps something of its own here, made at its first use. */
typedef enum mg_path_slot {
    MG_PATH_POINT,
    MG_PATH_MEET,
    MG_PATH_LAYERS,
    MG_PATH_HOPS,
    MG_PATH_EVERY,
    MG_PATH_YEN,
    MG_PATH_OF_ONE_SOURCE,
    MG_PATH_ON_DEVICE,
    MG_PATH_SLOTS
} mg_path_slot;
struct meguri_path_search {
    mg_claim claim;
    const meguri_path_finder *finder;
    mg_path_known known;
    meguri_path_search **others; /* of the other threads of meguri_path_many; kept, because they are large */
    int other_count;
    void *data[MG_PATH_SLOTS];
    void (*free_data[MG_PATH_SLOTS])(void *data);
    /* The path that is being given. */
    uint64_t room; /* edges */
    uint64_t *vertices;
    uint64_t *edges;
    double *costs;
};

/* A path under construction, and what a question has used up; one for each question. */
typedef struct mg_path_question mg_path_question;
struct mg_path_question {
    meguri_ctx *ctx;
    const meguri_path_finder *finder; /* of the search */
    meguri_path_search *search;
    const meguri_path_query *query;
    uint32_t from, to; /* internal numbers */
    double deadline;   /* of mg_now; infinity: none */
    meguri_path_answer *answer;
    int (*take)(void *user, const meguri_path *path);
    void *user;
    bool over;                 /* no more paths are wanted: limit, time, the taker, or a cancel */
    uint64_t steps;            /* since the last look at the clock */
    uint64_t most_settled;     /* 0, or: no more than about so many, for a trial */
    const meguri_status *halt; /* NULL, or what is not MEGURI_OK any more when another of many questions has failed */
};

/* Gives a path to the taker: hops arcs (places in finder->forward) that follow each other from question->from. Counts
 * it, translates numbers, adds up costs; sets question->over. */
meguri_status mg_path_give(mg_path_question *question, const uint64_t *arcs, uint64_t hops);
/* Where only the cost of one cheapest path is asked for: that it is known, without its arcs. */
meguri_status mg_path_give_cost(mg_path_question *question, double cost);
/* The failure of a question on an "undirected" graph whose rows are not those of one. */
meguri_status mg_path_one_way(const mg_path_question *question);
/* path_look.c: looks at the clock and for a cancel, and sets answer->end and question->over; the next two do when it is
 * time to. */
bool mg_path_look(mg_path_question *question);
#define MG_PATH_LOOK 4096 /* steps between two looks: well below a millisecond */
/* Call one of these in every loop; it is cheap. A step is an arc, a vertex or the like: some ns, 100 where memory is
 * slow. True: stop, and return MEGURI_OK (path.c turns a cancel into its status). */
static inline bool mg_path_worked(mg_path_question *q, uint64_t steps) {
    q->steps += steps;
    return q->over || (q->steps >= MG_PATH_LOOK && mg_path_look(q));
}
static inline bool mg_path_time_over(mg_path_question *q) { return mg_path_worked(q, 1); }
/* The number of an edge (graph/edge_numbers.c), whichever way it is followed. `arc` is one of the row of `from` in
 * finder->forward, `numbers` are those of the finder's graph. O(log degree). */
uint64_t mg_path_edge(const meguri_path_finder *finder, const mg_edge_numbers *numbers, uint32_t from, uint64_t arc);
double mg_path_weight(const meguri_path_finder *finder, uint64_t arc);
/* The cheapest arc of finder->forward between two vertices that have one: of parallel ones it comes first. */
static inline uint64_t mg_path_arc(const meguri_path_finder *f, uint32_t from, uint32_t to) {
    return mg_row_find(&f->forward, mg_row_begin(&f->forward, from), mg_row_end(&f->forward, from), to);
}
/* How much of itself a cost of `hops` weights can gain or lose at most when they are added up in another order, and how
 * far the best by such sums can be from the best: adding up n doubles that are not negative, in any order, is wrong by
 * n - 1 halves of a unit in the last place at most (Higham, Accuracy and Stability of Numerical Algorithms, 4.2), once
 * for each of two orders of each of two paths. The 8 are for the keys of A*. */
static inline double mg_path_rounding(uint64_t hops) { return 4 * ((double)hops + 8) * 0x1p-53; }
/* What costs more than this in whatever order costs more than `cost` from the start on: no edge comes twice. */
static inline double mg_path_rounded_up(const meguri_path_finder *f, double cost) {
    return cost * (1 + mg_path_rounding(f->forward.arcs));
}
/* Room in a question's slot of the search; NULL (and a failure noted) where there is no memory. Zeroed at first. */
void *mg_path_slot_get(mg_path_question *question, mg_path_slot slot, size_t bytes, void (*free_data)(void *data));
meguri_path_search *mg_path_search_new(meguri_ctx *ctx, const meguri_path_finder *finder);
/* A question whose arguments have been checked, on any thread. */
meguri_status mg_path_answer_one(mg_path_question *question);
meguri_status mg_path_check_query(meguri_path_query *to, meguri_ctx *ctx, const meguri_path_finder *finder,
                                  const meguri_path_query *query);

/* Whether an algorithm finds one cheapest path. */
static inline bool mg_path_one_cheapest(meguri_path_algorithm a) {
    return a < MEGURI_PATH_SHORTEST || a == MEGURI_PATH_INDEXED || a == MEGURI_PATH_TREE;
}

/* Makes what this query needs and the finder has not got yet, and learns from it. Before the question is answered. */
meguri_status mg_path_ready(meguri_ctx *ctx, meguri_path_search *search, const meguri_path_query *query);

/* path_both.c: the arc in `others` (rows backwards) that is the same edge as one in the row of `from`; of parallel ones
 * the one that comes at the same place. */
uint64_t mg_path_twin(const mg_rows *rows, const mg_rows *others, uint32_t from, uint64_t arc);
/* Fills forward, backward and stored of a directed graph that is followed either way. */
meguri_status mg_path_both_ways(meguri_ctx *ctx, meguri_path_finder *finder, const mg_rows *out, const mg_rows *in);
/* path_types.c: the arcs of some rows that have the finder's types; what is made is the finder's, also on failure. */
meguri_status mg_path_rows_of_types(mg_rows *rows, meguri_ctx *ctx, const meguri_path_finder *finder, void **arrays);
/* path_guide.c: points and per_unit, once, within the gate. Where there can be none a sentence says why, unless it is
 * optional. */
meguri_status mg_path_guide_make(meguri_ctx *ctx, meguri_path_finder *finder, bool optional);
/* Tries the two ways on a question, until it is clear which is the cheaper one on this graph. */
meguri_status mg_path_guide_try(meguri_ctx *ctx, meguri_path_search *search, const meguri_path_query *query);
/* Whether A* is the cheaper one: as trials say, or what points tell where there was none. */
bool mg_path_guide_pays(const mg_path_known *known);
/* Whether there are points that tell something. */
static inline bool mg_path_guided(const mg_path_known *known) { return known->guide && known->guide->per_unit > 0; }
/* path_layers.c: the cheapest path of those that have max_hops edges at most; or, where `fewest`, one with the fewest
 * edges of those that cost max_cost at most. */
meguri_status mg_path_layers(mg_path_question *question, bool fewest);
/* path_point.c: one cheapest path by Dijkstra, A* or from both ends. */
meguri_status mg_path_cheapest(mg_path_question *question);
/* path_tree.c: the same as Dijkstra, by the tree that the search has kept. */
meguri_status mg_path_from_tree(mg_path_question *question);
/* Of questions that have been checked, makes those of MEGURI_PATH_AUTO that share a tree ones of MEGURI_PATH_TREE. */
meguri_status mg_path_share(meguri_path_query *queries, meguri_ctx *ctx, meguri_path_search *search, uint64_t count);
/* path_meet.c: one path with the fewest edges, from both ends (also the cheapest where there are no weights). */
meguri_status mg_path_meet(mg_path_question *question);
/* path_device.c: one cheapest path, or one with the fewest edges, on a device; and whether a query can be answered
 * there. MEGURI_PATH_AUTO becomes one of the two. */
meguri_status mg_path_on_device(mg_path_question *question);
meguri_status mg_path_device_takes(meguri_path_query *query, meguri_ctx *ctx, const meguri_path_finder *finder);
/* path_hops.c: all paths with the fewest edges. */
meguri_status mg_path_fewest(mg_path_question *question);
/* path_rounds.c: all paths without an edge, or a vertex, twice. */
meguri_status mg_path_every(mg_path_question *question);
/* path_yens.c: the k cheapest. */
meguri_status mg_path_yens(mg_path_question *question);

#endif
