/* Questions to vertices (request and respond; Yan et al., WWW 2015): what many vertices of a worker ask of one goes to
 * the worker that has it once, and is answered once, after all have computed. */
#include "pregel/pregel.h"

/* Of all threads, sorted, each once. */
static meguri_status gather(mg_pregel_worker *w) {
    uint64_t count = 0, distinct = 0;
    for (int t = 0; t < w->threads; t++) count += w->tallies[t].question_count;
    w->asked = mg_alloc_array(w->ctx, count, sizeof *w->asked, "questions to vertices");
    if (!w->asked) return MEGURI_NO_MEMORY;
    count = 0;
    for (int t = 0; t < w->threads; t++) {
        meguri_tally *tally = &w->tallies[t];
        if (tally->question_count) memcpy(w->asked + count, tally->questions, tally->question_count * sizeof *w->asked);
        count += tally->question_count;
        tally->question_count = 0;
    }
    meguri_status status = mg_sort_u32(w->ctx, w->asked, NULL, 0, count, 32);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
        if (!i || w->asked[i] != w->asked[distinct - 1]) w->asked[distinct++] = w->asked[i];
    w->asked_count = distinct;
    return status;
}

static int keeper_of(const void *user, const void *question) {
    return (int)mg_pregel_owner(user, *(const uint32_t *)question);
}

/* Answers in batches of places. */
static bool answer(const void *user, void *answers, const void *questions, uint64_t count) {
    const mg_pregel_worker *w = user;
    uint32_t places[256];
    const uint32_t *positions = questions;
    bool right = true;
    mg_pregel_enter(w);
    for (uint64_t done = 0; done < count && right;) {
        uint64_t some = MG_MIN(count - done, 256);
        for (uint64_t i = 0; i < some && right; i++) {
            uint32_t position = positions[done + i];
            right = position < w->run->graph->vertices && mg_pregel_owner(w, position) == w->me;
            if (right) places[i] = (uint32_t)mg_pregel_place(w, position);
        }
        if (right) w->program->respond(w->values, places, some, (char *)answers + done * w->program->answer_bytes);
        done += some;
    }
    mg_pregel_leave(w);
    return right;
}

meguri_status mg_pregel_ask(mg_pregel_worker *w) {
    mg_free(w->asked);
    mg_free(w->answers);
    w->asked = NULL;
    w->answers = NULL;
    w->asked_count = 0;
    double since = mg_now();
    uint64_t sent;
    mg_pregel_sent(w, -1, &sent);
    meguri_status status = gather(w);
    if (status == MEGURI_OK) {
        w->answers = mg_alloc_array(w->ctx, w->asked_count, w->program->answer_bytes, "answers of vertices");
        if (!w->answers) status = MEGURI_NO_MEMORY;
    }
    mg_pregel_spent(w, MG_SPLIT_BEFORE, &since);
    status = mg_pregel_agree(w, status);
    if (status != MEGURI_OK) return status;
    w->step.model_bits[MG_MODEL_QUESTIONS] += (64 + 8 * (uint64_t)w->program->answer_bytes) * w->asked_count;
    if (w->workers == 1) answer(w, w->answers, w->asked, w->asked_count);
    else {
        const mg_keepers keepers = {.cluster = w->cluster,
                                    .question_bytes = sizeof(uint32_t),
                                    .answer_bytes = w->program->answer_bytes,
                                    .keeper = keeper_of,
                                    .answer = answer,
                                    .user = w,
                                    .what = "questions to vertices"};
        status = mg_ask(w->ctx, &keepers, w->asked, w->answers, w->asked_count);
    }
    mg_pregel_spent(w, MG_SPLIT_COMMUNICATION, &since);
    mg_pregel_sent(w, MG_WIRE_QUESTIONS, &sent);
    w->span.asked = w->asked;
    w->span.asked_count = w->asked_count;
    w->span.answers = w->answers;
    return status;
}
