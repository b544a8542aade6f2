/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What grew and what shrank in a difference (profrender/diff.h): by function, a library counted towards the user's own
 * function that called it. The tables, findings and totals of such a card are made from it.
 */
#ifndef PR_RENDER_SECTIONS_GROWTH_H
#define PR_RENDER_SECTIONS_GROWTH_H

#include "profrender/diff.h"
#include "render/page/page.h"

struct pr_growth {
    pr_frame_id frame; /* PR_NO_NODE: without a stack, or the whole */
    int64_t before, after;
};

struct pr_growth_sides {
    const struct pr_metric *before, *after;
    struct pr_growth all;
    struct pr_growth *growth; /* [count] that changed: what grew, largest first, then what shrank, largest first */
    size_t count;
    size_t grown_count;       /* of these: grew */
    size_t moved_count;       /* follow these: what moved from one function to another, largest first */
    int64_t largest;          /* of the changes, without its sign */
    int64_t grown, shrunk;    /* all that grew, and all that shrank, without its sign */
};

/* For each node the nearest of the user's own at or above it; without one, PR_ROOT. Owned: free. NULL: no memory. */
pr_node_id *pr_growth_find_own(const struct pr_page *page);

/*
 * METRIC has a base. OWN comes from pr_growth_find_own. Owner: pr_growth_sides_clear, also after an error. Errors: no
 * memory.
 */
enum pr_status pr_growth_sides_make(const struct pr_page *page, unsigned metric, const pr_node_id *own,
                                    struct pr_growth_sides *sides, struct pr_error *err);
void pr_growth_sides_clear(struct pr_growth_sides *sides);

/* The node at which FRAME is largest, before or after the change; PR_NO_NODE: it has nothing. */
pr_node_id pr_growth_sides_node(const struct pr_page *page, const struct pr_growth_sides *sides, const pr_node_id *own,
                                pr_frame_id frame);

/* Those of what changed that moved: [moved_count]. */
static inline const struct pr_growth *pr_growth_moved(const struct pr_growth_sides *sides)
{
    return &sides->growth[sides->count];
}

/* Where row MOVED went, or where it came from: the other one that changed by about as much; NULL: several did. */
const struct pr_growth *pr_growth_counterpart(const struct pr_growth_sides *sides, const struct pr_growth *moved);

/* The next one by the size of its change, of what grew (from 0 on) and what shrank (from grown_count on), or NULL. */
const struct pr_growth *pr_growth_next(const struct pr_growth_sides *sides, size_t *grown, size_t *shrunk);

/* After minus before, clamped to the range. */
int64_t pr_growth_change(const struct pr_growth *growth);

/* CHANGE without its sign. */
int64_t pr_growth_size(int64_t change);

/* "+14.2 MiB", "-3.00 s", "0 B" */
struct pr_figure pr_growth_figure(const struct pr_metric *metric, int64_t change);

/* "+4.3 %", "new", "gone", "" where nothing changed: relative to before. */
struct pr_figure pr_growth_percent(const struct pr_growth *growth);

/* What is known of both runs of the page's difference, as pr_diff_figures. */
size_t pr_growth_figures(const struct pr_page *page, struct pr_diff_figure figures[PR_DIFF_FIGURES]);

/* The name of a function as code; "the part without a stack". */
void pr_growth_name(const struct pr_page *page, pr_frame_id frame, struct pr_buf *out);

/* The figure and the percentage for a hover. */
void pr_growth_hover(struct pr_buf *out, const struct pr_metric *metric, int64_t change);
void pr_growth_hover_percent(struct pr_buf *out, const struct pr_metric *metric, const struct pr_growth *growth);

#endif
