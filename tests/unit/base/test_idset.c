/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for keys, in the order in which the keys came. */
#include "tests/support/unit.h"

#include "capture/base/idset.h"
#include "tests/support/alloc_fail.h"

static void keys_are_numbered_as_they_come(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    struct pr_idset one = {.words = 1}, two = {.words = 2};
    for (unsigned round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < MANY; i++) {
            const uint64_t key[2] = {i << 32, i % 3};
            assert_int_equal(pr_idset_add(&one, key, 1), i);
            assert_int_equal(pr_idset_add(&two, key, 2), i);
        }
    }
    assert_int_equal(one.count, MANY);
    for (uint64_t i = 0; i < MANY; i++) {
        assert_true(one.keys[i] == i << 32);
        assert_true(two.keys[2 * i] == i << 32 && two.keys[2 * i + 1] == i % 3);
    }
    pr_idset_clear(&one);
    pr_idset_clear(&two);
}

static void both_words_tell_keys_apart(void **state)
{
    (void)state;
    struct pr_idset set = {.words = 2};
    const uint64_t keys[4][2] = {{0, 0}, {0, 1}, {1, 0}, {UINT64_MAX, UINT64_MAX}};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pr_idset_add(&set, keys[i], 2), i);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pr_idset_find(&set, keys[i], 2), i);
    const uint64_t other[2] = {1, 1};
    assert_int_equal(pr_idset_find(&set, other, 2), PR_NO_ID);
    pr_idset_clear(&set);
}

static void nothing_is_found_in_an_empty_set(void **state)
{
    (void)state;
    struct pr_idset set = {.words = 1};
    const uint64_t key = 0;
    assert_int_equal(pr_idset_find(&set, &key, 1), PR_NO_ID);
    pr_idset_clear(&set);
}

static void a_full_set_still_finds_what_it_has(void **state)
{
    (void)state;
    struct pr_idset set = {.words = 1, .limit = 3};
    for (uint64_t key = 10; key < 13; key++)
        assert_int_equal(pr_idset_add(&set, &key, 1), key - 10);
    const uint64_t more = 13, first = 10;
    assert_int_equal(pr_idset_add(&set, &more, 1), PR_NO_ID);
    assert_int_equal(pr_idset_add(&set, &first, 1), 0);
    pr_idset_clear(&set);
    assert_int_equal(set.limit, 3);
    assert_int_equal(pr_idset_add(&set, &more, 1), 0);
    pr_idset_clear(&set);
}

static void no_memory_is_said_and_the_set_stays_good(void **state)
{
    (void)state;
    struct pr_idset set = {.words = 1};
    unsigned refused = 0;
    for (uint64_t key = 0; key < 3000; key++) {
        alloc_fail_at(1);
        refused += pr_idset_add(&set, &key, 1) == PR_NO_ID;
        alloc_fail_stop();
        assert_int_equal(pr_idset_add(&set, &key, 1), key);
    }
    assert_true(refused > 3);
    pr_idset_clear(&set);
}

static void keys_without_a_table_are_numbered_and_kept(void **state)
{
    (void)state;
    struct pr_idset set = {.words = 2, .limit = 1000};
    for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t key[2] = {i * 7, ~i};
        assert_int_equal(pr_idset_append(&set, key), i);
    }
    assert_int_equal(pr_idset_append(&set, (const uint64_t[2]){1, 1}), PR_NO_ID);
    assert_null(set.slots);
    pr_idset_close(&set);
    assert_int_equal(set.count, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(set.keys[i * 2] == i * 7 && set.keys[i * 2 + 1] == ~i);
    pr_idset_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_numbered_as_they_come),
        cmocka_unit_test(both_words_tell_keys_apart),
        cmocka_unit_test(nothing_is_found_in_an_empty_set),
        cmocka_unit_test(a_full_set_still_finds_what_it_has),
        cmocka_unit_test(no_memory_is_said_and_the_set_stays_good),
        cmocka_unit_test(keys_without_a_table_are_numbered_and_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
