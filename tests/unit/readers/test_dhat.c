/* SPDX-License-Identifier: Apache-2.0 */
/* DHAT: figures of program points, frames that are defined after them, modes that count other things than the heap. */
#include "tests/support/unit.h"

#include "tests/support/alloc_fail.h"
#include "tests/support/load_helpers.h"

#include <stdlib.h>
#include <string.h>

static const char heap[] =
    "{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"bklt\":true,\"bkacc\":true,\"tu\":\"instrs\","
    "\"cmd\":\"./a out\",\"pid\":7,\"te\":90,\"tg\":50,\"pps\":["
    "{\"tb\":100,\"tbk\":10,\"tl\":500,\"mb\":50,\"mbk\":5,\"gb\":40,\"gbk\":4,\"eb\":10,\"ebk\":1,\"rb\":30,"
    "\"wb\":200,"
    "\"acc\":[-4,1],\"fs\":[1,2,4]},"
    "{\"tb\":7,\"tbk\":1,\"tl\":9,\"mb\":7,\"mbk\":1,\"gb\":7,\"gbk\":1,\"eb\":0,\"ebk\":0,\"rb\":70,\"wb\":7,"
    "\"fs\":[3,4]}],"
    "\"ftbl\":[\"[root]\",\"0x1: malloc (in /lib/x.so)\",\"0x2: put (hash.c:9)\",\"0x3: ???\","
    "\"0x4: main (m.rs:3:5)\"]}";

static void every_figure_is_a_metric(void **state)
{
    (void)state;
    assert_stacks("dhat", heap, "peak", "0|main m.rs:3;0x3 7 x1\n0|main m.rs:3;put hash.c:9 40 x4\n");
    assert_stacks("dhat", heap, "leaked", "0|main m.rs:3;put hash.c:9 10 x1\n");
    assert_stacks("dhat", heap, "allocated",
                  "0|main m.rs:3;0x3 7 x1\n0|main m.rs:3;put hash.c:9 100 x10\n");
    assert_stacks("dhat", heap, "lifetime",
                  "0|main m.rs:3;0x3 9 x1\n0|main m.rs:3;put hash.c:9 500 x10\n");
}

static void what_was_read_less_than_once_was_in_part_never_read(void **state)
{
    (void)state;
    assert_stacks("dhat", heap, "unread", "0|main m.rs:3;put hash.c:9 70 x10\n");
    assert_stacks("dhat", heap, "read",
                  "0|main m.rs:3;0x3 70 x1\n0|main m.rs:3;put hash.c:9 30 x10\n");
    assert_stacks("dhat", heap, "written",
                  "0|main m.rs:3;0x3 7 x1\n0|main m.rs:3;put hash.c:9 200 x10\n");
}

static void other_modes_have_totals_alone(void **state)
{
    static const char text[] =
        "{\"dhatFileVersion\":2,\"mode\":\"ad-hoc\",\"verb\":\"Occurred\",\"bklt\":false,\"bkacc\":false,"
        "\"bu\":\"unit\",\"bsu\":\"units\",\"bksu\":\"events\",\"pps\":[{\"tb\":3,\"tbk\":2,\"fs\":[1]}],"
        "\"ftbl\":[\"[root]\",\"0x1: f (a.c:1)\"]}";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, sizeof text - 1, PR_OK);
    assert_int_equal(profile->metric_count, 1);
    assert_int_equal(profile->metrics[0].unit, PR_UNIT_COUNT);
    pr_profile_free(profile);
    assert_stacks("dhat", text, "units", "0|f a.c:1 3 x2\n");
    assert_stacks("dhat",
                  "{\"dhatFileVersion\":2,\"mode\":\"copy\",\"verb\":\"Copied\",\"bklt\":false,\"bkacc\":false,"
                  "\"pps\":[{\"tb\":30,\"tbk\":2,\"fs\":[1]}],\"ftbl\":[\"[root]\",\"0x1: f (a.c:1)\"]}",
                  "copied", "0|f a.c:1 30 x2\n");
}

/* The crate dhat 0.3: other names of modes, and lifetimes by the clock. */
static void the_crate_has_modes_and_units_of_its_own(void **state)
{
    static const char heap_of_crate[] =
        "{\"dhatFileVersion\":2,\"mode\":\"rust-heap\",\"bklt\":true,\"bkacc\":false,\"tu\":\"µs\","
        "\"pps\":[{\"tb\":3,\"tbk\":2,\"tl\":5,\"gb\":3,\"gbk\":2,\"eb\":0,\"ebk\":0,\"fs\":[1]}],"
        "\"ftbl\":[\"[root]\",\"0x1: f (a.rs:1:2)\"]}";
    (void)state;
    assert_stacks("dhat",
                  "{\"dhatFileVersion\":2,\"mode\":\"rust-ad-hoc\",\"bklt\":false,\"bkacc\":false,"
                  "\"bu\":\"unit\",\"bksu\":\"events\",\"tu\":\"µs\",\"pps\":[{\"tb\":3,\"tbk\":2,\"fs\":[1]}],"
                  "\"ftbl\":[\"[root]\",\"0x1: f (a.rs:1:2)\"]}",
                  "units", "0|f a.rs:1 3 x2\n");
    struct pr_profile *profile = reading(NULL, heap_of_crate, sizeof heap_of_crate - 1, PR_OK);
    const int lifetime = pr_profile_metric(profile, "lifetime");
    assert_int_equal(profile->metrics[lifetime].unit, PR_UNIT_NANOSECONDS);
    assert_int_equal(profile->metrics[lifetime].total_value, 5000);
    pr_profile_free(profile);
}

static void damage_is_counted_or_cut(void **state)
{
    static const char lacks[] = "{\"dhatFileVersion\":2,\"bklt\":true,\"pps\":[{\"tb\":3,\"fs\":[1]},"
                                "{\"tb\":3,\"tbk\":1,\"gb\":3,\"gbk\":1,\"eb\":0,\"ebk\":0,\"fs\":[1]}],"
                                "\"ftbl\":[\"[root]\",\"0x1: f (a.c:1)\"]}";
    (void)state;
    assert_damaged_stacks("dhat", lacks, "peak", "0|f a.c:1 3 x1\n", PR_DAMAGE_RECORDS, 1);
    assert_null(reading("dhat", "{\"dhatFileVersion\":3}", 21, PR_FAILED));
    assert_survives_damage("dhat", heap, sizeof heap - 1);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_load_memory("test", heap, sizeof heap - 1, NULL, &profile, &err);
        const bool failed = alloc_fail_stop();
        pr_profile_free(profile);
        if (!failed) {
            assert_int_equal(status, PR_OK);
            break;
        }
        if (status == PR_OK)
            continue; /* numbers of frames then go into the other of their two tables */
        assert_int_equal(status, PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_a_metric),
        cmocka_unit_test(what_was_read_less_than_once_was_in_part_never_read),
        cmocka_unit_test(other_modes_have_totals_alone),
        cmocka_unit_test(the_crate_has_modes_and_units_of_its_own),
        cmocka_unit_test(damage_is_counted_or_cut),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
