/* SPDX-License-Identifier: Apache-2.0 */
/* Of several ids for a path the first counts. */
#include "capture/perf_data/perf_build_ids.h"

#include "capture/base/checked.h"

#include <stdio.h>

pr_str pr_perf_build_id(struct pr_perf *r, const uint8_t *bytes, size_t size)
{
    enum { MOST = 20 };
    char text[2 * MOST + 1] = "";
    while (size && !bytes[size - 1] && size > MOST) /* padding */
        size--;
    for (size_t i = 0; i < size && i < MOST; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return pr_build_text(&r->c, text);
}

void pr_perf_build_id_take(struct pr_perf *r, unsigned misc, struct pr_perf_bytes content)
{
    enum { HAS_SIZE = 1 << 15, ID_BYTES = 20 };
    pr_perf_skip(&content, sizeof(uint32_t)); /* of a process */
    struct pr_perf_bytes id = pr_perf_take(&content, ID_BYTES + 4);
    const struct pr_text path = pr_perf_text(content);
    if (content.failed || !path.length)
        return;
    const size_t size = misc & HAS_SIZE && id.at[ID_BYTES] <= ID_BYTES ? id.at[ID_BYTES] : ID_BYTES;
    const uint64_t key = pr_build_string(&r->c, path.bytes, path.length);
    r->build_id_paths.words = 1;
    const uint32_t known = r->build_id_paths.count;
    uint32_t index = PR_NO_ID;
    if (pr_grow(&r->build_id, &r->build_id_capacity, known + (size_t)1, sizeof *r->build_id))
        index = pr_idset_add(&r->build_id_paths, &key, 1);
    if (index == PR_NO_ID)
        pr_build_no_memory(&r->c);
    else if (index == known)
        r->build_id[index] = pr_perf_build_id(r, id.at, size);
}

pr_str pr_perf_build_id_of(const struct pr_perf *r, pr_str path)
{
    const uint64_t key = path;
    const uint32_t index = r->build_id_paths.count ? pr_idset_find(&r->build_id_paths, &key, 1) : PR_NO_ID;
    return index == PR_NO_ID ? 0 : r->build_id[index];
}

void pr_perf_build_ids_assign(struct pr_perf *r)
{
    for (uint32_t i = 0; i < r->places.file_keys.count; i++)
        if (!r->places.file[i].build_id)
            r->places.file[i].build_id = pr_perf_build_id_of(r, r->places.file[i].path);
    if (!r->places.kernel_build_id)
        r->places.kernel_build_id = pr_perf_build_id_of(r, pr_build_text(&r->c, "[kernel.kallsyms]"));
}
