/* SPDX-License-Identifier: Apache-2.0 */
/* Names that more than one frame of a profile has. */
#include "tests/support/unit.h"

#include "capture/model/repeated_names.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

#include <stdlib.h>

static struct pr_profile *made(void)
{
    struct maker *maker = maker_new();
    maker_frame(maker, "alone", "a.py", 1, PR_FRAME_PYTHON);
    maker_frame(maker, "two_lines", "a.py", 5, PR_FRAME_PYTHON);
    maker_frame(maker, "two_lines", "a.py", 6, PR_FRAME_PYTHON);
    maker_frame(maker, "two_files", "a.py", 9, PR_FRAME_PYTHON);
    maker_frame(maker, "two_files", "b.py", 9, PR_FRAME_PYTHON);
    return maker_finish(maker);
}

static void a_name_of_several_lines_or_files_is_repeated(void **state)
{
    static const bool expected[] = {false, true, true, true, true};
    (void)state;
    struct pr_profile *profile = made();
    bool *repeated = pr_names_repeated(profile);
    assert_non_null(repeated);
    for (pr_frame_id i = 0; i < profile->frame_count; i++)
        assert_int_equal(repeated[profile->frames[i].function], expected[i]);
    free(repeated);
    pr_profile_free(profile);
}

static void without_memory_there_is_no_answer(void **state)
{
    (void)state;
    struct pr_profile *profile = made();
    bool failed = true;
    for (unsigned long i = 1; failed; i++) {
        alloc_fail_at(i);
        bool *repeated = pr_names_repeated(profile);
        failed = alloc_fail_stop();
        assert_int_equal(repeated != NULL, !failed);
        free(repeated);
    }
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_of_several_lines_or_files_is_repeated),
        cmocka_unit_test(without_memory_there_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
