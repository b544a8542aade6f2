/* SPDX-License-Identifier: Apache-2.0 */
#include "profrender/heap_words.h"

#include <string.h>

static bool is_of_devices(const char *format)
{
    return format && !strcmp(format, "torch-memory");
}

static bool is_of_programs(const char *format)
{
    return format && (!strcmp(format, "memray") || !strcmp(format, "heaptrack") || !strcmp(format, "massif") ||
                      !strcmp(format, "dhat"));
}

const struct pr_heap_words *pr_heap_words(const struct pr_profile *profile)
{
    static const struct pr_heap_words
        heap = {.name = "heap",
                .title = "Heap",
                .peak = "heap peak",
                .at_peak = "heap at its peak",
                .title_at_peak = "Heap at its peak",
                .title_of_peak = "Peak heap",
                .when_failed = "Heap when it failed",
                .always_empty = "The heap was always empty.",
                .meaning = "memory that the program had requested and not yet freed, used or not"},
        device = {.of_devices = true,
                  .name = "device memory",
                  .title = "Device memory",
                  .peak = "peak of device memory",
                  .at_peak = "device memory at its peak",
                  .title_at_peak = "Device memory at its peak",
                  .title_of_peak = "Peak device memory",
                  .when_failed = "Device memory when it failed",
                  .always_empty = "No device memory was ever allocated.",
                  .meaning = "memory of the GPUs that the program had requested and not yet freed"};
    bool of_devices = is_of_devices(profile->meta.format), of_programs = is_of_programs(profile->meta.format);
    for (uint32_t i = 0; i < profile->part_count; i++) {
        of_devices |= is_of_devices(profile->parts[i].format);
        of_programs |= is_of_programs(profile->parts[i].format);
    }
    return of_devices && !of_programs ? &device : &heap;
}
