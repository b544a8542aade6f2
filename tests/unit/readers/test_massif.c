/* SPDX-License-Identifier: Apache-2.0 */
/* massif: trees upside down, the peak before any other. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD(unit) "desc: --massif-out-file=m\ncmd: ./a 1\ntime_unit: " unit "\n"
#define SNAPSHOT(n, time, heap, tree)                                                                                  \
    "#-----------\nsnapshot=" #n "\n#-----------\ntime=" #time "\nmem_heap_B=" #heap                                   \
    "\nmem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=" tree "\n"
#define TREE                                                                                                           \
    "n2: 100 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"                                        \
    " n1: 60 0x109245: put (h.c:9)\n"                                                                                  \
    "  n0: 50 0x1093C4: main (h.c:13)\n"                                                                               \
    " n0: 30 0x48F39A9: ??? (in /lib/my lib.so)\n"                                                                     \
    " n0: 10 in 3 places, all below massif's threshold (1.00%)\n"

static void callers_are_outside(void **state)
{
    (void)state;
    assert_stacks("massif", HEAD("i") SNAPSHOT(0, 0, 0, "empty") SNAPSHOT(1, 5, 100, "peak") TREE, "peak",
                  "0|0x48F39A9 /lib/my lib.so 30\n"
                  "0|in 3 places, all below massif's threshold (1.00%) 10\n"
                  "0|main h.c:13;put h.c:9 50\n"
                  "0|put h.c:9 10\n");
}

static void the_peak_is_final(void **state)
{
    static const char other[] = "n1: 7 (heap allocation functions) malloc\n n0: 7 0x1: f (h.c:1)\n";
    char text[2000] = HEAD("i") SNAPSHOT(0, 0, 7, "detailed");
    (void)state;
    strcat(strcat(text, other), SNAPSHOT(1, 5, 100, "peak") TREE SNAPSHOT(2, 9, 7, "detailed"));
    strcat(text, other);
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_string_equal(profile->metrics[0].name, "peak");
    assert_int_equal(profile->metrics[0].total_value, 100);
    assert_string_equal(profile->notes[0], "no timeline: its snapshots have no clock; massif records one with "
                                           "--time-unit=ms");
    assert_string_equal(profile->notes[1], "at that moment, malloc itself used another 8 B");
    pr_profile_free(profile);
}

static void without_a_peak_the_last_tree_counts(void **state)
{
    (void)state;
    assert_stacks("massif", HEAD("i") SNAPSHOT(0, 0, 100, "detailed") TREE SNAPSHOT(1, 5, 7, "detailed")
                  "n1: 7 (heap allocation functions) malloc\n n0: 7 0x1: f (h.c:1)\n", "heap", "0|f h.c:1 7\n");
}

static void which_snapshot_has_the_tree_is_noted(void **state)
{
    static const char text[] = HEAD("ms") SNAPSHOT(0, 0, 0, "empty") SNAPSHOT(1, 5, 100, "detailed")
        TREE SNAPSHOT(2, 9, 2048, "empty") SNAPSHOT(3, 10, 300, "empty");
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_string_equal(profile->notes[0],
                        "the file has no tree of the peak; this is snapshot 2 of 4, and the largest has 2.00 KiB");
    pr_profile_free(profile);
}

/* Cut between two lines: no line is cut, but the snapshot is; the tree before is still the last one. */
static void a_snapshot_without_its_end_is_cut(void **state)
{
    static const char whole[] = HEAD("i") SNAPSHOT(0, 0, 100, "detailed") TREE;
    static const char *const ends[] = {"#-----------\n",
                                       "#-----------\nsnapshot=1\n#-----------\ntime=9\nmem_heap_B=7\n",
                                       SNAPSHOT(1, 9, 7, "detailed"), SNAPSHOT(1, 9, 7, "peak")};
    (void)state;
    pr_profile_free(reading(NULL, whole, strlen(whole), PR_OK));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s", whole, ends[i]);
        struct pr_profile *profile = reading(NULL, text, strlen(text), PR_CUT);
        assert_string_equal(profile->metrics[0].name, "heap");
        assert_int_equal(profile->metrics[0].total_value, 100);
        pr_profile_free(profile);
    }
}

/* A program that frees nothing has no peak before its end; a file cut after a snapshot looks the same. */
static void without_a_tree_the_largest_snapshot_counts(void **state)
{
    static const char text[] =
        HEAD("ms") SNAPSHOT(0, 0, 0, "empty") SNAPSHOT(1, 5, 100, "empty") SNAPSHOT(2, 9, 70, "empty");
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_string_equal(profile->metrics[0].name, "heap");
    assert_int_equal(profile->metrics[0].total_value, 100);
    assert_non_null(strstr(profile->notes[0], "no snapshot has a tree of who allocated: this is the largest of 3 "));
    assert_string_equal(profile->notes[1], "at that moment, malloc itself used another 8 B");
    pr_profile_free(profile);
}

static void milliseconds_make_a_history(void **state)
{
    static const char text[] = HEAD("ms") SNAPSHOT(0, 0, 0, "empty") SNAPSHOT(1, 5, 100, "peak") TREE;
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    int heap = pr_profile_series(profile, "heap");
    assert_true(heap >= 0);
    assert_int_equal(profile->series[heap].count, 2);
    assert_int_equal(profile->series[heap].at_ms[1], 5);
    assert_int_equal(profile->series[heap].value[1], 100);
    pr_profile_free(profile);
}

static void damage_does_no_harm(void **state)
{
    static const char text[] = HEAD("ms") SNAPSHOT(0, 0, 0, "empty") SNAPSHOT(1, 5, 100, "peak") TREE;
    (void)state;
    assert_survives_damage("massif", text, strlen(text));
    assert_null(reading("massif", "desc: x\n", 8, PR_FAILED));
    struct pr_profile *profile = reading(NULL, text, strlen(text) - 30, PR_CUT);
    assert_int_equal(profile->metrics[0].total_value, 100); /* what a line below would have, its caller has */
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_are_outside),         cmocka_unit_test(the_peak_is_final),
        cmocka_unit_test(without_a_peak_the_last_tree_counts),
        cmocka_unit_test(which_snapshot_has_the_tree_is_noted),
        cmocka_unit_test(a_snapshot_without_its_end_is_cut),
        cmocka_unit_test(without_a_tree_the_largest_snapshot_counts),
        cmocka_unit_test(milliseconds_make_a_history),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
