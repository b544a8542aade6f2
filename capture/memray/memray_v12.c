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
    *cached = (struct pr_node_cache){code, offset, parent, node, entry, node != PR_NO_ID};
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

/* The fact of ALLOCATOR here and now, which may be new, and RUN with room for its counters. PR_NO_ID: out of memory. */
static uint32_t plain_fact(struct pr_decoder *d, unsigned allocator, struct pr_alloc_run *run)
{
    struct pr_memray *r = d->r;
    const uint32_t fact = pr_decoder_fact(d, (uint8_t)allocator, 0);
    pr_alloc_run_end(run, &r->tally, r->thread);
    if (fact != PR_NO_ID && !pr_alloc_counters_grow(&r->tally, fact, r->thread))
        return PR_NO_ID;
    *run = pr_alloc_run_begin(&r->tally, r->thread);
    return fact;
}

/* Counts the allocation P and stores its fact. False: out of memory. */
static inline bool count_plain(struct pr_decoder *d, const struct pr_plain *p, struct pr_alloc_run *run, uint32_t *fact)
{
    *fact = d->last_fact[p->allocator];
    if (__builtin_expect(*fact == PR_NO_ID, 0) && (*fact = plain_fact(d, p->allocator, run)) == PR_NO_ID)
        return false;
    pr_alloc_run_alloc(run, *fact, p->address, p->size);
    if (__builtin_expect(p->size >= PR_SMALL_SIZES, 0))
        return pr_sizes_add_many(&d->r->tally.sizes, p->size, 1);
    run->sizes[p->size]++;
    return true;
}

/*
 * The allocation records at `at`, nearly all of a capture, in a loop that has all its state in registers. Stops before
 * what needs more care. PR_FAILED: out of memory, or the consumer wants no more.
 */
static enum pr_status read_plain_allocations(struct pr_decoder *d, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    const uint8_t *const last = d->end - PR_SHORT_RECORD;
    struct pr_plain p = pr_plain_begin(d);
    struct pr_alloc_run run = pr_alloc_run_begin(&r->tally, r->thread);
    struct pr_batch *b = r->batch;
    uint32_t i = b->count;
    uint64_t allocations = 0, frees = 0;
    enum pr_status status = PR_OK;
    pr_decoder_come_here(d);
    while (p.at <= last && pr_read_plain(r->recent, &p)) {
        uint32_t fact = 0;
        if (pr_allocator_is_simple_free(p.allocator)) {
            frees++;
            pr_alloc_run_free(&run, p.address, false, 0);
            b->op[i] = PR_OP_FREE;
        } else if (!count_plain(d, &p, &run, &fact)) {
            status = pr_fail_memory(err);
            break;
        } else {
            allocations++;
            b->op[i] = PR_OP_ALLOC;
        }
        b->fact[i] = fact;
        b->address[i] = p.address;
        b->size[i] = p.size;
        if (++i == PR_BATCH_EVENTS) {
            b->count = i;
            if (!pr_decoder_flush(r)) {
                status = pr_decoder_stopped(err);
                break;
            }
            b = r->batch;
            i = 0;
        }
    }
    if (r->batch)
        r->batch->count = i;
    pr_alloc_run_end(&run, &r->tally, r->thread);
    pr_plain_end(d, &p);
    r->records.allocations += allocations;
    r->records.frees += frees;
    return status;
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
