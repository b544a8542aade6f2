/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/temporal_document.h"

void pr_write_window(struct pr_json_writer *json, const char *key, int64_t from_ms, int64_t to_ms)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '[');
    pr_json_put_int(json, from_ms);
    pr_json_put_int(json, to_ms);
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
