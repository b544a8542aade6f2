/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict for the machines that show it: JUnit (every CI), annotations and a step summary (GitHub), OpenMetrics
 * (GitLab's merge requests, Prometheus).
 *
 * Source: the schema of Jenkins' xunit plugin for JUnit; GitHub, "Workflow commands for GitHub Actions" (properties
 * escape % CR LF : and commas, messages the first three; ten annotations of a kind a step; a step summary takes 1 MiB);
 * OpenMetrics 1.0.
 */
#include "capture/base/text.h"
#include "cli/reports/document_parts.h"
#include "cli/io/escapes.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"
#include "cli/check/verdict.h"
#include "render/words/touch_words.h"

#include <stdio.h>
#include <string.h>

enum { CODE_COLUMNS = 80, MOST_ANNOTATIONS = 10, MOST_ROWS = 50, LINE_COLUMNS = 120, PATH_COLUMNS = 260 };

const struct pr_report_format pr_report_formats[] = {
    {"json", false, pr_verdict_write_json},
    {"junit", false, pr_verdict_write_junit},
    {"github", true, pr_verdict_write_github},
    {"markdown", true, pr_verdict_write_markdown},
    {"codequality", false, pr_verdict_write_codequality},
    {"openmetrics", false, pr_verdict_write_openmetrics},
    {"sarif", false, pr_verdict_write_sarif},
    {"bencher", false, pr_verdict_write_bencher},
    {"benchmark", false, pr_verdict_write_benchmark},
    {NULL, false, NULL},
};

/* "features.py:12", visible, on one line. */
static void add_place(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_culprit *culprit)
{
    struct pr_text file = pr_culprit_file(verdict, culprit);
    if (file.length)
        pr_text_cut_path(buf, file, LINE_COLUMNS);
    if (file.length && culprit->line > 0)
        pr_buf_printf(buf, ":%d", (int)culprit->line);
    pr_buf_text(buf, pr_touch_words(culprit->touch));
}

/* "  load  features.py:12  +2.00 MiB (20.0 MiB to 22.0 MiB)", a line for each of them. */
static void add_culprits(struct pr_buf *buf, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    for (size_t i = 0; !finding->insight && i < finding->culprit_count; i++) {
        const struct pr_culprit *culprit = &finding->culprit[i];
        const struct pr_finding of_value = {.metric = finding->metric, .is_count = finding->is_count};
        pr_buf_text(buf, "  ");
        pr_text_cut_function(buf, pr_culprit_shown(verdict, culprit), CODE_COLUMNS);
        pr_buf_text(buf, "  ");
        add_place(buf, verdict, culprit);
        if (finding->has_before && finding->kind != PR_RULE_BUDGET)
            pr_buf_printf(buf, "  %s (%s to %s)\n",
                          pr_finding_change(&of_value, pr_culprit_change(culprit)).text,
                          pr_finding_figure(&of_value, culprit->before).text,
                          pr_finding_figure(&of_value, culprit->after).text);
        else
            pr_buf_printf(buf, "  %s\n", pr_finding_figure(&of_value, culprit->after).text);
    }
    struct pr_buf path = {0};
    pr_finding_path(&path, verdict, finding);
    if (path.length)
        pr_buf_printf(buf, "  path: %.*s\n", (int)path.length, path.bytes);
    buf->failed |= path.failed;
    pr_buf_clear(&path);
}

/* ---- JUnit ------------------------------------------------------------------------------------------------------ */

static void add_xml_buf(struct pr_buf *buf, struct pr_buf *text)
{
    if (text->length)
        pr_xml_text(buf, text->bytes, text->length);
    buf->failed |= text->failed;
    pr_buf_clear(text);
}

static void add_testcase(struct pr_buf *line, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_culprit *culprit = finding->culprit_count ? &finding->culprit[0] : NULL;
    struct pr_buf text = {0};
    pr_finding_name(&text, finding);
    if (culprit && (finding->kind == PR_RULE_FUNCTION || finding->kind == PR_RULE_EVERY_RUN)) {
        pr_buf_byte(&text, ':');
        pr_text_add(&text, pr_culprit_shown(verdict, culprit));
    }
    pr_buf_text(line, "  <testcase classname=\"profrender.check\" name=\"");
    add_xml_buf(line, &text);
    pr_buf_text(line, "\" time=\"0\"");
    if (finding->answer == PR_KEPT) {
        pr_buf_text(line, "/>\n");
        return;
    }
    if (finding->answer == PR_CANNOT_TELL) {
        pr_buf_text(line, ">\n    <skipped message=\"");
        pr_finding_sentence(&text, verdict, finding);
        add_xml_buf(line, &text);
        pr_buf_text(line, "\"/>\n  </testcase>\n");
        return;
    }
    pr_buf_text(line, ">\n    <failure type=\"profrender\" message=\"");
    pr_finding_message(&text, verdict, finding);
    add_xml_buf(line, &text);
    pr_buf_text(line, "\">");
    pr_finding_sentence(&text, verdict, finding);
    pr_buf_byte(&text, '\n');
    add_culprits(&text, verdict, finding);
    add_xml_buf(line, &text);
    pr_buf_text(line, "</failure>\n  </testcase>\n");
}

void pr_verdict_write_junit(struct pr_output *out, const struct pr_verdict *verdict)
{
    struct pr_buf line = {0}, text = {0};
    pr_buf_printf(&line,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites>\n"
                  " <testsuite name=\"profrender\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
                  "skipped=\"%zu\" time=\"0\">\n",
                  verdict->count, verdict->broken, verdict->untold);
    pr_output_buf(out, &line);
    for (size_t i = 0; i < verdict->count; i++) {
        add_testcase(&line, verdict, &verdict->finding[i]);
        pr_output_buf(out, &line);
    }
    pr_buf_text(&line, "  <system-out>");
    pr_text_add(&text, pr_text_of(verdict->input));
    for (size_t i = 0; i < verdict->note_count; i++)
        pr_buf_printf(&text, "\n%s", verdict->notes[i]);
    add_xml_buf(&line, &text);
    pr_buf_text(&line, "</system-out>\n </testsuite>\n</testsuites>\n");
    pr_output_buf(out, &line);
}

/* ---- GitHub ----------------------------------------------------------------------------------------------------- */

static void add_command_buf(struct pr_buf *line, struct pr_buf *text, bool is_property)
{
    if (text->length)
        pr_workflow_text(line, text->bytes, text->length, is_property);
    line->failed |= text->failed;
    pr_buf_clear(text);
}

/* Of a cause: its first finding, and what the function did to other metrics. */
static void add_annotation(struct pr_buf *line, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_culprit *culprit = pr_finding_place(finding);
    struct pr_buf text = {0};
    pr_buf_text(line, "::error ");
    if (culprit && culprit->file) {
        pr_text_add(&text, pr_culprit_file(verdict, culprit));
        pr_buf_text(line, "file=");
        add_command_buf(line, &text, true);
        if (culprit->line > 0)
            pr_buf_printf(line, ",line=%d", (int)culprit->line);
        pr_buf_byte(line, ',');
    }
    pr_buf_text(line, "title=");
    if (culprit)
        pr_text_cut_function(&text, pr_culprit_shown(verdict, culprit), CODE_COLUMNS);
    else
        pr_finding_name(&text, finding);
    add_command_buf(line, &text, true);
    pr_buf_text(line, "::");
    pr_finding_sentence(&text, verdict, finding);
    pr_buf_byte(&text, '\n');
    add_culprits(&text, verdict, finding);
    pr_finding_also(&text, verdict, finding);
    add_command_buf(line, &text, false);
    pr_buf_byte(line, '\n');
}

/* What is undecided is worth a look, and no more. */
static void add_notice(struct pr_buf *line, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    struct pr_buf text = {0};
    pr_buf_text(line, "::notice title=");
    pr_finding_name(&text, finding);
    add_command_buf(line, &text, true);
    pr_buf_text(line, "::");
    pr_finding_sentence(&text, verdict, finding);
    add_command_buf(line, &text, false);
    pr_buf_byte(line, '\n');
}

void pr_verdict_write_github(struct pr_output *out, const struct pr_verdict *verdict)
{
    struct pr_buf line = {0};
    for (size_t i = 0, shown = 0; i < verdict->broken && shown < MOST_ANNOTATIONS; i++)
        if (!verdict->finding[i].has_cause) {
            add_annotation(&line, verdict, &verdict->finding[i]);
            shown++;
        }
    for (size_t i = 0; i < verdict->untold && i < MOST_ANNOTATIONS; i++)
        add_notice(&line, verdict, &verdict->finding[verdict->broken + i]);
    for (size_t i = 0; i < verdict->note_count; i++) {
        pr_buf_text(&line, "::warning title=profrender::");
        pr_workflow_text(&line, verdict->notes[i], strlen(verdict->notes[i]), false);
        pr_buf_byte(&line, '\n');
    }
    pr_output_buf(out, &line);
}

static void add_markdown_place(struct pr_buf *line, const struct pr_verdict *verdict, const struct pr_culprit *culprit)
{
    pr_markdown_place(line, pr_culprit_file(verdict, culprit), culprit->line, CODE_COLUMNS);
    pr_buf_text(line, pr_touch_words(culprit->touch));
}

/* The figures of a row are those of a function, or of the whole: that the alarm is about, which is said once. */
static const struct pr_culprit *row_place(const struct pr_finding *finding)
{
    if (finding->kind == PR_RULE_FUNCTION)
        return &finding->culprit[0];
    return finding->has_cause ? NULL : pr_finding_place(finding);
}

/* What the whole finding is about, after its first culprit. */
static void add_markdown_row(struct pr_buf *line, const struct pr_verdict *verdict, const struct pr_finding *finding)
{
    const struct pr_culprit *culprit = row_place(finding);
    struct pr_buf name = {0};
    pr_buf_text(line, "| ");
    if (culprit)
        pr_markdown_code(line, pr_culprit_shown(verdict, culprit), CODE_COLUMNS);
    pr_buf_text(line, " | ");
    if (culprit)
        add_markdown_place(line, verdict, culprit);
    pr_finding_name(&name, finding);
    pr_buf_text(line, " | ");
    if (name.length)
        pr_markdown_code(line, (struct pr_text){name.bytes, (uint32_t)name.length}, CODE_COLUMNS);
    pr_buf_clear(&name);
    if (verdict->baseline_count)
        pr_buf_printf(line, " | %s",
                      finding->has_before ? pr_finding_figure(finding, finding->history.median).text : "");
    pr_buf_printf(line, " | %s%s%s%s", finding->answer == PR_BROKEN ? "**" : "",
                  pr_finding_figure(finding, finding->after).text, finding->answer == PR_BROKEN ? "**" : "",
                  finding->answer == PR_CANNOT_TELL ? ", cannot tell" : "");
    pr_buf_text(line, " | ");
    if (pr_finding_has_limit(finding))
        pr_markdown_text(line, pr_text_of(pr_finding_limit(finding).text));
    pr_buf_text(line, " |");
    if (verdict->baseline_count > 1) {
        pr_buf_byte(line, ' ');
        pr_finding_noise(line, finding);
        pr_buf_text(line, " |");
    }
    if (verdict->is_history) {
        pr_buf_byte(line, ' ');
        if (finding->trend.count)
            pr_trend_sparkline(line, &finding->trend);
        pr_buf_text(line, " |");
    }
    pr_buf_byte(line, '\n');
}

/* Who grew how much, of the worst finding; without a baseline, who has how much. */
static void add_markdown_culprits(struct pr_buf *line, const struct pr_verdict *verdict,
                                  const struct pr_finding *finding)
{
    const struct pr_finding of_value = {.metric = finding->metric, .is_count = finding->is_count};
    pr_buf_text(line, "\n<details><summary>");
    pr_markdown_text(line, pr_text_of(finding->metric->title));
    pr_buf_text(line, ": who has it</summary>\n\n");
    if (finding->has_before)
        pr_buf_text(line, "| function | place | before | after | change |\n| --- | --- | ---: | ---: | ---: |\n");
    else
        pr_buf_text(line, "| function | place | has |\n| --- | --- | ---: |\n");
    for (size_t i = 0; i < finding->culprit_count; i++) {
        const struct pr_culprit *culprit = &finding->culprit[i];
        pr_buf_text(line, "| ");
        pr_markdown_code(line, pr_culprit_shown(verdict, culprit), CODE_COLUMNS);
        pr_buf_text(line, " | ");
        add_markdown_place(line, verdict, culprit);
        if (finding->has_before)
            pr_buf_printf(line, " | %s", pr_finding_figure(&of_value, culprit->before).text);
        pr_buf_printf(line, " | %s |", pr_finding_figure(&of_value, culprit->after).text);
        if (finding->has_before)
            pr_buf_printf(line, " %s |", pr_finding_change(&of_value, pr_culprit_change(culprit)).text);
        pr_buf_byte(line, '\n');
    }
    pr_buf_text(line, "\n</details>\n");
}

/* Plain text, with untrusted names in it: no Markdown. */
static void add_markdown_sentence(struct pr_buf *line, const struct pr_verdict *verdict,
                                  const struct pr_finding *finding)
{
    struct pr_buf text = {0};
    pr_finding_sentence(&text, verdict, finding);
    pr_markdown_text(line, (struct pr_text){text.length ? text.bytes : "", (uint32_t)text.length});
    line->failed |= text.failed;
    pr_buf_clear(&text);
}

/* Its figures in the table leave out what it is about. */
static bool is_told_by_sentence(const struct pr_finding *finding)
{
    return finding->kind >= PR_RULE_EVERY_RUN;
}

/* "### `load` and everything it calls: Peak +100 % (+15.0 MiB)" */
static void add_markdown_ancestor(struct pr_buf *line, const struct pr_verdict *verdict,
                                  const struct pr_finding *finding)
{
    const struct pr_culprit *place = &finding->ancestor;
    pr_markdown_code(line, pr_culprit_shown(verdict, place), CODE_COLUMNS);
    pr_buf_printf(line, " and everything it calls: %s ", finding->metric->title);
    if (place->before > 0)
        pr_buf_printf(line, "%s (%s)\n\n", pr_units_growth(place->before, place->after).text,
                      pr_finding_change(finding, pr_culprit_change(place)).text);
    else
        pr_buf_printf(line, "%s, all new\n\n", pr_finding_figure(finding, place->after).text);
}

/* "Path: `main > train > load`" of the heading. */
static void add_markdown_path(struct pr_buf *line, const struct pr_verdict *verdict)
{
    struct pr_buf path = {0};
    if (verdict->broken)
        pr_finding_path(&path, verdict, &verdict->finding[0]);
    if (path.length) {
        pr_buf_text(line, "\nPath: ");
        pr_markdown_code(line, (struct pr_text){path.bytes, (uint32_t)path.length}, PATH_COLUMNS);
        pr_buf_byte(line, '\n');
    }
    line->failed |= path.failed;
    pr_buf_clear(&path);
}

/* The worst finding, or that no rule is broken. */
static void add_markdown_heading(struct pr_buf *line, const struct pr_verdict *verdict)
{
    const struct pr_finding *worst = &verdict->finding[0];
    if (!verdict->broken) {
        pr_buf_text(line, verdict->untold ? "### Cannot tell\n\n" : verdict->count ? "### Within all limits\n\n"
                                                                                   : "### Nothing was checked\n\n");
        return;
    }
    pr_buf_text(line, "### ");
    if (is_told_by_sentence(worst)) {
        add_markdown_sentence(line, verdict, worst);
        pr_buf_text(line, "\n\n");
        return;
    }
    const struct pr_culprit *place = pr_finding_place(worst);
    if (place == &worst->ancestor) {
        add_markdown_ancestor(line, verdict, worst);
        return;
    }
    if (place)
        pr_markdown_code(line, pr_culprit_shown(verdict, place), CODE_COLUMNS);
    pr_buf_text(line, place ? ": " : "");
    pr_markdown_text(line, pr_text_of(worst->metric->title));
    pr_buf_printf(line, ": %s, the limit is ", pr_finding_figure(worst, worst->after).text);
    pr_markdown_text(line, pr_text_of(pr_finding_limit(worst).text));
    pr_buf_text(line, "\n\n");
}

/* "2 of 3 rules broken in new.bin, compared with base.bin." */
static void add_markdown_summary(struct pr_buf *line, const struct pr_verdict *verdict)
{
    pr_verdict_summary(line, verdict);
    pr_buf_text(line, " in ");
    if (verdict->run_name)
        pr_markdown_code(line, pr_text_of(verdict->run_name), CODE_COLUMNS);
    else
        pr_markdown_file(line, verdict->input, CODE_COLUMNS);
    if (verdict->baseline_count == 1) {
        pr_buf_text(line, ", compared with ");
        pr_markdown_file(line, verdict->baselines[0], CODE_COLUMNS);
    } else if (verdict->baseline_count) {
        pr_buf_printf(line, ", compared with the median of %zu baselines", verdict->baseline_count);
    }
    if (verdict->card_url)
        pr_buf_printf(line, ": [card](<%s>)", verdict->card_url);
    pr_buf_text(line, ".\n");
}

/* What the table has no figure for: but the first, which is the heading. */
static void add_markdown_insights(struct pr_buf *line, const struct pr_verdict *verdict)
{
    for (size_t i = 1; i < verdict->broken; i++) {
        if (!is_told_by_sentence(&verdict->finding[i]))
            continue;
        pr_buf_text(line, "\n> ");
        add_markdown_sentence(line, verdict, &verdict->finding[i]);
        pr_buf_byte(line, '\n');
    }
}

/* Sentences below the summary. */
static void add_markdown_quotes(struct pr_buf *line, const struct pr_verdict *verdict)
{
    add_markdown_insights(line, verdict);
    for (size_t i = 0; i < verdict->untold; i++) {
        pr_buf_text(line, "\n> ");
        add_markdown_sentence(line, verdict, &verdict->finding[verdict->broken + i]);
        pr_buf_byte(line, '\n');
    }
    for (size_t i = 0; i < verdict->note_count; i++) {
        pr_buf_text(line, "\n> ");
        pr_markdown_text(line, pr_text_of(verdict->notes[i]));
        pr_buf_byte(line, '\n');
    }
}

void pr_verdict_write_markdown(struct pr_output *out, const struct pr_verdict *verdict)
{
    struct pr_buf line = {0};
    const size_t shown = verdict->count < MOST_ROWS ? verdict->count : MOST_ROWS;
    add_markdown_heading(&line, verdict);
    add_markdown_summary(&line, verdict);
    add_markdown_path(&line, verdict);
    add_markdown_quotes(&line, verdict);
    if (shown)
        pr_buf_printf(&line, "\n| function | place | rule |%s after | limit |%s%s\n"
                             "| --- | --- | --- |%s ---: | ---: |%s%s\n",
                      verdict->baseline_count ? " before |" : "", verdict->baseline_count > 1 ? " noise |" : "",
                      verdict->is_history ? " history |" : "", verdict->baseline_count ? " ---: |" : "",
                      verdict->baseline_count > 1 ? " --- |" : "", verdict->is_history ? " --- |" : "");
    pr_output_buf(out, &line);
    for (size_t i = 0; i < shown; i++) {
        add_markdown_row(&line, verdict, &verdict->finding[i]);
        pr_output_buf(out, &line);
    }
    if (shown < verdict->count)
        pr_buf_printf(&line, "\n%zu more rules are not shown.\n", verdict->count - shown);
    if (verdict->broken && verdict->finding[0].culprit_count > 1)
        add_markdown_culprits(&line, verdict, &verdict->finding[0]);
    pr_output_buf(out, &line);
}

/* ---- OpenMetrics ------------------------------------------------------------------------------------------------ */

/* "bytes", "seconds", or none. */
static const char *unit_of(const struct pr_metric *metric, bool is_count)
{
    if (is_count || (metric->unit != PR_UNIT_BYTES && metric->unit != PR_UNIT_NANOSECONDS))
        return "";
    return metric->unit == PR_UNIT_BYTES ? "bytes" : "seconds";
}

static void add_label(struct pr_buf *buf, struct pr_text text)
{
    struct pr_buf visible = {0};
    pr_text_add(&visible, text);
    for (size_t i = 0; i < visible.length; i++) {
        if (visible.bytes[i] == '"' || visible.bytes[i] == '\\')
            pr_buf_byte(buf, '\\');
        pr_buf_byte(buf, (unsigned char)visible.bytes[i]);
    }
    pr_buf_clear(&visible);
}

static void add_family(struct pr_buf *buf, const char *name, const char *unit, const char *help)
{
    pr_buf_printf(buf, "# TYPE profrender_%s%s%s gauge\n", name, *unit ? "_" : "", unit);
    if (*unit)
        pr_buf_printf(buf, "# UNIT profrender_%s_%s %s\n", name, unit, unit);
    pr_buf_printf(buf, "# HELP profrender_%s%s%s %s\n", name, *unit ? "_" : "", unit, help);
}

/* All metrics of one unit are one family: what was measured. */
static void add_value(struct pr_buf *buf, const struct pr_metric *metric, const char *unit, bool *begun)
{
    char text[PR_FIXED_SIZE];
    if (!metric->name || strcmp(unit_of(metric, false), unit) != 0)
        return;
    if (!*begun)
        add_family(buf, "value", unit, "What was measured.");
    *begun = true;
    pr_buf_printf(buf, "profrender_value%s%s{metric=\"", *unit ? "_" : "", unit);
    add_label(buf, pr_text_of(metric->name));
    pr_buf_printf(buf, "\"} %s\n", pr_fixed_text(text, metric->total_value, pr_document_places(metric)));
}

static void add_values(struct pr_buf *buf, const struct pr_verdict *verdict, const char *unit)
{
    const struct pr_diff *diff = verdict->diff;
    bool begun = false;
    for (uint32_t i = 0; i < diff->metric_count; i++)
        add_value(buf, &diff->profile->metrics[i * diff->count], unit, &begun);
    for (int i = 0; i < PR_FIGURES; i++)
        add_value(buf, &verdict->figures[0].metric[i], unit, &begun);
}

static void add_limits(struct pr_buf *buf, const struct pr_verdict *verdict, const char *unit)
{
    bool begun = false;
    for (size_t i = 0; i < verdict->count; i++) {
        const struct pr_finding *finding = &verdict->finding[i];
        char text[PR_FIXED_SIZE];
        if (finding->kind >= PR_RULE_FUNCTION || strcmp(unit_of(finding->metric, finding->is_count), unit) != 0)
            continue;
        if (!begun)
            add_family(buf, "limit", unit, "What a rule allows.");
        begun = true;
        struct pr_buf name = {0};
        pr_finding_name(&name, finding);
        pr_buf_printf(buf, "profrender_limit%s%s{rule=\"", *unit ? "_" : "", unit);
        add_label(buf, (struct pr_text){name.length ? name.bytes : "", (uint32_t)name.length});
        const unsigned places = finding->is_count ? 0 : pr_document_places(finding->metric);
        pr_buf_printf(buf, "\"} %s\n", pr_fixed_text(text, finding->bounds.usual, places));
        pr_buf_clear(&name);
    }
}

static void add_counts(struct pr_buf *buf, const struct pr_verdict *verdict)
{
    const struct pr_diff *diff = verdict->diff;
    bool begun = false;
    for (uint32_t i = 0; i < diff->metric_count; i++) {
        const struct pr_metric *metric = &diff->profile->metrics[i * diff->count];
        if (!metric->count)
            continue;
        if (!begun)
            add_family(buf, "count", "", "Allocations, samples or calls of what was measured.");
        begun = true;
        pr_buf_text(buf, "profrender_count{metric=\"");
        add_label(buf, pr_text_of(metric->name));
        pr_buf_printf(buf, "\"} %lld\n", (long long)metric->total_count);
    }
}

void pr_verdict_write_openmetrics(struct pr_output *out, const struct pr_verdict *verdict)
{
    static const char *const units[] = {"bytes", "seconds", ""};
    struct pr_buf text = {0};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        add_values(&text, verdict, units[i]);
    add_counts(&text, verdict);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        add_limits(&text, verdict, units[i]);
    add_family(&text, "rules_broken", "", "Rules that are broken.");
    pr_buf_printf(&text, "profrender_rules_broken %zu\n", verdict->broken);
    add_family(&text, "rules_untold", "", "Rules that could not be decided.");
    pr_buf_printf(&text, "profrender_rules_untold %zu\n# EOF\n", verdict->untold);
    pr_output_buf(out, &text);
}
