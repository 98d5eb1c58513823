/* Ids of a graph in parts: only the home of a position knows its id. Who needs others asks their homes, which lie in
 * the order of the positions: so a sorted list is a list for each home, and the answers come back in its order. */
#include "shards/shards.h"

#include <inttypes.h>

static uint64_t homes(const mg_shards *s) { return s->home.end - s->home.begin; }

static uint64_t id_at(const mg_shards *s, uint64_t position) {
    return s->ids ? s->ids[position - s->home.begin] : s->id_base + position;
}

meguri_status mg_tell(mg_summing *s, meguri_status status) {
    if (s->told) return status == MEGURI_OK ? MEGURI_ENGINE_FAILED : status;
    status = mg_agree(s->ctx, s->cluster, status);
    s->told = status != MEGURI_OK;
    return status;
}

meguri_status mg_sum_shares(void *user, meguri_status status, uint64_t *values, uint64_t *all, uint32_t count) {
    mg_summing *s = user;
    status = mg_tell(s, status);
    memcpy(all, values, count * sizeof *all);
    if (status == MEGURI_OK) status = mg_reduce_u64(s->ctx, s->cluster, &s->cluster->all, all, count, MG_SUM);
    if (status == MEGURI_OK) status = mg_exscan_u64(s->ctx, s->cluster, &s->cluster->all, values, count);
    return status;
}

/* ---- ids of others ---------------------------------------------------------------------------------------------- */

/* What is asked of each home, and of this one. */
typedef struct questions {
    uint64_t *mine;      /* begins: of `others`, for each home */
    uint64_t *asked;     /* … and of what this home is asked for */
    uint64_t *text[2];   /* of strings on their way, to and from, in bytes */
    uint64_t *positions; /* asked for, by who asks */
    uint64_t count;
} questions;

static void free_questions(questions *q) {
    mg_free(q->mine);
    mg_free(q->positions);
}

static meguri_status ask(questions *q, meguri_ctx *ctx, mg_shards *s, const uint64_t *others, uint64_t count) {
    meguri_cluster *c = s->cluster;
    uint64_t size = (uint64_t)c->size, at = 0;
    *q = (questions){.mine = mg_alloc_array(ctx, 4 * (size + 1), sizeof *q->mine, "questions for ids")};
    meguri_status status = mg_agree(ctx, c, q->mine ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    q->asked = q->mine + size + 1;
    q->text[0] = q->asked + size + 1;
    q->text[1] = q->text[0] + size + 1;
    for (int p = 0; p < c->size; p++) {
        q->mine[p] = at;
        while (at < count && others[at] < mg_share(s->vertices, p, c->size).end) at++;
    }
    q->mine[size] = count;
    void *arrived;
    status = mg_alltoallv_items(&arrived, q->asked, ctx, c, others, q->mine, 8, "questions for ids");
    q->positions = arrived;
    if (status == MEGURI_OK) q->count = q->asked[size];
    for (uint64_t i = 0; i < q->count && status == MEGURI_OK; i++)
        if (q->positions[i] - s->home.begin >= homes(s))
            status = mg_strange(ctx, c, "a position that this process is not home of");
    return status;
}

static meguri_status answer_numbers(uint64_t *out, meguri_ctx *ctx, mg_shards *s, questions *q) {
    uint64_t *answers = mg_alloc_array(ctx, q->count, sizeof *answers, "ids");
    meguri_status status = mg_agree(ctx, s->cluster, answers ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        for (uint64_t i = 0; i < q->count; i++) answers[i] = id_at(s, q->positions[i]);
        status = mg_alltoallv_answers(out, ctx, s->cluster, answers, q->asked, q->mine, 8, "ids");
    }
    mg_free(answers);
    return status;
}

/* The strings that this home is asked for, one after another. */
static meguri_status send_strings(void **strings, meguri_ctx *ctx, mg_shards *s, questions *q, const uint64_t *lengths,
                                  uint64_t total) {
    uint64_t at = 0;
    char *text = mg_alloc(ctx, total, "ids");
    meguri_status status = mg_agree(ctx, s->cluster, text ? MEGURI_OK : MEGURI_NO_MEMORY);
    for (int p = 0; p < s->cluster->size && status == MEGURI_OK; p++) {
        q->text[0][p] = at;
        for (uint64_t i = q->asked[p]; i < q->asked[p + 1]; at += lengths[i++])
            memcpy(text + at, s->names + s->name_offsets[q->positions[i] - s->home.begin], lengths[i]);
    }
    q->text[0][s->cluster->size] = at;
    if (status == MEGURI_OK) status = mg_alltoallv(strings, q->text[1], ctx, s->cluster, text, q->text[0], "ids");
    mg_free(text);
    return status;
}

/* The lengths of the strings that others send, from each process as many bytes in all as have come. */
static bool lengths_fit(const questions *q, const uint64_t *lengths, int processes) {
    for (int p = 0; p < processes; p++) {
        uint64_t left = q->text[1][p + 1] - q->text[1][p];
        for (uint64_t i = q->mine[p]; i < q->mine[p + 1]; left -= lengths[i++])
            if (lengths[i] > left) return false;
        if (left) return false;
    }
    return true;
}

/* The lengths of names first, then their bytes: *names. */
static meguri_status answer_names(uint64_t *lengths, void **names, meguri_ctx *ctx, mg_shards *s, questions *q) {
    meguri_cluster *c = s->cluster;
    uint64_t *answers = mg_alloc_array(ctx, q->count, sizeof *answers, "lengths of ids"), total = 0;
    meguri_status status = mg_agree(ctx, c, answers ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        for (uint64_t i = 0; i < q->count; i++) {
            const uint64_t *place = &s->name_offsets[q->positions[i] - s->home.begin];
            total += answers[i] = place[1] - place[0];
        }
        status = mg_alltoallv_answers(lengths, ctx, c, answers, q->asked, q->mine, 8, "lengths of ids");
    }
    if (status == MEGURI_OK) status = send_strings(names, ctx, s, q, answers, total);
    if (status == MEGURI_OK && !lengths_fit(q, lengths, c->size))
        status = mg_strange(ctx, c, "it has not the bytes of its strings");
    mg_free(answers);
    return status;
}

static meguri_status know_names(mg_known_ids *out, meguri_ctx *ctx, mg_shards *s, questions *q, uint64_t count) {
    uint64_t here = homes(s), bytes = 0, own = s->name_offsets[here];
    void *others = NULL;
    out->name_offsets = mg_alloc_array(ctx, here + count + 1, sizeof *out->name_offsets, "ids");
    meguri_status status = mg_agree(ctx, s->cluster, out->name_offsets ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = answer_names(out->name_offsets + here, &others, ctx, s, q);
    if (status == MEGURI_OK) {
        bytes = q->text[1][s->cluster->size];
        out->names = mg_alloc(ctx, own + bytes, "ids");
        status = mg_agree(ctx, s->cluster, out->names ? MEGURI_OK : MEGURI_NO_MEMORY);
    }
    if (status == MEGURI_OK) {
        memcpy(out->names, s->names, own);
        memcpy(out->names + own, others, bytes);
        memcpy(out->name_offsets, s->name_offsets, here * sizeof *out->name_offsets);
        uint64_t place = own;
        for (uint64_t i = here; i <= here + count; i++) { /* lengths become places */
            uint64_t length = i < here + count ? out->name_offsets[i] : 0;
            out->name_offsets[i] = place;
            place += length;
        }
    }
    mg_free(others);
    return status;
}

meguri_status mg_shards_know(mg_known_ids *out, meguri_ctx *ctx, mg_shards *s, const uint64_t *others, uint64_t count) {
    questions q;
    uint64_t here = homes(s);
    *out = (mg_known_ids){0};
    meguri_status status = ask(&q, ctx, s, others, count);
    if (status == MEGURI_OK && s->id_kind == MEGURI_ID_STRING) status = know_names(out, ctx, s, &q, count);
    else if (status == MEGURI_OK) {
        out->ids = mg_alloc_array(ctx, here + count, sizeof *out->ids, "ids");
        status = mg_agree(ctx, s->cluster, out->ids ? MEGURI_OK : MEGURI_NO_MEMORY);
        for (uint64_t i = 0; i < here && status == MEGURI_OK; i++) out->ids[i] = id_at(s, s->home.begin + i);
        if (status == MEGURI_OK) status = answer_numbers(out->ids + here, ctx, s, &q);
    }
    free_questions(&q);
    if (status != MEGURI_OK) mg_known_ids_free(out);
    return status;
}

void mg_known_ids_free(mg_known_ids *known) {
    mg_free(known->ids);
    mg_free(known->name_offsets);
    mg_free(known->names);
    *known = (mg_known_ids){0};
}

/* ---- ids to vertices -------------------------------------------------------------------------------------------- */

/* Where the id is at home, or UINT64_MAX. Integer ids increase. */
static uint64_t find_here(const mg_shards *s, uint64_t id) {
    uint64_t flip = s->id_kind == MEGURI_ID_SIGNED ? (uint64_t)1 << 63 : 0, low = s->home.begin, high = s->home.end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if ((id_at(s, middle) ^ flip) < (id ^ flip)) low = middle + 1;
        else high = middle;
    }
    return low < s->home.end && id_at(s, low) == id ? low : UINT64_MAX;
}

static uint64_t find_name_here(const mg_shards *s, const char *name, size_t length) {
    for (uint64_t i = 0; i < homes(s); i++)
        if (s->name_offsets[i + 1] - s->name_offsets[i] == length &&
            memcmp(s->names + s->name_offsets[i], name, length) == 0)
            return s->home.begin + i;
    return UINT64_MAX;
}

/* One home may have it. */
static meguri_status find_anywhere(uint64_t *vertex, meguri_ctx *ctx, mg_shards *s, uint64_t here,
                                   const mg_call *call) {
    meguri_status status = mg_agree_call(ctx, s->cluster, MEGURI_OK, call);
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, &here, 1, MG_MINIMUM);
    if (status != MEGURI_OK) return status;
    *vertex = here;
    return here == UINT64_MAX ? MEGURI_NOT_FOUND : MEGURI_OK;
}

meguri_status mg_shards_find_id(uint64_t *vertex, meguri_ctx *ctx, void *shards, uint64_t id) {
    mg_shards *s = shards;
    mg_call call = {.name = "meguri_graph_find"};
    mg_call_number(&call, "id", id);
    meguri_status status = find_anywhere(vertex, ctx, s, find_here(s, id), &call);
    if (status != MEGURI_NOT_FOUND) return status;
    if (s->id_kind == MEGURI_ID_SIGNED) return mg_fail(ctx, status, "no vertex has the id %" PRId64 ".", (int64_t)id);
    return mg_fail(ctx, status, "no vertex has the id %" PRIu64 ".", id);
}

meguri_status mg_shards_find_name(uint64_t *vertex, meguri_ctx *ctx, void *shards, const char *name, size_t length) {
    mg_shards *s = shards;
    mg_call call = {.name = "meguri_graph_find_name"};
    mg_call_bytes(&call, "name", name, length);
    meguri_status status = find_anywhere(vertex, ctx, s, find_name_here(s, name, length), &call);
    if (status != MEGURI_NOT_FOUND) return status;
    return mg_fail(ctx, status, "no vertex has the id '%.*s'.", (int)MG_MIN(length, 200u), name);
}

/* ---- and back --------------------------------------------------------------------------------------------------- */

meguri_status mg_shards_id(char *out, size_t room, size_t *length, meguri_ctx *ctx, void *shards, uint64_t vertex) {
    mg_shards *s = shards;
    mg_call call = {.name = "meguri_graph_id_text"};
    mg_call_number(&call, "vertex", vertex);
    mg_call_number(&call, "room", room);
    meguri_status status = mg_agree_call(ctx, s->cluster, MEGURI_OK, &call);
    if (status != MEGURI_OK) return status;
    int home = mg_home(s->vertices, s->cluster->size, vertex);
    uint64_t whole = 0;
    memset(out, 0, room);
    if (home == s->cluster->rank) {
        bool named = s->id_kind == MEGURI_ID_STRING;
        const uint64_t *place = named ? &s->name_offsets[vertex - s->home.begin] : NULL;
        whole = mg_id_to_text(out, room, s->id_kind, named ? 0 : id_at(s, vertex), named ? s->names + place[0] : NULL,
                              named ? (size_t)(place[1] - place[0]) : 0);
    }
    status = mg_broadcast(ctx, s->cluster, &s->cluster->all, home, &whole, sizeof whole);
    if (status == MEGURI_OK) status = mg_broadcast(ctx, s->cluster, &s->cluster->all, home, out, room);
    *length = (size_t)whole;
    return status;
}
