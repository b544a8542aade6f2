/* SPDX-License-Identifier: Apache-2.0 */
/* What waits is copied: sorted when a round ends, handed out, and the rest moved to the front. */
#include "capture/perf_data/perf_queue.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

/* Recordings without rounds, as of one buffer, are in order but for what a buffer holds, a few megabytes. */
enum { MAX_WAITING_BYTES = 64 << 20, MAX_WAITING = 1 << 20 };

bool pr_perf_queue_add(struct pr_perf_queue *queue, const struct pr_perf_queued *record, const uint8_t *bytes)
{
    if (!pr_grow(&queue->record, &queue->capacity, queue->count + 1, sizeof *queue->record))
        return false;
    struct pr_perf_queued *added = &queue->record[queue->count];
    *added = *record;
    added->at = queue->bytes.length;
    pr_buf_add(&queue->bytes, bytes, record->length);
    if (queue->bytes.failed)
        return false;
    queue->count++;
    queue->newest = record->time > queue->newest ? record->time : queue->newest;
    return true;
}

bool pr_perf_queue_is_full(const struct pr_perf_queue *queue)
{
    return queue->bytes.length >= MAX_WAITING_BYTES || queue->count >= MAX_WAITING;
}

static int compare(const void *a, const void *b, const void *context)
{
    const struct pr_perf_queued *x = a, *y = b;
    (void)context;
    return x->time != y->time ? PR_ORDER(x->time, y->time) : PR_ORDER(x->at, y->at);
}

/* Moves the records from number FIRST on to the front. False: no memory. */
static bool keep_rest(struct pr_perf_queue *queue, size_t first)
{
    struct pr_buf rest = {0};
    for (size_t i = first; i < queue->count; i++) {
        struct pr_perf_queued *record = &queue->record[i - first];
        *record = queue->record[i];
        const size_t at = rest.length;
        pr_buf_add(&rest, queue->bytes.bytes + record->at, record->length);
        record->at = at;
    }
    queue->count -= first;
    if (!queue->count) {
        queue->bytes.length = 0;
        return true;
    }
    pr_buf_clear(&queue->bytes);
    queue->bytes = rest;
    return !rest.failed;
}

static bool hand_out(struct pr_perf_queue *queue, uint64_t limit, pr_perf_take_record *take, void *context)
{
    size_t i = 0;
    if (!queue->count)
        return true;
    if (!pr_sort(queue->record, queue->count, sizeof *queue->record, compare, NULL))
        return false;
    for (; i < queue->count && queue->record[i].time <= limit; i++) {
        const struct pr_perf_queued *record = &queue->record[i];
        queue->late += record->time < queue->done;
        queue->done = record->time > queue->done ? record->time : queue->done;
        take(context, record, (const uint8_t *)queue->bytes.bytes + record->at);
    }
    return keep_rest(queue, i);
}

bool pr_perf_queue_round(struct pr_perf_queue *queue, pr_perf_take_record *take, void *context)
{
    const bool done = hand_out(queue, queue->round_newest, take, context);
    queue->round_newest = queue->newest;
    return done;
}

bool pr_perf_queue_flush(struct pr_perf_queue *queue, pr_perf_take_record *take, void *context)
{
    return hand_out(queue, UINT64_MAX, take, context);
}

void pr_perf_queue_clear(struct pr_perf_queue *queue)
{
    pr_buf_clear(&queue->bytes);
    free(queue->record);
}
