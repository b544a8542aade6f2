/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build ids of files: they say whether a file of code is the one that ran. A mapping has one, or a list by path.
 *
 * Source: Linux tools/perf/util/header.c, perf_header__read_build_ids; tools/lib/perf/include/perf/event.h.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_BUILD_IDS_H
#define PR_CAPTURE_PERF_DATA_PERF_BUILD_IDS_H

#include "capture/perf_data/perf_data.h"

/* The build id of the bytes, [SIZE], as hexadecimal text; 0 = none. */
pr_str pr_perf_build_id(struct pr_perf *r, const uint8_t *bytes, size_t size);

/* A record of a build id, CONTENT after its head: MISC says how long the id is. */
void pr_perf_build_id_take(struct pr_perf *r, unsigned misc, struct pr_perf_bytes content);

/* The build id that was recorded for the file at PATH; 0: none so far. */
pr_str pr_perf_build_id_of(const struct pr_perf *r, pr_str path);

/* Gives files the build ids of the section, where their mapping had none. */
void pr_perf_build_ids_assign(struct pr_perf *r);

#endif
