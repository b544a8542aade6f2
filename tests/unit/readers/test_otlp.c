/* SPDX-License-Identifier: Apache-2.0 */
/* OpenTelemetry's profiles: the dictionary, shapes of samples, processes and threads by attributes, and damage. */
#include "tests/support/unit.h"

#include "tests/support/alloc_fail.h"
#include "tests/support/load_helpers.h"
#include "tests/support/put_protobuf.h"

#include <string.h>

enum {
    NONE, SAMPLES, COUNT, CPU, NS, MAIN, F, A_C, LIB, THREAD_ID, THREAD_NAME, PID, WORKER, ENDPOINT, STRINGS
};

static const char *const strings[STRINGS] = {
    "", "samples", "count", "cpu", "ns", "main", "f", "a.c", "libq.so", "thread.id", "thread.name", "process.pid",
    "worker", "endpoint"};

static void put_fixed64(struct pr_buf *buf, unsigned field, uint64_t value)
{
    put_varint(buf, field << 3 | 1);
    for (unsigned i = 0; i < 8; i++)
        pr_buf_byte(buf, (unsigned)(value >> 8 * i) & 0xff);
}

/* Adds MESSAGE as FIELD of BUF and clears it. */
static void put_inner(struct pr_buf *buf, unsigned field, struct pr_buf *message)
{
    put_bytes(buf, field, message->bytes, message->length);
    pr_buf_clear(message);
}

static void put_int_attribute(struct pr_buf *dictionary, uint64_t key, uint64_t value)
{
    struct pr_buf row = {0};
    put_number(&row, 1, key);
    MESSAGE(&row, 2, {3, value});
    put_inner(dictionary, 6, &row);
}

static void put_text_attribute(struct pr_buf *dictionary, uint64_t key, const char *text)
{
    struct pr_buf row = {0}, value = {0};
    put_number(&row, 1, key);
    put_bytes(&value, 1, text, strlen(text));
    put_inner(&row, 2, &value);
    put_inner(dictionary, 6, &row);
}

/* Stacks: 1 is f called by main, 2 an address called by main; attributes: 1 thread 9, 2 its name, 3 a pid. */
static void put_dictionary(struct pr_buf *buf)
{
    struct pr_buf dictionary = {0}, location = {0};
    put_bytes(&dictionary, 1, "", 0);
    MESSAGE(&dictionary, 1, {1, 0x1000}, {2, 0x3000}, {3, 0x200}, {4, LIB});
    put_bytes(&dictionary, 2, "", 0);
    MESSAGE(&location, 3, {1, 1}, {2, 3});
    put_inner(&dictionary, 2, &location);
    MESSAGE(&location, 3, {1, 2}, {2, 7});
    put_inner(&dictionary, 2, &location);
    MESSAGE(&dictionary, 2, {1, 1}, {2, 0x1040});
    put_bytes(&dictionary, 3, "", 0);
    MESSAGE(&dictionary, 3, {1, MAIN}, {3, A_C});
    MESSAGE(&dictionary, 3, {2, F}, {3, A_C});
    for (unsigned i = 0; i < STRINGS; i++)
        put_bytes(&dictionary, 5, strings[i], strlen(strings[i]));
    put_bytes(&dictionary, 6, "", 0);
    put_int_attribute(&dictionary, THREAD_ID, 9);
    put_text_attribute(&dictionary, THREAD_NAME, "worker");
    put_int_attribute(&dictionary, PID, 70);
    put_text_attribute(&dictionary, ENDPOINT, "/buy");
    put_bytes(&dictionary, 7, "", 0);
    put_bytes(&dictionary, 7, "\x0a\x02\x02\x01", 4);
    put_bytes(&dictionary, 7, "\x08\x03\x08\x01", 4);
    put_inner(buf, 2, &dictionary);
}

/* PROFILE, which is cleared, in a scope and a resource called "shop". */
static void put_resource(struct pr_buf *buf, struct pr_buf *profile)
{
    struct pr_buf resource = {0}, scope = {0}, pair = {0}, value = {0}, all = {0};
    put_bytes(&pair, 1, "service.name", 12);
    put_bytes(&value, 1, "shop", 4);
    put_inner(&pair, 2, &value);
    put_inner(&resource, 1, &pair);
    put_inner(&scope, 2, profile);
    put_inner(&all, 1, &resource);
    put_inner(&all, 2, &scope);
    put_inner(buf, 1, &all);
}

#define BASE UINT64_C(1700000000000000000)

/* CPU time, with a period of 10 ns. */
static struct pr_buf cpu_profile(void)
{
    struct pr_buf profile = {0};
    MESSAGE(&profile, 1, {1, CPU}, {2, NS});
    put_fixed64(&profile, 3, BASE);
    put_number(&profile, 4, 5000000000);
    MESSAGE(&profile, 5, {1, CPU}, {2, NS});
    put_number(&profile, 6, 10);
    return profile;
}

static struct pr_buf small(void)
{
    struct pr_buf buf = {0}, profile = cpu_profile();
    MESSAGE(&profile, 2, {1, 1}, {102, 1}, {2, 2}, {104, 30}, {4, 12});
    MESSAGE(&profile, 2, {1, 2}, {2, 3}, {104, 8});
    put_resource(&buf, &profile);
    put_dictionary(&buf);
    return buf;
}

static void check(struct pr_buf *buf, const char *metric, const char *stacks)
{
    struct pr_profile *profile = reading(NULL, buf->bytes, buf->length, PR_OK);
    assert_metric(profile, metric, stacks);
    pr_profile_free(profile);
    pr_buf_clear(buf);
}

static void samples_refer_to_the_dictionary_that_follows(void **state)
{
    (void)state;
    struct pr_buf buf = small();
    check(&buf, "cpu", "0|main a.c:3;libq.so+0x240 libq.so 8\n9[worker]|main a.c:3;f a.c:7 42\n");
}

/* As opentelemetry-proto 1.40 to 1.42 have it: 2 are the values, 3 the attributes, 4 the link. */
static void samples_of_the_earlier_layout_have_their_values_first(void **state)
{
    (void)state;
    struct pr_buf buf = {0}, profile = cpu_profile(), sample = {0};
    put_number(&sample, 1, 1);
    put_bytes(&sample, 2, "\xf8\x05", 2); /* 760 */
    put_fixed64(&sample, 5, BASE);
    put_inner(&profile, 2, &sample); /* which may be of both layouts */
    MESSAGE(&profile, 2, {1, 1}, {102, 30}, {103, 1}, {103, 2}, {4, 1});
    put_resource(&buf, &profile);
    put_dictionary(&buf);
    check(&buf, "cpu", "0|main a.c:3;f a.c:7 760\n9[worker]|main a.c:3;f a.c:7 30\n");
    profile = cpu_profile();
    MESSAGE(&profile, 2, {1, 1}, {102, 30});
    put_resource(&buf, &profile);
    put_dictionary(&buf);
    check(&buf, "cpu", "0|main a.c:3;f a.c:7 30\n");
    profile = cpu_profile();
    MESSAGE(&profile, 2, {1, 1}, {102, 30}, {4, 1}); /* a link, and no attributes */
    put_resource(&buf, &profile);
    put_dictionary(&buf);
    check(&buf, "cpu", "0|main a.c:3;f a.c:7 30\n");
}

static void each_failed_allocation_is_an_error(void **state)
{
    (void)state;
    struct pr_buf buf = small();
    bool failed = true;
    for (unsigned long n = 1; failed; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_load_memory("made", buf.bytes, buf.length, NULL, &profile, &err);
        failed = alloc_fail_stop();
        assert_true(status == PR_OK || (failed && err.code == PR_ERR_MEMORY));
        pr_profile_free(profile);
    }
    pr_buf_clear(&buf);
}

/* The name's place among all strings was its number, which may be that of another thread. */
static void threads_without_a_number_are_counted(void **state)
{
    (void)state;
    struct pr_buf buf = {0}, profile = cpu_profile();
    MESSAGE(&profile, 2, {1, 1}, {102, 2}, {104, 30});
    MESSAGE(&profile, 2, {1, 1}, {104, 5});
    put_resource(&buf, &profile);
    put_dictionary(&buf);
    check(&buf, "cpu", "0|main a.c:3;f a.c:7 5\n1[worker]|main a.c:3;f a.c:7 30\n");
}

static void the_dictionary_may_come_first(void **state)
{
    (void)state;
    struct pr_buf buf = {0}, profile = cpu_profile();
    put_dictionary(&buf);
    MESSAGE(&profile, 2, {1, 1}, {104, 30});
    put_resource(&buf, &profile);
    check(&buf, "cpu", "0|main a.c:3;f a.c:7 30\n");
}

static void times_without_values_count(void **state)
{
    (void)state;
    struct pr_buf buf = {0}, profile = {0}, sample = {0};
    put_number(&sample, 1, 1);
    for (unsigned i = 0; i < 3; i++)
        put_fixed64(&sample, 5, BASE + i * 5000);
    MESSAGE(&profile, 1, {1, SAMPLES}, {2, COUNT});
    MESSAGE(&profile, 5, {1, CPU}, {2, NS});
    put_number(&profile, 6, 1000);
    put_inner(&profile, 2, &sample);
    put_resource(&buf, &profile);
    put_dictionary(&buf);
    struct pr_profile *read = reading(NULL, buf.bytes, buf.length, PR_OK);
    assert_metric(read, "samples", "0|main a.c:3;f a.c:7 3\n");
    assert_int_equal(read->slice_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(read->slices[i].start_ns, i * 5000);
        assert_int_equal(read->slices[i].duration_ns, 1000);
    }
    pr_profile_free(read);
    pr_buf_clear(&buf);
}

static void profiles_of_one_type_share_a_metric_and_others_have_their_own(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    for (unsigned i = 0; i < 2; i++) {
        struct pr_buf profile = cpu_profile();
        MESSAGE(&profile, 2, {1, 1}, {104, 30});
        put_resource(&buf, &profile);
    }
    struct pr_buf other = {0};
    MESSAGE(&other, 1, {1, SAMPLES}, {2, COUNT});
    MESSAGE(&other, 2, {1, 1}, {104, 2});
    put_resource(&buf, &other);
    put_dictionary(&buf);
    struct pr_profile *profile = reading(NULL, buf.bytes, buf.length, PR_OK);
    assert_int_equal(profile->metric_count, 2);
    assert_metric(profile, "cpu", "0|main a.c:3;f a.c:7 60\n");
    assert_metric(profile, "samples", "0|main a.c:3;f a.c:7 2\n");
    pr_profile_free(profile);
    pr_buf_clear(&buf);
}

/* A file of PROFILE, which is given up, has MANY damages of a kind, and the rest of it is read. */
static void check_damaged(struct pr_buf *profile, const char *expected, enum pr_damage_kind kind, uint64_t many)
{
    struct pr_buf buf = {0};
    put_resource(&buf, profile);
    put_dictionary(&buf);
    struct pr_profile *read = reading("otlp", buf.bytes, buf.length, PR_CUT);
    assert_metric(read, "cpu", expected);
    assert_damage(read, kind, many);
    pr_profile_free(read);
    pr_buf_clear(&buf);
}

static void indexes_beyond_their_tables_are_damage(void **state)
{
    (void)state;
    struct pr_buf profile = cpu_profile();
    MESSAGE(&profile, 2, {1, 77}, {104, 5});
    MESSAGE(&profile, 2, {1, UINT64_MAX}, {104, 6});
    check_damaged(&profile, "0| 11\n", PR_DAMAGE_FRAMES, 2);
}

static void a_sample_that_is_no_message_is_left_out(void **state)
{
    (void)state;
    struct pr_buf profile = cpu_profile();
    put_bytes(&profile, 2, "\x08\x01\x22\x7f", 4);
    MESSAGE(&profile, 2, {1, 1}, {104, 6});
    check_damaged(&profile, "0|main a.c:3;f a.c:7 6\n", PR_DAMAGE_RECORDS, 1);
}

static void a_pprof_is_not_taken_for_it(void **state)
{
    (void)state;
    struct pr_buf buf = {0};
    MESSAGE(&buf, 1, {1, 1}, {2, 2});
    MESSAGE(&buf, 2, {101, 1}, {102, 5});
    MESSAGE(&buf, 4, {1, 1}, {3, 64});
    for (unsigned i = 0; i < 3; i++)
        put_bytes(&buf, 6, strings[i], strlen(strings[i]));
    check(&buf, "samples", "0|0x40 5\n");
}

static void a_cut_or_changed_file_is_survived(void **state)
{
    (void)state;
    struct pr_buf buf = small();
    assert_survives_damage("otlp", buf.bytes, buf.length);
    pr_buf_clear(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_refer_to_the_dictionary_that_follows),
        cmocka_unit_test(samples_of_the_earlier_layout_have_their_values_first),
        cmocka_unit_test(each_failed_allocation_is_an_error),
        cmocka_unit_test(threads_without_a_number_are_counted),
        cmocka_unit_test(the_dictionary_may_come_first),
        cmocka_unit_test(times_without_values_count),
        cmocka_unit_test(profiles_of_one_type_share_a_metric_and_others_have_their_own),
        cmocka_unit_test(indexes_beyond_their_tables_are_damage),
        cmocka_unit_test(a_sample_that_is_no_message_is_left_out),
        cmocka_unit_test(a_pprof_is_not_taken_for_it),
        cmocka_unit_test(a_cut_or_changed_file_is_survived),
    };
    return cmocka_run_group_tests_name("otlp", tests, NULL, NULL);
}
