/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace of PyTorch shows of each device: how long it worked, and how long it had nothing to do because its next
 * work was not launched yet.
 *
 * Kernels, copies and memsets carry args.device and args.correlation; the call of CUDA's or HIP's runtime that launched
 * one has the same correlation. Steps are annotations "ProfilerStep#12". Communication is kernels of NCCL and RCCL.
 *
 * Source: kineto/libkineto/src/output_json.cpp and its categories of activities: kernel, gpu_memcpy, gpu_memset,
 * cuda_runtime, cuda_driver; PyTorch 1.8 to 1.11 write Kernel, Memcpy, Memset, Runtime.
 */
#ifndef PR_CAPTURE_READERS_DEVICE_WORK_H
#define PR_CAPTURE_READERS_DEVICE_WORK_H

#include "capture/builder/profile_builder.h"

enum pr_device_kind { PR_DEVICE_KERNEL, PR_DEVICE_COPY, PR_DEVICE_COMMUNICATION, PR_DEVICE_KINDS };

struct pr_device_event {
    int64_t start_ns, end_ns;
    int64_t correlation; /* -1 = none */
    uint32_t device;
    uint32_t kind; /* enum pr_device_kind */
};

struct pr_device_work {
    struct pr_device_event *works, *launches;
    size_t work_count, work_capacity, launch_count, launch_capacity;
    uint64_t steps;
    int64_t first_ns, last_ns; /* of the steps */
    bool failed;               /* no memory */
};

/* Work on a device; NAME is that of its kernel. */
void pr_device_work_add(struct pr_device_work *all, struct pr_device_event event, struct pr_text name);

/* A call that launches work. */
void pr_device_work_launch(struct pr_device_work *all, int64_t correlation, int64_t start_ns);

/* An annotation; others than steps are ignored. */
void pr_device_work_annotation(struct pr_device_work *all, struct pr_text name, int64_t start_ns, int64_t end_ns);

/* Makes profile->devices and a note for each. */
void pr_device_work_finish(struct pr_device_work *all, struct pr_profile_builder *c);

void pr_device_work_clear(struct pr_device_work *all);

#endif
