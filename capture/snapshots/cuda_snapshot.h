/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot of PyTorch's memory on a device holds, however it was written: entries of the trace, segments and
 * their blocks. cuda_pickle.c and json_snapshot.c fill it, cuda_analysis.c makes the profile.
 *
 * Source: doc/formats/torch-memory.md.
 */
#ifndef PR_CAPTURE_SNAPSHOTS_CUDA_SNAPSHOT_H
#define PR_CAPTURE_SNAPSHOTS_CUDA_SNAPSHOT_H

#include "capture/builder/mark_list.h"
#include "capture/builder/stack_table.h"
#include "capture/input/source.h"

enum pr_cuda_action {
    PR_CUDA_ALLOC,
    PR_CUDA_FREE_REQUESTED,
    PR_CUDA_FREE_COMPLETED,
    PR_CUDA_SEGMENT_ALLOC,
    PR_CUDA_SEGMENT_FREE,
    PR_CUDA_SEGMENT_MAP,
    PR_CUDA_SEGMENT_UNMAP,
    PR_CUDA_SNAPSHOT,
    PR_CUDA_OOM, /* `address` is what the device had free */
    PR_CUDA_ANNOTATE,
    PR_CUDA_ACTIONS
};

/* An entry of the trace; the longest traces have millions. */
struct pr_cuda_entry {
    uint64_t address, size;
    int64_t time_us;      /* since the epoch; 0 = not recorded */
    pr_node_id leaf;      /* of its stack; PR_ROOT = none */
    uint32_t stream : 24; /* index into `streams` */
    uint32_t action : 8;  /* enum pr_cuda_action */
};

enum { PR_CUDA_KNOWN_STACKS = 1 << 16 };

enum { PR_CUDA_MOST_STREAMS = (1 << 24) - 1, PR_CUDA_MOST_DEVICES = 256 };

/* Entries that follow each other, of one list of the file. */
struct pr_cuda_run {
    uint64_t list;
    size_t first, count;
    uint32_t device; /* PR_NO_ID: the list is not among the traces */
};

struct pr_cuda_block {
    uint64_t address, size, requested;
    pr_node_id leaf;
    uint32_t segment;
    bool active, allocated; /* active and not allocated: its free has not completed */
};

struct pr_cuda_segment {
    uint64_t address, size;
    uint32_t device, stream;
    bool expandable;
};

/* Spans that the program named with record_function(): those in no other one, of the first device that has any. */
struct pr_cuda_phases {
    struct pr_mark_list marks; /* in milliseconds */
    uint64_t device;
    uint32_t depth;
    bool has_device, no_time;
    int64_t end_ms; /* of the last one; a mark of its own unless another one begins at once */
};

struct pr_cuda_snapshot {
    struct pr_cuda_phases phases;
    struct pr_stack_table stacks;
    struct pr_cuda_entry *entries;
    size_t entry_count, entry_capacity;
    struct pr_cuda_run *runs;
    size_t run_count, run_capacity;
    struct pr_cuda_block *blocks;
    size_t block_count, block_capacity;
    struct pr_cuda_segment *segments;
    size_t segment_count, segment_capacity;
    struct pr_cuda_known { /* stacks that were met, by a hash of their frames */
        uint64_t hash;
        pr_node_id leaf;
    } *known;           /* [PR_CUDA_KNOWN_STACKS] */
    pr_node_id *python; /* [python_count] by node: the same stack without frames of C++; PR_ROOT = it has no others */
    size_t python_count, python_capacity;
    bool has_native;    /* there are frames of C++ */
    struct pr_idset streams;
    uint32_t device_count;
    pr_str settings; /* PYTORCH_CUDA_ALLOC_CONF; 0 = none */
    uint64_t frames; /* that were defined */
    bool no_memory, full; /* of limits; what is added then is dropped */
};

enum pr_status pr_cuda_begin(struct pr_cuda_snapshot *s, struct pr_profile *profile, const struct pr_limits *limits,
                             struct pr_error *err);
void pr_cuda_end(struct pr_cuda_snapshot *s);

/* A function in Python or C++. */
pr_frame_id pr_cuda_frame(struct pr_cuda_snapshot *s, pr_str function, pr_str file, int64_t line);

/* The stack of COUNT frames, innermost first; without those of the allocator that are innermost. */
pr_node_id pr_cuda_stack(struct pr_cuda_snapshot *s, const pr_frame_id *frames, uint32_t count);

/* The stack that tables show of LEAF: its functions in Python, or, where there are none, those in C++. */
pr_node_id pr_cuda_shown_stack(const struct pr_cuda_snapshot *s, pr_node_id leaf);

/* What PyTorch calls each action. */
extern const char *const pr_cuda_action_names[PR_CUDA_ACTIONS];

/* The action called NAME, or PR_CUDA_ACTIONS. */
enum pr_cuda_action pr_cuda_action_of(struct pr_text name);

/* The index of the stream with that number. */
uint32_t pr_cuda_stream(struct pr_cuda_snapshot *s, int64_t number);

/* LIST identifies the trace that the entry belongs to; pr_cuda_settle gives each its device. */
void pr_cuda_add_entry(struct pr_cuda_snapshot *s, uint64_t list, const struct pr_cuda_entry *entry);
void pr_cuda_set_device(struct pr_cuda_snapshot *s, uint64_t list, uint32_t device);

void pr_cuda_add_segment(struct pr_cuda_snapshot *s, const struct pr_cuda_segment *segment);
/* A block of the last segment. */
void pr_cuda_add_block(struct pr_cuda_snapshot *s, const struct pr_cuda_block *block);

/* An annotation of the program begins or ends. In the order of the file, which is that of time. */
struct pr_cuda_annotation {
    pr_str name;
    int64_t time_us;
    uint64_t device;
    bool starts, ends;
};
void pr_cuda_annotate(struct pr_cuda_snapshot *s, const struct pr_cuda_annotation *annotation);

/* Makes annotations the phases of the profile, when all are known. PR_FAILED: out of memory. */
enum pr_status pr_cuda_phases_finish(struct pr_cuda_snapshot *s, struct pr_profile *profile, struct pr_error *err);

/* Reads SRC, in either form, into S; everything before a cut. */
enum pr_status pr_cuda_read_pickle(struct pr_cuda_snapshot *s, struct pr_source *src,
                                   const struct pr_load_options *options, struct pr_profile *profile,
                                   struct pr_error *err);
enum pr_status pr_cuda_read_json(struct pr_cuda_snapshot *s, struct pr_source *src,
                                 const struct pr_load_options *options, struct pr_profile *profile,
                                 struct pr_error *err);

/*
 * The profile of S: what was alive when, in the same way as for memray's captures. Frees the entries on the way.
 * PR_FAILED: out of memory.
 */
enum pr_status pr_cuda_make_profile(struct pr_cuda_snapshot *s, const struct pr_load_options *options,
                                    struct pr_profile *profile, struct pr_error *err);

#endif
