/* SPDX-License-Identifier: Apache-2.0 */
/* A difference for people: in a terminal of any width, and as Markdown. */
#ifndef PR_CLI_REPORTS_DIFF_TEXT_H
#define PR_CLI_REPORTS_DIFF_TEXT_H

#include "cli/reports/diff_view.h"
#include "cli/reports/report.h"
#include "render/words/usual_words.h"

struct pr_diff_text {
    const struct pr_diff_view *view; /* without a metric: of runs that have none in common */
    const char *no_functions;        /* why then no functions are compared; a sentence */
    const char *before, *after; /* names of the inputs */
    const struct pr_usuals *usuals; /* of earlier runs; NULL: none were named */
    const char *part_before, *part_after; /* "0 s to 10 s": which part of its run each is; empty: all of it */
    size_t limit;               /* maximum number of rows; 0: all that changed */
    bool exact;                 /* bytes with all digits */
};

void pr_diff_text_write(struct pr_report *report, const struct pr_diff_text *text);
void pr_diff_markdown_write(struct pr_output *out, const struct pr_diff_text *text);

/* "self", "own code", "total", "path". */
extern const char *const pr_diff_by_words[];

#endif
