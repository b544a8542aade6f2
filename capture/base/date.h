/* SPDX-License-Identifier: Apache-2.0 */
/* Dates of the Gregorian calendar as days since 1970-01-01. */
#ifndef PR_CAPTURE_BASE_DATE_H
#define PR_CAPTURE_BASE_DATE_H

#include <stdint.h>

/*
 * The days from 1970-01-01 to YEAR-MONTH-DAY, MONTH being 1 to 12: 2000-03-01 is 11017.
 *
 * Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
 */
static inline int64_t pr_days_of_date(int64_t year, unsigned month, unsigned day)
{
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400;
    const int64_t of_era = year - era * 400;
    const int64_t of_year = (153 * (int64_t)(month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

#endif
