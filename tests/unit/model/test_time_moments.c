/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of allocations: joined when there are too many, amounts exact. */
#include "capture/model/time_moments.h"
#include "tests/support/unit.h"

#include <stdlib.h>

static int64_t sum_of(const struct pr_profile *profile, uint32_t fact)
{
    int64_t sum = 0;
    for (size_t i = 0; i < profile->moment_count; i++)
        sum += profile->moments[i].fact == fact ? profile->moments[i].bytes : 0;
    return sum;
}

static void are_kept_by_time_and_fact(void **state)
{
    (void)state;
    struct pr_time_moments moments = {.most = 100};
    struct pr_profile profile = {.fact_count = 2};
    const uint32_t merged[] = {1, UINT32_MAX, 0, 0};
    assert_true(pr_time_moments_add(&moments, 0, 70, 5));
    assert_true(pr_time_moments_add(&moments, 0, 70, 6));
    assert_true(pr_time_moments_add(&moments, 1, 60, 100));
    assert_true(pr_time_moments_add(&moments, 3, 50, 1));
    assert_true(pr_time_moments_add(&moments, 2, 50, 2));
    assert_true(pr_time_moments_add(&moments, 2, 50, 0));
    assert_true(pr_time_moments_add(&moments, 2, 50, -7));
    assert_int_equal(pr_time_moments_first_ns(&moments), 50);
    assert_true(pr_time_moments_finish(&moments, merged, 40, &profile));
    assert_int_equal(profile.moment_count, 2);
    assert_int_equal(profile.moments[0].at_ns, 10);
    assert_int_equal(profile.moments[0].bytes, 3);
    assert_int_equal(profile.moments[1].at_ns, 30);
    assert_int_equal(profile.moments[1].fact, 1);
    assert_int_equal(profile.moments[1].bytes, 11);
    assert_int_equal(profile.moment_resolution_ns, 0);
    pr_arena_clear(&profile.arena);
    pr_time_moments_clear(&moments);
}

static void too_many_become_coarser(void **state)
{
    (void)state;
    enum { MOST = 1000, FACTS = 3, MANY = 50000 };
    struct pr_time_moments moments = {.most = MOST};
    struct pr_profile profile = {.fact_count = FACTS};
    const uint32_t merged[] = {0, 1, 2};
    int64_t wanted[FACTS] = {0};
    for (int64_t i = 0; i < MANY; i++) {
        const uint32_t fact = (uint32_t)(i * 7 % FACTS);
        wanted[fact] += i;
        /* Backwards now and then, and before the beginning of time. */
        assert_true(pr_time_moments_add(&moments, fact, (i % 9 ? i : i / 2) * 3000000 - 5000000000, i));
        assert_true(moments.count <= MOST);
    }
    assert_true(moments.resolution_ns >= 20000000);
    assert_true(pr_time_moments_finish(&moments, merged, -5000000000, &profile));
    for (uint32_t fact = 0; fact < FACTS; fact++)
        assert_int_equal(sum_of(&profile, fact), wanted[fact]);
    for (size_t i = 1; i < profile.moment_count; i++)
        assert_true(profile.moments[i].at_ns >= profile.moments[i - 1].at_ns);
    pr_arena_clear(&profile.arena);
    pr_time_moments_clear(&moments);
}

static void more_facts_than_moments_stay_apart(void **state)
{
    (void)state;
    enum { MOST = 8, FACTS = 100 };
    struct pr_time_moments moments = {.most = MOST};
    struct pr_profile profile = {.fact_count = FACTS};
    uint32_t merged[FACTS];
    for (uint32_t i = 0; i < FACTS; i++)
        merged[i] = i;
    for (uint32_t i = 0; i < 10 * FACTS; i++)
        assert_true(pr_time_moments_add(&moments, i % FACTS, INT64_MAX - (int64_t)i, INT64_MAX / 4));
    assert_true(pr_time_moments_finish(&moments, merged, 0, &profile));
    assert_true(profile.moment_count >= FACTS);
    for (size_t i = 0; i < profile.moment_count; i++)
        assert_true(profile.moments[i].bytes > 0);
    pr_arena_clear(&profile.arena);
    pr_time_moments_clear(&moments);
}

static size_t times_of(const struct pr_profile *profile)
{
    size_t times = 1;
    for (size_t i = 1; i < profile->moment_count; i++)
        times += profile->moments[i].at_ns != profile->moments[i - 1].at_ns;
    return times;
}

static uint32_t *numbers_up_to(uint32_t count)
{
    uint32_t *numbers = malloc(count * sizeof *numbers);
    assert_non_null(numbers);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i;
    return numbers;
}

/* Each allocates at its own time: however many there are, it is still known when. */
static void many_facts_keep_their_times(void **state)
{
    (void)state;
    enum { MOST = 1000, FACTS = 20000, STEPS = 256 };
    struct pr_time_moments moments = {.most = MOST};
    struct pr_profile profile = {.fact_count = FACTS};
    uint32_t *merged = numbers_up_to(FACTS);
    for (uint32_t i = 0; i < FACTS; i++)
        assert_true(pr_time_moments_add(&moments, i, (int64_t)i * 10000000, 100));
    assert_true(pr_time_moments_finish(&moments, merged, 0, &profile));
    assert_int_equal(profile.moment_count, FACTS);
    assert_true(profile.moment_resolution_ns <= (int64_t)FACTS * 10000000 / STEPS);
    assert_true(times_of(&profile) >= STEPS);
    pr_arena_clear(&profile.arena);
    free(merged);
}

/* All allocate all the time: memory is bounded by how many there are. */
static void many_facts_have_few_moments_each(void **state)
{
    (void)state;
    enum { MOST = 1000, FACTS = 3000, TIMES = 400 };
    struct pr_time_moments moments = {.most = MOST};
    struct pr_profile profile = {.fact_count = FACTS};
    uint32_t *merged = numbers_up_to(FACTS);
    for (int64_t at = 0; at < TIMES; at++)
        for (uint32_t fact = 0; fact < FACTS; fact++) {
            assert_true(pr_time_moments_add(&moments, fact, (at - TIMES / 2) * 100000000, 1));
            assert_true(moments.count <= 8 * (FACTS + 1));
        }
    assert_true(pr_time_moments_finish(&moments, merged, -TIMES / 2 * (int64_t)100000000, &profile));
    for (uint32_t fact = 0; fact < FACTS; fact += 500)
        assert_int_equal(sum_of(&profile, fact), TIMES);
    assert_true(times_of(&profile) >= 2);
    pr_arena_clear(&profile.arena);
    free(merged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_kept_by_time_and_fact),
        cmocka_unit_test(too_many_become_coarser),
        cmocka_unit_test(more_facts_than_moments_stay_apart),
        cmocka_unit_test(many_facts_keep_their_times),
        cmocka_unit_test(many_facts_have_few_moments_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
