/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When samples are due: a few soon after the start, for commands that are short; then one per interval, at fixed
 * moments that do not drift; and the interval doubles with each 20,000 samples, so that a day fits into a few
 * megabytes.
 *
 *     struct pr_schedule schedule = pr_schedule_start(now_ns, 500000000);
 *     for (;;) {
 *         sleep_until(schedule.due_ns);
 *         take_sample();
 *         pr_schedule_next(&schedule, now_ns);
 *     }
 *
 * The caller has the clock: one that goes on while the machine is suspended, or a simulated one.
 */
#ifndef PR_CLI_RECORD_RECORD_SCHEDULE_H
#define PR_CLI_RECORD_RECORD_SCHEDULE_H

#include "capture/base/time.h"
#include <stdint.h>

enum { PR_SCHEDULE_DOUBLE_AFTER = 20000 };

struct pr_schedule {
    int64_t start_ns;
    int64_t interval_ns;
    int64_t due_ns;
    int64_t soon_ns;          /* the distance of the next early sample; over the interval: no more of them */
    uint32_t since_doubling;  /* samples */
};

/* The first sample is due at once, at NOW_NS. */
struct pr_schedule pr_schedule_start(int64_t now_ns, int64_t interval_ns);

/* A sample was taken at NOW_NS: moves on to the next moment ahead. What was slept through is not made up for. */
void pr_schedule_next(struct pr_schedule *schedule, int64_t now_ns);

#endif
