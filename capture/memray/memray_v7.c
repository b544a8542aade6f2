/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray 7 to 11, all allocations: type in the low nibble, flags in the high one.
 * Source: doc/formats/memray.md, "Versions 7 to 11".
 */
#include "capture/memray/memray_decoder.h"
#include "capture/parse/binary_scan.h"

enum {
    REC_FILLER = 0,
    REC_ALLOCATION = 1,
    REC_ALLOCATION_NATIVE = 2,
    REC_FRAME = 3,
    REC_PUSH = 4,
    REC_NATIVE_FRAME = 5,
    REC_MAP_START = 6,
    REC_IMAGE = 7,
    REC_POP = 9,
    REC_THREAD_NAME = 10,
    REC_MEMORY_SAMPLE = 11,
    REC_CONTEXT_SWITCH = 12
};

enum { FLAG_TRAILER = 1, FLAG_NO_ENTRY = 1 };

static enum pr_status read_allocation(struct pr_decoder *d, unsigned number, bool has_native, struct pr_error *err)
{
    static const char doing[] = "allocation record";
    struct pr_memray *r = d->r;
    const struct pr_memray_version *version = r->header.version;
    const uint8_t *start = d->at - 1;
    uint8_t allocator = pr_memray_allocator(version, number);
    uint64_t address = pr_get_delta(d, &r->last_pointer);
    uint64_t size = pr_allocator_is_simple_free(allocator) ? 0 : pr_get_uv(d);
    uint64_t native = has_native ? pr_get_delta(d, &r->last_native) : 0;
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, doing, err);
    if (allocator == PR_ALLOC_NONE)
        return pr_decoder_damaged(err, pr_decoder_offset(d, start), doing, "an allocator that does not exist");
    if (r->thread == PR_NO_ID)
        return pr_decoder_damaged(err, pr_decoder_offset(d, start), doing, "no thread was named before it");
    if (version->has_trailer && !d->at[-1] && !*d->at && !d->in_tail && pr_decoder_only_padding_follows(d))
        return pr_decoder_ended(d, d->padding_offset, err); /* as in version 12: its zeros may be padding */
    enum pr_status status = pr_decoder_event(d, allocator, address, size, native, err);
    return status == PR_OK && d->at_padding ? pr_decoder_zeros_inside(d, err) : status;
}

static enum pr_status read_definition(struct pr_memray *r, uint64_t offset, bool entry, struct pr_error *err)
{
    struct pr_scan scan = pr_scan_begin(r->src, "frame record", err);
    scan.record_offset = offset;
    r->last_frame += (uint64_t)pr_scan_sv(&scan);
    pr_str function = pr_scan_string(&scan, &r->profile->strings, r->options->limits.max_string_bytes);
    pr_str file = pr_scan_string(&scan, &r->profile->strings, r->options->limits.max_string_bytes);
    r->last_line += (uint64_t)pr_scan_sv(&scan);
    if (scan.failed)
        return pr_scan_status(&scan);
    pr_frame_id frame = pr_stacks_frame(&r->builder, function, file, (int32_t)(uint32_t)r->last_line, PR_FRAME_PYTHON);
    if (frame == PR_NO_ID)
        return pr_memray_no_room(r, offset, "frame record", "frames", err);
    r->records.frames++;
    return pr_memray_frames_add(&r->frames, r->last_frame, (struct pr_memray_frame){frame, entry}, err);
}

static enum pr_status read_entry_frame(struct pr_memray *r, uint64_t offset, struct pr_error *err)
{
    return read_definition(r, offset, true, err);
}

static enum pr_status read_inner_frame(struct pr_memray *r, uint64_t offset, struct pr_error *err)
{
    return read_definition(r, offset, false, err);
}

static enum pr_status read_push(struct pr_decoder *d, struct pr_error *err)
{
    struct pr_memray *r = d->r;
    const uint8_t *start = d->at - 1;
    uint64_t id = pr_get_delta(d, &r->last_frame);
    if (pr_decoder_broken(d))
        return pr_decoder_why_broken(d, start, "frame push record", err);
    if (r->thread == PR_NO_ID)
        return pr_decoder_damaged(err, pr_decoder_offset(d, start), "frame push record",
                                  "no thread was named before it");
    return pr_decoder_push(d, pr_memray_frame_node(r, pr_decoder_top(r), id), start, err);
}

static enum pr_status read_filler(struct pr_decoder *d, unsigned flags, struct pr_error *err)
{
    if (!d->r->header.version->has_trailer) /* a byte that means nothing */
        return PR_OK;
    if (flags == FLAG_TRAILER)
        return PR_END;
    if (flags)
        return pr_decoder_damaged(err, pr_decoder_offset(d, d->at - 1), "record", "an end mark with unknown flags");
    d->at--;
    return pr_decoder_only_padding_follows(d) ? pr_decoder_ended(d, d->padding_offset, err)
                                              : pr_decoder_zeros_inside(d, err);
}

static enum pr_status read_record(struct pr_decoder *d, struct pr_error *err)
{
    unsigned byte = *d->at++, flags = byte >> 4, type = byte & 15;
    switch (type) {
    case REC_FILLER:
        return read_filler(d, flags, err);
    case REC_ALLOCATION:
    case REC_ALLOCATION_NATIVE:
        return read_allocation(d, flags, type == REC_ALLOCATION_NATIVE, err);
    case REC_FRAME:
        return pr_decoder_long(d, flags & FLAG_NO_ENTRY ? read_inner_frame : read_entry_frame, err);
    case REC_PUSH:
        return read_push(d, err);
    case REC_NATIVE_FRAME:
        return pr_decoder_native_frame(d, err);
    case REC_MAP_START:
        return pr_memray_next_generation(d->r, err);
    case REC_IMAGE:
        return pr_decoder_long(d, pr_memray_read_image, err);
    case REC_POP:
        return pr_decoder_pop(d, flags + 1, d->at - 1, err);
    case REC_THREAD_NAME:
        return pr_decoder_long(d, pr_memray_read_thread_name, err);
    case REC_MEMORY_SAMPLE:
        return pr_decoder_sample(d, err);
    case REC_CONTEXT_SWITCH:
        return pr_decoder_switch(d, err);
    default:
        return pr_cut(err, PR_ERR_DAMAGED, pr_decoder_offset(d, d->at - 1), "record", "record type %u does not exist",
                      type);
    }
}

enum pr_status pr_memray_produce_v7(void *producer, struct pr_belt *belt, struct pr_error *err)
{
    return pr_decoder_run(producer, belt, read_record, err);
}
