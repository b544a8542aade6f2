/* SPDX-License-Identifier: Apache-2.0 */
/* Austin, as text and as MOJO: the same samples in both forms. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "# austin: 3.7.0\n# interval: 100\n"

static void lines_are_samples(void **state)
{
    (void)state;
    assert_stacks("austin", HEAD "# mode: wall\n\nP1;T0:2;/a:b.py:f:3;x.py:g:4 1000\nP1;T0:2 7\n# duration: 9\n",
                  "wall", "2| 7000 x1\n2|f /a:b.py:3;g x.py:4 1000000 x1\n");
    assert_stacks("austin", HEAD "# mode: cpu\n\nP1;T7f;a.py:f:3;:GC: 5\n", "cpu", "127|f a.py:3;:GC: 5000 x1\n");
    assert_stacks("austin", HEAD "# mode: memory\n\nP1;T2;a.py:f:3 -5\n", "memory", "2|f a.py:3 -5 x1\n");
    /* Versions before 3 have no header. */
    assert_stacks("austin", "P1;T2;a.py:f:3 5\nP1;T2;a.py:f:3 6\n", "wall", "2|f a.py:3 11000 x2\n");
}

static void full_mode_has_four_metrics(void **state)
{
    static const char text[] = HEAD "# mode: full\n\nP1;T0:2;a.py:f:3 10,0,4096\nP1;T0:2;a.py:f:3 20,1,-96\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_metric(profile, "wall", "2|f a.py:3 30000 x2\n");
    assert_metric(profile, "cpu", "2|f a.py:3 10000 x1\n");
    assert_metric(profile, "idle", "2|f a.py:3 20000 x1\n");
    assert_metric(profile, "memory", "2|f a.py:3 4000 x2\n");
    pr_profile_free(profile);
}

static void what_precedes_damage_is_kept(void **state)
{
    static const char text[] = HEAD "\nP1;T2;a.py:f:3 5\nP1;T2;a.py:f:3 6\nP1;T2;a.py:g:4 1";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_CUT);
    assert_metric(profile, "wall", "2|f a.py:3 11000 x2\n");
    pr_profile_free(profile);
    assert_null(reading("austin", "one two\n", 8, PR_FAILED));
    assert_survives_damage("austin", text, strlen(text));
    assert_survives_damage(NULL, text, strlen(text));
}

/* Version 3, wall: a sample of two frames, one of the same frames and a mark, one of another process. */
static const char mojo[] = "MOJ\3"
                           "\1mode\0wall\0"
                           "\2\1\0" "2a\0"
                           "\13\5a.py\0"
                           "\13\6f\0"
                           "\3\7\5\6\11\11\0\0"
                           "\13\10g\0"
                           "\3\11\5\10\12\12\0\0"
                           "\5\7\5\11\11\244\1"
                           "\2\1\0" "2a\0"
                           "\5\7\5\11\7\11\1"
                           "\2\2\0" "3\0"
                           "\5\7\11\2";

static void mojo_has_the_same_samples(void **state)
{
    (void)state;
    struct pr_profile *profile = reading(NULL, mojo, sizeof mojo - 1, PR_CUT);
    assert_damage(profile, PR_DAMAGE_FRAMES, 1);
    assert_string_equal(profile->meta.format, "mojo");
    /* Keys are those of a process: the second one has not defined its frame. */
    assert_metric(profile, "wall",
                  "3|:INVALID: 2000 x1\n"
                  "42|f a.py:9;g a.py:10 100000 x1\n"
                  "42|f a.py:9;g a.py:10;:GC: 1000 x1\n");
    pr_profile_free(profile);
}

static void cut_mojo_keeps_whole_samples(void **state)
{
    (void)state;
    struct pr_profile *profile = reading(NULL, mojo, sizeof mojo - 3, PR_CUT); /* without a time it is no sample */
    assert_int_equal(profile->damage.kind[PR_DAMAGE_RECORDS].count, 1);
    assert_metric(profile, "wall", "42|f a.py:9;g a.py:10 100000 x1\n42|f a.py:9;g a.py:10;:GC: 1000 x1\n");
    pr_profile_free(profile);
    profile = reading(NULL, mojo, sizeof mojo - 4, PR_CUT);
    assert_int_equal(profile->fact_count, 2);
    pr_profile_free(profile);
    assert_survives_damage("mojo", mojo, sizeof mojo - 1);
}

static void a_newer_mojo_is_named(void **state)
{
    (void)state;
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_load_memory("new", "MOJ\5\1a\0b\0", 9, NULL, &profile, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_UNSUPPORTED);
    assert_string_equal(err.text, "version 5; this build reads 1 to 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_samples),         cmocka_unit_test(full_mode_has_four_metrics),
        cmocka_unit_test(what_precedes_damage_is_kept), cmocka_unit_test(mojo_has_the_same_samples),
        cmocka_unit_test(cut_mojo_keeps_whole_samples), cmocka_unit_test(a_newer_mojo_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
