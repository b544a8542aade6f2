/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace of PyTorch shows of each device: how long it worked, and how long it had nothing to do because its next
 * work was not launched yet.
 *
 * Kernels, copies and memsets carry args.device and args.correlation; the call of CUDA's or HIP's runtime that launched
 * one has the same correlation. Steps are annotations "ProfilerStep#12". Communication is kernels of NCCL and RCCL.
 *
 * What a stack launched is a metric of its own, "gpu": the work is below the call that launched it, so that each
 * function and operator has the time of devices that it caused, as the profiler's own tables have it.
 *
 * Source: kineto/libkineto/src/output_json.cpp and its categories of activities: kernel, gpu_memcpy, gpu_memset,
 * cuda_runtime, cuda_driver; PyTorch 1.8 to 1.11 write Kernel, Memcpy, Memset, Runtime.
 */
#ifndef PR_CAPTURE_READERS_DEVICE_WORK_H
#define PR_CAPTURE_READERS_DEVICE_WORK_H

#include "capture/builder/profile_builder.h"

enum { PR_DEVICE_LAYER = 1 /* of the slices of time */ };

enum pr_device_kind { PR_DEVICE_KERNEL, PR_DEVICE_COPY, PR_DEVICE_COMMUNICATION, PR_DEVICE_KINDS };

struct pr_device_event {
    int64_t start_ns, end_ns;
    int64_t correlation; /* -1 = none */
    uint32_t device;
    uint32_t kind;       /* enum pr_device_kind */
    pr_frame_id frame;   /* of the work, or of the call that launches it */
    uint32_t thread;     /* that of the call */
    pr_node_id node;     /* of the call, PR_ROOT = not met yet */
};

struct pr_device_work {
    struct pr_device_event *works, *launches;
    size_t work_count, work_capacity, launch_count, launch_capacity;
    size_t met; /* launches of calls that pr_device_work_meet has passed */
    uint64_t steps;
    int64_t first_ns, last_ns; /* of the steps */
    bool failed;               /* no memory */
};

/* Work on a device; NAME is that of its kernel. False: it is none that can be counted. */
bool pr_device_work_add(struct pr_device_work *all, struct pr_device_event event, struct pr_text name);

/* A call that launches work: start, correlation, frame and thread. */
void pr_device_work_launch(struct pr_device_work *all, struct pr_device_event call);

/*
 * When all launches are known: each call is shown in the order of threads, then of beginnings, with its place in the
 * tree.
 */
void pr_device_work_order(struct pr_device_work *all);
void pr_device_work_meet(struct pr_device_work *all, uint32_t thread, int64_t start_ns, pr_frame_id frame,
                         pr_node_id node);

/* An annotation; others than steps are ignored. */
void pr_device_work_annotation(struct pr_device_work *all, struct pr_text name, int64_t start_ns, int64_t end_ns);

/* Makes profile->devices, a note for each, and the metric of what stacks launched. */
void pr_device_work_finish(struct pr_device_work *all, struct pr_profile_builder *c);

void pr_device_work_clear(struct pr_device_work *all);

#endif
