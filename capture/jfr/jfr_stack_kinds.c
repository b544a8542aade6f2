/* SPDX-License-Identifier: Apache-2.0 */
/* Events with a stack. */
#include "capture/jfr/jfr_events.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/jfr/jfr_names.h"
#include "capture/jfr/jfr_native_memory.h"
#include "capture/jfr/jfr_old_objects.h"
#include "capture/jfr/jfr_stacks.h"
#include "capture/jfr/jfr_timings.h"

/* The period of both samplers in default.jfc, and async-profiler's. */
enum { DEFAULT_PERIOD_NS = 20 * 1000 * 1000, ASYNC_PERIOD_NS = 10 * 1000 * 1000, ASYNC_WALL_NS = 50 * 1000 * 1000 };

static void take_sample(struct pr_jfr *r, const struct pr_jfr_seen *event);

static uint32_t fact_of(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    pr_node_id leaf = pr_jfr_stack(r, pr_jfr_seen_number(event, PR_JFR_STACK));
    if (event->kind->about)
        leaf = pr_jfr_about(r, leaf, event->kind->about, pr_jfr_class(r, pr_jfr_seen_number(event, PR_JFR_A)));
    return pr_build_fact(&r->c, leaf, pr_jfr_thread(r, pr_jfr_seen_number(event, PR_JFR_THREAD)));
}

/* The JVM's samples are fewer than the CPU time would have; its CPU load is right, and has that name. */
static unsigned metric_of(struct pr_jfr *r, const struct pr_jfr_event_kind *kind)
{
    const bool is_time = kind->take == take_sample && r->facts.is_async;
    const char *title = is_time ? "CPU time" : kind->metric.title;
    return pr_build_metric(&r->c, kind->metric.name, title, kind->metric.unit, kind->metric.count_name);
}

/* VALUE and COUNT of the event's metric; a value below 0 makes no sense. */
static uint32_t add(struct pr_jfr *r, const struct pr_jfr_seen *event, int64_t value, int64_t count)
{
    if (value < 0 || count < 0) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return PR_NO_ID;
    }
    const uint32_t fact = fact_of(r, event);
    pr_build_add(&r->c, fact, metric_of(r, event->kind), value, count);
    return fact;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* A period that the recording does not have is the default one, which a note says. */
static int64_t known_period(struct pr_jfr *r, int64_t *period_ns)
{
    if (*period_ns <= 0) {
        r->facts.assumed_ns = DEFAULT_PERIOD_NS;
        *period_ns = DEFAULT_PERIOD_NS;
    }
    return *period_ns;
}

/* By the state of the thread, value ROLE of EVENT. */
static bool is_waiting(struct pr_jfr *r, const struct pr_jfr_seen *event, enum pr_jfr_role role)
{
    static const char *const words[] = {"SLEEPING", "WAIT", "PARKED", "BLOCKED", "SUSPENDED"};
    struct pr_buf state = {0};
    bool waits = false;
    if (event->fields[role])
        pr_jfr_add_text(r, event->type, event->field[role], event->all, &state);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        waits |= state.length && strstr(state.bytes, words[i]);
    if (state.failed)
        pr_build_no_memory(&r->c);
    pr_buf_clear(&state);
    return waits;
}

/* A sample that async-profiler took each time something was counted so often; how often by default is not known. */
static void take_counted(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    const int64_t interval = r->facts.interval;
    const unsigned metric = pr_build_metric(&r->c, PR_JFR_COUNTED, r->facts.counted, PR_UNIT_COUNT, "samples");
    pr_build_add(&r->c, fact_of(r, event), metric, interval ? interval : 1, 1);
}

static int64_t sample_period(struct pr_jfr *r)
{
    if (r->facts.is_async && !r->facts.sample_ns)
        r->facts.sample_ns = r->facts.interval  ? r->facts.interval
                             : r->facts.is_wall ? ASYNC_WALL_NS
                                                : ASYNC_PERIOD_NS;
    return known_period(r, &r->facts.sample_ns);
}

static int64_t wall_period(struct pr_jfr *r)
{
    if (!r->facts.wall_ns)
        r->facts.wall_ns = r->facts.is_wall && r->facts.interval ? r->facts.interval : ASYNC_WALL_NS;
    return r->facts.wall_ns;
}

static void take_sample(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    if (r->facts.counted) {
        take_counted(r, event);
        return;
    }
    const int64_t period_ns = sample_period(r);
    const int64_t end_ns = pr_jfr_seen_time(r, event, PR_JFR_START);
    if (is_waiting(r, event, PR_JFR_A)) {
        const unsigned waiting = pr_build_metric(&r->c, "waiting", "Waiting", PR_UNIT_NANOSECONDS, "samples");
        pr_build_add(&r->c, fact_of(r, event), waiting, period_ns, 1);
        return;
    }
    const uint32_t fact = add(r, event, period_ns, 1);
    pr_build_slice(&r->c, fact, pr_subtract_saturated(end_ns, period_ns), period_ns);
}

static void take_native(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    add(r, event, known_period(r, &r->facts.native_ns), 1);
}

static void take_cpu_time(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    add(r, event, pr_jfr_seen_span(r, event, PR_JFR_A), 1);
}

/* Adds NS of wall time to the metric of the thread's state. */
static void add_by_state(struct pr_jfr *r, const struct pr_jfr_seen *event, uint32_t fact, int64_t ns, int64_t samples)
{
    const unsigned of_state[] = {
        pr_build_metric(&r->c, "wall_running", "Wall time, running", PR_UNIT_NANOSECONDS, "samples"),
        pr_build_metric(&r->c, "wall_waiting", "Wall time, waiting", PR_UNIT_NANOSECONDS, "samples")};
    pr_build_add(&r->c, fact, of_state[is_waiting(r, event, PR_JFR_B)], ns, samples);
}

/* Samples in turn of a thread that did not go on are one event, with the time of the first. */
static void take_wall(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    const int64_t samples = pr_jfr_seen_number(event, PR_JFR_A);
    int64_t ns;
    if (__builtin_mul_overflow(samples, wall_period(r), &ns))
        ns = samples < 0 ? -1 : INT64_MAX;
    const uint32_t fact = add(r, event, ns, samples);
    if (fact != PR_NO_ID && event->fields[PR_JFR_B])
        add_by_state(r, event, fact, ns, samples);
    if (r->facts.is_wall_alone && ns > 0)
        pr_build_slice(&r->c, fact,
                       pr_subtract_saturated(pr_jfr_seen_time(r, event, PR_JFR_START), wall_period(r)), ns);
}

/* ---- allocations, and how long things took ----------------------------------------------------------------------- */

static void take_weight(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    add(r, event, pr_jfr_seen_number(event, PR_JFR_B), 1);
}

static void add_allocation(struct pr_jfr *r, const struct pr_jfr_seen *event, int64_t bytes)
{
    const uint32_t fact = add(r, event, bytes, 1);
    if (fact != PR_NO_ID)
        pr_build_moment(&r->c, fact, pr_jfr_seen_time(r, event, PR_JFR_START), bytes);
}

static void take_sampled_allocation(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    add_allocation(r, event, pr_jfr_seen_number(event, PR_JFR_B));
}

/* The last own value that its type has is the size: of the buffer, or else of the object. */
static void take_buffer(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    if (r->facts.has_weights)
        r->facts.doubled++;
    else
        add_allocation(r, event, pr_jfr_seen_number(event, event->fields[PR_JFR_C] ? PR_JFR_C : PR_JFR_B));
}

static void take_duration(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    add(r, event, pr_jfr_seen_span(r, event, PR_JFR_DURATION), 1);
}

static void take_exception(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    add(r, event, 1, 0);
}

/* What the collectors without long pauses have instead. */
static void take_stall(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    const int64_t ns = pr_jfr_seen_span(r, event, PR_JFR_DURATION);
    if (add(r, event, ns, 1) == PR_NO_ID)
        return;
    r->facts.stalls++;
    pr_add_to(&r->facts.stalled_ns, ns);
}

static void take_malloc(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    const int64_t size = pr_jfr_seen_number(event, PR_JFR_B);
    const uint32_t fact = add(r, event, size, 1);
    if (fact != PR_NO_ID)
        pr_jfr_native_call(r, event, size, fact);
}

static void take_free(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    pr_jfr_native_call(r, event, 0, PR_NO_ID);
}

/* The stack of the JDK is that of the caller; async-profiler's has the method, and no key for it. */
static void take_traced(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    const pr_node_id leaf = pr_jfr_called(r, pr_jfr_stack(r, pr_jfr_seen_number(event, PR_JFR_STACK)),
                                          pr_jfr_seen_number(event, PR_JFR_A));
    const uint32_t fact = pr_build_fact(&r->c, leaf, pr_jfr_thread(r, pr_jfr_seen_number(event, PR_JFR_THREAD)));
    const int64_t ns = pr_jfr_seen_span(r, event, PR_JFR_DURATION);
    if (ns < 0)
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
    else
        pr_build_add(&r->c, fact, metric_of(r, event->kind), ns, 1);
}

static void take_timed(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    const pr_node_id leaf = pr_jfr_called(r, PR_ROOT, pr_jfr_seen_number(event, PR_JFR_A));
    pr_jfr_timing(r, event, pr_build_fact(&r->c, leaf, pr_jfr_thread(r, 0)));
}

#define SAMPLED(id, text) .metric = {id, text, PR_UNIT_NANOSECONDS, "samples"}
#define TOOK(id, text, counted) .take = take_duration, .metric = {id, text, PR_UNIT_NANOSECONDS, counted}
#define ALLOCATED .about = "new", .metric = {"allocated", "Allocated", PR_UNIT_BYTES, "samples"}

/* clang-format off */
const struct pr_jfr_event_kind pr_jfr_stack_kinds[] = {
    {"jdk.ExecutionSample", take_sample, .own = {"state"}, .thread_name = "sampledThread",
     SAMPLED("cpu", "Sampled time")},
    {"jdk.CPUTimeSample", take_cpu_time, .own = {"samplingPeriod"}, SAMPLED("cpu_time", "CPU time, by its timer")},
    {"profiler.WallClockSample", take_wall, .own = {"samples", "state"}, .thread_name = "sampledThread",
     SAMPLED("wall", "Wall time")},
    {"jdk.ObjectAllocationSample", take_sampled_allocation, .own = {"objectClass", "weight"}, .is_weight = true,
     ALLOCATED},
    {"jdk.ObjectAllocationInNewTLAB", take_buffer, .own = {"objectClass", "allocationSize", "tlabSize"}, ALLOCATED},
    {"jdk.ObjectAllocationOutsideTLAB", take_buffer, .own = {"objectClass", "allocationSize"}, ALLOCATED},
    {"jdk.OldObjectSample", pr_jfr_take_old_object, .own = {"object", "objectSize", "root"},
     .metric = {"old_objects", "Old objects", PR_UNIT_COUNT, NULL}},
    {"profiler.LiveObject", take_weight, .own = {"objectClass", "allocationSize"}, .about = "new",
     .metric = {"live", "Live at the end", PR_UNIT_BYTES, "samples"}},
    {"profiler.Malloc", take_malloc, .own = {"address", "size"},
     .metric = {"native_allocated", "Native memory allocated", PR_UNIT_BYTES, "samples"}},
    {"profiler.Free", take_free, .own = {"address"}},
    {"jdk.JavaMonitorEnter", .own = {"monitorClass"}, .about = "lock of", TOOK("lock", "Waiting for locks", "waits")},
    {"jdk.JavaMonitorWait", .own = {"monitorClass"}, .about = "wait for",
     TOOK("wait", "Waiting to be notified", "waits")},
    {"jdk.ThreadPark", .own = {"parkedClass"}, .about = "parked for", TOOK("park", "Parked", "waits")},
    {"jdk.ZAllocationStall", take_stall,
     .metric = {"gc_stall", "Waiting for memory", PR_UNIT_NANOSECONDS, "stalls"}},
    {"jdk.VirtualThreadPinned", TOOK("pinned", "Pinned to a carrier", "waits")},
    {"profiler.NativeLock", TOOK("native_lock", "Waiting for native locks", "waits")},
    {"jdk.ThreadSleep", TOOK("sleep", "Sleeping", "sleeps")},
    {"jdk.FileRead", TOOK("file_io", "File IO", "operations")},
    {"jdk.FileWrite", TOOK("file_io", "File IO", "operations")},
    {"jdk.FileForce", TOOK("file_io", "File IO", "operations")},
    {"jdk.SocketRead", TOOK("socket_io", "Socket IO", "operations")},
    {"jdk.SocketWrite", TOOK("socket_io", "Socket IO", "operations")},
    {"jdk.JavaExceptionThrow", take_exception, .own = {"thrownClass"}, .about = "throw",
     .metric = {"exceptions", "Exceptions thrown", PR_UNIT_COUNT, NULL}},
    {"jdk.MethodTrace", take_traced, .own = {"method"},
     .metric = {"traced", "In traced methods", PR_UNIT_NANOSECONDS, "calls"}},
    {"jdk.MethodTiming", take_timed, .own = {"method", "invocations", "average"}, .metric = {.name = PR_JFR_TIMED}},
    {"jdk.NativeMethodSample", take_native, .own = {"state"}, .thread_name = "sampledThread",
     SAMPLED("native", "In native methods")},
    {.name = NULL},
};
/* clang-format on */
