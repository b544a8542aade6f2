/* SPDX-License-Identifier: Apache-2.0 */
/* memray: the cold half of what the loops over records share. */
#include "capture/memray/memray_decoder.h"
#include "capture/base/time.h"

#include "capture/base/checked.h"
#include "capture/base/extract_bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t pr_decoder_offset(const struct pr_decoder *d, const uint8_t *at)
{
    return pr_source_offset(d->r->src) + (uint64_t)(at - (d->in_tail ? d->tail : d->r->src->at));
}

void pr_decoder_resume(struct pr_decoder *d)
{
    d->at = d->end = d->r->src->at;
}

void pr_decoder_sync(struct pr_decoder *d)
{
    pr_source_skip(d->r->src, (size_t)(d->at - (d->in_tail ? d->tail : d->r->src->at)));
    d->in_tail = false;
    pr_decoder_resume(d);
}

/* At least PR_SHORT_RECORD readable bytes at `at`; false at the end of the input. */
static bool start_window(struct pr_decoder *d)
{
    struct pr_source *src = d->r->src;
    if (d->in_tail)
        return d->at < d->tail_end;
    pr_decoder_sync(d);
    if (pr_source_need(src, PR_SHORT_RECORD)) {
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
    d->end = d->tail_end = d->tail + left;
    return left > 0;
}

/* Up to eight bytes at once too: a jump between two heaps, as from brk to mmap, takes seven. */
uint64_t pr_decoder_long_uv(const uint8_t **at, bool *overrun)
{
    uint64_t word;
    memcpy(&word, *at, sizeof word);
    word = le64toh(word);
    const uint64_t ends = ~word & UINT64_C(0x8080808080808080);
    if (!ends) {
        const size_t length = pr_varint_get(*at, *at + PR_VARINT_BYTES, &word);
        *at += length ? length : PR_VARINT_BYTES;
        *overrun = *overrun || !length;
        return length ? word : 0;
    }
    *at += (__builtin_ctzll(ends) >> 3) + 1;
    word &= (ends ^ (ends - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
    word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (word & UINT64_C(0x000000000fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
}

enum pr_status pr_decoder_damaged(struct pr_error *err, uint64_t offset, const char *doing, const char *text)
{
    return pr_cut(err, PR_ERR_DAMAGED, offset, doing, "%s", text);
}

/* A version without a trailer ends after the number of records in its header. */
static bool is_whole(const struct pr_memray *r)
{
    return !r->header.version->has_trailer && r->header.finished &&
           r->records.allocations + r->records.frees == r->header.written_records;
}

enum pr_status pr_decoder_ended(struct pr_decoder *d, uint64_t offset, struct pr_error *err)
{
    const struct pr_error *cause = &d->r->src->error;
    if (cause->code == PR_ERR_MEMORY)
        return pr_fail_memory(err);
    if (cause->code != PR_ERR_NONE)
        return pr_cut(err, cause->code, cause->offset, cause->doing, "%s", cause->text);
    if (is_whole(d->r))
        return PR_END;
    return pr_cut(err, PR_ERR_TRUNCATED, offset, "record",
                  "no end mark: the program was killed, is still running, or the file was cut");
}

enum pr_status pr_decoder_why_broken(struct pr_decoder *d, const uint8_t *start, const char *doing,
                                     struct pr_error *err)
{
    uint64_t offset = pr_decoder_offset(d, start);
    if (d->in_tail && d->at > d->tail_end)
        return pr_decoder_ended(d, offset, err);
    return pr_decoder_damaged(err, offset, doing, "a number of more than 10 bytes");
}

bool pr_decoder_only_padding_follows(struct pr_decoder *d)
{
    struct pr_source *src = d->r->src;
    d->padding_offset = pr_decoder_offset(d, d->at);
    d->at_padding = true;
    pr_decoder_sync(d);
    while (pr_source_need(src, 1)) {
        while (src->at < src->end && !*src->at)
            src->at++;
        if (src->at < src->end)
            return false;
    }
    return true;
}

enum pr_status pr_decoder_zeros_inside(const struct pr_decoder *d, struct pr_error *err)
{
    return pr_decoder_damaged(err, d->padding_offset, "record", "zeros in the middle of the file");
}

enum pr_status pr_decoder_stopped(struct pr_error *err)
{
    return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "interrupted");
}

static void close_batch(struct pr_memray *r)
{
    r->batch->fact_count = r->builder.facts.count;
    pr_source_progress(r->src, &r->batch->done_bytes, &r->batch->size_bytes);
}

bool pr_decoder_flush(struct pr_memray *r)
{
    close_batch(r);
    r->batch = pr_belt_next(r->belt);
    return r->batch != NULL;
}

enum pr_status pr_decoder_push(struct pr_decoder *d, pr_node_id node, const uint8_t *start, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    struct pr_memray_thread *thread = &r->threads[r->thread];
    if (node == PR_NO_ID)
        return pr_memray_no_room(d->r, pr_decoder_offset(d, start), "frame push record", "different stacks", err);
    if (thread->depth >= r->options->limits.max_depth)
        return pr_cut(err, PR_ERR_LIMIT, pr_decoder_offset(d, start), "frame push record",
                      "a stack of more than %" PRIu64 " frames", r->options->limits.max_depth);
    if (!pr_grow(&thread->stack, &thread->capacity, thread->depth + 1, sizeof *thread->stack))
        return pr_fail_memory(err);
    thread->stack[thread->depth++] = node;
    r->records.pushes++;
    return PR_OK;
}

enum pr_status pr_decoder_pop(struct pr_decoder *d, uint64_t count, const uint8_t *start, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    if (r->thread == PR_NO_ID || r->threads[r->thread].depth < count)
        return pr_decoder_damaged(err, pr_decoder_offset(d, start), "frame pop record",
                                  "more frames popped than were pushed");
    r->threads[r->thread].depth -= count;
    r->records.pops += count;
    return PR_OK;
}

enum pr_status pr_decoder_switch(struct pr_decoder *d, struct pr_error *err)
{
    const uint8_t *start = d->at - 1;
    uint64_t tid = pr_get_u64(d);
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, "context switch", err);
    if (!pr_memray_switch_thread(d->r, tid))
        return pr_memray_no_room(d->r, pr_decoder_offset(d, start), "context switch", "threads", err);
    return PR_OK;
}

bool pr_memray_note_sample(struct pr_memray *r, int64_t at_ms)
{
    int64_t from_ns;
    if (__builtin_mul_overflow(r->sample_ms, PR_NS_PER_MS, &from_ns))
        from_ns = INT64_MAX / 2;
    r->sample_ms = at_ms > r->sample_ms ? at_ms : r->sample_ms;
    return r->options->unneeded & PR_UNNEEDED_MOMENTS ||
           pr_alloc_counters_moments(&r->tally, from_ns, &r->moments);
}

enum pr_status pr_decoder_sample(struct pr_decoder *d, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    const uint8_t *start = d->at - 1;
    uint64_t rss = pr_get_uv(d), ms = pr_get_uv(d);
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, "memory sample", err);
    r->records.samples++;
    pr_object_lives_sample(&r->objects, ms);
    if (!pr_memray_note_sample(r, ms < INT64_MAX ? (int64_t)ms : INT64_MAX))
        return pr_fail_memory(err);
    return pr_decoder_emit(r, PR_OP_SAMPLE, (uint64_t)r->header.start_ms + ms, rss, 0) ? PR_OK
                                                                                       : pr_decoder_stopped(err);
}

enum pr_status pr_decoder_native_frame(struct pr_decoder *d, struct pr_error *err)
{
    const uint8_t *start = d->at - 1;
    uint64_t ip = pr_get_delta(d, &d->r->last_ip), parent = pr_get_delta(d, &d->r->last_native);
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, "native frame", err);
    return pr_memray_native_frame(d->r, ip, parent, pr_decoder_offset(d, start), err);
}

enum pr_status pr_decoder_long(struct pr_decoder *d,
                               enum pr_status (*read)(struct pr_memray *, uint64_t offset, struct pr_error *),
                               struct pr_error *err)
{
    uint64_t offset = pr_decoder_offset(d, d->at - 1);
    pr_decoder_sync(d);
    enum pr_status status = read(d->r, offset, err);
    pr_decoder_resume(d);
    return status;
}

enum pr_status pr_decoder_refill(struct pr_decoder *d, struct pr_error *err)
{
    return start_window(d) ? PR_OK : pr_decoder_ended(d, pr_decoder_offset(d, d->tail_end), err);
}

struct pr_decoder *pr_decoder_begin(struct pr_memray *r, struct pr_belt *belt)
{
    struct pr_decoder *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->r = r;
    d->last_node = PR_NO_NODE;
    d->extracts = pr_can_extract();
    pr_decoder_resume(d);
    r->belt = belt;
    r->batch = pr_belt_first(belt);
    return d;
}

void pr_decoder_end(struct pr_decoder *d)
{
    if (d->r->batch)
        close_batch(d->r);
    free(d);
}
