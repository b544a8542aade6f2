/* SPDX-License-Identifier: Apache-2.0 */
/* Scalene: lines of functions, percentages of the run as time. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include "profrender/buf.h"

#include <stdlib.h>
#include <string.h>

#define BEGIN                                                                                                          \
    "{\"alloc_samples\":0,\"args\":[],\"async_profile\":true,\"combined_stacks\":[],\"elapsed_time_sec\":2.0,"         \
    "\"files\":{\"/a.py\":{"
#define FUNCTIONS "\"functions\":[{\"line\":\"hot\",\"lineno\":1,\"n_cpu_percent_python\":7}]"
#define LINES                                                                                                          \
    "\"lines\":[{\"line\":\"x = 1\\n\",\"lineno\":3,\"start_function_line\":1,\"n_cpu_percent_python\":50,"            \
    "\"n_cpu_percent_c\":10.5,\"n_sys_percent\":1e-3,\"n_malloc_mb\":MALLOC},"                                         \
    "{\"lineno\":9,\"start_function_line\":9,\"n_cpu_percent_python\":1},{\"lineno\":10}]"

/* TEXT with what the line allocated, in megabytes, instead of MALLOC. */
static struct pr_profile *read_with(const char *text, const char *megabytes, enum pr_status status)
{
    const char *at = strstr(text, "MALLOC");
    struct pr_buf buf = {0};
    pr_buf_printf(&buf, "%.*s%s%s", (int)(at - text), text, megabytes, at + strlen("MALLOC"));
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, status);
    pr_buf_clear(&buf);
    return profile;
}

static void lines_are_in_their_functions(void **state)
{
    static const char *const texts[] = {BEGIN FUNCTIONS "," LINES "}}}", BEGIN LINES "," FUNCTIONS "}}}"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pr_profile *profile = read_with(texts[i], "0.0", PR_OK);
        assert_string_equal(profile->meta.format, "scalene");
        assert_metric(profile, "cpu", "0|<module> /a.py:9 20000000\n0|hot /a.py:3 1210020000\n");
        assert_metric(profile, "native", "0|hot /a.py:3 210000000\n");
        assert_int_equal(pr_profile_metric(profile, "allocated"), -1);
        pr_profile_free(profile);
    }
}

static void memory_is_there_if_it_was_measured(void **state)
{
    (void)state;
    struct pr_profile *profile = read_with(BEGIN FUNCTIONS "," LINES "}}}", "1.5", PR_OK);
    assert_metric(profile, "allocated", "0|hot /a.py:3 1572864\n");
    pr_profile_free(profile);
}

static void stacks_with_native_frames_are_left_out_and_counted(void **state)
{
    static const char one[] = "{\"combined_stacks\":[[[{\"display_name\":\"f\"}],3]],\"files\":{}}",
                      none[] = "{\"combined_stacks\":[],\"files\":{}}";
    (void)state;
    struct pr_profile *profile = reading("scalene", one, sizeof one - 1, PR_OK);
    assert_int_equal(profile->note_count, 2);
    assert_string_equal(profile->notes[1], "1 stack with native frames was left out");
    pr_profile_free(profile);
    profile = reading("scalene", none, sizeof none - 1, PR_OK);
    assert_int_equal(profile->note_count, 1);
    pr_profile_free(profile);
}

/* In both layouts: Scalene 2.4's, and that of 1.5. */
#define STACKED(first, second)                                                                                         \
    BEGIN FUNCTIONS "," LINES "}},\"stacks\":[[[\"/a.py <module>:9;\",\"/a.py hot:3;\"]," first "],"                   \
                    "[[\"/b c.py run:7;\",\"/a.py hot:3;\"]," second "]]}"

static void figures_of_a_line_are_divided_among_its_callers(void **state)
{
    static const char *const texts[] = {
        STACKED("{\"c_time\":9,\"count\":9,\"cpu_samples\":0.6}", "{\"cpu_samples\":0.2}"),
        STACKED("[9, 9, 9, 0.6]", "[9, 9, 9, 0.2]")};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pr_profile *profile = read_with(texts[i], "0", PR_OK);
        assert_metric(profile, "cpu", "0|<module> /a.py:9 20000000\n"
                                      "0|<module> /a.py:9;hot /a.py:3 907515000\n"
                                      "0|run /b c.py:7;hot /a.py:3 302505000\n");
        assert_string_equal(profile->notes[0],
                            "Scalene's figures are of lines; their callers are those of 2 sampled stacks");
        pr_profile_free(profile);
    }
}

static void lines_of_older_files_have_the_functions_of_their_stacks(void **state)
{
    static const char text[] = BEGIN FUNCTIONS
        ",\"lines\":[{\"lineno\":3,\"n_cpu_percent_python\":50},{\"lineno\":7,\"n_malloc_mb\":MALLOC,"
        "\"n_cpu_percent_python\":10}]}},"
        "\"stacks\":[[[[\"/a.py\",\"<module>\",9],[\"/a.py\",\"hot\",3]],[5,0,0,0.5]]]}";
    (void)state;
    struct pr_profile *profile = read_with(text, "0", PR_OK);
    assert_metric(profile, "cpu", "0|(unknown) /a.py:7 200000000\n0|<module> /a.py:9;hot /a.py:3 1000000000\n");
    pr_profile_free(profile);
}

static void allocations_have_the_callers_of_their_own_stacks(void **state)
{
    static const char text[] = BEGIN FUNCTIONS "," LINES
        "}},\"memory_stacks\":[[[{\"display_name\":\"run\",\"filename_or_module\":\"/b.py\",\"kind\":\"py\","
        "\"line\":7},"
        "{\"display_name\":\"malloc\",\"kind\":\"native\",\"line\":null},"
        "{\"display_name\":\"hot\",\"filename_or_module\":\"/a.py\",\"kind\":\"py\",\"line\":3}],1.5]],"
        "\"stacks\":[[[\"/a.py f:9;\",\"/a.py hot:3;\"],{\"cpu_samples\":1}]]}";
    (void)state;
    struct pr_profile *profile = read_with(text, "1.5", PR_OK);
    assert_metric(profile, "allocated", "0|run /b.py:7;hot /a.py:3 1572864\n");
    assert_metric(profile, "native", "0|f /a.py:9;hot /a.py:3 210000000\n");
    pr_profile_free(profile);
}

static void a_line_without_a_stack_has_the_callers_of_its_function(void **state)
{
    static const char text[] = BEGIN FUNCTIONS
        ",\"lines\":[{\"lineno\":3,\"start_function_line\":1,\"n_cpu_percent_python\":50},"
        "{\"lineno\":4,\"start_function_line\":1,\"n_cpu_percent_python\":0,\"n_malloc_mb\":MALLOC}]}},"
        "\"stacks\":[[[\"/a.py rare:8;\",\"/a.py hot:4;\"],{\"cpu_samples\":0.25}],"
        "[[\"/a.py often:9;\",\"/a.py hot:4;\"],{\"cpu_samples\":0.5}]]}";
    (void)state;
    struct pr_profile *profile = read_with(text, "0", PR_OK);
    assert_metric(profile, "cpu", "0|often /a.py:9;hot /a.py:3 1000000000\n");
    assert_string_equal(profile->notes[1], "1 line, in which no sampled stack ends, has the callers of its function's "
                                           "most frequent stack");
    pr_profile_free(profile);
}

static void what_precedes_damage_is_kept(void **state)
{
    (void)state;
    struct pr_profile *profile = read_with(BEGIN FUNCTIONS "," LINES "}", "0", PR_CUT);
    assert_int_equal(profile->metrics[0].total_value, 1230020000);
    pr_profile_free(profile);
    static const char text[] =
        BEGIN FUNCTIONS ",\"lines\":[{\"lineno\":3,\"n_cpu_percent_python\":50,\"n_peak_mb\":2}]}}}";
    assert_survives_damage("scalene", text, strlen(text));
    static const char stacked[] = "{\"elapsed_time_sec\":2,\"files\":{\"/a.py\":{\"lines\":[{\"lineno\":3,"
                                  "\"n_cpu_percent_python\":50}]}},\"stacks\":[[[\"/a.py f:2;\",\"/a.py hot:3;\"],"
                                  "{\"cpu_samples\":0.6}],[[\"/a.py g:5;\",\"/a.py hot:3;\"],[0.2]],"
                                  "[[1],\"\"],[[[\"/a.py\",\"f\",2]],[1]]]}";
    assert_survives_damage("scalene", stacked, strlen(stacked));
    assert_null(reading("scalene", "[]", 2, PR_FAILED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_in_their_functions),
        cmocka_unit_test(memory_is_there_if_it_was_measured),
        cmocka_unit_test(stacks_with_native_frames_are_left_out_and_counted),
        cmocka_unit_test(figures_of_a_line_are_divided_among_its_callers),
        cmocka_unit_test(lines_of_older_files_have_the_functions_of_their_stacks),
        cmocka_unit_test(allocations_have_the_callers_of_their_own_stacks),
        cmocka_unit_test(a_line_without_a_stack_has_the_callers_of_its_function),
        cmocka_unit_test(what_precedes_damage_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
