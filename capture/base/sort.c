/* SPDX-License-Identifier: Apache-2.0 */
/* Merge sort: short runs by insertion, halves merged through a copy of the left one. */
#include "capture/base/sort.h"

#include "capture/base/checked.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_RUN = 8 };

struct sorter {
    pr_compare *compare;
    const void *context;
    char *scratch; /* half of the array, at least one element */
};

typedef void sort_sized(const struct sorter *sorter, char *array, size_t count, size_t size);

/* Both steps take SIZE, the bytes of an element, as a constant for the usual sizes: elements then move in registers. */
static inline void sort_short(const struct sorter *sorter, char *array, size_t count, size_t size)
{
    for (size_t i = 1; i < count; i++) {
        char *element = array + i * size;
        char *place = element;
        while (place > array && sorter->compare(place - size, element, sorter->context) > 0)
            place -= size;
        if (place == element)
            continue;
        memcpy(sorter->scratch, element, size);
        memmove(place + size, place, (size_t)(element - place));
        memcpy(place, sorter->scratch, size);
    }
}

/* Merges the sorted LEFT elements of ARRAY with the sorted RIGHT ones after them. */
static inline void merge(const struct sorter *sorter, char *array, size_t left, size_t right, size_t size)
{
    const char *b = array + left * size, *b_end = b + right * size;
    if (sorter->compare(b - size, b, sorter->context) <= 0)
        return;
    memcpy(sorter->scratch, array, left * size);
    const char *a = sorter->scratch, *a_end = a + left * size;
    char *out = array;
    while (a < a_end && b < b_end) {
        const bool is_left = sorter->compare(a, b, sorter->context) <= 0;
        memcpy(out, is_left ? a : b, size);
        a += is_left ? size : 0;
        b += is_left ? 0 : size;
        out += size;
    }
    memcpy(out, a, (size_t)(a_end - a)); /* what is left of B is already in place */
}

/* Sorts the halves with SORT_HALF, which is the function that calls this one with its SIZE. */
static inline void sort_part(const struct sorter *sorter, char *array, size_t count, size_t size, sort_sized *sort_half)
{
    const size_t left = count / 2;
    if (count <= SHORT_RUN) {
        sort_short(sorter, array, count, size);
        return;
    }
    sort_half(sorter, array, left, size);
    sort_half(sorter, array + left * size, count - left, size);
    merge(sorter, array, left, count - left, size);
}

#define SORT_OF_SIZE(SIZE)                                                                             \
    static void sort_##SIZE(const struct sorter *sorter, char *array, size_t count, size_t size)       \
    {                                                                                                  \
        (void)size;                                                                                    \
        sort_part(sorter, array, count, SIZE, sort_##SIZE);                                            \
    }

SORT_OF_SIZE(4)
SORT_OF_SIZE(8)
SORT_OF_SIZE(16)
SORT_OF_SIZE(24)
SORT_OF_SIZE(56) /* rows of tables */

static void sort_any(const struct sorter *sorter, char *array, size_t count, size_t size)
{
    sort_part(sorter, array, count, size, sort_any);
}

static sort_sized *sort_of_size(size_t size)
{
    switch (size) {
    case 4:
        return sort_4;
    case 8:
        return sort_8;
    case 16:
        return sort_16;
    case 24:
        return sort_24;
    case 56:
        return sort_56;
    default:
        return sort_any;
    }
}

bool pr_sort(void *array, size_t count, size_t size, pr_compare *compare, const void *context)
{
    size_t bytes;
    if (count < 2)
        return true;
    if (!pr_mul_size(count / 2, size, &bytes))
        return false;
    const struct sorter sorter = {compare, context, malloc(bytes)};
    if (!sorter.scratch)
        return false;
    sort_of_size(size)(&sorter, array, count, size);
    free(sorter.scratch);
    return true;
}

int pr_compare_numbers(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}
