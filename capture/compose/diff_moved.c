/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What moved from one function to another. A node whose value rose has moved if one of its ancestors, or the node
 * itself with all below it, hardly changed: as much left another place below that ancestor. Two functions that one
 * called, of which one rose by what the other fell, hardly changed together, whatever a third one did. Distances of the
 * changes from 0 are propagated from the root to the leaves, so each path costs its length once.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/compose/diff_internal.h"

#include <stdlib.h>

enum { NEARLY = 10 }; /* all but a tenth */

static const double unchanged = 0.1; /* an ancestor, as a share of what rose below it; and a pair */

/* Of what changed in one node. */
struct part {
    pr_node_id node;
    bool is_self, fell;
    int64_t distance;
};

struct moves {
    const struct pr_profile *profile;
    const pr_node_id *leaves; /* [facts] the nearest own function */
    int64_t *self, *total;    /* [nodes] changes */
    int64_t *least, *least_self; /* [nodes] the least change of anything that contains it, or its own part */
    struct part *parts;       /* [nodes + 1] scratch: of one node, what it called and its own part */
    pr_node_id *child, *next; /* [nodes] the last child, and the one before; 0: none */
};

static int64_t distance(int64_t change)
{
    return change < 0 ? pr_subtract_saturated(0, change) : change;
}

bool pr_diff_only_moved(int64_t change, const struct pr_diff_move *move)
{
    const int64_t size = distance(change);
    return size && size - (change > 0 ? move->here : move->away) <= size / NEARLY;
}

bool pr_diff_are_sides(int64_t change, int64_t other)
{
    return (change > 0) != (other > 0) && distance(pr_add_saturated(change, other)) <= distance(change) / NEARLY;
}

static void add_up(struct moves *m, const int64_t *after, const int64_t *before)
{
    const struct pr_tree *tree = &m->profile->tree;
    for (size_t i = 0; i < m->profile->fact_count; i++)
        pr_add_to(&m->self[m->leaves[i]], pr_subtract_saturated(after[i], before[i]));
    for (pr_node_id i = 0; i < tree->count; i++)
        m->total[i] = m->self[i];
    for (pr_node_id i = tree->count; i-- > 1;)
        pr_add_to(&m->total[tree->parent[i]], m->total[i]);
}

static int compare_parts(const void *a, const void *b, const void *context)
{
    const struct part *x = a, *y = b;
    (void)context;
    return x->distance != y->distance ? PR_ORDER(x->distance, y->distance) : PR_ORDER(x->node, y->node);
}

static void put_least(int64_t *least, int64_t distance)
{
    if (distance < *least)
        *least = distance;
}

/* The own part of a node, or that of all below it too. */
static void take_part(struct moves *m, size_t *count, pr_node_id node, bool is_self)
{
    const int64_t change = is_self ? m->self[node] : m->total[node];
    if (change)
        m->parts[(*count)++] = (struct part){node, is_self, change < 0, distance(change)};
}

/*
 * What changed below a node, or in it, pairs with what changed by as much in the other direction. ONLY_SELF: the own
 * parts of what it called, as a function that was renamed may call one that grew.
 */
static bool pair_parts(struct moves *m, pr_node_id node, bool only_self)
{
    size_t count = 0;
    take_part(m, &count, node, true);
    for (pr_node_id c = m->child[node]; c; c = m->next[c])
        take_part(m, &count, c, only_self);
    if (!pr_sort(m->parts, count, sizeof *m->parts, compare_parts, NULL))
        return false;
    for (size_t i = 0; i + 1 < count; i++) {
        const struct part *a = &m->parts[i], *b = &m->parts[i + 1];
        const int64_t rest = b->distance - a->distance;
        if (a->fell == b->fell || (double)rest > unchanged * (double)a->distance)
            continue;
        put_least(a->is_self ? &m->least_self[a->node] : &m->least[a->node], rest);
        put_least(b->is_self ? &m->least_self[b->node] : &m->least[b->node], rest);
        i++;
    }
    return true;
}

/* Each node gets the least change of anything from the root to it. */
static bool find_least(struct moves *m)
{
    const struct pr_tree *tree = &m->profile->tree;
    for (pr_node_id i = 0; i < tree->count; i++) {
        m->least[i] = distance(m->total[i]);
        m->least_self[i] = INT64_MAX;
        if (i) {
            m->next[i] = m->child[tree->parent[i]];
            m->child[tree->parent[i]] = i;
        }
    }
    for (pr_node_id i = 0; i < tree->count; i++)
        if (!pair_parts(m, i, false) || !pair_parts(m, i, true))
            return false;
    for (pr_node_id i = 0; i < tree->count; i++) {
        if (i)
            put_least(&m->least[i], m->least[tree->parent[i]]);
        put_least(&m->least_self[i], m->least[i]);
    }
    return true;
}

static void sum_frames(const struct moves *m, struct pr_diff_move *moved)
{
    const struct pr_profile *profile = m->profile;
    for (pr_node_id i = 1; i < profile->tree.count; i++) {
        struct pr_diff_move *frame = &moved[profile->tree.frame[i]];
        const double change = (double)m->self[i];
        if (m->self[i] && (double)m->least_self[i] <= unchanged * (change < 0 ? -change : change))
            pr_add_to(change > 0 ? &frame->here : &frame->away, distance(m->self[i]));
    }
}

static bool make_room(struct moves *m)
{
    const size_t nodes = m->profile->tree.count;
    m->self = calloc(nodes, sizeof *m->self);
    m->total = calloc(nodes, sizeof *m->total);
    m->least = calloc(nodes, sizeof *m->least);
    m->least_self = calloc(nodes, sizeof *m->least_self);
    m->parts = calloc(nodes + 1, sizeof *m->parts);
    m->child = calloc(nodes, sizeof *m->child);
    m->next = calloc(nodes, sizeof *m->next);
    return m->self && m->total && m->least && m->least_self && m->parts && m->child && m->next;
}

static void free_room(struct moves *m)
{
    free(m->self);
    free(m->total);
    free(m->least);
    free(m->least_self);
    free(m->parts);
    free(m->child);
    free(m->next);
}

enum pr_status pr_diff_moved_frames(const struct pr_profile *profile, const pr_node_id *leaves, const int64_t *after,
                                    const int64_t *before, struct pr_diff_move *moved, struct pr_error *err)
{
    struct moves m = {.profile = profile, .leaves = leaves};
    bool done = make_room(&m);
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        moved[i] = (struct pr_diff_move){0};
    if (done) {
        add_up(&m, after, before);
        done = find_least(&m);
    }
    if (done)
        sum_frames(&m, moved);
    free_room(&m);
    return done ? PR_OK : pr_fail_memory(err);
}

/* Frames of one function, such as those of several kinds, are one row. */
static bool sum_rows(const struct pr_diff *diff, const struct pr_diff_table *table, const struct pr_diff_move *frames,
                     struct pr_diff_move *moved)
{
    uint32_t *rows = pr_diff_rows_by_code(diff, table);
    for (size_t i = 0; i < table->count; i++)
        moved[i] = (struct pr_diff_move){0};
    for (pr_frame_id i = 0; rows && i < diff->profile->frame_count; i++) {
        const uint32_t row = rows[diff->parts->code[i]];
        if (row == PR_NO_ID)
            continue;
        pr_add_to(&moved[row].here, frames[i].here);
        pr_add_to(&moved[row].away, frames[i].away);
    }
    const bool done = rows;
    free(rows);
    return done;
}

static const double gone = 0.01; /* of what a function had or has in the other profile */

static bool is_next_to_nothing(int64_t value, int64_t other)
{
    return (double)value <= gone * (double)other;
}

/*
 * A function that is in another file now: of all rows with its name, one file lost it and one got it, with about as
 * much. That is seen by its name, also where something else below each ancestor of both grew. ROWS: [count].
 */
static void match_files(const struct pr_diff_row *rows, size_t count, uint32_t before, struct pr_diff_move *moved)
{
    size_t came = count, went = count;
    for (size_t i = 0; i < count; i++) {
        const int64_t now = rows[i].value[0], then = rows[i].value[before];
        const bool is_new = now > 0 && is_next_to_nothing(then, now);
        const bool is_gone = then > 0 && is_next_to_nothing(now, then);
        if ((is_new && came < count) || (is_gone && went < count))
            return;
        came = is_new ? i : came;
        went = is_gone ? i : went;
    }
    if (came == count || went == count)
        return;
    const int64_t here = pr_subtract_saturated(rows[came].value[0], rows[came].value[before]);
    const int64_t away = pr_subtract_saturated(rows[went].value[before], rows[went].value[0]);
    if (!pr_diff_are_sides(here, -away))
        return;
    moved[came].here = here;
    moved[went].away = away;
}

/* Rows are by function, then by file. */
static void match_names(const struct pr_diff_table *table, uint32_t before, struct pr_diff_move *moved)
{
    for (size_t first = 0, end; first < table->count; first = end) {
        for (end = first + 1; end < table->count && table->row[end].function == table->row[first].function; end++)
            ;
        match_files(&table->row[first], end - first, before, &moved[first]);
    }
}

enum pr_status pr_diff_moved(const struct pr_diff *diff, unsigned metric, uint32_t before, enum pr_diff_of of,
                             const struct pr_diff_table *table, struct pr_diff_move *moved, struct pr_error *err)
{
    const struct pr_profile *profile = diff->profile;
    const size_t facts = profile->fact_count + 1;
    pr_node_id *leaves = pr_diff_own_leaves(profile, diff->parts->is_own);
    int64_t *values = calloc(2 * facts, sizeof *values);
    struct pr_diff_move *frames = calloc(profile->frame_count + (size_t)1, sizeof *frames);
    enum pr_status status = leaves && values && frames ? PR_OK : pr_fail_memory(err);
    if (status == PR_OK) {
        pr_diff_column_values(diff, metric, 0, of, values);
        pr_diff_column_values(diff, metric, before, of, values + facts);
        status = pr_diff_moved_frames(profile, leaves, values, values + facts, frames, err);
    }
    if (status == PR_OK && !sum_rows(diff, table, frames, moved))
        status = pr_fail_memory(err);
    if (status == PR_OK)
        match_names(table, before, moved);
    free(leaves);
    free(values);
    free(frames);
    return status;
}
