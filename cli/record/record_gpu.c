/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source: nvml.h of NVML's API reference, and nvidia-ml-py 13.615 for the layout of the structures. Tried on an H200
 * with driver 580.159, beside nvidia-smi; the tests have the library of tests/record/nvml.c.
 */
#include "cli/record/record_gpu.h"

#include "capture/base/time.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- NVML ------------------------------------------------------------------------------------------------------- */

typedef void *device; /* nvmlDevice_t */

struct utilization { unsigned gpu, memory; };             /* nvmlUtilization_t: percent */
struct memory { unsigned long long total, free, used; };  /* nvmlMemory_t: bytes; the driver's own count as used */

struct memory_v2 { /* nvmlMemory_v2_t: the same, and what the driver keeps for itself is apart, as in nvidia-smi */
    unsigned version;
    unsigned long long total, reserved, free, used;
};

enum { MEMORY_V2 = sizeof(struct memory_v2) | 2 << 24 }; /* NVML_STRUCT_VERSION(Memory, 2) */

enum { SENSOR_GPU = 0, GOOD = 0 };

/* All return 0 on success. Those with a number in the name replaced others, long ago. */
struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, device *handle);
    int (*name)(device handle, char *name, unsigned length);
    int (*uuid)(device handle, char *uuid, unsigned length);
    int (*use)(device handle, struct utilization *use);
    int (*memory)(device handle, struct memory *memory);
    int (*memory_v2)(device handle, struct memory_v2 *memory); /* NULL before driver 510 */
    int (*power)(device handle, unsigned *milliwatts);
    int (*temperature)(device handle, int sensor, unsigned *celsius);
};

/* POSIX lets dlsym() return functions as data pointers; C has no conversion for it. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(void *library, struct nvml *nvml)
{
    find(library, "nvmlDeviceGetMemoryInfo_v2", &nvml->memory_v2);
    return find(library, "nvmlInit_v2", &nvml->init) && find(library, "nvmlShutdown", &nvml->shutdown) &&
           find(library, "nvmlDeviceGetCount_v2", &nvml->count) &&
           find(library, "nvmlDeviceGetHandleByIndex_v2", &nvml->handle) &&
           find(library, "nvmlDeviceGetName", &nvml->name) && find(library, "nvmlDeviceGetUUID", &nvml->uuid) &&
           find(library, "nvmlDeviceGetUtilizationRates", &nvml->use) &&
           find(library, "nvmlDeviceGetMemoryInfo", &nvml->memory) &&
           find(library, "nvmlDeviceGetPowerUsage", &nvml->power) &&
           find(library, "nvmlDeviceGetTemperature", &nvml->temperature);
}

/* ---- the thread ------------------------------------------------------------------------------------------------- */

struct pr_gpus {
    struct nvml nvml;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool ready, finished; /* the devices are known; the thread has ended */
    bool asked, stop, fresh;
    uint32_t count;
    struct pr_gpu_device devices[PR_GPUS_MAX];
    struct pr_gpu_reading readings[PR_GPUS_MAX];
    device handles[PR_GPUS_MAX]; /* of the thread alone */
};

static bool read_memory(const struct nvml *nvml, device handle, struct memory *memory)
{
    struct memory_v2 better = {.version = MEMORY_V2};
    if (!nvml->memory_v2 || nvml->memory_v2(handle, &better) != GOOD)
        return nvml->memory(handle, memory) == GOOD;
    *memory = (struct memory){better.total, better.free, better.used};
    return true;
}

static uint32_t find_devices(struct pr_gpus *gpus, struct pr_gpu_device devices[PR_GPUS_MAX])
{
    const struct nvml *nvml = &gpus->nvml;
    unsigned count = 0;
    uint32_t found = 0;
    if (nvml->count(&count) != GOOD)
        return 0;
    for (unsigned i = 0; i < count && found < PR_GPUS_MAX; i++) {
        struct pr_gpu_device *one = &devices[found];
        struct memory memory;
        if (nvml->handle(i, &gpus->handles[found]) != GOOD)
            continue;
        *one = (struct pr_gpu_device){.memory_bytes = 0};
        if (nvml->name(gpus->handles[found], one->name, sizeof one->name) != GOOD)
            one->name[0] = '\0';
        if (nvml->uuid(gpus->handles[found], one->uuid, sizeof one->uuid) != GOOD)
            one->uuid[0] = '\0';
        if (read_memory(nvml, gpus->handles[found], &memory))
            one->memory_bytes = memory.total;
        one->name[sizeof one->name - 1] = one->uuid[sizeof one->uuid - 1] = '\0';
        found++;
    }
    return found;
}

static void read_device(const struct nvml *nvml, device handle, struct pr_gpu_reading *reading)
{
    struct utilization use;
    struct memory memory;
    *reading = (struct pr_gpu_reading){.has_use = nvml->use(handle, &use) == GOOD,
                                       .has_memory = read_memory(nvml, handle, &memory)};
    if (reading->has_use)
        reading->use_percent = use.gpu;
    if (reading->has_memory)
        reading->memory_bytes = memory.used;
    reading->has_power = nvml->power(handle, &reading->power_milliwatts) == GOOD;
    reading->has_temperature = nvml->temperature(handle, SENSOR_GPU, &reading->temperature_celsius) == GOOD;
}

/* Answers until it is told to stop. The library is never called with the lock held. */
static void answer(struct pr_gpus *gpus, uint32_t count)
{
    struct pr_gpu_reading readings[PR_GPUS_MAX];
    pthread_mutex_lock(&gpus->lock);
    while (!gpus->stop) {
        if (!gpus->asked) {
            pthread_cond_wait(&gpus->changed, &gpus->lock);
            continue;
        }
        gpus->asked = false;
        pthread_mutex_unlock(&gpus->lock);
        for (uint32_t i = 0; i < count; i++)
            read_device(&gpus->nvml, gpus->handles[i], &readings[i]);
        pthread_mutex_lock(&gpus->lock);
        memcpy(gpus->readings, readings, count * sizeof *readings);
        gpus->fresh = true;
    }
    pthread_mutex_unlock(&gpus->lock);
}

static void *run(void *argument)
{
    struct pr_gpus *gpus = argument;
    struct pr_gpu_device devices[PR_GPUS_MAX];
    const bool started = gpus->nvml.init() == GOOD;
    const uint32_t count = started ? find_devices(gpus, devices) : 0;
    pthread_mutex_lock(&gpus->lock);
    memcpy(gpus->devices, devices, count * sizeof *devices);
    gpus->count = count;
    gpus->ready = true;
    pthread_cond_broadcast(&gpus->changed);
    pthread_mutex_unlock(&gpus->lock);
    if (count)
        answer(gpus, count);
    if (started)
        gpus->nvml.shutdown();
    pthread_mutex_lock(&gpus->lock);
    gpus->finished = true;
    pthread_cond_broadcast(&gpus->changed);
    pthread_mutex_unlock(&gpus->lock);
    return NULL;
}

/* Signals are the business of the thread that waits for the command. */
static bool start_thread(struct pr_gpus *gpus)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&gpus->thread, NULL, run, gpus) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

struct pr_gpus *pr_gpus_start(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NULL;
    struct pr_gpus *gpus = calloc(1, sizeof *gpus);
    pthread_condattr_t clock;
    if (!gpus || !find_all(library, &gpus->nvml) || pthread_condattr_init(&clock) != 0) {
        free(gpus);
        dlclose(library);
        return NULL;
    }
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&gpus->lock, NULL);
    pthread_cond_init(&gpus->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (start_thread(gpus)) /* the library stays loaded: the driver may have started threads of its own */
        return gpus;
    free(gpus);
    return NULL;
}

/* Waits for *FLAG, with the lock held. */
static void wait_for(struct pr_gpus *gpus, const bool *flag, int wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_ms / 1000;
    until.tv_nsec += wait_ms % 1000 * PR_NS_PER_MS;
    if (until.tv_nsec >= PR_NS_PER_S) {
        until.tv_nsec -= PR_NS_PER_S;
        until.tv_sec++;
    }
    while (!*flag && pthread_cond_timedwait(&gpus->changed, &gpus->lock, &until) != ETIMEDOUT) {
    }
}

uint32_t pr_gpus_devices(struct pr_gpus *gpus, int wait_ms, struct pr_gpu_device devices[PR_GPUS_MAX])
{
    uint32_t count = 0;
    if (!gpus)
        return 0;
    pthread_mutex_lock(&gpus->lock);
    wait_for(gpus, &gpus->ready, wait_ms);
    if (gpus->ready)
        count = gpus->count;
    memcpy(devices, gpus->devices, count * sizeof *devices);
    pthread_mutex_unlock(&gpus->lock);
    return count;
}

void pr_gpus_ask(struct pr_gpus *gpus)
{
    if (!gpus)
        return;
    pthread_mutex_lock(&gpus->lock);
    gpus->asked = true;
    pthread_cond_broadcast(&gpus->changed);
    pthread_mutex_unlock(&gpus->lock);
}

uint32_t pr_gpus_take(struct pr_gpus *gpus, struct pr_gpu_reading readings[PR_GPUS_MAX])
{
    uint32_t count = 0;
    if (!gpus)
        return 0;
    pthread_mutex_lock(&gpus->lock);
    if (gpus->fresh)
        count = gpus->count;
    memcpy(readings, gpus->readings, count * sizeof *readings);
    gpus->fresh = false;
    pthread_mutex_unlock(&gpus->lock);
    return count;
}

void pr_gpus_stop(struct pr_gpus *gpus)
{
    enum { LONGEST_MS = 500 };
    if (!gpus)
        return;
    pthread_mutex_lock(&gpus->lock);
    gpus->stop = true;
    pthread_cond_broadcast(&gpus->changed);
    wait_for(gpus, &gpus->finished, LONGEST_MS);
    const bool finished = gpus->finished;
    pthread_mutex_unlock(&gpus->lock);
    if (!finished)
        return;
    pthread_join(gpus->thread, NULL);
    pthread_cond_destroy(&gpus->changed);
    pthread_mutex_destroy(&gpus->lock);
    free(gpus);
}
