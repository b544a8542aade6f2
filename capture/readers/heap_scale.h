/* SPDX-License-Identifier: Apache-2.0 */
/* What a sample of one in RATE bytes represents. Source: google/pprof profile/legacy_profile.go, scaleHeapSample. */
#ifndef PR_CAPTURE_READERS_HEAP_SCALE_H
#define PR_CAPTURE_READERS_HEAP_SCALE_H

#include "capture/base/decimal.h"

#include <math.h>
#include <stdint.h>

/* n objects of mean size s represent n / (1 - exp(-s / RATE)). RATE 0: all were counted. */
static inline void pr_heap_scale(double rate, int64_t *count, int64_t *bytes)
{
    if (rate <= 0 || *count <= 0 || *bytes <= 0)
        return;
    const double mean = (double)*bytes / (double)*count, factor = -1 / expm1(-mean / rate);
    *count = pr_double_scaled((double)*count, factor);
    *bytes = pr_double_scaled((double)*bytes, factor);
}

#endif
