/* SPDX-License-Identifier: Apache-2.0 */
/* memray: threads, and the records with names or tables, which are alike in all forms of the file. */
#include "capture/base/checked.h"
#include "capture/memray/memray.h"
#include "capture/parse/binary_scan.h"

#include <inttypes.h>
#include <string.h>

enum { REC_SEGMENT = 8 };

enum pr_status pr_memray_no_room(const struct pr_memray *r, uint64_t offset, const char *doing, const char *what,
                                 struct pr_error *err)
{
    return pr_stacks_is_full(&r->builder) ? pr_cut(err, PR_ERR_LIMIT, offset, doing, "too many %s", what)
                                          : pr_fail_memory(err);
}

bool pr_memray_switch_thread(struct pr_memray *r, uint64_t tid)
{
    uint32_t index = pr_stacks_thread(&r->builder, tid);
    size_t known = r->thread_capacity;
    if (index == PR_NO_ID || !pr_grow(&r->threads, &r->thread_capacity, index + (size_t)1, sizeof *r->threads))
        return false;
    if (r->thread_capacity > known)
        memset(r->threads + known, 0, (r->thread_capacity - known) * sizeof *r->threads);
    r->thread = index;
    return true;
}

bool pr_memray_name_thread(struct pr_memray *r, uint64_t tid, pr_str name)
{
    uint32_t index = pr_stacks_thread(&r->builder, tid);
    if (index == PR_NO_ID)
        return false;
    r->builder.thread_name[index] = name;
    r->records.thread_names++;
    return true;
}

static struct pr_scan begin(struct pr_memray *r, uint64_t offset, const char *doing, struct pr_error *err)
{
    struct pr_scan scan = pr_scan_begin(r->src, doing, err);
    scan.record_offset = offset;
    return scan;
}

enum pr_status pr_memray_native_frame(struct pr_memray *r, uint64_t ip, uint64_t parent, uint64_t offset,
                                      struct pr_error *err)
{
    r->records.native_frames++;
    if (pr_native_add_frame(&r->native, ip, parent))
        return PR_OK;
    return pr_native_is_full(&r->native) ? pr_cut(err, PR_ERR_LIMIT, offset, "native frame", "too many native stacks")
                                         : pr_fail_memory(err);
}

enum pr_status pr_memray_next_generation(struct pr_memray *r, struct pr_error *err)
{
    if (r->native.ignored || r->generation >= PR_MAX_GENERATION)
        return PR_OK;
    r->generation++;
    return pr_native_add_generation(&r->native) ? PR_OK : pr_fail_memory(err);
}

enum pr_status pr_memray_read_segments(struct pr_memray *r, struct pr_scan *scan, pr_str path, uint64_t count,
                                       uint64_t bias, bool (*scan_segment)(struct pr_scan *, struct pr_elf_segment *))
{
    struct pr_elf_segment segment;
    if (!scan->failed && count > r->options->limits.max_table_bytes / sizeof segment)
        return pr_cut(scan->err, PR_ERR_LIMIT, scan->record_offset, scan->doing, "an image of %" PRIu64 " segments",
                      count);
    for (uint64_t i = 0; i < count && !scan->failed; i++) {
        if (!scan_segment(scan, &segment) && !scan->failed)
            return pr_cut(scan->err, PR_ERR_DAMAGED, scan->record_offset, scan->doing,
                          "segment %" PRIu64 " of %" PRIu64 " is missing", i + 1, count);
        if (!scan->failed && !pr_native_add_segment(&r->native, segment.address, segment.size_bytes))
            return pr_fail_memory(scan->err);
    }
    if (scan->failed)
        return pr_scan_status(scan);
    return pr_native_add_image(&r->native, path, bias) ? PR_OK : pr_fail_memory(scan->err);
}

static bool scan_segment(struct pr_scan *scan, struct pr_elf_segment *segment)
{
    if (pr_scan_u8(scan) != REC_SEGMENT)
        return false;
    segment->address = pr_scan_u64(scan);
    segment->size_bytes = pr_scan_uv(scan);
    return true;
}

enum pr_status pr_memray_read_image(struct pr_memray *r, uint64_t offset, struct pr_error *err)
{
    struct pr_scan scan = begin(r, offset, "image record", err);
    pr_str path = pr_scan_string(&scan, &r->profile->strings, r->options->limits.max_string_bytes);
    uint64_t count = pr_scan_uv(&scan), bias = pr_scan_u64(&scan);
    return pr_memray_read_segments(r, &scan, path, count, bias, scan_segment);
}

enum pr_status pr_memray_read_code(struct pr_memray *r, uint64_t offset, struct pr_error *err)
{
    struct pr_scan scan = begin(r, offset, "code object record", err);
    const struct pr_limits *limits = &r->options->limits;
    struct pr_memray_code code = {0};
    uint64_t id = pr_scan_uv(&scan);
    code.function = pr_scan_string(&scan, &r->profile->strings, limits->max_string_bytes);
    code.file = pr_scan_string(&scan, &r->profile->strings, limits->max_string_bytes);
    r->last_line += (uint64_t)pr_scan_sv(&scan);
    code.first_line = (int32_t)(uint32_t)r->last_line;
    uint64_t length = pr_scan_uv(&scan);
    const uint8_t *table = pr_scan_bytes(&scan, length, limits->max_table_bytes);
    if (scan.failed)
        return pr_scan_status(&scan);
    code.table_length = (uint32_t)length;
    code.table = (const uint8_t *)pr_arena_copy(&r->profile->arena, table, code.table_length);
    if (!code.table)
        return pr_fail_memory(err);
    r->records.frames++;
    return pr_memray_codes_add(&r->codes, &r->builder, id, &code, offset, err);
}

enum pr_status pr_memray_read_thread_name(struct pr_memray *r, uint64_t offset, struct pr_error *err)
{
    struct pr_scan scan = begin(r, offset, "thread name record", err);
    pr_str name = pr_scan_string(&scan, &r->profile->strings, r->options->limits.max_string_bytes);
    if (scan.failed)
        return pr_scan_status(&scan);
    if (r->thread == PR_NO_ID)
        return PR_OK; /* the name of no thread */
    if (!pr_memray_name_thread(r, r->builder.threads.keys[r->thread], name))
        return pr_fail_memory(err);
    return PR_OK;
}
