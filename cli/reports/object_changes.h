/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that are new, gone and kept, of a difference of heap dumps of one process. Nothing for other profiles. */
#ifndef PR_CLI_REPORTS_OBJECT_CHANGES_H
#define PR_CLI_REPORTS_OBJECT_CHANGES_H

#include "cli/io/json_writer.h"
#include "cli/reports/report.h"
#include "profrender/profile.h"

/* EXACT: bytes with all digits. */
void pr_object_changes_report(struct pr_report *report, const struct pr_profile *difference, bool exact);
void pr_object_changes_markdown(struct pr_output *out, const struct pr_profile *difference, bool exact);

/* The member "objects". */
void pr_object_changes_json(struct pr_json_writer *json, const struct pr_profile *difference);

#endif
