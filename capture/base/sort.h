/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stable merge sort with a context for the comparison: no input makes it slow, equal elements keep their order, and
 * it reports when it has no memory. The C library's qsort promises none of the three.
 */
#ifndef PR_CAPTURE_BASE_SORT_H
#define PR_CAPTURE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>

/* Below 0, 0 or above 0, as A comes before, with or after B. */
typedef int pr_compare(const void *a, const void *b, const void *context);

/* Sorts COUNT elements of SIZE bytes. False, with ARRAY as it was: no memory for a copy of half of it. */
bool pr_sort(void *array, size_t count, size_t size, pr_compare *compare, const void *context);

/* Of two int64_t, the lower one first. */
int pr_compare_numbers(const void *a, const void *b, const void *context);

/* For comparisons of numbers: which of two is the greater, as -1, 0 or 1. */
#define PR_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
