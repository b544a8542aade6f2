/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few plain sentences with the numbers behind them: what held most of the peak, what was left, what came and went.
 * Only what the capture proves is said.
 */
#include "render/holder.h"
#include "render/section.h"

#include <inttypes.h>
#include <string.h>

/* A place that is behind less than this share of a metric is no finding. In percent. */
enum { MIN_SHARE = 5 };

enum { TITLE_LENGTH = 300 };

struct finding {
    const struct pr_page *page;
    const struct pr_view *view;
    const struct pr_metric *metric;
    struct pr_holder holder;
};

static bool wants_findings(const struct pr_profile *profile)
{
    for (const struct pr_view *view = pr_views; view->metric; view++) {
        int metric = pr_profile_metric(profile, view->metric);
        if (metric >= 0 && profile->metrics[metric].total_value > 0)
            return true;
    }
    return false;
}

static struct pr_text last_part(struct pr_text path)
{
    uint32_t start = path.length;
    while (start && path.bytes[start - 1] != '/' && path.bytes[start - 1] != '\\')
        start--;
    return (struct pr_text){path.bytes + start, path.length - start};
}

static void emit_function(const struct finding *finding, struct pr_buf *out)
{
    const struct pr_profile *profile = finding->page->profile;
    pr_buf_text(out, "<code>");
    pr_html_name(out, pr_profile_text(profile, profile->frames[finding->holder.frame].function));
    pr_buf_text(out, "</code>");
}

/* "53 allocations made at etl.py:41 (113 MiB) and 2 more lines, or in library code that they call." */
static void emit_place(const struct finding *finding, struct pr_buf *out)
{
    const struct pr_profile *profile = finding->page->profile;
    const struct pr_frame *frame = &profile->frames[finding->holder.frame];
    struct pr_text file = pr_profile_text(profile, frame->file);
    pr_html(out, "%s made at <code title='", pr_units_counted(finding->holder.count, "allocations").text);
    pr_html_cut(out, file, TITLE_LENGTH);
    pr_buf_text(out, "'>");
    pr_html_name(out, file.length ? last_part(file) : (struct pr_text){"an unknown file", 15});
    if (frame->line > 0)
        pr_html(out, ":%" PRId32, frame->line);
    pr_buf_text(out, "</code>");
    const bool several = finding->holder.line_count > 1;
    if (several)
        pr_html(out, " (%s) and %s", pr_units_value(finding->metric->unit, finding->holder.line_value).text,
                pr_units_counted(finding->holder.line_count - 1, "more lines").text);
    if (finding->holder.is_own)
        pr_buf_text(out, several ? ", or in library code that they call" : " or in library code that it calls");
    pr_buf_byte(out, '.');
}

static void emit_value(const struct finding *finding, struct pr_buf *out)
{
    pr_html(out, "<span title='%s'>%s</span>", pr_units_exact(finding->metric->unit, finding->holder.value).text,
            pr_units_value(finding->metric->unit, finding->holder.value).text);
}

static void emit_peak(const struct finding *finding, struct pr_buf *out)
{
    const struct pr_profile *profile = finding->page->profile;
    const int64_t total = finding->metric->total_value;
    const struct pr_figure moment = pr_page_peak_moment(profile);
    pr_buf_text(out, "<strong>");
    emit_function(finding, out);
    pr_buf_text(out, " holds ");
    emit_value(finding, out);
    pr_html(out, "</strong> of the %s heap peak%s%s (%s): ", pr_units_bytes(total).text, *moment.text ? " at " : "",
            moment.text, pr_units_percent(finding->holder.value, total).text);
    emit_place(finding, out);
}

static void emit_leak(const struct finding *finding, struct pr_buf *out)
{
    const bool complete = finding->page->profile->complete;
    pr_buf_text(out, "<strong>");
    emit_value(finding, out);
    pr_buf_text(out, " from ");
    emit_function(finding, out);
    pr_html(out, "%s</strong>: %s of all that is left, ",
            complete ? " is not freed" : " was still held where the capture stops",
            pr_units_percent(finding->holder.value, finding->metric->total_value).text);
    emit_place(finding, out);
    if (!complete)
        pr_buf_text(out, " Whether it is freed later is not known.");
}

static void emit_temporary(const struct finding *finding, struct pr_buf *out)
{
    pr_buf_text(out, "<strong>");
    emit_function(finding, out);
    pr_buf_text(out, " makes ");
    emit_value(finding, out);
    pr_html(out, " of temporary allocations</strong>, freed almost at once: %s of all such bytes, ",
            pr_units_percent(finding->holder.value, finding->metric->total_value).text);
    emit_place(finding, out);
}

static const struct {
    const char *metric;
    void (*emit)(const struct finding *finding, struct pr_buf *out);
} sentences[] = {{"peak", emit_peak}, {"leaked", emit_leak}, {"temporary", emit_temporary}};

static bool is_worth_saying(const struct finding *finding)
{
    const struct pr_holder *holder = &finding->holder;
    return holder->known && holder->value >= finding->metric->total_value / 100 * MIN_SHARE;
}

static enum pr_status emit_finding(const struct pr_page *page, size_t number, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_view *view = pr_views;
    while (view->metric && strcmp(view->metric, sentences[number].metric))
        view++;
    int metric = view->metric ? pr_page_metric(page, view) : -1;
    if (metric < 0)
        return PR_OK;
    struct finding finding = {page, view, &page->profile->metrics[metric], {0}};
    if (pr_holder_find(page->profile, &page->traits, (unsigned)metric, &finding.holder, err) == PR_FAILED)
        return PR_FAILED;
    if (!is_worth_saying(&finding))
        return PR_OK;
    pr_buf_text(out, "<li><p>");
    sentences[number].emit(&finding, out);
    pr_html(out,
            "</p>\n<p class='links'><a href='#%s' data-view='%s' data-node='%" PRIu32 "'>Show in the graph</a>"
            "</p></li>\n",
            view->id, view->id, page->payload.fold.number[finding.holder.node]);
    return PR_OK;
}

static enum pr_status emit_findings(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct pr_buf items = {0};
    enum pr_status status = PR_OK;
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences && status != PR_FAILED; i++)
        status = emit_finding(page, i, &items, err);
    if (status != PR_FAILED && items.length) {
        pr_buf_text(out, "<section class='panel' aria-labelledby='h-find'>\n<h2 class='vh' id='h-find'>Findings</h2>\n"
                         "<ol class='findings'>\n");
        pr_buf_add(out, items.bytes, items.length);
        pr_buf_text(out, "</ol>\n</section>\n");
    }
    out->failed |= items.failed;
    pr_buf_clear(&items);
    return status;
}

const struct pr_section pr_section_findings = {"findings", "main", wants_findings, emit_findings};
