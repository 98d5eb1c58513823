/* Strategies beside each other: what the files of these figures share. */
#ifndef MG_REPORT_STRATEGY_H
#define MG_REPORT_STRATEGY_H

#include "report/page.h"

#define MG_STRATEGY_HEAD   46 /* pixels: above a panel, for its title */
#define MG_STRATEGY_PANEL  170
#define MG_STRATEGY_FOOT   24
#define MG_STRATEGY_CURVES 8 /* of one plot at most */

/* One size of graphs: the settings that were used there. */
typedef struct mg_strategy_group {
    mg_sink *page;
    const mg_report_trace *trace;
    const mg_report_kind *kind;
    int64_t vertices;
    int place; /* among the sizes */
    const mg_report_setting *settings[MG_REPORT_SETTINGS];
    int count;
} mg_strategy_group;

bool mg_strategy_is_of(const mg_strategy_group *g, const mg_report_setting *s);
void mg_strategy_open(const mg_strategy_group *g, const char *what, const char *class, double height, const char *title,
                      const char *text);
/* The name below the left end of an axis. */
void mg_strategy_put_axis_name(mg_sink *page, double y, const char *name);
/* A curve, and its shape here and there, so that nobody depends on the colour; the curves of a plot, which are
 * numbered, have theirs at different places. x in thousandths of the width; where y is negative there is no point. */
void mg_strategy_put_curve(mg_sink *page, const mg_report_axis *axis, int paint, const double *x, const double *y,
                           uint32_t count, uint32_t number);

/* strategy_phases.c: figures 4 and 6 of paper P3. */
void mg_strategy_put_changed(const mg_strategy_group *g);
void mg_strategy_put_phase_times(const mg_strategy_group *g);

#endif
