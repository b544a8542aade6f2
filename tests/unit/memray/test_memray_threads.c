/* SPDX-License-Identifier: Apache-2.0 */
/* However many threads share the analysis of a capture, and whatever is wrong with it, the profile is the same. */
#include "tests/support/unit.h"

#include "profrender/load.h"
#include "profrender/owner.h"
#include "tests/support/capture_mutator.h"
#include "tests/support/invariants.h"
#include "tests/support/random_capture.h"
#include "tests/support/same_profile.h"

#include <stdlib.h>
#include <string.h>

enum { RECORDS = 20000, FIRST_VERSION = 6, LAST_VERSION = 13 };

static const unsigned thread_counts[] = {0, 2, 3, 4, 5, 8, 100};

struct answer {
    enum pr_status status;
    struct pr_profile *profile;
    struct pr_error err;
};

static struct answer load(const void *bytes, size_t length, uint32_t most_bins, unsigned threads)
{
    struct pr_load_options options = pr_load_options_default();
    struct answer answer = {0};
    options.max_bins = most_bins;
    options.threads = threads;
    answer.status = pr_load_memory("story", bytes, length, &options, &answer.profile, &answer.err);
    if (answer.profile)
        check_invariants(answer.profile);
    return answer;
}

static void assert_same_by_any_number(const void *bytes, size_t length, uint32_t most_bins)
{
    const struct answer alone = load(bytes, length, most_bins, 1);
    for (unsigned i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++) {
        const struct answer many = load(bytes, length, most_bins, thread_counts[i]);
        assert_int_equal(many.status, alone.status);
        assert_int_equal(many.err.code, alone.err.code);
        assert_int_equal(many.err.offset, alone.err.offset);
        assert_string_equal(many.err.text, alone.err.text);
        assert_int_equal(!many.profile, !alone.profile);
        const char *differs = alone.profile ? profiles_differ(alone.profile, many.profile) : NULL;
        if (differs)
            fail_msg("by %u threads: %s", thread_counts[i], differs);
        pr_profile_free(many.profile);
    }
    pr_profile_free(alone.profile);
}

static void every_version_is_the_same_by_any_number_of_threads(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        for (unsigned native = 0; native < 2; native++) {
            struct capture capture;
            const struct capture_head head = {.version = version, .native_traces = native, .main_tid = 1};
            story_capture(&capture, &head, (uint64_t)version * 2 + native, RECORDS);
            assert_same_by_any_number(capture.out.bytes, capture.out.length, version % 2 ? PR_BINS_AUTO : 7);
            capture_clear(&capture);
        }
    }
}

static void one_bin_for_each_sample_is_the_same(void **state)
{
    (void)state;
    struct capture capture;
    story_capture(&capture, &(struct capture_head){.version = 13}, 23, RECORDS);
    assert_same_by_any_number(capture.out.bytes, capture.out.length, 0);
    capture_clear(&capture);
}

static void nothing_but_what_is_unneeded_is_left_out(void **state)
{
    (void)state;
    struct capture capture;
    story_capture(&capture, &(struct capture_head){.version = 13}, 29, RECORDS);
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *whole = NULL, *without = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_load_memory("story", capture.out.bytes, capture.out.length, &options, &whole, &err), PR_OK);
    options.unneeded = PR_UNNEEDED_MOMENTS | PR_UNNEEDED_CODE_OF_HEAP;
    assert_int_equal(pr_load_memory("story", capture.out.bytes, capture.out.length, &options, &without, &err), PR_OK);
    assert_true(whole->moment_count > 1);
    assert_non_null(whole->code);
    assert_null(without->code);
    for (pr_frame_id i = 0; i < whole->frame_count; i++)
        assert_int_equal(pr_owner_of(without, i), pr_owner_of(whole, i));
    assert_int_equal(without->moment_count, 0);
    whole->moment_count = 0;
    whole->moment_resolution_ns = without->moment_resolution_ns;
    const char *differs = profiles_differ(whole, without);
    if (differs)
        fail_msg("%s", differs);
    pr_profile_free(whole);
    pr_profile_free(without);
    capture_clear(&capture);
}

/* Sizes of up to 2^64 - 1, at few addresses: sums wrap, and many blocks are replaced without a free. */
static void sums_that_wrap_are_the_same(void **state)
{
    (void)state;
    uint64_t seed = 5;
    struct capture capture;
    capture_begin(&capture, &(struct capture_head){.version = 13});
    capture_thread(&capture, 1);
    for (unsigned i = 0; i < RECORDS; i++) {
        const uint64_t address = 8 * (uint64_t)random_below(&seed, 500);
        const uint32_t kind = random_below(&seed, 100);
        const uint64_t size = random_next(&seed) >> random_below(&seed, 64);
        if (kind == 0)
            capture_sample(&capture, i, 4096);
        else
            capture_event(&capture, kind < 50 ? PR_ALLOC_MALLOC : PR_ALLOC_FREE, address, size, 0);
    }
    capture_end(&capture);
    assert_same_by_any_number(capture.out.bytes, capture.out.length, PR_BINS_AUTO);
    capture_clear(&capture);
}

/* A mutate_bytes. */
static size_t turn_bits(uint8_t *bytes, size_t length, size_t max)
{
    (void)max;
    if (length)
        bytes[length / 2] ^= 0x55;
    return length;
}

static void damaged_captures_are_the_same(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 40; seed++) {
        struct capture capture;
        story_capture(&capture, &(struct capture_head){.version = seed % 4 ? 13 : 11}, seed, RECORDS / 4);
        const size_t most = capture.out.length * 2;
        uint8_t *bytes = malloc(most);
        assert_non_null(bytes);
        memcpy(bytes, capture.out.bytes, capture.out.length);
        size_t length = capture.out.length;
        for (unsigned i = 0; i < 1 + seed % 3; i++)
            length = mutate_capture(bytes, length, most, seed * 10 + i, turn_bits);
        assert_same_by_any_number(bytes, length, PR_BINS_AUTO);
        assert_same_by_any_number(bytes, length * (seed + 1) / 41, PR_BINS_AUTO);
        free(bytes);
        capture_clear(&capture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_the_same_by_any_number_of_threads),
        cmocka_unit_test(one_bin_for_each_sample_is_the_same),
        cmocka_unit_test(nothing_but_what_is_unneeded_is_left_out),
        cmocka_unit_test(sums_that_wrap_are_the_same),
        cmocka_unit_test(damaged_captures_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
