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
    size_t size;   /* of an element, in bytes */
    char *scratch; /* half of the array, at least one element */
};

static void sort_short(const struct sorter *sorter, char *array, size_t count)
{
    const size_t size = sorter->size;
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
static void merge(const struct sorter *sorter, char *array, size_t left, size_t right)
{
    const size_t size = sorter->size;
    const char *b = array + left * size, *b_end = b + right * size;
    if (sorter->compare(b - size, b, sorter->context) <= 0)
        return;
    memcpy(sorter->scratch, array, left * size);
    const char *a = sorter->scratch, *a_end = a + left * size;
    char *out = array;
    while (a < a_end && b < b_end) {
        const char **from = sorter->compare(a, b, sorter->context) <= 0 ? &a : &b;
        memcpy(out, *from, size);
        *from += size;
        out += size;
    }
    memcpy(out, a, (size_t)(a_end - a)); /* what is left of B is already in place */
}

static void sort_part(const struct sorter *sorter, char *array, size_t count)
{
    if (count <= SHORT_RUN) {
        sort_short(sorter, array, count);
        return;
    }
    size_t left = count / 2;
    sort_part(sorter, array, left);
    sort_part(sorter, array + left * sorter->size, count - left);
    merge(sorter, array, left, count - left);
}

bool pr_sort(void *array, size_t count, size_t size, pr_compare *compare, const void *context)
{
    size_t bytes;
    if (count < 2)
        return true;
    if (!pr_mul_size(count / 2, size, &bytes))
        return false;
    struct sorter sorter = {compare, context, size, malloc(bytes)};
    if (!sorter.scratch)
        return false;
    sort_part(&sorter, array, count);
    free(sorter.scratch);
    return true;
}

int pr_compare_numbers(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}
