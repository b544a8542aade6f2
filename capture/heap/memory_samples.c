/* SPDX-License-Identifier: Apache-2.0 */
/* Memory samples: varints of differences in, columns out. */
#include "capture/heap/memory_samples.h"

#include "capture/base/checked.h"
#include "capture/base/delta_varint.h"
#include "profrender/heap_words.h"

#include <stdlib.h>

enum { MAX_SAMPLE_BYTES = 3 * PR_DIFFERENCE_BYTES };

bool pr_memory_samples_add(struct pr_memory_samples *samples, int64_t at_ms, int64_t rss_bytes, int64_t heap_bytes)
{
    if (!pr_grow(&samples->bytes, &samples->capacity, samples->length + MAX_SAMPLE_BYTES, 1))
        return false;
    uint8_t *at = samples->bytes + samples->length;
    at = pr_difference_put(at, samples->last_ms, at_ms);
    at = pr_difference_put(at, samples->last_rss, rss_bytes);
    at = pr_difference_put(at, samples->last_heap, heap_bytes);
    samples->length = (size_t)(at - samples->bytes);
    samples->last_ms = at_ms;
    samples->last_rss = rss_bytes;
    samples->last_heap = heap_bytes;
    samples->count++;
    return true;
}

enum pr_status pr_memory_samples_finish(const struct pr_memory_samples *samples, bool has_heap,
                                        struct pr_profile *profile, struct pr_error *err)
{
    size_t count = samples->count;
    struct pr_series *series = pr_arena_array(&profile->arena, 2, sizeof *series);
    int64_t *at_ms = pr_arena_array(&profile->arena, count, sizeof *at_ms);
    int64_t *rss = pr_arena_array(&profile->arena, count, sizeof *rss);
    int64_t *heap = pr_arena_array(&profile->arena, count, sizeof *heap);
    if (!series || !at_ms || !rss || !heap)
        return pr_fail_memory(err);
    const uint8_t *at = samples->bytes;
    int64_t now[3] = {0};
    for (size_t i = 0; i < count; i++) {
        at = pr_difference_get(at, &now[0]);
        at = pr_difference_get(at, &now[1]);
        at = pr_difference_get(at, &now[2]);
        at_ms[i] = now[0];
        rss[i] = now[1];
        heap[i] = now[2];
    }
    series[0] = (struct pr_series){"rss", "RSS", PR_UNIT_BYTES, count, at_ms, rss};
    series[1] = (struct pr_series){"heap", pr_heap_words(profile)->title, PR_UNIT_BYTES, count, at_ms, heap};
    profile->series = series;
    profile->series_count = !count ? 0 : has_heap ? 2 : 1;
    return PR_OK;
}

void pr_memory_samples_clear(struct pr_memory_samples *samples)
{
    free(samples->bytes);
    *samples = (struct pr_memory_samples){0};
}
