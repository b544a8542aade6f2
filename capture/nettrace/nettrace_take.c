/* SPDX-License-Identifier: Apache-2.0 */
/* What events add to the profile. */
#include "capture/nettrace/nettrace.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/time.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The runtime samples every millisecond; what a thread did for longer than this without a sample is not known. */
static const int64_t GAP_NS = PR_NS_PER_S;

/* Where a thread was at a sample; native code is also where it waits. */
enum { EXTERNAL = 1, MANAGED = 2 };

/* Why the runtime was stopped: for a collection, or to prepare one. The sampler stops it for each sample. */
enum { FOR_COLLECTION = 1, TO_PREPARE = 6 };

static void damaged(struct pr_nettrace *r, const struct pr_nettrace_event *event)
{
    pr_nettrace_damaged(r, &event->payload);
}

/* Nanoseconds since the epoch, held at the ends of the range. */
static int64_t time_of(const struct pr_nettrace *r, uint64_t ticks)
{
    const __int128 ns = (__int128)(int64_t)(ticks - r->sync_ticks) * PR_NS_PER_S / (__int128)r->ticks_per_second;
    return pr_add_saturated(r->sync_ns, ns > INT64_MAX ? INT64_MAX : ns < INT64_MIN ? INT64_MIN : (int64_t)ns);
}

/* ---- stacks with something below --------------------------------------------------------------------------------- */

/* The child of NODE that says what it was about: "new System.String". An empty text: NODE. */
static pr_node_id about(struct pr_nettrace *r, pr_node_id node, const char *what, struct pr_nettrace_bytes *text)
{
    struct pr_buf name = {0};
    pr_buf_text(&name, what);
    const size_t empty = name.length;
    pr_nettrace_utf16(text, &name);
    if (text->failed || (name.length == empty && !name.failed)) {
        pr_buf_clear(&name);
        return node;
    }
    const struct pr_place place = {.function = pr_build_buf(&r->c, &name), .kind = PR_FRAME_OTHER};
    return pr_build_child(&r->c, node, pr_build_frame(&r->c, &place));
}

/* In the order in which they are shown, whichever the trace has first. */
enum metric { MANAGED_TIME, EXTERNAL_TIME, ALLOCATED, LOCKS, EXCEPTIONS, METRICS };

static const struct {
    const char *name, *title;
    enum pr_unit unit;
    const char *count_name;
} metrics[METRICS] = {
    [MANAGED_TIME] = {"managed", "Time in managed code", PR_UNIT_NANOSECONDS, "samples"},
    [EXTERNAL_TIME] = {"external", "Time in native code or waiting", PR_UNIT_NANOSECONDS, "samples"},
    [ALLOCATED] = {"allocated", "Allocated", PR_UNIT_BYTES, "samples"},
    [LOCKS] = {"lock", "Waiting for locks", PR_UNIT_NANOSECONDS, "waits"},
    [EXCEPTIONS] = {"exceptions", "Exceptions thrown", PR_UNIT_COUNT, NULL},
};

static unsigned number_of(struct pr_nettrace *r, enum metric metric)
{
    return pr_build_metric(&r->c, metrics[metric].name, metrics[metric].title, metrics[metric].unit,
                           metrics[metric].count_name);
}

static size_t rank(const char *name)
{
    size_t at = 0;
    while (at < METRICS && strcmp(metrics[at].name, name) != 0)
        at++;
    return at;
}

static int compare_metrics(const void *a, const void *b, const void *context)
{
    const struct pr_built_metric *x = a, *y = b;
    (void)context;
    return PR_ORDER(rank(x->name), rank(y->name));
}

static void add(struct pr_nettrace *r, const struct pr_nettrace_event *event, pr_node_id node, enum metric metric,
                int64_t value)
{
    const struct pr_nettrace_thread *thread = pr_nettrace_thread_of(r, event->thread);
    if (thread)
        pr_build_add(&r->c, pr_build_fact(&r->c, node, thread->thread), number_of(r, metric), value, 1);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* What THREAD did at its last sample ends at END_NS. */
static void end_sample(struct pr_nettrace *r, struct pr_nettrace_thread *thread, int64_t end_ns)
{
    int64_t took_ns = pr_subtract_saturated(end_ns, thread->sample_ns);
    if (!thread->has_sample)
        return;
    if (took_ns < 0) {
        pr_build_damage(&r->c, PR_DAMAGE_ORDER, 1);
        took_ns = 0;
    }
    if (took_ns > GAP_NS) {
        r->facts.gaps++;
        pr_add_to(&r->facts.gaps_ns, took_ns);
        took_ns = 0;
    }
    pr_build_add(&r->c, thread->fact, number_of(r, thread->in_code ? MANAGED_TIME : EXTERNAL_TIME), took_ns, 1);
    if (thread->in_code && took_ns)
        pr_build_slice(&r->c, thread->fact, thread->sample_ns, took_ns);
    thread->has_sample = false;
}

static void take_sample(struct pr_nettrace *r, struct pr_nettrace_event *event, int64_t at_ns)
{
    const uint64_t state = pr_nettrace_number(&event->payload, 4);
    struct pr_nettrace_thread *thread = pr_nettrace_thread_of(r, event->thread);
    if (!thread)
        return;
    end_sample(r, thread, at_ns);
    if (event->payload.failed || (state != EXTERNAL && state != MANAGED)) {
        damaged(r, event);
        return;
    }
    thread->fact = pr_build_fact(&r->c, pr_nettrace_stack_of(r, event->stack), thread->thread);
    thread->in_code = state == MANAGED;
    thread->sample_ns = at_ns;
    thread->has_sample = true;
}

/* ---- allocations, exceptions, locks ------------------------------------------------------------------------------ */

/* One event for each 100 KiB or so: the bytes since the last one, and the type of the object that was made then. */
static void take_allocation(struct pr_nettrace *r, struct pr_nettrace_event *event, int64_t at_ns)
{
    struct pr_nettrace_bytes *rest = &event->payload;
    pr_node_id node = pr_nettrace_stack_of(r, event->stack);
    uint64_t bytes = pr_nettrace_number(rest, 4);
    pr_nettrace_part(rest, 4 + 2); /* kind, instance */
    if (!rest->failed && rest->at < rest->end) {
        bytes = pr_nettrace_number(rest, 8);
        pr_nettrace_number(rest, r->pointer_bytes);
        node = about(r, node, "new ", rest);
    }
    if (rest->failed || bytes > INT64_MAX) {
        damaged(r, event);
        return;
    }
    add(r, event, node, ALLOCATED, (int64_t)bytes);
    const struct pr_nettrace_thread *thread = pr_nettrace_thread_of(r, event->thread); /* adding may have moved it */
    if (thread)
        pr_build_moment(&r->c, pr_build_fact(&r->c, node, thread->thread), at_ns, (int64_t)bytes);
}

static void take_exception(struct pr_nettrace *r, struct pr_nettrace_event *event)
{
    const pr_node_id node = about(r, pr_nettrace_stack_of(r, event->stack), "throw ", &event->payload);
    if (event->payload.failed)
        damaged(r, event);
    else
        add(r, event, node, EXCEPTIONS, 1);
}

/* Runtimes before .NET 5 do not write how long it took. */
static void take_contention(struct pr_nettrace *r, struct pr_nettrace_event *event)
{
    struct pr_nettrace_bytes *rest = &event->payload;
    double ns = 0;
    pr_nettrace_part(rest, 1 + 2); /* flags, instance */
    if (!rest->failed && rest->at == rest->end)
        return;
    const uint64_t bits = pr_nettrace_number(rest, 8);
    memcpy(&ns, &bits, sizeof ns);
    if (rest->failed || !(ns >= 0 && ns < (double)INT64_MAX)) {
        damaged(r, event);
        return;
    }
    add(r, event, pr_nettrace_stack_of(r, event->stack), LOCKS, (int64_t)ns);
}

/* ---- pauses ------------------------------------------------------------------------------------------------------ */

static void take_suspend(struct pr_nettrace *r, struct pr_nettrace_event *event, int64_t at_ns)
{
    const uint64_t reason = pr_nettrace_number(&event->payload, 4);
    r->facts.is_paused = reason == FOR_COLLECTION || reason == TO_PREPARE;
    r->facts.paused_at_ns = at_ns;
}

static void take_resume(struct pr_nettrace *r, int64_t at_ns)
{
    struct pr_nettrace_facts *facts = &r->facts;
    const int64_t took_ns = pr_subtract_saturated(at_ns, facts->paused_at_ns);
    if (!facts->is_paused || took_ns < 0)
        return;
    facts->is_paused = false;
    facts->pauses++;
    pr_add_to(&facts->paused_ns, took_ns);
    if (took_ns > facts->longest_pause_ns)
        facts->longest_pause_ns = took_ns;
}

/* ---- all events -------------------------------------------------------------------------------------------------- */

static void take_process(struct pr_nettrace *r, struct pr_nettrace_event *event)
{
    struct pr_buf line = {0};
    pr_nettrace_utf16(&event->payload, &line);
    if (event->payload.failed) {
        damaged(r, event);
        pr_buf_clear(&line);
        return;
    }
    r->c.profile->meta.command_line = pr_build_buf(&r->c, &line);
}

/* The numbers of a thread's events have a gap where the buffer was full. A number of the system may be used again. */
static void count_lost(struct pr_nettrace *r, const struct pr_nettrace_event *event)
{
    struct pr_nettrace_thread *thread = pr_nettrace_thread_of(r, event->written_by);
    if (!thread)
        return;
    if (thread->has_sequence && event->sequence > thread->sequence)
        r->facts.lost += event->sequence - thread->sequence - 1;
    thread->has_sequence = true;
    thread->sequence = event->sequence;
}

static void take_event(struct pr_nettrace *r, struct pr_nettrace_event *event)
{
    const int64_t at_ns = time_of(r, event->ticks);
    switch (pr_nettrace_what_is(r, event->metadata)) {
    case PR_NETTRACE_SAMPLE:
        take_sample(r, event, at_ns);
        break;
    case PR_NETTRACE_ALLOCATION:
        take_allocation(r, event, at_ns);
        break;
    case PR_NETTRACE_EXCEPTION:
        take_exception(r, event);
        break;
    case PR_NETTRACE_CONTENTION:
        take_contention(r, event);
        break;
    case PR_NETTRACE_SUSPEND:
        take_suspend(r, event, at_ns);
        break;
    case PR_NETTRACE_RESUME:
        take_resume(r, at_ns);
        break;
    case PR_NETTRACE_METHOD:
        pr_nettrace_take_method(r, event->payload);
        return; /* the rundown comes when all is over */
    case PR_NETTRACE_MODULE:
        pr_nettrace_take_module(r, event->payload, false);
        return;
    case PR_NETTRACE_DOMAIN_MODULE:
        pr_nettrace_take_module(r, event->payload, true);
        return;
    case PR_NETTRACE_PROCESS:
        take_process(r, event);
        return;
    case PR_NETTRACE_IGNORED:
        return;
    }
    if (at_ns > r->facts.last_ns)
        r->facts.last_ns = at_ns;
}

void pr_nettrace_take_events(struct pr_nettrace *r)
{
    struct pr_nettrace_events events = pr_nettrace_events_of(&r->block, r->stream.version);
    struct pr_nettrace_event event;
    while (pr_build_going(&r->c) && pr_nettrace_next_event(&events, &event)) {
        count_lost(r, &event);
        take_event(r, &event);
    }
    if (events.rest.failed)
        pr_nettrace_damaged(r, &events.rest);
}

void pr_nettrace_finish(struct pr_nettrace *r)
{
    for (uint32_t i = 0; i < r->thread_ids.count; i++)
        end_sample(r, &r->threads[i], r->threads[i].sample_ns);
    if (r->c.metric_count && !pr_sort(r->c.metrics, r->c.metric_count, sizeof *r->c.metrics, compare_metrics, NULL))
        pr_build_no_memory(&r->c);
}

void pr_nettrace_add_notes(struct pr_nettrace *r)
{
    const struct pr_nettrace_facts *facts = &r->facts;
    if (facts->pauses)
        pr_build_note(&r->c, "%" PRId64 " garbage collection%s stopped the program for %" PRId64
                             " ms in all, at most %" PRId64 " ms at once", facts->pauses, facts->pauses == 1 ? "" : "s",
                      facts->paused_ns / PR_NS_PER_MS, facts->longest_pause_ns / PR_NS_PER_MS);
    if (facts->lost)
        pr_build_note(&r->c, "%" PRIu64 " event%s lost because the recorder's buffer was full: use a larger "
                      "--buffersize or fewer providers", facts->lost, facts->lost == 1 ? " was" : "s were");
    if (facts->gaps)
        pr_build_note(&r->c, "%" PRIu64 " time%s a thread had no sample for over a second, %" PRId64 " ms in all: that "
                             "time is left out", facts->gaps, facts->gaps == 1 ? "" : "s",
                      facts->gaps_ns / PR_NS_PER_MS);
}
