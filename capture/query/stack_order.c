/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of stacks by doubling, as suffix arrays are built: once stacks are ranked by their first n frames from the
 * leaf, (rank, rank of the n-th ancestor) ranks them by 2n. So n nodes of any depth take O(n log depth), and two deep
 * stacks that differ only at the root cost no more than others.
 */
#include "capture/query/stack_order.h"

#include "capture/base/sort.h"

#include <stdlib.h>
#include <string.h>

struct ranking {
    uint32_t count;      /* nodes */
    uint32_t rank_count; /* ranks are below it */
    uint32_t *rank;      /* [count] by the frames looked at so far; the root, a stack that has ended, has 0 */
    uint32_t *next;      /* [count] ranks of the next round */
    pr_node_id *jump;    /* [count] the ancestor at which the frames not yet looked at begin */
    pr_node_id *order;   /* [count] nodes, sorted */
    uint32_t *start;     /* [rank_count] counters */
};

static int compare_frames(const void *a, const void *b, const void *context)
{
    const struct pr_profile *profile = context;
    const struct pr_frame *x = &profile->frames[*(const pr_frame_id *)a],
                          *y = &profile->frames[*(const pr_frame_id *)b];
    int order = 0;
    if (x->function != y->function)
        order = pr_text_compare(pr_profile_text(profile, x->function), pr_profile_text(profile, y->function));
    if (!order && x->file != y->file)
        order = pr_text_compare(pr_profile_text(profile, x->file), pr_profile_text(profile, y->file));
    return order ? order : PR_ORDER(x->line, y->line);
}

/* Ranks of nodes by their own frame, from 1; the root keeps 0. */
static bool rank_by_frame(const struct pr_profile *profile, uint32_t *rank)
{
    const size_t count = profile->frame_count;
    pr_frame_id *sorted = malloc((count + 1) * sizeof *sorted);
    uint32_t *frame_rank = malloc((count + 1) * sizeof *frame_rank);
    bool done = sorted && frame_rank;
    for (pr_frame_id i = 0; done && i < count; i++)
        sorted[i] = i;
    done = done && pr_sort(sorted, count, sizeof *sorted, compare_frames, profile);
    for (uint32_t i = 0, number = 0; done && i < count; i++) {
        if (i == 0 || compare_frames(&sorted[i - 1], &sorted[i], profile))
            number++;
        frame_rank[sorted[i]] = number;
    }
    rank[PR_ROOT] = 0;
    for (pr_node_id node = 1; done && node < profile->tree.count; node++)
        rank[node] = frame_rank[profile->tree.frame[node]];
    free(sorted);
    free(frame_rank);
    return done;
}

/* Turns numbers of elements by rank into the place where each rank begins. */
static void counts_to_starts(uint32_t *start, uint32_t rank_count)
{
    for (uint32_t i = 0, sum = 0; i < rank_count; i++) {
        uint32_t here = start[i];
        start[i] = sum;
        sum += here;
    }
}

/* Sorts the nodes by (rank, rank of jump) with two counting sorts; `next` holds the first one's result. */
static void sort_nodes(struct ranking *r)
{
    const size_t counters = r->rank_count * sizeof *r->start;
    memset(r->start, 0, counters);
    for (pr_node_id node = 0; node < r->count; node++)
        r->start[r->rank[r->jump[node]]]++;
    counts_to_starts(r->start, r->rank_count);
    for (pr_node_id node = 0; node < r->count; node++)
        r->next[r->start[r->rank[r->jump[node]]]++] = node;

    memset(r->start, 0, counters);
    for (pr_node_id node = 0; node < r->count; node++)
        r->start[r->rank[node]]++;
    counts_to_starts(r->start, r->rank_count);
    for (uint32_t i = 0; i < r->count; i++)
        r->order[r->start[r->rank[r->next[i]]]++] = r->next[i];
}

/* Ranks by twice as many frames as before; returns the number of different ranks. */
static uint32_t refine(struct ranking *r)
{
    uint32_t number = 0;
    sort_nodes(r);
    r->next[r->order[0]] = 0;
    for (uint32_t i = 1; i < r->count; i++) {
        pr_node_id a = r->order[i - 1], b = r->order[i];
        if (r->rank[a] != r->rank[b] || r->rank[r->jump[a]] != r->rank[r->jump[b]])
            number++;
        r->next[b] = number;
    }
    memcpy(r->rank, r->next, r->count * sizeof *r->rank);
    return number + 1;
}

/* Doubles the distance of the jumps; false when all stacks have ended. */
static bool double_jumps(struct ranking *r)
{
    bool some = false;
    for (pr_node_id node = r->count; node-- > 1;) { /* a jump leads to a lower number, which still has its old one */
        r->jump[node] = r->jump[r->jump[node]];
        some |= r->jump[node] != PR_ROOT;
    }
    return some;
}

enum pr_status pr_stack_ranks(const struct pr_profile *profile, uint32_t *rank, struct pr_error *err)
{
    const uint32_t count = profile->tree.count;
    struct ranking r = {
        .count = count,
        .rank_count = count > profile->frame_count ? count : profile->frame_count + 1,
        .rank = rank,
        .next = malloc(count * sizeof *r.next),
        .jump = malloc(count * sizeof *r.jump),
        .order = malloc(count * sizeof *r.order),
    };
    r.start = malloc(r.rank_count * sizeof *r.start);
    enum pr_status status = PR_OK;
    if (r.next && r.jump && r.order && r.start && rank_by_frame(profile, rank)) {
        memcpy(r.jump, profile->tree.parent, count * sizeof *r.jump);
        while (refine(&r) < count && double_jumps(&r))
            continue;
    } else {
        status = pr_fail_memory(err);
    }
    free(r.next);
    free(r.jump);
    free(r.order);
    free(r.start);
    return status;
}
