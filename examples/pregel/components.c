/* Connected components as a vertex program: everybody takes the smallest vertex it hears of, and passes it on. For
 * undirected graphs; of a directed one the answer is which vertex of those that lead here comes first.
 *
 *     meguri run components.c g.meg -o components.tsv */
#include <meguri/pregel.h>

MEGURI_VERTEX(components, uint32_t, meguri_none, uint32_t);

static inline void components_compute(components_vertex *v, uint32_t *first) {
    uint32_t least = components_superstep(v) ? *first : components_id(v);
    MEGURI_EACH_MESSAGE(components, m, v) least = m.value < least ? m.value : least;
    if (least < *first || components_superstep(v) == 0) components_send_all(v, least);
    *first = least;
    components_halt(v);
}

static inline void components_combine(uint32_t *into, const uint32_t *message) {
    if (*message < *into) *into = *message;
}
MEGURI_COMBINES(components);

static const meguri_output columns[] = {MEGURI_OUTPUT("component", uint32_t)};
MEGURI_PROGRAM(components, .outputs = columns, .output_count = 1, .any_order = 1, MEGURI_COMBINED(components));
MEGURI_RUN(&components_program);
