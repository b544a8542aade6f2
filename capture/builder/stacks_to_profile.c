/* SPDX-License-Identifier: Apache-2.0 */
/* From what a reader recorded to the columns of a profile: strip, merge, leave out what nothing refers to. */
#include "capture/builder/stack_table.h"

#include "capture/base/checked.h"

#include <stdlib.h>

static const uint64_t root_key = UINT64_MAX;

/* How one kind of thread sees the recorded tree: all of it, or without the outermost frames. */
struct sight {
    uint8_t *wanted;  /* [nodes] a fact is on it or below it */
    pr_node_id *seen; /* [nodes] its number in the profile's tree; NULL: the same */
    uint64_t skipped;
};

struct finish {
    struct pr_stack_table *builder;
    const struct pr_fact_column *metrics;
    uint32_t metric_count;
    uint32_t main_thread; /* index, or PR_NO_ID */
    struct sight plain, stripped;
    struct pr_idset tree;  /* parent, frame: the profile's nodes */
    pr_node_id *leaf;      /* [facts] in it, PR_NO_NODE for a fact without a value */
    pr_node_id *hybrid;    /* [facts] the same of hybrid stacks; NULL when there are none */
    uint32_t fact_count;   /* of the profile */
};

static bool has_value(const struct finish *f, uint32_t fact)
{
    for (uint32_t m = 0; m < f->metric_count; m++) {
        if (pr_fact_value(&f->metrics[m], fact) || pr_fact_count(&f->metrics[m], fact))
            return true;
    }
    return false;
}

static struct sight *sight_of(struct finish *f, uint32_t fact)
{
    return pr_stacks_fact_thread(f->builder, fact) == f->main_thread ? &f->stripped : &f->plain;
}

static bool sight_init(struct sight *sight, uint32_t nodes)
{
    sight->wanted = calloc(nodes, sizeof *sight->wanted);
    sight->seen = calloc(nodes, sizeof *sight->seen);
    return sight->wanted && sight->seen;
}

static void sight_clear(struct sight *sight)
{
    free(sight->wanted);
    free(sight->seen);
    *sight = (struct sight){.skipped = sight->skipped};
}

static bool see(struct finish *f, struct sight *sight, pr_node_id node, uint32_t depth)
{
    if (!sight->wanted[node])
        return true;
    if (depth <= sight->skipped)
        return true; /* seen[] is the root already */
    if (pr_stacks_node_frame(f->builder, node) == PR_SEEN_THROUGH) {
        sight->seen[node] = sight->seen[pr_stacks_parent(f->builder, node)];
        return true;
    }
    const uint64_t key =
        pr_pair(sight->seen[pr_stacks_parent(f->builder, node)], pr_stacks_node_frame(f->builder, node));
    sight->seen[node] = pr_idset_add(&f->tree, &key, 1);
    return sight->seen[node] != PR_NO_ID;
}

/* The number of NODE in the profile's tree. */
static pr_node_id seen_as(const struct sight *sight, pr_node_id node)
{
    return sight->seen ? sight->seen[node] : node;
}

/* True with two sights. Only leaving frames out of one thread needs the second one, and the depth of nodes. */
static bool is_split(const struct finish *f)
{
    return f->main_thread != PR_NO_ID;
}

static void want_nodes(struct finish *f)
{
    const struct pr_stack_table *b = f->builder;
    for (uint32_t fact = 0; fact < b->facts.count; fact++) {
        if (has_value(f, fact))
            sight_of(f, fact)->wanted[pr_stacks_fact_node(b, fact)] = 1;
    }
    for (uint32_t node = b->nodes.count; --node > 0;) {
        pr_node_id parent = pr_stacks_parent(b, node);
        f->plain.wanted[parent] |= f->plain.wanted[node];
        if (is_split(f))
            f->stripped.wanted[parent] |= f->stripped.wanted[node];
    }
}

/* Columns for COUNT nodes of the profile's tree. */
static bool new_tree(struct finish *f, uint32_t count, pr_node_id **parent, pr_frame_id **frame)
{
    struct pr_profile *profile = f->builder->profile;
    *parent = pr_arena_array(&profile->arena, count, sizeof **parent);
    *frame = pr_arena_array(&profile->arena, count, sizeof **frame);
    profile->tree = (struct pr_tree){count, *parent, *frame};
    return *parent && *frame;
}

/* Where no two nodes become one: `seen` stays NULL if none is left out either, as then the numbers stay. */
static bool number_apart(struct finish *f, uint32_t *count)
{
    const uint32_t nodes = f->builder->nodes.count;
    struct sight *sight = &f->plain;
    *count = 1;
    sight->wanted = calloc(nodes, sizeof *sight->wanted);
    if (!sight->wanted)
        return false;
    want_nodes(f);
    for (uint32_t node = 1; node < nodes; node++)
        *count += sight->wanted[node];
    if (*count == nodes)
        return true;
    sight->seen = calloc(nodes, sizeof *sight->seen);
    for (uint32_t node = 1, number = 1; sight->seen && node < nodes; node++)
        sight->seen[node] = sight->wanted[node] ? number++ : 0;
    return sight->seen;
}

/*
 * The same as make_tree and copy_tree. The nodes of a deep tree take most of the memory, so the column of parents
 * overwrites the keys from their beginning on, where each has already been read.
 */
static bool make_tree_apart(struct finish *f)
{
    struct pr_stack_table *b = f->builder;
    const uint32_t nodes = b->nodes.count;
    uint32_t count;
    if (!number_apart(f, &count))
        return false;
    pr_frame_id *frame = pr_arena_array(&b->profile->arena, count, sizeof *frame);
    char *keys = (char *)b->nodes.keys;
    if (!frame)
        return false;
    for (uint32_t node = 1; node < nodes; node++) {
        const pr_node_id parent = seen_as(&f->plain, pr_stacks_parent(b, node));
        const size_t number = seen_as(&f->plain, node);
        if (!f->plain.wanted[node])
            continue;
        frame[number] = pr_stacks_node_frame(b, node);
        memcpy(keys + number * sizeof parent, &parent, sizeof parent);
    }
    memset(keys, 0, sizeof(pr_node_id)); /* of the root */
    pr_node_id *parents = realloc(keys, count * sizeof *parents);
    if (!parents)
        return false;
    b->nodes.keys = NULL;
    pr_idset_clear(&b->nodes);
    if (!pr_arena_take(&b->profile->arena, parents))
        return false;
    b->profile->tree = (struct pr_tree){count, parents, frame};
    return true;
}

/* Numbers the nodes with a fact on or below them, in the recorded order, so that parents stay before children. */
static bool make_tree(struct finish *f)
{
    const struct pr_stack_table *b = f->builder;
    const uint32_t nodes = b->nodes.count;
    uint32_t *depth = is_split(f) ? calloc(nodes, sizeof *depth) : NULL;
    bool good = (depth || !is_split(f)) && sight_init(&f->plain, nodes) &&
                (!is_split(f) || sight_init(&f->stripped, nodes)) && pr_idset_add(&f->tree, &root_key, 1) == PR_ROOT;
    if (good)
        want_nodes(f);
    for (uint32_t node = 1; node < nodes && good; node++) {
        if (depth)
            depth[node] = depth[pr_stacks_parent(b, node)] + 1;
        good = see(f, &f->plain, node, 1) && (!depth || see(f, &f->stripped, node, depth[node]));
    }
    free(depth);
    return good;
}

/* The leaf of each fact. */
static enum pr_status make_leaves(struct finish *f, struct pr_error *err)
{
    const struct pr_stack_table *b = f->builder;
    f->leaf = calloc(b->facts.count + (size_t)1, sizeof *f->leaf);
    f->hybrid = b->splice ? calloc(b->facts.count + (size_t)1, sizeof *f->hybrid) : NULL;
    if (!f->leaf || (b->splice && !f->hybrid))
        return pr_fail_memory(err);
    for (uint32_t fact = 0; fact < b->facts.count; fact++)
        f->leaf[fact] = has_value(f, fact) ? seen_as(sight_of(f, fact), pr_stacks_fact_node(b, fact)) : PR_NO_NODE;
    if (!b->splice)
        return PR_OK;
    const struct pr_splice_job job = {b, &f->tree, f->main_thread, f->stripped.skipped, f->leaf, f->hybrid};
    return b->splice->run(b->splice->context, &job, err);
}

/*
 * The recorded facts that are facts of the profile, to find the same again: no keys, as those of the facts are there
 * already. Most nodes are the leaf of one fact, which takes no search.
 */
struct fact_set {
    uint32_t *of_leaf; /* [nodes of the tree] the first fact of each leaf, + 1; 0 = none */
    uint32_t *slots; /* [mask + 1] the others, + 1; 0 = free; at most half of them are not */
    size_t mask;
    uint64_t salt;
};

static bool fact_set_init(struct fact_set *set, uint32_t facts, uint32_t nodes)
{
    size_t slots = 16;
    while (slots / 2 < facts)
        slots *= 2;
    *set = (struct fact_set){calloc((size_t)nodes + 1, sizeof *set->of_leaf), calloc(slots, sizeof *set->slots),
                             slots - 1, pr_hash_new_salt()};
    return set->of_leaf && set->slots;
}

static void fact_set_clear(struct fact_set *set)
{
    free(set->of_leaf);
    free(set->slots);
}

/* What makes a fact of the profile: leaf and thread, leaf of the hybrid stack and allocator. */
static void fact_key(const struct finish *f, uint32_t fact, uint64_t key[2])
{
    key[0] = pr_pair(f->leaf[fact], pr_stacks_fact_thread(f->builder, fact));
    key[1] = pr_pair(f->hybrid ? f->hybrid[fact] : 0, pr_stacks_fact_allocator(f->builder, fact));
}

static bool is_same_fact(const struct finish *f, uint32_t fact, const uint64_t key[2])
{
    uint64_t other[2];
    fact_key(f, fact, other);
    return other[0] == key[0] && other[1] == key[1];
}

/* The first recorded fact that becomes the same as FACT. */
static uint32_t first_same(const struct finish *f, const struct fact_set *set, uint32_t fact)
{
    uint32_t *first = &set->of_leaf[f->hybrid ? f->hybrid[fact] : f->leaf[fact]];
    uint64_t key[2];
    fact_key(f, fact, key);
    if (*first && is_same_fact(f, *first - 1, key))
        return *first - 1;
    if (!*first) {
        *first = fact + 1;
        return fact;
    }
    size_t at = pr_hash_two(key[0] ^ set->salt, key[1]) & set->mask;
    for (; set->slots[at]; at = (at + 1) & set->mask)
        if (is_same_fact(f, set->slots[at] - 1, key))
            return set->slots[at] - 1;
    set->slots[at] = fact + 1;
    return fact;
}

/* MERGED[fact]: number of the profile's fact that a recorded one becomes, PR_NO_ID for those without a value. */
static bool merge_facts(struct finish *f, uint32_t *merged)
{
    const struct pr_stack_table *b = f->builder;
    struct fact_set set = {0};
    if (!b->apart && !fact_set_init(&set, b->facts.count, b->profile->tree.count)) {
        fact_set_clear(&set);
        return false;
    }
    for (uint32_t fact = 0; fact < b->facts.count; fact++) {
        merged[fact] = PR_NO_ID;
        if (f->leaf[fact] == PR_NO_NODE)
            continue;
        const uint32_t first = b->apart ? fact : first_same(f, &set, fact);
        merged[fact] = first == fact ? f->fact_count++ : merged[first];
    }
    fact_set_clear(&set);
    return true;
}

static bool sum_metric(struct finish *f, const struct pr_fact_column *raw, const uint32_t *merged,
                       struct pr_metric *metric)
{
    struct pr_arena *arena = &f->builder->profile->arena;
    int64_t *value = pr_arena_array(arena, f->fact_count, sizeof *value);
    int64_t *count = raw->count ? pr_arena_array(arena, f->fact_count, sizeof *count) : NULL;
    int64_t sum;
    bool wrapped = false, overflowed = false, is_counted = false; /* already, as a value that was bounded */
    if (!value || (raw->count && !count))
        return false;
    *metric = (struct pr_metric){.name = raw->name,
                                 .title = raw->title,
                                 .unit = raw->unit,
                                 .count_name = raw->count_name,
                                 .value = value,
                                 .count = count};
    for (uint32_t fact = 0; fact < f->builder->facts.count; fact++) {
        uint32_t at = merged[fact];
        if (at == PR_NO_ID)
            continue;
        const int64_t recorded = pr_fact_value(raw, fact), counted = pr_fact_count(raw, fact);
        const int64_t more = raw->below_zero ? recorded : pr_shown_sum(recorded);
        if (more) /* a column of zeros takes no memory as long as nothing is written to it */
            value[at] = pr_add_saturated(value[at], more);
        if (counted)
            count[at] = pr_add_saturated(count[at], counted);
        wrapped = wrapped || (!raw->below_zero && recorded < 0);
        is_counted = is_counted || pr_at_end_of_range(recorded) || pr_at_end_of_range(counted);
        overflowed = overflowed || __builtin_add_overflow(metric->total_value, more, &sum) ||
                     __builtin_add_overflow(metric->total_count, counted, &sum);
        metric->total_value = pr_add_saturated(metric->total_value, more);
        metric->total_count = pr_add_saturated(metric->total_count, counted);
    }
    if (raw->owner) {
        free(*raw->owner);
        *raw->owner = NULL;
    }
    if (raw->total) {
        metric->total_value = raw->total[0];
        metric->total_count = raw->total[1];
    }
    pr_damage_add(&f->builder->profile->damage, PR_DAMAGE_BOUNDED,
                  wrapped || (overflowed && !is_counted), PR_NO_OFFSET);
    return true;
}

static bool fill_facts(struct finish *f, const uint32_t *merged)
{
    const struct pr_stack_table *b = f->builder;
    struct pr_profile *profile = b->profile;
    const size_t count = f->fact_count;
    pr_node_id *leaf = pr_arena_array(&profile->arena, count, sizeof *leaf);
    pr_node_id *hybrid = pr_arena_array(&profile->arena, f->hybrid ? count : 0, sizeof *hybrid);
    uint32_t *thread = pr_arena_array(&profile->arena, count, sizeof *thread);
    uint8_t *allocator = pr_arena_array(&profile->arena, count, sizeof *allocator);
    struct pr_metric *metrics = pr_arena_array(&profile->arena, f->metric_count, sizeof *metrics);
    if (!leaf || !hybrid || !thread || !allocator || !metrics)
        return false;
    for (uint32_t fact = 0; fact < b->facts.count; fact++) {
        const uint32_t at = merged[fact];
        if (at == PR_NO_ID)
            continue;
        leaf[at] = f->leaf[fact];
        thread[at] = pr_stacks_fact_thread(b, fact);
        allocator[at] = pr_stacks_fact_allocator(b, fact);
        if (f->hybrid)
            hybrid[at] = f->hybrid[fact];
    }
    for (uint32_t m = 0; m < f->metric_count; m++) {
        if (!sum_metric(f, &f->metrics[m], merged, &metrics[m]))
            return false;
    }
    profile->fact_count = count;
    profile->fact_leaf = leaf;
    profile->fact_hybrid = f->hybrid ? hybrid : NULL;
    profile->fact_thread = thread;
    profile->fact_allocator = allocator;
    profile->metric_count = f->metric_count;
    profile->metrics = metrics;
    return true;
}

static bool copy_tree(struct finish *f)
{
    pr_node_id *parent;
    pr_frame_id *frame;
    if (f->builder->apart)
        return true;
    if (!new_tree(f, f->tree.count, &parent, &frame))
        return false;
    for (uint32_t node = 1; node < f->tree.count; node++) {
        parent[node] = pr_high(f->tree.keys[node]);
        frame[node] = pr_low(f->tree.keys[node]);
    }
    return true;
}

static bool copy_frames(struct finish *f)
{
    struct pr_profile *profile = f->builder->profile;
    const uint32_t count = f->builder->frames.count;
    struct pr_frame *frames = pr_arena_array(&profile->arena, count, sizeof *frames);
    if (!frames)
        return false;
    for (uint32_t i = 0; i < count; i++)
        frames[i] = pr_stacks_frame_get(f->builder, i);
    profile->frame_count = count;
    profile->frames = frames;
    return true;
}

/* Frees what is no longer needed, before the facts are made. */
static void forget_tree(struct finish *f)
{
    pr_idset_clear(&f->tree);
    sight_clear(&f->plain);
    sight_clear(&f->stripped);
}

static bool make_facts(struct finish *f)
{
    uint32_t *merged = calloc(f->builder->facts.count + (size_t)1, sizeof *merged);
    f->builder->merged = merged;
    return merged && merge_facts(f, merged) && fill_facts(f, merged);
}

static bool copy_threads(struct finish *f)
{
    const struct pr_stack_table *b = f->builder;
    struct pr_profile *profile = b->profile;
    struct pr_thread *threads = pr_arena_array(&profile->arena, b->threads.count, sizeof *threads);
    struct pr_process *process = pr_arena_array(&profile->arena, 1, sizeof *process);
    if (!threads || !process)
        return false;
    for (uint32_t i = 0; i < b->threads.count; i++)
        threads[i] = (struct pr_thread){b->threads.keys[i], b->thread_name[i], 0};
    process->pid = profile->meta.pid.known ? (uint64_t)profile->meta.pid.value : 0;
    profile->threads = threads;
    profile->thread_count = b->threads.count;
    profile->processes = process;
    profile->process_count = 1;
    return true;
}

enum pr_status pr_stacks_finish(struct pr_stack_table *builder, uint64_t main_tid, uint64_t skipped,
                                const struct pr_fact_column *metrics, uint32_t metric_count, struct pr_error *err)
{
    struct finish f = {
        .builder = builder,
        .metrics = metrics,
        .metric_count = metric_count,
        .main_thread = skipped ? pr_idset_find(&builder->threads, &main_tid, 1) : PR_NO_ID,
        .stripped = {.skipped = skipped},
        .tree = {.words = 1},
    };
    pr_stacks_close(builder);
    const bool has_tree = builder->apart ? make_tree_apart(&f) : make_tree(&f);
    enum pr_status status = has_tree ? make_leaves(&f, err) : pr_fail_memory(err);
    const bool has_copies = status != PR_FAILED && copy_tree(&f) && copy_frames(&f) && copy_threads(&f);
    forget_tree(&f);
    if (status != PR_FAILED && !(has_copies && make_facts(&f)))
        status = pr_fail_memory(err);
    free(f.leaf);
    free(f.hybrid);
    return status;
}
