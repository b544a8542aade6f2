/* SPDX-License-Identifier: Apache-2.0 */
/* callgrind: names by number, costs of calls apart from own ones, exact figures next to an estimated tree. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "# callgrind format\nversion: 1\ncreator: made here\ncmd: ./a 1\npositions: line\n"

static struct pr_exact row_of(const struct pr_profile *profile, unsigned metric, const char *function)
{
    for (size_t i = 0; i < profile->exact_count; i++) {
        const struct pr_frame *frame = &profile->frames[profile->exact_frame[i]];
        if (!strcmp(pr_profile_text(profile, frame->function).bytes, function))
            return profile->metrics[metric].exact[i];
    }
    fail_msg("there is no row of '%s'", function);
    return (struct pr_exact){0};
}

static void assert_row(const struct pr_profile *profile, const char *function, int64_t self, int64_t total,
                       int64_t calls)
{
    struct pr_exact row = row_of(profile, 0, function);
    assert_int_equal(row.self, self);
    assert_int_equal(row.total, total);
    assert_int_equal(row.self_count, calls);
}

static void costs_of_calls_are_not_ones_own(void **state)
{
    static const char text[] =
        HEAD "events: Ir\nfl=(1) a.c\nfn=(1) main\n16 400\ncfn=(2) work\ncalls=3 25\n16 9000\n+1 5\n\n"
             "fn=(2)\n25 8000\n* 100\n-3 900\ncfi=(2) b.c\ncfn=(2)\ncalls=1 1\n25 0\n\ntotals: 9405\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_string_equal(profile->meta.format, "callgrind");
    assert_string_equal(profile->metrics[0].name, "Ir");
    assert_true(profile->tree_estimated);
    assert_row(profile, "main", 405, 9405, 0);
    assert_row(profile, "work", 9000, 9000, 3);
    assert_int_equal(profile->metrics[0].total_value, 9405);
    pr_profile_free(profile);
}

/* Calls that took longer than all that was recorded: what belongs to no function shrinks nothing in the tree. */
static void the_tree_has_what_was_recorded(void **state)
{
    static const char text[] =
        HEAD "events: Ir\nfl=a.c\nfn=main\n1 500\ncfn=lock\ncalls=1 9\n1 90000\ncfn=work\ncalls=2 9\n1 9000\n\n"
             "fn=work\n9 1000\ncfn=deep\ncalls=1 9\n9 5000\n\nfn=deep\n9 4000\n\nfn=lock\n9 0\n";
    (void)state;
    assert_stacks("callgrind", text, "Ir",
                  "0|main a.c 500 x0\n0|main a.c;lock a.c 0 x1\n0|main a.c;work a.c 1000 x2\n"
                  "0|main a.c;work a.c;deep a.c 4000 x1\n");
}

/* What called two functions that call one another keeps its own figure, and nothing is counted twice. */
static void recursion_counts_nothing_twice(void **state)
{
    static const char text[] =
        HEAD "events: Ir\nfl=a.c\nfn=main\n1 500\ncfn=odd\ncalls=1 9\n1 3000\n\nfn=odd\n9 1000\ncfn=even\ncalls=5 9\n"
             "9 10000\n\nfn=even\n9 2000\ncfn=odd\ncalls=4 9\n9 9000\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    int64_t main_self = 0, all = 0;
    for (size_t i = 0; i < profile->fact_count; i++) {
        const pr_node_id leaf = profile->fact_leaf[i];
        main_self += leaf != PR_ROOT && profile->tree.parent[leaf] == PR_ROOT ? profile->metrics[0].value[i] : 0;
        all += profile->metrics[0].value[i];
    }
    assert_int_equal(all, 3500);
    assert_in_range(main_self, 490, 510);
    pr_profile_free(profile);
}

/* Valgrind ends each part with its totals, and Xdebug with a summary. Others need not. */
static void a_file_of_valgrind_or_xdebug_ends_with_totals(void **state)
{
    static const char *const cut[] = {"version: 1\ncreator: callgrind-3.27.1\nevents: Ir\nsummary: 7\nfn=f\n1 7\n",
                                      "desc: I1 cache: 32768 B\ncmd: true\nevents: Ir\nfl=a.c\nfn=f\n1 7\n",
                                      "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\nevents: Ir\nfn=f\n1 7\n"};
    static const char other[] = "version: 1\ncreator: phpspy\nevents: Ir\nfn=f\n1 7\n";
    (void)state;
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        struct pr_profile *profile = reading(NULL, cut[i], strlen(cut[i]), PR_CUT);
        assert_non_null(strstr(profile->problem.text, "before its totals"));
        pr_profile_free(profile);
    }
    pr_profile_free(reading(NULL, other, sizeof other - 1, PR_OK));
}

/* Its time is in 10 ns. */
static void events_of_xdebug_have_units(void **state)
{
    static const char text[] = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\ncmd: /srv/p.php\npart: 1\n"
                               "positions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n"
                               "fl=(1) php:internal\nfn=(1) php::str_repeat\n1 186 32\n\n"
                               "fl=(2) /srv/p.php\nfn=(3) {main}\n1 79 8\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n1 186 32\n\n"
                               "summary: 270 663960\n\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, sizeof text - 1, PR_OK);
    assert_int_equal(profile->metric_count, 2);
    assert_int_equal(profile->metrics[0].unit, PR_UNIT_NANOSECONDS);
    assert_int_equal(profile->metrics[1].unit, PR_UNIT_BYTES);
    assert_metric(profile, "time", "0|{main} /srv/p.php 790 x0\n"
                                   "0|{main} /srv/p.php;php::str_repeat php:internal 1860 x1\n");
    assert_metric(profile, "memory", "0|{main} /srv/p.php 8 x0\n"
                                     "0|{main} /srv/p.php;php::str_repeat php:internal 32 x1\n");
    pr_profile_free(profile);
}

static void pprofile_has_times_of_functions_with_their_first_lines(void **state)
{
    static const char form[] = "# callgrind format\nversion: 1\ncreator: pprofile\n"
                               "event: usphit :microseconds/hit\nevents: hits microseconds usphit\ncmd: m.py\n"
                               "fl=m.py\nfn=f:2\n3 4 %d %d\ncfl=m.py\ncfn=<genexpr>:5\ncalls=2 5\n3 2 %d %d\n"
                               "fn=<genexpr>:5\n5 2 %d %d\n";
    char text[512];
    (void)state;
    for (int us = 0; us < 10; us += 7) {
        const int length = snprintf(text, sizeof text, form, us * 4, us, us * 2, us, us * 2, us);
        struct pr_profile *profile = reading(NULL, text, (size_t)length, PR_OK);
        assert_int_equal(profile->metric_count, us ? 2 : 1);
        assert_string_equal(profile->metrics[0].name, us ? "time" : "hits");
        assert_metric(profile, "hits", "0|f m.py:2 4 x0\n0|f m.py:2;<genexpr> m.py:5 2 x2\n");
        if (us)
            assert_metric(profile, "time", "0|f m.py:2 28000 x0\n0|f m.py:2;<genexpr> m.py:5 14000 x2\n");
        pr_profile_free(profile);
    }
}

static void pprofile_keeps_the_last_metric(void **state)
{
    static const char form[] = "# callgrind format\nversion: 1\ncreator: pprofile\nevents: %s\nfl=a.py\nfn=f:12\n"
                               "12 %s\n";
    static const struct {
        const char *events, *costs, *metric, *stacks;
    } cases[] = {{"usphit", "5", "usphit", "0|f a.py:12 5\n"},
                 {"microseconds", "0", "time", ""},
                 {"microseconds usphit", "0 0", "time", ""},
                 {"hits usphit", "3 0", "hits", "0|f a.py:12 3\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        const int length = snprintf(text, sizeof text, form, cases[i].events, cases[i].costs);
        struct pr_profile *profile = reading(NULL, text, (size_t)length, PR_OK);
        assert_int_equal(profile->metric_count, 1);
        assert_metric(profile, cases[i].metric, cases[i].stacks);
        pr_profile_free(profile);
    }
}

static void totals_of_recursion_are_explained(void **state)
{
    static const char form[] = HEAD "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=%s\ncalls=1 9\n1 3\n\nfn=%s\n9 3\n"
                                    "cfn=other\ncalls=5 9\n9 10\n\nfn=other\n9 0\ncfn=%s\ncalls=4 9\n9 9\n";
    static const struct {
        const char *name;
        uint32_t notes;
    } cases[] = {{"walk'2", 1}, {"walk", 0}, {"it's", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i].name;
        char text[400];
        snprintf(text, sizeof text, form, name, name, name);
        struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
        assert_int_equal(profile->note_count, cases[i].notes);
        pr_profile_free(profile);
    }
}

static void what_is_inlined_is_distinguished(void **state)
{
    static const char text[] = HEAD "events: Ir\nfl=a.c\nfn=main\n16 400\nfi=b.h\n3 50\nfe=a.c\n17 1\n";
    (void)state;
    assert_stacks("callgrind", text, "Ir", "0|main a.c 401\n0|main a.c;main b.h 50\n");
}

static void events_are_metrics(void **state)
{
    static const char text[] = HEAD "events: Ir Dr Ticks\nfl=a.c\nfn=main\n16 400 7\n17 1 1 1\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_int_equal(profile->metric_count, 3);
    assert_int_equal(profile->metrics[0].total_value, 401);
    assert_int_equal(profile->metrics[1].total_value, 8);
    assert_int_equal(profile->metrics[2].total_value, 1);
    assert_int_equal(profile->metrics[2].unit, PR_UNIT_NONE);
    pr_profile_free(profile);
}

/* --collect-jumps: the number of a file may be given where a jump goes, and used for a cost later. */
static void jumps_number_files(void **state)
{
    static const char text[] = HEAD "events: Ir\nfl=(1) a.c\nfn=(1) main\n16 400\njfi=(2) b.h\njump=3 20\n* \n"
                                    "jcnd=1/2 +3\n* \n+1 5\nfi=(2)\n7 1\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_metric(profile, "Ir", "0|main a.c 405\n0|main a.c;main b.h 1\n");
    pr_profile_free(profile);
}

static void times_of_system_calls_have_their_unit(void **state)
{
    static const struct {
        const char *unit;
        int64_t ns;
    } cases[] = {{"ns", 7}, {"us", 7000}, {"ms", 7000000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 HEAD "event: sysTime : sysTime (elapsed %s)\nevents: Ir sysCount sysTime\nfl=a.c\nfn=main\n16 4 1 7\n",
                 cases[i].unit);
        struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
        assert_int_equal(profile->metrics[1].unit, PR_UNIT_COUNT);
        assert_int_equal(profile->metrics[2].unit, PR_UNIT_NANOSECONDS);
        assert_int_equal(profile->metrics[2].total_value, cases[i].ns);
        pr_profile_free(profile);
    }
}

/* Cachegrind counts no calls, which is not the same as none. */
static void without_calls_nothing_is_counted(void **state)
{
    static const char cachegrind[] = "desc: I1 cache: 32768 B, 64 B, 8-way associative\ncmd: ./a\nevents: Ir\n"
                                     "fl=a.c\nfn=main\n16 400\nsummary: 400\n",
                      callgrind[] = HEAD "events: Ir\nfl=a.c\nfn=main\n16 400\ncfn=f\ncalls=3 9\n16 60\n"
                                         "fn=f\n9 60\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, cachegrind, strlen(cachegrind), PR_OK);
    assert_int_equal(profile->metrics[0].total_value, 400);
    assert_null(profile->metrics[0].count_name);
    pr_profile_free(profile);
    profile = reading(NULL, callgrind, strlen(callgrind), PR_OK);
    assert_string_equal(profile->metrics[0].count_name, "calls");
    assert_int_equal(profile->metrics[0].total_count, 3);
    pr_profile_free(profile);
}

/* yappi defines names first, has places in them, and no end in its last line. */
static void yappi_is_read(void **state)
{
    static const char text[] =
        "version: 1\ncreator: yappi\npid: 3\ncmd:  -\npart: 1\n\nevents: Ticks\n\nfl=(1) /a.py\n"
        "fl=(2) /b.py\n\nfn=(1) f /a.py:7\nfn=(2) g /b.py:9\n\nfl=(1)\nfn=(1)\n7 4\ncfl=(2)\ncfn=(2)\n"
        "calls=2 0\n7 6\n\nfl=(2)\nfn=(2)\n9 6";
    (void)state;
    assert_stacks("callgrind", text, "Ticks", "0|f /a.py:7 4 x0\n0|f /a.py:7;g /b.py:9 6 x2\n");
}

static void what_precedes_damage_is_kept(void **state)
{
    static const char text[] = HEAD "events: Ir\nfl=(1) a.c\nfn=(1) main\n16 400\nsome nonsense\n17 1\n18 12";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_CUT);
    assert_int_equal(profile->metrics[0].total_value, 401);
    assert_damage(profile, PR_DAMAGE_LINES, 1);
    pr_profile_free(profile);
    assert_null(reading("callgrind", "events: Ir\n", 11, PR_FAILED));
    assert_survives_damage("callgrind", text, strlen(text));
    assert_survives_damage(NULL, text, strlen(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pprofile_has_times_of_functions_with_their_first_lines),
        cmocka_unit_test(pprofile_keeps_the_last_metric),
        cmocka_unit_test(costs_of_calls_are_not_ones_own), cmocka_unit_test(the_tree_has_what_was_recorded),
        cmocka_unit_test(a_file_of_valgrind_or_xdebug_ends_with_totals),
        cmocka_unit_test(events_of_xdebug_have_units),
        cmocka_unit_test(recursion_counts_nothing_twice),  cmocka_unit_test(totals_of_recursion_are_explained),
        cmocka_unit_test(what_is_inlined_is_distinguished),
        cmocka_unit_test(without_calls_nothing_is_counted),
        cmocka_unit_test(events_are_metrics),
        cmocka_unit_test(jumps_number_files),
        cmocka_unit_test(times_of_system_calls_have_their_unit),              cmocka_unit_test(yappi_is_read),
        cmocka_unit_test(what_precedes_damage_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
