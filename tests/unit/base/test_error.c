/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: the first one wins, and everything fits. */
#include "tests/support/unit.h"

#include "profrender/error.h"

#include <string.h>

static void the_first_error_wins(void **state)
{
    (void)state;
    struct pr_error err = {0};
    assert_int_equal(pr_cut(&err, PR_ERR_DAMAGED, 12, "frame push record", "thread %d has no stack", 3), PR_CUT);
    assert_int_equal(pr_fail(&err, PR_ERR_IO, 99, "reading", "second"), PR_FAILED);
    assert_int_equal(pr_fail_memory(&err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_DAMAGED);
    assert_int_equal(err.offset, 12);
    assert_string_equal(err.doing, "frame push record");
    assert_string_equal(err.text, "thread 3 has no stack");
}

static void an_error_may_be_null(void **state)
{
    (void)state;
    assert_int_equal(pr_fail(NULL, PR_ERR_IO, 0, "reading", "%s", "x"), PR_FAILED);
    assert_int_equal(pr_cut(NULL, PR_ERR_IO, 0, NULL, "x"), PR_CUT);
    assert_int_equal(pr_fail_memory(NULL), PR_FAILED);
    pr_error_name(NULL, "x");
}

static void long_texts_are_cut_and_closed(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct pr_error err = {0};
    pr_fail(&err, PR_ERR_IO, PR_NO_OFFSET, text, "%s", text);
    assert_int_equal(strlen(err.doing), sizeof err.doing - 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void a_long_name_keeps_its_tail(void **state)
{
    (void)state;
    char name[1000];
    struct pr_error err = {0};
    for (size_t length = sizeof err.source - 2; length < sizeof err.source + 2; length++) {
        memset(name, 'd', length);
        memcpy(name + length - 8, "/run.bin", 9);
        err = (struct pr_error){0};
        pr_error_name(&err, name);
        assert_string_equal(err.source + strlen(err.source) - 8, "/run.bin");
        if (length < sizeof err.source) {
            assert_string_equal(err.source, name);
        } else {
            assert_int_equal(strlen(err.source), sizeof err.source - 1);
            assert_memory_equal(err.source, "...d", 4);
        }
    }
}

static void the_first_name_stays(void **state)
{
    (void)state;
    struct pr_error err = {0};
    pr_error_name(&err, NULL);
    pr_error_name(&err, "one");
    pr_error_name(&err, "two");
    assert_string_equal(err.source, "one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_error_wins),
        cmocka_unit_test(an_error_may_be_null),
        cmocka_unit_test(long_texts_are_cut_and_closed),
        cmocka_unit_test(a_long_name_keeps_its_tail),
        cmocka_unit_test(the_first_name_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
