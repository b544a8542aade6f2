/* SPDX-License-Identifier: Apache-2.0 */
/* The string table: every string once, as it came. */
#include "tests/support/unit.h"

#include "profrender/string_table.h"
#include "tests/support/alloc_fail.h"

#include <stdio.h>
#include <string.h>

static pr_str add(struct pr_strings *table, const char *text)
{
    return pr_strings_add(table, text, strlen(text));
}

static void equal_strings_have_equal_numbers(void **state)
{
    (void)state;
    struct pr_strings table;
    assert_int_equal(pr_strings_init(&table, NULL), PR_OK);
    assert_int_equal(add(&table, ""), 0);
    assert_int_equal(add(&table, "a"), 1);
    assert_int_equal(add(&table, "b"), 2);
    assert_int_equal(add(&table, "a"), 1);
    assert_int_equal(table.count, 3);
    pr_strings_clear(&table);
}

static void bytes_stay_as_they_came(void **state)
{
    (void)state;
    static const char odd[] = "a\0b\xff\xed\xa0\x80";
    struct pr_strings table;
    assert_int_equal(pr_strings_init(&table, NULL), PR_OK);
    pr_str string = pr_strings_add(&table, odd, sizeof odd - 1);
    assert_int_equal(pr_strings_get(&table, string).length, sizeof odd - 1);
    assert_memory_equal(pr_strings_get(&table, string).bytes, odd, sizeof odd);
    assert_int_not_equal(add(&table, "a"), string); /* not cut at the NUL */
    pr_strings_clear(&table);
}

static void a_number_that_does_not_exist_is_the_empty_string(void **state)
{
    (void)state;
    struct pr_strings table;
    assert_int_equal(pr_strings_init(&table, NULL), PR_OK);
    assert_int_equal(pr_strings_get(&table, 1).length, 0);
    assert_string_equal(pr_strings_get(&table, PR_NO_STR).bytes, "");
    pr_strings_clear(&table);
}

static void many_strings_are_found_again(void **state)
{
    (void)state;
    enum { MANY = 50000 };
    char text[32];
    struct pr_strings table;
    assert_int_equal(pr_strings_init(&table, NULL), PR_OK);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 1; i < MANY; i++) {
            snprintf(text, sizeof text, "%u", i * 7919);
            assert_int_equal(add(&table, text), i);
        }
    }
    for (unsigned i = 1; i < MANY; i++) {
        snprintf(text, sizeof text, "%u", i * 7919);
        assert_string_equal(pr_strings_get(&table, i).bytes, text);
    }
    pr_strings_clear(&table);
}

static void no_memory_is_said_and_the_table_stays_good(void **state)
{
    (void)state;
    struct pr_strings table;
    struct pr_error err = {0};
    alloc_fail_at(1);
    assert_int_equal(pr_strings_init(&table, &err), PR_FAILED);
    alloc_fail_stop();
    assert_int_equal(err.code, PR_ERR_MEMORY);
    assert_int_equal(pr_strings_init(&table, NULL), PR_OK);
    char text[32];
    unsigned refused = 0;
    for (unsigned i = 1; i < 3000; i++) { /* each allocation on the way fails once */
        snprintf(text, sizeof text, "a name of some length %u", i);
        alloc_fail_at(1);
        pr_str string = add(&table, text);
        alloc_fail_stop();
        refused += string == PR_NO_STR;
        assert_int_equal(add(&table, text), i);
    }
    assert_true(refused > 3);
    pr_strings_clear(&table);
}

static void texts_are_ordered_by_bytes(void **state)
{
    (void)state;
    const struct pr_text sorted[] = {{"", 0}, {"\0", 1}, {"a", 1}, {"a\0", 2}, {"ab", 2}, {"b", 1}, {"\xff", 1}};
    for (unsigned i = 0; i < 7; i++)
        for (unsigned k = 0; k < 7; k++) {
            int order = pr_text_compare(sorted[i], sorted[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

/* The largest distance of a string from the slot where the search for it begins. */
static uint32_t longest_search(const struct pr_strings *table)
{
    uint32_t longest = 0;
    const uint32_t mask = table->slot_count - 1;
    for (uint32_t at = 0; at < table->slot_count; at++) {
        const struct pr_string_slot slot = table->slots[at];
        const uint32_t distance = (at - slot.hash) & mask;
        longest = slot.number && distance > longest ? distance : longest;
    }
    return longest;
}

/* XXH3 without a seed has one hash for all texts of 17 to 32 bytes that begin with the first 8 bytes of its secret. */
static void texts_that_were_made_to_collide_do_not(void **state)
{
    struct pr_strings table;
    char text[33];
    (void)state;
    assert_int_equal(pr_strings_init(&table, NULL), PR_OK);
    for (unsigned i = 0; i < 40000; i++) {
        snprintf(text, sizeof text, "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe%08xABCDEFGHIJKLMNOP", i);
        assert_int_equal(pr_strings_add(&table, text, strlen(text)), i + 1);
    }
    assert_true(longest_search(&table) < 1000);
    pr_strings_clear(&table);
}

static void each_table_has_a_salt_of_its_own(void **state)
{
    struct pr_strings a, b;
    (void)state;
    assert_int_equal(pr_strings_init(&a, NULL), PR_OK);
    assert_int_equal(pr_strings_init(&b, NULL), PR_OK);
    assert_int_not_equal(a.salt, b.salt);
    for (unsigned i = 0; i < 5000; i++) { /* numbers are given in the order of appearance, whatever the salt is */
        char text[16];
        snprintf(text, sizeof text, "%u", i * 7919);
        assert_int_equal(pr_strings_add(&a, text, strlen(text)), pr_strings_add(&b, text, strlen(text)));
    }
    pr_strings_clear(&a);
    pr_strings_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_were_made_to_collide_do_not),
        cmocka_unit_test(each_table_has_a_salt_of_its_own),
        cmocka_unit_test(equal_strings_have_equal_numbers),
        cmocka_unit_test(bytes_stay_as_they_came),
        cmocka_unit_test(a_number_that_does_not_exist_is_the_empty_string),
        cmocka_unit_test(many_strings_are_found_again),
        cmocka_unit_test(no_memory_is_said_and_the_table_stays_good),
        cmocka_unit_test(texts_are_ordered_by_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
