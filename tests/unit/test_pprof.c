/* SPDX-License-Identifier: Apache-2.0 */
/* pprof: messages in any order, lists in both forms, metrics by their types. */
#include "tests/support/unit.h"

#include "tests/support/reading.h"

#include "capture/base/buf.h"

#include <stdlib.h>
#include <string.h>

static void put_varint(struct pr_buf *buf, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        pr_buf_byte(buf, (unsigned)(value & 0x7f) | 0x80);
    pr_buf_byte(buf, (unsigned)value);
}

static void put_number(struct pr_buf *buf, unsigned field, uint64_t value)
{
    put_varint(buf, field << 3);
    put_varint(buf, value);
}

static void put_bytes(struct pr_buf *buf, unsigned field, const void *bytes, size_t length)
{
    put_varint(buf, field << 3 | 2);
    put_varint(buf, length);
    pr_buf_add(buf, bytes, length);
}

/* A message of numbers: pairs of field and value, which a field 0 ends. Field 100 + n is n, packed as a list of one. */
static void put_message(struct pr_buf *buf, unsigned field, const uint64_t (*pairs)[2])
{
    struct pr_buf message = {0};
    for (; (*pairs)[0]; pairs++) {
        struct pr_buf list = {0};
        put_varint(&list, (*pairs)[1]);
        if ((*pairs)[0] > 100)
            put_bytes(&message, (unsigned)(*pairs)[0] - 100, list.bytes, list.length);
        else
            put_number(&message, (unsigned)(*pairs)[0], (*pairs)[1]);
        pr_buf_clear(&list);
    }
    put_bytes(buf, field, message.bytes, message.length);
    pr_buf_clear(&message);
}

#define MESSAGE(buf, field, ...) put_message(buf, field, (const uint64_t[][2]){__VA_ARGS__, {0, 0}})

static void put_strings(struct pr_buf *buf, const char *const *strings)
{
    for (; *strings; strings++)
        put_bytes(buf, 6, *strings, strlen(*strings));
}

/* A location with the lines of two functions: the first of them was inlined into the second. */
static void put_inlined(struct pr_buf *buf, uint64_t id)
{
    struct pr_buf message = {0};
    put_number(&message, 1, id);
    MESSAGE(&message, 4, {1, 70}, {2, 12});
    MESSAGE(&message, 4, {1, 71}, {2, 30});
    put_bytes(buf, 4, message.bytes, message.length);
    pr_buf_clear(&message);
}

/* Samples come before all that they mention. */
static struct pr_buf small_profile(void)
{
    static const char *const strings[] = {"",     "samples", "count", "cpu",  "nanoseconds", "in", "out",
                                          "a.go", "/bin/x",  "main",  "thread", "worker",    NULL};
    struct pr_buf buf = {0};
    MESSAGE(&buf, 2, {1, 9}, {1, 1000000007}, {2, 3}, {2, 30000000});
    MESSAGE(&buf, 2, {101, 5}, {102, 1}, {102, 10000000});
    MESSAGE(&buf, 1, {1, 1}, {2, 2});
    MESSAGE(&buf, 1, {1, 3}, {2, 4});
    put_inlined(&buf, 9);
    MESSAGE(&buf, 4, {1, 5}, {2, 1}, {3, 0x401234});
    MESSAGE(&buf, 4, {1, 1000000007}, {3, 7});
    MESSAGE(&buf, 3, {1, 1}, {2, 0x400000}, {3, 0x500000}, {4, 0x1000}, {5, 8});
    MESSAGE(&buf, 5, {1, 70}, {2, 5}, {4, 7}, {5, 10});
    MESSAGE(&buf, 5, {1, 71}, {2, 6}, {4, 7});
    put_strings(&buf, strings);
    return buf;
}

static void assert_metric(const struct pr_profile *profile, const char *metric, const char *expected)
{
    char *stacks = reading_stacks(profile, metric);
    assert_string_equal(stacks, expected);
    free(stacks);
}

static void messages_come_in_any_order(void **state)
{
    struct pr_buf buf = small_profile();
    (void)state;
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_OK);
    assert_string_equal(profile->meta.format, "pprof");
    assert_string_equal(profile->metrics[0].name, "cpu"); /* the last type is the main one */
    assert_int_equal(profile->metrics[0].unit, PR_UNIT_NANOSECONDS);
    assert_metric(profile, "cpu", "0|0x7;out a.go:30;in a.go:12 30000000 x3\n0|x+0x2234 /bin/x 10000000 x1\n");
    assert_metric(profile, "samples", "0|0x7;out a.go:30;in a.go:12 3\n0|x+0x2234 /bin/x 1\n");
    pr_profile_free(profile);
    pr_buf_clear(&buf);
}

static void the_file_may_name_the_main_metric(void **state)
{
    struct pr_buf buf = small_profile();
    (void)state;
    put_number(&buf, 14, 1);
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_OK);
    assert_string_equal(profile->metrics[0].name, "samples");
    pr_profile_free(profile);
    pr_buf_clear(&buf);
}

static void labels_name_threads(void **state)
{
    struct pr_buf buf = small_profile(), message = {0};
    (void)state;
    put_number(&message, 1, 5);
    put_number(&message, 2, 1);
    MESSAGE(&message, 3, {1, 10}, {2, 11});
    MESSAGE(&message, 3, {1, 9}, {2, 11});
    put_bytes(&buf, 2, message.bytes, message.length);
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_OK);
    assert_int_equal(profile->thread_count, 2);
    assert_string_equal(pr_profile_text(profile, profile->threads[1].name).bytes, "worker");
    assert_int_equal(profile->note_count, 1);
    assert_string_equal(profile->notes[0], "samples have labels that are not shown: main");
    pr_profile_free(profile);
    pr_buf_clear(&message);
    pr_buf_clear(&buf);
}

static void values_may_be_negative(void **state)
{
    struct pr_buf buf = {0};
    static const char *const strings[] = {"", "space", "bytes", NULL};
    (void)state;
    MESSAGE(&buf, 1, {1, 1}, {2, 2});
    MESSAGE(&buf, 2, {2, (uint64_t)-5});
    put_strings(&buf, strings);
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_OK);
    assert_metric(profile, "space", "0| -5\n");
    pr_profile_free(profile);
    pr_buf_clear(&buf);
}

/* Two of sixty locations of five hundred lines to a sample: a small file with a huge tree. */
static void lines_do_not_multiply(void **state)
{
    static const char *const strings[] = {"", "f", NULL};
    struct pr_buf buf = {0};
    (void)state;
    put_strings(&buf, strings);
    MESSAGE(&buf, 1, {1, 0}, {2, 0});
    for (uint64_t location = 1; location <= 60; location++) {
        struct pr_buf message = {0};
        put_number(&message, 1, location);
        for (uint64_t line = 1; line <= 500; line++)
            MESSAGE(&message, 4, {1, 1}, {2, location * 500 + line});
        put_bytes(&buf, 4, message.bytes, message.length);
        pr_buf_clear(&message);
    }
    for (uint64_t sample = 0; sample < 3600; sample++)
        MESSAGE(&buf, 2, {1, sample / 60 + 1}, {1, sample % 60 + 1}, {2, 1});
    MESSAGE(&buf, 5, {1, 1}, {2, 1});
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_CUT);
    assert_true(profile->tree.count < 5 * buf.length);
    assert_string_equal(profile->problem.text, "the stacks are far larger than the file");
    pr_profile_free(profile);
    pr_buf_clear(&buf);
}

/* The lines of a location are walked once for each caller: ten thousand million steps would take minutes. */
static void lines_are_not_walked_again(void **state)
{
    enum { LINES = 50000, SAMPLES = 200000 };
    static const char *const strings[] = {"", "f", "g", NULL};
    struct pr_buf buf = {0}, message = {0};
    (void)state;
    put_strings(&buf, strings);
    MESSAGE(&buf, 1, {1, 0}, {2, 0});
    put_number(&message, 1, 1);
    for (uint64_t line = 1; line <= LINES; line++)
        MESSAGE(&message, 4, {1, 1}, {2, line});
    put_bytes(&buf, 4, message.bytes, message.length);
    pr_buf_clear(&message);
    MESSAGE(&message, 4, {1, 2}, {2, 9});
    put_number(&message, 1, 2);
    put_bytes(&buf, 4, message.bytes, message.length);
    pr_buf_clear(&message);
    for (uint64_t sample = 0; sample < SAMPLES; sample++)
        MESSAGE(&buf, 2, {1, 1}, {1, sample % 2 + 1}, {2, 1});
    MESSAGE(&buf, 5, {1, 1}, {2, 1});
    MESSAGE(&buf, 5, {1, 2}, {2, 2});
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_OK);
    assert_int_equal(profile->fact_count, 2);
    assert_int_equal(profile->metrics[0].value[0], SAMPLES / 2);
    assert_int_equal(profile->metrics[0].value[1], SAMPLES / 2);
    assert_int_equal(profile->tree.count, 1 + LINES + LINES + 1 + LINES);
    pr_profile_free(profile);
    pr_buf_clear(&buf);
}

static void what_precedes_a_cut_is_kept(void **state)
{
    struct pr_buf buf = small_profile();
    (void)state;
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length - 2, PR_CUT);
    assert_metric(profile, "cpu", "0|0x7;out a.go:30;in a.go:12 30000000 x3\n0|x+0x2234 /bin/x 10000000 x1\n");
    pr_profile_free(profile);
    assert_survives_damage("pprof", buf.bytes, buf.length);
    assert_survives_damage(NULL, buf.bytes, buf.length);
    pr_buf_clear(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_in_any_order),
        cmocka_unit_test(the_file_may_name_the_main_metric),
        cmocka_unit_test(labels_name_threads),
        cmocka_unit_test(values_may_be_negative),
        cmocka_unit_test(lines_do_not_multiply),
        cmocka_unit_test(lines_are_not_walked_again),
        cmocka_unit_test(what_precedes_a_cut_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
