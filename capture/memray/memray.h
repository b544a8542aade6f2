/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the memray reader share: the header, what differs between versions, the decoder's state.
 * Format facts: doc/formats/memray.md.
 */
#ifndef PR_CAPTURE_MEMRAY_MEMRAY_H
#define PR_CAPTURE_MEMRAY_MEMRAY_H

#include "capture/builder/stack_table.h"
#include "capture/heap/heap_analysis.h"
#include "capture/heap/object_lives.h"
#include "capture/memray/native_frames.h"
#include "capture/heap/pipeline.h"
#include "capture/parse/binary_scan.h"
#include "capture/input/source.h"
#include "capture/heap/alloc_counters.h"

/* What differs between header versions, as data. Source: doc/formats/memray.md, "Header". */
struct pr_memray_version {
    int version;
    const char *releases;
    bool has_python_version, has_file_format, has_main_thread, has_trace_python, has_object_lifetimes, has_paths;
    bool wide_python_allocator; /* i32, not u8 */
    bool has_trailer;           /* its absence shows an unfinished file */
    bool has_code_objects;      /* frames are instructions in code objects, not places */
    const uint8_t *allocators;  /* [PR_ALLOC_COUNT] ours by the file's number; NULL = the same */
    /* All allocations: the producer's end of a pipeline, PRODUCER is a struct pr_memray. */
    enum pr_status (*produce)(void *producer, struct pr_belt *belt, struct pr_error *err);
};

/* The row of VERSION, or NULL. */
const struct pr_memray_version *pr_memray_version_find(int version);

/* Lowest and highest version that can be read. */
void pr_memray_version_range(int *lowest, int *highest);

struct pr_memray_header {
    const struct pr_memray_version *version;
    bool native_traces, aggregated;
    uint64_t main_tid, skipped_frames;
    int64_t start_ms, end_ms;
    bool finished; /* counts are set, so the writer finished */
    uint64_t written_records; /* allocations and frees, as the header counts them */
};

/* True when SRC starts with memray's magic. */
bool pr_memray_has_magic(struct pr_source *src);

/*
 * Reads the header and fills the metadata of PROFILE. PR_FAILED: unknown version, or the file ends within the header.
 */
enum pr_status pr_memray_read_header(struct pr_source *src, const struct pr_limits *limits, struct pr_profile *profile,
                                     struct pr_memray_header *header, struct pr_error *err);

/*
 * Places in a line table, from which a look-up goes on instead of from the beginning. The first look-up sets none;
 * later ones set PR_LINE_MARKS_AT_FIRST, and with more look-ups than that one for each, so they take no more memory
 * than what is looked up. N look-ups read some log(N) times the table, and each some PR_LINE_MARKS_APART bytes more, in
 * whatever order they are. Zeros to begin with; the owner frees `mark`.
 */
enum { PR_LINE_MARKS_APART = 64, PR_LINE_MARKS_AT_FIRST = 16 };
struct pr_line_marks {
    struct pr_line_mark {
        uint32_t at; /* bytes into the table */
        int64_t unit, line; /* there; units of code are what the table counts */
    } *mark; /* [count] in order */
    size_t count, capacity;
    size_t apart; /* bytes from one to the next, at least */
    uint64_t look_ups;
};

/*
 * The line that instruction OFFSET of a code object belongs to; 0 = none. TABLE is co_lnotab, co_linetable or the
 * location table, by PYTHON_VERSION (PY_VERSION_HEX). MARKS: of this table and FIRST_LINE.
 */
int32_t pr_memray_line(int python_version, const uint8_t *table, size_t length, int32_t first_line, int64_t offset,
                       struct pr_line_marks *marks);

struct pr_memray_code {
    pr_str function, file;
    int32_t first_line;
    uint32_t table_length;
    const uint8_t *table; /* in the profile's arena */
    struct pr_line_marks marks;
};

/* Frames by their ids, for versions up to 11. */
struct pr_memray_frames {
    struct pr_idset ids;
    struct pr_memray_frame {
        pr_frame_id frame;
        bool entry;
    } *frame; /* [ids.count] */
    size_t capacity;
};

/* Adds a definition; of two with the same id the first counts. PR_FAILED: out of memory. */
enum pr_status pr_memray_frames_add(struct pr_memray_frames *frames, uint64_t id, struct pr_memray_frame frame,
                                    struct pr_error *err);
/* The frame of ID, or NULL. */
const struct pr_memray_frame *pr_memray_frames_find(const struct pr_memray_frames *frames, uint64_t id);
void pr_memray_frames_clear(struct pr_memray_frames *frames);

/* Code objects and the frames made of them, for versions 12 and 13. */
struct pr_memray_codes {
    struct pr_idset ids;        /* code id */
    struct pr_memray_code *code; /* [ids.count] */
    size_t capacity;
    struct pr_idset sites;      /* code number and instruction offset */
    pr_frame_id *site_frame;    /* [sites.count] */
    size_t site_capacity;
    int python_version;
};

/* OFFSET: of the record. PR_CUT: too many. */
enum pr_status pr_memray_codes_add(struct pr_memray_codes *codes, struct pr_stack_table *builder, uint64_t id,
                                   const struct pr_memray_code *code, uint64_t offset, struct pr_error *err);
/*
 * The frame of instruction OFFSET in code object ID; one without names for an id that was never defined. PR_NO_ID: out
 * of memory.
 */
pr_frame_id pr_memray_codes_frame(struct pr_memray_codes *codes, struct pr_stack_table *builder, uint64_t id,
                                  int64_t offset);
void pr_memray_codes_clear(struct pr_memray_codes *codes);

enum { PR_MEMRAY_RECENT = 15, PR_MEMRAY_RING = 16 }; /* addresses on the list of recent ones; room for them */

struct pr_memray_thread {
    pr_node_id *stack; /* [capacity]; the node at each depth, outermost first */
    size_t depth, capacity;
};

/* The decoder of one capture. It runs on the belt's thread; the analysis never looks into it. */
struct pr_memray {
    _Alignas(PR_APART) struct pr_source *src;
    const struct pr_load_options *options;
    struct pr_profile *profile;
    struct pr_memray_header header;
    struct pr_stack_table builder;
    struct pr_memray_codes codes;
    struct pr_memray_frames frames;

    struct pr_memray_thread *threads; /* [builder.threads.count] */
    size_t thread_capacity;
    uint32_t thread; /* the current one, or PR_NO_ID */
    uint32_t generation; /* lists of loaded images so far */
    struct pr_native native;

    struct pr_belt *belt;
    struct pr_batch *batch;
    struct pr_records_read records;
    struct pr_alloc_counters tally;
    struct pr_time_moments moments; /* of all before the last memory sample, each at the sample before it */
    int64_t sample_ms;         /* when that was, since the start */
    struct pr_object_lives objects;
    bool keeps_objects; /* the header shows that objects were recorded; elsewhere memray ignores their records */

    /* Delta variables and the list of recent addresses, one set for the whole file. */
    uint64_t last_pointer, last_native, last_ip, last_frame;
    uint64_t last_line; /* modulo 2^32: first line of a code object, or line of a frame */
    uint64_t recent[PR_MEMRAY_RING]; /* a ring, newest first, from `newest` on */
    unsigned newest;
};

/* A memory sample at AT_MS since the start. False: out of memory. */
bool pr_memray_note_sample(struct pr_memray *memray, int64_t at_ms);

enum pr_status pr_memray_produce_v12(void *producer, struct pr_belt *belt, struct pr_error *err); /* 12, 13 */
enum pr_status pr_memray_produce_v7(void *producer, struct pr_belt *belt, struct pr_error *err);  /* 7 to 11 */
enum pr_status pr_memray_produce_v6(void *producer, struct pr_belt *belt, struct pr_error *err);

/* Our number of the file's allocator, PR_ALLOC_NONE for one that does not exist. */
static inline uint8_t pr_memray_allocator(const struct pr_memray_version *version, uint64_t number)
{
    if (number >= PR_ALLOC_COUNT)
        return PR_ALLOC_NONE;
    return version->allocators ? version->allocators[number] : (uint8_t)number;
}

/* Values of aggregated captures by fact: they have no history to analyse. */
struct pr_memray_totals {
    int64_t *peak_bytes, *peak_count, *leaked_bytes, *leaked_count; /* [capacity] */
    size_t capacity;
    struct pr_memory_samples samples;
};
void pr_memray_totals_clear(struct pr_memray_totals *totals);

/* Aggregated records. PR_END: the trailer was there. */
enum pr_status pr_memray_read_aggregated(struct pr_memray *memray, struct pr_memray_totals *totals,
                                         struct pr_error *err);

/*
 * The child of PARENT with the frame ID of a version up to 11, without names if it was never defined. PR_NO_ID: out of
 * memory.
 */
pr_node_id pr_memray_frame_node(struct pr_memray *memray, pr_node_id parent, uint64_t id);

/*
 * Records with names or tables, whose type byte at OFFSET has been read. PR_CUT: the input ends or is damaged within
 * one.
 */
enum pr_status pr_memray_read_image(struct pr_memray *memray, uint64_t offset, struct pr_error *err);
enum pr_status pr_memray_read_code(struct pr_memray *memray, uint64_t offset, struct pr_error *err);
enum pr_status pr_memray_read_thread_name(struct pr_memray *memray, uint64_t offset, struct pr_error *err);

/* A native frame, its record at OFFSET. PR_CUT: too many. */
enum pr_status pr_memray_native_frame(struct pr_memray *memray, uint64_t ip, uint64_t parent, uint64_t offset,
                                      struct pr_error *err);

/*
 * The COUNT segments of the image PATH that follow its record at OFFSET, each read by SCAN_SEGMENT, which returns false
 * where none is.
 */
enum pr_status pr_memray_read_segments(struct pr_memray *memray, struct pr_scan *scan, pr_str path, uint64_t count,
                                       uint64_t bias, bool (*scan_segment)(struct pr_scan *, struct pr_elf_segment *));

/* A new list of loaded images begins. PR_FAILED: out of memory. */
enum pr_status pr_memray_next_generation(struct pr_memray *memray, struct pr_error *err);

/*
 * The builder gave PR_NO_ID for a record at OFFSET. PR_CUT: too many of WHAT ("different stacks"); PR_FAILED: out of
 * memory.
 */
enum pr_status pr_memray_no_room(const struct pr_memray *memray, uint64_t offset, const char *doing, const char *what,
                                 struct pr_error *err);

/* Makes TID the current thread. False: no memory, or too many threads. */
bool pr_memray_switch_thread(struct pr_memray *memray, uint64_t tid);

/* Names TID; the last name counts. False: no memory, or too many threads. */
bool pr_memray_name_thread(struct pr_memray *memray, uint64_t tid, pr_str name);

#endif
