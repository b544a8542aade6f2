/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray 6: structs of fixed size after a type of four bytes; each names its thread.
 * Source: doc/formats/memray.md, "Version 6".
 */
#include "capture/memray/memray_decoder.h"
#include "capture/base/checked.h"
#include "capture/parse/binary_scan.h"

#include <inttypes.h>

enum {
    REC_FILLER = 0,
    REC_ALLOCATION = 1,
    REC_FRAME = 2,
    REC_PUSH = 3,
    REC_NATIVE_FRAME = 4,
    REC_MAP_START = 5,
    REC_IMAGE = 6,
    REC_SEGMENT = 7,
    REC_POP = 8,
    REC_THREAD_NAME = 9,
    REC_MEMORY_SAMPLE = 10
};

/* Makes TID the current thread, for a record that begins at START. */
static enum pr_status on_thread(struct pr_decoder *d, uint64_t tid, const uint8_t *start, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    if (r->thread != PR_NO_ID && r->builder.threads.keys[r->thread] == tid)
        return PR_OK;
    if (!pr_memray_switch_thread(r, tid))
        return pr_memray_no_room(d->r, pr_decoder_offset(d, start), "record", "threads", err);
    return PR_OK;
}

static enum pr_status read_allocation(struct pr_decoder *d, const uint8_t *start, struct pr_error *err)
{
    static const char doing[] = "allocation record";
    uint64_t tid = pr_get_u64(d), address = pr_get_u64(d), size = pr_get_u64(d);
    uint32_t number = pr_get_u32(d);
    pr_get_u32(d); /* padding */
    uint64_t native = pr_get_u64(d);
    uint8_t allocator = pr_memray_allocator(d->r->header.version, number);
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, doing, err);
    if (allocator == PR_ALLOC_NONE)
        return pr_decoder_damaged(err, pr_decoder_offset(d, start), doing, "an allocator that does not exist");
    enum pr_status status = on_thread(d, tid, start, err);
    return status == PR_OK ? pr_decoder_event(d, allocator, address, size, native, err) : status;
}

static enum pr_status read_definition(struct pr_memray *r, uint64_t offset, struct pr_error *err)
{
    struct pr_scan scan = pr_scan_begin(r->src, "frame record", err);
    scan.record_offset = offset;
    uint64_t id = pr_scan_u64(&scan);
    pr_str function = pr_scan_string(&scan, &r->profile->strings, r->options->limits.max_string_bytes);
    pr_str file = pr_scan_string(&scan, &r->profile->strings, r->options->limits.max_string_bytes);
    int32_t line = (int32_t)pr_scan_u32(&scan);
    if (scan.failed)
        return pr_scan_status(&scan);
    pr_frame_id frame = pr_stacks_frame(&r->builder, function, file, line, PR_FRAME_PYTHON);
    if (frame == PR_NO_ID)
        return pr_memray_no_room(r, offset, "frame record", "frames", err);
    r->records.frames++;
    return pr_memray_frames_add(&r->frames, id, (struct pr_memray_frame){frame, true}, err);
}

static enum pr_status read_push(struct pr_decoder *d, const uint8_t *start, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    uint64_t id = pr_get_u64(d), tid = pr_get_u64(d);
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, "frame push record", err);
    enum pr_status status = on_thread(d, tid, start, err);
    return status == PR_OK ? pr_decoder_push(d, pr_memray_frame_node(r, pr_decoder_top(r), id), start, err) : status;
}

static enum pr_status read_pop(struct pr_decoder *d, const uint8_t *start, struct pr_error *err)
{
    uint64_t tid = pr_get_u64(d), count = pr_get_u64(d) & 0xff; /* a byte and seven of padding */
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, "frame pop record", err);
    enum pr_status status = on_thread(d, tid, start, err);
    return status == PR_OK ? pr_decoder_pop(d, count, start, err) : status;
}

static enum pr_status read_native_frame(struct pr_decoder *d, const uint8_t *start, struct pr_error *err)
{
    uint64_t ip = pr_get_u64(d);
    uint32_t parent = pr_get_u32(d);
    pr_get_u32(d); /* padding */
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, "native frame", err);
    return pr_memray_native_frame(d->r, ip, parent, pr_decoder_offset(d, start), err);
}

static bool scan_segment(struct pr_scan *scan, struct pr_elf_segment *segment)
{
    if (pr_scan_u32(scan) != REC_SEGMENT)
        return false;
    segment->address = pr_scan_u64(scan);
    segment->size_bytes = pr_scan_u64(scan);
    return true;
}

static enum pr_status read_image(struct pr_memray *r, uint64_t offset, struct pr_error *err)
{
    struct pr_scan scan = pr_scan_begin(r->src, "image record", err);
    scan.record_offset = offset;
    pr_str path = pr_scan_string(&scan, &r->profile->strings, r->options->limits.max_string_bytes);
    uint64_t count = pr_scan_u64(&scan), bias = pr_scan_u64(&scan);
    return pr_memray_read_segments(r, &scan, path, count, bias, scan_segment);
}

static enum pr_status read_thread_name(struct pr_memray *r, uint64_t offset, struct pr_error *err)
{
    struct pr_scan scan = pr_scan_begin(r->src, "thread name record", err);
    scan.record_offset = offset;
    uint64_t tid = pr_scan_u64(&scan);
    pr_str name = pr_scan_string(&scan, &r->profile->strings, r->options->limits.max_string_bytes);
    if (scan.failed)
        return pr_scan_status(&scan);
    return pr_memray_name_thread(r, tid, name) ? PR_OK : pr_fail_memory(err);
}

static enum pr_status read_sample(struct pr_decoder *d, const uint8_t *start, struct pr_error *err)
{
    uint64_t at_ms = pr_get_u64(d), rss = pr_get_u64(d);
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, "memory sample", err);
    d->r->records.samples++;
    if (!pr_memray_note_sample(d->r, pr_subtract_saturated((int64_t)at_ms, d->r->header.start_ms)))
        return pr_fail_memory(err);
    return pr_decoder_emit(d->r, PR_OP_SAMPLE, at_ms, rss, 0) ? PR_OK : pr_decoder_stopped(err);
}

static enum pr_status read_record(struct pr_decoder *d, struct pr_error *err)
{
    const uint8_t *start = d->at;
    uint32_t type = pr_get_u32(d);
    if (pr_decoder_broken(d)) { /* up to three zeros may be left at the end */
        uint8_t rest = 0;
        for (const uint8_t *at = start; at < d->tail_end; at++)
            rest |= *at;
        return rest ? pr_decoder_why_broken(d, start, "record", err)
                    : pr_decoder_ended(d, pr_decoder_offset(d, start), err);
    }
    switch (type) {
    case REC_FILLER:
        return PR_OK;
    case REC_ALLOCATION:
        return read_allocation(d, start, err);
    case REC_FRAME:
        return pr_decoder_long(d, read_definition, err);
    case REC_PUSH:
        return read_push(d, start, err);
    case REC_NATIVE_FRAME:
        return read_native_frame(d, start, err);
    case REC_MAP_START:
        return pr_memray_next_generation(d->r, err);
    case REC_IMAGE:
        return pr_decoder_long(d, read_image, err);
    case REC_POP:
        return read_pop(d, start, err);
    case REC_THREAD_NAME:
        return pr_decoder_long(d, read_thread_name, err);
    case REC_MEMORY_SAMPLE:
        return read_sample(d, start, err);
    default:
        return pr_cut(err, PR_ERR_DAMAGED, pr_decoder_offset(d, start), "record",
                      "record type %" PRIu32 " does not exist", type);
    }
}

enum pr_status pr_memray_produce_v6(void *producer, struct pr_belt *belt, struct pr_error *err)
{
    return pr_decoder_run(producer, belt, read_record, err);
}
