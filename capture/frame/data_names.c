/* SPDX-License-Identifier: Apache-2.0 */
/* What documents call types, kinds, findings and damage. */
#include "profrender/data_frame.h"

const char *pr_data_type_name(enum pr_data_type type)
{
    static const char *const names[] = {"empty",  "boolean", "integer",  "real",     "decimal", "date",
                                        "moment", "time",    "duration", "category", "text",    "nested",
                                        "identifier"};
    return type < PR_TYPE_COUNT ? names[type] : "";
}

const char *pr_data_kind_name(enum pr_data_kind kind)
{
    static const char *const names[] = {"missing", "boolean", "integer",  "real", "date",
                                        "moment",  "time",    "duration", "text", "nested"};
    return kind < PR_KIND_COUNT ? names[kind] : "";
}

const char *pr_data_order_name(enum pr_data_order order)
{
    static const char *const names[] = {NULL,         "none",       "constant",           "increasing",
                                        "strictly increasing", "decreasing", "strictly decreasing"};
    return order < sizeof names / sizeof *names ? names[order] : NULL;
}

const char *pr_data_finding_name(enum pr_data_finding_kind kind)
{
    static const char *const names[] = {
        "constant",         "empty",         "mostly_missing", "missing",  "mixed",      "unique",
        "high_cardinality", "skewed",        "zeros",          "infinite", "correlated", "duplicates",
        "suspicious_dates", "day_or_month",  "leading_zeros",  "padded",   "imbalance",  "mail_addresses",
        "ip_addresses",     "payment_cards", "personal_name",  "same_name", "not_unique"};
    return kind < sizeof names / sizeof *names ? names[kind] : "";
}

const char *pr_data_damage_name(enum pr_data_damage damage)
{
    static const char *const names[PR_DATA_DAMAGES] = {"short_rows",    "long_rows",       "odd_quotes",
                                                       "rows_with_nul", "values_not_utf8", "rows_too_long",
                                                       "bad_lines",     "keys_left_out",   "not_of_type"};
    return damage < PR_DATA_DAMAGES ? names[damage] : "";
}
