/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that have a name and a file in common are told apart by their first lines. */
#include "tests/support/unit.h"

#include "capture/model/functions.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

#include <stdlib.h>

struct place {
    const char *function, *file;
    int32_t line, definition_line, begins;
};

static const struct place places[] = {
    {"<lambda>", "a.py", 5, 3, 3},
    {"<lambda>", "a.py", 9, 8, 8},
    {"<lambda>", "a.py", 10, 8, 8},
    {"<lambda>", "a.py", 7, 0, 3}, /* of a second profiler: the last one that begins at its line or before */
    {"<lambda>", "a.py", 8, 0, 8},
    {"<lambda>", "a.py", 2, 0, 0},
    {"<lambda>", "a.py", 0, 0, 0},
    {"<lambda>", "a.py", INT32_MAX, 0, 8},
    {"<lambda>", "b.py", 7, 6, 0}, /* alone in its file */
    {"load", "a.py", 5, 4, 0},
    {"load", "a.py", 6, 0, 0},
};

enum { COUNT = sizeof places / sizeof *places };

static struct pr_profile *made(void)
{
    struct maker *maker = maker_new();
    for (size_t i = 0; i < COUNT; i++)
        maker_frame(maker, places[i].function, places[i].file, places[i].line, PR_FRAME_PYTHON);
    struct pr_profile *profile = maker_finish(maker);
    assert_int_equal(profile->frame_count, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        ((struct pr_frame *)profile->frames)[i].definition_line = places[i].definition_line;
    return profile;
}

static void functions_of_one_name_and_file_begin_elsewhere(void **state)
{
    (void)state;
    struct pr_profile *profile = made();
    int32_t *begins = pr_functions_tell_apart(profile);
    assert_non_null(begins);
    for (size_t i = 0; i < COUNT; i++)
        if (begins[i] != places[i].begins)
            fail_msg("%zu: %d", i, begins[i]);
    free(begins);
    pr_profile_free(profile);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    struct pr_profile *profile = made();
    bool failed = true;
    for (unsigned long i = 1; failed; i++) {
        alloc_fail_at(i);
        int32_t *begins = pr_functions_tell_apart(profile);
        failed = alloc_fail_stop();
        assert_int_equal(begins != NULL, !failed);
        free(begins);
    }
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_name_and_file_begin_elsewhere),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
