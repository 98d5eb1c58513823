/* Messages and bytes of vertex programs by delivery, in the accounting of paper P4 (figures 14 to 17), counted without
 * a graph: the edges of a generator stream into a set of pairs, a bit for each vertex and worker (2 GB for 2^26
 * vertices and 256 workers).
 *
 *     bench_messages rmat|rmat-plain|uniform SCALE [WORKERS [THREADS [SEED [BYTES [ROOT]]]]]
 *
 * The graphs are those of the paper: R-MAT 0.45 0.15 0.15 0.25 with permuted labels (plain: as they fall, which gives
 * some workers more than others) or uniform, edge factor 16, duplicates and loops kept.
 * PageRank: one superstep, along directed edges; everybody who has an out-edge sends. Breadth-first search: edges in
 * both directions (a loop once, as in undirected graphs), all levels; from ROOT, or from the first end of edge 0.
 * Vertex v belongs to worker v mod W. One line for each W that divides WORKERS (256), as v mod W is (v mod WORKERS) mod
 * W: all of them come out of one set. BYTES: of a message (8). A pass over the edges for each level, and three more.
 *
 * tests/bench/test_messages.c sets the counts beside those of real runs. */
#define _GNU_SOURCE
#include "graphs.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    BLOCK = 1 << 14,    /* edges that are drawn at once */
    SHARE = 1 << 14,    /* vertices that a thread counts at once; whole words of bits */
    AHEAD = 32,         /* pairs on their way to the set, whose places are being fetched */
    MOST_WORKERS = 256, /* as of runs */
    ROW = MOST_WORKERS / 64,
    MOST_LEVELS = 64,
    UNREACHED = UINT8_MAX,
    MOST_THREADS = 64,
    MOST_DIVISORS = 20 /* no number up to 256 has more */
};

/* ---- what is counted -------------------------------------------------------------------------------------------- */

typedef struct superstep {
    uint64_t senders, messages;
    uint64_t combined[MOST_DIVISORS];   /* pairs of a worker that sends and a vertex that receives */
    uint64_t other_arcs[MOST_DIVISORS]; /* out-edges of senders that have no mirrors */
} superstep;

typedef struct count {
    const meguri_drawing *drawing;
    meguri_drawing_info info;
    unsigned most, words, threads;
    unsigned divisors[MOST_DIVISORS], divisor_count;
    uint64_t hub_degrees[MOST_DIVISORS]; /* out-edges from which on a sender has mirrors */
    size_t places[MOST_DIVISORS + 1];    /* where the links of each begin, in the table of a superstep */
    bool both_ways;
    uint64_t root, *rows; /* the set */
    uint32_t *degrees;    /* out-edges */
    uint8_t *levels;      /* the superstep in which a vertex sends */
    uint64_t *frontier;   /* who sends; NULL: everybody */
    uint64_t *next;
    superstep steps[MOST_LEVELS + 1]; /* and a last one for those who never send */
    unsigned step_count;
    uint32_t *sent, *sent_hubs; /* [step][divisor][owner][reader]: senders whom a worker reads, and hubs among them */
} count;

typedef struct worker worker;
struct worker {
    count *c;
    void (*work)(worker *w, uint64_t begin, uint64_t end);
    uint64_t items, chunk, *taken;
    bool by_sender; /* rows of the set are senders, and bits the workers of receivers; otherwise backwards */
    superstep sums[MOST_LEVELS + 1];
    uint64_t *place[AHEAD], bit[AHEAD];
    unsigned waiting;
    meguri_status status;
};

static void *fresh(size_t bytes) {
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    madvise(base, bytes, MADV_HUGEPAGE);
    return base;
}

static bool has_bit(const uint64_t *bits, uint64_t i) { return bits[i / 64] >> i % 64 & 1; }

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static void *work_shares(void *what) {
    worker *w = what;
    for (uint64_t begin; (begin = __atomic_fetch_add(w->taken, w->chunk, __ATOMIC_RELAXED)) < w->items;)
        w->work(w, begin, begin + w->chunk < w->items ? begin + w->chunk : w->items);
    return NULL;
}

/* All items, in shares; what the threads have summed up is added to the supersteps. */
static meguri_status on_threads(count *c, void (*work)(worker *, uint64_t, uint64_t), uint64_t items, uint64_t chunk,
                                bool by_sender) {
    static worker workers[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    uint64_t taken = 0;
    unsigned started = 1;
    meguri_status status = MEGURI_OK;
    for (unsigned t = 0; t < c->threads; t++) {
        memset(&workers[t], 0, sizeof workers[t]);
        workers[t].c = c;
        workers[t].work = work;
        workers[t].items = items;
        workers[t].chunk = chunk;
        workers[t].taken = &taken;
        workers[t].by_sender = by_sender;
    }
    while (started < c->threads && !pthread_create(&threads[started], NULL, work_shares, &workers[started])) started++;
    work_shares(&workers[0]);
    for (unsigned t = 1; t < started; t++) pthread_join(threads[t], NULL);
    for (unsigned t = 0; t < started; t++) {
        if (workers[t].status != MEGURI_OK) status = workers[t].status;
        for (unsigned i = 0; i <= MOST_LEVELS; i++) {
            superstep *all = &c->steps[i], *more = &workers[t].sums[i];
            all->senders += more->senders;
            all->messages += more->messages;
            for (unsigned d = 0; d < MOST_DIVISORS; d++) {
                all->combined[d] += more->combined[d];
                all->other_arcs[d] += more->other_arcs[d];
            }
        }
    }
    return status;
}

/* ---- edges into the set ----------------------------------------------------------------------------------------- */

static void put_pairs(worker *w) {
    for (unsigned i = 0; i < w->waiting; i++)
        if (!(__atomic_load_n(w->place[i], __ATOMIC_RELAXED) & w->bit[i]))
            __atomic_fetch_or(w->place[i], w->bit[i], __ATOMIC_RELAXED);
    w->waiting = 0;
}

static void add_pair(worker *w, uint64_t row, uint64_t bit) {
    uint64_t *place = w->c->rows + row * w->c->words + bit / 64;
    __builtin_prefetch(place, 1);
    w->place[w->waiting] = place;
    w->bit[w->waiting++] = (uint64_t)1 << bit % 64;
    if (w->waiting == AHEAD) put_pairs(w);
}

static void add_arc(worker *w, uint32_t from, uint32_t to) {
    const count *c = w->c;
    if (w->by_sender) {
        __atomic_fetch_add(&c->degrees[from], 1, __ATOMIC_RELAXED);
        add_pair(w, from, to % c->most);
    } else if (!c->frontier || has_bit(c->frontier, from)) {
        w->sums[c->step_count].messages++;
        add_pair(w, to, from % c->most);
    }
}

static void add_edges(worker *w, uint64_t begin, uint64_t end) {
    uint32_t ends[2 * BLOCK];
    meguri_status status = meguri_draw_edges(ends, NULL, w->c->drawing, begin, end);
    if (status != MEGURI_OK) w->status = status;
    for (uint64_t i = 0; i < end - begin && status == MEGURI_OK; i++) {
        if (w->by_sender && i + AHEAD < end - begin) __builtin_prefetch(&w->c->degrees[ends[2 * (i + AHEAD)]], 1);
        add_arc(w, ends[2 * i], ends[2 * i + 1]);
        if (w->c->both_ways && ends[2 * i] != ends[2 * i + 1]) add_arc(w, ends[2 * i + 1], ends[2 * i]);
    }
    put_pairs(w);
}

/* ---- the set, row by row ---------------------------------------------------------------------------------------- */

/* Bit b of a row for c->most workers is bit b mod `workers` of that for fewer. */
static void fold(uint64_t to[ROW], const count *c, const uint64_t *row, unsigned workers) {
    memset(to, 0, ROW * sizeof *to);
    if (workers % 64 == 0)
        for (unsigned i = 0; i < c->words; i++) to[i % (workers / 64)] |= row[i];
    else if (c->most % 64 == 0 && 64 % workers == 0) {
        for (unsigned i = 0; i < c->words; i++) to[0] |= row[i];
        for (unsigned width = 32; width >= workers; width /= 2)
            to[0] = (to[0] | to[0] >> width) & (((uint64_t)1 << width) - 1);
    } else
        for (unsigned i = 0; i < c->words; i++)
            for (uint64_t bits = row[i]; bits; bits &= bits - 1) {
                unsigned bit = (i * 64 + (unsigned)__builtin_ctzll(bits)) % workers;
                to[bit / 64] |= (uint64_t)1 << bit % 64;
            }
}

static bool is_empty(const count *c, const uint64_t *row) {
    uint64_t any = 0;
    for (unsigned i = 0; i < c->words; i++) any |= row[i];
    return !any;
}

/* Receivers of this superstep: pairs with workers that sent to them; in a search, who is reached, sends in the next. */
static void count_receivers(worker *w, uint64_t begin, uint64_t end) {
    count *c = w->c;
    uint64_t folded[ROW];
    for (uint64_t v = begin; v < end; v++) {
        uint64_t *row = c->rows + v * c->words;
        if (is_empty(c, row)) continue;
        for (unsigned d = 0; d < c->divisor_count; d++) {
            fold(folded, c, row, c->divisors[d]);
            for (unsigned i = 0; i < ROW; i++)
                w->sums[c->step_count].combined[d] += (uint64_t)__builtin_popcountll(folded[i]);
        }
        memset(row, 0, c->words * sizeof *row);
        if (!c->frontier || c->levels[v] != UNREACHED) continue;
        c->levels[v] = (uint8_t)(c->step_count + 1);
        c->next[v / 64] |= (uint64_t)1 << v % 64;
    }
}

/* Senders of all supersteps, and pairs with the workers that read them. */
static void count_senders(worker *w, uint64_t begin, uint64_t end) {
    count *c = w->c;
    uint64_t folded[ROW];
    for (uint64_t v = begin; v < end; v++) {
        uint64_t *row = c->rows + v * c->words;
        unsigned step = c->levels[v] == UNREACHED ? c->step_count : c->levels[v];
        if (is_empty(c, row)) continue;
        w->sums[step].senders++;
        for (unsigned d = 0; d < c->divisor_count; d++) {
            unsigned workers = c->divisors[d];
            size_t place = step * c->places[c->divisor_count] + c->places[d] + v % workers * workers;
            bool hub = c->degrees[v] >= c->hub_degrees[d];
            if (!hub) w->sums[step].other_arcs[d] += c->degrees[v];
            fold(folded, c, row, workers);
            for (unsigned i = 0; i < ROW; i++)
                for (uint64_t bits = folded[i]; bits; bits &= bits - 1) {
                    size_t link = place + i * 64 + (unsigned)__builtin_ctzll(bits);
                    __atomic_fetch_add(&c->sent[link], 1, __ATOMIC_RELAXED);
                    if (hub) __atomic_fetch_add(&c->sent_hubs[link], 1, __ATOMIC_RELAXED);
                }
        }
        memset(row, 0, c->words * sizeof *row);
    }
}

/* ---- a program -------------------------------------------------------------------------------------------------- */

/* Supersteps until nobody sends; all at once where everybody does. */
static meguri_status count_supersteps(count *c) {
    uint64_t words = (c->info.vertices + 63) / 64;
    for (;;) {
        meguri_status status = on_threads(c, add_edges, c->info.edges, BLOCK, false);
        if (c->frontier) memset(c->next, 0, words * sizeof *c->next);
        if (status == MEGURI_OK) status = on_threads(c, count_receivers, c->info.vertices, SHARE, false);
        if (status != MEGURI_OK) return status;
        fprintf(stderr, "superstep %u: %" PRIu64 " messages\n", c->step_count, c->steps[c->step_count].messages);
        if (c->steps[c->step_count].messages) c->step_count++;
        if (!c->frontier) return MEGURI_OK;
        uint64_t any = 0, *reached = c->next;
        c->next = c->frontier;
        c->frontier = reached;
        for (uint64_t i = 0; i < words; i++) any |= reached[i];
        if (!any) return MEGURI_OK;
        if (c->step_count == MOST_LEVELS) return MEGURI_NO_MEMORY;
    }
}

static meguri_status count_links(count *c) {
    uint64_t arcs = 0, tables = (c->step_count + 1) * c->places[c->divisor_count];
    memset(c->degrees, 0, c->info.vertices * sizeof *c->degrees);
    meguri_status status = on_threads(c, add_edges, c->info.edges, BLOCK, true);
    for (uint64_t v = 0; v < c->info.vertices; v++) arcs += c->degrees[v];
    for (unsigned d = 0; d < c->divisor_count; d++) /* as the library's policy has it: W e^(k/W), k the mean degree */
        c->hub_degrees[d] = (uint64_t)(c->divisors[d] * exp((double)arcs / (double)c->info.vertices / c->divisors[d]));
    c->sent = calloc(tables, sizeof *c->sent);
    c->sent_hubs = calloc(tables, sizeof *c->sent_hubs);
    if (!c->sent || !c->sent_hubs) return MEGURI_NO_MEMORY;
    return status == MEGURI_OK ? on_threads(c, count_senders, c->info.vertices, SHARE, true) : status;
}

/* ---- what comes out --------------------------------------------------------------------------------------------- */

enum { NORMAL, COMBINE, SENDALL, SENDALL_SOPT, GHOST, LIST, MIRROR, DELIVERIES };
static const char *const names[] = {"normal", "combine", "sendall", "sendall-sopt", "ghost", "list", "mirror"};

typedef struct volume {
    uint64_t messages, bits;
} volume;

static void add_volume(volume *all, uint64_t messages, uint64_t bits) {
    all->messages += messages;
    all->bits += bits;
}

/* The formulae of paper P4, section 3.3; bits of ghosts where not all have sent, link by link. */
static void add_superstep(volume sums[DELIVERIES], const count *c, unsigned step, unsigned d, uint64_t bytes) {
    const superstep *s = &c->steps[step];
    size_t workers = c->divisors[d], tables = c->places[c->divisor_count];
    uint64_t each = 64 + 8 * bytes, once = 0, hubs = 0, ghost_bits = 0, mirror_bits = 0;
    for (size_t link = c->places[d]; link < c->places[d] + workers * workers; link++) {
        uint64_t sent = c->sent[step * tables + link], of_hubs = c->sent_hubs[step * tables + link], readable = 0;
        for (unsigned k = 0; k <= c->step_count; k++) readable += c->sent[k * tables + link];
        once += sent;
        hubs += of_hubs;
        if (sent != readable) ghost_bits += readable;
        if (of_hubs != readable) mirror_bits += readable;
    }
    bool few = (double)s->senders < (double)c->info.vertices / 5;
    volume normal = {s->messages, each * s->messages}, all = {once, c->info.vertices * workers + 8 * bytes * once};
    add_volume(&sums[NORMAL], normal.messages, normal.bits);
    add_volume(&sums[COMBINE], s->combined[d], each * s->combined[d]);
    add_volume(&sums[SENDALL], all.messages, all.bits);
    add_volume(&sums[SENDALL_SOPT], few ? normal.messages : all.messages, few ? normal.bits : all.bits);
    add_volume(&sums[GHOST], once, ghost_bits + 8 * bytes * once);
    add_volume(&sums[LIST], once, each * once);
    add_volume(&sums[MIRROR], s->other_arcs[d] + hubs, each * s->other_arcs[d] + mirror_bits + 8 * bytes * hubs);
}

static void print_counts(const count *c, const char *program, uint64_t bytes) {
    for (unsigned d = 0; d < c->divisor_count; d++) {
        volume sums[DELIVERIES] = {{0, 0}};
        for (unsigned step = 0; step < c->step_count; step++) add_superstep(sums, c, step, d, bytes);
        printf("%s\t%u\t%u", program, c->divisors[d], c->step_count);
        for (int i = 0; i < DELIVERIES; i++)
            printf("\t%" PRIu64 "\t%" PRIu64, sums[i].messages, (sums[i].bits + 7) / 8);
        putchar('\n');
    }
    fflush(stdout);
}

static meguri_status count_program(count *c, const char *program, bool both_ways, uint64_t bytes) {
    uint64_t words = (c->info.vertices + 63) / 64;
    c->both_ways = both_ways;
    c->step_count = 0;
    memset(c->steps, 0, sizeof c->steps);
    memset(c->levels, both_ways ? UNREACHED : 0, c->info.vertices);
    if (both_ways) {
        c->frontier = calloc(words, sizeof *c->frontier);
        c->next = calloc(words, sizeof *c->next);
        if (!c->frontier || !c->next) return MEGURI_NO_MEMORY;
        c->frontier[c->root / 64] = (uint64_t)1 << c->root % 64;
        c->levels[c->root] = 0;
    }
    meguri_status status = count_supersteps(c);
    if (status == MEGURI_OK) status = count_links(c);
    if (status == MEGURI_OK) print_counts(c, program, bytes);
    free(c->frontier);
    free(c->next);
    free(c->sent);
    free(c->sent_hubs);
    c->frontier = c->next = NULL;
    return status;
}

static void find_divisors(count *c, unsigned most) {
    c->most = most;
    c->words = (most + 63) / 64;
    for (unsigned w = 1; w <= most; w++)
        if (most % w == 0) {
            c->places[c->divisor_count + 1] = c->places[c->divisor_count] + (size_t)w * w;
            c->divisors[c->divisor_count++] = w;
        }
}

static meguri_status draw(meguri_drawing **out, meguri_ctx *ctx, const char *graph, unsigned scale, uint64_t seed) {
    if (strcmp(graph, "uniform") == 0) {
        meguri_uniform_options u = {
            .size = sizeof u, .vertices = (uint64_t)1 << scale, .edges = (uint64_t)16 << scale, .seed = seed};
        return meguri_draw_uniform(out, ctx, &u);
    }
    meguri_rmat_options r = {.size = sizeof r,
                             .scale = scale,
                             .a = 0.45,
                             .b = 0.15,
                             .c = 0.15,
                             .seed = seed,
                             .scramble = strcmp(graph, "rmat-plain") != 0};
    return meguri_draw_rmat(out, ctx, &r);
}

static meguri_status count_all(count *c, uint64_t bytes) {
    c->rows = fresh(c->info.vertices * c->words * sizeof *c->rows);
    c->degrees = fresh(c->info.vertices * sizeof *c->degrees);
    c->levels = fresh(c->info.vertices);
    if (!c->rows || !c->degrees || !c->levels) return MEGURI_NO_MEMORY;
    printf("program\tworkers\tsupersteps");
    for (int i = 0; i < DELIVERIES; i++) printf("\t%s_messages\t%s_bytes", names[i], names[i]);
    putchar('\n');
    meguri_status status = count_program(c, "pagerank", false, bytes);
    return status == MEGURI_OK ? count_program(c, "bfs", true, bytes) : status;
}

static unsigned number(int argc, char **argv, int i, unsigned otherwise) {
    return argc > i ? (unsigned)atoi(argv[i]) : otherwise;
}

int main(int argc, char **argv) {
    static count c;
    unsigned scale = number(argc, argv, 2, 0), most = number(argc, argv, 3, MOST_WORKERS);
    unsigned seed = number(argc, argv, 5, 1), bytes = number(argc, argv, 6, 8);
    c.threads = number(argc, argv, 4, (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    static const char *const graphs[] = {"rmat", "rmat-plain", "uniform"};
    bool good = false;
    for (int i = 0; i < 3; i++) good = good || (argc > 2 && strcmp(argv[1], graphs[i]) == 0);
    if (!good || !scale || scale > 30 || !most || most > MOST_WORKERS || !c.threads || c.threads > MOST_THREADS) {
        fputs("usage: bench_messages rmat|rmat-plain|uniform SCALE [WORKERS [THREADS [SEED [BYTES [ROOT]]]]]\n",
              stderr);
        return 2;
    }
    meguri_ctx *ctx;
    meguri_drawing *drawing = NULL;
    uint32_t ends[2] = {0, 0};
    if (meguri_ctx_new(&ctx, NULL) != MEGURI_OK) return 4;
    meguri_status status = draw(&drawing, ctx, argv[1], scale, seed);
    c.drawing = drawing;
    c.info.size = sizeof c.info;
    if (status == MEGURI_OK) status = meguri_drawing_get_info(&c.info, drawing);
    if (status == MEGURI_OK) status = meguri_draw_edges(ends, NULL, drawing, 0, 1);
    c.root = number(argc, argv, 7, ends[0]);
    if (status == MEGURI_OK && c.root >= c.info.vertices) status = MEGURI_NOT_FOUND;
    find_divisors(&c, most);
    if (status == MEGURI_OK) status = count_all(&c, bytes);
    if (status != MEGURI_OK)
        fprintf(stderr, "bench_messages: %s %s\n", meguri_status_text(status), meguri_ctx_error(ctx));
    meguri_drawing_free(drawing);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
