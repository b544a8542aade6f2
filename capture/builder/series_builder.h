/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time series on their way into a profile: what readers of resource timelines fill.
 *
 *     struct pr_timeline t;
 *     pr_timeline_init(&t, profile);
 *     unsigned rss = pr_timeline_series(&t, "rss", "RSS", PR_UNIT_BYTES);
 *     pr_timeline_add(&t, rss, at_ms, bytes);
 *     return pr_timeline_finish(&t, err);
 *
 * Points may come in any order. A series of very many points is thinned: neighbours become one, which keeps the higher
 * value and its time, so that a day of samples stays small and no peak is lost. Series past PR_MAX_SERIES are left out.
 *
 * Series that several formats have get names of ours, so that all of them are drawn: cpu (cores that were busy), rss,
 * pss, swap, heap, cgroup_memory, threads, processes, disk_read, disk_write, net_recv, net_sent, gpu, gpu_memory, gpu0,
 * gpu0_memory and so on for each device, cpu_wait (the threads of the run), pressure_cpu, pressure_memory, pressure_io
 * (of the whole machine), the same with the prefix cgroup_, throttled.
 */
#ifndef PR_CAPTURE_BUILDER_SERIES_BUILDER_H
#define PR_CAPTURE_BUILDER_SERIES_BUILDER_H

#include "capture/base/decimal.h"
#include "profrender/profile.h"

enum { PR_MAX_SERIES = 256, PR_MAX_POINTS = 1 << 19 };

struct pr_point {
    int64_t at_ms, value;
};

struct pr_timeline_series {
    const char *name, *title; /* in the profile's arena */
    enum pr_unit unit;
    struct pr_point *points;
    size_t count, capacity;
    bool unordered;
};

struct pr_timeline {
    struct pr_profile *profile;
    struct pr_timeline_series *series;
    uint32_t count;
    size_t capacity;
    bool no_memory;
};

/* No series: what it is given goes nowhere. */
#define PR_NO_SERIES UINT32_MAX

void pr_timeline_init(struct pr_timeline *t, struct pr_profile *profile);

/* The series called NAME, made if it is new; both texts are copied. No memory or room: PR_NO_SERIES. */
uint32_t pr_timeline_series(struct pr_timeline *t, const char *name, const char *title, enum pr_unit unit);

void pr_timeline_add(struct pr_timeline *t, uint32_t series, int64_t at_ms, int64_t value);

/* Drops a series that turned out to say nothing new. */
void pr_timeline_drop(struct pr_timeline *t, const char *name);

/*
 * Puts the series that have points into the profile, in the order of lanes, and frees the rest. A start or end of the
 * run that is not known is taken from the points; no_date of PROFILE must be set before.
 *
 * Errors: PR_FAILED: out of memory, now or before.
 */
enum pr_status pr_timeline_finish(struct pr_timeline *t, struct pr_error *err);

/* MIB as bytes; files call these MB. */
int64_t pr_mib_to_bytes(struct pr_decimal mib);

#endif
