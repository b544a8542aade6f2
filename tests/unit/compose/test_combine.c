/* SPDX-License-Identifier: Apache-2.0 */
/* Uniting: each metric has the same values as on its own, and what is known about time stays. */
#include "tests/support/unit.h"

#include "profrender/assemble.h"
#include "profrender/records.h"
#include "profrender/table.h"
#include "profrender/combine.h"
#include "profrender/window.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"
#include "tests/support/load_helpers.h"
#include "tests/support/random_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time in order, on a thread that the memory capture does not have. */
static const char evented[] =
    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":["
    "{\"name\":\"main\",\"file\":\"a.py\",\"line\":1},{\"name\":\"work\",\"file\":\"a.py\",\"line\":5}]},"
    "\"profiles\":[{\"type\":\"evented\",\"name\":\"worker\",\"unit\":\"milliseconds\",\"startValue\":0,"
    "\"endValue\":10,\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":2},"
    "{\"type\":\"C\",\"frame\":1,\"at\":9},{\"type\":\"C\",\"frame\":0,\"at\":10}]}]}";

/* Who calls whom. */
static const char graph[] = "# callgrind format\nevents: cpu\npositions: line\n"
                            "fl=a.c\nfn=main\n1 10\ncfn=leaf\ncalls=3 5\n2 60\nfn=leaf\n5 60\n";

static struct pr_profile *memory(uint64_t seed)
{
    struct capture capture;
    struct pr_profile *profile;
    story_capture(&capture, &(struct capture_head){.version = 12}, seed, 400);
    profile = reading("memray", capture.out.bytes, capture.out.length, PR_OK);
    capture_clear(&capture);
    return profile;
}

static struct pr_profile *text_profile(const char *text)
{
    return reading(NULL, text, strlen(text), PR_OK);
}

/* Takes the inputs over. */
static struct pr_profile *unite(struct pr_profile *const *inputs, size_t count)
{
    static const char *const names[] = {"run.bin", "cpu.json", "graph.out", "more"};
    struct pr_profile *united = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_combine((const struct pr_profile *const *)inputs, names, count, &united, &err), PR_OK);
    for (size_t i = 0; i < count; i++)
        pr_profile_free(inputs[i]);
    check_invariants(united);
    return united;
}

static void assert_same_stacks(const struct pr_profile *united, const char *metric, char *alone)
{
    char *stacks = reading_stacks(united, metric);
    assert_string_equal(stacks, alone);
    free(stacks);
    free(alone);
}

static void each_metric_says_what_it_said_alone(void **state)
{
    (void)state;
    struct pr_profile *run = memory(3), *cpu = text_profile(evented);
    static const char *const names[] = {"peak", "leaked", "temporary", "allocated"};
    char *alone[4], *time = reading_stacks(cpu, "cpu");
    for (size_t i = 0; i < 4; i++)
        alone[i] = reading_stacks(run, names[i]);
    const int64_t peak = run->peak_bytes;
    const uint64_t allocated = run->stats.allocated_bytes;
    struct pr_profile *united = unite((struct pr_profile *[]){run, cpu}, 2);
    for (size_t i = 0; i < 4; i++)
        assert_same_stacks(united, names[i], alone[i]);
    assert_same_stacks(united, "cpu", time);
    assert_int_equal(united->part_count, 2);
    assert_string_equal(united->parts[1].format, "speedscope");
    assert_string_equal(pr_profile_text(united, united->parts[1].name).bytes, "cpu.json");
    assert_int_equal(united->peak_bytes, peak);
    assert_int_equal(united->stats.allocated_bytes, allocated);
    assert_int_equal(united->metrics[pr_profile_metric(united, "cpu")].total_value, 10000000);
    assert_true(pr_metric_has_allocations(united, &united->metrics[0]));
    assert_false(pr_metric_has_allocations(united, &united->metrics[pr_profile_metric(united, "cpu")]));
    pr_profile_free(united);
}

/* The peak of each window, whichever input comes first. */
static void windows_and_the_order_of_time_stay(void **state)
{
    (void)state;
    for (int memory_first = 0; memory_first < 2; memory_first++) {
        struct pr_profile *alone = memory(5), *run = memory(5), *cpu = text_profile(evented);
        struct pr_profile *united =
            unite((struct pr_profile *[]){memory_first ? run : cpu, memory_first ? cpu : run}, 2);
        assert_int_equal(united->bin_count, alone->bin_count);
        assert_true(alone->bin_count > 3);
        for (uint32_t last = 0; last < alone->bin_count; last++) {
            const struct pr_window window = {last / 2, last};
            struct pr_profile before, after;
            void *columns[2];
            assert_int_equal(pr_window_view(alone, &window, &before, &columns[0], NULL), PR_OK);
            assert_int_equal(pr_window_view(united, &window, &after, &columns[1], NULL), PR_OK);
            assert_same_stacks(&after, "peak", reading_stacks(&before, "peak"));
            assert_same_stacks(&after, "leaked", reading_stacks(&before, "leaked"));
            free(columns[0]);
            free(columns[1]);
        }
        assert_int_equal(united->slice_count, 3);
        assert_int_equal(united->slices[1].start_ns, 2000000);
        const pr_node_id leaf = united->fact_leaf[united->slices[1].fact];
        const struct pr_frame *frame = &united->frames[united->tree.frame[leaf]];
        assert_string_equal(pr_profile_text(united, frame->function).bytes, "work");
        pr_profile_free(alone);
        pr_profile_free(united);
    }
}

static const struct pr_row *row_of(const struct pr_profile *profile, const struct pr_table *table,
                                   const char *function)
{
    for (size_t i = 0; i < table->count; i++) {
        if (!strcmp(pr_profile_text(profile, table->row[i].function).bytes, function))
            return &table->row[i];
    }
    return NULL;
}

static void exact_figures_are_those_of_their_metric(void **state)
{
    (void)state;
    struct pr_profile *united =
        unite((struct pr_profile *[]){text_profile(evented), memory(1), text_profile(graph)}, 3);
    const int counted = pr_profile_metric(united, "cpu-callgrind"), time = pr_profile_metric(united, "cpu");
    struct pr_table table;
    assert_true(counted > 0);
    assert_int_equal(time, 0);
    assert_int_equal(pr_table_make(united, (unsigned)counted, PR_BY_FUNCTION, false, &table, NULL), PR_OK);
    assert_int_equal(row_of(united, &table, "leaf")->self, 60);
    assert_int_equal(row_of(united, &table, "main")->total, 70);
    assert_null(row_of(united, &table, "work"));
    pr_table_clear(&table);
    assert_int_equal(pr_table_make(united, (unsigned)time, PR_BY_FUNCTION, false, &table, NULL), PR_OK);
    assert_int_equal(row_of(united, &table, "work")->self, 7000000);
    assert_int_equal(row_of(united, &table, "main")->total, 10000000);
    assert_int_equal(row_of(united, &table, "work")->allocator, PR_ALLOC_NONE);
    assert_null(row_of(united, &table, "leaf"));
    pr_table_clear(&table);
    pr_profile_free(united);
}

static void united_profiles_may_be_united(void **state)
{
    (void)state;
    struct pr_profile *two = unite((struct pr_profile *[]){memory(2), text_profile(graph)}, 2);
    struct pr_profile *three = unite((struct pr_profile *[]){two, text_profile(evented)}, 2);
    assert_int_equal(three->part_count, 3);
    assert_string_equal(three->parts[2].format, "speedscope");
    assert_int_equal(three->metrics[three->metric_count - 1].part, 2);
    assert_int_equal(three->metrics[three->metric_count - 2].part, 1);
    assert_true(pr_metric_has_allocations(three, &three->metrics[0]));
    pr_profile_free(three);
}

static struct pr_profile *join(struct pr_profile *const *inputs, size_t count)
{
    struct pr_assemble *all;
    struct pr_profile *run;
    struct pr_error err = {0};
    assert_int_equal(pr_assemble_new(&all, &err), PR_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pr_assemble_add(all, inputs[i], i ? "b" : NULL, &err), PR_OK);
    assert_int_equal(pr_assemble_finish(all, &run, &err), PR_OK);
    pr_assemble_free(all);
    check_invariants(run);
    return run;
}

static void a_kind_is_merged_and_kinds_are_united(void **state)
{
    (void)state;
    struct pr_profile *one = memory(1), *same = join(&one, 1);
    const int64_t peak = same->metrics[pr_profile_metric(same, "peak")].total_value;
    assert_ptr_equal(one, same);
    struct pr_profile *run = join(
        (struct pr_profile *[]){same, text_profile(evented), memory(1), text_profile(evented), text_profile(graph)}, 5);
    assert_int_equal(run->metrics[pr_profile_metric(run, "peak")].total_value, 2 * peak);
    assert_int_equal(run->metrics[pr_profile_metric(run, "cpu")].total_value, 20000000);
    assert_int_equal(run->metrics[pr_profile_metric(run, "cpu-callgrind")].total_value, 70);
    assert_int_equal(run->part_count, 3);
    pr_profile_free(run);
}

/* Two tools that timed the same run: a sum would have it twice. */
static void formats_are_next_to_each_other(void **state)
{
    (void)state;
    static const char trace[] = "[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":5}]";
    struct pr_profile *run = join((struct pr_profile *[]){text_profile(evented), text_profile(trace)}, 2);
    assert_int_equal(run->metrics[pr_profile_metric(run, "cpu")].total_value, 10000000);
    assert_int_equal(run->metrics[pr_profile_metric(run, "cpu-trace-event")].total_value, 5000);
    assert_int_equal(run->part_count, 2);
    pr_profile_free(run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct pr_profile *run = memory(4), *cpu = text_profile(evented), *calls = text_profile(graph);
    const struct pr_profile *inputs[] = {run, cpu, calls};
    for (unsigned long n = 1;; n++) {
        struct pr_profile *united;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_combine(inputs, NULL, 3, &united, &err);
        const bool failed = alloc_fail_stop();
        pr_profile_free(united);
        if (!failed)
            break;
        assert_int_equal(status, PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY);
        assert_null(united);
    }
    pr_profile_free(run);
    pr_profile_free(cpu);
    pr_profile_free(calls);
}

static struct pr_profile *sum_of(struct pr_profile *a, struct pr_profile *b)
{
    struct pr_merger *merger;
    struct pr_profile *sum = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_merger_new(PR_MERGE_ADD, &merger, &err), PR_OK);
    assert_int_equal(pr_merger_add(merger, a, "a.prz", &err), PR_OK);
    assert_int_equal(pr_merger_add(merger, b, "b.prz", &err), PR_OK);
    assert_int_equal(pr_merger_finish(merger, &sum, &err), PR_OK);
    pr_merger_free(merger);
    check_invariants(sum);
    return sum;
}

static void sums_keep_the_inputs_that_all_have(void **state)
{
    (void)state;
    struct pr_profile *a = unite((struct pr_profile *[]){memory(3), text_profile(evented)}, 2),
                      *b = unite((struct pr_profile *[]){memory(4), text_profile(evented)}, 2),
                      *other = unite((struct pr_profile *[]){memory(5), text_profile(graph)}, 2);
    const uint64_t size = a->parts[0].size_bytes + b->parts[0].size_bytes;
    struct pr_profile *sum = sum_of(a, b), *more = sum_of(sum, a), *mixed = sum_of(sum, other);
    const int cpu = pr_profile_metric(more, "cpu");
    assert_int_equal(sum->part_count, 2);
    assert_int_equal(sum->parts[0].size_bytes, size);
    assert_int_equal(more->part_count, 2);
    assert_string_equal(more->parts[1].format, "speedscope");
    assert_string_equal(pr_profile_text(more, more->parts[1].name).bytes, "cpu.json");
    assert_int_equal(more->metrics[cpu].part, 1);
    assert_false(pr_metric_has_allocations(more, &more->metrics[cpu]));
    assert_int_equal(mixed->part_count, 0);
    struct pr_profile *const all[] = {a, b, other, sum, more, mixed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pr_profile_free(all[i]);
}

/* A profile of one process with threads of these ids and names, each with one sample. */
static struct pr_profile *threads_named(const char *format, const char *const *names, size_t count, unsigned first_id)
{
    char text[2000];
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{"
                                     "\"frames\":[{\"name\":\"%s\"}]},\"profiles\":[",
                                     format);
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%s{\"type\":\"sampled\",\"name\":\"Process 7 Thread %zu \\\"%s\\\"\","
                                   "\"unit\":\"seconds\",\"startValue\":0,\"endValue\":1,\"samples\":[[0]],"
                                   "\"weights\":[1]}",
                                   i ? "," : "", first_id + i, names[i]);
    snprintf(text + length, sizeof text - length, "]}");
    return text_profile(text);
}

static size_t of_name(const struct pr_profile *profile, const char *name)
{
    size_t count = 0;
    for (uint32_t i = 0; i < profile->thread_count; i++)
        count += !strcmp(pr_profile_text(profile, profile->threads[i].name).bytes, name);
    return count;
}

/* Each profiler has its own numbers for threads; their names are the program's. */
static void a_thread_that_all_inputs_name_is_one(void **state)
{
    (void)state;
    static const char *const first[] = {"MainThread", "load", "pool", "pool"},
                             *const second[] = {"load", "pool", "save"};
    struct pr_profile *united =
        unite((struct pr_profile *[]){threads_named("a", first, 4, 7), threads_named("b", second, 3, 1)}, 2);
    assert_int_equal(of_name(united, "load"), 1);
    assert_int_equal(of_name(united, "pool"), 3); /* which of the two it is, nobody knows */
    assert_int_equal(of_name(united, "save"), 1);
    assert_int_equal(united->thread_count, 6);
    pr_profile_free(united);
}

/* The kernel gives the main thread the number of the process, memray has its own of it: known, in any order. */
static void the_main_thread_is_one(void **state)
{
    (void)state;
    static const char *const names[] = {"MainThread", "only here"};
    for (int memory_first = 0; memory_first < 2; memory_first++) {
        struct pr_profile *run = memory(3), *cpu = threads_named("a", names, 2, 7);
        ((struct pr_process *)run->processes)[0].pid = 7;
        run->meta.format = "memray";
        run->meta.main_tid = run->threads[0].tid;
        for (uint32_t i = 0; i < run->thread_count; i++)
            ((struct pr_thread *)run->threads)[i].name = 0;
        const uint32_t others = run->thread_count - 1;
        struct pr_profile *united =
            unite((struct pr_profile *[]){memory_first ? run : cpu, memory_first ? cpu : run}, 2);
        assert_int_equal(united->thread_count, 2 + others);
        assert_int_equal(of_name(united, "MainThread"), 1);
        assert_int_equal(united->meta.main_tid, 7);
        pr_profile_free(united);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_all_inputs_name_is_one),
        cmocka_unit_test(the_main_thread_is_one),
        cmocka_unit_test(each_metric_says_what_it_said_alone),
        cmocka_unit_test(windows_and_the_order_of_time_stay),
        cmocka_unit_test(exact_figures_are_those_of_their_metric),
        cmocka_unit_test(united_profiles_may_be_united),
        cmocka_unit_test(a_kind_is_merged_and_kinds_are_united),
        cmocka_unit_test(formats_are_next_to_each_other),
        cmocka_unit_test(sums_keep_the_inputs_that_all_have),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("combine", tests, NULL, NULL);
}
