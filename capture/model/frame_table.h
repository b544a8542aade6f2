/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, each kept once: its number is that of its first appearance.
 *
 *     struct pr_frame_table table;
 *     pr_frame_table_init(&table);
 *     pr_frame_id id = pr_frame_table_add(&table, &frame);     // PR_NO_ID: no memory
 *     frame = pr_frame_table_get(&table, id);
 *     pr_frame_table_clear(&table);
 *
 * Takes any frame. A reader's frames are of a narrower range and are added once for each call that a capture records,
 * so that a stack table packs them into one set with pr_frame_pack.
 */
#ifndef PR_CAPTURE_MODEL_FRAME_TABLE_H
#define PR_CAPTURE_MODEL_FRAME_TABLE_H

#include "capture/base/idset.h"
#include "profrender/profile.h"

struct pr_frame_table {
    struct pr_idset names;  /* (function, file) */
    struct pr_idset frames; /* (name, line), (definition line, kind) */
};

void pr_frame_table_init(struct pr_frame_table *table);
void pr_frame_table_clear(struct pr_frame_table *table);

/* The number of FRAME, which is added if it is new. PR_NO_ID: no memory, or a string of it is PR_NO_STR. */
pr_frame_id pr_frame_table_add(struct pr_frame_table *table, const struct pr_frame *frame);

struct pr_frame pr_frame_table_get(const struct pr_frame_table *table, pr_frame_id id);

enum { PR_MAX_DEFINITION_LINE = (1 << 30) - 1 };

/* A frame whose lines are not below 0, and whose definition line is PR_MAX_DEFINITION_LINE at most, as a key. */
static inline void pr_frame_pack(const struct pr_frame *frame, uint64_t key[2])
{
    key[0] = pr_pair(frame->function, frame->file);
    key[1] = pr_pair((uint32_t)frame->line, (uint32_t)frame->definition_line << 2 | frame->kind);
}

static inline struct pr_frame pr_frame_unpack(const uint64_t key[2])
{
    return (struct pr_frame){.function = pr_high(key[0]),
                             .file = pr_low(key[0]),
                             .line = (int32_t)pr_high(key[1]),
                             .kind = pr_low(key[1]) & 3,
                             .definition_line = (int32_t)(pr_low(key[1]) >> 2)};
}

#endif
