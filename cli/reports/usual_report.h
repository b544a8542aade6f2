/* SPDX-License-Identifier: Apache-2.0 */
/* The usual range of figures and functions, as a part of a difference: for people and in its document. */
#ifndef PR_CLI_REPORTS_USUAL_REPORT_H
#define PR_CLI_REPORTS_USUAL_REPORT_H

#include "cli/io/json_writer.h"
#include "cli/reports/diff_view.h"
#include "cli/reports/report.h"
#include "render/words/usual_words.h"

/* All write nothing where USUALS is NULL: no earlier runs were named. EXACT: with all digits. */
void pr_usual_text(struct pr_report *report, const struct pr_usuals *usuals, bool exact);
void pr_usual_markdown(struct pr_output *out, const struct pr_usuals *usuals, bool exact);

/* The range of a row, "" where it is not known. */
struct pr_figure pr_usual_row(const struct pr_usuals *usuals, const struct pr_diff_view *view,
                              const struct pr_change *change, bool exact);

/* The member "usual" of the figure called METRIC, null where its range is not known; the same of a row. */
void pr_usual_json(struct pr_json_writer *json, const struct pr_usuals *usuals, const char *metric);
void pr_usual_row_json(struct pr_json_writer *json, const struct pr_usuals *usuals, const struct pr_diff_view *view,
                       const struct pr_change *change);

/* The member "history": regressions of functions, and notes. */
void pr_usual_notes_json(struct pr_json_writer *json, const struct pr_usuals *usuals);

#endif
