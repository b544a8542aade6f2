/* SPDX-License-Identifier: Apache-2.0 */
/* What numbers are, whether they are read or given. */
#include "capture/base/hash.h"
#include "capture/frame/column_parts.h"

#include <math.h>
#include <string.h>

bool pr_is_category(uint64_t distinct, uint64_t count, uint64_t longest)
{
    enum { LONGEST = 64, MOST = 1000 };
    return longest <= LONGEST && distinct <= MOST && (distinct <= 10 || distinct * 5 <= count) && distinct < count;
}

double pr_column_number_of(const struct pr_column_type *type, int64_t whole)
{
    if (type->is_unsigned)
        return (double)(uint64_t)whole;
    if (type->divide == 1)
        return (double)whole * (double)type->multiply;
    if (!pr_is_beyond_doubles(type, whole))
        return (double)whole / (double)type->divide;
    return (double)(whole / type->divide) + (double)(whole % type->divide) / (double)type->divide;
}

/* The key of NUMBER among frequent values: as it was given. */
static int64_t whole_of(const struct pr_column_type *type, double number)
{
    const double whole = rint(type->divide == 1 ? number / (double)type->multiply : number * (double)type->divide);
    if (type->is_unsigned)
        return (int64_t)(uint64_t)whole;
    return fabs(whole) < 9e18 ? (int64_t)whole : 0;
}

bool pr_column_count_number(struct pr_column_build *column, double number)
{
    const uint64_t hash = pr_hash_of_number(number);
    if (!column->given.has_wholes)
        return pr_frequent_add(&column->frequent, (const char *)&number, sizeof number, hash);
    const int64_t whole = whole_of(&column->given, number);
    return pr_frequent_add(&column->frequent, (const char *)&whole, sizeof whole, hash);
}
