/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jdk.MethodTiming (JDK 25): how often each method of `method-timing` was called, and how long on average. It has no
 * stack. A method's events count from the start of the recording, so the one with the most calls has all of them: one
 * with fewer that is no later is an older one, out of order. Another recording, of which both count, begins where a
 * later event has fewer calls, and with a chunk that does not start after the one before: a JVM writes those of a
 * recording in the order of their starts, so files were joined. A recording that is joined behind an older one, and has
 * as many calls as that or more, is not told from it.
 *
 * The time of a method includes what it calls, so the total has that of nested methods more than once.
 *
 * Source: OpenJDK 25, src/jdk.jfr/share/classes/jdk/jfr/internal/tracing/TimedMethod.java and PlatformTracer.java;
 * jdk/jfr/events/MethodTimingEvent.java.
 */
#ifndef PR_CAPTURE_JFR_JFR_TIMINGS_H
#define PR_CAPTURE_JFR_JFR_TIMINGS_H

#include "capture/jfr/jfr_seen.h"

#define PR_JFR_TIMED "timed" /* the metric */

/* EVENT is of a method, whose calls count for FACT. */
void pr_jfr_timing(struct pr_jfr *r, const struct pr_jfr_seen *event, uint32_t fact);

/* All events are there: adds what methods took, if nothing failed. */
void pr_jfr_timings_finish(struct pr_jfr *r);

void pr_jfr_timings_clear(struct pr_jfr *r);

#endif
