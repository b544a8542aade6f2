/* SPDX-License-Identifier: Apache-2.0 */
/* What rules found (profrender/explain.h), for people and for programs that read text. */
#ifndef PR_CLI_REPORTS_EXPLAIN_TEXT_H
#define PR_CLI_REPORTS_EXPLAIN_TEXT_H

#include "cli/io/json_writer.h"
#include "cli/reports/report.h"
#include "profrender/explain.h"

struct pr_explain_text {
    const struct pr_profile *profile;
    const struct pr_explanation *explanation;
    const char *const *inputs; /* [input_count] as the user gave them, for commands; 1 or more */
    size_t input_count;
    uint64_t max_tokens; /* of four bytes each; 0: no limit */
    bool rules; /* also names the rules that found nothing, and why others could not judge; always if none found any */
    bool markdown, raw_names;
};

/* Findings come first, then the other rules, or their number; what exceeds the limit is left out, and counted. */
void pr_explain_text_write(struct pr_report *report, const struct pr_explain_text *text);

/* The same as JSON, without a limit. */
void pr_explain_document_write(struct pr_output *out, const struct pr_explain_text *text);

/* Appends the sentence as the JSON form has it: names unchanged. */
void pr_explain_sentence(const struct pr_profile *profile, const struct pr_insight *insight, struct pr_buf *out);

/* Appends the command that prints the figures of INSIGHT; nothing without one, or if it does not take all inputs. */
void pr_explain_command(const struct pr_explain_text *text, const struct pr_insight *insight, struct pr_buf *out);

#endif
