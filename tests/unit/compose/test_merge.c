/* SPDX-License-Identifier: Apache-2.0 */
/* Merging: what is added up, what is left out, and that neither order nor grouping affects the result. */
#include "tests/support/unit.h"

#include "profrender/load.h"
#include "profrender/digest.h"
#include "profrender/merge.h"
#include "profrender/combine.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"
#include "tests/support/profile_maker.h"
#include "tests/support/random_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sum of COUNT profiles, in this order. */
static struct pr_profile *merge_as(enum pr_merge_mode mode, struct pr_profile *const *profiles, size_t count)
{
    struct pr_merger *merger;
    struct pr_profile *sum = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_merger_new(mode, &merger, &err), PR_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pr_merger_add(merger, profiles[i], "runs/one.bin", &err), PR_OK);
    if (pr_merger_finish(merger, &sum, &err) == PR_FAILED)
        fail_msg("%s", err.text);
    pr_merger_free(merger);
    check_invariants(sum);
    return sum;
}

static struct pr_profile *merge(struct pr_profile *const *profiles, size_t count)
{
    return merge_as(PR_MERGE_ADD, profiles, count);
}

static struct pr_profile *merge_two(struct pr_profile *a, struct pr_profile *b)
{
    return merge((struct pr_profile *const[]){a, b}, 2);
}

static void free_all(struct pr_profile *const *profiles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pr_profile_free(profiles[i]);
}

static struct pr_profile *reload(const struct pr_profile *profile)
{
    struct pr_buf bytes = {0};
    struct pr_profile *same = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_digest_write(profile, &bytes, &err), PR_OK);
    assert_int_not_equal(pr_load_memory("sum.prz", bytes.bytes, bytes.length, NULL, &same, &err), PR_FAILED);
    pr_buf_clear(&bytes);
    return same;
}

static void assert_same_digest(const struct pr_profile *a, const struct pr_profile *b)
{
    struct pr_buf of_a = {0}, of_b = {0};
    struct pr_error err = {0};
    assert_int_equal(pr_digest_write(a, &of_a, &err), PR_OK);
    assert_int_equal(pr_digest_write(b, &of_b, &err), PR_OK);
    assert_int_equal(of_a.length, of_b.length);
    assert_memory_equal(of_a.bytes, of_b.bytes, of_a.length);
    pr_buf_clear(&of_a);
    pr_buf_clear(&of_b);
}

static struct pr_profile *load_capture(struct capture *capture)
{
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    assert_int_not_equal(pr_load_memory("capture", capture->out.bytes, capture->out.length, NULL, &profile, &err),
                         PR_FAILED);
    capture_clear(capture);
    return profile;
}

static struct pr_profile *native_story(uint64_t seed)
{
    struct capture capture;
    story_capture(&capture, &(struct capture_head){.version = 13, .native_traces = true}, seed, 150);
    return load_capture(&capture);
}

static struct pr_profile *story(int version, bool aggregated, uint64_t seed)
{
    struct capture capture;
    story_capture(&capture, &(struct capture_head){.version = version, .aggregated = aggregated}, seed, 150);
    return load_capture(&capture);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

struct made {
    const char *stack;
    uint64_t tid;
    const char *thread;
    int64_t bytes, count;
};

static struct pr_profile *make(const char *metric, const struct made *facts, size_t count)
{
    struct maker *maker = maker_new();
    unsigned number = maker_metric(maker, metric, "Title", PR_UNIT_BYTES, "allocations");
    for (size_t i = 0; i < count; i++) {
        uint32_t thread = maker_thread(maker, facts[i].tid, facts[i].thread);
        size_t fact = maker_fact(maker, maker_stack(maker, facts[i].stack), thread, PR_ALLOC_MALLOC);
        maker_value(maker, fact, number, facts[i].bytes, facts[i].count);
    }
    return maker_finish(maker);
}

#define MAKE(metric, ...)                                                                                              \
    make(metric, (const struct made[]){__VA_ARGS__}, sizeof((struct made[]){__VA_ARGS__}) / sizeof(struct made))

/* "main/load 7 MainThread": leaf stack by function, thread and value of fact I of the first metric. */
static const char *fact_text(const struct pr_profile *profile, size_t i)
{
    static char text[256];
    char stack[128] = "";
    for (pr_node_id node = profile->fact_leaf[i]; node != PR_ROOT; node = profile->tree.parent[node]) {
        char longer[128];
        const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
        snprintf(longer, sizeof longer, "%.40s%s%.80s", pr_profile_text(profile, frame->function).bytes,
                 *stack ? "/" : "", stack);
        memcpy(stack, longer, sizeof stack);
    }
    snprintf(text, sizeof text, "%s %lld %s", stack, (long long)profile->metrics[0].value[i],
             pr_profile_text(profile, profile->threads[profile->fact_thread[i]].name).bytes);
    return text;
}

static void the_same_stack_is_the_same_stack(void **state)
{
    (void)state;
    struct pr_profile *a = MAKE("peak", {"main@a.py:1 load@a.py:2", 1, "x", 5, 1}, {"main@a.py:1", 1, "x", 7, 2});
    struct pr_profile *b = MAKE("peak", {"main@a.py:1 load@a.py:2", 1, "x", 30, 3}, {"other@b.py:9", 1, "x", 1, 1});
    struct pr_profile *sum = merge_two(a, b);
    assert_int_equal(sum->fact_count, 3);
    assert_int_equal(sum->tree.count, 4);
    assert_string_equal(fact_text(sum, 0), "main 7 x");
    assert_string_equal(fact_text(sum, 1), "main/load 35 x");
    assert_string_equal(fact_text(sum, 2), "other 1 x");
    assert_int_equal(sum->metrics[0].count[1], 4);
    assert_int_equal(sum->metrics[0].total_value, 43);
    assert_int_equal(sum->metrics[0].total_count, 7);
    free_all((struct pr_profile *[]){a, b, sum}, 3);
}

static void threads_are_distinguished_by_number_and_name(void **state)
{
    (void)state;
    struct pr_profile *a = MAKE("peak", {"f@a.py:1", 1, "main", 1, 1}, {"f@a.py:1", 2, "pool", 2, 1});
    struct pr_profile *b = MAKE("peak", {"f@a.py:1", 2, "pool", 10, 1}, {"f@a.py:1", 2, "other", 20, 1});
    struct pr_profile *sum = merge_two(a, b);
    assert_int_equal(sum->thread_count, 3);
    assert_string_equal(fact_text(sum, 0), "f 1 main");
    assert_string_equal(fact_text(sum, 1), "f 20 other");
    assert_string_equal(fact_text(sum, 2), "f 12 pool");
    free_all((struct pr_profile *[]){a, b, sum}, 3);
}

static void sums_stop_at_the_most_there_can_be(void **state)
{
    (void)state;
    struct pr_profile *a = MAKE("peak", {"f@a.py:1", 1, "", INT64_MAX - 1, 1});
    struct pr_profile *sum = merge((struct pr_profile *const[]){a, a, a}, 3);
    assert_int_equal(sum->metrics[0].value[0], INT64_MAX);
    assert_int_equal(sum->metrics[0].total_value, INT64_MAX);
    free_all((struct pr_profile *[]){a, sum}, 2);
}

static void what_cancels_out_is_gone(void **state)
{
    (void)state;
    struct pr_profile *a = MAKE("time", {"f@a.py:1", 1, "", 5, 0}, {"g@a.py:1", 1, "", 1, 0});
    struct pr_profile *b = MAKE("time", {"f@a.py:1", 1, "", -5, 0});
    struct pr_profile *sum = merge_two(a, b);
    assert_int_equal(sum->fact_count, 1);
    assert_int_equal(sum->tree.count, 2);
    assert_int_equal(sum->frame_count, 1);
    free_all((struct pr_profile *[]){a, b, sum}, 3);
}

static void native_stacks_meet_stacks_without_them(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    unsigned peak = maker_metric(maker, "peak", "Title", PR_UNIT_BYTES, "allocations");
    pr_node_id leaf = maker_stack(maker, "f@a.py:1");
    pr_node_id native = maker_node(maker, leaf, maker_frame(maker, "malloc", "libc.so.6", 0, PR_FRAME_NATIVE));
    maker_thread(maker, 1, "");
    size_t with = maker_fact(maker, leaf, 0, PR_ALLOC_MALLOC), without = maker_fact(maker, leaf, 0, PR_ALLOC_MALLOC);
    maker_hybrid(maker, with, native);
    maker_value(maker, with, peak, 1, 1);
    maker_value(maker, without, peak, 2, 1);
    struct pr_profile *a = maker_finish(maker), *b = MAKE("peak", {"f@a.py:1", 1, "", 40, 1});
    struct pr_profile *sum = merge_two(b, a);
    assert_non_null(sum->fact_hybrid);
    assert_int_equal(sum->fact_count, 2);
    assert_int_equal(sum->fact_hybrid[0], sum->fact_leaf[0]);
    assert_int_equal(sum->metrics[0].value[0], 42);
    assert_int_equal(sum->tree.parent[sum->fact_hybrid[1]], sum->fact_leaf[1]);
    free_all((struct pr_profile *[]){a, b, sum}, 3);
}

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

static void a_metric_stays_if_all_have_it(void **state)
{
    (void)state;
    struct pr_profile *all = story(13, false, 1), *totals = story(13, true, 2);
    struct pr_merger *merger;
    struct pr_profile *sum;
    assert_int_equal(pr_merger_new(PR_MERGE_ADD, &merger, NULL), PR_OK);
    assert_int_equal(pr_merger_add(merger, totals, NULL, NULL), PR_OK);
    assert_null(pr_merger_left_out(merger, 0));
    assert_int_equal(pr_merger_add(merger, all, NULL, NULL), PR_OK);
    assert_int_equal(pr_merger_finish(merger, &sum, NULL), PR_OK);
    assert_int_equal(sum->metric_count, 2);
    assert_string_equal(sum->metrics[0].name, "peak");
    assert_string_equal(sum->metrics[1].name, "leaked");
    assert_string_equal(pr_merger_left_out(merger, 0), "temporary");
    assert_string_equal(pr_merger_left_out(merger, 1), "allocated");
    assert_null(pr_merger_left_out(merger, 2));
    assert_false(sum->stats.known);
    pr_merger_free(merger);
    free_all((struct pr_profile *[]){all, totals, sum}, 3);
}

static void nothing_in_common_is_an_error(void **state)
{
    (void)state;
    struct pr_profile *a = MAKE("peak", {"f@a.py:1", 1, "", 1, 1}), *b = MAKE("cpu", {"f@a.py:1", 1, "", 1, 1});
    struct pr_merger *merger;
    struct pr_profile *sum;
    struct pr_error err = {0};
    assert_int_equal(pr_merger_new(PR_MERGE_ADD, &merger, NULL), PR_OK);
    assert_int_equal(pr_merger_add(merger, a, NULL, NULL), PR_OK);
    assert_int_equal(pr_merger_add(merger, b, NULL, NULL), PR_OK);
    assert_int_equal(pr_merger_finish(merger, &sum, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_ABSENT);
    assert_null(sum);
    pr_merger_free(merger);
    free_all((struct pr_profile *[]){a, b}, 2);
}

static void nothing_at_all_is_an_error(void **state)
{
    (void)state;
    struct pr_merger *merger;
    struct pr_profile *sum;
    struct pr_error err = {0};
    assert_int_equal(pr_merger_new(PR_MERGE_ADD, &merger, NULL), PR_OK);
    assert_int_equal(pr_merger_finish(merger, &sum, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_EMPTY);
    pr_merger_free(merger);
    pr_merger_free(NULL);
}

static void temporaries_of_another_threshold_are_something_else(void **state)
{
    (void)state;
    struct pr_profile *a = story(13, false, 1), *b = story(13, false, 2), *same = merge_two(a, b);
    assert_int_equal(pr_profile_metric(same, "temporary"), 2);
    assert_int_equal(same->origin.temporary_threshold, 1);
    b->origin.temporary_threshold = 5;
    struct pr_profile *sum = merge_two(a, b);
    assert_int_equal(pr_profile_metric(sum, "temporary"), -1);
    assert_int_equal(pr_profile_metric(sum, "allocated"), 2);
    free_all((struct pr_profile *[]){a, b, same, sum}, 4);
}

static void decimals_become_those_of_the_finest(void **state)
{
    (void)state;
    struct pr_profile *a = MAKE("weight", {"f@a.py:1", 1, "", 3, 1}), *b = MAKE("weight", {"f@a.py:1", 1, "", 25, 1});
    struct pr_profile *c = MAKE("weight", {"f@a.py:1", 1, "", INT64_MAX / 2, 1});
    ((struct pr_metric *)b->metrics)[0].decimals = 2;
    struct pr_profile *sum = merge_two(a, b), *other = merge_two(b, a), *most = merge_two(c, b);
    assert_int_equal(sum->metrics[0].decimals, 2);
    assert_int_equal(sum->metrics[0].value[0], 325);
    assert_int_equal(sum->metrics[0].count[0], 2);
    assert_int_equal(most->metrics[0].value[0], INT64_MAX);
    assert_same_digest(sum, other);
    free_all((struct pr_profile *[]){a, b, c, sum, other, most}, 6);
}

static void exact_figures_add_up_by_function(void **state)
{
    (void)state;
    static const struct pr_exact first[] = {{1, 2, 3, 4}, {10, 20, 30, 40}}, second[] = {{100, 200, 300, 400}};
    static const pr_frame_id both[] = {0, 1}, one[] = {0};
    static const uint32_t threads[] = {0, 0};
    struct pr_profile *a = MAKE("cpu", {"f@a.py:1 g@a.py:2", 1, "", 1, 1}), *b = MAKE("cpu", {"g@a.py:2", 1, "", 1, 1});
    struct pr_profile *plain = MAKE("cpu", {"g@a.py:2", 1, "", 1, 1});
    a->exact_count = 2;
    a->exact_frame = both;
    b->exact_count = 1;
    b->exact_frame = one;
    a->exact_thread = b->exact_thread = threads;
    ((struct pr_metric *)a->metrics)[0].exact = first;
    ((struct pr_metric *)b->metrics)[0].exact = second;
    struct pr_profile *sum = merge_two(b, a), *without = merge_two(sum, plain);
    assert_int_equal(sum->exact_count, 2);
    assert_int_equal(sum->metrics[0].exact[0].total, 2);
    assert_int_equal(sum->metrics[0].exact[1].self, 110);
    assert_int_equal(sum->metrics[0].exact[1].total_count, 440);
    assert_int_equal(without->exact_count, 0); /* one of them has no figures itself */
    assert_null(without->metrics[0].exact);
    free_all((struct pr_profile *[]){a, b, plain, sum, without}, 5);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static void what_runs_agree_on_stays_known(void **state)
{
    (void)state;
    struct pr_profile *a = story(13, false, 1), *b = story(13, false, 2), *c = story(12, false, 3);
    struct pr_profile *sum = merge_two(a, b), *mixed = merge_two(sum, c);
    assert_string_equal(sum->meta.format, "memray");
    assert_int_equal(sum->meta.format_version, 13);
    assert_int_equal(mixed->meta.format_version, 0);
    assert_string_equal(pr_profile_text(sum, sum->meta.command_line).bytes, "app.py");
    assert_int_equal(sum->origin.runs, 2);
    assert_int_equal(mixed->origin.runs, 3);
    assert_int_equal(sum->peak_bytes, a->peak_bytes + b->peak_bytes);
    assert_int_equal(sum->origin.highest_peak_bytes, a->peak_bytes > b->peak_bytes ? a->peak_bytes : b->peak_bytes);
    assert_int_equal(mixed->records.allocations,
                     a->records.allocations + b->records.allocations + c->records.allocations);
    assert_int_equal(sum->bin_count, 0);
    assert_int_equal(sum->series_count, 0);
    assert_false(sum->peak_at_ms.known);
    free_all((struct pr_profile *[]){a, b, c, sum, mixed}, 5);
}

static void runs_that_broke_off_are_counted(void **state)
{
    (void)state;
    struct capture capture;
    capture_begin(&capture, &(struct capture_head){.version = 13});
    story_tell(&capture, 5, 100);
    struct pr_profile *cut = load_capture(&capture), *whole = story(13, false, 2);
    struct pr_profile *sum = merge_two(cut, whole), *again = merge_two(sum, cut);
    assert_false(sum->complete);
    assert_string_equal(sum->problem.text, "1 of 2 inputs are not complete");
    assert_string_equal(again->problem.text, "2 of 3 inputs are not complete");
    free_all((struct pr_profile *[]){cut, whole, sum, again}, 4);
}

/* One run, which ended with EXIT, and with an exception if that is not 0. */
static struct pr_profile *run_that_ended(int64_t exit)
{
    static struct pr_trace_frame frames[1];
    static struct pr_exception exceptions[1];
    struct maker *maker = maker_new();
    unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    maker_thread(maker, 1, "");
    maker_value(maker, maker_fact(maker, maker_stack(maker, "main@a.py:1"), 0, PR_ALLOC_MALLOC), peak, 100, 1);
    frames[0] = (struct pr_trace_frame){maker_string(maker, "main"), maker_string(maker, "a.py"), 1};
    exceptions[0] = (struct pr_exception){
        .type = maker_string(maker, "KeyError"), .frame_count = 1, .frames = frames};
    const pr_str name = maker_string(maker, "nightly"), notes = maker_string(maker, "*why*"),
                 words = maker_string(maker, "Traceback");
    struct pr_profile *profile = maker_finish(maker);
    profile->run = (struct pr_run){.name = name,
                                   .notes = notes,
                                   .wall_ns = {true, 17},
                                   .failure = {.exit = {true, exit}, .oom = exit ? PR_OOM_UNKNOWN : PR_OOM_NO}};
    if (exit) {
        profile->run.failure.exception_count = 1;
        profile->run.failure.exceptions = exceptions;
        profile->run.failure.traceback = words;
    }
    return profile;
}

static void a_run_stays_where_it_is_the_only_one(void **state)
{
    (void)state;
    struct pr_profile *run = run_that_ended(3), *sum = merge(&run, 1), *again = merge(&sum, 1);
    const struct pr_failure *failure = &again->run.failure;
    assert_same_digest(sum, again);
    assert_int_equal(failure->exit.value, 3);
    assert_int_equal(failure->exception_count, 1);
    assert_string_equal(pr_profile_text(again, failure->exceptions[0].type).bytes, "KeyError");
    assert_string_equal(pr_profile_text(again, failure->exceptions[0].frames[0].file).bytes, "a.py");
    assert_string_equal(pr_profile_text(again, failure->traceback).bytes, "Traceback");
    assert_string_equal(pr_profile_text(again, again->run.notes).bytes, "*why*");
    assert_int_equal(again->run.wall_ns.value, 17);
    assert_int_equal(again->origin.failed_runs, 0);
    free_all((struct pr_profile *const[]){run, sum, again}, 3);
}

static void failed_runs_are_counted(void **state)
{
    (void)state;
    struct pr_profile *runs[] = {run_that_ended(1), run_that_ended(0), run_that_ended(3)};
    struct pr_profile *all = merge(runs, 3), *one = merge(runs, 1), *others = merge(runs + 1, 2);
    struct pr_profile *groups = merge_two(others, one);
    assert_int_equal(all->origin.failed_runs, 2);
    assert_int_equal(others->origin.failed_runs, 1);
    assert_false(pr_run_is_known(&all->run));
    assert_same_digest(all, groups);
    free_all(runs, 3);
    free_all((struct pr_profile *const[]){all, one, others, groups}, 4);
}

static void statistics_of_the_sum_are_those_of_all_allocations(void **state)
{
    (void)state;
    struct pr_profile *a = story(13, false, 7), *twice = merge_two(a, a);
    assert_true(twice->stats.known);
    assert_int_equal(twice->stats.allocation_count, 2 * a->stats.allocation_count);
    assert_int_equal(twice->stats.histogram_count, a->stats.histogram_count);
    for (uint32_t i = 0; i < a->stats.histogram_count; i++) {
        assert_int_equal(twice->stats.histogram[i].max_bytes, a->stats.histogram[i].max_bytes);
        assert_int_equal(twice->stats.histogram[i].count, 2 * a->stats.histogram[i].count);
    }
    assert_int_equal(twice->stats.by_size[0].bytes, 2 * a->stats.by_size[0].bytes);
    assert_int_equal(twice->stats.modules_by_count[0].count, 2 * a->stats.modules_by_count[0].count);
    free_all((struct pr_profile *[]){a, twice}, 2);
}

/* ---- order and grouping ----------------------------------------------------------------------------------------- */

/* Merges some of them first, those again, and so on; now and then through a digest. The result is owned. */
static struct pr_profile *merge_in_groups(struct pr_profile *const *profiles, size_t count, uint64_t *random)
{
    if (count == 1)
        return random_below(random, 2) ? reload(profiles[0]) : merge(profiles, 1);
    const size_t half = 1 + random_below(random, (uint32_t)count - 1);
    struct pr_profile *parts[] = {merge_in_groups(profiles, half, random),
                                  merge_in_groups(profiles + half, count - half, random)};
    struct pr_profile *sum = merge(parts, 2);
    free_all(parts, 2);
    if (!random_below(random, 2))
        return sum;
    struct pr_profile *same = reload(sum);
    pr_profile_free(sum);
    return same;
}

static void shuffle(struct pr_profile **profiles, size_t count, uint64_t *random)
{
    for (size_t i = count; i > 1; i--) {
        const size_t other = random_below(random, (uint32_t)i);
        struct pr_profile *swap = profiles[i - 1];
        profiles[i - 1] = profiles[other];
        profiles[other] = swap;
    }
}

static void neither_order_nor_grouping_shows(void **state)
{
    (void)state;
    enum { MOST = 7 };
    uint64_t random = 1;
    for (int round = 0; round < 60; round++) {
        const size_t count = 2 + random_below(&random, MOST - 1);
        struct pr_profile *profiles[MOST];
        for (size_t i = 0; i < count; i++)
            profiles[i] = story(6 + (int)random_below(&random, 8), false, random_below(&random, 9));
        if (random_below(&random, 3) == 0) {
            pr_profile_free(profiles[0]);
            profiles[0] = story(13, true, random_below(&random, 9));
        }
        profiles[count - 1]->origin.temporary_threshold += random_below(&random, 2);
        struct pr_profile *sum = merge(profiles, count);
        shuffle(profiles, count, &random);
        struct pr_profile *same = merge_in_groups(profiles, count, &random);
        assert_same_digest(sum, same);
        free_all(profiles, count);
        free_all((struct pr_profile *[]){sum, same}, 2);
    }
}

/* "cpu" and some of "a", "b", "c", in any order, with labels as they come, and counts or none. */
static struct pr_profile *random_labels(uint64_t *random)
{
    static const char *const names[] = {"cpu", "a", "b", "c"}, *const counts[] = {NULL, "samples", "samples", "calls"};
    static const char *const titles[] = {"Time", "CPU", "CPU time"}, *const formats[] = {"one", "two"};
    struct maker *maker = maker_new();
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const stacks[] = {"f@a.py:1", "f@a.py:1 g@a.py:2", "g@a.py:2"};
        maker_fact(maker, maker_stack(maker, stacks[i]), 0, PR_ALLOC_NONE);
    }
    const uint32_t first = random_below(random, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const char *name = names[(first + i) % 4], *count_name = counts[random_below(random, 4)];
        if (strcmp(name, "cpu") != 0 && random_below(random, 2))
            continue;
        const unsigned metric = maker_metric(maker, name, titles[random_below(random, 3)], PR_UNIT_COUNT, count_name);
        for (uint32_t fact = 0; fact < 3; fact++)
            maker_value(maker, fact, metric, random_below(random, 3), random_below(random, 3));
    }
    maker_meta(maker)->format = formats[random_below(random, 2)];
    return maker_finish(maker);
}

/* One input, or two of them, whose metrics are next to each other. */
static struct pr_profile *random_inputs(uint64_t *random)
{
    struct pr_profile *first = random_labels(random), *united = NULL;
    struct pr_error err = {0};
    if (!random_below(random, 3))
        return first;
    struct pr_profile *inputs[] = {first, random_labels(random)};
    assert_int_equal(pr_combine((const struct pr_profile *const *)inputs, NULL, 2, &united, &err), PR_OK);
    free_all(inputs, 2);
    return united;
}

/* Titles, units, words for counts, and which input a metric came from. */
static void labels_do_not_depend_on_order_or_grouping(void **state)
{
    (void)state;
    enum { MOST = 5 };
    uint64_t random = 7;
    for (int round = 0; round < 1000; round++) {
        const size_t count = 2 + random_below(&random, MOST - 1);
        struct pr_profile *profiles[MOST];
        for (size_t i = 0; i < count; i++)
            profiles[i] = random_inputs(&random);
        struct pr_profile *sum = merge(profiles, count);
        shuffle(profiles, count, &random);
        struct pr_profile *same = merge_in_groups(profiles, count, &random);
        assert_same_digest(sum, same);
        free_all(profiles, count);
        free_all((struct pr_profile *[]){sum, same}, 2);
    }
}

static void counts_stay_where_all_have_the_same(void **state)
{
    (void)state;
    struct pr_profile *samples = MAKE("peak", {"f@a.py:1", 1, "x", 5, 2});
    struct pr_profile *calls = MAKE("peak", {"f@a.py:1", 1, "x", 7, 4});
    ((struct pr_metric *)calls->metrics)[0].count_name = "calls";
    struct pr_profile *same = merge_two(samples, samples), *sum = merge_two(samples, calls);
    assert_string_equal(same->metrics[0].count_name, "allocations");
    assert_int_equal(same->metrics[0].count[0], 4);
    assert_null(sum->metrics[0].count_name);
    assert_null(sum->metrics[0].count);
    assert_int_equal(sum->metrics[0].value[0], 12);
    free_all((struct pr_profile *[]){samples, calls, same, sum}, 4);
}

/* The first metric is the one all inputs agree on, otherwise the usual one. */
static void the_main_metric_does_not_depend_on_order(void **state)
{
    (void)state;
    static const char *const orders[][3] = {
        {"b", "a", "c"}, {"a", "b", "c"}, {"b", "c", "peak"}, {"b", "c", "a"}, {"c", "b", "peak"}};
    enum { COUNT = sizeof orders / sizeof *orders };
    struct pr_profile *profiles[COUNT];
    uint64_t random = 3;
    for (size_t i = 0; i < COUNT; i++) {
        struct maker *maker = maker_new();
        size_t fact = maker_fact(maker, maker_stack(maker, "f@a.py:1"), 0, PR_ALLOC_NONE);
        for (int k = 0; k < 3; k++)
            maker_value(maker, fact, maker_metric(maker, orders[i][k], "T", PR_UNIT_COUNT, NULL), 1 + k, 0);
        profiles[i] = maker_finish(maker);
    }
    for (int round = 0; round < 100; round++) {
        const size_t count = 2 + random_below(&random, COUNT - 1);
        shuffle(profiles, COUNT, &random);
        struct pr_profile *sum = merge(profiles, count);
        shuffle(profiles, count, &random);
        struct pr_profile *same = merge_in_groups(profiles, count, &random);
        assert_same_digest(sum, same);
        free_all((struct pr_profile *[]){sum, same}, 2);
    }
    struct pr_profile *agreed = merge((struct pr_profile *const[]){profiles[0], profiles[0]}, 2);
    assert_string_equal(agreed->metrics[0].name, profiles[0]->metrics[0].name);
    pr_profile_free(agreed);
    free_all(profiles, COUNT);
}

/* ---- processes -------------------------------------------------------------------------------------------------- */

static struct pr_profile *process(uint64_t pid, int64_t from_ms, const int64_t *rss, size_t points)
{
    struct maker *maker = maker_new();
    unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    unsigned series = maker_series(maker, "rss", "RSS", PR_UNIT_BYTES);
    maker_thread(maker, 1, "main");
    maker_value(maker, maker_fact(maker, maker_stack(maker, "f@a.py:1"), 0, PR_ALLOC_MALLOC), peak, (int64_t)pid, 1);
    for (size_t i = 0; i < points; i++)
        maker_point(maker, series, from_ms + 10 * (int64_t)i, rss[i]);
    struct pr_profile *profile = maker_finish(maker);
    ((struct pr_process *)profile->processes)[0].pid = pid;
    return profile;
}

static void processes_stand_side_by_side(void **state)
{
    (void)state;
    struct pr_profile *parts[] = {process(20, 0, NULL, 0), process(7, 0, NULL, 0)};
    struct pr_profile *sum = merge_as(PR_MERGE_PROCESSES, parts, 2);
    assert_int_equal(sum->process_count, 2);
    assert_int_equal(sum->processes[0].pid, 20);
    assert_int_equal(sum->thread_count, 2);
    assert_int_equal(sum->threads[1].process, 1);
    assert_int_equal(sum->fact_count, 2);
    assert_string_equal(fact_text(sum, 0), "process 20/f 20 main");
    assert_string_equal(fact_text(sum, 1), "process 7/f 7 main");
    assert_int_equal(sum->frames[sum->tree.frame[1]].kind, PR_FRAME_OTHER);
    assert_int_equal(sum->frames[sum->tree.frame[1]].line, 0);

    struct pr_profile *third = process(30, 0, NULL, 0); /* one more in addition to those that have their frames */
    struct pr_profile *more = merge_as(PR_MERGE_PROCESSES, (struct pr_profile *const[]){sum, third}, 2);
    assert_int_equal(more->process_count, 3);
    assert_string_equal(fact_text(more, 0), "process 20/f 20 main");
    assert_string_equal(fact_text(more, 1), "process 30/f 30 main");
    assert_int_equal(more->threads[2].process, 2);
    free_all((struct pr_profile *[]){parts[0], parts[1], sum, third, more}, 5);
}

static void processes_of_one_number_have_the_names_of_their_files(void **state)
{
    (void)state;
    struct pr_profile *parts[] = {process(7, 0, NULL, 0), process(7, 0, NULL, 0), process(0, 0, NULL, 0)};
    struct pr_profile *sum = merge_as(PR_MERGE_PROCESSES, parts, 3);
    assert_string_equal(fact_text(sum, 0), "one.bin/f 0 main"); /* of a file that does not name its process */
    assert_string_equal(fact_text(sum, 1), "process 7, one.bin/f 7 main");
    assert_string_equal(fact_text(sum, 2), "process 7, one.bin (2)/f 7 main");
    free_all(parts, 3);
    pr_profile_free(sum);
}

static void series_of_processes_add_up_while_they_live(void **state)
{
    (void)state;
    static const int64_t first[] = {100, 200, 300}, second[] = {5, 7};
    struct pr_profile *parts[] = {process(1, 0, first, 3), process(2, 15, second, 2)};
    struct pr_profile *sum = merge_as(PR_MERGE_PROCESSES, parts, 2);
    static const int64_t at_ms[] = {0, 10, 15, 20, 21, 25}, rss[] = {100, 200, 205, 305, 5, 7};
    assert_int_equal(sum->series_count, 1);
    assert_string_equal(sum->series[0].name, "rss");
    assert_int_equal(sum->series[0].count, 6);
    assert_memory_equal(sum->series[0].at_ms, at_ms, sizeof at_ms);
    assert_memory_equal(sum->series[0].value, rss, sizeof rss);
    free_all(parts, 2);
    pr_profile_free(sum);
}

/* A process with a heap that was sampled at 0, 10 and 20 ms, and is known to have been highest at another time. */
static struct pr_profile *heap_of(uint64_t pid, int64_t peak, int64_t peak_at_ms)
{
    struct maker *maker = maker_new();
    const unsigned metric = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    const unsigned series = maker_series(maker, "heap", "Heap", PR_UNIT_BYTES);
    maker_thread(maker, 1, "main");
    maker_value(maker, maker_fact(maker, maker_stack(maker, "f@a.py:1"), 0, PR_ALLOC_MALLOC), metric, peak, 1);
    for (int64_t i = 0; i < 3; i++)
        maker_point(maker, series, 10 * i, 1 + i);
    struct pr_profile *profile = maker_finish(maker);
    ((struct pr_process *)profile->processes)[0].pid = pid;
    profile->peak_bytes = peak;
    profile->peak_at_ms = (struct pr_maybe){true, peak_at_ms};
    return profile;
}

static void no_process_held_more_than_all_together(void **state)
{
    (void)state;
    struct pr_profile *parts[] = {heap_of(1, 100, 7), heap_of(2, 400, 35)};
    struct pr_profile *sum = merge_as(PR_MERGE_PROCESSES, parts, 2);
    static const int64_t at_ms[] = {0, 7, 10, 20, 21, 35}, heap[] = {2, 101, 4, 6, 3, 400};
    assert_int_equal(sum->series_count, 1);
    assert_int_equal(sum->series[0].count, 6);
    assert_memory_equal(sum->series[0].at_ms, at_ms, sizeof at_ms);
    assert_memory_equal(sum->series[0].value, heap, sizeof heap);

    /* At the time of a sample the peak counts, and a sum has its peaks already. */
    struct pr_profile *third = heap_of(3, 50, 20);
    sum->peak_bytes = 1000000;
    sum->peak_at_ms = (struct pr_maybe){true, 1};
    struct pr_profile *more = merge_as(PR_MERGE_PROCESSES, (struct pr_profile *const[]){sum, third}, 2);
    assert_int_equal(more->series[0].count, 6);
    assert_int_equal(more->series[0].value[1], 102);
    assert_int_equal(more->series[0].value[3], 56);
    assert_int_equal(more->series[0].value[5], 400);
    free_all((struct pr_profile *[]){parts[0], parts[1], sum, third, more}, 5);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* B may be NULL. */
static enum pr_status try_merge(enum pr_merge_mode mode, struct pr_profile *a, struct pr_profile *b,
                                struct pr_error *err)
{
    struct pr_merger *merger;
    struct pr_profile *sum = NULL;
    enum pr_status status = pr_merger_new(mode, &merger, err);
    if (status == PR_OK)
        status = pr_merger_add(merger, a, "a.bin", err);
    if (status == PR_OK && b)
        status = pr_merger_add(merger, b, "b.bin", err);
    if (status == PR_OK)
        status = pr_merger_finish(merger, &sum, err);
    assert_int_equal(status == PR_OK, sum != NULL);
    pr_merger_free(merger);
    pr_profile_free(sum);
    return status;
}

static void merging_survives_the_loss_of_any_allocation(void **state)
{
    (void)state;
    struct pr_profile *profiles[] = {story(13, false, 1), story(12, false, 2), native_story(3), run_that_ended(1)};
    for (int run = 0; run < 6; run++) {
        const bool single = run >= 4;
        const enum pr_merge_mode mode = run & 1 ? PR_MERGE_PROCESSES : PR_MERGE_ADD;
        for (unsigned long n = 1;; n++) {
            struct pr_error err = {0};
            alloc_fail_at(n);
            enum pr_status status = single ? try_merge(mode, profiles[3], NULL, &err)
                                           : try_merge(mode, profiles[0], profiles[1 + run / 2], &err);
            bool failed = alloc_fail_stop();
            if (!failed)
                break;
            if (status == PR_FAILED)
                assert_int_equal(err.code, PR_ERR_MEMORY);
        }
    }
    free_all(profiles, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_stack_is_the_same_stack),
        cmocka_unit_test(threads_are_distinguished_by_number_and_name),
        cmocka_unit_test(sums_stop_at_the_most_there_can_be),
        cmocka_unit_test(what_cancels_out_is_gone),
        cmocka_unit_test(native_stacks_meet_stacks_without_them),
        cmocka_unit_test(a_metric_stays_if_all_have_it),
        cmocka_unit_test(nothing_in_common_is_an_error),
        cmocka_unit_test(nothing_at_all_is_an_error),
        cmocka_unit_test(temporaries_of_another_threshold_are_something_else),
        cmocka_unit_test(decimals_become_those_of_the_finest),
        cmocka_unit_test(exact_figures_add_up_by_function),
        cmocka_unit_test(what_runs_agree_on_stays_known),
        cmocka_unit_test(runs_that_broke_off_are_counted),
        cmocka_unit_test(a_run_stays_where_it_is_the_only_one),
        cmocka_unit_test(failed_runs_are_counted),
        cmocka_unit_test(statistics_of_the_sum_are_those_of_all_allocations),
        cmocka_unit_test(neither_order_nor_grouping_shows),
        cmocka_unit_test(labels_do_not_depend_on_order_or_grouping),
        cmocka_unit_test(counts_stay_where_all_have_the_same),
        cmocka_unit_test(the_main_metric_does_not_depend_on_order),
        cmocka_unit_test(processes_stand_side_by_side),
        cmocka_unit_test(processes_of_one_number_have_the_names_of_their_files),
        cmocka_unit_test(series_of_processes_add_up_while_they_live),
        cmocka_unit_test(no_process_held_more_than_all_together),
        cmocka_unit_test(merging_survives_the_loss_of_any_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
