/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jdk.MethodTiming (JDK 25): how often each method of `method-timing` was called, and how long on average. It has no
 * stack. A method's events count from the start of the recording, so the latest one has all of them; where their time
 * or their count goes back, another recording begins, and both count.
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

/* All events are there: adds what methods took. */
void pr_jfr_timings_finish(struct pr_jfr *r);

void pr_jfr_timings_clear(struct pr_jfr *r);

#endif
