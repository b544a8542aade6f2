/* SPDX-License-Identifier: Apache-2.0 */
/* Files and parts of the kernel, as mappings name them. */
#include "capture/perf_data/perf_places.h"

#include "capture/base/checked.h"

uint32_t pr_perf_file_add(struct pr_perf_places *places, const struct pr_perf_file *file)
{
    const uint64_t key = pr_pair(file->path, file->build_id);
    places->file_keys.words = 1;
    const uint32_t known = places->file_keys.count;
    uint32_t index = PR_NO_ID;
    if (pr_grow(&places->file, &places->file_capacity, known + (size_t)1, sizeof *places->file))
        index = pr_idset_add(&places->file_keys, &key, 1);
    if (index == PR_NO_ID)
        places->no_memory = true;
    else if (index == known || (!places->file[index].size_bytes && file->size_bytes))
        places->file[index] = *file;
    return index;
}

void pr_perf_kernel_add(struct pr_perf_places *places, const struct pr_perf_kernel_part *part)
{
    enum { MAX_PARTS = 1 << 20 };
    if (places->part_count >= MAX_PARTS || part->size_bytes > UINT64_MAX - part->start)
        return;
    if (!pr_grow(&places->part, &places->part_capacity, places->part_count + 1, sizeof *places->part) ||
        !pr_spans_add(&places->parts, part->start, part->start + part->size_bytes, (uint32_t)places->part_count)) {
        places->no_memory = true;
        return;
    }
    places->part[places->part_count++] = *part;
}

void pr_perf_places_clear(struct pr_perf_places *places)
{
    pr_idset_clear(&places->keys);
    pr_idset_clear(&places->file_keys);
    pr_spans_clear(&places->parts);
    free(places->file);
    free(places->part);
}
