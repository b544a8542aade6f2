/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/frame_reports.h"

#include "capture/base/text.h"
#include "cli/io/escapes.h"
#include "cli/io/json_writer.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"

#include <string.h>

enum { INDENT = 6, MOST_ANNOTATIONS = 10, MOST_ROWS = 50, NAME_COLUMNS = 80 };

static const char *const answers[] = {"FAIL", "?", "ok"};
static const char *const names[] = {"broken", "cannot_tell", "kept"};

/* "price: missing below 1 %": safe to print. */
static void add_rule(struct pr_buf *out, const struct pr_frame_finding *finding)
{
    if (finding->column.length) {
        pr_text_cut_end(out, finding->column, NAME_COLUMNS);
        pr_buf_text(out, ": ");
    }
    pr_text_add(out, pr_text_of(finding->rule));
}

/* What is true, safe to print; nothing where nothing needs to be said. */
static void add_sentence(struct pr_buf *out, const struct pr_frame_finding *finding)
{
    const struct pr_buf *words = &finding->sentence;
    if (words->length)
        pr_text_add(out, (struct pr_text){words->bytes, (uint32_t)words->length});
}

static void add_summary(struct pr_buf *out, const struct pr_frame_verdict *verdict)
{
    if (!verdict->count) {
        pr_buf_text(out, "nothing was checked");
        return;
    }
    pr_buf_printf(out, "%zu of %zu rule%s broken", verdict->broken, verdict->count, verdict->count == 1 ? "" : "s");
    if (verdict->untold)
        pr_buf_printf(out, ", cannot tell of %zu", verdict->untold);
}

void pr_frame_verdict_text(struct pr_report *report, const struct pr_frame_verdict *verdict)
{
    struct pr_buf line = {0};
    for (size_t i = 0; i < verdict->count; i++) {
        const struct pr_frame_finding *finding = &verdict->findings[i];
        pr_buf_printf(&line, "%s%-*s%s", finding->answer == PR_FRAME_BROKEN ? report->style.warn : report->style.dim,
                      INDENT, answers[finding->answer], report->style.off);
        add_rule(&line, finding);
        if (finding->sentence.length)
            pr_buf_text(&line, "; ");
        add_sentence(&line, finding);
        pr_buf_byte(&line, '\n');
        pr_report_flush(report, &line);
    }
    pr_buf_printf(&line, "\n%s", report->style.bold);
    add_summary(&line, verdict);
    pr_buf_printf(&line, "%s\n", report->style.off);
    pr_report_flush(report, &line);
}

void pr_frame_verdict_json(struct pr_output *out, const struct pr_frame_verdict *verdict)
{
    struct pr_json_writer json = pr_json_writer_start(out, false);
    struct pr_buf words = {0};
    pr_json_put_lines(&json, '{');
    pr_json_put_key(&json, "schema");
    pr_json_put_text(&json, "profrender/check-frame/1");
    pr_json_put_key(&json, "passed");
    pr_json_put_bool(&json, !verdict->broken);
    pr_json_put_key(&json, "input");
    pr_json_put_text(&json, verdict->input);
    pr_json_put_key(&json, "baseline");
    pr_json_put_text(&json, verdict->baseline);
    add_summary(&words, verdict);
    pr_json_put_buf(&json, "summary", &words);
    pr_json_put_key(&json, "broken");
    pr_json_put_uint(&json, verdict->broken);
    pr_json_put_key(&json, "undecided");
    pr_json_put_uint(&json, verdict->untold);
    pr_json_put_key(&json, "rules");
    pr_json_put_lines(&json, '[');
    for (size_t i = 0; i < verdict->count; i++) {
        const struct pr_frame_finding *finding = &verdict->findings[i];
        pr_json_put_open(&json, '{');
        pr_json_put_key(&json, "answer");
        pr_json_put_text(&json, names[finding->answer]);
        pr_json_put_key(&json, "rule");
        pr_json_put_text(&json, finding->rule);
        pr_json_put_key(&json, "column");
        if (finding->column.bytes)
            pr_json_put_name(&json, finding->column);
        else
            pr_json_put_null(&json);
        add_sentence(&words, finding);
        pr_json_put_buf(&json, "text", &words);
        pr_json_put_close(&json, '}');
    }
    pr_json_put_close(&json, ']');
    pr_json_put_close(&json, '}');
}

/* ---- for build servers ------------------------------------------------------------------------------------------ */

static void add_xml(struct pr_buf *line, struct pr_buf *text)
{
    pr_xml_text(line, text->length ? text->bytes : "", text->length);
    line->failed |= text->failed;
    pr_buf_clear(text);
}

static void write_junit(struct pr_output *out, const struct pr_frame_verdict *verdict)
{
    static const char *const begin[] = {"<failure type=\"profrender\" message=\"", "<skipped message=\""};
    struct pr_buf line = {0}, text = {0};
    pr_buf_printf(&line,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"profrender\" "
                  "tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"0\">\n",
                  verdict->count, verdict->broken, verdict->untold);
    for (size_t i = 0; i < verdict->count; i++) {
        const struct pr_frame_finding *finding = &verdict->findings[i];
        pr_buf_text(&line, "  <testcase classname=\"profrender.check.frame\" name=\"");
        add_rule(&text, finding);
        add_xml(&line, &text);
        pr_buf_text(&line, "\" time=\"0\"");
        if (finding->answer == PR_FRAME_KEPT) {
            pr_buf_text(&line, "/>\n");
        } else {
            pr_buf_printf(&line, ">\n    %s", begin[finding->answer]);
            add_sentence(&text, finding);
            add_xml(&line, &text);
            pr_buf_text(&line, "\"/>\n  </testcase>\n");
        }
        pr_output_buf(out, &line);
    }
    pr_buf_text(&line, "  <system-out>");
    pr_text_add(&text, pr_text_of(verdict->input));
    add_xml(&line, &text);
    pr_buf_text(&line, "</system-out>\n </testsuite>\n</testsuites>\n");
    pr_output_buf(out, &line);
}

static void add_workflow(struct pr_buf *line, struct pr_buf *text, bool is_property)
{
    pr_workflow_text(line, text->length ? text->bytes : "", text->length, is_property);
    line->failed |= text->failed;
    pr_buf_clear(text);
}

static void write_github(struct pr_output *out, const struct pr_frame_verdict *verdict)
{
    struct pr_buf line = {0}, text = {0};
    size_t shown[] = {0, 0};
    for (size_t i = 0; i < verdict->count && verdict->findings[i].answer != PR_FRAME_KEPT; i++) {
        const struct pr_frame_finding *finding = &verdict->findings[i];
        if (shown[finding->answer]++ >= MOST_ANNOTATIONS)
            continue;
        pr_buf_printf(&line, "::%s title=", finding->answer == PR_FRAME_BROKEN ? "error" : "notice");
        add_rule(&text, finding);
        add_workflow(&line, &text, true);
        pr_buf_text(&line, "::");
        add_sentence(&text, finding);
        add_workflow(&line, &text, false);
        pr_buf_byte(&line, '\n');
    }
    pr_output_buf(out, &line);
}

static void write_markdown(struct pr_output *out, const struct pr_frame_verdict *verdict)
{
    struct pr_buf line = {0}, text = {0};
    pr_buf_text(&line, "### ");
    pr_markdown_file(&line, verdict->input, NAME_COLUMNS);
    pr_buf_text(&line, ": ");
    add_summary(&line, verdict);
    pr_buf_text(&line, "\n\n| | rule | |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < verdict->count && i < MOST_ROWS; i++) {
        const struct pr_frame_finding *finding = &verdict->findings[i];
        pr_buf_printf(&line, "| %s | ", answers[finding->answer]);
        add_rule(&text, finding);
        pr_markdown_text(&line, (struct pr_text){text.length ? text.bytes : "", (uint32_t)text.length});
        pr_buf_clear(&text);
        pr_buf_text(&line, " | ");
        add_sentence(&text, finding);
        pr_markdown_text(&line, (struct pr_text){text.length ? text.bytes : "", (uint32_t)text.length});
        pr_buf_clear(&text);
        pr_buf_text(&line, " |\n");
    }
    if (verdict->count > MOST_ROWS)
        pr_buf_printf(&line, "\nand %zu more\n", verdict->count - MOST_ROWS);
    pr_output_buf(out, &line);
}

static const struct {
    const char *name;
    void (*write)(struct pr_output *out, const struct pr_frame_verdict *verdict);
} reports[] = {{"json", pr_frame_verdict_json},
               {"junit", write_junit},
               {"github", write_github},
               {"markdown", write_markdown}};

bool pr_frame_verdict_has_report(const char *name)
{
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (strcmp(reports[i].name, name) == 0)
            return true;
    return false;
}

void pr_frame_verdict_report(struct pr_output *out, const char *name, const struct pr_frame_verdict *verdict)
{
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (strcmp(reports[i].name, name) == 0)
            reports[i].write(out, verdict);
}
