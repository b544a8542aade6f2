/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc and free, which async-profiler records by address (nativemem): "native_allocated" is what was allocated, and
 * "native_kept" what of that was not freed before the end.
 *
 * Threads write their events apart from one another, so those of a chunk are in no order of time: they are kept until
 * its end and sorted. Of what was allocated, the profiler records a sample, and each free that may be of one.
 *
 * Source: async-profiler, src/mallocTracer.cpp, src/converter/one/jfr/event/MallocLeakAggregator.java.
 */
#ifndef PR_CAPTURE_JFR_JFR_NATIVE_MEMORY_H
#define PR_CAPTURE_JFR_JFR_NATIVE_MEMORY_H

#include "capture/jfr/jfr_seen.h"

/* EVENT allocated SIZE bytes, which count for FACT; PR_NO_ID: it freed them. */
void pr_jfr_native_call(struct pr_jfr *r, const struct pr_jfr_seen *event, int64_t size, uint32_t fact);

/* The events of the chunk are all there. */
void pr_jfr_native_chunk(struct pr_jfr *r);

/* Those of all chunks are: counts what was not freed. */
void pr_jfr_native_finish(struct pr_jfr *r);

void pr_jfr_native_clear(struct pr_jfr *r);

#endif
