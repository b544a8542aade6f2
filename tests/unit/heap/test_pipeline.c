/* SPDX-License-Identifier: Apache-2.0 */
/* The belt between producer and consumer: every event arrives once and in order, and either end can stop. */
#include "tests/support/unit.h"

#include "capture/base/processors.h"
#include "capture/heap/pipeline.h"
#include "tests/support/alloc_fail.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

/* Produces the numbers 1 to COUNT as addresses, in batches of LENGTH. */
struct producer {
    uint64_t count;
    uint32_t length;
    bool slow;
    enum pr_status result;
    uint64_t made;
    bool was_stopped;
};

struct consumer {
    uint64_t seen, stop_after; /* 0 = never */
    bool slow;
    enum pr_status result;
    uint64_t batches;
};

static pthread_t produced_on;

static enum pr_status produce(void *context, struct pr_belt *belt, struct pr_error *err)
{
    struct producer *producer = context;
    produced_on = pthread_self();
    struct pr_batch *batch = pr_belt_first(belt);
    while (producer->made < producer->count) {
        assert_int_equal(batch->count % producer->length, batch->count);
        batch->event[batch->count++].address = ++producer->made;
        if (batch->count < producer->length)
            continue;
        if (producer->slow)
            sched_yield();
        batch = pr_belt_next(belt);
        if (!batch) {
            producer->was_stopped = true;
            return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, "producing", "stopped");
        }
        assert_int_equal(batch->count, 0);
    }
    return producer->result == PR_CUT ? pr_cut(err, PR_ERR_DAMAGED, 7, "producing", "cut") : producer->result;
}

static enum pr_status consume(void *context, struct pr_batch *batch, struct pr_error *err)
{
    struct consumer *consumer = context;
    consumer->batches++;
    assert_true(batch->count > 0);
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->event[i].address != ++consumer->seen)
            return pr_fail(err, PR_ERR_DAMAGED, i, "consuming", "out of order");
    if (consumer->slow)
        sched_yield();
    if (consumer->stop_after && consumer->seen >= consumer->stop_after)
        return pr_fail(err, PR_ERR_MEMORY, PR_NO_OFFSET, "consuming", "enough");
    return PR_OK;
}

static enum pr_status run(struct producer *producer, struct consumer *consumer, struct pr_error *err)
{
    const struct pr_pipeline pipeline = {produce, producer, {{consume, consumer}}, 1, true};
    return pr_pipeline_run(&pipeline, err);
}

/* A stage that adds 1 to the size of each event, and asserts that every stage before it did. */
struct adder {
    uint64_t stage, seen, stop_after; /* 0 = never */
    bool slow;
    pthread_t worked_on;
};

static enum pr_status add_one(void *context, struct pr_batch *batch, struct pr_error *err)
{
    struct adder *adder = context;
    adder->worked_on = pthread_self();
    for (uint32_t i = 0; i < batch->count; i++) {
        assert_true(batch->event[i].address == ++adder->seen);
        batch->event[i].size = adder->stage ? batch->event[i].size + 1 : 1;
        assert_true(batch->event[i].size == adder->stage + 1);
    }
    if (adder->slow)
        sched_yield();
    if (adder->stop_after && adder->seen >= adder->stop_after)
        return pr_fail(err, PR_ERR_MEMORY, adder->stage, "adding", "enough");
    return PR_OK;
}

/* By COUNT stages, each an ADDER. */
static enum pr_status run_stages(struct producer *producer, struct adder *adders, unsigned count, bool threaded,
                                 struct pr_error *err)
{
    struct pr_pipeline pipeline = {produce, producer, .stage_count = count, .threaded = threaded};
    for (unsigned i = 0; i < count; i++) {
        adders[i].stage = i;
        pipeline.stage[i] = (struct pr_stage){add_one, &adders[i]};
    }
    return pr_pipeline_run(&pipeline, err);
}

static void each_stage_has_every_batch_after_the_one_before(void **state)
{
    (void)state;
    for (unsigned count = 1; count <= PR_MOST_STAGES; count++) {
        for (unsigned slow = 0; slow <= count; slow++) { /* none; else one of them */
            struct producer producer = {100000, PR_BATCH_EVENTS, false, PR_CUT, 0, false};
            struct adder adders[PR_MOST_STAGES] = {0};
            struct pr_error err = {0};
            if (slow)
                adders[slow - 1].slow = true;
            assert_int_equal(run_stages(&producer, adders, count, true, &err), PR_CUT);
            assert_int_equal(err.code, PR_ERR_DAMAGED);
            for (unsigned i = 0; i < count; i++) {
                assert_true(adders[i].seen == 100000);
                for (unsigned other = 0; other < i; other++)
                    assert_false(pthread_equal(adders[i].worked_on, adders[other].worked_on));
            }
            assert_true(pthread_equal(adders[count - 1].worked_on, pthread_self()));
        }
    }
}

static void stages_of_one_thread_take_turns(void **state)
{
    (void)state;
    struct producer producer = {100000, PR_BATCH_EVENTS, false, PR_END, 0, false};
    struct adder adders[PR_MOST_STAGES] = {0};
    assert_int_equal(run_stages(&producer, adders, PR_MOST_STAGES, false, NULL), PR_END);
    assert_true(pthread_equal(produced_on, pthread_self()));
    for (unsigned i = 0; i < PR_MOST_STAGES; i++) {
        assert_true(adders[i].seen == 100000);
        assert_true(pthread_equal(adders[i].worked_on, pthread_self()));
    }
}

static void any_stage_that_stops_stops_all(void **state)
{
    (void)state;
    for (unsigned count = 2; count <= PR_MOST_STAGES; count++) {
        for (unsigned stops = 0; stops < count; stops++) {
            for (unsigned threaded = 0; threaded < 2; threaded++) {
                struct producer producer = {.count = UINT64_MAX, .length = PR_BATCH_EVENTS, .result = PR_END};
                struct adder adders[PR_MOST_STAGES] = {0};
                struct pr_error err = {0};
                adders[stops].stop_after = 7000;
                assert_int_equal(run_stages(&producer, adders, count, threaded, &err), PR_FAILED);
                assert_int_equal(err.code, PR_ERR_MEMORY);
                assert_int_equal(err.offset, stops);
                assert_true(producer.was_stopped);
                for (unsigned i = stops + 1; i < count; i++)
                    assert_true(adders[i].seen == 6 * PR_BATCH_EVENTS); /* all that came before */
            }
        }
    }
}

static void of_several_stages_that_stop_the_last_is_believed(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 20; round++) {
        struct producer producer = {.count = UINT64_MAX, .length = PR_BATCH_EVENTS, .result = PR_END};
        struct adder adders[2] = {{.stop_after = 5000}, {.stop_after = 2000, .slow = true}};
        struct pr_error err = {0};
        assert_int_equal(run_stages(&producer, adders, 2, true, &err), PR_FAILED);
        assert_int_equal(err.offset, 1);
    }
}

static void threads_are_as_many_as_asked_for_and_no_more_than_help(void **state)
{
    (void)state;
    const unsigned usual = pr_pipeline_threads(0);
    assert_true(usual >= 1 && usual <= pr_processors() && usual <= PR_MOST_THREADS);
    for (unsigned asked = 1; asked <= PR_MOST_THREADS; asked++)
        assert_int_equal(pr_pipeline_threads(asked), asked);
    assert_int_equal(pr_pipeline_threads(PR_MOST_THREADS + 1), PR_MOST_THREADS);
    assert_int_equal(pr_pipeline_threads(UINT32_MAX), PR_MOST_THREADS);
}

static void every_event_arrives_once_and_in_order(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 1023, 1024, 1025, 4096, 5000, 300000};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (unsigned who_waits = 0; who_waits < 3; who_waits++) {
            struct producer producer = {counts[i], PR_BATCH_EVENTS, who_waits == 1, PR_END, 0, false};
            struct consumer consumer = {.slow = who_waits == 2};
            struct pr_error err = {0};
            assert_int_equal(run(&producer, &consumer, &err), PR_END);
            assert_int_equal(err.code, PR_ERR_NONE);
            assert_true(consumer.seen == counts[i]);
        }
    }
}

static void small_batches_are_as_good(void **state)
{
    (void)state;
    struct producer producer = {.count = 20000, .length = 1, .result = PR_OK};
    struct consumer consumer = {0};
    assert_int_equal(run(&producer, &consumer, NULL), PR_OK);
    assert_true(consumer.seen == 20000);
    assert_true(consumer.batches == 20000); /* the last batch is empty, and not delivered */
}

static void what_the_producer_says_is_returned_after_all_is_consumed(void **state)
{
    (void)state;
    struct producer producer = {.count = 5000, .length = PR_BATCH_EVENTS, .result = PR_CUT};
    struct consumer consumer = {.slow = true};
    struct pr_error err = {0};
    assert_int_equal(run(&producer, &consumer, &err), PR_CUT);
    assert_int_equal(err.code, PR_ERR_DAMAGED);
    assert_int_equal(err.offset, 7);
    assert_true(consumer.seen == 5000); /* with the batch that was being filled */
}

static void a_consumer_that_stops_stops_both(void **state)
{
    (void)state;
    for (uint64_t stop_after = 1; stop_after < 10000; stop_after += 1700) {
        struct producer producer = {.count = UINT64_MAX, .length = PR_BATCH_EVENTS, .result = PR_END};
        struct consumer consumer = {.stop_after = stop_after};
        struct pr_error err = {0};
        assert_int_equal(run(&producer, &consumer, &err), PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY); /* the consumer's reason, not that the producer was stopped */
        assert_string_equal(err.text, "enough");
        assert_true(producer.was_stopped);
        assert_true(producer.made < stop_after + 6 * PR_BATCH_EVENTS);
    }
}

static void a_consumer_may_stop_at_the_last_batch(void **state)
{
    (void)state;
    struct producer producer = {.count = 3000, .length = PR_BATCH_EVENTS, .result = PR_CUT};
    struct consumer consumer = {.stop_after = 3000};
    struct pr_error err = {0};
    assert_int_equal(run(&producer, &consumer, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_MEMORY);
}

static void the_first_error_stays(void **state)
{
    (void)state;
    struct producer producer = {.count = 10, .length = PR_BATCH_EVENTS, .result = PR_CUT};
    struct consumer consumer = {0};
    struct pr_error err = {.code = PR_ERR_IO, .text = "before"};
    assert_int_equal(run(&producer, &consumer, &err), PR_CUT);
    assert_string_equal(err.text, "before");
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct producer producer = {.count = 10, .length = PR_BATCH_EVENTS, .result = PR_END};
    struct consumer consumer = {0};
    struct pr_error err = {0};
    alloc_fail_at(1);
    assert_int_equal(run(&producer, &consumer, &err), PR_FAILED);
    alloc_fail_stop();
    assert_int_equal(err.code, PR_ERR_MEMORY);
    assert_true(consumer.seen == 0);
}

static int on_one_processor(void **state)
{
    cpu_set_t all, one;
    size_t first = 0;
    (void)state;
    if (sched_getaffinity(0, sizeof all, &all))
        return -1;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

static void with_one_processor_there_is_one_thread(void **state)
{
    (void)state;
    struct producer producer = {.count = 5000, .length = PR_BATCH_EVENTS, .result = PR_END};
    struct consumer consumer = {0};
    assert_int_equal(pr_processors(), 1);
    assert_int_equal(pr_pipeline_threads(0), 1);
    const struct pr_pipeline pipeline = {produce, &producer, {{consume, &consumer}}, 1, false};
    assert_int_equal(pr_pipeline_run(&pipeline, NULL), PR_END);
    assert_true(consumer.seen == 5000);
    assert_true(pthread_equal(produced_on, pthread_self()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_arrives_once_and_in_order),
        cmocka_unit_test(small_batches_are_as_good),
        cmocka_unit_test(what_the_producer_says_is_returned_after_all_is_consumed),
        cmocka_unit_test(a_consumer_that_stops_stops_both),
        cmocka_unit_test(a_consumer_may_stop_at_the_last_batch),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(each_stage_has_every_batch_after_the_one_before),
        cmocka_unit_test(stages_of_one_thread_take_turns),
        cmocka_unit_test(any_stage_that_stops_stops_all),
        cmocka_unit_test(of_several_stages_that_stop_the_last_is_believed),
        cmocka_unit_test(threads_are_as_many_as_asked_for_and_no_more_than_help),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    const struct CMUnitTest alone[] = {cmocka_unit_test(with_one_processor_there_is_one_thread)};
    const int failed = cmocka_run_group_tests_name("all processors", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("one", tests, on_one_processor, NULL) +
           cmocka_run_group_tests_name("alone", alone, on_one_processor, NULL);
}
