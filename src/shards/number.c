/* Who owns a vertex: the choice, and numbers for the ends of all edges, without a table of all vertices where a process
 * has few of them.
 *
 * By position and by blocks the number of a vertex is a function of its position. By degree only its home can know it,
 * when all edges are counted: so every process tells the homes how often it has each vertex, and gets back a number for
 * it. The ends that a process has are a table of all positions where these are no more than its edges have ends, and a
 * sorted list of those that occur where they are (few edges each at many processes). Edges do not travel.
 *
 * Ranks by degree have the larger first, exact up to 1024 and to within 1/512 above: so a table of some thousand
 * classes that all processes add up replaces a distributed sort. Within a class the order is the user's. */
#include "shards/build.h"

enum { EXACT = 1024, MANTISSA = 9, CLASSES = EXACT + 22 * (1 << MANTISSA), GRAIN = 65536, AHEAD = 32 };
_Static_assert((int)CLASSES <= (int)MG_REDUCE_MOST, "all classes are added up at once");

static uint32_t class_of(uint32_t degree) {
    if (degree < EXACT) return degree;
    uint32_t exponent = 31 - (uint32_t)__builtin_clz(degree);
    return EXACT + ((exponent - 10) << MANTISSA) + ((degree >> (exponent - MANTISSA)) & ((1 << MANTISSA) - 1));
}

/* ---- the ends of a process -------------------------------------------------------------------------------------- */

typedef struct end_table {
    meguri_ctx *ctx;
    mg_shards_builder *builder;
    bool all;            /* a place for every position … */
    mg_globals position; /* … or for these, which increase */
    uint64_t count;      /* places */
    uint32_t *degree;    /* by place: how often it is an end … */
    mg_globals number;   /* … and then its number */
    uint64_t *first;     /* of a list: where positions with these highest bits begin */
    uint32_t shift;
    bool shared;         /* several threads count */
    bool from_only;      /* arcs come both ways: one end counts */
    bool unknown;        /* an end has a number that nobody owns */
    uint64_t *asked;     /* where the places of each home begin */
    uint64_t *answering; /* … and where what each process asked this one begins */
    uint64_t *again;     /* … of another list */
    mg_globals question; /* positions that others asked for, here; without items where they ask for all */
} end_table;

static inline uint64_t place_of(const end_table *t, uint64_t position) {
    if (t->all) return position;
    uint64_t place = t->first[position >> t->shift];
    while (mg_global_at(t->position, place) != position) place++;
    return place;
}

static void free_table(end_table *t) {
    mg_free(t->position.items);
    mg_free(t->degree);
    mg_free(t->number.items);
    mg_free(t->first);
    mg_free(t->asked);
    mg_free(t->question.items);
}

static void count_one(const end_table *t, uint64_t end) {
    uint32_t *degree = &t->degree[place_of(t, end)];
    if (!t->shared) *degree += *degree < UINT32_MAX;
    else if (mg_load(degree) < UINT32_MAX / 2) mg_fetch_add(degree, 1);
}

static void count_some(void *what, uint64_t begin, uint64_t end) {
    const end_table *t = what;
    const mg_globals ends = t->builder->ends;
    bool directed = t->builder->source->directed;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t u = mg_global_at(ends, 2 * i), v = mg_global_at(ends, 2 * i + 1);
        if (t->all && i + AHEAD < end) {
            __builtin_prefetch(&t->degree[mg_global_at(ends, 2 * (i + AHEAD))], 1);
            __builtin_prefetch(&t->degree[mg_global_at(ends, 2 * (i + AHEAD) + 1)], 1);
        }
        count_one(t, u);
        if (!t->from_only && (directed || u != v)) count_one(t, v);
    }
}

/* The positions that occur here, and where to begin to look for one: about one step away. */
static meguri_status list_ends(end_table *t) {
    const mg_shards_builder *b = t->builder;
    uint64_t ends = 2 * b->count, kept = 0, last = 0, vertices = b->shards->vertices;
    size_t bytes = mg_global_bytes(b->ends.wide);
    t->position = mg_globals_new(t->ctx, ends, b->ends.wide, "vertices of edges");
    if (!t->position.items) return MEGURI_NO_MEMORY;
    if (ends) memcpy(t->position.items, b->ends.items, ends * bytes);
    meguri_status status = mg_sort_globals(t->ctx, t->position, NULL, 0, ends);
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < ends; i++) {
        uint64_t position = mg_global_at(t->position, i);
        if (i == 0 || position != last) mg_global_put(t->position, kept++, position);
        last = position;
    }
    mg_trim(t->position.items, kept * bytes);
    t->count = kept;
    while (vertices >> t->shift > kept) t->shift++;
    uint64_t groups = (vertices >> t->shift) + 2;
    t->first = mg_alloc_array(t->ctx, groups, sizeof *t->first, "vertices of edges");
    if (!t->first) return MEGURI_NO_MEMORY;
    for (uint64_t group = 0, place = 0; group < groups; group++) {
        while (place < kept && mg_global_at(t->position, place) >> t->shift < group) place++;
        t->first[group] = place;
    }
    return MEGURI_OK;
}

static meguri_status new_table(end_table *t) {
    const mg_shards *s = t->builder->shards;
    uint64_t size = (uint64_t)s->cluster->size;
    meguri_status status = MEGURI_OK;
    t->asked = mg_alloc_array_zero(t->ctx, 3 * (size + 1), sizeof *t->asked, "vertices of edges");
    if (!t->asked) return MEGURI_NO_MEMORY;
    t->answering = t->asked + size + 1;
    t->again = t->answering + size + 1;
    if (t->all) t->count = s->vertices;
    else status = list_ends(t);
    if (status == MEGURI_OK && !(t->degree = mg_alloc_array_zero(t->ctx, t->count, sizeof *t->degree, "degrees")))
        status = MEGURI_NO_MEMORY;
    for (uint64_t p = 0, place = 0; p <= size && status == MEGURI_OK; p++) {
        uint64_t begin = p < size ? mg_share(s->vertices, (int)p, (int)size).begin : s->vertices;
        if (t->all) place = begin;
        while (!t->all && place < t->count && mg_global_at(t->position, place) < begin) place++;
        t->asked[p] = place;
    }
    return status;
}

/* ---- degrees to homes, numbers back ----------------------------------------------------------------------------- */

static void add_degree(mg_globals degree, uint64_t place, uint32_t more) {
    mg_global_put(degree, place, MG_MIN(mg_global_at(degree, place) + more, (uint64_t)UINT32_MAX));
}

static meguri_status tell_homes(end_table *t, mg_globals degree) {
    mg_shards *s = t->builder->shards;
    uint64_t here = s->home.end - s->home.begin, size = (uint64_t)s->cluster->size;
    const char *what = "degrees";
    void *arrived = NULL;
    meguri_status status = MEGURI_OK;
    if (!t->all) {
        status = mg_alltoallv_items(&arrived, t->again, t->ctx, s->cluster, t->position.items, t->asked,
                                    mg_global_bytes(s->wide), what);
        t->question = (mg_globals){arrived, s->wide};
    }
    if (status == MEGURI_OK)
        status = mg_alltoallv_items(&arrived, t->answering, t->ctx, s->cluster, t->degree, t->asked, sizeof *t->degree,
                                    what);
    if (status != MEGURI_OK) return status;
    for (uint64_t p = 0; p <= size && t->all; p++) t->again[p] = p * here;
    const uint32_t *counts = arrived;
    bool right = memcmp(t->again, t->answering, (size + 1) * sizeof *t->again) == 0;
    for (uint64_t i = 0; i < t->answering[size] && !t->all && right; i++)
        right = mg_global_at(t->question, i) - s->home.begin < here;
    for (uint64_t i = 0; i < t->answering[size] && !t->all && right; i++)
        add_degree(degree, mg_global_at(t->question, i) - s->home.begin, counts[i]);
    for (uint64_t p = 0; p < size && t->all && right; p++)
        for (uint64_t i = 0; i < here; i++) add_degree(degree, i, counts[p * here + i]);
    mg_free(arrived);
    return right ? MEGURI_OK : mg_strange(t->ctx, s->cluster, "positions that this process is not home of");
}

/* The numbers of all places; s->number are those of this home. */
static meguri_status hear_numbers(end_table *t) {
    mg_shards *s = t->builder->shards;
    uint64_t here = s->home.end - s->home.begin, items = t->answering[s->cluster->size];
    size_t bytes = mg_global_bytes(s->wide);
    mg_globals answers = mg_globals_new(t->ctx, items, s->wide, "numbers of vertices");
    meguri_status status = mg_agree(t->ctx, s->cluster, answers.items ? MEGURI_OK : MEGURI_NO_MEMORY);
    for (uint64_t i = 0; i < items && status == MEGURI_OK && !t->all; i++)
        mg_global_put(answers, i, mg_global_at(s->number, mg_global_at(t->question, i) - s->home.begin));
    for (uint64_t i = 0; i < items && status == MEGURI_OK && t->all; i += here)
        memcpy((char *)answers.items + i * bytes, s->number.items, here * bytes);
    mg_free(t->degree);
    t->degree = NULL;
    void *arrived = NULL;
    if (status == MEGURI_OK)
        status = mg_alltoallv_items(&arrived, t->again, t->ctx, s->cluster, answers.items, t->answering, bytes,
                                    "numbers of vertices");
    if (status == MEGURI_OK && memcmp(t->again, t->asked, ((uint64_t)s->cluster->size + 1) * sizeof *t->again) != 0)
        status = mg_strange(t->ctx, s->cluster, "it has not an answer for each question");
    t->number = (mg_globals){arrived, s->wide};
    mg_free(answers.items);
    return status;
}

/* ---- ranks by degree -------------------------------------------------------------------------------------------- */

/* Vertices by class of degree. */
typedef struct classes {
    mg_globals degree; /* of the vertices of this home */
    uint64_t count;
    int pieces;       /* of these, one for each thread */
    uint64_t *all;    /* of all processes */
    uint64_t *here;   /* of this one */
    uint64_t *places; /* by piece and class: vertices, then the number of the next */
} classes;

static void count_pieces(void *what, uint64_t begin, uint64_t end) {
    const classes *c = what;
    for (uint64_t piece = begin; piece < end; piece++) {
        mg_range r = mg_share(c->count, (int)piece, c->pieces);
        uint64_t *counts = c->places + piece * CLASSES;
        for (uint64_t v = r.begin; v < r.end; v++) counts[class_of((uint32_t)mg_global_at(c->degree, v))]++;
    }
}

static void rank_pieces(void *what, uint64_t begin, uint64_t end) {
    const classes *c = what;
    for (uint64_t piece = begin; piece < end; piece++) {
        mg_range r = mg_share(c->count, (int)piece, c->pieces);
        uint64_t *next = c->places + piece * CLASSES;
        for (uint64_t v = r.begin; v < r.end; v++)
            mg_global_put(c->degree, v, next[class_of((uint32_t)mg_global_at(c->degree, v))]++);
    }
}

/* The caller frees out->all, also on failure. */
static meguri_status count_classes(classes *out, meguri_ctx *ctx, const mg_shards *s, mg_globals degree) {
    uint64_t count = s->home.end - s->home.begin;
    int pieces = mg_threads(ctx, count, GRAIN);
    *out = (classes){.degree = degree, .count = count, .pieces = pieces};
    out->all = mg_alloc_array_zero(ctx, (2 + (uint64_t)pieces) * CLASSES, sizeof *out->all, "classes of degrees");
    meguri_status status = mg_agree(ctx, s->cluster, out->all ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    out->here = out->all + CLASSES;
    out->places = out->here + CLASSES;
    mg_for(ctx, pieces, (uint64_t)pieces, count_pieces, out);
    for (int piece = 0; piece < pieces; piece++)
        for (uint32_t c = 0; c < CLASSES; c++) out->here[c] += out->places[(uint64_t)piece * CLASSES + c];
    memcpy(out->all, out->here, CLASSES * sizeof *out->all);
    return mg_reduce_u64(ctx, s->cluster, &s->cluster->all, out->all, CLASSES, MG_SUM);
}

meguri_status mg_shards_rank_degrees(meguri_ctx *ctx, mg_shards *s, mg_globals degree, uint64_t *with_arcs) {
    classes k;
    meguri_status status = count_classes(&k, ctx, s, degree);
    if (status == MEGURI_OK) status = mg_exscan_u64(ctx, s->cluster, &s->cluster->all, k.here, CLASSES);
    if (status != MEGURI_OK) goto cleanup;
    uint64_t larger = 0; /* vertices of the classes above */
    for (uint32_t c = CLASSES; c-- > 0;) {
        uint64_t next = k.here[c] + larger;
        if (c == 0) *with_arcs = larger;
        for (int piece = 0; piece < k.pieces; piece++) {
            uint64_t *place = &k.places[(uint64_t)piece * CLASSES + c], vertices = *place;
            *place = next;
            next += vertices;
        }
        larger += k.all[c];
    }
    mg_for(ctx, k.pieces, (uint64_t)k.pieces, rank_pieces, &k);

cleanup:
    mg_free(k.all);
    return status;
}

/* ---- the choice ------------------------------------------------------------------------------------------------- */

static uint32_t lowest_of(uint32_t c) {
    if (c < EXACT) return c;
    uint32_t exponent = 10 + ((c - EXACT) >> MANTISSA), mantissa = (c - EXACT) & ((1 << MANTISSA) - 1);
    return 1u << exponent | mantissa << (exponent - MANTISSA);
}

typedef struct inside_count {
    mg_globals ends;
    mg_blocks blocks;
    uint64_t inside;
} inside_count;

static void count_some_inside(void *what, uint64_t begin, uint64_t end) {
    inside_count *c = what;
    const mg_blocks blocks = c->blocks;
    uint64_t inside = 0;
    for (uint64_t i = begin; i < end; i++)
        inside += mg_blocks_number(&blocks, mg_global_at(c->ends, 2 * i)) % blocks.processes ==
                  mg_blocks_number(&blocks, mg_global_at(c->ends, 2 * i + 1)) % blocks.processes;
    mg_fetch_add(&c->inside, inside);
}

/* Arcs of this process whose ends would both be its own, or another's, by blocks. */
static uint64_t count_inside(meguri_ctx *ctx, const mg_shards_builder *b) {
    inside_count c = {b->ends, mg_blocks_of(b->shards->vertices, b->shards->cluster->size), 0};
    mg_for(ctx, mg_threads(ctx, b->count, GRAIN), b->count, count_some_inside, &c);
    return c.inside;
}

static meguri_status choose_owner(end_table *t, mg_globals degree, meguri_owner *owner) {
    const mg_shards_builder *b = t->builder;
    const mg_shards *s = b->shards;
    classes k;
    meguri_status status = count_classes(&k, t->ctx, s, degree);
    if (status == MEGURI_OK) {
        mg_owner_facts facts = {.degrees.vertices = s->vertices, .processes = (uint32_t)s->cluster->size};
        uint64_t top = MG_MAX(s->vertices / 100, 1u);
        for (uint32_t c = CLASSES; c-- > 0;) {
            uint64_t taken = MG_MIN(top, k.all[c]);
            facts.degrees.arcs += k.all[c] * lowest_of(c);
            facts.degrees.top_arcs += taken * lowest_of(c);
            top -= taken;
        }
        *owner = mg_policy_owner(&facts); /* as if all edges were inside: where hubs decide, nobody need look */
        if (*owner == MEGURI_OWNER_BLOCKS) {
            uint64_t edges[2] = {b->count, count_inside(t->ctx, b)};
            status = mg_reduce_u64(t->ctx, s->cluster, &s->cluster->all, edges, 2, MG_SUM);
            facts.edges = edges[0];
            facts.inside = edges[1];
            *owner = mg_policy_owner(&facts);
        }
    }
    mg_free(k.all);
    return status;
}

/* ---- naming ends ------------------------------------------------------------------------------------------------ */

/* Numbers that are functions of the position, for the vertices of this home and the ends of edges. */
typedef struct naming {
    mg_shards_builder *builder;
    meguri_owner owner;
    mg_blocks blocks;
} naming;

static uint64_t number_at(const naming *n, uint64_t position) {
    return n->owner == MEGURI_OWNER_BLOCKS ? mg_blocks_number(&n->blocks, position) : position;
}

static void name_home(void *what, uint64_t begin, uint64_t end) {
    const naming *n = what;
    mg_shards *s = n->builder->shards;
    for (uint64_t i = begin; i < end; i++) mg_global_put(s->number, i, number_at(n, s->home.begin + i));
}

static void name_ends(void *what, uint64_t begin, uint64_t end) {
    const naming *n = what;
    const mg_globals ends = n->builder->ends;
    for (uint64_t i = begin; i < end; i++) mg_global_put(ends, i, number_at(n, mg_global_at(ends, i)));
}

static void name_by_position(meguri_ctx *ctx, mg_shards_builder *b, meguri_owner owner) {
    mg_shards *s = b->shards;
    uint64_t here = s->home.end - s->home.begin;
    naming n = {b, owner, mg_blocks_of(s->vertices, s->cluster->size)};
    s->active = s->vertices;
    mg_for(ctx, mg_threads(ctx, here, GRAIN), here, name_home, &n);
    if (owner == MEGURI_OWNER_BLOCKS) mg_for(ctx, mg_threads(ctx, 2 * b->count, GRAIN), 2 * b->count, name_ends, &n);
}

static void name_by_table(void *what, uint64_t begin, uint64_t end) {
    end_table *t = what;
    const mg_globals ends = t->builder->ends, numbers = t->number;
    uint64_t active = t->builder->shards->active, bytes = mg_global_bytes(numbers.wide);
    bool unknown = false;
    for (uint64_t i = begin; i < end; i++) {
        if (t->all && i + AHEAD < end)
            __builtin_prefetch((const char *)numbers.items + mg_global_at(ends, i + AHEAD) * bytes);
        uint64_t number = mg_global_at(numbers, place_of(t, mg_global_at(ends, i)));
        mg_global_put(ends, i, number);
        unknown |= number >= active;
    }
    if (unknown) mg_store(&t->unknown, true);
}

static meguri_status name_by_degree(end_table *t) {
    mg_shards_builder *b = t->builder;
    mg_shards *s = b->shards;
    meguri_status status = mg_shards_rank_degrees(t->ctx, s, s->number, &s->active);
    if (status == MEGURI_OK) status = hear_numbers(t);
    if (status != MEGURI_OK) return status;
    mg_for(t->ctx, mg_threads(t->ctx, 2 * b->count, GRAIN), 2 * b->count, name_by_table, t);
    if (t->unknown) /* there is no place for it; a file that lies can be the reason */
        status =
            mg_fail(t->ctx, MEGURI_BAD_INPUT,
                    "the graph is damaged: it is undirected, and has an edge in one direction only; build it again.");
    return mg_agree(t->ctx, s->cluster, status);
}

/* Every end of an edge is told to its home; s->number becomes the degrees. */
static meguri_status count_ends(end_table *t) {
    mg_shards_builder *b = t->builder;
    mg_shards *s = b->shards;
    uint64_t ends = 2 * b->count;
    meguri_status status = mg_reduce_u64(t->ctx, s->cluster, &s->cluster->all, &ends, 1, MG_SUM);
    if (status != MEGURI_OK) return status;
    t->all = mg_policy_table_of_all(s->vertices, ends / (uint64_t)s->cluster->size);
    status = mg_agree(t->ctx, s->cluster, new_table(t));
    if (status != MEGURI_OK) return status;
    int threads = mg_threads(t->ctx, b->count, GRAIN);
    t->shared = threads > 1;
    mg_for(t->ctx, threads, b->count, count_some, t);
    return tell_homes(t, s->number);
}

meguri_status mg_shards_number_ends(meguri_ctx *ctx, mg_shards_builder *b, meguri_owner *owner) {
    mg_shards *s = b->shards;
    end_table t = {.ctx = ctx, .builder = b, .from_only = !b->source->directed && b->source->both_ways};
    s->number = mg_globals_new(ctx, s->home.end - s->home.begin, s->wide, "numbers of vertices");
    meguri_status status = mg_agree(ctx, s->cluster, s->number.items ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    if (*owner == MEGURI_OWNER_AUTO || *owner == MEGURI_OWNER_DEGREE) status = count_ends(&t);
    if (status == MEGURI_OK && *owner == MEGURI_OWNER_AUTO) status = choose_owner(&t, s->number, owner);
    if (status == MEGURI_OK && *owner == MEGURI_OWNER_DEGREE) status = name_by_degree(&t);
    else if (status == MEGURI_OK) name_by_position(ctx, b, *owner);
    free_table(&t);
    return status;
}
