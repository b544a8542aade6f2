/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray 12 and 13, all allocations: one record after another.
 * Source: doc/formats/memray.md, "Versions 12 and 13: type byte".
 */
#include "capture/memray/memray_plain.h"

enum { /* type bytes of the records without flags */
    REC_FILLER = 0,
    REC_TRAILER = 1,
    REC_MEMORY_SAMPLE = 2,
    REC_NATIVE_FRAME = 5,
    REC_MAP_START = 6,
    REC_IMAGE = 7,
    REC_THREAD_NAME = 10,
    REC_CONTEXT_SWITCH = 12,
    REC_CODE_OBJECT = 14
};

/* Address by the list of recent ones: a miss is added at its start, a hit changes nothing. */
static inline uint64_t get_pointer(struct pr_decoder *d, unsigned place)
{
    struct pr_memray *r = d->r;
    if (place != PR_MEMRAY_RECENT)
        return r->recent[(r->newest + place) % PR_MEMRAY_RING];
    uint64_t address = pr_get_delta(d, &r->last_pointer) << 3;
    r->newest = (r->newest - 1) % PR_MEMRAY_RING;
    return r->recent[r->newest] = address;
}

static inline enum pr_status read_allocation(struct pr_decoder *d, unsigned type, struct pr_error *err)
{
    static const char doing[] = "allocation record";
    struct pr_memray *r = d->r;
    const uint8_t *start = d->at - 1;
    uint64_t address = get_pointer(d, type >> 3 & 15);
    unsigned allocator = type & 7;
    if (!allocator)
        allocator = *d->at++;
    uint64_t size = 0, native = 0;
    if (!pr_allocator_is_simple_free(allocator)) {
        if (r->header.native_traces)
            native = pr_get_delta(d, &r->last_native);
        size = pr_get_uv(d);
    }
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, doing, err);
    if (allocator == PR_ALLOC_NONE || allocator >= PR_ALLOC_COUNT)
        return pr_decoder_damaged(err, pr_decoder_offset(d, start), doing, "an allocator that does not exist");
    if (r->thread == PR_NO_ID)
        return pr_decoder_damaged(err, pr_decoder_offset(d, start), doing, "no thread was named before it");
    if (!d->at[-1] && !*d->at && !d->in_tail && pr_decoder_only_padding_follows(d))
        /* its own zeros may be padding: memray drops it, and so do we */
        return pr_decoder_ended(d, d->padding_offset, err);
    enum pr_status status = pr_decoder_event(d, allocator, address, size, native, err);
    return status == PR_OK && d->at_padding ? pr_decoder_zeros_inside(d, err) : status;
}

/* The child of PARENT with the frame of instruction OFFSET in CODE. PR_NO_ID: memory or limit. */
static inline pr_node_id find_node(struct pr_decoder *d, pr_node_id parent, uint64_t code, int64_t offset, bool entry)
{
    struct pr_memray *r = d->r;
    struct pr_node_cache *cached = &d->nodes[pr_hash_two(code * 64 + (uint64_t)offset, parent) % PR_NODE_CACHE];
    if (cached->used && cached->code == code && cached->offset == offset && cached->parent == parent &&
        cached->entry == entry)
        return cached->node;
    pr_frame_id frame = pr_memray_codes_frame(&r->codes, &r->builder, code, offset);
    pr_node_id node = frame == PR_NO_ID ? PR_NO_ID : pr_stacks_node(&r->builder, parent, frame, entry);
    /* What is folded asks for its own node again and again: it gets one when it asks often. */
    const bool keeps = node != PR_NO_ID && !pr_stacks_is_folded(&r->builder, node);
    *cached = (struct pr_node_cache){code, offset, parent, node, entry, keeps};
    return node;
}

static inline enum pr_status read_push(struct pr_decoder *d, bool entry, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    const uint8_t *start = d->at - 1;
    uint64_t code = pr_get_uv(d);
    int64_t offset = pr_get_sv(d);
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, "frame push record", err);
    if (r->thread == PR_NO_ID)
        return pr_decoder_damaged(err, pr_decoder_offset(d, start), "frame push record",
                                  "no thread was named before it");
    return pr_decoder_push(d, find_node(d, pr_decoder_top(r), code, offset, entry), start, err);
}

static enum pr_status read_object(struct pr_decoder *d, unsigned type, struct pr_error *err)
{
    static const char doing[] = "object record";
    struct pr_memray *r = d->r;
    const uint8_t *start = d->at - 1;
    const bool created = type & 1;
    const uint64_t address = get_pointer(d, type >> 1 & 15);
    const uint64_t native = r->header.native_traces && created ? pr_get_delta(d, &r->last_native) : 0;
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, doing, err);
    r->records.objects++;
    if (!r->keeps_objects)
        return PR_OK;
    if (!created)
        return pr_object_lives_destroy(&r->objects, address) ? PR_OK : pr_fail_memory(err);
    if (r->thread == PR_NO_ID)
        return pr_decoder_damaged(err, pr_decoder_offset(d, start), doing, "no thread was named before it");
    const uint32_t fact = pr_decoder_fact(d, PR_ALLOC_NONE, native <= UINT32_MAX ? native : 0);
    return fact != PR_NO_ID && pr_object_lives_create(&r->objects, fact, address) ? PR_OK : pr_fail_memory(err);
}

static enum pr_status read_filler(struct pr_decoder *d, struct pr_error *err)
{
    d->at--;
    return pr_decoder_only_padding_follows(d) ? pr_decoder_ended(d, d->padding_offset, err)
                                              : pr_decoder_zeros_inside(d, err);
}

/* Where plain records go, in registers. */
struct plain_events {
    struct pr_plain p;
    struct pr_alloc_run run;
    struct pr_event *event; /* the next one */
    uint64_t frees;
};

/* One record. False: it needs more care, as a fact that has no counters yet, or a large size. */
__attribute__((always_inline)) static inline bool read_plain_event(const struct pr_decoder *d, struct plain_events *e,
                                                                   bool extracts, bool is_new, bool is_free)
{
    struct pr_plain next = e->p;
    const uint32_t fact = is_free ? 0 : d->last_fact[*next.at & 7];
    if (!is_free && fact == PR_NO_ID)
        return false;
    if (!pr_read_plain(extracts, is_new, is_free, d->r->recent, &next))
        return false;
    e->p = next;
    if (is_free) {
        pr_alloc_run_free(&e->run, next.address, false, 0);
        e->frees++;
    } else {
        pr_alloc_run_alloc(&e->run, fact, next.address, next.size);
        e->run.sizes[next.size]++;
        e->event->size = next.size;
        e->event->fact = fact;
    }
    e->event->op = is_free ? PR_OP_FREE : PR_OP_ALLOC;
    e->event->address = next.address;
    e->event++;
    return true;
}

/*
 * The allocation records at `at`, nearly all of a capture, in a loop that has all its state in registers and calls
 * nothing. Stops before what needs more care, and when the batch is full. WINDOW: that of the counters.
 */
__attribute__((always_inline)) static inline void read_plain(struct pr_decoder *d, bool extracts, uint32_t window)
{
    struct pr_memray *r = d->r;
    const uint8_t *const last = d->end - PR_SHORT_RECORD;
    struct pr_event *const first = r->batch->event + r->batch->count, *const end = r->batch->event + PR_BATCH_EVENTS;
    struct plain_events e = {pr_plain_begin(d), pr_alloc_run_begin(&r->tally, r->thread), first, 0};
    e.run.window = window;
#define READ_EVENT(is_new, is_free) read_plain_event(d, &e, extracts, is_new, is_free)
    while (e.event < end && e.p.at <= last) {
        const unsigned type = *e.p.at;
        if (!pr_plain_is(type) || !PR_FOR_PLAIN(type, READ_EVENT))
            break;
    }
#undef READ_EVENT
    pr_alloc_run_end(&e.run, &r->tally, r->thread);
    pr_plain_end(d, &e.p);
    r->batch->count = (uint32_t)(e.event - r->batch->event);
    r->records.frees += e.frees;
    r->records.allocations += (uint64_t)(e.event - first) - e.frees;
}

enum { USUAL_WINDOW = 2 }; /* temporary: freed before the thread's next allocation but one */

/* Apart, as a processor without such an instruction must not come here. */
PR_EXTRACTS static void read_plain_extracting(struct pr_decoder *d)
{
    read_plain(d, true, USUAL_WINDOW);
}

PR_EXTRACTS static void read_plain_extracting_alone(struct pr_decoder *d)
{
    read_plain(d, true, 0);
}

static void read_plain_anywhere(struct pr_decoder *d)
{
    if (d->r->tally.window == USUAL_WINDOW)
        read_plain(d, false, USUAL_WINDOW);
    else
        read_plain(d, false, d->r->tally.window);
}

/* The fact of an allocation at `at`, if this is the first of its kind here, and its counters. False: out of memory. */
static bool find_plain_fact(struct pr_decoder *d)
{
    struct pr_memray *r = d->r;
    const unsigned allocator = *d->at & 7;
    if (!allocator || pr_allocator_is_simple_free(allocator) || d->last_fact[allocator] != PR_NO_ID)
        return true;
    const uint32_t fact = pr_decoder_fact(d, (uint8_t)allocator, 0);
    return fact != PR_NO_ID && pr_alloc_counters_grow(&r->tally, fact, r->thread);
}

/* As many plain records as there are at `at`, maybe none. PR_FAILED: out of memory, or the consumer wants no more. */
static enum pr_status read_plain_allocations(struct pr_decoder *d, struct pr_error *err)
{
    const struct pr_memray *r = d->r;
    pr_decoder_come_here(d);
    if (!find_plain_fact(d))
        return pr_fail_memory(err);
    if (d->extracts && r->tally.window == USUAL_WINDOW)
        read_plain_extracting(d);
    else if (d->extracts && !r->tally.window)
        read_plain_extracting_alone(d);
    else
        read_plain_anywhere(d);
    return r->batch->count < PR_BATCH_EVENTS || pr_decoder_flush(d->r) ? PR_OK : pr_decoder_stopped(err);
}

static enum pr_status read_record(struct pr_decoder *d, struct pr_error *err)
{
    const uint8_t *start = d->at;
    if (*start & 0x80 && !d->r->header.native_traces && !d->in_tail &&
        pr_alloc_run_can_begin(&d->r->tally, d->r->thread)) {
        enum pr_status status = read_plain_allocations(d, err);
        if (status != PR_OK || d->at != start)
            return status;
    }
    unsigned type = *d->at++;
    if (type & 0x80)
        return read_allocation(d, type, err);
    if (type & 0x40)
        return read_push(d, type & 1, err);
    if (type & 0x20)
        return read_object(d, type, err);
    if (type & 0x10)
        return pr_decoder_pop(d, (type & 15) + 1, d->at - 1, err);
    switch (type) {
    case REC_TRAILER:
        return PR_END;
    case REC_MEMORY_SAMPLE:
        return pr_decoder_sample(d, err);
    case REC_NATIVE_FRAME:
        return pr_decoder_native_frame(d, err);
    case REC_MAP_START:
        return pr_memray_next_generation(d->r, err);
    case REC_CONTEXT_SWITCH:
        return pr_decoder_switch(d, err);
    case REC_IMAGE:
        return pr_decoder_long(d, pr_memray_read_image, err);
    case REC_THREAD_NAME:
        return pr_decoder_long(d, pr_memray_read_thread_name, err);
    case REC_CODE_OBJECT:
        return pr_decoder_long(d, pr_memray_read_code, err);
    case REC_FILLER:
        return read_filler(d, err);
    default:
        return pr_cut(err, PR_ERR_DAMAGED, pr_decoder_offset(d, d->at - 1), "record", "record type %u does not exist",
                      type);
    }
}

enum pr_status pr_memray_produce_v12(void *producer, struct pr_belt *belt, struct pr_error *err)
{
    return pr_decoder_run(producer, belt, read_record, err);
}
