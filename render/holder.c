/* SPDX-License-Identifier: Apache-2.0 */
/* One forward loop finds the innermost own node of each stack, one over the facts adds up. */
#include "render/holder.h"

#include "capture/base/checked.h"

struct sums {
    pr_node_id *innermost; /* [node]: itself or the nearest above it that counts; PR_ROOT = none */
    int64_t *by_node;
    int64_t *by_frame, *count_by_frame;
};

static void add(int64_t *sum, int64_t value)
{
    *sum = pr_add_saturated(*sum, value);
}

static void add_facts(const struct pr_profile *profile, const struct pr_metric *metric, struct sums *sums)
{
    for (size_t i = 0; i < profile->fact_count; i++) {
        pr_node_id node = sums->innermost[profile->fact_leaf[i]];
        if (node == PR_ROOT)
            continue;
        pr_frame_id frame = profile->tree.frame[node];
        add(&sums->by_node[node], metric->value[i]);
        add(&sums->by_frame[frame], metric->value[i]);
        if (metric->count)
            add(&sums->count_by_frame[frame], metric->count[i]);
    }
}

static void find_best(const struct pr_profile *profile, const struct sums *sums, struct pr_holder *holder)
{
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        if (sums->by_frame[i] > holder->value) {
            holder->known = true;
            holder->frame = i;
            holder->value = sums->by_frame[i];
            holder->count = sums->count_by_frame[i];
        }
    }
    int64_t most = 0;
    for (pr_node_id i = 1; holder->known && i < profile->tree.count; i++) {
        if (profile->tree.frame[i] == holder->frame && sums->by_node[i] > most) {
            most = sums->by_node[i];
            holder->node = i;
        }
    }
}

static void find(const struct pr_profile *profile, const struct pr_traits *traits, unsigned metric, bool own_only,
                 struct sums *sums, struct pr_holder *holder)
{
    const struct pr_tree *tree = &profile->tree;
    for (pr_node_id i = 1; i < tree->count; i++) {
        bool counts = !own_only || pr_traits_owner(traits, tree->frame[i]) == PR_OWNER_MINE;
        sums->innermost[i] = counts ? i : sums->innermost[tree->parent[i]];
    }
    add_facts(profile, &profile->metrics[metric], sums);
    find_best(profile, sums, holder);
    holder->is_own = own_only;
}

enum pr_status pr_holder_find(const struct pr_profile *profile, const struct pr_traits *traits, unsigned metric,
                              struct pr_holder *holder, struct pr_error *err)
{
    *holder = (struct pr_holder){0};
    const size_t frames = profile->frame_count ? profile->frame_count : 1, nodes = profile->tree.count;
    struct sums sums = {calloc(nodes, sizeof *sums.innermost), calloc(nodes, sizeof *sums.by_node),
                        calloc(frames, sizeof *sums.by_frame), calloc(frames, sizeof *sums.count_by_frame)};
    bool done = sums.innermost && sums.by_node && sums.by_frame && sums.count_by_frame;
    if (done)
        find(profile, traits, metric, true, &sums, holder);
    if (done && !holder->known) /* no own frame added anything: the sums are still 0 */
        find(profile, traits, metric, false, &sums, holder);
    free(sums.innermost);
    free(sums.by_node);
    free(sums.by_frame);
    free(sums.count_by_frame);
    return done ? PR_OK : pr_fail_memory(err);
}
