/* Whether a shortcut is needed, and what it costs to take a vertex out.
 *
 * A shortcut from u to w in place of the way through v is not needed if there is another way that costs no more: a
 * witness. The search for one is small and may end before it finds it; then a shortcut is made that is not needed,
 * which costs time later and changes no answer. So its work is bounded, in vertices and in links looked at: links of
 * hubs are many.
 *
 * Vertices that are taken out in the same round must not be witnesses for each other. In the end it must be as if they
 * were taken out one after another: a witness may lead through those that come later, not through those before. */
#include "algo/path/path_contract.h"

#define NAME(name) witness_##name
#define NUMBER     uint64_t
#define PART       whole
#include "algo/path/path_heap.h"
#undef NAME
#undef NUMBER
#undef PART

typedef struct effort {
    int64_t vertices, links;
} effort;
static const effort for_price = {40, 400}, for_good = {200, 4000};

#define MOST_LINKS    64                  /* of a vertex that is taken out */
#define DEAR(removed) (2 * (removed) + 8) /* shortcuts in place of so many edges; roads stay far below */

/* Labels of earlier searches become worthless. */
static void new_mark(const mg_path_contraction *c, mg_path_witness *w) {
    if (++w->mark) return;
    memset(w->labels, 0, c->vertices * sizeof *w->labels);
    w->mark = 1;
}

/* The ways through v that begin with its link number `from`: to those of its neighbours that are not looked at from
 * elsewhere. Where every arc is there both ways, each pair is looked at once. */
typedef struct ways {
    const mg_path_link *links;
    uint32_t count, from, next; /* next: the first neighbour for which no witness is known */
    bool real, symmetric;
    mg_path_number absent;
} ways;

/* The cost of the way to a neighbour; `absent`: there is none. */
static mg_path_number cost_of_way(const ways *s, uint32_t to) {
    mg_path_number cost = s->links[to].cost[0];
    return to == s->from || cost.whole >= s->absent.whole ? s->absent
                                                          : mg_path_sum(s->real, s->links[s->from].cost[1], cost);
}

static bool has_witness(const ways *s, const mg_path_witness *w, uint32_t to, mg_path_number cost) {
    const mg_path_label *other = &w->labels[s->links[to].to];
    return other->mark == w->mark && other->distance.whole <= cost.whole;
}

/* Whether there is a witness for each way. */
static bool are_witnessed(ways *s, const mg_path_witness *w) {
    for (; s->next < s->count; s->next++) {
        mg_path_number cost = cost_of_way(s, s->next);
        if (cost.whole < s->absent.whole && !has_witness(s, w, s->next, cost)) return false;
    }
    return true;
}

/* Costs from a neighbour without going through `without`, up to `most`, until all ways are witnessed. */
static bool search_around(const mg_path_contraction *c, mg_path_witness *w, ways *s, uint32_t without,
                          mg_path_number most, effort left) {
    mg_path_heap *heap = &w->heap;
    bool real = c->ground->real;
    uint32_t from = s->links[s->from].to;
    heap->count = 0;
    w->labels[from] = (mg_path_label){.mark = w->mark};
    witness_push(heap, 0, from);
    while (heap->count && left.vertices-- > 0) {
        mg_path_waiting first = heap->items[0];
        if (first.key.whole > most.whole) break;
        witness_drop_first(heap);
        if (first.key.whole > w->labels[first.vertex].distance.whole) continue;
        const mg_path_links *l = &c->lists[first.vertex];
        if ((left.links -= l->count) < 0) break;
        if (heap->room - heap->count < l->count && !mg_path_heap_grow(c->ctx, heap, heap->count + l->count))
            return false;
        const mg_path_link *links = c->pool + l->begin;
        for (uint32_t i = 0; i < l->count; i++) {
            mg_path_number cost = mg_path_sum(real, first.key, links[i].cost[0]);
            uint32_t to = links[i].to;
            if (cost.whole > most.whole || to == without) continue;
            mg_path_label *label = &w->labels[to];
            if (label->mark == w->mark && label->distance.whole <= cost.whole) continue;
            if (c->chosen[to] && to < without) continue;
            label->distance = cost;
            label->mark = w->mark;
            witness_push(heap, cost.whole, to);
        }
        if (are_witnessed(s, w)) break;
    }
    return true;
}

static bool note(const mg_path_contraction *c, mg_path_witness *w, mg_path_shortcut shortcut) {
    if (w->count == w->room) {
        uint64_t room = 2 * w->room + 1024;
        mg_path_shortcut *found = mg_resize(c->ctx, w->found, room * sizeof *found, "shortcuts");
        if (!found) return false;
        w->found = found;
        w->room = room;
    }
    w->found[w->count++] = shortcut;
    return true;
}

/* Counts the shortcuts that taking v out needs, and notes them where asked to. */
static bool shortcuts(mg_path_contraction *c, mg_path_witness *w, uint32_t v, effort most_effort, bool make,
                      uint64_t *count) {
    const mg_path_links *l = &c->lists[v];
    ways s = {.links = c->pool + l->begin,
              .count = l->count,
              .real = c->ground->real,
              .symmetric = c->ground->symmetric,
              .absent = c->absent};
    uint32_t out = s.symmetric ? 3 : 1, in = s.symmetric ? 3 : 2;
    *count = 0;
    for (s.from = 0; s.from < s.count; s.from++) {
        uint32_t first = s.next = s.symmetric ? s.from + 1 : 0, from = s.links[s.from].to;
        mg_path_number most = {.whole = 0};
        if (s.links[s.from].cost[1].whole >= s.absent.whole) continue;
        for (uint32_t to = first; to < s.count; to++) {
            mg_path_number cost = cost_of_way(&s, to);
            if (cost.whole < s.absent.whole && cost.whole >= most.whole) most = cost;
        }
        new_mark(c, w);
        if (are_witnessed(&s, w)) continue; /* there are none */
        if (!search_around(c, w, &s, v, most, most_effort)) return false;
        for (uint32_t to = s.next; to < s.count; to++) {
            mg_path_number cost = cost_of_way(&s, to);
            if (cost.whole >= s.absent.whole || has_witness(&s, w, to, cost)) continue;
            ++*count;
            if (make && (!note(c, w, (mg_path_shortcut){cost, from, s.links[to].to, v, out}) ||
                         !note(c, w, (mg_path_shortcut){cost, s.links[to].to, from, v, in})))
                return false;
        }
    }
    return true;
}

bool mg_path_find_shortcuts(mg_path_contraction *c, mg_path_witness *w, uint32_t v) {
    uint64_t count;
    return shortcuts(c, w, v, for_good, true, &count);
}

bool mg_path_price(uint64_t *price, mg_path_contraction *c, mg_path_witness *w, uint32_t v) {
    const mg_path_links *l = &c->lists[v];
    uint64_t added, removed = 0;
    *price = MG_PATH_TOO_DEAR;
    if (l->count > MOST_LINKS) return true;
    for (uint32_t i = 0; i < l->count; i++)
        for (int side = 0; side < 2; side++) removed += c->pool[l->begin + i].cost[side].whole < c->absent.whole;
    if (!shortcuts(c, w, v, for_price, false, &added)) return false;
    if (c->ground->symmetric) added *= 2;
    if (added > DEAR(removed)) return true;
    *price = ((uint64_t)1 << 40) + 4 * added + c->level[v] - 2 * removed;
    return true;
}
