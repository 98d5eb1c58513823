/* Checks an answer of a search for shortest paths on a cluster by its rules, without searching again: those of
 * sssp_check.c, which says why they are enough.
 *
 * The homes of vertices look at what is theirs alone. Then distances and parents go to the owners, and from these to
 * all who have arcs from or to their vertices; these look at the arcs, and tell the owner of a vertex by whom it is
 * joined: by an edge that adds up, from its parent. Whoever is joined by somebody strictly nearer stands. The others,
 * at the same distance as their parents, ask these by whom they are joined, and go on from there, each time twice as
 * far; those who find nobody that stands go round in a circle.
 *
 * A fault is told by the home of the vertex, which knows its name; the first in the user's order counts. */
#include "algo/sssp/sssp_cluster.h"

#include <inttypes.h>

/* How a vertex is joined: its parent's number, and whether that is at the same distance. */
#define LOOSE UINT64_MAX
#define EQUAL (1ull << 62)
/* In jumps: there is somebody who stands. */
#define GROUND UINT64_MAX

#define ROWS 1024 /* that a thread takes at a time */

typedef struct checker {
    meguri_ctx *ctx;
    mg_shards *g;
    uint64_t source;
    bool real;
    uint64_t far, most;        /* words: of what is unreached, of the largest distance that was asked for */
    const void *home_distance; /* by position - home.begin */
    mg_globals home_parent;    /* without items: there are none */

    uint64_t *distance;          /* by local number, as words that compare as numbers */
    mg_globals parent;           /* … or without items */
    uint64_t *joint;             /* … how they are joined */
    uint64_t *window_far[2];     /* by place */
    mg_globals window_parent[2]; /* of targets */
    uint64_t *window_joint[2];
    uint8_t *window_joined[2]; /* without parents */
    uint8_t *joined;
    uint64_t *jump; /* by local number: a number, or GROUND */
} checker;

/* ---- faults ----------------------------------------------------------------------------------------------------- */

typedef enum fault {
    NO_FAULT,
    SOURCE_DISTANCE,
    SOURCE_PARENT,
    NO_DISTANCE,
    BEYOND,
    PARENT_NOWHERE,
    PARENT_MISSING,
    DISTANCE_MISSING,
    PARENT_ITSELF,
    EDGE_TOO_FAR,
    UNJOINED,
    CIRCLE
} fault;

static uint64_t home_word(const checker *c, uint64_t position) {
    return ((const uint64_t *)c->home_distance)[position - c->g->home.begin];
}

#define NUMBER_TEXT 32
static const char *length_text(char text[NUMBER_TEXT], const checker *c, uint64_t position) {
    uint64_t word = home_word(c, position);
    if (c->real) snprintf(text, NUMBER_TEXT, "%.17g", mg_sssp_real_of(word));
    else snprintf(text, NUMBER_TEXT, "%" PRIu64, word);
    return text;
}

static meguri_status tell(const checker *c, fault found, uint64_t position) {
    const meguri_status wrong = MEGURI_WRONG_ANSWER;
    char vertex[MG_ID_TEXT], own[NUMBER_TEXT];
    mg_sssp_cluster_id(vertex, c->g, position);
    length_text(own, c, position);
    switch (found) {
    case SOURCE_DISTANCE: return mg_fail(c->ctx, wrong, "the source %s is at distance %s, not 0.", vertex, own);
    case SOURCE_PARENT: return mg_fail(c->ctx, wrong, "the source %s is not its own parent.", vertex);
    case BEYOND:
        return mg_fail(c->ctx, wrong, "vertex %s is at distance %s, which is more than the maximum of the search.",
                       vertex, own);
    case NO_DISTANCE:
        return mg_fail(c->ctx, wrong, "vertex %s is at distance %s, but a distance is a number and never below 0.",
                       vertex, own);
    case PARENT_NOWHERE:
        return mg_fail(c->ctx, wrong,
                       "the parent of vertex %s is number %" PRIu64 ", but the graph has %" PRIu64 " vertices.", vertex,
                       mg_global_at(c->home_parent, position - c->g->home.begin), c->g->vertices);
    case PARENT_MISSING: return mg_fail(c->ctx, wrong, "vertex %s is at distance %s, but has no parent.", vertex, own);
    case DISTANCE_MISSING: return mg_fail(c->ctx, wrong, "vertex %s is unreached, but has a parent.", vertex);
    case PARENT_ITSELF: return mg_fail(c->ctx, wrong, "vertex %s is its own parent, but not the source.", vertex);
    case EDGE_TOO_FAR:
        return mg_fail(c->ctx, wrong,
                       "an edge leads from vertex %s at distance %s to a vertex that is further than by it, or "
                       "unreached.",
                       vertex, own);
    case UNJOINED:
        return mg_fail(c->ctx, wrong, "vertex %s is at distance %s, but no edge from %s adds up to that.", vertex, own,
                       c->home_parent.items ? "its parent" : "anywhere");
    default:
        return mg_fail(c->ctx, wrong, "the parents from vertex %s on lead around in a circle, never to the source.",
                       vertex);
    }
}

/* All processes give the first position that breaks a rule here, or UINT64_MAX: that of all of them is told, by its
 * home, and all fail with its sentence. */
static meguri_status blame(const checker *c, fault found, uint64_t position) {
    const mg_shards *g = c->g;
    uint64_t first[] = {position, position == UINT64_MAX ? UINT64_MAX : position << 8 | (uint64_t)found};
    meguri_status status = mg_reduce_u64(c->ctx, g->cluster, &g->cluster->all, first, 2, MG_MINIMUM);
    if (status != MEGURI_OK || first[0] == UINT64_MAX) return status;
    if (first[0] >= g->home.begin && first[0] < g->home.end) status = tell(c, (fault)(first[1] & 0xff), first[0]);
    return mg_agree(c->ctx, g->cluster, status);
}

/* ---- rules of a vertex alone ------------------------------------------------------------------------------------ */

static uint64_t parent_at_home(const checker *c, uint64_t i) {
    return c->home_parent.items ? mg_global_at(c->home_parent, i) : mg_no_global(c->g->wide);
}

static fault home_fault(const checker *c, uint64_t position) {
    uint64_t i = position - c->g->home.begin, word = home_word(c, position);
    uint64_t parent = parent_at_home(c, i);
    if (position == c->source) {
        if (word != 0) return SOURCE_DISTANCE;
        return c->home_parent.items && parent != position ? SOURCE_PARENT : NO_FAULT;
    }
    if (c->real && !(mg_sssp_real_of(word) >= 0)) return NO_DISTANCE;
    bool reached = word != c->far;
    if (reached && word > c->most) return BEYOND;
    if (reached && mg_global_at(c->g->number, i) >= c->g->active) return UNJOINED;
    if (!c->home_parent.items) return NO_FAULT;
    if (parent == mg_no_global(c->g->wide)) return reached ? PARENT_MISSING : NO_FAULT;
    if (parent >= c->g->vertices) return PARENT_NOWHERE;
    if (!reached) return DISTANCE_MISSING;
    return parent == position ? PARENT_ITSELF : NO_FAULT;
}

static meguri_status look_at_homes(const checker *c) {
    for (uint64_t p = c->g->home.begin; p < c->g->home.end; p++) {
        fault found = home_fault(c, p);
        if (found != NO_FAULT) return blame(c, found, p);
    }
    return blame(c, NO_FAULT, UINT64_MAX);
}

/* ---- from homes to owners --------------------------------------------------------------------------------------- */

typedef struct home_item {
    uint64_t word, parent;
    uint32_t local;
} home_item;

typedef struct home_reader {
    const checker *checker;
    uint64_t position;
} home_reader;

static uint64_t next_home(void *user, void *items, uint32_t *to, uint64_t capacity) {
    home_reader *r = user;
    const checker *c = r->checker;
    const mg_shards *g = c->g;
    uint64_t size = (uint64_t)g->cluster->size, n = 0;
    for (; r->position < g->home.end && n < capacity; r->position++) {
        uint64_t i = r->position - g->home.begin;
        uint64_t number = mg_global_at(g->number, i);
        if (number >= g->active) continue;
        ((home_item *)items)[n] = (home_item){home_word(c, r->position), parent_at_home(c, i), mg_local(number / size)};
        to[n++] = (uint32_t)(number % size);
    }
    return n;
}

static meguri_status to_owners(checker *c) {
    home_reader reader = {c, c->g->home.begin};
    const mg_route_source source = {next_home, &reader, sizeof(home_item)};
    void *arrived;
    uint64_t count;
    meguri_status status = mg_route(&arrived, &count, c->ctx, c->g->cluster, &source, "an answer to check");
    if (status != MEGURI_OK) return status;
    const home_item *items = arrived;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        if (items[i].local >= c->g->owned) {
            status = mg_strange(c->ctx, c->g->cluster, "a vertex that this process does not own");
            break;
        }
        c->distance[items[i].local] = items[i].word;
        if (c->parent.items) mg_global_put(c->parent, items[i].local, items[i].parent);
    }
    mg_free(arrived);
    if (status != MEGURI_OK) return status;
    status = mg_windows_gather(c->ctx, c->g->cluster, &c->g->layout, "bulk", c->distance, sizeof *c->distance,
                               (void *const[]){c->window_far[0], c->window_far[1]});
    if (status == MEGURI_OK && c->parent.items)
        status = mg_windows_gather(c->ctx, c->g->cluster, &c->g->layout, "bulk", c->parent.items,
                                   mg_global_bytes(c->parent.wide),
                                   (void *const[]){c->window_parent[0].items, c->window_parent[1].items});
    return status;
}

/* ---- rules of edges --------------------------------------------------------------------------------------------- */

typedef enum relation { NEAR_ENOUGH, TIGHT, TOO_FAR } relation;

/* Of a beginning that is reached. Made-up distances may be so large that the sum is none. */
static relation relation_of(const checker *c, uint64_t from, uint64_t to, const void *weights, uint64_t arc) {
    if (c->real) {
        double sum = mg_sssp_real_of(from) + mg_weight_at(weights, c->g->weight_type, arc), end = mg_sssp_real_of(to);
        if (sum > mg_sssp_real_of(c->most)) return NEAR_ENOUGH;
        return end > sum ? TOO_FAR : end == sum && !isinf(sum) ? TIGHT : NEAR_ENOUGH;
    }
    uint64_t sum, weight = weights ? ((const uint32_t *)weights)[arc] : 1;
    bool over = __builtin_add_overflow(from, weight, &sum);
    if (!over && sum > c->most) return NEAR_ENOUGH;
    if (to == UINT64_MAX) return TOO_FAR;
    if (over) return NEAR_ENOUGH;
    return to > sum ? TOO_FAR : to == sum ? TIGHT : NEAR_ENOUGH;
}

/* All arcs that lead to one target of a tile; returns the first position, up to `first`, from which one leads too far.
 */
static uint64_t look_at_row(checker *c, int t, uint32_t v, uint64_t first) {
    const mg_shards *g = c->g;
    int source = g->layout.tile_source[t], target = g->layout.tile_target[t];
    const mg_rows *in = &g->tile[t].in;
    const mg_globals position = g->window_position[source];
    uint64_t to = c->window_far[target][v], joint = LOOSE;
    for (uint64_t arc = mg_row_offset(in, v); arc < mg_row_offset(in, v + 1); arc++) {
        uint32_t u = in->neighbors[arc];
        uint64_t from = c->window_far[source][u];
        if (from == c->far) continue;
        relation found = relation_of(c, from, to, in->weights, arc);
        if (found == TOO_FAR) first = MG_MIN(first, mg_global_at(position, u));
        if (found != TIGHT) continue;
        if (c->parent.items ? mg_global_at(position, u) != mg_global_at(c->window_parent[target], v) : from == to)
            continue;
        uint64_t by =
            mg_window_number(&g->layout.window[source], (uint32_t)g->cluster->size, u) | (from == to ? EQUAL : 0);
        joint = MG_MIN(joint, by);
    }
    c->window_joint[target][v] = joint;
    return first;
}

typedef struct row_job {
    checker *c;
    int tile;
    uint64_t first;
} row_job;

static void look_at_rows(void *what, mg_worker *worker) {
    row_job *job = what;
    uint64_t first = UINT64_MAX;
    for (mg_range rows; mg_take(worker, &rows);)
        for (uint64_t v = rows.begin; v < rows.end; v++) first = look_at_row(job->c, job->tile, (uint32_t)v, first);
    mg_atomic_min_u64(&job->first, first);
}

static meguri_status look_at_arcs(checker *c) {
    row_job job = {.c = c, .first = UINT64_MAX};
    meguri_status status = MEGURI_OK;
    for (job.tile = 0; job.tile < c->g->layout.tiles && status == MEGURI_OK; job.tile++) {
        const mg_rows *in = &c->g->tile[job.tile].in;
        mg_loop loop = {.ctx = c->ctx,
                        .threads = mg_threads(c->ctx, in->arcs, 65536),
                        .items = in->rows,
                        .chunk = ROWS,
                        .work = look_at_rows,
                        .what = &job,
                        .phase = "check",
                        .total = in->rows};
        status = mg_loop_run(&loop);
    }
    status = mg_agree(c->ctx, c->g->cluster, status);
    return status == MEGURI_OK ? blame(c, EDGE_TOO_FAR, job.first) : status;
}

static void first_joint(void *mine, const void *more, uint64_t count) {
    uint64_t *a = mine;
    const uint64_t *b = more;
    for (uint64_t i = 0; i < count; i++) a[i] = MG_MIN(a[i], b[i]);
}

static void *if_target(const checker *c, int w, void *array) { return c->g->layout.window[w].target ? array : NULL; }

static meguri_status fold_joints(checker *c) {
    return mg_windows_fold(c->ctx, c->g->cluster, &c->g->layout, "bulk", c->joint, sizeof *c->joint,
                           (void *const[]){if_target(c, 0, c->window_joint[0]), if_target(c, 1, c->window_joint[1])},
                           first_joint, NULL);
}

static bool needs_joint(const checker *c, uint32_t v) {
    return c->distance[v] != c->far && mg_global_at(c->g->position, v) != c->source;
}

static meguri_status look_at_joints(const checker *c) {
    uint64_t first = UINT64_MAX;
    for (uint32_t v = 0; v < c->g->owned; v++)
        if (needs_joint(c, v) && c->joint[v] == LOOSE) first = MG_MIN(first, mg_global_at(c->g->position, v));
    return blame(c, UNJOINED, first);
}

/* ---- joints within a distance, without parents ------------------------------------------------------------------ */

/* Whoever is joined hands that on along edges that add up to those at the same distance. */
static void hand_on(checker *c, int t) {
    const mg_shards *g = c->g;
    int source = g->layout.tile_source[t], target = g->layout.tile_target[t];
    const mg_rows *in = &g->tile[t].in;
    for (uint64_t v = 0; v < in->rows; v++) {
        uint64_t to = c->window_far[target][v];
        c->window_joint[target][v] = LOOSE;
        if (c->window_joined[target][v] || to == c->far) continue;
        for (uint64_t arc = mg_row_offset(in, v); arc < mg_row_offset(in, v + 1); arc++) {
            uint32_t u = in->neighbors[arc];
            if (!c->window_joined[source][u] || c->window_far[source][u] != to) continue;
            if (relation_of(c, to, to, in->weights, arc) == TIGHT) c->window_joint[target][v] = 0;
        }
    }
}

static meguri_status join_equals(checker *c) {
    const mg_shards *g = c->g;
    for (uint32_t v = 0; v < g->owned; v++)
        c->joined[v] = !needs_joint(c, v) ? c->distance[v] != c->far : c->joint[v] != LOOSE;
    for (;;) {
        uint64_t sums[] = {0, 0}; /* loose, and newly joined */
        meguri_status status = mg_windows_gather(c->ctx, g->cluster, &g->layout, "bulk", c->joined, 1,
                                                 (void *const[]){c->window_joined[0], c->window_joined[1]});
        for (int t = 0; t < g->layout.tiles && status == MEGURI_OK; t++) hand_on(c, t);
        if (status == MEGURI_OK) status = fold_joints(c);
        for (uint32_t v = 0; v < g->owned && status == MEGURI_OK; v++) {
            if (c->joined[v]) {
                c->joint[v] = 0;
                continue;
            }
            sums[0] += needs_joint(c, v);
            c->joined[v] = c->joint[v] != LOOSE;
            sums[1] += c->joined[v];
        }
        if (status == MEGURI_OK) status = mg_reduce_u64(c->ctx, g->cluster, &g->cluster->all, sums, 2, MG_SUM);
        if (status == MEGURI_OK && mg_progress(c->ctx, "check", 0, 0)) status = mg_fail_cancelled(c->ctx);
        status = mg_agree(c->ctx, g->cluster, status);
        if (status != MEGURI_OK || !sums[0] || !sums[1]) return status;
    }
}

/* ---- circles of parents ----------------------------------------------------------------------------------------- */

/* Questions are (who asks, whom), answers (who asked, how far that one has got). */
typedef struct question {
    uint64_t asker, other;
} question;

typedef struct question_reader {
    const checker *checker;
    const question *asked; /* NULL: the own questions */
    uint64_t place, count;
} question_reader;

static uint64_t next_question(void *user, void *items, uint32_t *to, uint64_t capacity) {
    question_reader *r = user;
    const checker *c = r->checker;
    uint64_t size = (uint64_t)c->g->cluster->size, rank = (uint64_t)c->g->cluster->rank, n = 0;
    for (; r->place < r->count && n < capacity; r->place++) {
        uint64_t local = r->place;
        if (!r->asked && c->jump[local] == GROUND) continue;
        question *q = &((question *)items)[n];
        if (r->asked) *q = (question){r->asked[r->place].asker, c->jump[r->asked[r->place].other / size]};
        else *q = (question){local * size + rank, c->jump[local]};
        to[n++] = (uint32_t)((r->asked ? q->asker : q->other) % size);
    }
    return n;
}

/* That they are about vertices of this process: those who asked, or those who are asked. */
static meguri_status check_questions(const checker *c, const question *q, uint64_t count, bool answers) {
    for (uint64_t i = 0; i < count; i++)
        if ((answers ? q[i].asker : q[i].other) / (uint64_t)c->g->cluster->size >= c->g->owned)
            return mg_strange(c->ctx, c->g->cluster, "a vertex that this process does not own");
    return MEGURI_OK;
}

/* Everybody that has found no ground goes on from where the one it has got to has got to. */
static meguri_status jump_once(checker *c) {
    meguri_cluster *cluster = c->g->cluster;
    question_reader reader = {c, NULL, 0, c->g->owned};
    const mg_route_source source = {next_question, &reader, sizeof(question)};
    void *asked = NULL, *answers = NULL;
    uint64_t count;
    meguri_status status = mg_route(&asked, &count, c->ctx, cluster, &source, "checking a search");
    if (status != MEGURI_OK) return status;
    reader = (question_reader){c, asked, 0, count};
    status = check_questions(c, asked, count, false);
    if (status == MEGURI_OK) status = mg_route(&answers, &count, c->ctx, cluster, &source, "checking a search");
    mg_free(asked);
    if (status != MEGURI_OK) return status;
    const question *q = answers;
    status = check_questions(c, q, count, true);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
        c->jump[q[i].asker / (uint64_t)cluster->size] = q[i].other;
    mg_free(answers);
    return status;
}

static meguri_status look_at_circles(checker *c) {
    const mg_shards *g = c->g;
    for (uint32_t v = 0; v < g->owned; v++)
        c->jump[v] = needs_joint(c, v) && c->joint[v] & EQUAL ? c->joint[v] & ~EQUAL : GROUND;
    for (int times = 0;; times++) {
        uint64_t left = 0, first = UINT64_MAX;
        for (uint32_t v = 0; v < g->owned; v++) {
            if (c->jump[v] == GROUND) continue;
            left++;
            first = MG_MIN(first, mg_global_at(g->position, v));
        }
        meguri_status status = mg_reduce_u64(c->ctx, g->cluster, &g->cluster->all, &left, 1, MG_SUM);
        if (status != MEGURI_OK || !left) return status;
        if (times > 48) return blame(c, CIRCLE, first); /* 2^48 parents are more than there are */
        status = jump_once(c);
        if (status != MEGURI_OK) return status;
    }
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static meguri_status make_room(checker *c) {
    const mg_layout *l = &c->g->layout;
    uint64_t stride = l->window[0].stride;
    bool parents = c->home_parent.items, good;
    const char *what = "checking a search";
    c->distance = mg_alloc_array(c->ctx, stride, sizeof *c->distance, what);
    c->joint = mg_alloc_array(c->ctx, stride, sizeof *c->joint, what);
    c->jump = mg_alloc_array(c->ctx, stride, sizeof *c->jump, what);
    good = c->distance && c->joint && c->jump;
    if (good) /* also of places that nobody has */
        for (uint64_t v = 0; v < stride; v++) c->distance[v] = c->far;
    if (parents) good &= (c->parent = mg_globals_new(c->ctx, stride, c->g->wide, what)).items != NULL;
    else good &= (c->joined = mg_alloc_array_zero(c->ctx, stride, 1, what)) != NULL;
    for (int i = 0; i < l->windows; i++) {
        uint64_t places = l->window[i].places;
        good &= (c->window_far[i] = mg_alloc_array(c->ctx, places, sizeof **c->window_far, what)) != NULL;
        good &= (c->window_joint[i] = mg_alloc_array(c->ctx, places, sizeof **c->window_joint, what)) != NULL;
        if (parents) good &= (c->window_parent[i] = mg_globals_new(c->ctx, places, c->g->wide, what)).items != NULL;
        else good &= (c->window_joined[i] = mg_alloc_array(c->ctx, places, 1, what)) != NULL;
    }
    return mg_agree(c->ctx, c->g->cluster, good ? MEGURI_OK : MEGURI_NO_MEMORY);
}

static void free_room(checker *c) {
    for (int i = 0; i < 2; i++) {
        mg_free(c->window_far[i]);
        mg_free(c->window_joint[i]);
        mg_free(c->window_parent[i].items);
        mg_free(c->window_joined[i]);
    }
    mg_free(c->distance);
    mg_free(c->parent.items);
    mg_free(c->joint);
    mg_free(c->joined);
    mg_free(c->jump);
}

static meguri_status check(checker *c) {
    double heaviest;
    meguri_status status = mg_sssp_cluster_lengths(&heaviest, c->ctx, c->g);
    if (status == MEGURI_OK) status = make_room(c);
    if (status == MEGURI_OK) status = look_at_homes(c);
    if (status == MEGURI_OK) status = to_owners(c);
    if (status == MEGURI_OK) status = look_at_arcs(c);
    if (status == MEGURI_OK) status = fold_joints(c);
    if (status == MEGURI_OK && !c->parent.items) status = join_equals(c);
    if (status == MEGURI_OK) status = look_at_joints(c);
    if (status == MEGURI_OK && c->parent.items) status = look_at_circles(c);
    return status;
}

meguri_status mg_sssp_cluster_check(meguri_ctx *ctx, const meguri_graph *graph, const mg_sssp_answer *answer) {
    const uint64_t source = answer->source;
    const void *distance = answer->distance, *parent = answer->parent;
    mg_shards *g = mg_shards_of(graph);
    meguri_status status = MEGURI_OK;
    bool nothing = g->home.begin == g->home.end;
    if (!distance && !nothing)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_sssp_check needs a graph and distances.");
    if (source >= g->vertices)
        status = mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                         g->vertices);
    mg_call call = {.name = "meguri_sssp_check"};
    mg_call_number(&call, "source", source);
    status = mg_agree_call(ctx, g->cluster, status, &call);
    uint64_t with = parent || nothing; /* all have parents, or none counts */
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, g->cluster, &g->cluster->all, &with, 1, MG_MINIMUM);
    if (status != MEGURI_OK) return status;
    double since = mg_now();
    bool real = g->weight_type == MEGURI_TYPE_F32 || g->weight_type == MEGURI_TYPE_F64;
    static const uint64_t none[1];
    checker c = {.ctx = ctx,
                 .g = g,
                 .source = source,
                 .real = real,
                 .far = mg_sssp_far(real),
                 .most = answer->most.number,
                 .home_distance = distance,
                 .home_parent = {with ? (void *)(uintptr_t)(parent ? parent : none) : NULL, g->wide}};
    status = check(&c);
    mg_trace_phase(ctx, "check", "sssp", (int64_t)g->arcs, -1, since);
    free_room(&c);
    return status;
}
