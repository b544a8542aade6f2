/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile: a call tree, facts on its nodes, series, and what is known about the run. Read-only once loaded.
 *
 *     struct pr_profile *profile = NULL;
 *     struct pr_error err = {0};
 *     if (pr_load("run.bin", NULL, &profile, &err) == PR_FAILED)
 *         return complain(&err);
 *     int peak = pr_profile_metric(profile, "peak");
 *     for (size_t i = 0; i < profile->fact_count; i++)
 *         sum += profile->metrics[peak].value[i];       // the heap at its high-water mark
 *     pr_profile_free(profile);
 *
 * Everything a report shows is "choose facts, sum up the tree": see profrender/tree_sums.h and profrender/table.h.
 * All pointers are borrowed from the profile and live until pr_profile_free.
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_PROFILE_H
#define PR_API_PROFILE_H

#include "profrender/arena.h"
#include "profrender/damage.h"
#include "profrender/error.h"
#include "profrender/string_table.h"
#include "profrender/run.h"

PR_DECLS_BEGIN

typedef uint32_t pr_frame_id;
typedef uint32_t pr_node_id;

#define PR_ROOT 0u /* node 0: everything; a fact without a stack belongs to it */
#define PR_NO_NODE UINT32_MAX
#define PR_NO_FRAME UINT32_MAX

enum pr_frame_kind {
    PR_FRAME_PYTHON = 0,
    PR_FRAME_NATIVE = 1,
    PR_FRAME_KERNEL = 2,
    PR_FRAME_OTHER = 3 /* made up by a tool or by us: "[idle]", a process, "n smaller frames" */
};

/* A place in code. Frames with the same members are one frame. */
struct pr_frame {
    pr_str function;
    pr_str file;   /* as recorded; empty = unknown */
    int32_t line;  /* the line that ran, or that of the definition where the format has only that; 0 = unknown,
                      never negative */
    uint32_t kind; /* enum pr_frame_kind */
    int32_t definition_line; /* where the function begins, in formats that say so; 0 = unknown */
};

/*
 * The call tree. parent[i] < i for every node but the root, so totals are one backward loop and no depth overflows a
 * stack. No two children of a node have the same frame.
 */
struct pr_tree {
    uint32_t count;           /* with the root; at least 1 */
    const pr_node_id *parent; /* [count]; of the root: PR_ROOT */
    const pr_frame_id *frame; /* [count]; of the root: 0, without meaning */
};

struct pr_thread {
    uint64_t tid;     /* as the format numbers them */
    pr_str name;      /* the last one recorded; empty = none */
    uint32_t process; /* index into pr_profile.processes */
};

/* One recorded process; a profile of several captures has several. */
struct pr_process {
    uint64_t pid;
    pr_str name; /* for people; empty = none */
};

enum pr_unit {
    PR_UNIT_NONE,
    PR_UNIT_BYTES,
    PR_UNIT_NANOSECONDS,
    PR_UNIT_COUNT,   /* samples, calls, events */
    PR_UNIT_PERCENT, /* in thousandths of a percent */
    PR_UNIT_CYCLES,
    PR_UNIT_BYTES_PER_SECOND,
    PR_UNIT_CORES /* in thousandths of a core */
};

/*
 * What a format that records a call graph says of one function: the figures are exact, their place in the tree is an
 * estimate. See pr_profile.tree_estimated.
 */
struct pr_exact {
    int64_t self, total;
    int64_t self_count;  /* of all calls */
    int64_t total_count; /* of calls that were not recursive */
};

/*
 * One thing that was measured: a value for each fact, and often a count. A metric that was not measured is not there.
 */
struct pr_metric {
    const char *name;       /* for scripts: "peak", "leaked", "temporary", "allocated", "cpu", ... */
    const char *title;      /* for people: "Peak" */
    enum pr_unit unit;      /* of value */
    const char *count_name; /* what `count` counts: "allocations", "samples"; NULL = no count */
    const int64_t *value;   /* [fact_count] */
    const int64_t *count;   /* [fact_count], or NULL */
    int64_t total_value;    /* sums over all facts */
    int64_t total_count;
    unsigned decimals;            /* PR_UNIT_NONE: values count in 10^-decimals, for weights with fractions; else 0 */
    const struct pr_exact *exact; /* [pr_profile.exact_count], or NULL: tables then add up the facts */
    uint32_t base; /* of a difference: 1 + index of the metric that this one is compared with; 0 = none */
    uint32_t part; /* index into pr_profile.parts; 0 without parts */
};

/* What a series means: a name for scripts ("rss", "heap"), its unit, its points in the order of time. */
struct pr_series {
    const char *name;
    const char *title;
    enum pr_unit unit;
    size_t count;
    const int64_t *at_ms; /* [count] milliseconds since the epoch, or from the start: pr_meta.no_date; never decreasing
                             unless it does in the file */
    const int64_t *value; /* [count] */
};

/* memray's allocators by our own numbers, which are those of header versions 12 and 13. */
enum pr_allocator {
    PR_ALLOC_NONE = 0, /* another one, such as PyTorch's for devices, or not of memory */
    PR_ALLOC_PYMALLOC_FREE = 1,
    PR_ALLOC_PYMALLOC_MALLOC,
    PR_ALLOC_PYMALLOC_CALLOC,
    PR_ALLOC_PYMALLOC_REALLOC,
    PR_ALLOC_FREE,
    PR_ALLOC_MALLOC,
    PR_ALLOC_REALLOC,
    PR_ALLOC_CALLOC,
    PR_ALLOC_POSIX_MEMALIGN,
    PR_ALLOC_ALIGNED_ALLOC,
    PR_ALLOC_MEMALIGN,
    PR_ALLOC_VALLOC,
    PR_ALLOC_PVALLOC,
    PR_ALLOC_MMAP,
    PR_ALLOC_MUNMAP,
    PR_ALLOC_COUNT
};

/* "MALLOC", ...; "" for PR_ALLOC_NONE and for numbers that do not exist. */
PR_API const char *pr_allocator_name(unsigned allocator);

/* What the file says about itself and the run. Strings that are empty are unknown. */
struct pr_meta {
    const char *format;       /* name of the reader: "memray" */
    const char *format_title; /* for people: "memray capture" */
    int format_version;       /* 0 = the format has none */
    const char *compression;  /* "lz4", "zstd", "gzip"; NULL = raw. The innermost layer that is part of the file */
    uint64_t size_bytes;      /* of the input as it came, as far as it was read */
    pr_str command_line;
    struct pr_maybe pid;
    struct pr_maybe start_ms, end_ms; /* since the epoch */
    bool no_date; /* the file has no date: start and end are unknown, times of series count from the start of the run */
    struct pr_maybe before_span_ms; /* of a difference: how long the run it is compared with took */
    bool end_is_last_sample;        /* the file has no end time: end_ms is the time of the last memory sample */
    int64_t written_end_ms;         /* end time as written, right or not: the start time in an unfinished capture */
    uint64_t written_frames; /* frames as the header counts them: 0 in unfinished captures and since version 12 */
    int python_version;      /* PY_VERSION_HEX of the traced interpreter; 0 = unknown */
    bool python_unverified;  /* newer than what line numbers were verified with (3.13) */
    bool has_native_traces;
    uint32_t native_files;         /* files of code with native frames */
    uint32_t native_files_unnamed; /* of these: missing here, or other builds; their frames are "module+0xoffset" */
    pr_str native_unnamed_file;    /* the first of them */
    bool trace_python_allocators;
    bool track_object_lifetimes;
    bool aggregated;              /* memray: totals by stack, no history */
    const char *python_allocator; /* "pymalloc", ...; "" = unknown */
    /* memray: frames above the tracker on this thread; already left out of the tree */
    uint64_t main_tid, skipped_frames;
    pr_str stdlib_path;          /* empty = unknown */
    const pr_str *site_packages; /* [site_packages_count] */
    uint32_t site_packages_count;
    const pr_str *sys_path;
    uint32_t sys_path_count;
};

/*
 * How a profile came about. A digest keeps it, so that no answer is taken for the answer to another question: see
 * profrender/digest.h; for `runs` and what follows, profrender/merge.h.
 */
struct pr_origin {
    uint32_t temporary_threshold, max_bins; /* the options it was loaded with */
    uint32_t native;                        /* the same, enum pr_native_use */
    uint32_t digest_major, digest_minor;    /* version of the digest that it was read from; 0 = not a digest */
    uint64_t digest_bytes;                  /* size of that digest */
    uint64_t runs, incomplete_runs;         /* profiles that were added up (at least 1), those that were not complete */
    uint64_t failed_runs;                   /* those that are known to have failed, when there were several */
    int64_t highest_peak_bytes, longest_ms; /* of any of them, when there were several */
};

/* One of several inputs of different kinds that are one profile: see profrender/assemble.h. */
struct pr_part {
    const char *format, *format_title; /* as those of pr_meta */
    int format_version;
    const char *compression;
    uint64_t size_bytes;
    pr_str name;          /* of the input, as the user gave it; empty = none */
    bool has_allocations; /* its facts have allocators */
};

/* Counts of records as they were read. */
struct pr_records_read {
    uint64_t allocations, frees; /* aggregated captures: rows, and 0 */
    uint64_t frames;             /* code objects or frame definitions */
    uint64_t pushes, pops, samples, thread_names, native_frames, objects;
};

struct pr_histogram_bin {
    uint64_t min_bytes, max_bytes; /* both inclusive */
    uint64_t count;
};

/* Allocations of one size. */
struct pr_size_count {
    uint64_t bytes, count;
};

/* A place (leaf frame, nothing skipped) or a module, with what was allocated there. */
struct pr_top {
    pr_str name; /* "function:file:line", or a module's name */
    uint64_t bytes, count;
};

enum { PR_HISTOGRAM_BINS = 10, PR_TOP_COUNT = 5 };

/* Figures over the whole history of allocations. Not known for aggregated captures: `known` is false. */
struct pr_alloc_stats {
    bool known;
    uint64_t allocation_count, allocated_bytes;
    uint64_t count_by_allocator[PR_ALLOC_COUNT];
    struct pr_histogram_bin histogram[PR_HISTOGRAM_BINS];
    uint32_t histogram_count; /* 0 when there were no allocations */
    size_t size_count;
    const struct pr_size_count *sizes; /* what the histogram is made of, by size */
    struct pr_top by_size[PR_TOP_COUNT], by_count[PR_TOP_COUNT];
    uint32_t by_size_count, by_count_count;
    struct pr_top modules_by_size[PR_TOP_COUNT], modules_by_count[PR_TOP_COUNT];
    uint32_t modules_by_size_count, modules_by_count_count;
};

/*
 * A span of the run. Its high-water mark is exact: the latest moment in it at which the heap was highest, the state at
 * its start included.
 */
struct pr_bin {
    int64_t start_ms, end_ms; /* since the epoch */
    int64_t peak_bytes;
};

/* What a fact has at the high-water marks of `bin` and of the bins after it, until its next step; before: nothing. */
struct pr_step {
    uint32_t bin;
    int64_t bytes, count;
};

#define PR_NEVER UINT32_MAX

/* Allocations of a fact made in bin `from` and freed in a later bin `to`, or alive at the end: PR_NEVER. */
struct pr_lifetime {
    uint32_t from, to;
    int64_t bytes, count;
};

/* Objects of a fact that lived about as long. */
struct pr_life {
    uint32_t fact;
    uint32_t lived_ms;   /* of each, rounded down by less than 1.6 % */
    uint32_t longest_ms; /* exactly, of the one that lived longest */
    uint64_t count;
};

/*
 * Python objects, where a capture recorded when each was made and destroyed (memray's `track_object_lifetimes`): totals
 * of the run. By fact they are the metrics "objects" and "objects_alive". The record has neither their types nor their
 * sizes. Lives end at a destruction: what is alive at the end has none. Digests and sums of runs keep the metrics only.
 */
struct pr_objects {
    bool known;
    uint64_t created, destroyed, alive; /* created is the sum of the other two and of `replaced` */
    uint64_t replaced;     /* their address was used again, but no record shows when they ended */
    uint64_t older;        /* destroyed, but made before the recording began: not among those created */
    uint32_t step_ms;      /* lives are known to about this: records have no time, memory samples between them have */
    size_t life_count;
    const struct pr_life *lives; /* [life_count] by fact, then length */
};

/* What a GPU did in the steps of a trace, or from its first to its last work. Times of kinds of work may overlap. */
struct pr_device {
    const char *name; /* "GPU 0" */
    uint64_t steps;   /* 0 = none were marked */
    int64_t span_ns, busy_ns, kernel_ns, copy_ns, communication_ns;
    struct pr_maybe starved_ns; /* idle, and none of its later work was launched yet; not known without launches */
};

/* A device had no memory for an allocation; the figures are of that moment. */
struct pr_device_oom {
    const char *name;                 /* "device 0" */
    struct pr_maybe at_ms;            /* as times of series */
    uint64_t times;                   /* that it happened; the rest is of the first one */
    int64_t asked_bytes, device_free_bytes;
    int64_t reserved_bytes, free_bytes; /* by the program's allocator, and what of it was free */
    struct pr_maybe largest_bytes;    /* of the free parts */
};

/*
 * What ran in a slice of time: the fact's stack on its thread. What threads did is a layer, what devices did for them
 * another one; each has a metric, see pr_profile_slices_of.
 */
struct pr_slice {
    int64_t start_ns; /* since the first slice or moment of the profile */
    int64_t duration_ns;
    uint32_t fact, layer;
};

/* An object of a heap dump. */
struct pr_object {
    uint32_t id;   /* the same in all dumps of one process, for as long as the object lives */
    pr_str name;   /* its class */
    uint64_t size; /* shallow, in bytes */
};

/* What became of the objects of a class from the first dump of a process to the last one. */
struct pr_object_change {
    pr_str name;
    uint64_t new_count, gone_count, kept_count;
    int64_t new_bytes, gone_bytes; /* shallow */
};

/*
 * What a fact allocated at a moment, or in the time from it until the next one that is distinguished; or what an event
 * other than time counted, up to it.
 */
struct pr_moment {
    int64_t at_ns; /* since the first slice or moment; of a profile with time bins: since the start of the first bin */
    int64_t bytes; /* above 0; of an event: in its unit */
    uint32_t fact;
};

struct pr_profile {
    struct pr_arena arena; /* owns all that follows */
    struct pr_strings strings;
    struct pr_meta meta;
    struct pr_run run;
    struct pr_origin origin;

    uint32_t frame_count;
    const struct pr_frame *frames;
    struct pr_tree tree;
    const uint8_t *code; /* [frame_count] whose each frame is: ask profrender/owner.h; NULL: not found out yet */
    const struct pr_code_world *world; /* the library's: what all frames show together; NULL: not found out yet */
    /*
     * Of comprehensions, generator expressions and lambdas, which all have the same few names; NULL: there are none, or
     * not found out yet.
     */
    const pr_frame_id *around; /* [frame_count] a frame of the function that it is in; PR_NO_FRAME: unknown, or in its
                                  name, or this is none */
    const pr_str *shown; /* [frame_count] what people call it, "load › list comprehension"; of others, the name */

    uint32_t process_count, thread_count;
    const struct pr_process *processes;
    const struct pr_thread *threads; /* in the order of their first appearance */

    /* Facts, as columns. One for each (stack, hybrid stack, thread, allocator) that has a value other than 0. */
    size_t fact_count;
    const pr_node_id *fact_leaf;   /* leaf node of the Python stack; PR_ROOT = no stack */
    const pr_node_id *fact_hybrid; /* leaf node of the Python and native stack; NULL when the capture has none */
    const uint32_t *fact_thread;   /* index into threads */
    const uint8_t *fact_allocator; /* enum pr_allocator; NULL outside of memory */

    uint32_t part_count; /* 0: all of it comes from one input, or from several of one kind */
    const struct pr_part *parts;

    uint32_t metric_count; /* the first one is the main one */
    const struct pr_metric *metrics;

    /* Formats that record who calls whom, but no stacks: the tree is put together by shares, and tables take these. */
    bool tree_estimated;
    size_t exact_count;
    const pr_frame_id *exact_frame; /* [exact_count] the functions, each with a row in every metric's `exact` */
    const uint32_t *exact_thread;   /* [exact_count] index into threads, never decreasing */

    /* The order of time, where the format has it: by layer, thread, start. Facts stay exact if some were merged. */
    size_t slice_count; /* 0 = no order of time */
    const struct pr_slice *slices;
    bool slices_lack_clock; /* starts are sums of what was recorded before on the thread: order, not time */
    struct pr_maybe slices_start_ms; /* when start_ns 0 is, since the epoch; unknown: on a clock of their own */
    int64_t slice_resolution_ns; /* 0: as recorded; else those within this much time are one, with the longest's fact */

    /* What was allocated when, where the format has it: by time, then fact. */
    size_t moment_count; /* 0 = not known */
    const struct pr_moment *moments;
    int64_t moment_resolution_ns; /* 0: as recorded; else what is less than this apart may be one moment */

    /* What to know about how the input was read or recorded, a sentence each without the full stop; often none. */
    uint32_t note_count;
    const char *const *notes;

    /* Objects of a heap dump whose ids last, V8's, by id; only if pr_load_options.objects asks for them. */
    size_t object_count;
    const struct pr_object *objects_by_id;
    /* Of a difference of such dumps of one process, what grew most first; classes that only stayed are among them. */
    size_t object_change_count;
    const struct pr_object_change *object_changes;

    uint32_t device_count;
    const struct pr_device *devices;
    uint32_t device_oom_count; /* devices without memory, once each */
    const struct pr_device_oom *device_ooms;

    uint32_t series_count;
    const struct pr_series *series;

    /* The run in time; without history there are no bins, and the rest is NULL. See profrender/window.h. */
    uint32_t bin_count;
    const struct pr_bin *bins;
    const size_t *fact_first_step; /* [fact_count + 1]: those of fact i are first_step[i] to first_step[i + 1] - 1 */
    const struct pr_step *steps;   /* of each fact by bin */
    const size_t *fact_first_lifetime; /* [fact_count + 1] */
    const struct pr_lifetime *moves;   /* of each fact by `from`, then `to` */

    int64_t peak_bytes;         /* memray: the highest heap (metadata peak_memory) */
    struct pr_maybe peak_at_ms; /* the first sample in its bin that has all of it, else the end of the bin */
    uint32_t peak_bin;
    struct pr_records_read records;
    struct pr_alloc_stats stats;
    struct pr_objects objects;

    struct pr_damage damage; /* what was left out, bounded or made up: then it is not complete */
    bool is_difference;      /* of two runs or more, profrender/diff.h: what it has are not figures of one run */
    bool complete;           /* false: cut or damaged, or never finished by its writer */
    struct pr_error problem; /* why it is not complete; code is PR_ERR_NONE when it is */
};

/* Index of the metric called NAME, or -1. */
PR_API int pr_profile_metric(const struct pr_profile *profile, const char *name);

/* Index of the metric whose values the first layer of slices is, or -1: the profile has no order of time. */
PR_API int pr_profile_time_metric(const struct pr_profile *profile);

/* The slices of a metric; without any, `count` is 0. Borrowed from the profile. */
struct pr_slices {
    const struct pr_slice *slice;
    size_t count;
};
PR_API struct pr_slices pr_profile_slices_of(const struct pr_profile *profile, int metric);

/* Index of the metric whose values the moments are, or -1: the profile has none. */
PR_API int pr_profile_moment_metric(const struct pr_profile *profile);

/* Index of the series called NAME, or -1. */
PR_API int pr_profile_series(const struct pr_profile *profile, const char *name);

/*
 * True for allocation profiles (memray), whose facts have allocators. Others have samples, calls or another tool's
 * totals.
 */
static inline bool pr_profile_has_allocations(const struct pr_profile *profile)
{
    return profile->fact_allocator != NULL;
}

/* The leaf node of each fact in the tree that people look at: with native frames, where the profile has them. */
static inline const pr_node_id *pr_profile_shown_leaf(const struct pr_profile *profile)
{
    return profile->fact_hybrid ? profile->fact_hybrid : profile->fact_leaf;
}

/* True if this metric of the profile comes from a capture of allocations. */
static inline bool pr_metric_is_of_heap(const struct pr_profile *profile, const struct pr_metric *metric)
{
    return profile->fact_allocator && (!profile->part_count || profile->parts[metric->part].has_allocations);
}

/* True if this metric counts allocations, so that its facts have allocators: Python objects have none. */
static inline bool pr_metric_has_allocations(const struct pr_profile *profile, const struct pr_metric *metric)
{
    return metric->unit == PR_UNIT_BYTES && pr_metric_is_of_heap(profile, metric);
}

/* The bytes of STRING, borrowed. */
static inline struct pr_text pr_profile_text(const struct pr_profile *profile, pr_str string)
{
    return pr_strings_get(&profile->strings, string);
}

/*
 * Whether it counts calls. A call is not one of the calls below it, so a function's count is that of its own calls;
 * samples and allocations of what a function called are its own, too.
 */
PR_API bool pr_metric_counts_calls(const struct pr_metric *metric);

/*
 * Whether it is of a heap dump: "retained" of a dominator tree, whose frames are classes and fields and call nothing;
 * also "held_by", "unreachable" and "shallow".
 */
PR_API bool pr_metric_is_of_objects(const struct pr_metric *metric);

/* Whether it is time of asynchronous spans, which are open at the same time: no thread spent it. */
PR_API bool pr_metric_is_of_spans(const struct pr_metric *metric);

/*
 * Which threads are lanes of asynchronous spans and ran nothing: [thread_count], for the caller to free. NULL: there
 * are none, or no memory.
 */
PR_API bool *pr_profile_find_lanes(const struct pr_profile *profile);

/* Frees the profile; NULL is fine. */
PR_API void pr_profile_free(struct pr_profile *profile);

PR_DECLS_END

#endif
