/* SPDX-License-Identifier: Apache-2.0 */
/* Events without a stack: settings, the machine, series, and the sentences they come to. */
#include "capture/jfr/jfr_events.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "capture/jfr/jfr_names.h"

#include <inttypes.h>
#include <math.h>

static int64_t at_ms(const struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    return pr_jfr_seen_time(r, event, PR_JFR_START) / PR_NS_PER_MS;
}

static void point(struct pr_jfr *r, const struct pr_jfr_seen *event, const char *name, const char *title,
                  enum pr_unit unit, int64_t value)
{
    if (value < 0)
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
    else
        pr_timeline_add(&r->timeline, pr_timeline_series(&r->timeline, name, title, unit), at_ms(r, event), value);
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

/* "20 ms", or a number of nanoseconds, as async-profiler has it; 0: it is not a time. */
static int64_t period_in(struct pr_text text)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", PR_NS_PER_MS}, {"s", PR_NS_PER_S}};
    uint64_t number;
    int64_t ns;
    uint32_t at = 0;
    if (!pr_text_number(text, &number) || number > INT64_MAX)
        return 0;
    while (at < text.length && pr_is_digit(text.bytes[at]))
        at++;
    const struct pr_text unit = pr_text_trim(pr_text_from(text, at));
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pr_text_is(unit, units[i].name) && !__builtin_mul_overflow((int64_t)number, units[i].ns, &ns))
            return ns;
    return 0;
}

/* Java's samplers have a period each; async-profiler an interval of its samples and one of time on the wall, which is a
 * setting of the same type. */
static void take_period(struct pr_jfr *r, struct pr_text type, struct pr_text name, struct pr_text value)
{
    struct pr_jfr_facts *facts = &r->facts;
    const bool is_sample = pr_text_is(type, "jdk.ExecutionSample"), is_period = pr_text_is(name, "period");
    const int64_t number = period_in(value);
    if (number <= 0)
        return;
    if (is_sample && is_period)
        facts->sample_ns = number;
    else if (is_sample && pr_text_is(name, "interval"))
        facts->interval = number;
    else if (pr_text_is(name, "wall"))
        facts->wall_ns = number;
    else if (is_period && pr_text_is(type, "jdk.NativeMethodSample"))
        facts->native_ns = number;
}

/* What async-profiler samples by: a clock, or an event that is counted. */
static void take_engine(struct pr_jfr *r, struct pr_text name, struct pr_text value)
{
    static const char *const clocks[] = {"cpu", "itimer", "ctimer", "wall", "cpu-clock", "task-clock"};
    const bool is_clock = !value.length || pr_text_is_one_of(value, clocks, sizeof clocks / sizeof *clocks);
    if (pr_text_is(name, "engine")) {
        r->facts.is_async = true;
        r->facts.is_wall_alone = pr_text_is(value, "wall") || pr_text_is(value, "noop");
    }
    if (!pr_text_is(name, "event"))
        return;
    r->facts.is_async = true;
    r->facts.is_wall = pr_text_is(value, "wall");
    if (is_clock || r->facts.counted)
        return;
    r->facts.counted = pr_arena_copy(&r->c.profile->arena, value.bytes, value.length);
    if (!r->facts.counted)
        pr_build_no_memory(&r->c);
}

static void take_setting(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    struct pr_buf name = {0}, value = {0};
    const uint32_t type = pr_jfr_type_by_id(&r->types, (uint64_t)pr_jfr_seen_number(event, PR_JFR_A));
    if (type == PR_NO_ID)
        return;
    pr_jfr_add_text(r, event->type, event->field[PR_JFR_B], event->all, &name);
    pr_jfr_add_text(r, event->type, event->field[PR_JFR_C], event->all, &value);
    const struct pr_text type_name = r->types.types[type].name;
    const struct pr_text setting = {name.bytes, (uint32_t)name.length}, is = {value.bytes, (uint32_t)value.length};
    if (pr_text_is(type_name, "jdk.ActiveRecording"))
        take_engine(r, setting, is);
    else
        take_period(r, type_name, setting, is);
    if (name.failed || value.failed)
        pr_build_no_memory(&r->c);
    pr_buf_clear(&name);
    pr_buf_clear(&value);
}

static void take_cpus(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    enum { MOST_THREADS = 1 << 20 };
    const int64_t threads = pr_jfr_seen_number(event, PR_JFR_A);
    if (threads > 0 && threads <= MOST_THREADS)
        r->facts.hardware_threads = threads;
}

/* "OpenJDK 64-Bit Server VM (17.0.15+6-Debian) for linux-amd64 JRE (...": up to what it was built for. */
static void take_jvm(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    struct pr_buf version = {0};
    pr_jfr_add_text(r, event->type, event->field[PR_JFR_A], event->all, &version);
    const char *end = version.length ? strstr(version.bytes, " for ") : NULL;
    if (end)
        version.length = (size_t)(end - version.bytes);
    r->facts.version = pr_build_buf(&r->c, &version);
    const pr_str command = event->fields[PR_JFR_B] ? pr_jfr_text(r, event->type, event->field[PR_JFR_B], event->all)
                                                   : 0;
    if (command)
        r->c.profile->meta.command_line = command;
    const int64_t pid = pr_jfr_seen_number(event, PR_JFR_C);
    if (pid > 0)
        r->c.profile->meta.pid = (struct pr_maybe){true, pid};
}

/* ---- series ------------------------------------------------------------------------------------------------------ */

/* Shares of the whole machine: as busy cores where their number is known. */
static void take_load(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    enum { THOUSANDTHS = 1000, PERCENT = 100 };
    const double share = event->values[PR_JFR_A].real + event->values[PR_JFR_B].real;
    const int64_t threads = r->facts.hardware_threads;
    if (!isfinite(share) || share < 0 || share > 2) {
        pr_build_damage(&r->c, PR_DAMAGE_NOT_NUMBERS, 1);
        return;
    }
    if (threads)
        point(r, event, "cpu", "CPU", PR_UNIT_CORES, llround(share * (double)threads * THOUSANDTHS));
    else
        point(r, event, "cpu_share", "CPU of the machine", PR_UNIT_PERCENT, llround(share * PERCENT * THOUSANDTHS));
}

static void take_heap(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    point(r, event, "heap", "Java heap", PR_UNIT_BYTES, pr_jfr_seen_number(event, PR_JFR_A));
}

static void take_rss(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    point(r, event, "rss", "RSS", PR_UNIT_BYTES, pr_jfr_seen_number(event, PR_JFR_A));
}

static void take_thread_count(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    point(r, event, "threads", "Threads", PR_UNIT_COUNT, pr_jfr_seen_number(event, PR_JFR_A));
}

static void take_collection(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    const int64_t ns = pr_jfr_seen_span(r, event, PR_JFR_A), longest = pr_jfr_seen_span(r, event, PR_JFR_B);
    point(r, event, "gc_pause", "GC pauses", PR_UNIT_NANOSECONDS, ns);
    if (ns <= 0)
        return;
    r->facts.pauses++;
    pr_add_to(&r->facts.paused_ns, ns);
    if (longest > r->facts.longest_pause_ns)
        r->facts.longest_pause_ns = longest;
}

static void take_lost(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    const int64_t lost = pr_jfr_seen_number(event, PR_JFR_A);
    if (lost < 0)
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
    else
        pr_add_to(&r->facts.lost_samples, lost);
}

const struct pr_jfr_event_kind pr_jfr_series_kinds[] = {
    {"jdk.ActiveSetting", take_setting, .own = {"id", "name", "value"}, .is_setting = true},
    {"jdk.CPUInformation", take_cpus, .own = {"hwThreads"}, .is_setting = true},
    {"jdk.JVMInformation", take_jvm, .own = {"jvmVersion", "javaArguments", "pid"}, .is_setting = true},
    {"jdk.CPULoad", take_load, .own = {"jvmUser", "jvmSystem"}},
    {"jdk.GCHeapSummary", take_heap, .own = {"heapUsed"}},
    {"jdk.ResidentSetSize", take_rss, .own = {"size"}},
    {"jdk.JavaThreadStatistics", take_thread_count, .own = {"activeCount"}},
    {"jdk.CPUTimeSamplesLost", take_lost, .own = {"lostSamples"}},
    {"jdk.GarbageCollection", take_collection, .own = {"sumOfPauses", "longestPause"}},
    {.name = NULL},
};
