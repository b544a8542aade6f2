/* SPDX-License-Identifier: Apache-2.0 */
/* Formats whose stacks are addresses: heap profiles of tcmalloc and jemalloc, CPU profiles of gperftools. */
#include "tests/support/unit.h"

#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"
#include "tests/support/load_helpers.h"
#include "tests/support/self_code.h"

#include "profrender/buf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAPS                                                                                                           \
    "MAPPED_LIBRARIES:\n"                                                                                              \
    "5000-6000 r-xp 00001000 00:00 1    /app/my prog\n"                                                                \
    "6000-7000 rw-p 00000000 00:00 0 \n"                                                                               \
    "7000-8000 r-xp 00000000 00:00 2    [vdso]\n"

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
#define NO_MAP "MAPPED_LIBRARIES:\n"

static void samples_are_scaled(void **state)
{
    (void)state;
    assert_stacks("heap-text", "heap profile: 100: 10000 [ 0: 0] @ heap_v2/100\n100: 10000 [ 0: 0] @ 0x1\n" NO_MAP,
                  "inuse_space", "0|0x1 15820 x158\n");
    assert_stacks("heap-text", "heap profile: 100: 10000 [ 0: 0] @ heap/200\n100: 10000 [ 0: 0] @ 0x1\n" NO_MAP,
                  "inuse_space", "0|0x1 15820 x158\n");
}

/* The map comes last, and stacks before it are whole lines: only that it is missing shows the cut. */
static void without_a_map_the_end_is_missing(void **state)
{
    static const char text[] = "heap profile: 2: 30 [ 2: 30] @ heapprofile\n 1: 10 [ 1: 10] @ 0x5010\n";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, sizeof text - 1, PR_CUT);
    assert_metric(profile, "inuse_space", "0|0x5010 10 x1\n");
    assert_non_null(strstr(profile->problem.text, "before the map"));
    pr_profile_free(profile);
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

static void the_map_has_a_short_form(void **state)
{
    (void)state;
    assert_stacks("heap-text",
                  "heap profile: 2: 20 [2: 20] @ heapprofile\n2: 20 [2: 20] @ 0x5010 0x9010\n"
                  "--- Memory map: ---\n\tsource=/home\n  5000-6000: $source/my server\n  9000-a000: [vdso]\n\n",
                  "inuse_space", "0|[vdso]+0x10 [vdso];my server+0x10 $source/my server 20 x2\n");
}

/* What a title calls the profile: once the program has symbols, its frames are of source files. */
static void the_process_is_the_first_program_of_the_map(void **state)
{
    static const struct {
        const char *map, *name;
    } cases[] = {
        {MAPS, "my prog"},
        {"MAPPED_LIBRARIES:\n5000-6000 r--p 00000000 00:00 1 /app/server (deleted)\n"
         "7000-8000 r-xp 00000000 00:00 2 /lib/libc.so.6\n8000-9000 r--p 00000000 00:00 3 /etc/locale\n",
         "server"},
        {"MAPPED_LIBRARIES:\n5000-6000 r-xp 00000000 00:00 1 /lib/libc.so.6\n7000-8000 r-xp 0 00:00 0 [vdso]\n", ""},
        {"MAPPED_LIBRARIES:\n5000-6000 r-xp 00000000 00:00 1 /lib/libc.so.6 (deleted)\n"
         "7000-8000 r-xp 00000000 00:00 2 /app/late\n",
         "late"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_buf text = {0};
        pr_buf_printf(&text, "heap profile: 2: 20 [2: 20] @ heapprofile\n2: 20 [2: 20] @ 0x5010\n%s", cases[i].map);
        struct pr_profile *profile = reading(NULL, text.bytes, text.length, PR_OK);
        assert_int_equal(profile->process_count, 1);
        const struct pr_text name = pr_profile_text(profile, profile->processes[0].name);
        assert_int_equal(name.length, strlen(cases[i].name));
        assert_memory_equal(name.bytes, cases[i].name, name.length);
        pr_profile_free(profile);
        pr_buf_clear(&text);
    }
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

/* A heap profile of this program: one stack, of self_outer. */
static struct pr_buf profile_of(const struct self_code *self)
{
    struct pr_buf text = {0};
    pr_buf_printf(&text, "heap profile: 1: 10 [1: 10] @ heapprofile\n1: 10 [1: 10] @ 0x%" PRIx64 " 0x10\n",
                  self->return_address);
    pr_buf_printf(&text, "MAPPED_LIBRARIES:\n%" PRIx64 "-%" PRIx64 " r-xp %" PRIx64 " 00:00 1 %s\n", self->code_start,
                  self->code_start + self->code_size, self->code_offset, self->path);
    return text;
}

static struct pr_profile *load(const struct pr_buf *text, enum pr_native_use native, struct pr_error *err)
{
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = NULL;
    *err = (struct pr_error){0};
    options.native = native;
    const enum pr_status status = pr_load_memory("made", text->bytes, text->length, &options, &profile, err);
    assert_int_equal(status, profile ? PR_OK : PR_FAILED);
    if (profile)
        check_invariants(profile);
    return profile;
}

static void addresses_have_functions(void **state)
{
    static const enum pr_native_use uses[] = {PR_NATIVE_AUTO, PR_NATIVE_REQUIRE, PR_NATIVE_OFF, PR_NATIVE_OFFSETS};
    const struct self_code self = self_code();
    struct pr_buf text = profile_of(&self);
    struct pr_error err;
    (void)state;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const bool named = uses[i] != PR_NATIVE_OFFSETS;
        struct pr_profile *profile = load(&text, uses[i], &err);
        char *stacks = reading_stacks(profile, "inuse_space");
        assert_true((strstr(stacks, "0x10;self_outer ") != NULL) == named);
        assert_true((strstr(stacks, "+0x") != NULL) == !named);
        assert_int_equal(profile->note_count, named);
        assert_int_equal(profile->meta.native_files, named);
        free(stacks);
        pr_profile_free(profile);
    }
    pr_buf_clear(&text);
}

static void all_files_can_be_required(void **state)
{
    struct self_code self = self_code();
    struct pr_error err;
    (void)state;
    self.code_size += 1 << 20; /* more than any size of pages rounds up to */
    struct pr_buf text = profile_of(&self);
    assert_null(load(&text, PR_NATIVE_REQUIRE, &err));
    assert_int_equal(err.code, PR_ERR_ABSENT);
    assert_non_null(strstr(err.text, "is another build"));
    struct pr_profile *profile = load(&text, PR_NATIVE_AUTO, &err);
    assert_int_equal(profile->meta.native_files_unnamed, 1);
    assert_int_equal(profile->note_count, 1);
    assert_note(profile, "functions of /");
    assert_non_null(strstr(profile->notes[0], " are not named: that file is missing or changed on this machine"));
    pr_profile_free(profile);
    pr_buf_clear(&text);
}

static void too_many_frames_are_cut(void **state)
{
    const struct self_code self = self_code();
    struct pr_buf text = profile_of(&self);
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    (void)state;
    options.limits.max_frames = 1;
    assert_int_equal(pr_load_memory("made", text.bytes, text.length, &options, &profile, &err), PR_CUT);
    assert_int_equal(err.code, PR_ERR_LIMIT);
    check_invariants(profile);
    pr_profile_free(profile);
    pr_buf_clear(&text);
}

static void each_failed_allocation_is_an_error(void **state)
{
    const struct self_code self = self_code();
    struct pr_buf text = profile_of(&self);
    bool failed = true;
    (void)state;
    for (unsigned long n = 1; failed; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_load_memory("made", text.bytes, text.length, NULL, &profile, &err);
        failed = alloc_fail_stop();
        if (profile)
            check_invariants(profile);
        pr_profile_free(profile);
        if (!failed)
            assert_int_equal(status, PR_OK);
        else if (status != PR_OK)
            assert_true(err.code == PR_ERR_MEMORY || err.code == PR_ERR_LIMIT);
    }
    pr_buf_clear(&text);
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

static void a_map_without_its_end_is_noted(void **state)
{
    (void)state;
    struct pr_profile *profile = reading(NULL, tcmalloc, strlen(tcmalloc) - 3, PR_CUT); /* "[vd" is no file */
    assert_damage(profile, PR_DAMAGE_LINES, 1);
    assert_metric(profile, "inuse_space",
                  "0|0x9000;0x7004 20 x2\n0|my prog+0x1020 /app/my prog;my prog+0x1010 /app/my prog 10 x1\n");
    assert_note(profile, "the map of the files of code ends in the middle of a line");
    assert_note(profile, "functions of /app/my prog are not named: ");
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcmalloc_has_four_metrics),
        cmocka_unit_test(samples_are_scaled),
        cmocka_unit_test(without_a_map_the_end_is_missing),
        cmocka_unit_test(jemalloc_sums_its_threads_itself),
        cmocka_unit_test(stacks_begin_at_the_caller_of_the_allocator),
        cmocka_unit_test(the_map_has_a_short_form),
        cmocka_unit_test(the_process_is_the_first_program_of_the_map),
        cmocka_unit_test(gperftools_has_words_of_any_machine),
        cmocka_unit_test(addresses_have_functions),
        cmocka_unit_test(all_files_can_be_required),
        cmocka_unit_test(too_many_frames_are_cut),
        cmocka_unit_test(each_failed_allocation_is_an_error),
        cmocka_unit_test(damage_does_no_harm),
        cmocka_unit_test(a_map_without_its_end_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
