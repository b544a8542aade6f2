/* SPDX-License-Identifier: Apache-2.0 */
/* What is worth a look in a table, by rules on its figures. Sentences are made elsewhere. */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/frame/data_build.h"
#include "capture/frame/text_traits.h"

#include <math.h>
#include <string.h>

/* From here on something is said. CORRELATED: one column explains two thirds of what varies in the other. */
static const double mostly = 0.5, some_missing = 0.05, skew = 10, many_zeros = 0.5, imbalance = 0.95,
                    mostly_alike = 0.6, correlated = 0.8;
/* FEW_FOR_PHI_K: of 37 tables of chance with 20 rows seven had a phi-k of 0.8, of 113 with 40 and more none. */
enum { HIGH_CARDINALITY = 50, FEW_ROWS = 20, FEW_FOR_PHI_K = 40, MOST_FINDINGS = 1000 };

struct findings {
    struct pr_data_finding *list;
    size_t count, capacity;
    bool failed;
};

static struct pr_data_finding finding_of(enum pr_data_finding_kind kind, uint32_t column, uint32_t other,
                                         uint64_t count, double number)
{
    return (struct pr_data_finding){.kind = kind, .column = column, .other = other, .count = count, .number = number};
}

static void add(struct findings *findings, struct pr_data_finding finding)
{
    if (findings->count >= MOST_FINDINGS)
        return;
    if (!pr_grow(&findings->list, &findings->capacity, findings->count + 1, sizeof *findings->list)) {
        findings->failed = true;
        return;
    }
    findings->list[findings->count++] = finding;
}

static void add_count(struct findings *findings, enum pr_data_finding_kind kind, uint32_t column, uint64_t count)
{
    if (count)
        add(findings, finding_of(kind, column, PR_DATA_NONE, count, 0));
}

static bool is_share(uint64_t part, uint64_t whole, double share)
{
    return whole && (double)part >= share * (double)whole;
}

/* A column of texts most of which could be read as another kind: those that could not are what is wrong with it. */
static void find_mixed(const struct pr_data_column *column, uint32_t number, struct findings *findings)
{
    const uint64_t numbers = column->kinds[PR_KIND_INTEGER] + column->kinds[PR_KIND_REAL];
    const uint64_t dates = column->kinds[PR_KIND_DATE] + column->kinds[PR_KIND_MOMENT];
    const uint64_t most = numbers > dates ? numbers : dates;
    if ((column->type == PR_TYPE_TEXT || column->type == PR_TYPE_CATEGORY) &&
        is_share(most, column->count, mostly_alike))
        add(findings, finding_of(PR_FOUND_MIXED, number, PR_DATA_NONE, column->count - most,
                                               numbers > dates ? PR_KIND_REAL : PR_KIND_DATE));
}

static void find_personal(const struct pr_data_column *column, uint32_t number, struct findings *findings)
{
    const size_t before = findings->count;
    if (is_share(column->mails, column->count, 0.05))
        add_count(findings, PR_FOUND_MAILS, number, column->mails);
    if (is_share(column->addresses, column->count, 0.5))
        add_count(findings, PR_FOUND_ADDRESSES, number, column->addresses);
    if (is_share(column->cards, column->count, 0.5))
        add_count(findings, PR_FOUND_CARDS, number, column->cards);
    if (findings->count == before && column->count && pr_is_personal_name(column->name))
        add(findings, finding_of(PR_FOUND_PERSONAL_NAME, number, PR_DATA_NONE, 0, 0));
}

static void find_in_values(const struct pr_data_frame *frame, uint32_t number, struct findings *findings)
{
    const struct pr_data_column *column = &frame->columns[number];
    const bool is_text = column->type == PR_TYPE_TEXT || column->type == PR_TYPE_CATEGORY;
    if (column->type == PR_TYPE_IDENTIFIER && column->distinct.high < column->count)
        add_count(findings, PR_FOUND_NOT_UNIQUE, number, column->distinct.value);
    if (column->is_constant)
        add(findings, finding_of(PR_FOUND_CONSTANT, number, PR_DATA_NONE, column->count, 0));
    else if (column->count >= FEW_ROWS && column->is_unique && !column->missing &&
             (is_text || column->type == PR_TYPE_INTEGER))
        add(findings, finding_of(PR_FOUND_UNIQUE, number, PR_DATA_NONE, column->count, 0));
    else if (is_text && column->distinct.value > HIGH_CARDINALITY &&
             is_share(column->distinct.value, column->count, 0.5))
        add_count(findings, PR_FOUND_HIGH_CARDINALITY, number, column->distinct.value);
    else if (column->count >= FEW_ROWS && column->frequent_count > 1 && !column->has_numbers &&
             is_share(column->frequent[0].count, column->count, imbalance))
        add_count(findings, PR_FOUND_IMBALANCE, number, column->frequent[0].count);
    find_mixed(column, number, findings);
    if (is_text)
        add_count(findings, PR_FOUND_PADDED, number, column->padded);
}

static void find_in_numbers(const struct pr_data_frame *frame, uint32_t number, struct findings *findings)
{
    const struct pr_data_column *column = &frame->columns[number];
    const bool is_number = column->has_numbers && column->type <= PR_TYPE_DECIMAL;
    if (is_number && fabs(column->skewness) > skew)
        add(findings, finding_of(PR_FOUND_SKEWED, number, PR_DATA_NONE, 0, column->skewness));
    if (is_number && !column->is_constant && is_share(column->zeros, column->count, many_zeros))
        add_count(findings, PR_FOUND_ZEROS, number, column->zeros);
    if (is_number) {
        add_count(findings, PR_FOUND_INFINITE, number, column->infinite);
        add_count(findings, PR_FOUND_LEADING_ZEROS, number, column->leading_zeros);
    }
    add_count(findings, PR_FOUND_SUSPICIOUS_DATES, number, column->suspicious);
    if (column->order_unknown)
        add(findings, finding_of(PR_FOUND_DAY_OR_MONTH, number, PR_DATA_NONE, column->count, 0));
}

static void find_missing(const struct pr_data_frame *frame, uint32_t number, struct findings *findings)
{
    const uint64_t missing = frame->columns[number].missing;
    if (!frame->rows)
        return;
    if (missing == frame->rows)
        add_count(findings, PR_FOUND_EMPTY, number, missing);
    else if (is_share(missing, frame->rows, mostly))
        add_count(findings, PR_FOUND_MOSTLY_MISSING, number, missing);
    else if (is_share(missing, frame->rows, some_missing))
        add_count(findings, PR_FOUND_MISSING, number, missing);
}

/* The stronger one of a coefficient and that of FOUND is in it, with its column. */
static void note_stronger(struct pr_data_finding *found, enum pr_data_coefficient coefficient, double r, uint32_t other)
{
    if (!(fabs(r) > fabs(found->number)))
        return;
    found->coefficient = coefficient;
    found->number = r;
    found->other = other;
}

/* Of a column the strongest with one after it, and how many there are: ten that say the same are nine findings. */
static void find_correlated(const struct pr_data_frame *frame, struct findings *findings)
{
    const uint32_t count = frame->related_count;
    for (uint32_t i = 0; i < count && frame->rows >= FEW_ROWS; i++) {
        struct pr_data_finding found = {.kind = PR_FOUND_CORRELATED, .column = frame->related[i]};
        for (uint32_t k = i + 1; k < count; k++) {
            const double r = frame->pearson[i * count + k];
            const double by_rank = frame->spearman ? frame->spearman[i * count + k] : NAN;
            const bool is_linear = fabs(r) >= correlated;
            if (!is_linear && !(fabs(by_rank) >= correlated))
                continue;
            found.count++;
            note_stronger(&found, is_linear ? PR_PEARSON : PR_SPEARMAN, is_linear ? r : by_rank, frame->related[k]);
        }
        if (found.count)
            add(findings, found);
    }
}

/* Of two columns of MATRIX; NaN: it does not have both. */
static double value_of(const struct pr_data_matrix *matrix, uint32_t a, uint32_t b)
{
    uint32_t i = 0, k = 0;
    while (i < matrix->count && matrix->columns[i] != a)
        i++;
    while (k < matrix->count && matrix->columns[k] != b)
        k++;
    return i < matrix->count && k < matrix->count ? matrix->values[i * matrix->count + k] : NAN;
}

/* The same of a category with another, or with a number: phi-k where V is weak, or does not apply. */
static void find_associated(const struct pr_data_frame *frame, struct findings *findings)
{
    const struct pr_data_matrix *matrix = &frame->phi_k;
    for (uint32_t i = 0; i < matrix->count && frame->rows >= FEW_ROWS; i++) {
        const uint32_t a = matrix->columns[i];
        struct pr_data_finding found = {.kind = PR_FOUND_CORRELATED, .column = a};
        for (uint32_t k = i + 1; k < matrix->count; k++) {
            const uint32_t b = matrix->columns[k];
            const double v = value_of(&frame->cramers_v, a, b);
            const double phi_k = frame->rows >= FEW_FOR_PHI_K ? matrix->values[i * matrix->count + k] : NAN;
            if ((frame->columns[a].has_numbers && frame->columns[b].has_numbers) ||
                !(v >= correlated || phi_k >= correlated))
                continue;
            found.count++;
            note_stronger(&found, v >= correlated ? PR_CRAMERS_V : PR_PHI_K, v >= correlated ? v : phi_k, b);
        }
        if (found.count)
            add(findings, found);
    }
}

static void find_same_names(const struct pr_data_frame *frame, struct findings *findings)
{
    for (uint32_t c = 0; c < frame->column_count; c++)
        if (frame->columns[c].given_name.length)
            add(findings, finding_of(PR_FOUND_SAME_NAME, c, PR_DATA_NONE, 0, 0));
}

/* What spoils an analysis first, what merely describes the table last. */
static int gravity(enum pr_data_finding_kind kind)
{
    static const enum pr_data_finding_kind order[] = {PR_FOUND_MAILS,
                                                      PR_FOUND_CARDS,
                                                      PR_FOUND_ADDRESSES,
                                                      PR_FOUND_PERSONAL_NAME,
                                                      PR_FOUND_MIXED,
                                                      PR_FOUND_NOT_UNIQUE,
                                                      PR_FOUND_SAME_NAME,
                                                      PR_FOUND_EMPTY,
                                                      PR_FOUND_MOSTLY_MISSING,
                                                      PR_FOUND_DUPLICATES,
                                                      PR_FOUND_SUSPICIOUS_DATES,
                                                      PR_FOUND_DAY_OR_MONTH,
                                                      PR_FOUND_INFINITE,
                                                      PR_FOUND_CONSTANT,
                                                      PR_FOUND_MISSING,
                                                      PR_FOUND_CORRELATED,
                                                      PR_FOUND_SKEWED,
                                                      PR_FOUND_LEADING_ZEROS,
                                                      PR_FOUND_PADDED,
                                                      PR_FOUND_ZEROS,
                                                      PR_FOUND_IMBALANCE,
                                                      PR_FOUND_HIGH_CARDINALITY,
                                                      PR_FOUND_UNIQUE};
    int at = 0;
    while (at < (int)(sizeof order / sizeof *order) && order[at] != kind)
        at++;
    return at;
}

static int by_gravity(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(gravity(((const struct pr_data_finding *)a)->kind),
                    gravity(((const struct pr_data_finding *)b)->kind));
}

bool pr_data_find(struct pr_data_frame *frame)
{
    struct findings findings = {0};
    if (frame->duplicates.low)
        add(&findings,
            finding_of(PR_FOUND_DUPLICATES, PR_DATA_NONE, PR_DATA_NONE, frame->duplicates.value, 0));
    find_same_names(frame, &findings);
    for (uint32_t c = 0; c < frame->column_count; c++) {
        find_missing(frame, c, &findings);
        find_in_values(frame, c, &findings);
        find_in_numbers(frame, c, &findings);
        find_personal(&frame->columns[c], c, &findings);
    }
    find_correlated(frame, &findings);
    find_associated(frame, &findings);
    if (findings.failed || !pr_sort(findings.list, findings.count, sizeof *findings.list, by_gravity, NULL)) {
        free(findings.list);
        return false;
    }
    frame->findings = findings.list;
    frame->finding_count = (uint32_t)findings.count;
    return pr_arena_take(&frame->arena, findings.list);
}
