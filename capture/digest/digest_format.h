/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What writer and reader of digests share: the frame of the file, and one list of all columns.
 *
 * In memory a digest is a few arrays of rows, most of them those of the profile itself. A column is one member of the
 * rows of an array; the list says where it lies, how it is packed, and what its values are numbers of. Writing and
 * reading are loops over that list.
 */
#ifndef PR_CAPTURE_DIGEST_DIGEST_FORMAT_H
#define PR_CAPTURE_DIGEST_DIGEST_FORMAT_H

#include "profrender/digest.h"

#include <string.h>

/* Like PNG's: not text, and broken by any conversion of line ends. */
#define PR_DIGEST_MAGIC "\x8ePRZ\r\n\x1a\n"

enum {
    PR_DIGEST_MAGIC_BYTES = 8,
    PR_DIGEST_START_BYTES = 16, /* magic, u16 major, u16 minor, u32 bytes of the head */
    PR_DIGEST_HASH_BYTES = 8,   /* XXH64 of start and head, between the two */
    PR_DIGEST_MAX_HEAD = 1 << 20,
    PR_DIGEST_MAX_NAME = 64,
    PR_DIGEST_WINDOW_LOG = 23, /* of zstd: 8 MiB, the maximum memory for unpacking */

    /*
     * The unpacked columns take at most this much plus this many times the digest: the writer pads, the reader refuses.
     */
    PR_DIGEST_FREE_BYTES = 4 << 20,
    PR_DIGEST_MAX_RATIO = 1024
};

/* How the values of a column are written. */
enum pr_digest_type {
    PR_DIGEST_UNSIGNED = 1, /* LEB128 */
    PR_DIGEST_SIGNED = 2,   /* zigzag, LEB128 */
    PR_DIGEST_DELTA = 3,    /* difference from the previous value, at first from 0: zigzag, LEB128 */
    PR_DIGEST_BYTE = 4,
    PR_DIGEST_TEXT = 5 /* LEB128 length, bytes */
};

/* Where they are. */
enum pr_digest_place {
    PR_DIGEST_IN_HEAD = 0, /* right after their entry */
    PR_DIGEST_PLAIN = 1,   /* after the head, unpacked */
    PR_DIGEST_ZSTD = 2     /* after the head, as one zstd frame */
};

enum pr_digest_array {
    PR_DIGEST_RUN, /* one row, struct pr_digest_run */
    PR_DIGEST_STRINGS,
    PR_DIGEST_SITE_PACKAGES,
    PR_DIGEST_SYS_PATH,
    PR_DIGEST_PROCESSES,
    PR_DIGEST_THREADS,
    PR_DIGEST_FRAMES,
    PR_DIGEST_NODE_PARENT,
    PR_DIGEST_NODE_FRAME,
    PR_DIGEST_FACT_LEAF,
    PR_DIGEST_FACT_HYBRID,
    PR_DIGEST_FACT_THREAD,
    PR_DIGEST_FACT_ALLOCATOR,
    PR_DIGEST_METRICS, /* struct pr_digest_metric */
    PR_DIGEST_VALUES,  /* of all facts, metric by metric */
    PR_DIGEST_COUNTS,  /* the same, of the metrics that have counts */
    PR_DIGEST_EXACT_FRAME,
    PR_DIGEST_EXACT_THREAD,
    PR_DIGEST_EXACT, /* of all functions, metric by metric, of those that have them */
    PR_DIGEST_SLICES,
    PR_DIGEST_MOMENTS,
    PR_DIGEST_DEVICES,
    PR_DIGEST_DEVICE_OOMS,
    PR_DIGEST_NOTES,  /* const char * */
    PR_DIGEST_SERIES, /* struct pr_digest_series */
    PR_DIGEST_TIMES,  /* of the series, one after another; series that share their times store them once */
    PR_DIGEST_POINTS, /* values of the series, one after another */
    PR_DIGEST_BINS,
    PR_DIGEST_FIRST_STEP,
    PR_DIGEST_STEPS,
    PR_DIGEST_FIRST_MOVE,
    PR_DIGEST_MOVES,
    PR_DIGEST_ALLOCATORS, /* allocations of each */
    PR_DIGEST_HISTOGRAM,
    PR_DIGEST_SIZES,
    PR_DIGEST_PLACES_BY_SIZE,
    PR_DIGEST_PLACES_BY_COUNT,
    PR_DIGEST_MODULES_BY_SIZE,
    PR_DIGEST_MODULES_BY_COUNT,
    PR_DIGEST_INPUTS,
    PR_DIGEST_EXCEPTIONS,   /* struct pr_digest_exception */
    PR_DIGEST_TRACE_FRAMES, /* of all exceptions, one after another */
    PR_DIGEST_MARKS,
    PR_DIGEST_ARRAYS
};

/* What a value is in memory. */
enum pr_digest_kind {
    PR_DIGEST_U8,
    PR_DIGEST_BOOL,
    PR_DIGEST_U32,
    PR_DIGEST_I32,
    PR_DIGEST_U64,
    PR_DIGEST_I64,
    PR_DIGEST_MAYBE, /* struct pr_maybe; unknown: no value */
    PR_DIGEST_WORDS, /* const char *: text of ours; NULL: no value in the row of the run, else "" */
    PR_DIGEST_BYTES  /* struct pr_text: a string of the profile */
};

/* What values must be below: the rows of an array, or one of these. */
enum {
    PR_DIGEST_ANY = PR_DIGEST_ARRAYS,
    PR_DIGEST_POSITIVE,   /* 0 or more */
    PR_DIGEST_OF_STRINGS, /* numbers of strings: rows of PR_DIGEST_STRINGS, and the empty one */
    PR_DIGEST_OF_ALLOCATORS,
    PR_DIGEST_OF_KINDS,
    PR_DIGEST_OF_UNITS,
    PR_DIGEST_OF_DECIMALS,
    PR_DIGEST_OF_LINKS,
    PR_DIGEST_OF_OOM
};

/* What exists once: mostly members of the profile. */
struct pr_digest_run {
    struct pr_meta meta;
    struct pr_origin origin;
    struct pr_records_read records;
    struct pr_run run;
    int64_t peak_bytes;
    struct pr_maybe peak_at_ms;
    uint32_t peak_bin;
    bool incomplete, has_hybrid, has_allocators, has_stats, tree_estimated;
    int64_t slice_resolution_ns;
    bool slices_lack_clock;
    struct pr_maybe slices_start_ms;
    int64_t moment_resolution_ns;
    uint32_t problem_code;
    struct pr_maybe problem_offset;
    const char *problem_doing, *problem_text;
    struct pr_damage damage;
    uint64_t allocation_count, allocated_bytes;
};

struct pr_digest_metric {
    const char *name, *title, *count_name; /* count_name "" = no counts */
    uint32_t unit, decimals;
    bool has_exact;
    uint32_t part;
};

/* struct pr_exception; its frames are the next ones of the list. */
struct pr_digest_exception {
    pr_str type, message;
    uint32_t link, depth, frame_count;
};

struct pr_digest_series {
    const char *name, *title;
    uint32_t unit;
    uint64_t count;
    uint32_t clock; /* the series whose times it shares: itself, or an earlier one */
};

struct pr_digest_column {
    const char *name;
    uint8_t array;   /* enum pr_digest_array */
    uint8_t kind;    /* enum pr_digest_kind */
    uint8_t type;    /* enum pr_digest_type that we write; any numeric type is read */
    uint8_t below;   /* enum pr_digest_array or one of those after it */
    uint32_t offset; /* in the row */
};

extern const struct pr_digest_column pr_digest_columns[];
extern const size_t pr_digest_column_count;
extern const size_t pr_digest_row_bytes[PR_DIGEST_ARRAYS];

/* A value in memory as 64 bits, signed ones extended; of the kinds that are numbers. */
static inline uint64_t pr_digest_load(const void *at, enum pr_digest_kind kind)
{
    uint8_t u8;
    uint32_t u32;
    int32_t i32;
    uint64_t u64;
    struct pr_maybe maybe;
    switch (kind) {
    case PR_DIGEST_U8:
    case PR_DIGEST_BOOL:
        memcpy(&u8, at, sizeof u8);
        return u8;
    case PR_DIGEST_U32:
        memcpy(&u32, at, sizeof u32);
        return u32;
    case PR_DIGEST_I32:
        memcpy(&i32, at, sizeof i32);
        return (uint64_t)i32;
    case PR_DIGEST_U64:
    case PR_DIGEST_I64:
        memcpy(&u64, at, sizeof u64);
        return u64;
    case PR_DIGEST_MAYBE:
        memcpy(&maybe, at, sizeof maybe);
        return (uint64_t)maybe.value;
    case PR_DIGEST_WORDS:
    case PR_DIGEST_BYTES:
        break;
    }
    return 0;
}

#endif
