/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded it, how its time is counted, and what its figures lack. */
#include "capture/jfr/jfr_notes.h"

#include "capture/jfr/jfr_events.h"

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

enum { TEXT_BYTES = 40 };

/* "20 ms", "0.250 ms"; no locale gives it a comma. */
static const char *milliseconds(int64_t ns, char text[TEXT_BYTES])
{
    enum { ROUNDED_US = 100 * 1000 };
    const int64_t us = ns / 1000;
    if (us >= ROUNDED_US)
        snprintf(text, TEXT_BYTES, "%" PRId64 " ms", us / 1000 + (us % 1000 >= 500));
    else if (us % 1000)
        snprintf(text, TEXT_BYTES, "%" PRId64 ".%03" PRId64 " ms", us / 1000, us % 1000);
    else
        snprintf(text, TEXT_BYTES, "%" PRId64 " ms", us / 1000);
    return text;
}

static void add_sampling(struct pr_jfr *r)
{
    char text[TEXT_BYTES];
    if (has_metric(r, PR_JFR_COUNTED) && !r->facts.interval)
        pr_build_note(&r->c, "each sample counts as one, as the recording does not say how many events it stands for");
    if (has_metric(r, "cpu") && r->facts.is_async)
        pr_build_note(&r->c, "time is a sample every %s", milliseconds(r->facts.sample_ns, text));
    else if (has_metric(r, "cpu") && r->facts.sample_ns > 0)
        pr_build_note(&r->c,
                      "time is a sample every %s; the JVM samples at most five threads in Java code each time, so "
                      "with more of them running it is too low",
                      milliseconds(r->facts.sample_ns, text));
    if (has_metric(r, "native"))
        pr_build_note(&r->c, "threads in native methods mostly wait there, for a socket or an event; they are not part "
                             "of the CPU time");
}

static void add_pauses(struct pr_jfr *r)
{
    const struct pr_jfr_facts *facts = &r->facts;
    char all[TEXT_BYTES], longest[TEXT_BYTES];
    if (facts->pauses)
        pr_build_note(&r->c, "%" PRId64 " garbage collection%s stopped the program for %s in all, at most %s at once",
                      facts->pauses, facts->pauses == 1 ? "" : "s", milliseconds(facts->paused_ns, all),
                      milliseconds(facts->longest_pause_ns, longest));
}

void pr_jfr_add_notes(struct pr_jfr *r)
{
    const struct pr_jfr_facts *facts = &r->facts;
    const struct pr_text version = pr_profile_text(r->c.profile, facts->version);
    if (version.length)
        pr_build_note(&r->c, "recorded by %.*s", (int)(version.length < 200 ? version.length : 200), version.bytes);
    add_sampling(r);
    add_pauses(r);
    if (facts->truncated)
        pr_build_note(&r->c, "%" PRIu64 " stack%s deeper than the recording keeps: "
                             "-XX:FlightRecorderOptions=stackdepth=256 keeps more",
                      facts->truncated, facts->truncated == 1 ? " was" : "s were");
    if (facts->doubled)
        pr_build_note(&r->c, "%" PRIu64 " events of thread-local buffers were not added: the samples of allocations "
                             "have them already", facts->doubled);
}
