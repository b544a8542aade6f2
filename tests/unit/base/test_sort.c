/* SPDX-License-Identifier: Apache-2.0 */
/* The merge sort. */
#include "tests/support/unit.h"

#include "capture/base/sort.h"
#include "tests/support/alloc_fail.h"

#include <stdlib.h>

struct item {
    uint32_t key;
    size_t number; /* place in the input */
};

struct counted {
    unsigned long comparisons;
};

static int compare_items(const void *a, const void *b, const void *context)
{
    const struct counted *counted = context;
    ((struct counted *)(uintptr_t)counted)->comparisons++;
    return PR_ORDER(((const struct item *)a)->key, ((const struct item *)b)->key);
}

/* Sorts COUNT items whose keys are below KEYS, and checks order, stability and cost. */
static void sort_and_check(size_t count, uint32_t keys)
{
    struct item *items = calloc(count + 1, sizeof *items);
    struct counted counted = {0};
    uint32_t random = 1;
    assert_non_null(items);
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        items[i] = (struct item){(random >> 8) % keys, i};
    }
    assert_true(pr_sort(items, count, sizeof *items, compare_items, &counted));
    for (size_t i = 1; i < count; i++) {
        assert_true(items[i - 1].key <= items[i].key);
        if (items[i - 1].key == items[i].key)
            assert_true(items[i - 1].number < items[i].number);
    }
    unsigned log2 = 1;
    while ((size_t)1 << log2 < count)
        log2++;
    assert_true(counted.comparisons <= count * (log2 + 4));
    free(items);
}

static void sorted_and_equals_keep_their_order(void **state)
{
    (void)state;
    for (size_t count = 0; count < 70; count++)
        for (uint32_t keys = 1; keys < 100; keys += 7)
            sort_and_check(count, keys);
    sort_and_check(100000, 10);
    sort_and_check(100000, UINT32_MAX);
}

/* By the first byte. */
static int compare_first_bytes(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(*(const uint8_t *)a, *(const uint8_t *)b);
}

/* Usual sizes have loops of their own: each moves all bytes of an element, and none of its neighbours. */
static void elements_of_any_size_stay_whole(void **state)
{
    enum { COUNT = 100, MOST = 40 };
    uint8_t elements[COUNT * MOST];
    (void)state;
    for (size_t size = 1; size <= MOST; size++) {
        for (size_t i = 0; i < COUNT; i++)
            for (size_t byte = 0; byte < size; byte++)
                elements[i * size + byte] = (uint8_t)(i * 37 % COUNT + byte);
        assert_true(pr_sort(elements, COUNT, size, compare_first_bytes, NULL));
        for (size_t i = 0; i < COUNT; i++)
            for (size_t byte = 0; byte < size; byte++)
                assert_int_equal(elements[i * size + byte], i + byte);
    }
}

static void no_memory_leaves_the_array_as_it_was(void **state)
{
    (void)state;
    struct item items[] = {{3, 0}, {2, 1}, {1, 2}};
    struct counted counted = {0};
    alloc_fail_at(1);
    bool sorted = pr_sort(items, 3, sizeof *items, compare_items, &counted);
    assert_true(alloc_fail_stop());
    assert_false(sorted);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(items[i].number, i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_and_equals_keep_their_order),
        cmocka_unit_test(elements_of_any_size_stay_whole),
        cmocka_unit_test(no_memory_leaves_the_array_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
