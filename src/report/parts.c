/* Parts of a whole: objects of numbers that lines of a trace have under a few names (docs/trace.md), such as the parts
 * of a superstep's time. They are added up by run, and shown as a table for each. */
#include "report/page.h"

#include <string.h>

static const struct {
    const char *key, *title;
    mg_report_unit unit;
} wholes[MG_REPORT_WHOLES] = {{"split_us", "Parts of the time", MG_REPORT_TIME},
                              {"model_bytes", "Bytes as the model counts them", MG_REPORT_SIZE},
                              {"sent_bytes", "Bytes on the network", MG_REPORT_SIZE}};

const char *mg_report_get_parts(mg_report_line *line, const json_t *object) {
    for (int i = 0; i < MG_REPORT_WHOLES; i++) {
        const char *name;
        json_t *number;
        line->parts[i] = json_object_get(object, wholes[i].key);
        if (!line->parts[i]) continue;
        if (!json_is_object(line->parts[i])) return wholes[i].key;
        json_object_foreach((json_t *)line->parts[i], name, number) {
            if (!json_is_integer(number) || json_integer_value(number) < 0) return wholes[i].key;
        }
    }
    return NULL;
}

/* The part of this name; when there are too many, or it is too long, the last place is that of all others. */
static mg_report_part *part_of(mg_report_part *parts, const char *name) {
    const int last = MG_REPORT_PARTS - 1;
    bool fits = strlen(name) < sizeof parts->name;
    for (int i = 0; i < last && fits; i++) {
        if (!parts[i].name[0]) memcpy(parts[i].name, name, strlen(name) + 1);
        if (strcmp(parts[i].name, name) == 0) return &parts[i];
    }
    memcpy(parts[last].name, "others", sizeof "others");
    return &parts[last];
}

void mg_report_add_parts(mg_report_kind *kind, const mg_report_line *line) {
    for (int i = 0; i < MG_REPORT_WHOLES; i++) {
        const char *name;
        json_t *number;
        json_object_foreach((json_t *)line->parts[i], name, number) {
            mg_report_part *part = part_of(kind->parts[i], name);
            if (__builtin_add_overflow(part->sum, (uint64_t)json_integer_value(number), &part->sum))
                part->sum = UINT64_MAX;
        }
    }
}

void mg_report_put_parts(mg_sink *page, const mg_report_kind *kind) {
    char text[MG_REPORT_TEXT];
    for (int i = 0; i < MG_REPORT_WHOLES; i++) {
        double whole = 0;
        for (int p = 0; p < MG_REPORT_PARTS; p++) whole += (double)kind->parts[i][p].sum;
        if (whole <= 0) continue;
        mg_sink_format(page,
                       "<div class=\"card\"><h3>%s</h3>\n<table class=\"ways\"><thead><tr><th scope=\"col\">Part</th>"
                       "<th scope=\"col\">%s</th><th scope=\"col\">Share</th></tr></thead>\n<tbody>\n",
                       wholes[i].title, wholes[i].unit == MG_REPORT_TIME ? "Time" : "Bytes");
        for (int p = 0; p < MG_REPORT_PARTS; p++) {
            const mg_report_part *part = &kind->parts[i][p];
            if (!part->name[0]) continue;
            mg_sink_put(page, "<tr><th scope=\"row\">");
            mg_report_put(page, part->name);
            mg_sink_put(page, "</th>");
            mg_report_put_cell(page, "amount", mg_report_value(text, wholes[i].unit, (double)part->sum));
            mg_report_put_share(page, "share", (double)part->sum, whole);
            mg_sink_put(page, "</tr>\n");
        }
        mg_sink_put(page, "</tbody></table></div>\n");
    }
}
