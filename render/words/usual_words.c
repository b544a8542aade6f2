/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/usual_words.h"

#include "capture/base/text.h"

#include <stdio.h>
#include <string.h>

const struct pr_usual *pr_usual_named(const struct pr_usuals *usuals, const char *name)
{
    for (size_t i = 0; usuals && i < usuals->count; i++)
        if (strcmp(usuals->figure[i].metric.name, name) == 0)
            return &usuals->figure[i];
    return NULL;
}

/* The first function with that value or a larger one. */
static size_t first_at(const struct pr_usual_functions *functions, int64_t after)
{
    size_t low = 0, high = functions->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (functions->at[middle].after < after)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct pr_usual_range pr_usual_function_range(const struct pr_usuals *usuals, const char *metric,
                                              struct pr_text function, struct pr_text file, int64_t after)
{
    struct pr_usual_range found = {.runs = 0};
    const struct pr_usual *figure = pr_usual_named(usuals, metric);
    if (!figure)
        return found;
    const struct pr_usual_functions *functions = &usuals->functions[figure - usuals->figure];
    for (size_t i = first_at(functions, after); i < functions->count && functions->at[i].after == after; i++) {
        const struct pr_usual_function *at = &functions->at[i];
        if (pr_text_compare(at->function, function) || pr_text_compare(at->file, file))
            continue;
        if (found.runs)
            return (struct pr_usual_range){.runs = 0};
        found = at->range;
    }
    return found;
}

static struct pr_figure value_of(const struct pr_metric *metric, int64_t value, bool exact)
{
    return exact ? pr_units_metric_exact(metric, value) : pr_units_metric(metric, value);
}

/* Where the unit of a figure begins; "6 min 28 s" has several, and all of it is the number. */
static size_t number_length(const char *text)
{
    const size_t length = strcspn(text, " ");
    return text[length] && !strchr(text + length + 1, ' ') ? length : strlen(text);
}

struct pr_figure pr_usual_range_text(const struct pr_metric *metric, const struct pr_usual_range *range, bool exact)
{
    struct pr_figure text = {""};
    const struct pr_figure low = value_of(metric, range->lowest, exact);
    const struct pr_figure high = value_of(metric, range->highest, exact);
    if (range->runs && strcmp(low.text, high.text) == 0)
        return low;
    const size_t number = number_length(low.text);
    const bool is_one_unit = strcmp(low.text + number, high.text + number_length(high.text)) == 0;
    if (range->runs)
        snprintf(text.text, sizeof text.text, "%.*s to %.27s", is_one_unit ? (int)number : 20, low.text, high.text);
    return text;
}

const char *pr_usual_place(const struct pr_usual_range *range, int64_t value)
{
    return value < range->lowest ? "below" : value > range->highest ? "above" : "inside";
}

void pr_usual_judgement(struct pr_buf *out, const struct pr_usual *usual, bool exact)
{
    const bool is_above = usual->after > usual->range.highest;
    if (usual->answer == PR_BROKEN && usual->is_level)
        pr_buf_text(out, ": a regression, as the level rose");
    else if (usual->answer == PR_BROKEN)
        pr_buf_printf(out, ": a regression, the limit is %s", value_of(&usual->metric, usual->limit, exact).text);
    else if (usual->answer == PR_CANNOT_TELL)
        pr_buf_text(out, is_above ? ", which may be chance" : ", but the runs differ widely");
    else if (is_above)
        pr_buf_text(out, ", within the tolerance");
}

void pr_usual_where(struct pr_buf *out, const struct pr_usual *usual, bool exact)
{
    const char *before = pr_usual_place(&usual->range, usual->before);
    const char *after = pr_usual_place(&usual->range, usual->after);
    if (strcmp(before, after) == 0)
        pr_buf_printf(out, "before and after are %s", after);
    else
        pr_buf_printf(out, "before is %s, after is %s", before, after);
    pr_usual_judgement(out, usual, exact);
}

void pr_usual_sentence(struct pr_buf *out, const struct pr_usual *usual, bool exact)
{
    pr_buf_printf(out, "usually %s in %s%s; ", pr_usual_range_text(&usual->metric, &usual->range, exact).text,
                  pr_units_counted((int64_t)usual->range.runs, "runs").text,
                  usual->is_apart ? ", without arenas of pymalloc" : "");
    pr_usual_where(out, usual, exact);
}
