/* Text of the page: what comes from the trace is escaped, numbers are made to be read. Between a number and its unit
 * stands a space that does not break. */
#include "report/report.h"

#include <math.h>
#include <string.h>

#define LONGEST_SHOWN 48 /* characters of a name */

void report_put(FILE *page, const char *text) {
    int shown = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if ((*s & 0xC0) != 0x80 && shown++ == LONGEST_SHOWN) {
            fputs("…", page);
            return;
        }
        if (s[0] == 0xEF && s[1] == 0xBF && s[2] >= 0xBE) { /* U+FFFE and U+FFFF, which XML does not have */
            fputc('?', page);
            s += 2;
            continue;
        }
        switch (*s) {
        case '&': fputs("&amp;", page); break;
        case '<': fputs("&lt;", page); break;
        case '>': fputs("&gt;", page); break;
        case '"': fputs("&quot;", page); break;
        case '\'': fputs("&#39;", page); break;
        default: fputc(*s < 0x20 || *s == 0x7F ? '?' : *s, page);
        }
    }
}

/* Three digits that count, then the unit. */
static const char *three_digits(char buffer[REPORT_TEXT], double value, const char *unit) {
    snprintf(buffer, REPORT_TEXT,
             value < 9.995   ? "%.2f" REPORT_NBSP "%s"
             : value < 99.95 ? "%.1f" REPORT_NBSP "%s"
                             : "%.0f" REPORT_NBSP "%s",
             value, unit);
    return buffer;
}

const char *report_time(char buffer[REPORT_TEXT], double us) {
    if (us < 999.5) snprintf(buffer, REPORT_TEXT, "%.0f" REPORT_NBSP "µs", us);
    else if (us < 999.5e3) three_digits(buffer, us / 1e3, "ms");
    else if (us < 600e6) three_digits(buffer, us / 1e6, "s");
    else {
        double seconds = floor(us / 1e6), minutes = floor(seconds / 60);
        if (minutes < 600)
            snprintf(buffer, REPORT_TEXT, "%.0f" REPORT_NBSP "min" REPORT_NBSP "%02.0f" REPORT_NBSP "s", minutes,
                     seconds - 60 * minutes);
        else snprintf(buffer, REPORT_TEXT, "%.0f" REPORT_NBSP "h", minutes / 60);
    }
    return buffer;
}

const char *report_count(char buffer[REPORT_TEXT], uint64_t count) { return cli_thousands(buffer, count); }

const char *report_si(char buffer[REPORT_TEXT], double number) {
    static const char *const units[] = {"k", "M", "G", "T", "P", "E"};
    int unit = -1;
    for (; number >= 999.5 && unit < 5; unit++) number /= 1000;
    if (unit < 0) {
        snprintf(buffer, REPORT_TEXT, number == floor(number) || number >= 99.5 ? "%.0f" : "%.1f", number);
        return buffer;
    }
    return three_digits(buffer, number, units[unit]);
}

const char *report_bytes(char buffer[REPORT_TEXT], double bytes) {
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = -1;
    for (; bytes >= 999.5 && unit < 5; unit++) bytes /= 1000;
    if (unit >= 0) return three_digits(buffer, bytes, units[unit]);
    snprintf(buffer, REPORT_TEXT, "%.0f" REPORT_NBSP "B", bytes);
    return buffer;
}

const char *report_percent(char buffer[REPORT_TEXT], double part, double whole) {
    double percent = whole > 0 ? 100 * part / whole : 0;
    if (percent > 0 && percent < 0.05) {
        snprintf(buffer, REPORT_TEXT, "&lt;" REPORT_NBSP "0.1" REPORT_NBSP "%%");
        return buffer;
    }
    snprintf(buffer, REPORT_TEXT, percent > 0 && percent < 9.95 ? "%.1f" REPORT_NBSP "%%" : "%.0f" REPORT_NBSP "%%",
             percent);
    return buffer;
}

const char *report_rate(char buffer[REPORT_TEXT], uint64_t amount, uint64_t us, report_unit unit) {
    double rate = (double)amount / ((double)us * 1e-6);
    if (us == 0) snprintf(buffer, REPORT_TEXT, "–");
    else {
        (unit == REPORT_SIZE ? report_bytes : report_si)(buffer, rate);
        size_t length = strlen(buffer);
        snprintf(buffer + length, REPORT_TEXT - length, "/s");
    }
    return buffer;
}

const char *report_value(char buffer[REPORT_TEXT], report_unit unit, double value) {
    return (unit == REPORT_TIME ? report_time : unit == REPORT_SIZE ? report_bytes : report_si)(buffer, value);
}

const char *report_class_word(const report_kind *kind) {
    bool phases = false;
    for (int c = 0; c < kind->class_count; c++) {
        if (kind->classes[c].name && !kind->classes[c].is_phase) return "Way";
        phases |= kind->classes[c].is_phase;
    }
    return phases ? "Phase" : "Way";
}

const char *report_class_name(const report_class *class) { return class->name ? class->name : "no way named"; }

void report_put_threads(FILE *page, const report_kind *kind) {
    char buffer[REPORT_TEXT];
    if (kind->least_threads < 0) {
        fputs("–", page);
        return;
    }
    fputs(report_count(buffer, (uint64_t)kind->least_threads), page);
    if (kind->most_threads > kind->least_threads)
        fprintf(page, " to %s", report_count(buffer, (uint64_t)kind->most_threads));
}

void report_put_engines(FILE *page, const report_trace *trace, uint32_t engines) {
    const char *join = "";
    for (int i = 0; i < trace->engine_count; i++)
        if (engines & 1u << i) {
            fputs(join, page);
            report_put(page, trace->engines[i]);
            join = ", ";
        }
    if (!*join) fputs("–", page);
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

const char *report_kind_title(const report_kind *kind) {
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(kind->name, titles[i].name) == 0) return titles[i].title;
    return kind->name;
}

const char *report_kind_noun(const report_kind *kind, uint64_t count) {
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcmp(kind->name, titles[i].name) == 0) return count == 1 ? titles[i].one : titles[i].many;
    return count == 1 ? "run" : "runs";
}
