/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns slices.*: what ran when. A page has at most some tens of thousands: first neighbours on the same stack
 * become one, which loses nothing, then short ones give way to the longest next to them.
 */
#include "render/payload/payload_internal.h"

#include "capture/base/checked.h"
#include "capture/model/run_times.h"
#include "capture/model/time_slices.h"

#include <inttypes.h>

enum { MAX_SLICES = 20000 };

static uint32_t thread_of(const void *fact_thread, uint32_t group)
{
    return ((const uint32_t *)fact_thread)[group];
}

static int64_t end_of(const struct pr_slice *slice)
{
    return pr_add_saturated(slice->start_ns, slice->duration_ns);
}

size_t pr_payload_take_slices(const struct pr_encoder *encoder, struct pr_slice *slices)
{
    const struct pr_profile *profile = encoder->profile;
    size_t count = 0;
    for (size_t i = 0; i < profile->slice_count; i++) {
        struct pr_slice next = profile->slices[i];
        next.fact = encoder->group[next.fact];
        struct pr_slice *last = count ? &slices[count - 1] : NULL;
        if (last && last->fact == next.fact && last->layer == next.layer && end_of(last) == next.start_ns)
            last->duration_ns = pr_add_saturated(last->duration_ns, next.duration_ns);
        else
            slices[count++] = next;
    }
    return count;
}

static int metric_of(const struct pr_profile *profile, uint32_t layer)
{
    for (int metric = 0; metric < (int)profile->metric_count; metric++) {
        const struct pr_slices slices = pr_profile_slices_of(profile, metric);
        if (slices.count && slices.slice->layer == layer)
            return metric;
    }
    return -1;
}

void pr_payload_add_layers(const struct pr_profile *profile, const struct pr_slice *slices, size_t count,
                           struct pr_buf *head)
{
    pr_buf_text(head, ",\"layers\":[");
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && slices[end].layer == slices[first].layer)
            end++;
        pr_buf_printf(head, "%s{\"metric\":%d,\"count\":%zu}", first ? "," : "",
                      metric_of(profile, slices[first].layer), end - first);
    }
    pr_buf_byte(head, ']');
}

int64_t pr_payload_gap(struct pr_payload_clock *clock, const struct pr_slice *slice, const uint32_t *fact_thread)
{
    const uint32_t thread = fact_thread[slice->fact];
    const bool goes_on = clock->is_set && clock->thread == thread && clock->layer == slice->layer;
    const int64_t gap = slice->start_ns - (goes_on ? clock->now_ns : 0);
    *clock = (struct pr_payload_clock){true, thread, slice->layer, end_of(slice)};
    return gap;
}

static void write_columns(struct pr_columns *columns, const struct pr_slice *slices, size_t count,
                          const uint32_t *fact_thread)
{
    struct pr_payload_clock clock = {0};
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_uv(columns, slices[i].fact);
    pr_columns_end(columns, "stretches.fact", "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_sv(columns, pr_payload_gap(&clock, &slices[i], fact_thread));
    pr_columns_end(columns, "stretches.gap", "sv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_sv(columns, slices[i].duration_ns);
    pr_columns_end(columns, "stretches.duration", "sv");
}

bool pr_payload_add_slices(struct pr_encoder *encoder)
{
    const struct pr_profile *profile = encoder->profile;
    if (pr_profile_time_metric(profile) < 0)
        return true;
    struct pr_slice *slices = malloc(profile->slice_count * sizeof *slices);
    uint32_t *fact_thread = malloc((encoder->group_count + (size_t)1) * sizeof *fact_thread);
    const bool done = slices && fact_thread;
    if (done) {
        for (size_t i = 0; i < profile->fact_count; i++)
            fact_thread[encoder->group[i]] = profile->fact_thread[i];
        int64_t resolution_ns = profile->slice_resolution_ns;
        size_t count = pr_payload_take_slices(encoder, slices);
        const int64_t from_ns = pr_times_of_slices_ns(profile).value;
        for (size_t i = 0; i < count; i++)
            slices[i].start_ns = pr_add_saturated(slices[i].start_ns, from_ns);
        pr_slices_coarsen(slices, &count, MAX_SLICES, &resolution_ns, thread_of, fact_thread);
        write_columns(&encoder->columns, slices, count, fact_thread);
        pr_buf_printf(&encoder->head, ",\"time\":{\"resolutionNs\":%" PRId64 ",\"lacksClock\":%s",
                      resolution_ns, profile->slices_lack_clock ? "true" : "false");
        pr_payload_add_layers(profile, slices, count, &encoder->head);
        pr_buf_byte(&encoder->head, '}');
    }
    free(slices);
    free(fact_thread);
    return done;
}
