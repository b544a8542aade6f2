/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the loops over memray's records share, whatever the version: the window, numbers, events, facts.
 *
 * Short records (allocations, frames, samples) are decoded straight from the window while at least PR_SHORT_RECORD
 * bytes lie there. At the end of the input the rest moves into a small buffer padded with zeros, so that the same code
 * can run without checking each byte: a record that needed the zeros was cut, and pr_decoder_broken says so. Long
 * records (names, tables, images) go by capture/parse/binary_scan.h, between pr_decoder_sync and pr_decoder_resume.
 */
#ifndef PR_CAPTURE_MEMRAY_MEMRAY_DECODER_H
#define PR_CAPTURE_MEMRAY_MEMRAY_DECODER_H

#include "capture/base/varint.h"
#include "capture/memray/memray.h"

#include <endian.h>
#include <string.h>

enum {
    PR_SHORT_RECORD = 64, /* bytes; at least the longest short record: type, three varints of 10, an allocator */
    PR_NODE_CACHE = 4096
};

/* The node that pushing the same frame on the same node gave last time. */
struct pr_node_cache {
    uint64_t code;
    int64_t offset;
    pr_node_id parent, node;
    bool entry, used;
};

struct pr_decoder {
    struct pr_memray *r;
    const uint8_t *at, *end; /* of the window, or of `tail` */
    const uint8_t *tail_end; /* of the real bytes in it */
    bool in_tail;
    bool extracts;   /* pr_can_extract */
    bool overrun;    /* a varint had more than 10 bytes */
    bool at_padding; /* a zero was found instead of a record, at padding_offset */
    uint64_t padding_offset;

    /* Facts that were found for last_node, last_thread and last_generation, by allocator. */
    uint32_t last_fact[PR_ALLOC_COUNT];
    uint64_t last_native[PR_ALLOC_COUNT];
    pr_node_id last_node;
    uint32_t last_thread, last_generation;

    uint8_t tail[2 * PR_SHORT_RECORD];
    struct pr_node_cache nodes[PR_NODE_CACHE];
};

/* A decoder at the start of the records. NULL: out of memory. Owned: pr_decoder_end. */
struct pr_decoder *pr_decoder_begin(struct pr_memray *r, struct pr_belt *belt);

/* Hands over what is left in the batch and frees the decoder. */
void pr_decoder_end(struct pr_decoder *d);

/* The cold half of pr_decoder_more. */
enum pr_status pr_decoder_refill(struct pr_decoder *d, struct pr_error *err);

/* PR_OK: a short record can be decoded at `at`. Else the input has ended: PR_END or PR_CUT. */
static inline enum pr_status pr_decoder_more(struct pr_decoder *d, struct pr_error *err)
{
    return d->end - d->at >= PR_SHORT_RECORD ? PR_OK : pr_decoder_refill(d, err);
}

/* Tells the source how much of the window was used. */
void pr_decoder_sync(struct pr_decoder *d);

/* Goes on after what was read from the source since pr_decoder_sync. */
void pr_decoder_resume(struct pr_decoder *d);

/* Offset in the unpacked stream of a byte in the window. */
uint64_t pr_decoder_offset(const struct pr_decoder *d, const uint8_t *at);

/* PR_CUT with PR_ERR_DAMAGED. */
enum pr_status pr_decoder_damaged(struct pr_error *err, uint64_t offset, const char *doing, const char *text);

/* PR_CUT: the input ended at OFFSET, where a record should be or in the middle of one. */
enum pr_status pr_decoder_ended(struct pr_decoder *d, uint64_t offset, struct pr_error *err);

/* The record just decoded is not entirely within the input, or has an invalid number. */
static inline bool pr_decoder_broken(const struct pr_decoder *d)
{
    return d->overrun || (d->in_tail && d->at > d->tail_end);
}

/* Why it is broken; START is its first byte. */
enum pr_status pr_decoder_why_broken(struct pr_decoder *d, const uint8_t *start, const char *doing,
                                     struct pr_error *err);

/*
 * True if there are only zeros from `at` on, where one is: the padding of a file that grows ahead of what is written,
 * not damage. For versions in which no record starts with a zero, so that nothing after it can be read in either case
 * and the source may be used up.
 */
bool pr_decoder_only_padding_follows(struct pr_decoder *d);

/* PR_CUT: zeros at padding_offset, and something after them. */
enum pr_status pr_decoder_zeros_inside(const struct pr_decoder *d, struct pr_error *err);

/* PR_FAILED: the consumer wants no more batches. */
enum pr_status pr_decoder_stopped(struct pr_error *err);

/* LEB128 of more than 4 bytes at *AT, which moves past it; *OVERRUN is set if it has more than 10. */
uint64_t pr_decoder_long_uv(const uint8_t **at, bool *overrun);

/*
 * LEB128 of at most 10 bytes at *AT, which moves past it. The length of a number is unpredictable, so four bytes, which
 * is enough for nearly all, are taken at once and no branch asks where it ends: its bytes are cut out, then the seven
 * bits of each packed together. base/varint.h, which needs no room after the number, is the same with a branch for each
 * byte.
 */
__attribute__((always_inline)) static inline uint64_t pr_decoder_uv(const uint8_t **at, bool *overrun)
{
    uint32_t word;
    memcpy(&word, *at, sizeof word);
    word = le32toh(word);
    const uint32_t ends = ~word & UINT32_C(0x80808080);
    if (__builtin_expect(!ends, 0)) { /* with copies, so that what is given can stay in registers */
        const uint8_t *next = *at;
        bool too_long = false;
        const uint64_t number = pr_decoder_long_uv(&next, &too_long);
        *overrun = *overrun || too_long;
        *at = next;
        return number;
    }
    *at += 1 + ((unsigned)__builtin_ctz(ends) >> 3);
    word &= (ends ^ (ends - 1)) & UINT32_C(0x7f7f7f7f);
    word -= word >> 1 & UINT32_C(0x3f803f80); /* 2n becomes n: the upper seven bits of each pair move down one */
    return (word & UINT32_C(0x3fff)) | (word >> 2 & UINT32_C(0x0fffc000));
}

static inline uint64_t pr_get_uv(struct pr_decoder *d)
{
    return pr_decoder_uv(&d->at, &d->overrun);
}

static inline int64_t pr_get_sv(struct pr_decoder *d)
{
    return pr_unzigzag(pr_get_uv(d));
}

/* Moves *VARIABLE by the next zigzag varint, modulo 2^64. */
static inline uint64_t pr_get_delta(struct pr_decoder *d, uint64_t *variable)
{
    return *variable += (uint64_t)pr_get_sv(d);
}

/* Little-endian, unaligned. */
static inline uint32_t pr_get_u32(struct pr_decoder *d)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)*d->at++ << 8 * i;
    return value;
}

static inline uint64_t pr_get_u64(struct pr_decoder *d)
{
    uint64_t low = pr_get_u32(d);
    return low | (uint64_t)pr_get_u32(d) << 32;
}

/* The node on top of the current thread's stack. */
static inline pr_node_id pr_decoder_top(const struct pr_memray *r)
{
    const struct pr_memray_thread *thread = &r->threads[r->thread];
    return thread->depth ? thread->stack[thread->depth - 1] : PR_ROOT;
}

/* Forgets the facts of another place. */
static inline void pr_decoder_come_here(struct pr_decoder *d)
{
    const struct pr_memray *r = d->r;
    const pr_node_id node = pr_decoder_top(r);
    if (node == d->last_node && r->thread == d->last_thread && r->generation == d->last_generation)
        return;
    d->last_node = node;
    d->last_thread = r->thread;
    d->last_generation = r->generation;
    for (unsigned i = 0; i < PR_ALLOC_COUNT; i++)
        d->last_fact[i] = PR_NO_ID;
}

/* The fact of an allocation here and now. PR_NO_ID: out of memory. */
static inline uint32_t pr_decoder_fact(struct pr_decoder *d, uint8_t allocator, uint64_t native)
{
    struct pr_memray *r = d->r;
    pr_decoder_come_here(d);
    if (d->last_fact[allocator] != PR_NO_ID && d->last_native[allocator] == native)
        return d->last_fact[allocator];
    d->last_native[allocator] = native;
    const uint32_t frame = pr_native_kept(&r->native, native);
    const bool is_known = frame && frame <= r->native.frame_count;
    return d->last_fact[allocator] =
               is_known ? pr_stacks_native_fact(&r->builder, d->last_node, r->thread, allocator, frame, r->generation,
                                                &r->native.fact[frame - 1])
                        : pr_stacks_fact(&r->builder, d->last_node, r->thread, allocator, frame, r->generation);
}

/* Hands the full batch over. False: the consumer wants no more. */
bool pr_decoder_flush(struct pr_memray *r);

/* One event. False: the consumer wants no more. */
static inline bool pr_decoder_emit(struct pr_memray *r, enum pr_op op, uint64_t address, uint64_t size, uint32_t fact)
{
    struct pr_batch *b = r->batch;
    b->event[b->count++] = (struct pr_event){address, size, fact, op};
    return b->count < PR_BATCH_EVENTS || pr_decoder_flush(r);
}

/*
 * An allocation or deallocation on the current thread by one of our allocators, counted and passed on. A native id that
 * is out of range counts as 0.
 */
__attribute__((always_inline)) static inline enum pr_status
pr_decoder_event(struct pr_decoder *d, unsigned allocator, uint64_t address, uint64_t size, uint64_t native,
                 struct pr_error *err)
{
    static const enum pr_op op_of[PR_ALLOC_COUNT] = {
        [PR_ALLOC_PYMALLOC_FREE] = PR_OP_FREE, [PR_ALLOC_FREE] = PR_OP_FREE, [PR_ALLOC_MMAP] = PR_OP_MAP,
        [PR_ALLOC_MUNMAP] = PR_OP_UNMAP, /* all others: PR_OP_ALLOC, which is 0 */
    };
    struct pr_memray *r = d->r;
    enum pr_op op = op_of[allocator];
    uint32_t fact = 0;
    if (op == PR_OP_FREE || op == PR_OP_UNMAP) {
        r->records.frees++;
        pr_alloc_counters_free(&r->tally, r->thread, address, op == PR_OP_UNMAP, size);
    } else {
        r->records.allocations++;
        fact = pr_decoder_fact(d, (uint8_t)allocator, native <= UINT32_MAX ? native : 0);
        if (fact == PR_NO_ID || !pr_alloc_counters_alloc(&r->tally, fact, r->thread, address, size))
            return pr_fail_memory(err);
    }
    return pr_decoder_emit(r, op, address, size, fact) ? PR_OK : pr_decoder_stopped(err);
}

static inline bool pr_allocator_is_simple_free(unsigned allocator)
{
    return allocator == PR_ALLOC_FREE || allocator == PR_ALLOC_PYMALLOC_FREE;
}

/* Puts NODE on the current thread's stack. PR_CUT: too deep. START is the record's first byte. */
enum pr_status pr_decoder_push(struct pr_decoder *d, pr_node_id node, const uint8_t *start, struct pr_error *err);

/* Takes COUNT nodes off the current thread's stack. PR_CUT: there are fewer. */
enum pr_status pr_decoder_pop(struct pr_decoder *d, uint64_t count, const uint8_t *start, struct pr_error *err);

/* A context switch: tid u64. */
enum pr_status pr_decoder_switch(struct pr_decoder *d, struct pr_error *err);

/* A memory sample: resident bytes, ms after the start, both varints. */
enum pr_status pr_decoder_sample(struct pr_decoder *d, struct pr_error *err);

/* A native frame: differences of instruction pointer and parent. */
enum pr_status pr_decoder_native_frame(struct pr_decoder *d, struct pr_error *err);

/* A record with names or tables, whose type byte was just read: READ takes it from the source. */
enum pr_status pr_decoder_long(struct pr_decoder *d,
                               enum pr_status (*read)(struct pr_memray *, uint64_t offset, struct pr_error *),
                               struct pr_error *err);

/*
 * All records of a capture, one READ each. Has the signature of `produce` in a pipeline; PRODUCER is a struct
 * pr_memray. Inline, and READ a constant, so that the loop makes no call through a pointer.
 */
__attribute__((always_inline)) static inline enum pr_status
pr_decoder_run(void *producer, struct pr_belt *belt, enum pr_status (*read)(struct pr_decoder *, struct pr_error *),
               struct pr_error *err)
{
    struct pr_decoder *d = pr_decoder_begin(producer, belt);
    if (!d)
        return pr_fail_memory(err);
    enum pr_status status;
    while ((status = pr_decoder_more(d, err)) == PR_OK && (status = read(d, err)) == PR_OK)
        continue;
    pr_decoder_end(d);
    return status;
}

#endif
