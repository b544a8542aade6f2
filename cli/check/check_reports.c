/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/check_reports.h"

#include "cli/io/output.h"

#include <stdlib.h>
#include <string.h>

struct report {
    const struct pr_report_format *format;
    const char *path;
    bool append; /* to what the file contains */
};

/* All steps of a job write to one summary, which GitHub names: what others wrote stays. */
static bool is_step_summary(const char *path)
{
    const char *summary = getenv("GITHUB_STEP_SUMMARY");
    return summary && *summary && strcmp(path, summary) == 0;
}

/* FORMAT=FILE, or FORMAT+=FILE. */
static bool read_report(const char *word, struct report *report)
{
    const size_t end = strcspn(word, "=");
    const size_t length = end && word[end - 1] == '+' ? end - 1 : end;
    if (!word[end] || !word[end + 1])
        return false;
    for (report->format = pr_report_formats; report->format->name; report->format++) {
        if (strlen(report->format->name) == length && memcmp(report->format->name, word, length) == 0) {
            report->path = word + end + 1;
            report->append = length < end || (report->format->appends && is_step_summary(report->path));
            return report->format->appends || !report->append;
        }
    }
    return false;
}

/* The verdict for people and annotations can share the log of a pipeline; nothing else shares. */
static bool is_mixed(const struct pr_words *reports, const char *verdict, bool is_text)
{
    const bool is_shown = pr_output_is_standard(verdict);
    size_t alone = is_shown && !is_text, any = is_shown;
    for (size_t i = 0; i < reports->count; i++) {
        struct report report;
        if (read_report(reports->word[i], &report) && pr_output_is_standard(report.path)) {
            any++;
            alone += strcmp(report.format->name, "github") != 0;
        }
    }
    return alone && any > 1;
}

/* Whether REPORT, which has that NUMBER, has the file of an earlier one, or of the verdict itself. */
static bool is_written_twice(const struct pr_words *reports, const char *verdict, const struct report *report,
                             size_t number)
{
    if (pr_output_is_standard(report->path))
        return false;
    bool found = verdict && strcmp(verdict, report->path) == 0;
    for (size_t i = 0; i < number && !found; i++) {
        struct report other;
        found = read_report(reports->word[i], &other) && strcmp(other.path, report->path) == 0;
    }
    return found;
}

int pr_check_reports_check(const struct pr_command *command, const struct pr_words *reports,
                           const struct pr_common *common, bool is_text)
{
    int status = PR_EXIT_DONE;
    if (is_mixed(reports, common->output, is_text))
        return pr_wrong_usage(command, "only one report can go to standard output; name a file for the others, or "
                                       "with -o for the verdict");
    for (size_t i = 0; i < reports->count && status == PR_EXIT_DONE; i++) {
        struct report report;
        if (!read_report(reports->word[i], &report))
            return pr_wrong_usage(command, "--report takes FORMAT=FILE with json, junit, github, markdown, "
                                  "codequality, openmetrics, sarif, bencher or benchmark, or FORMAT+=FILE with "
                                  "markdown or github, not '%s'",
                                  reports->word[i]);
        if (is_written_twice(reports, common->output, &report, i))
            return pr_wrong_usage(command, "two reports cannot have the same file: '%s'", report.path);
        for (size_t k = 0; k < common->input_count && status == PR_EXIT_DONE; k++)
            status = pr_output_check(report.path, common->inputs[k]);
    }
    return status;
}

int pr_check_reports_each(const struct pr_words *reports, pr_check_report_write *write, const void *context)
{
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < reports->count; i++) {
        struct report report;
        struct pr_output out;
        int written = PR_EXIT_OUTPUT;
        if (read_report(reports->word[i], &report))
            written = report.append ? pr_output_open_append(&out, report.path) : pr_output_open(&out, report.path);
        if (written == PR_EXIT_DONE) {
            write(&out, report.format, context);
            written = pr_output_finish(&out);
        }
        status = written == PR_EXIT_DONE ? status : written;
    }
    return status;
}

static void write_report(struct pr_output *out, const struct pr_report_format *format, const void *context)
{
    format->write(out, context);
}

int pr_check_reports_write(const struct pr_words *reports, const struct pr_verdict *verdict)
{
    return pr_check_reports_each(reports, write_report, verdict);
}

const char *pr_check_reports_lack(const struct pr_words *reports, bool (*has)(const char *name))
{
    struct report report;
    for (size_t i = 0; i < reports->count; i++)
        if (read_report(reports->word[i], &report) && !has(report.format->name))
            return report.format->name;
    return NULL;
}
