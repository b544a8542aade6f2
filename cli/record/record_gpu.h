/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All GPUs that NVIDIA's management library knows, if it is there. It is loaded at run time, and it may take its time:
 * a separate thread asks it, and callers take the last complete figures.
 *
 *     struct pr_gpus *gpus = pr_gpus_start();      // NULL: no library
 *     pr_gpus_ask(gpus);                           // returns at once; the answer comes later
 *     uint32_t count = pr_gpus_take(gpus, readings);
 *     pr_gpus_stop(gpus);
 */
#ifndef PR_CLI_RECORD_RECORD_GPU_H
#define PR_CLI_RECORD_RECORD_GPU_H

#include <stdbool.h>
#include <stdint.h>

enum { PR_GPUS_MAX = 32, PR_GPU_NAME_BYTES = 96 };

struct pr_gpu_device {
    char name[PR_GPU_NAME_BYTES];
    char uuid[PR_GPU_NAME_BYTES];
    uint64_t memory_bytes; /* 0: not known */
};

/* What a device does not support is absent. */
struct pr_gpu_reading {
    bool has_use, has_memory, has_power, has_temperature;
    unsigned use_percent;
    uint64_t memory_bytes; /* in use, by all processes */
    unsigned power_milliwatts;
    unsigned temperature_celsius;
};

struct pr_gpus;

struct pr_gpus *pr_gpus_start(void);

/* How many devices there are, and what they are; 0 while the library is still starting, after at most WAIT_MS. */
uint32_t pr_gpus_devices(struct pr_gpus *gpus, int wait_ms, struct pr_gpu_device devices[PR_GPUS_MAX]);

void pr_gpus_ask(struct pr_gpus *gpus);

/* The last complete readings, each given once; 0 without new ones. */
uint32_t pr_gpus_take(struct pr_gpus *gpus, struct pr_gpu_reading readings[PR_GPUS_MAX]);

/* Waits a moment for the thread; one that the driver holds is left behind, with what it uses. GPUS may be NULL. */
void pr_gpus_stop(struct pr_gpus *gpus);

#endif
