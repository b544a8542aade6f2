/* SPDX-License-Identifier: Apache-2.0 */
/* Memory samples come out as they went in. */
#include "tests/support/unit.h"

#include "capture/heap/memory_samples.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>
#include <string.h>

static int64_t draw(uint64_t *random)
{
    static const int64_t ends[] = {0, -1, 1, INT64_MAX, INT64_MIN, INT64_MAX - 1};
    uint64_t number = random_next(random);
    return number % 8 < 6 ? (int64_t)(number >> 3 >> number % 60) : ends[number / 8 % 6];
}

static void any_values_come_back(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    struct pr_memory_samples samples = {0};
    struct pr_profile *profile = calloc(1, sizeof *profile);
    assert_non_null(profile);
    uint64_t random = 1, again = 1;
    for (unsigned i = 0; i < MANY; i++) {
        int64_t ms = draw(&random), rss = draw(&random), heap = draw(&random);
        assert_true(pr_memory_samples_add(&samples, ms, rss, heap));
    }
    assert_int_equal(pr_memory_samples_finish(&samples, true, profile, NULL), PR_OK);
    assert_int_equal(profile->series_count, 2);
    const struct pr_series *rss = &profile->series[pr_profile_series(profile, "rss")];
    const struct pr_series *heap = &profile->series[pr_profile_series(profile, "heap")];
    assert_int_equal(rss->count, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        assert_true(rss->at_ms[i] == draw(&again) && heap->at_ms[i] == rss->at_ms[i]);
        assert_true(rss->value[i] == draw(&again));
        assert_true(heap->value[i] == draw(&again));
    }
    pr_memory_samples_clear(&samples);
    pr_profile_free(profile);
}

static void usual_samples_take_few_bytes(void **state)
{
    (void)state;
    struct pr_memory_samples samples = {0};
    uint64_t random = 1;
    for (int64_t i = 0; i < 1000; i++)
        assert_true(pr_memory_samples_add(&samples, 1700000000000 + 10 * i,
                                          (100 << 20) + 4096 * random_below(&random, 50),
                                          (90 << 20) + 16 * random_below(&random, 5000)));
    assert_true(samples.length < 8 * 1000);
    pr_memory_samples_clear(&samples);
}

static void what_was_not_recorded_is_absent(void **state)
{
    (void)state;
    struct pr_memory_samples samples = {0};
    struct pr_profile *profile = calloc(1, sizeof *profile);
    assert_non_null(profile);
    assert_int_equal(pr_memory_samples_finish(&samples, true, profile, NULL), PR_OK);
    assert_int_equal(profile->series_count, 0);
    assert_true(pr_memory_samples_add(&samples, 5, 6, 0));
    assert_int_equal(pr_memory_samples_finish(&samples, false, profile, NULL), PR_OK);
    assert_int_equal(profile->series_count, 1);
    assert_int_equal(pr_profile_series(profile, "heap"), -1);
    pr_memory_samples_clear(&samples);
    pr_profile_free(profile);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct pr_memory_samples samples = {0};
    alloc_fail_at(1);
    assert_false(pr_memory_samples_add(&samples, 1, 2, 3));
    alloc_fail_stop();
    assert_int_equal(samples.count, 0);
    assert_true(pr_memory_samples_add(&samples, 1, 2, 3));
    struct pr_profile *profile = calloc(1, sizeof *profile);
    struct pr_error err = {0};
    alloc_fail_at(1);
    assert_int_equal(pr_memory_samples_finish(&samples, true, profile, &err), PR_FAILED);
    alloc_fail_stop();
    assert_int_equal(err.code, PR_ERR_MEMORY);
    pr_memory_samples_clear(&samples);
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_values_come_back),
        cmocka_unit_test(usual_samples_take_few_bytes),
        cmocka_unit_test(what_was_not_recorded_is_absent),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
