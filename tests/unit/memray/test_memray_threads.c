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

static const unsigned thread_counts[] = {0, 2, 3, 4, 100};

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

static const struct pr_metric *metric_of(const struct pr_profile *profile, const char *name)
{
    const int metric = pr_profile_metric(profile, name);
    assert_true(metric >= 0);
    return &profile->metrics[metric];
}

/* With the usual threshold, for which reading has a loop of its own, and with others. */
static void without_temporaries_all_else_is_the_same(void **state)
{
    (void)state;
    struct capture capture;
    story_capture(&capture, &(struct capture_head){.version = 13}, 31, RECORDS);
    for (uint32_t threshold = 0; threshold < 4; threshold++) {
        struct pr_load_options options = pr_load_options_default();
        struct pr_profile *whole = NULL, *without = NULL;
        struct pr_error err = {0};
        options.temporary_threshold = threshold;
        assert_int_equal(pr_load_memory("story", capture.out.bytes, capture.out.length, &options, &whole, &err), PR_OK);
        options.unneeded = PR_UNNEEDED_TEMPORARY;
        assert_int_equal(pr_load_memory("story", capture.out.bytes, capture.out.length, &options, &without, &err),
                         PR_OK);
        struct pr_metric *all = (struct pr_metric *)metric_of(whole, "temporary");
        const struct pr_metric *none = metric_of(without, "temporary");
        assert_true(all->total_count > 0);
        for (size_t fact = 0; fact < whole->fact_count; fact++)
            assert_int_equal(none->value[fact] | none->count[fact], 0);
        *all = *none;
        const char *differs = profiles_differ(whole, without);
        if (differs)
            fail_msg("%s", differs);
        pr_profile_free(whole);
        pr_profile_free(without);
    }
    capture_clear(&capture);
}

static void assert_same_metric(const struct pr_profile *whole, const struct pr_profile *totals, uint32_t metric)
{
    const struct pr_metric *a = &whole->metrics[metric], *b = &totals->metrics[metric];
    const bool is_peak = !strcmp(a->name, "peak");
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->total_value, b->total_value);
    assert_int_equal(a->total_count, b->total_count);
    for (size_t fact = 0; !is_peak && fact < whole->fact_count; fact++) {
        assert_int_equal(a->value[fact], b->value[fact]);
        assert_int_equal(!a->count, !b->count);
        if (a->count)
            assert_int_equal(a->count[fact], b->count[fact]);
    }
}

/* Without facts at peaks, all but these is the same, and the totals of the peak are too. */
static void assert_same_totals(const void *bytes, size_t length)
{
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *whole = NULL;
    struct pr_error err = {0};
    const enum pr_status status = pr_load_memory("story", bytes, length, &options, &whole, &err);
    options.unneeded = PR_UNNEEDED_PEAKS;
    for (unsigned i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++) {
        struct pr_profile *totals = NULL;
        struct pr_error again = {0};
        options.threads = thread_counts[i];
        assert_int_equal(pr_load_memory("story", bytes, length, &options, &totals, &again), status);
        assert_int_equal(err.code, again.code);
        assert_int_equal(!whole, !totals);
        if (!whole)
            continue;
        assert_int_equal(whole->peak_bytes, totals->peak_bytes);
        assert_int_equal(whole->fact_count, totals->fact_count);
        assert_int_equal(whole->metric_count, totals->metric_count);
        assert_memory_equal(&whole->damage, &totals->damage, sizeof whole->damage);
        for (uint32_t metric = 0; metric < whole->metric_count; metric++)
            assert_same_metric(whole, totals, metric);
        for (size_t at = 0; whole->series_count > 1 && at < whole->series[1].count; at++)
            assert_int_equal(whole->series[1].value[at], totals->series[1].value[at]);
        pr_profile_free(totals);
    }
    pr_profile_free(whole);
}

static void totals_need_no_facts_at_peaks(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        struct capture capture;
        const struct capture_head head = {.version = version, .main_tid = 1};
        story_capture(&capture, &head, (uint64_t)version * 31, RECORDS);
        assert_same_totals(capture.out.bytes, capture.out.length);
        capture_clear(&capture);
    }
}

/*
 * Sizes of up to 2^WIDTH - 1, at few addresses: sums wrap, and many blocks are replaced without a free; some are
 * mappings, of which some reach the end of the address space.
 */
static void wide_capture(struct capture *capture, uint64_t seed, unsigned records, unsigned width)
{
    static const enum pr_allocator allocators[] = {PR_ALLOC_MALLOC, PR_ALLOC_FREE, PR_ALLOC_MMAP, PR_ALLOC_MUNMAP};
    capture_begin(capture, &(struct capture_head){.version = 13});
    capture_thread(capture, 1);
    for (unsigned i = 0; i < records; i++) {
        const uint32_t kind = random_below(&seed, 100);
        const uint64_t address = 8 * (uint64_t)random_below(&seed, 500);
        const uint64_t size = random_next(&seed) >> (64 - width + random_below(&seed, width));
        if (kind == 0)
            capture_sample(capture, i, 4096);
        else
            capture_event(capture, allocators[kind < 90 ? kind & 1 : 2 + (kind & 1)],
                          kind % 10 == 9 ? ~address & ~UINT64_C(7) : address, size, 0);
    }
    capture_end(capture);
}

static void sums_that_wrap_are_the_same(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 80; seed++) {
        struct capture capture;
        wide_capture(&capture, seed, seed == 1 ? RECORDS : seed * 11, seed % 3 ? 64 : 48 + seed % 16);
        if (seed == 1)
            assert_same_by_any_number(capture.out.bytes, capture.out.length, PR_BINS_AUTO);
        assert_same_totals(capture.out.bytes, capture.out.length);
        capture_clear(&capture);
    }
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
        assert_same_totals(bytes, length);
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
        cmocka_unit_test(without_temporaries_all_else_is_the_same),
        cmocka_unit_test(totals_need_no_facts_at_peaks),
        cmocka_unit_test(sums_that_wrap_are_the_same),
        cmocka_unit_test(damaged_captures_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
