/* SPDX-License-Identifier: Apache-2.0 */
/* Tachyon: each way in which a stack follows from the one before, both byte orders, and hostile files. */
#include "tests/support/unit.h"

#include "tests/support/alloc_fail.h"
#include "tests/support/load_helpers.h"

#include "profrender/buf.h"

#include <string.h>

enum { FULL = 1, SUFFIX, POP_PUSH };

struct writer {
    bool big_endian;
    struct pr_buf samples, file;
};

static void put(struct pr_buf *buf, bool big_endian, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        pr_buf_byte(buf, number >> 8 * (big_endian ? bytes - 1 - i : i) & 0xff);
}

/* A record of thread TID; REST has numbers below 128. */
static void record(struct writer *w, uint64_t tid, unsigned encoding, const char *rest, size_t length)
{
    put(&w->samples, w->big_endian, tid, 8);
    put(&w->samples, w->big_endian, 0, 4);
    pr_buf_byte(&w->samples, encoding);
    pr_buf_add(&w->samples, rest, length);
}

#define RECORD(w, tid, encoding, rest) record(w, tid, encoding, rest, sizeof rest - 1)

/* Texts: "a.py" "main" "f" "g" "~" "<GC>"; frames main:1, f:2, g:3, <GC>. */
static const char texts[] = "\4a.py\4main\1f\1g\1~\4<GC>";
static const char frames[] = "\0\1\2\0\0\0\377" "\0\2\4\0\0\0\377" "\0\3\6\0\0\0\377" "\4\5\1\0\1\0\377";

static void finish(struct writer *w, uint32_t mode)
{
    const uint64_t end = 64 + w->samples.length, all = end + sizeof texts - 1 + sizeof frames - 1 + 32;
    put(&w->file, w->big_endian, 0x54414348, 4);
    put(&w->file, w->big_endian, 1, 4);
    pr_buf_add(&w->file, "\3\17\0\0", 4);
    put(&w->file, w->big_endian, 1000, 8);
    put(&w->file, w->big_endian, 100, 8);
    put(&w->file, w->big_endian, 7, 8);
    put(&w->file, w->big_endian, 2, 4);
    put(&w->file, w->big_endian, end, 8);
    put(&w->file, w->big_endian, end + sizeof texts - 1, 8);
    put(&w->file, w->big_endian, 0, 4);
    put(&w->file, w->big_endian, mode, 4);
    pr_buf_add(&w->file, w->samples.bytes, w->samples.length);
    pr_buf_add(&w->file, texts, sizeof texts - 1);
    pr_buf_add(&w->file, frames, sizeof frames - 1);
    put(&w->file, w->big_endian, 6, 4);
    put(&w->file, w->big_endian, 4, 4);
    put(&w->file, w->big_endian, all, 8);
    put(&w->file, w->big_endian, 0, 8);
    put(&w->file, w->big_endian, 0, 8);
}

static void clear(struct writer *w)
{
    pr_buf_clear(&w->samples);
    pr_buf_clear(&w->file);
}

static void write_seven(struct writer *w)
{
    RECORD(w, 7, FULL, "\144\3\2\1\0");             /* 100 us, on a processor with the GIL: f, main */
    RECORD(w, 7, 0, "\2\144\3\144\0");              /* the same twice, the second idle */
    RECORD(w, 8, FULL, "\62\0\1\0");                /* another thread: main */
    RECORD(w, 7, SUFFIX, "\144\3\2\2\3\2");         /* two more frames: <GC>, g, f, main */
    RECORD(w, 7, POP_PUSH, "\144\3\3\1\2");         /* three are gone, one is new: g, main */
    RECORD(w, 7, POP_PUSH, "\144\3\177\0");         /* all are gone */
    finish(w, 1);
}

static const char stacks[] = "7| 100000 x1\n"
                             "7|main a.py:1;f a.py:2 300000 x3\n"
                             "7|main a.py:1;f a.py:2;g a.py:3;<GC> 100000 x1\n"
                             "7|main a.py:1;g a.py:3 100000 x1\n"
                             "8|main a.py:1 100000 x1\n";

static void stacks_follow_from_one_another(void **state)
{
    (void)state;
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        struct writer w = {.big_endian = big_endian};
        write_seven(&w);
        struct pr_profile *profile = reading(NULL, w.file.bytes, w.file.length, PR_OK);
        assert_string_equal(profile->meta.format, "tachyon");
        assert_metric(profile, "wall", stacks);
        assert_metric(profile, "on_cpu", "7| 100000 x1\n7|main a.py:1;f a.py:2 200000 x2\n"
                                         "7|main a.py:1;f a.py:2;g a.py:3;<GC> 100000 x1\n"
                                         "7|main a.py:1;g a.py:3 100000 x1\n");
        pr_profile_free(profile);
        clear(&w);
    }
}

static void the_mode_names_the_time(void **state)
{
    static const char *const names[] = {"time", "wall", "cpu", "gil", "wall", "exception", "time"};
    (void)state;
    for (uint32_t mode = 0; mode < sizeof names / sizeof *names; mode++) {
        struct writer w = {.big_endian = false};
        RECORD(&w, 7, FULL, "\144\0\1\0");
        finish(&w, mode);
        struct pr_profile *profile = reading(NULL, w.file.bytes, w.file.length, PR_OK);
        assert_string_equal(profile->metrics[0].name, names[mode]);
        pr_profile_free(profile);
        clear(&w);
    }
}

static void each_state_has_a_metric(void **state)
{
    static const char *const names[] = {"has_gil", "on_cpu", "gil_wait", "has_exception"};
    struct writer w = {.big_endian = false};
    (void)state;
    RECORD(&w, 7, FULL, "\144\11\1\0"); /* 1 and 8 */
    RECORD(&w, 7, 0, "\1\144\62");      /* once, with 2, 16 and 32 */
    RECORD(&w, 7, 0, "\1\144\4");       /* not known */
    finish(&w, 1);
    struct pr_profile *profile = reading(NULL, w.file.bytes, w.file.length, PR_OK);
    assert_int_equal(profile->metric_count, 5);
    assert_int_equal(profile->metrics[0].total_value, 300000);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(profile->metrics[pr_profile_metric(profile, names[i])].total_value, 100000);
    pr_profile_free(profile);
    clear(&w);
}

/* Nothing after such a record can be read: what comes before it, and the names, are kept. */
static void a_record_that_makes_no_sense_ends_the_samples(void **state)
{
    static const char *const wrong[] = {"\144\3\5\1\0", "\144\3\177\177",
                                        "\377\377\377\377\377\377\377\377\377\377\377\3\1\1\1"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct writer w = {.big_endian = false};
        RECORD(&w, 7, FULL, "\144\3\1\0");
        record(&w, 7, SUFFIX, wrong[i], strlen(wrong[i]));
        finish(&w, 1);
        struct pr_profile *profile = reading(NULL, w.file.bytes, w.file.length, PR_CUT);
        assert_metric(profile, "wall", "7|main a.py:1 100000 x1\n");
        pr_profile_free(profile);
        clear(&w);
    }
}

/* Of all allocations only that of the short way to a frame's number may fail without harm. */
static void assert_failures_are_reported(const struct pr_buf *file)
{
    bool failed = true;
    unsigned harmless = 0;
    for (unsigned long n = 1; failed; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_load_memory("test", file->bytes, file->length, NULL, &profile, &err);
        failed = alloc_fail_stop();
        harmless += failed && status == PR_OK;
        if (status == PR_FAILED)
            assert_int_equal(err.code, PR_ERR_MEMORY);
        else
            assert_int_equal(status, PR_OK);
        if (profile)
            assert_metric(profile, "wall", stacks);
        pr_profile_free(profile);
    }
    assert_in_range(harmless, 0, 1);
}

static void damage_and_missing_memory_are_reported(void **state)
{
    struct writer w = {.big_endian = false};
    (void)state;
    write_seven(&w);
    assert_survives_damage("tachyon", w.file.bytes, w.file.length);
    assert_failures_are_reported(&w.file);
    clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_follow_from_one_another),
        cmocka_unit_test(the_mode_names_the_time),
        cmocka_unit_test(each_state_has_a_metric),
        cmocka_unit_test(a_record_that_makes_no_sense_ends_the_samples),
        cmocka_unit_test(damage_and_missing_memory_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
