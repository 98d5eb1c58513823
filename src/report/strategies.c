/* Strategies beside each other: the first step of a search may say how the search goes about it (docs/trace.md), and
 * what searches of one setting took is added up here, line by line, so that a thousand sources need no more room than
 * one. */
#include "report/page.h"

#include <math.h>
#include <string.h>

static bool same(const mg_report_setting *s, int kind, const mg_report_line *line, bool given, bool measured) {
    if (s->kind != kind || s->vertices != line->vertices || s->given != given || s->measured != measured) return false;
    if (given && (s->above != line->above || s->below != line->below)) return false; /* measured ones vary */
    return strcmp(s->strategy, line->strategy) == 0;
}

/* Every strategy of a kind has one colour and shape. */
static int paint_of(const mg_report_trace *trace, int kind, const char *strategy) {
    int next = 0;
    for (int i = 0; i < trace->setting_count; i++) {
        const mg_report_setting *s = &trace->settings[i];
        if (s->kind != kind) continue;
        if (strcmp(s->strategy, strategy) == 0) return s->paint;
        if (s->paint >= next) next = s->paint + 1;
    }
    return next < MG_REPORT_PAINTS ? next : MG_REPORT_NO_PAINT;
}

int mg_report_setting_of(mg_report_trace *trace, int kind, const mg_report_line *line) {
    if (!line->strategy) return -1;
    bool measured = line->thresholds && strcmp(line->thresholds, "measured") == 0;
    bool given = line->thresholds && !measured;
    for (int i = 0; i < trace->setting_count; i++)
        if (same(&trace->settings[i], kind, line, given, measured)) return i;
    if (trace->setting_count == MG_REPORT_SETTINGS) {
        trace->unsettled++;
        return -1;
    }
    if (!trace->settings) {
        static const char what[] = "the strategies of a trace";
        trace->settings = mg_alloc_array_zero(trace->ctx, MG_REPORT_SETTINGS, sizeof *trace->settings, what);
        if (!trace->settings) return -2;
    }
    mg_report_setting *s = &trace->settings[trace->setting_count];
    *s = (mg_report_setting){.kind = kind,
                             .paint = paint_of(trace, kind, line->strategy),
                             .vertices = line->vertices,
                             .given = given,
                             .measured = measured,
                             .above = line->above,
                             .below = line->below};
    s->strategy = mg_report_copy_name(trace->ctx, line->strategy);
    return s->strategy ? trace->setting_count++ : -2;
}

/* Powers of ten are where bins begin. */
static int bin_of(int64_t frontier) {
    if (frontier < 1) return 0;
    int bin = 1 + (int)(MG_REPORT_DECADE * log10((double)frontier));
    return bin < MG_REPORT_BINS ? bin : MG_REPORT_BINS;
}

void mg_report_setting_add(mg_report_setting *s, const mg_report_line *line, bool begins, bool phase) {
    if (begins) {
        s->times++;
        s->searches += line->searches > 1 ? (uint64_t)line->searches : 1;
    }
    if (line->us > 0 && __builtin_add_overflow(s->us, (uint64_t)line->us, &s->us)) s->us = UINT64_MAX;
    if (!phase || line->frontier < 0) return;
    s->phases++;
    s->bins[bin_of(line->frontier)]++;
    if ((uint64_t)line->frontier > s->most) s->most = (uint64_t)line->frontier;
}

double mg_report_setting_mean(const mg_report_setting *s) { return (double)s->us / (double)s->searches; }

bool mg_report_is_swept(const mg_report_trace *trace, const mg_report_setting *s) {
    for (int i = 0; i < trace->setting_count && s->given; i++) {
        const mg_report_setting *other = &trace->settings[i];
        if (other != s && other->given && other->kind == s->kind && other->vertices == s->vertices &&
            strcmp(other->strategy, s->strategy) == 0)
            return true;
    }
    return false;
}

uint64_t mg_report_setting_below(const mg_report_setting *s, int decade) {
    uint64_t sum = 0;
    for (int bin = 0; bin <= MG_REPORT_DECADE * decade; bin++) sum += s->bins[bin];
    return sum;
}
