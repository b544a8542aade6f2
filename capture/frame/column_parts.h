/* SPDX-License-Identifier: Apache-2.0 */
/* What a column does with texts that it reads and with numbers that it is given; for the files that build columns. */
#ifndef PR_CAPTURE_FRAME_COLUMN_PARTS_H
#define PR_CAPTURE_FRAME_COLUMN_PARTS_H

#include "capture/base/hash.h"
#include "capture/frame/column_build.h"

#define PR_MISSING_HASH UINT64_C(0x6d697373696e67)
#define PR_WIDEST (INT64_C(1) << 53) /* every whole number up to it is a double */

static inline enum pr_family pr_family_of(enum pr_data_kind kind)
{
    switch (kind) {
    case PR_KIND_INTEGER:
    case PR_KIND_REAL:
        return PR_FAMILY_NUMBERS;
    case PR_KIND_DATE:
    case PR_KIND_MOMENT:
        return PR_FAMILY_MOMENTS;
    case PR_KIND_TIME:
        return PR_FAMILY_TIMES;
    case PR_KIND_DURATION:
        return PR_FAMILY_DURATIONS;
    default:
        return PR_FAMILY_BROKEN;
    }
}

static inline uint64_t pr_hash_of_number(double number)
{
    uint64_t bits;
    number += 0.0; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    return pr_hash_u64(bits ^ UINT64_C(0x9e3779b97f4a7c15));
}

/* What TEXT, one of its values, means in the column. */
void pr_column_parse(const struct pr_column_build *column, const char *text, uint32_t length,
                     struct pr_cell_value *value);

/* Whether so many different texts, of COUNT values of which LONGEST characters is the longest, are categories. */
bool pr_is_category(uint64_t distinct, uint64_t count, uint64_t longest);

/* Its values are texts, which may have words. */
bool pr_column_has_words(const struct pr_column_build *column);

/* Counts US, TIMES over, if it is in a day that may be suspicious. */
static inline void pr_column_note_day(struct pr_column_build *column, double us, uint64_t times)
{
    const int day = pr_is_usual_day(us) ? -1 : pr_suspicious_day(us);
    if (day >= 0)
        column->suspicious[day] += times;
}

/*
 * From here on the sample is fed. What came before is known from the values in memory and those of this batch, PENDING,
 * or from the texts. False: no memory.
 */
bool pr_column_start_sample(struct pr_column_build *column, const double *pending, size_t pending_count);

/* A value for each row up to this batch's end, where the numbers are in memory. False: no memory. */
bool pr_column_keep_numbers(struct pr_column_build *column, const struct pr_column_batch *batch);

/* Moments, extremes and quantiles of the numbers of the batch. False: no memory. */
bool pr_column_note_numbers(struct pr_column_build *column, const struct pr_column_batch *batch);

/* One more of NUMBER among the frequent values, of a column with keys of numbers and without wide ones. */
bool pr_column_count_number(struct pr_column_build *column, double number);

/* Whether WHOLE, as it is given, is so large that not each such number is a double. */
static inline bool pr_is_beyond_doubles(const struct pr_column_type *type, int64_t whole)
{
    return type->is_unsigned ? (uint64_t)whole > (uint64_t)PR_WIDEST : whole > PR_WIDEST || whole < -PR_WIDEST;
}

/* Whether no double is that number. */
static inline bool pr_column_is_wide(const struct pr_column_type *type, int64_t whole)
{
    return pr_is_beyond_doubles(type, whole) &&
           (type->divide == 1 ? type->multiply == 1 : whole % type->divide != 0);
}

#endif
