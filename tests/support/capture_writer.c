/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writing half of memray's format, from doc/formats/memray.md alone: it shares nothing with the reader but the
 * numbers of allocators.
 */
#include "tests/support/capture_writer.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_V6 = 6, CODE_OBJECTS = 12 }; /* header versions: fixed structs only; code objects from here on */

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

static void add(struct capture *capture, const void *bytes, size_t length)
{
    pr_buf_add(&capture->out, bytes, length);
    if (capture->out.failed)
        abort();
}

static void little_endian(struct capture *capture, uint64_t value, unsigned length)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < length; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    add(capture, bytes, length);
}

void capture_u8(struct capture *capture, unsigned value)
{
    little_endian(capture, value, 1);
}

void capture_u32(struct capture *capture, uint32_t value)
{
    little_endian(capture, value, 4);
}

void capture_u64(struct capture *capture, uint64_t value)
{
    little_endian(capture, value, 8);
}

void capture_uv(struct capture *capture, uint64_t value)
{
    uint8_t bytes[10];
    size_t length = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[length++] = (uint8_t)(value | 0x80);
    bytes[length++] = (uint8_t)value;
    add(capture, bytes, length);
}

void capture_sv(struct capture *capture, int64_t value)
{
    capture_uv(capture, (uint64_t)value << 1 ^ (0 - ((uint64_t)value >> 63)));
}

void capture_text(struct capture *capture, const char *text)
{
    add(capture, text, strlen(text) + 1);
}

static void delta(struct capture *capture, uint64_t *variable, uint64_t value)
{
    capture_sv(capture, (int64_t)(value - *variable));
    *variable = value;
}

static bool has_codes(const struct capture *capture)
{
    return capture->head.version >= CODE_OBJECTS;
}

/* The type of a record without flags: four bytes in version 6. */
static void type(struct capture *capture, unsigned v6, unsigned v7, unsigned v12)
{
    if (capture->head.version <= WORDS_V6)
        capture_u32(capture, v6);
    else
        capture_u8(capture, has_codes(capture) || capture->head.aggregated ? v12 : v7);
}

/* ---- header and end --------------------------------------------------------------------------------------------- */

static void list(struct capture *capture, const char *const *texts)
{
    for (; texts && *texts; texts++)
        capture_text(capture, *texts);
    capture_u8(capture, 0);
}

void capture_begin(struct capture *capture, const struct capture_head *head)
{
    enum { PYMALLOC = 1, PYTHON_3_12_1 = 0x030C01F0 };
    *capture = (struct capture){.head = *head};
    if (!capture->head.python_version)
        capture->head.python_version = PYTHON_3_12_1;
    const int version = head->version;
    add(capture, "memray", 7);
    capture_u32(capture, (uint32_t)version);
    if (version >= 12)
        capture_u32(capture, (uint32_t)capture->head.python_version);
    capture_u8(capture, head->native_traces);
    if (version >= 10)
        capture_u8(capture, head->aggregated);
    capture->counts_at = capture->out.length;
    capture_u64(capture, 0); /* allocations */
    capture_u64(capture, 0); /* frames */
    capture_u64(capture, (uint64_t)CAPTURE_START_MS);
    capture_u64(capture, (uint64_t)CAPTURE_START_MS);
    capture_text(capture, head->command_line ? head->command_line : "app.py");
    capture_u32(capture, 4321); /* pid */
    if (version >= 9) {
        capture_u64(capture, head->main_tid);
        capture_u64(capture, head->skipped_frames);
    }
    if (version >= 8)
        capture_u8(capture, PYMALLOC);
    else
        capture_u32(capture, PYMALLOC);
    if (version >= 11)
        capture_u8(capture, 0); /* Python allocators are not traced */
    if (version >= 12)
        capture_u8(capture, head->object_lifetimes);
    if (version >= 13) {
        capture_text(capture, head->stdlib_path ? head->stdlib_path : "");
        list(capture, head->site_packages);
        list(capture, head->sys_path);
    }
}

void capture_end(struct capture *capture)
{
    enum { TRAILER_V8 = 0x10, TRAILER_V12 = 1, TRAILER_AGGREGATED = 15 };
    if (capture->head.aggregated)
        capture_u8(capture, TRAILER_AGGREGATED);
    else if (capture->head.version >= 8)
        capture_u8(capture, has_codes(capture) ? TRAILER_V12 : TRAILER_V8);
    const uint64_t counts[4] = {capture->events, has_codes(capture) ? 0 : capture->frames, (uint64_t)CAPTURE_START_MS,
                                (uint64_t)CAPTURE_START_MS + capture->last_ms};
    for (unsigned i = 0; i < sizeof counts; i++)
        capture->out.bytes[capture->counts_at + i] = (char)(counts[i / 8] >> i % 8 * 8);
}

void capture_clear(struct capture *capture)
{
    pr_buf_clear(&capture->out);
    *capture = (struct capture){0};
}

/* ---- threads and stacks ----------------------------------------------------------------------------------------- */

void capture_thread(struct capture *capture, uint64_t tid)
{
    if (capture->has_thread && capture->tid == tid)
        return;
    capture->tid = tid;
    capture->has_thread = true;
    if (capture->head.version <= WORDS_V6)
        return; /* each record has it */
    capture_u8(capture, 12);
    capture_u64(capture, tid);
}

void capture_thread_name(struct capture *capture, const char *name)
{
    type(capture, 9, 10, 10);
    if (capture->head.version <= WORDS_V6)
        capture_u64(capture, capture->tid);
    capture_text(capture, name);
}

void capture_code(struct capture *capture, uint64_t id, const char *function, const char *file, int32_t first_line,
                  const void *table, size_t table_bytes)
{
    capture_u8(capture, 14);
    capture_uv(capture, id);
    capture_text(capture, function);
    capture_text(capture, file);
    /* The difference of two lines is one of 32 bits. */
    capture_sv(capture, (int32_t)((uint32_t)first_line - (uint32_t)capture->last_line));
    capture->last_line = (uint32_t)first_line;
    capture_uv(capture, table_bytes);
    add(capture, table, table_bytes);
}

/* A table that gives the first instruction the first line. */
static void one_line_code(struct capture *capture, uint64_t id, const char *function, const char *file, int32_t line)
{
    static const uint8_t pair[] = {254, 0}; /* up to CPython 3.10: 254 bytes of code, no change of line */
    static const uint8_t entry[] = {0x80 | 10 << 3 | 7, 0, 0}; /* from 3.11: 8 code units, same line, columns 0 to 0 */
    const bool pairs = capture->head.python_version < 0x030B0000;
    capture_code(capture, id, function, file, line, pairs ? pair : entry, pairs ? sizeof pair : sizeof entry);
}

/* Aggregated captures have frames of their own; from version 12 on they name a code object. */
static void aggregated_frame(struct capture *capture, uint64_t id, const char *function, const char *file, int32_t line)
{
    enum { FRAME = 4 };
    if (has_codes(capture)) {
        one_line_code(capture, id, function, file, line);
        capture_u8(capture, FRAME);
        capture_uv(capture, id);
        capture_uv(capture, id);
        capture_sv(capture, 0);
    } else {
        capture_u8(capture, FRAME);
        capture_u64(capture, id);
        capture_text(capture, function);
        capture_text(capture, file);
        capture_u32(capture, (uint32_t)line);
    }
    capture_u8(capture, 1);
}

uint64_t capture_frame(struct capture *capture, const char *function, const char *file, int32_t line)
{
    uint64_t id = capture->frames++;
    if (capture->head.aggregated) {
        aggregated_frame(capture, id, function, file, line);
    } else if (has_codes(capture)) {
        one_line_code(capture, id, function, file, line);
    } else if (capture->head.version <= WORDS_V6) {
        capture_u32(capture, 2);
        capture_u64(capture, id);
        capture_text(capture, function);
        capture_text(capture, file);
        capture_u32(capture, (uint32_t)line);
    } else {
        capture_u8(capture, 3);
        delta(capture, &capture->last_frame, id);
        capture_text(capture, function);
        capture_text(capture, file);
        capture_sv(capture, (int32_t)((uint32_t)line - (uint32_t)capture->last_line));
        capture->last_line = (uint32_t)line;
    }
    return id;
}

void capture_push_at(struct capture *capture, uint64_t code, int64_t instruction, bool entry)
{
    capture_u8(capture, 0x40u | entry);
    capture_uv(capture, code);
    capture_sv(capture, instruction);
}

void capture_push(struct capture *capture, uint64_t frame)
{
    if (has_codes(capture)) {
        capture_push_at(capture, frame, 0, true);
    } else if (capture->head.version <= WORDS_V6) {
        capture_u32(capture, 3);
        capture_u64(capture, frame);
        capture_u64(capture, capture->tid);
    } else {
        capture_u8(capture, 4);
        delta(capture, &capture->last_frame, frame);
    }
}

void capture_pop(struct capture *capture, uint64_t count)
{
    const bool words = capture->head.version <= WORDS_V6;
    while (count) {
        uint64_t now = words ? 255 : 16;
        now = count < now ? count : now;
        count -= now;
        if (words) {
            capture_u32(capture, 8);
            capture_u64(capture, capture->tid);
            capture_u64(capture, now);
        } else {
            capture_u8(capture, has_codes(capture) ? (unsigned)(0x10 | (now - 1)) : (unsigned)((now - 1) << 4 | 9));
        }
    }
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static unsigned number_v7(enum pr_allocator allocator)
{
    static const uint8_t numbers[PR_ALLOC_COUNT] = {
        [PR_ALLOC_PYMALLOC_FREE] = 15, [PR_ALLOC_PYMALLOC_MALLOC] = 12, [PR_ALLOC_PYMALLOC_CALLOC] = 13,
        [PR_ALLOC_PYMALLOC_REALLOC] = 14, [PR_ALLOC_FREE] = 2, [PR_ALLOC_MALLOC] = 1, [PR_ALLOC_REALLOC] = 4,
        [PR_ALLOC_CALLOC] = 3, [PR_ALLOC_POSIX_MEMALIGN] = 5, [PR_ALLOC_ALIGNED_ALLOC] = 6, [PR_ALLOC_MEMALIGN] = 7,
        [PR_ALLOC_VALLOC] = 8, [PR_ALLOC_PVALLOC] = 9, [PR_ALLOC_MMAP] = 10, [PR_ALLOC_MUNMAP] = 11,
    };
    return numbers[allocator];
}

static unsigned number_v6(enum pr_allocator allocator)
{
    unsigned number = number_v7(allocator);
    return number > 6 ? number - 1 : number; /* it has no ALIGNED_ALLOC */
}

/* The bits of a type byte that give the address's place in the list of recent ones; a new one follows the byte. */
static unsigned find_pointer(struct capture *capture, uint64_t address)
{
    unsigned slot = 0;
    while (slot < CAPTURE_RECENT && capture->recent[slot] != address)
        slot++;
    if (slot == CAPTURE_RECENT) {
        memmove(&capture->recent[1], &capture->recent[0], sizeof capture->recent - sizeof *capture->recent);
        capture->recent[0] = address;
    }
    return slot;
}

static void put_pointer(struct capture *capture, unsigned slot, uint64_t address)
{
    if (slot == CAPTURE_RECENT)
        delta(capture, &capture->last_pointer, address >> 3);
}

static void event_v12(struct capture *capture, enum pr_allocator allocator, uint64_t address, uint64_t size,
                      uint64_t native)
{
    address &= ~UINT64_C(7);
    unsigned slot = find_pointer(capture, address);
    capture_u8(capture, 0x80 | slot << 3 | (allocator < 8 ? allocator : 0));
    put_pointer(capture, slot, address);
    if (allocator >= 8)
        capture_u8(capture, allocator);
    if (allocator == PR_ALLOC_FREE || allocator == PR_ALLOC_PYMALLOC_FREE)
        return;
    if (capture->head.native_traces)
        delta(capture, &capture->last_native, allocator == PR_ALLOC_MUNMAP ? 0 : native);
    capture_uv(capture, size);
}

static void event_v7(struct capture *capture, enum pr_allocator allocator, uint64_t address, uint64_t size,
                     uint64_t native)
{
    enum { PLAIN = 1, NATIVE = 2 };
    const bool frees = allocator == PR_ALLOC_FREE || allocator == PR_ALLOC_PYMALLOC_FREE;
    const bool has_native = capture->head.native_traces && !frees && allocator != PR_ALLOC_MUNMAP;
    capture_u8(capture, number_v7(allocator) << 4 | (has_native ? NATIVE : PLAIN));
    delta(capture, &capture->last_pointer, address);
    if (!frees)
        capture_uv(capture, size);
    if (has_native)
        delta(capture, &capture->last_native, native);
}

void capture_event(struct capture *capture, enum pr_allocator allocator, uint64_t address, uint64_t size,
                   uint64_t native)
{
    capture->events++;
    if (has_codes(capture)) {
        event_v12(capture, allocator, address, size, native);
    } else if (capture->head.version <= WORDS_V6) {
        capture_u32(capture, 1);
        capture_u64(capture, capture->tid);
        capture_u64(capture, address);
        capture_u64(capture, size);
        capture_u32(capture, number_v6(allocator));
        capture_u32(capture, 0xDEADBEEF); /* padding: arbitrary bytes */
        capture_u64(capture, capture->head.native_traces ? native : 0);
    } else {
        event_v7(capture, allocator, address, size, native);
    }
}

void capture_sample(struct capture *capture, uint64_t ms_after_start, uint64_t rss_bytes)
{
    capture->last_ms = ms_after_start;
    type(capture, 10, 11, 2);
    if (capture->head.version <= WORDS_V6) {
        capture_u64(capture, (uint64_t)CAPTURE_START_MS + ms_after_start);
        capture_u64(capture, rss_bytes);
    } else {
        capture_uv(capture, rss_bytes);
        capture_uv(capture, ms_after_start);
    }
}

void capture_object(struct capture *capture, uint64_t address, bool created, uint64_t native)
{
    address &= ~UINT64_C(7);
    if (capture->head.aggregated) { /* only those that survive */
        capture_u8(capture, 13);
        capture_uv(capture, address >> 3);
        if (capture->head.native_traces)
            capture_uv(capture, native);
        return;
    }
    unsigned slot = find_pointer(capture, address);
    capture_u8(capture, 0x20 | slot << 1 | created);
    put_pointer(capture, slot, address);
    if (capture->head.native_traces && created)
        delta(capture, &capture->last_native, native);
}

/* ---- native code ------------------------------------------------------------------------------------------------ */

void capture_native_frame(struct capture *capture, uint64_t instruction, uint64_t parent)
{
    type(capture, 4, 5, 5);
    if (capture->head.version <= WORDS_V6) {
        capture_u64(capture, instruction);
        capture_u32(capture, (uint32_t)parent);
        capture_u32(capture, 0xDEADBEEF); /* padding */
    } else {
        delta(capture, &capture->last_instruction, instruction);
        delta(capture, &capture->last_native, parent);
    }
}

void capture_map_start(struct capture *capture)
{
    type(capture, 5, 6, 6);
}

void capture_image(struct capture *capture, const char *file, uint64_t bias, const struct capture_segment *segments,
                   size_t count)
{
    const bool words = capture->head.version <= WORDS_V6;
    type(capture, 6, 7, 7);
    capture_text(capture, file);
    if (words)
        capture_u64(capture, count);
    else
        capture_uv(capture, count);
    capture_u64(capture, bias);
    for (size_t i = 0; i < count; i++) {
        type(capture, 7, 8, 8);
        capture_u64(capture, segments[i].address);
        if (words)
            capture_u64(capture, segments[i].size);
        else
            capture_uv(capture, segments[i].size);
    }
}

/* ---- aggregated captures ---------------------------------------------------------------------------------------- */

void capture_stack(struct capture *capture, uint64_t frame, uint64_t parent)
{
    capture_u8(capture, 3);
    if (has_codes(capture)) {
        capture_uv(capture, frame);
        capture_uv(capture, parent);
    } else {
        capture_u64(capture, frame);
        capture_u32(capture, (uint32_t)parent);
    }
}

void capture_total_sample(struct capture *capture, uint64_t ms_after_start, uint64_t rss_bytes, uint64_t heap_bytes)
{
    capture->last_ms = ms_after_start;
    capture_u8(capture, 1);
    capture_u64(capture, (uint64_t)CAPTURE_START_MS + ms_after_start);
    capture_u64(capture, rss_bytes);
    capture_u64(capture, heap_bytes);
}

void capture_row(struct capture *capture, const struct capture_row *row)
{
    static const char padding[7] = "garbage";
    capture_u8(capture, 2);
    capture_u64(capture, row->tid);
    capture_u8(capture, has_codes(capture) ? row->allocator : number_v7(row->allocator));
    add(capture, padding, sizeof padding);
    const uint64_t words[] = {row->native, row->stack, row->generation, row->peak_count,
                              row->leaked_count, row->peak_bytes, row->leaked_bytes};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        capture_u64(capture, words[i]);
}
