/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/temporal_document.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"

/* START_MS and NS after it. */
static void put_ms(struct pr_json_writer *json, int64_t start_ms, int64_t ns)
{
    enum { PLACES = 6 };
    int64_t start_ns, at_ns;
    if (ns % PR_NS_PER_MS && !__builtin_mul_overflow(start_ms, PR_NS_PER_MS, &start_ns) &&
        !__builtin_add_overflow(start_ns, ns, &at_ns))
        pr_json_put_fixed(json, at_ns, PLACES);
    else
        pr_json_put_int(json, pr_add_saturated(start_ms, ns / PR_NS_PER_MS));
}

void pr_write_window(struct pr_json_writer *json, const char *key, const struct pr_span_of_run *when)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '[');
    put_ms(json, when->start_ms, when->from_ns);
    put_ms(json, when->start_ms, when->to_ns);
    pr_json_put_close(json, ']');
}

void pr_write_bins(struct pr_json_writer *json, const struct pr_profile *profile)
{
    pr_json_put_key(json, "bins");
    pr_json_put_open(json, '[');
    for (uint32_t i = 0; i < profile->bin_count; i++) {
        pr_json_put_open(json, '[');
        pr_json_put_int(json, profile->bins[i].start_ms);
        pr_json_put_int(json, profile->bins[i].end_ms);
        pr_json_put_int(json, profile->bins[i].peak_bytes);
        pr_json_put_close(json, ']');
    }
    pr_json_put_close(json, ']');
}

void pr_write_intervals(struct pr_json_writer *json, const struct pr_temporal *temporal,
                        const struct pr_temporal_record *record)
{
    pr_json_put_key(json, "intervals");
    pr_json_put_open(json, '[');
    for (size_t i = record->first; i < record->first + record->count; i++) {
        const struct pr_interval *interval = &temporal->interval[i];
        pr_json_put_open(json, '[');
        pr_json_put_int(json, interval->from);
        if (interval->to == PR_NEVER)
            pr_json_put_null(json);
        else
            pr_json_put_int(json, interval->to);
        pr_json_put_int(json, interval->count);
        pr_json_put_int(json, interval->bytes);
        pr_json_put_close(json, ']');
    }
    pr_json_put_close(json, ']');
}
