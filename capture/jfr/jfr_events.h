/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which events are read, and what each becomes. An event has values by name (start, duration, thread, stack, and what
 * its kind has); names that a version of the JVM does not have are missing, never an error.
 *
 * - jdk.ExecutionSample: a thread that ran Java code when it was sampled, once a period; "cpu", the main metric, in
 *   periods. Samples in a state of waiting, as async-profiler has them, are "waiting".
 * - jdk.NativeMethodSample: the same for threads in native code, which mostly wait there: "native".
 * - jdk.CPUTimeSample (JDK 25): each has its own period; "cpu_time". profiler.WallClockSample: "wall".
 * - jdk.ObjectAllocationSample: `weight` is what was allocated since the sample before: "allocated". Without such
 *   events, what filled a buffer of a thread (InNewTLAB) counts as that buffer, and what did not fit as itself.
 * - async-profiler's samples of an event that is not a clock, "page-faults", have jdk.ExecutionSample too: "event", the
 *   main metric, in what was counted.
 * - profiler.Malloc and Free: jfr_native_memory.h. jdk.MethodTrace: how long traced methods took, "traced".
 * - jdk.MethodTiming: jfr_timings.h; "timed".
 * - jdk.JavaMonitorEnter, ThreadPark, SocketRead, ZAllocationStall and others like them: how long, by stack. Only what
 *   is longer than the recording's threshold is in it.
 *
 * Source: OpenJDK 11 to 25, src/hotspot/share/jfr/metadata/metadata.xml; jdk/jfr/events;
 * src/hotspot/share/gc/shared/allocTracer.cpp; async-profiler docs/JfrVisualization.md and src/flightRecorder.cpp.
 */
#ifndef PR_CAPTURE_JFR_JFR_EVENTS_H
#define PR_CAPTURE_JFR_JFR_EVENTS_H

#include "capture/jfr/jfr_seen.h"

/* The tables, each with a row of zeros at its end; in the order in which metrics are listed, the main one first. */
extern const struct pr_jfr_event_kind pr_jfr_stack_kinds[], pr_jfr_series_kinds[];

/* The metric of samples that are not of time, if a recording has some. */
#define PR_JFR_COUNTED "event"

/* Takes the settings among the events of the chunk, then all others. */
void pr_jfr_take_events(struct pr_jfr *r);

/* Puts the metrics in the order of the table. */
void pr_jfr_order_metrics(struct pr_jfr *r);


#endif
