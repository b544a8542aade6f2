/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/bounds.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>

enum { MIN_FOR_SPREAD = 3, MIN_FOR_RANGE = 2 };

static const double spreads = 3, deviation_of_median = 1.4826;
static const double least_by_chance = 0.25; /* with enough baselines: of a value that may double; of others less */

struct pr_tolerance pr_tolerance_of_bytes(double by_chance)
{
    return (struct pr_tolerance){0.03, 100 * 1024, by_chance};
}

struct pr_tolerance pr_tolerance_of_times(double by_chance)
{
    return (struct pr_tolerance){0.1, 100000000, by_chance};
}

const char *pr_answer_word(enum pr_answer answer)
{
    static const char *const words[] = {
        [PR_KEPT] = "kept", [PR_BROKEN] = "broken", [PR_CANNOT_TELL] = "cannot tell"};
    return words[answer];
}

/* Of sorted values. */
static int64_t middle(const int64_t *values, size_t count)
{
    const int64_t low = values[(count - 1) / 2], high = values[count / 2];
    return low + pr_subtract_saturated(high, low) / 2;
}

bool pr_baseline_values_make(int64_t *values, size_t count, struct pr_baseline_values *history)
{
    *history = (struct pr_baseline_values){.count = count};
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[history->highest_at])
            history->highest_at = i;
    if (!pr_sort(values, count, sizeof *values, pr_compare_numbers, NULL))
        return false;
    if (!count)
        return true;
    history->median = middle(values, count);
    history->lowest = values[0];
    history->highest = values[count - 1];
    if (count < MIN_FOR_SPREAD)
        return true;
    for (size_t i = 0; i < count; i++) {
        const int64_t away = pr_subtract_saturated(values[i], history->median);
        values[i] = away < 0 ? pr_subtract_saturated(0, away) : away;
    }
    if (!pr_sort(values, count, sizeof *values, pr_compare_numbers, NULL))
        return false;
    history->spread = (int64_t)(deviation_of_median * (double)middle(values, count));
    return true;
}

static int64_t share_of(int64_t value, double share)
{
    const double part = share * (double)value;
    return part < 0x1p62 ? (int64_t)part : INT64_MAX;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t room_of(const struct pr_tolerance *tolerance, int64_t value)
{
    return larger(share_of(value, tolerance->relative), tolerance->absolute);
}

/* How far above the highest baseline chance alone may take a value. */
static int64_t room_for_chance(const struct pr_baseline_values *history, const struct pr_tolerance *tolerance,
                               int64_t range)
{
    if (history->count < PR_ENOUGH_BASELINES)
        return larger(share_of(history->highest, tolerance->by_chance), tolerance->absolute);
    const double least = least_by_chance * (tolerance->by_chance < 1 ? tolerance->by_chance : 1);
    return larger(pr_add_saturated(range, range), share_of(history->highest, least));
}

struct pr_bounds pr_bounds_of(const struct pr_baseline_values *history, const struct pr_tolerance *tolerance)
{
    const int64_t median = history->median, highest = history->highest;
    const int64_t range = pr_subtract_saturated(highest, history->lowest), room = room_of(tolerance, median);
    struct pr_bounds bounds = {.is_wide = history->count >= MIN_FOR_RANGE && range > pr_add_saturated(room, room)};
    bounds.usual = larger(pr_add_saturated(median, larger(room, share_of(history->spread, spreads))),
                          pr_add_saturated(highest, room_of(tolerance, highest)));
    bounds.alarm = bounds.is_wide ? larger(bounds.usual, pr_add_saturated(highest, range)) : bounds.usual;
    if (tolerance->by_chance > 0)
        bounds.alarm = larger(bounds.alarm, pr_add_saturated(highest, room_for_chance(history, tolerance, range)));
    return bounds;
}

enum pr_answer pr_bounds_answer(const struct pr_bounds *bounds, const struct pr_baseline_values *history, int64_t value,
                                enum pr_doubt *doubt)
{
    *doubt = PR_NO_DOUBT;
    if (value > bounds->alarm)
        return PR_BROKEN;
    if (bounds->is_wide && value > history->lowest)
        *doubt = PR_DOUBT_SPREAD;
    else if (value > bounds->usual)
        *doubt = PR_DOUBT_CHANCE;
    return *doubt ? PR_CANNOT_TELL : PR_KEPT;
}
