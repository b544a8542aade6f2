/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, stacks, threads and facts, each kept once. */
#include "capture/builder/stack_table.h"

#include "capture/base/checked.h"

#include <stdlib.h>

static const uint64_t root_key = UINT64_MAX;

static uint32_t limited(uint64_t limit, uint32_t most)
{
    return limit && limit < most ? (uint32_t)limit : most;
}

enum pr_status pr_stacks_init(struct pr_stack_table *builder, struct pr_profile *profile,
                              const struct pr_limits *limits, struct pr_error *err)
{
    *builder = (struct pr_stack_table){
        .profile = profile,
        .frames = {.words = 2, .limit = limited(limits->max_frames, UINT32_MAX >> 1)}, /* a bit is the entry flag */
        .nodes = {.words = 1, .limit = limited(limits->max_nodes, UINT32_MAX - 1)},
        .threads = {.words = 1, .limit = limited(limits->max_threads, UINT32_MAX - 1)},
        .facts = {.words = 2, .limit = UINT32_MAX - 1},
    };
    if (pr_idset_add(&builder->nodes, &root_key, 1) != PR_ROOT)
        return pr_fail_memory(err);
    return PR_OK;
}

static bool is_full(const struct pr_idset *set)
{
    return set->limit && set->count >= set->limit;
}

bool pr_stacks_is_full(const struct pr_stack_table *builder)
{
    return is_full(&builder->frames) || is_full(&builder->threads) ||
           (!builder->fold.most && (is_full(&builder->nodes) || is_full(&builder->facts)));
}

void pr_stacks_clear(struct pr_stack_table *builder)
{
    pr_idset_clear(&builder->frames);
    pr_idset_clear(&builder->nodes);
    pr_idset_clear(&builder->threads);
    pr_idset_clear(&builder->facts);
    free(builder->thread_name);
    free(builder->merged);
    builder->thread_name = NULL;
    builder->merged = NULL;
}

uint32_t pr_stacks_thread(struct pr_stack_table *builder, uint64_t tid)
{
    uint32_t known = builder->threads.count;
    if (!pr_grow(&builder->thread_name, &builder->thread_name_capacity, known + (size_t)1,
                 sizeof *builder->thread_name))
        return PR_NO_ID;
    uint32_t index = pr_idset_add(&builder->threads, &tid, 1);
    if (index != PR_NO_ID && index == known)
        builder->thread_name[index] = 0;
    return index;
}
