/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/check_frame.h"

#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/args/table_input.h"
#include "cli/check/check_reports.h"
#include "cli/check/frame_reports.h"
#include "cli/io/say.h"
#include "render/words/data_words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the table lacks is reported; only one that ends early is no basis for a verdict. */
static int read_table(const struct pr_common *common, const char *path, bool allow_incomplete,
                      struct pr_data_schema *schema, struct pr_data_frame **frame)
{
    struct pr_data_options how = pr_data_options_default();
    how.keep_distributions = true;
    how.schema = schema;
    const int status = pr_table_input_read(common, path, how, frame);
    if (status != PR_EXIT_DONE)
        return status;
    (*frame)->is_redacted = pr_hides_values(common); /* rules are judged by all figures, sentences leave values out */
    if ((*frame)->problem.code == PR_ERR_NONE)
        return PR_EXIT_DONE;
    pr_say("%s: not complete, %s%s", pr_table_input_name(path), (*frame)->problem.text,
           allow_incomplete ? "" : "; --allow-incomplete checks what could be read");
    return allow_incomplete ? PR_EXIT_DONE : PR_EXIT_INPUT;
}

static void write_report(struct pr_output *out, const struct pr_report_format *format, const void *context)
{
    pr_frame_verdict_report(out, format->name, context);
}

static int write_verdict(const struct pr_common *common, const struct pr_frame_check *check,
                         const struct pr_frame_verdict *verdict)
{
    struct pr_output *out = malloc(sizeof *out);
    if (!out) {
        pr_say("out of memory");
        return PR_EXIT_OUTPUT;
    }
    int status = pr_output_open(out, common->output);
    if (status == PR_EXIT_DONE) {
        if (check->is_json) {
            pr_frame_verdict_json(out, verdict);
        } else {
            struct pr_report report = pr_report_start(out, common);
            pr_frame_verdict_text(&report, verdict);
        }
        status = pr_output_finish(out);
    }
    free(out);
    const int reports = pr_check_reports_each(check->reports, write_report, verdict);
    return status == PR_EXIT_DONE ? reports : status;
}

static int judge(const struct pr_common *common, const struct pr_frame_check *check, struct pr_frame_verdict *verdict)
{
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < check->rules->count && status == PR_EXIT_DONE; i++)
        if (!pr_frame_rule_apply(verdict, check->rules->word[i]))
            status = PR_EXIT_INPUT;
    if (status == PR_EXIT_DONE && !pr_frame_verdict_finish(verdict))
        status = PR_EXIT_OUTPUT;
    if (status == PR_EXIT_DONE)
        status = write_verdict(common, check, verdict);
    return status == PR_EXIT_DONE && verdict->broken ? PR_EXIT_NO : status;
}

int pr_check_frame(const struct pr_command *command, const struct pr_common *common,
                   const struct pr_frame_check *check)
{
    struct pr_data_frame *frame = NULL, *before = NULL;
    struct pr_data_diff *diff = NULL;
    struct pr_data_schema *schema;
    struct pr_error err = {0};
    const char *baseline = check->baseline;
    for (size_t i = 0; i < check->rules->count; i++)
        if (!pr_frame_rule_check(command, check->rules->word[i]))
            return PR_EXIT_USAGE;
    if (baseline && check->baseline_optional && access(baseline, F_OK) != 0)
        baseline = NULL;
    int status = pr_table_schema_read(check->schema, &schema);
    if (schema)
        schema->is_for_several = baseline != NULL;
    if (status == PR_EXIT_DONE)
        status = read_table(common, common->input, check->allow_incomplete, schema, &frame);
    if (status == PR_EXIT_DONE && baseline)
        status = read_table(common, baseline, check->allow_incomplete, schema, &before);
    if (status == PR_EXIT_DONE && baseline && !pr_table_schema_is_used(schema))
        status = PR_EXIT_INPUT;
    if (status == PR_EXIT_DONE && before && pr_data_frame_diff(before, frame, &diff, &err) == PR_FAILED) {
        pr_say("%s", err.text);
        status = PR_EXIT_OUTPUT;
    }
    struct pr_frame_verdict verdict = {
        .frame = frame, .diff = diff, .input = pr_table_input_name(common->input), .baseline = baseline};
    if (status == PR_EXIT_DONE)
        status = judge(common, check, &verdict);
    pr_frame_verdict_clear(&verdict);
    pr_data_diff_free(diff);
    pr_data_frame_free(before);
    pr_data_frame_free(frame);
    pr_data_schema_free(schema);
    return status;
}
