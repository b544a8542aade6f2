/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call tree that stays as small as the memory that it may take.
 *
 * Once half of the nodes are taken, a call path that is new is only followed as far as it is known. What comes below is
 * one node, "(folded to save memory)", so that every value stays on the stack where it is known to belong, and all sums
 * are exact. The other half is for paths that are asked for often: one of 16 that are new gets its next node, then one
 * of 128, then one of 1,024. So a path that only begins late, but then allocates much, has all its frames before long,
 * and what is folded are the inner frames of rare stacks. Which ones depends on the order of the input alone.
 */
#ifndef PR_CAPTURE_BUILDER_STACK_FOLD_H
#define PR_CAPTURE_BUILDER_STACK_FOLD_H

#include "capture/base/idset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pr_stack_table;

struct pr_stack_fold {
    uint64_t memory_bytes; /* what the process may take */
    uint32_t most;         /* nodes; 0: nothing is folded */
    uint32_t frame;        /* "(folded to save memory)" */
    uint32_t first;        /* its node below the root; 0 = nothing is folded yet */
    uint64_t asked;        /* new paths since then */
};

enum { PR_FOLD_WORDS = 256 };

/* How many nodes, facts, steps of history and so on there is room for in MEMORY_BYTES. */
uint32_t pr_fold_room(uint64_t memory_bytes);

/* Bounds what BUILDER will take; 0 leaves it as it is. Before anything is added. */
void pr_stacks_bound(struct pr_stack_table *builder, uint64_t memory_bytes);

/* Of the room, half: how many native frames may be kept, whose names and hybrid stacks take as much as nodes. */
uint32_t pr_stacks_share(struct pr_stack_table *builder);

/*
 * For pr_stacks_node and pr_stacks_first_child, when there is no room for the node of KEY: one in whose values it is
 * counted, or its own after all. APPENDED: as pr_idset_append does it. PR_NO_ID: memory ran out.
 */
uint32_t pr_stacks_fold_node(struct pr_stack_table *builder, uint64_t key, bool appended);

/* The same for a fact, with a key of builder->facts.words. */
uint32_t pr_stacks_fold_fact(struct pr_stack_table *builder, const uint64_t *key);

/* What was folded, as a sentence for the notes of a profile. False: nothing was. */
bool pr_stacks_fold_words(const struct pr_stack_table *builder, char text[PR_FOLD_WORDS]);

#endif
