/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of Go as text. */
#include "tests/support/unit.h"

#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"
#include "tests/support/load_helpers.h"

#include <string.h>

static const char heap[] = "heap profile: 1: 100 [2: 200] @ heap/200\n"
                           "1: 100 [2: 200] @ 0x11 0x12 0x13\n"
                           "#\t0x11\tmain.keep+0x64\t\t/src/main.go:5\n"
                           "#\t0x12\tmain.main+0x4\t/src/main.go:9\n"
                           "\n# runtime.MemStats\n# Alloc = 1\n";
static const char waits[] = "--- contention:\ncycles/second=2000000000\n4000 3 @ 0x1\n\n"
                            "2000 1 @ 0x2 0x3\n#\t0x2\tsync.Lock+0x1\tmutex.go:7\n#\t0x3\n";

/* 1 of 100 bytes where one in 100 bytes is sampled: 1.58 = 1 / (1 - 1/e). */
static void heaps_are_scaled_and_have_functions(void **state)
{
    (void)state;
    struct pr_profile *profile = reading(NULL, heap, strlen(heap), PR_OK);
    assert_int_equal(profile->metric_count, 4);
    assert_metric(profile, "inuse_space", "0|main.main /src/main.go:9;main.keep /src/main.go:5 158 x2\n");
    assert_metric(profile, "alloc_space", "0|main.main /src/main.go:9;main.keep /src/main.go:5 316 x3\n");
    pr_profile_free(profile);
}

static void cycles_become_time(void **state)
{
    (void)state;
    assert_stacks("go-text", waits, "delay", "0|0x1 2000 x3\n0|sync.Lock mutex.go:7 1000 x1\n");
}

static void damage_does_no_harm(void **state)
{
    (void)state;
    assert_survives_damage("go-text", heap, strlen(heap));
    assert_survives_damage("go-text", waits, strlen(waits));
    assert_null(reading("go-text", "no profile\n", 11, PR_FAILED));
}

static void each_failed_allocation_is_an_error(void **state)
{
    bool failed = true;
    (void)state;
    for (unsigned long n = 1; failed; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_load_memory("made", heap, strlen(heap), NULL, &profile, &err);
        failed = alloc_fail_stop();
        if (profile)
            check_invariants(profile);
        pr_profile_free(profile);
        if (!failed)
            assert_int_equal(status, PR_OK);
        else if (status != PR_OK)
            assert_true(err.code == PR_ERR_MEMORY || err.code == PR_ERR_LIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_are_scaled_and_have_functions),
        cmocka_unit_test(cycles_become_time),
        cmocka_unit_test(damage_does_no_harm),
        cmocka_unit_test(each_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
