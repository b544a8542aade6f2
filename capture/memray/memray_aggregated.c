/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray, aggregated captures: totals by stack, written in groups at the program's exit.
 * Source: doc/formats/memray.md, "Aggregated".
 */
#include "capture/base/checked.h"
#include "capture/memray/memray.h"
#include "capture/parse/binary_scan.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    REC_SAMPLE = 1,
    REC_ALLOCATION = 2,
    REC_TRACE = 3,
    REC_FRAME = 4,
    REC_NATIVE_FRAME = 5,
    REC_MAP_START = 6,
    REC_IMAGE = 7,
    REC_THREAD_NAME = 10,
    REC_CONTEXT_SWITCH = 12,
    REC_OBJECT = 13,
    REC_CODE_OBJECT = 14,
    REC_TRAILER = 15
};

/* Stacks by their numbers in the file. */
struct aggregated {
    struct pr_memray *r;
    struct pr_memray_totals *totals;
    pr_node_id *nodes; /* [node_count] by trace index; 0 is the root */
    size_t node_count, node_capacity;
};

void pr_memray_totals_clear(struct pr_memray_totals *totals)
{
    free(totals->peak_bytes);
    free(totals->peak_count);
    free(totals->leaked_bytes);
    free(totals->leaked_count);
    pr_memory_samples_clear(&totals->samples);
    *totals = (struct pr_memray_totals){0};
}

static bool grow_column(int64_t **column, size_t old, size_t capacity)
{
    size_t has = old;
    if (!pr_grow(column, &has, capacity, sizeof **column))
        return false;
    for (size_t i = old; i < capacity; i++)
        (*column)[i] = 0;
    return true;
}

static bool grow_totals(struct pr_memray_totals *totals, size_t need)
{
    if (need <= totals->capacity)
        return true;
    size_t old = totals->capacity, capacity = old * 2 > need ? old * 2 : need + 256;
    if (!grow_column(&totals->peak_bytes, old, capacity) || !grow_column(&totals->peak_count, old, capacity) ||
        !grow_column(&totals->leaked_bytes, old, capacity) || !grow_column(&totals->leaked_count, old, capacity))
        return false;
    totals->capacity = capacity;
    return true;
}

static void add(struct aggregated *a, int64_t *sum, uint64_t value, uint64_t offset)
{
    const bool bounded = pr_add_bounded(sum, value > INT64_MAX ? INT64_MAX : (int64_t)value);
    pr_damage_add(&a->r->profile->damage, PR_DAMAGE_BOUNDED, bounded, offset);
}

static enum pr_status damaged(struct pr_scan *scan, const char *what, uint64_t number)
{
    return pr_cut(scan->err, PR_ERR_DAMAGED, scan->record_offset, scan->doing, "%s %" PRIu64 " does not exist", what,
                  number);
}

static enum pr_status read_sample(struct aggregated *a, struct pr_scan *scan)
{
    int64_t at_ms = (int64_t)pr_scan_u64(scan), rss = (int64_t)pr_scan_u64(scan), heap = (int64_t)pr_scan_u64(scan);
    if (scan->failed)
        return pr_scan_status(scan);
    a->r->records.samples++;
    return pr_memory_samples_add(&a->totals->samples, at_ms, rss, heap) ? PR_OK : pr_fail_memory(scan->err);
}

/* Versions 12 and 13: an instruction in a code object. Earlier ones: a place, by its names. */
static pr_frame_id scan_frame(struct aggregated *a, struct pr_scan *scan)
{
    struct pr_memray *r = a->r;
    if (r->header.version->has_code_objects) {
        uint64_t code = pr_scan_uv(scan);
        int64_t offset = pr_scan_sv(scan);
        return scan->failed ? PR_NO_ID : pr_memray_codes_frame(&r->codes, &r->builder, code, offset);
    }
    pr_str function = pr_scan_string(scan, &r->profile->strings, r->options->limits.max_string_bytes);
    pr_str file = pr_scan_string(scan, &r->profile->strings, r->options->limits.max_string_bytes);
    int32_t line = (int32_t)pr_scan_u32(scan);
    r->records.frames += !scan->failed;
    return scan->failed ? PR_NO_ID : pr_stacks_frame(&r->builder, function, file, line, PR_FRAME_PYTHON);
}

static enum pr_status read_frame(struct aggregated *a, struct pr_scan *scan)
{
    uint64_t id = a->r->header.version->has_code_objects ? pr_scan_uv(scan) : pr_scan_u64(scan);
    pr_frame_id frame = scan_frame(a, scan);
    bool entry = pr_scan_u8(scan) != 0;
    if (scan->failed)
        return pr_scan_status(scan);
    if (frame == PR_NO_ID)
        return pr_memray_no_room(a->r, scan->record_offset, scan->doing, "frames", scan->err);
    return pr_memray_frames_add(&a->r->frames, id, (struct pr_memray_frame){frame, entry}, scan->err);
}

static enum pr_status read_trace(struct aggregated *a, struct pr_scan *scan)
{
    bool packed = a->r->header.version->has_code_objects;
    uint64_t frame = packed ? pr_scan_uv(scan) : pr_scan_u64(scan),
             parent = packed ? pr_scan_uv(scan) : pr_scan_u32(scan);
    if (scan->failed)
        return pr_scan_status(scan);
    if (!pr_memray_frames_find(&a->r->frames, frame))
        return damaged(scan, "frame", frame);
    if (parent >= a->node_count)
        return damaged(scan, "stack", parent);
    pr_node_id node = pr_memray_frame_node(a->r, a->nodes[parent], frame);
    if (node == PR_NO_ID)
        return pr_memray_no_room(a->r, scan->record_offset, scan->doing, "different stacks", scan->err);
    if (!pr_grow(&a->nodes, &a->node_capacity, a->node_count + 1, sizeof *a->nodes))
        return pr_fail_memory(scan->err);
    a->nodes[a->node_count++] = node;
    return PR_OK;
}

static enum pr_status read_allocation(struct aggregated *a, struct pr_scan *scan)
{
    enum { PADDING_BYTES = 7 };
    struct pr_memray *r = a->r;
    uint64_t tid = pr_scan_u64(scan);
    uint8_t allocator = pr_memray_allocator(r->header.version, pr_scan_u8(scan));
    pr_scan_bytes(scan, PADDING_BYTES, PADDING_BYTES);
    uint64_t native = pr_scan_u64(scan), trace = pr_scan_u64(scan), generation = pr_scan_u64(scan);
    uint64_t peak_count = pr_scan_u64(scan), leaked_count = pr_scan_u64(scan);
    uint64_t peak_bytes = pr_scan_u64(scan), leaked_bytes = pr_scan_u64(scan);
    if (scan->failed)
        return pr_scan_status(scan);
    if (allocator == PR_ALLOC_NONE)
        return pr_cut(scan->err, PR_ERR_DAMAGED, scan->record_offset, scan->doing, "an allocator that does not exist");
    if (trace >= a->node_count)
        return damaged(scan, "stack", trace);
    uint32_t thread = pr_stacks_thread(&r->builder, tid);
    if (thread == PR_NO_ID)
        return pr_memray_no_room(a->r, scan->record_offset, scan->doing, "threads", scan->err);
    if (r->native.ignored || generation > PR_MAX_GENERATION)
        generation = 0;
    uint32_t fact = pr_stacks_fact(&r->builder, a->nodes[trace], thread, allocator, pr_native_kept(&r->native, native),
                                   (uint32_t)generation);
    if (fact == PR_NO_ID || !grow_totals(a->totals, fact + (size_t)1))
        return pr_fail_memory(scan->err);
    add(a, &a->totals->peak_bytes[fact], peak_bytes, scan->record_offset);
    add(a, &a->totals->peak_count[fact], peak_count, scan->record_offset);
    add(a, &a->totals->leaked_bytes[fact], leaked_bytes, scan->record_offset);
    add(a, &a->totals->leaked_count[fact], leaked_count, scan->record_offset);
    r->records.allocations++;
    return PR_OK;
}

static enum pr_status read_native_frame(struct aggregated *a, struct pr_scan *scan)
{
    struct pr_memray *r = a->r;
    r->last_ip += (uint64_t)pr_scan_sv(scan);
    r->last_native += (uint64_t)pr_scan_sv(scan);
    if (scan->failed)
        return pr_scan_status(scan);
    return pr_memray_native_frame(r, r->last_ip, r->last_native, scan->record_offset, scan->err);
}

static enum pr_status read_object(struct aggregated *a, struct pr_scan *scan)
{
    pr_scan_uv(scan); /* address */
    if (a->r->header.native_traces)
        pr_scan_uv(scan);
    a->r->records.objects += !scan->failed;
    return pr_scan_status(scan);
}

static enum pr_status read_switch(struct aggregated *a, struct pr_scan *scan)
{
    uint64_t tid = pr_scan_u64(scan);
    if (scan->failed)
        return pr_scan_status(scan);
    return pr_memray_switch_thread(a->r, tid) ? PR_OK : pr_fail_memory(scan->err);
}

static enum pr_status read_record(struct aggregated *a, struct pr_error *err)
{
    struct pr_scan scan = pr_scan_begin(a->r->src, "record", err);
    if (!pr_source_need(a->r->src, 1)) {
        pr_scan_cut(&scan);
        return pr_scan_status(&scan);
    }
    unsigned type = pr_scan_u8(&scan);
    switch (type) {
    case REC_TRAILER:
        return PR_END;
    case REC_SAMPLE:
        scan.doing = "memory sample";
        return read_sample(a, &scan);
    case REC_ALLOCATION:
        scan.doing = "allocation record";
        return read_allocation(a, &scan);
    case REC_TRACE:
        scan.doing = "stack record";
        return read_trace(a, &scan);
    case REC_FRAME:
        scan.doing = "frame record";
        return read_frame(a, &scan);
    case REC_NATIVE_FRAME:
        scan.doing = "native frame";
        return read_native_frame(a, &scan);
    case REC_MAP_START:
        return pr_memray_next_generation(a->r, err);
    case REC_IMAGE:
        return pr_memray_read_image(a->r, scan.record_offset, err);
    case REC_THREAD_NAME:
        return pr_memray_read_thread_name(a->r, scan.record_offset, err);
    case REC_CONTEXT_SWITCH:
        scan.doing = "context switch";
        return read_switch(a, &scan);
    case REC_OBJECT:
        scan.doing = "object record";
        return read_object(a, &scan);
    case REC_CODE_OBJECT:
        return pr_memray_read_code(a->r, scan.record_offset, err);
    default:
        return pr_cut(err, PR_ERR_DAMAGED, scan.record_offset, "record", "record type %u does not exist", type);
    }
}

enum pr_status pr_memray_read_aggregated(struct pr_memray *r, struct pr_memray_totals *totals, struct pr_error *err)
{
    enum { RECORDS_A_REPORT = 4096 };
    struct aggregated a = {.r = r, .totals = totals};
    enum pr_status status = PR_FAILED;
    if (!pr_grow(&a.nodes, &a.node_capacity, 1, sizeof *a.nodes)) {
        pr_fail_memory(err);
    } else {
        a.nodes[a.node_count++] = PR_ROOT;
        for (uint64_t n = 1; (status = read_record(&a, err)) == PR_OK; n++) {
            uint64_t done, size;
            pr_source_progress(r->src, &done, &size);
            if (n % RECORDS_A_REPORT == 0 && r->options->progress &&
                !r->options->progress(r->options->progress_context, done, size)) {
                status = pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "interrupted");
                break;
            }
        }
    }
    if (status != PR_FAILED && !grow_totals(totals, r->builder.facts.count))
        status = pr_fail_memory(err);
    free(a.nodes);
    return status;
}
