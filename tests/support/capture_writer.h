/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures made by hand, in every header version that can be read. Running out of memory ends the test.
 *
 *     struct capture capture;
 *     capture_begin(&capture, &(struct capture_head){.version = 13});
 *     uint64_t main_py = capture_frame(&capture, "main", "app.py", 12);
 *     capture_thread(&capture, 1);
 *     capture_push(&capture, main_py);
 *     capture_event(&capture, PR_ALLOC_MALLOC, 0x1000, 64, 0);
 *     capture_end(&capture);                                     // leave it out: a run that was killed
 *     pr_load_memory("made", capture.out.bytes, capture.out.length, NULL, &profile, &err);
 *     capture_clear(&capture);
 *
 * The same calls give the same run in each version, as far as the version can express it. A test that breaks a rule
 * appends bytes to `out` itself.
 */
#ifndef TESTS_SUPPORT_CAPTURE_WRITER_H
#define TESTS_SUPPORT_CAPTURE_WRITER_H

#include "profrender/buf.h"
#include "profrender/profile.h"

#define CAPTURE_START_MS INT64_C(1700000000000)

enum { CAPTURE_RECENT = 15 };

/* The contents of the header. Zeros are good values, except for the version. */
struct capture_head {
    int version; /* 6 to 13; another one is written unchanged, in the form of the nearest */
    bool aggregated, native_traces;
    bool object_lifetimes;             /* from version 12 */
    int python_version;                /* PY_VERSION_HEX; 0 = 3.12.1 */
    const char *command_line;          /* NULL = "app.py" */
    uint64_t main_tid, skipped_frames; /* from version 9 */
    const char *stdlib_path;           /* version 13; this and the two lists may be NULL */
    const char *const *site_packages, *const *sys_path; /* a NULL ends them */
};

struct capture {
    struct pr_buf out; /* the file so far */
    struct capture_head head;
    uint64_t tid;           /* of the current thread */
    bool has_thread;        /* one was named */
    uint64_t events, frames; /* allocations and frees; frames that were defined */
    uint64_t last_ms;       /* of the last sample, after the start */
    size_t counts_at;       /* where the header has them */
    uint64_t last_pointer, last_native, last_instruction, last_frame, last_line;
    uint64_t recent[CAPTURE_RECENT]; /* the last addresses, newest first */
};

void capture_begin(struct capture *capture, const struct capture_head *head);

/* As the tracker's normal end: the trailer, where the version has one, then counts and end time in the header. */
void capture_end(struct capture *capture);

void capture_clear(struct capture *capture);

/* Events from now on are of TID. */
void capture_thread(struct capture *capture, uint64_t tid);

/* Names the current thread. */
void capture_thread_name(struct capture *capture, const char *name);

/* Defines a frame and returns its id: a code object whose first instruction is of that line, from version 12 on. */
uint64_t capture_frame(struct capture *capture, const char *function, const char *file, int32_t line);

/* Versions 12 and 13: a code object with a given line table, and a push of an instruction in it. */
void capture_code(struct capture *capture, uint64_t id, const char *function, const char *file, int32_t first_line,
                  const void *table, size_t table_bytes);
void capture_push_at(struct capture *capture, uint64_t code, int64_t instruction, bool entry);

void capture_push(struct capture *capture, uint64_t frame);
void capture_pop(struct capture *capture, uint64_t count);

/*
 * An allocation or a deallocation. Version 6 has no PYMALLOC_*; versions 12 and 13 drop the low three bits of
 * addresses. NATIVE is left out where the capture has no native traces or the record no room for it.
 */
void capture_event(struct capture *capture, enum pr_allocator allocator, uint64_t address, uint64_t size,
                   uint64_t native);

void capture_sample(struct capture *capture, uint64_t ms_after_start, uint64_t rss_bytes);

/* Versions 12 and 13. */
void capture_object(struct capture *capture, uint64_t address, bool created, uint64_t native);

/* The k-th one has id k; PARENT is the next one towards main, 0 = none. */
void capture_native_frame(struct capture *capture, uint64_t instruction, uint64_t parent);

struct capture_segment {
    uint64_t address, size;
};

/* A new list of loaded images begins; then the images. */
void capture_map_start(struct capture *capture);
void capture_image(struct capture *capture, const char *file, uint64_t bias, const struct capture_segment *segments,
                   size_t count);

/* Aggregated captures: stacks are numbered 1, 2, 3, ...; parent 0 is the root. */
void capture_stack(struct capture *capture, uint64_t frame, uint64_t parent);
void capture_total_sample(struct capture *capture, uint64_t ms_after_start, uint64_t rss_bytes, uint64_t heap_bytes);

struct capture_row {
    uint64_t tid;
    enum pr_allocator allocator;
    uint64_t native, stack, generation;
    uint64_t peak_count, leaked_count, peak_bytes, leaked_bytes;
};
void capture_row(struct capture *capture, const struct capture_row *row);

/* The pieces that records are made of, little endian; for records that break a rule. */
void capture_u8(struct capture *capture, unsigned value);
void capture_u32(struct capture *capture, uint32_t value);
void capture_u64(struct capture *capture, uint64_t value);
void capture_uv(struct capture *capture, uint64_t value);
void capture_sv(struct capture *capture, int64_t value);
void capture_text(struct capture *capture, const char *text);

#endif
