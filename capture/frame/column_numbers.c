/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are given as numbers: no text is made of them, except of the few that are shown. */
#include "capture/base/hash.h"
#include "capture/frame/column_parts.h"
#include "capture/frame/text_traits.h"

#include <math.h>
#include <string.h>

#define LEAST_CARD_NUMBER INT64_C(1000000000000) /* 13 digits */

static bool looks_like_card(int64_t whole)
{
    char digits[24];
    size_t at = sizeof digits;
    for (; whole; whole /= 10)
        digits[--at] = (char)('0' + whole % 10);
    return pr_looks_like_card(digits + at, sizeof digits - at);
}

/* What the column compares of the value in row I. *IS_WIDE: no double is that number. */
static inline uint64_t hash_of(const struct pr_column_type *type, const struct pr_column_batch *batch, uint32_t i,
                               bool *is_wide)
{
    *is_wide = type->has_hashes || (type->has_wholes && pr_column_is_wide(type, batch->wholes[i]));
    return *is_wide ? pr_hash_u64((uint64_t)batch->wholes[i]) : pr_hash_of_number(batch->numbers[i]);
}

static void note_missing(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i)
{
    column->kinds[PR_KIND_MISSING]++;
    batch->missing_bits[i] |= batch->bit;
    column->missing_in[(batch->first_row + i) / batch->part_rows]++;
}

/* The hash of each value, and what it adds to that of its row; how many values there are. *WIDE: some are. */
static uint32_t hash_values(struct pr_column_build *column, const struct pr_column_batch *batch, bool *wide)
{
    const struct pr_column_type type = column->given;
    uint32_t count = 0;
    *wide = false;
    for (uint32_t i = 0; i < batch->rows; i++) {
        bool is_wide;
        batch->hashes[i] = 0;
        if (isnan(batch->numbers[i])) {
            note_missing(column, batch, i);
            continue;
        }
        batch->hashes[i] = hash_of(&type, batch, i, &is_wide);
        batch->row_hashes[i] += pr_hash_two(batch->seed, batch->hashes[i]);
        *wide |= is_wide;
        count++;
    }
    return count;
}

/* ---- different and frequent values ------------------------------------------------------------------------------ */

static bool count_frequent(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i)
{
    const void *key = column->given.has_wholes ? (const void *)&batch->wholes[i] : (const void *)&batch->numbers[i];
    return pr_frequent_add(&column->frequent, key, 8, batch->hashes[i]);
}

/* Those of this batch before row I are counted. */
static bool count_value(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i)
{
    struct pr_frequent *frequent = &column->frequent;
    bool is_wide;
    hash_of(&column->given, batch, i, &is_wide);
    if (is_wide && !column->has_wide) {
        if (frequent->error && !pr_column_start_sample(column, batch->numbers, i))
            return false;
        column->has_wide = true;
        column->frequent_rests = false;
    }
    if (frequent->count >= PR_FREQUENT_MOST - 1 && !column->frequent_rests) {
        if (column->values && !column->has_wide)
            column->frequent_rests = true;
        else if (!pr_column_start_sample(column, NULL, 0))
            return false;
    }
    if (column->sample_is_on && !pr_hash_sample_add(&column->sample, batch->hashes[i], 1))
        return false;
    if (column->frequent_rests) {
        pr_frequent_skip(frequent, 1);
        return true;
    }
    return count_frequent(column, batch, i);
}

/* In a batch that may change how the column counts. */
static bool count_each(struct pr_column_build *column, const struct pr_column_batch *batch)
{
    for (uint32_t i = 0; i < batch->rows; i++)
        if (!isnan(batch->numbers[i]) && !count_value(column, batch, i))
            return false;
    return true;
}

/* What is compared of the COUNT values that are not missing, in their order; BATCH->hashes then has only theirs. */
static const uint64_t *keys_of(const struct pr_column_build *column, const struct pr_column_batch *batch,
                               uint32_t count)
{
    const void *all = column->given.has_wholes ? (const void *)batch->wholes : (const void *)batch->numbers;
    uint64_t *keys = batch->as_text; /* of no use to numbers */
    if (count == batch->rows)
        return all;
    for (uint32_t i = 0, at = 0; i < batch->rows; i++) {
        memcpy(&keys[at], (const char *)all + i * sizeof *keys, sizeof *keys);
        batch->hashes[at] = batch->hashes[i];
        at += (uint32_t)!isnan(batch->numbers[i]);
    }
    return keys;
}

/*
 * The COUNT values of the batch. WIDE: some are. While the frequent ones rest, all numbers are in memory and no sample
 * is on. The sample already has each value that is not rare among the frequent ones, and knows that it occurs again.
 */
static bool count_values(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t count, bool wide)
{
    const bool is_settled = column->sample_is_on || column->frequent_rests ||
                            column->frequent.count + count < PR_FREQUENT_MOST - 1;
    size_t rare;
    if (!is_settled || (wide && !column->has_wide))
        return count_each(column, batch);
    if (column->frequent_rests) {
        pr_frequent_skip(&column->frequent, count);
        return true;
    }
    if (!pr_frequent_add_numbers(&column->frequent, keys_of(column, batch, count), batch->hashes, count, &rare))
        return false;
    return !column->sample_is_on || pr_hash_sample_add_all(&column->sample, batch->hashes, rare);
}

bool pr_column_add_numbers(struct pr_column_build *column, const struct pr_column_batch *batch)
{
    const struct pr_column_type *type = &column->given;
    bool wide;
    column->has_number_keys = true;
    const uint32_t count = hash_values(column, batch, &wide);
    column->kinds[type->kind] += count;
    if (count)
        column->family = pr_family_of(type->kind);
    if (pr_family_of(type->kind) == PR_FAMILY_MOMENTS)
        for (uint32_t i = 0; i < batch->rows; i++)
            if (!isnan(batch->numbers[i]))
                pr_column_note_day(column, batch->numbers[i], 1);
    if (type->kind == PR_KIND_INTEGER && type->has_wholes)
        for (uint32_t i = 0; i < batch->rows; i++)
            column->cards += batch->wholes[i] >= LEAST_CARD_NUMBER && !isnan(batch->numbers[i]) &&
                             looks_like_card(batch->wholes[i]);
    if (!count_values(column, batch, count, wide))
        return false;
    if (column->family == PR_FAMILY_NONE)
        return true;
    return pr_column_keep_numbers(column, batch) && pr_column_note_numbers(column, batch);
}
