/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns stretches.*: what ran when. A page has some tens of thousands at most: neighbours on the same stack
 * become one first, which loses nothing, then short ones give way to the longest beside them.
 */
#include "render/payload/payload_internal.h"

#include "capture/base/checked.h"
#include "capture/model/time_slices.h"

#include <inttypes.h>

enum { MAX_STRETCHES = 20000 };

/* Where a thread has got to. */
struct clock {
    uint32_t thread;
    int64_t now_ns;
};

static uint32_t thread_of(const void *fact_thread, uint32_t group)
{
    return ((const uint32_t *)fact_thread)[group];
}

static int64_t end_of(const struct pr_stretch *stretch)
{
    return pr_add_saturated(stretch->start_ns, stretch->duration_ns);
}

/* The stretches of the profile with the facts of the page, neighbours joined; returns how many. */
static size_t take(const struct pr_encoder *encoder, struct pr_stretch *stretches)
{
    const struct pr_profile *profile = encoder->profile;
    size_t count = 0;
    for (size_t i = 0; i < profile->stretch_count; i++) {
        struct pr_stretch next = profile->stretches[i];
        next.fact = encoder->group[next.fact];
        struct pr_stretch *last = count ? &stretches[count - 1] : NULL;
        if (last && last->fact == next.fact && end_of(last) == next.start_ns)
            last->duration_ns = pr_add_saturated(last->duration_ns, next.duration_ns);
        else
            stretches[count++] = next;
    }
    return count;
}

static void write_columns(struct pr_columns *columns, const struct pr_stretch *stretches, size_t count,
                          const uint32_t *fact_thread)
{
    struct clock clock = {UINT32_MAX, 0};
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_uv(columns, stretches[i].fact);
    pr_columns_end(columns, "stretches.fact", "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++) {
        const uint32_t thread = fact_thread[stretches[i].fact];
        clock.now_ns = clock.thread == thread ? clock.now_ns : 0;
        pr_columns_sv(columns, stretches[i].start_ns - clock.now_ns);
        clock = (struct clock){thread, end_of(&stretches[i])};
    }
    pr_columns_end(columns, "stretches.gap", "sv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_sv(columns, stretches[i].duration_ns);
    pr_columns_end(columns, "stretches.duration", "sv");
}

bool pr_payload_add_stretches(struct pr_encoder *encoder)
{
    const struct pr_profile *profile = encoder->profile;
    const int metric = pr_profile_time_metric(profile);
    if (metric < 0)
        return true;
    struct pr_stretch *stretches = malloc(profile->stretch_count * sizeof *stretches);
    uint32_t *fact_thread = malloc((encoder->group_count + (size_t)1) * sizeof *fact_thread);
    const bool done = stretches && fact_thread;
    if (done) {
        for (size_t i = 0; i < profile->fact_count; i++)
            fact_thread[encoder->group[i]] = profile->fact_thread[i];
        int64_t resolution_ns = profile->stretch_resolution_ns;
        size_t count = take(encoder, stretches);
        pr_stretches_coarsen(stretches, &count, MAX_STRETCHES, &resolution_ns, thread_of, fact_thread);
        write_columns(&encoder->columns, stretches, count, fact_thread);
        pr_buf_printf(&encoder->head, ",\"time\":{\"metric\":%d,\"resolutionNs\":%" PRId64 "}", metric,
                      resolution_ns);
    }
    free(stretches);
    free(fact_thread);
    return done;
}
