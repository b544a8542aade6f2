/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a tree for a terminal of any width. */
#ifndef PR_CLI_REPORTS_TREE_TEXT_H
#define PR_CLI_REPORTS_TREE_TEXT_H

#include "cli/reports/report.h"
#include "cli/reports/tree_view.h"

struct pr_tree_text {
    const struct pr_tree_view *view;
    bool invert; /* as the question was */
    bool exact;  /* bytes with all digits */
};

void pr_tree_text_write(struct pr_report *report, const struct pr_tree_text *tree);

#endif
