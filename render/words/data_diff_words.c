/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/data_diff_words.h"

#include <math.h>
#include <stdio.h>

enum { VALUE_BYTES = 40 };

const struct pr_data_column *pr_data_diff_column(const struct pr_data_diff *diff, uint32_t column)
{
    const struct pr_data_column_diff *one = &diff->columns[column];
    return one->after != PR_DATA_NONE ? &diff->after->columns[one->after] : &diff->before->columns[one->before];
}

struct pr_figure pr_data_distance_text(const struct pr_data_column_diff *column)
{
    struct pr_figure figure;
    if (column->error > 0)
        snprintf(figure.text, sizeof figure.text, "about %.3f (\xC2\xB1 %.3f)", column->distance, column->error);
    else
        snprintf(figure.text, sizeof figure.text, "%.3f", column->distance);
    return figure;
}

static void range(struct pr_buf *out, struct pr_data_count count)
{
    pr_buf_text(out, pr_data_count_text(count.low).text);
    if (count.low != count.high)
        pr_buf_printf(out, " to %s", pr_data_count_text(count.high).text);
}

void pr_data_before_words(struct pr_buf *out, struct pr_data_count before, struct pr_data_count after)
{
    if (after.low != after.high) {
        range(out, after);
        pr_buf_text(out, "; ");
    }
    pr_buf_text(out, "before ");
    range(out, before);
}

static bool has_measure(const struct pr_data_diff *diff)
{
    for (uint32_t c = 0; c < diff->column_count; c++)
        if (diff->columns[c].measure != PR_MEASURE_NONE)
            return true;
    return false;
}

void pr_data_diff_note(struct pr_buf *out, const struct pr_data_diff *diff)
{
    const uint64_t before = diff->before->rows, after = diff->after->rows;
    if (!before || !after)
        pr_buf_text(out, before  ? "There are no rows any more"
                         : after ? "There were no rows before"
                                 : "Neither table has rows");
    if (diff->change_count)
        return;
    pr_buf_printf(out, "%s column is new, gone or retyped", out->length ? "; no" : "No");
    if (before && after)
        pr_buf_text(out, has_measure(diff) ? "; no measured distribution moved"
                                           : "; no distribution was measured");
}

static const char *noun(uint64_t count)
{
    return count == 1 ? "category" : "categories";
}

static bool is_redacted(const struct pr_data_diff *diff)
{
    return diff->before->is_redacted || diff->after->is_redacted;
}

static void categories(struct pr_buf *out, const struct pr_data_diff *diff, const struct pr_data_column *column,
                       const struct pr_data_value *values, uint64_t count)
{
    if (is_redacted(diff))
        return;
    for (uint64_t i = 0; i < count && i < PR_DATA_CATEGORIES; i++) {
        pr_buf_text(out, i ? ", " : ": ");
        pr_data_value_text(out, column, &values[i], VALUE_BYTES);
    }
    if (count > PR_DATA_CATEGORIES)
        pr_buf_text(out, ", \xE2\x80\xA6");
}

static void moved(struct pr_buf *out, const struct pr_data_diff *diff, const struct pr_data_column_diff *column)
{
    const struct pr_data_column *a = &diff->before->columns[column->before], *b = &diff->after->columns[column->after];
    char limit[16];
    snprintf(limit, sizeof limit, "%.3f", column->chance);
    pr_buf_printf(out, "is distributed differently: %s distance %s; chance explains %s",
                  column->measure == PR_MEASURE_JENSEN ? "Jensen-Shannon" : "Kolmogorov-Smirnov",
                  pr_data_distance_text(column).text, limit);
    if (column->measure != PR_MEASURE_KOLMOGOROV || is_redacted(diff))
        return;
    pr_buf_printf(out, ". Its median was %s", pr_data_figure(a, a->quantiles[4]).text);
    pr_buf_printf(out, " and is %s", pr_data_figure(b, b->quantiles[4]).text);
}

void pr_data_change_words(struct pr_buf *out, const struct pr_data_diff *diff, const struct pr_data_change *change)
{
    const struct pr_data_column_diff *one = &diff->columns[change->column];
    const struct pr_data_column *a = one->before != PR_DATA_NONE ? &diff->before->columns[one->before] : NULL;
    const struct pr_data_column *b = one->after != PR_DATA_NONE ? &diff->after->columns[one->after] : NULL;
    switch (change->kind) {
    case PR_CHANGE_REMOVED:
        pr_buf_printf(out, "is gone (%s)", pr_data_type_words(a->type));
        break;
    case PR_CHANGE_ADDED:
        pr_buf_printf(out, "is new (%s)", pr_data_type_words(b->type));
        break;
    case PR_CHANGE_RETYPED:
        pr_buf_printf(out, "was %s and is %s", pr_data_type_words(a->type), pr_data_type_words(b->type));
        break;
    case PR_CHANGE_MISSING:
        pr_buf_printf(out, "has no value in %s of the rows",
                      b->missing ? pr_data_share(b->missing, diff->after->rows).text : "none");
        pr_buf_printf(out, ", before in %s", a->missing ? pr_data_share(a->missing, diff->before->rows).text : "none");
        break;
    case PR_CHANGE_MOVED:
        moved(out, diff, one);
        break;
    case PR_CHANGE_NEW_CATEGORIES:
        pr_buf_printf(out, "has %s new %s", pr_data_count_text(one->new_count).text, noun(one->new_count));
        categories(out, diff, b, one->new_values, one->new_count);
        break;
    case PR_CHANGE_LOST_CATEGORIES:
        pr_buf_printf(out, "lacks %s %s that it had", pr_data_count_text(one->lost_count).text, noun(one->lost_count));
        categories(out, diff, a, one->lost_values, one->lost_count);
        break;
    }
}
