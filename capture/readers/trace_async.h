/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous spans of a trace: work that no single thread does, from a beginning to an end, which may be on different
 * threads: requests, timers, tasks that wait.
 *
 *     struct pr_trace_async async = {.c = &collect};
 *     pr_trace_async_take(&async, &event, process, frame);         // each event for which pr_trace_is_async
 *     pr_trace_async_finish(&async, last_ns, add_call, context);   // calls that nest, on threads of their own
 *     pr_trace_async_clear(&async);
 *
 * What belongs together has the same id and scope: a track. Its spans nest. Tracks of one category share lanes, each a
 * thread of the profile that was not one of the program.
 *
 * Source: doc/formats/trace-event-async.md.
 */
#ifndef PR_CAPTURE_READERS_TRACE_ASYNC_H
#define PR_CAPTURE_READERS_TRACE_ASYNC_H

#include "capture/base/idset.h"
#include "capture/readers/call_sorter.h"
#include "capture/readers/trace_event_parse.h"

struct pr_trace_async {
    struct pr_profile_builder *c; /* set by the caller; borrowed */
    struct pr_idset tracks;       /* scope, id */
    uint32_t *group_of;           /* [tracks.count] */
    size_t group_capacity;
    struct pr_idset groups;       /* process and category */
    struct pr_call_sorter events; /* by track; the lowest bits of `order` are what it is */
    uint64_t place;               /* of the last event among them */
    uint64_t crowded;             /* spans that found no lane: left out */
    uint64_t endless;             /* spans that had no end when the recording ended */
    uint64_t begun_before;        /* ends and steps of spans that began before the recording: without effect */
};

/* Whether the phase of an event is one of asynchronous spans. */
bool pr_trace_is_async(char phase);

/* The event, with its times, in a process of the profile; FRAME is what it is called. Without an id it is damage. */
void pr_trace_async_take(struct pr_trace_async *async, const struct pr_trace_event *event, uint32_t process,
                         pr_frame_id frame);

/*
 * Calls ADD for each span, with a thread that it makes. A span without an end lasts until LAST_NS, that of the
 * recording, and is counted; an end without a beginning is damage.
 */
void pr_trace_async_finish(struct pr_trace_async *async, int64_t last_ns,
                           void (*add)(void *context, uint32_t thread, const struct pr_call *call), void *context);

void pr_trace_async_clear(struct pr_trace_async *async);

#endif
