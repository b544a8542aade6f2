/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording says of itself: sections after its records in a file, records in a pipe.
 *
 * Source: Linux tools/perf/util/header.c and header.h (enum HEADER_*),
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_FEATURES_H
#define PR_CAPTURE_PERF_DATA_PERF_FEATURES_H

#include "capture/perf_data/perf_data.h"

enum {
    PR_PERF_FEATURES = 256, /* bits of the header */
    PR_PERF_BUILD_IDS = 2   /* the number of a feature */
};

/* Whether that feature is read at all. */
bool pr_perf_feature_wanted(unsigned feature);

/* Takes the content of a feature. */
void pr_perf_feature_take(struct pr_perf *r, unsigned feature, struct pr_perf_bytes content);

#endif
