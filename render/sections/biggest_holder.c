/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One forward loop finds the innermost own node of each stack, one over the facts adds up by frame; then frames of one
 * function are added up.
 */
#include "render/sections/biggest_holder.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/model/own_code.h"

struct sums {
    bool *is_counted;      /* [frame] */
    pr_node_id *innermost; /* [node]: itself or the nearest above it that counts; PR_ROOT = none */
    int64_t *by_node;
    int64_t *by_frame, *count_by_frame;
    bool *has_others;      /* [frame] */
    uint32_t *function;    /* [frame]; zeros until they are numbered */
    int64_t *by_function;  /* [frames, at most] */
    struct pr_idset functions;
};

/* In hybrid stacks native frames never count: what is above them does. */
static bool never_counts(const struct pr_profile *profile, pr_frame_id frame)
{
    return profile->fact_hybrid && profile->frames[frame].kind == PR_FRAME_NATIVE;
}

/* Frames that never count stay function 0, and add nothing to it. */
static bool number_functions(const struct pr_profile *profile, struct sums *sums)
{
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        const struct pr_frame *frame = &profile->frames[i];
        if (never_counts(profile, i))
            continue;
        const uint64_t key[2] = {pr_pair(frame->function, frame->file),
                                 pr_pair((uint32_t)frame->definition_line, frame->kind)};
        sums->function[i] = pr_idset_add(&sums->functions, key, 2);
        if (sums->function[i] == PR_NO_ID)
            return false;
    }
    return true;
}

static void add_facts(const struct pr_profile *profile, const struct pr_metric *metric, struct sums *sums)
{
    const pr_node_id *leaf = pr_profile_shown_leaf(profile);
    for (size_t i = 0; i < profile->fact_count; i++) {
        pr_node_id node = sums->innermost[leaf[i]];
        if (node == PR_ROOT)
            continue;
        pr_frame_id frame = profile->tree.frame[node];
        sums->has_others[frame] |= node != leaf[i] && metric->value[i];
        pr_add_to(&sums->by_node[node], metric->value[i]);
        pr_add_to(&sums->by_frame[frame], metric->value[i]);
        if (metric->count)
            pr_add_to(&sums->count_by_frame[frame], metric->count[i]);
    }
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        pr_add_to(&sums->by_function[sums->function[i]], sums->by_frame[i]);
}

static void describe(const struct pr_profile *profile, const struct sums *sums, uint32_t function,
                     struct pr_holder *holder)
{
    int64_t most = 0;
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        if (sums->function[i] != function)
            continue;
        pr_add_to(&holder->count, sums->count_by_frame[i]);
        holder->has_others |= sums->has_others[i];
        holder->line_count += sums->by_frame[i] != 0;
        if (sums->by_frame[i] > holder->line_value) {
            holder->line_value = sums->by_frame[i];
            holder->frame = i;
        }
    }
    for (pr_node_id i = 1; i < profile->tree.count; i++) {
        if (sums->by_node[i] > most && sums->function[profile->tree.frame[i]] == function) {
            most = sums->by_node[i];
            holder->node = i;
        }
    }
}

static void find_best(const struct pr_profile *profile, const struct sums *sums, struct pr_holder *holder)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < sums->functions.count; i++) {
        if (sums->by_function[i] > holder->value) {
            holder->known = true;
            holder->value = sums->by_function[i];
            best = i;
        }
    }
    if (holder->known)
        describe(profile, sums, best, holder);
}

static bool counts(const struct pr_profile *profile, const struct pr_traits *traits, pr_frame_id frame, bool own_only)
{
    if (own_only)
        return pr_traits_owner(traits, frame) == PR_OWNER_MINE;
    return !never_counts(profile, frame);
}

static void find(const struct pr_profile *profile, const struct pr_traits *traits, unsigned metric, bool own_only,
                 struct sums *sums, struct pr_holder *holder)
{
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        sums->is_counted[i] = counts(profile, traits, i, own_only);
    pr_own_nearest(&profile->tree, sums->is_counted, sums->innermost);
    add_facts(profile, &profile->metrics[metric], sums);
    find_best(profile, sums, holder);
    holder->is_own = own_only;
}

enum pr_status pr_holder_find(const struct pr_profile *profile, const struct pr_traits *traits, unsigned metric,
                              struct pr_holder *holder, struct pr_error *err)
{
    *holder = (struct pr_holder){0};
    const size_t frames = profile->frame_count ? profile->frame_count : 1, nodes = profile->tree.count;
    struct sums sums = {calloc(frames, sizeof *sums.is_counted),
                        calloc(nodes, sizeof *sums.innermost),
                        calloc(nodes, sizeof *sums.by_node),
                        calloc(frames, sizeof *sums.by_frame),
                        calloc(frames, sizeof *sums.count_by_frame),
                        calloc(frames, sizeof *sums.has_others),
                        calloc(frames, sizeof *sums.function),
                        calloc(frames, sizeof *sums.by_function),
                        {.words = 2}};
    bool done = sums.is_counted && sums.innermost && sums.by_node && sums.by_frame && sums.count_by_frame &&
                sums.has_others && sums.function && sums.by_function && number_functions(profile, &sums);
    if (done)
        find(profile, traits, metric, true, &sums, holder);
    if (done && !holder->known) /* no own frame added anything: the sums are still 0 */
        find(profile, traits, metric, false, &sums, holder);
    free(sums.is_counted);
    free(sums.innermost);
    free(sums.by_node);
    free(sums.by_frame);
    free(sums.count_by_frame);
    free(sums.has_others);
    free(sums.function);
    free(sums.by_function);
    pr_idset_clear(&sums.functions);
    return done ? PR_OK : pr_fail_memory(err);
}
