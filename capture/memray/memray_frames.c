/* SPDX-License-Identifier: Apache-2.0 */
/* memray up to 11: frames by the ids that the file gives them. */
#include "capture/base/checked.h"
#include "capture/memray/memray.h"

#include <stdlib.h>

enum pr_status pr_memray_frames_add(struct pr_memray_frames *frames, uint64_t id, struct pr_memray_frame frame,
                                    struct pr_error *err)
{
    uint32_t known = frames->ids.count;
    frames->ids.words = 1;
    if (!pr_grow(&frames->frame, &frames->capacity, known + (size_t)1, sizeof *frames->frame))
        return pr_fail_memory(err);
    uint32_t number = pr_idset_add(&frames->ids, &id, 1);
    if (number == PR_NO_ID)
        return pr_fail_memory(err);
    if (number == known)
        frames->frame[number] = frame;
    return PR_OK;
}

const struct pr_memray_frame *pr_memray_frames_find(const struct pr_memray_frames *frames, uint64_t id)
{
    uint32_t number = pr_idset_find(&frames->ids, &id, 1);
    return number == PR_NO_ID ? NULL : &frames->frame[number];
}

void pr_memray_frames_clear(struct pr_memray_frames *frames)
{
    pr_idset_clear(&frames->ids);
    free(frames->frame);
}

pr_node_id pr_memray_frame_node(struct pr_memray *r, pr_node_id parent, uint64_t id)
{
    const struct pr_memray_frame *known = pr_memray_frames_find(&r->frames, id);
    if (known)
        return pr_stacks_node(&r->builder, parent, known->frame, known->entry);
    pr_frame_id nameless = pr_stacks_frame(&r->builder, 0, 0, 0, PR_FRAME_PYTHON);
    return nameless == PR_NO_ID ? PR_NO_ID : pr_stacks_node(&r->builder, parent, nameless, true);
}
