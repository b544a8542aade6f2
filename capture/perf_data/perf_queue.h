/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records in the order of time. perf writes the buffers of all processors one after another, a round at a time; after a
 * round nothing comes that is older than the newest record of the round before.
 *
 * Source: Linux tools/perf/util/ordered-events.c, ordered_events__flush.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_QUEUE_H
#define PR_CAPTURE_PERF_DATA_PERF_QUEUE_H

#include "profrender/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct pr_perf_queued {
    uint64_t time;
    uint64_t offset; /* of the record, as the source counts: for the order of equal times, and for damage */
    size_t at;       /* in `bytes` */
    uint32_t length;
    uint32_t kind;   /* the record's type, and its `misc` above that */
};

struct pr_perf_queue {
    struct pr_buf bytes;
    struct pr_perf_queued *record; /* [count] */
    size_t count, capacity;
    uint64_t newest, round_newest; /* of all records, of those before the last round's end */
    uint64_t done;                 /* time of the last record that was handed out */
    uint64_t late;                 /* records that came too late for their place */
};

typedef void pr_perf_take_record(void *context, const struct pr_perf_queued *record, const uint8_t *bytes);

/* False: no memory. */
bool pr_perf_queue_add(struct pr_perf_queue *queue, const struct pr_perf_queued *record, const uint8_t *bytes);

/* True if so much is waiting that some of it has to be handed out before a round ends. */
bool pr_perf_queue_is_full(const struct pr_perf_queue *queue);

/* A round ends: hands out what nothing can come before any more. False: no memory. */
bool pr_perf_queue_round(struct pr_perf_queue *queue, pr_perf_take_record *take, void *context);

/* Hands out all. False: no memory. */
bool pr_perf_queue_flush(struct pr_perf_queue *queue, pr_perf_take_record *take, void *context);

void pr_perf_queue_clear(struct pr_perf_queue *queue);

#endif
