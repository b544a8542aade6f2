/* SPDX-License-Identifier: Apache-2.0 */
/* What a run had, and what it waited for. Each figure is the run's own, not that of its machine or its group. */
#include "capture/explain/inquiry.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"
#include "capture/model/run_figures.h"
#include "capture/model/run_times.h"

/* Less than this share of the run or of a limit is not a finding. In percent. */
enum { LEAST_WAIT = 5, LEAST_MEMORY = 50, NEAR_LIMIT = 90, LEAST_STOOD = 50 };

/* "Peak memory is 97.2 % of the limit: 7.78 GiB of 8.00 GiB at 12:03." */
void pr_rule_memory_limit(struct pr_inquiry *inquiry)
{
    const struct pr_maybe limit = inquiry->profile->run.memory_limit_bytes;
    int64_t at_ms = PR_NO_MOMENT;
    const struct pr_run_figure peak = pr_run_peak_memory(inquiry->profile, &at_ms);
    struct pr_insight *insight;
    if (!peak.known || !limit.known) {
        inquiry->why = peak.known ? "no memory limit was recorded" : "the run's memory was not recorded";
        return;
    }
    if (!pr_is_share(peak.value, limit.value, LEAST_MEMORY) || !(insight = pr_insight_add(inquiry)))
        return;
    pr_insight_saves(insight, PR_UNIT_BYTES, peak.value, limit.value);
    insight->saving.known = false;
    insight->severity = pr_is_share(peak.value, limit.value, NEAR_LIMIT) ? PR_SEVERITY_HIGH : PR_SEVERITY_NOTE;
    insight->score = insight->severity == PR_SEVERITY_HIGH ? 2 * insight->score : insight->score / 2;
    insight->proof = "info INPUT";
    PR_SAY(inquiry, &insight->headline, "Peak memory is {} of the limit",
           pr_phrase_part(PR_UNIT_BYTES, peak.value, limit.value));
    PR_SAY(inquiry, &insight->rest, ": {} of {}", pr_phrase_value(PR_UNIT_BYTES, peak.value, peak.source),
           pr_phrase_value(PR_UNIT_BYTES, limit.value, ""));
    if (at_ms != PR_NO_MOMENT)
        PR_SAY(inquiry, &insight->rest, " at {}", pr_phrase_moment(at_ms));
    PR_SAY(inquiry, &insight->rest, ".");
}

/* At least LEAST_WAIT percent of the run. */
static bool is_long(const struct pr_inquiry *inquiry, struct pr_run_figure time)
{
    const int64_t whole = pr_times_duration_ns(inquiry->profile).value;
    return time.known && whole > 0 && pr_is_share(time.value, whole, LEAST_WAIT);
}

static struct pr_insight *begin(struct pr_inquiry *inquiry, struct pr_run_figure time, const char *words)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return NULL;
    pr_insight_saves(insight, PR_UNIT_NANOSECONDS, time.value, pr_times_duration_ns(inquiry->profile).value);
    insight->saving.known = false; /* what was waited for would have to be there */
    insight->proof = "info INPUT";
    PR_SAY(inquiry, &insight->headline, words, pr_phrase_value(PR_UNIT_NANOSECONDS, time.value, time.source));
    return insight;
}

/* How long the threads of the run itself waited. */
void pr_rule_waiting(struct pr_inquiry *inquiry)
{
    const struct pr_run_figure waited = pr_run_waited(inquiry->profile), cpu = pr_run_cpu_time(inquiry->profile);
    struct pr_insight *insight;
    if (!waited.known || !cpu.known) {
        inquiry->why = "how long threads waited for a core was not recorded";
        return;
    }
    if (!is_long(inquiry, waited) || !(insight = begin(inquiry, waited, "{} waiting for a free core")))
        return;
    const double wanted = (double)waited.value + (double)cpu.value;
    const int64_t share = (int64_t)((double)waited.value / wanted * 100000);
    insight->score = share; /* of all its threads */
    PR_SAY(inquiry, &insight->rest, ", all threads together: {} of the time they wanted one.",
           pr_phrase_value(PR_UNIT_PERCENT, share, ""));
}

/* The whole group is throttled, whichever member used the time: it matters to the run only if it waited. */
void pr_rule_throttled(struct pr_inquiry *inquiry)
{
    const struct pr_run_figure held = pr_run_sum(inquiry->profile, "throttled"),
                               waited = pr_run_waited(inquiry->profile);
    struct pr_insight *insight;
    if (!held.known) {
        inquiry->why = "throttling was not recorded";
        return;
    }
    if (!is_long(inquiry, held) || (waited.known && !is_long(inquiry, waited)))
        return;
    insight = begin(inquiry, held, "{} held back by the CPU limit");
    if (insight)
        PR_SAY(inquiry, &insight->rest, ": its control group had used up its quota.");
}

/* Some process in the group waited: said only if the run itself used the disk, and not as a fact about the run. */
void pr_rule_disk_pressure(struct pr_inquiry *inquiry)
{
    enum { LEAST_BYTES = 1024 * 1024 };
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_run_figure waited = pr_run_sum(profile, "cgroup_pressure_io");
    const struct pr_run_figure read = pr_run_sum(profile, "disk_read"), written = pr_run_sum(profile, "disk_write");
    struct pr_insight *insight;
    if (!waited.known) {
        inquiry->why = "waiting for disk was not recorded";
        return;
    }
    if (!is_long(inquiry, waited) || (read.value < LEAST_BYTES && written.value < LEAST_BYTES))
        return;
    insight = begin(inquiry, waited, "{} waiting for disk in its control group");
    if (insight)
        PR_SAY(inquiry, &insight->rest, ": some task of the group, not necessarily of this run.");
}

/* "8 cores", "2.5 cores" */
static struct pr_phrase whole_cores(int64_t millicores)
{
    return millicores % 1000 ? pr_phrase_value(PR_UNIT_CORES, millicores, "")
                             : pr_phrase_count(millicores / 1000, "cores");
}

/* The run has several cores, and does all of its work on one at a time. */
static bool is_one_core(struct pr_run_figure busy, struct pr_run_figure cores, int64_t most)
{
    return most <= 1200 && cores.value >= 2000 && busy.value >= 850 && busy.value <= 1100;
}

/* "CPU busy 0.8 of 2 cores on average (40.2 %), up to 1.9." */
void pr_rule_cores(struct pr_inquiry *inquiry)
{
    const struct pr_run_figure busy = pr_run_busy_cores(inquiry->profile),
                               cores = pr_run_usable_cores(inquiry->profile);
    const struct pr_series *cpu = pr_run_series(inquiry->profile, "cpu");
    struct pr_insight *insight;
    if (!busy.known || !cores.known) {
        inquiry->why = "how many cores were busy, or how many there are, was not recorded";
        return;
    }
    if (!(insight = pr_insight_add(inquiry)))
        return;
    const int64_t most = cpu ? pr_series_most(cpu) : 0;
    const bool is_missed = pr_run_cpu_is_missed(inquiry->profile, busy);
    insight->proof = "info INPUT";
    if (cpu && !is_missed && is_one_core(busy, cores, most)) {
        PR_SAY(inquiry, &insight->headline, "Only one core of {} is busy",
               pr_phrase_value(PR_UNIT_COUNT, cores.value / 1000, ""));
        PR_SAY(inquiry, &insight->rest, ": {} on average, and never more than {}.",
               pr_phrase_value(PR_UNIT_CORES, busy.value, busy.source),
               pr_phrase_value(cpu->unit, most, "highest CPU sample"));
        return;
    }
    PR_SAY(inquiry, &insight->headline, "CPU busy {} of {}", pr_phrase_cores(busy.value, busy.source),
           whole_cores(cores.value));
    PR_SAY(inquiry, &insight->rest, " on average ({})", pr_phrase_part(PR_UNIT_CORES, busy.value, cores.value));
    if (is_missed)
        PR_SAY_TEXT(inquiry, &insight->rest, ", " PR_CPU_IS_MISSED);
    else if (cpu)
        PR_SAY(inquiry, &insight->rest, ", up to {}", pr_phrase_cores(most, "highest CPU sample"));
    PR_SAY(inquiry, &insight->rest, ".");
}

/* ---- idle ------------------------------------------------------------------------------------------------------- */

/* The longest time in which less than a twentieth of a core was busy. */
static int64_t find_idle(const struct pr_series *cpu, int64_t *from_ms, int64_t *to_ms)
{
    enum { BUSY = 50 };
    int64_t longest = 0, start = cpu->at_ms[0];
    for (size_t i = 1; i < cpu->count; i++) { /* a sample covers the time since the one before */
        if (cpu->value[i] >= BUSY)
            start = cpu->at_ms[i];
        const int64_t idle = pr_subtract_saturated(cpu->at_ms[i], start);
        if (idle > longest) {
            longest = idle;
            *from_ms = start;
            *to_ms = cpu->at_ms[i];
        }
    }
    return longest;
}

/* What ran from FROM_MS to TO_MS by the order of time, in a column of the facts; NULL: no memory. */
static int64_t *slices_between(const struct pr_profile *profile, int64_t from_ms, int64_t to_ms, int64_t *sum)
{
    const double start = (double)profile->meta.start_ms.value * 1e6, from = (double)from_ms * 1e6 - start,
                 to = (double)to_ms * 1e6 - start;
    int64_t *part = calloc(profile->fact_count + 1, sizeof *part);
    const struct pr_slices slices = pr_profile_slices_of(profile, pr_profile_time_metric(profile));
    *sum = 0;
    for (size_t i = 0; part && i < slices.count; i++) {
        const struct pr_slice *slice = &slices.slice[i];
        const double begin = (double)slice->start_ns, end = begin + (double)slice->duration_ns;
        const double inside = (end < to ? end : to) - (begin > from ? begin : from);
        if (inside <= 0)
            continue;
        pr_add_to(&part[slice->fact], (int64_t)inside);
        pr_add_to(sum, (int64_t)inside);
    }
    return part;
}

/* " It stood in poll at service.py:31: 97.1 % of the samples in that time." By a profile that has the order of time. */
static void say_where(struct pr_inquiry *inquiry, struct pr_insight *insight, int64_t from_ms, int64_t to_ms)
{
    const struct pr_profile *profile = inquiry->profile;
    struct pr_holder holder;
    int64_t sum;
    if (!profile->slice_count || profile->slices_lack_clock || !profile->meta.start_ms.known)
        return;
    int64_t *part = slices_between(profile, from_ms, to_ms, &sum);
    const struct pr_column column = {part, NULL};
    const bool done = part && pr_code_find_holder(&inquiry->code, &column, &holder);
    inquiry->failed |= !done;
    if (done && holder.known && pr_is_share(holder.own, sum, LEAST_STOOD)) {
        insight->node = holder.node;
        PR_SAY(inquiry, &insight->rest, " Meanwhile it was in {}", pr_phrase_function(holder.frame));
        if (profile->frames[holder.frame].file)
            PR_SAY(inquiry, &insight->rest, " at {}",
                   pr_phrase_place(holder.frame, profile->frames[holder.frame].line));
        PR_SAY(inquiry, &insight->rest, ": {} of the samples in that time.",
               pr_phrase_part(PR_UNIT_NANOSECONDS, holder.own, sum));
    }
    free(part);
}

/* "Nothing ran for 12.3 s, 61.0 % of the run: from 3.00 s to 15.3 s less than 0.05 cores were busy." */
void pr_rule_idle(struct pr_inquiry *inquiry)
{
    enum { LEAST_PERCENT = 25, LEAST_MS = 1000 };
    const struct pr_series *cpu = pr_run_series(inquiry->profile, "cpu");
    int64_t from_ms = 0, to_ms = 0;
    struct pr_insight *insight;
    if (!cpu || cpu->count < 3) {
        inquiry->why = "how many cores were busy was not sampled";
        return;
    }
    const int64_t idle_ms = find_idle(cpu, &from_ms, &to_ms), span_ns = pr_times_duration_ns(inquiry->profile).value;
    const int64_t idle_ns = pr_maybe_times((struct pr_maybe){true, idle_ms}, PR_NS_PER_MS).value;
    if (idle_ms < LEAST_MS || span_ns <= 0 || !pr_is_share(idle_ns, span_ns, LEAST_PERCENT) ||
        !(insight = pr_insight_add(inquiry)))
        return;
    pr_insight_saves(insight, PR_UNIT_NANOSECONDS, idle_ns, span_ns);
    insight->from_ms = (struct pr_maybe){true, from_ms};
    insight->to_ms = (struct pr_maybe){true, to_ms};
    insight->proof = "export INPUT --view series";
    PR_SAY(inquiry, &insight->headline, "Nothing ran for {}", pr_phrase_value(PR_UNIT_NANOSECONDS, idle_ns, ""));
    PR_SAY(inquiry, &insight->rest,
           ", {} of the run: from {} to {}, less than 0.05 cores were busy. It was waiting for something else: disk, "
           "network, another process or a timer.",
           pr_phrase_part(PR_UNIT_NANOSECONDS, idle_ns, span_ns), pr_phrase_moment(from_ms), pr_phrase_moment(to_ms));
    say_where(inquiry, insight, from_ms, to_ms);
}
