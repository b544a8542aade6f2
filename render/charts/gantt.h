/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Gantt chart: bars from a start to a finish in lanes with names. Styles are in assets/src/css/gantt.css. Each lane
 * says in words what is in it, and each bar on hover; whoever draws it has the same in a table.
 */
#ifndef PR_RENDER_CHARTS_GANTT_H
#define PR_RENDER_CHARTS_GANTT_H

#include "render/charts/chart_scale.h"

/* Of bars, those that are drawn. */
enum { PR_GANTT_LANES = 400, PR_GANTT_BARS = 5000 };

struct pr_gantt_bar {
    struct pr_text name;  /* of its lane */
    uint32_t lane;        /* bars in one do not overlap: capture/base/span_lanes.h */
    double start, finish; /* values of the scale's column; NaN: open at that end */
    const char *style;    /* a class */
    const char *mark;     /* a sign on it, for who sees no colours, or NULL */
    const char *address;  /* of a page, or NULL */
};

/* Bars are asked for by their place, in the order of lanes, and of their start in each. */
struct pr_gantt {
    struct pr_chart_scale scale;
    size_t count;
    const void *context;
    struct pr_gantt_bar (*bar)(const void *context, size_t at);
    void (*words)(const void *context, size_t at, struct pr_buf *out); /* what is to be known of it after its name */
};

struct pr_gantt_drawn {
    uint32_t lanes;
    size_t bars;
};

/* An axis, and a lane after another; what was drawn. */
struct pr_gantt_drawn pr_gantt_draw(const struct pr_gantt *gantt, struct pr_buf *out);

/* The beginning of an item of a list of class `legend`: the colour of STYLE. */
void pr_gantt_key(const char *style, struct pr_buf *out);

/* From when to when and how long, as far as it is known, of values of START's and FINISH's columns. */
void pr_gantt_span_words(struct pr_buf *out, const struct pr_data_column *start_column, double start,
                         const struct pr_data_column *finish_column, double finish);

#endif
