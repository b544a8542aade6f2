/* SPDX-License-Identifier: Apache-2.0 */
/* What reading a recording keeps: the profile so far, the chunk in hand, and what its constants became. */
#ifndef PR_CAPTURE_JFR_JFR_H
#define PR_CAPTURE_JFR_JFR_H

#include "capture/builder/profile_builder.h"
#include "capture/builder/series_builder.h"
#include "capture/heap/live_set.h"
#include "capture/jfr/jfr_chunk.h"
#include "capture/jfr/jfr_pools.h"

/* Numbers of fields within their types; PR_NO_ID where a type has no such field. */
struct pr_jfr_layout {
    uint32_t stack, stack_frames, stack_truncated;
    uint32_t frame, frame_method, frame_line, frame_kind;
    uint32_t method, method_class, method_name, method_descriptor;
    uint32_t klass, klass_name;
    uint32_t thread, thread_os_name, thread_os_id, thread_java_name, thread_java_id, thread_virtual;
};

/* A method of the chunk. */
struct pr_jfr_method {
    pr_str function, file;
    enum pr_frame_kind kind;
};

/* What constants of the chunk became, each by its key. */
struct pr_jfr_cache {
    struct pr_idset keys; /* what it is, the key */
    uint32_t *numbers;    /* [keys.count] a node, a thread, a method or a string */
    size_t capacity;
};

/* What the recording says about its sampling and its machine. */
struct pr_jfr_facts {
    int64_t sample_ns, native_ns, wall_ns; /* periods; 0 = not known */
    int64_t assumed_ns; /* the period for those that the recording does not have; 0: it has all */
    int64_t cpu_time_ns;
    int64_t hardware_threads;              /* 0 = not known */
    int64_t pauses, paused_ns, longest_pause_ns;
    int64_t lost_samples; /* of the CPU time's timer */
    int64_t stalls, stalled_ns; /* threads that waited for the collector to free memory */
    uint64_t truncated; /* stacks */
    uint64_t doubled;   /* events of allocations that others of the recording have, too */
    bool is_async;      /* async-profiler recorded it: it samples what runs, however much it is */
    bool is_wall;       /* and that by the time on the wall */
    bool is_wall_alone; /* no other clock takes samples: their order is that of the wall */
    int64_t interval;   /* as it was asked for, in ns or in what is counted; 0 = the default one */
    const char *counted; /* what a sample is taken of, if not of time: "page-faults"; in the profile's arena */
    bool has_weights;   /* the chunk has jdk.ObjectAllocationSample */
    pr_str version;     /* of the JVM */
    int64_t last_ns;    /* time of the latest event */
};

/* malloc, or free where `fact` is PR_NO_ID. */
struct pr_jfr_native_call {
    int64_t at_ns;
    uint64_t address;
    int64_t size;
    uint32_t fact;
};

struct pr_jfr_native {
    struct pr_jfr_native_call *calls; /* of the chunk */
    size_t count, capacity;
    struct pr_liveset live; /* facts + 1 */
};

/* A method that the JVM timed: the event with the most calls, and those of recordings before. */
struct pr_jfr_timed {
    uint64_t chunk_offset; /* of its last event */
    int64_t chunk_start_ns;
    int64_t at_ns, calls, ns;
    int64_t before_calls, before_ns;
};

struct pr_jfr_timings {
    struct pr_idset facts;
    struct pr_jfr_timed *timed; /* [facts.count], or more */
    size_t capacity;
};

struct pr_jfr {
    struct pr_profile_builder c;
    struct pr_timeline timeline;
    struct pr_jfr_chunk chunk;
    struct pr_jfr_types types;
    bool has_types;
    struct pr_jfr_pools pools;
    struct pr_jfr_layout layout;
    struct pr_jfr_cache cache;
    struct pr_jfr_cache systems; /* the thread that first had a number of the system, in all chunks */
    struct pr_jfr_method *methods;
    uint32_t method_count;
    size_t method_capacity;
    pr_frame_id *stack; /* of the stack in hand, innermost first */
    size_t stack_capacity;
    uint32_t process;
    struct pr_jfr_facts facts;
    struct pr_jfr_native native;
    struct pr_jfr_timings timings;
};

#endif
