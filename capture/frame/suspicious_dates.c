/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/suspicious_dates.h"

#include "capture/frame/box_figures.h"

#include <math.h>
#include <stdlib.h>

/* In days since 1970. */
static const double days[PR_SUSPICIOUS_DAYS] = {-25567 /* 1900-01-01 */, 0 /* 1970-01-01 */, PR_LAST_DAY,
                                                -25569 /* 1899-12-30, zero of spreadsheets */,
                                                -719162 /* 0001-01-01 */};

static int place_of(double day)
{
    for (int i = 0; i < PR_SUSPICIOUS_DAYS; i++)
        if (day == days[i])
            return i;
    return -1;
}

int pr_suspicious_day(double us)
{
    return place_of(floor(us / (double)PR_US_PER_DAY));
}

/* The other days of a column. */
struct others {
    double *days; /* [count] sorted, each once */
    size_t count;
    double values, most; /* how many there are of them, and of the day that has the most */
    double gap;          /* the median of those between neighbours; NaN: there are none */
};

static void gather(struct others *others, const struct pr_weighted *values, size_t count)
{
    double on_day = 0;
    for (size_t i = 0; i < count; i++) {
        const double day = floor(values[i].value / (double)PR_US_PER_DAY);
        if (place_of(day) >= 0)
            continue;
        if (!others->count || others->days[others->count - 1] != day) {
            others->days[others->count++] = day;
            on_day = 0;
        }
        on_day += (double)values[i].weight;
        others->values += (double)values[i].weight;
        others->most = fmax(others->most, on_day);
    }
}

static bool find_gap(struct others *others)
{
    others->gap = NAN;
    if (others->count < 2)
        return true;
    const size_t count = others->count - 1;
    double *gaps = malloc(count * sizeof *gaps);
    for (size_t i = 0; gaps && i < count; i++)
        gaps[i] = others->days[i + 1] - others->days[i];
    const bool done = gaps && pr_sort_doubles(gaps, count);
    if (done)
        others->gap = gaps[count / 2];
    free(gaps);
    return done;
}

static double nearest_to(const struct others *others, double day)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < others->count; i++)
        nearest = fmin(nearest, fabs(others->days[i] - day));
    return nearest;
}

static bool fits(const struct others *others, double day, double count)
{
    enum { YEAR = 366, DECADE = 3653, MANY = 10 };
    const double nearest = nearest_to(others, day);
    const double far = isnan(others->gap) ? DECADE : fmax(YEAR, MANY * others->gap);
    const double usual = others->values / (double)others->count;
    return nearest <= far && (count <= MANY * usual || count <= 2 * others->most);
}

/* A column that has no other days: one whose moments differ within a day is of times of day. */
static bool is_of_times(const uint64_t counts[PR_SUSPICIOUS_DAYS], const struct pr_weighted *values, size_t count)
{
    int with = 0;
    for (int i = 0; i < PR_SUSPICIOUS_DAYS; i++)
        with += counts[i] > 0;
    return with == 1 && count && values[0].value != values[count - 1].value;
}

bool pr_suspicious_dates(const uint64_t counts[PR_SUSPICIOUS_DAYS], const struct pr_weighted *values, size_t count,
                         uint64_t *found)
{
    struct others others = {.days = malloc((count ? count : 1) * sizeof *others.days)};
    *found = 0;
    if (others.days)
        gather(&others, values, count);
    const bool done = others.days && find_gap(&others);
    const bool all = done && !others.count && !is_of_times(counts, values, count);
    for (int i = 0; done && i < PR_SUSPICIOUS_DAYS; i++)
        if (counts[i] && (others.count ? !fits(&others, days[i], (double)counts[i]) : all))
            *found += counts[i];
    free(others.days);
    return done;
}
