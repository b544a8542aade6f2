/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value over a history of runs: which of them are its present level, and whether that level rose for good.
 *
 *     struct pr_trend trend;
 *     if (!pr_trend_make(values, order, count, &trend)) return no_memory();
 *     for (size_t i = trend.from; i < count; i++) compare_with(order[i]);
 *     pr_trend_clear(&trend);
 *
 * Runs before the last change of the level say nothing of what is usual now. A level that rose is reported by the first
 * run with which the change can be seen, and by no other; a rise in small steps counts as one.
 */
#ifndef PR_CLI_CHECK_TREND_H
#define PR_CLI_CHECK_TREND_H

#include "capture/base/change_points.h"
#include "profrender/buf.h"

struct pr_trend {
    int64_t *value;          /* [count + 1] oldest first, then the input's; owned */
    const uint32_t *run;     /* [count] whose they are: numbers of baselines; borrowed */
    size_t count;            /* runs of the history */
    size_t from;             /* the first run of the present level */
    struct pr_change_points points;
    bool rose;               /* the last of them is a rise that cannot be seen without the input */
};

/*
 * VALUES are by profile: [0] the input's, then those of baselines; ORDER, [COUNT], are numbers of baselines, oldest
 * first. False: no memory. Owner: pr_trend_clear, also after an error.
 */
bool pr_trend_make(const int64_t *values, const uint32_t *order, size_t count, struct pr_trend *trend);
void pr_trend_clear(struct pr_trend *trend);

/* A rise to the present level, in one step or several. */
struct pr_rise {
    size_t from, index;   /* the runs of the level before, and the first one after; INDEX may be COUNT, the input */
    size_t steps;
    double before, after; /* the levels, as means */
};

/* The rise that ends at the last change; steps that are each within ROOM, a share, count as one with those before. */
struct pr_rise pr_trend_rise(const struct pr_trend *trend, double room);

/* The last values as bars of eighths, the input's last: "▁▁▁▁▅▅▅". Returns how many that are. */
size_t pr_trend_sparkline(struct pr_buf *buf, const struct pr_trend *trend);

#endif
