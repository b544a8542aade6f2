/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates keep their bounds, and are exact while they can be. */
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/hash.h"
#include "capture/frame/frequent.h"
#include "capture/frame/hash_sample.h"
#include "capture/frame/moments.h"
#include "capture/frame/quantile_sketch.h"

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return pr_hash_u64(*state);
}

static void doubles_are_sorted_like_numbers(void **state)
{
    (void)state;
    double values[] = {3, -1, 0.0, -0.0, INFINITY, 1e-310, -1e300, 2, -INFINITY, 1e300, 3};
    const size_t count = sizeof values / sizeof *values;
    assert_true(pr_sort_doubles(values, count));
    for (size_t i = 1; i < count; i++)
        assert_true(values[i - 1] <= values[i]);
    assert_true(values[0] == -INFINITY && values[count - 1] == INFINITY);
}

/* Values that only their lowest bits tell apart, in disorder beside one that is far away. */
static void doubles_that_begin_alike_are_sorted_too(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static double values[COUNT];
    uint64_t random = 3;
    for (unsigned far = 0; far < 2; far++) {
        for (size_t i = 0; i < COUNT; i++) {
            const uint64_t bits = UINT64_C(0x4000000000000000) + next_random(&random) % 100000;
            memcpy(&values[i], &bits, sizeof bits);
        }
        values[7] = far ? -1e300 : values[7];
        assert_true(pr_sort_doubles(values, COUNT));
        for (size_t i = 1; i < COUNT; i++)
            assert_true(values[i - 1] <= values[i]);
    }
}

/* ORDER: 0 ascending, 1 descending, 2 random, 3 from both ends. */
static double value_at(size_t i, size_t count, unsigned order, uint64_t *random)
{
    switch (order) {
    case 0:
        return (double)i;
    case 1:
        return (double)(count - i);
    case 2:
        return (double)(next_random(random) % count);
    default:
        return (double)(i % 2 ? i : count - i);
    }
}

static void the_rank_of_a_quantile_is_within_its_bound(void **state)
{
    (void)state;
    enum { COUNT = 1000003 };
    double *all = malloc(COUNT * sizeof *all);
    for (unsigned order = 0; order < 4; order++) {
        struct pr_quantile_sketch sketch = {0};
        uint64_t random = 7, before = 0;
        size_t count;
        for (size_t i = 0; i < COUNT; i++)
            all[i] = value_at(i, COUNT, order, &random);
        for (size_t i = 0; i < COUNT; i += 4096)
            assert_true(pr_quantile_sketch_add(&sketch, all + i, COUNT - i < 4096 ? COUNT - i : 4096));
        assert_int_equal(sketch.count, COUNT);
        assert_true(pr_sort_doubles(all, COUNT));
        struct pr_weighted *values = pr_quantile_sketch_values(&sketch, &count);
        for (size_t i = 0, rank = 0; i < count; i++) {
            while (rank < COUNT && all[rank] < values[i].value)
                rank++;
            size_t end = rank;
            while (end < COUNT && all[end] <= values[i].value)
                end++;
            /* Somewhere among the equal values, the estimated rank is right. */
            assert_true(before <= end + sketch.error && before + values[i].weight + sketch.error >= rank);
            before += values[i].weight;
        }
        assert_int_equal(before, COUNT);
        assert_true((double)sketch.error / COUNT < 0.002);
        free(values);
        pr_quantile_sketch_clear(&sketch);
    }
    free(all);
}

static void different_values_are_exact_while_they_fit(void **state)
{
    (void)state;
    struct pr_hash_sample sample = {0};
    for (uint64_t i = 0; i < 200000; i++)
        assert_true(pr_hash_sample_add(&sample, pr_hash_u64(i % 150000 + 1), 1));
    const struct pr_data_count distinct = pr_hash_sample_distinct(&sample);
    assert_int_equal(distinct.value, 150000);
    assert_int_equal(distinct.low, distinct.high);
    assert_int_equal(pr_hash_sample_repeated(&sample, 200000).value, 50000);
    assert_false(pr_hash_sample_is_unique(&sample));
    pr_hash_sample_clear(&sample);
}

static void many_different_values_are_estimated_within_the_bound(void **state)
{
    (void)state;
    enum { COUNT = 3000000, TWICE = 300000 };
    struct pr_hash_sample sample = {0};
    for (uint64_t i = 0; i < COUNT; i++)
        assert_true(pr_hash_sample_add(&sample, pr_hash_u64(i + 1), 1));
    assert_true(pr_hash_sample_is_unique(&sample));
    assert_int_equal(pr_hash_sample_repeated(&sample, COUNT).low, 0);
    for (uint64_t i = 0; i < TWICE; i++)
        assert_true(pr_hash_sample_add(&sample, pr_hash_u64(i + 1), 1));
    const struct pr_data_count distinct = pr_hash_sample_distinct(&sample);
    const struct pr_data_count repeated = pr_hash_sample_repeated(&sample, COUNT + TWICE);
    assert_true(distinct.low <= COUNT && COUNT <= distinct.high);
    assert_true(fabs((double)distinct.value / COUNT - 1) < 0.01);
    assert_true(repeated.low <= TWICE && TWICE <= repeated.high);
    assert_false(pr_hash_sample_is_unique(&sample));
    assert_true(sample.used <= PR_SAMPLE_MOST);
    pr_hash_sample_clear(&sample);
}

/* Of values of which every third occurs twice: those of the hashes that are not left out, and no other. */
static void a_sample_has_each_of_its_values_once(void **state)
{
    (void)state;
    enum { COUNT = 1200000 };
    for (int without_counts = 0; without_counts < 2; without_counts++) {
        struct pr_hash_sample sample = {.has_no_counts = without_counts};
        uint64_t expected = 0, again = 0;
        for (uint64_t i = 0; i < COUNT; i++)
            assert_true(pr_hash_sample_add(&sample, pr_hash_u64(i + 1), 1));
        assert_true(pr_hash_sample_is_unique(&sample));
        for (uint64_t i = 0; i < COUNT; i += 3)
            assert_true(pr_hash_sample_add(&sample, pr_hash_u64(i + 1), 1));
        for (uint64_t i = 0; i < COUNT; i++) {
            const bool is_in = !(pr_hash_u64(i + 1) & ((UINT64_C(1) << sample.shift) - 1));
            expected += is_in;
            again += is_in && i % 3 == 0;
        }
        assert_true(sample.shift > 1);
        assert_int_equal(sample.used, expected);
        assert_int_equal(sample.kept, expected + again);
        assert_false(pr_hash_sample_is_unique(&sample));
        pr_hash_sample_clear(&sample);
    }
}

static const struct pr_frequent_item *item_of(const struct pr_frequent *frequent, const char *text)
{
    for (size_t i = 0; i < frequent->count; i++)
        if (frequent->items[i].length == strlen(text) &&
            !memcmp(frequent->bytes + frequent->items[i].at, text, strlen(text)))
            return &frequent->items[i];
    return NULL;
}

static void add(struct pr_frequent *frequent, const char *text)
{
    const size_t length = strlen(text);
    assert_true(pr_frequent_add(frequent, text, (uint32_t)length, pr_hash_bytes(text, length)));
}

static void frequent_values_are_found_among_many(void **state)
{
    (void)state;
    struct pr_frequent frequent = {0};
    char text[32];
    for (unsigned i = 0; i < 300000; i++) {
        snprintf(text, sizeof text, "rare-%u", i);
        add(&frequent, text);
        if (i % 10 == 0)
            add(&frequent, "often");
    }
    const struct pr_frequent_item *often = item_of(&frequent, "often");
    assert_non_null(often);
    assert_true(often->count <= 30000 && 30000 <= often->count + frequent.error);
    assert_true(frequent.error < 330000 / 2000);
    assert_true(frequent.count <= PR_FREQUENT_MOST);
    pr_frequent_clear(&frequent);
}

/* Some are always there, some only in the last tenth, when nearly all that is new has to wait; most are there once. */
static void counts_are_within_their_bounds_however_values_come(void **state)
{
    (void)state;
    enum { ROUNDS = 1000000, SOME = 300 };
    static uint64_t counts[2 * SOME];
    struct pr_frequent frequent = {0};
    uint64_t random = 11;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint64_t draw = next_random(&random) % 10000;
        const bool is_late = draw >= SOME && draw < 2 * SOME && i >= ROUNDS / 10 * 9;
        const uint64_t value = draw < SOME || is_late ? draw : 2 * SOME + i;
        if (value < 2 * SOME)
            counts[value]++;
        assert_true(pr_frequent_add(&frequent, (const char *)&value, sizeof value, pr_hash_u64(value + 1)));
    }
    for (uint64_t value = 0; value < 2 * SOME; value++) {
        const size_t at = pr_frequent_place(&frequent, (const char *)&value, sizeof value, pr_hash_u64(value + 1));
        const uint64_t count = at < frequent.count ? frequent.items[at].count : 0;
        assert_true(count <= counts[value] && counts[value] <= count + frequent.error);
    }
    assert_true(frequent.error < ROUNDS / PR_FREQUENT_MOST); /* where nothing waits, it is about that */
    pr_frequent_clear(&frequent);
}

/* One by one or many at once, also while the table is full and values wait: the same table, and the same are rare. */
static void many_numbers_at_once_count_like_each(void **state)
{
    (void)state;
    enum { MANY = 1500, ROUNDS = 200 };
    static uint64_t keys[MANY], hashes[MANY];
    struct pr_frequent one = {0}, all = {0};
    uint64_t random = 5;
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t rare = 0, found;
        for (unsigned i = 0; i < MANY; i++) {
            const uint64_t draw = next_random(&random) % 10;
            keys[i] = draw < 5 ? next_random(&random) % 3000 : 3000 + next_random(&random) % 1000000;
            hashes[i] = pr_hash_u64(keys[i] + 1);
        }
        uint64_t expected[MANY];
        for (unsigned i = 0; i < MANY; i++) {
            assert_true(pr_frequent_add(&one, (const char *)&keys[i], sizeof *keys, hashes[i]));
            if (one.last == PR_FREQUENT_NOWHERE || one.items[one.last].count < 3)
                expected[rare++] = hashes[i];
        }
        assert_true(pr_frequent_add_numbers(&all, keys, hashes, MANY, &found));
        assert_int_equal(found, rare);
        assert_memory_equal(hashes, expected, rare * sizeof *hashes);
    }
    assert_true(one.waiting != NULL);
    assert_int_equal(all.count, one.count);
    assert_int_equal(all.error, one.error);
    assert_int_equal(all.waited, one.waited);
    assert_memory_equal(all.items, one.items, one.count * sizeof *one.items);
    assert_memory_equal(all.bytes, one.bytes, one.bytes_used);
    pr_frequent_clear(&one);
    pr_frequent_clear(&all);
}

static void long_values_with_one_beginning_are_different(void **state)
{
    (void)state;
    struct pr_frequent frequent = {0};
    char text[600];
    memset(text, 'x', sizeof text);
    for (unsigned i = 0; i < 20; i++) {
        text[599] = '\0';
        text[500] = (char)('a' + i % 4);
        add(&frequent, text);
    }
    assert_int_equal(frequent.count, 4);
    assert_int_equal(frequent.items[0].count, 5);
    assert_int_equal(frequent.items[0].kept, PR_FREQUENT_BYTES);
    pr_frequent_clear(&frequent);
}

static void moments_keep_their_digits_beside_a_large_offset(void **state)
{
    (void)state;
    struct pr_moments moments = {0};
    double values[1000];
    for (unsigned batch = 0; batch < 300; batch++) {
        for (unsigned i = 0; i < 1000; i++)
            values[i] = 1e9 + (i % 5);
        pr_moments_add(&moments, values, 1000);
    }
    /* 0 to 4 equally often: variance 2 n / (n - 1), no skewness, kurtosis -1.3. */
    assert_true(fabs(pr_moments_variance(&moments) - 2 * 300000.0 / 299999) < 1e-9);
    assert_true(fabs(pr_moments_skewness(&moments)) < 1e-9);
    assert_true(fabs(pr_moments_kurtosis(&moments) + 1.3) < 1e-4);
    assert_true(pr_moments_sum(&moments) == 3e5 * (1e9 + 2));
}

static void pairs_without_one_of_their_numbers_do_not_count(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, NAN, 6}, y[] = {2, 4, 6, NAN, 10, 12};
    struct pr_comoments moments = {0};
    pr_comoments_add(&moments, x, y, 3);
    pr_comoments_add(&moments, x + 3, y + 3, 3);
    assert_int_equal(moments.count, 4);
    assert_true(fabs(pr_comoments_pearson(&moments) - 1) < 1e-12);
}

/* Bit for bit: how many columns are summed up at once shows nowhere. */
static void centred_pairs_are_the_same_as_others(void **state)
{
    (void)state;
    enum { ROWS = 1000, COLUMNS = 4 };
    static double values[COLUMNS + 1][ROWS], distances[COLUMNS + 1][ROWS];
    struct pr_centred sides[COLUMNS + 1];
    struct pr_comoments wanted[COLUMNS] = {0}, found[COLUMNS] = {0}, *all[COLUMNS];
    const struct pr_centred *ys[COLUMNS];
    uint64_t random = 5;
    for (unsigned round = 1; round <= COLUMNS; round++) {
        for (unsigned c = 0; c <= COLUMNS; c++) {
            for (unsigned i = 0; i < ROWS; i++)
                values[c][i] = 1e6 * c + (double)(next_random(&random) % 1000003) / 7;
            sides[c].distances = distances[c];
            pr_centre(&sides[c], values[c], ROWS);
        }
        for (unsigned k = 0; k < round; k++) {
            pr_comoments_add(&wanted[k], values[COLUMNS], values[k], ROWS);
            all[k] = &found[k];
            ys[k] = &sides[k];
        }
        pr_comoments_add_centred(all, &sides[COLUMNS], ys, round);
    }
    assert_memory_equal(wanted, found, sizeof wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_are_sorted_like_numbers),
        cmocka_unit_test(doubles_that_begin_alike_are_sorted_too),
        cmocka_unit_test(the_rank_of_a_quantile_is_within_its_bound),
        cmocka_unit_test(different_values_are_exact_while_they_fit),
        cmocka_unit_test(many_different_values_are_estimated_within_the_bound),
        cmocka_unit_test(a_sample_has_each_of_its_values_once),
        cmocka_unit_test(frequent_values_are_found_among_many),
        cmocka_unit_test(counts_are_within_their_bounds_however_values_come),
        cmocka_unit_test(many_numbers_at_once_count_like_each),
        cmocka_unit_test(long_values_with_one_beginning_are_different),
        cmocka_unit_test(moments_keep_their_digits_beside_a_large_offset),
        cmocka_unit_test(pairs_without_one_of_their_numbers_do_not_count),
        cmocka_unit_test(centred_pairs_are_the_same_as_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
