/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs by the names of their series: gpu and gpu_memory of all together, gpu0 and gpu0_memory of one. */
#include "capture/model/gpu_use.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/base/decimal.h"
#include "capture/base/time.h"
#include "capture/model/run_figures.h"

#include <stdio.h>
#include <string.h>

static const char memory_ending[] = "_memory";

/* Length of "gpu0" in "gpu0" and in "gpu0_memory"; 0: the series is of something else. */
static size_t device_length(const struct pr_series *series)
{
    size_t length = 3;
    if (strncmp(series->name, "gpu", length) != 0)
        return 0;
    while (pr_is_digit(series->name[length]))
        length++;
    return !series->name[length] || !strcmp(series->name + length, memory_ending) ? length : 0;
}

static const struct pr_series *find(const struct pr_profile *profile, const char *device, int length,
                                    const char *ending)
{
    char name[40];
    snprintf(name, sizeof name, "%.*s%s", length, device, ending);
    const struct pr_series *series = pr_run_series(profile, name);
    return series && series->count > 1 ? series : NULL;
}

static int64_t ns_between(const struct pr_series *series, size_t from, size_t to)
{
    const int64_t ms = pr_subtract_saturated(series->at_ms[to], series->at_ms[from]);
    return pr_maybe_times((struct pr_maybe){true, ms}, PR_NS_PER_MS).value;
}

/* A sample covers the time since the one before. CPU samples have the same moments, or say nothing of them. */
static void measure_load(const struct pr_profile *profile, struct pr_gpu_use *gpu)
{
    const struct pr_series *load = gpu->load, *cpu = pr_run_series(profile, "cpu");
    double worked = 0, known_ns = 0;
    size_t at = 0;
    for (size_t i = 1; i < load->count; i++) {
        const int64_t ns = ns_between(load, i - 1, i);
        if (load->value[i])
            continue;
        pr_add_to(&gpu->idle_ns, ns);
        while (cpu && at < cpu->count && cpu->at_ms[at] < load->at_ms[i])
            at++;
        if (cpu && at < cpu->count && cpu->at_ms[at] == load->at_ms[i]) {
            worked += (double)cpu->value[at] * (double)ns;
            known_ns += (double)ns;
        }
    }
    gpu->span_ns = ns_between(load, 0, load->count - 1);
    gpu->busy_ns = pr_run_sum(profile, load->name).value;
    if (gpu->idle_ns && known_ns >= (double)gpu->idle_ns)
        gpu->cores_while_idle = (struct pr_maybe){true, pr_double_scaled(worked / known_ns, 1)};
}

static void measure_memory(struct pr_gpu_use *gpu)
{
    const struct pr_series *memory = gpu->memory;
    const size_t best = pr_series_highest(memory);
    gpu->peak_bytes = memory->value[best];
    gpu->peak_at_ms = memory->at_ms[best];
}

bool pr_gpu_use_next(const struct pr_profile *profile, uint32_t *at, struct pr_gpu_use *gpu)
{
    while (*at < profile->series_count) {
        const struct pr_series *series = &profile->series[(*at)++];
        const int length = (int)device_length(series);
        if (!length)
            continue;
        *gpu = (struct pr_gpu_use){.name = series->title,
                                   .load = find(profile, series->name, length, ""),
                                   .memory = find(profile, series->name, length, memory_ending)};
        if (gpu->load && gpu->load != series)
            continue; /* it comes with its load */
        if (gpu->load)
            measure_load(profile, gpu);
        if (gpu->memory)
            measure_memory(gpu);
        if (gpu->load || gpu->memory)
            return true;
    }
    return false;
}

int64_t pr_gpu_use_mean(const struct pr_gpu_use *gpu)
{
    enum { FULL = 100 * 1000 };
    return gpu->span_ns > 0 ? pr_double_scaled((double)gpu->busy_ns / (double)gpu->span_ns, FULL) : 0;
}
