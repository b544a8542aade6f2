/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recent calls of a thread are a stack of lists. Each list is in order, and so is the stack from its bottom. A call
 * that comes after all of them is a new list on top; one that encloses some of them, as happens when calls are written
 * as they end, appends these lists to itself. Either way a call is touched twice. Where calls of one thread overlap
 * that order can be missed: then they are sorted.
 *
 * When there are many, each thread's become a run: in order, packed as differences.
 */
#include "capture/readers/call_sorter.h"

#include "capture/base/checked.h"
#include "capture/base/delta_varint.h"
#include "capture/base/sort.h"

#define NONE UINT32_MAX

enum { MAX_RECENT = 1 << 15, MAX_CALL_BYTES = 4 * PR_DIFFERENCE_BYTES };

struct pr_call_link {
    struct pr_call call;
    uint32_t next;  /* in its list */
    uint32_t last;  /* of a list's first: its last */
    uint32_t below; /* of a list's first: that of the list below */
};

struct pr_call_lane {
    uint32_t top;     /* the first of the topmost list, or NONE */
    uint32_t count;   /* of recent calls */
    bool is_mixed;    /* the lists are not in order */
};

struct pr_call_run {
    uint32_t thread, count;
    size_t at; /* in `bytes` */
};

struct pr_call_cursor {
    struct pr_call call;
    const uint8_t *at; /* of the next one */
    uint32_t left;     /* after `call` */
};

static inline int compare(const struct pr_call *a, const struct pr_call *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->duration_ns != b->duration_ns)
        return a->duration_ns > b->duration_ns ? -1 : 1;
    return PR_ORDER(a->order, b->order);
}

static int compare_calls(const void *a, const void *b, const void *context)
{
    (void)context;
    return compare(a, b);
}

/* ---- recent calls to runs --------------------------------------------------------------------------------------- */

static uint8_t *pack(uint8_t *at, const struct pr_call *before, const struct pr_call *call)
{
    at = pr_difference_put(at, before->start_ns, call->start_ns);
    at = pr_difference_put(at, 0, call->duration_ns);
    at = pr_difference_put(at, before->order, call->order);
    return pr_difference_put(at, 0, call->frame);
}

static void unpack(struct pr_call_cursor *cursor)
{
    int64_t frame = 0;
    cursor->call.duration_ns = 0;
    cursor->at = pr_difference_get(cursor->at, &cursor->call.start_ns);
    cursor->at = pr_difference_get(cursor->at, &cursor->call.duration_ns);
    cursor->at = pr_difference_get(cursor->at, &cursor->call.order);
    cursor->at = pr_difference_get(cursor->at, &frame);
    cursor->call.frame = (pr_frame_id)frame;
}

/* All lists of a lane as one. Returns its first. */
static uint32_t join_lists(struct pr_call_sorter *calls, const struct pr_call_lane *lane)
{
    uint32_t rest = NONE;
    for (uint32_t list = lane->top; list != NONE; list = calls->recent[list].below) {
        calls->recent[calls->recent[list].last].next = rest;
        rest = list;
    }
    return rest;
}

/* Copies the list that begins with FIRST to `loose`, and sorts it there. */
static bool sort_loose(struct pr_call_sorter *calls, uint32_t first, uint32_t count)
{
    if (!pr_grow(&calls->loose, &calls->loose_capacity, count, sizeof *calls->loose))
        return false;
    for (size_t i = 0; first != NONE; first = calls->recent[first].next)
        calls->loose[i++] = calls->recent[first].call;
    return pr_sort(calls->loose, count, sizeof *calls->loose, compare_calls, NULL);
}

static bool pack_lane(struct pr_call_sorter *calls, uint32_t thread)
{
    struct pr_call_lane *lane = &calls->lanes[thread];
    const uint32_t first = join_lists(calls, lane);
    struct pr_call before = {0};
    if (!pr_grow(&calls->runs, &calls->run_capacity, calls->run_count + 1, sizeof *calls->runs) ||
        !pr_grow(&calls->bytes, &calls->byte_capacity, calls->byte_count + lane->count * (size_t)MAX_CALL_BYTES, 1) ||
        (lane->is_mixed && !sort_loose(calls, first, lane->count)))
        return false;
    calls->runs[calls->run_count++] = (struct pr_call_run){thread, lane->count, calls->byte_count};
    uint8_t *at = calls->bytes + calls->byte_count;
    for (uint32_t i = 0, link = first; i < lane->count; i++, link = calls->recent[link].next) {
        const struct pr_call *call = lane->is_mixed ? &calls->loose[i] : &calls->recent[link].call;
        at = pack(at, &before, call);
        before = *call;
    }
    calls->byte_count = (size_t)(at - calls->bytes);
    *lane = (struct pr_call_lane){.top = NONE};
    return true;
}

static bool pack_recent(struct pr_call_sorter *calls)
{
    for (size_t i = 0; i < calls->touched_count; i++)
        if (!pack_lane(calls, calls->touched[i]))
            return false;
    calls->touched_count = 0;
    calls->recent_count = 0;
    return true;
}

/* ---- calls to recent calls -------------------------------------------------------------------------------------- */

/* The lane of a thread, which counts as touched from now on; NULL: no memory. */
static struct pr_call_lane *touch(struct pr_call_sorter *calls, uint32_t thread)
{
    if (!pr_grow(&calls->lanes, &calls->lane_capacity, thread + (size_t)1, sizeof *calls->lanes) ||
        !pr_grow(&calls->touched, &calls->touched_capacity, calls->touched_count + 1, sizeof *calls->touched))
        return NULL;
    for (; calls->lane_count <= thread; calls->lane_count++)
        calls->lanes[calls->lane_count] = (struct pr_call_lane){.top = NONE};
    if (calls->lanes[thread].top == NONE)
        calls->touched[calls->touched_count++] = thread;
    return &calls->lanes[thread];
}

static void push(struct pr_call_sorter *calls, struct pr_call_lane *lane, const struct pr_call *call)
{
    struct pr_call_link *recent = calls->recent;
    const uint32_t number = (uint32_t)calls->recent_count++;
    struct pr_call_link *link = &recent[number];
    *link = (struct pr_call_link){*call, NONE, number, NONE};
    uint32_t list = lane->top;
    for (; list != NONE && compare(call, &recent[list].call) < 0; list = recent[list].below) {
        if (link->next == NONE)
            link->last = recent[list].last;
        else
            recent[recent[list].last].next = link->next;
        link->next = list;
    }
    lane->is_mixed = lane->is_mixed || (list != NONE && compare(call, &recent[recent[list].last].call) < 0);
    link->below = list;
    lane->top = number;
    lane->count++;
}

bool pr_call_sorter_add(struct pr_call_sorter *calls, uint32_t thread, const struct pr_call *call)
{
    if (calls->recent_count == MAX_RECENT && !pack_recent(calls))
        return false;
    struct pr_call_lane *lane = touch(calls, thread);
    if (!lane || !pr_grow(&calls->recent, &calls->recent_capacity, calls->recent_count + 1, sizeof *calls->recent))
        return false;
    push(calls, lane, call);
    calls->count++;
    return true;
}

/* ---- runs to calls ---------------------------------------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(((const struct pr_call_run *)a)->thread, ((const struct pr_call_run *)b)->thread);
}

/* Puts the cursor at PLACE, the only one out of order, where it belongs in the heap. */
static void sift_down(struct pr_call_sorter *calls, size_t place)
{
    struct pr_call_cursor *open = calls->open;
    const struct pr_call_cursor moved = open[place];
    for (size_t child; (child = 2 * place + 1) < calls->open_count; place = child) {
        if (child + 1 < calls->open_count && compare(&open[child + 1].call, &open[child].call) < 0)
            child++;
        if (compare(&moved.call, &open[child].call) <= 0)
            break;
        open[place] = open[child];
    }
    open[place] = moved;
}

/* The maximum number of runs of a thread. */
static size_t most_runs(const struct pr_call_sorter *calls)
{
    size_t most = 0;
    for (size_t i = 0, first = 0; i < calls->run_count; i++) {
        if (calls->runs[i].thread != calls->runs[first].thread)
            first = i;
        most = i - first + 1 > most ? i - first + 1 : most;
    }
    return most;
}

bool pr_call_sorter_sort(struct pr_call_sorter *calls)
{
    if (!pack_recent(calls) || !pr_sort(calls->runs, calls->run_count, sizeof *calls->runs, compare_runs, NULL) ||
        !pr_grow(&calls->open, &calls->open_capacity, most_runs(calls), sizeof *calls->open))
        return false;
    free(calls->recent);
    free(calls->loose);
    calls->recent = NULL;
    calls->loose = NULL;
    calls->recent_capacity = calls->loose_capacity = 0;
    return true;
}

/* Opens the runs of the next thread. */
static void open_runs(struct pr_call_sorter *calls)
{
    const struct pr_call_run *runs = calls->runs;
    const size_t first = calls->next_run;
    for (; calls->next_run < calls->run_count && runs[calls->next_run].thread == runs[first].thread;
         calls->next_run++) {
        const struct pr_call_run *run = &runs[calls->next_run];
        struct pr_call_cursor *cursor = &calls->open[calls->open_count++];
        *cursor = (struct pr_call_cursor){.at = calls->bytes + run->at, .left = run->count - 1};
        unpack(cursor);
    }
    for (size_t place = calls->open_count / 2; place-- > 0;)
        sift_down(calls, place);
}

bool pr_call_sorter_next(struct pr_call_sorter *calls, uint32_t *thread, struct pr_call *call)
{
    if (!calls->open_count) {
        if (calls->next_run == calls->run_count)
            return false;
        open_runs(calls);
    }
    struct pr_call_cursor *top = calls->open;
    *thread = calls->runs[calls->next_run - 1].thread;
    *call = top->call;
    if (top->left) {
        top->left--;
        unpack(top);
    } else {
        *top = calls->open[--calls->open_count];
    }
    sift_down(calls, 0);
    return true;
}

void pr_call_sorter_clear(struct pr_call_sorter *calls)
{
    free(calls->recent);
    free(calls->lanes);
    free(calls->touched);
    free(calls->loose);
    free(calls->runs);
    free(calls->bytes);
    free(calls->open);
    *calls = (struct pr_call_sorter){.count = 0};
}
