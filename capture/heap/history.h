/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories of facts in groups. Several facts of the analysis may be one in the profile, and several of the profile one
 * on a page: what a group has at a time is what its facts have.
 *
 *     struct pr_history history;
 *     pr_history_group(profile, group, group_count, PR_HISTORY_ALL, &history, &err);
 *     while (is_too_large(&history) && history.bins.count > 1)
 *         pr_history_halve(&history, &err);
 *     pr_history_clear(&history);
 */
#ifndef PR_CAPTURE_HEAP_HISTORY_H
#define PR_CAPTURE_HEAP_HISTORY_H

#include "capture/builder/stack_table.h"
#include "capture/heap/heap_analysis.h"

/* The bins with the steps of each group, and the moves of each group. The `fact` of a step or move is a group. */
struct pr_history {
    struct pr_bins bins;   /* steps by group, then bin */
    struct pr_lifetimes moves; /* all in `sorted` */
    uint32_t group_count;
};

/*
 * Fills bins, steps and moves of the builder's profile. Steps and moves are the largest part of a run with many stacks:
 * the profile gets the arrays in which MEMORY has them. After pr_stacks_finish and pr_heap_end.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_history_finish(const struct pr_stack_table *builder, struct pr_heap_analysis *memory,
                                 struct pr_error *err);

/* Steps and moves may each be most of our memory: who needs one after the other asks for one after the other. */
enum pr_history_parts { PR_HISTORY_STEPS = 1, PR_HISTORY_MOVES = 2, PR_HISTORY_ALL = 3 };

/*
 * The history of PROFILE for groups of its facts: GROUP[i], below GROUP_COUNT, is the group of fact i. It has the bins,
 * and of steps and moves what PARTS names. A profile without history gives one without bins.
 *
 * Owner:  pr_history_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_history_group(const struct pr_profile *profile, const uint32_t *group, uint32_t group_count,
                                enum pr_history_parts parts, struct pr_history *history, struct pr_error *err);

/*
 * Merges neighbouring bins: half as many, each twice as wide, nothing else is lost (capture/heap/time_bins.h). Gives
 * the same bins as loading the profile with `max_bins` = the remaining count.
 *
 * Errors: PR_FAILED: out of memory; the history can only be cleared then.
 */
enum pr_status pr_history_halve(struct pr_history *history, struct pr_error *err);

/* Gives the history, which is then empty, to PROFILE, whose facts are the groups. PR_FAILED: out of memory. */
enum pr_status pr_history_give(struct pr_history *history, struct pr_profile *profile, struct pr_error *err);

void pr_history_clear(struct pr_history *history);

#endif
