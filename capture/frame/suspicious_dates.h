/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Days that programs write where they know none, such as 1970-01-01. Such a day may well be meant: in a list of years,
 * or of the days of 1970. So it is suspicious only where it does not fit its neighbours: the next other day is ten
 * times as far as days usually are from one another, and more than a year; or it is there ten times as often as other
 * days are, and twice as often as any of them.
 */
#ifndef PR_CAPTURE_FRAME_SUSPICIOUS_DATES_H
#define PR_CAPTURE_FRAME_SUSPICIOUS_DATES_H

#include "capture/frame/cell_value.h"
#include "capture/frame/quantile_sketch.h"

enum { PR_SUSPICIOUS_DAYS = 5 };

#define PR_LAST_DAY 2932896.0 /* 9999-12-31, in days since 1970 */

/* None of these days, as nearly all are: it is after 1970-01-01 and before 9999-12-31. */
static inline bool pr_is_usual_day(double us)
{
    return us >= (double)PR_US_PER_DAY && us < PR_LAST_DAY * (double)PR_US_PER_DAY;
}

/* Which of these days US is in; -1: none. */
int pr_suspicious_day(double us);

/*
 * COUNTS: how many values are on each of these days. VALUES: COUNT of the column, sorted, each as often as its weight
 * says. FOUND: how many are suspicious. False: no memory.
 */
bool pr_suspicious_dates(const uint64_t counts[PR_SUSPICIOUS_DAYS], const struct pr_weighted *values, size_t count,
                         uint64_t *found);

#endif
