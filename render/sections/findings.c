/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few plain sentences with their numbers: where the time went; what held most of the peak, what was left,
 * what came and went. Only what the capture proves is said.
 */
#include "capture/base/text.h"
#include "profrender/table.h"
#include "render/sections/biggest_holder.h"
#include "render/html/hover.h"
#include "render/page/section.h"
#include "render/sections/total_cell.h"
#include "render/html/nonbreaking.h"
#include "render/page/source_links.h"

#include <inttypes.h>
#include <string.h>

/* A place that has less than this share of a metric is not a finding. In percent. */
enum { MIN_SHARE = 5 };

enum { TITLE_LENGTH = 300 };

/* What a sentence is about: a place, and what it has of a metric. */
struct finding {
    const struct pr_page *page;
    const struct pr_view *view;
    const struct pr_metric *metric;
    pr_str function, file;
    int32_t line;    /* 0 = unknown */
    bool has_libraries; /* the user's own code, with what it calls in libraries */
    int64_t line_value;  /* of that line */
    uint32_t line_count; /* lines of the function that add to the value; 0 = not distinguished */
    pr_node_id node; /* where to show it; PR_NO_NODE = nowhere */
    int64_t value, count;
};

static bool wants_findings(const struct pr_profile *profile)
{
    if (profile->series_count)
        return true;
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].total_value > 0)
            return true;
    }
    return false;
}

/* ---- parts of sentences */

static void emit_function(const struct finding *finding, struct pr_buf *out)
{
    pr_buf_text(out, "<code>");
    pr_html_name(out, pr_profile_text(finding->page->profile, finding->function));
    pr_buf_text(out, "</code>");
}

/* "etl.py:41" */
static void emit_file(const struct finding *finding, struct pr_buf *out)
{
    struct pr_text file = pr_profile_text(finding->page->profile, finding->file);
    const bool linked = pr_code_link(finding->page, finding->node, finding->line, out);
    pr_buf_text(out, "<code title='");
    pr_html_cut(out, file, TITLE_LENGTH);
    pr_buf_text(out, "'>");
    pr_html_name(out, file.length ? pr_text_file_name_anywhere(file) : (struct pr_text){"an unknown file", 15});
    if (finding->line > 0)
        pr_html(out, ":%" PRId32, finding->line);
    pr_buf_text(out, linked ? "</code></a>" : "</code>");
}

/* " at etl.py:41", if that is known. */
static void emit_at(const struct finding *finding, struct pr_buf *out)
{
    if (pr_profile_text(finding->page->profile, finding->file).length) {
        pr_buf_text(out, " at ");
        emit_file(finding, out);
    }
}

/* An amount of the metric, all its digits on hover. */
static void emit_amount(const struct finding *finding, int64_t amount, struct pr_buf *out)
{
    pr_hover_metric(out, finding->metric, amount);
}

static void emit_value(const struct finding *finding, struct pr_buf *out)
{
    emit_amount(finding, finding->value, out);
}

/* "113 MiB of it at etl.py:41, including the libraries it calls." A function of one line is all of it at that line. */
static void emit_place(const struct finding *finding, struct pr_buf *out)
{
    if (finding->line_count > 1)
        emit_amount(finding, finding->line_value, out);
    pr_buf_text(out, finding->line_count > 1 ? " of it at " : "at ");
    emit_file(finding, out);
    pr_buf_text(out, finding->has_libraries ? ", including the libraries it calls." : ".");
}

/* "53 allocations, 113 MiB of it at etl.py:41, including the libraries it calls." */
static void emit_allocations(const struct finding *finding, struct pr_buf *out)
{
    if (finding->metric->count)
        pr_html(out, "%s%s", pr_units_counted(finding->count, finding->metric->count_name).text,
                finding->line_count > 1 ? ", " : " ");
    emit_place(finding, out);
}

static void emit_share(const struct finding *finding, struct pr_buf *out)
{
    pr_hover_metric_share(out, finding->metric, finding->value, finding->metric->total_value);
}

/* ---- sentences of the heap */

static void emit_peak(const struct finding *finding, struct pr_buf *out)
{
    const struct pr_maybe peak_ms = pr_times_peak_ms(finding->page->profile);
    pr_buf_text(out, "<strong>");
    emit_function(finding, out);
    pr_buf_text(out, " holds ");
    emit_value(finding, out);
    pr_buf_text(out, "</strong> of the ");
    emit_amount(finding, finding->metric->total_value, out);
    pr_buf_text(out, " heap peak");
    if (peak_ms.known)
        pr_hover_moment(out, " at ", finding->page->profile, peak_ms.value);
    pr_buf_text(out, " (");
    emit_share(finding, out);
    pr_buf_text(out, "): ");
    emit_allocations(finding, out);
}

static void emit_leak(const struct finding *finding, struct pr_buf *out)
{
    const bool complete = finding->page->profile->complete;
    pr_buf_text(out, "<strong>");
    emit_value(finding, out);
    pr_buf_text(out, " from ");
    emit_function(finding, out);
    pr_html(out, "%s</strong>: ", complete ? " is not freed" : " was still held where the capture ends");
    emit_share(finding, out);
    pr_buf_text(out, " of all unfreed memory, ");
    emit_allocations(finding, out);
    if (!complete)
        pr_buf_text(out, " It may have been freed later.");
}

static void emit_temporary(const struct finding *finding, struct pr_buf *out)
{
    pr_buf_text(out, "<strong>");
    emit_function(finding, out);
    pr_buf_text(out, " makes ");
    emit_value(finding, out);
    pr_buf_text(out, " of temporary allocations</strong>, freed before the next one: ");
    emit_share(finding, out);
    pr_buf_text(out, " of all temporary memory, ");
    emit_allocations(finding, out);
}

/* ---- sentences of all other metrics */

/* "load takes 62.0 % of the time: 3.10 s, 2.50 s of it at etl.py:12, including the libraries it calls." */
static void emit_most(const struct finding *finding, struct pr_buf *out)
{
    const bool is_time = finding->metric->unit == PR_UNIT_NANOSECONDS || finding->metric->unit == PR_UNIT_CYCLES;
    pr_buf_text(out, "<strong>");
    emit_function(finding, out);
    pr_buf_text(out, is_time ? " takes " : " has ");
    emit_share(finding, out);
    pr_html(out, " of %s</strong>: ", finding->view->whole);
    emit_value(finding, out);
    if (pr_profile_text(finding->page->profile, finding->file).length) {
        pr_buf_text(out, finding->line_count > 1 ? ", " : " ");
        emit_place(finding, out);
    } else {
        pr_buf_text(out, finding->has_libraries ? ", including the libraries it calls." : ".");
    }
}

/* "Highest self time: parse at csv.py:33, 1.20 s, 30.0 % of the time." */
static void emit_most_self(const struct finding *finding, struct pr_buf *out)
{
    pr_html(out, "<strong>Highest self %s: ", finding->metric->unit == PR_UNIT_NANOSECONDS ? "time" : "value");
    emit_function(finding, out);
    pr_buf_text(out, "</strong>");
    emit_at(finding, out);
    pr_buf_text(out, ", ");
    emit_value(finding, out);
    pr_buf_text(out, ", ");
    emit_share(finding, out);
    pr_html(out, " of %s.", finding->view->whole);
}

/* "Most calls: get at cache.py:7, 1,000,000 of 2,400,000." */
static void emit_most_calls(const struct finding *finding, struct pr_buf *out)
{
    pr_buf_text(out, "<strong>Most calls: ");
    emit_function(finding, out);
    pr_buf_text(out, "</strong>");
    emit_at(finding, out);
    pr_html(out, ", %s of %s.", pr_units_count(finding->count).text,
            pr_units_count(finding->metric->total_count).text);
}

/* ---- which of them */

typedef void emit_sentence(const struct finding *finding, struct pr_buf *out);

static const struct {
    const char *metric;
    emit_sentence *emit;
} heap_sentences[] = {{"peak", emit_peak}, {"leaked", emit_leak}, {"temporary", emit_temporary}};

static bool is_worth_saying(int64_t part, int64_t whole)
{
    return part > 0 && (double)part * 100 >= (double)whole * MIN_SHARE;
}

static void emit_finding(const struct finding *finding, emit_sentence *emit, struct pr_buf *out)
{
    pr_buf_text(out, "<li><p>");
    emit(finding, out);
    pr_buf_text(out, "</p>");
    if (finding->node != PR_NO_NODE) /* a function with exact figures may be nowhere in an estimated tree */
        pr_html(out,
                "\n<p class='links'><a href='#%s%s' data-view='%s' data-node='%" PRIu32 "'>Show in the graph</a></p>",
                pr_view_prefix(finding->view), finding->view->id, finding->view->id,
                finding->page->payload.fold.number[finding->node]);
    pr_buf_text(out, "</li>\n");
}

/* The largest holder of the metric, as FINDING. */
static enum pr_status find_holder(struct finding *finding, struct pr_error *err)
{
    const struct pr_profile *profile = finding->page->profile;
    struct pr_holder holder;
    if (pr_holder_find(profile, &finding->page->traits, finding->view->metric, &holder, err) == PR_FAILED)
        return PR_FAILED;
    if (holder.known) {
        const struct pr_frame *frame = &profile->frames[holder.frame];
        finding->function = frame->function;
        finding->file = frame->file;
        finding->line = frame->line;
        finding->has_libraries = holder.is_own && holder.has_others;
        finding->line_value = holder.line_value;
        finding->line_count = holder.line_count;
        finding->node = holder.node;
        finding->value = holder.value;
        finding->count = holder.count;
    }
    return PR_OK;
}

/* What a run that failed still held had no time to be freed: it is not a leak. */
static bool is_ended(const struct finding *finding)
{
    return pr_failure_is_one(&finding->page->profile->run.failure) && !strcmp(finding->metric->name, "leaked");
}

static enum pr_status emit_heap(struct finding *finding, struct pr_buf *out, struct pr_error *err)
{
    if (find_holder(finding, err) == PR_FAILED)
        return PR_FAILED;
    for (size_t i = 0; i < sizeof heap_sentences / sizeof *heap_sentences; i++) {
        if (!strcmp(heap_sentences[i].metric, finding->metric->name) && !is_ended(finding) &&
            is_worth_saying(finding->value, finding->metric->total_value))
            emit_finding(finding, heap_sentences[i].emit, out);
    }
    return PR_OK;
}

static void take_row(struct finding *finding, const struct pr_row *row)
{
    finding->function = row->function;
    finding->file = row->file;
    finding->line = row->line;
    finding->has_libraries = false;
    finding->node = row->node;
    finding->value = row->self;
    finding->count = row->self_count;
}

/*
 * The function with the highest self value, unless that has been SAID, and the one called most often, where calls were
 * counted.
 */
static enum pr_status emit_functions(const struct finding *said, struct pr_buf *out, struct pr_error *err)
{
    struct finding next = *said, *finding = &next;
    const struct pr_metric *metric = finding->metric;
    const struct pr_row *self = NULL, *calls = NULL;
    struct pr_table table = {0};
    if (pr_table_make(finding->page->profile, finding->view->metric, PR_BY_FUNCTION, false, &table, err) == PR_FAILED)
        return PR_FAILED;
    for (size_t i = 0; i < table.count; i++) {
        const struct pr_row *row = &table.row[i];
        if (row->no_stack)
            continue;
        self = !self || row->self > self->self ? row : self;
        calls = !calls || row->self_count > calls->self_count ? row : calls;
    }
    const bool is_said = self && self->function == said->function && self->self == said->value;
    if (self && !is_said && is_worth_saying(self->self, metric->total_value)) {
        take_row(finding, self);
        emit_finding(finding, emit_most_self, out);
    }
    if (calls && metric->count && !strcmp(metric->count_name, "calls") &&
        is_worth_saying(calls->self_count, metric->total_count)) {
        take_row(finding, calls);
        emit_finding(finding, emit_most_calls, out);
    }
    pr_table_clear(&table);
    return PR_OK;
}

/* An estimated tree proves nothing about what a function and its callees took together. */
static enum pr_status emit_main(struct finding *finding, struct pr_buf *out, struct pr_error *err)
{
    if (!finding->metric->exact && find_holder(finding, err) == PR_FAILED)
        return PR_FAILED;
    if (is_worth_saying(finding->value, finding->metric->total_value))
        emit_finding(finding, emit_most, out);
    return emit_functions(finding, out, err);
}

/* Each metric of the heap has its sentence; of the others, the first one. */
static enum pr_status emit_all(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    enum pr_status status = PR_OK;
    bool has_main = false;
    for (uint32_t i = 0; i < page->views.count && status != PR_FAILED; i++) {
        const struct pr_view *view = &page->views.view[i];
        struct finding finding = {.page = page, .view = view, .metric = &page->profile->metrics[view->metric]};
        if (finding.metric->total_value <= 0 || !pr_view_is_static(&page->views, view))
            continue;
        if (view->is_heap)
            status = emit_heap(&finding, out, err);
        else if (!has_main)
            status = emit_main(&finding, out, err);
        has_main |= !view->is_heap;
    }
    return status;
}

/* What follows the item at AT. A name in it cannot end it: names are escaped. */
static const char *after_item(const char *at, const char *end)
{
    static const char close[] = "</li>\n";
    const char *found = memmem(at, (size_t)(end - at), close, sizeof close - 1);
    return found ? found + sizeof close - 1 : end;
}

static void emit_list(const char *items, const char *end, struct pr_buf *out)
{
    pr_buf_text(out, "<ol class='findings'>\n");
    pr_together_add(out, items, (size_t)(end - items));
    pr_buf_text(out, "</ol>\n");
}

/* The first few are read; the others open. */
static void emit_items(const struct pr_buf *items, struct pr_buf *out)
{
    enum { SHOWN = 3 };
    const char *end = items->bytes + items->length, *rest = items->bytes;
    unsigned more = 0;
    for (int i = 0; i < SHOWN && rest < end; i++)
        rest = after_item(rest, end);
    for (const char *at = rest; at < end; at = after_item(at, end))
        more++;
    pr_buf_text(out, "<section class='panel told' aria-labelledby='h-find'>\n"
                     "<h2 class='vh' id='h-find'>Findings</h2>\n");
    emit_list(items->bytes, rest, out);
    if (more) {
        pr_html(out, "<details class='more'><summary>%u more</summary>\n", more);
        emit_list(rest, end, out);
        pr_buf_text(out, "</details>\n");
    }
    pr_buf_text(out, "</section>\n");
}

static enum pr_status emit_findings(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct pr_buf items = {0};
    pr_run_memory_finding_emit(page, &items);
    const bool differs = pr_profile_is_difference(page->profile);
    const enum pr_status status = differs ? pr_growth_findings_emit(page, &items, err) : emit_all(page, &items, err);
    pr_run_findings_emit(page, &items);
    if (status != PR_FAILED && items.length)
        emit_items(&items, out);
    out->failed |= items.failed;
    pr_buf_clear(&items);
    return status;
}

const struct pr_section pr_section_findings = {"findings", "main", wants_findings, emit_findings};
