/* Messages to all neighbours: a bit and a message for each sender, and the receivers look along their in-edges (paper
 * P4, section 3.2). Nothing is sorted, and a vertex that does not look pays nothing.
 *
 * A single worker sends nothing at all: what its vertices have written is what they read, one superstep later. Of
 * several, each sends a message once to every worker that reads its vertex: with a bit for each vertex of the graph, as
 * the paper has it (there messages lie without gaps, and are found by counting bits), or with bits for the ghosts of
 * the receiver alone, no bits where all have sent, a list where few have; then messages lie at their slots.
 *
 * Who has halted is woken by a message: it looks for one itself, or, where few have sent, senders wake their
 * neighbours (list). */
#include "pregel/pregel.h"

static void swap_bits(uint64_t **a, uint64_t **b) {
    uint64_t *c = *a;
    *a = *b;
    *b = c;
}

static uint64_t padded(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

/* ---- waking ----------------------------------------------------------------------------------------------------- */

static void wake(mg_pregel_worker *w, uint64_t place) {
    uint64_t bit = (uint64_t)1 << place % 64, *word = &w->awake[place / 64];
    if (!(mg_load(word) & bit)) mg_fetch_or(word, bit);
}

/* The neighbours of senders: along the out-rows of the graph, or along back rows where there are several workers. */
static void wake_words(void *what, uint64_t begin, uint64_t end) {
    mg_pregel_worker *w = what;
    for (uint64_t word = begin; word < end; word++)
        for (uint64_t bits = w->seen[word]; bits; bits &= bits - 1) {
            uint64_t slot = word * 64 + (uint64_t)__builtin_ctzll(bits);
            if (w->back_ends) {
                for (uint64_t at = w->back_offsets[slot]; at < w->back_offsets[slot + 1]; at++)
                    wake(w, w->back_ends[at]);
            } else {
                uint64_t last = mg_row_end(&w->out, slot);
                for (uint64_t at = mg_row_begin(&w->out, slot); at < last; at++) wake(w, w->out.neighbors[at]);
            }
        }
}

/* Time per arc of a wake, for the policy: one that takes long enough to be told from the clock's own. */
static void measure(mg_pregel_worker *w, double seconds) {
    if (w->sent_arcs > MG_PREGEL_MEASURED)
        w->costs.wake_arc = seconds * 1e9 / ((double)w->sent_arcs / (double)w->workers);
}

static meguri_status wake_readers(mg_pregel_worker *w) {
    meguri_status status = w->workers > 1 ? mg_pregel_back_rows(w) : MEGURI_OK;
    uint64_t words = mg_bitmap_words(w->count + w->ghosts);
    double since = mg_now(); /* laying rows out is done once, and known to the policy by its arcs */
    if (!w->singles) memset(w->awake, 0, w->words * sizeof *w->awake); /* else receivers of those are awake already */
    if (status == MEGURI_OK)
        mg_for(w->ctx, mg_threads(w->ctx, w->sent_arcs / w->workers, 1 << 14), words, wake_words, w);
    measure(w, mg_now() - since);
    w->span.awake = w->awake;
    w->span.probe = 0;
    return status;
}

/* ---- out -------------------------------------------------------------------------------------------------------- */

/* Messages of the senders in `bits` of a word, one after another. */
static char *copy_messages(const mg_pregel_worker *w, char *to, uint64_t word, uint64_t bits) {
    size_t bytes = w->program->message_bytes;
    for (; bits && bytes; bits &= bits - 1, to += bytes)
        memcpy(to, w->send + (word * 64 + (uint64_t)__builtin_ctzll(bits)) * bytes, bytes);
    return to;
}

static const uint64_t *readers_at(const mg_pregel_worker *w, uint64_t worker) {
    return w->readers + worker * (w->block / 64);
}

static uint64_t count_sent(const mg_pregel_worker *w, uint64_t worker) {
    uint64_t count = 0;
    const uint64_t *readers = readers_at(w, worker);
    for (uint64_t word = 0; word < w->words; word++)
        count += (uint64_t)__builtin_popcountll(readers[word] & w->sent[word]);
    return count;
}

typedef struct letter { /* to or from a worker */
    mg_set_form form;
    uint64_t count, readable;
} letter;

static uint64_t set_bytes(const letter *l) {
    if (l->form == MG_SET_ALL) return 0;
    return l->form == MG_SET_LIST ? padded(4 * l->count) : 8 * mg_bitmap_words(l->readable);
}

static uint64_t letter_bytes(const mg_pregel_worker *w, const letter *l) {
    return 8 + set_bytes(l) + padded(l->count * w->program->message_bytes);
}

/* Only auto is free to send a list where few have sent. */
static mg_set_form form_of(meguri_delivery how, uint64_t count, uint64_t readable) {
    if (how == MEGURI_DELIVERY_LIST) return MG_SET_LIST;
    mg_set_form form = mg_policy_ghost_form(count, readable);
    return form == MG_SET_LIST && how != MEGURI_DELIVERY_AUTO ? MG_SET_BITMAP : form;
}

static letter letter_to(const mg_pregel_worker *w, uint64_t worker, meguri_delivery how) {
    letter l = {.count = count_sent(w, worker), .readable = w->reader_counts[worker]};
    l.form = form_of(how, l.count, l.readable);
    return l;
}

static void write_letter(const mg_pregel_worker *w, char *to, uint64_t worker, const letter *l) {
    const uint64_t *readers = readers_at(w, worker), head = (uint64_t)l->form << 56 | l->count;
    memcpy(to, &head, 8);
    char *set = to + 8, *messages = set + set_bytes(l);
    uint64_t first = 0, listed = 0; /* the first ghost of a word */
    memset(set, 0, set_bytes(l));
    for (uint64_t word = 0; word < w->words; word++) {
        uint64_t both = readers[word] & w->sent[word];
        messages = copy_messages(w, messages, word, both);
        if (l->form == MG_SET_ALL) continue;
        for (uint64_t bits = both; bits; bits &= bits - 1) {
            uint64_t below = (bits & (0 - bits)) - 1,
                     ghost = first + (uint64_t)__builtin_popcountll(readers[word] & below);
            if (l->form == MG_SET_LIST) ((uint32_t *)set)[listed++] = (uint32_t)ghost;
            else ((uint64_t *)set)[ghost / 64] |= (uint64_t)1 << ghost % 64;
        }
        first += (uint64_t)__builtin_popcountll(readers[word]);
    }
}

/* In the paper's accounting a worker sends to itself, too; bits are not rounded to bytes. A member of a list has an id
 * of 8 bytes. */
static void note_sent(mg_pregel_worker *w, const letter *l) {
    w->step.delivered += l->count;
    w->step.model_bits[MG_MODEL_VALUES] += 8 * l->count * w->program->message_bytes;
    if (l->form == MG_SET_LIST) w->step.model_bits[MG_MODEL_IDS] += 64 * l->count;
    else if (l->form == MG_SET_BITMAP) w->step.model_bits[MG_MODEL_BITS] += l->readable;
}

static meguri_status write_letters(mg_pregel_worker *w, char **out, uint64_t *begins, meguri_delivery how) {
    letter letters[MG_PREGEL_WORKERS];
    begins[0] = 0;
    for (uint64_t k = 0; k < w->workers; k++) {
        letters[k] = letter_to(w, k, how);
        note_sent(w, &letters[k]);
        begins[k + 1] = begins[k] + (k == w->me ? 0 : letter_bytes(w, &letters[k]));
    }
    *out = mg_alloc(w->ctx, begins[w->workers], "messages on their way");
    if (!*out) return MEGURI_NO_MEMORY;
    for (uint64_t k = 0; k < w->workers; k++)
        if (k != w->me) write_letter(w, *out + begins[k], k, &letters[k]);
    return MEGURI_OK;
}

/* ---- in --------------------------------------------------------------------------------------------------------- */

static void take_message(mg_pregel_worker *w, uint64_t slot, const char *message, size_t bytes) {
    w->seen[slot / 64] |= (uint64_t)1 << slot % 64;
    if (bytes) memcpy(w->read + slot * bytes, message, bytes);
}

/* Bits and messages of the ghosts that belong to a worker; false where this is no such letter. */
static bool read_letter(mg_pregel_worker *w, const char *from, uint64_t bytes, uint64_t first, uint64_t ghosts) {
    size_t item = w->program->message_bytes;
    uint64_t head, slot = w->count + first;
    if (bytes < 8) return false;
    memcpy(&head, from, 8);
    letter l = {.form = (mg_set_form)(head >> 56), .count = head << 8 >> 8, .readable = ghosts};
    bool known = l.form == MG_SET_ALL || l.form == MG_SET_LIST || l.form == MG_SET_BITMAP;
    if (!known || l.count > ghosts || (l.form == MG_SET_ALL && l.count != ghosts)) return false;
    if (bytes != letter_bytes(w, &l)) return false;
    const char *set = from + 8, *messages = set + set_bytes(&l);
    uint64_t taken = 0;
    if (l.form == MG_SET_ALL) {
        if (item) memcpy(w->read + slot * item, messages, l.count * item);
        for (uint64_t place = slot; place < slot + ghosts; place++) w->seen[place / 64] |= (uint64_t)1 << place % 64;
        return true;
    }
    for (; l.form == MG_SET_LIST && taken < l.count; taken++) {
        uint64_t ghost = ((const uint32_t *)set)[taken];
        if (ghost >= ghosts) return false;
        take_message(w, slot + ghost, messages + taken * item, item);
    }
    for (uint64_t word = 0; l.form == MG_SET_BITMAP && word < mg_bitmap_words(ghosts); word++)
        for (uint64_t bits = ((const uint64_t *)set)[word]; bits; bits &= bits - 1, taken++) {
            uint64_t ghost = word * 64 + (uint64_t)__builtin_ctzll(bits);
            if (ghost >= ghosts || taken == l.count) return false;
            take_message(w, slot + ghost, messages + taken * item, item);
        }
    return taken == l.count;
}

static meguri_status read_letters(mg_pregel_worker *w, const char *from, const uint64_t *begins) {
    uint64_t slots = w->count + w->ghosts, words = mg_bitmap_words(slots);
    if (w->count % 64 && w->words) w->seen[w->words - 1] &= ((uint64_t)1 << w->count % 64) - 1;
    for (uint64_t word = w->words; word < words; word++) w->seen[word] = 0;
    for (uint64_t k = 0; k < w->workers; k++) {
        uint64_t word = k * w->block / 64, next = (k + 1) * w->block / 64;
        uint64_t first = w->ghost_ranks[word], end = k + 1 < w->workers ? w->ghost_ranks[next] : w->ghosts;
        if (k == w->me) continue;
        if (!read_letter(w, from + begins[k], begins[k + 1] - begins[k], first, end - first))
            return mg_strange(w->ctx, w->cluster, "messages of other vertices than this worker reads");
    }
    return MEGURI_OK;
}

/* ---- as the paper has it ---------------------------------------------------------------------------------------- */

static meguri_status write_packed(mg_pregel_worker *w, char **out, uint64_t *begins) {
    uint64_t bytes = w->program->message_bytes, words = w->block / 64;
    begins[0] = 0;
    for (uint64_t k = 0; k < w->workers; k++) {
        uint64_t count = count_sent(w, k);
        begins[k + 1] = begins[k] + 8 * words + padded(count * bytes);
        w->step.delivered += count;
        w->step.model_bits[MG_MODEL_BITS] += w->count;
        w->step.model_bits[MG_MODEL_VALUES] += 8 * count * bytes;
    }
    *out = mg_alloc_zero(w->ctx, begins[w->workers], "messages on their way");
    if (!*out) return MEGURI_NO_MEMORY;
    for (uint64_t k = 0; k < w->workers; k++) {
        uint64_t *bits = (uint64_t *)(*out + begins[k]);
        char *messages = (char *)(bits + words);
        for (uint64_t word = 0; word < w->words; word++) {
            bits[word] = readers_at(w, k)[word] & w->sent[word];
            messages = copy_messages(w, messages, word, bits[word]);
        }
    }
    return MEGURI_OK;
}

static meguri_status read_packed(mg_pregel_worker *w, const char *from, const uint64_t *begins) {
    uint64_t bytes = w->program->message_bytes, words = w->block / 64, total = 0;
    for (uint64_t k = 0; k < w->workers; k++) {
        uint64_t count = 0, length = begins[k + 1] - begins[k];
        if (length < 8 * words) return mg_strange(w->ctx, w->cluster, "bits of another number of vertices");
        memcpy(w->packed_bits + k * words, from + begins[k], 8 * words);
        for (uint64_t word = k * words; word < (k + 1) * words; word++) {
            w->packed_ranks[word] = (uint32_t)(total + count);
            count += (uint64_t)__builtin_popcountll(w->packed_bits[word]);
        }
        if (length != 8 * words + padded(count * bytes))
            return mg_strange(w->ctx, w->cluster, "more bits than messages");
        total += count;
    }
    mg_free(w->packed);
    w->packed = mg_alloc_array(w->ctx, total, MG_MAX(bytes, 1), "messages that have come");
    if (!w->packed) return MEGURI_NO_MEMORY;
    char *to = w->packed;
    for (uint64_t k = 0; k < w->workers; k++) {
        uint64_t first = w->packed_ranks[k * words],
                 end = k + 1 < w->workers ? w->packed_ranks[(k + 1) * words] : total;
        if (bytes) memcpy(to, from + begins[k] + 8 * words, (end - first) * bytes);
        to += (end - first) * bytes;
    }
    return MEGURI_OK;
}

static meguri_status make_packed(mg_pregel_worker *w) {
    uint64_t words = w->workers * w->block / 64;
    if (w->packed_bits) return MEGURI_OK;
    w->packed_bits = mg_alloc_array(w->ctx, words, sizeof *w->packed_bits, "bits of all vertices");
    w->packed_ranks = mg_alloc_array(w->ctx, words, sizeof *w->packed_ranks, "bits of all vertices");
    w->memory[MG_MEMORY_MASKS] += words * (sizeof *w->packed_bits + sizeof *w->packed_ranks);
    return w->packed_bits && w->packed_ranks ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static meguri_status exchange(mg_pregel_worker *w, meguri_delivery how, bool packed) {
    uint64_t begins[MG_PREGEL_WORKERS + 1], came[MG_PREGEL_WORKERS + 1];
    char *letters = NULL;
    void *arrived = NULL;
    double since = mg_now();
    uint64_t sent;
    mg_pregel_sent(w, -1, &sent);
    meguri_status status = packed ? make_packed(w) : MEGURI_OK;
    if (status == MEGURI_OK)
        status = packed ? write_packed(w, &letters, begins) : write_letters(w, &letters, begins, how);
    mg_pregel_spent(w, MG_SPLIT_BEFORE, &since);
    status = mg_pregel_agree(w, status);
    for (uint64_t k = 0; k <= w->workers; k++) begins[k] /= 8; /* all of it in words of 8 bytes */
    if (status == MEGURI_OK)
        status = mg_alltoallv_items(&arrived, came, w->ctx, w->cluster, letters, begins, 8, "messages");
    for (uint64_t k = 0; k <= w->workers && status == MEGURI_OK; k++) came[k] *= 8;
    mg_pregel_spent(w, MG_SPLIT_COMMUNICATION, &since);
    mg_pregel_sent(w, MG_WIRE_SENDALL, &sent);
    mg_free(letters);
    swap_bits(&w->sent, &w->seen);
    char *read = w->send;
    w->send = w->read;
    w->read = read;
    if (status == MEGURI_OK) status = packed ? read_packed(w, arrived, came) : read_letters(w, arrived, came);
    mg_free(arrived);
    mg_pregel_spent(w, MG_SPLIT_AFTER, &since);
    return mg_pregel_agree(w, status);
}

/* What the formulae of the paper say of one worker, which sends to itself. */
static void alone(mg_pregel_worker *w, meguri_delivery how) {
    letter l = {.count = w->senders, .readable = w->sources};
    l.form = form_of(how, l.count, l.readable);
    if (how == MEGURI_DELIVERY_SENDALL || how == MEGURI_DELIVERY_SENDALL_SOPT) {
        l.form = MG_SET_BITMAP;
        l.readable = w->count;
    }
    note_sent(w, &l);
    swap_bits(&w->sent, &w->seen);
    char *read = w->send;
    w->send = w->read;
    w->read = read;
}

meguri_status mg_pregel_pull(mg_pregel_worker *w, meguri_delivery how, bool wakes) {
    bool packed = w->workers > 1 && (how == MEGURI_DELIVERY_SENDALL || how == MEGURI_DELIVERY_SENDALL_SOPT);
    bool every = w->senders == w->sources && how != MEGURI_DELIVERY_LIST && how != MEGURI_DELIVERY_MIRROR && !packed;
    meguri_status status = MEGURI_OK;
    if (w->workers > 1) status = exchange(w, how, packed);
    else alone(w, how);
    if (status != MEGURI_OK) return status;
    meguri_span *s = &w->span;
    double since = mg_now();
    s->bits = packed ? w->packed_bits : every ? NULL : w->seen;
    s->ranks = packed ? w->packed_ranks : NULL;
    s->messages = packed ? w->packed : w->read;
    s->awake = NULL;
    s->probe = 1;
    w->way = packed ? MEGURI_READ_PACKED : every ? MEGURI_READ_EVERY : MEGURI_READ_SOME;
    if (wakes) status = wake_readers(w);
    if (how == MEGURI_DELIVERY_AUTO && every && !w->singles) {
        status = mg_pregel_fold_all(w, &w->folded);
        if (w->folded) w->way = MEGURI_READ_FOLDED;
    }
    mg_pregel_spent(w, MG_SPLIT_AFTER, &since);
    return mg_pregel_agree(w, status);
}
