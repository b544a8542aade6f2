/* SPDX-License-Identifier: Apache-2.0 */
/* Formats whose stacks are addresses: heap profiles of tcmalloc and jemalloc, CPU profiles of gperftools. */
#include "tests/support/unit.h"

#include "tests/support/reading.h"

#include "capture/base/buf.h"

#include <stdlib.h>
#include <string.h>

#define MAPS                                                                                                           \
    "MAPPED_LIBRARIES:\n"                                                                                              \
    "5000-6000 r-xp 00001000 00:00 1    /app/my prog\n"                                                                \
    "6000-7000 rw-p 00000000 00:00 0 \n"                                                                               \
    "7000-8000 r-xp 00000000 00:00 2    [vdso]\n"

static void assert_metric(const struct pr_profile *profile, const char *metric, const char *expected)
{
    char *stacks = reading_stacks(profile, metric);
    assert_string_equal(stacks, expected);
    free(stacks);
}

static const char tcmalloc[] = "heap profile:   3:   30 [  5:  50] @ heapprofile\n"
                               "  1:   10 [  3:  30] @ 0x5010 0x5020\n"
                               "  2:   20 [  2:  20] @ 0x7004 0x9000\n\n" MAPS;

static void tcmalloc_has_four_metrics(void **state)
{
    (void)state;
    struct pr_profile *profile = reading(NULL, tcmalloc, strlen(tcmalloc), PR_OK);
    assert_int_equal(profile->metric_count, 4);
    assert_string_equal(profile->metrics[0].name, "inuse_space");
    assert_metric(profile, "inuse_space",
                  "0|0x9000;[vdso]+0x4 [vdso] 20 x2\n"
                  "0|my prog+0x1020 /app/my prog;my prog+0x1010 /app/my prog 10 x1\n");
    assert_metric(profile, "alloc_objects",
                  "0|0x9000;[vdso]+0x4 [vdso] 2\n0|my prog+0x1020 /app/my prog;my prog+0x1010 /app/my prog 3\n");
    pr_profile_free(profile);
}

/* 100 objects of 100 bytes, of which one in 100 bytes was sampled: 158.2 = 100 / (1 - 1/e). */
static void samples_are_scaled(void **state)
{
    (void)state;
    assert_stacks("heap-text", "heap profile: 100: 10000 [ 0: 0] @ heap_v2/100\n100: 10000 [ 0: 0] @ 0x1\n",
                  "inuse_space", "0|0x1 15820 x158\n");
    assert_stacks("heap-text", "heap profile: 100: 10000 [ 0: 0] @ heap/200\n100: 10000 [ 0: 0] @ 0x1\n", "inuse_space",
                  "0|0x1 15820 x158\n");
}

static const char jemalloc[] =
    "heap_v2/100\n  t*: 9: 900 [0: 0]\n  t0: 9: 900 [0: 0]\n@ 0x1 0x2\n  t*: 100: 10000 [0: 0]\n"
    "  t0: 60: 6000 [0: 0]\n  t1: 40: 4000 [0: 0]\n@ 0x3\n  t*: 0: 0 [0: 0]\n\n" MAPS;

static void jemalloc_sums_its_threads_itself(void **state)
{
    (void)state;
    struct pr_profile *profile = reading(NULL, jemalloc, strlen(jemalloc), PR_OK);
    assert_int_equal(profile->metric_count, 2); /* what was freed was not kept */
    assert_metric(profile, "inuse_space", "0|0x2;0x1 15820 x158\n");
    pr_profile_free(profile);
}

/* Every stack of jemalloc begins in its library, which would be all that a table shows. */
static void stacks_begin_at_the_caller_of_the_allocator(void **state)
{
    (void)state;
    assert_stacks("heap-text",
                  "heap_v2/1\n  t*: 2: 20 [0: 0]\n@ 0x5010 0x5020 0x9010\n  t*: 1: 10 [0: 0]\n@ 0x5010\n"
                  "  t*: 1: 10 [0: 0]\n\nMAPPED_LIBRARIES:\n5000-6000 r-xp 00001000 00:00 12  /lib/libjemalloc.so.2\n"
                  "9000-a000 r-xp 00000000 00:00 13  /app/h\n",
                  "inuse_space",
                  "0|h+0x10 /app/h 10 x1\n0|libjemalloc.so.2+0x1010 /lib/libjemalloc.so.2 10 x1\n");
}

static void put_words(struct pr_buf *buf, size_t size, bool big_endian, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t byte = 0; byte < size; byte++)
            pr_buf_byte(buf, (unsigned)(words[i] >> 8 * (big_endian ? size - 1 - byte : byte)) & 0xff);
}

static void gperftools_has_words_of_any_machine(void **state)
{
    static const uint64_t words[] = {0, 3, 0, 2000, 0, 2, 2, 0x5010, 0x5020, 1, 1, 0x5010, 0, 1, 0};
    (void)state;
    for (unsigned form = 0; form < 4; form++) {
        struct pr_buf buf = {0};
        put_words(&buf, form & 1 ? 4 : 8, form & 2, words, sizeof words / sizeof *words);
        size_t end = buf.length;
        pr_buf_text(&buf, "build=/app/my prog\n" MAPS);
        struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_OK);
        assert_string_equal(profile->meta.format, "gperftools");
        assert_metric(profile, "cpu",
                      "0|my prog+0x1010 /app/my prog 2000000 x1\n"
                      "0|my prog+0x1020 /app/my prog;my prog+0x1010 /app/my prog 4000000 x2\n");
        pr_profile_free(profile);
        profile = reading(NULL, buf.bytes, end - 1, PR_CUT);
        assert_metric(profile, "samples", "0|0x5010 1\n0|0x5020;0x5010 2\n");
        pr_profile_free(profile);
        if (form == 0)
            assert_survives_damage("gperftools", buf.bytes, buf.length);
        pr_buf_clear(&buf);
    }
}

static void damage_does_no_harm(void **state)
{
    (void)state;
    assert_survives_damage("heap-text", tcmalloc, strlen(tcmalloc));
    assert_survives_damage("heap-text", jemalloc, strlen(jemalloc));
    assert_null(reading("heap-text", "no heap\n", 8, PR_FAILED));
    assert_null(reading("gperftools", "no words of gperftools, but 40 bytes long", 40, PR_FAILED));
    static const char cut[] = "heap profile: 1: 1 [ 1: 1] @ heapprofile\n  1:   10 [  3:  30] @ 0x5010\n 1: 2 [ 3";
    struct pr_profile *profile = reading(NULL, cut, strlen(cut), PR_CUT);
    assert_metric(profile, "inuse_space", "0|0x5010 10 x1\n");
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcmalloc_has_four_metrics),
        cmocka_unit_test(samples_are_scaled),
        cmocka_unit_test(jemalloc_sums_its_threads_itself),
        cmocka_unit_test(stacks_begin_at_the_caller_of_the_allocator),
        cmocka_unit_test(gperftools_has_words_of_any_machine),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
