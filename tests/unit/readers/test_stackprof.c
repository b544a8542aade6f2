/* SPDX-License-Identifier: Apache-2.0 */
/* stackprof: stacks and their times, lines that ran, and what is left where only totals were recorded. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include <string.h>

#define DOCUMENT(mode, samples, frames, rest)                                                                          \
    "{\"version\":1.2,\"mode\":\"" mode "\",\"interval\":1000,\"samples\":" samples                                    \
    ",\"gc_samples\":0,\"missed_samples\":0,\"metadata\":{\"host\":{\"a\":[1,{}]}},\"frames\":{" frames "}" rest "}"

#define FRAMES                                                                                                         \
    "\"11\":{\"name\":\"<main>\",\"file\":\"/a.rb\",\"total_samples\":4,\"samples\":0,\"edges\":{\"22\":4}},"         \
    "\"22\":{\"name\":\"A#b\",\"file\":\"/a.rb\",\"line\":3,\"total_samples\":4,\"samples\":3,\"edges\":{\"33\":1}},"  \
    "\"33\":{\"name\":\"Array#sort\",\"file\":\"<cfunc>\",\"line\":null,\"total_samples\":1,\"samples\":1}"

#define RAW ",\"raw\":[2,11,22,3,3,11,22,33,1]"

static void stacks_have_samples_and_the_time_before_each(void **state)
{
    static const char text[] = DOCUMENT("wall", "4", FRAMES, RAW ",\"raw_timestamp_deltas\":[1000,1100,900,5000]");
    (void)state;
    assert_stacks("stackprof", text, "samples",
                  "0|<main> /a.rb;A#b /a.rb:3 3\n0|<main> /a.rb;A#b /a.rb:3;Array#sort 1\n");
    assert_stacks("stackprof", text, "time",
                  "0|<main> /a.rb;A#b /a.rb:3 3000000 x3\n0|<main> /a.rb;A#b /a.rb:3;Array#sort 5000000 x1\n");
    struct pr_profile *profile = reading(NULL, text, sizeof text - 1, PR_OK);
    assert_int_equal(profile->slice_count, 2); /* equal ones in turn are one */
    assert_int_equal(profile->slices[1].start_ns, 3000000);
    pr_profile_free(profile);
}

static void lines_that_ran_are_those_of_frames(void **state)
{
    static const char text[] = DOCUMENT("wall", "4", FRAMES, RAW ",\"raw_lines\":[2,9,5,3,3,9,4,0,1]");
    (void)state;
    assert_stacks("stackprof", text, "samples",
                  "0|<main> /a.rb:9;A#b /a.rb:4;Array#sort 1\n0|<main> /a.rb:9;A#b /a.rb:5 3\n");
}

static void samples_without_a_stack_are_counted(void **state)
{
    static const char text[] = DOCUMENT("custom", "6", FRAMES, RAW);
    (void)state;
    assert_stacks("stackprof", text, "samples",
                  "0| 2\n0|<main> /a.rb;A#b /a.rb:3 3\n0|<main> /a.rb;A#b /a.rb:3;Array#sort 1\n");
}

static void objects_have_no_time(void **state)
{
    static const char text[] = DOCUMENT("object", "4", FRAMES, RAW ",\"raw_timestamp_deltas\":[1,2,3,4]");
    (void)state;
    struct pr_profile *profile = reading(NULL, text, sizeof text - 1, PR_OK);
    assert_int_equal(profile->metric_count, 1);
    assert_string_equal(profile->metrics[0].title, "Recorded objects");
    pr_profile_free(profile);
}

static void totals_alone_are_a_graph(void **state)
{
    static const char text[] = DOCUMENT("cpu", "4", FRAMES, "");
    (void)state;
    struct pr_profile *profile = reading(NULL, text, sizeof text - 1, PR_OK);
    assert_metric(profile, "samples", "0|<main> /a.rb;A#b /a.rb:3 3\n0|<main> /a.rb;A#b /a.rb:3;Array#sort 1\n");
    assert_true(profile->tree_estimated);
    assert_int_equal(profile->slice_count, 0);
    pr_profile_free(profile);
}

/* Now and then a sample has no frame: it is one of all samples that stackprof reports. */
static void totals_have_the_samples_without_a_frame(void **state)
{
    static const char text[] = DOCUMENT("cpu", "6", FRAMES, "");
    (void)state;
    assert_stacks("stackprof", text, "samples",
                  "0| 2\n0|<main> /a.rb;A#b /a.rb:3 3\n0|<main> /a.rb;A#b /a.rb:3;Array#sort 1\n");
}

/* stackprof adds up files by the sums of what frames are. */
static void frames_may_have_texts_for_numbers(void **state)
{
    static const char text[] =
        DOCUMENT("cpu", "3", "\"a1f\":{\"name\":\"f\",\"file\":\"/a.rb\",\"line\":1,\"total_samples\":3,\"samples\":1,"
                             "\"edges\":{\"b2e\":2}},\"b2e\":{\"name\":\"g\",\"file\":\"/a.rb\",\"line\":2,"
                             "\"total_samples\":2,\"samples\":2}", "");
    (void)state;
    assert_stacks("stackprof", text, "samples", "0|f /a.rb:1 1\n0|f /a.rb:1;g /a.rb:2 2\n");
}

static void damage_is_counted(void **state)
{
    static const char few_times[] = DOCUMENT("wall", "4", FRAMES, RAW ",\"raw_timestamp_deltas\":[1000]");
    static const char too_long[] = DOCUMENT("wall", "4", FRAMES, ",\"raw\":[2,11,22,4,999,11]");
    static const char no_count[] = DOCUMENT("wall", "4", FRAMES, ",\"raw\":[2,11,22,4,1,11,0]");
    static const char unknown[] = DOCUMENT("wall", "4", FRAMES, ",\"raw\":[2,11,44,4]");
    (void)state;
    assert_damaged_stacks("stackprof", few_times, "time", "0|<main> /a.rb;A#b /a.rb:3 1000000 x1\n", PR_DAMAGE_RECORDS,
                          1);
    assert_damaged_stacks("stackprof", too_long, "samples", "0|<main> /a.rb;A#b /a.rb:3 4\n", PR_DAMAGE_RECORDS, 1);
    assert_damaged_stacks("stackprof", no_count, "samples", "0|<main> /a.rb;A#b /a.rb:3 4\n", PR_DAMAGE_RECORDS, 1);
    assert_stacks("stackprof", unknown, "samples", "0|<main> /a.rb;(unknown) 4\n");
}

static void what_is_cut_or_changed_is_read_as_far_as_it_goes(void **state)
{
    static const char text[] = DOCUMENT("wall", "4", FRAMES, RAW ",\"raw_timestamp_deltas\":[1000,1100,900,5000]");
    (void)state;
    assert_survives_damage("stackprof", text, sizeof text - 1);
    assert_needs_memory(text, sizeof text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_have_samples_and_the_time_before_each),
        cmocka_unit_test(lines_that_ran_are_those_of_frames),
        cmocka_unit_test(samples_without_a_stack_are_counted),
        cmocka_unit_test(objects_have_no_time),
        cmocka_unit_test(totals_alone_are_a_graph),
        cmocka_unit_test(totals_have_the_samples_without_a_frame),
        cmocka_unit_test(frames_may_have_texts_for_numbers),
        cmocka_unit_test(damage_is_counted),
        cmocka_unit_test(what_is_cut_or_changed_is_read_as_far_as_it_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
