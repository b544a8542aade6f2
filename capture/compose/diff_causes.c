/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions grew for one reason. A place grew as a whole if all that it has, itself and in what it calls, grew by
 * the same share, or is new: then it was called more often or had more to do, and nothing below it is to blame. What
 * grew by another share, or while something next to it did not, is a cause of its own.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/compose/diff_internal.h"

#include <math.h>
#include <stdlib.h>

static const double small = 0.05;       /* of what a place has, and of its growth: it says nothing */
static const double alike = 0.25;       /* of its growth: by so much shares may differ */
static const double mostly = 0.9;       /* of a function's growth: that explains it */
static const double nothing = 0.01;     /* of what it has now: it is new */
enum { ENOUGH_ALIKE = 3 };              /* so many parts do not grow by the same share by accident */

/* What a node had and has, with all below it. */
struct amount {
    double before, after;
};

struct place {
    struct amount value, count;
    struct amount self, self_count;
    uint32_t parts;        /* functions below it, and itself, that its growth is spread over */
    uint32_t direct;       /* of these: itself, and what it calls directly */
    bool is_uneven;        /* some of them grew by another share */
    pr_node_id explained;  /* by this node, or 0 */
};

/* What a row grew by below nodes of one frame. */
struct piece {
    uint32_t row;
    pr_frame_id frame;
    double growth;
};

struct causes {
    const struct pr_diff *diff;
    const struct pr_profile *profile;
    struct place *place; /* [nodes] */
    struct piece *piece; /* [nodes] scratch */
    struct amount *explained; /* [frames] what the nodes of a frame have that explain something */
    uint32_t *rows; /* as of pr_diff_rows_by_code */
};

static double growth(const struct amount *amount)
{
    return amount->after - amount->before;
}

static int64_t whole_of(double value)
{
    return value < 0x1p62 ? (int64_t)value : INT64_MAX;
}

static void add(struct amount *to, const struct amount *from)
{
    to->before += from->before;
    to->after += from->after;
}

static bool is_new(const struct amount *amount)
{
    return amount->before <= nothing * amount->after;
}

/* Whether a part is too small to say whether the whole grew evenly. */
static bool is_small(const struct amount *part, const struct amount *whole)
{
    return fabs(growth(part)) < small * growth(whole) && part->before <= small * whole->before;
}

/* Whether both grew by the same share. */
static bool is_alike(const struct amount *part, const struct amount *whole)
{
    if (is_new(whole) || is_new(part))
        return is_new(whole) == is_new(part);
    const double share = growth(part) / part->before, of_all = growth(whole) / whole->before;
    return fabs(share - of_all) <= alike * of_all;
}

static void take_part(struct place *place, const struct amount *part, uint32_t parts, bool is_uneven)
{
    if (is_small(part, &place->value))
        return;
    place->direct++;
    place->parts += parts;
    place->is_uneven |= is_uneven || !is_alike(part, &place->value);
}

/* Children come after their parents, so each child is complete before it is a part. */
static void look_at_parts(struct causes *c)
{
    const struct pr_tree *tree = &c->profile->tree;
    for (pr_node_id i = tree->count; i-- > 0;) {
        struct place *place = &c->place[i];
        if (growth(&place->value) <= 0)
            place->is_uneven = true;
        else
            take_part(place, &place->self, 1, false);
        if (i)
            take_part(&c->place[tree->parent[i]], &place->value, place->parts, place->is_uneven);
    }
}

/* A chain of calls with one part is explained by its end: only where parts meet is there a common ancestor. */
static bool explains(const struct causes *c, pr_node_id node)
{
    const struct place *place = &c->place[node];
    const pr_frame_id frame = c->profile->tree.frame[node];
    if (!node || place->is_uneven || place->direct < 2 || !c->diff->parts->is_own[frame])
        return false;
    return is_new(&place->value) || place->parts >= ENOUGH_ALIKE ||
           (growth(&place->count) > 0 && is_alike(&place->count, &place->value));
}

static void find_explained(struct causes *c)
{
    const struct pr_tree *tree = &c->profile->tree;
    for (pr_node_id i = 1; i < tree->count; i++) {
        const pr_node_id above = c->place[tree->parent[i]].explained;
        c->place[i].explained = above ? above : explains(c, i) ? i : 0;
        if (c->place[i].explained == i)
            add(&c->explained[tree->frame[i]], &c->place[i].value);
    }
}

static uint32_t row_of(const struct causes *c, pr_node_id node)
{
    return c->rows[c->diff->parts->code[c->profile->tree.frame[node]]];
}

static int compare_pieces(const void *a, const void *b, const void *context)
{
    const struct piece *x = a, *y = b;
    (void)context;
    return x->row != y->row ? PR_ORDER(x->row, y->row) : PR_ORDER(x->frame, y->frame);
}

/* What each row grew by, in pieces by the frame that explains them; frame PR_NO_ID: none does. False: no memory. */
static bool find_pieces(struct causes *c, size_t *count)
{
    const struct pr_tree *tree = &c->profile->tree;
    *count = 0;
    for (pr_node_id i = 1; i < tree->count; i++) {
        const struct place *place = &c->place[i];
        const uint32_t row = growth(&place->self) > 0 ? row_of(c, i) : PR_NO_ID;
        if (row != PR_NO_ID)
            c->piece[(*count)++] = (struct piece){
                row, place->explained ? tree->frame[place->explained] : PR_NO_ID, growth(&place->self)};
    }
    return pr_sort(c->piece, *count, sizeof *c->piece, compare_pieces, NULL);
}

static struct pr_diff_cause cause_at(const struct causes *c, pr_frame_id frame, unsigned metric)
{
    const struct pr_frame *at = &c->profile->frames[frame];
    const struct pr_diff_metric *lines = pr_diff_metric_at(c->diff, metric);
    const struct amount *all = &c->explained[frame];
    return (struct pr_diff_cause){
        .function = at->function,
        .file = at->file,
        .code = c->diff->parts->code[frame],
        .line = frame < lines->line_count ? lines->lines[frame].of[PR_DIFF_TOTAL].line : 0,
        .before = whole_of(all->before),
        .after = whole_of(all->after)};
}

/*
 * Where nearly all that a frame explains is one function, wherever that is called from, that function is the cause, and
 * not who calls it: recursion has as many parts as it is deep. False: no memory.
 */
static bool drop_single(const struct causes *c, size_t count)
{
    struct of_frame {
        double all, most;
    } *of = calloc(c->profile->frame_count + (size_t)1, sizeof *of);
    double here = 0;
    for (size_t i = 0; of && i < count; i++) {
        const struct piece *piece = &c->piece[i];
        const bool same = i && piece->row == piece[-1].row && piece->frame == piece[-1].frame;
        here = (same ? here : 0) + piece->growth;
        if (piece->frame == PR_NO_ID)
            continue;
        of[piece->frame].all += piece->growth;
        of[piece->frame].most = here > of[piece->frame].most ? here : of[piece->frame].most;
    }
    for (size_t i = 0; of && i < count; i++) {
        const pr_frame_id frame = c->piece[i].frame;
        if (frame != PR_NO_ID && of[frame].most >= mostly * of[frame].all)
            c->piece[i].frame = PR_NO_ID;
    }
    const bool done = of;
    free(of);
    return done;
}

/* Of the pieces of one row the frame that explains most of it, or PR_NO_ID. */
static pr_frame_id most_of(const struct piece *piece, size_t count)
{
    double all = 0, here = 0;
    for (size_t i = 0; i < count; i++)
        all += piece[i].growth;
    for (size_t i = 0; i < count; i++) {
        here = (i && piece[i].frame == piece[i - 1].frame ? here : 0) + piece[i].growth;
        if (here >= mostly * all)
            return piece[i].frame;
    }
    return PR_NO_ID;
}

static void name_causes(const struct causes *c, size_t pieces, unsigned metric, struct pr_diff_cause *cause)
{
    for (size_t first = 0, end; first < pieces; first = end) {
        for (end = first + 1; end < pieces && c->piece[end].row == c->piece[first].row; end++)
            ;
        const pr_frame_id frame = most_of(&c->piece[first], end - first);
        if (frame != PR_NO_ID)
            cause[c->piece[first].row] = cause_at(c, frame, metric);
    }
}

/* VALUES: [2 * facts] scratch. */
static void add_up(struct causes *c, unsigned metric, uint32_t before, enum pr_diff_of of, const pr_node_id *leaves,
                   int64_t *values)
{
    const struct pr_tree *tree = &c->profile->tree;
    const size_t facts = c->profile->fact_count;
    for (int counts = 0; counts < 2; counts++) {
        pr_diff_column_values(c->diff, metric, 0, counts ? PR_DIFF_COUNTS : of, values);
        pr_diff_column_values(c->diff, metric, before, counts ? PR_DIFF_COUNTS : of, values + facts);
        for (size_t i = 0; i < facts; i++)
            add(counts ? &c->place[leaves[i]].self_count : &c->place[leaves[i]].self,
                &(struct amount){(double)values[facts + i], (double)values[i]});
    }
    for (pr_node_id i = tree->count; i-- > 0;) {
        struct place *place = &c->place[i];
        add(&place->value, &place->self);
        add(&place->count, &place->self_count);
        if (i) {
            add(&c->place[tree->parent[i]].value, &place->value);
            add(&c->place[tree->parent[i]].count, &place->count);
        }
    }
}

/* Gives causes the line that grew most, where one did. False: no memory. */
static bool find_lines(const struct causes *c, unsigned metric, uint32_t before, size_t count,
                       struct pr_diff_cause *cause)
{
    const size_t codes = c->profile->frame_count + (size_t)1;
    bool *wanted = calloc(codes, sizeof *wanted);
    int32_t *line = malloc(codes * sizeof *line);
    for (size_t i = 0; i < count && wanted; i++)
        wanted[cause[i].code] = true;
    const bool done = wanted && line && pr_diff_grown_by_code(c->diff, metric, before, PR_DIFF_TOTAL, wanted, line,
                                                              NULL) == PR_OK;
    for (size_t i = 0; i < count && done; i++)
        if (cause[i].code && line[cause[i].code])
            cause[i].line = line[cause[i].code];
    free(wanted);
    free(line);
    return done;
}

enum pr_status pr_diff_causes(const struct pr_diff *diff, unsigned metric, uint32_t before, enum pr_diff_of of,
                              const struct pr_diff_table *table, struct pr_diff_cause *cause, struct pr_error *err)
{
    const struct pr_profile *profile = diff->profile;
    struct causes c = {.diff = diff, .profile = profile, .rows = pr_diff_rows_by_code(diff, table)};
    size_t pieces = 0;
    pr_node_id *leaves = pr_diff_own_leaves(profile, diff->parts->is_own);
    int64_t *values = calloc(2 * (profile->fact_count + 1), sizeof *values);
    c.place = calloc(profile->tree.count, sizeof *c.place);
    c.piece = calloc(profile->tree.count, sizeof *c.piece);
    c.explained = calloc(profile->frame_count + (size_t)1, sizeof *c.explained);
    bool done = leaves && values && c.place && c.piece && c.explained && c.rows;
    for (size_t i = 0; i < table->count; i++)
        cause[i] = (struct pr_diff_cause){0};
    if (done) {
        add_up(&c, metric, before, of, leaves, values);
        look_at_parts(&c);
        find_explained(&c);
        done = find_pieces(&c, &pieces) && drop_single(&c, pieces);
    }
    if (done) {
        name_causes(&c, pieces, metric, cause);
        done = find_lines(&c, metric, before, table->count, cause);
    }
    free(c.rows);
    free(c.place);
    free(c.piece);
    free(c.explained);
    free(leaves);
    free(values);
    return done ? PR_OK : pr_fail_memory(err);
}
