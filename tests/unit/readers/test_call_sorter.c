/* SPDX-License-Identifier: Apache-2.0 */
/* Calls come back by thread and beginning, in whatever order they were added. */
#include "tests/support/unit.h"

#include "capture/base/sort.h"
#include "capture/readers/call_sorter.h"
#include "tests/support/alloc_fail.h"

#include <stdlib.h>

enum { THREADS = 3, MANY = 100000 }; /* several times as many as are kept without being packed */

struct sample {
    uint32_t thread;
    struct pr_call call;
};

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

static int by_thread_and_beginning(const void *a, const void *b, const void *context)
{
    const struct sample *x = a, *y = b;
    (void)context;
    if (x->thread != y->thread)
        return PR_ORDER(x->thread, y->thread);
    if (x->call.start_ns != y->call.start_ns)
        return PR_ORDER(x->call.start_ns, y->call.start_ns);
    if (x->call.duration_ns != y->call.duration_ns)
        return PR_ORDER(y->call.duration_ns, x->call.duration_ns);
    return PR_ORDER(x->call.order, y->call.order);
}

static int by_end(const void *a, const void *b, const void *context)
{
    const struct sample *x = a, *y = b;
    (void)context;
    const int64_t x_end = x->call.start_ns + x->call.duration_ns, y_end = y->call.start_ns + y->call.duration_ns;
    return x_end != y_end ? PR_ORDER(x_end, y_end) : by_thread_and_beginning(b, a, NULL);
}

/* Adds the samples, sorts them by another way, and checks that they come back in that order. */
static void assert_order(struct sample *samples, size_t count)
{
    struct pr_call_sorter calls = {.count = 0};
    for (size_t i = 0; i < count; i++)
        assert_true(pr_call_sorter_add(&calls, samples[i].thread, &samples[i].call));
    assert_int_equal(calls.count, count);
    assert_true(pr_sort(samples, count, sizeof *samples, by_thread_and_beginning, NULL));
    assert_true(pr_call_sorter_sort(&calls));
    struct pr_call call;
    uint32_t thread;
    for (size_t i = 0; i < count; i++) {
        assert_true(pr_call_sorter_next(&calls, &thread, &call));
        assert_int_equal(thread, samples[i].thread);
        assert_int_equal(call.start_ns, samples[i].call.start_ns);
        assert_int_equal(call.duration_ns, samples[i].call.duration_ns);
        assert_int_equal(call.order, samples[i].call.order);
        assert_int_equal(call.frame, samples[i].call.frame);
    }
    assert_false(pr_call_sorter_next(&calls, &thread, &call));
    pr_call_sorter_clear(&calls);
}

/* Calls with any times: they overlap, begin below 0 and are equal now and then. */
static struct sample *make_any(size_t count)
{
    struct sample *samples = calloc(count, sizeof *samples);
    uint32_t random = 7;
    assert_non_null(samples);
    for (size_t i = 0; i < count; i++)
        samples[i] = (struct sample){next_random(&random) % THREADS,
                                     {(int64_t)(next_random(&random) % 1000) - 500, next_random(&random) % 50,
                                      (int64_t)i, next_random(&random) % 9}};
    return samples;
}

/* Calls in calls, ten deep, all in one that lasts from the beginning to the end. */
static struct sample *make_nested(size_t count)
{
    struct sample *samples = calloc(count, sizeof *samples);
    assert_non_null(samples);
    for (size_t i = 0; i < count; i++) {
        const int64_t depth = (int64_t)i % 10, base = (int64_t)i / 10 * 20;
        samples[i] = (struct sample){(uint32_t)(i / 10 % THREADS), {base + depth, 20 - 2 * depth, (int64_t)i, 1}};
    }
    samples[0] = (struct sample){0, {-1, (int64_t)count * 20, 0, 2}};
    return samples;
}

static void calls_in_any_order_are_sorted(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 10, 1000, MANY};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct sample *samples = make_any(counts[i] + 1);
        assert_order(samples, counts[i]);
        free(samples);
    }
}

static void calls_are_taken_as_they_begin_and_as_they_end(void **state)
{
    (void)state;
    struct sample *samples = make_nested(MANY);
    assert_order(samples, MANY); /* which leaves them sorted by thread and beginning */
    assert_order(samples, MANY);
    assert_true(pr_sort(samples, MANY, sizeof *samples, by_end, NULL));
    assert_order(samples, MANY);
    free(samples);
}

static void numbers_of_any_size_come_back(void **state)
{
    (void)state;
    struct sample samples[] = {{4000, {INT64_MAX, INT64_MAX, INT64_MIN, UINT32_MAX}},
                               {4000, {INT64_MIN, INT64_MAX, INT64_MAX, 0}},
                               {0, {0, 0, 0, UINT32_MAX >> 1}}};
    assert_order(samples, sizeof samples / sizeof *samples);
}

static void running_out_of_memory_anywhere_is_reported(void **state)
{
    (void)state;
    bool failed = true;
    for (unsigned long n = 1; failed; n++) {
        struct sample *samples = make_any(MANY);
        struct pr_call_sorter calls = {.count = 0};
        bool done = true;
        alloc_fail_at(n);
        for (size_t i = 0; done && i < MANY; i++)
            done = pr_call_sorter_add(&calls, samples[i].thread, &samples[i].call);
        done = done && pr_call_sorter_sort(&calls);
        failed = alloc_fail_stop();
        assert_true(done != failed);
        pr_call_sorter_clear(&calls);
        free(samples);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_in_any_order_are_sorted),
        cmocka_unit_test(calls_are_taken_as_they_begin_and_as_they_end),
        cmocka_unit_test(numbers_of_any_size_come_back),
        cmocka_unit_test(running_out_of_memory_anywhere_is_reported),
    };
    return cmocka_run_group_tests_name("call_sorter", tests, NULL, NULL);
}
