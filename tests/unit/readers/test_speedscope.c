/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of speedscope, in the order of keys and with the liberties of their writers. */
#include "tests/support/unit.h"

#include "profrender/table.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/load_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "\"$schema\": \"https://www.speedscope.app/file-format-schema.json\""
#define FRAMES                                                                                                         \
    "\"shared\": {\"frames\": [{\"name\": \"main\", \"file\": \"a.py\", \"line\": 1, \"col\": null},"                  \
    " {\"name\": \"f\", \"file\": \"a.py\", \"line\": 5}, {\"name\": \"[self]\", \"file\": null}]}"
#define DOCUMENT(profiles, ...) "{" SCHEMA ", \"profiles\": [" profiles "], " FRAMES __VA_ARGS__ "}"
#define BARE                                                                                                           \
    "\"type\":\"evented\",\"name\":\"simple.txt\",\"unit\":\"none\",\"startValue\":0,\"endValue\":5,\"events\":["      \
    "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":1},{\"type\":\"C\",\"frame\":1,"         \
    "\"at\":4},{\"type\":\"C\",\"frame\":0,\"at\":5}]"

static void samples_are_read(void **state)
{
    (void)state;
    assert_stacks("speedscope",
                  DOCUMENT("{\"type\": \"sampled\", \"name\": \"Thread 12 \\\"worker\\\"\", \"unit\": \"milliseconds\","
                           " \"startValue\": 0, \"endValue\": 4, \"samples\": [[0, 1], [0], [0, 1], []],"
                           " \"weights\": [1, 0.5, 0.25, 2]}"),
                  "cpu",
                  "12[worker]| 2000000 x1\n"
                  "12[worker]|main a.py:1 500000 x1\n"
                  "12[worker]|main a.py:1;f a.py:5 1250000 x2\n");
}

static void keys_come_in_any_order(void **state)
{
    (void)state;
    assert_stacks("speedscope",
                  "{" FRAMES ", \"profiles\": [{\"weights\": [1, 2], \"samples\": [[0], [0, 1]], \"unit\": \"seconds\","
                  " \"name\": \"Process 3 Thread 4 \\\"\\\"\", \"type\": \"sampled\"}], " SCHEMA "}",
                  "cpu", "4|main a.py:1 1000000000 x1\n4|main a.py:1;f a.py:5 2000000000 x1\n");
}

/* As speedscope 0.0.1 wrote it, and what a document that is a profile would be. */
static void old_and_bare_documents_are_read(void **state)
{
    static const char *const stacks = "1[simple.txt]|a 2\n1[simple.txt]|a;b 3\n";
    static const char *const documents[] = {
        "{\"version\":\"0.0.1\"," SCHEMA
        ",\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":[{" BARE "}]}",
        "{\"version\":\"0.0.1\"," SCHEMA ",\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]}," BARE "}",
        "{" BARE ",\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        assert_stacks("speedscope", documents[i], "weight", stacks);
    assert_survives_damage("speedscope", documents[2], strlen(documents[2]));
}

static void weights_that_are_missing_are_not_made_up(void **state)
{
    (void)state;
    assert_damaged_stacks(
        "speedscope",
        DOCUMENT("{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": [[0], [0], [0, 1]], \"weights\": [5]}"),
        "weight", "1|main a.py:1 5 x1\n", PR_DAMAGE_RECORDS, 2);
    assert_damaged_stacks(
        "speedscope",
        DOCUMENT("{\"type\": \"sampled\", \"unit\": \"seconds\", \"samples\": [[0], [0, 1]], \"weights\": [0.5]}"),
        "cpu", "1|main a.py:1 500000000 x1\n", PR_DAMAGE_RECORDS, 1);
    assert_damaged_stacks(
        "speedscope", DOCUMENT("{\"type\": \"sampled\", \"unit\": \"seconds\", \"samples\": [[0], [0, 1]]}"),
        "weight", "1|main a.py:1 1 x1\n1|main a.py:1;f a.py:5 1 x1\n", PR_DAMAGE_ASSUMED, 2);
    assert_stacks("speedscope", DOCUMENT("{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": [[0], [0, 1]]}"),
                  "weight", "1|main a.py:1 1 x1\n1|main a.py:1;f a.py:5 1 x1\n");
    assert_damaged_stacks(
        "speedscope",
        DOCUMENT("{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": [[0]], \"weights\": [5, 6, 7]}"), "weight",
        "1|main a.py:1 5 x1\n", PR_DAMAGE_RECORDS, 2);
}

static void of_lists_that_are_there_twice_the_last_one_counts(void **state)
{
    (void)state;
    assert_damaged_stacks("speedscope",
                          DOCUMENT("{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": [[0], [0]],"
                                   " \"samples\": [[0, 1]], \"weights\": [3]}"),
                          "weight", "1|main a.py:1;f a.py:5 3 x1\n", PR_DAMAGE_RECORDS, 2);
}

static void a_weight_that_no_time_can_be_is_damage(void **state)
{
    (void)state;
#define WEIGHTS(list)                                                                                                  \
    DOCUMENT("{\"type\": \"sampled\", \"unit\": \"seconds\", \"samples\": [[0], [0, 1]], \"weights\": " list "}")
    assert_damaged_stacks("speedscope", WEIGHTS("[1, -5]"), "cpu", "1|main a.py:1 1000000000 x1\n", PR_DAMAGE_RECORDS,
                          1);
    assert_damaged_stacks("speedscope", WEIGHTS("[1, \"5\"]"), "cpu",
                          "1|main a.py:1 1000000000 x1\n1|main a.py:1;f a.py:5 0 x1\n", PR_DAMAGE_NOT_NUMBERS, 1);
#undef WEIGHTS
}

static void events_are_read(void **state)
{
    (void)state;
    assert_stacks("speedscope",
                  DOCUMENT("{\"type\": \"evented\", \"name\": \"x\", \"unit\": \"microseconds\", \"startValue\": 0.5,"
                           " \"endValue\": 10, \"events\": [{\"type\": \"O\", \"frame\": 0, \"at\": 1},"
                           " {\"type\": \"O\", \"frame\": 1, \"at\": 2}, {\"at\": 4.5, \"type\": \"C\", \"frame\": 1},"
                           " {\"type\": \"C\", \"frame\": 0, \"at\": 5}]}"),
                  "cpu",
                  "1[x]| 5500\n" /* before the first event, and after the last one */
                  "1[x]|main a.py:1 1500\n"
                  "1[x]|main a.py:1;f a.py:5 2500\n");
}

static void events_that_do_not_nest_are_mended(void **state)
{
    static const char text[] = DOCUMENT(
        "{\"type\": \"evented\", \"unit\": \"nanoseconds\", \"events\": [{\"type\": \"O\", \"frame\": 0, \"at\": 0},"
        " {\"type\": \"O\", \"frame\": 1, \"at\": 1}, {\"type\": \"C\", \"frame\": 7, \"at\": 2},"
        " {\"type\": \"C\", \"frame\": 0, \"at\": 3}, {\"type\": \"O\", \"frame\": 0, \"at\": 1},"
        " {\"type\": \"C\", \"frame\": 0, \"at\": 8}]}");
    struct pr_profile *profile = reading("speedscope", text, strlen(text), PR_CUT);
    (void)state;
    char *stacks = reading_stacks(profile, "cpu");
    assert_string_equal(stacks, "1|main a.py:1 6\n1|main a.py:1;f a.py:5 2\n");
    assert_damage(profile, PR_DAMAGE_ORDER, 3);
    assert_null(profile->metrics[0].count); /* events are not samples */
    free(stacks);
    pr_profile_free(profile);
}

static void self_of_pyinstrument_is_its_callers(void **state)
{
    (void)state;
    assert_stacks(
        "speedscope",
        DOCUMENT("{\"type\": \"sampled\", \"unit\": \"seconds\", \"samples\": [[0, 2], [0]], \"weights\": [1, 2]}"),
        "cpu", "1|main a.py:1 3000000000 x2\n");
}

static void unlike_units_are_different_metrics(void **state)
{
    static const char text[] =
        DOCUMENT("{\"type\": \"sampled\", \"unit\": \"bytes\", \"samples\": [[0]], \"weights\": [7]},"
                 "{\"type\": \"sampled\", \"unit\": \"seconds\", \"samples\": [[1]], \"weights\": [2]},"
                 "{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": [[1]], \"weights\": [0.5]}");
    struct pr_profile *profile = reading("speedscope", text, strlen(text), PR_OK);
    (void)state;
    assert_int_equal(profile->metric_count, 3);
    assert_int_equal(profile->metrics[pr_profile_metric(profile, "bytes")].total_value, 7);
    assert_int_equal(profile->metrics[pr_profile_metric(profile, "cpu")].total_value, 2000000000);
    assert_int_equal(profile->metrics[pr_profile_metric(profile, "weight")].total_value, 5);
    assert_int_equal(profile->metrics[pr_profile_metric(profile, "weight")].decimals, 1);
    assert_int_equal(profile->thread_count, 3);
    pr_profile_free(profile);
}

/* The line of the row of "f" in the table by function; 0 = none. */
static int32_t line_of_f(const char *text)
{
    struct pr_profile *profile = reading("speedscope", text, strlen(text), PR_OK);
    struct pr_table table;
    int32_t line = -1;
    assert_int_equal(pr_table_make(profile, 0, PR_BY_FUNCTION, false, &table, NULL), PR_OK);
    for (size_t i = 0; i < table.count; i++) {
        if (strcmp(pr_profile_text(profile, table.row[i].function).bytes, "f"))
            continue;
        assert_int_equal(line, -1); /* one row */
        line = table.row[i].line;
    }
    pr_table_clear(&table);
    pr_profile_free(profile);
    return line;
}

static void lines_are_of_definitions_or_of_what_ran(void **state)
{
    (void)state;
#define TWO_FRAMES(second, more)                                                                                       \
    "{\"shared\": {\"frames\": [{\"name\": \"f\", \"file\": \"a.py\", \"line\": 5}, {\"name\": \"f\", \"file\": "      \
    "\"a.py\", \"line\": " second "}]}, \"profiles\": [{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": "      \
    "[[0], [1]]}]" more "}"
    assert_int_equal(line_of_f(TWO_FRAMES("5", "")), 5);
    assert_int_equal(line_of_f(TWO_FRAMES("6", "")), 0);
    assert_int_equal(line_of_f(TWO_FRAMES("5", ", \"exporter\": \"py-spy@0.4.3\"")), 0);
    assert_int_equal(line_of_f(TWO_FRAMES("5", ", \"exporter\": \"pyinstrument\"")), 5);
}

static void the_order_of_time_is_kept(void **state)
{
    static const char text[] = DOCUMENT("{\"type\": \"sampled\", \"unit\": \"milliseconds\", \"startValue\": 100,"
                                        " \"samples\": [[0], [0], [0, 1], [0]], \"weights\": [1, 2, 3, 4]}");
    struct pr_profile *profile = reading("speedscope", text, strlen(text), PR_OK);
    (void)state;
    assert_int_equal(profile->slice_count, 3);
    assert_int_equal(profile->slices[0].start_ns, 0);
    assert_int_equal(profile->slices[0].duration_ns, 3000000);
    assert_int_equal(profile->slices[1].start_ns, 3000000);
    assert_int_equal(profile->slices[2].fact, profile->slices[0].fact);
    assert_int_equal(profile->slice_resolution_ns, 0);
    assert_false(profile->slices_lack_clock);
    pr_profile_free(profile);
}

static void samples_from_zero_on_have_an_order_but_no_clock(void **state)
{
    static const char sampled[] = DOCUMENT("{\"type\": \"sampled\", \"unit\": \"milliseconds\", \"startValue\": 0,"
                                           " \"samples\": [[0], [0, 1]], \"weights\": [1, 2]}");
    static const char evented[] = DOCUMENT("{\"type\": \"evented\", \"unit\": \"milliseconds\", \"startValue\": 0,"
                                           " \"endValue\": 2, \"events\": ["
                                           "{\"type\": \"O\", \"frame\": 0, \"at\": 0},"
                                           "{\"type\": \"C\", \"frame\": 0, \"at\": 2}]}");
    (void)state;
    struct pr_profile *profile = reading("speedscope", sampled, strlen(sampled), PR_OK);
    assert_true(profile->slices_lack_clock);
    pr_profile_free(profile);
    profile = reading("speedscope", evented, strlen(evented), PR_OK);
    assert_int_equal(profile->slice_count, 1);
    assert_false(profile->slices_lack_clock);
    pr_profile_free(profile);
}

static void frames_that_do_not_exist_are_unknown(void **state)
{
    (void)state;
    assert_damaged_stacks(
        "speedscope",
        DOCUMENT("{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": [[99], [-1], [0, 98], [0.5]]}"), "weight",
        "1|(unknown) 3 x3\n1|main a.py:1;(unknown) 1 x1\n", PR_DAMAGE_FRAMES, 3);
}

static void odd_values_are_survived(void **state)
{
    (void)state;
    static const char text[] =
        DOCUMENT("{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": [[0], {\"a\": 1}, 3, [\"x\", [1]]],"
                 " \"weights\": [NaN, Infinity, 1e999, null], \"name\": null, \"unit\": \"none\"}, 7, null",
                 ", \"shared\": 5, \"profiles\": {}");
    struct pr_profile *profile = reading("speedscope", text, strlen(text), PR_CUT);
    char *stacks = reading_stacks(profile, "weight");
    assert_string_equal(stacks, "1|(unknown) 9223372036854775807 x2\n1|(unknown);(unknown) 0 x1\n1|main a.py:1 0 x1\n");
    assert_true(profile->damage.kind[PR_DAMAGE_FRAMES].count && profile->damage.kind[PR_DAMAGE_BOUNDED].count);
    free(stacks);
    pr_profile_free(profile);
    assert_stacks("speedscope", "{" SCHEMA ", \"profiles\": [], \"shared\": {\"frames\": []}}", "weight", "");
}

static void a_cut_document_keeps_what_came_before(void **state)
{
    static const char text[] = DOCUMENT(
        "{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": [[0], [0], [0, 1]], \"weights\": [1, 1, 1]}");
    (void)state;
    size_t length = (size_t)(strstr(text, ", \"weights\"") - text);
    struct pr_profile *profile = reading("speedscope", text, length, PR_CUT);
    assert_int_equal(profile->metrics[0].total_value, 3);
    pr_profile_free(profile);
    assert_survives_damage("speedscope", text, strlen(text));
    assert_null(reading("speedscope", text, 1, PR_FAILED)); /* nothing came before */
}

static void out_of_memory_is_an_error(void **state)
{
    static const char text[] =
        DOCUMENT("{\"type\": \"sampled\", \"unit\": \"none\", \"samples\": [[0], [0, 1]]}, {\"type\":"
                 " \"evented\", \"unit\": \"none\", \"name\": \"\\u0041\", \"events\":"
                 " [{\"type\": \"O\", \"frame\": 0, \"at\": 1}]}");
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
        /* a probe may do without what it wanted to unescape */
        if (status != PR_FAILED && err.code != PR_ERR_NONE && err.code != PR_ERR_PARTIAL)
            fail_msg("allocation %lu: %s", n, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_read),
        cmocka_unit_test(keys_come_in_any_order),
        cmocka_unit_test(old_and_bare_documents_are_read),
        cmocka_unit_test(weights_that_are_missing_are_not_made_up),
        cmocka_unit_test(of_lists_that_are_there_twice_the_last_one_counts),
        cmocka_unit_test(a_weight_that_no_time_can_be_is_damage),
        cmocka_unit_test(events_are_read),
        cmocka_unit_test(events_that_do_not_nest_are_mended),
        cmocka_unit_test(self_of_pyinstrument_is_its_callers),
        cmocka_unit_test(unlike_units_are_different_metrics),
        cmocka_unit_test(lines_are_of_definitions_or_of_what_ran),
        cmocka_unit_test(the_order_of_time_is_kept),
        cmocka_unit_test(samples_from_zero_on_have_an_order_but_no_clock),
        cmocka_unit_test(frames_that_do_not_exist_are_unknown),
        cmocka_unit_test(odd_values_are_survived),
        cmocka_unit_test(a_cut_document_keeps_what_came_before),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("speedscope", tests, NULL, NULL);
}
