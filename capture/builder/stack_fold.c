/* SPDX-License-Identifier: Apache-2.0 */
/* The limit of the set of nodes is where the next new node asks; it moves along with each that is let in. */
#include "capture/builder/stack_fold.h"

#include "capture/base/size_text.h"
#include "capture/builder/stack_table.h"

#include <stdio.h>

/*
 * What a call path with one fact costs until the profile is made, all tables at their worst just after they grew:
 * measured, 335 bytes, and 358 with its card.
 */
enum { NODE_BYTES = 448, REST_BYTES = 16 << 20 };

uint32_t pr_fold_room(uint64_t memory_bytes)
{
    const uint64_t nodes = memory_bytes > REST_BYTES ? (memory_bytes - REST_BYTES) / NODE_BYTES : 0;
    return nodes < UINT32_MAX / 4 ? (uint32_t)nodes : UINT32_MAX / 4;
}

static uint32_t lower(uint32_t limit, uint32_t most)
{
    return limit && limit < most ? limit : most;
}

static void set_limits(struct pr_stack_table *b)
{
    b->nodes.limit = b->fold.most / 2;
    b->facts.limit = b->fold.most + b->fold.most / 2;
}

void pr_stacks_bound(struct pr_stack_table *b, uint64_t memory_bytes)
{
    if (!memory_bytes)
        return;
    b->fold.memory_bytes = memory_bytes;
    b->fold.most = lower(b->nodes.limit, pr_fold_room(memory_bytes));
    set_limits(b);
}

uint32_t pr_stacks_share(struct pr_stack_table *b)
{
    const uint32_t share = b->fold.most / 2;
    b->fold.most -= share;
    set_limits(b);
    return share;
}

/* Adds a key that is not there, beyond the limit. */
static uint32_t add(struct pr_idset *set, const uint64_t *key, bool appended)
{
    const uint32_t limit = set->limit;
    set->limit = set->count + 1;
    const uint32_t number = appended ? pr_idset_append(set, key) : pr_idset_add_new(set, key);
    set->limit = limit > set->count ? limit : set->count;
    return number;
}

static uint64_t folded_key(const struct pr_stack_table *b, pr_node_id parent)
{
    return pr_pair(parent, b->fold.frame << 1);
}

/* What is folded without a known caller: there is always room for this one. */
static bool begin(struct pr_stack_table *b)
{
    static const char name[] = PR_FOLDED_NAME;
    if (b->fold.first)
        return true;
    const pr_str function = pr_strings_add(&b->profile->strings, name, sizeof name - 1);
    const pr_frame_id frame =
        function == PR_NO_STR ? PR_NO_ID : pr_stacks_frame(b, function, 0, 0, PR_FRAME_OTHER);
    if (frame == PR_NO_ID)
        return false;
    b->fold.frame = frame;
    const uint64_t key = folded_key(b, PR_ROOT);
    const pr_node_id node = add(&b->nodes, &key, false);
    b->fold.first = node == PR_NO_ID ? PR_ROOT : node;
    return node != PR_NO_ID;
}

/* Whether the next new path has a node: the fewer are left, the more of them have to ask. */
static bool admits(struct pr_stack_table *b)
{
    const uint32_t most = b->fold.most, count = b->nodes.count;
    if (count >= most)
        return false;
    const uint32_t left = most - count;
    return ++b->fold.asked % (left > most / 4 ? 16 : left > most / 8 ? 128 : 1024) == 0;
}

/* The node for what is folded below PARENT, or below the nearest caller of it that has one when there is no room. */
static pr_node_id folded_below(struct pr_stack_table *b, pr_node_id parent)
{
    for (; parent != PR_ROOT; parent = pr_stacks_parent(b, parent)) {
        const uint64_t key = folded_key(b, parent);
        const pr_node_id known = pr_idset_find(&b->nodes, &key, 1);
        if (known != PR_NO_ID)
            return known;
        if (b->nodes.count < b->fold.most)
            return add(&b->nodes, &key, false);
    }
    return b->fold.first;
}

uint32_t pr_stacks_fold_node(struct pr_stack_table *b, uint64_t key, bool appended)
{
    const pr_node_id parent = pr_high(key);
    if (b->nodes.count < b->nodes.limit || !begin(b))
        return PR_NO_ID;
    if (pr_stacks_is_folded(b, parent))
        return parent;
    return admits(b) ? add(&b->nodes, &key, appended) : folded_below(b, parent);
}

uint32_t pr_stacks_fold_fact(struct pr_stack_table *b, const uint64_t *key)
{
    enum { ALLOCATOR = 0xff };
    if (b->facts.count < b->facts.limit || !begin(b))
        return PR_NO_ID;
    const uint64_t folded[2] = {pr_pair(b->fold.first, pr_low(key[0])), b->facts.words == 2 ? key[1] & ALLOCATOR : 0};
    const uint32_t known = pr_idset_find(&b->facts, folded, b->facts.words);
    return known != PR_NO_ID ? known : add(&b->facts, folded, false);
}

bool pr_stacks_fold_words(const struct pr_stack_table *b, char text[PR_FOLD_WORDS])
{
    if (!b->fold.first)
        return false;
    snprintf(text, PR_FOLD_WORDS,
             PR_BOUND_WORDS " %s of memory, the inner frames of rare stacks are one frame, \"" PR_FOLDED_NAME
             "\"; totals are exact", pr_size_text(b->fold.memory_bytes).text);
    return true;
}
