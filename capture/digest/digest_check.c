/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a digest against what a profile can be: nothing in them is believed. */
#include "capture/digest/digest_settle.h"

#include "capture/base/idset.h"
#include "capture/model/frame_table.h"

#include <inttypes.h>
#include <stdlib.h>

enum pr_status pr_settle_wrong(const struct pr_settle *s, const char *what, const char *why)
{
    return pr_fail(s->err, PR_ERR_DAMAGED, PR_NO_OFFSET, what, "the digest is not valid: %s", why);
}

/* ---- values that are numbers of something ----------------------------------------------------------------------- */

/* The bound that all values of a column must be below. */
static uint64_t bound_of(const struct pr_settle *s, unsigned below)
{
    switch (below) {
    case PR_DIGEST_ANY:
        return UINT64_MAX;
    case PR_DIGEST_POSITIVE:
        return (uint64_t)INT64_MAX + 1;
    case PR_DIGEST_OF_STRINGS:
        return s->profile->strings.count;
    case PR_DIGEST_OF_ALLOCATORS:
        return PR_ALLOC_COUNT;
    case PR_DIGEST_OF_KINDS:
        return PR_FRAME_OTHER + 1;
    case PR_DIGEST_OF_UNITS:
        return PR_UNIT_CORES + 1;
    case PR_DIGEST_OF_DECIMALS:
        return 19; /* those that fit in 64 bits */
    case PR_DIGEST_OF_LINKS:
        return PR_LINK_CONTEXT + 1;
    case PR_DIGEST_OF_OOM:
        return PR_OOM_YES + 1;
    default:
        return pr_settle_count(s, below);
    }
}

static enum pr_status check_column(const struct pr_settle *s, const struct pr_digest_column *column)
{
    const bool is_run = column->array == PR_DIGEST_RUN;
    const size_t stride = pr_digest_row_bytes[column->array], count = is_run ? 1 : pr_settle_count(s, column->array);
    const char *at = is_run ? (const char *)&s->rows->run : s->rows->rows[column->array];
    const uint64_t bound = bound_of(s, column->below);
    for (size_t i = 0; i < count; i++) {
        if (pr_digest_load(at + i * stride + column->offset, column->kind) >= bound)
            return pr_settle_wrong(s, column->name, "a number is out of range");
    }
    return PR_OK;
}

static enum pr_status check_columns(const struct pr_settle *s)
{
    for (size_t i = 0; i < pr_digest_column_count; i++) {
        const struct pr_digest_column *column = &pr_digest_columns[i];
        if (column->below != PR_DIGEST_ANY && check_column(s, column) == PR_FAILED)
            return PR_FAILED;
    }
    return PR_OK;
}

/* ---- counts that have to agree ---------------------------------------------------------------------------------- */

enum pr_status pr_settle_check_count(const struct pr_settle *s, enum pr_digest_array array, const char *name,
                                     size_t count)
{
    return pr_settle_count(s, array) == count ? PR_OK
                                              : pr_settle_wrong(s, name, "it has the wrong number of values");
}

static enum pr_status check_facts(const struct pr_settle *s)
{
    const struct pr_digest_run *run = &s->rows->run;
    const size_t facts = pr_settle_count(s, PR_DIGEST_FACT_LEAF);
    if (facts > UINT32_MAX - 1)
        return pr_settle_wrong(s, "fact.leaf", "there are too many");
    if (pr_settle_check_count(s, PR_DIGEST_FACT_THREAD, "fact.thread", facts) == PR_FAILED ||
        pr_settle_check_count(s, PR_DIGEST_FACT_HYBRID, "fact.hybrid", run->has_hybrid ? facts : 0) == PR_FAILED)
        return PR_FAILED;
    return pr_settle_check_count(s, PR_DIGEST_FACT_ALLOCATOR, "fact.allocator", run->has_allocators ? facts : 0);
}

static enum pr_status check_limit(const struct pr_settle *s, const char *what, uint64_t count, uint64_t limit)
{
    if (count <= limit)
        return PR_OK;
    return pr_fail(s->err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "%" PRIu64 " %s, more than the limit of %" PRIu64, count,
                   what, limit);
}

static enum pr_status check_limits(const struct pr_settle *s)
{
    const struct pr_limits *limits = &s->options->limits;
    if (check_limit(s, "frames", pr_settle_count(s, PR_DIGEST_FRAMES), limits->max_frames) == PR_FAILED ||
        check_limit(s, "stacks", pr_settle_count(s, PR_DIGEST_NODE_PARENT), limits->max_nodes) == PR_FAILED)
        return PR_FAILED;
    return check_limit(s, "threads", pr_settle_count(s, PR_DIGEST_THREADS), limits->max_threads);
}

/* ---- the tree --------------------------------------------------------------------------------------------------- */

static enum pr_status check_frames(const struct pr_settle *s)
{
    struct pr_frame_table table;
    const struct pr_frame *frame = s->rows->rows[PR_DIGEST_FRAMES];
    enum pr_status status = PR_OK;
    pr_frame_table_init(&table);
    for (pr_frame_id i = 0; i < pr_settle_count(s, PR_DIGEST_FRAMES) && status == PR_OK; i++) {
        const pr_frame_id id = pr_frame_table_add(&table, &frame[i]);
        if (id == PR_NO_ID)
            status = pr_fail_memory(s->err);
        else if (id != i)
            status = pr_settle_wrong(s, "frames", "a frame occurs twice");
    }
    pr_frame_table_clear(&table);
    return status;
}

/* Parents come first, no two children of a node have the same frame, no stack is too deep. */
static enum pr_status check_nodes(const struct pr_settle *s, uint32_t count, uint32_t *depth, struct pr_idset *nodes)
{
    const pr_node_id *parent = s->rows->rows[PR_DIGEST_NODE_PARENT];
    const pr_frame_id *frame = s->rows->rows[PR_DIGEST_NODE_FRAME];
    const uint64_t most = s->options->limits.max_depth;
    for (uint32_t node = 1; node < count; node++) {
        if (parent[node] >= node)
            return pr_settle_wrong(s, "node.parent", "a node comes before its parent");
        if (frame[node] >= pr_settle_count(s, PR_DIGEST_FRAMES))
            return pr_settle_wrong(s, "node.frame", "a number is out of range");
        depth[node] = depth[parent[node]] + 1;
        if (depth[node] / 2 > most) /* Python frames, and native ones between them */
            return pr_fail(s->err, PR_ERR_LIMIT, PR_NO_OFFSET, NULL, "a stack has more frames than the limit allows");
        const uint64_t key = pr_pair(parent[node], frame[node]);
        const uint32_t known = nodes->count, id = pr_idset_add(nodes, &key, 1);
        if (id == PR_NO_ID)
            return pr_fail_memory(s->err);
        if (id != known)
            return pr_settle_wrong(s, "node.frame", "a stack occurs twice");
    }
    return PR_OK;
}

static enum pr_status check_tree(const struct pr_settle *s)
{
    const size_t count = pr_settle_count(s, PR_DIGEST_NODE_PARENT);
    if (!count || count > UINT32_MAX - 1)
        return pr_settle_wrong(s, "node.parent", "there is no tree");
    if (pr_settle_check_count(s, PR_DIGEST_NODE_FRAME, "node.frame", count) == PR_FAILED ||
        check_frames(s) == PR_FAILED)
        return PR_FAILED;
    if (((const pr_node_id *)s->rows->rows[PR_DIGEST_NODE_PARENT])[PR_ROOT] != PR_ROOT)
        return pr_settle_wrong(s, "node.parent", "the root has a parent");
    struct pr_idset nodes = {.words = 1};
    uint32_t *depth = calloc(count, sizeof *depth);
    const enum pr_status status = depth ? check_nodes(s, (uint32_t)count, depth, &nodes) : pr_fail_memory(s->err);
    free(depth);
    pr_idset_clear(&nodes);
    return status;
}

enum pr_status pr_settle_check(const struct pr_settle *s)
{
    if (check_limits(s) == PR_FAILED || check_columns(s) == PR_FAILED || check_tree(s) == PR_FAILED)
        return PR_FAILED;
    return check_facts(s);
}
