/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who called what grew. From the nodes of a row upwards, in functions of your own code: as long as one caller has more
 * than half of what the row grew by, the path goes on through it.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/compose/diff_internal.h"
#include "capture/model/own_code.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CALLERS = 64 }; /* that are looked at; of recursion one */

/* A part of a row's growth, and the function that called it. */
struct part {
    uint32_t row;
    pr_node_id node;
    double growth;
};

struct paths {
    const struct pr_diff *diff;
    const struct pr_profile *profile;
    pr_node_id *caller;    /* [nodes] the nearest node of your own code above, of another function; PR_ROOT: none */
    double *sum;           /* [frames] scratch: zero in between */
    struct part *part;     /* [facts] by row */
    size_t count;
    uint32_t *rows;        /* as of pr_diff_rows_by_code */
};

static uint32_t code_at(const struct paths *p, pr_node_id node)
{
    return p->diff->parts->code[p->profile->tree.frame[node]];
}

/* Parents come before their children. */
static void find_callers(struct paths *p)
{
    const struct pr_tree *tree = &p->profile->tree;
    const bool *is_own = p->diff->parts->is_own;
    for (pr_node_id i = 1; i < tree->count; i++) {
        pr_node_id above = tree->parent[i];
        if (above != PR_ROOT && !is_own[tree->frame[above]])
            above = p->caller[above];
        if (above != PR_ROOT && code_at(p, above) == code_at(p, i))
            above = p->caller[above];
        p->caller[i] = above;
    }
}

static int compare_parts(const void *a, const void *b, const void *context)
{
    const struct part *x = a, *y = b;
    (void)context;
    return x->row != y->row ? PR_ORDER(x->row, y->row) : PR_ORDER(x->node, y->node);
}

/* LEAVES: [facts] as of pr_diff_own_leaves. False: no memory. */
static bool find_parts(struct paths *p, unsigned metric, uint32_t before, enum pr_diff_of of, const pr_node_id *leaves)
{
    const size_t facts = p->profile->fact_count;
    int64_t *values = calloc(2 * (facts + 1), sizeof *values);
    if (!values)
        return false;
    pr_diff_column_values(p->diff, metric, 0, of, values);
    pr_diff_column_values(p->diff, metric, before, of, values + facts);
    for (size_t i = 0; i < facts; i++) {
        if (leaves[i] == PR_ROOT || values[i] == values[facts + i])
            continue;
        const uint32_t row = p->rows[code_at(p, leaves[i])];
        if (row != PR_NO_ID)
            p->part[p->count++] = (struct part){row, leaves[i], (double)values[i] - (double)values[facts + i]};
    }
    free(values);
    return pr_sort(p->part, p->count, sizeof *p->part, compare_parts, NULL);
}

/* The caller with most of the growth, and in *GROWTH how much; PR_NO_ID: none has a part of it. */
static pr_frame_id heaviest(struct paths *p, const struct part *part, size_t count, double *growth)
{
    const pr_frame_id *frame = p->profile->tree.frame;
    pr_frame_id best = PR_NO_ID;
    for (size_t i = 0; i < count; i++)
        if (p->caller[part[i].node] != PR_ROOT)
            p->sum[frame[p->caller[part[i].node]]] += part[i].growth;
    *growth = 0;
    for (size_t i = 0; i < count; i++) {
        const pr_frame_id at = p->caller[part[i].node] == PR_ROOT ? PR_NO_ID : frame[p->caller[part[i].node]];
        if (at != PR_NO_ID && p->sum[at] > *growth) {
            *growth = p->sum[at];
            best = at;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (p->caller[part[i].node] != PR_ROOT)
            p->sum[frame[p->caller[part[i].node]]] = 0;
    return best;
}

/* Keeps the parts that FRAME called, as its own. Returns how many. */
static size_t go_up(struct paths *p, struct part *part, size_t count, pr_frame_id frame)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const pr_node_id above = p->caller[part[i].node];
        if (above == PR_ROOT || p->profile->tree.frame[above] != frame)
            continue;
        part[kept] = part[i];
        part[kept++].node = above;
    }
    return kept;
}

/* The nearest callers keep their places; the last one is the outermost so far. */
static void add_step(const struct paths *p, struct pr_diff_path *path, pr_frame_id id)
{
    const struct pr_frame *frame = &p->profile->frames[id];
    if (path->count == PR_DIFF_STEPS)
        path->left_out++;
    else
        path->count++;
    path->step[path->count - 1] = (struct pr_diff_step){frame->function, frame->file, p->diff->parts->code[id]};
}

/* Whether more than half of ALL has no caller: the path begins here. */
static bool begins(const struct paths *p, const struct part *part, size_t count, double all)
{
    double growth = 0;
    for (size_t i = 0; i < count; i++)
        growth += p->caller[part[i].node] == PR_ROOT ? part[i].growth : 0;
    return growth > all / 2;
}

static void find_path(struct paths *p, struct part *part, size_t count, struct pr_diff_path *path)
{
    double all = 0, growth;
    for (size_t i = 0; i < count; i++)
        all += part[i].growth;
    if (all <= 0)
        return;
    add_step(p, path, p->profile->tree.frame[part[0].node]);
    for (int i = 0; i < MOST_CALLERS; i++) {
        const pr_frame_id frame = heaviest(p, part, count, &growth);
        if (frame == PR_NO_ID || growth <= all / 2)
            break;
        add_step(p, path, frame);
        count = go_up(p, part, count, frame);
    }
    path->is_whole = begins(p, part, count, all);
}

enum pr_status pr_diff_paths(const struct pr_diff *diff, unsigned metric, uint32_t before, enum pr_diff_of of,
                             const struct pr_diff_table *table, struct pr_diff_path *path, struct pr_error *err)
{
    const struct pr_profile *profile = diff->profile;
    struct paths p = {.diff = diff, .profile = profile, .rows = pr_diff_rows_by_code(diff, table)};
    pr_node_id *leaves = pr_diff_own_leaves(profile, diff->parts->is_own);
    p.caller = calloc(profile->tree.count, sizeof *p.caller);
    p.sum = calloc(profile->frame_count + (size_t)1, sizeof *p.sum);
    p.part = calloc(profile->fact_count + 1, sizeof *p.part);
    memset(path, 0, table->count * sizeof *path);
    bool done = leaves && p.caller && p.sum && p.part && p.rows;
    if (done) {
        find_callers(&p);
        done = find_parts(&p, metric, before, of, leaves);
    }
    for (size_t first = 0, end; done && first < p.count; first = end) {
        for (end = first + 1; end < p.count && p.part[end].row == p.part[first].row; end++)
            ;
        find_path(&p, &p.part[first], end - first, &path[p.part[first].row]);
    }
    free(p.rows);
    free(p.caller);
    free(p.sum);
    free(p.part);
    free(leaves);
    return done ? PR_OK : pr_fail_memory(err);
}
