/* How the messages of a superstep are delivered: as it was asked for, or as the policy has it. */
#include "pregel/pregel.h"

/* Hubs as ghosts, all others each message on its own. */
static meguri_status deliver_mirrors(mg_pregel_worker *w) {
    const meguri_graph *graph = w->run->graph;
    uint64_t least = mg_policy_mirror_degree(graph->vertices, graph->arcs, w->workers), hubs = 0;
    uint64_t *others = mg_alloc_array_zero(w->ctx, w->words, sizeof *others, "senders without mirrors");
    meguri_status status = mg_pregel_agree(w, others ? MEGURI_OK : MEGURI_NO_MEMORY);
    for (uint64_t word = 0; word < w->words && status == MEGURI_OK; word++) {
        for (uint64_t bits = w->sent[word]; bits; bits &= bits - 1) {
            uint32_t row = mg_pregel_row(w, word * 64 + (uint64_t)__builtin_ctzll(bits));
            if (mg_row_end(&w->out, row) - mg_row_begin(&w->out, row) < least) others[word] |= bits & (0 - bits);
            else hubs++;
        }
        w->sent[word] &= ~others[word];
    }
    w->senders = hubs;
    if (status == MEGURI_OK) status = mg_pregel_inbox(w, others, false);
    if (status == MEGURI_OK) status = mg_pregel_pull(w, MEGURI_DELIVERY_MIRROR, false);
    mg_free(others);
    w->way = MEGURI_READ_BOTH;
    return status;
}

/* The way that auto goes; what it has missed where nobody is woken, as nothing is laid out for that yet. Where all have
 * sent, all have something to read. */
static mg_delivery_way choose(mg_pregel_worker *w) {
    const meguri_graph *graph = w->run->graph;
    const mg_delivery_facts facts = {.vertices = graph->vertices,
                                     .arcs = graph->arcs,
                                     .senders = w->senders,
                                     .sender_arcs = w->sent_arcs,
                                     .waiting = w->waiting,
                                     .reading_row = w->reading_row,
                                     .unlaid = w->workers > 1 && !w->back_ends ? graph->arcs : 0,
                                     .missed = w->missed};
    if (w->senders == w->sources) return MG_DELIVERY_PULL;
    mg_delivery_way way = mg_policy_delivery(&facts, &w->costs);
    double gain = way == MG_DELIVERY_WAKE ? 0 : mg_policy_wake_gain(&facts, &w->costs);
    if (gain > 0) w->missed += gain;
    return way;
}

static mg_delivery_way way_of(mg_pregel_worker *w, meguri_delivery how) {
    if (how == MEGURI_DELIVERY_NORMAL || how == MEGURI_DELIVERY_COMBINE) return MG_DELIVERY_PUSH;
    if (how == MEGURI_DELIVERY_LIST) return MG_DELIVERY_WAKE;
    return how == MEGURI_DELIVERY_AUTO && w->sent_arcs ? choose(w) : MG_DELIVERY_PULL;
}

static meguri_status push(mg_pregel_worker *w, meguri_delivery how) {
    double since = mg_now();
    meguri_status status = mg_pregel_inbox(w, w->sent, how == MEGURI_DELIVERY_COMBINE);
    uint64_t messages = w->sent_arcs + w->singles;
    if (messages > MG_PREGEL_MEASURED) /* of one worker */
        w->costs.each_arc = (mg_now() - since) * 1e9 * (double)w->workers / (double)messages;
    return status;
}

static meguri_status pull(mg_pregel_worker *w, meguri_delivery how, bool wakes) {
    meguri_status status = w->singles ? mg_pregel_inbox(w, NULL, false) : MEGURI_OK;
    if (status != MEGURI_OK || !w->sent_arcs) return status;
    status = mg_pregel_pull(w, how, wakes);
    if (w->singles) w->way = MEGURI_READ_BOTH;
    return status;
}

meguri_status mg_pregel_deliver(mg_pregel_worker *w) {
    meguri_delivery how = w->run->options.delivery;
    if (how == MEGURI_DELIVERY_SENDALL_SOPT && mg_policy_sopt(w->senders, w->run->graph->vertices))
        how = MEGURI_DELIVERY_NORMAL;
    meguri_status status = MEGURI_OK;
    mg_pregel_inbox_free(w);
    w->way = MEGURI_READ_NOTHING;
    w->folded = false;
    w->span.awake = NULL;
    w->span.probe = 0;
    if (w->program->respond) status = mg_pregel_ask(w);
    if (status != MEGURI_OK || !(w->sent_arcs || w->singles)) return status;
    mg_delivery_way way = way_of(w, how);
    if (w->sent_arcs && how == MEGURI_DELIVERY_MIRROR) status = deliver_mirrors(w);
    else status = way == MG_DELIVERY_PUSH ? push(w, how) : pull(w, how, way == MG_DELIVERY_WAKE);
    w->delivery = how;
    if (how == MEGURI_DELIVERY_AUTO) {
        static const meguri_delivery names[] = {[MG_DELIVERY_PULL] = MEGURI_DELIVERY_GHOST,
                                                [MG_DELIVERY_WAKE] = MEGURI_DELIVERY_LIST,
                                                [MG_DELIVERY_PUSH] = MEGURI_DELIVERY_NORMAL};
        w->delivery = w->sent_arcs ? names[way] : MEGURI_DELIVERY_NORMAL;
    }
    return status;
}
