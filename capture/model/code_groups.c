/* SPDX-License-Identifier: Apache-2.0 */
/* A node that is left out becomes the nearest one above it that is not: so do the facts on it, and its children. */
#include "capture/model/code_groups.h"

#include "profrender/owner.h"

#include <stdlib.h>

static bool is_in(const struct pr_profile *profile, pr_frame_id frame, unsigned groups)
{
    static const unsigned of_owner[PR_OWNER_COUNT] = {[PR_OWNER_LIBRARY] = PR_GROUP_LIBRARY,
                                                      [PR_OWNER_STDLIB] = PR_GROUP_STDLIB,
                                                      [PR_OWNER_NATIVE] = PR_GROUP_NATIVE,
                                                      [PR_OWNER_KERNEL] = PR_GROUP_KERNEL};
    const unsigned role = pr_role_of(profile, frame), group = of_owner[pr_owner_of(profile, frame)];
    if ((role & PR_ROLE_IMPORT) && (groups & PR_GROUP_IMPORTS))
        return true;
    return (groups & group) && (group == PR_GROUP_NATIVE || !(role & PR_ROLE_RUNNER));
}

/* The facts' leaves, each in its place in SHOWN. */
static const pr_node_id *move_leaves(struct pr_profile *profile, const pr_node_id *leaf, const pr_node_id *shown)
{
    pr_node_id *moved = pr_arena_array(&profile->arena, profile->fact_count, sizeof *moved);
    for (size_t i = 0; moved && i < profile->fact_count; i++)
        moved[i] = shown[leaf[i]];
    return moved;
}

static bool move_nodes(struct pr_profile *profile, const bool *is_out)
{
    const uint32_t nodes = profile->tree.count;
    pr_node_id *shown = malloc(nodes * sizeof *shown);
    pr_node_id *parent = pr_arena_array(&profile->arena, nodes, sizeof *parent);
    bool done = shown && parent;
    for (pr_node_id node = 0; done && node < nodes; node++) {
        const pr_node_id above = node == PR_ROOT ? PR_ROOT : shown[profile->tree.parent[node]];
        shown[node] = node != PR_ROOT && is_out[profile->tree.frame[node]] ? above : node;
        parent[node] = above;
    }
    const pr_node_id *leaf = done ? move_leaves(profile, profile->fact_leaf, shown) : NULL;
    const pr_node_id *hybrid = done && profile->fact_hybrid ? move_leaves(profile, profile->fact_hybrid, shown) : NULL;
    free(shown);
    if (!leaf || (profile->fact_hybrid && !hybrid))
        return false;
    profile->fact_leaf = leaf;
    profile->fact_hybrid = hybrid;
    profile->tree.parent = parent;
    return true;
}

/* The recorded figures of the functions that are left, in each metric. */
static bool keep_exact(struct pr_profile *profile, const bool *is_out)
{
    size_t count = 0;
    size_t *kept = malloc((profile->exact_count + 1) * sizeof *kept);
    pr_frame_id *frame = pr_arena_array(&profile->arena, profile->exact_count, sizeof *frame);
    uint32_t *thread = pr_arena_array(&profile->arena, profile->exact_count, sizeof *thread);
    struct pr_metric *metrics = pr_arena_array(&profile->arena, profile->metric_count, sizeof *metrics);
    bool done = kept && frame && thread && metrics;
    for (size_t i = 0; done && i < profile->exact_count; i++) {
        if (is_out[profile->exact_frame[i]])
            continue;
        frame[count] = profile->exact_frame[i];
        thread[count] = profile->exact_thread[i];
        kept[count++] = i;
    }
    for (unsigned m = 0; done && m < profile->metric_count; m++) {
        metrics[m] = profile->metrics[m];
        if (!metrics[m].exact)
            continue;
        struct pr_exact *exact = pr_arena_array(&profile->arena, count, sizeof *exact);
        for (size_t i = 0; exact && i < count; i++)
            exact[i] = profile->metrics[m].exact[kept[i]];
        metrics[m].exact = exact;
        done = exact != NULL;
    }
    free(kept);
    if (!done)
        return false;
    profile->metrics = metrics;
    profile->exact_frame = frame;
    profile->exact_thread = thread;
    profile->exact_count = count;
    return true;
}

enum pr_status pr_profile_leave_out(struct pr_profile *profile, unsigned groups, struct pr_error *err)
{
    bool *is_out = calloc((size_t)profile->frame_count + 1, sizeof *is_out);
    for (pr_frame_id i = 0; is_out && i < profile->frame_count; i++)
        is_out[i] = is_in(profile, i, groups);
    const bool done = is_out && move_nodes(profile, is_out) && (!profile->exact_count || keep_exact(profile, is_out));
    free(is_out);
    return done ? PR_OK : pr_fail_memory(err);
}
