/* SPDX-License-Identifier: Apache-2.0 */
/* Everything by value: numbers of strings, frames and nodes depend on the order in which a file has them. */
#include "tests/support/profile_text.h"

#include <inttypes.h>
#include <stdlib.h>

static void text(const struct pr_profile *profile, pr_str string, struct pr_buf *out)
{
    struct pr_text found = pr_profile_text(profile, string);
    pr_buf_add(out, found.bytes, found.length);
}

static void stack(const struct pr_profile *profile, pr_node_id node, struct pr_buf *out)
{
    for (; node != PR_ROOT; node = profile->tree.parent[node]) {
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
        pr_buf_byte(out, ' ');
        text(profile, frame->function, out);
        pr_buf_byte(out, '@');
        text(profile, frame->file, out);
        pr_buf_printf(out, ":%" PRId32, frame->line);
    }
}

static void facts(const struct pr_profile *profile, struct pr_buf *out)
{
    for (size_t i = 0; i < profile->fact_count; i++) {
        pr_buf_printf(out, "tid %" PRIu64, profile->threads[profile->fact_thread[i]].tid);
        if (profile->fact_allocator)
            pr_buf_printf(out, " %s", pr_allocator_name(profile->fact_allocator[i]));
        for (uint32_t m = 0; m < profile->metric_count; m++) {
            const struct pr_metric *metric = &profile->metrics[m];
            pr_buf_printf(out, " %s %" PRId64, metric->name, metric->value[i]);
            if (metric->count)
                pr_buf_printf(out, " in %" PRId64, metric->count[i]);
        }
        stack(profile, profile->fact_leaf[i], out);
        pr_buf_byte(out, '\n');
    }
}

static void statistics(const struct pr_profile *profile, struct pr_buf *out)
{
    const struct pr_alloc_stats *stats = &profile->stats;
    pr_buf_printf(out, "allocated %" PRIu64 " in %" PRIu64 ":", stats->allocated_bytes, stats->allocation_count);
    for (unsigned i = 0; i < PR_ALLOC_COUNT; i++)
        pr_buf_printf(out, " %" PRIu64, stats->count_by_allocator[i]);
    for (uint32_t i = 0; i < stats->histogram_count; i++)
        pr_buf_printf(out, " <=%" PRIu64 ": %" PRIu64, stats->histogram[i].max_bytes, stats->histogram[i].count);
    for (uint32_t i = 0; i < stats->by_size_count; i++) {
        pr_buf_printf(out, "\n%" PRIu64 " in %" PRIu64 " by ", stats->by_size[i].bytes, stats->by_size[i].count);
        text(profile, stats->by_size[i].name, out);
    }
    pr_buf_byte(out, '\n');
}

void profile_text(const struct pr_profile *profile, struct pr_buf *out)
{
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        pr_buf_printf(out, "thread %" PRIu64 " ", profile->threads[i].tid);
        text(profile, profile->threads[i].name, out);
        pr_buf_byte(out, '\n');
    }
    facts(profile, out);
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct pr_series *series = &profile->series[i];
        pr_buf_printf(out, "%s", series->name);
        for (size_t k = 0; k < series->count; k++)
            pr_buf_printf(out, " %" PRId64 ":%" PRId64, series->at_ms[k], series->value[k]);
        pr_buf_byte(out, '\n');
    }
    pr_buf_printf(out, "peak %" PRId64 "\n", profile->peak_bytes);
    statistics(profile, out);
    if (out->failed)
        abort();
}
