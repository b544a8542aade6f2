/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of allocations, joined where they are too many. */
#include "capture/model/time_moments.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/base/sort.h"

#include <stdlib.h>

int64_t pr_time_moments_coarser(int64_t resolution_ns)
{
    const int64_t ms = 1000000;
    if (resolution_ns < ms)
        return ms;
    return resolution_ns < 5 * ms ? 5 * ms : resolution_ns < 20 * ms ? 20 * ms : resolution_ns * 2;
}

static int compare(const void *a, const void *b, const void *context)
{
    const struct pr_moment *x = a, *y = b;
    (void)context;
    const int order = PR_ORDER(x->at_ns, y->at_ns);
    return order ? order : PR_ORDER(x->fact, y->fact);
}

size_t pr_time_moments_join(struct pr_moment *list, size_t count)
{
    size_t kept = 0;
    if (!pr_sort(list, count, sizeof *list, compare, NULL))
        return SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        struct pr_moment *last = kept ? &list[kept - 1] : NULL;
        if (last && !compare(last, &list[i], NULL))
            last->bytes = pr_add_saturated(last->bytes, list[i].bytes);
        else
            list[kept++] = list[i];
    }
    return kept;
}

/* Rounds down, below 0 too. */
static int64_t on_grid(int64_t at_ns, int64_t step_ns)
{
    const int64_t over = at_ns % step_ns;
    return over < 0 ? pr_subtract_saturated(at_ns, over + step_ns) : at_ns - over;
}

/* As many steps of time as a heat map needs are kept, unless that takes more moments for each fact than this. */
enum { KEPT_STEPS = 512, MANY_TIMES = 4 };

/* Facts that there can be moments of. */
static size_t facts_of(const struct pr_moment *list, size_t count)
{
    uint32_t highest = 0;
    for (size_t i = 0; i < count; i++)
        highest = list[i].fact > highest ? list[i].fact : highest;
    return highest + (size_t)1;
}

/*
 * Whether neighbours of the sorted list are to be joined. Where there are as many facts as moments are allowed, the
 * grid would otherwise become longer than the run, and no time would be left.
 */
static bool is_to_join(const struct pr_time_moments *m, size_t count, size_t facts)
{
    const int64_t span_ns = pr_subtract_saturated(m->list[count - 1].at_ns, m->list[0].at_ns);
    if (count <= m->most / 2 || m->resolution_ns >= span_ns / 2)
        return false;
    return pr_time_moments_coarser(m->resolution_ns) <= span_ns / KEPT_STEPS || count / MANY_TIMES > facts;
}

/* Makes room by joining neighbours, until half of what is allowed is left, or all that is to be joined is. */
static bool thin(struct pr_time_moments *m)
{
    size_t count = pr_time_moments_join(m->list, m->count);
    const size_t facts = facts_of(m->list, m->count);
    while (count != SIZE_MAX && is_to_join(m, count, facts)) {
        m->resolution_ns = pr_time_moments_coarser(m->resolution_ns);
        for (size_t i = 0; i < count; i++)
            m->list[i].at_ns = on_grid(m->list[i].at_ns, m->resolution_ns);
        count = pr_time_moments_join(m->list, count);
    }
    if (count == SIZE_MAX)
        return false;
    m->count = count;
    if (count > m->most / 2)
        m->most = count * 2; /* they are of so many facts; else each further moment would sort all of them */
    return true;
}

bool pr_time_moments_add(struct pr_time_moments *m, uint32_t fact, int64_t at_ns, int64_t bytes)
{
    if (bytes <= 0)
        return true;
    if (m->resolution_ns)
        at_ns = on_grid(at_ns, m->resolution_ns);
    struct pr_moment *last = m->count ? &m->list[m->count - 1] : NULL;
    if (last && last->fact == fact && last->at_ns == at_ns) {
        last->bytes = pr_add_saturated(last->bytes, bytes);
        return true;
    }
    if (m->count >= m->most && !thin(m))
        return false;
    if (!pr_grow(&m->list, &m->capacity, m->count + 1, sizeof *m->list))
        return false;
    m->list[m->count++] = (struct pr_moment){at_ns, bytes, fact};
    return true;
}

int64_t pr_time_moments_first_ns(const struct pr_time_moments *m)
{
    int64_t first_ns = INT64_MAX;
    for (size_t i = 0; i < m->count; i++)
        first_ns = m->list[i].at_ns < first_ns ? m->list[i].at_ns : first_ns;
    return first_ns;
}

/*
 * The list by the profile's facts, joined. Of facts that became one, a moment is added to the latest with the same time
 * before anything is sorted: the rest is mostly in order then. SIZE_MAX: no memory.
 */
static size_t take_merged(struct pr_time_moments *m, const uint32_t *merged, int64_t first_ns, size_t fact_count)
{
    size_t kept = 0, *latest = calloc(fact_count + 1, sizeof *latest); /* [fact] + 1; 0: none yet */
    for (size_t i = 0; latest && i < m->count; i++) {
        const struct pr_moment *moment = &m->list[i];
        const uint32_t fact = merged[moment->fact];
        const int64_t since = pr_subtract_saturated(moment->at_ns, first_ns), at_ns = since > 0 ? since : 0;
        if (fact == PR_NO_ID)
            continue;
        struct pr_moment *last = latest[fact] ? &m->list[latest[fact] - 1] : NULL;
        if (last && last->at_ns == at_ns) {
            last->bytes = pr_add_saturated(last->bytes, moment->bytes);
            continue;
        }
        m->list[kept++] = (struct pr_moment){at_ns, moment->bytes, fact};
        latest[fact] = kept;
    }
    const bool done = latest != NULL;
    free(latest);
    return done ? pr_time_moments_join(m->list, kept) : SIZE_MAX;
}

bool pr_time_moments_finish(struct pr_time_moments *m, const uint32_t *merged, int64_t first_ns,
                            struct pr_profile *profile)
{
    const size_t kept = take_merged(m, merged, first_ns, profile->fact_count);
    struct pr_moment *taken = m->list;
    if (kept == SIZE_MAX)
        return false;
    m->list = NULL;
    m->count = 0;
    if (!pr_arena_take(&profile->arena, taken))
        return false;
    profile->moments = taken;
    profile->moment_count = kept;
    profile->moment_resolution_ns = m->resolution_ns;
    return true;
}

void pr_time_moments_clear(struct pr_time_moments *m)
{
    free(m->list);
    *m = (struct pr_time_moments){.most = m->most};
}
