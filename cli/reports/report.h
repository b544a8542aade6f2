/* SPDX-License-Identifier: Apache-2.0 */
/* The look of the terminal reports: headings, fields, bars, and no line wider than the terminal. */
#ifndef PR_CLI_REPORTS_REPORT_H
#define PR_CLI_REPORTS_REPORT_H

#include "profrender/buf.h"
#include "profrender/profile.h"
#include "cli/args/command.h"
#include "cli/io/output.h"
#include "cli/io/terminal.h"
#include "render/words/units.h"

/* What lines become on their way out. */
enum pr_markup {
    PR_MARKUP_NONE,
    PR_MARKUP_PRE, /* Markdown: lines of a terminal between <pre> and </pre> */
    PR_MARKUP_TEXT /* Markdown: text, before and after what is Markdown of its own */
};

struct pr_report {
    struct pr_output *out;
    enum pr_markup markup;
    struct pr_term term;
    struct pr_style style;
};

/* OUT is open. A report in a file has the width of one that is piped. */
struct pr_report pr_report_start(struct pr_output *out, const struct pr_common *common);

/* The same as Markdown: without colours, and as wide as a page of code. End one of lines with pr_report_end. */
struct pr_report pr_report_start_markdown(struct pr_output *out, enum pr_markup markup);
void pr_report_end(struct pr_report *report);

/* The width that the user asked for; 0: none. */
void pr_report_set_width(struct pr_report *report, uint64_t columns);

/* The first lines: what ran, then in what it was recorded, when, for how long. */
void pr_report_title(struct pr_report *report, const struct pr_profile *profile);

/* An empty line, and a heading. */
void pr_report_heading(struct pr_report *report, const char *text);

/* A label and a value that is ours, a NOTE after it (may be NULL), or a value that is a name and may be cut. */
void pr_report_field(struct pr_report *report, const char *label, const char *value, const char *note);
void pr_report_name(struct pr_report *report, const char *label, struct pr_text name);

/*
 * The same, all of it, on as many lines as it needs; a command can be copied from them: it is cut between words only,
 * with the backslash that sh joins lines by.
 */
void pr_report_command(struct pr_report *report, const char *label, struct pr_text command);
void pr_report_long_name(struct pr_report *report, const char *label, struct pr_text name);

/* A value of METRIC, short and with its unit; a weight with a fraction has all its digits. */
struct pr_figure pr_report_value(const struct pr_metric *metric, int64_t value);

/* The same, or with all its digits. */
struct pr_figure pr_report_figure(const struct pr_metric *metric, bool exact, int64_t value);

/* Which part of the run a report is about; NULL: all of it. */
struct pr_part_shown {
    const char *thread; /* name or number */
    const char *window; /* "0 s to 10 s" */
};

/*
 * The first lines of a report on one metric: "4.05 MiB at the peak, 1,204 allocations, train.py", what else was
 * measured if that is of another kind, and an empty one.
 */
void pr_report_measured(struct pr_report *report, const struct pr_profile *profile, const struct pr_metric *metric,
                        bool exact, const struct pr_part_shown *part);

/* A line for each metric: its total, and in how many samples or calls. */
void pr_report_metrics(struct pr_report *report, const struct pr_profile *profile);

/* Appends PART of WHOLE as a bar of at most COLUMNS, in eighths of a column; more than 0 is never empty. */
void pr_report_bar(struct pr_buf *buf, int64_t part, int64_t whole, size_t columns);

/* Writes a finished buffer, once; reports it if there was no memory for it. */
void pr_report_flush(struct pr_report *report, struct pr_buf *buf);

#endif
