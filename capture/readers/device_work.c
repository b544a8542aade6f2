/* SPDX-License-Identifier: Apache-2.0 */
/* Work of devices in order of time: what is busy, what is idle, and which idle time no launched work could fill. */
#include "capture/readers/device_work.h"

#include "capture/base/checked.h"
#include "capture/base/decimal.h"
#include "capture/base/ms_text.h"
#include "capture/base/sort.h"
#include "capture/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 1024, MOST_UNKNOWN_PERCENT = 5 };

static bool contains(struct pr_text text, const char *word)
{
    return memmem(text.bytes, text.length, word, strlen(word)) != NULL;
}

static void add(struct pr_device_work *all, struct pr_device_event **list, size_t *count, size_t *capacity,
                struct pr_device_event event)
{
    if (pr_grow(list, capacity, *count + 1, sizeof **list))
        (*list)[(*count)++] = event;
    else
        all->failed = true;
}

bool pr_device_work_add(struct pr_device_work *all, struct pr_device_event event, struct pr_text name)
{
    if (event.end_ns <= event.start_ns || event.device >= MOST_DEVICES)
        return false;
    if (event.kind == PR_DEVICE_KERNEL && (contains(name, "nccl") || contains(name, "rccl")))
        event.kind = PR_DEVICE_COMMUNICATION;
    add(all, &all->works, &all->work_count, &all->work_capacity, event);
    return true;
}

void pr_device_work_launch(struct pr_device_work *all, struct pr_device_event call)
{
    call.node = PR_ROOT;
    if (call.correlation > 0)
        add(all, &all->launches, &all->launch_count, &all->launch_capacity, call);
}

static int by_thread_and_start(const void *a, const void *b, const void *context)
{
    const struct pr_device_event *x = a, *y = b;
    (void)context;
    return x->thread == y->thread ? PR_ORDER(x->start_ns, y->start_ns) : PR_ORDER(x->thread, y->thread);
}

void pr_device_work_order(struct pr_device_work *all)
{
    all->met = 0;
    if (all->work_count)
        all->failed |= !pr_sort(all->launches, all->launch_count, sizeof *all->launches, by_thread_and_start, NULL);
    else
        all->launch_count = 0;
}

void pr_device_work_meet(struct pr_device_work *all, uint32_t thread, int64_t start_ns, pr_frame_id frame,
                         pr_node_id node)
{
    for (; all->met < all->launch_count; all->met++) {
        struct pr_device_event *launch = &all->launches[all->met];
        const bool is_later = launch->thread == thread ? launch->start_ns > start_ns : launch->thread > thread;
        const bool is_here = launch->thread == thread && launch->start_ns == start_ns;
        if (is_later || (is_here && launch->frame != frame))
            return;
        if (is_here) {
            launch->node = node;
            all->met++;
            return;
        }
    }
}

void pr_device_work_annotation(struct pr_device_work *all, struct pr_text name, int64_t start_ns, int64_t end_ns)
{
    if (!pr_text_starts(name, "ProfilerStep#"))
        return;
    all->first_ns = all->steps && all->first_ns < start_ns ? all->first_ns : start_ns;
    all->last_ns = all->steps && all->last_ns > end_ns ? all->last_ns : end_ns;
    all->steps++;
}

static int by_correlation(const void *a, const void *b, const void *context)
{
    const struct pr_device_event *x = a, *y = b;
    (void)context;
    return PR_ORDER(x->correlation, y->correlation);
}

static int by_device_and_start(const void *a, const void *b, const void *context)
{
    const struct pr_device_event *x = a, *y = b;
    (void)context;
    return x->device == y->device ? PR_ORDER(x->start_ns, y->start_ns) : PR_ORDER(x->device, y->device);
}

/* What launched the work; NULL = not known. */
static const struct pr_device_event *launch_of(const struct pr_device_work *all, const struct pr_device_event *work)
{
    size_t low = 0, high = all->launch_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all->launches[middle].correlation < work->correlation)
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->launch_count && all->launches[low].correlation == work->correlation ? &all->launches[low] : NULL;
}

/* How long at least one of WORKS ran that have this kind, or any: PR_DEVICE_KINDS; within the span. */
static int64_t time_of(const struct pr_device_event *works, size_t count, uint32_t kind, int64_t from_ns, int64_t to_ns)
{
    int64_t sum = 0, now = from_ns;
    for (size_t i = 0; i < count; i++) {
        const int64_t start = works[i].start_ns > now ? works[i].start_ns : now;
        const int64_t end = works[i].end_ns < to_ns ? works[i].end_ns : to_ns;
        if ((kind != PR_DEVICE_KINDS && works[i].kind != kind) || end <= start)
            continue;
        sum = pr_add_saturated(sum, pr_subtract_saturated(end, start));
        now = end;
    }
    return sum;
}

/*
 * How much of the idle time passed before any of the work that came after it was launched, or after the last one: it
 * could not have been filled. EARLIEST[count + 1] is the earliest launch of each work and those after it.
 */
static int64_t starved(const struct pr_device_event *works, size_t count, const int64_t *earliest, int64_t from_ns,
                       int64_t to_ns)
{
    int64_t sum = 0, now = from_ns;
    for (size_t i = 0; i < count && now < to_ns; i++) {
        const int64_t start = works[i].start_ns < to_ns ? works[i].start_ns : to_ns;
        const int64_t until = earliest[i] < start ? earliest[i] : start;
        if (until > now)
            sum = pr_add_saturated(sum, pr_subtract_saturated(until, now));
        now = works[i].end_ns > now ? works[i].end_ns : now;
    }
    return now < to_ns ? pr_add_saturated(sum, pr_subtract_saturated(to_ns, now)) : sum;
}

/* Idle time for which nothing was launched; not known where launches are missing. */
static struct pr_maybe starved_time(struct pr_device_work *all, const struct pr_device_event *works, size_t count,
                                    int64_t from_ns, int64_t to_ns)
{
    int64_t *earliest = malloc((count + 1) * sizeof *earliest);
    struct pr_maybe time = {false, 0};
    size_t unknown = 0;
    all->failed |= !earliest;
    if (!earliest)
        return time;
    earliest[count] = INT64_MAX;
    for (size_t i = count; i-- > 0;) {
        const struct pr_device_event *launch = launch_of(all, &works[i]);
        const int64_t launched = launch ? launch->start_ns : INT64_MAX;
        unknown += !launch;
        earliest[i] = launched < earliest[i + 1] ? launched : earliest[i + 1];
    }
    if (unknown * 100 <= count * MOST_UNKNOWN_PERCENT)
        time = (struct pr_maybe){true, starved(works, count, earliest, from_ns, to_ns)};
    free(earliest);
    return time;
}

static struct pr_device make_device(struct pr_device_work *all, struct pr_profile_builder *c,
                                    const struct pr_device_event *works, size_t count)
{
    struct pr_buf name = {0};
    int64_t from_ns = all->first_ns, to_ns = all->last_ns;
    if (!all->steps) {
        from_ns = works[0].start_ns;
        to_ns = works[0].end_ns;
        for (size_t i = 1; i < count; i++)
            to_ns = works[i].end_ns > to_ns ? works[i].end_ns : to_ns;
    }
    pr_buf_printf(&name, "GPU %" PRIu32, works->device);
    if (name.failed)
        all->failed = true;
    const struct pr_device device = {
        .name = name.failed ? "" : pr_build_word(c, (struct pr_text){name.bytes, (uint32_t)name.length}),
        .steps = all->steps,
        .span_ns = pr_subtract_saturated(to_ns, from_ns),
        .busy_ns = time_of(works, count, PR_DEVICE_KINDS, from_ns, to_ns),
        .kernel_ns = time_of(works, count, PR_DEVICE_KERNEL, from_ns, to_ns),
        .copy_ns = time_of(works, count, PR_DEVICE_COPY, from_ns, to_ns),
        .communication_ns = time_of(works, count, PR_DEVICE_COMMUNICATION, from_ns, to_ns),
        .starved_ns = starved_time(all, works, count, from_ns, to_ns),
    };
    pr_buf_clear(&name);
    return device;
}

struct share {
    char text[24];
};

/* Percent, in the C locale, whatever that of the process: "41.2". */
static struct share share(int64_t part, int64_t whole)
{
    struct share percent;
    const double value = whole > 0 && part > 0 ? 100 * (double)part / (double)whole : 0;
    const int64_t tenths = pr_double_scaled(value, 10);
    snprintf(percent.text, sizeof percent.text, "%" PRId64 ".%d", tenths / 10, (int)(tenths % 10));
    return percent;
}

/* "GPU 0 was busy for 41.2 % of 3 steps, 12.300 ms: kernels 39.0 %, copies 2.2 %, ...". */
static void tell(struct pr_profile_builder *c, const struct pr_device *device)
{
    char steps[40] = "";
    char starved[80] = "";
    const int64_t span_ns = device->span_ns, idle_ns = pr_subtract_saturated(span_ns, device->busy_ns);
    if (device->steps)
        snprintf(steps, sizeof steps, "%" PRIu64 " step%s, ", device->steps, device->steps == 1 ? "" : "s");
    if (device->starved_ns.known)
        snprintf(starved, sizeof starved, ", of which %s before its next work was launched",
                 share(device->starved_ns.value, span_ns).text);
    pr_build_note(c, "%s was busy for %s %% of %s%s: kernels %s, copies %s, communication %s; idle %s%s",
                  device->name, share(device->busy_ns, span_ns).text, steps, pr_ms_text(span_ns).text,
                  share(device->kernel_ns, span_ns).text, share(device->copy_ns, span_ns).text,
                  share(device->communication_ns, span_ns).text, share(idle_ns, span_ns).text, starved);
}

/* ---- what stacks launched --------------------------------------------------------------------------------------- */

/* Gives each work the node and thread of its launch, and PR_ROOT where it is not known. */
static void find_launches(struct pr_device_work *all)
{
    for (size_t i = 0; i < all->work_count; i++) {
        const struct pr_device_event *launch = launch_of(all, &all->works[i]);
        all->works[i].node = launch ? launch->node : PR_ROOT;
        if (all->works[i].node != PR_ROOT)
            all->works[i].thread = launch->thread;
    }
}

/* Threads in turn, as pr_build_fact_in_turn needs it. */
static void add_works(struct pr_device_work *all, struct pr_profile_builder *c)
{
    const struct pr_place place = {.function = pr_build_text(c, "(launch not recorded)"), .kind = PR_FRAME_OTHER};
    const pr_frame_id nowhere = pr_build_frame(c, &place);
    const unsigned metric = pr_build_metric(c, "gpu", "GPU time", PR_UNIT_NANOSECONDS, "launches");
    find_launches(all);
    all->failed |= !pr_sort(all->works, all->work_count, sizeof *all->works, by_thread_and_start, NULL);
    for (size_t i = 0; !all->failed && i < all->work_count && pr_build_going(c); i++) {
        const struct pr_device_event *work = &all->works[i];
        const pr_node_id parent = work->node == PR_ROOT ? pr_build_child(c, PR_ROOT, nowhere) : work->node;
        const uint32_t fact = pr_build_fact_in_turn(c, pr_build_child(c, parent, work->frame), work->thread);
        const int64_t took_ns = pr_subtract_saturated(work->end_ns, work->start_ns);
        pr_build_add(c, fact, metric, took_ns, 1);
        pr_build_slice_of(c, PR_DEVICE_LAYER, fact, work->start_ns, took_ns);
    }
}

static size_t count_devices(const struct pr_device_work *all)
{
    size_t count = 0;
    for (size_t i = 0; i < all->work_count; i++)
        count += !i || all->works[i].device != all->works[i - 1].device;
    return count;
}

void pr_device_work_finish(struct pr_device_work *all, struct pr_profile_builder *c)
{
    if (!all->work_count)
        return;
    all->failed |= !pr_sort(all->works, all->work_count, sizeof *all->works, by_device_and_start, NULL) ||
                   !pr_sort(all->launches, all->launch_count, sizeof *all->launches, by_correlation, NULL);
    const size_t count = all->failed ? 0 : count_devices(all);
    struct pr_device *devices = pr_arena_array(&c->profile->arena, count + 1, sizeof *devices);
    all->failed |= !devices;
    for (size_t from = 0, to, i = 0; !all->failed && from < all->work_count; from = to, i++) {
        for (to = from + 1; to < all->work_count && all->works[to].device == all->works[from].device; to++)
            continue;
        devices[i] = make_device(all, c, all->works + from, to - from);
        tell(c, &devices[i]);
    }
    if (!all->failed)
        add_works(all, c);
    if (all->failed) {
        pr_build_no_memory(c);
        return;
    }
    c->profile->devices = devices;
    c->profile->device_count = (uint32_t)count;
}

void pr_device_work_clear(struct pr_device_work *all)
{
    free(all->works);
    free(all->launches);
    *all = (struct pr_device_work){0};
}
