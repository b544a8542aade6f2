/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of stacks: from the leaf, frame by frame, by the bytes of the function, those of the file, and the line; a
 * stack that ends comes before those that go on. Outputs are sorted by it where values tie, so that they are the same
 * on every run, whatever numbers the nodes got.
 */
#ifndef PR_CAPTURE_QUERY_STACK_ORDER_H
#define PR_CAPTURE_QUERY_STACK_ORDER_H

#include "profrender/profile.h"

/*
 * Sets RANK[node] for each node of the tree: stacks compare as their ranks do. Equal ranks: frames of the same names
 * and line, of different kinds.
 *
 * Owner:  RANK, profile->tree.count elements, is the caller's.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_stack_ranks(const struct pr_profile *profile, uint32_t *rank, struct pr_error *err);

#endif
