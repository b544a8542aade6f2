/* SPDX-License-Identifier: Apache-2.0 */
/* Slices by layer, thread and time, thinned out slot by slot. */
#include "capture/model/time_slices.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/base/sort.h"

struct threads {
    pr_fact_thread *of;
    const void *context;
};

static int compare(const void *a, const void *b, const void *context)
{
    const struct pr_slice *x = a, *y = b;
    const struct threads *threads = context;
    int order = PR_ORDER(x->layer, y->layer);
    order = order ? order : PR_ORDER(threads->of(threads->context, x->fact), threads->of(threads->context, y->fact));
    return order ? order : PR_ORDER(x->start_ns, y->start_ns);
}

/* Rounds down, below 0 too. */
static int64_t slot_of(const struct pr_slice *slice, int64_t resolution_ns)
{
    int64_t slot = slice->start_ns / resolution_ns;
    return slot - (slice->start_ns % resolution_ns < 0);
}

/* As much of DURATION_NS as ends within 63 bits. */
static int64_t fitting(int64_t start_ns, int64_t duration_ns)
{
    return start_ns > 0 && duration_ns > INT64_MAX - start_ns ? INT64_MAX - start_ns : duration_ns;
}

/* One pass over sorted slices; returns how many are left. */
static size_t merge(struct pr_slice *slices, size_t count, int64_t resolution_ns, pr_fact_thread *thread_of,
                    const void *context)
{
    size_t kept = 0;
    int64_t longest = 0; /* of those that became the last one kept */
    for (size_t i = 0; i < count; i++) {
        struct pr_slice *last = kept ? &slices[kept - 1] : NULL;
        if (last && last->layer == slices[i].layer &&
            thread_of(context, last->fact) == thread_of(context, slices[i].fact) &&
            slot_of(last, resolution_ns) == slot_of(&slices[i], resolution_ns)) {
            last->duration_ns = fitting(last->start_ns, pr_add_saturated(last->duration_ns, slices[i].duration_ns));
            if (slices[i].duration_ns > longest) {
                longest = slices[i].duration_ns;
                last->fact = slices[i].fact;
            }
            continue;
        }
        longest = slices[i].duration_ns;
        slices[kept++] = slices[i];
    }
    return kept;
}

void pr_slices_coarsen(struct pr_slice *slices, size_t *count, size_t most, int64_t *resolution_ns,
                       pr_fact_thread *thread_of, const void *context)
{
    enum { FIRST_RESOLUTION_NS = 1024 };
    while (*count > most && *resolution_ns < INT64_MAX / 2) {
        *resolution_ns = *resolution_ns ? *resolution_ns * 2 : FIRST_RESOLUTION_NS;
        *count = merge(slices, *count, *resolution_ns, thread_of, context);
    }
    *count = *count < most ? *count : most;
}

bool pr_slices_thin(struct pr_slice *slices, size_t *count, int64_t *resolution_ns, pr_fact_thread *thread_of,
                    const void *context)
{
    const struct threads threads = {thread_of, context};
    if (!pr_sort(slices, *count, sizeof *slices, compare, &threads))
        return false;
    pr_slices_coarsen(slices, count, *count / 2, resolution_ns, thread_of, context);
    return true;
}

bool pr_slices_finish(struct pr_slice *slices, size_t *count, const uint32_t *merged, pr_fact_thread *thread_of,
                      const void *context, int64_t *first_ns)
{
    const struct threads threads = {thread_of, context};
    size_t kept = 0;
    if (!pr_sort(slices, *count, sizeof *slices, compare, &threads))
        return false;
    for (size_t i = 0; i < *count; i++) {
        uint32_t fact = merged[slices[i].fact];
        if (fact == PR_NO_ID)
            continue;
        slices[kept] = slices[i];
        slices[kept++].fact = fact;
        *first_ns = slices[i].start_ns < *first_ns ? slices[i].start_ns : *first_ns;
    }
    for (size_t i = 0; i < kept; i++) {
        /* Not below 0, but perhaps beyond 63 bits. */
        uint64_t since = (uint64_t)slices[i].start_ns - (uint64_t)*first_ns;
        slices[i].start_ns = since > INT64_MAX ? INT64_MAX : (int64_t)since;
        slices[i].duration_ns = fitting(slices[i].start_ns, slices[i].duration_ns);
    }
    *count = kept;
    return true;
}
