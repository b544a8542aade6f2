/* SPDX-License-Identifier: Apache-2.0 */
/* Python objects by the call path that made them, in the terminal and in documents; nothing where none is known. */
#ifndef PR_CLI_REPORTS_OBJECTS_REPORT_H
#define PR_CLI_REPORTS_OBJECTS_REPORT_H

#include "cli/io/json_writer.h"
#include "cli/reports/report.h"

/* The member "objects": totals, and the call paths that made most of them. */
void pr_objects_json(struct pr_json_writer *json, const struct pr_profile *profile);

/* A heading, the totals, what the record lacks, and a row for each of the first call paths. */
void pr_objects_report(struct pr_report *report, const struct pr_profile *profile);

#endif
