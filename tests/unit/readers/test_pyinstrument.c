/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of pyinstrument and its rendered JSON. */
#include "tests/support/unit.h"

#include "tests/support/alloc_fail.h"
#include "tests/support/load_helpers.h"

#include <stdlib.h>
#include <string.h>

#define THREAD "\"MainThread\\u0000<thread>\\u000042\""
#define SESSION(records)                                                                                               \
    "{\"start_time\": 1795248791.9768348, \"duration\": 0.5, \"min_interval\": 0.001, \"sample_count\": 2,"            \
    " \"start_call_stack\": [" THREAD "], \"target_description\": \"Program: etl.py --fast\", \"cpu_time\": null,"     \
    " \"sys_path\": [\"\", \"/x\"], \"frame_records\": [" records "]}"

static void sessions_are_read(void **state)
{
    static const char text[] =
        SESSION("[[" THREAD ", \"main\\u0000etl.py\\u00005\\u0001l12\\u0001cJob\\u0001h0\"], 0.25],"
                "[[" THREAD ", \"main\\u0000etl.py\\u00005\\u0001l13\", \"len\\u0000<built-in>\\u00000\"], 0.125],"
                "[[" THREAD ", \"main\\u0000etl.py\\u00005\\u0001l13\", \"len\\u0000<built-in>\\u00000\"], 0.0625]");
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    (void)state;
    assert_string_equal(profile->meta.format, "pyinstrument");
    char *stacks = reading_stacks(profile, "cpu");
    assert_string_equal(stacks, "42[MainThread]|main etl.py:12 250000000 x1\n"
                                "42[MainThread]|main etl.py:13;len <built-in> 187500000 x2\n");
    free(stacks);
    assert_string_equal(pr_profile_text(profile, profile->meta.command_line).bytes, "etl.py --fast");
    assert_int_equal(profile->meta.start_ms.value, 1795248791977);
    assert_int_equal(profile->meta.end_ms.value, 1795248792477);
    assert_int_equal(profile->frames[0].definition_line, 5);
    assert_int_equal(profile->slice_count, 2); /* the last two are one */
    assert_int_equal(profile->slices[1].start_ns, 250000000);
    pr_profile_free(profile);
}

static void frames_of_other_forms_are_survived(void **state)
{
    (void)state;
    static const char text[] =
        SESSION("[[\"\", \"no line\\u0000x.py\", \"only a name\", 7, null, {\"a\": []}, \"[await]\\u0000\\u00000\"],"
                " 1], [[], 2], [3, 4], 5, [[\"f\\u0000a.py\\u0000x9\\u0001lx\"], \"text\"], [[\"f\"], NaN],"
                "[[\"f\\u0000a.py\\u0000-4\"], -1]");
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_CUT);
    char *stacks = reading_stacks(profile, "cpu");
    assert_string_equal(stacks, "0| 6000000000 x2\n0|;no line x.py;only a name;[await] 1000000000 x1\n");
    assert_int_equal(profile->damage.kind[PR_DAMAGE_FRAMES].count, 3);
    assert_int_equal(profile->damage.kind[PR_DAMAGE_RECORDS].count, 4);
    assert_int_equal(profile->damage.kind[PR_DAMAGE_NOT_NUMBERS].count, 2);
    free(stacks);
    pr_profile_free(profile);
}

static void rendered_profiles_are_read(void **state)
{
    (void)state;
    assert_stacks("pyinstrument",
                  "{\"start_time\": 5, \"duration\": 4, \"sample_count\": 9, \"target_description\": \"Program: x\","
                  " \"cpu_time\": 1, \"root_frame\": {\"function\": \"main\", \"file_path\": \"a.py\", \"line_no\": 3,"
                  " \"time\": 4, \"await_time\": 0, \"children\": ["
                  "{\"children\": [], \"time\": 1.5, \"line_no\": 7, \"file_path\": null, \"function\": \"f\"},"
                  "{\"function\": \"[self]\", \"file_path\": \"\", \"time\": 1, \"children\": []}]}}",
                  "cpu", "0|main a.py:3 2500000000\n0|main a.py:3;f:7 1500000000\n");
    assert_stacks("pyinstrument",
                  "{\"sample_count\": 1, \"target_description\": \"\", \"root_frame\": {\"function\": \"MainThread\","
                  " \"file_path\": \"<thread>\", \"time\": 2, \"children\": [{\"function\": \"f\", \"time\": 2}]}}",
                  "cpu", "0[MainThread]|f 2000000000\n");
}

static void depth_costs_no_stack(void **state)
{
    enum { DEEP = 20000 };
    static const char before[] = "{\"function\": \"f\", \"time\": 1, \"children\": [";
    char *text = malloc(DEEP * sizeof before + 4 * DEEP + 100), *at = text;
    (void)state;
    assert_non_null(text);
    at = stpcpy(at, "{\"sample_count\": 1, \"target_description\": \"\", \"root_frame\": ");
    for (int i = 0; i < DEEP; i++)
        at = stpcpy(at, before);
    for (int i = 0; i < DEEP; i++)
        at = stpcpy(at, "]}");
    at = stpcpy(at, "}");
    struct pr_profile *profile = reading("pyinstrument", text, (size_t)(at - text), PR_OK);
    assert_int_equal(profile->tree.count, DEEP + 1);
    assert_int_equal(profile->metrics[0].total_value, 1000000000);
    pr_profile_free(profile);
    free(text);
}

static void a_session_without_records_is_a_profile(void **state)
{
    (void)state;
    assert_stacks("pyinstrument", SESSION(""), "cpu", "");
    assert_stacks("pyinstrument", "{\"target_description\": \"\", \"sample_count\": 0, \"start_call_stack\": []}",
                  "cpu", "");
}

static void damage_is_survived(void **state)
{
    static const char session[] = SESSION("[[" THREAD ", \"main\\u0000etl.py\\u00005\\u0001l12\"], 0.25]");
    static const char rendered[] =
        "{\"sample_count\": 1, \"root_frame\": {\"function\": \"a\", \"time\": 2, \"children\":"
        " [{\"function\": \"f\", \"time\": 2}]}}";
    (void)state;
    assert_survives_damage("pyinstrument", session, strlen(session));
    assert_survives_damage("pyinstrument", rendered, strlen(rendered));
    assert_null(reading("pyinstrument", session, strlen("{\"start"), PR_FAILED)); /* nothing came before */
    size_t length = (size_t)(strstr(session, ", 0.25]") - session);
    struct pr_profile *profile = reading("pyinstrument", session, length, PR_CUT);
    assert_int_equal(profile->metrics[0].total_value, 0);
    pr_profile_free(profile);
}

static void out_of_memory_is_an_error(void **state)
{
    static const char text[] = SESSION("[[" THREAD ", \"main\\u0000etl.py\\u00005\\u0001l12\"], 0.25]");
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = pr_load_memory("test", text, strlen(text), NULL, &profile, &err);
        bool failed = alloc_fail_stop();
        pr_profile_free(profile);
        if (!failed)
            break;
        if (status != PR_FAILED && err.code != PR_ERR_NONE) /* a probe may do without what it wanted to unescape */
            fail_msg("allocation %lu: %s", n, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_are_read),
        cmocka_unit_test(frames_of_other_forms_are_survived),
        cmocka_unit_test(rendered_profiles_are_read),
        cmocka_unit_test(depth_costs_no_stack),
        cmocka_unit_test(a_session_without_records_is_a_profile),
        cmocka_unit_test(damage_is_survived),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("pyinstrument", tests, NULL, NULL);
}
