/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places where samples were: what an address meant when it was sampled, kept as numbers until the end of the file,
 * which has the build ids that say whether a file of code on this machine is the one that ran.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_PLACES_H
#define PR_CAPTURE_PERF_DATA_PERF_PLACES_H

#include "capture/builder/profile_builder.h"

#include "capture/base/spans.h"

/* What an address is counted from; the first word of a place has it in its highest bits. */
enum pr_perf_space {
    PR_PERF_UNKNOWN, /* no map has it */
    PR_PERF_FILE,    /* an offset in file number `of` */
    PR_PERF_JIT,     /* code that process `of` wrote itself */
    PR_PERF_KERNEL,
    PR_PERF_GUEST,
    PR_PERF_HYPERVISOR
};

/* A file that was mapped: for every way in which it was. */
struct pr_perf_file {
    pr_str path, build_id; /* hexadecimal, 0 = unknown */
    bool is_path;      /* it is in the file system, or was */
    bool is_anonymous; /* memory without a file, where a program may have written code */
    uint64_t offset, size_bytes; /* of the first map of it with code, for files whose build id is not known */
};

/* A part of the kernel: its text, a module, a program of BPF. */
struct pr_perf_kernel_part {
    uint64_t start, size_bytes;
    pr_str name;
    bool is_symbol; /* NAME is that of a function; else of what functions are in */
};

struct pr_perf_places {
    struct pr_idset keys; /* (space, of), address */
    struct pr_idset file_keys; /* path, build id */
    struct pr_perf_file *file; /* [file_keys.count] */
    size_t file_capacity;
    struct pr_perf_kernel_part *part; /* [part_count] */
    size_t part_count, part_capacity;
    struct pr_spans parts;
    uint64_t kernel_text; /* where the kernel's first function was: 0 = unknown */
    pr_str kernel_build_id, kernel_release;
    bool no_memory;
};

/* The number of a place; PR_NO_ID: no memory. */
static inline uint32_t pr_perf_place(struct pr_perf_places *places, enum pr_perf_space space, uint32_t of,
                                     uint64_t address)
{
    const uint64_t key[2] = {pr_pair(space, of), address};
    places->keys.words = 2;
    return pr_idset_add(&places->keys, key, 2);
}

/* The number of a file; PR_NO_ID: no memory. */
uint32_t pr_perf_file_add(struct pr_perf_places *places, const struct pr_perf_file *file);

void pr_perf_kernel_add(struct pr_perf_places *places, const struct pr_perf_kernel_part *part);

void pr_perf_places_clear(struct pr_perf_places *places);

/* ---- at the end ------------------------------------------------------------------------------------------------- */

struct pr_perf_frames {
    uint32_t *first; /* [keys.count + 1] of `frame` */
    pr_frame_id *frame; /* outermost first */
    size_t count, capacity;
};

/* The frames of all places. Errors are stored in C. */
void pr_perf_frames_make(struct pr_profile_builder *c, struct pr_perf_places *places, struct pr_perf_frames *frames);
void pr_perf_frames_clear(struct pr_perf_frames *frames);

#endif
