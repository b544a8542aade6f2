/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/frame/frame_diff_reports.h"

#include "cli/io/json_writer.h"
#include "render/words/data_diff_words.h"

static void put_uint(struct pr_json_writer *json, const char *key, uint64_t value)
{
    pr_json_put_key(json, key);
    pr_json_put_uint(json, value);
}

static void put_table(struct pr_json_writer *json, const char *key, const struct pr_data_frame *frame, const char *name)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "source");
    pr_json_put_text(json, name);
    put_uint(json, "rows", frame->rows);
    put_uint(json, "columns", frame->column_count);
    put_uint(json, "missing", frame->missing);
    put_uint(json, "duplicates", frame->duplicates.value);
    put_uint(json, "duplicates_low", frame->duplicates.low);
    put_uint(json, "duplicates_high", frame->duplicates.high);
    pr_json_put_key(json, "exact");
    pr_json_put_bool(json, frame->is_exact);
    pr_json_put_close(json, '}');
}

static void put_side(struct pr_json_writer *json, const char *key, const struct pr_data_column *column)
{
    pr_json_put_key(json, key);
    if (!column) {
        pr_json_put_null(json);
        return;
    }
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "type");
    pr_json_put_text(json, pr_data_type_name(column->type));
    put_uint(json, "missing", column->missing);
    pr_json_put_key(json, "mean");
    if (column->has_numbers)
        pr_json_put_real(json, column->mean);
    else
        pr_json_put_null(json);
    pr_json_put_close(json, '}');
}

static void put_values(struct pr_json_writer *json, const char *key, const struct pr_data_diff *diff,
                       const struct pr_data_value *values, uint64_t count)
{
    pr_json_put_key(json, key);
    pr_json_put_open(json, '{');
    put_uint(json, "count", count);
    pr_json_put_key(json, "values");
    pr_json_put_open(json, '[');
    for (uint64_t i = 0; i < count && i < PR_DATA_CATEGORIES && !diff->after->is_redacted; i++)
        pr_json_put_name(json, values[i].text);
    pr_json_put_close(json, ']');
    pr_json_put_close(json, '}');
}

static void put_column(struct pr_json_writer *json, const struct pr_data_diff *diff, uint32_t column)
{
    const struct pr_data_column_diff *one = &diff->columns[column];
    pr_json_put_open(json, '{');
    pr_json_put_key(json, "name");
    pr_json_put_name(json, pr_data_diff_column(diff, column)->name);
    put_side(json, "before", one->before != PR_DATA_NONE ? &diff->before->columns[one->before] : NULL);
    put_side(json, "after", one->after != PR_DATA_NONE ? &diff->after->columns[one->after] : NULL);
    pr_json_put_key(json, "measure");
    if (one->measure == PR_MEASURE_NONE) {
        pr_json_put_null(json);
    } else {
        pr_json_put_text(json, pr_data_measure_name(one->measure));
        pr_json_put_key(json, "distance");
        pr_json_put_real(json, one->distance);
        pr_json_put_key(json, "error");
        pr_json_put_real(json, one->error);
        pr_json_put_key(json, "chance");
        pr_json_put_real(json, one->chance);
        pr_json_put_key(json, "moved");
        pr_json_put_bool(json, one->has_moved);
    }
    if (one->new_count)
        put_values(json, "new_categories", diff, one->new_values, one->new_count);
    if (one->lost_count)
        put_values(json, "lost_categories", diff, one->lost_values, one->lost_count);
    pr_json_put_close(json, '}');
}

void pr_frame_diff_document(struct pr_output *out, const struct pr_data_diff *diff, const char *before,
                            const char *after)
{
    struct pr_json_writer json = pr_json_writer_start(out, false);
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/frame-diff/1");
    put_table(&json, "before", diff->before, before);
    put_table(&json, "after", diff->after, after);
    pr_json_put_key(&json, "redacted");
    pr_json_put_bool(&json, diff->after->is_redacted);
    pr_json_put_key(&json, "changes");
    pr_json_put_lines(&json, '[');
    for (uint32_t i = 0; i < diff->change_count; i++) {
        struct pr_buf words = {0};
        pr_json_put_open(&json, '{');
        pr_json_put_key(&json, "kind");
        pr_json_put_text(&json, pr_data_change_name(diff->changes[i].kind));
        pr_json_put_key(&json, "column");
        pr_json_put_name(&json, pr_data_diff_column(diff, diff->changes[i].column)->name);
        pr_data_change_words(&words, diff, &diff->changes[i]);
        pr_json_put_buf(&json, "text", &words);
        pr_json_put_close(&json, '}');
    }
    pr_json_put_close(&json, ']');
    pr_json_put_key(&json, "columns");
    pr_json_put_lines(&json, '[');
    for (uint32_t c = 0; c < diff->column_count; c++)
        put_column(&json, diff, c);
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
}
