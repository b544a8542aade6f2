/* SPDX-License-Identifier: Apache-2.0 */
/* The columns: all of them in a table, then each by itself. */
#include "render/frame/frame_parts.h"
#include "render/words/data_words.h"

#include <inttypes.h>
#include <math.h>

enum { NAME_CHARACTERS = 60, VALUE_BYTES = 80, TOP_VALUES = 3, TOP_BYTES = 24, SHORT_CHARACTERS = 12 };

void pr_frame_name(struct pr_buf *out, const struct pr_data_column *column, size_t most)
{
    pr_html_cut(out, column->name, most);
}

void pr_frame_value(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_column *column,
                    const struct pr_data_value *value, unsigned number, size_t most)
{
    struct pr_buf text = {0};
    if (frame->is_redacted) {
        pr_html(out, "value %u", number);
        return;
    }
    pr_data_value_text(&text, column, value, most);
    if (text.length)
        pr_html(out, "%.*s", (int)text.length, text.bytes);
    else
        pr_buf_text(out, "(empty)");
    out->failed |= text.failed;
    pr_buf_clear(&text);
}

static bool is_number(const struct pr_data_column *column)
{
    return column->has_numbers && column->type <= PR_TYPE_DECIMAL;
}

static void type_words(struct pr_buf *out, const struct pr_data_column *column)
{
    pr_buf_text(out, pr_data_type_words(column->type));
    if (column->type == PR_TYPE_DECIMAL)
        pr_html(out, ", %s", pr_units_counted(column->places, "places").text);
    if (column->is_constant)
        pr_buf_text(out, ", constant");
    else if (column->is_unique && column->count > 2)
        pr_buf_text(out, ", unique");
}

/* ---- the overview ----------------------------------------------------------------------------------------------- */

static void top_values(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_column *column)
{
    if (!column->frequent_count || (column->frequent[0].count < 2 && column->count > 3)) {
        pr_buf_text(out, column->count ? "<span class='muted'>no value repeats</span>" : "");
        return;
    }
    for (uint32_t i = 0; i < column->frequent_count && i < TOP_VALUES; i++) {
        pr_buf_text(out, i ? ", <code>" : "<code>");
        pr_frame_value(out, frame, column, &column->frequent[i], i + 1, TOP_BYTES);
        pr_html(out, "</code> <span class='muted'>%s</span>",
                pr_data_share(column->frequent[i].count, column->count).text);
    }
}

static void range_words(struct pr_buf *out, const struct pr_data_column *column)
{
    if (is_number(column) && !isnan(column->mean)) {
        pr_html(out, "mean %s", pr_data_number(column->mean).text);
        if (!isnan(column->variance))
            pr_html(out, " \xC2\xB1 %s", pr_data_number(pr_data_spread_of(column).deviation).text);
    }
    if (!isnan(column->minimum))
        pr_html(out, "%s%s to %s", is_number(column) ? ", " : "", pr_data_figure(column, column->minimum).text,
                pr_data_figure(column, column->maximum).text);
}

static void overview_row(const struct pr_data_frame *frame, uint32_t number, struct pr_buf *out)
{
    const struct pr_data_column *column = &frame->columns[number];
    const bool has_section = number < PR_FRAME_DETAILED;
    pr_html(out, "<tr><td class='r muted hide'>%" PRIu32 "</td><th scope='row'>", number + 1);
    if (has_section)
        pr_html(out, "<a href='#%sc%" PRIu32 "'>", pr_frame_prefix_of(frame).text, number + 1);
    pr_frame_name(out, column, NAME_CHARACTERS);
    pr_buf_text(out, has_section ? "</a></th><td class='type'>" : "</th><td class='type'>");
    type_words(out, column);
    pr_html(out, "</td><td class='r%s'>%s</td>", column->missing ? "" : " muted",
            column->missing ? pr_data_share(column->missing, frame->rows).text : "0");
    pr_html(out, "<td class='r'>%s</td><td>", pr_data_about(column->distinct).text);
    pr_frame_mini_histogram(out, column);
    pr_buf_text(out, "</td><td class='wide'>");
    if (column->has_numbers)
        range_words(out, column);
    else
        top_values(out, frame, column);
    pr_buf_text(out, "</td></tr>\n");
}

static bool has_estimates(const struct pr_data_frame *frame)
{
    for (uint32_t c = 0; c < frame->column_count; c++)
        if (frame->columns[c].distinct.low != frame->columns[c].distinct.high)
            return true;
    return false;
}

void pr_frame_columns(const struct pr_data_frame *frame, struct pr_buf *out)
{
    pr_html(
        out,
        "<section class='panel' id='%scolumns'><div class='head'><h2>Columns</h2><span class='muted'>%s%s</span>"
        "</div>\n",
        pr_frame_prefix_of(frame).text,
        pr_units_counted(frame->column_count, "columns").text,
        has_estimates(frame) ? "; ~ marks an estimate; the section of the column has its bounds" : "");
    pr_buf_text(out,
                "<div class='scroll' tabindex='0' role='group' aria-label='Columns'><table class='list "
                "overview'><thead><tr><th class='r hide'>#</th><th>Name</th>"
                "<th class='type'>Type</th><th class='r'>Missing</th><th class='r'>Different</th><th>Distribution</th>"
                "<th class='wide'>Values</th></tr></thead><tbody>\n");
    for (uint32_t c = 0; c < frame->column_count && c < PR_FRAME_LISTED; c++)
        overview_row(frame, c, out);
    pr_buf_text(out, "</tbody></table></div>");
    if (frame->column_count > PR_FRAME_LISTED)
        pr_html(out, "<p class='caption'>The first %d of %s columns. <code>profrender frame --json</code> has all.</p>",
                PR_FRAME_LISTED, pr_data_count_text(frame->column_count).text);
    pr_buf_text(out, "</section>\n");
}

static bool is_exactly_known(const struct pr_data_column *column)
{
    return column->distinct.low == column->distinct.high;
}

/* ---- a section -------------------------------------------------------------------------------------------------- */

static void pair(struct pr_buf *out, const char *label, const char *value)
{
    pr_html(out, "<dt>%s</dt><dd>%s</dd>", label, value);
}

static void quantiles(const struct pr_data_column *column, struct pr_buf *out)
{
    static const char *const labels[PR_DATA_QUANTILES] = {"Minimum", "1 %",  "5 %",  "25 %",   "Median",
                                                          "75 %",    "95 %", "99 %", "Maximum"};
    const struct pr_data_spread spread = pr_data_spread_of(column);
    if (isnan(column->quantiles[4]))
        return;
    pr_buf_text(out, "<h4>Quantiles</h4><dl class='pairs'>");
    for (unsigned i = 0; i < PR_DATA_QUANTILES; i++)
        if (!isnan(column->quantiles[i]))
            pair(out, labels[i], pr_data_figure(column, column->quantiles[i]).text);
    pair(out, "Range", pr_data_distance(column, spread.range).text);
    if (!isnan(spread.iqr))
        pair(out, "Interquartile range", pr_data_distance(column, spread.iqr).text);
    if (!isnan(column->mad))
        pair(out, "Median absolute deviation", pr_data_distance(column, column->mad).text);
    pr_buf_text(out, "</dl>");
    if (column->rank_error > 0)
        pr_html(out,
                "<p class='estimate'>Estimates, except minimum, maximum and range: the rank of each is accurate to "
                "within %s %% of the values, whatever the data; that of the median absolute deviation to within twice "
                "as much.</p>",
                pr_data_number(column->rank_error * 100).text);
}

static void of_all(struct pr_buf *out, const char *label, uint64_t part, uint64_t whole)
{
    pr_html(out, "<dt>%s</dt><dd>%s", label, pr_data_count_text(part).text);
    if (part)
        pr_html(out, " \xC2\xB7 %s", pr_data_share(part, whole).text);
    pr_buf_text(out, "</dd>");
}

static void moments(const struct pr_data_column *column, struct pr_buf *out)
{
    const struct pr_data_spread spread = pr_data_spread_of(column);
    pr_buf_text(out, "<h4>Moments</h4><dl class='pairs'>");
    if (!isnan(column->mean))
        pair(out, "Mean", pr_data_figure(column, column->mean).text);
    if (!isnan(spread.deviation))
        pair(out, "Standard deviation", pr_data_distance(column, spread.deviation).text);
    if (!isnan(spread.variation))
        pair(out, "Coefficient of variation", pr_data_number(spread.variation).text);
    if (is_number(column)) {
        if (!isnan(column->variance))
            pair(out, "Variance", pr_data_number(column->variance).text);
        if (!isnan(column->skewness))
            pair(out, "Skewness", pr_data_number(column->skewness).text);
        if (!isnan(column->kurtosis))
            pair(out, "Kurtosis", pr_data_number(column->kurtosis).text);
        if (!isnan(column->sum))
            pair(out, "Sum", pr_data_number(column->sum).text);
        of_all(out, "Zeros", column->zeros, column->count);
        of_all(out, "Negative", column->negatives, column->count);
        if (column->infinite)
            of_all(out, "Infinite", column->infinite, column->count);
    }
    if (column->order != PR_ORDERED_UNKNOWN)
        pair(out, "From row to row",
             column->order == PR_ORDERED_NOT ? "in no order" : pr_data_order_name(column->order));
    pr_buf_text(out, "</dl>");
}

/* With a bar where WHOLE is not 0: that of FIRST is full, and the share is one of WHOLE. */
static void value_row(const struct pr_data_frame *frame, const struct pr_data_column *column,
                      const struct pr_data_value *value, unsigned number, const struct pr_data_value *first,
                      uint64_t whole, struct pr_buf *out)
{
    pr_buf_text(out, "<tr><th scope='row'>");
    pr_frame_value(out, frame, column, value, number, VALUE_BYTES);
    pr_buf_text(out, "</th>");
    if (whole) {
        pr_buf_text(out, "<td class='bar'>");
        pr_frame_bar(out, value->count, first->count);
        pr_buf_text(out, "</td>");
    }
    pr_html(out, "<td class='r'>%s%s", value->most != value->count ? "\xE2\x89\xA5 " : "",
            pr_data_count_text(value->count).text);
    if (whole)
        pr_html(out, " \xC2\xB7 %s", pr_data_share(value->count, whole).text);
    pr_buf_text(out, "</td></tr>");
}

static void at_most(const struct pr_data_value *first, const char *noun, struct pr_buf *out)
{
    if (first->most > first->count)
        pr_html(out,
                "<p class='estimate'>\xE2\x89\xA5: each occurs at most %s times more often, and no other %s occurs "
                "more often than that.</p>",
                pr_data_count_text(first->most - first->count).text, noun);
}

/* Those that are not listed, where all are known. */
static void other_values(const struct pr_data_column *column, struct pr_buf *out)
{
    uint64_t listed = 0;
    for (uint32_t i = 0; i < column->frequent_count; i++)
        listed += column->frequent[i].count;
    if (column->count <= listed || column->distinct.value <= column->frequent_count)
        return;
    pr_html(out, "<tr class='others'><td colspan='2'>%s</td><td class='r'>%s \xC2\xB7 %s</td></tr>",
            pr_units_counted(pr_units_signed(column->distinct.value - column->frequent_count), "other values").text,
            pr_data_count_text(column->count - listed).text, pr_data_share(column->count - listed, column->count).text);
}

static void frequent(const struct pr_data_frame *frame, const struct pr_data_column *column, struct pr_buf *out)
{
    if (!column->frequent_count)
        return;
    const struct pr_data_value *first = &column->frequent[0];
    const bool is_exact = first->most == first->count || (is_exactly_known(column) && column->is_unique);
    if (first->count < 2 && column->count > PR_DATA_FREQUENT) {
        pr_html(out, "<h4>Most frequent values</h4><p class='estimate'>%s</p>",
                is_exact ? "No value repeats." : "No value is frequent enough to be known as such.");
        return;
    }
    const bool is_short = column->has_lengths && column->longest <= SHORT_CHARACTERS;
    pr_html(out, "<h4>Most frequent values</h4><table class='values%s'><tbody>", is_short ? " short" : "");
    for (uint32_t i = 0; i < column->frequent_count; i++)
        value_row(frame, column, &column->frequent[i], i + 1, first, column->count, out);
    if (is_exact && is_exactly_known(column))
        other_values(column, out);
    pr_buf_text(out, "</tbody></table>");
    at_most(first, "value", out);
}

/* Words are parts of values, so they are hidden as those are. */
static void words(const struct pr_data_frame *frame, const struct pr_data_column *column, struct pr_buf *out)
{
    if (!column->word_count)
        return;
    pr_html(out, "<h4>Most frequent of %s</h4><table class='values'><tbody>",
            pr_units_counted(pr_units_signed(column->word_total), "words").text);
    for (uint32_t i = 0; i < column->word_count; i++)
        value_row(frame, column, &column->words[i], i + 1, &column->words[0], column->word_total, out);
    pr_buf_text(out, "</tbody></table>");
    at_most(&column->words[0], "word", out);
}

static bool is_time(const struct pr_data_column *column)
{
    return column->type == PR_TYPE_DATE || column->type == PR_TYPE_MOMENT || column->type == PR_TYPE_TIME;
}

static void extreme(const struct pr_data_frame *frame, const struct pr_data_column *column, const char *name,
                    const struct pr_data_value *values, uint32_t count, struct pr_buf *out)
{
    pr_html(out, "<table class='values plain'><thead><tr><th scope='col'>%s</th><th scope='col' class='r'>Rows</th>"
                 "</tr></thead><tbody>", name);
    for (uint32_t i = 0; i < count; i++)
        value_row(frame, column, &values[i], i + 1, NULL, 0, out);
    pr_buf_text(out, "</tbody></table>");
}

static void extremes(const struct pr_data_frame *frame, const struct pr_data_column *column, struct pr_buf *out)
{
    if (!column->lowest_count)
        return;
    pr_buf_text(out, "<div class='two ends'>");
    extreme(frame, column, is_time(column) ? "Earliest" : "Lowest", column->lowest, column->lowest_count, out);
    extreme(frame, column, is_time(column) ? "Latest" : "Highest", column->highest, column->highest_count, out);
    pr_buf_text(out, "</div>");
}

static uint64_t characters_of(const struct pr_data_column *column)
{
    return column->letters + column->digits + column->blanks + column->others + column->beyond_ascii;
}

/* Parts of what is beyond ASCII, as shares of all: those of a sample are in proportion. */
static void scripts(const struct pr_data_column *column, struct pr_buf *out)
{
    const double beyond = (double)column->beyond_ascii;
    uint64_t known = 0;
    for (enum pr_data_script script = 0; script < PR_SCRIPT_COUNT; script++)
        known += column->scripts[script];
    for (enum pr_data_script script = 0; script < PR_SCRIPT_COUNT; script++)
        if (column->scripts[script])
            pr_html(out, "<dt class='of'>%s</dt><dd>%s%s</dd>", pr_data_script_words(script),
                    column->characters_sampled ? "~" : "",
                    pr_data_share((uint64_t)((double)column->scripts[script] / (double)known * beyond + 0.5),
                                  characters_of(column)).text);
}

/* In the order of how often they are there; closed, as few look for them. */
static void top_characters(const struct pr_data_column *column, struct pr_buf *out)
{
    const struct pr_data_character *list = column->top_characters;
    if (!column->top_character_count)
        return;
    pr_html(out,
            "<details class='rest'><summary>Most frequent of %s%s different characters</summary><table class='values'>"
            "<tbody>",
            column->more_characters ? "more than " : "", pr_data_count_text(column->different_characters).text);
    for (uint32_t i = 0; i < column->top_character_count; i++) {
        struct pr_buf text = {0};
        pr_data_character_text(&text, list[i].character);
        pr_buf_text(out, "<tr><th scope='row'>");
        pr_frame_add_text(out, &text);
        pr_buf_text(out, "</th><td class='bar'>");
        pr_frame_bar(out, list[i].count, list[0].count);
        pr_html(out, "</td><td class='r'>%s%s</td></tr>", column->characters_sampled ? "~" : "",
                pr_data_share(list[i].count, characters_of(column)).text);
    }
    pr_buf_text(out, "</tbody></table></details>");
    if (column->characters_sampled)
        pr_buf_text(out, "<p class='estimate'>~: an estimate, from one value in 16.</p>");
}

static void lengths(const struct pr_data_column *column, struct pr_buf *out)
{
    const uint64_t all = characters_of(column);
    if (!column->has_lengths || !column->count)
        return;
    pr_buf_text(out, "<div class='two'><div><h4>Lengths, in characters</h4><dl class='pairs'>");
    pair(out, "Shortest", pr_data_count_text(column->shortest).text);
    pair(out, "Mean", pr_data_number(pr_data_spread_of(column).mean_length).text);
    if (!isnan(column->median_length))
        pr_html(out, "<dt>Median</dt><dd>%s%s</dd>", column->median_length_error > 0 ? "~" : "",
                pr_data_number(column->median_length).text);
    pair(out, "Longest", pr_data_count_text(column->longest).text);
    pr_buf_text(out, "</dl></div>");
    if (!column->has_characters) {
        pr_buf_text(out, "</div>");
        return;
    }
    pr_buf_text(out, "<div><h4>Characters</h4><dl class='pairs'>");
    pair(out, "Letters", pr_data_share(column->letters, all).text);
    pair(out, "Digits", pr_data_share(column->digits, all).text);
    pair(out, "Blanks", pr_data_share(column->blanks, all).text);
    pair(out, "Punctuation and others", pr_data_share(column->others, all).text);
    pair(out, "Beyond ASCII", pr_data_share(column->beyond_ascii, all).text);
    scripts(column, out);
    pr_buf_text(out, "</dl></div></div>");
    top_characters(column, out);
}

/* What the cells can be read as, where they are not all of one kind. A real number may be whole. */
static void kinds(const struct pr_data_column *column, struct pr_buf *out)
{
    static const char *const words[PR_KIND_COUNT] = {"missing", "true or false",   "whole numbers", "real numbers",
                                                     "dates",   "dates with time", "times of day",  "durations",
                                                     "texts",   "nested"};
    unsigned count = 0;
    for (enum pr_data_kind kind = PR_KIND_BOOLEAN; kind < PR_KIND_COUNT; kind++)
        count += column->kinds[kind] > 0;
    if (count < 2 || is_number(column))
        return;
    pr_buf_text(out, "<h4>Can be read as</h4><dl class='pairs'>");
    for (enum pr_data_kind kind = PR_KIND_BOOLEAN; kind < PR_KIND_COUNT; kind++)
        if (column->kinds[kind])
            pair(out, words[kind], pr_data_count_text(column->kinds[kind]).text);
    pr_buf_text(out, "</dl>");
}

static void summary(const struct pr_data_frame *frame, uint32_t number, struct pr_buf *out)
{
    const struct pr_data_column *column = &frame->columns[number];
    pr_html(out, "<details class='panel column' id='%sc%" PRIu32 "'%s><summary><h3>", pr_frame_prefix_of(frame).text,
            number + 1,
            frame->column_count <= PR_FRAME_OPEN ? " open" : "");
    pr_html_name(out, column->name);
    pr_buf_text(out, "</h3><span class='type'>");
    type_words(out, column);
    pr_html(out, "</span><span class='facts'><span>%s different", pr_data_estimate(column->distinct).text);
    if (is_exactly_known(column) && column->distinct.value > 1 && !column->is_unique)
        pr_html(out, " (%s)", pr_data_share(column->distinct.value, column->count).text);
    pr_buf_text(out, "</span>");
    if (column->missing)
        pr_html(out, "<span>%s missing (%s)</span>", pr_data_count_text(column->missing).text,
                pr_data_share(column->missing, frame->rows).text);
    pr_buf_text(out, "</span></summary>\n");
}

/* What is not as the schema says. */
static void refused(const struct pr_data_frame *frame, const struct pr_data_column *column, struct pr_buf *out)
{
    if (!column->refused)
        return;
    pr_html(out, "<p class='estimate'>By the schema it is %s: %s not, and counted as missing; the first is in row %s",
            pr_data_type_words(column->asked),
            column->refused == 1 ? "1 value is" : pr_units_counted(pr_units_signed(column->refused), "values are").text,
            pr_data_count_text(column->first_refused).text);
    if (!frame->is_redacted) {
        pr_buf_text(out, ", \xE2\x80\x9C");
        pr_html_name(out, column->refused_text);
        pr_buf_text(out, "\xE2\x80\x9D");
    }
    pr_buf_text(out, ".</p>");
}

static void section(const struct pr_data_frame *frame, uint32_t number, struct pr_buf *out)
{
    const struct pr_data_column *column = &frame->columns[number];
    summary(frame, number, out);
    pr_frame_findings_of(frame, number, out);
    refused(frame, column, out);
    pr_html(out, "<div class='parts%s'><div>", column->has_numbers ? "" : " of-two");
    if (column->has_numbers) {
        pr_buf_text(out, "<h4>Distribution: rows by value</h4>");
        pr_frame_distribution(out, column);
        extremes(frame, column, out);
    } else {
        frequent(frame, column, out);
    }
    pr_buf_text(out, "</div><div>");
    if (column->has_numbers)
        quantiles(column, out);
    lengths(column, out);
    words(frame, column, out);
    if (column->has_numbers) {
        pr_buf_text(out, "</div><div>");
        moments(column, out);
        frequent(frame, column, out);
    }
    kinds(column, out);
    pr_buf_text(out, column->count ? "" : "<p class='estimate'>No values.</p>");
    pr_buf_text(out, "</div></div></details>\n");
}

void pr_frame_details(const struct pr_data_frame *frame, struct pr_buf *out)
{
    for (uint32_t c = 0; c < frame->column_count && c < PR_FRAME_DETAILED; c++)
        section(frame, c, out);
    if (frame->column_count > PR_FRAME_DETAILED)
        pr_html(
            out,
            "<p class='caption'>Sections of the first %d columns. <code>profrender frame --json</code> has all.</p>",
            PR_FRAME_DETAILED);
}
