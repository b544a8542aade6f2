/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: look-ups in the steps and moves of a profile. */
#include "capture/window.h"

struct pr_window pr_window_all(const struct pr_profile *profile)
{
    return (struct pr_window){0, profile->bin_count ? profile->bin_count - 1 : 0};
}

bool pr_window_of_time(const struct pr_profile *profile, int64_t from_ms, int64_t to_ms, struct pr_window *window)
{
    bool any = false;
    for (uint32_t bin = 0; bin < profile->bin_count; bin++) {
        if (profile->bins[bin].end_ms <= from_ms && bin + 1 < profile->bin_count)
            continue;
        if (profile->bins[bin].start_ms >= to_ms && any)
            break;
        if (!any)
            window->first = bin;
        window->last = bin;
        any = true;
    }
    return any && from_ms <= to_ms;
}

uint32_t pr_window_highest(const struct pr_profile *profile, const struct pr_window *window)
{
    uint32_t highest = window->first;
    for (uint32_t bin = window->first; bin <= window->last; bin++) {
        if (profile->bins[bin].peak_bytes >= profile->bins[highest].peak_bytes)
            highest = bin;
    }
    return highest;
}

void pr_window_peak(const struct pr_profile *profile, const struct pr_window *window, int64_t *value, int64_t *count)
{
    uint32_t bin = pr_window_highest(profile, window);
    for (size_t fact = 0; fact < profile->fact_count; fact++) {
        value[fact] = count[fact] = 0;
        for (size_t i = profile->fact_first_step[fact]; i < profile->fact_first_step[fact + 1]; i++) {
            if (profile->steps[i].bin > bin)
                break;
            value[fact] = profile->steps[i].bytes;
            count[fact] = profile->steps[i].count;
        }
    }
}

void pr_window_leaks(const struct pr_profile *profile, const struct pr_window *window, int64_t *value, int64_t *count)
{
    for (size_t fact = 0; fact < profile->fact_count; fact++) {
        value[fact] = count[fact] = 0;
        for (size_t i = profile->fact_first_move[fact]; i < profile->fact_first_move[fact + 1]; i++) {
            const struct pr_move *move = &profile->moves[i];
            if (move->from < window->first || move->from > window->last || move->to <= window->last)
                continue;
            value[fact] = (int64_t)((uint64_t)value[fact] + (uint64_t)move->bytes);
            count[fact] += move->count;
        }
    }
}
