/* net: messages between processes.
 *
 *   transport    how bytes get from one process to another: MPI (mpi/, a plug-in) or threads of one process (local.c)
 *   exchange     several messages under way at once; counted by kind
 *   collective   sums, agreement, broadcasts
 *   route        items, or bytes of any length, to the process they belong to
 *   ask          questions to the process that knows the answer
 *   sets         sets of places as they go over the network
 *   sparse       values of some of many vertices, round after round, by a plan
 *   steps        what every loop of steps does: meet, count, cancel, trace
 *
 * Nothing here knows of graphs: shards/ puts graphs in parts on top of it. */
#ifndef MG_NET_H
#define MG_NET_H

#include "net/transport.h"
#include "par/par.h"
#include "policy/policy.h"

#include <meguri/cluster.h>

/* ---- traffic ---------------------------------------------------------------------------------------------------- */

/* What a message is for: a kind has a name, under which it is counted, and messages of different kinds may pass each
 * other. Who sends names its kinds; these two are everybody's. */
typedef int mg_traffic_kind;
enum {
    MG_TRAFFIC_CONTROL, /* "control": sums, agreements */
    MG_TRAFFIC_BULK,    /* "bulk": edges, results, ids on their way to where they belong */
    MG_TRAFFIC_MOST = 16
};

/* What this process sent, and how long it waited for what others sent. A message is under way from the first one that
 * an exchange sends until all of it is through; while this process does not wait meanwhile, that is hidden by work. */
typedef struct mg_traffic {
    uint64_t messages, bytes;
    double waited, under_way, hidden;
} mg_traffic;

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* Some processes, in a fixed order. */
typedef struct mg_group {
    int *ranks;
    int count;
    int me; /* the place of this process; -1 if it is none of them */
} mg_group;

struct meguri_cluster {
    const struct mg_makers *makers; /* first: graph.h says why; the rooms above give them */
    mg_transport *transport;
    uint32_t machines; /* that the processes run on: 1, or 2 for any other number */
    int rank, size;
    uint64_t most; /* bytes of one message at most: longer ones are cut (tests lower it) */
    mg_group all;
    int kinds; /* that have a name; only these are used */
    struct {
        const char *name;
        int tag; /* of the transport: made of the name, so that processes need not name kinds in one order */
    } kind[MG_TRAFFIC_MOST];
    mg_traffic traffic[MG_TRAFFIC_MOST];
    double waited;                      /* seconds, for messages of any kind */
    struct mg_exchange *control, *bulk; /* empty between calls */
    meguri_status failed;               /* not OK: some rank can no longer be relied on to answer, for this reason */
    char unfinished[4096];              /* name of a file that is being written; a handler of signals may look */
};

/* The kind of this name, which is a literal; new ones are added. -1 where there are too many (exchange.c). */
mg_traffic_kind mg_traffic_named(meguri_cluster *cluster, const char *name);
/* What this process has sent so far, of all kinds. */
static inline mg_traffic mg_traffic_sum(const meguri_cluster *cluster) {
    mg_traffic sum = {0};
    for (int kind = 0; kind < cluster->kinds; kind++) {
        sum.messages += cluster->traffic[kind].messages;
        sum.bytes += cluster->traffic[kind].bytes;
        sum.waited += cluster->traffic[kind].waited;
        sum.under_way += cluster->traffic[kind].under_way;
        sum.hidden += cluster->traffic[kind].hidden;
    }
    return sum;
}

/* A cluster over a transport, which it takes over, also on failure (cluster.c). */
meguri_status mg_cluster_new(meguri_cluster **out, meguri_ctx *ctx, mg_transport *transport,
                             const struct mg_makers *makers);
/* The transport of the plug-in for MPI, over the communicator that is pointed to, or all processes (plugin.c). */
meguri_status mg_mpi_open(mg_transport **out, meguri_ctx *ctx, const void *communicator);

/* ---- local.c: ranks as threads of one process ------------------------------------------------------------------- */

/* A network that takes its time, without using a processor: a message is there `latency` seconds after it was sent,
 * and its bytes take turns on the way out of their sender. 0: at once. */
typedef struct mg_local_network {
    double latency, bytes_per_second;
} mg_local_network;
/* The transports of `size` ranks that only talk to each other; each is closed by its rank's cluster. */
meguri_status mg_local_open(mg_transport **transports, meguri_ctx *ctx, int size, const mg_local_network *network);

/* ---- exchange.c: messages under way ----------------------------------------------------------------------------- */

typedef struct mg_exchange mg_exchange;

meguri_status mg_exchange_new(mg_exchange **out, meguri_ctx *ctx, meguri_cluster *cluster, const char *kind);
void mg_exchange_free(mg_exchange *exchange);
/* Start a message. Both sides name the same capacity (the most that the message could have), since a message longer
 * than the transport takes is cut into as many pieces as that needs. Data stays until the exchange is done. */
meguri_status mg_exchange_send(meguri_ctx *ctx, mg_exchange *exchange, int to, const void *data, uint64_t bytes,
                               uint64_t capacity);
/* *bytes is what came, once the exchange is done. NULL: exactly the capacity must come, anything else is a failure. */
meguri_status mg_exchange_receive(meguri_ctx *ctx, mg_exchange *exchange, int from, void *data, uint64_t capacity,
                                  uint64_t *bytes);
/* Moves things on without waiting; *done when all messages are through. */
meguri_status mg_exchange_poll(meguri_ctx *ctx, mg_exchange *exchange, bool *done);
/* Waits until all are through; the exchange is empty then, for the next messages. */
meguri_status mg_exchange_wait(meguri_ctx *ctx, mg_exchange *exchange);

/* What came is not what was agreed on: this process trusts nobody any more. Sentences end with `what` it is. */
meguri_status mg_strange(meguri_ctx *ctx, meguri_cluster *cluster, const char *what);

/* ---- collective.c: what all members of a group do together ------------------------------------------------------ */

/* mine[i] becomes mine[i] and more[i] together. For reductions the same bits whichever of the two comes first. */
typedef void mg_combine_fn(void *mine, const void *more, uint64_t count);

/* Items of any type: values[i] becomes what all members' values[i] are together, the same bits at each. */
meguri_status mg_reduce(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, void *values, uint32_t count,
                        size_t item_bytes, mg_combine_fn *combine);

typedef enum mg_reduction { MG_SUM, MG_MINIMUM, MG_MAXIMUM } mg_reduction;
#define MG_REDUCE_MOST 16384 /* values at a time */

/* values[i] becomes the sum (…) of all members' values[i], the same bits at each. */
meguri_status mg_reduce_u64(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, uint64_t *values,
                            uint32_t count, mg_reduction how);
meguri_status mg_reduce_f64(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, double *values,
                            uint32_t count, mg_reduction how);
/* Exclusive scan: values[i] becomes the sum of those of the members before this one, 0 at the first. */
meguri_status mg_exscan_u64(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, uint64_t *values,
                            uint32_t count);
/* From the member at place `root` to all. */
meguri_status mg_broadcast(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, int root, void *data,
                           uint64_t bytes);
/* `bytes` from every member, one after another in the order of the group, at every member. */
meguri_status mg_all_gather(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, const void *mine,
                            uint64_t bytes, void *all);
/* How many processes of a smaller rank are on the machine of this one. All call it. */
meguri_status mg_place_on_machine(uint32_t *out, meguri_ctx *ctx, meguri_cluster *cluster);
/* All processes tell how it went; if it went wrong at any, all get that status and sentence. To be called by all of
 * them, in the same place: before each step that needs the others. */
meguri_status mg_agree(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status);

/* ---- call.c: whether all processes call the same ---------------------------------------------------------------- */

#define MG_CALL_MOST 16
typedef struct mg_said {
    const char *what; /* as a sentence names it: "source" */
    uint64_t hash;
} mg_said;
/* A public function and what it was given, as far as that must be the same at all processes. */
typedef struct mg_call {
    const char *name;
    uint32_t count;
    mg_said said[MG_CALL_MOST];
} mg_call;
void mg_call_number(mg_call *call, const char *what, uint64_t number);
void mg_call_real(mg_call *call, const char *what, double real);
void mg_call_text(mg_call *call, const char *what, const char *text);
void mg_call_bytes(mg_call *call, const char *what, const void *data, size_t bytes);
/* As mg_agree, and that they do: MEGURI_BAD_ARGUMENT where they do not. The first agreement of every public function
 * that all processes call. */
meguri_status mg_agree_call(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status, const mg_call *call);

/* ---- route.c: items to the process they belong to --------------------------------------------------------------- */

/* Items on their way: `next` writes up to `capacity` of them, with the process that each goes to, and returns how
 * many; 0 at the end. */
typedef struct mg_route_source {
    uint64_t (*next)(void *user, void *items, uint32_t *to, uint64_t capacity);
    void *user;
    size_t item_bytes; /* at most 24 */
} mg_route_source;

/* Sends every item where it goes. *out (mg_alloc) has what arrived here: by sender, in its order within each round.
 * `what` names it in failures and progress. All processes call it. */
meguri_status mg_route(void **out, uint64_t *count, meguri_ctx *ctx, meguri_cluster *cluster,
                       const mg_route_source *source, const char *what);

/* ---- ask.c: questions and answers ------------------------------------------------------------------------------- */

/* Where answers are: `keeper` of a question is the process that can `answer` it; that writes as many answers as there
 * are questions, or says (false) that one of them is none of its own. */
typedef struct mg_keepers {
    meguri_cluster *cluster;
    size_t question_bytes, answer_bytes;
    int (*keeper)(const void *user, const void *question);
    bool (*answer)(const void *user, void *answers, const void *questions, uint64_t count);
    const void *user;
    const char *what; /* in failures and progress */
} mg_keepers;

/* answers[i] is the answer to questions[i], which are best all different. They may be the same array. All processes
 * call it; a cancel at any ends it at all. */
meguri_status mg_ask(meguri_ctx *ctx, const mg_keepers *keepers, const void *questions, void *answers, uint64_t count);

/* ---- alltoallv.c: bytes of any length -----------------------------------------------------------------------------
 */

/* tell[p] goes to process p; told[p] is what that one tells. */
meguri_status mg_alltoall_u64(meguri_ctx *ctx, meguri_cluster *cluster, const uint64_t *tell, uint64_t *told);
/* Of something that goes in rounds: heads[p] << 1 | whether there will be more goes to process p; arriving[p] is how
 * many come from there, at most `most`, and *more whether anybody has more. heads become those numbers alone. */
meguri_status mg_announce(meguri_ctx *ctx, meguri_cluster *cluster, uint64_t *heads, uint64_t *arriving, uint64_t most,
                          bool *more);
/* Items data[begins[p] … begins[p + 1]) go to process p. *out (mg_alloc) has what arrived: from process p the items
 * out_begins[p] … out_begins[p + 1]); both lists have a place more than there are processes. All processes call it. */
meguri_status mg_alltoallv_items(void **out, uint64_t *out_begins, meguri_ctx *ctx, meguri_cluster *cluster,
                                 const void *data, const uint64_t *begins, size_t item_bytes, const char *what);
/* The same, of bytes. */
meguri_status mg_alltoallv(void **out, uint64_t *out_begins, meguri_ctx *ctx, meguri_cluster *cluster, const void *data,
                           const uint64_t *begins, const char *what);
/* Answers to what was asked of each process: so many must come, and they go to `answers`. */
meguri_status mg_alltoallv_answers(void *answers, meguri_ctx *ctx, meguri_cluster *cluster, const void *data,
                                   const uint64_t *begins, const uint64_t *asked, size_t item_bytes, const char *what);

/* ---- sets.c: sets of places of a block, as they go over the network --------------------------------------------- */

/* A set to send: a list of places in any order, or the bits & ~known. Places that are in `known`, which sender and
 * receiver both have, are in no set. */
typedef struct mg_set {
    uint64_t words; /* of the block */
    uint64_t count;
    const uint32_t *list;
    const uint64_t *bits, *known; /* of these words; where there is a list, only for packing, and may be NULL */
} mg_set;

/* Bytes that a message of a set has at most. */
static inline uint64_t mg_set_capacity(uint64_t words) { return 8 + 8 * words; }
/* Writes the message; returns its length. */
uint64_t mg_set_write(void *out, const mg_set *set, bool packed);
/* Members of the set in a message, and its form. */
uint64_t mg_set_count(const void *in, uint64_t bytes, mg_set_form *form);
/* The set as bits (all words are written); false where this is no message of a set. */
bool mg_set_to_bits(uint64_t *out, const void *in, uint64_t bytes, const uint64_t *known, uint64_t words);
/* The list in a message whose form is that; NULL where it is none of this block. */
const uint32_t *mg_set_list(const void *in, uint64_t bytes, uint64_t words);

/* Packing, compiled for several targets (sets.h). */
typedef struct mg_sets_hot {
    /* bits & ~known in at most `room` bytes; UINT64_MAX where they do not fit. */
    uint64_t (*pack)(void *out, uint64_t room, const uint64_t *bits, const uint64_t *known, uint64_t words);
    bool (*unpack)(uint64_t *out, const void *in, uint64_t bytes, const uint64_t *known, uint64_t words);
} mg_sets_hot;
const mg_sets_hot *mg_sets_loops(void);

/* ---- sparse.c: values of some of many vertices ------------------------------------------------------------------ */

/* Rounds of messages, each about vertices of one block: which ones, and an item for each. A round is begin, write and
 * send, wait, read. */
typedef struct mg_sparse mg_sparse;

/* Where a message comes from, or goes to. */
typedef struct mg_sparse_peer {
    int rank;
    uint32_t message;  /* that it gets: several may get the same */
    int side, block;   /* what these mean is the caller's business */
    uint64_t vertices; /* of the block that its messages here are about: places below this */
} mg_sparse_peer;

/* Words and item_bytes are the same at all processes, and so is how many messages go from one to another. */
typedef struct mg_sparse_spec {
    const char *kind;
    uint64_t words;    /* of a block, of 64 places each */
    size_t item_bytes; /* at most, below 65536; 0: sets alone */
    bool packed;       /* sets alone may be packed */
    const mg_sparse_peer *in, *out;
    uint32_t ins, outs;
} mg_sparse_spec;

meguri_status mg_sparse_new(mg_sparse **out, meguri_ctx *ctx, meguri_cluster *cluster, const mg_sparse_spec *spec);
void mg_sparse_free(mg_sparse *sparse);
uint32_t mg_sparse_ins(const mg_sparse *sparse);
const mg_sparse_peer *mg_sparse_from(const mg_sparse *sparse, uint32_t in);
/* The first to whom a message about this block goes. */
const mg_sparse_peer *mg_sparse_to(const mg_sparse *sparse, int side, int block);

meguri_status mg_sparse_begin(meguri_ctx *ctx, mg_sparse *sparse);
/* A message to all who get it; each is sent once in a round. What was written stays until the round is over. */
meguri_status mg_sparse_send(meguri_ctx *ctx, mg_sparse *sparse, uint32_t message);
meguri_status mg_sparse_wait(meguri_ctx *ctx, mg_sparse *sparse);

/* Writes which places of a block of so many vertices a message is about, in the order *order; *order[i]'s item is the
 * i-th of those that the caller writes from the place on that is returned. */
void *mg_sparse_write(mg_sparse *sparse, uint32_t message, const uint32_t *places, uint64_t count, uint64_t vertices,
                      size_t item_bytes, const uint32_t **order);
typedef struct mg_sparse_items {
    uint64_t count;
    size_t item_bytes;
    const char *items; /* aligned to 8 bytes if item_bytes is a multiple of that */
} mg_sparse_items;
/* places[i] + first becomes the place of the i-th item; there is room for all vertices of the block. */
meguri_status mg_sparse_read(mg_sparse_items *out, uint32_t *places, meguri_ctx *ctx, mg_sparse *sparse, uint32_t in,
                             uint32_t first);
/* What came, message by message: the places of a call are different ones, so that threads, at most so many, do not
 * meet. */
typedef void mg_sparse_combine_fn(void *user, uint32_t worker, const uint32_t *places, const mg_sparse_items *items);
meguri_status mg_sparse_combine(meguri_ctx *ctx, mg_sparse *sparse, int threads, mg_sparse_combine_fn *combine,
                                void *user);

/* Sets alone: in any form of sets.c, whose functions read what came. */
void mg_sparse_write_set(mg_sparse *sparse, uint32_t message, const mg_set *set);
/* As in message `of` of another with blocks of the same length. */
void mg_sparse_repeat(mg_sparse *sparse, uint32_t message, const mg_sparse *other, uint32_t of);
const void *mg_sparse_set(const mg_sparse *sparse, uint32_t in, uint64_t *bytes);

/* ---- steps.c: the steps of a loop that all processes run -------------------------------------------------------- */

typedef struct mg_steps {
    meguri_ctx *ctx;
    meguri_cluster *cluster;
    const char *run;                    /* its name in the trace */
    bool traced;                        /* somebody writes one, as of the last meeting */
    int64_t number;                     /* of the step */
    double since;                       /* when it began */
    mg_traffic before;                  /* what this process had sent when all met last */
    uint64_t step_messages, step_bytes; /* sent by all between the last two meetings */
    uint64_t messages, bytes;           /* and between all */
} mg_steps;

/* What processes bring to a meeting, and what they take home: the same at all. */
typedef struct mg_meeting {
    uint64_t sums[4], most[6]; /* of all added up; the largest of all */
    double reals[2];           /* sums */
} mg_meeting;

void mg_steps_open(mg_steps *steps, meguri_ctx *ctx, meguri_cluster *cluster, const char *run);
void mg_steps_begin(mg_steps *steps);
/* All processes come, each with how it went; where it went wrong at one, or one is cancelled, all get that status. */
meguri_status mg_steps_meet(mg_steps *steps, meguri_status status, mg_meeting *values);
/* The line of the trace, of what all did: frontier and edges are sums. */
void mg_steps_end(mg_steps *steps, const char *phase, const char *way, uint64_t frontier, uint64_t edges);

#endif
