/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places that allocated most, as a real table: by what they allocated themselves, since the callers of everything
 * would fill a list by totals. What is not listed is in the last row, so that the column adds up to the whole.
 */
#include "render/html/hover.h"
#include "capture/model/nameless.h"
#include "render/page/section.h"
#include "render/page/source_links.h"

#include "capture/base/checked.h"
#include "profrender/table.h"

#include <inttypes.h>

enum { ROWS = 20 };

/*
 * The first ROWS of TABLE by their own value become SHOWN; equals keep the order of pr_table_make, largest total first,
 * then names. Returns how many there are.
 */
static size_t choose_rows(const struct pr_table *table, const struct pr_row *shown[ROWS])
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct pr_row *row = &table->row[i];
        if (count == ROWS && row->self <= shown[ROWS - 1]->self)
            continue;
        size_t at = count < ROWS ? count++ : ROWS - 1;
        for (; at && shown[at - 1]->self < row->self; at--)
            shown[at] = shown[at - 1];
        shown[at] = row;
    }
    return count;
}

/* What the rows of TABLE have that come after LAST, the last one that is shown. */
static struct pr_row sum_rest(const struct pr_table *table, const struct pr_row *last)
{
    struct pr_row rest = {0};
    for (size_t i = 0; i < table->count; i++) {
        const struct pr_row *row = &table->row[i];
        if (row->self > last->self || (row->self == last->self && row <= last))
            continue;
        rest.self = pr_add_saturated(rest.self, row->self);
        rest.self_count = pr_add_saturated(rest.self_count, row->self_count);
    }
    return rest;
}

static void emit_number(const struct pr_metric *metric, int64_t value, struct pr_buf *out)
{
    pr_buf_text(out, "<td class='r'>");
    pr_hover_metric(out, metric, value);
    pr_buf_text(out, " <span class='pc'>");
    pr_hover_metric_share(out, metric, value, metric->total_value);
    pr_buf_text(out, "</span></td>");
}

static void emit_count(const struct pr_metric *metric, int64_t count, struct pr_buf *out)
{
    if (metric->count)
        pr_html(out, "<td class='r hide-s' title='%s'>%s</td>", pr_units_counted(count, metric->count_name).text,
                pr_units_count(count).text);
}

/* A row is a place, so its node has the frame of the place, unless it is the root. */
static const char *owner_of(const struct pr_page *page, const struct pr_row *row, char letter[2])
{
    static const char letters[PR_OWNER_COUNT + 1] = "mlsnko";
    if (row->node == PR_ROOT || row->node >= page->profile->tree.count)
        return "";
    enum pr_owner owner = pr_traits_owner(&page->traits, page->profile->tree.frame[row->node]);
    letter[0] = letters[owner];
    return pr_owner_name(owner);
}

static void emit_row(const struct pr_page *page, const struct pr_metric *metric, const struct pr_row *row,
                     struct pr_buf *out)
{
    char letter[2] = "";
    const char *owner = owner_of(page, row, letter);
    struct pr_text function = pr_shown_function_of(page->profile, row->node, row->function),
                   file = pr_profile_text(page->profile, row->file);
    pr_buf_text(out, "<tr><th scope='row'>");
    if (row->no_stack)
        pr_html(out, "<span class='muted'>%s</span>",
                pr_metric_has_allocations(page->profile, metric) ? "outside Python" : "without a stack");
    else if (!function.length)
        pr_buf_text(out, "<span class='muted'>no name</span>");
    pr_html_name(out, function);
    pr_buf_text(out, "</th><td class='mono'>");
    const bool linked = pr_code_link(page, row->node, row->line, out);
    pr_html_name(out, file);
    if (row->line > 0)
        pr_html(out, ":%" PRId32, row->line);
    pr_buf_text(out, linked ? "</a>" : "");
    if (!file.length)
        pr_buf_text(out, "<span class='muted'>unknown</span>");
    pr_buf_text(out, "</td><td class='hide-s'>");
    if (*letter)
        pr_html(out, "<span class='sw o-%s'></span>%s", letter, owner);
    pr_buf_text(out, "</td>");
    emit_number(metric, row->self, out);
    emit_number(metric, row->total, out);
    emit_count(metric, row->self_count, out);
    pr_buf_text(out, "</tr>\n");
}

static void emit_rest(const struct pr_metric *metric, const struct pr_table *table, const struct pr_row *last,
                      struct pr_buf *out)
{
    if (table->count <= ROWS)
        return;
    const struct pr_row rest = sum_rest(table, last);
    pr_html(out, "<tr><th scope='row'><span class='muted'>%s</span></th><td></td><td class='hide-s'></td>",
            pr_units_counted((int64_t)(table->count - ROWS), "more places").text);
    emit_number(metric, rest.self, out);
    pr_buf_text(out, "<td></td>");
    emit_count(metric, rest.self_count, out);
    pr_buf_text(out, "</tr>\n");
}

static void emit_head(const struct pr_metric *metric, size_t shown, size_t count, struct pr_buf *out)
{
    pr_buf_text(out, "<div class='tblwrap'><table class='tbl wraps'>\n<caption>");
    if (shown < count)
        pr_html(out, "The %zu places with the highest self values, of %s", shown, pr_units_count((int64_t)count).text);
    else
        pr_buf_text(out, "All places, highest self value first");
    pr_buf_text(out, "</caption>\n<thead><tr><th scope='col'>Function</th><th scope='col'>File and line</th>"
                     "<th scope='col' class='hide-s'>Owner</th><th scope='col' class='r'>Self</th>"
                     "<th scope='col' class='r'>Total</th>");
    if (metric->count)
        pr_html(out, "<th scope='col' class='r hide-s'>Own %s</th>", metric->count_name);
    pr_buf_text(out, "</tr></thead>\n<tbody>\n");
}

static void emit_table(const struct pr_page *page, const struct pr_metric *metric, const struct pr_table *table,
                       struct pr_buf *out)
{
    const struct pr_row *shown[ROWS] = {NULL};
    const size_t count = choose_rows(table, shown);
    emit_head(metric, count, table->count, out);
    for (size_t i = 0; i < count; i++)
        emit_row(page, metric, shown[i], out);
    emit_rest(metric, table, shown[ROWS - 1], out);
    pr_buf_text(out, "</tbody></table></div>\n");
}

enum pr_status pr_top_places_emit(const struct pr_page *page, unsigned metric, struct pr_buf *out, struct pr_error *err)
{
    struct pr_table table = {0};
    enum pr_status status = pr_table_make(page->profile, metric, PR_BY_LOCATION, false, &table, err);
    if (status != PR_FAILED)
        emit_table(page, &page->profile->metrics[metric], &table, out);
    pr_table_clear(&table);
    return status;
}
