/* SPDX-License-Identifier: Apache-2.0 */
/* The difference as rows: the tables of its columns, put side by side. */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/compose/diff_internal.h"
#include "capture/model/nameless.h"
#include "capture/model/own_code.h"
#include "profrender/table.h"

struct builder {
    const struct pr_diff *diff;
    const struct pr_diff_metric *metric;
    unsigned first;            /* of the metric's columns in the profile */
    enum pr_diff_by by;
    enum pr_diff_of of;
    int64_t *values;           /* [facts] scratch: what is counted of the column at hand */
    struct pr_frame *frames;   /* [frames + 1] those of the profile; of one function, the lines are its code */
    uint32_t *row;             /* [frames + 1] the row of each code; PR_NO_ID: none */
    size_t row_capacity, value_capacity;
    struct pr_diff_table *table;
};

const struct pr_diff_metric *pr_diff_metric_at(const struct pr_diff *diff, unsigned metric)
{
    const struct pr_diff_metric *at = diff->parts->metrics;
    for (;; at++)
        if (!at->left_out && metric-- == 0)
            return at;
}

/* The line with most of what is counted; for a path, at its end. 0 = unknown. */
static int32_t line_of(const struct builder *b, pr_frame_id frame)
{
    const enum pr_diff_by by = b->by == PR_DIFF_PATH ? PR_DIFF_SELF : b->by;
    return frame < b->metric->line_count ? b->metric->lines[frame].of[by].line : 0;
}

void pr_diff_column_values(const struct pr_diff *diff, unsigned metric_number, uint32_t column, enum pr_diff_of of,
                           int64_t *values)
{
    const struct pr_profile *profile = diff->profile;
    const uint32_t at = metric_number * diff->count + column;
    const struct pr_metric *metric = &profile->metrics[at];
    const int64_t *arenas = diff->arenas[at].bytes;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const int64_t arena = arenas ? arenas[i] : 0;
        switch (of) {
        case PR_DIFF_VALUES: values[i] = metric->value[i]; break;
        case PR_DIFF_APART: values[i] = pr_subtract_saturated(metric->value[i], arena); break;
        case PR_DIFF_ARENAS: values[i] = arena; break;
        case PR_DIFF_COUNTS: values[i] = metric->count ? metric->count[i] : 0; break;
        }
    }
}

/* Fills the scratch with what is counted of a column. */
static void count_column(struct builder *b, uint32_t column)
{
    pr_diff_column_values(b->diff, b->first / b->diff->count, column, b->of, b->values);
}

static struct pr_diff_row row_at(const struct builder *b, uint32_t code)
{
    const struct pr_profile *profile = b->diff->profile;
    struct pr_diff_row row = {.node = PR_NO_NODE, .code = code};
    if (code) {
        row.function = profile->frames[code - 1].function;
        row.file = profile->frames[code - 1].file;
        row.line = line_of(b, code - 1);
        row.shown = pr_shown_name(profile, code - 1);
    }
    return row;
}

/* The row of a function, made if it is new; PR_NO_ID: no memory. */
static uint32_t row_of(struct builder *b, uint32_t code)
{
    const uint32_t columns = b->diff->count;
    struct pr_diff_table *table = b->table;
    const uint32_t known = (uint32_t)table->count;
    if (b->row[code] != PR_NO_ID)
        return b->row[code];
    if (!pr_grow(&table->row, &b->row_capacity, known + (size_t)1, sizeof *table->row) ||
        !pr_grow(&table->values, &b->value_capacity, (known + (size_t)1) * columns, sizeof *table->values))
        return PR_NO_ID;
    memset(&table->values[(size_t)known * columns], 0, columns * sizeof *table->values);
    table->row[known] = row_at(b, code);
    table->count = known + (size_t)1;
    return b->row[code] = known;
}

/* Room for the row of each code, of which none has one yet. Owned: free(3). NULL: no memory. */
static uint32_t *no_rows(const struct pr_diff *diff)
{
    const size_t codes = diff->profile->frame_count + (size_t)1;
    uint32_t *row = malloc(codes * sizeof *row);
    for (size_t i = 0; row && i < codes; i++)
        row[i] = PR_NO_ID;
    return row;
}

/* Room for rows, and frames that are grouped by function when they are grouped by line. */
static bool make_codes(struct builder *b)
{
    const struct pr_profile *profile = b->diff->profile;
    b->frames = malloc((profile->frame_count + (size_t)1) * sizeof *b->frames);
    b->row = no_rows(b->diff);
    if (!b->frames || !b->row)
        return false;
    for (pr_frame_id i = 0; i < profile->frame_count; i++) {
        b->frames[i] = profile->frames[i];
        b->frames[i].line = (int32_t)b->diff->parts->code[i];
    }
    return true;
}

pr_node_id *pr_diff_own_leaves(const struct pr_profile *profile, const bool *is_own)
{
    pr_node_id *nearest = calloc(profile->tree.count, sizeof *nearest);
    pr_node_id *leaves = malloc((profile->fact_count + 1) * sizeof *leaves);
    if (!nearest || !leaves) {
        free(nearest);
        free(leaves);
        return NULL;
    }
    pr_own_nearest(&profile->tree, is_own, nearest);
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id leaf = profile->fact_leaf[i];
        leaves[i] = nearest[leaf] == PR_ROOT ? leaf : nearest[leaf];
    }
    free(nearest);
    return leaves;
}

/* Puts one profile's values into its column of the rows. LEAVES NULL: those of the profile. */
static enum pr_status add_column(struct builder *b, uint32_t column, bool total, const pr_node_id *leaves,
                                 struct pr_error *err)
{
    struct pr_profile part = *b->diff->profile;
    struct pr_metric metric = part.metrics[b->first + column];
    struct pr_table table;
    count_column(b, column);
    metric.value = b->values;
    if (leaves)
        part.fact_leaf = leaves;
    if (leaves || b->of != PR_DIFF_VALUES)
        metric.exact = NULL;
    part.metrics = &metric;
    part.metric_count = 1;
    part.frames = b->frames;
    if (pr_table_make(&part, 0, PR_BY_LOCATION, false, &table, err) == PR_FAILED)
        return PR_FAILED;
    bool done = true;
    for (size_t i = 0; done && i < table.count; i++) {
        const struct pr_row *row = &table.row[i];
        const uint32_t to = row_of(b, (uint32_t)row->line);
        done = to != PR_NO_ID;
        if (done)
            b->table->values[(size_t)to * b->diff->count + column] = total ? row->total : row->self;
    }
    pr_table_clear(&table);
    return done ? PR_OK : pr_fail_memory(err);
}

static enum pr_status add_functions(struct builder *b, struct pr_error *err)
{
    const bool own = b->by == PR_DIFF_OWN;
    pr_node_id *leaves = own ? pr_diff_own_leaves(b->diff->profile, b->diff->parts->is_own) : NULL;
    enum pr_status status = (own && !leaves) || !make_codes(b) ? pr_fail_memory(err) : PR_OK;
    for (uint32_t i = 0; status == PR_OK && i < b->diff->count; i++)
        status = add_column(b, i, b->by == PR_DIFF_TOTAL, leaves, err);
    free(leaves);
    return status;
}

static enum pr_status add_paths(struct builder *b, struct pr_error *err)
{
    const struct pr_profile *profile = b->diff->profile;
    struct pr_diff_table *table = b->table;
    const uint32_t columns = b->diff->count;
    table->row = calloc(profile->fact_count + 1, sizeof *table->row);
    table->values = calloc((profile->fact_count + 1) * columns, sizeof *table->values);
    if (!table->row || !table->values)
        return pr_fail_memory(err);
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id leaf = profile->fact_leaf[i];
        table->row[i] = row_at(b, leaf == PR_ROOT ? 0 : b->diff->parts->code[profile->tree.frame[leaf]]);
        table->row[i].node = leaf;
    }
    for (uint32_t k = 0; k < columns; k++) {
        count_column(b, k);
        for (size_t i = 0; i < profile->fact_count; i++)
            table->values[i * columns + k] = b->values[i];
    }
    table->count = profile->fact_count;
    return PR_OK;
}

static bool is_empty(const int64_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i])
            return false;
    return true;
}

static int compare_rows(const void *a, const void *b, const void *context)
{
    const struct pr_diff_row *x = a, *y = b;
    const struct pr_profile *profile = context;
    int order = pr_text_compare(pr_profile_text(profile, x->function), pr_profile_text(profile, y->function));
    order = order ? order : pr_text_compare(pr_profile_text(profile, x->file), pr_profile_text(profile, y->file));
    order = order ? order : PR_ORDER(x->code, y->code);
    return order ? order : PR_ORDER(x->node, y->node);
}

/* Gives rows their values; rows without any are left out. */
static bool finish_rows(struct builder *b)
{
    struct pr_diff_table *table = b->table;
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        table->row[i].value = &table->values[i * b->diff->count];
        if (!is_empty(table->row[i].value, b->diff->count))
            table->row[kept++] = table->row[i];
    }
    table->count = kept;
    return pr_sort(table->row, kept, sizeof *table->row, compare_rows, b->diff->profile);
}

enum pr_status pr_diff_table(const struct pr_diff *diff, unsigned metric, enum pr_diff_by by, enum pr_diff_of of,
                             struct pr_diff_table *table, struct pr_error *err)
{
    *table = (struct pr_diff_table){0};
    if (metric >= diff->metric_count)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, "compare", "there is no metric %u", metric);
    struct builder b = {.diff = diff, .metric = pr_diff_metric_at(diff, metric), .first = metric * diff->count,
                        .by = by, .of = of, .table = table,
                        .values = malloc((diff->profile->fact_count + 1) * sizeof *b.values)};
    enum pr_status status = !b.values ? pr_fail_memory(err) : by == PR_DIFF_PATH ? add_paths(&b, err)
                                                                                 : add_functions(&b, err);
    if (status == PR_OK && !finish_rows(&b))
        status = pr_fail_memory(err);
    free(b.frames);
    free(b.row);
    free(b.values);
    if (status != PR_OK)
        pr_diff_table_clear(table);
    return status;
}

void pr_diff_table_clear(struct pr_diff_table *table)
{
    free(table->row);
    free(table->values);
    *table = (struct pr_diff_table){0};
}

uint32_t *pr_diff_rows_by_code(const struct pr_diff *diff, const struct pr_diff_table *table)
{
    uint32_t *row = no_rows(diff);
    for (size_t i = 0; row && i < table->count; i++)
        row[table->row[i].code] = (uint32_t)i;
    return row;
}
