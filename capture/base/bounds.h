/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much a value may be, given what it was: kept, broken, or cannot tell.
 *
 * The usual value is the median of the baselines plus a tolerance; with three baselines or more their spread widens it,
 * and it is never below the highest baseline plus its tolerance. A value above that is growth, with two exceptions:
 *
 * - The baselines are further apart than tolerances on both sides: then a value among them proves nothing, and one
 *   above them only if it is more than their whole range higher.
 * - The value is one that chance moves: the peak of threads that overlap, time. With few baselines it is unknown how
 *   far it moves, so there is no telling up to the maximum that chance can do; with enough of them, up to twice their
 *   range above the highest.
 */
#ifndef PR_CAPTURE_BASE_BOUNDS_H
#define PR_CAPTURE_BASE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This many baselines show how far chance moves a value: an unchanged run then exceeds all in one of seven cases. */
enum { PR_ENOUGH_BASELINES = 6 };

/* What the baselines had. SPREAD: median deviation from the median, scaled to a standard deviation; 0 for two. */
struct pr_baseline_values {
    size_t count;
    int64_t median, spread, lowest, highest;
    size_t highest_at; /* which of them was highest */
};

/* VALUES, [COUNT], are reordered. False: no memory. No values: a history of zeros. */
bool pr_baseline_values_make(int64_t *values, size_t count, struct pr_baseline_values *history);

/* A value exceeds both tolerances, or it did not grow. */
struct pr_tolerance {
    double relative;  /* 0.03 */
    int64_t absolute; /* in the unit of the value */
    double by_chance; /* how far chance alone may move it, as a share: 1 is twice as much; 0: it repeats exactly */
};

/*
 * Those that are used unless others are given. Sizes repeat well, times do not. BY_CHANCE as above; for the memory of a
 * process and for times, which differ from run to run, the constants.
 */
struct pr_tolerance pr_tolerance_of_bytes(double by_chance);
struct pr_tolerance pr_tolerance_of_times(double by_chance);

#define PR_RSS_BY_CHANCE 0.5
#define PR_TIME_BY_CHANCE 9.0 /* others use the machine too */

enum pr_answer { PR_KEPT, PR_BROKEN, PR_CANNOT_TELL };

/* "kept", "broken", "cannot tell" */
const char *pr_answer_word(enum pr_answer answer);

/* Why there is no telling. */
enum pr_doubt {
    PR_NO_DOUBT,
    PR_DOUBT_SPREAD, /* the baselines spread too widely */
    PR_DOUBT_CHANCE, /* chance moves the value, and it is not known how far */
    PR_DOUBT_WAITED, /* a time is longer, and the processor worked no longer: the rest is waiting */
    PR_DOUBT_HELD,   /* most of it was not allocated in addition, but freed later */
    PR_DOUBT_FEW_RUNS /* what has to show in each of several runs needs as many */
};

struct pr_bounds {
    int64_t usual; /* up to here nothing grew */
    int64_t alarm; /* beyond this something did; no less than USUAL */
    bool is_wide;  /* the baselines spread too widely */
};

struct pr_bounds pr_bounds_of(const struct pr_baseline_values *history, const struct pr_tolerance *tolerance);

/* DOUBT is set where the answer is PR_CANNOT_TELL. */
enum pr_answer pr_bounds_answer(const struct pr_bounds *bounds, const struct pr_baseline_values *history, int64_t value,
                                enum pr_doubt *doubt);

#endif
