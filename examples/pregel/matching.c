/* A maximal matching of a graph with two sides, whose edges lead from the left to the right: pairs along edges, nobody
 * in two, and no edge between two who have none. In rounds of four supersteps, as in the paper about Pregel: left asks
 * all; right grants one request, or denies all if it is taken; left accepts one grant; right notes that.
 *
 *     meguri run matching.c jobs.meg -o pairs.tsv */
#include <meguri/pregel.h>

enum { REQUEST, GRANT, DENIAL, ACCEPTANCE };

MEGURI_VERTEX(matching, uint32_t, meguri_none, uint8_t); /* its mate; a word */

static inline void left(matching_vertex *v, uint32_t *mate) {
    uint64_t denials = 0;
    if (matching_superstep(v) % 4 == 0) matching_send_all(v, REQUEST);
    MEGURI_EACH_MESSAGE(matching, m, v) {
        denials += m.value == DENIAL;
        if (m.value == REQUEST) matching_fail(v, "it is on both sides: edges lead to it, and edges leave it.");
        if (m.value != GRANT) continue;
        *mate = m.source;
        matching_send(v, m.source, ACCEPTANCE);
        break;
    }
    if (*mate != MEGURI_NO_VERTEX32 || denials == matching_out_degree(v)) matching_done(v);
}

static inline void right(matching_vertex *v, uint32_t *mate) {
    int granted = 0;
    MEGURI_EACH_MESSAGE(matching, m, v) {
        if (m.value == ACCEPTANCE) *mate = m.source;
        else if (*mate != MEGURI_NO_VERTEX32) matching_send(v, m.source, DENIAL);
        else if (!granted++) matching_send(v, m.source, GRANT);
    }
    matching_halt(v);
}

static inline void matching_compute(matching_vertex *v, uint32_t *mate) {
    if (matching_superstep(v) == 0) *mate = MEGURI_NO_VERTEX32;
    if (matching_out_degree(v)) left(v, mate);
    else right(v, mate);
}

static const meguri_output columns[] = {MEGURI_OUTPUT("mate", uint32_t)};
MEGURI_PROGRAM(matching, .outputs = columns, .output_count = 1);
MEGURI_RUN(&matching_program);
