/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/temporal_document.h"

void pr_write_window(struct pr_json *json, const char *key, int64_t from_ms, int64_t to_ms)
{
    pr_write_key(json, key);
    pr_write_open(json, '[');
    pr_write_int(json, from_ms);
    pr_write_int(json, to_ms);
    pr_write_close(json, ']');
}

void pr_write_bins(struct pr_json *json, const struct pr_profile *profile)
{
    pr_write_key(json, "bins");
    pr_write_open(json, '[');
    for (uint32_t i = 0; i < profile->bin_count; i++) {
        pr_write_open(json, '[');
        pr_write_int(json, profile->bins[i].start_ms);
        pr_write_int(json, profile->bins[i].end_ms);
        pr_write_int(json, profile->bins[i].peak_bytes);
        pr_write_close(json, ']');
    }
    pr_write_close(json, ']');
}

void pr_write_intervals(struct pr_json *json, const struct pr_temporal *temporal,
                        const struct pr_temporal_record *record)
{
    pr_write_key(json, "intervals");
    pr_write_open(json, '[');
    for (size_t i = record->first; i < record->first + record->count; i++) {
        const struct pr_interval *interval = &temporal->interval[i];
        pr_write_open(json, '[');
        pr_write_int(json, interval->from);
        if (interval->to == PR_NEVER)
            pr_write_null(json);
        else
            pr_write_int(json, interval->to);
        pr_write_int(json, interval->count);
        pr_write_int(json, interval->bytes);
        pr_write_close(json, ']');
    }
    pr_write_close(json, ']');
}
