/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray 12 and 13, all allocations: the loop over the records. Source: capture/formats/memray.md, "V 12, 13: type byte".
 *
 * Short records (allocations, frames, samples) are decoded straight from the window while at least SHORT_RECORD bytes lie
 * there. At the end of the input the rest moves into a small buffer with zeros behind it, so that the same code can run
 * without checking each byte: a record that needed the zeros was cut. Long records (names, tables, images) go by scan.h.
 */
#include "capture/base/checked.h"
#include "capture/memray.h"
#include "capture/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORT_RECORD = 64, /* bytes, at least the longest short record: type, three varints of 10, an allocator */
    POINTER_MISS = 15,
    NODE_CACHE = 4096
};

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

/* What a push of the same frame on the same node gave before. */
struct node_cache {
    uint64_t code;
    int64_t offset;
    pr_node_id parent, node;
    bool entry, used;
};

struct decoder {
    struct pr_memray *r;
    const uint8_t *at, *end; /* of the window, or of `tail` */
    bool in_tail;
    bool overrun; /* a varint of more than 10 bytes */
    uint32_t last_fact[PR_ALLOC_COUNT]; /* by allocator, on last_node and last_thread */
    uint64_t last_native[PR_ALLOC_COUNT];
    pr_node_id last_node;
    uint32_t last_thread;
    bool at_padding; /* a zero was found where a record should be, at padding_offset */
    uint64_t padding_offset;
    uint8_t tail[2 * SHORT_RECORD];
    const uint8_t *tail_end; /* of the real bytes in it */
    struct node_cache nodes[NODE_CACHE];
};

static inline uint64_t get_uv(struct decoder *d)
{
    uint64_t value = *d->at++;
    if (value < 0x80)
        return value;
    value &= 0x7f;
    for (unsigned shift = 7; shift < 70; shift += 7) {
        uint64_t byte = *d->at++;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    d->overrun = true;
    return 0;
}

static inline uint64_t get_delta(struct decoder *d, uint64_t *variable)
{
    uint64_t zigzag = get_uv(d);
    *variable += zigzag >> 1 ^ (0 - (zigzag & 1));
    return *variable;
}

/* Address by the list of recent ones: a miss enters at its start, a hit changes nothing. */
static inline uint64_t get_pointer(struct decoder *d, unsigned slot)
{
    struct pr_memray *r = d->r;
    if (slot != POINTER_MISS)
        return r->recent[slot];
    uint64_t address = get_delta(d, &r->last_pointer) << 3;
    memmove(&r->recent[1], &r->recent[0], sizeof r->recent - sizeof *r->recent);
    return r->recent[0] = address;
}

static inline bool emit(struct pr_memray *r, enum pr_op op, uint64_t address, uint64_t size, uint32_t fact)
{
    struct pr_batch *b = r->batch;
    uint32_t i = b->count++;
    b->op[i] = (uint8_t)op;
    b->slot[i] = PR_SLOT_NONE;
    b->thread[i] = r->thread == PR_NO_ID ? 0 : r->thread;
    b->fact[i] = fact;
    b->address[i] = address;
    b->size[i] = size;
    if (b->count < PR_BATCH_EVENTS)
        return true;
    b->fact_count = r->builder.facts.count;
    b->thread_count = r->builder.threads.count;
    pr_source_progress(r->src, &b->done_bytes, &b->size_bytes);
    r->batch = pr_belt_next(r->belt);
    return r->batch != NULL;
}

static uint64_t offset_of(const struct decoder *d, const uint8_t *at)
{
    uint64_t window = pr_source_offset(d->r->src);
    return window + (uint64_t)(at - (d->in_tail ? d->tail : d->r->src->at));
}

/* Gives the source back what the window was borrowed for; `start_window` must follow. */
static void sync(struct decoder *d)
{
    pr_source_skip(d->r->src, (size_t)(d->at - (d->in_tail ? d->tail : d->r->src->at)));
    d->in_tail = false;
    d->at = d->end = d->r->src->at;
}

/* At least SHORT_RECORD readable bytes at `at`; false at the end of the input. */
static bool start_window(struct decoder *d)
{
    struct pr_source *src = d->r->src;
    if (d->in_tail)
        return d->at < d->tail_end;
    sync(d);
    if (pr_source_need(src, SHORT_RECORD)) {
        d->at = src->at;
        d->end = src->end;
        return true;
    }
    size_t left = (size_t)(src->end - src->at);
    memset(d->tail, 0, sizeof d->tail);
    if (left)
        memcpy(d->tail, src->at, left);
    d->in_tail = true;
    d->at = d->tail;
    d->tail_end = d->tail + left;
    d->end = d->tail_end;
    return left > 0;
}

static enum pr_status damaged(struct pr_error *err, uint64_t offset, const char *doing, const char *text)
{
    return pr_cut(err, PR_ERR_DAMAGED, offset, doing, "%s", text);
}

/* The input ended where a record should be, or in the middle of one. */
static enum pr_status ended(struct decoder *d, uint64_t offset, struct pr_error *err)
{
    const struct pr_error *cause = &d->r->src->error;
    if (cause->code != PR_ERR_NONE)
        return pr_cut(err, cause->code, cause->offset, cause->doing, "%s", cause->text);
    return pr_cut(err, PR_ERR_TRUNCATED, offset, "record",
                  "no trailer: the program was killed, is still running, or the file was cut");
}

static inline bool broken(const struct decoder *d)
{
    return d->overrun || (d->in_tail && d->at > d->tail_end);
}

static enum pr_status why_broken(struct decoder *d, const uint8_t *start, const char *doing, struct pr_error *err)
{
    uint64_t offset = offset_of(d, start);
    if (d->overrun && !(d->in_tail && d->at > d->tail_end))
        return damaged(err, offset, doing, "a number of more than 10 bytes");
    return ended(d, offset, err);
}

/*
 * Only zeros from `at` on, where one lies: the padding of a file that grows ahead of what is written, not damage. No
 * record starts with a zero, so nothing behind it can be read in either case and the source may be used up.
 */
static bool only_padding_follows(struct decoder *d)
{
    struct pr_source *src = d->r->src;
    d->padding_offset = offset_of(d, d->at);
    d->at_padding = true;
    sync(d);
    while (pr_source_need(src, 1)) {
        while (src->at < src->end && !*src->at)
            src->at++;
        if (src->at < src->end)
            return false;
    }
    return true;
}

static enum pr_status zeros_inside(const struct decoder *d, struct pr_error *err)
{
    return damaged(err, d->padding_offset, "record", "zeros in the middle of the file");
}

static uint32_t find_fact(struct decoder *d, uint8_t allocator, uint64_t native)
{
    struct pr_memray *r = d->r;
    struct pr_memray_thread *thread = &r->threads[r->thread];
    pr_node_id node = thread->depth ? thread->stack[thread->depth - 1] : PR_ROOT;
    if (node != d->last_node || r->thread != d->last_thread) {
        d->last_node = node;
        d->last_thread = r->thread;
        memset(d->last_fact, 0xff, sizeof d->last_fact);
    } else if (d->last_fact[allocator] != PR_NO_ID && d->last_native[allocator] == native) {
        return d->last_fact[allocator];
    }
    d->last_native[allocator] = native;
    return d->last_fact[allocator] = pr_builder_fact(&r->builder, node, r->thread, allocator, (uint32_t)native, 0);
}

static enum pr_status stopped(struct pr_error *err)
{
    return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "interrupted");
}

static inline enum pr_status read_allocation(struct decoder *d, unsigned type, struct pr_error *err)
{
    static const enum pr_op op_of[PR_ALLOC_COUNT] = {
        [PR_ALLOC_PYMALLOC_FREE] = PR_OP_FREE, [PR_ALLOC_FREE] = PR_OP_FREE, [PR_ALLOC_MMAP] = PR_OP_MAP,
        [PR_ALLOC_MUNMAP] = PR_OP_UNMAP, /* all others: PR_OP_ALLOC, which is 0 */
    };
    struct pr_memray *r = d->r;
    const uint8_t *start = d->at - 1;
    uint64_t address = get_pointer(d, type >> 3 & 15);
    unsigned allocator = type & 7;
    if (!allocator)
        allocator = *d->at++;
    if (allocator == PR_ALLOC_NONE || allocator >= PR_ALLOC_COUNT)
        return broken(d) ? why_broken(d, start, "allocation record", err)
                         : damaged(err, offset_of(d, start), "allocation record", "an allocator that does not exist");
    enum pr_op op = op_of[allocator];
    uint64_t size = 0, native = 0;
    if (op != PR_OP_FREE) {
        if (r->header.native_traces)
            native = get_delta(d, &r->last_native);
        size = get_uv(d);
    }
    if (broken(d))
        return why_broken(d, start, "allocation record", err);
    if (r->thread == PR_NO_ID)
        return damaged(err, offset_of(d, start), "allocation record", "no thread was named before it");
    if (!d->at[-1] && !*d->at && !d->in_tail && only_padding_follows(d))
        return ended(d, d->padding_offset, err); /* its own zeros may be padding: memray drops it, and so do we */
    uint32_t fact = 0;
    if (op == PR_OP_FREE || op == PR_OP_UNMAP) {
        r->records.frees++;
    } else {
        fact = find_fact(d, (uint8_t)allocator, native <= UINT32_MAX ? native : 0);
        if (fact == PR_NO_ID)
            return pr_fail_memory(err);
        r->records.allocations++;
    }
    if (!emit(r, op, address, size, fact))
        return stopped(err);
    return d->at_padding ? zeros_inside(d, err) : PR_OK;
}

static inline enum pr_status read_push(struct decoder *d, bool entry, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    const uint8_t *start = d->at - 1;
    uint64_t code = get_uv(d), zigzag = get_uv(d);
    int64_t offset = (int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));
    if (broken(d))
        return why_broken(d, start, "frame push record", err);
    if (r->thread == PR_NO_ID)
        return damaged(err, offset_of(d, start), "frame push record", "no thread was named before it");
    struct pr_memray_thread *thread = &r->threads[r->thread];
    pr_node_id parent = thread->depth ? thread->stack[thread->depth - 1] : PR_ROOT;

    struct node_cache *cached = &d->nodes[pr_hash_two(code * 64 + (uint64_t)offset, parent) % NODE_CACHE];
    if (!cached->used || cached->code != code || cached->offset != offset || cached->parent != parent ||
        cached->entry != entry) {
        pr_frame_id frame = pr_memray_codes_frame(&r->codes, &r->builder, code, offset);
        pr_node_id node = frame == PR_NO_ID ? PR_NO_ID : pr_builder_node(&r->builder, parent, frame, entry);
        if (node == PR_NO_ID)
            return pr_cut(err, PR_ERR_LIMIT, offset_of(d, start), "frame push record",
                          "too many different stacks, or out of memory");
        *cached = (struct node_cache){code, offset, parent, node, entry, true};
    }
    if (thread->depth >= r->options->limits.max_depth)
        return pr_cut(err, PR_ERR_LIMIT, offset_of(d, start), "frame push record", "a stack of more than %" PRIu64 " frames",
                      r->options->limits.max_depth);
    if (!pr_grow(&thread->stack, &thread->capacity, thread->depth + 1, sizeof *thread->stack))
        return pr_fail_memory(err);
    thread->stack[thread->depth++] = cached->node;
    r->records.pushes++;
    return PR_OK;
}

static inline enum pr_status read_pop(struct decoder *d, unsigned count, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    if (r->thread == PR_NO_ID || r->threads[r->thread].depth < count)
        return damaged(err, offset_of(d, d->at - 1), "frame pop record", "more frames popped than were pushed");
    r->threads[r->thread].depth -= count;
    r->records.pops += count;
    return PR_OK;
}

static enum pr_status read_object(struct decoder *d, unsigned type, struct pr_error *err)
{
    const uint8_t *start = d->at - 1;
    get_pointer(d, type >> 1 & 15);
    if (d->r->header.native_traces && type & 1)
        get_delta(d, &d->r->last_native);
    if (broken(d))
        return why_broken(d, start, "object record", err);
    d->r->records.objects++;
    return PR_OK;
}

static enum pr_status read_sample(struct decoder *d, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    const uint8_t *start = d->at - 1;
    uint64_t rss = get_uv(d), ms = get_uv(d);
    if (broken(d))
        return why_broken(d, start, "memory sample", err);
    r->records.samples++;
    return emit(r, PR_OP_SAMPLE, (uint64_t)r->header.start_ms + ms, rss, 0) ? PR_OK : stopped(err);
}

static enum pr_status read_native_frame(struct decoder *d, struct pr_error *err)
{
    const uint8_t *start = d->at - 1;
    get_uv(d); /* instruction pointer */
    get_delta(d, &d->r->last_native);
    if (broken(d))
        return why_broken(d, start, "native frame", err);
    d->r->records.native_frames++;
    return PR_OK;
}

static enum pr_status read_switch(struct decoder *d, struct pr_error *err)
{
    const uint8_t *start = d->at - 1;
    uint64_t tid = 0;
    for (unsigned i = 0; i < 8; i++)
        tid |= (uint64_t)*d->at++ << 8 * i;
    if (broken(d))
        return why_broken(d, start, "context switch", err);
    if (!pr_memray_switch_thread(d->r, tid))
        return pr_cut(err, PR_ERR_LIMIT, offset_of(d, start), "context switch", "too many threads, or out of memory");
    return PR_OK;
}

static enum pr_status read_filler(struct decoder *d, struct pr_error *err)
{
    d->at--;
    return only_padding_follows(d) ? ended(d, d->padding_offset, err) : zeros_inside(d, err);
}

/* Records with names or tables in them. */
static enum pr_status read_long(struct decoder *d, unsigned type, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    uint64_t offset = offset_of(d, d->at - 1);
    sync(d);
    enum pr_status (*read)(struct pr_memray *, uint64_t, struct pr_error *) =
        type == REC_IMAGE ? pr_memray_read_image
        : type == REC_CODE_OBJECT ? pr_memray_read_code
                                  : pr_memray_read_thread_name;
    enum pr_status status = read(r, offset, err);
    d->at = d->end = r->src->at;
    return status;
}

static enum pr_status read_record(struct decoder *d, struct pr_error *err)
{
    unsigned type = *d->at++;
    if (type & 0x80)
        return read_allocation(d, type, err);
    if (type & 0x40)
        return read_push(d, type & 1, err);
    if (type & 0x20)
        return read_object(d, type, err);
    if (type & 0x10)
        return read_pop(d, (type & 15) + 1, err);
    switch (type) {
    case REC_TRAILER:
        return PR_END;
    case REC_MEMORY_SAMPLE:
        return read_sample(d, err);
    case REC_NATIVE_FRAME:
        return read_native_frame(d, err);
    case REC_MAP_START:
        return PR_OK;
    case REC_CONTEXT_SWITCH:
        return read_switch(d, err);
    case REC_IMAGE:
    case REC_THREAD_NAME:
    case REC_CODE_OBJECT:
        return read_long(d, type, err);
    case REC_FILLER:
        return read_filler(d, err);
    default:
        return pr_cut(err, PR_ERR_DAMAGED, offset_of(d, d->at - 1), "record", "record type %u does not exist", type);
    }
}

static enum pr_status read_records(struct decoder *d, struct pr_error *err)
{
    for (;;) {
        if (d->end - d->at < SHORT_RECORD && !start_window(d))
            return ended(d, pr_source_offset(d->r->src) + (uint64_t)(d->tail_end - d->tail), err);
        enum pr_status status = read_record(d, err);
        if (status != PR_OK)
            return status;
    }
}

enum pr_status pr_memray_produce_v12(void *producer, struct pr_belt *belt, struct pr_error *err)
{
    struct pr_memray *r = producer;
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return pr_fail_memory(err);
    d->r = r;
    d->at = d->end = r->src->at;
    d->last_node = PR_NO_NODE;
    r->belt = belt;
    r->batch = pr_belt_first(belt);
    enum pr_status status = read_records(d, err);
    if (r->batch) {
        r->batch->fact_count = r->builder.facts.count;
        r->batch->thread_count = r->builder.threads.count;
    }
    free(d);
    return status;
}
