/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out at any moment of a load: an error, nothing kept, nothing broken (the sanitizers see leaks). */
#include "tests/support/unit.h"

#include "profrender/load.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"
#include "tests/support/packing.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>
#include <string.h>

/* Fails each allocation of loading BYTES once. */
static void fail_each(const void *bytes, size_t length)
{
    unsigned long n = 1;
    for (;; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = pr_load_memory("scarce", bytes, length, NULL, &profile, &err);
        if (!alloc_fail_stop()) {
            assert_int_equal(status, PR_OK);
            pr_profile_free(profile);
            break;
        }
        /* Code that only makes something faster or nicer may do without. */
        if (status == PR_OK)
            check_invariants(profile);
        else if (status != PR_FAILED || err.code != PR_ERR_MEMORY || profile)
            fail_msg("allocation %lu: status %d, error %d, %s: %s", n, status, err.code, err.doing, err.text);
        pr_profile_free(profile);
    }
    assert_true(n > 20);
}

static void fail_each_of_form(const struct capture_head *head, unsigned records)
{
    struct capture capture;
    story_capture(&capture, head, 3, records);
    fail_each(capture.out.bytes, capture.out.length);
    capture_clear(&capture);
}

static void no_allocation_of_a_capture_is_missed(void **state)
{
    (void)state;
    for (int version = 6; version <= 13; version++)
        fail_each_of_form(&(struct capture_head){.version = version, .main_tid = 1, .skipped_frames = 1}, 400);
}

static void no_allocation_of_an_aggregated_capture_is_missed(void **state)
{
    (void)state;
    for (int version = 10; version <= 13; version++)
        fail_each_of_form(&(struct capture_head){.version = version, .aggregated = true}, 100);
}

static void no_allocation_of_a_native_capture_is_missed(void **state)
{
    (void)state;
    for (int version = 6; version <= 13; version += 7)
        fail_each_of_form(&(struct capture_head){.version = version, .native_traces = true}, 200);
    fail_each_of_form(&(struct capture_head){.version = 13, .native_traces = true, .aggregated = true}, 50);
}

static void no_allocation_of_unpacking_is_missed(void **state)
{
    (void)state;
    struct capture capture;
    story_capture(&capture, &(struct capture_head){.version = 13}, 3, 100);
    for (unsigned i = 0; i < PACKING_COUNT; i++) {
        struct bytes packed = packings[i].pack((struct bytes){(uint8_t *)capture.out.bytes, capture.out.length});
        fail_each(packed.at, packed.length);
        bytes_free(&packed);
    }
    capture_clear(&capture);
}

/* A name for which the window over the bytes must grow. */
static void no_allocation_of_a_large_record_is_missed(void **state)
{
    (void)state;
    enum { LENGTH = 3 << 20 };
    char *name = malloc(LENGTH + 1);
    assert_non_null(name);
    memset(name, 'x', LENGTH);
    name[LENGTH] = '\0';
    struct capture capture;
    capture_begin(&capture, &(struct capture_head){.version = 13});
    capture_frame(&capture, name, "app.py", 1);
    capture_end(&capture);
    for (unsigned i = 0; i < PACKING_COUNT; i++) {
        struct bytes packed = packings[i].pack((struct bytes){(uint8_t *)capture.out.bytes, capture.out.length});
        fail_each(packed.at, packed.length);
        bytes_free(&packed);
    }
    fail_each(capture.out.bytes, capture.out.length);
    capture_clear(&capture);
    free(name);
}

/* A header with paths: lists that grow while it is read. */
static void no_allocation_of_a_header_is_missed(void **state)
{
    (void)state;
    const char *paths[60];
    struct capture capture;
    for (unsigned i = 0; i < 59; i++)
        paths[i] = "/srv/lib";
    paths[59] = NULL;
    capture_begin(&capture, &(struct capture_head){.version = 13, .sys_path = paths, .site_packages = paths});
    capture_end(&capture);
    fail_each(capture.out.bytes, capture.out.length);
    capture_clear(&capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_allocation_of_a_capture_is_missed),
        cmocka_unit_test(no_allocation_of_an_aggregated_capture_is_missed),
        cmocka_unit_test(no_allocation_of_a_native_capture_is_missed),
        cmocka_unit_test(no_allocation_of_unpacking_is_missed),
        cmocka_unit_test(no_allocation_of_a_large_record_is_missed),
        cmocka_unit_test(no_allocation_of_a_header_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
