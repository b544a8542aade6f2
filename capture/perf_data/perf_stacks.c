/* SPDX-License-Identifier: Apache-2.0 */
/* Parents come before their children in both trees, so one walk makes the second. */
#include "capture/perf_data/perf_stacks.h"

#include "capture/base/checked.h"
#include "capture/model/time_slices.h"

static const uint64_t root_key = UINT64_MAX;

bool pr_perf_stacks_init(struct pr_perf_stacks *stacks, struct pr_profile_builder *c)
{
    *stacks = (struct pr_perf_stacks){.nodes = {.words = 1, .limit = c->builder.nodes.limit},
                                      .facts = {.words = 2, .limit = c->builder.facts.limit},
                                      .moments = {.most = PR_MOST_MOMENTS},
                                      .moment_event = UINT32_MAX};
    if (pr_idset_add(&stacks->nodes, &root_key, 1) == PR_ROOT)
        return true;
    pr_build_no_memory(c);
    return false;
}

static void no_room(struct pr_profile_builder *c, const struct pr_idset *set, const char *what)
{
    if (c->status == PR_OK && set->limit && set->count >= set->limit)
        c->status = pr_cut(c->err, PR_ERR_LIMIT, pr_source_offset(c->src), NULL, "more than %u %s", set->limit, what);
    else
        pr_build_no_memory(c);
}

pr_node_id pr_perf_stacks_child(struct pr_perf_stacks *stacks, struct pr_profile_builder *c, pr_node_id node,
                                uint32_t place)
{
    const uint64_t key = pr_pair(node, place);
    if (c->status != PR_OK)
        return PR_ROOT;
    const uint32_t child = pr_idset_add(&stacks->nodes, &key, 1);
    if (child != PR_NO_ID)
        return child;
    no_room(c, &stacks->nodes, "nodes in the call tree");
    return PR_ROOT;
}

static void add_bounded(struct pr_profile_builder *c, int64_t *sum, int64_t more)
{
    pr_build_damage(c, PR_DAMAGE_BOUNDED, pr_add_bounded(sum, more));
}

uint32_t pr_perf_stacks_add(struct pr_perf_stacks *stacks, struct pr_profile_builder *c, pr_node_id node,
                            uint32_t thread, uint32_t event, int64_t value)
{
    const uint64_t key[2] = {pr_pair(node, thread), event};
    if (c->status != PR_OK)
        return PR_NO_ID;
    const uint32_t known = stacks->facts.count;
    if (!pr_grow(&stacks->value, &stacks->value_capacity, known + (size_t)1, sizeof *stacks->value) ||
        !pr_grow(&stacks->count, &stacks->count_capacity, known + (size_t)1, sizeof *stacks->count)) {
        pr_build_no_memory(c);
        return PR_NO_ID;
    }
    const uint32_t fact = pr_idset_add(&stacks->facts, key, 2);
    if (fact == PR_NO_ID) {
        no_room(c, &stacks->facts, "stacks");
        return PR_NO_ID;
    }
    if (fact == known)
        stacks->value[fact] = stacks->count[fact] = 0;
    add_bounded(c, &stacks->value[fact], value);
    add_bounded(c, &stacks->count[fact], 1);
    return fact;
}

static uint32_t thread_of(const void *context, uint32_t fact)
{
    const struct pr_perf_stacks *stacks = context;
    return pr_low(stacks->facts.keys[(size_t)fact * 2]);
}

void pr_perf_stacks_slice(struct pr_perf_stacks *stacks, struct pr_profile_builder *c, uint32_t fact, int64_t start_ns,
                          int64_t duration_ns)
{
    if (c->status != PR_OK || fact == PR_NO_ID || duration_ns <= 0)
        return;
    const bool has_room =
        stacks->slice_count < PR_MAX_SLICES ||
        pr_slices_thin(stacks->slices, &stacks->slice_count, &stacks->resolution_ns, thread_of, stacks);
    if (has_room && pr_grow(&stacks->slices, &stacks->slice_capacity, stacks->slice_count + 1, sizeof *stacks->slices))
        stacks->slices[stacks->slice_count++] = (struct pr_slice){start_ns, duration_ns, fact, 0};
    else
        pr_build_no_memory(c);
}

/* Events have the order of the metrics; the first sample may be of a later one than the first that has any. */
void pr_perf_stacks_moment(struct pr_perf_stacks *stacks, struct pr_profile_builder *c, uint32_t fact, uint32_t event,
                           int64_t at_ns, int64_t value)
{
    if (c->status != PR_OK || fact == PR_NO_ID || event > stacks->moment_event)
        return;
    if (event < stacks->moment_event) {
        pr_time_moments_clear(&stacks->moments);
        stacks->moments = (struct pr_time_moments){.most = PR_MOST_MOMENTS};
        stacks->moment_event = event;
    }
    if (!pr_time_moments_add(&stacks->moments, fact, at_ns, value))
        pr_build_no_memory(c);
}

/* [nodes.count] the builder's node of each, NULL: no memory. */
static pr_node_id *make_nodes(const struct pr_perf_stacks *stacks, struct pr_profile_builder *c,
                              const struct pr_perf_frames *frames)
{
    pr_node_id *made = calloc(stacks->nodes.count + (size_t)1, sizeof *made);
    for (uint32_t node = 1; made && node < stacks->nodes.count; node++) {
        const uint64_t key = stacks->nodes.keys[node];
        const uint32_t place = pr_low(key);
        pr_node_id at = made[pr_high(key)];
        for (uint32_t i = frames->first[place]; i < frames->first[place + 1]; i++)
            at = pr_build_child(c, at, frames->frame[i]);
        made[node] = at;
    }
    return made;
}

/* The order of time becomes the builder's. */
static void give_time(struct pr_perf_stacks *stacks, struct pr_profile_builder *c, const uint32_t *fact_of)
{
    for (size_t i = 0; i < stacks->slice_count; i++)
        stacks->slices[i].fact = fact_of[stacks->slices[i].fact];
    c->slices = stacks->slices;
    c->slice_count = stacks->slice_count;
    c->slice_capacity = stacks->slice_capacity;
    c->slice_resolution_ns = stacks->resolution_ns;
    stacks->slices = NULL;
    for (size_t i = 0; i < stacks->moments.count; i++) {
        const struct pr_moment *moment = &stacks->moments.list[i];
        pr_build_moment(c, fact_of[moment->fact], moment->at_ns, moment->bytes);
    }
    c->moments.resolution_ns = stacks->moments.resolution_ns;
}

void pr_perf_stacks_finish(struct pr_perf_stacks *stacks, struct pr_profile_builder *c,
                           const struct pr_perf_frames *frames, const unsigned *metric_of)
{
    if (c->status == PR_FAILED)
        return;
    pr_node_id *node_of = make_nodes(stacks, c, frames);
    uint32_t *fact_of = calloc(stacks->facts.count + (size_t)1, sizeof *fact_of);
    if (!node_of || !fact_of)
        pr_build_no_memory(c);
    for (uint32_t fact = 0; fact < stacks->facts.count && c->status == PR_OK; fact++) {
        const uint64_t *key = &stacks->facts.keys[(size_t)fact * 2];
        fact_of[fact] = pr_build_fact(c, node_of[pr_high(key[0])], pr_low(key[0]));
        pr_build_add(c, fact_of[fact], metric_of[key[1]], stacks->value[fact], stacks->count[fact]);
    }
    if (c->status == PR_OK)
        give_time(stacks, c, fact_of);
    free(node_of);
    free(fact_of);
}

void pr_perf_stacks_clear(struct pr_perf_stacks *stacks)
{
    pr_idset_clear(&stacks->nodes);
    pr_idset_clear(&stacks->facts);
    free(stacks->value);
    free(stacks->count);
    free(stacks->slices);
    pr_time_moments_clear(&stacks->moments);
}
