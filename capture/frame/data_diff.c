/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables side by side.
 *
 * A distribution has moved where its distance is large and also more than chance explains: of a large table every
 * distance is certain, and few are worth a word; of a small one large distances are chance.
 *
 * Source: Smirnov, "Table for estimating the goodness of fit of empirical distributions", 1948, for the limit of chance
 *         of two samples; Lin, "Divergence measures based on the Shannon entropy", 1991; the divergence of two samples
 *         of one distribution is chi-squared in the limit. Wilson and Hilferty, "The distribution of chi-square", 1931.
 */
#include "profrender/data_diff.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"

#include <math.h>
#include <stdlib.h>

static const double smirnov = 1.9495;    /* sqrt(-ln(0.001 / 2) / 2) */
static const double normal_tail = 3.0902; /* a standard normal number is above it once in 1,000 times */
static const double missing_step = 0.01;
enum { FEWEST = 20 }; /* values of a distribution */

/* ---- columns that are the same ---------------------------------------------------------------------------------- */

struct named {
    struct pr_text name;
    uint32_t column;
};

static int by_name(const void *a, const void *b, const void *context)
{
    const struct named *x = a, *y = b;
    (void)context;
    return pr_text_compare(x->name, y->name);
}

/* The columns of FRAME by name, those of one name in their order. Owner: free it. NULL: no memory. */
static struct named *names_of(const struct pr_data_frame *frame)
{
    struct named *names = malloc((frame->column_count + (size_t)1) * sizeof *names);
    for (uint32_t c = 0; names && c < frame->column_count; c++)
        names[c] = (struct named){frame->columns[c].name, c};
    if (names && !pr_sort(names, frame->column_count, sizeof *names, by_name, NULL)) {
        free(names);
        return NULL;
    }
    return names;
}

/* BEFORE_OF[c]: the column of the earlier table that column c of the later one is; and GONE those without one. */
static void match(const struct named *before, uint32_t before_count, const struct named *after, uint32_t after_count,
                  uint32_t *before_of, bool *gone)
{
    uint32_t a = 0, b = 0;
    while (a < after_count || b < before_count) {
        const int order = a == after_count    ? 1
                          : b == before_count ? -1
                                              : pr_text_compare(after[a].name, before[b].name);
        if (order <= 0)
            before_of[after[a].column] = order ? PR_DATA_NONE : before[b].column;
        if (order > 0)
            gone[before[b].column] = true;
        a += order <= 0;
        b += order >= 0;
    }
}

/* ---- distances -------------------------------------------------------------------------------------------------- */

/* Of two numbers of values, what chance depends on. */
static double spread_of(double a, double b)
{
    return 1 / a + 1 / b;
}

static void compare_numbers(const struct pr_data_column *a, const struct pr_data_column *b,
                            struct pr_data_column_diff *diff)
{
    uint64_t i = 0, k = 0, below_a = 0, below_b = 0;
    const double all_a = (double)a->number_count, all_b = (double)b->number_count;
    if (a->number_count < FEWEST || b->number_count < FEWEST)
        return;
    diff->measure = PR_MEASURE_KOLMOGOROV;
    while (i < a->point_count || k < b->point_count) {
        const double value = k == b->point_count || (i < a->point_count && a->points[i].value <= b->points[k].value)
                                 ? a->points[i].value
                                 : b->points[k].value;
        for (; i < a->point_count && a->points[i].value <= value; i++)
            below_a += a->points[i].count;
        for (; k < b->point_count && b->points[k].value <= value; k++)
            below_b += b->points[k].count;
        diff->distance = fmax(diff->distance, fabs((double)below_a / all_a - (double)below_b / all_b));
    }
    diff->error = a->rank_error + b->rank_error;
    diff->chance = smirnov * sqrt(spread_of(all_a, all_b));
    diff->has_moved = diff->distance - diff->error >= fmax(PR_DATA_MOVED, diff->chance);
}

/* What a number with that many degrees of freedom is above once in 1,000 times. */
static double chi_squared(double degrees)
{
    const double part = 2 / (9 * degrees), root = 1 - part + normal_tail * sqrt(part);
    return degrees * root * root * root;
}

static double entropy_part(double share, double mean)
{
    return share > 0 ? share * log2(share / mean) : 0;
}

/* A category that only one table has, among the most frequent of its kind. */
static void note_category(struct pr_data_value *list, uint64_t *count, const struct pr_data_value *value)
{
    uint64_t at = *count < PR_DATA_CATEGORIES ? *count : PR_DATA_CATEGORIES;
    (*count)++;
    while (at && list[at - 1].count < value->count) {
        if (at < PR_DATA_CATEGORIES)
            list[at] = list[at - 1];
        at--;
    }
    if (at < PR_DATA_CATEGORIES)
        list[at] = *value;
}

static bool has_categories(const struct pr_data_column *column)
{
    return !column->values_cut && (column->type == PR_TYPE_CATEGORY || column->type == PR_TYPE_BOOLEAN);
}

static bool has_texts(const struct pr_data_column *column)
{
    return !column->values_cut && !column->has_numbers && column->type != PR_TYPE_NESTED && column->values;
}

static void compare_categories(const struct pr_data_column *a, const struct pr_data_column *b,
                               struct pr_data_column_diff *diff)
{
    uint32_t i = 0, k = 0, categories = 0;
    double divergence = 0;
    const double all_a = (double)a->count, all_b = (double)b->count;
    diff->has_categories = true;
    while (i < a->value_count || k < b->value_count) {
        const int order = i == a->value_count   ? 1
                          : k == b->value_count ? -1
                                                : pr_text_compare(a->values[i].text, b->values[k].text);
        const double share_a = order <= 0 ? (double)a->values[i].count / all_a : 0;
        const double share_b = order >= 0 ? (double)b->values[k].count / all_b : 0;
        const double mean = (share_a + share_b) / 2;
        divergence += (entropy_part(share_a, mean) + entropy_part(share_b, mean)) / 2;
        categories++;
        if (order < 0)
            note_category(diff->lost_values, &diff->lost_count, &a->values[i]);
        if (order > 0)
            note_category(diff->new_values, &diff->new_count, &b->values[k]);
        i += order <= 0;
        k += order >= 0;
    }
    if (a->count < FEWEST || b->count < FEWEST)
        return;
    diff->measure = PR_MEASURE_JENSEN;
    diff->distance = sqrt(divergence > 0 ? fmin(divergence, 1) : 0);
    if (categories > 1) /* the only one cannot be more or less frequent by chance */
        diff->chance = sqrt(chi_squared(categories - 1) * spread_of(all_a, all_b) / (8 * log(2)));
    diff->has_moved = diff->distance >= fmax(PR_DATA_MOVED, diff->chance);
}

/* ---- a column --------------------------------------------------------------------------------------------------- */

static bool missing_moved(const struct pr_data_frame *before, const struct pr_data_column *a,
                          const struct pr_data_frame *after, const struct pr_data_column *b)
{
    if (!before->rows || !after->rows)
        return false;
    const double rows_a = (double)before->rows, rows_b = (double)after->rows;
    const double share_a = (double)a->missing / rows_a, share_b = (double)b->missing / rows_b;
    const double all = ((double)a->missing + (double)b->missing) / (rows_a + rows_b);
    const double by_chance = normal_tail * sqrt(all * (1 - all) * spread_of(rows_a, rows_b));
    return fabs(share_a - share_b) >= missing_step && fabs(share_a - share_b) > by_chance;
}

/* Numbers of one kind are the same type: which of them depends on the values that happen to be there. */
static bool is_retyped(const struct pr_data_column *a, const struct pr_data_column *b)
{
    static const int family[PR_TYPE_COUNT] = {
        [PR_TYPE_EMPTY] = 0, [PR_TYPE_BOOLEAN] = 1, [PR_TYPE_INTEGER] = 2, [PR_TYPE_REAL] = 3,
        [PR_TYPE_DECIMAL] = 3, [PR_TYPE_DATE] = 4, [PR_TYPE_MOMENT] = 5, [PR_TYPE_TIME] = 6,
        [PR_TYPE_DURATION] = 7, [PR_TYPE_CATEGORY] = 8, [PR_TYPE_TEXT] = 8, [PR_TYPE_NESTED] = 9,
        [PR_TYPE_IDENTIFIER] = 8};
    return a->count && b->count && family[a->type] != family[b->type];
}

static void compare_column(const struct pr_data_diff *diff, struct pr_data_column_diff *column)
{
    if (column->before == PR_DATA_NONE || column->after == PR_DATA_NONE)
        return;
    const struct pr_data_column *a = &diff->before->columns[column->before], *b = &diff->after->columns[column->after];
    const bool both_numbers = a->type <= PR_TYPE_DECIMAL && b->type <= PR_TYPE_DECIMAL;
    column->is_retyped = is_retyped(a, b);
    column->missing_moved = missing_moved(diff->before, a, diff->after, b);
    if (a->has_numbers && b->has_numbers && (both_numbers || !column->is_retyped))
        compare_numbers(a, b, column);
    else if (has_categories(a) && has_texts(b) && !column->is_retyped)
        compare_categories(a, b, column);
}

/* ---- the difference --------------------------------------------------------------------------------------------- */

static void list_changes(struct pr_data_diff *diff)
{
    for (enum pr_data_change_kind kind = PR_CHANGE_REMOVED; kind <= PR_CHANGE_LOST_CATEGORIES; kind++)
        for (uint32_t c = 0; c < diff->column_count; c++) {
            const struct pr_data_column_diff *column = &diff->columns[c];
            const bool is_there[] = {[PR_CHANGE_REMOVED] = column->after == PR_DATA_NONE,
                                     [PR_CHANGE_ADDED] = column->before == PR_DATA_NONE,
                                     [PR_CHANGE_RETYPED] = column->is_retyped,
                                     [PR_CHANGE_MISSING] = column->missing_moved,
                                     [PR_CHANGE_MOVED] = column->has_moved,
                                     [PR_CHANGE_NEW_CATEGORIES] = column->new_count > 0,
                                     [PR_CHANGE_LOST_CATEGORIES] = column->lost_count > 0};
            if (is_there[kind])
                diff->changes[diff->change_count++] = (struct pr_data_change){kind, c};
        }
}

static bool compare(struct pr_data_diff *diff, const struct named *before_names, const struct named *after_names)
{
    const uint32_t before = diff->before->column_count, after = diff->after->column_count;
    uint32_t *before_of = malloc((after + (size_t)1) * sizeof *before_of);
    bool *gone = calloc(before + (size_t)1, sizeof *gone);
    enum { CHANGES_OF_ONE = 5 };
    diff->columns = pr_arena_array(&diff->arena, (size_t)before + after, sizeof *diff->columns);
    diff->changes = pr_arena_array(&diff->arena, ((size_t)before + after) * CHANGES_OF_ONE, sizeof *diff->changes);
    const bool done = before_of && gone && diff->columns && diff->changes;
    if (done) {
        match(before_names, before, after_names, after, before_of, gone);
        for (uint32_t c = 0; c < after; c++)
            diff->columns[diff->column_count++] = (struct pr_data_column_diff){.before = before_of[c], .after = c};
        for (uint32_t c = 0; c < before; c++)
            if (gone[c])
                diff->columns[diff->column_count++] =
                    (struct pr_data_column_diff){.before = c, .after = PR_DATA_NONE};
        for (uint32_t c = 0; c < diff->column_count; c++)
            compare_column(diff, &diff->columns[c]);
        list_changes(diff);
    }
    free(before_of);
    free(gone);
    return done;
}

enum pr_status pr_data_frame_diff(const struct pr_data_frame *before, const struct pr_data_frame *after,
                                  struct pr_data_diff **diff, struct pr_error *err)
{
    struct pr_data_diff *new = calloc(1, sizeof *new);
    struct named *before_names = names_of(before), *after_names = names_of(after);
    bool done = new && before_names && after_names;
    if (done) {
        new->before = before;
        new->after = after;
        done = compare(new, before_names, after_names);
    }
    free(before_names);
    free(after_names);
    *diff = done ? new : NULL;
    if (done)
        return PR_OK;
    pr_data_diff_free(new);
    return pr_fail_memory(err);
}

void pr_data_diff_free(struct pr_data_diff *diff)
{
    if (!diff)
        return;
    pr_arena_clear(&diff->arena);
    free(diff);
}

const char *pr_data_measure_name(enum pr_data_measure measure)
{
    static const char *const names[] = {"none", "kolmogorov_smirnov", "jensen_shannon"};
    return measure < sizeof names / sizeof *names ? names[measure] : "";
}

const char *pr_data_change_name(enum pr_data_change_kind kind)
{
    static const char *const names[] = {"removed", "added",          "retyped",        "missing",
                                        "moved",   "new_categories", "lost_categories"};
    return kind < sizeof names / sizeof *names ? names[kind] : "";
}
