/* SPDX-License-Identifier: Apache-2.0 */
/* Counting by size, and memray's ten bins. */
#include "tests/support/unit.h"

#include "capture/heap/size_histogram.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>

/* Bins of COUNT sizes; returns how many there are. */
static uint32_t histogram(const uint64_t *size, size_t count, struct pr_histogram_bin bins[PR_HISTOGRAM_BINS])
{
    struct pr_sizes *sizes = calloc(1, sizeof *sizes);
    assert_non_null(sizes);
    for (size_t i = 0; i < count; i++)
        assert_true(pr_sizes_add(sizes, size[i]));
    uint32_t made = pr_sizes_histogram(sizes, bins);
    pr_sizes_clear(sizes);
    free(sizes);
    return made;
}

static void assert_whole(const struct pr_histogram_bin bins[PR_HISTOGRAM_BINS], uint64_t count)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < PR_HISTOGRAM_BINS; i++)
        sum += bins[i].count;
    assert_true(sum == count);
}

static void no_allocation_has_no_bins(void **state)
{
    (void)state;
    struct pr_histogram_bin bins[PR_HISTOGRAM_BINS];
    assert_int_equal(histogram(NULL, 0, bins), 0);
}

/* memray 1.20's answer for SIZE; a bound may be one off where the C library rounds logarithms differently. */
static void assert_memrays(const uint64_t *size, size_t size_count, const uint64_t last[PR_HISTOGRAM_BINS],
                           const uint64_t count[PR_HISTOGRAM_BINS])
{
    struct pr_histogram_bin bins[PR_HISTOGRAM_BINS];
    assert_int_equal(histogram(size, size_count, bins), PR_HISTOGRAM_BINS);
    for (unsigned i = 0; i < PR_HISTOGRAM_BINS; i++) {
        assert_true(bins[i].min_bytes == (i ? bins[i - 1].max_bytes + 1 : 0));
        assert_in_range(bins[i].max_bytes, last[i] - 1, last[i] + 1);
        assert_int_equal(bins[i].count, count[i]);
    }
    assert_whole(bins, size_count);
}

static void sizes_fall_into_memrays_bins(void **state)
{
    (void)state;
    const uint64_t decades[] = {0, 1, 2, 10, 100, 1000, 10000, 100000, 1000000, 1024};
    assert_memrays(decades, 10, (const uint64_t[]){2, 14, 62, 250, 998, 3980, 15847, 63094, 251187, 999999},
                   (const uint64_t[]){3, 1, 0, 1, 1, 1, 1, 0, 1, 1});
    const uint64_t uneven[] = {7, 1000003, 5, 5, 123456789};
    assert_memrays(uneven, 5,
                   (const uint64_t[]){26, 149, 824, 4527, 24844, 136299, 747740, 4102096, 22504038, 123456789},
                   (const uint64_t[]){3, 0, 0, 0, 0, 0, 0, 1, 0, 1});
}

static void equal_sizes_are_all_in_the_last_bin(void **state)
{
    (void)state;
    const uint64_t same[] = {64, 64, 64}, large[] = {1 << 20, 1 << 20}; /* the lower end is half the logarithm */
    assert_memrays(same, 3, (const uint64_t[]){8, 11, 13, 17, 21, 26, 33, 41, 50, 63},
                   (const uint64_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 3});
    assert_memrays(large, 2,
                   (const uint64_t[]){2047, 4094, 8190, 16382, 32766, 65534, 131070, 262142, 524286, 1048576},
                   (const uint64_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 2});
}

/* memray divides by zero here. */
static void zeros_and_ones_are_counted_once(void **state)
{
    (void)state;
    struct pr_histogram_bin bins[PR_HISTOGRAM_BINS];
    const uint64_t zeros[] = {0, 0, 0}, ones[] = {1, 1}, both[] = {0, 1};
    assert_int_equal(histogram(zeros, 3, bins), PR_HISTOGRAM_BINS);
    assert_int_equal(bins[0].count, 3);
    assert_whole(bins, 3);
    assert_int_equal(histogram(ones, 2, bins), PR_HISTOGRAM_BINS);
    assert_whole(bins, 2);
    assert_int_equal(histogram(both, 2, bins), PR_HISTOGRAM_BINS);
    assert_whole(bins, 2);
}

static void huge_sizes_have_bins(void **state)
{
    (void)state;
    struct pr_histogram_bin bins[PR_HISTOGRAM_BINS];
    const uint64_t sizes[] = {1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63};
    assert_int_equal(histogram(sizes, 4, bins), PR_HISTOGRAM_BINS);
    assert_int_equal(bins[0].count, 1);
    assert_int_equal(bins[9].count, 3);
    assert_true(bins[9].max_bytes > UINT64_MAX - (1 << 20)); /* as good as exp() is */
    assert_whole(bins, 4);
}

static void every_size_is_in_one_bin(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    uint64_t size[MANY], random = 1;
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < MANY; i++)
            size[i] = random_next(&random) >> (random_next(&random) % 64);
        struct pr_histogram_bin bins[PR_HISTOGRAM_BINS];
        assert_int_equal(histogram(size, MANY, bins), PR_HISTOGRAM_BINS);
        assert_whole(bins, MANY);
        for (unsigned i = 1; i < PR_HISTOGRAM_BINS; i++)
            assert_true(bins[i].min_bytes == bins[i - 1].max_bytes + 1 && bins[i].max_bytes >= bins[i].min_bytes);
    }
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct pr_sizes *sizes = calloc(1, sizeof *sizes);
    assert_non_null(sizes);
    unsigned refused = 0;
    for (uint64_t size = PR_SMALL_SIZES - 1000; size < PR_SMALL_SIZES + 1000; size++) {
        alloc_fail_at(1);
        bool added = pr_sizes_add(sizes, size);
        alloc_fail_stop();
        refused += !added;
        if (!added)
            assert_true(pr_sizes_add(sizes, size));
    }
    assert_true(refused > 3);
    struct pr_histogram_bin bins[PR_HISTOGRAM_BINS];
    pr_sizes_histogram(sizes, bins);
    assert_whole(bins, 2000);
    pr_sizes_clear(sizes);
    free(sizes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_allocation_has_no_bins),
        cmocka_unit_test(sizes_fall_into_memrays_bins),
        cmocka_unit_test(equal_sizes_are_all_in_the_last_bin),
        cmocka_unit_test(zeros_and_ones_are_counted_once),
        cmocka_unit_test(huge_sizes_have_bins),
        cmocka_unit_test(every_size_is_in_one_bin),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
