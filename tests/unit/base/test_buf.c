/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that grow, and stay failed once they have failed. */
#include "tests/support/unit.h"

#include "profrender/buf.h"
#include "tests/support/alloc_fail.h"

#include <string.h>

static void appends_follow_one_another_with_a_nul_after(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    pr_buf_text(&buf, "peak ");
    pr_buf_printf(&buf, "%d of %s", 12, "34");
    pr_buf_byte(&buf, '!');
    pr_buf_add(&buf, "\0x", 2);
    pr_buf_add(&buf, NULL, 0);
    assert_int_equal(buf.length, 16);
    assert_memory_equal(buf.bytes, "peak 12 of 34!\0x", 17);
    pr_buf_clear(&buf);
    assert_null(buf.bytes);
    assert_int_equal(buf.length, 0);
}

static void a_thousand_lines_are_all_there(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    for (int i = 0; i < 1000; i++)
        pr_buf_printf(&buf, "%07d\n", i);
    assert_int_equal(buf.length, 8000);
    assert_memory_equal(buf.bytes, "0000000\n0000001\n", 16);
    assert_memory_equal(buf.bytes + 7992, "0000999\n", 9);
    pr_buf_clear(&buf);
}

/* Printing begins in the room that is there, and goes on in more if there is too little. */
static void what_is_printed_is_whole_at_each_fill(void **state)
{
    (void)state;
    for (size_t filled = 0; filled < 300; filled++) {
        struct pr_buf buf = {0};
        for (size_t i = 0; i < filled; i++)
            pr_buf_byte(&buf, 'x');
        pr_buf_printf(&buf, "%s-%d", "seven of nine", 42);
        assert_int_equal(buf.length, filled + 16);
        assert_string_equal(buf.bytes + filled, "seven of nine-42");
        assert_true(!filled || buf.bytes[filled - 1] == 'x');
        pr_buf_clear(&buf);
    }
}

static void after_a_failure_nothing_is_appended(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    alloc_fail_at(1);
    pr_buf_text(&buf, "lost");
    alloc_fail_stop();
    assert_true(buf.failed);
    pr_buf_text(&buf, "also lost");
    pr_buf_printf(&buf, "%d", 1);
    pr_buf_byte(&buf, 'x');
    assert_int_equal(buf.length, 0);
    pr_buf_clear(&buf);
    assert_false(buf.failed);
}

static void a_failure_keeps_what_was_there(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    pr_buf_text(&buf, "kept");
    alloc_fail_at(1);
    pr_buf_printf(&buf, "%01000d", 1);
    alloc_fail_stop();
    assert_true(buf.failed);
    assert_string_equal(buf.bytes, "kept");
    pr_buf_clear(&buf);
}

static void a_length_that_does_not_fit_is_a_failure(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    pr_buf_text(&buf, "x");
    pr_buf_add(&buf, "", SIZE_MAX);
    assert_true(buf.failed);
    assert_string_equal(buf.bytes, "x");
    pr_buf_clear(&buf);
}

static void room_is_written_in_place(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    for (int i = 0; i < 1000; i++) {
        char *room = pr_buf_room(&buf, 10);
        assert_non_null(room);
        room[0] = 'a';
        room[1] = (char)('0' + i % 10);
        pr_buf_use(&buf, 2);
        assert_string_equal(buf.bytes + 2 * i, room);
    }
    assert_int_equal(buf.length, 2000);
    assert_memory_equal(buf.bytes, "a0a1a2", 6);
    assert_memory_equal(buf.bytes + 1996, "a8a9", 5);
    assert_null(pr_buf_room(&buf, SIZE_MAX));
    assert_true(buf.failed);
    assert_null(pr_buf_room(&buf, 1));
    pr_buf_use(&buf, 0);
    assert_int_equal(buf.length, 2000);
    pr_buf_clear(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_follow_one_another_with_a_nul_after),
        cmocka_unit_test(a_thousand_lines_are_all_there),
        cmocka_unit_test(what_is_printed_is_whole_at_each_fill),
        cmocka_unit_test(after_a_failure_nothing_is_appended),
        cmocka_unit_test(a_failure_keeps_what_was_there),
        cmocka_unit_test(a_length_that_does_not_fit_is_a_failure),
        cmocka_unit_test(room_is_written_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
