/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack: what was in use at the first of the highest moments, leaks and temporaries, from single events. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                                           \
    "v 10400 3\nX ./a 1\nI 1000 5e298f\n"                                                                              \
    "s 6 /bin/a\ns 4 main\ns 3 a.c\ns 5 inner\ns 12 _ZN1x4CodeEv and more\n"                                           \
    "i 100 1 2 3 a\ni 200 1 4 3 b 2 3 c\ni 300 1\n"                                                                    \
    "t 1 0\nt 2 1\nt 3 1\n"                                                                                            \
    "a 10 2\na 40 3\n"

static void events_are_added_up(void **state)
{
    /* 16, 32, 96 (peak), 80, 16 + a temporary one, 96 again */
    static const char text[] = HEAD "+ 0\n+ 0\n+ 1\nc 5\nR 2\n- 0\n- 1\n+ 0\n- 0\n+ 1\n+ 0\nc 9\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_string_equal(profile->meta.format, "heaptrack");
    static const char both[] = "0|main a.c:10;0x300 /bin/a 64 x1\n0|main a.c:10;main a.c:12;inner a.c:11 32 x2\n";
    assert_metric(profile, "peak", both);
    assert_metric(profile, "leaked", both);
    assert_metric(profile, "allocations", "0|main a.c:10;0x300 /bin/a 2\n0|main a.c:10;main a.c:12;inner a.c:11 4\n");
    assert_metric(profile, "temporary", "0|main a.c:10;main a.c:12;inner a.c:11 1\n");
    assert_metric(profile, "allocated",
                  "0|main a.c:10;0x300 /bin/a 128 x2\n0|main a.c:10;main a.c:12;inner a.c:11 64 x4\n");
    int rss = pr_profile_series(profile, "rss"), heap = pr_profile_series(profile, "heap");
    assert_int_equal(profile->series[rss].value[0], 0x2000);
    assert_int_equal(profile->series[heap].value[0], 96);
    pr_profile_free(profile);
}

/* Between two time stamps, and after the last one: no line over time is below the peak. */
static void a_time_has_the_most_since_the_one_before(void **state)
{
    static const char text[] = HEAD "c 0\n+ 0\n+ 0\n- 0\nc 5\n- 0\nc 7\nc 9\n+ 0\n+ 1\n- 1\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    static const int64_t highest[] = {0, 32, 16, 80};
    const struct pr_series *heap = &profile->series[pr_profile_series(profile, "heap")];
    assert_int_equal(heap->count, 4);
    assert_memory_equal(heap->value, highest, sizeof highest);
    assert_int_equal(profile->metrics[0].total_value, 80);
    pr_profile_free(profile);
}

/* heaptrack counts the free of kind 0 too: what it allocates first is freed after other frees, at the end of a run. */
static void temporaries_are_those_that_heaptrack_counts(void **state)
{
    static const char text[] = HEAD "+ 0\n+ 1\n- 1\n- 0\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_metric(profile, "temporary",
                  "0|main a.c:10;0x300 /bin/a 1\n0|main a.c:10;main a.c:12;inner a.c:11 1\n");
    pr_profile_free(profile);
}

/* By the last time that was written before them; what only frees do has none. */
static void allocations_have_their_time(void **state)
{
    static const char text[] = HEAD "+ 0\nc 5\n+ 1\n- 0\nc 2710\n+ 0\nc ffffffffffffffff\n+ 0\n";
    static const int64_t at_ms[] = {0, 5, 10000, INT64_MAX / 1000000}, bytes[] = {16, 64, 16, 16};
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_string_equal(profile->metrics[pr_profile_moment_metric(profile)].name, "allocated");
    assert_int_equal(profile->moment_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(profile->moments[i].at_ns, at_ms[i] * 1000000);
        assert_int_equal(profile->moments[i].bytes, bytes[i]);
    }
    pr_profile_free(profile);
}

static void the_first_highest_moment_is_the_peak(void **state)
{
    static const char text[] = HEAD "+ 1\n- 1\n+ 0\n+ 0\n+ 0\n+ 0\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_metric(profile, "peak", "0|main a.c:10;0x300 /bin/a 64 x1\n");
    pr_profile_free(profile);
}

/* A library's operator new calls malloc; who calls it allocated, as in heaptrack's own views. */
static void what_asks_for_memory_allocated_it(void **state)
{
    static const char text[] = "v 10400 3\nX ./a 1\nI 1000 5e298f\n"
                               "s 6 /bin/a\ns 4 main\ns 3 a.c\ns 5 _Znwm\ns 6 malloc\n"
                               "i 100 1 2 3 a\ni 200 1 4\ni 300 1 5\n"
                               "t 1 0\nt 2 1\nt 3 2\nt 3 1\nt 3 0\n"
                               "a 10 2\na 20 3\na 40 4\na 80 5\na 1 1\n+ 0\n+ 1\n+ 2\n+ 3\n+ 4\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_metric(profile, "leaked", "0|main a.c:10 113 x4\n0|malloc /bin/a 128 x1\n");
    pr_profile_free(profile);
}

static void raw_files_are_named(void **state)
{
    static const char text[] = "v 10400 3\nx /bin/a\nX ./a\nm 1 -\nt 100 0\n+ 10 1 55\n";
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    (void)state;
    assert_int_equal(pr_load_memory("raw", text, strlen(text), NULL, &profile, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_UNSUPPORTED);
    memset(&err, 0, sizeof err);
    assert_int_equal(pr_load_memory("new", "v 10400 9\nX a\n", 14, NULL, &profile, &err), PR_FAILED);
    assert_string_equal(err.text, "version 9; this build reads 1 to 3");
}

static void damage_does_no_harm(void **state)
{
    static const char text[] = HEAD "+ 0\n+ 1\nc 5\nR 2\n- 0\n+ 12345678";
    (void)state;
    assert_survives_damage("heaptrack", text, strlen(text));
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_CUT);
    assert_metric(profile, "leaked", "0|main a.c:10;0x300 /bin/a 64 x1\n");
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_added_up),
        cmocka_unit_test(a_time_has_the_most_since_the_one_before),
        cmocka_unit_test(temporaries_are_those_that_heaptrack_counts),
        cmocka_unit_test(allocations_have_their_time),
        cmocka_unit_test(the_first_highest_moment_is_the_peak),
        cmocka_unit_test(what_asks_for_memory_allocated_it),
        cmocka_unit_test(raw_files_are_named),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
