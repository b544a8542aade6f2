/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_schedule.h"

/* The first early sample comes 20 ms after the start, each later one after twice the time. */
enum { FIRST_SOON_NS = 20 * PR_NS_PER_MS };

struct pr_schedule pr_schedule_start(int64_t now_ns, int64_t interval_ns)
{
    return (struct pr_schedule){
        .start_ns = now_ns, .interval_ns = interval_ns, .due_ns = now_ns, .soon_ns = FIRST_SOON_NS};
}

void pr_schedule_next(struct pr_schedule *schedule, int64_t now_ns)
{
    const int64_t since_ns = now_ns - schedule->start_ns;
    if (++schedule->since_doubling == PR_SCHEDULE_DOUBLE_AFTER) {
        schedule->since_doubling = 0;
        schedule->interval_ns *= 2;
    }
    while (schedule->soon_ns < schedule->interval_ns && schedule->soon_ns <= since_ns)
        schedule->soon_ns *= 2;
    if (schedule->soon_ns < schedule->interval_ns)
        schedule->due_ns = schedule->start_ns + schedule->soon_ns;
    else
        schedule->due_ns = schedule->start_ns + (since_ns / schedule->interval_ns + 1) * schedule->interval_ns;
}
