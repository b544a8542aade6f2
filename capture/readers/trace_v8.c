/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes name their parents, in the same chunk or in one before; numbers of nodes are those of their profile. */
#include "capture/readers/trace_v8.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <stdlib.h>

enum { NS_PER_US = 1000 };

void pr_trace_v8_begin(struct pr_trace_v8 *v8, struct pr_profile_builder *c, struct pr_json_stream *json)
{
    *v8 = (struct pr_trace_v8){.c = c, .nodes = {.c = c, .json = json}, .ids = {.words = 2}};
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Room for the pending sample number INDEX. False: no memory. */
static bool make_room(struct pr_trace_v8 *v8, size_t index)
{
    const size_t count = v8->taken_count + index + 1;
    if (!pr_grow(&v8->samples, &v8->sample_capacity, count, sizeof *v8->samples)) {
        pr_build_no_memory(v8->c);
        return false;
    }
    if (v8->sample_count < count) {
        v8->samples[count - 1] = (struct pr_trace_v8_sample){.node = 0};
        v8->sample_count = count;
    }
    return true;
}

static void read_numbers(struct pr_trace_v8 *v8, bool ids)
{
    struct pr_json_stream *json = v8->nodes.json;
    size_t *count = ids ? &v8->pending_ids : &v8->pending_deltas;
    if (!pr_json_enter(json, PR_JSON_ARRAY))
        return;
    *count = 0; /* if the list is there twice, the last one counts */
    while (pr_build_going(v8->c) && pr_json_item(json)) {
        if (json->token != PR_JSON_NUMBER) {
            pr_build_damage(v8->c, PR_DAMAGE_RECORDS, 1);
            pr_json_skip(json);
            continue;
        }
        if (!make_room(v8, *count))
            return;
        struct pr_trace_v8_sample *sample = &v8->samples[v8->taken_count + (*count)++];
        if (ids)
            sample->node = (uint64_t)pr_json_scaled(json, 0, 0);
        else
            sample->at_us = pr_json_scaled(json, 0, 0);
    }
}

static void read_profile(struct pr_trace_v8 *v8)
{
    struct pr_json_stream *json = v8->nodes.json;
    if (!pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        if (pr_json_is(json, "nodes"))
            pr_v8_nodes_read_list(&v8->nodes);
        else if (pr_json_is(json, "samples"))
            read_numbers(v8, true);
        else
            pr_json_skip(json);
    }
}

void pr_trace_v8_read(struct pr_trace_v8 *v8)
{
    struct pr_json_stream *json = v8->nodes.json;
    if (pr_json_next(json) != PR_JSON_OBJECT) { /* which is no damage: the data of other events may be anything */
        pr_json_skip(json);
        return;
    }
    while (pr_json_key(json)) {
        if (pr_json_is(json, "cpuProfile"))
            read_profile(v8);
        else if (pr_json_is(json, "timeDeltas"))
            read_numbers(v8, false);
        else if (pr_json_is(json, "startTime"))
            v8->pending_start_us = pr_json_value(json, 0);
        else
            pr_json_skip(json);
    }
}

/* The number of a profile; a new one is of THREAD. PR_NO_ID: no memory. */
static uint32_t profile_of(struct pr_trace_v8 *v8, uint64_t pid, uint64_t id, uint32_t thread)
{
    const uint64_t key[2] = {pid, id};
    const uint32_t known = v8->ids.count;
    const uint32_t profile = pr_grow(&v8->profiles, &v8->profile_capacity, known + (size_t)1, sizeof *v8->profiles)
                                 ? pr_idset_add(&v8->ids, key, 2)
                                 : PR_NO_ID;
    if (profile == PR_NO_ID)
        pr_build_no_memory(v8->c);
    else if (profile == known)
        v8->profiles[profile] = (struct pr_trace_v8_profile){.thread = thread};
    return profile;
}

bool pr_trace_v8_knows(const struct pr_trace_v8 *v8, uint64_t pid, uint64_t id)
{
    const uint64_t key[2] = {pid, id};
    return pr_idset_find(&v8->ids, key, 2) != PR_NO_ID;
}

void pr_trace_v8_forget(struct pr_trace_v8 *v8)
{
    v8->nodes.count = v8->node_count;
    v8->sample_count = v8->taken_count;
    v8->pending_ids = v8->pending_deltas = 0;
    v8->pending_start_us = (struct pr_maybe){0};
}

void pr_trace_v8_take_profile(struct pr_trace_v8 *v8, uint64_t pid, uint64_t id, uint32_t thread)
{
    const uint32_t profile = profile_of(v8, pid, id, thread);
    int64_t start_ns;
    if (__builtin_mul_overflow(v8->pending_start_us.value, NS_PER_US, &start_ns)) { /* no time is that late */
        v8->pending_start_us = (struct pr_maybe){0};
        pr_build_damage(v8->c, PR_DAMAGE_RECORDS, 1);
    }
    if (profile != PR_NO_ID)
        v8->profiles[profile] = (struct pr_trace_v8_profile){thread, v8->pending_start_us};
    pr_trace_v8_forget(v8);
}

void pr_trace_v8_take_chunk(struct pr_trace_v8 *v8, uint64_t pid, uint64_t id, uint32_t thread)
{
    const size_t count = v8->pending_ids < v8->pending_deltas ? v8->pending_ids : v8->pending_deltas;
    const uint32_t profile = profile_of(v8, pid, id, thread);
    pr_build_damage(v8->c, PR_DAMAGE_RECORDS, v8->pending_ids + v8->pending_deltas - 2 * count);
    if (profile == PR_NO_ID ||
        !pr_grow(&v8->chunks, &v8->chunk_capacity, v8->chunk_count + 1, sizeof *v8->chunks)) {
        pr_build_no_memory(v8->c);
        return;
    }
    v8->chunks[v8->chunk_count++] = (struct pr_trace_v8_chunk){profile, v8->node_count, v8->taken_count};
    v8->node_count = v8->nodes.count;
    v8->taken_count += count;
    pr_trace_v8_forget(v8);
}

/* ---- from chunks to stacks --------------------------------------------------------------------------------------- */

/* Nodes by profile and id. */
struct places {
    struct pr_idset ids;
    struct place {
        pr_node_id node;
        pr_frame_id frame;
        enum pr_v8_mark mark;
    } *place; /* [ids.count] */
    size_t capacity;
};

static void add_place(struct pr_trace_v8 *v8, struct places *places, uint32_t profile, const struct pr_v8_node *node)
{
    const uint64_t key[2] = {profile, node->id}, above[2] = {profile, node->parent_id};
    const uint32_t known = places->ids.count;
    const uint32_t parent = node->parent_id ? pr_idset_find(&places->ids, above, 2) : PR_NO_ID;
    pr_build_damage(v8->c, PR_DAMAGE_FRAMES, node->parent_id && parent == PR_NO_ID);
    const uint32_t index = pr_grow(&places->place, &places->capacity, known + (size_t)1, sizeof *places->place)
                               ? pr_idset_add(&places->ids, key, 2)
                               : PR_NO_ID;
    if (index == PR_NO_ID) {
        pr_build_no_memory(v8->c);
        return;
    }
    if (index < known) { /* the first one of an id counts */
        pr_build_damage(v8->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    const pr_node_id outer = parent == PR_NO_ID ? PR_ROOT : places->place[parent].node;
    const bool is_code = node->mark != PR_V8_ROOT && node->mark != PR_V8_IDLE;
    places->place[index] =
        (struct place){is_code ? pr_build_child(v8->c, outer, node->frame) : PR_ROOT, node->frame, node->mark};
}

/* Samples from FIRST to END get their places, and times since the first one of the profile; TIMES: the last of each. */
static void settle_samples(struct pr_trace_v8 *v8, const struct places *places, uint32_t profile, size_t first,
                           size_t end, int64_t *times)
{
    for (size_t i = first; i < end; i++) {
        struct pr_trace_v8_sample *sample = &v8->samples[i];
        const uint64_t key[2] = {profile, sample->node};
        const uint32_t place = pr_idset_find(&places->ids, key, 2);
        pr_build_damage(v8->c, PR_DAMAGE_FRAMES, place == PR_NO_ID);
        times[profile] = pr_add_saturated(times[profile], sample->at_us);
        *sample = (struct pr_trace_v8_sample){place, times[profile], profile};
    }
}

/* By profile, then by time, which need not rise. */
static int compare_samples(const void *a, const void *b, const void *context)
{
    const struct pr_trace_v8_sample *x = a, *y = b;
    (void)context;
    return x->profile != y->profile ? PR_ORDER(x->profile, y->profile) : PR_ORDER(x->at_us, y->at_us);
}

/* NODE ran for so long from SAMPLE on. */
static void add_sample(struct pr_trace_v8 *v8, unsigned metric, const struct pr_trace_v8_sample *sample,
                       pr_node_id node, int64_t ns)
{
    const struct pr_trace_v8_profile *profile = &v8->profiles[sample->profile];
    const uint32_t fact = pr_build_fact(v8->c, node, profile->thread);
    const int64_t at_us = pr_add_saturated(profile->start_us.value, sample->at_us);
    int64_t at_ns;
    pr_build_add(v8->c, fact, metric, ns, 1);
    if (profile->start_us.known && !__builtin_mul_overflow(at_us, NS_PER_US, &at_ns))
        pr_build_slice_of(v8->c, PR_V8_LAYER, fact, at_ns, ns);
    else
        v8->timeless++;
}

static void add_samples(struct pr_trace_v8 *v8, const struct places *places)
{
    const unsigned metric = pr_build_metric(v8->c, "js", "Sampled JavaScript", PR_UNIT_NANOSECONDS, "samples");
    pr_node_id before = PR_ROOT; /* the collector runs on top of what it interrupted */
    for (size_t i = 0; i < v8->taken_count && v8->c->status == PR_OK; i++) {
        const struct pr_trace_v8_sample *sample = &v8->samples[i], *next = sample + 1;
        const struct place nowhere = {.node = PR_ROOT};
        const struct place *place = sample->node == PR_NO_ID ? &nowhere : &places->place[sample->node];
        before = i && sample[-1].profile != sample->profile ? PR_ROOT : before;
        const pr_node_id node =
            place->mark == PR_V8_GC ? pr_build_child(v8->c, before, place->frame) : place->node;
        before = place->mark == PR_V8_GC ? before : place->node;
        int64_t ns;
        if (i + 1 == v8->taken_count || next->profile != sample->profile)
            continue;
        if (__builtin_mul_overflow(pr_subtract_saturated(next->at_us, sample->at_us), NS_PER_US, &ns)) {
            ns = INT64_MAX;
            pr_build_damage(v8->c, PR_DAMAGE_BOUNDED, 1);
        }
        if (place->mark == PR_V8_IDLE)
            pr_add_to(&v8->idle_ns, ns);
        else
            add_sample(v8, metric, sample, node, ns);
    }
}

void pr_trace_v8_finish(struct pr_trace_v8 *v8)
{
    struct places places = {.ids = {.words = 2}};
    int64_t *times = v8->chunk_count ? calloc(v8->ids.count, sizeof *times) : NULL;
    if (!times) {
        if (v8->chunk_count)
            pr_build_no_memory(v8->c);
        return;
    }
    for (size_t i = 0; i < v8->chunk_count && v8->c->status == PR_OK; i++) {
        const struct pr_trace_v8_chunk *chunk = &v8->chunks[i];
        const bool is_last = i + 1 == v8->chunk_count;
        const size_t nodes = is_last ? v8->node_count : chunk[1].first_node;
        for (size_t n = chunk->first_node; n < nodes && v8->c->status == PR_OK; n++)
            add_place(v8, &places, chunk->profile, &v8->nodes.node[n]);
        settle_samples(v8, &places, chunk->profile, chunk->first_sample,
                       is_last ? v8->taken_count : chunk[1].first_sample, times);
    }
    if (!pr_sort(v8->samples, v8->taken_count, sizeof *v8->samples, compare_samples, NULL))
        pr_build_no_memory(v8->c);
    if (v8->c->status == PR_OK)
        add_samples(v8, &places);
    pr_idset_clear(&places.ids);
    free(places.place);
    free(times);
}

void pr_trace_v8_end(struct pr_trace_v8 *v8)
{
    pr_v8_nodes_clear(&v8->nodes);
    pr_idset_clear(&v8->ids);
    free(v8->profiles);
    free(v8->samples);
    free(v8->chunks);
}
