/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes calls in any order and returns them by thread and beginning, in about ten bytes each.
 *
 *     struct pr_call_sorter calls = {.count = 0};
 *     pr_call_sorter_add(&calls, thread, &call);               // as often as there are calls
 *     if (!pr_call_sorter_sort(&calls)) ...                    // once
 *     while (pr_call_sorter_next(&calls, &thread, &call))      // thread by thread; the outer call first
 *         use(thread, &call);
 *     pr_call_sorter_clear(&calls);
 *
 * A trace of a gigabyte holds ten million calls. They are sorted a few thousand at a time, which costs next to nothing
 * if they are written as they begin or as they end, and packed; what remains is a merge of the packed runs.
 */
#ifndef PR_CAPTURE_READERS_CALL_SORTER_H
#define PR_CAPTURE_READERS_CALL_SORTER_H

#include "profrender/profile.h"

struct pr_call {
    int64_t start_ns, duration_ns;
    int64_t order; /* among calls with the same times: the lower one is outside */
    pr_frame_id frame;
};

struct pr_call_sorter {
    uint64_t count; /* calls that were added */

    /* For calls.c alone. */
    struct pr_call_link *recent; /* [recent_count] those that are not packed yet */
    size_t recent_count, recent_capacity;
    struct pr_call_lane *lanes;  /* [lane_count] by thread */
    size_t lane_count, lane_capacity;
    uint32_t *touched;           /* [touched_count] threads of the recent ones */
    size_t touched_count, touched_capacity;
    struct pr_call *loose;       /* room to sort in, for calls of a thread that are out of order */
    size_t loose_capacity;
    struct pr_call_run *runs;    /* [run_count] */
    size_t run_count, run_capacity;
    uint8_t *bytes;              /* [byte_count] what runs are packed in */
    size_t byte_count, byte_capacity;
    struct pr_call_cursor *open; /* [open_count] a heap of the runs of one thread, the first call on top */
    size_t open_count, open_capacity;
    size_t next_run;
};

/* False, also from pr_call_sorter_sort: no memory. The calls can then only be cleared. */
bool pr_call_sorter_add(struct pr_call_sorter *calls, uint32_t thread, const struct pr_call *call);
bool pr_call_sorter_sort(struct pr_call_sorter *calls);

/* The next call, and its thread. False: no more calls. */
bool pr_call_sorter_next(struct pr_call_sorter *calls, uint32_t *thread, struct pr_call *call);

void pr_call_sorter_clear(struct pr_call_sorter *calls);

#endif
