/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the memray reader share: the header, what differs between versions, the decoder's state.
 * Format facts: capture/formats/memray.md.
 */
#ifndef PR_MEMRAY_H
#define PR_MEMRAY_H

#include "capture/builder.h"
#include "capture/memory.h"
#include "capture/pipeline.h"
#include "capture/source.h"

/* What differs between header versions, as data. Source: capture/formats/memray.md, "Header". */
struct pr_memray_version {
    int version;
    const char *releases;
    bool has_python_version, has_file_format, has_main_thread, has_trace_python, has_object_lifetimes, has_paths;
    bool wide_python_allocator; /* i32, not u8 */
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
    bool finished; /* counts are set, so the writer came to its end */
};

/* True when SRC starts with memray's magic. */
bool pr_memray_has_magic(struct pr_source *src);

/*
 * Reads the header and fills the metadata of PROFILE. PR_FAILED: no such version, or the file ends in it.
 */
enum pr_status pr_memray_read_header(struct pr_source *src, const struct pr_limits *limits, struct pr_profile *profile,
                                     struct pr_memray_header *header, struct pr_error *err);

/*
 * The line that instruction OFFSET of a code object stands for; 0 = none. TABLE is co_lnotab, co_linetable or the
 * location table, by PYTHON_VERSION (PY_VERSION_HEX).
 */
int32_t pr_memray_line(int python_version, const uint8_t *table, size_t length, int32_t first_line, int64_t offset);

struct pr_memray_code {
    pr_str function, file;
    int32_t first_line;
    uint32_t table_length;
    const uint8_t *table; /* in the profile's arena */
};

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

enum pr_status pr_memray_codes_add(struct pr_memray_codes *codes, struct pr_builder *builder, uint64_t id,
                                   const struct pr_memray_code *code, struct pr_error *err);
/* The frame of instruction OFFSET in code object ID; one without names for an id that was never defined. PR_NO_ID: memory. */
pr_frame_id pr_memray_codes_frame(struct pr_memray_codes *codes, struct pr_builder *builder, uint64_t id, int64_t offset);
void pr_memray_codes_clear(struct pr_memray_codes *codes);

struct pr_memray_thread {
    pr_node_id *stack; /* [capacity]; the node at each depth, outermost first */
    size_t depth, capacity;
};

/* The decoder of one capture. It runs on the belt's thread; the analysis never looks into it. */
struct pr_memray {
    struct pr_source *src;
    const struct pr_load_options *options;
    struct pr_profile *profile;
    struct pr_memray_header header;
    struct pr_builder builder;
    struct pr_memray_codes codes;

    struct pr_memray_thread *threads; /* [builder.threads.count] */
    size_t thread_capacity;
    uint32_t thread; /* the current one, or PR_NO_ID */

    struct pr_belt *belt;
    struct pr_batch *batch;
    struct pr_records_read records;

    /* Delta variables and the list of recent addresses, one set for the whole file. */
    uint64_t last_pointer, last_native;
    uint64_t last_first_line;
    uint64_t recent[PR_SLOTS]; /* newest first */
};

/* All-allocations records of versions 12 and 13: the producer's end of a pipeline, PRODUCER is a struct pr_memray. */
enum pr_status pr_memray_produce_v12(void *producer, struct pr_belt *belt, struct pr_error *err);

/* Values of aggregated captures by fact: there is no history to analyse. */
struct pr_memray_totals {
    int64_t *peak_bytes, *peak_count, *leaked_bytes, *leaked_count; /* [capacity] */
    size_t capacity;
    struct pr_samples samples;
};
void pr_memray_totals_clear(struct pr_memray_totals *totals);

/* Aggregated records. PR_END: the trailer was there. */
enum pr_status pr_memray_read_aggregated(struct pr_memray *memray, struct pr_memray_totals *totals, struct pr_error *err);

/*
 * Records with names or tables in them, whose type byte at OFFSET has been read. PR_CUT: the input ends or breaks in it.
 */
enum pr_status pr_memray_read_image(struct pr_memray *memray, uint64_t offset, struct pr_error *err);
enum pr_status pr_memray_read_code(struct pr_memray *memray, uint64_t offset, struct pr_error *err);
enum pr_status pr_memray_read_thread_name(struct pr_memray *memray, uint64_t offset, struct pr_error *err);

/* Makes TID the current thread. False: no memory, or too many threads. */
bool pr_memray_switch_thread(struct pr_memray *memray, uint64_t tid);

/* Names TID; the last name counts. False: no memory, or too many threads. */
bool pr_memray_name_thread(struct pr_memray *memray, uint64_t tid, pr_str name);

#endif
