/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/growth_points.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"
#include "cli/reports/document_parts.h"

enum { NAME_COLUMNS = 60, MOST_HOLDERS = 5 };

enum pr_status pr_growth_points_find(const struct pr_diff *diff, unsigned metric, struct pr_growth_points *points,
                                     struct pr_error *err)
{
    const unsigned newest = metric * diff->count;
    *points = (struct pr_growth_points){.profile = diff->profile, .metric = &diff->profile->metrics[newest]};
    return pr_diff_growth_points(diff->profile, newest, newest + diff->count - 1, points->at, &points->count, err);
}

static struct pr_text class_of(const struct pr_growth_points *points, pr_node_id node)
{
    const struct pr_profile *profile = points->profile;
    return pr_profile_text(profile, profile->frames[profile->tree.frame[node]].function);
}

typedef void add_name(struct pr_buf *line, struct pr_text name);

static void add_plain(struct pr_buf *line, struct pr_text name)
{
    pr_text_cut_end(line, name, NAME_COLUMNS);
}

static void add_code(struct pr_buf *line, struct pr_text name)
{
    pr_markdown_code(line, name, NAME_COLUMNS);
}

/* "+127 KiB  (array), 129 KiB to 256 KiB: 500 more objects of Order, 500 to 1,000" */
static void add_point(struct pr_buf *line, const struct pr_growth_points *points, const struct pr_growth_point *point,
                      bool exact, add_name *name)
{
    const int64_t change = pr_subtract_saturated(point->after, point->before);
    const pr_node_id holder = point->node == PR_ROOT ? point->grown : point->node;
    pr_buf_printf(line, "%s  ", pr_units_metric_change(points->metric, exact, change).text);
    name(line, class_of(points, holder));
    pr_buf_printf(line, ", %s to ", pr_report_figure(points->metric, exact, point->before).text);
    pr_buf_printf(line, "%s: ", pr_report_figure(points->metric, exact, point->after).text);
    if (point->grown == PR_NO_NODE) {
        pr_buf_text(line, "no class below it has most of it");
        return;
    }
    const int64_t more = pr_subtract_saturated(point->objects_after, point->objects_before);
    pr_buf_printf(line, "%s more object%s", pr_units_count(more).text, more == 1 ? "" : "s");
    if (point->node != PR_ROOT) {
        pr_buf_text(line, " of ");
        name(line, class_of(points, point->grown));
    }
    pr_buf_printf(line, ", %s to ", pr_units_count(point->objects_before).text);
    pr_buf_text(line, pr_units_count(point->objects_after).text);
    if (point->node == PR_ROOT)
        pr_buf_text(line, ", that no one object holds");
}

/* "held by Desk.open, Desk, global.desk": nearest first. False: by a root. */
static bool add_holders(struct pr_buf *line, const struct pr_growth_points *points, const struct pr_growth_point *point,
                        add_name *name)
{
    const struct pr_tree *tree = &points->profile->tree;
    pr_node_id node = point->node == PR_ROOT ? PR_ROOT : tree->parent[point->node];
    if (node == PR_ROOT)
        return false;
    pr_buf_text(line, "held by ");
    for (int i = 0; node != PR_ROOT && i < MOST_HOLDERS; node = tree->parent[node], i++) {
        pr_buf_text(line, i ? ", " : "");
        name(line, class_of(points, node));
    }
    pr_buf_text(line, node == PR_ROOT ? "" : ", ...");
    return true;
}

void pr_growth_points_report(struct pr_report *report, const struct pr_growth_points *points, bool exact)
{
    if (points->count)
        pr_report_heading(report, "Where it grew");
    for (size_t i = 0; i < points->count; i++) {
        struct pr_buf line = {0}, holders = {0};
        pr_buf_text(&line, "  ");
        add_point(&line, points, &points->at[i], exact, add_plain);
        pr_buf_byte(&line, '\n');
        pr_report_flush(report, &line);
        if (add_holders(&holders, points, &points->at[i], add_plain)) {
            pr_buf_printf(&line, "    %s%s%s\n", report->style.dim, holders.length ? holders.bytes : "",
                          report->style.off);
            line.failed |= holders.failed;
            pr_report_flush(report, &line);
        }
        pr_buf_clear(&holders);
    }
}

void pr_growth_points_markdown(struct pr_output *out, const struct pr_growth_points *points, bool exact)
{
    struct pr_buf line = {0};
    if (points->count)
        pr_buf_text(&line, "\nWhere it grew:\n\n");
    for (size_t i = 0; i < points->count; i++) {
        struct pr_buf holders = {0};
        pr_buf_text(&line, "- ");
        add_point(&line, points, &points->at[i], exact, add_code);
        if (add_holders(&holders, points, &points->at[i], add_code))
            pr_buf_printf(&line, "; %s", holders.length ? holders.bytes : "");
        line.failed |= holders.failed;
        pr_buf_clear(&holders);
        pr_buf_byte(&line, '\n');
    }
    pr_output_buf(out, &line);
}

static void put_class(struct pr_json_writer *json, const struct pr_growth_points *points, const char *key,
                      pr_node_id node)
{
    pr_json_put_key(json, key);
    if (node == PR_ROOT || node == PR_NO_NODE)
        pr_json_put_null(json);
    else
        pr_json_put_name(json, class_of(points, node));
}

static void put_number(struct pr_json_writer *json, const char *key, int64_t number)
{
    pr_json_put_key(json, key);
    pr_json_put_int(json, number);
}

void pr_growth_points_json(struct pr_json_writer *json, const struct pr_growth_points *points)
{
    pr_json_put_key(json, "growth_points");
    pr_json_put_lines(json, '[');
    for (size_t i = 0; i < points->count; i++) {
        const struct pr_growth_point *point = &points->at[i];
        pr_json_put_open(json, '{');
        put_class(json, points, "holder", point->node);
        put_number(json, "before", point->before);
        put_number(json, "after", point->after);
        put_class(json, points, "grown", point->grown);
        put_number(json, "objects_before", point->objects_before);
        put_number(json, "objects_after", point->objects_after);
        pr_document_stack(json, points->profile, "stack", point->node == PR_ROOT ? point->grown : point->node);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}
