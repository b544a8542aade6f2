/* SPDX-License-Identifier: Apache-2.0 */
/* Tally: room for facts and threads as they come. */
#include "capture/heap/alloc_counters.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <string.h>

void pr_alloc_counters_init(struct pr_alloc_counters *tally, bool has_temporary, uint32_t temporary_threshold,
                            bool has_moments)
{
    *tally = (struct pr_alloc_counters){.has_moments = has_moments};
    if (has_temporary)
        tally->window = temporary_threshold < UINT32_MAX ? temporary_threshold + 1 : UINT32_MAX;
}

/* What is needed while there is more to count. */
static void clear_hints(struct pr_alloc_counters *tally)
{
    free(tally->before);
    free(tally->recent);
    free(tally->next);
    tally->before = NULL;
    tally->before_count = 0;
    tally->recent = NULL;
    tally->next = NULL;
    tally->thread_capacity = 0;
}

void pr_alloc_counters_clear(struct pr_alloc_counters *tally)
{
    clear_hints(tally);
    free(tally->facts);
    tally->facts = NULL;
    tally->fact_capacity = 0;
    pr_sizes_clear(&tally->sizes);
}

static bool grow_facts(struct pr_alloc_counters *t, uint32_t fact)
{
    size_t known = t->fact_capacity, before_capacity = known;
    /* If the counters then do not fit, there is more room here than is used. */
    if ((t->has_moments && !pr_grow(&t->before, &before_capacity, fact + (size_t)1, sizeof *t->before)) ||
        !pr_grow(&t->facts, &t->fact_capacity, fact + (size_t)1, sizeof *t->facts))
        return false;
    for (; known < t->fact_capacity; known++)
        t->facts[known] = (struct pr_alloc_counters_fact){.allocated_count = !t->has_moments};
    return true;
}

static bool grow_threads(struct pr_alloc_counters *t, uint32_t thread)
{
    const size_t ring = t->window ? t->window : 1; /* never NULL */
    size_t known = t->thread_capacity, capacity = known, need, recent_capacity = known * ring;
    if (!pr_grow(&t->next, &capacity, thread + (size_t)1, sizeof *t->next))
        return false;
    /* If the rings do not fit, `next` is bigger than thread_capacity says, which does no harm. */
    if (!pr_mul_size(capacity, ring, &need) || !pr_grow(&t->recent, &recent_capacity, need, sizeof *t->recent))
        return false;
    memset(t->next + known, 0, (capacity - known) * sizeof *t->next);
    memset(t->recent + known * ring, 0, (need - known * ring) * sizeof *t->recent);
    t->thread_capacity = capacity;
    return true;
}

bool pr_alloc_counters_grow(struct pr_alloc_counters *t, uint32_t fact, uint32_t thread)
{
    return (fact < t->fact_capacity || grow_facts(t, fact)) && (thread < t->thread_capacity || grow_threads(t, thread));
}

bool pr_alloc_counters_settle(struct pr_alloc_counters *t, uint32_t count)
{
    clear_hints(t);
    const size_t known = t->fact_capacity;
    if (!pr_grow(&t->facts, &t->fact_capacity, count + (size_t)1, sizeof *t->facts)) /* one more: never NULL */
        return false;
    memset(t->facts + known, 0, (t->fact_capacity - known) * sizeof *t->facts);
    for (uint32_t fact = 0; fact < count; fact++)
        t->facts[fact].allocated_count /= 2;
    return true;
}

enum { STRIDE = sizeof(struct pr_alloc_counters_fact) / sizeof(int64_t) };

struct pr_fact_column pr_alloc_counters_allocated(const struct pr_alloc_counters *t)
{
    return pr_allocations_column("allocated", "Allocated", &t->facts->allocated_bytes, &t->facts->allocated_count,
                                 STRIDE);
}

struct pr_fact_column pr_alloc_counters_temporary(const struct pr_alloc_counters *t)
{
    return pr_allocations_column("temporary", "Temporary", &t->facts->temporary_bytes, &t->facts->temporary_count,
                                 STRIDE);
}

bool pr_alloc_counters_moments(struct pr_alloc_counters *t, int64_t at_ns, struct pr_time_moments *moments)
{
    bool done = true;
    for (size_t i = 0; i < t->before_count; i++) {
        const struct pr_alloc_before *before = &t->before[i];
        struct pr_alloc_counters_fact *f = &t->facts[before->fact];
        f->allocated_count &= ~INT64_C(1);
        done = done && pr_time_moments_add(moments, before->fact, at_ns,
                                      (int64_t)((uint64_t)f->allocated_bytes - (uint64_t)before->bytes));
    }
    t->before_count = 0;
    return done;
}
