/* Text of the page: what comes from the trace is escaped, numbers are made to be read. Between a number and its unit
 * stands a space that does not break. */
#include "report/page.h"

#include <math.h>
#include <string.h>

#define LONGEST_SHOWN 48 /* characters of a name */

void mg_report_put(mg_sink *page, const char *text) {
    size_t left = strlen(text), bytes;
    for (int shown = 0; left; text += bytes, left -= bytes, shown++) {
        char escaped[MG_ESCAPED];
        size_t more = mg_escape_character(escaped, &bytes, text, left);
        if (shown == LONGEST_SHOWN) {
            mg_sink_put(page, "…");
            return;
        }
        switch (*text) {
        case '&': mg_sink_put(page, "&amp;"); break;
        case '<': mg_sink_put(page, "&lt;"); break;
        case '>': mg_sink_put(page, "&gt;"); break;
        case '"': mg_sink_put(page, "&quot;"); break;
        case '\'': mg_sink_put(page, "&#39;"); break;
        default: mg_sink_add(page, escaped, more);
        }
    }
}

/* Three digits that count, then the unit. */
static const char *three_digits(char buffer[MG_REPORT_TEXT], double value, const char *unit) {
    snprintf(buffer, MG_REPORT_TEXT,
             value < 9.995   ? "%.2f" MG_REPORT_NBSP "%s"
             : value < 99.95 ? "%.1f" MG_REPORT_NBSP "%s"
                             : "%.0f" MG_REPORT_NBSP "%s",
             value, unit);
    return buffer;
}

const char *mg_report_time(char buffer[MG_REPORT_TEXT], double us) {
    if (us < 999.5) snprintf(buffer, MG_REPORT_TEXT, "%.0f" MG_REPORT_NBSP "µs", us);
    else if (us < 999.5e3) three_digits(buffer, us / 1e3, "ms");
    else if (us < 600e6) three_digits(buffer, us / 1e6, "s");
    else {
        double seconds = floor(us / 1e6), minutes = floor(seconds / 60);
        if (minutes < 600)
            snprintf(buffer, MG_REPORT_TEXT, "%.0f" MG_REPORT_NBSP "min" MG_REPORT_NBSP "%02.0f" MG_REPORT_NBSP "s",
                     minutes, seconds - 60 * minutes);
        else snprintf(buffer, MG_REPORT_TEXT, "%.0f" MG_REPORT_NBSP "h", minutes / 60);
    }
    return buffer;
}

const char *mg_report_si(char buffer[MG_REPORT_TEXT], double number) {
    static const char *const units[] = {"k", "M", "G", "T", "P", "E"};
    int unit = -1;
    for (; number >= 999.5 && unit < 5; unit++) number /= 1000;
    if (unit < 0) {
        snprintf(buffer, MG_REPORT_TEXT, number == floor(number) || number >= 99.5 ? "%.0f" : "%.1f", number);
        return buffer;
    }
    return three_digits(buffer, number, units[unit]);
}

const char *mg_report_bytes(char buffer[MG_REPORT_TEXT], double bytes) {
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = -1;
    for (; bytes >= 999.5 && unit < 5; unit++) bytes /= 1000;
    if (unit >= 0) return three_digits(buffer, bytes, units[unit]);
    snprintf(buffer, MG_REPORT_TEXT, "%.0f" MG_REPORT_NBSP "B", bytes);
    return buffer;
}

const char *mg_report_percent(char buffer[MG_REPORT_TEXT], double part, double whole) {
    double percent = whole > 0 ? 100 * part / whole : 0;
    if (percent > 0 && percent < 0.05) {
        snprintf(buffer, MG_REPORT_TEXT, "&lt;" MG_REPORT_NBSP "0.1" MG_REPORT_NBSP "%%");
        return buffer;
    }
    snprintf(buffer, MG_REPORT_TEXT,
             percent > 0 && percent < 9.95 ? "%.1f" MG_REPORT_NBSP "%%" : "%.0f" MG_REPORT_NBSP "%%", percent);
    return buffer;
}

const char *mg_report_rate(char buffer[MG_REPORT_TEXT], uint64_t amount, uint64_t us, mg_report_unit unit) {
    double rate = (double)amount / ((double)us * 1e-6);
    if (us == 0) snprintf(buffer, MG_REPORT_TEXT, "–");
    else {
        (unit == MG_REPORT_SIZE ? mg_report_bytes : mg_report_si)(buffer, rate);
        size_t length = strlen(buffer);
        snprintf(buffer + length, MG_REPORT_TEXT - length, "/s");
    }
    return buffer;
}

const char *mg_report_value(char buffer[MG_REPORT_TEXT], mg_report_unit unit, double value) {
    if (unit == MG_REPORT_PERCENT) return mg_report_percent(buffer, value, 100);
    return (unit == MG_REPORT_TIME   ? mg_report_time
            : unit == MG_REPORT_SIZE ? mg_report_bytes
                                     : mg_report_si)(buffer, value);
}

const char *mg_report_class_word(const mg_report_kind *kind) {
    bool phases = false;
    for (int c = 0; c < kind->class_count; c++) {
        if (kind->classes[c].name && !kind->classes[c].is_phase) return "Way";
        phases |= kind->classes[c].is_phase;
    }
    return phases ? "Phase" : "Way";
}

const char *mg_report_class_name(const mg_report_class *class) { return class->name ? class->name : "no way named"; }

void mg_report_put_threads(mg_sink *page, const mg_report_kind *kind) {
    char buffer[MG_REPORT_TEXT];
    if (kind->least_threads < 0) {
        mg_sink_put(page, "–");
        return;
    }
    mg_sink_put(page, mg_thousands(buffer, (uint64_t)kind->least_threads));
    if (kind->most_threads > kind->least_threads)
        mg_sink_format(page, " to %s", mg_thousands(buffer, (uint64_t)kind->most_threads));
}

void mg_report_put_engines(mg_sink *page, const mg_report_trace *trace, uint32_t engines) {
    const char *join = "";
    for (int i = 0; i < trace->engine_count; i++)
        if (engines & 1u << i) {
            mg_sink_put(page, join);
            mg_report_put(page, trace->engines[i]);
            join = ", ";
        }
    if (!*join) mg_sink_put(page, "–");
}

/* ---- names of kinds --------------------------------------------------------------------------------------------- */

/* Better titles for some; all others are called as the trace calls them. */
static const struct {
    const char *name, *title, *one, *many;
} titles[] = {
    {"bfs", "Breadth-first search", "search", "searches"},
    {"sssp", "Shortest paths", "search", "searches"},
    {"path", "Paths", "search", "searches"},
    {"pagerank", "PageRank", "run", "runs"},
    {"betweenness", "Betweenness", "run", "runs"},
    {"communities", "Communities", "run", "runs"},
};

const char *mg_report_kind_title(const mg_report_kind *kind) {
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(kind->name, titles[i].name) == 0) return titles[i].title;
    return kind->name;
}

void mg_report_put_file(mg_sink *page, const mg_report_kind *kind) {
    if (!kind->file) return;
    mg_sink_put(page, " · ");
    mg_report_put(page, kind->file);
}

void mg_report_put_kind(mg_sink *page, const mg_report_kind *kind) {
    mg_report_put(page, kind->name);
    mg_report_put_file(page, kind);
}

const char *mg_report_kind_noun(const mg_report_kind *kind, uint64_t count) {
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(kind->name, titles[i].name) == 0) return count == 1 ? titles[i].one : titles[i].many;
    return count == 1 ? "run" : "runs";
}
