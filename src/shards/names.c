/* String ids of all processes, numbered by first appearance in the text.
 *
 * A string belongs to the process that its hash names. Everyone sends its strings there, each with a number that says
 * where it stands in the text; of equal strings the first counts. The order of these numbers is that of the positions
 * (keys.c), which go back to all who asked; the strings go to the homes of their positions. */
#include "shards/keys.h"

#include <xxhash.h>

typedef struct naming {
    meguri_ctx *ctx;
    meguri_cluster *cluster;
    const mg_read_part *part;
    uint64_t count;     /* of names here */
    uint32_t *by_owner; /* their numbers, by the process that they belong to */
    uint64_t *begins;   /* of these */
    uint64_t *text[2];  /* begins of what leaves and arrives, in bytes of text; and of another list */
    uint64_t *again;
    uint32_t *asked; /* of what arrived: numbers in `owned` */
    uint64_t *asked_begins, asked_count;
    mg_names *owned;     /* strings that belong to this process */
    uint64_t *keys;      /* by number in owned: where it first stands */
    uint64_t *positions; /* … and its position */
} naming;

static void free_naming(naming *n) {
    mg_free(n->by_owner);
    mg_free(n->begins);
    mg_free(n->asked);
    mg_names_free(n->owned);
    mg_free(n->keys);
    mg_free(n->positions);
}

/* ---- strings that travel ---------------------------------------------------------------------------------------- */

/* Strings for all processes, with a number each: three lists that lie side by side. */
typedef struct mail {
    uint64_t *numbers, *lengths;
    char *text;
    uint64_t count, text_bytes;
} mail;

static void free_mail(mail *m) {
    mg_free(m->numbers);
    mg_free(m->lengths);
    mg_free(m->text);
    *m = (mail){0};
}

/* Every string that has arrived has a number, a length and its bytes. */
static bool is_whole(const naming *n, const mail *m, const uint64_t *begins) {
    if (memcmp(begins, n->again, ((uint64_t)n->cluster->size + 1) * sizeof *begins) != 0) return false;
    for (int p = 0; p < n->cluster->size; p++) {
        uint64_t left = n->text[1][p + 1] - n->text[1][p];
        for (uint64_t i = begins[p]; i < begins[p + 1]; i++) {
            if (m->lengths[i] > left) return false;
            left -= m->lengths[i];
        }
        if (left) return false;
    }
    return true;
}

/* What arrives; begins, in strings, of what leaves and what arrives. */
static meguri_status send_mail(mail *out, naming *n, const mail *m, const uint64_t *begins, uint64_t *arrived_begins) {
    meguri_cluster *c = n->cluster;
    const char *what = "string ids";
    void *numbers = NULL, *lengths = NULL, *text = NULL;
    meguri_status status = mg_alltoallv_items(&numbers, arrived_begins, n->ctx, c, m->numbers, begins, 8, what);
    if (status == MEGURI_OK) status = mg_alltoallv_items(&lengths, n->again, n->ctx, c, m->lengths, begins, 8, what);
    if (status == MEGURI_OK) {
        uint64_t at = 0, bytes = 0;
        for (int p = 0; p <= c->size; p++) {
            for (; at < begins[p]; at++) bytes += m->lengths[at];
            n->text[0][p] = bytes;
        }
        status = mg_alltoallv(&text, n->text[1], n->ctx, c, m->text, n->text[0], what);
    }
    *out = (mail){numbers, lengths, text, 0, 0};
    if (status == MEGURI_OK && !is_whole(n, out, arrived_begins))
        status = mg_strange(n->ctx, c, "it has not the bytes of its strings");
    if (status == MEGURI_OK) {
        out->count = arrived_begins[c->size];
        out->text_bytes = n->text[1][c->size];
    } else free_mail(out);
    return status;
}

/* Room for strings; `text_bytes` may be a guess that is too small. */
static meguri_status new_mail(mail *m, meguri_ctx *ctx, uint64_t count, uint64_t text_bytes) {
    m->numbers = mg_alloc_array(ctx, count, sizeof *m->numbers, "string ids");
    m->lengths = mg_alloc_array(ctx, count, sizeof *m->lengths, "string ids");
    m->text = mg_alloc(ctx, text_bytes, "string ids");
    return m->numbers && m->lengths && m->text ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static void add_mail(mail *m, uint64_t number, const char *text, size_t length) {
    m->numbers[m->count] = number;
    m->lengths[m->count++] = length;
    memcpy(m->text + m->text_bytes, text, length);
    m->text_bytes += length;
}

static uint64_t bytes_of(const mg_names *names) {
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < mg_names_count(names); i++) {
        size_t length;
        mg_names_get(names, (uint32_t)i, &length);
        bytes += length;
    }
    return bytes;
}

/* ---- to the processes that strings belong to -------------------------------------------------------------------- */

static uint32_t owner_of(const naming *n, uint64_t number) {
    size_t length;
    const char *text = mg_names_get(n->part->names, (uint32_t)number, &length);
    return (uint32_t)((XXH3_64bits(text, length) >> 32) % (unsigned)n->cluster->size);
}

static meguri_status prepare(naming *n) {
    uint64_t size = (uint64_t)n->cluster->size + 1;
    n->count = mg_names_count(n->part->names);
    n->by_owner = mg_alloc_array(n->ctx, n->count, sizeof *n->by_owner, "string ids");
    n->begins = mg_alloc_array_zero(n->ctx, 5 * size, sizeof *n->begins, "string ids");
    if (!n->by_owner || !n->begins) return MEGURI_NO_MEMORY;
    n->asked_begins = n->begins + size;
    n->text[0] = n->asked_begins + size;
    n->text[1] = n->text[0] + size;
    n->again = n->text[1] + size;
    for (uint64_t i = 0; i < n->count; i++) n->begins[owner_of(n, i) + 1]++;
    for (uint64_t p = 0; p + 1 < size; p++) n->begins[p + 1] += n->begins[p];
    for (uint64_t i = 0; i < n->count; i++) n->by_owner[n->begins[owner_of(n, i)]++] = (uint32_t)i;
    for (uint64_t p = size - 1; p > 0; p--) n->begins[p] = n->begins[p - 1];
    n->begins[0] = 0;
    return mg_names_new(&n->owned, n->ctx);
}

static meguri_status take_strings(naming *n, const mail *m) {
    uint64_t at = 0;
    n->asked_count = m->count;
    n->asked = mg_alloc_array(n->ctx, m->count, sizeof *n->asked, "string ids");
    n->keys = mg_alloc_array(n->ctx, m->count, sizeof *n->keys, "string ids");
    if (!n->asked || !n->keys) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < m->count; i++) {
        uint64_t known = mg_names_count(n->owned);
        meguri_status status = mg_names_add(n->ctx, n->owned, m->text + at, m->lengths[i], &n->asked[i]);
        if (status != MEGURI_OK) return status;
        uint64_t *key = &n->keys[n->asked[i]];
        *key = n->asked[i] == known ? m->numbers[i] : MG_MIN(*key, m->numbers[i]);
        at += m->lengths[i];
    }
    return MEGURI_OK;
}

static meguri_status send_to_owners(naming *n) {
    mail out = {0}, in = {0};
    meguri_status status = mg_agree(n->ctx, n->cluster, new_mail(&out, n->ctx, n->count, bytes_of(n->part->names)));
    if (status == MEGURI_OK) {
        for (uint64_t i = 0; i < n->count; i++) {
            size_t length;
            const char *text = mg_names_get(n->part->names, n->by_owner[i], &length);
            add_mail(&out, mg_share_place(&n->part->name_marks, n->by_owner[i]), text, length);
        }
        status = send_mail(&in, n, &out, n->begins, n->asked_begins);
    }
    free_mail(&out);
    if (status == MEGURI_OK) status = mg_agree(n->ctx, n->cluster, take_strings(n, &in));
    free_mail(&in);
    return status;
}

/* ---- positions -------------------------------------------------------------------------------------------------- */

static meguri_status order_strings(naming *n, uint64_t *total) {
    uint64_t count = mg_names_count(n->owned);
    uint64_t *places = mg_alloc_array(n->ctx, count, sizeof *places, "string ids");
    uint32_t *numbers = mg_alloc_array(n->ctx, count, sizeof *numbers, "string ids");
    uint64_t *keys = mg_alloc_array(n->ctx, count, sizeof *keys, "string ids");
    n->positions = mg_alloc_array(n->ctx, count, sizeof *n->positions, "string ids");
    mg_key_order order = {0};
    meguri_status status = places && numbers && keys && n->positions ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        for (uint64_t i = 0; i < count; i++) numbers[i] = (uint32_t)i;
        memcpy(keys, n->keys, count * sizeof *keys);
        status = mg_sort_u64(n->ctx, keys, numbers, 4, count, 64);
    }
    status = mg_agree(n->ctx, n->cluster, status);
    if (status == MEGURI_OK) status = mg_order_keys(&order, places, n->ctx, n->cluster, keys, count, NULL, 0);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) n->positions[numbers[i]] = places[i];
    *total = order.total;
    mg_free(order.keys);
    mg_free(places);
    mg_free(numbers);
    mg_free(keys);
    return status;
}

/* To those who asked, in the order of their asking. */
static meguri_status answer(naming *n, uint64_t *positions, uint64_t total) {
    meguri_cluster *c = n->cluster;
    const char *what = "positions of string ids";
    uint64_t *leaving = mg_alloc_array(n->ctx, n->asked_count, sizeof *leaving, what);
    uint64_t *answers = mg_alloc_array(n->ctx, n->count, sizeof *answers, what);
    meguri_status status = mg_agree(n->ctx, c, leaving && answers ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        for (uint64_t i = 0; i < n->asked_count; i++) leaving[i] = n->positions[n->asked[i]];
        status = mg_alltoallv_answers(answers, n->ctx, c, leaving, n->asked_begins, n->begins, 8, what);
    }
    for (uint64_t i = 0; i < n->count && status == MEGURI_OK; i++) {
        if (answers[i] >= total) status = mg_strange(n->ctx, c, "a position that no string has");
        positions[n->by_owner[i]] = answers[i];
    }
    mg_free(answers);
    mg_free(leaving);
    return status;
}

/* ---- strings to their homes ------------------------------------------------------------------------------------- */

/* They arrive in no order: lengths first tell where each goes. */
static meguri_status put_home(mg_name_order *out, naming *n, const mail *m) {
    mg_range home = mg_share(out->total, n->cluster->rank, n->cluster->size);
    uint64_t here = home.end - home.begin, at = 0;
    bool *known = mg_alloc_array_zero(n->ctx, here, sizeof *known, "string ids");
    out->name_offsets = mg_alloc_array_zero(n->ctx, here + 1, sizeof *out->name_offsets, "string ids");
    out->names = mg_alloc(n->ctx, m->text_bytes, "string ids");
    if (!out->name_offsets || !out->names || !known) {
        mg_free(known);
        return MEGURI_NO_MEMORY;
    }
    bool right = m->count == here;
    for (uint64_t i = 0; i < m->count && right; i++) {
        uint64_t place = m->numbers[i] - home.begin;
        right = place < here && !known[place];
        if (!right) break;
        known[place] = true;
        out->name_offsets[place + 1] = m->lengths[i];
    }
    mg_free(known);
    if (!right) return mg_strange(n->ctx, n->cluster, "it has not a string for each position that is at home here");
    for (uint64_t i = 0; i < here; i++) out->name_offsets[i + 1] += out->name_offsets[i];
    for (uint64_t i = 0; i < m->count; i++) {
        memcpy(out->names + out->name_offsets[m->numbers[i] - home.begin], m->text + at, m->lengths[i]);
        at += m->lengths[i];
    }
    return MEGURI_OK;
}

static meguri_status send_home(mg_name_order *out, naming *n) {
    uint64_t count = mg_names_count(n->owned);
    uint32_t *numbers = mg_alloc_array(n->ctx, count, sizeof *numbers, "string ids");
    mail leaving = {0}, in = {0};
    meguri_status status = numbers ? new_mail(&leaving, n->ctx, count, bytes_of(n->owned)) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        for (uint64_t i = 0; i < count; i++) numbers[i] = (uint32_t)i;
        status = mg_sort_u64(n->ctx, n->positions, numbers, 4, count, 64); /* nobody needs them by number any more */
    }
    status = mg_agree(n->ctx, n->cluster, status);
    if (status == MEGURI_OK) {
        int p = 0;
        n->begins[0] = 0;
        for (uint64_t i = 0; i < count; i++) {
            size_t length;
            const char *text = mg_names_get(n->owned, numbers[i], &length);
            for (; p < mg_home(out->total, n->cluster->size, n->positions[i]); p++) n->begins[p + 1] = i;
            add_mail(&leaving, n->positions[i], text, length);
        }
        for (; p < n->cluster->size; p++) n->begins[p + 1] = count;
        status = send_mail(&in, n, &leaving, n->begins, n->asked_begins);
    }
    free_mail(&leaving);
    mg_free(numbers);
    if (status == MEGURI_OK) status = mg_agree(n->ctx, n->cluster, put_home(out, n, &in));
    free_mail(&in);
    return status;
}

meguri_status mg_order_names(mg_name_order *out, meguri_ctx *ctx, meguri_cluster *cluster, const mg_read_part *part) {
    naming n = {.ctx = ctx, .cluster = cluster, .part = part};
    *out = (mg_name_order){0};
    meguri_status status = prepare(&n);
    if (status == MEGURI_OK) {
        out->positions = mg_alloc_array(ctx, n.count, sizeof *out->positions, "positions of string ids");
        if (!out->positions) status = MEGURI_NO_MEMORY;
    }
    status = mg_agree(ctx, cluster, status);
    if (status == MEGURI_OK) status = send_to_owners(&n);
    if (status == MEGURI_OK) status = order_strings(&n, &out->total);
    if (status == MEGURI_OK) status = answer(&n, out->positions, out->total);
    if (status == MEGURI_OK) status = send_home(out, &n);
    free_naming(&n);
    if (status != MEGURI_OK) mg_name_order_free(out);
    return status;
}

void mg_name_order_free(mg_name_order *order) {
    mg_free(order->positions);
    mg_free(order->name_offsets);
    mg_free(order->names);
    *order = (mg_name_order){0};
}
