/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on numbers that came from a file, and arrays that grow by it. */
#ifndef PR_CAPTURE_BASE_CHECKED_H
#define PR_CAPTURE_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* *SUM = A + B; false, with *SUM untouched, when that does not fit. */
static inline bool pr_add_size(size_t a, size_t b, size_t *sum)
{
    if (a > SIZE_MAX - b)
        return false;
    *sum = a + b;
    return true;
}

/* *PRODUCT = A * B; false, with *PRODUCT untouched, when that does not fit. */
static inline bool pr_mul_size(size_t a, size_t b, size_t *product)
{
    if (b && a > SIZE_MAX / b)
        return false;
    *product = a * b;
    return true;
}

/* A + B, held at the end of the range: sums of hostile sizes must not wrap into small or negative ones. */
static inline int64_t pr_add_saturated(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b)
        return INT64_MIN;
    return a + b;
}

/* Whether VALUE is an end of the range, where what was bounded is held. */
static inline bool pr_at_end_of_range(int64_t value)
{
    return value == INT64_MAX || value == INT64_MIN;
}

/* Adds MORE to *SUM, in the same way. */
static inline void pr_add_to(int64_t *sum, int64_t more)
{
    *sum = pr_add_saturated(*sum, more);
}

/*
 * Adds MORE to *SUM, held at the end of the range. True: it was bounded, now or (if MORE is an end of the range) when
 * MORE was made from a number in a file. A sum that was at the end before is not bounded again.
 */
static inline bool pr_add_bounded(int64_t *sum, int64_t more)
{
    const bool was_bounded = pr_at_end_of_range(*sum);
    if (!__builtin_add_overflow(*sum, more, sum))
        return pr_at_end_of_range(more);
    *sum = more < 0 ? INT64_MIN : INT64_MAX;
    return pr_at_end_of_range(more) || !was_bounded;
}

/* A - B, held at the end of the range. */
static inline int64_t pr_subtract_saturated(int64_t a, int64_t b)
{
    int64_t difference;
    if (__builtin_sub_overflow(a, b, &difference))
        return b < 0 ? INT64_MAX : INT64_MIN;
    return difference;
}

/*
 * What is shown for a sum that may have wrapped on the way (so that an addition and its subtraction cancel out): the
 * maximum, instead of less than nothing.
 */
static inline int64_t pr_shown_sum(int64_t sum)
{
    return sum < 0 ? INT64_MAX : sum;
}

/* NUMBER, or the largest that has a sign. */
static inline int64_t pr_signed_saturated(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

/*
 * Makes room for NEED elements of SIZE bytes in the array that *ARRAY points to, which has *CAPACITY: it grows by half
 * and keeps its contents. False, with everything as it was, when there is no memory. *ARRAY is owned by the caller.
 */
static inline bool pr_grow(void *array, size_t *capacity, size_t need, size_t size)
{
    void *memory;
    if (need <= *capacity)
        return true;
    size_t room = *capacity + *capacity / 2;
    if (room < need)
        room = need;
    if (room < 16)
        room = 16;
    size_t bytes;
    if (!pr_mul_size(room, size, &bytes))
        return false;
    memcpy(&memory, array, sizeof memory); /* a T * may not be read through a void ** */
    memory = realloc(memory, bytes);
    if (!memory)
        return false;
    memcpy(array, &memory, sizeof memory);
    *capacity = room;
    return true;
}

#endif
