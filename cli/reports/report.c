/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/report.h"
#include "capture/base/text.h"
#include "capture/base/ascii.h"
#include "capture/base/time.h"
#include "capture/model/run_times.h"

#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"
#include "render/words/ending.h"
#include "render/words/program_name.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LABEL_COLUMNS = 22, NOTE_COLUMNS = 12, MAX_PROGRAM = 40, MAX_WIDTH = 10000 };

struct pr_report pr_report_start(struct pr_output *out, const struct pr_common *common)
{
    struct pr_report report = {.out = out, .term = pr_term_of(out->fd, (enum pr_color)common->color)};
    report.style = pr_style_of(report.term.color);
    return report;
}

void pr_report_set_width(struct pr_report *report, uint64_t columns)
{
    if (columns)
        report->term.columns = columns < MAX_WIDTH ? (size_t)columns : MAX_WIDTH;
}

struct pr_report pr_report_start_markdown(struct pr_output *out, enum pr_markup markup)
{
    enum { COLUMNS = 120 };
    struct pr_report report = {
        .out = out, .markup = markup, .term = {.columns = COLUMNS}, .style = pr_style_of(false)};
    if (markup == PR_MARKUP_PRE)
        pr_output_text(out, "<pre>\n");
    return report;
}

void pr_report_end(struct pr_report *report)
{
    if (report->markup == PR_MARKUP_PRE)
        pr_output_text(report->out, "</pre>\n");
}

void pr_report_flush(struct pr_report *report, struct pr_buf *buf)
{
    struct pr_buf marked = {.failed = buf->failed};
    const struct pr_text lines = {buf->length ? buf->bytes : "", (uint32_t)buf->length};
    if (report->markup == PR_MARKUP_NONE) {
        pr_output_buf(report->out, buf);
        return;
    }
    (report->markup == PR_MARKUP_PRE ? pr_markdown_pre : pr_markdown_lines)(&marked, lines);
    pr_buf_clear(buf);
    pr_output_buf(report->out, &marked);
}

static void add_fact(struct pr_buf *buf, const char *format, ...) PR_PRINTF(2, 3);

/* Appends to a list; nothing where the text is empty. */
static void add_fact(struct pr_buf *buf, const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (text[0])
        pr_buf_printf(buf, "%s%s", buf->length ? ", " : "", text);
}

/* When runs that were added up took place: their times do not add up to a duration of anything. */
static void add_times_of_runs(struct pr_buf *facts, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    const struct pr_origin *origin = &profile->origin;
    add_fact(facts, "sum of %s", pr_units_runs(profile).text);
    if (meta->start_ms.known && meta->end_ms.known)
        add_fact(facts, "%s to %s", pr_units_time(meta->start_ms.value).text, pr_units_time(meta->end_ms.value).text);
    if (origin->longest_ms > 0 && origin->longest_ms < INT64_MAX / PR_NS_PER_MS)
        add_fact(facts, "the longest %s", pr_units_duration(origin->longest_ms * PR_NS_PER_MS).text);
}

static void add_times(struct pr_buf *facts, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    const struct pr_maybe took = pr_times_duration_ns(profile);
    if (meta->start_ms.known)
        add_fact(facts, "%s", pr_units_time(meta->start_ms.value).text);
    if (took.known)
        add_fact(facts, "%s%s", pr_units_duration(took.value).text, meta->end_is_last_sample ? " recorded" : "");
}

/* What is known of when and in what it ran; often nothing. */
static void add_facts(struct pr_buf *facts, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    const int version = meta->python_version;
    if (profile->origin.runs > 1)
        add_times_of_runs(facts, profile);
    else
        add_times(facts, profile);
    if (version)
        add_fact(facts, "Python %d.%d.%d", version >> 24 & 0xFF, version >> 16 & 0xFF, version >> 8 & 0xFF);
    if (meta->pid.known)
        add_fact(facts, "pid %lld", (long long)meta->pid.value);
}

void pr_report_title(struct pr_report *report, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    struct pr_buf line = {0}, facts = {0};
    const struct pr_text subject = pr_subject_of(profile, NULL);
    pr_buf_text(&line, report->style.bold);
    pr_text_cut_end(&line, subject.length ? subject : pr_text_of(meta->format_title), report->term.columns);
    pr_buf_printf(&line, "%s\n", report->style.off);
    add_facts(&facts, profile);
    if (facts.length) {
        pr_buf_text(&line, report->style.dim);
        pr_text_cut_end(&line, (struct pr_text){facts.bytes, (uint32_t)facts.length}, report->term.columns);
        pr_buf_printf(&line, "%s\n", report->style.off);
    }
    line.failed |= facts.failed;
    pr_buf_clear(&facts);
    pr_report_flush(report, &line);
}

void pr_report_heading(struct pr_report *report, const char *text)
{
    struct pr_buf line = {0};
    pr_buf_printf(&line, "\n%s%s%s\n", report->style.bold, text, report->style.off);
    pr_report_flush(report, &line);
}

/* In its column; a longer label moves what follows. */
static void add_label(const struct pr_report *report, struct pr_buf *line, const char *label)
{
    const size_t columns = pr_text_columns(label, strlen(label));
    const int gap = columns + 2 <= LABEL_COLUMNS ? (int)(LABEL_COLUMNS - columns) : 2;
    pr_buf_printf(line, "  %s%s%*s%s", report->style.dim, label, gap, "", report->style.off);
}

void pr_report_field(struct pr_report *report, const char *label, const char *value, const char *note)
{
    struct pr_buf line = {0};
    add_label(report, &line, label);
    pr_buf_text(&line, value);
    if (note) {
        size_t columns = pr_text_columns(value, strlen(value));
        pr_buf_printf(&line, "%*s  %s%s%s", columns < NOTE_COLUMNS ? (int)(NOTE_COLUMNS - columns) : 0, "",
                      report->style.dim, note, report->style.off);
    }
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
}

void pr_report_name(struct pr_report *report, const char *label, struct pr_text name)
{
    struct pr_buf line = {0};
    size_t columns = report->term.columns;
    add_label(report, &line, label);
    pr_text_cut_end(&line, name, columns > LABEL_COLUMNS + 10 ? columns - LABEL_COLUMNS - 2 : 8);
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
}

/*
 * Bytes of the words at the beginning, with the blanks after them, that fit into COLUMNS less one; at least one word.
 */
static size_t words_fitting(const char *visible, size_t length, size_t columns)
{
    size_t taken = 0;
    if (pr_text_columns(visible, length) <= columns)
        return length;
    while (taken < length) {
        const char *blank = memchr(visible + taken, ' ', length - taken);
        size_t end = blank ? (size_t)(blank - visible) : length;
        while (end < length && visible[end] == ' ')
            end++;
        if (taken && pr_text_columns(visible, end) > columns)
            break;
        taken = end;
    }
    return taken;
}

/* IS_COMMAND: no word is cut, however long it is, and lines end as sh goes on with the next one. */
static void write_long(struct pr_report *report, const char *label, struct pr_text name, bool is_command)
{
    struct pr_buf line = {0}, visible = {0};
    size_t columns = report->term.columns, room = columns > LABEL_COLUMNS + 10 ? columns - LABEL_COLUMNS - 2 : 8;
    pr_text_add(&visible, name);
    for (size_t at = 0, part; at < visible.length; at += part) {
        part = words_fitting(visible.bytes + at, visible.length - at, room - is_command);
        if (!is_command && pr_text_columns(visible.bytes + at, part) > room + 1)
            part = pr_text_fitting(visible.bytes + at, part, room);
        const bool is_last = at + part == visible.length;
        pr_buf_printf(&line, "  %s%-*s%s", report->style.dim, LABEL_COLUMNS, at ? "" : label, report->style.off);
        pr_buf_add(&line, visible.bytes + at, part);
        while (!is_command && line.length && line.bytes[line.length - 1] == ' ')
            line.length--;
        pr_buf_text(&line, is_last || !is_command ? "\n" : "\\\n");
    }
    line.failed |= visible.failed;
    pr_buf_clear(&visible);
    pr_report_flush(report, &line);
}

void pr_report_long_name(struct pr_report *report, const char *label, struct pr_text name)
{
    write_long(report, label, name, false);
}

void pr_report_command(struct pr_report *report, const char *label, struct pr_text command)
{
    write_long(report, label, command, true);
}

struct pr_figure pr_report_value(const struct pr_metric *metric, int64_t value)
{
    return pr_units_metric(metric, value);
}

struct pr_figure pr_report_figure(const struct pr_metric *metric, bool exact, int64_t value)
{
    return exact ? pr_units_metric_exact(metric, value) : pr_report_value(metric, value);
}

/* What METRIC means after its total: "at the peak", "time"; in WINDOW (NULL: all of the run). */
static void add_meaning(struct pr_buf *line, const struct pr_profile *profile, const struct pr_metric *metric,
                        const char *window)
{
    static const struct {
        const char *metric, *text, *in_window;
    } known[] = {{"peak", "at the peak", "at the peak of %s"},
                 {"leaked", "not freed at the end", "allocated in %s and not freed by its end"},
                 {"temporary", "in temporary allocations", NULL},
                 {"allocated", "allocated in total", NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].metric, metric->name) == 0 &&
            (window ? known[i].in_window != NULL : !pr_ending_is_in_use(profile, metric))) {
            pr_buf_printf(line, window ? known[i].in_window : known[i].text, window);
            return;
        }
    const size_t length = line->length;
    const char *title = pr_ending_metric(profile, metric);
    pr_text_add(line, pr_text_of(title));
    /* Inside a sentence, a word is in lower case; a name such as "CPU time" is not. */
    if (!line->failed && pr_is_upper(title[0]) && title[1] >= 'a')
        line->bytes[length] = (char)(title[0] - 'A' + 'a');
    if (window)
        pr_buf_printf(line, ", %s", window);
}

/* Whether something of another kind than METRIC was measured; that a capture of memory has leaks too is obvious. */
static bool has_other_kinds(const struct pr_profile *profile, const struct pr_metric *metric)
{
    for (uint32_t i = 0; i < profile->metric_count; i++)
        if (profile->metrics[i].unit != metric->unit || profile->metrics[i].part != metric->part)
            return true;
    return false;
}

/* What else was measured, so that anyone who sees time knows that there is memory, too. */
static void add_others(struct pr_buf *line, const struct pr_report *report, const struct pr_profile *profile,
                       const struct pr_metric *metric)
{
    struct pr_buf names = {0};
    if (!has_other_kinds(profile, metric))
        return;
    for (uint32_t i = 0; i < profile->metric_count; i++)
        if (&profile->metrics[i] != metric)
            pr_buf_printf(&names, "%s%s", names.length ? ", " : "also here, by --metric: ", profile->metrics[i].name);
    pr_buf_text(line, report->style.dim);
    pr_text_cut_end(line, (struct pr_text){names.bytes, (uint32_t)names.length}, report->term.columns);
    pr_buf_printf(line, "%s\n", report->style.off);
    line->failed |= names.failed;
    pr_buf_clear(&names);
}

void pr_report_measured(struct pr_report *report, const struct pr_profile *profile, const struct pr_metric *metric,
                        bool exact, const struct pr_part_shown *part)
{
    struct pr_buf line = {0};
    pr_buf_printf(&line, "%s%s ", report->style.bold, pr_report_figure(metric, exact, metric->total_value).text);
    add_meaning(&line, profile, metric, part->window);
    pr_buf_printf(&line, "%s%s", report->style.off, report->style.dim);
    if (metric->count)
        pr_buf_printf(&line, ", %s", pr_units_counted(metric->total_count, metric->count_name).text);
    if (part->thread) {
        pr_buf_text(&line, ", thread ");
        pr_text_cut_end(&line, pr_text_of(part->thread), MAX_PROGRAM);
    }
    const struct pr_text subject = pr_subject_of(profile, NULL); /* as the title of the card */
    if (subject.length) {
        pr_buf_text(&line, ", ");
        pr_text_cut_end(&line, subject, MAX_PROGRAM);
    }
    pr_buf_printf(&line, "%s\n", report->style.off);
    add_others(&line, report, profile, metric);
    pr_buf_byte(&line, '\n');
    pr_report_flush(report, &line);
}

void pr_report_metrics(struct pr_report *report, const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        char note[80] = "";
        if (metric->count)
            snprintf(note, sizeof note, "in %s", pr_units_counted(metric->total_count, metric->count_name).text);
        pr_report_field(report, pr_ending_metric(profile, metric), pr_report_value(metric, metric->total_value).text,
                        metric->count ? note : NULL);
    }
}

void pr_report_bar(struct pr_buf *buf, int64_t part, int64_t whole, size_t columns)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (part <= 0 || whole <= 0)
        return;
    double share = part < whole ? (double)part / (double)whole : 1;
    size_t size = (size_t)(share * (double)columns * 8 + 0.5);
    for (size_t i = 0; i < size / 8; i++)
        pr_buf_text(buf, "█");
    pr_buf_text(buf, size ? eighths[size % 8] : eighths[1]);
}
