/* SPDX-License-Identifier: Apache-2.0 */
/* Time series of a profile as documents: `export --view series`, and what `info` says of them. */
#ifndef PR_CLI_REPORTS_SERIES_DOCUMENT_H
#define PR_CLI_REPORTS_SERIES_DOCUMENT_H

#include "cli/io/json_writer.h"
#include "cli/reports/report.h"

/* All points of all series, with their units: schemas/series.schema.json. */
void pr_series_json(struct pr_output *out, const struct pr_profile *profile);

/* The same, one point per line; RAW: names as they were recorded. */
void pr_series_csv(struct pr_output *out, const struct pr_profile *profile, bool raw);

/* A member "series": name, unit, number of points, lowest and highest value of each; of a run only. */
void pr_series_list(struct pr_json_writer *json, const struct pr_profile *profile);

/* The same for people. */
void pr_series_report(struct pr_report *report, const struct pr_profile *profile);

#endif
