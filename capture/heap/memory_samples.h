/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All memory samples of a capture, packed: a day of memray's 10 ms samples is 8.6 million, about 8 bytes each here.
 */
#ifndef PR_CAPTURE_HEAP_MEMORY_SAMPLES_H
#define PR_CAPTURE_HEAP_MEMORY_SAMPLES_H

#include "profrender/profile.h"

struct pr_memory_samples {
    uint8_t *bytes; /* zigzag varints: differences of time, resident and heap bytes from the previous sample */
    size_t length, capacity;
    size_t count;
    int64_t last_ms, last_rss, last_heap;
};

/* False: out of memory. */
bool pr_memory_samples_add(struct pr_memory_samples *samples, int64_t at_ms, int64_t rss_bytes, int64_t heap_bytes);

/*
 * The samples as two series, "rss" and "heap", in PROFILE. HAS_HEAP false leaves the heap out. PR_FAILED: out of
 * memory.
 */
enum pr_status pr_memory_samples_finish(const struct pr_memory_samples *samples, bool has_heap,
                                        struct pr_profile *profile, struct pr_error *err);
void pr_memory_samples_clear(struct pr_memory_samples *samples);

#endif
