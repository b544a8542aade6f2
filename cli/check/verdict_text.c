/* SPDX-License-Identifier: Apache-2.0 */
/* A line for each rule, the broken ones first and in full: the functions that did it below them; then the undecided. */
#include "cli/check/verdict_text.h"

#include "capture/base/text.h"
#include "cli/io/terminal_names.h"
#include "render/words/touch_words.h"

#include <string.h>

enum { INDENT = 6, GAP = 2, MIN_NAME = 8 };

static void add_culprit(struct pr_report *report, const struct pr_verdict *verdict, const struct pr_finding *finding,
                        const struct pr_culprit *culprit)
{
    const struct pr_finding of_value = {.metric = finding->metric, .is_count = finding->is_count};
    const bool grew = finding->has_before && finding->kind != PR_RULE_BUDGET;
    const size_t columns = report->term.columns;
    struct pr_buf line = {0}, name = {0};
    struct pr_text file = pr_culprit_file(verdict, culprit);
    struct pr_figure amount = grew ? pr_finding_change(&of_value, pr_culprit_change(culprit))
                                   : pr_finding_figure(&of_value, culprit->after);
    pr_buf_printf(&line, "%*s%s%*s%s", INDENT, "", report->style.warn, pr_figure_width(&amount, 11), amount.text,
                  report->style.off);
    const size_t words = strlen(pr_touch_words(culprit->touch));
    const size_t taken = INDENT + 11 + 2 * GAP + words;
    const size_t room = columns > taken + 2 * MIN_NAME ? columns - taken : 2 * MIN_NAME;
    pr_text_cut_function(&name, pr_culprit_shown(verdict, culprit), file.length ? room / 2 : room);
    size_t used = name.length ? pr_text_columns(name.bytes, name.length) : 0;
    pr_buf_printf(&line, "%*s%s%s%s", GAP, "", report->style.mine, name.bytes ? name.bytes : "", report->style.off);
    if (file.length) {
        pr_buf_printf(&line, "%*s%s", GAP, "", report->style.dim);
        pr_text_cut_place(&line, file, culprit->line, room - used);
        pr_buf_printf(&line, "%s%s", pr_touch_words(culprit->touch), report->style.off);
    }
    pr_buf_byte(&line, '\n');
    line.failed |= name.failed;
    pr_buf_clear(&name);
    pr_report_flush(report, &line);
}

static const char *const answers[] = {[PR_KEPT] = "ok", [PR_BROKEN] = "FAIL", [PR_CANNOT_TELL] = "?"};

/* The history of a metric: "▁▁▁▁▅▅▅  7 runs, this one last", "...  the last 30 of 201 runs, this one last". */
static void write_trend(struct pr_report *report, const struct pr_trend *trend)
{
    struct pr_buf line = {0};
    pr_buf_printf(&line, "%*s%s", INDENT, "", report->style.dim);
    const size_t bars = pr_trend_sparkline(&line, trend), runs = trend->count + 1;
    pr_buf_text(&line, "  ");
    if (bars < runs)
        pr_buf_printf(&line, "the last %zu of ", bars);
    pr_buf_printf(&line, "%zu runs, this one last%s\n", runs, report->style.off);
    pr_report_flush(report, &line);
}

/* "path: main > train > load" */
static void write_path(struct pr_report *report, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    struct pr_buf line = {0}, path = {0};
    pr_finding_path(&path, verdict, finding);
    if (path.length)
        pr_buf_printf(&line, "%*s%spath: %.*s%s\n", INDENT, "", report->style.dim, (int)path.length, path.bytes,
                      report->style.off);
    line.failed |= path.failed;
    pr_buf_clear(&path);
    pr_report_flush(report, &line);
}

static void write_finding(struct pr_report *report, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    struct pr_buf line = {0}, sentence = {0};
    const bool is_broken = finding->answer == PR_BROKEN;
    pr_finding_sentence(&sentence, verdict, finding);
    pr_buf_printf(&line, "%s%-*s%s", is_broken ? report->style.warn : report->style.dim, INDENT,
                  finding->has_cause ? "also" : answers[finding->answer], report->style.off);
    if (sentence.length)
        pr_text_add(&line, (struct pr_text){sentence.bytes, (uint32_t)sentence.length});
    pr_buf_byte(&line, '\n');
    line.failed |= sentence.failed;
    pr_buf_clear(&sentence);
    pr_report_flush(report, &line);
    if (finding->trend.count && finding->answer != PR_KEPT)
        write_trend(report, &finding->trend);
    for (size_t i = 0; is_broken && !finding->has_cause && finding->kind < PR_RULE_FUNCTION &&
                       i < finding->culprit_count; i++)
        add_culprit(report, verdict, finding, &finding->culprit[i]);
    if (is_broken && !finding->has_cause)
        write_path(report, verdict, finding);
}

static void write_note(struct pr_report *report, const char *note)
{
    struct pr_buf line = {0};
    pr_buf_printf(&line, "%s%-*s%s", report->style.dim, INDENT, "note", report->style.off);
    pr_text_add(&line, pr_text_of(note));
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
}

void pr_verdict_text_write(struct pr_report *report, const struct pr_verdict *verdict)
{
    for (size_t i = 0; i < verdict->count; i++)
        write_finding(report, verdict, &verdict->finding[i]);
    for (size_t i = 0; i < verdict->note_count; i++)
        write_note(report, verdict->notes[i]);
    struct pr_buf line = {0};
    pr_buf_printf(&line, "\n%s", report->style.bold);
    pr_verdict_summary(&line, verdict);
    pr_buf_printf(&line, "%s\n", report->style.off);
    pr_report_flush(report, &line);
}
