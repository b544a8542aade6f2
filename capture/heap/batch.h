/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader of allocation records hands to the analysis: events, a batch at a time.
 *
 * Reader and analysis run on two cores or more and meet only here. A batch is small enough that four of them stay in
 * the second-level cache; measured on 197 million records, 4 x 1,024 events beat 16 x 4,096 by a third.
 */
#ifndef PR_CAPTURE_HEAP_BATCH_H
#define PR_CAPTURE_HEAP_BATCH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PR_BATCH_EVENTS = 1024,
    PR_BATCH_AHEAD = 24 /* places after the last event, which can be read but contain nothing: to fetch ahead */
};

enum pr_op {
    PR_OP_ALLOC,  /* address, size, fact */
    PR_OP_FREE,   /* address */
    PR_OP_MAP,    /* address, size, fact: a mapping, which may be unmapped in parts */
    PR_OP_UNMAP,  /* address, size */
    PR_OP_SAMPLE, /* address: ms since the epoch, size: resident bytes */
    /* Where the live set has a stage of its own (heap_analysis.h), it makes these of allocations and frees: */
    PR_OP_REPLACE, /* size, fact, address: which of the batch's `replaced` was at the same address */
    PR_OP_GONE,    /* of the allocation that is freed: size, fact, address: `born`, as in the live set */
    PR_OP_NOTHING  /* a free of what is not alive */
};

/*
 * Bytes between what one core writes and what the other one uses: lines of 64 bytes, fetched in pairs. Where the two
 * share a line, each waits for the other at every event; that measurably doubled the time of a capture.
 */
enum { PR_APART = 128 };

struct pr_event {
    uint64_t address, size;
    uint32_t fact, op; /* fields that the operation has no use for may contain anything, but FACT one of the batch */
};

/* A block that went: made in an earlier bin, or replaced without a free of its own. */
struct pr_gone {
    uint64_t size;
    uint32_t fact, born; /* as in the live set */
};

struct pr_batch {
    _Alignas(PR_APART) uint32_t count;
    uint32_t fact_count;   /* every fact in this batch is below this */
    uint32_t replaced_count;
    uint64_t done_bytes, size_bytes; /* of the input, for progress; size 0 = unknown */
    struct pr_event event[PR_BATCH_EVENTS + PR_BATCH_AHEAD];
    struct pr_gone replaced[PR_BATCH_EVENTS]; /* [replaced_count] */
};

#endif
