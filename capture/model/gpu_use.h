/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run's samples say of a GPU, which other programs may use too.
 *
 *     struct pr_gpu_use gpu;
 *     for (uint32_t at = 0; pr_gpu_use_next(profile, &at, &gpu);)
 *         printf("%s: %" PRId64 " ns busy\n", gpu.name, gpu.busy_ns);
 */
#ifndef PR_CAPTURE_MODEL_GPU_USE_H
#define PR_CAPTURE_MODEL_GPU_USE_H

#include "profrender/profile.h"

struct pr_gpu_use {
    const char *name;                      /* "GPU 0"; "GPU": of all devices together */
    const struct pr_series *load, *memory; /* at least two points, or NULL */

    /* Of LOAD; without it, 0. Idle is where no kernel ran from one sample to the next. */
    int64_t span_ns, busy_ns, idle_ns;
    struct pr_maybe cores_while_idle; /* that the run kept busy meanwhile, in thousandths */

    /* Of MEMORY, with all programs that used it; without it, 0. */
    int64_t peak_bytes, peak_at_ms;
};

/* The next GPU from series *AT on, in their order. False: there are no more. */
bool pr_gpu_use_next(const struct pr_profile *profile, uint32_t *at, struct pr_gpu_use *gpu);

/* The share of its time in which it was busy, in thousandths of a percent. LOAD has a span. */
int64_t pr_gpu_use_mean(const struct pr_gpu_use *gpu);

#endif
