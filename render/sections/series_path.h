/* SPDX-License-Identifier: Apache-2.0 */
/* A series as the few points that a static picture can show: the highest value of each column, so no peak is lost. */
#ifndef PR_RENDER_SECTIONS_SERIES_PATH_H
#define PR_RENDER_SECTIONS_SERIES_PATH_H

#include "profrender/buf.h"
#include "profrender/profile.h"

enum { PR_CURVE_MAX = 240 };

struct pr_curve {
    uint32_t columns;            /* at most PR_CURVE_MAX, evenly over the time given */
    int64_t value[PR_CURVE_MAX]; /* highest in the column; columns without a point repeat the one before */
    uint32_t first, last;        /* columns that have a point, the first and the last one */
    bool known;                  /* false: the series has no point in the time given; the rest is then 0 */
    int64_t peak, peak_at_ms;    /* of the whole series, earliest of equals */
};

/* The points from START_MS to END_MS in COLUMNS columns. */
void pr_curve_make(const struct pr_series *series, int64_t start_ms, int64_t end_ms, uint32_t columns,
                   struct pr_curve *curve);

/*
 * An area and a line as SVG paths in a box of WIDTH x HEIGHT whose top is the value TOP. Classes `a` and `l`; colours
 * are attributes too, for pages without styles.
 */
void pr_curve_emit(const struct pr_curve *curve, int64_t top, uint32_t width, uint32_t height, struct pr_buf *out);

#endif
