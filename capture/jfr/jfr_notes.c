/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded it, how its time is counted, and what its figures lack. */
#include "capture/jfr/jfr_notes.h"

#include "capture/base/ms_text.h"
#include "capture/jfr/jfr_events.h"
#include "capture/jfr/jfr_timings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool has_metric(const struct pr_jfr *r, const char *name)
{
    for (uint32_t i = 0; i < r->c.metric_count; i++)
        if (!strcmp(r->c.metrics[i].name, name))
            return true;
    return false;
}

static void add_sampling(struct pr_jfr *r)
{
    if (has_metric(r, PR_JFR_COUNTED) && !r->facts.interval)
        pr_build_note(&r->c, "each sample counts as one, as the recording does not say how many events it stands for");
    if (has_metric(r, "cpu") && r->facts.is_async)
        pr_build_note(&r->c, "time is a sample every %s", pr_ms_text(r->facts.sample_ns).text);
    else if (has_metric(r, "cpu") && r->facts.sample_ns > 0)
        pr_build_note(&r->c,
                      "time is a sample every %s; the JVM samples at most five threads in Java code each time, so "
                      "with more of them running it is too low",
                      pr_ms_text(r->facts.sample_ns).text);
    if (r->facts.lost_samples)
        pr_build_note(&r->c, "the JVM lost %" PRId64 " sample%s of the CPU time's timer, which lacks their time",
                      r->facts.lost_samples, r->facts.lost_samples == 1 ? "" : "s");
    if (r->facts.assumed_ns)
        pr_build_note(&r->c, "how often samples were taken is not in the recording: every %s is assumed, the JVM's "
                             "default", pr_ms_text(r->facts.assumed_ns).text);
    if (has_metric(r, "native"))
        pr_build_note(&r->c, "threads in native methods mostly wait there, for a socket or an event; they are not part "
                             "of the CPU time");
}

static void add_pauses(struct pr_jfr *r)
{
    const struct pr_jfr_facts *facts = &r->facts;
    if (facts->pauses)
        pr_build_note(&r->c, "%" PRId64 " garbage collection%s stopped the program for %s in all, at most %s at once",
                      facts->pauses, facts->pauses == 1 ? "" : "s", pr_ms_text(facts->paused_ns).text,
                      pr_ms_text(facts->longest_pause_ns).text);
}

static void add_stalls(struct pr_jfr *r)
{
    const struct pr_jfr_facts *facts = &r->facts;
    if (facts->stalls)
        pr_build_note(&r->c, "threads stopped %" PRId64 " time%s until the collector had freed memory, %s in all; the "
                             "pauses do not include this",
                      facts->stalls, facts->stalls == 1 ? "" : "s", pr_ms_text(facts->stalled_ns).text);
}

void pr_jfr_add_notes(struct pr_jfr *r)
{
    const struct pr_jfr_facts *facts = &r->facts;
    const struct pr_text version = pr_profile_text(r->c.profile, facts->version);
    if (version.length)
        pr_build_note(&r->c, facts->is_async ? "recorded by async-profiler, with a JVM of %.*s" : "recorded by %.*s",
                      (int)(version.length < 200 ? version.length : 200), version.bytes);
    add_sampling(r);
    add_pauses(r);
    add_stalls(r);
    if (has_metric(r, PR_JFR_TIMED))
        pr_build_note(&r->c, "the time of a timed method includes what it calls, so it is counted once for each timed "
                             "method around it; it is the mean of its calls times their number");
    if (has_metric(r, "traced"))
        pr_build_note(&r->c, "the time of a traced method includes what it calls, so it is counted once for each "
                             "traced method around it");
    if (facts->truncated)
        pr_build_note(&r->c, "%" PRIu64 " stack%s deeper than the recording keeps: "
                             "-XX:FlightRecorderOptions=stackdepth=256 keeps more",
                      facts->truncated, facts->truncated == 1 ? " was" : "s were");
    if (facts->doubled)
        pr_build_note(&r->c, "%" PRIu64 " events of thread-local buffers were not added: the samples of allocations "
                             "have them already", facts->doubled);
}
