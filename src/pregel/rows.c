/* What a worker knows of the graph.
 *
 * Its in-rows, in the order in which vertices read messages; the end of an in-edge is a slot, where the message of that
 * source will be. A single worker reads the rows of the graph as they lie, if they are in the right order. Of several
 * each has a slot for every vertex of its own and then one for every other vertex that it reads from, its ghosts, by
 * worker and place; or, for SendAll as paper P4 has it, a slot for each vertex of the graph, by worker and place.
 *
 * Every worker tells every other which of that one's vertices it reads: BhasEdge of the paper. */
#include "pregel/pregel.h"

#include "pregel/parts.h"

enum { CHUNK = 256 }; /* rows that a thread takes */

/* ---- in-rows ---------------------------------------------------------------------------------------------------- */

typedef struct laying {
    mg_pregel_worker *w;
    mg_rows in; /* of the graph */
    mg_edge_values edges;
    const uint64_t *offsets; /* of the worker's rows; NULL: as in the graph */
    uint32_t *ends;
    char *values;
    size_t value_bytes;
    uint64_t most; /* in-arcs of a row */
    bool sorted;   /* rows are to be sorted by position */
    bool packed;
} laying;

/* The row of a place, in the in-rows of the graph, and where it goes. */
static uint64_t place_of_row(const laying *l, uint64_t place, uint64_t *begin, uint64_t *end) {
    uint32_t row = mg_pregel_row(l->w, place);
    *begin = mg_row_begin(&l->in, row);
    *end = mg_row_end(&l->in, row);
    return l->offsets ? l->offsets[place] : *begin;
}

static uint32_t slot_of(const laying *l, uint32_t position) {
    const mg_pregel_worker *w = l->w;
    uint64_t place = mg_pregel_place(w, position), owner = mg_pregel_owner(w, position), bit = owner * w->block + place;
    if (l->packed) return (uint32_t)bit;
    if (owner == w->me) return (uint32_t)place;
    uint64_t below = w->ghost_bits[bit / 64] & (((uint64_t)1 << bit % 64) - 1);
    return (uint32_t)w->count + w->ghost_ranks[bit / 64] + (uint32_t)__builtin_popcountll(below);
}

static void lay_row(const laying *l, uint64_t place, uint32_t *room) {
    uint64_t begin, end, to = place_of_row(l, place, &begin, &end), count = end - begin;
    uint32_t *positions = room, *arcs = room + l->most, *scratch = room + 2 * l->most;
    for (uint64_t i = 0; i < count; i++) {
        positions[i] = mg_to_user(&l->w->numbering, l->in.neighbors[begin + i]);
        arcs[i] = (uint32_t)i;
    }
    if (l->sorted) mg_sort_small_u32(positions, scratch, arcs, scratch + count, 4, count, 32);
    for (uint64_t i = 0; i < count; i++)
        l->ends[to + i] = l->w->workers == 1 ? l->in.neighbors[begin + arcs[i]] : slot_of(l, positions[i]);
    for (uint64_t i = 0; i < count && l->values; i++) {
        uint64_t arc = begin + arcs[i];
        const void *values = l->edges.by_out_arc ? l->edges.values : l->in.weights;
        mg_edge_value(l->values + (to + i) * l->value_bytes, &l->edges, values,
                      l->edges.by_out_arc ? mg_row_out_arc(&l->in, arc) : arc);
    }
}

static void lay_rows(void *what, mg_worker *worker) {
    const laying *l = what;
    uint32_t *room = mg_alloc_array(l->w->ctx, 4 * l->most, sizeof *room, "an in-row while it is sorted");
    if (!room) mg_loop_fail(worker, MEGURI_NO_MEMORY);
    for (mg_range r; room && mg_take(worker, &r);)
        for (uint64_t place = r.begin; place < r.end; place++) lay_row(l, place, room);
    mg_free(room);
}

static void *own(mg_pregel_worker *w, void *block, uint64_t bytes, uint64_t *counted) {
    if (block) {
        w->owned[w->owned_count++] = block;
        *counted += bytes;
    }
    return block;
}

/* Offsets of the worker's rows, and its arcs. */
static meguri_status make_offsets(laying *l, uint64_t *arcs) {
    mg_pregel_worker *w = l->w;
    uint64_t begin, end, bytes = (w->count + 1) * sizeof(uint64_t);
    uint64_t *offsets = own(w, mg_alloc(w->ctx, bytes, "the in-edges of a worker"), bytes, &w->memory[MG_MEMORY_ROWS]);
    if (!offsets) return MEGURI_NO_MEMORY;
    offsets[0] = 0;
    for (uint64_t place = 0; place < w->count; place++) {
        uint32_t row = mg_pregel_row(w, place);
        begin = mg_row_begin(&l->in, row);
        end = mg_row_end(&l->in, row);
        offsets[place + 1] = offsets[place] + end - begin;
    }
    l->offsets = offsets;
    *arcs = offsets[w->count];
    return MEGURI_OK;
}

static uint64_t longest_row(const mg_rows *rows) {
    uint64_t most = 0;
    for (uint64_t row = 0; row < rows->rows; row++)
        most = MG_MAX(most, mg_row_end(rows, row) - mg_row_begin(rows, row));
    return most;
}

/* Lays the in-rows out anew, where they are not as the program needs them. */
static meguri_status lay_out(laying *l) {
    mg_pregel_worker *w = l->w;
    uint64_t arcs = l->in.arcs;
    meguri_status status = w->workers > 1 ? make_offsets(l, &arcs) : MEGURI_OK;
    if (status != MEGURI_OK) return status;
    const char *what = "the in-edges of a worker";
    l->ends =
        own(w, mg_alloc_array(w->ctx, arcs, sizeof *l->ends, what), arcs * sizeof *l->ends, &w->memory[MG_MEMORY_ROWS]);
    if (!l->ends) return MEGURI_NO_MEMORY;
    l->value_bytes = l->edges.to ? meguri_type_bytes(l->edges.to) : 0;
    if (l->value_bytes)
        l->values = own(w, mg_alloc_array(w->ctx, arcs, l->value_bytes, what), arcs * l->value_bytes,
                        &w->memory[MG_MEMORY_ROWS]);
    if (l->value_bytes && !l->values) return MEGURI_NO_MEMORY;
    l->most = MG_MAX(longest_row(&l->in), 1);
    mg_loop loop = {.ctx = w->ctx,
                    .threads = mg_threads(w->ctx, arcs, 1 << 16),
                    .items = w->count,
                    .chunk = CHUNK,
                    .work = lay_rows,
                    .what = l,
                    .phase = "in-edges"};
    status = mg_loop_run(&loop);
    meguri_span_rows *in = &w->span.in;
    in->ends = l->ends;
    in->values = l->values;
    if (w->workers == 1) return status;
    *in = (meguri_span_rows){l->offsets, 1, w->count, arcs, l->ends, l->values};
    return status;
}

/* ---- ghosts and readers ----------------------------------------------------------------------------------------- */

static meguri_status find_ghosts(laying *l) {
    mg_pregel_worker *w = l->w;
    uint64_t words = w->workers * w->block / 64, bytes = words * 8, begin, end, own_word = w->me * w->block / 64;
    w->ghost_bits = mg_alloc_zero(w->ctx, bytes, "the ghosts of a worker");
    w->ghost_ranks = mg_alloc_array(w->ctx, words, sizeof *w->ghost_ranks, "the ghosts of a worker");
    if (!w->ghost_bits || !w->ghost_ranks) return MEGURI_NO_MEMORY;
    w->memory[MG_MEMORY_GHOSTS] += bytes + words * sizeof *w->ghost_ranks;
    for (uint64_t place = 0; place < w->count; place++) {
        uint32_t row = mg_pregel_row(w, place);
        begin = mg_row_begin(&l->in, row);
        end = mg_row_end(&l->in, row);
        for (uint64_t arc = begin; arc < end; arc++) {
            uint32_t position = mg_to_user(&w->numbering, l->in.neighbors[arc]);
            uint64_t bit = mg_pregel_owner(w, position) * w->block + mg_pregel_place(w, position);
            w->ghost_bits[bit / 64] |= (uint64_t)1 << bit % 64;
        }
    }
    uint32_t rank = 0;
    for (uint64_t word = 0; word < words; word++) {
        w->ghost_ranks[word] = rank;
        bool own_block = word >= own_word && word < own_word + w->block / 64;
        if (!own_block) rank += (uint32_t)__builtin_popcountll(w->ghost_bits[word]);
    }
    w->ghosts = rank;
    return MEGURI_OK;
}

/* Every worker learns which of its vertices each other reads. */
static meguri_status tell_readers(mg_pregel_worker *w) {
    uint64_t begins[MG_PREGEL_WORKERS + 1], came[MG_PREGEL_WORKERS + 1], bytes = w->block / 8;
    void *arrived = NULL;
    bool whole = true;
    for (uint64_t k = 0; k <= w->workers; k++) begins[k] = k * (w->block / 64);
    meguri_status status =
        mg_alltoallv_items(&arrived, came, w->ctx, w->cluster, w->ghost_bits, begins, 8, "readers of vertices");
    if (status != MEGURI_OK) return status;
    w->readers = arrived;
    w->memory[MG_MEMORY_MASKS] += w->workers * bytes;
    w->reader_counts = mg_alloc_array_zero(w->ctx, w->workers, sizeof *w->reader_counts, "readers of vertices");
    for (uint64_t k = 0; k <= w->workers; k++) whole &= came[k] == begins[k];
    for (uint64_t k = 0; k < w->workers && whole && w->reader_counts; k++)
        for (uint64_t word = 0; word < w->block / 64; word++)
            w->reader_counts[k] += (uint64_t)__builtin_popcountll(w->readers[k * (w->block / 64) + word]);
    if (!whole) return mg_strange(w->ctx, w->cluster, "readers of another number of vertices");
    return mg_agree(w->ctx, w->cluster, w->reader_counts ? MEGURI_OK : MEGURI_NO_MEMORY);
}

/* Where numbers are not positions, those of slots are found along the in-edges. */
static meguri_status name_slots(laying *l) {
    mg_pregel_worker *w = l->w;
    uint64_t slots = l->packed ? w->workers * w->block : w->count + w->ghosts,
             first_own = l->packed ? w->me * w->block : 0;
    if (l->packed && !w->numbers) return MEGURI_OK;
    uint32_t *positions = mg_alloc_array_zero(w->ctx, slots, sizeof *positions, "the ghosts of a worker");
    if (!own(w, positions, slots * sizeof *positions, &w->memory[MG_MEMORY_GHOSTS])) return MEGURI_NO_MEMORY;
    w->span.positions = positions;
    uint64_t ghost = w->count;
    for (uint64_t place = 0; place < w->count; place++) positions[first_own + place] = mg_pregel_position(w, place);
    for (uint64_t arc = 0; arc < l->in.arcs && w->numbers; arc++)
        positions[slot_of(l, l->in.neighbors[arc])] = l->in.neighbors[arc];
    if (w->numbers) return MEGURI_OK;
    for (uint64_t word = 0; word < w->workers * w->block / 64; word++) {
        uint64_t owner = word * 64 / w->block, first = word * 64 % w->block;
        for (uint64_t bits = owner == w->me ? 0 : w->ghost_bits[word]; bits; bits &= bits - 1)
            positions[ghost++] = (uint32_t)((first + (uint64_t)__builtin_ctzll(bits)) * w->workers + owner);
    }
    return MEGURI_OK;
}

static meguri_status be_one_of_many(laying *l) {
    mg_pregel_worker *w = l->w;
    uint64_t bytes = w->count * sizeof(uint32_t);
    uint32_t *row_of = NULL; /* in parts rows lie by place */
    meguri_status status = MEGURI_OK;
    if (!w->run->parts) {
        row_of = own(w, mg_alloc(w->ctx, bytes, "the rows of a worker"), bytes, &w->memory[MG_MEMORY_ROWS]);
        if (!row_of) status = MEGURI_NO_MEMORY;
    }
    if (status == MEGURI_OK) status = find_ghosts(l);
    if (status == MEGURI_OK) status = name_slots(l);
    for (uint64_t place = 0; row_of && place < w->count && status == MEGURI_OK; place++)
        row_of[place] = mg_pregel_row(w, place);
    status = mg_agree(w->ctx, w->cluster, status);
    if (status == MEGURI_OK) status = tell_readers(w);
    w->span.row_of = row_of;
    w->span.block = l->packed ? (uint32_t)w->block : 0;
    return status;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static meguri_span_rows span_of(const mg_rows *rows) {
    return (meguri_span_rows){.offsets = rows->offsets32 ? (const void *)rows->offsets32 : rows->offsets64,
                              .wide = !rows->offsets32,
                              .rows = rows->rows,
                              .arcs = rows->arcs,
                              .ends = rows->neighbors};
}

static uint64_t count_sources(const void *what, uint64_t begin, uint64_t end) {
    const mg_rows *rows = what;
    uint64_t sources = 0;
    for (uint64_t row = begin; row < end; row++) sources += mg_row_end(rows, row) > mg_row_begin(rows, row);
    return sources;
}

/* Rows of a graph in parts, which are this worker's alone. */
static meguri_status get_rows_of_part(laying *l, mg_pregel_parts_rows *in, const void **out_values) {
    mg_pregel_worker *w = l->w;
    const mg_pregel_parts *parts = w->run->parts;
    mg_pregel_parts_rows out = {0};
    mg_pregel_parts_values columns;
    meguri_status status = mg_pregel_parts_values_new(&columns, w->ctx, parts, w->program->edge_column);
    if (status != MEGURI_OK) return status;
    status = mg_pregel_parts_rows_new(&out, w->ctx, parts, &l->edges, &columns, w->count, false, false);
    if (status == MEGURI_OK)
        status =
            mg_pregel_parts_rows_new(in, w->ctx, parts, &l->edges, &columns, w->count, true, !w->program->any_order);
    mg_pregel_parts_values_free(&columns);
    void *const blocks[] = {out.offsets, out.ends, out.values, in->offsets, in->ends, in->values};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) own(w, blocks[i], 0, &w->row_bytes);
    w->row_bytes = out.bytes + in->bytes;
    w->memory[MG_MEMORY_ROWS] += in->bytes;
    if (status != MEGURI_OK) return status;
    w->out = (mg_rows){.rows = out.rows, .arcs = out.arcs, .offsets64 = out.offsets, .neighbors = out.ends};
    l->in = (mg_rows){.rows = in->rows, .arcs = in->arcs, .offsets64 = in->offsets, .neighbors = in->ends};
    *out_values = out.values;
    return MEGURI_OK;
}

typedef struct placing {
    const laying *l;
    uint32_t *ends;
} placing;

static void place_ends(void *what, uint64_t begin, uint64_t end) {
    const placing *p = what;
    for (uint64_t arc = begin; arc < end; arc++) p->ends[arc] = slot_of(p->l, p->ends[arc]);
}

static meguri_status get_rows(laying *l, mg_pregel_parts_rows *in) {
    mg_pregel_worker *w = l->w;
    const mg_run *run = w->run;
    meguri_status status = run->parts ? MEGURI_OK : mg_graph_in_rows(&l->in, w->ctx, run->graph);
    if (status == MEGURI_OK) status = mg_edge_values_of(&l->edges, w->ctx, run->graph, w->program);
    status = mg_pregel_agree(w, status);
    const void *values = run->edges[w->number].values;
    if (status == MEGURI_OK && run->parts) status = get_rows_of_part(l, in, &values);
    if (status != MEGURI_OK) return status;
    w->sources = mg_sum_over(w->ctx, mg_threads(w->ctx, w->out.rows, 1 << 16), w->out.rows, count_sources, &w->out);
    if (run->parts && w->cluster) status = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, &w->sources, 1, MG_SUM);
    w->span.in = span_of(&l->in);
    w->span.out = span_of(&w->out);
    w->span.out.values = values;
    return status;
}

static void find_listeners(void *what, uint64_t begin, uint64_t end) {
    mg_pregel_worker *w = what;
    const meguri_span_rows *in = &w->span.in;
    for (uint64_t word = begin; word < end; word++) {
        uint64_t bits = 0, last = MG_MIN(w->count, word * 64 + 64);
        for (uint64_t place = word * 64; place < last; place++)
            if (meguri_span_offset(in, place + 1) > meguri_span_offset(in, place)) bits |= (uint64_t)1 << place % 64;
        w->listeners[word] = bits;
    }
}

/* Rows lie far apart: a program that looks along them for any message, and stops at the first, mostly finds it at the
 * first in-edge where that comes from a hub. These lie together. */
static void gather_first(void *what, uint64_t begin, uint64_t end) {
    mg_pregel_worker *w = what;
    const meguri_span_rows *in = &w->span.in;
    for (uint64_t place = begin; place < end; place++) {
        uint64_t at = meguri_span_offset(in, place);
        w->first[place] = place < w->count && at < in->arcs ? in->ends[at] : 0;
    }
}

/* Squares of in-degrees; rows of more than a million count as such, so that no sum runs over. */
static uint64_t add_squares(const void *what, uint64_t begin, uint64_t end) {
    const meguri_span_rows *in = what;
    uint64_t sum = 0;
    for (uint64_t place = begin; place < end; place++) {
        uint64_t degree = meguri_span_offset(in, place + 1) - meguri_span_offset(in, place);
        sum += degree * MG_MIN(degree, (uint64_t)1 << 20);
    }
    return sum;
}

/* What the policy of deliveries knows of in-rows. */
static meguri_status know_rows(mg_pregel_worker *w) {
    uint64_t squares, arcs = MG_MAX(w->run->graph->arcs, (uint64_t)1);
    uint64_t firsts = MEGURI_SEARCHES(*w->program) ? MG_MAX(w->words, 1) * 64 : 0;
    w->listeners = mg_alloc_array_zero(w->ctx, MG_MAX(w->words, 1), sizeof *w->listeners, "who has in-edges");
    if (firsts) w->first = mg_alloc_array(w->ctx, firsts, sizeof *w->first, "the first in-edges of vertices");
    bool good = w->listeners && (w->first || !firsts);
    meguri_status status = mg_pregel_agree(w, good ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    mg_for(w->ctx, mg_threads(w->ctx, w->words, 1 << 10), w->words, find_listeners, w);
    squares = mg_sum_over(w->ctx, mg_threads(w->ctx, w->count, 1 << 16), w->count, add_squares, &w->span.in);
    if (w->cluster) status = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, &squares, 1, MG_SUM);
    w->memory[MG_MEMORY_MASKS] += w->words * sizeof *w->listeners;
    if (w->first) {
        mg_for(w->ctx, mg_threads(w->ctx, firsts, 1 << 14), firsts, gather_first, w);
        w->memory[MG_MEMORY_ROWS] += firsts * sizeof *w->first;
    }
    w->span.first = w->first;
    w->span.listeners = w->listeners;
    w->reading_row = (double)squares / (double)arcs;
    return status;
}

static meguri_status lay_rows_of(mg_pregel_worker *w, bool packed) {
    const mg_run *run = w->run;
    const meguri_program *program = w->program;
    mg_pregel_parts_rows part = {0};
    memset(w->memory, 0, sizeof w->memory);
    laying l = {.w = w, .packed = packed, .sorted = w->numbering.to_user && !program->any_order};
    w->span = (meguri_span){.vertices = run->graph->vertices,
                            .edges = run->graph->arcs,
                            .count = w->count,
                            .worker = (uint32_t)w->me,
                            .workers = (uint32_t)w->workers};
    meguri_status status = get_rows(&l, &part);
    if (status != MEGURI_OK) return status;
    w->span.out_position = w->numbering.to_user;
    w->span.key_of_position = program->any_order ? w->order.to_internal : NULL;
    w->span.position_of_key = program->any_order ? w->order.to_user : NULL;
    if (w->workers > 1) status = be_one_of_many(&l);
    else w->span.positions = w->numbering.to_user;
    if (status != MEGURI_OK) return status;
    if (run->parts) {
        placing p = {&l, part.ends};
        if (w->workers > 1) mg_for(w->ctx, mg_threads(w->ctx, part.arcs, 1 << 16), part.arcs, place_ends, &p);
        w->span.in.values = part.values;
        return MEGURI_OK;
    }
    w->as_it_lies =
        w->workers == 1 && !l.sorted && (!l.edges.to || (!l.edges.by_out_arc && l.edges.from == l.edges.to));
    if (w->as_it_lies) w->span.in.values = l.in.weights;
    else status = lay_out(&l);
    w->row_bytes = w->memory[MG_MEMORY_ROWS];
    return mg_pregel_agree(w, status);
}

meguri_status mg_pregel_rows(mg_pregel_worker *w, bool packed) {
    meguri_status status = lay_rows_of(w, packed);
    return status == MEGURI_OK ? know_rows(w) : status;
}

void mg_pregel_rows_free(mg_pregel_worker *w) {
    for (int i = 0; i < MG_MEMORY_COUNT; i++) w->most_memory[i] = MG_MAX(w->most_memory[i], w->memory[i]);
    w->most_row_bytes = MG_MAX(w->most_row_bytes, w->row_bytes);
    w->row_bytes = 0;
    for (uint32_t i = 0; i < w->owned_count; i++) mg_free(w->owned[i]);
    w->owned_count = 0;
    mg_free(w->ghost_bits);
    mg_free(w->ghost_ranks);
    mg_free(w->readers);
    mg_free(w->listeners);
    mg_free(w->first);
    mg_free(w->reader_counts);
    mg_free(w->back_offsets);
    mg_free(w->back_ends);
    w->ghost_bits = w->readers = w->listeners = w->reader_counts = w->back_offsets = NULL;
    w->ghost_ranks = w->back_ends = w->first = NULL;
    w->ghosts = 0;
}

/* ---- who reads a slot ------------------------------------------------------------------------------------------- */

meguri_status mg_pregel_back_rows(mg_pregel_worker *w) {
    const meguri_span_rows *in = &w->span.in;
    const uint64_t slots = w->count + w->ghosts, *offsets = in->offsets;
    if (w->back_ends) return MEGURI_OK;
    w->back_offsets = mg_alloc_array_zero(w->ctx, slots + 2, sizeof *w->back_offsets, "the readers of slots");
    w->back_ends = mg_alloc_array(w->ctx, in->arcs, sizeof *w->back_ends, "the readers of slots");
    if (!w->back_offsets || !w->back_ends) return MEGURI_NO_MEMORY;
    uint64_t *next = w->back_offsets + 1; /* ends up as the offsets, one place further */
    for (uint64_t arc = 0; arc < in->arcs; arc++) next[in->ends[arc] + 1]++;
    for (uint64_t slot = 0; slot < slots; slot++) next[slot + 1] += next[slot];
    for (uint64_t place = 0; place < w->count; place++)
        for (uint64_t arc = offsets[place]; arc < offsets[place + 1]; arc++)
            w->back_ends[next[in->ends[arc]]++] = (uint32_t)place;
    w->memory[MG_MEMORY_ROWS] += (slots + 2) * sizeof *w->back_offsets + in->arcs * sizeof *w->back_ends;
    return MEGURI_OK;
}
