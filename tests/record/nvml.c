/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces NVIDIA's library where there is no device: two GPUs, the second one without power, temperature and what the
 * driver keeps, like virtual ones, and a slow start, like the real one's.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { GOOD = 0, NOT_SUPPORTED = 3 };

static int numbers[2] = {0, 1};

int nvmlInit_v2(void)
{
    const struct timespec time = {.tv_nsec = 50 * 1000000};
    return nanosleep(&time, NULL) == 0 ? GOOD : 1;
}

int nvmlShutdown(void)
{
    return GOOD;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 2;
    return GOOD;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle)
{
    *handle = &numbers[index];
    return GOOD;
}

int nvmlDeviceGetName(void *handle, char *name, unsigned length)
{
    snprintf(name, length, "Stand-in %d", *(int *)handle);
    return GOOD;
}

int nvmlDeviceGetUUID(void *handle, char *uuid, unsigned length)
{
    snprintf(uuid, length, "GPU-%d", *(int *)handle);
    return GOOD;
}

int nvmlDeviceGetUtilizationRates(void *handle, struct { unsigned gpu, memory; } *use)
{
    use->gpu = *(int *)handle ? 30 : 90;
    use->memory = 1;
    return GOOD;
}

/* What the driver keeps of the first GPU counts as used here, and not in the second version of the question. */
int nvmlDeviceGetMemoryInfo(void *handle, struct { unsigned long long total, free, used; } *memory)
{
    memory->total = 16ULL << 30;
    memory->used = *(int *)handle ? 3ULL << 30 : (1ULL << 30) + (600ULL << 20);
    memory->free = memory->total - memory->used;
    return GOOD;
}

int nvmlDeviceGetMemoryInfo_v2(void *handle,
                               struct { unsigned version; unsigned long long total, reserved, free, used; } *memory)
{
    if (*(int *)handle || memory->version != (sizeof *memory | 2 << 24))
        return NOT_SUPPORTED;
    memory->total = 16ULL << 30;
    memory->reserved = 600ULL << 20;
    memory->used = 1ULL << 30;
    memory->free = memory->total - memory->reserved - memory->used;
    return GOOD;
}

int nvmlDeviceGetPowerUsage(void *handle, unsigned *milliwatts)
{
    *milliwatts = 250500;
    return *(int *)handle ? NOT_SUPPORTED : GOOD;
}

int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *celsius)
{
    *celsius = 61;
    return sensor || *(int *)handle ? NOT_SUPPORTED : GOOD;
}
