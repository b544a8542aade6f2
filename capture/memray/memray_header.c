/* SPDX-License-Identifier: Apache-2.0 */
/* memray: magic and header. Source: doc/formats/memray.md, "Header". */
#include "capture/base/checked.h"
#include "capture/memray/memray.h"
#include "capture/parse/binary_scan.h"

#include <string.h>

static const char magic[7] = {'m', 'e', 'm', 'r', 'a', 'y', '\0'};

enum { PYTHON_3_13 = 0x030D, MAX_PATHS = 4096 };

bool pr_memray_has_magic(struct pr_source *src)
{
    return pr_source_need(src, sizeof magic) && !memcmp(src->at, magic, sizeof magic);
}

static const char *python_allocator_name(uint32_t number)
{
    static const char *const names[] = {"",      "pymalloc", "pymalloc debug", "malloc",
                                        "other", "mimalloc", "mimalloc debug"};
    return number < sizeof names / sizeof *names ? names[number] : "";
}

/* NUL-terminated strings up to an empty one. */
static void read_list(struct pr_scan *scan, const struct pr_limits *limits, struct pr_profile *profile,
                      const pr_str **list, uint32_t *count)
{
    pr_str *found = NULL;
    size_t capacity = 0;
    uint32_t length = 0;
    for (;;) {
        pr_str string = pr_scan_string(scan, &profile->strings, limits->max_string_bytes);
        if (scan->failed || !string)
            break;
        if (length == MAX_PATHS) {
            pr_fail(scan->err, PR_ERR_LIMIT, scan->record_offset, scan->doing, "more than %d search paths", MAX_PATHS);
            scan->failed = true;
            break;
        }
        if (!pr_grow(&found, &capacity, length + (size_t)1, sizeof *found)) {
            pr_fail_memory(scan->err);
            scan->failed = true;
            break;
        }
        found[length++] = string;
    }
    if (!pr_arena_take(&profile->arena, found)) {
        pr_fail_memory(scan->err);
        scan->failed = true;
        return;
    }
    *list = found;
    *count = length;
}

static const struct pr_memray_version *read_version(struct pr_scan *scan, struct pr_error *err)
{
    const uint8_t *found = pr_scan_bytes(scan, sizeof magic, sizeof magic);
    int32_t number = (int32_t)pr_scan_u32(scan);
    if (!found || scan->failed)
        return NULL;
    if (memcmp(found, magic, sizeof magic) != 0) {
        pr_fail(err, PR_ERR_DAMAGED, 0, "memray header",
                "this is not a memray capture: it does not begin with `memray`");
        return NULL;
    }
    const struct pr_memray_version *version = pr_memray_version_find(number);
    if (!version) {
        int lowest, highest;
        pr_memray_version_range(&lowest, &highest);
        pr_fail(err, PR_ERR_UNSUPPORTED, sizeof magic, "memray header", "header version %d; this build reads %d to %d",
                number, lowest, highest);
    }
    return version;
}

static bool is_time(uint64_t ms)
{
    return ms >= UINT64_C(946684800000) && ms < UINT64_C(4102444800000); /* 2000 to 2100 */
}

/*
 * A 32-bit process writes counts, addresses and ids of threads in 4 bytes: where other captures have the number of
 * frames, it has the start, then the end. No file has a trillion frames.
 */
static bool is_of_32_bits(uint64_t frames, uint64_t start_ms)
{
    return is_time(frames) && is_time(start_ms);
}

enum pr_status pr_memray_read_header(struct pr_source *src, const struct pr_limits *limits, struct pr_profile *profile,
                                     struct pr_memray_header *header, struct pr_error *err)
{
    struct pr_scan scan = pr_scan_begin(src, "memray header", err);
    struct pr_meta *meta = &profile->meta;
    const struct pr_memray_version *version = read_version(&scan, err);
    if (!version)
        return PR_FAILED;

    header->version = version;
    meta->format_version = version->version;
    if (version->has_python_version)
        meta->python_version = (int)pr_scan_u32(&scan);
    header->native_traces = meta->has_native_traces = pr_scan_u8(&scan) != 0;
    uint8_t file_format = version->has_file_format ? pr_scan_u8(&scan) : 0;
    uint64_t allocations = pr_scan_u64(&scan), frames = pr_scan_u64(&scan);
    header->start_ms = (int64_t)pr_scan_u64(&scan);
    if (!scan.failed && is_of_32_bits(frames, (uint64_t)header->start_ms))
        return pr_fail(err, PR_ERR_UNSUPPORTED, sizeof magic, "memray header",
                       "a 32-bit process wrote this capture; only those of 64-bit processes are read");
    header->end_ms = (int64_t)pr_scan_u64(&scan);
    meta->command_line = pr_scan_string(&scan, &profile->strings, limits->max_string_bytes);
    meta->pid = (struct pr_maybe){true, (int32_t)pr_scan_u32(&scan)};
    if (version->has_main_thread) {
        header->main_tid = meta->main_tid = pr_scan_u64(&scan);
        header->skipped_frames = meta->skipped_frames = pr_scan_u64(&scan);
    }
    uint32_t allocator = version->wide_python_allocator ? pr_scan_u32(&scan) : pr_scan_u8(&scan);
    meta->python_allocator = python_allocator_name(allocator);
    if (version->has_trace_python)
        meta->trace_python_allocators = pr_scan_u8(&scan) != 0;
    if (version->has_object_lifetimes)
        meta->track_object_lifetimes = pr_scan_u8(&scan) != 0;
    if (version->has_paths) {
        meta->stdlib_path = pr_scan_string(&scan, &profile->strings, limits->max_string_bytes);
        read_list(&scan, limits, profile, &meta->site_packages, &meta->site_packages_count);
        read_list(&scan, limits, profile, &meta->sys_path, &meta->sys_path_count);
    }
    if (scan.failed)
        return PR_FAILED;
    if (file_format > 1)
        return pr_fail(err, PR_ERR_DAMAGED, scan.record_offset, scan.doing, "file format %d, only 0 and 1 exist",
                       file_format);

    header->aggregated = meta->aggregated = file_format == 1;
    header->finished = allocations || frames;
    header->written_records = allocations;
    meta->written_frames = frames;
    meta->python_unverified = meta->python_version >> 16 > PYTHON_3_13;
    meta->start_ms = (struct pr_maybe){true, header->start_ms};
    meta->end_ms = (struct pr_maybe){true, header->end_ms};
    return PR_OK;
}
