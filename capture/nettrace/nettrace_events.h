/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a block: a header each, often written as what differs from the one before, and bytes of their own. */
#ifndef PR_CAPTURE_NETTRACE_NETTRACE_EVENTS_H
#define PR_CAPTURE_NETTRACE_NETTRACE_EVENTS_H

#include "capture/nettrace/nettrace_blocks.h"

struct pr_nettrace_event {
    uint64_t metadata; /* what kind of event it is: a number that the trace defines */
    uint32_t sequence; /* of the thread that wrote it: 1, 2, ...; a gap are events that were lost */
    uint64_t thread, written_by; /* threads of the system; in version 6 numbers that the trace defines */
    uint32_t stack;              /* number of it; 0 = none */
    uint64_t ticks;
    struct pr_nettrace_bytes payload;
};

struct pr_nettrace_events {
    struct pr_nettrace_bytes rest;
    uint64_t end_offset; /* in the input, of what is behind REST */
    unsigned version;
    bool is_compressed;
    struct pr_nettrace_event last;
};

/* Reads the header of a block of events, or of metadata of versions 4 and 5. */
struct pr_nettrace_events pr_nettrace_events_of(const struct pr_nettrace_block *block, unsigned version);

/*
 * The next event; its payload is part of the block. False: there is none, and if EVENTS->rest.failed the block ends in
 * it.
 */
bool pr_nettrace_next_event(struct pr_nettrace_events *events, struct pr_nettrace_event *event);

#endif
