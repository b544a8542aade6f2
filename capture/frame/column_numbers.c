/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are given as numbers: no text is made of them, except of the few that are shown. */
#include "capture/base/hash.h"
#include "capture/frame/column_parts.h"
#include "capture/frame/text_traits.h"

#include <math.h>

#define LEAST_CARD_NUMBER INT64_C(1000000000000) /* 13 digits */

static bool looks_like_card(int64_t whole)
{
    char digits[24];
    size_t at = sizeof digits;
    if (whole < LEAST_CARD_NUMBER)
        return false;
    for (; whole; whole /= 10)
        digits[--at] = (char)('0' + whole % 10);
    return pr_looks_like_card(digits + at, sizeof digits - at);
}

/* Different and frequent values; those of this batch before row I are known. */
static bool count_value(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i, bool is_wide,
                        uint64_t hash)
{
    struct pr_frequent *frequent = &column->frequent;
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
    if (column->sample_is_on && !pr_hash_sample_add(&column->sample, hash, 1))
        return false;
    if (column->frequent_rests) {
        pr_frequent_skip(frequent, 1);
        return true;
    }
    const void *key = column->given.has_wholes ? (const void *)&batch->wholes[i] : (const void *)&batch->numbers[i];
    return pr_frequent_add(frequent, key, 8, hash);
}

static uint64_t hash_of(const struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i,
                        bool *is_wide)
{
    const struct pr_column_type *type = &column->given;
    *is_wide = type->has_hashes || (type->has_wholes && pr_column_is_wide(type, batch->wholes[i]));
    return *is_wide ? pr_hash_u64((uint64_t)batch->wholes[i]) : pr_hash_of_number(batch->numbers[i]);
}

/* Where the value of row I will be counted is fetched from memory until then. */
static void expect(const struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i)
{
    bool is_wide;
    if (isnan(batch->numbers[i]))
        return;
    const uint64_t hash = hash_of(column, batch, i, &is_wide);
    if (column->sample_is_on)
        pr_hash_sample_expect(&column->sample, hash);
    if (!column->frequent_rests)
        pr_frequent_expect(&column->frequent, hash);
}

static void note_missing(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i)
{
    column->kinds[PR_KIND_MISSING]++;
    batch->missing_bits[i] |= batch->bit;
    column->missing_in[(batch->first_row + i) / batch->part_rows]++;
}

bool pr_column_add_numbers(struct pr_column_build *column, const struct pr_column_batch *batch)
{
    enum { AHEAD = 16 };
    const struct pr_column_type *type = &column->given;
    const bool has_dates = pr_family_of(type->kind) == PR_FAMILY_MOMENTS;
    const bool may_be_cards = type->kind == PR_KIND_INTEGER && type->has_wholes;
    column->has_number_keys = true;
    for (uint32_t i = 0; i < batch->rows; i++) {
        const double number = batch->numbers[i];
        if (i + AHEAD < batch->rows)
            expect(column, batch, i + AHEAD);
        if (isnan(number)) {
            note_missing(column, batch, i);
            continue;
        }
        bool is_wide;
        const uint64_t hash = hash_of(column, batch, i, &is_wide);
        batch->row_hashes[i] += pr_hash_two(batch->seed, hash);
        column->kinds[type->kind]++;
        column->family = pr_family_of(type->kind);
        if (has_dates)
            pr_column_note_day(column, number, 1);
        column->cards += may_be_cards && looks_like_card(batch->wholes[i]);
        if (!count_value(column, batch, i, is_wide, hash))
            return false;
    }
    if (column->family == PR_FAMILY_NONE)
        return true;
    return pr_column_keep_numbers(column, batch) && pr_column_note_numbers(column, batch);
}
