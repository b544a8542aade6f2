/* SPDX-License-Identifier: Apache-2.0 */
/* A key has at most four numbers of 32 bits and a frame has five, so function and file get a number first. */
#include "capture/model/frame_table.h"

void pr_frame_table_init(struct pr_frame_table *table)
{
    *table = (struct pr_frame_table){.names = {.words = 1}, .frames = {.words = 2}};
}

void pr_frame_table_clear(struct pr_frame_table *table)
{
    pr_idset_clear(&table->names);
    pr_idset_clear(&table->frames);
}

pr_frame_id pr_frame_table_add(struct pr_frame_table *table, const struct pr_frame *frame)
{
    if (frame->function == PR_NO_STR || frame->file == PR_NO_STR)
        return PR_NO_ID;
    const uint64_t name = pr_pair(frame->function, frame->file);
    const uint32_t name_id = pr_idset_add(&table->names, &name, 1);
    const uint64_t key[2] = {pr_pair(name_id, (uint32_t)frame->line),
                             pr_pair((uint32_t)frame->definition_line, frame->kind)};
    return name_id == PR_NO_ID ? PR_NO_ID : pr_idset_add(&table->frames, key, 2);
}

struct pr_frame pr_frame_table_get(const struct pr_frame_table *table, pr_frame_id id)
{
    const uint64_t *key = &table->frames.keys[(size_t)id * 2], name = table->names.keys[pr_high(key[0])];
    return (struct pr_frame){.function = pr_high(name),
                             .file = pr_low(name),
                             .line = (int32_t)pr_low(key[0]),
                             .kind = pr_low(key[1]),
                             .definition_line = (int32_t)pr_high(key[1])};
}
