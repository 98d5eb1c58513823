/* policy: the choices. Pure functions of numbers, so that anyone may call them and tests can table them. */
#ifndef MG_POLICY_H
#define MG_POLICY_H

#include <meguri/bfs.h>
#include <meguri/cluster.h>
#include <meguri/sssp.h>
#include <stdbool.h>
#include <stdint.h>

/* Threads for a loop of `work` units when one thread should get at least `grain` of them (GraphBLAS's idea): small
 * steps of long searches must not pay for waking threads. */
uint32_t mg_policy_threads(uint32_t available, uint64_t work, uint64_t grain);

/* For how long a loop's caller should do without its other threads (par/team.h), after it has waited `stalled` seconds
 * for one that had lost its processor to another process, `elapsed` seconds after the last rest, which took `last`: 0
 * where such waits are rare. */
double mg_policy_rest(double stalled, double elapsed, double last);

/* Threads for the loops to come, of `wanted`, on a machine with so many processors on which `others` threads want to
 * run, too: a thread that has to take turns with another process is waited for longer than it helps. */
uint32_t mg_policy_idle_threads(uint32_t wanted, uint32_t processors, uint32_t others);

/* A frontier of `members` among `vertices` as bitmap (true) or as list: whichever is smaller to read. */
bool mg_policy_frontier_as_bitmap(uint64_t members, uint64_t vertices);

/* How a set of vertices goes from one process to another (exchange.c): a bit for each place, a number for each member,
 * packed, which takes the sender and the receiver some time, or nothing, where all are members. */
typedef enum mg_set_form { MG_SET_BITMAP = 1, MG_SET_LIST = 2, MG_SET_PACKED = 3, MG_SET_ALL = 4 } mg_set_form;
/* The form that is shortest; packed only where that is allowed. */
mg_set_form mg_policy_set_form(uint64_t members, uint64_t places, bool packed);
/* The same where every member has a value: of `places` places the first `vertices` are vertices. */
mg_set_form mg_policy_sparse_form(uint64_t members, uint64_t vertices, uint64_t places);
/* Whether what processes on so many machines send is packed: within one, packing takes longer than copying. */
bool mg_policy_pack(meguri_exchange asked, uint32_t machines);

/* How a part of a graph's rows goes to a device, where so many of its arcs are asked for: not at all, as it lies there,
 * or its rows one by one, which takes the host a copy more and sends less. */
typedef enum mg_sending { MG_SEND_NOTHING, MG_SEND_PACKED, MG_SEND_RANGE } mg_sending;
mg_sending mg_policy_sending(uint64_t wanted, uint64_t arcs);

/* A graph's rows in parts on a device, two of which are under way: how many arcs one may have, with weights of so many
 * bytes, where two share this much memory, and the device gives `largest` bytes at once; 0: too little for any. */
typedef struct mg_part_facts {
    double memory, largest; /* bytes */
    uint64_t rows, arcs;
    size_t weight_bytes;
    bool largest_parts; /* as large as memory allows, as paper P5 has them */
} mg_part_facts;
#define MG_PART_PIECE 512 /* arcs of an entry at most */
/* Entries, which say whose arcs these are, for each arc of a part: a row of the average length has one, and half as
 * many more, where rows are shorter; long rows have one for every piece. */
double mg_policy_part_entries(const mg_part_facts *f);
uint64_t mg_policy_part_arcs(const mg_part_facts *f);

/* Host and device at one level of work. */
typedef struct mg_split_facts {
    double host, device; /* seconds that the level is expected to take each of them alone */
    double latency;      /* seconds before a device has begun, and until its answer is there */
    double exchange;     /* seconds that it takes to tell one side what the other has found */
    double both;         /* seconds that it is expected to take both, by what they took together; 0: nobody knows yet */
    bool host_knows, device_knows;
    bool in_turn; /* the device has to be fed by the host: they cannot work side by side */
} mg_split_facts;
/* The host's share of the level, from 0 to 1: what is expected to be fastest. */
double mg_policy_split(const mg_split_facts *facts);
/* What a measurement makes of an estimate: seconds for each unit of cost. */
double mg_policy_learn(double estimate, double cost, double seconds);

/* What an ordering should look at; see mg_policy_order. */
typedef struct mg_degree_facts {
    uint64_t vertices;
    uint64_t arcs;
    uint64_t top_arcs; /* arcs of the hundredth of the vertices (at least one) that has the largest degrees */
} mg_degree_facts;

/* Never AUTO. */
meguri_order mg_policy_order(const mg_degree_facts *facts);

/* What a choice of owners should look at. */
typedef struct mg_owner_facts {
    mg_degree_facts degrees; /* parallel edges count */
    uint64_t edges, inside;  /* edges, and those of them whose ends would have one owner by blocks */
    uint32_t processes;
} mg_owner_facts;
/* Never AUTO, nor POSITION. */
meguri_owner mg_policy_owner(const mg_owner_facts *facts);
/* Whether the processes of a grid each take the rows of their row and column from a file that all map, rather than
 * each its share, to send and sort it: there is more to read, and much less to do with it. */
bool mg_policy_take_rows(uint32_t machines, uint32_t rows, uint32_t columns);
/* Whether a process that has so many ends of edges should have a table of all vertices (true), or of its own. */
bool mg_policy_table_of_all(uint64_t vertices, uint64_t ends);

/* How to sort `arcs` arcs of `vertices` vertices into rows within `memory` bytes (graph/csr_build.c). An arc takes
 * payload_bytes besides its key while it is sorted, and result_bytes in the end. */
typedef struct mg_sort_plan {
    uint32_t vertex_bits; /* bits of a vertex number */
    uint32_t bucket_bits; /* buckets are the top bits of the row */
    uint32_t key_bytes;   /* 4 or 8: row within the bucket, then column */
    uint64_t round_arcs;  /* arcs to sort at a time: UINT64_MAX for all, else the input is passed over several times */
    bool result_on_disk;  /* even the result exceeds the budget */
} mg_sort_plan;

mg_sort_plan mg_policy_sort(uint64_t vertices, uint64_t arcs, uint32_t payload_bytes, uint32_t result_bytes,
                            uint64_t memory);

/* How arcs that come from `processes` processes are dealt out while they arrive (shards/streams.c): into streams by the
 * top bits of their row, one of `rows`; a key has the rest of it, and a column, one of `columns`. */
typedef struct mg_stream_plan {
    uint32_t row_bits; /* of the row that a key has: stream = row >> row_bits */
    uint32_t column_bits;
    uint32_t key_bytes; /* 4 or 8 */
} mg_stream_plan;
mg_stream_plan mg_policy_streams(uint64_t rows, uint64_t columns, uint32_t processes);

/* What a breadth-first search knows before a step (bfs.c). Arcs are counted as stored, everywhere alike. */
typedef struct mg_bfs_facts {
    uint64_t vertices, arcs;            /* of the graph */
    uint64_t frontier, frontier_arcs;   /* vertices just reached, and arcs that leave them */
    uint64_t unvisited, unvisited_arcs; /* vertices that can still be reached, at least one, and their arcs */
    const uint32_t *rows;               /* lengths of some rows that stand for all */
    uint32_t row_count;
    bool pulling; /* the last step was a pull */
} mg_bfs_facts;

/* What the parts of a step cost on an engine, which brings this table: nanoseconds on the machine where they were
 * measured, but only their ratios matter. */
typedef struct mg_bfs_costs {
    double push_arc;        /* an arc of the frontier */
    double push_reach_far;  /* a vertex that it reaches, written at random beyond the cache … */
    double push_reach_near; /* … or within it … */
    double push_reach_long; /* … or in the order of a long row */
    double push_word;       /* a word of the bitmap, where a push makes one */
    double pull_word;       /* a word of the bitmap */
    double pull_vertex;     /* an unvisited vertex: its first neighbour */
    double pull_look;       /* a further neighbour */
    double pull_arc;        /* an arc of an unvisited vertex, looked at or not: where rows have to be sent first */
    uint64_t near_vertices; /* of a graph: with fewer, all that is written lies within the cache */
    uint64_t long_row;      /* arcs of a row, on average, from which on it counts as long */
} mg_bfs_costs;

/* Pull (true) or push: the rule of paper P1. */
bool mg_policy_bfs_p1(const mg_bfs_facts *facts, double alpha, double beta);
/* The way that a model of the cost expects to be faster. */
bool mg_policy_bfs(const mg_bfs_facts *facts, const mg_bfs_costs *costs);
/* What the model expects a step to cost, in the unit of the table. */
double mg_policy_bfs_cost(const mg_bfs_facts *facts, const mg_bfs_costs *costs, bool pull);
/* A dense step (true) or a sparse one, for many sources in one pass. */
bool mg_policy_bfs_many(uint64_t frontier_arcs, uint64_t vertices);
/* … and whether then vertices pull, because most of the arcs leave the frontier. */
bool mg_policy_bfs_many_pull(uint64_t frontier_arcs, uint64_t arcs);
/* Whether one of many sources, which has just reached so many vertices, is left to a push: a pull for it would mostly
 * look in vain. */
bool mg_policy_bfs_many_rare(uint64_t gained, uint64_t vertices);

/* Whether a push has too little to do for a look at every word of a bitmap of its targets. */
bool mg_policy_bfs_few(uint64_t frontier_arcs, uint64_t targets);
/* How a push keeps what it finds (bfs.c): in lists that threads fill side by side, each its share of the frontier; in a
 * list that they share; as bits, read again in order; or each thread writing a range of vertices of its own. */
typedef enum mg_bfs_push_form {
    MG_BFS_PUSH_SPLIT,
    MG_BFS_PUSH_LISTED,
    MG_BFS_PUSH_MARKED,
    MG_BFS_PUSH_WIDE
} mg_bfs_push_form;
#define MG_BFS_PUSH_RANGES 2 /* of destinations, for each thread of a wide push */
/* `room`: places of the list. */
mg_bfs_push_form mg_policy_bfs_push(uint64_t frontier, uint64_t frontier_arcs, uint64_t vertices, uint64_t room,
                                    uint32_t threads);

/* ---- shortest paths (sssp.c) ------------------------------------------------------------------------------------ */

/* What an engine says of its steps. */
typedef struct mg_sssp_costs {
    uint64_t enough;    /* work that a step should have, so that beginning and ending it costs little */
    uint64_t most_span; /* bins of a step at most */
} mg_sssp_costs;
/* What the last step had, at the process that had most. */
typedef struct mg_sssp_work {
    uint64_t vertices, again; /* that were processed, and of them those that had been before */
    uint64_t work;            /* mg_policy_sssp_work */
} mg_sssp_work;

/* The work of following so many arcs of so many vertices, in arcs. */
uint64_t mg_policy_sssp_work(uint64_t vertices, uint64_t arcs);
/* Bins for the next step, after one of `span` bins. */
uint64_t mg_policy_sssp_span(uint64_t span, const mg_sssp_work *last, const mg_sssp_costs *costs);
/* Whether so many vertices that a step is about to look at are too many for it: its end is brought nearer. */
bool mg_policy_sssp_cut(uint64_t vertices, const mg_sssp_costs *costs);
/* Whether the next step has too little work for two threads; and whether so many such steps in a row are reason enough
 * to put all that waits into the bins of one. */
bool mg_policy_sssp_alone(uint64_t work);
bool mg_policy_sssp_gather(uint32_t small_steps);
/* The width of bins, and how far beyond what is reached the horizon is (0: there is none), by a sample of the weights
 * in increasing order. */
typedef struct mg_sssp_weights {
    uint64_t vertices; /* with edges */
    uint64_t arcs;
    bool real, weighted;
    double heaviest;
} mg_sssp_weights;
typedef struct mg_sssp_width {
    double delta, light;
} mg_sssp_width;
mg_sssp_width mg_policy_sssp_width(const mg_sssp_weights *weights, const double *sample, uint64_t count);
/* Arcs of a graph that are followed before a horizon is set. */
uint64_t mg_policy_sssp_in_sight(uint64_t arcs);
/* Whether what lies beyond the horizon, with so many in-arcs of all, looks for its distances itself (pull). */
bool mg_policy_sssp_pull(uint64_t left, uint64_t arcs);

/* What a device does with a graph, where nobody says otherwise. */
meguri_sssp_strategy mg_policy_sssp_strategy(void);
/* Searches side by side on a device, of so many, where its memory is enough for them. */
uint32_t mg_policy_sssp_lanes(uint64_t searches);
/* Entries that one group of so many work-items goes through before the device is asked to share them. */
uint32_t mg_policy_sssp_few(uint32_t group);
/* Seconds of the phases of one search on a device (paper P3), each done in both ways: with work-items for all vertices,
 * and for those in the list of changed ones. */
#define MG_SSSP_TRIED 128
typedef struct mg_sssp_phase_times {
    uint32_t count;
    double all[MG_SSSP_TRIED], selected[MG_SSSP_TRIED];
} mg_sssp_phase_times;
typedef struct mg_sssp_thresholds {
    double above, below; /* seconds */
} mg_sssp_thresholds;
/* Those by which this search would have been fastest: {0, 0} is all vertices always, infinite is never. */
mg_sssp_thresholds mg_policy_sssp_thresholds(const mg_sssp_phase_times *times);
/* Whether the next phase is one of all vertices, after one that was (`all`) or was not and took `seconds`, and another
 * before it that took `last` (negative: there was none). */
bool mg_policy_sssp_all(bool all, double seconds, double last, const mg_sssp_thresholds *thresholds);

/* A round of a search that host or device may do, while what the search knows lies with one of them. */
typedef struct mg_round_facts {
    bool here;           /* with the host */
    double host, device; /* seconds that the next round is expected to take each of them */
    double move;         /* … and what the search knows, to go to the other side */
    double lost;         /* … that were lost by rounds since it came here, or there */
} mg_round_facts;
typedef struct mg_round_choice {
    bool here;
    double lost;
} mg_round_choice;
/* Who does it. Nobody knows how many rounds like this one are to come, so it moves when as much was lost without: at
 * most twice the time of who knew is spent. */
mg_round_choice mg_policy_round(const mg_round_facts *facts);
/* What a round costs the host and a device, in nanoseconds as they were measured (PoCL; of no GPU): arcs, and what is
 * looked at to find them, or all vertices. */
double mg_policy_round_host(uint64_t arcs, uint64_t looked);
double mg_policy_round_device(uint64_t arcs, uint64_t vertices);
/* Seconds for bytes between them. */
double mg_policy_round_move(uint64_t bytes);

/* ---- the other algorithms (others.c) ---------------------------------------------------------------------------- */

/* Connected components: whether every row links another neighbour before all edges of those outside the giant do. */
bool mg_policy_components_sample(uint64_t rows, uint64_t members, uint64_t arcs);

/* PageRank: whether arcs are laid out anew, in tiles, for so many iterations at most. */
bool mg_policy_pagerank_tiles(uint64_t iterations);

/* Communities: whether everybody is awake in the next iteration (true), or the neighbours of who changed alone. */
bool mg_policy_communities_all(uint64_t changed_arcs, uint64_t all_arcs);

/* Triangles: whether lists in the small pages of a file are copied to huge ones, for so many looks at them. */
bool mg_policy_triangles_copy(uint64_t edges, uint64_t looks, uint64_t memory);

/* Betweenness: lanes for `sources` searches side by side in one (1, 4 or 8), as far as they fit `memory`; `bytes` is
 * what a lane takes. */
uint32_t mg_policy_betweenness_lanes(uint64_t sources, uint64_t bytes, uint64_t memory);
/* Whether lanes are tried for the first search, before anything is known: dense graphs are taken for shallow. */
bool mg_policy_betweenness_dense(uint64_t rows, uint64_t arcs);
/* Whether lanes pay where levels of searches agree so far, from 0 to 1. */
bool mg_policy_betweenness_together(double agreement);
/* Threads that run a search each; 1: a search has all threads. `edges` and `steps` are those of a search. */
uint32_t mg_policy_betweenness_side_by_side(uint32_t threads, uint64_t searches, uint64_t edges, uint64_t steps);

/* How many vertices around a source tell whether searches are narrow, and whether so many levels that reach them do. */
uint64_t mg_policy_betweenness_look(uint64_t rows);
bool mg_policy_betweenness_narrow(uint64_t levels);
/* Whether a level of so many arcs is still one for a single thread. */
bool mg_policy_betweenness_narrow_level(uint64_t arcs);

/* Whether what a level found is visited in the order of all vertices (true), rather than as it was found. */
bool mg_policy_betweenness_in_order(uint64_t found, uint64_t rows);

/* Paths: what a vertex that A* settles costs, beside one that a search from both ends does. */
double mg_policy_path_price(void);
/* Whether A* is the faster of the two: by trials won by each, or, where they are even, by how much of a mean edge the
 * line between its ends tells, from 0 to 1. */
bool mg_policy_path_guided(uint32_t lost, uint32_t won, double tells);

/* Many questions from one source: of `count`, for so many threads, how many are tried to learn whether a tree is
 * faster; 0: they are too few for one. */
uint64_t mg_policy_path_samples(uint64_t count, uint32_t threads);
/* What a vertex settled without a tree costs, beside one of Dijkstra's algorithm: by an index, or by hops. */
double mg_policy_path_single_price(bool indexed);
/* What all questions cost a thread without a tree, if the samples cost so much. */
double mg_policy_path_single(double sampled, uint64_t samples, uint64_t count, uint32_t threads);
/* Whether that is more than a tree costs, which the samples made grow to so many vertices of all. */
bool mg_policy_path_tree(double single, double grown, uint64_t vertices);

/* ---- vertex programs (delivery.c) ------------------------------------------------------------------------------- */

/* What is known when messages to all neighbours are to be delivered. */
typedef struct mg_delivery_facts {
    uint64_t vertices, arcs;       /* of the graph */
    uint64_t senders, sender_arcs; /* who sends to all, and along how many arcs */
    uint64_t waiting;              /* vertices with in-arcs that may still be woken, or are awake */
    double reading_row;            /* in-arcs of a vertex that an arc leads to, on average over all arcs */
    uint64_t unlaid;               /* arcs to be laid out backwards before anybody can be woken; 0: they are */
    double missed;                 /* nanoseconds that waking would have saved until now, had they been */
} mg_delivery_facts;
/* Nanoseconds, measured or expected. */
typedef struct mg_delivery_costs {
    double wake_arc;    /* to follow an arc from a sender, and to wake who is there */
    double look_arc;    /* to look along an in-arc whether something came */
    double look_vertex; /* a vertex that looks */
    double lay_arc;     /* to lay an arc out backwards */
    double read_arc;    /* to read a message along an in-arc; rows may be left early: on average over all their arcs */
    double each_arc;    /* to send a message along an arc on its own, and to sort it by receiver */
} mg_delivery_costs;
#define MG_DELIVERY_COSTS                                                                                              \
    { 2.0, 0.7, 2.0, 8.0, 1.5, 20.0 }
/* Pull: all who wait look along their in-arcs. Wake: senders wake their neighbours, who look. Push: each message goes
 * on its own, and nobody looks. */
typedef enum mg_delivery_way { MG_DELIVERY_PULL, MG_DELIVERY_WAKE, MG_DELIVERY_PUSH } mg_delivery_way;
/* Nanoseconds that each way takes, those included in which messages are read. */
typedef struct mg_delivery_times {
    double pull, wake, push;
} mg_delivery_times;
mg_delivery_times mg_policy_delivery_times(const mg_delivery_facts *facts, const mg_delivery_costs *costs);
/* Paper P4, section 3.5: with fewer than a fifth of the vertices as senders each message is sent on its own. */
bool mg_policy_sopt(uint64_t senders, uint64_t vertices);
/* Nanoseconds that are saved where senders wake their neighbours, beside the better of the other ways; less than 0:
 * lost. */
double mg_policy_wake_gain(const mg_delivery_facts *facts, const mg_delivery_costs *costs);
/* The way that takes least. Arcs are laid out for waking when as much was lost without: nobody knows how many
 * supersteps are to come, and so at most twice the time of who knew is spent. */
mg_delivery_way mg_policy_delivery(const mg_delivery_facts *facts, const mg_delivery_costs *costs);
/* Whether messages of a program with a combiner are combined in tiles, in the `dense`-th superstep in which all have
 * sent `bytes` of them. Cutting tiles takes as long as they save in three; who will go on is not known, so that it is
 * done when as much was lost already: where messages have to be brought into order first (`ordered`), which takes time
 * in every superstep and more to prepare, later. What fits a cache needs no tiles. */
bool mg_policy_delivery_folds(uint64_t dense, uint64_t bytes, bool ordered);
/* The form in which bits of `sent` of `readable` vertices go to a worker: none where all have sent, a list where few.
 */
mg_set_form mg_policy_ghost_form(uint64_t sent, uint64_t readable);
/* Out-edges from which on a vertex is a hub, which has mirrors (Yan et al., WWW 2015: where a mirror saves more than
 * combining would). */
uint64_t mg_policy_mirror_degree(uint64_t vertices, uint64_t arcs, uint64_t workers);

#endif
