/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/nettrace/nettrace_events.h"

enum { COMPRESSED = 1, GUID_BYTES = 16 };

/* What a compressed header has. */
enum { METADATA = 1, WRITER = 2, THREAD = 4, STACK = 8, ACTIVITY = 16, RELATED = 32, PAYLOAD_SIZE = 128 };

struct pr_nettrace_events pr_nettrace_events_of(const struct pr_nettrace_block *block, unsigned version)
{
    struct pr_nettrace_events events = {.rest = block->bytes, .version = version};
    events.end_offset = block->offset + (uint64_t)(block->bytes.end - block->bytes.at);
    const uint64_t size = pr_nettrace_number(&events.rest, 2);
    events.is_compressed = pr_nettrace_number(&events.rest, 2) & COMPRESSED;
    pr_nettrace_part(&events.rest, size < 4 ? 0 : size - 4);
    return events;
}

static void align(struct pr_nettrace_events *events)
{
    const uint64_t left = (uint64_t)(events->rest.end - events->rest.at);
    const uint64_t padding = -(events->end_offset - left) & 3;
    pr_nettrace_part(&events->rest, padding < left ? padding : left);
}

static void read_plain(struct pr_nettrace_events *events, struct pr_nettrace_event *event)
{
    struct pr_nettrace_bytes *rest = &events->rest;
    pr_nettrace_number(rest, 4); /* its size */
    event->metadata = pr_nettrace_number(rest, 4) & INT32_MAX;
    event->sequence = (uint32_t)pr_nettrace_number(rest, 4);
    event->thread = pr_nettrace_number(rest, 8);
    event->written_by = pr_nettrace_number(rest, 8);
    pr_nettrace_number(rest, 4); /* processor */
    event->stack = (uint32_t)pr_nettrace_number(rest, 4);
    event->ticks = pr_nettrace_number(rest, 8);
    pr_nettrace_part(rest, events->version == 6 ? 4 : 2 * GUID_BYTES); /* labels, or activities */
    event->payload = pr_nettrace_part(rest, pr_nettrace_number(rest, 4));
    align(events);
}

static void read_compressed(struct pr_nettrace_events *events, struct pr_nettrace_event *event)
{
    struct pr_nettrace_bytes *rest = &events->rest;
    const uint64_t flags = pr_nettrace_number(rest, 1);
    uint64_t size = (uint64_t)(events->last.payload.end - events->last.payload.at);
    *event = events->last;
    if (flags & METADATA)
        event->metadata = pr_nettrace_varint(rest);
    if (flags & WRITER) {
        event->sequence += (uint32_t)pr_nettrace_varint(rest);
        event->written_by = pr_nettrace_varint(rest);
        pr_nettrace_varint(rest); /* processor */
    }
    event->sequence += event->metadata || events->version == 6;
    if (flags & THREAD)
        event->thread = pr_nettrace_varint(rest);
    if (flags & STACK)
        event->stack = (uint32_t)pr_nettrace_varint(rest);
    event->ticks += pr_nettrace_varint(rest);
    if (flags & ACTIVITY && events->version == 6)
        pr_nettrace_varint(rest); /* labels */
    else if (flags & ACTIVITY)
        pr_nettrace_part(rest, GUID_BYTES);
    if (flags & RELATED && events->version != 6)
        pr_nettrace_part(rest, GUID_BYTES);
    if (flags & PAYLOAD_SIZE)
        size = pr_nettrace_varint(rest);
    event->payload = pr_nettrace_part(rest, size);
}

bool pr_nettrace_next_event(struct pr_nettrace_events *events, struct pr_nettrace_event *event)
{
    if (events->rest.failed || events->rest.at == events->rest.end)
        return false;
    if (events->is_compressed)
        read_compressed(events, event);
    else
        read_plain(events, event);
    events->last = *event;
    return !events->rest.failed;
}
