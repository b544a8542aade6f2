/* SPDX-License-Identifier: Apache-2.0 */
/* What grew in each step, for people and for programs. */
#ifndef PR_CLI_REPORTS_GREW_TEXT_H
#define PR_CLI_REPORTS_GREW_TEXT_H

#include "cli/reports/grew_view.h"
#include "cli/reports/report.h"

struct pr_grew_text {
    const struct pr_grew_view *view;
    const char *const *names; /* [view->diff->count] of the runs or parts, the first one first */
    size_t limit;             /* maximum number of rows; 0: all */
    bool raw_names;           /* JSON: bytes that are not UTF-8 are kept */
};

void pr_grew_text_write(struct pr_report *report, const struct pr_grew_text *text);
void pr_grew_markdown_write(struct pr_output *out, const struct pr_grew_text *text);

/* All rows, whatever the limit. */
void pr_grew_document_write(struct pr_output *out, const struct pr_grew_text *text);

#endif
