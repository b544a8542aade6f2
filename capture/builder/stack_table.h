/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile under construction: frames, the tree of stacks as recorded, threads and facts, each kept once.
 *
 *     pr_frame_id frame = pr_stacks_frame(&builder, function, file, 12, PR_FRAME_PYTHON);
 *     pr_node_id node = pr_stacks_node(&builder, parent, frame, true);
 *     uint32_t fact = pr_stacks_fact(&builder, node, thread, PR_ALLOC_MALLOC, 0, 0);
 *
 * Each returns PR_NO_ID when there is no memory or a limit is reached. The reader keeps a column of values per metric,
 * indexed by fact; pr_stacks_finish turns all of it into the profile's columns.
 */
#ifndef PR_CAPTURE_BUILDER_STACK_TABLE_H
#define PR_CAPTURE_BUILDER_STACK_TABLE_H

#include "capture/builder/stack_fold.h"
#include "capture/model/frame_table.h"
#include "profrender/load_options.h"
#include "profrender/profile.h"

struct pr_stack_table;

/* The facts of a stack table, and their leaves in the profile's tree. */
struct pr_splice_job {
    const struct pr_stack_table *stacks;
    struct pr_idset *tree;  /* (parent, frame), node 0 is the root; grows */
    uint32_t main_thread;   /* index, PR_NO_ID = none */
    uint64_t skipped;       /* outermost frames of the main thread that are not shown */
    const pr_node_id *leaf; /* [facts.count] of the Python stack in TREE; PR_NO_ID: the fact is not wanted */
    pr_node_id *hybrid;     /* [facts.count] filled: of the hybrid stack */
};

/*
 * A second kind of stacks for the same facts, made along with the tree: those of a memray capture with native frames,
 * in which Python frames replace the interpreter's loops. RUN fills JOB->hybrid; its errors end pr_stacks_finish.
 */
struct pr_splice {
    enum pr_status (*run)(const void *context, const struct pr_splice_job *job, struct pr_error *err);
    const void *context;
};

struct pr_stack_table {
    struct pr_profile *profile; /* owns strings and arena; borrowed */
    struct pr_idset frames;     /* as pr_frame_pack makes of them */
    struct pr_idset nodes;      /* parent, frame and entry flag; node 0 is the root */
    struct pr_idset threads;    /* tid */
    struct pr_idset facts;      /* (node, thread), (native id, generation and allocator), or one word: the first */
    pr_str *thread_name;        /* [threads.count] */
    size_t thread_name_capacity;
    struct pr_stack_fold fold;
    const struct pr_splice *splice; /* set before pr_stacks_finish, borrowed; NULL: no second stacks */
    bool apart; /* set before pr_stacks_finish: no two nodes become one, as nothing is left out of a stack's middle or
                   top and no frame was entered from C; so nothing needs to be compared */
    /* [facts.count], after pr_stacks_finish: the profile's fact, PR_NO_ID for one that was left out */
    uint32_t *merged;
};

enum pr_status pr_stacks_init(struct pr_stack_table *builder, struct pr_profile *profile,
                              const struct pr_limits *limits, struct pr_error *err);
void pr_stacks_clear(struct pr_stack_table *builder);

#define PR_SEEN_THROUGH (UINT32_MAX >> 1) /* a frame whose nodes become their parents in pr_stacks_finish */

/* DEFINITION_LINE is 0 to PR_MAX_DEFINITION_LINE; a LINE below 0, which only damage makes, is unknown. */
static inline pr_frame_id pr_stacks_defined_frame(struct pr_stack_table *builder, pr_str function, pr_str file,
                                                  int32_t line, enum pr_frame_kind kind, int32_t definition_line)
{
    const struct pr_frame frame = {function, file, line > 0 ? line : 0, kind, definition_line};
    uint64_t key[2];
    pr_frame_pack(&frame, key);
    return pr_idset_add(&builder->frames, key, 2);
}

static inline pr_frame_id pr_stacks_frame(struct pr_stack_table *builder, pr_str function, pr_str file, int32_t line,
                                          enum pr_frame_kind kind)
{
    return pr_stacks_defined_frame(builder, function, file, line, kind, 0);
}

/* Whether NODE is what was folded below its parent. */
static inline bool pr_stacks_is_folded(const struct pr_stack_table *builder, pr_node_id node)
{
    return builder->fold.first && node != PR_ROOT && pr_low(builder->nodes.keys[node]) >> 1 == builder->fold.frame;
}

/* The child of PARENT with FRAME. ENTRY: the frame was entered from C; kept apart, as hybrid stacks need it. */
static inline pr_node_id pr_stacks_node(struct pr_stack_table *builder, pr_node_id parent, pr_frame_id frame,
                                        bool entry)
{
    const uint64_t key = pr_pair(parent, frame << 1 | entry);
    const pr_node_id node = pr_idset_add(&builder->nodes, &key, 1);
    return node == PR_NO_ID && builder->fold.most ? pr_stacks_fold_node(builder, key, false) : node;
}

/* The first child of PARENT, for a caller who remembers it: pr_stacks_node does not find it. */
static inline pr_node_id pr_stacks_first_child(struct pr_stack_table *builder, pr_node_id parent, pr_frame_id frame)
{
    const uint64_t key = pr_pair(parent, frame << 1);
    const pr_node_id node = pr_idset_append(&builder->nodes, &key);
    return node == PR_NO_ID && builder->fold.most ? pr_stacks_fold_node(builder, key, true) : node;
}

static inline pr_node_id pr_stacks_parent(const struct pr_stack_table *builder, pr_node_id node)
{
    return pr_high(builder->nodes.keys[node]);
}

static inline bool pr_stacks_node_entry(const struct pr_stack_table *builder, pr_node_id node)
{
    return builder->nodes.keys[node] & 1;
}

static inline pr_frame_id pr_stacks_node_frame(const struct pr_stack_table *builder, pr_node_id node)
{
    return pr_low(builder->nodes.keys[node]) >> 1;
}

static inline struct pr_frame pr_stacks_frame_get(const struct pr_stack_table *builder, pr_frame_id frame)
{
    return pr_frame_unpack(&builder->frames.keys[(size_t)frame * 2]);
}

/* After a PR_NO_ID: true when a limit of the builder is reached, false when memory ran out. */
bool pr_stacks_is_full(const struct pr_stack_table *builder);

/* No node and no fact will be looked up any more: frees what only that needs, before other work that takes memory. */
static inline void pr_stacks_close(struct pr_stack_table *builder)
{
    pr_idset_close(&builder->nodes);
    pr_idset_close(&builder->facts);
}

/*
 * Gives a node another frame, just before pr_stacks_finish, which then unites children that became the same: the nodes
 * can no longer be looked up.
 */
static inline void pr_stacks_set_frame(struct pr_stack_table *builder, pr_node_id node, pr_frame_id frame)
{
    uint64_t *key = &builder->nodes.keys[node];
    *key = (*key & ~(uint64_t)UINT32_MAX) | frame << 1 | (*key & 1);
}

/* The index of the thread, added without a name if it is new. */
uint32_t pr_stacks_thread(struct pr_stack_table *builder, uint64_t tid);

enum { PR_MAX_GENERATION = (1 << 24) - 1 };

/* NATIVE and GENERATION are 0 where not recorded; generations go up to PR_MAX_GENERATION. */
static inline uint32_t pr_stacks_fact(struct pr_stack_table *builder, pr_node_id node, uint32_t thread,
                                      uint8_t allocator, uint32_t native, uint32_t generation)
{
    const uint64_t key[2] = {pr_pair(node, thread), pr_pair(native, (uint32_t)(generation << 8) | allocator)};
    const uint32_t fact = pr_idset_add(&builder->facts, key, 2);
    return fact == PR_NO_ID && builder->fold.most ? pr_stacks_fold_fact(builder, key) : fact;
}

/*
 * The same for a caller who keeps the first fact of each native frame: *FIRST is that fact + 1, 0 as long as there is
 * none. Most frames have one fact, which then takes no search, but is not found by pr_stacks_fact.
 */
static inline uint32_t pr_stacks_native_fact(struct pr_stack_table *builder, pr_node_id node, uint32_t thread,
                                             uint8_t allocator, uint32_t native, uint32_t generation, uint32_t *first)
{
    const uint64_t key[2] = {pr_pair(node, thread), pr_pair(native, (uint32_t)(generation << 8) | allocator)};
    const uint64_t *known = *first ? &builder->facts.keys[((size_t)*first - 1) * 2] : NULL;
    if (known && known[0] == key[0] && known[1] == key[1])
        return *first - 1;
    if (known)
        return pr_stacks_fact(builder, node, thread, allocator, native, generation);
    const uint32_t fact = pr_idset_append(&builder->facts, key);
    if (fact == PR_NO_ID)
        return builder->fold.most ? pr_stacks_fold_fact(builder, key) : fact;
    *first = fact + 1;
    return fact;
}

/* The same for builders whose facts have keys of one word: they differ only in node and thread. */
static inline uint32_t pr_stacks_plain_fact(struct pr_stack_table *builder, pr_node_id node, uint32_t thread)
{
    const uint64_t key = pr_pair(node, thread);
    const uint32_t fact = pr_idset_add(&builder->facts, &key, 1);
    return fact == PR_NO_ID && builder->fold.most ? pr_stacks_fold_fact(builder, &key) : fact;
}

static inline pr_node_id pr_stacks_fact_node(const struct pr_stack_table *builder, uint32_t fact)
{
    return pr_high(builder->facts.keys[(size_t)fact * builder->facts.words]);
}

static inline uint32_t pr_stacks_fact_thread(const struct pr_stack_table *builder, uint32_t fact)
{
    return pr_low(builder->facts.keys[(size_t)fact * builder->facts.words]);
}

/* The second word of a fact's key. */
static inline uint64_t pr_stacks_fact_kind(const struct pr_stack_table *builder, uint32_t fact)
{
    return builder->facts.words == 2 ? builder->facts.keys[(size_t)fact * 2 + 1] : 0;
}

static inline uint8_t pr_stacks_fact_allocator(const struct pr_stack_table *builder, uint32_t fact)
{
    return (uint8_t)pr_stacks_fact_kind(builder, fact);
}

static inline uint32_t pr_stacks_fact_native(const struct pr_stack_table *builder, uint32_t fact)
{
    return pr_high(pr_stacks_fact_kind(builder, fact));
}

static inline uint32_t pr_stacks_fact_generation(const struct pr_stack_table *builder, uint32_t fact)
{
    return (uint32_t)pr_stacks_fact_kind(builder, fact) >> 8;
}

/* A column of values for each fact of the builder, borrowed during pr_stacks_finish. */
struct pr_fact_column {
    const char *name, *title; /* static */
    enum pr_unit unit;
    const char *count_name;
    const int64_t *value, *count;
    size_t stride; /* of both: elements from a fact's to the next fact's; 0 is 1 */
    bool below_zero; /* values may be; else they are sums of sizes, and one below 0 has wrapped */
    int64_t **owner; /* what is to be freed once the profile has this column, and those before it; or NULL */
    const int64_t *total; /* [2] of value and count, where the columns do not have it; NULL: their sums */
};

/* Bytes, and how many allocations, of what NAME and TITLE say. */
static inline struct pr_fact_column pr_allocations_column(const char *name, const char *title, const int64_t *value,
                                                          const int64_t *count, size_t stride)
{
    return (struct pr_fact_column){.name = name, .title = title, .unit = PR_UNIT_BYTES, .count_name = "allocations",
                                   .value = value, .count = count, .stride = stride};
}

static inline int64_t pr_fact_value(const struct pr_fact_column *column, uint32_t fact)
{
    return column->value[fact * (column->stride + !column->stride)];
}

/* 0 where nothing is counted. */
static inline int64_t pr_fact_count(const struct pr_fact_column *column, uint32_t fact)
{
    return column->count ? column->count[fact * (column->stride + !column->stride)] : 0;
}

/*
 * Frames, tree, threads, facts and metrics of the profile, from what was built; nothing can be added after that. On
 * thread MAIN_TID the outermost SKIPPED frames of each stack are left out (0 = none), entry flags are forgotten, facts
 * that become the same by this are added up, and nodes and facts that nothing refers to are left out. builder->merged
 * then says which fact each one became.
 *
 * Errors: PR_FAILED: out of memory, or what the splice reports; the profile can still be freed. PR_CUT: what the splice
 * reports; the profile is good.
 */
enum pr_status pr_stacks_finish(struct pr_stack_table *builder, uint64_t main_tid, uint64_t skipped,
                                const struct pr_fact_column *metrics, uint32_t metric_count, struct pr_error *err);

#endif
