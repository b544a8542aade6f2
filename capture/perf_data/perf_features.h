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

enum { PR_PERF_FEATURES = 256 /* bits of the header */ };

/* Whether that feature is read at all. */
bool pr_perf_feature_wanted(unsigned feature);

/* Takes the content of a feature. */
void pr_perf_feature_take(struct pr_perf *r, unsigned feature, struct pr_perf_bytes content);

/* A record of a build id, CONTENT after its head: MISC says how long the id is. */
void pr_perf_build_id_take(struct pr_perf *r, unsigned misc, struct pr_perf_bytes content);

/* Gives files the build ids of the section, where their mapping had none. */
void pr_perf_build_ids_assign(struct pr_perf *r);

#endif
