/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a view as documents: JSON (schemas/records.schema.json) and CSV. */
#ifndef PR_CLI_REPORTS_RECORDS_DOCUMENT_H
#define PR_CLI_REPORTS_RECORDS_DOCUMENT_H

#include "profrender/records.h"
#include "profrender/temporal_records.h"
#include "cli/args/window_option.h"

#include "cli/io/output.h"

struct pr_records_out {
    const struct pr_profile *profile;
    const struct pr_metric *metric;
    const char *view;                   /* what the document calls it */
    const struct pr_part_of_run *part;  /* NULL: all of the run */
    const struct pr_records *records;   /* NULL: temporal */
    const struct pr_temporal *temporal; /* NULL: records */
    bool split_threads, raw_names;
    bool raw; /* CSV: names as they were recorded */
    struct pr_output *out;
};

void pr_records_json(const struct pr_records_out *what);

/* Of records only. */
void pr_records_csv(const struct pr_records_out *what);

#endif
