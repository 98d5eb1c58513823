/* From lines to runs: names become places in short lists, sums are kept, and repetitions are told apart.
 *
 * The trace has no line that says "a new search begins". Some runs have proper steps, with numbers or frontiers; they
 * begin anew at a step whose number is lower than the one before, or 0 once more. Phases between such steps belong to
 * the search; those that came before the first of all prepare it, and belong to none wherever they come again. Runs of
 * phases alone begin anew at the phase they began with, after others, and after a line of another run. */
#define _GNU_SOURCE /* qsort_r */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 80 /* bytes kept of a name */

static const char others[] = "others";

/* ---- sums ------------------------------------------------------------------------------------------------------- */

static void add(uint64_t *sum, int64_t number) {
    if (number > 0 && __builtin_add_overflow(*sum, (uint64_t)number, sum)) *sum = UINT64_MAX;
}

void mg_report_sums_add(mg_report_sums *sums, const mg_report_step *step) {
    sums->steps++;
    add(&sums->frontier, step->frontier);
    add(&sums->edges, step->edges);
    add(&sums->us, step->us);
    add(&sums->bytes, step->bytes);
    sums->has_frontier |= step->frontier >= 0;
    sums->has_edges |= step->edges >= 0;
    sums->has_us |= step->us >= 0;
    sums->has_bytes |= step->bytes >= 0;
    if (step->us >= 0 && step->edges >= 0) {
        add(&sums->timed_edges, step->edges);
        add(&sums->edges_us, step->us);
    }
    if (step->us >= 0 && step->bytes >= 0) {
        add(&sums->timed_bytes, step->bytes);
        add(&sums->bytes_us, step->us);
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

char *mg_report_copy_name(meguri_ctx *ctx, const char *name) {
    size_t length = strlen(name);
    if (length > LONGEST_NAME)
        for (length = LONGEST_NAME; length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80;) length--;
    char *copy = mg_alloc(ctx, length + 1, "a name of the trace");
    if (!copy) return NULL;
    memcpy(copy, name, length);
    copy[length] = '\0';
    return copy;
}

/* Very long names that begin alike count as one. */
static bool same_name(const char *kept, const char *name) { return strncmp(kept, name, LONGEST_NAME - 3) == 0; }

/* The place of a name in a list, to which it is added; when that is full, the last place is that of all others.
 * -1: the name is NULL; -2: no memory. */
static int place_of(meguri_ctx *ctx, char **names, int *count, int most, const char *name) {
    if (!name) return -1;
    for (int i = 0; i < *count; i++)
        if (same_name(names[i], name)) return i;
    if (*count == most) return most - 1;
    names[*count] = mg_report_copy_name(ctx, *count == most - 1 ? others : name);
    return names[*count] ? (*count)++ : -2;
}

/* Runs of several files are apart, so that each is seen beside the others; those that name strategies are compared as
 * one. */
static bool is_of_file(mg_report_trace *trace, mg_report_kind *kind) {
    if (kind->file == trace->file) return true;
    if (kind->compared) kind->file = NULL;
    return kind->compared;
}

static int kind_of(mg_report_trace *trace, const char *name) {
    for (int i = 0; i < trace->kind_count; i++)
        if (same_name(trace->kinds[i].name, name) && is_of_file(trace, &trace->kinds[i])) return i;
    if (trace->kind_count == MG_REPORT_KINDS) return MG_REPORT_KINDS - 1;
    mg_report_kind *kind = &trace->kinds[trace->kind_count];
    kind->name = mg_report_copy_name(trace->ctx, trace->kind_count == MG_REPORT_KINDS - 1 ? others : name);
    if (!kind->name) return -2;
    if (trace->kind_count < MG_REPORT_KINDS - 1) kind->file = trace->file;
    kind->least_threads = kind->most_threads = kind->last_number = kind->setting = -1;
    kind->first_phase = kind->last_phase = -1;
    return trace->kind_count++;
}

/* Some ways look the same on every page; other names take the next colour that is left. */
static int paint_of(const mg_report_kind *kind, const char *name) {
    static const char *const fixed[] = {"push", "pull", "fill"};
    const int fixed_count = (int)(sizeof fixed / sizeof *fixed);
    int next = fixed_count;
    if (!name) return MG_REPORT_NO_PAINT;
    for (int i = 0; i < fixed_count; i++)
        if (strcmp(name, fixed[i]) == 0) return i;
    for (int i = 0; i < kind->class_count; i++) next += kind->classes[i].name && kind->classes[i].paint >= fixed_count;
    return next < MG_REPORT_PAINTS ? next : MG_REPORT_NO_PAINT;
}

static int class_of(meguri_ctx *ctx, mg_report_kind *kind, const mg_report_line *line) {
    const char *name = line->way ? line->way : line->phase;
    bool is_phase = !line->way && line->phase;
    for (int i = 0; i < kind->class_count; i++) {
        const mg_report_class *class = &kind->classes[i];
        if (class->is_phase == is_phase && (name ? class->name && same_name(class->name, name) : !class->name))
            return i;
    }
    if (kind->class_count == MG_REPORT_CLASSES) return MG_REPORT_CLASSES - 1;
    mg_report_class *class = &kind->classes[kind->class_count];
    *class = (mg_report_class){.is_phase = is_phase, .paint = paint_of(kind, name)};
    if (kind->class_count == MG_REPORT_CLASSES - 1) name = others;
    if (name && !(class->name = mg_report_copy_name(ctx, name))) return -2;
    return kind->class_count++;
}

/* ---- repetitions ------------------------------------------------------------------------------------------------ */

static bool is_proper(const mg_report_line *line) { return line->step >= 0 || line->frontier >= 0; }

static bool begins_anew(const mg_report_trace *trace, const mg_report_kind *kind, const mg_report_line *line,
                        int phase) {
    bool after_another = trace->last_kind < 0 || kind != &trace->kinds[trace->last_kind];
    if (is_proper(line)) {
        if (!kind->proper || line->strategy) return true; /* only the first step of a search names one */
        if (line->step < 0) return after_another;
        return line->step < kind->last_number ||
               (line->step == 0 && kind->last_number == 0 && phase == kind->first_phase);
    }
    if (kind->proper) return false;
    return kind->times == 0 || after_another || (phase == kind->first_phase && phase != kind->last_phase);
}

static void note_repetition(mg_report_kind *kind, const mg_report_line *line, int phase, bool begins) {
    if (is_proper(line) && !kind->proper) kind->times = 0; /* what came before prepared */
    kind->proper |= is_proper(line);
    if (!kind->proper && phase >= 0) kind->preparing |= (uint64_t)1 << phase;
    if (begins) {
        kind->times++;
        kind->last_number = -1;
        kind->first_phase = phase;
    }
    kind->last_phase = phase;
    if (line->step >= 0) kind->last_number = line->step;
    kind->stepped |= line->frontier >= 0 || (line->step >= 0 && phase < 0);
    if (line->threads >= 0) {
        if (kind->least_threads < 0 || line->threads < kind->least_threads) kind->least_threads = line->threads;
        if (line->threads > kind->most_threads) kind->most_threads = line->threads;
    }
}

static bool is_outside(const mg_report_kind *kind, const mg_report_line *line, int phase) {
    if (is_proper(line)) return false;
    return !kind->proper || (phase >= 0 && (kind->preparing >> phase & 1));
}

/* ---- taking lines in -------------------------------------------------------------------------------------------- */

static bool keep(mg_report_trace *trace, const mg_report_step *step) {
    if (trace->step_count == MG_REPORT_KEPT) return true;
    if (trace->step_count == trace->step_room) {
        size_t room = trace->step_room ? trace->step_room * 2 : 256;
        mg_report_step *larger = mg_resize(trace->ctx, trace->steps, room * sizeof *larger, "steps of a trace");
        if (!larger) return false;
        trace->steps = larger;
        trace->step_room = room;
    }
    trace->steps[trace->step_count++] = *step;
    return true;
}

void mg_report_next_trace(mg_report_trace *trace) {
    trace->shift = trace->last_at > 0 ? trace->last_at : 0;
    trace->last_kind = -1;
    for (int k = 0; k < trace->kind_count; k++) trace->kinds[k].last_number = INT64_MAX;
}

/* The strategy of a search is that of its first step; false: no memory. */
static bool note_setting(mg_report_trace *trace, int place, const mg_report_line *line, int phase, bool begins) {
    mg_report_kind *kind = &trace->kinds[place];
    if (begins) kind->setting = mg_report_setting_of(trace, place, line);
    kind->compared |= line->strategy != NULL;
    if (kind->setting >= 0)
        mg_report_setting_add(&trace->settings[kind->setting], line, begins, phase == kind->first_phase);
    return kind->setting != -2;
}

bool mg_report_add(mg_report_trace *trace, const mg_report_line *line) {
    int place = kind_of(trace, line->run);
    int engine = place_of(trace->ctx, trace->engines, &trace->engine_count, MG_REPORT_ENGINES, line->engine);
    int phase = place_of(trace->ctx, trace->phases, &trace->phase_count, MG_REPORT_PHASES, line->phase);
    if (place < 0 || engine == -2 || phase == -2) return false;
    mg_report_kind *kind = &trace->kinds[place];
    int class = class_of(trace->ctx, kind, line);
    if (class < 0) return false;
    bool begins = begins_anew(trace, kind, line, phase);
    note_repetition(kind, line, phase, begins);
    if (!note_setting(trace, place, line, phase, begins)) return false;
    int64_t at = line->at < 0 ? -1 : line->at < INT64_MAX - trace->shift ? line->at + trace->shift : INT64_MAX;
    if (engine >= 0) kind->engines |= 1u << engine;
    mg_report_add_parts(kind, line);
    trace->last_kind = place;
    mg_report_step step = {
        .at = at,
        .step = line->step,
        .frontier = line->frontier,
        .edges = line->edges,
        .us = line->us,
        .bytes = line->bytes,
        .threads = (int32_t)(line->threads < INT32_MAX ? line->threads : INT32_MAX),
        .kind = (int8_t)place,
        .class = (int8_t) class,
        .phase = (int8_t)phase,
        .engine = (int8_t)engine,
        .setting = (int8_t)(begins ? kind->setting : -1),
        .source = line->source,
        .begins = begins,
        .outside = is_outside(kind, line, phase),
    };
    mg_report_sums_add(&trace->sums, &step);
    mg_report_sums_add(&kind->sums, &step);
    mg_report_sums_add(&kind->classes[class].sums, &step);
    if (at >= 0) {
        int64_t start = line->us > 0 ? (line->us < at ? at - line->us : 0) : at;
        if (trace->first_at < 0 || start < trace->first_at) trace->first_at = start;
        if (at > trace->last_at) trace->last_at = at;
    }
    return keep(trace, &step);
}

/* ---- after the last line ---------------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b, void *searches) {
    const mg_report_search *s = searches;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (s[x].us != s[y].us) return s[x].us < s[y].us ? -1 : 1;
    return x < y ? -1 : 1; /* the same order everywhere */
}

static bool find_searches(const mg_report_trace *trace, mg_report_kind *kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < kind->order_count; i++) {
        const mg_report_step *step = &trace->steps[kind->order[i]];
        count += step->begins && !step->outside;
    }
    kind->searches = mg_alloc_array_zero(trace->ctx, count, sizeof *kind->searches, "searches of a trace");
    kind->by_time = mg_alloc_array_zero(trace->ctx, count, sizeof *kind->by_time, "searches of a trace");
    if (!kind->searches || !kind->by_time) return false;
    bool inside = false;
    for (uint32_t i = 0; i < kind->order_count; i++) {
        const mg_report_step *step = &trace->steps[kind->order[i]];
        if (step->begins && !step->outside)
            kind->searches[kind->search_count++] =
                (mg_report_search){.first = i, .setting = step->setting, .source = step->source};
        inside = !step->outside && (step->begins || inside); /* the steps of a search lie together */
        if (!inside) continue;
        mg_report_search *search = &kind->searches[kind->search_count - 1];
        search->count++;
        add(&search->us, step->us);
        add(&search->edges, step->edges);
        mg_report_sums_add(&kind->search_sums, step);
        kind->classes[step->class].in_searches = true;
    }
    for (uint32_t i = 0; i < count; i++) kind->by_time[i] = i;
    qsort_r(kind->by_time, count, sizeof *kind->by_time, compare_times, kind->searches);
    return true;
}

double mg_report_quantile(const mg_report_kind *kind, double share) {
    double place = share * (kind->search_count - 1);
    uint32_t below = (uint32_t)place, above = below + (below + 1 < kind->search_count);
    double low = (double)kind->searches[kind->by_time[below]].us,
           high = (double)kind->searches[kind->by_time[above]].us;
    return low + (high - low) * (place - below);
}

bool mg_report_finish(mg_report_trace *trace) {
    for (int k = 0; k < trace->kind_count; k++) {
        mg_report_kind *kind = &trace->kinds[k];
        uint64_t most = kind->sums.steps < MG_REPORT_KEPT ? kind->sums.steps : MG_REPORT_KEPT;
        kind->order = mg_alloc_array(trace->ctx, most, sizeof *kind->order, "steps of a trace");
        if (!kind->order) return false;
    }
    for (size_t i = 0; i < trace->step_count; i++) {
        mg_report_kind *kind = &trace->kinds[trace->steps[i].kind];
        kind->order[kind->order_count++] = (uint32_t)i;
    }
    for (int k = 0; k < trace->kind_count; k++)
        if (trace->kinds[k].stepped && !find_searches(trace, &trace->kinds[k])) return false;
    return true;
}

void mg_report_free(mg_report_trace *trace) {
    for (int k = 0; k < trace->kind_count; k++) {
        mg_report_kind *kind = &trace->kinds[k];
        for (int c = 0; c < kind->class_count; c++) mg_free(kind->classes[c].name);
        mg_free(kind->name);
        mg_free(kind->order);
        mg_free(kind->searches);
        mg_free(kind->by_time);
    }
    for (int i = 0; i < trace->setting_count; i++) mg_free(trace->settings[i].strategy);
    mg_free(trace->settings);
    for (int i = 0; i < trace->engine_count; i++) mg_free(trace->engines[i]);
    for (int i = 0; i < trace->phase_count; i++) mg_free(trace->phases[i]);
    for (size_t i = 0; i < trace->file_count; i++) mg_free(trace->files[i]);
    mg_free(trace->files);
    mg_free(trace->steps);
    mg_report_map_free(&trace->map);
    *trace = (mg_report_trace){0};
}
