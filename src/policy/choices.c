/* Small choices: how many threads a loop gets, and in which form a frontier is read. */
#include "policy/policy.h"

uint32_t mg_policy_threads(uint32_t available, uint64_t work, uint64_t grain) {
    uint64_t useful = grain ? work / grain : work;
    if (useful >= available) useful = available;
    return useful ? (uint32_t)useful : 1;
}

/* Waiting costs at most a fifth of the time before anything is done about it, and a fraction of that afterwards; where
 * the machine stays busy it is tried ever less often whether that has changed. */
double mg_policy_rest(double stalled, double elapsed, double last) {
    const double tolerable = 0.2, times = 16, longest = 0.25;
    if (stalled < tolerable * elapsed) return 0;
    double rest = elapsed < last ? 2 * last : times * stalled;
    return rest < longest ? rest : longest;
}

uint32_t mg_policy_idle_threads(uint32_t wanted, uint32_t processors, uint32_t others) {
    if (wanted > processors) return wanted; /* whoever asks for more threads than processors wants them to take turns */
    uint32_t idle = others < processors ? processors - others : 1;
    return wanted < idle ? wanted : idle;
}

/* A list costs four bytes a member, a bitmap one word for every 64 vertices, members or not. */
bool mg_policy_frontier_as_bitmap(uint64_t members, uint64_t vertices) {
    uint64_t words = vertices / 64 + (vertices % 64 != 0);
    return members > 2 * words;
}

/* A range never sends more than a quarter more than was asked for. */
mg_sending mg_policy_sending(uint64_t wanted, uint64_t arcs) {
    if (wanted == 0) return MG_SEND_NOTHING;
    return wanted >= arcs - arcs / 5 ? MG_SEND_RANGE : MG_SEND_PACKED;
}

double mg_policy_part_entries(const mg_part_facts *f) {
    double rows = 1.5 * (double)f->rows / (double)(f->arcs ? f->arcs : 1);
    return (rows < 1 ? rows : 1) + 1.0 / MG_PART_PIECE;
}

/* Larger parts than `most` would only make the first one last longer. */
uint64_t mg_policy_part_arcs(const mg_part_facts *f) {
    const double least = MG_PART_PIECE, most = 16 << 20, entry = 2 * sizeof(uint32_t), spare = 64;
    const double weight = (double)f->weight_bytes, entries = entry * mg_policy_part_entries(f);
    double arcs = (f->memory / 2 - 1024 - spare * entry) / (sizeof(uint32_t) + weight + entries);
    double neighbors = f->largest / (weight > 4 ? weight : 4), listed = f->largest / entries - spare;
    if (neighbors < arcs) arcs = neighbors;
    if (listed < arcs) arcs = listed;
    if (arcs < least) return 0;
    if (arcs > most && !f->largest_parts) arcs = most;
    uint64_t all = f->arcs > (uint64_t)least ? f->arcs : (uint64_t)least;
    return arcs < (double)all ? (uint64_t)arcs : all;
}

/* Both end at the same time where the host has this share; what each found has to be told to the other then. */
static double balanced(const mg_split_facts *f) {
    double share = (f->device + f->latency) / (f->host + f->device);
    return share < 1 ? share : 1;
}

/* What both took together counts more than what either takes alone: they may share memory, or even processors. */
double mg_policy_split(const mg_split_facts *f) {
    double to_host = f->host_knows ? 0 : f->exchange, to_device = f->device_knows ? 0 : f->exchange;
    double host = f->host + to_host, device = f->device + f->latency + to_device;
    double share = balanced(f), both = share * f->host + to_host + to_device + 2 * f->exchange;
    if (f->both > 0) both = f->both + to_host;
    if (!f->in_turn && share < 1 && both < host && both < device) return share;
    return host < device ? 1 : 0;
}

/* Steps differ, so a measurement moves the estimate half of the way. */
double mg_policy_learn(double estimate, double cost, double seconds) {
    if (!(cost > 0) || !(seconds > 0)) return estimate;
    return estimate > 0 ? (estimate + seconds / cost) / 2 : seconds / cost;
}
