/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python objects by the call path that made them: how many, how many are alive at the end, how long the others lived.
 * The figures of `profrender stats`. One line has the totals and what the record lacks; the table opens.
 */
#include "render/html/hover.h"
#include "capture/model/nameless.h"
#include "render/page/section.h"
#include "render/page/source_links.h"

#include "capture/base/time.h"
#include "capture/model/run_times.h"
#include "profrender/objects.h"

#include <inttypes.h>

enum { ROWS = 20, CALLERS = 3 };

static bool wants_objects(const struct pr_profile *profile)
{
    return pr_profile_has_objects(profile) && !profile->is_difference;
}

static int64_t total_of(const struct pr_profile *profile, const char *metric)
{
    return profile->metrics[pr_profile_metric(profile, metric)].total_value;
}

/* "2,838 created, 219 alive at the end; ..." */
static void emit_totals(const struct pr_profile *profile, struct pr_buf *out)
{
    const struct pr_objects *objects = &profile->objects;
    pr_html(out, "<p class='muted'>%s created, ", pr_units_count(total_of(profile, "objects")).text);
    pr_html(out, "%s alive at the end. ", pr_units_count(total_of(profile, "objects_alive")).text);
    if (objects->replaced)
        pr_html(out, "The end of %s was not recorded. ",
                pr_units_counted(pr_units_signed(objects->replaced), "others").text);
    pr_buf_text(out, "memray records neither the type nor the size of an object");
    if (objects->known && objects->step_ms)
        pr_html(out, "; lifetimes are accurate to about %" PRIu32 " ms", objects->step_ms);
    else
        pr_buf_text(out, "; how long they lived is not known here");
    pr_buf_text(out, ".</p>");
}

static void emit_life(const struct pr_objects *objects, struct pr_maybe ms, struct pr_buf *out)
{
    if (!ms.known)
        pr_html(out, "<td class='r muted hide-s' title='%s'>-</td>",
                objects->known ? "none were destroyed" : "not recorded");
    else if (ms.value < (int64_t)objects->step_ms)
        pr_html(out, "<td class='r hide-s' title='shorter than a memory sample'>&lt; %" PRIu32 " ms</td>",
                objects->step_ms);
    else
        pr_html(out, "<td class='r hide-s' title='%s'>%s</td>", pr_units_milliseconds(ms.value).text,
                pr_units_duration(ms.value * PR_NS_PER_MS).text);
}

static void emit_place(const struct pr_page *page, pr_node_id leaf, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    if (leaf == PR_ROOT) {
        pr_buf_text(out, "<tr><th scope='row'><span class='muted'>outside Python</span></th><td></td>");
        return;
    }
    const struct pr_frame *frame = &profile->frames[profile->tree.frame[leaf]];
    pr_buf_text(out, "<tr><th scope='row'>");
    pr_html_name(out, pr_shown_function(profile, profile->tree.frame[leaf]));
    pr_buf_text(out, "</th><td class='mono'>");
    const bool linked = pr_code_link(page, leaf, frame->line, out);
    pr_html_name(out, pr_profile_text(profile, frame->file));
    if (frame->line > 0)
        pr_html(out, ":%" PRId32, frame->line);
    pr_buf_text(out, linked ? "</a>" : "");
    pr_node_id node = profile->tree.parent[leaf];
    for (int i = 0; i < CALLERS && node != PR_ROOT; i++, node = profile->tree.parent[node]) {
        pr_buf_text(out, i ? " ‹ " : "<br><span class='muted'>called by ");
        pr_html_name(out, pr_shown_function(profile, profile->tree.frame[node]));
    }
    if (profile->tree.parent[leaf] != PR_ROOT)
        pr_buf_text(out, node != PR_ROOT ? " ‹ …</span>" : "</span>");
    pr_buf_text(out, "</td>");
}

static void emit_row(const struct pr_page *page, const struct pr_object_row *row, struct pr_buf *out)
{
    const struct pr_objects *objects = &page->profile->objects;
    emit_place(page, row->leaf, out);
    pr_html(out, "<td class='r'>%s</td>", pr_units_count(row->created).text);
    pr_html(out, "<td class='r'>%s</td>", pr_units_count(row->alive).text);
    emit_life(objects, row->median_ms, out);
    emit_life(objects, row->longest_ms, out);
    pr_buf_text(out, "</tr>\n");
}

static void emit_table(const struct pr_page *page, const struct pr_object_table *table, struct pr_buf *out)
{
    const size_t shown = table->count < ROWS ? table->count : ROWS;
    pr_buf_text(out, "<details class='more'><summary>Call paths</summary>\n<div class='tblwrap'>"
                     "<table class='tbl wraps'><caption>");
    if (shown < table->count)
        pr_html(out, "The %zu call paths that created the most objects, of %s", shown,
                pr_units_count(pr_units_signed(table->count)).text);
    else
        pr_buf_text(out, "All call paths that created objects, largest count first");
    pr_buf_text(out, "</caption>\n<thead><tr><th scope='col'>Created by</th><th scope='col'>File and line</th>"
                     "<th scope='col' class='r'>Created</th><th scope='col' class='r'>Alive</th>"
                     "<th scope='col' class='r hide-s' title='half of the destroyed objects lived at most this "
                     "long'>Median</th>"
                     "<th scope='col' class='r hide-s' title='of the destroyed objects'>Longest</th></tr></thead>\n"
                     "<tbody>\n");
    for (size_t i = 0; i < shown; i++)
        emit_row(page, &table->row[i], out);
    pr_buf_text(out, "</tbody></table></div></details>\n");
}

static enum pr_status emit_objects(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct pr_object_table table;
    const enum pr_status status = pr_object_table_make(page->profile, &table, err);
    if (status != PR_FAILED) {
        pr_buf_text(out, "<section class='panel objects' aria-labelledby='h-objects'>\n<div class='head'>"
                         "<h2 id='h-objects'>Python objects</h2>");
        emit_totals(page->profile, out);
        pr_buf_text(out, "</div>\n");
        if (table.count)
            emit_table(page, &table, out);
        pr_buf_text(out, "</section>\n");
    }
    pr_object_table_clear(&table);
    return status;
}

const struct pr_section pr_section_objects = {"objects", "main", wants_objects, emit_objects};
