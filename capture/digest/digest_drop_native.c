/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaving out native stacks: facts are grouped by what is left of them, and what no Python stack needs gets no new
 * number.
 */
#include "capture/digest/digest_drop_native.h"
#include "capture/model/time_moments.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/heap/history.h"

struct drop {
    struct pr_profile *profile;
    uint32_t *group;       /* [fact_count] number of the fact that it becomes */
    struct pr_idset facts; /* (leaf, thread), allocator */
    pr_node_id *node;      /* [nodes] new numbers, PR_NO_ID = gone; at first, whether it stays */
    pr_frame_id *frame;    /* [frames] the same */
};

static bool group_facts(struct drop *d)
{
    const struct pr_profile *profile = d->profile;
    d->group = calloc(profile->fact_count + 1, sizeof *d->group);
    for (size_t i = 0; d->group && i < profile->fact_count; i++) {
        const uint64_t key[2] = {pr_pair(profile->fact_leaf[i], profile->fact_thread[i]),
                                 profile->fact_allocator ? profile->fact_allocator[i] : PR_ALLOC_NONE};
        d->group[i] = pr_idset_add(&d->facts, key, 2);
        if (d->group[i] == PR_NO_ID)
            return false;
    }
    return d->group;
}

static const int64_t *sum_column(struct drop *d, const int64_t *column)
{
    int64_t *sums = pr_arena_array(&d->profile->arena, d->facts.count, sizeof *sums);
    for (size_t i = 0; sums && i < d->profile->fact_count; i++)
        sums[d->group[i]] = pr_add_saturated(sums[d->group[i]], column[i]);
    return sums;
}

static bool sum_metrics(struct drop *d)
{
    struct pr_profile *profile = d->profile;
    struct pr_metric *metrics = pr_arena_array(&profile->arena, profile->metric_count, sizeof *metrics);
    for (uint32_t i = 0; metrics && i < profile->metric_count; i++) {
        metrics[i] = profile->metrics[i];
        metrics[i].value = sum_column(d, metrics[i].value);
        if (metrics[i].count)
            metrics[i].count = sum_column(d, metrics[i].count);
        if (!metrics[i].value || (profile->metrics[i].count && !metrics[i].count))
            return false;
    }
    profile->metrics = metrics;
    return metrics;
}

static enum pr_status group_history(struct drop *d, struct pr_error *err)
{
    struct pr_history history;
    enum pr_status status = pr_history_group(d->profile, d->group, d->facts.count, PR_HISTORY_ALL, &history, err);
    d->profile->fact_count = d->facts.count;
    if (status == PR_OK && d->profile->bin_count)
        status = pr_history_give(&history, d->profile, err);
    pr_history_clear(&history);
    return status;
}

/* Nodes that Python stacks go through keep their order. */
static bool number_nodes(struct drop *d)
{
    const struct pr_profile *profile = d->profile;
    const struct pr_tree *tree = &profile->tree;
    d->node = calloc(tree->count, sizeof *d->node);
    d->frame = calloc(profile->frame_count + (size_t)1, sizeof *d->frame);
    if (!d->node || !d->frame)
        return false;
    for (uint32_t i = 0; i < d->facts.count; i++)
        d->node[pr_high(d->facts.keys[(size_t)i * 2])] = 1;
    for (size_t i = 0; i < profile->exact_count; i++)
        d->frame[profile->exact_frame[i]] = 1;
    for (pr_node_id node = tree->count; --node > 0;) {
        if (d->node[node])
            d->node[tree->parent[node]] = d->frame[tree->frame[node]] = 1;
    }
    d->node[PR_ROOT] = 1;
    uint32_t made = 0;
    for (pr_node_id node = 0; node < tree->count; node++)
        d->node[node] = d->node[node] ? made++ : PR_NO_ID;
    return true;
}

static bool keep_tree(struct drop *d)
{
    struct pr_profile *profile = d->profile;
    const struct pr_tree *tree = &profile->tree;
    pr_node_id *parent = pr_arena_array(&profile->arena, tree->count, sizeof *parent);
    pr_frame_id *frame = pr_arena_array(&profile->arena, tree->count, sizeof *frame);
    struct pr_frame *frames = pr_arena_array(&profile->arena, profile->frame_count, sizeof *frames);
    pr_frame_id *exact = pr_arena_array(&profile->arena, profile->exact_count, sizeof *exact);
    uint32_t made = 0, nodes = 0;
    if (!parent || !frame || !frames || !exact)
        return false;
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        const bool stays = d->frame[i] || profile->frames[i].kind != PR_FRAME_NATIVE;
        d->frame[i] = made;
        if (stays)
            frames[made++] = profile->frames[i];
    }
    for (pr_node_id node = 0; node < tree->count; node++) {
        if (d->node[node] == PR_NO_ID)
            continue;
        parent[nodes] = d->node[tree->parent[node]];
        frame[nodes++] = node == PR_ROOT ? 0 : d->frame[tree->frame[node]];
    }
    for (size_t i = 0; i < profile->exact_count; i++)
        exact[i] = d->frame[profile->exact_frame[i]];
    profile->exact_frame = exact;
    profile->frames = frames;
    profile->frame_count = made;
    profile->tree = (struct pr_tree){nodes, parent, frame};
    return true;
}

static bool keep_facts(struct drop *d)
{
    struct pr_profile *profile = d->profile;
    const uint32_t count = d->facts.count;
    pr_node_id *leaf = pr_arena_array(&profile->arena, count, sizeof *leaf);
    uint32_t *thread = pr_arena_array(&profile->arena, count, sizeof *thread);
    uint8_t *allocator = pr_arena_array(&profile->arena, count, sizeof *allocator);
    if (!leaf || !thread || !allocator)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *key = &d->facts.keys[(size_t)i * 2];
        leaf[i] = d->node[pr_high(key[0])];
        thread[i] = pr_low(key[0]);
        allocator[i] = (uint8_t)key[1];
    }
    profile->fact_leaf = leaf;
    profile->fact_thread = thread;
    profile->fact_allocator = profile->fact_allocator ? allocator : NULL;
    profile->fact_hybrid = NULL;
    return true;
}

/* Everything else that refers to facts and frames by number. */
static bool keep_rest(struct drop *d)
{
    struct pr_profile *profile = d->profile;
    struct pr_slice *slices = pr_arena_array(&profile->arena, profile->slice_count, sizeof *slices);
    if (!slices)
        return false;
    for (size_t i = 0; i < profile->slice_count; i++) {
        slices[i] = profile->slices[i];
        slices[i].fact = d->group[slices[i].fact];
    }
    profile->slices = slices;
    struct pr_moment *moments = pr_arena_array(&profile->arena, profile->moment_count, sizeof *moments);
    if (!moments)
        return false;
    for (size_t i = 0; i < profile->moment_count; i++) {
        moments[i] = profile->moments[i];
        moments[i].fact = d->group[moments[i].fact];
    }
    profile->moment_count = pr_time_moments_join(moments, profile->moment_count);
    profile->moments = moments;
    return profile->moment_count != SIZE_MAX;
}

static enum pr_status drop(struct drop *d, struct pr_error *err)
{
    if (!group_facts(d) || !sum_metrics(d))
        return pr_fail_memory(err);
    if (group_history(d, err) == PR_FAILED)
        return PR_FAILED;
    if (!number_nodes(d) || !keep_tree(d) || !keep_facts(d) || !keep_rest(d))
        return pr_fail_memory(err);
    d->profile->meta.native_files = d->profile->meta.native_files_unnamed = 0;
    d->profile->meta.native_unnamed_file = 0;
    return PR_OK;
}

enum pr_status pr_profile_drop_native(struct pr_profile *profile, struct pr_error *err)
{
    struct drop d = {.profile = profile, .facts = {.words = 2}};
    enum pr_status status = profile->fact_hybrid ? drop(&d, err) : PR_OK;
    pr_idset_clear(&d.facts);
    free(d.group);
    free(d.node);
    free(d.frame);
    return status;
}
