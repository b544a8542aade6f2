/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of functions: the one with the highest amount, and the one that grew most. Lines move when a file is edited, so
 * a line of now is looked for among those of before, in their order: one with the same amount is the same line, as long
 * as no other is more alike.
 */
#include "capture/base/checked.h"
#include "capture/base/pair.h"
#include "capture/base/sort.h"
#include "capture/compose/diff_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- as profiles are added -------------------------------------------------------------------------------------- */

/* What each frame of a profile has: itself, as the nearest one of your own code, and with all that it called. */
struct weights {
    int64_t *apart[PR_DIFF_PATH], *all[PR_DIFF_PATH]; /* [frames] without arenas of pymalloc, and with them */
    int64_t *below, *arenas_below;                    /* [nodes] with all below */
};

static void weights_clear(struct weights *w)
{
    for (unsigned by = 0; by < PR_DIFF_PATH; by++) {
        free(w->apart[by]);
        free(w->all[by]);
    }
    free(w->below);
    free(w->arenas_below);
}

static bool weights_new(struct weights *w, const struct pr_profile *profile)
{
    bool done = true;
    for (unsigned by = 0; by < PR_DIFF_PATH; by++) {
        w->apart[by] = calloc(profile->frame_count + (size_t)1, sizeof **w->apart);
        w->all[by] = calloc(profile->frame_count + (size_t)1, sizeof **w->all);
        done &= w->apart[by] && w->all[by];
    }
    w->below = calloc(profile->tree.count, sizeof *w->below);
    w->arenas_below = calloc(profile->tree.count, sizeof *w->arenas_below);
    return done && w->below && w->arenas_below;
}

static void add_weight(struct weights *w, const struct pr_profile *profile, enum pr_diff_by by, pr_node_id node,
                       int64_t value, int64_t arenas)
{
    if (node == PR_ROOT)
        return;
    pr_add_to(&w->all[by][profile->tree.frame[node]], value);
    pr_add_to(&w->apart[by][profile->tree.frame[node]], pr_subtract_saturated(value, arenas));
}

static void weigh(struct weights *w, const struct pr_profile *profile, uint32_t metric, const pr_node_id *own)
{
    const struct pr_tree *tree = &profile->tree;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id leaf = profile->fact_leaf[i];
        const int64_t value = profile->metrics[metric].value[i];
        const int64_t arenas = pr_pymalloc_of_fact(profile, metric, i).bytes;
        add_weight(w, profile, PR_DIFF_SELF, leaf, value, arenas);
        add_weight(w, profile, PR_DIFF_OWN, own[i], value, arenas);
        pr_add_to(&w->below[leaf], value);
        pr_add_to(&w->arenas_below[leaf], arenas);
    }
    for (pr_node_id i = tree->count; i-- > 1;) {
        add_weight(w, profile, PR_DIFF_TOTAL, i, w->below[i], w->arenas_below[i]);
        pr_add_to(&w->below[tree->parent[i]], w->below[i]);
        pr_add_to(&w->arenas_below[tree->parent[i]], w->arenas_below[i]);
    }
}

static int32_t line_in(const struct pr_frame *frame)
{
    return frame->line ? frame->line : frame->definition_line;
}

/* For each function the line with most of what is counted: as in the first profile that has it. */
static void choose_line(struct pr_diff_place *place, const struct pr_frame *frame, int64_t apart, int64_t all)
{
    if (!place->line || apart > place->apart || (apart == place->apart && all > place->all))
        *place = (struct pr_diff_place){line_in(frame), apart, all};
}

/* What each line has, for pr_diff_grown_lines; those without anything are left out. */
static bool keep_lines(struct pr_diff_column *column, const struct pr_profile *profile, const pr_frame_id *ours,
                       const struct weights *w)
{
    column->at = malloc((profile->frame_count + (size_t)1) * sizeof *column->at);
    for (pr_frame_id i = 0; column->at && i < profile->frame_count; i++) {
        const int64_t own = w->apart[PR_DIFF_OWN][i], total = w->apart[PR_DIFF_TOTAL][i];
        if (own > 0 || total > 0)
            column->at[column->at_count++] = (struct pr_diff_at){ours[i], line_in(&profile->frames[i]), own, total};
    }
    return column->at != NULL;
}

bool pr_diff_take_lines(const struct pr_diff *diff, struct pr_diff_metric *metric, const struct pr_profile *profile,
                        uint32_t index, const pr_frame_id *ours, const pr_node_id *own)
{
    const uint32_t frames = diff->parts->frames.count;
    struct weights w = {.below = NULL};
    bool done = weights_new(&w, profile) &&
                pr_grow(&metric->lines, &metric->line_capacity, frames, sizeof *metric->lines);
    if (done)
        weigh(&w, profile, index, own);
    for (; done && metric->line_count < frames; metric->line_count++)
        metric->lines[metric->line_count] = (struct pr_diff_line){.profile = diff->count};
    for (pr_frame_id i = 0; done && i < profile->frame_count; i++) {
        struct pr_diff_line *line = &metric->lines[ours[i]];
        for (unsigned by = 0; by < PR_DIFF_PATH && line->profile == diff->count; by++)
            choose_line(&line->of[by], &profile->frames[i], w.apart[by][i], w.all[by][i]);
    }
    done = done && keep_lines(&metric->columns[metric->column_count - 1], profile, ours, &w);
    weights_clear(&w);
    return done;
}

/* ---- what grew -------------------------------------------------------------------------------------------------- */

enum {
    MOST_CELLS = 1 << 16,       /* lines of a function now by lines before: more are not compared */
    MOST_CELLS_OF_ALL = 1 << 24 /* of all functions: the others keep the line that has most */
};

/* A line of one of the functions that are asked for. */
struct place {
    uint32_t code; /* of its function */
    bool is_before;
    int32_t line;
    double amount;
};

struct grown {
    struct place *place; /* [count] by function, those of now first, by line */
    size_t count;
    double *cell;        /* [MOST_CELLS] scratch */
    size_t cells;        /* used by all functions */
};

static int compare_places(const void *a, const void *b, const void *context)
{
    const struct place *x = a, *y = b;
    (void)context;
    if (x->code != y->code)
        return PR_ORDER(x->code, y->code);
    return x->is_before != y->is_before ? PR_ORDER(x->is_before, y->is_before) : PR_ORDER(x->line, y->line);
}

static void add_places(struct grown *g, const struct pr_diff *diff, const struct pr_diff_column *column,
                       enum pr_diff_by by, const bool *wanted, bool is_before)
{
    for (size_t i = 0; i < column->at_count; i++) {
        const struct pr_diff_at *at = &column->at[i];
        const uint32_t code = diff->parts->code[at->frame];
        const int64_t amount = by == PR_DIFF_TOTAL ? at->total : at->own;
        if (amount > 0 && at->line > 0 && wanted[code])
            g->place[g->count++] = (struct place){code, is_before, at->line, (double)amount};
    }
}

/* A line has one place, whatever else differs. */
static void add_up_places(struct grown *g)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (kept && compare_places(&g->place[kept - 1], &g->place[i], NULL) == 0)
            g->place[kept - 1].amount += g->place[i].amount;
        else
            g->place[kept++] = g->place[i];
    }
    g->count = kept;
}

/* Whether the lines are the same ones, all of them moved by the same distance or by none. */
static bool only_shifted(const struct place *now, size_t count, const struct place *before, size_t count_before)
{
    bool same = count == count_before;
    for (size_t i = 1; i < count && same; i++)
        same = now[i].line - now[0].line == before[i].line - before[0].line;
    return same;
}

/* What it counts that a line of now is one of before: the amount, less if the amounts differ. */
static double likeness(const struct place *now, const struct place *before)
{
    static const double same_line = 1.000001;
    const double less = now->amount < before->amount ? now->amount : before->amount;
    const double more = now->amount < before->amount ? before->amount : now->amount;
    return less * (less / more) * (now->line == before->line ? same_line : 1);
}

/*
 * Takes the amounts of before from those of now, line by line in the order that is most alike; a line that is new keeps
 * all of it. False: too many lines.
 */
static bool subtract(struct grown *g, struct place *now, size_t count, const struct place *before, size_t others)
{
    const size_t width = others + 1;
    if (only_shifted(now, count, before, others)) {
        for (size_t i = 0; i < count; i++)
            now[i].amount -= before[i].amount;
        return true;
    }
    if (count >= MOST_CELLS || others >= MOST_CELLS || (count + 1) * width > MOST_CELLS ||
        g->cells + (count + 1) * width > MOST_CELLS_OF_ALL)
        return false;
    g->cells += (count + 1) * width;
    for (size_t i = count + 1; i-- > 0;)
        for (size_t k = width; k-- > 0;) {
            double *cell = &g->cell[i * width + k];
            *cell = 0;
            if (i == count || k == others)
                continue;
            const double both = likeness(&now[i], &before[k]) + cell[width + 1];
            const double one = cell[width] > cell[1] ? cell[width] : cell[1];
            *cell = both >= one ? both : one;
        }
    for (size_t i = 0, k = 0; i < count && k < others;) {
        const double *cell = &g->cell[i * width + k];
        if (*cell == cell[width])
            i++;
        else if (*cell == cell[1])
            k++;
        else
            now[i++].amount -= before[k++].amount;
    }
    return true;
}

/* The line that grew most of those of one function, which are COUNT now and then OTHERS before; 0: none. */
static int32_t most_grown(struct grown *g, struct place *now, size_t count, size_t others)
{
    const struct place *most = NULL;
    if (!subtract(g, now, count, now + count, others))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (now[i].amount > (most ? most->amount : 0))
            most = &now[i];
    return most ? most->line : 0;
}

enum pr_status pr_diff_grown_by_code(const struct pr_diff *diff, unsigned metric, uint32_t before,
                                     enum pr_diff_by by, const bool *wanted, int32_t *line, struct pr_error *err)
{
    const struct pr_diff_column *columns = pr_diff_metric_at(diff, metric)->columns;
    struct grown g = {.place = malloc((columns[0].at_count + columns[before].at_count + 1) * sizeof *g.place),
                      .cell = malloc(MOST_CELLS * sizeof *g.cell)};
    bool done = g.place && g.cell;
    memset(line, 0, (diff->profile->frame_count + (size_t)1) * sizeof *line);
    if (done) {
        add_places(&g, diff, &columns[0], by, wanted, false);
        add_places(&g, diff, &columns[before], by, wanted, true);
        done = pr_sort(g.place, g.count, sizeof *g.place, compare_places, NULL);
    }
    if (done)
        add_up_places(&g);
    for (size_t first = 0, end; done && first < g.count; first = end) {
        size_t count = 0;
        for (end = first; end < g.count && g.place[end].code == g.place[first].code; end++)
            count += !g.place[end].is_before;
        line[g.place[first].code] = most_grown(&g, &g.place[first], count, end - first - count);
    }
    free(g.place);
    free(g.cell);
    return done ? PR_OK : pr_fail_memory(err);
}

enum pr_status pr_diff_grown_lines(const struct pr_diff *diff, unsigned metric, uint32_t before,
                                   struct pr_diff_table *table, struct pr_error *err)
{
    const size_t codes = diff->profile->frame_count + (size_t)1;
    bool *wanted = calloc(codes, sizeof *wanted);
    int32_t *line = malloc(codes * sizeof *line);
    for (size_t i = 0; wanted && i < table->count; i++)
        wanted[table->row[i].code] = true;
    enum pr_status status = wanted && line
                                ? pr_diff_grown_by_code(diff, metric, before, PR_DIFF_OWN, wanted, line, err)
                                : pr_fail_memory(err);
    for (size_t i = 0; status == PR_OK && i < table->count; i++)
        if (line[table->row[i].code])
            table->row[i].line = line[table->row[i].code];
    free(wanted);
    free(line);
    return status;
}
