/* A program that does everything at random, and a slow simulator of it that follows the words of pregel.h: it sends to
 * all, twice, to one, reads all or one message, halts, is done; its value is a hash of all it has seen, in order. */
#ifndef PREGEL_CHAOS_H
#define PREGEL_CHAOS_H

#include "algo_bfs/searching.h"
#include "pregel/programs.h"

#include <math.h>
#include <meguri.h>
#include <string.h>

enum { STEPS = 6, SUM = 0, MOST = 1, COUNT = 2, MIXED = 3 };

static inline uint64_t mix(uint64_t hash, uint64_t x) { return meguri_random(hash, x, 7); }
static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- the program ------------------------------------------------------------------------------------------------ */

typedef struct state {
    uint64_t hash, calls;
} state;

typedef struct note { /* a message: of a size that no sort moves */
    uint64_t words[3];
} note;

static inline note note_of(uint64_t x) { return (note){{x, x * 3, x ^ 5}}; }

static inline void fold_mixed(void *mine, const void *more, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) ((uint64_t *)mine)[i] ^= ((const uint64_t *)more)[i];
}
static const meguri_aggregator totals[] = {
    [SUM] = {.name = "sum", .kind = MEGURI_SUM_REAL},
    [MOST] = {.name = "most", .kind = MEGURI_MOST_REAL},
    [COUNT] = {.name = "count", .kind = MEGURI_SUM_WHOLE},
    [MIXED] = {.name = "mixed", .kind = MEGURI_OWN, .bytes = 8, .fold = fold_mixed},
};
static const meguri_output columns[] = {MEGURI_OUTPUT_FIELD("hash", state, hash),
                                        MEGURI_OUTPUT_FIELD("calls", state, calls)};

MEGURI_VERTEX(chaos, state, double, note);

static inline void chaos_compute(chaos_vertex *v, state *s) {
    const uint64_t *seed = chaos_globals(v);
    uint64_t step = chaos_superstep(v), id = chaos_id(v), r = meguri_random(*seed, id, step);
    uint64_t h = mix(s->hash, step);
    h = mix(h, bits_of(chaos_last_real(v, SUM)) ^ bits_of(chaos_last_real(v, MOST)));
    h = mix(h, (uint64_t)chaos_last_whole(v, COUNT) ^ *(const uint64_t *)chaos_last_own(v, MIXED));
    h = mix(h, chaos_in_degree(v) << 32 | chaos_out_degree(v));
    MEGURI_EACH_MESSAGE(chaos, m, v) {
        h = mix(mix(h, m.source), m.value.words[0] ^ m.value.words[1] ^ m.value.words[2]);
        h = mix(h, bits_of(m.edge));
        if (r % 8 == 0) break;
    }
    if (step % 3 == 1) MEGURI_EACH_IN_EDGE(chaos, e, v) h = mix(mix(h, e.vertex), bits_of(e.value));
    s->hash = h;
    s->calls++;
    if (step < STEPS) {
        uint64_t quiet = meguri_random(*seed, UINT64_MAX, step) % 4; /* some supersteps: few, many, all */
        if (quiet == 3 || (r >> 8) % (quiet ? 2 : 16) == 0) chaos_send_all(v, note_of(h));
        if (r >> 12 & 1 && quiet == 1) chaos_send_all(v, note_of(h + 1));
        if (r >> 16 & 1 && quiet != 2) chaos_send(v, (uint32_t)(mix(h, 1) % chaos_vertices(v)), note_of(h + 2));
        if (r >> 17 & 1 && quiet != 2) chaos_send(v, (uint32_t)(mix(h, 1) % chaos_vertices(v)), note_of(h + 3));
    }
    chaos_real(v, SUM, (double)(int)(h % 2001 - 1000) / 1024);
    chaos_real(v, MOST, (double)(h % 4096));
    chaos_whole(v, COUNT, (int64_t)(h % 7) - 3);
    chaos_own(v, MIXED, &h);
    if (r >> 20 & 1 || step >= STEPS) chaos_halt(v);
    if ((r >> 24 & 15) == 0) chaos_done(v);
}

static inline int begin(meguri_master *m, void *globals, int argc, const char *const *argv) {
    (void)m, (void)argc;
    *(uint64_t *)globals = strtoull(argv[0], NULL, 10);
    return 0;
}
MEGURI_PROGRAM(chaos, .outputs = columns, .output_count = 2, .aggregators = totals, .aggregator_count = 4,
               .globals_bytes = 8, .begin = begin);

/* ---- the simulator ---------------------------------------------------------------------------------------------- */

typedef struct letter {
    uint64_t to, source, order;
    note value;
    double edge;
} letter;

typedef struct simulation {
    const oracle *o;
    uint64_t seed;
    state *states;
    bool *halted, *done;
    letter *now, *next;
    uint64_t now_count, next_count;
    double sum, most;
    int64_t count;
    uint64_t mixed;
    uint64_t messages, computed, supersteps;
} simulation;

static inline int by_receiver(const void *a, const void *b) {
    const letter *x = a, *y = b;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static inline void post(simulation *s, uint64_t to, uint64_t source, note value, double edge) {
    s->next[s->next_count] = (letter){to, source, s->next_count, value, edge};
    s->next_count++;
}

static inline void to_all(simulation *s, uint64_t v, note value) {
    for (uint64_t i = 0; i < s->o->arc_count; i++)
        if (s->o->arcs[i].row == v) post(s, s->o->arcs[i].column, v, value, s->o->arcs[i].weight);
}

static inline void simulate_vertex(simulation *s, uint64_t v, uint64_t step, const simulation *last) {
    const oracle *o = s->o;
    uint64_t r = meguri_random(s->seed, v, step), h = mix(s->states[v].hash, step), in = 0, out = 0;
    for (uint64_t i = 0; i < o->arc_count; i++) in += o->arcs[i].column == v, out += o->arcs[i].row == v;
    h = mix(h, bits_of(last->sum) ^ bits_of(last->most));
    h = mix(h, (uint64_t)last->count ^ last->mixed);
    h = mix(h, in << 32 | out);
    for (uint64_t i = 0; i < s->now_count; i++) {
        const letter *m = &s->now[i];
        if (m->to != v) continue;
        h = mix(mix(h, m->source), m->value.words[0] ^ m->value.words[1] ^ m->value.words[2]);
        h = mix(h, bits_of(m->edge));
        if (r % 8 == 0) break;
    }
    if (step % 3 == 1) /* arcs are sorted by row: sources increase */
        for (uint64_t i = 0; i < o->arc_count; i++)
            if (o->arcs[i].column == v) h = mix(mix(h, o->arcs[i].row), bits_of(o->arcs[i].weight));
    s->states[v] = (state){h, s->states[v].calls + 1};
    if (step < STEPS) {
        uint64_t quiet = meguri_random(s->seed, UINT64_MAX, step) % 4;
        if (quiet == 3 || (r >> 8) % (quiet ? 2 : 16) == 0) to_all(s, v, note_of(h));
        if (r >> 12 & 1 && quiet == 1) to_all(s, v, note_of(h + 1));
        if (r >> 16 & 1 && quiet != 2) post(s, mix(h, 1) % o->vertices, v, note_of(h + 2), 0);
        if (r >> 17 & 1 && quiet != 2) post(s, mix(h, 1) % o->vertices, v, note_of(h + 3), 0);
    }
    s->sum += (double)(int)(h % 2001 - 1000) / 1024;
    s->most = MG_MAX(s->most, (double)(h % 4096));
    s->count += (int64_t)(h % 7) - 3;
    s->mixed ^= h;
    s->halted[v] = r >> 20 & 1 || step >= STEPS;
    if ((r >> 24 & 15) == 0) s->done[v] = s->halted[v] = true;
}

static inline simulation simulate(const oracle *o, uint64_t seed) {
    uint64_t n = o->vertices, room = (2 * o->arc_count + 2 * n + 1);
    simulation s = {.o = o, .seed = seed};
    s.states = calloc(n + 1, sizeof *s.states);
    s.halted = calloc(n + 1, 1);
    s.done = calloc(n + 1, 1);
    s.now = calloc(room, sizeof *s.now);
    s.next = calloc(room, sizeof *s.next);
    for (uint64_t step = 0;; step++) {
        simulation last = s;
        uint64_t active = 0;
        s.sum = 0, s.most = -INFINITY, s.count = 0, s.mixed = 0, s.next_count = 0;
        if (step == 0) last.sum = last.most = 0;
        for (uint64_t v = 0; v < n; v++) {
            bool awake = !s.halted[v];
            for (uint64_t i = 0; i < s.now_count && !awake; i++) awake = s.now[i].to == v;
            if (!awake || s.done[v]) continue;
            simulate_vertex(&s, v, step, &last);
            s.computed++;
        }
        for (uint64_t v = 0; v < n; v++) active += !s.halted[v];
        qsort(s.next, s.next_count, sizeof *s.next, by_receiver);
        letter *now = s.now;
        s.now = s.next, s.next = now, s.now_count = s.next_count;
        s.messages += s.now_count;
        s.supersteps++;
        if (!active && !s.now_count) return s;
    }
}

static inline void simulation_free(simulation *s) {
    free(s->states);
    free(s->halted);
    free(s->done);
    free(s->now);
    free(s->next);
}

#endif
