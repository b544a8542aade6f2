/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree as rows. Frames that make one row are a group. A stack counts once for each group in it, at the outermost
 * node of the group: so the other nodes are left out of the tree first (`outer`), and what remains is summed up, once
 * for each slice of facts (one thread, one allocator) that has rows of its own. A slice touches only the nodes above
 * its facts: many threads cost no more than their stacks.
 */
#include "profrender/table.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/base/sort.h"
#include "capture/model/functions.h"
#include "capture/model/nameless.h"
#include "capture/model/repeated_names.h"

#define MERGED UINT32_MAX

enum { NO_STACK_GROUP = 0 };

struct builder {
    const struct pr_profile *profile;
    const struct pr_metric *metric;
    enum pr_group_by by;
    int32_t *begins; /* by code or definition: what pr_functions_tell_apart says; else NULL */
    bool split_threads, split_allocators;
    bool counts_calls; /* the counts of a stack are not those of its callers */

    /* Groups: frame -> group, and a frame of each group. */
    uint32_t *frame_group; /* [frame_count] from 1 */
    pr_frame_id *group_frame; /* [group_count] */
    uint32_t group_count;

    pr_node_id *outer; /* [nodes] the nearest node at or above that is the outermost of its group; the root: PR_ROOT */

    size_t *slice_start; /* [slice_count + 1] into slice_fact */
    size_t *slice_fact;  /* facts, slice by slice */
    size_t slice_count;

    /* Of the slice at work. */
    int64_t *value, *count; /* [nodes] sums; 0 between slices. Without counts of the metric `count` is NULL */
    bool *touched;          /* [nodes] */
    pr_node_id *path;       /* [nodes] touched nodes, each after the ones above it */
    uint32_t path_count;
    size_t *group_row;      /* [group_count] row + 1; 0 = none yet */
    size_t exact_done;      /* exact rows of the slices before it */
    uint32_t *lone;         /* [group_count] the one function that has exact rows, see find_lone */

    struct pr_table *table;
    size_t capacity;
};

static bool is_by_definition(const struct builder *b)
{
    return b->by == PR_BY_FUNCTION && !pr_metric_has_allocations(b->profile, b->metric);
}

/* Where a comprehension or lambda first ran in its function. An ordinary one without a first line stays without. */
static int32_t guessed_line(const struct builder *b, pr_frame_id frame)
{
    struct pr_text around;
    if (!b->begins[frame])
        return 0;
    const struct pr_text name = pr_profile_text(b->profile, b->profile->frames[frame].function);
    return pr_nameless_kind(name, &around) ? b->begins[frame] : 0;
}

/* The part of FRAME that distinguishes rows. */
static inline struct pr_frame place_of(const struct builder *b, pr_frame_id frame)
{
    struct pr_frame place = b->profile->frames[frame];
    place.kind = 0;
    if (is_by_definition(b))
        place.line = place.definition_line ? place.definition_line : guessed_line(b, frame);
    if (b->by == PR_BY_FILE)
        place = (struct pr_frame){.file = place.file};
    if (b->by == PR_BY_NAME)
        place.line = 0;
    if (b->by == PR_BY_CODE)
        place.line = b->begins[frame];
    return place;
}

/*
 * A group for each place that differs; what alone has its function's name is not looked up. Which number a group gets
 * decides nothing: the rows are sorted in the end.
 */
static bool make_groups(struct builder *b)
{
    const uint32_t count = b->profile->frame_count;
    struct pr_idset places = {.words = 2};
    b->frame_group = malloc(((size_t)count + 1) * sizeof *b->frame_group);
    b->group_frame = malloc(((size_t)count + 1) * sizeof *b->group_frame);
    const bool has_begins = b->by == PR_BY_CODE || is_by_definition(b);
    b->begins = has_begins ? pr_functions_tell_apart(b->profile) : NULL;
    bool *repeated = b->by == PR_BY_FILE ? NULL : pr_names_repeated(b->profile);
    bool done = b->frame_group && b->group_frame && (b->begins || !has_begins) && (repeated || b->by == PR_BY_FILE);
    b->group_count = NO_STACK_GROUP + 1;
    for (pr_frame_id frame = 0; done && frame < count; frame++) {
        const struct pr_frame place = place_of(b, frame);
        const uint64_t key[] = {pr_pair(place.function, place.file), (uint32_t)place.line};
        const bool is_alone = repeated && !repeated[place.function];
        const uint32_t number = is_alone ? pr_idset_append(&places, key) : pr_idset_add(&places, key, 2);
        done = number != PR_NO_ID;
        b->frame_group[frame] = number + NO_STACK_GROUP + 1;
        if (done && b->frame_group[frame] == b->group_count)
            b->group_frame[b->group_count++] = frame;
    }
    pr_idset_clear(&places);
    free(repeated);
    return done;
}

static uint32_t group_of(const struct builder *b, pr_node_id node)
{
    return node == PR_ROOT ? NO_STACK_GROUP : b->frame_group[b->profile->tree.frame[node]];
}

/*
 * Fills `outer` in one walk over the tree, which counts how often each group is on the path from the root. CHILD and
 * SIBLING are the first child and the next sibling of each node, PR_ROOT = none; ON_PATH is zeros, one for each group.
 */
static void find_outer(struct builder *b, const pr_node_id *child, const pr_node_id *sibling, uint32_t *on_path)
{
    const struct pr_tree *tree = &b->profile->tree;
    b->outer[PR_ROOT] = PR_ROOT;
    on_path[NO_STACK_GROUP] = 1; /* the root is on every path, and left last */
    for (pr_node_id node = child[PR_ROOT]; node != PR_ROOT;) {
        b->outer[node] = on_path[group_of(b, node)]++ ? b->outer[tree->parent[node]] : node;
        if (child[node] != PR_ROOT) {
            node = child[node];
            continue;
        }
        on_path[group_of(b, node)]--;
        while (node != PR_ROOT && sibling[node] == PR_ROOT) {
            node = tree->parent[node];
            on_path[group_of(b, node)]--;
        }
        node = sibling[node];
    }
}

static bool make_outer(struct builder *b)
{
    const struct pr_tree *tree = &b->profile->tree;
    pr_node_id *child = calloc(tree->count, sizeof *child);
    pr_node_id *sibling = calloc(tree->count, sizeof *sibling);
    uint32_t *on_path = calloc(b->group_count, sizeof *on_path);
    b->outer = malloc(tree->count * sizeof *b->outer);
    bool done = child && sibling && on_path && b->outer;
    for (pr_node_id node = tree->count; done && node-- > 1;) {
        sibling[node] = child[tree->parent[node]];
        child[tree->parent[node]] = node;
    }
    if (done)
        find_outer(b, child, sibling, on_path);
    free(child);
    free(sibling);
    free(on_path);
    return done;
}

static int64_t fact_count(const struct builder *b, size_t fact)
{
    return b->metric->count ? b->metric->count[fact] : 0;
}

static bool has_value(const struct builder *b, size_t fact)
{
    return b->metric->value[fact] || fact_count(b, fact);
}

static size_t slice_of(const struct builder *b, size_t fact)
{
    size_t thread = b->split_threads ? b->profile->fact_thread[fact] : 0;
    return b->split_allocators ? thread * PR_ALLOC_COUNT + b->profile->fact_allocator[fact] : thread;
}

/* A counting sort of the facts by slice. */
static bool make_slices(struct builder *b)
{
    const size_t facts = b->profile->fact_count;
    size_t used = 0;
    b->slice_count = b->split_threads ? b->profile->thread_count : 1;
    if (b->split_allocators && !pr_mul_size(b->slice_count, PR_ALLOC_COUNT, &b->slice_count))
        return false;
    b->slice_start = calloc(b->slice_count + 1, sizeof *b->slice_start);
    if (!b->slice_start)
        return false;
    for (size_t i = 0; i < facts; i++) {
        if (!has_value(b, i))
            continue;
        b->slice_start[slice_of(b, i)]++;
        used++;
    }
    b->slice_fact = calloc(used + 1, sizeof *b->slice_fact);
    if (!b->slice_fact)
        return false;
    for (size_t i = 1; i <= b->slice_count; i++)
        b->slice_start[i] += b->slice_start[i - 1];
    for (size_t i = facts; i-- > 0;)
        if (has_value(b, i))
            b->slice_fact[--b->slice_start[slice_of(b, i)]] = i;
    return true;
}

/*
 * The row of GROUP in the slice at work, made if it is not there; borrowed until the next row is made. NULL: no
 * memory.
 */
static struct pr_row *row_of(struct builder *b, size_t slice, uint32_t group)
{
    struct pr_table *table = b->table;
    if (b->group_row[group])
        return &table->row[b->group_row[group] - 1];
    if (!pr_grow(&table->row, &b->capacity, table->count + 1, sizeof *table->row))
        return NULL;
    struct pr_frame place = {0};
    if (group != NO_STACK_GROUP)
        place = place_of(b, b->group_frame[group]);
    size_t thread = b->split_allocators ? slice / PR_ALLOC_COUNT : slice;
    struct pr_row *row = &table->row[table->count++];
    *row = (struct pr_row){
        .function = place.function,
        .file = place.file,
        .line = place.line,
        .thread = b->split_threads ? (uint32_t)thread : MERGED,
        .allocator = (uint8_t)(b->split_allocators ? slice % PR_ALLOC_COUNT : PR_ALLOC_NONE),
        .no_stack = group == NO_STACK_GROUP,
        .node = PR_NO_NODE,
    };
    b->group_row[group] = table->count;
    return row;
}

/* Puts NODE and the outer nodes above it on the path, unless they are there already. */
static void touch(struct builder *b, pr_node_id node)
{
    const pr_node_id *parent = b->profile->tree.parent;
    uint32_t count = 0;
    for (pr_node_id at = node; at != PR_ROOT && !b->touched[at]; at = b->outer[parent[at]])
        count++;
    b->path_count += count;
    for (uint32_t i = 1; i <= count; i++, node = b->outer[parent[node]]) {
        b->path[b->path_count - i] = node;
        b->touched[node] = true;
    }
}

static bool add_facts(struct builder *b, size_t slice)
{
    for (size_t i = b->slice_start[slice]; i < b->slice_start[slice + 1]; i++) {
        size_t fact = b->slice_fact[i];
        pr_node_id leaf = b->profile->fact_leaf[fact];
        struct pr_row *row = row_of(b, slice, group_of(b, leaf));
        if (!row)
            return false;
        pr_add_to(&row->self, b->metric->value[fact]);
        pr_add_to(&row->self_count, fact_count(b, fact));
        if (b->counts_calls && b->outer[leaf] == leaf)
            pr_add_to(&row->total_count, fact_count(b, fact));
        touch(b, b->outer[leaf]);
        pr_add_to(&b->value[b->outer[leaf]], b->metric->value[fact]);
        if (b->count)
            pr_add_to(&b->count[b->outer[leaf]], fact_count(b, fact));
    }
    return true;
}

/* Adds the sum of NODE, which is complete, to its row and to the next outer node. */
static bool finish_node(struct builder *b, size_t slice, pr_node_id node)
{
    struct pr_row *row = row_of(b, slice, group_of(b, node));
    if (!row)
        return false;
    pr_add_to(&row->total, b->value[node]);
    if (b->count && !b->counts_calls)
        pr_add_to(&row->total_count, b->count[node]);
    if (row->node == PR_NO_NODE || b->value[node] > b->value[row->node] ||
        (b->value[node] == b->value[row->node] && node < row->node))
        row->node = node;
    pr_node_id up = node == PR_ROOT ? PR_ROOT : b->outer[b->profile->tree.parent[node]];
    if (up != PR_ROOT) { /* the root's sum is that of the facts without a stack alone */
        pr_add_to(&b->value[up], b->value[node]);
        if (b->count)
            pr_add_to(&b->count[up], b->count[node]);
    }
    return true;
}

static bool is_exact_of(const struct builder *b, size_t slice, size_t exact)
{
    return exact < b->profile->exact_count && (!b->split_threads || b->profile->exact_thread[exact] == slice);
}

enum { NO_FUNCTION = 0, SEVERAL = UINT32_MAX, TAKEN = UINT32_MAX - 1 };

/* Finds which groups have one function with figures in the slice: `lone` is its frame + 1, or SEVERAL. */
static void find_lone(struct builder *b, size_t slice, size_t first_exact)
{
    for (size_t i = first_exact; is_exact_of(b, slice, i); i++) {
        const struct pr_exact *exact = &b->metric->exact[i];
        const pr_frame_id frame = b->profile->exact_frame[i];
        uint32_t *lone = &b->lone[b->frame_group[frame]];
        if (exact->self || exact->total || exact->self_count || exact->total_count)
            *lone = *lone == NO_FUNCTION || *lone == frame + 1 ? frame + 1 : SEVERAL;
    }
}

/* What several functions of a file took together was not recorded: there the total of the tree is kept. */
static void add_exact(struct builder *b, struct pr_row *row, uint32_t group, const struct pr_exact *exact)
{
    pr_add_to(&row->self, exact->self);
    pr_add_to(&row->self_count, exact->self_count);
    pr_add_to(&row->total_count, exact->total_count);
    if (b->lone[group] == SEVERAL) {
        row->total = row->total < row->self ? row->self : row->total;
        return;
    }
    if (b->by == PR_BY_FILE && b->lone[group] != TAKEN)
        row->total = 0;
    b->lone[group] = TAKEN;
    pr_add_to(&row->total, exact->total);
}

/* Replaces what the estimated tree says of each function by what was recorded. */
static bool take_exact(struct builder *b, size_t slice, size_t first_row)
{
    const size_t first_exact = b->exact_done;
    for (size_t i = first_row; i < b->table->count; i++) {
        struct pr_row *row = &b->table->row[i];
        row->self = row->self_count = row->total_count = 0;
        if (b->by != PR_BY_FILE || row->no_stack)
            row->total = 0;
    }
    if (b->by == PR_BY_FILE)
        find_lone(b, slice, first_exact);
    for (; is_exact_of(b, slice, b->exact_done); b->exact_done++) {
        const uint32_t group = b->frame_group[b->profile->exact_frame[b->exact_done]];
        struct pr_row *row = row_of(b, slice, group);
        if (!row)
            return false;
        add_exact(b, row, group, &b->metric->exact[b->exact_done]);
    }
    for (size_t i = first_exact; i < b->exact_done; i++)
        b->lone[b->frame_group[b->profile->exact_frame[i]]] = NO_FUNCTION;
    return true;
}

static void forget_node(struct builder *b, pr_node_id node)
{
    b->value[node] = 0;
    if (b->count)
        b->count[node] = 0;
    b->touched[node] = false;
    b->group_row[group_of(b, node)] = 0;
}

static bool add_slice(struct builder *b, size_t slice)
{
    const size_t first_row = b->table->count, first_exact = b->exact_done;
    b->path_count = 0;
    bool done = add_facts(b, slice);
    for (uint32_t i = b->path_count; done && i-- > 0;)
        done = finish_node(b, slice, b->path[i]);
    if (done && b->group_row[NO_STACK_GROUP])
        done = finish_node(b, slice, PR_ROOT);
    if (done && b->metric->exact)
        done = take_exact(b, slice, first_row);
    for (uint32_t i = 0; i < b->path_count; i++)
        forget_node(b, b->path[i]);
    for (size_t i = first_exact; i < b->exact_done; i++)
        b->group_row[b->frame_group[b->profile->exact_frame[i]]] = 0;
    forget_node(b, PR_ROOT);
    return done;
}

static bool add_slices(struct builder *b)
{
    const size_t nodes = b->profile->tree.count;
    b->value = calloc(nodes, sizeof *b->value);
    b->count = b->metric->count ? calloc(nodes, sizeof *b->count) : NULL;
    b->touched = calloc(nodes, sizeof *b->touched);
    b->path = malloc(nodes * sizeof *b->path);
    b->group_row = calloc(b->group_count, sizeof *b->group_row);
    b->lone = calloc(b->group_count, sizeof *b->lone);
    bool done = b->value && (b->count || !b->metric->count) && b->touched && b->path && b->group_row && b->lone;
    for (size_t slice = 0; done && slice < b->slice_count; slice++)
        if (b->slice_start[slice] < b->slice_start[slice + 1] || is_exact_of(b, slice, b->exact_done))
            done = add_slice(b, slice);
    return done;
}

static void drop_empty_rows(struct pr_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct pr_row *row = &table->row[i];
        if (row->self || row->total || row->self_count || row->total_count)
            table->row[kept++] = *row;
    }
    table->count = kept;
}

static int compare_rows(const void *a, const void *b, const void *context)
{
    const struct pr_profile *profile = context;
    const struct pr_row *x = a, *y = b;
    int order = PR_ORDER(y->total, x->total);
    order = order ? order : PR_ORDER(y->self, x->self);
    if (!order && x->function != y->function)
        order = pr_text_compare(pr_profile_text(profile, x->function), pr_profile_text(profile, y->function));
    if (!order && x->file != y->file)
        order = pr_text_compare(pr_profile_text(profile, x->file), pr_profile_text(profile, y->file));
    order = order ? order : PR_ORDER(x->line, y->line);
    order = order ? order : PR_ORDER(x->no_stack, y->no_stack);
    order = order ? order : PR_ORDER(x->allocator, y->allocator);
    if (!order && x->thread != y->thread) {
        order = PR_ORDER(profile->threads[x->thread].tid, profile->threads[y->thread].tid);
        order = order ? order : PR_ORDER(x->thread, y->thread);
    }
    return order;
}

static void builder_clear(struct builder *b)
{
    free(b->begins);
    free(b->frame_group);
    free(b->group_frame);
    free(b->outer);
    free(b->slice_start);
    free(b->slice_fact);
    free(b->value);
    free(b->count);
    free(b->touched);
    free(b->path);
    free(b->group_row);
    free(b->lone);
}

enum pr_status pr_table_make(const struct pr_profile *profile, unsigned metric, enum pr_group_by group,
                             bool split_threads, struct pr_table *table, struct pr_error *err)
{
    *table = (struct pr_table){0};
    if (metric >= profile->metric_count)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, "make a table", "there is no metric %u", metric);
    struct builder b = {
        .profile = profile,
        .metric = &profile->metrics[metric],
        .by = group,
        .split_threads = split_threads,
        .counts_calls = pr_metric_counts_calls(&profile->metrics[metric]),
        .split_allocators = group == PR_BY_FUNCTION && pr_metric_has_allocations(profile, &profile->metrics[metric]),
        .table = table,
    };
    bool done = make_groups(&b) && make_outer(&b) && make_slices(&b) && add_slices(&b);
    builder_clear(&b);
    if (done) {
        drop_empty_rows(table);
        done = pr_sort(table->row, table->count, sizeof *table->row, compare_rows, profile);
    }
    if (!done) {
        pr_table_clear(table);
        return pr_fail_memory(err);
    }
    table->total_value = b.metric->total_value;
    table->total_count = b.metric->total_count;
    return PR_OK;
}

void pr_table_clear(struct pr_table *table)
{
    free(table->row);
    *table = (struct pr_table){0};
}
