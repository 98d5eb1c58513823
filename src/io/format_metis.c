/* METIS (Karypis & Kumar; also Chaco's and the 10th DIMACS challenge's): a header "n m [fmt [ncon]]", then a line for
 * each vertex 1 … n with its neighbours; an empty line is a vertex without any.
 *
 * Undirected graphs list every edge at both ends, and m counts it once. Only the end with the smaller number is taken
 * over, so that an edge is one edge also where duplicates are kept; sums of hashes prove that the other ends say the
 * same. Some writers (GAPBS's among them) give arcs instead: m of them. Which it is is known only when all have been
 * counted, so the other ends are put aside until more than m entries have been seen.
 *
 * The digits of fmt say what a line holds besides neighbours: ones, edge weights; tens, ncon vertex weights. A hundreds
 * digit means a vertex size at the start of each line to METIS, the vertex' own number to Chaco, and nothing but
 * "there may be loops and parallel edges" to the DIMACS challenge: whichever makes m come out right is taken. */
#include "io/format.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BETWEEN_LOOKS = 1 << 16 }; /* neighbours of a vertex, at whether the user has had enough */

/* Entries that are decided on in the end: loops, and first words that may be vertex sizes. */
typedef struct aside {
    uint32_t from, to;
    double weight;
    uint32_t turn; /* among those of its vertex */
    bool is_size;  /* or a neighbour */
} aside;

typedef struct metis {
    uint64_t vertices, promised;
    bool has_weights, sized;
    uint64_t vertex_weights; /* per vertex */
    bool weighted;           /* edge weights are stored */
    bool directed;

    /* Sums over all chunks; under the lock of the pass. */
    uint64_t entries; /* neighbours, loops included, possible sizes not */
    uint64_t loops, sizes;
    bool wide_sizes; /* some possible size is no vertex number */
    uint64_t low_ends, high_ends, low_hash, high_hash;
    aside *asides;
    uint64_t aside_count, aside_room;
    mg_edge_block *kept; /* the higher ends, while they may be needed */
    uint64_t kept_count, kept_room, kept_bytes;
    bool drop_high; /* they are not needed */
    bool no_room;   /* they were dropped because memory is short */
} metis;

/* ---- header ----------------------------------------------------------------------------------------------------- */

static meguri_status parse_format(mg_input *input, uint64_t fmt, uint64_t ncon, metis *m) {
    if (fmt % 10 > 1 || fmt / 10 % 10 > 1 || fmt / 100 > 1)
        return mg_header_fail(input, "the third number, fmt, must be made of the digits 0 and 1, at most three.");
    m->has_weights = fmt % 10 == 1;
    m->vertex_weights = fmt / 10 % 10 == 1 ? ncon : 0;
    m->sized = fmt / 100 == 1;
    return MEGURI_OK;
}

static meguri_status read_header(mg_input *input, metis *m) {
    const char *line, *end;
    do {
        meguri_status status = mg_input_line(input, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line)
            return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s: the METIS header (vertices, edges) is missing.",
                           input->name);
    } while (*line == '%' || *mg_skip_blanks(line) == '\n');
    uint64_t numbers[4] = {0, 0, 0, 1};
    unsigned columns = mg_count_columns(line, MG_BLANKS);
    if (columns < 2 || columns > 4 || !mg_header_numbers(line, numbers, (int)columns))
        return mg_header_fail(input, "a METIS header must be 'VERTICES EDGES [FORMAT [WEIGHTS]]'.");
    m->vertices = numbers[0];
    m->promised = numbers[1];
    if (m->vertices > MG_MAX_VERTICES)
        return mg_header_fail(input, "%" PRIu64 " vertices are more than the %" PRIu64 " that fit.", m->vertices,
                              MG_MAX_VERTICES);
    return parse_format(input, numbers[2], numbers[3], m);
}

/* Lines that stand for a vertex: all but comments. */
static uint64_t count_rows(const char *begin, const char *end) {
    uint64_t rows = 0;
    for (const char *p = begin; p < end; p++) rows += *p == '\n';
    for (const char *p = begin; (p = memchr(p, '%', (size_t)(end - p))); p++)
        if (p == begin || p[-1] == '\n') rows--;
    return rows;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* What one chunk has found. */
typedef struct chunk_part {
    mg_block low, high; /* ends with the smaller and the larger number; all ends of a directed graph are in low */
    aside *asides;
    uint64_t aside_count, aside_room;
    uint64_t entries, loops, sizes, low_hash, high_hash;
    bool wide_sizes;
} chunk_part;

static uint64_t hash_edge(uint64_t low, uint64_t high, double weight) {
    uint64_t bits;
    memcpy(&bits, &weight, 8);
    uint64_t key = (low << 32 | high) ^ (bits * UINT64_C(0x9E3779B97F4A7C15));
    key = (key ^ (key >> 31)) * UINT64_C(0xBF58476D1CE4E5B9);
    key = (key ^ (key >> 29)) * UINT64_C(0x94D049BB133111EB);
    return key ^ (key >> 32);
}

static bool put_aside(meguri_ctx *ctx, aside **asides, uint64_t *count, uint64_t *room, aside item) {
    if (*count == *room) {
        uint64_t bigger = *room * 2 + 16;
        aside *moved = mg_resize(ctx, *asides, bigger * sizeof *moved, "the loops of a METIS file");
        if (!moved) return false;
        *asides = moved;
        *room = bigger;
    }
    (*asides)[(*count)++] = item;
    return true;
}

static bool take_entry(meguri_ctx *ctx, const metis *m, chunk_part *part, uint64_t from, uint64_t to, double weight) {
    part->entries++;
    if (from == to) {
        part->loops++;
        aside loop = {.from = (uint32_t)from, .to = (uint32_t)to, .weight = weight};
        return put_aside(ctx, &part->asides, &part->aside_count, &part->aside_room, loop);
    }
    if (m->directed) return mg_block_push(&part->low, from, to, weight);
    if (from < to) {
        part->low_hash += hash_edge(from, to, weight);
        return mg_block_push(&part->low, from, to, weight);
    }
    part->high_hash += hash_edge(to, from, weight);
    return mg_block_push(&part->high, from, to, weight);
}

/* The words before the neighbours. */
static meguri_status skip_vertex_words(mg_pass *pass, const mg_chunk *chunk, const char *line, const char **p,
                                       uint64_t vertex, chunk_part *part) {
    const metis *m = pass->format;
    uint64_t words = m->vertex_weights;
    if (m->sized && m->has_weights) { /* neighbours and weights are pairs: an odd word is a size */
        uint64_t all = mg_count_columns(line, MG_BLANKS);
        words += all >= words && (all - words) % 2;
    }
    for (; words; words--) {
        if (**p == '\n') return mg_pass_fail(pass, chunk, line, "a vertex weight is missing.");
        *p = mg_skip_word(*p);
    }
    if (!m->sized || m->has_weights || **p == '\n') return MEGURI_OK;
    /* Behind the vertex weights stands the first neighbour or, if a size came first, the last vertex weight. */
    const char *word = *p;
    uint64_t number;
    part->sizes++;
    if (!mg_parse_u64(p, &number) || (!mg_is_blank(**p) && **p != '\n'))
        return mg_fail_vertex(pass, chunk, word, (mg_numbers){1, m->vertices});
    *p = mg_skip_blanks(*p);
    if (number < 1 || number > m->vertices) {
        part->wide_sizes = true;
        return MEGURI_OK;
    }
    aside size = {.from = (uint32_t)vertex, .to = (uint32_t)number, .weight = 1, .is_size = true};
    bool done = put_aside(pass->reader->ctx, &part->asides, &part->aside_count, &part->aside_room, size);
    return done ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status parse_line(mg_pass *pass, const mg_chunk *chunk, const char **p, uint64_t vertex,
                                chunk_part *part) {
    const metis *m = pass->format;
    const mg_numbers numbers = {1, m->vertices};
    const char *line = *p, *at = mg_skip_blanks(line);
    if (vertex > m->vertices) {
        if (*at != '\n')
            return mg_pass_fail(pass, chunk, line, "there are more lines than the %" PRIu64 " vertices of the header.",
                                m->vertices);
        *p = at + 1;
        return MEGURI_OK;
    }
    meguri_status status = skip_vertex_words(pass, chunk, line, &at, vertex, part);
    for (uint64_t words = 1; status == MEGURI_OK && *at != '\n'; words++) {
        uint64_t neighbor;
        double weight = 1;
        status = mg_take_vertex(pass, chunk, &at, numbers, &neighbor);
        if (status == MEGURI_OK && m->has_weights) {
            if (*at == '\n') return mg_pass_fail(pass, chunk, line, "the weight of the last neighbour is missing.");
            if (m->weighted) status = mg_take_weight(pass, chunk, &at, &weight);
            else at = mg_skip_word(at);
        }
        if (status == MEGURI_OK && !take_entry(pass->reader->ctx, m, part, vertex, neighbor, weight))
            status = MEGURI_NO_MEMORY;
        if (words % BETWEEN_LOOKS == 0 && mg_input_cancelled(pass->input)) return mg_fail_cancelled(pass->reader->ctx);
    }
    *p = at + 1;
    return status;
}

/* ---- chunks ----------------------------------------------------------------------------------------------------- */

static void drop_kept(metis *m) {
    for (uint64_t i = 0; i < m->kept_count; i++) {
        mg_free(m->kept[i].ends);
        mg_free(m->kept[i].weights);
    }
    m->kept_count = 0;
    m->drop_high = true;
}

static meguri_status keep_high(meguri_ctx *ctx, metis *m, mg_block *high, uint64_t place) {
    if (m->kept_count == m->kept_room) {
        uint64_t room = m->kept_room * 2 + 16;
        mg_edge_block *bigger = mg_resize(ctx, m->kept, room * sizeof *bigger, "the edges of a METIS file");
        if (!bigger) return MEGURI_NO_MEMORY;
        m->kept = bigger;
        m->kept_room = room;
    }
    uint64_t bytes = high->count * (8 + meguri_type_bytes(high->weight_type));
    mg_trim(high->ends, high->count * 8);
    if (high->weights) mg_trim(high->weights, high->count * meguri_type_bytes(high->weight_type));
    m->kept_bytes += bytes;
    m->kept[m->kept_count++] = (mg_edge_block){.place = place,
                                               .count = high->count,
                                               .id_bytes = 4,
                                               .ends = high->ends,
                                               .weights = high->weights,
                                               .weight_type = high->weight_type};
    *high = (mg_block){0};
    if (m->kept_bytes > meguri_ctx_memory_limit(ctx) / 8) {
        m->no_room = true;
        drop_kept(m);
    }
    return MEGURI_OK;
}

/* Adds what a chunk found to the sums. */
static meguri_status join(mg_pass *pass, const mg_chunk *chunk, chunk_part *part) {
    metis *m = pass->format;
    meguri_ctx *ctx = pass->reader->ctx;
    meguri_status status = MEGURI_OK;
    pthread_mutex_lock(&pass->lock);
    m->entries += part->entries;
    m->loops += part->loops;
    m->sizes += part->sizes;
    m->wide_sizes |= part->wide_sizes;
    m->low_ends += part->low.count;
    m->high_ends += part->high.count;
    m->low_hash += part->low_hash;
    m->high_hash += part->high_hash;
    if (m->entries > m->promised && !m->drop_high) drop_kept(m);
    if (!m->drop_high && part->high.count) status = keep_high(ctx, m, &part->high, mg_chunk_place(pass, chunk));
    for (uint64_t i = 0; i < part->aside_count && status == MEGURI_OK; i++)
        if (!put_aside(ctx, &m->asides, &m->aside_count, &m->aside_room, part->asides[i])) status = MEGURI_NO_MEMORY;
    pthread_mutex_unlock(&pass->lock);
    return status;
}

static meguri_status parse_chunk(mg_pass *pass, const mg_chunk *chunk) {
    const metis *m = pass->format;
    meguri_ctx *ctx = pass->reader->ctx;
    uint64_t entries = mg_guess_words(chunk) >> m->has_weights, capacity = m->directed ? entries : entries / 2 + 1;
    chunk_part part = {.entries = 0};
    meguri_status status = mg_block_new(&part.low, ctx, capacity, m->weighted);
    if (status == MEGURI_OK && !m->directed) status = mg_block_new(&part.high, ctx, capacity, m->weighted);
    uint64_t vertex = chunk->rows + 1;
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        if (*p == '%') p = mg_line_end(p, chunk->end) + 1;
        else status = parse_line(pass, chunk, &p, vertex++, &part);
    }
    if (status == MEGURI_OK) status = join(pass, chunk, &part);
    if (status == MEGURI_OK) status = mg_block_add(pass, chunk, &part.low);
    mg_block_free(&part.low);
    mg_block_free(&part.high);
    mg_free(part.asides);
    return status;
}

/* ---- what it all meant ------------------------------------------------------------------------------------------ */

typedef enum listing_kind { WRONG, TWICE, TWICE_LOOPS_ONCE, ONCE } listing_kind;

static listing_kind find_listing(uint64_t promised, uint64_t entries, uint64_t loops) {
    if (promised <= UINT64_MAX / 2 && entries == promised * 2) return TWICE;
    if (promised <= UINT64_MAX / 2 && entries + loops == promised * 2) return TWICE_LOOPS_ONCE;
    return entries == promised ? ONCE : WRONG;
}

/* Decides what the hundreds digit means; the possible sizes become neighbours or are forgotten. */
static listing_kind decide(metis *m) {
    uint64_t more_loops = 0, more_low = 0, more_high = 0, low_hash = 0, high_hash = 0;
    for (uint64_t i = 0; i < m->aside_count; i++) {
        const aside *a = &m->asides[i];
        if (!a->is_size) continue;
        more_loops += a->from == a->to;
        more_low += a->from < a->to;
        more_high += a->from > a->to;
        if (a->from < a->to) low_hash += hash_edge(a->from, a->to, 1);
        if (a->from > a->to) high_hash += hash_edge(a->to, a->from, 1);
    }
    listing_kind with = find_listing(m->promised, m->entries + m->sizes, m->loops + more_loops);
    listing_kind without = find_listing(m->promised, m->entries, m->loops);
    bool neighbors = m->sizes && !m->wide_sizes && with != WRONG && (without == WRONG || m->sizes != m->vertices);
    if (neighbors) {
        m->entries += m->sizes;
        m->loops += more_loops;
        m->low_ends += more_low;
        m->high_ends += more_high;
        m->low_hash += low_hash;
        m->high_hash += high_hash;
        return with;
    }
    uint64_t left = 0;
    for (uint64_t i = 0; i < m->aside_count; i++)
        if (!m->asides[i].is_size) m->asides[left++] = m->asides[i];
    m->aside_count = left;
    return m->sizes && m->sizes != m->vertices ? WRONG : without;
}

static int by_line(const void *a, const void *b) {
    const aside *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->turn < y->turn ? -1 : x->turn > y->turn;
}

/* Chunks have put aside what they found as they were done; those of a vertex lie in one. */
static void order_asides(metis *m) {
    for (uint64_t i = 0; i < m->aside_count; i++)
        m->asides[i].turn = i && m->asides[i - 1].from == m->asides[i].from ? m->asides[i - 1].turn + 1 : 0;
    if (m->aside_count) qsort(m->asides, m->aside_count, sizeof *m->asides, by_line);
}

/* The higher ends and what was put aside, as far as they are edges of their own. */
static meguri_status add_rest(mg_reader *reader, metis *m, listing_kind listing) {
    meguri_status status = MEGURI_OK;
    bool both_ends = !m->directed && listing != ONCE;
    for (uint64_t i = 0; i < m->kept_count && status == MEGURI_OK && !both_ends; i++) {
        status = mg_edges_add(reader->ctx, reader->edges, &m->kept[i]);
    }
    if (status != MEGURI_OK || !m->aside_count) return status;
    mg_block block;
    status = mg_block_new(&block, reader->ctx, m->aside_count, m->weighted);
    bool half = false; /* of a loop that is listed twice */
    order_asides(m);
    for (uint64_t i = 0; i < m->aside_count && status == MEGURI_OK; i++) {
        const aside *a = &m->asides[i];
        if (a->from == a->to && both_ends && listing == TWICE && (half = !half)) continue;
        if (a->from > a->to && both_ends) continue;
        if (!mg_block_push(&block, a->from, a->to, a->weight)) status = MEGURI_NO_MEMORY;
    }
    mg_edge_block full = {.place = (reader->passes << 40) + MG_LAST_CHUNK,
                          .count = block.count,
                          .id_bytes = 4,
                          .ends = block.ends,
                          .weights = block.weights,
                          .weight_type = block.weight_type};
    if (status == MEGURI_OK) return mg_edges_add(reader->ctx, reader->edges, &full);
    mg_block_free(&block);
    return status;
}

static meguri_status finish(mg_reader *reader, mg_input *input, metis *m) {
    meguri_ctx *ctx = reader->ctx;
    if (input->rows < m->vertices)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s lists the neighbours of %" PRIu64 " vertices, but its header says %" PRIu64
                       "; the file may be cut short.",
                       input->name, input->rows, m->vertices);
    uint64_t listed = m->entries;
    listing_kind listing = decide(m);
    if (listing == WRONG)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s lists %" PRIu64 " neighbours, but its header says %" PRIu64
                       " edges, which would be twice as many neighbours; the file may be cut short.",
                       input->name, listed, m->promised);
    bool both_ends = !m->directed && listing != ONCE;
    if (both_ends && (m->low_ends != m->high_ends || m->low_hash != m->high_hash))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s is not symmetric: some edge, or its weight, is listed at one of its ends only; read as "
                       "a directed graph, its lines are arcs.",
                       input->name);
    if (!m->directed && listing == ONCE && m->no_room)
        return mg_fail(ctx, MEGURI_NO_MEMORY,
                       "%s lists arcs where METIS lists every edge twice, and they do not fit the memory; allow more, "
                       "or read them as a directed graph.",
                       input->name);
    return add_rest(reader, m, listing);
}

static meguri_status read_metis(mg_reader *reader, mg_input *input) {
    metis m = {0};
    meguri_status status = mg_reader_numbered(reader, input);
    if (status == MEGURI_OK) status = mg_reader_direction(reader, input, MEGURI_UNDIRECTED);
    if (status == MEGURI_OK) status = read_header(input, &m);
    if (status == MEGURI_OK) status = mg_reader_weights(reader, input, m.has_weights, &m.weighted);
    if (status == MEGURI_OK) status = mg_edges_declare(reader->ctx, reader->edges, 1, m.vertices);
    if (status != MEGURI_OK) return status;
    m.directed = reader->direction == MEGURI_DIRECTED;
    mg_pass pass = {.reader = reader, .input = input, .format = &m, .parse = parse_chunk};
    status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_LINES, .count_rows = count_rows});
    if (status == MEGURI_OK) status = finish(reader, input, &m);
    drop_kept(&m);
    mg_free(m.kept);
    mg_free(m.asides);
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static uint64_t count_loops(const void *what, uint64_t begin, uint64_t end) {
    const mg_rows *rows = &((const mg_write_job *)what)->rows;
    uint64_t loops = 0;
    for (uint64_t v = begin; v < end; v++)
        for (uint64_t i = mg_row_begin(rows, v); i < mg_row_end(rows, v); i++) loops += rows->neighbors[i] == v;
    return loops;
}

static bool has_loop(const mg_write_job *job) {
    int threads = mg_threads(job->ctx, job->graph->arcs, 1 << 16);
    return mg_sum_over(job->ctx, threads, job->rows.rows, count_loops, job) != 0;
}

static meguri_status prepare(mg_write_job *job) {
    if (has_loop(job))
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: METIS knows no edges from a vertex to itself, and this graph has some; build "
                       "it without loops or write another format.",
                       job->path);
    if (job->with_weights && !mg_weights_whole(job, 1))
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: METIS knows whole weights from 1 on only, and this graph has others; write "
                       ".wel, .csv or .mtx, or build it without weights.",
                       job->path);
    return mg_write_counted(job);
}

static void head(const mg_write_job *job, mg_text *text) {
    mg_text_format(text, "%" PRIu64 " %" PRIu64 "%s\n", job->graph->vertices, job->graph->edges,
                   job->with_weights ? " 1" : "");
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    for (uint64_t i = 0; i < r->degree; i++) {
        if (i > 0) mg_text_add(text, " ", 1);
        mg_write_id(job, text, r->neighbors[i]);
        if (!job->with_weights) continue;
        mg_text_add(text, " ", 1);
        mg_write_weight(job, text, mg_write_arc(r, i));
    }
    mg_text_add(text, "\n", 1);
}

static const mg_writer writer = {
    .id_form = MG_ID_FORM_PLACE, .undirected_only = true, .prepare = prepare, .head = head, .row = row};

const mg_format mg_format_metis = {.one_process = true, .clue = MG_CLUE_NAME, .read = read_metis, .writers = {&writer}};
