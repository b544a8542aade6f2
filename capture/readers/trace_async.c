/* SPDX-License-Identifier: Apache-2.0 */
/* Events become spans, track by track; spans get lanes, group by group. */
#include "capture/readers/trace_async.h"

#include "capture/base/checked.h"
#include "capture/readers/span_packer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    KIND_BITS = 3, /* of an event's order: enum kind */
    DEPTH_BITS = 20, /* of a span's order, after its track */
    SEARCH_DEPTH = 1024, /* how far down among the open spans of a track the one that ends is looked for */
    THREAD_BIT = 52, /* ids of threads that are names are beyond it, see trace_event_reader.c; ours are further */
    LANE_BIT = 40
};

enum kind { BEGIN, END, MARK, STEP_INTO, STEP_PAST };

/* A span that has no end yet. */
struct open_span {
    pr_frame_id frame;
    int64_t start_ns;
    int64_t step_ns; /* the end of the last step that was passed */
    bool is_step;
};

/* The open spans of a track, and where finished ones go. */
struct track {
    struct pr_trace_async *async;
    struct pr_call_sorter *spans; /* by group */
    uint32_t number;
    struct open_span *open;
    size_t depth, capacity;
};

bool pr_trace_is_async(char phase)
{
    return phase && strchr("benSTpF", phase);
}

static enum kind kind_of(char phase)
{
    switch (phase) {
    case 'b':
    case 'S':
        return BEGIN;
    case 'e':
    case 'F':
        return END;
    case 'T':
        return STEP_INTO;
    case 'p':
        return STEP_PAST;
    default:
        return MARK;
    }
}

/* The track of an event; PR_NO_ID: no memory. The group of a track is that of its first event. */
static uint32_t track_of(struct pr_trace_async *async, const struct pr_trace_event *event, uint32_t process)
{
    const uint64_t group_key = pr_pair(process, event->category_name);
    const pr_str scope = event->scope ? event->scope : event->category_name;
    const uint64_t key[2] = {pr_pair(event->is_local ? process : UINT32_MAX, scope), event->id_hash};
    async->tracks.words = 2;
    async->groups.words = 1;
    const uint32_t known = async->tracks.count, track = pr_idset_add(&async->tracks, key, 2);
    if (track == PR_NO_ID || track < known)
        return track;
    const uint32_t group = pr_idset_add(&async->groups, &group_key, 1);
    if (group == PR_NO_ID ||
        !pr_grow(&async->group_of, &async->group_capacity, track + (size_t)1, sizeof *async->group_of))
        return PR_NO_ID;
    async->group_of[track] = group;
    return track;
}

void pr_trace_async_take(struct pr_trace_async *async, const struct pr_trace_event *event, uint32_t process,
                         pr_frame_id frame)
{
    if (!event->has_id) {
        pr_build_damage(async->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    const uint32_t track = track_of(async, event, process);
    const struct pr_call call = {event->ts_ns, 0, (int64_t)(++async->place << KIND_BITS) | kind_of(event->phase),
                                 frame};
    if (async->c->status == PR_OK && (track == PR_NO_ID || !pr_call_sorter_add(&async->events, track, &call)))
        pr_build_no_memory(async->c);
}

/* ---- events to spans --------------------------------------------------------------------------------------------- */

/* Of spans with the same times on a track, the one that was open further out is outside. */
static void add_span(struct track *track, pr_frame_id frame, int64_t start_ns, int64_t end_ns, size_t depth)
{
    const size_t most = ((size_t)1 << DEPTH_BITS) - 1;
    const int64_t order = (int64_t)((uint64_t)track->number << DEPTH_BITS | (depth < most ? depth : most));
    const struct pr_call span = {start_ns, end_ns > start_ns ? pr_subtract_saturated(end_ns, start_ns) : 0, order,
                                 frame};
    if (!pr_call_sorter_add(track->spans, track->async->group_of[track->number], &span))
        pr_build_no_memory(track->async->c);
}

static void begin(struct track *track, const struct pr_call *event, bool is_step)
{
    if (pr_grow(&track->open, &track->capacity, track->depth + 1, sizeof *track->open))
        track->open[track->depth++] = (struct open_span){event->frame, event->start_ns, event->start_ns, is_step};
    else
        pr_build_no_memory(track->async->c);
}

/* Ends the open span AT; those that began in it stay open, unless they are its steps. */
static void end(struct track *track, size_t at, int64_t end_ns)
{
    const struct open_span span = track->open[at];
    while (track->depth > at + 1 && track->open[track->depth - 1].is_step) {
        track->depth--;
        add_span(track, track->open[track->depth].frame, track->open[track->depth].start_ns, end_ns, track->depth);
    }
    add_span(track, span.frame, span.start_ns, end_ns, at);
    track->depth--;
    memmove(track->open + at, track->open + at + 1, (track->depth - at) * sizeof *track->open);
}

/* The innermost open span of FRAME; depth = none. */
static size_t find_open(const struct track *track, pr_frame_id frame)
{
    const size_t lowest = track->depth > SEARCH_DEPTH ? track->depth - SEARCH_DEPTH : 0;
    for (size_t i = track->depth; i-- > lowest;)
        if (track->open[i].frame == frame && !track->open[i].is_step)
            return i;
    return track->depth;
}

static void take_end(struct track *track, const struct pr_call *event)
{
    const size_t at = find_open(track, event->frame);
    if (at == track->depth)
        track->async->begun_before++;
    else
        end(track, at, event->start_ns);
}

/* A step lasts until the next one, or until the span ends. */
static void step_into(struct track *track, const struct pr_call *event)
{
    if (!track->depth) {
        track->async->begun_before++;
        return;
    }
    if (track->open[track->depth - 1].is_step)
        end(track, track->depth - 1, event->start_ns);
    begin(track, event, true);
}

/* A step that is over lasted since the one before it. */
static void step_past(struct track *track, const struct pr_call *event)
{
    struct open_span *span = track->depth ? &track->open[track->depth - 1] : NULL;
    if (!span) {
        track->async->begun_before++;
        return;
    }
    add_span(track, event->frame, span->step_ns, event->start_ns, track->depth);
    span->step_ns = event->start_ns;
}

static void take(struct track *track, const struct pr_call *event)
{
    switch ((enum kind)(event->order & ((1 << KIND_BITS) - 1))) {
    case BEGIN:
        begin(track, event, false);
        break;
    case END:
        take_end(track, event);
        break;
    case STEP_INTO:
        step_into(track, event);
        break;
    case STEP_PAST:
        step_past(track, event);
        break;
    case MARK:
        add_span(track, event->frame, event->start_ns, event->start_ns, track->depth);
        break;
    }
}

/* What is still open lasts until the end of the recording. */
static void end_track(struct track *track, int64_t last_ns)
{
    while (track->depth) {
        track->async->endless += !track->open[track->depth - 1].is_step;
        end(track, track->depth - 1, last_ns);
    }
}

static void make_spans(struct pr_trace_async *async, struct pr_call_sorter *spans, int64_t last_ns)
{
    struct track track = {.async = async, .spans = spans};
    struct pr_call event;
    if (!pr_call_sorter_sort(&async->events))
        pr_build_no_memory(async->c);
    for (uint32_t of; async->c->status == PR_OK && pr_call_sorter_next(&async->events, &of, &event);) {
        if (of != track.number)
            end_track(&track, last_ns);
        track.number = of;
        take(&track, &event);
    }
    end_track(&track, last_ns);
    free(track.open);
    pr_call_sorter_clear(&async->events);
}

/* ---- spans to lanes ---------------------------------------------------------------------------------------------- */

/* The thread of a lane: "async node.fs", and "async node.fs (2)" for what is there at the same time. */
static uint32_t thread_of(struct pr_trace_async *async, uint32_t group, uint32_t lane)
{
    const struct pr_text category = pr_profile_text(async->c->profile, pr_low(async->groups.keys[group]));
    const uint64_t id = (UINT64_C(1) << THREAD_BIT) + (UINT64_C(1) << LANE_BIT) +
                        (uint64_t)group * PR_MOST_SPAN_LANES + lane;
    const uint32_t known = async->c->thread_ids.count;
    const uint32_t thread = pr_build_thread(async->c, pr_high(async->groups.keys[group]), id);
    struct pr_buf name = {0};
    if (thread < known)
        return thread;
    pr_buf_text(&name, category.length ? "async " : "async");
    pr_buf_add(&name, category.bytes, category.length);
    if (lane)
        pr_buf_printf(&name, " (%" PRIu32 ")", lane + 1);
    pr_build_name_thread(async->c, thread, pr_build_buf(async->c, &name));
    return thread;
}

void pr_trace_async_finish(struct pr_trace_async *async, int64_t last_ns,
                           void (*add)(void *context, uint32_t thread, const struct pr_call *call), void *context)
{
    struct pr_call_sorter spans = {.count = 0};
    struct pr_span_packer packer = {.track_count = async->tracks.count};
    struct pr_call span;
    make_spans(async, &spans, last_ns);
    if (!pr_call_sorter_sort(&spans) || !pr_span_packer_begin(&packer))
        pr_build_no_memory(async->c);
    for (uint32_t group = UINT32_MAX, of; async->c->status == PR_OK && pr_call_sorter_next(&spans, &of, &span);) {
        if (of != group)
            pr_span_packer_restart(&packer);
        group = of;
        const uint32_t lane = pr_span_packer_place(&packer, (uint32_t)((uint64_t)span.order >> DEPTH_BITS), &span);
        if (lane == PR_MOST_SPAN_LANES)
            async->crowded++;
        else if (packer.failed)
            pr_build_no_memory(async->c);
        else
            add(context, thread_of(async, group, lane), &span);
    }
    pr_span_packer_end(&packer);
    pr_call_sorter_clear(&spans);
}

void pr_trace_async_clear(struct pr_trace_async *async)
{
    pr_call_sorter_clear(&async->events);
    pr_idset_clear(&async->tracks);
    pr_idset_clear(&async->groups);
    free(async->group_of);
}
