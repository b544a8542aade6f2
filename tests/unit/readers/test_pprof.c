/* SPDX-License-Identifier: Apache-2.0 */
/* pprof: messages in any order, lists in both forms, metrics by their types. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"
#include "tests/support/put_protobuf.h"

#include "profrender/buf.h"

#include <stdlib.h>
#include <string.h>

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

/* Go fills stacks of threadcreate up with addresses of 0, less 1 here; `go tool pprof` calls what remains <unknown>. */
static void what_fills_a_stack_up_is_one_unknown_frame(void **state)
{
    static const char *const strings[] = {"", "threadcreate", "count", "main", "a.go", "/bin/x", NULL};
    struct pr_buf buf = {0}, location = {0};
    (void)state;
    MESSAGE(&buf, 1, {1, 1}, {2, 2});
    MESSAGE(&buf, 2, {1, 1}, {1, 1}, {1, 1}, {2, 5});
    MESSAGE(&buf, 2, {1, 2}, {1, 1}, {1, 1}, {2, 1});
    MESSAGE(&buf, 2, {1, 3}, {1, 4}, {2, 2});
    put_number(&location, 1, 1);
    put_number(&location, 3, UINT64_MAX);
    MESSAGE(&location, 4, {1, 1});
    put_bytes(&buf, 4, location.bytes, location.length);
    MESSAGE(&buf, 4, {1, 2}, {2, 1}, {3, 0x401234});
    MESSAGE(&buf, 4, {1, 3}, {3, 0x401234});
    MESSAGE(&buf, 4, {1, 4}, {3, 0});
    MESSAGE(&buf, 3, {1, 1}, {2, 0x400000}, {3, 0x500000}, {5, 5});
    MESSAGE(&buf, 5, {1, 1});
    put_strings(&buf, strings);
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_OK);
    assert_metric(profile, "threadcreate",
                  "0|<unknown> 5\n0|<unknown>;0x401234 2\n0|<unknown>;x+0x1234 /bin/x 1\n");
    pr_profile_free(profile);
    pr_buf_clear(&location);
    pr_buf_clear(&buf);
}

/* The string table comes last. */
static void a_cut_before_the_units_is_noted(void **state)
{
    struct pr_buf buf = small_profile();
    (void)state;
    const char *const strings = memmem(buf.bytes, buf.length, "\x32\x00\x32\x07samples", 11);
    assert_non_null(strings);
    struct pr_profile *profile = reading(NULL, buf.bytes, (size_t)(strings - buf.bytes), PR_CUT);
    assert_int_equal(profile->metrics[0].unit, PR_UNIT_NONE);
    assert_note(profile, "the input ends before the names and units of its values: they are plain numbers");
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
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_CUT);
    assert_damage(profile, PR_DAMAGE_ASSUMED, 1); /* of the values that this sample lacks */
    assert_int_equal(profile->thread_count, 2);
    assert_string_equal(pr_profile_text(profile, profile->threads[1].name).bytes, "worker");
    assert_note(profile, "labels that are not shown: main; --tag-root KEY groups the stacks by one of them");
    pr_profile_free(profile);
    pr_buf_clear(&message);
    pr_buf_clear(&buf);
}

/* Loads BUF with TAG_ROOT; NULL with *ERR filled after a failure. */
static struct pr_profile *load_by_label(const struct pr_buf *buf, const char *tag_root, struct pr_error *err)
{
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = NULL;
    *err = (struct pr_error){0};
    options.tag_root = tag_root;
    const enum pr_status status = pr_load_memory("test", buf->bytes, buf->length, &options, &profile, err);
    assert_int_equal(status, profile ? PR_OK : PR_FAILED);
    return profile;
}

/* Text, numbers with and without a unit, two values of one key, a label without a value, and none at all. */
static struct pr_buf labelled_profile(void)
{
    static const char *const strings[] = {"", "space", "bytes", "size", "ns", "wait", "kind", "a", "b", "thread", NULL};
    struct pr_buf buf = {0}, message = {0};
    MESSAGE(&buf, 1, {1, 1}, {2, 2});
    MESSAGE(&message, 3, {1, 2}, {3, 64}, {4, 2});
    MESSAGE(&message, 3, {1, 5}, {3, (uint64_t)-7}, {4, 4});
    MESSAGE(&message, 3, {1, 6}, {2, 7});
    MESSAGE(&message, 3, {1, 6}, {2, 8});
    MESSAGE(&message, 3, {1, 9}, {2, 8});
    put_number(&message, 2, 100);
    put_bytes(&buf, 2, message.bytes, message.length);
    message.length = 0;
    MESSAGE(&message, 3, {1, 3}, {3, 5});
    MESSAGE(&message, 3, {1, 6});
    put_number(&message, 2, 10);
    put_bytes(&buf, 2, message.bytes, message.length);
    MESSAGE(&buf, 2, {2, 1});
    put_strings(&buf, strings);
    pr_buf_clear(&message);
    return buf;
}

static void a_label_is_a_level(void **state)
{
    static const struct {
        const char *tag_root, *stacks;
    } cases[] = {
        {"bytes", "0|(no bytes) 11\n8[b]|bytes: 64 100\n"},
        {"wait", "0|(no wait) 11\n8[b]|wait: -7 ns 100\n"},
        {"size", "0|(no size) 1\n0|size: 5 10\n8[b]|(no size) 100\n"},
        {"kind", "0|(no kind) 11\n8[b]|kind: a, b 100\n"},
        {"thread", "0|(no thread) 11\n8[b]|thread: b 100\n"},
        {",kind,,size", "0|(no kind);(no size) 1\n0|(no kind);size: 5 10\n8[b]|kind: a, b;(no size) 100\n"},
    };
    struct pr_buf buf = labelled_profile();
    struct pr_error err;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_profile *profile = load_by_label(&buf, cases[i].tag_root, &err);
        assert_non_null(profile);
        assert_metric(profile, "space", cases[i].stacks);
        assert_int_equal(profile->frames[0].kind, PR_FRAME_OTHER);
        pr_profile_free(profile);
    }
    pr_buf_clear(&buf);
}

static void a_label_that_is_missing_is_an_error(void **state)
{
    struct pr_buf labelled = labelled_profile(), bare = small_profile();
    struct pr_error err;
    (void)state;
    assert_null(load_by_label(&labelled, "kind,kin", &err));
    assert_int_equal(err.code, PR_ERR_ABSENT);
    assert_string_equal(err.text, "no sample has a label 'kin'; the labels are thread, bytes, wait, kind, size");
    assert_null(load_by_label(&bare, "kind", &err));
    assert_string_equal(err.text, "no sample has a label 'kind'; there are no labels");
    assert_null(load_by_label(&labelled, "1,2,3,4,5,6,7,8,9", &err));
    assert_int_equal(err.code, PR_ERR_LIMIT);
    pr_buf_clear(&bare);
    pr_buf_clear(&labelled);
}

/* A few bytes can name a value of any length: the name of the level does not become as long as all of them. */
static void values_of_a_label_do_not_multiply(void **state)
{
    enum { LABELS = 1000, LENGTH = 1000 };
    static const char *const strings[] = {"", "space", "bytes", "kind", NULL};
    struct pr_buf buf = {0}, message = {0};
    struct pr_error err;
    char word[LENGTH];
    (void)state;
    memset(word, 'w', sizeof word);
    for (unsigned i = 0; i < LABELS; i++)
        MESSAGE(&message, 3, {1, 3}, {2, 4});
    put_number(&message, 2, 1);
    MESSAGE(&buf, 1, {1, 1}, {2, 2});
    put_bytes(&buf, 2, message.bytes, message.length);
    put_strings(&buf, strings);
    put_bytes(&buf, 6, word, sizeof word);
    struct pr_profile *profile = load_by_label(&buf, "kind", &err);
    assert_int_equal(pr_profile_text(profile, profile->frames[0].function).length, strlen("kind: ") + LENGTH);
    pr_profile_free(profile);
    pr_buf_clear(&message);
    pr_buf_clear(&buf);
}

/* The same few bytes name a long text, or a long unit of numbers that differ, in each sample. */
static void long_values_of_labels_do_not_multiply(void **state)
{
    static const char *const strings[] = {"", "space", "bytes", "kind", "other", "a", NULL};
    struct pr_buf buf = {0}, expected = {0};
    struct pr_error err;
    char word[300];
    (void)state;
    memset(word, 'w', sizeof word);
    MESSAGE(&buf, 1, {1, 1}, {2, 2});
    for (unsigned i = 0; i < 3; i++) {
        struct pr_buf message = {0};
        MESSAGE(&message, 3, {1, 3}, {2, 6});
        MESSAGE(&message, 3, {1, 4}, {2, i ? 6 : 5});
        MESSAGE(&message, 3, {1, 4}, {3, i + 7}, {4, 6});
        put_number(&message, 2, 1);
        put_bytes(&buf, 2, message.bytes, message.length);
        pr_buf_clear(&message);
    }
    put_strings(&buf, strings);
    put_bytes(&buf, 6, word, sizeof word);
    struct pr_profile *profile = load_by_label(&buf, "kind,other", &err);
    pr_buf_printf(&expected, "0|kind: %.300s;other: a, 7 1\n0|kind: %.300s;other: %.300s 2\n", word, word, word);
    assert_metric(profile, "space", expected.bytes);
    pr_profile_free(profile);
    pr_buf_clear(&expected);
    pr_buf_clear(&buf);
}

static void labels_that_are_shown_are_not_noted(void **state)
{
    struct pr_buf buf = labelled_profile();
    struct pr_error err;
    (void)state;
    struct pr_profile *profile = load_by_label(&buf, "kind,bytes", &err);
    assert_int_equal(profile->note_count, 1);
    assert_non_null(strstr(profile->notes[0], "not shown: wait, size;"));
    pr_profile_free(profile);
    profile = load_by_label(&buf, "kind,bytes,wait,size", &err);
    assert_int_equal(profile->note_count, 0);
    pr_profile_free(profile);
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

/* A key begins with the highest bit of its first byte, and is of no field in the form that it has. */
static void damage_does_not_hide_the_format(void **state)
{
    static const char *const damaged[] = {"\x92", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x0c"};
    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct pr_buf buf = small_profile();
        pr_buf_text(&buf, damaged[i]);
        struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_CUT);
        assert_string_equal(profile->meta.format, "pprof");
        assert_int_equal(profile->metric_count, 2);
        pr_profile_free(profile);
        pr_buf_clear(&buf);
    }
}

static void a_cut_between_messages_shows_by_names(void **state)
{
    static const char *const strings[] = {"", "cpu", NULL};
    struct pr_buf buf = {0};
    (void)state;
    MESSAGE(&buf, 1, {1, 1}, {2, 2});
    put_message(&buf, 2, (const uint64_t[][2]){{1, 1}, {2, 5}, {0, 0}});
    put_strings(&buf, strings);
    struct pr_profile *profile = reading("pprof", buf.bytes, buf.length, PR_CUT);
    assert_string_equal(profile->problem.text, "the input ends before some names");
    assert_int_equal(profile->problem.offset, buf.length);
    assert_int_equal(profile->metrics[0].total_value, 5);
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
        cmocka_unit_test(what_fills_a_stack_up_is_one_unknown_frame),
        cmocka_unit_test(a_cut_before_the_units_is_noted),
        cmocka_unit_test(the_file_may_name_the_main_metric),
        cmocka_unit_test(labels_name_threads),
        cmocka_unit_test(a_label_is_a_level),
        cmocka_unit_test(a_label_that_is_missing_is_an_error),
        cmocka_unit_test(values_of_a_label_do_not_multiply),
        cmocka_unit_test(long_values_of_labels_do_not_multiply),
        cmocka_unit_test(labels_that_are_shown_are_not_noted),
        cmocka_unit_test(values_may_be_negative),
        cmocka_unit_test(lines_do_not_multiply),
        cmocka_unit_test(lines_are_not_walked_again),
        cmocka_unit_test(damage_does_not_hide_the_format),
        cmocka_unit_test(a_cut_between_messages_shows_by_names),
        cmocka_unit_test(what_precedes_a_cut_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
