/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule has a program that it is about, and one that nearly is. */
#include "capture/base/text.h"
#include "tests/support/unit.h"

#include "capture/explain/code_sums.h"
#include "profrender/explain.h"
#include "profrender/load.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/capture_writer.h"
#include "tests/support/profile_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB INT64_C(1048576)

enum { TICKS = 100, TICK_MS = 100 };

/* ---- programs that allocate ------------------------------------------------------------------------------------- */

/* Functions of app.py, in the order of their frames; then what imports modules. */
enum function { WORK, LOAD, STEP, IMPORTING, FUNCTIONS };

struct program {
    struct capture capture;
    uint64_t main, module, frame[FUNCTIONS];
    uint64_t next;     /* address */
    bool without_work; /* leaves out what `work` does */
    bool is_better;    /* does what a finding advises */
    uint64_t kept;     /* an address of its own, from tick to tick */
};

typedef void tick(struct program *program, unsigned number);

static uint64_t take_by(struct program *program, enum function function, enum pr_allocator allocator, int64_t bytes)
{
    const uint64_t address = program->next;
    program->next += (uint64_t)(bytes + 4096) / 16 * 16;
    if (program->without_work && function == WORK)
        return 0;
    capture_push(&program->capture, function == IMPORTING ? program->module : program->main);
    capture_push(&program->capture, program->frame[function]);
    capture_event(&program->capture, allocator, address, (uint64_t)bytes, 0);
    capture_pop(&program->capture, 2);
    return address;
}

static uint64_t take(struct program *program, enum function function, int64_t bytes)
{
    return take_by(program, function, PR_ALLOC_MALLOC, bytes);
}

static void give(struct program *program, uint64_t address)
{
    if (address)
        capture_event(&program->capture, PR_ALLOC_FREE, address, 0, 0);
}

static struct pr_profile *run_program(tick *each, struct program program)
{
    static const char *const names[FUNCTIONS] = {"work", "load", "step", "_find_and_load"};
    program.next = 0x1000000;
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    capture_begin(&program.capture, &(struct capture_head){.version = 13});
    program.main = capture_frame(&program.capture, "main", "app.py", 3);
    program.module = capture_frame(&program.capture, "<module>", "app.py", 1);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        program.frame[i] = capture_frame(&program.capture, names[i],
                                         i == IMPORTING ? "<frozen importlib._bootstrap>" : "app.py",
                                         (int32_t)(10 * (i + 1)));
    capture_thread(&program.capture, 1);
    for (unsigned i = 0; i < TICKS; i++) {
        capture_sample(&program.capture, (uint64_t)i * TICK_MS, 60 << 20);
        each(&program, i);
    }
    capture_sample(&program.capture, TICKS * TICK_MS, 60 << 20);
    capture_end(&program.capture);
    assert_int_not_equal(pr_load_memory("made", program.capture.out.bytes, program.capture.out.length, NULL, &profile,
                                        &err),
                         PR_FAILED);
    capture_clear(&program.capture);
    return profile;
}

static struct pr_profile *run(tick *each)
{
    return run_program(each, (struct program){.next = 0});
}

static struct pr_profile *run_without(tick *each, bool without_work)
{
    return run_program(each, (struct program){.without_work = without_work});
}

/* The program as a finding about it advises. */
static struct pr_profile *run_better(tick *each)
{
    return run_program(each, (struct program){.is_better = true});
}

static int64_t total_of(const struct pr_profile *profile, const char *metric)
{
    const int index = pr_profile_metric(profile, metric);
    assert_int_not_equal(index, -1);
    return profile->metrics[index].total_value;
}

/* ---- what is said ----------------------------------------------------------------------------------------------- */

static enum pr_outcome outcome_of(const struct pr_explanation *explanation, const char *rule)
{
    for (size_t i = 0; i < explanation->outcome_count; i++) {
        if (!strcmp(explanation->outcome[i].rule->name, rule))
            return explanation->outcome[i].outcome;
    }
    fail_msg("there is no rule %s", rule);
    return PR_OUTCOME_FINE;
}

static const struct pr_insight *insight_of(const struct pr_explanation *explanation, const char *rule)
{
    for (size_t i = 0; i < explanation->count; i++) {
        if (!strcmp(explanation->insight[i].rule->name, rule))
            return &explanation->insight[i];
    }
    return NULL;
}

/* The phrase number NUMBER of that kind in the sentence. */
static const struct pr_phrase *phrase_of(const struct pr_insight *insight, enum pr_phrase_kind kind, unsigned number)
{
    const struct pr_sentence *parts[] = {&insight->headline, &insight->rest};
    for (unsigned part = 0; part < 2; part++) {
        for (size_t i = 0; i < parts[part]->count; i++) {
            if (parts[part]->phrase[i].kind == kind && !number--)
                return &parts[part]->phrase[i];
        }
    }
    fail_msg("the sentence has no such phrase");
    return NULL;
}

static void assert_about(const struct pr_profile *profile, const struct pr_insight *insight, const char *function)
{
    assert_non_null(insight);
    const struct pr_text name = pr_profile_text(profile, profile->frames[insight->frame].function);
    assert_int_equal(name.length, strlen(function));
    assert_memory_equal(name.bytes, function, name.length);
}

static struct pr_explanation explain(const struct pr_profile *profile)
{
    struct pr_explanation explanation;
    struct pr_error err = {0};
    assert_int_equal(pr_explain(profile, NULL, &explanation, &err), PR_OK);
    for (size_t i = 1; i < explanation.count; i++)
        assert_true(explanation.insight[i - 1].score >= explanation.insight[i].score);
    return explanation;
}

/* RULE finds something in the profile, or does not. Takes PROFILE. */
static void assert_finds(struct pr_profile *profile, const char *rule, bool finds)
{
    struct pr_explanation explanation = explain(profile);
    assert_int_equal(outcome_of(&explanation, rule) == PR_OUTCOME_FOUND, finds);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

/* ---- the heap over time ----------------------------------------------------------------------------------------- */

static void leak(struct program *program, unsigned number)
{
    if (!number)
        take(program, LOAD, 5 * MIB);
    take(program, WORK, MIB);
}

static void leak_half_of_the_time(struct program *program, unsigned number)
{
    if (number < TICKS / 2 + 10)
        take(program, WORK, MIB);
    give(program, take(program, STEP, MIB / 16));
}

static void take_all_at_once(struct program *program, unsigned number)
{
    if (number == TICKS / 4)
        take(program, WORK, 100 * MIB);
    give(program, take(program, STEP, MIB / 16));
}

static void what_is_added_until_the_end_grows(void **state)
{
    (void)state;
    struct pr_profile *profile = run(leak);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "steady-growth");
    assert_about(profile, insight, "work");
    const int64_t rate = phrase_of(insight, PR_PHRASE_AMOUNT, 0)->value;
    assert_in_range(rate, 95 * MIB / 10, 105 * MIB / 10); /* 1 MiB every 100 ms */
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 1)->value, 100 * MIB);
    assert_null(insight_of(&explanation, "not-freed")); /* the same cause is not named twice */
    assert_null(insight_of(&explanation, "peak-holder"));
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    assert_finds(run(leak_half_of_the_time), "steady-growth", false);
    assert_finds(run(take_all_at_once), "steady-growth", false);
}

/* 8 of 100 MiB are never freed. */
static void keep_a_little(struct program *program, unsigned number)
{
    static uint64_t large;
    if (number == TICKS / 4) {
        take(program, WORK, 8 * MIB);
        large = take(program, WORK, 92 * MIB);
    }
    if (number == TICKS / 2)
        give(program, large);
    give(program, take(program, STEP, MIB / 16));
}

/* BYTES of 100 MiB are allocated where there is no stack. */
static void hold_without_stack(struct program *program, unsigned number, int64_t bytes)
{
    static uint64_t held;
    const uint64_t address = 0x1000;
    if (number == TICKS / 4) {
        capture_event(&program->capture, PR_ALLOC_MALLOC, address, (uint64_t)bytes, 0);
        held = take(program, WORK, 100 * MIB - bytes);
    }
    if (number == TICKS / 2) {
        give(program, address);
        give(program, held);
    }
}

static void hold_most_without_stack(struct program *program, unsigned number)
{
    hold_without_stack(program, number, 60 * MIB);
}

static void hold_less_without_stack(struct program *program, unsigned number)
{
    hold_without_stack(program, number, 40 * MIB);
}

static void a_peak_that_has_no_stack_is_told_before_who_holds_the_rest(void **state)
{
    (void)state;
    struct pr_profile *profile = run(hold_most_without_stack);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "peak-holder");
    assert_non_null(insight);
    assert_int_equal(insight->frame, PR_NO_NODE);
    assert_true(insight->is_of_none);
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 0)->value, 60 * MIB);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    profile = run(hold_less_without_stack);
    explanation = explain(profile);
    assert_about(profile, insight_of(&explanation, "peak-holder"), "work");
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

static void what_is_not_freed_does_not_explain_a_peak_of_much_more(void **state)
{
    (void)state;
    struct pr_profile *profile = run(keep_a_little);
    struct pr_explanation explanation = explain(profile);
    assert_about(profile, insight_of(&explanation, "peak-holder"), "work");
    assert_int_equal(outcome_of(&explanation, "not-freed"), PR_OUTCOME_FOUND);
    assert_null(insight_of(&explanation, "not-freed"));
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

static void the_limit_is_reached_at_the_rate_of_growth(void **state)
{
    (void)state;
    struct pr_profile *profile = run(leak);
    profile->run.memory_limit_bytes = (struct pr_maybe){true, 160 * MIB};
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "steady-growth");
    assert_non_null(insight);
    const struct pr_phrase *later = NULL;
    for (size_t i = 0; i < insight->rest.count; i++)
        later = insight->rest.phrase[i].unit == PR_UNIT_NANOSECONDS ? &insight->rest.phrase[i] : later;
    assert_non_null(later);
    assert_in_range(later->value, INT64_C(9500000000), INT64_C(10500000000)); /* 100 MiB are left above 60 of RSS */
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

static void fill_a_cache(struct program *program, unsigned number)
{
    if (number < 30)
        take(program, WORK, MIB);
    give(program, take(program, STEP, MIB / 16 * (1 + number % 7)));
}

static void fill_a_cache_and_stop(struct program *program, unsigned number)
{
    if (number < 30)
        take(program, WORK, MIB);
}

static void what_is_filled_once_is_not_called_a_leak(void **state)
{
    (void)state;
    struct pr_profile *profile = run(fill_a_cache);
    struct pr_explanation explanation = explain(profile);
    assert_about(profile, insight_of(&explanation, "fills-then-stays"), "work");
    assert_null(insight_of(&explanation, "not-freed"));
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    assert_finds(run(leak), "fills-then-stays", false);
    assert_finds(run(leak_half_of_the_time), "fills-then-stays", false);
    assert_finds(run(fill_a_cache_and_stop), "fills-then-stays", false); /* nothing shows that it would not grow */
}

static uint64_t held;

static void spike_of(struct program *program, unsigned number, unsigned ticks)
{
    if (!number)
        take(program, LOAD, 10 * MIB);
    if (number == 40)
        take(program, STEP, 5 * MIB);
    if (number == 50)
        held = take(program, WORK, 50 * MIB);
    if (number == 50 + ticks)
        give(program, held);
    if (number == 70) { /* what is highest without `work` */
        const uint64_t other = take(program, STEP, 7 * MIB);
        give(program, other);
    }
}

static void short_spike(struct program *program, unsigned number)
{
    spike_of(program, number, 3);
}

static void long_spike(struct program *program, unsigned number)
{
    spike_of(program, number, 30);
}

/* Half of the peak is filled slowly by `work`; what comes at the end is not its own. */
static void ramp_and_end(struct program *program, unsigned number)
{
    if (number < 90)
        take(program, WORK, MIB);
    if (number == 90)
        program->kept = take(program, LOAD, 85 * MIB);
    if (number == 93)
        give(program, program->kept);
}

static void a_short_spike_is_told_from_a_long_one(void **state)
{
    (void)state;
    assert_finds(run(ramp_and_end), "short-spike", false);
    assert_finds(run(short_spike), "short-spike", true);
    assert_finds(run(long_spike), "short-spike", false);
    assert_finds(run(long_spike), "peak-holder", true);
}

/* The program is run again without what the sentence leaves out. */
static void the_peak_without_a_function_is_that_of_a_run_without_it(void **state)
{
    (void)state;
    tick *const programs[] = {short_spike, long_spike, leak, take_all_at_once};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct pr_profile *profile = run(programs[i]), *without = run_without(programs[i], true);
        struct pr_explanation explanation = explain(profile);
        const struct pr_insight *insight = insight_of(&explanation, i ? "peak-holder" : "short-spike");
        if (insight) { /* else a more precise rule speaks about the function */
            assert_about(profile, insight, "work");
            assert_int_equal(insight->saving.value, profile->peak_bytes - without->peak_bytes);
        }
        pr_explanation_clear(&explanation);
        pr_profile_free(profile);
        pr_profile_free(without);
    }
}

/* Each address is in use already: trackers count such an allocation twice, and stacks have it once. */
static void allocate_over(struct program *program, unsigned number)
{
    program->next = 0x1000000 + 0x1000000 * (uint64_t)(number % 5);
    take(program, WORK, (int64_t)(1 + number % 3) * MIB);
    for (uint64_t i = 0; number == TICKS - 1 && i < 5; i++)
        give(program, 0x1000000 + 0x1000000 * i);
}

static void nothing_is_computed_from_a_heap_that_the_stacks_do_not_have(void **state)
{
    (void)state;
    struct pr_profile *profile = run(allocate_over);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "peak-holder");
    assert_non_null(insight);
    assert_int_not_equal(profile->peak_bytes, insight->whole);
    assert_int_equal(insight->saving.value, insight->whole); /* all of it is of `work`: not what a bin has besides */
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

static void round_every(struct program *program, unsigned number, unsigned ticks)
{
    if (!number)
        take(program, LOAD, 5 * MIB);
    if (number % ticks == 5)
        held = take(program, WORK, 30 * MIB);
    if (number % ticks == 8)
        give(program, held);
}

static void eight_rounds(struct program *program, unsigned number)
{
    round_every(program, number, 12);
}

static void three_rounds(struct program *program, unsigned number)
{
    round_every(program, number, 34);
}

static void rounds_are_counted(void **state)
{
    (void)state;
    struct pr_profile *profile = run(eight_rounds);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "repeated-peak");
    assert_non_null(insight);
    assert_int_equal(phrase_of(insight, PR_PHRASE_COUNT, 0)->value, 8);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    assert_finds(run(three_rounds), "repeated-peak", false);
}

static void last_growth_is_named_only_where_memory_ran_out(void **state)
{
    (void)state;
    struct pr_profile *profile = run(leak);
    profile->run.failure.oom = PR_OOM_YES;
    struct pr_explanation explanation = explain(profile);
    assert_true(explanation.count > 0);
    assert_string_equal(explanation.insight[0].rule->name, "last-growth"); /* what ended the run comes first */
    assert_about(profile, &explanation.insight[0], "work");
    assert_true(phrase_of(&explanation.insight[0], PR_PHRASE_COUNT, 0)->value > 0); /* allocations */
    pr_explanation_clear(&explanation);
    profile->run.failure.oom = PR_OOM_NO;
    explanation = explain(profile);
    assert_int_equal(outcome_of(&explanation, "last-growth"), PR_OUTCOME_NOT_JUDGED);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static void three_copies(struct program *program, unsigned number)
{
    if (number >= 20 && number < 23)
        take(program, (enum function)(number - 20), 20 * MIB);
}

/* Python's own, of 1 MiB each: nobody asked for a second one. */
static void four_arenas(struct program *program, unsigned number)
{
    if (number != 20)
        return;
    for (unsigned i = 0; i < 4; i++)
        take_by(program, WORK, PR_ALLOC_MMAP, MIB);
    take_by(program, LOAD, PR_ALLOC_MALLOC, MIB / 2);
}

static void four_mappings(struct program *program, unsigned number)
{
    for (unsigned i = 0; number == 20 && i < 4; i++)
        take_by(program, WORK, PR_ALLOC_MMAP, MIB + 4096);
}

static void three_blocks(struct program *program, unsigned number)
{
    if (number >= 20 && number < 23)
        take(program, (enum function)(number - 20), (int64_t)number * MIB);
}

static void blocks_of_one_size_are_counted(void **state)
{
    (void)state;
    struct pr_profile *profile = run(three_copies);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "equal-blocks");
    assert_non_null(insight);
    assert_int_equal(phrase_of(insight, PR_PHRASE_COUNT, 0)->value, 3);
    assert_int_equal(insight->saving.value, 40 * MIB);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    assert_finds(run(three_blocks), "equal-blocks", false);
    assert_finds(run(four_arenas), "equal-blocks", false);
    assert_finds(run(four_mappings), "equal-blocks", true);
}

static void many_of_64_bytes(struct program *program, unsigned number)
{
    for (unsigned i = 0; number >= 10 && number < 60 && i < 2000; i++)
        take(program, WORK, 64);
}

static void fewer_of_64_bytes(struct program *program, unsigned number)
{
    for (unsigned i = 0; number >= 10 && number < 60 && i < 1999; i++)
        take(program, WORK, 64);
}

static void many_small_allocations_are_counted(void **state)
{
    (void)state;
    struct pr_profile *profile = run(many_of_64_bytes);
    struct pr_explanation explanation = explain(profile);
    assert_int_equal(outcome_of(&explanation, "many-small"), PR_OUTCOME_FOUND);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    assert_finds(run(fewer_of_64_bytes), "many-small", false);
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

struct stack {
    const char *stack;
    int64_t value, count;
};

static struct pr_profile *profile_of(const char *metric, enum pr_unit unit, const char *count_name,
                                     const struct stack *stacks)
{
    struct maker *maker = maker_new();
    const unsigned number = maker_metric(maker, metric, metric, unit, count_name);
    const bool is_memory = unit == PR_UNIT_BYTES;
    for (; stacks->stack; stacks++) {
        const size_t fact =
            maker_fact(maker, maker_stack(maker, stacks->stack), 0, is_memory ? PR_ALLOC_MALLOC : PR_ALLOC_NONE);
        maker_value(maker, fact, number, stacks->value, stacks->count);
    }
    return maker_finish(maker);
}

static void a_comprehension_counts_for_the_function_around_it(void **state)
{
    (void)state;
    static const struct stack stacks[] = {{"main@app.py:1 load@app.py:4", 30 * MIB, 1},
                                          {"main@app.py:1 load@app.py:4 <listcomp>@app.py:5", 25 * MIB, 1},
                                          {"main@app.py:1 keep@app.py:9 <lambda>@app.py:10", 40 * MIB, 1},
                                          {NULL, 0, 0}};
    struct pr_profile *profile = profile_of("peak", PR_UNIT_BYTES, "allocations", stacks);
    struct pr_explanation explanation = explain(profile);
    assert_about(profile, insight_of(&explanation, "peak-holder"), "load");
    assert_int_equal(phrase_of(&explanation.insight[0], PR_PHRASE_AMOUNT, 0)->value, 55 * MIB);
    assert_int_equal(explanation.count, 1);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

/* What the sentence has is what a graph shows: all that the function and what it called hold. */
static void the_figure_of_a_function_includes_what_it_called(void **state)
{
    (void)state;
    static const struct stack stacks[] = {{"main@app.py:1 load@app.py:4", 30 * MIB, 1},
                                          {"main@app.py:1 load@app.py:4 parse@app.py:8", 20 * MIB, 1},
                                          {"main@app.py:2 load@app.py:5", 3 * MIB, 1},
                                          {NULL, 0, 0}};
    struct pr_profile *profile = profile_of("peak", PR_UNIT_BYTES, "allocations", stacks);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "peak-holder");
    assert_about(profile, insight, "load");
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 0)->value, 53 * MIB);
    assert_int_equal(profile->tree.frame[insight->node], insight->frame);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

static void where_nothing_stands_out_the_function_above_is_named(void **state)
{
    (void)state;
    char names[40][80];
    struct stack stacks[41] = {{NULL, 0, 0}};
    for (unsigned i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "main@app.py:1 work@app.py:2 part%u@app.py:%u", i, 10 + i);
        stacks[i] = (struct stack){names[i], MIB, 1};
    }
    struct pr_profile *profile = profile_of("peak", PR_UNIT_BYTES, "allocations", stacks);
    struct pr_explanation explanation = explain(profile);
    assert_int_equal(explanation.count, 1);
    assert_about(profile, &explanation.insight[0], "work");
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

static struct pr_profile *profile_of_time(const struct stack *stacks)
{
    return profile_of("wall", PR_UNIT_NANOSECONDS, "samples", stacks);
}

#define THREADING "/usr/lib/python3.12/threading.py"

static bool speaks_of_waiting(struct pr_profile *profile)
{
    struct pr_explanation explanation = explain(profile);
    bool waits = false;
    for (size_t i = 0; i < explanation.count; i++) {
        const struct pr_sentence *headline = &explanation.insight[i].headline;
        for (size_t k = 0; k < headline->count; k++)
            if (pr_text_is(headline->phrase[k].text, " waiting")) {
                assert_false(explanation.insight[i].saving.known); /* that depends on what it waits for */
                waits = true;
            }
    }
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    return waits;
}

static void a_function_that_waits_takes_no_time_itself(void **state)
{
    (void)state;
    static const struct stack waits[] = {
        {"main@app.py:1 join@" THREADING ":9 _wait_for_tstate_lock@" THREADING ":12", 700000000, 700},
        {"_bootstrap@" THREADING ":1 run@app.py:2", 300000000, 300},
        {NULL, 0, 0}};
    static const struct stack own[] = {{"main@app.py:1 wait@app.py:12", 700000000, 700},
                                       {"_bootstrap@" THREADING ":1 run@app.py:2", 300000000, 300},
                                       {NULL, 0, 0}};
    static const struct stack seldom[] = {
        {"main@app.py:1 join@" THREADING ":9 _wait_for_tstate_lock@" THREADING ":12", 200000000, 200},
        {"main@app.py:2", 500000000, 500},
        {NULL, 0, 0}};
    assert_true(speaks_of_waiting(profile_of_time(waits)));
    assert_false(speaks_of_waiting(profile_of_time(own)));
    assert_false(speaks_of_waiting(profile_of_time(seldom)));
    assert_false(speaks_of_waiting(profile_of("cpu", PR_UNIT_NANOSECONDS, "samples", waits)));
}

/* What a traced method took includes what those below it took: their sum is no whole. */
static void nested_times_have_no_shares(void **state)
{
    (void)state;
    static const struct stack stacks[] = {
        {"main@app.py:1 outer@app.py:2", 700000000, 100},
        {"main@app.py:1 outer@app.py:2 inner@app.py:5", 600000000, 600},
        {NULL, 0, 0}};
    static const char *const names[] = {"traced", "timed"};
    for (int i = 0; i < 2; i++) {
        struct pr_profile *profile = profile_of(names[i], PR_UNIT_NANOSECONDS, "calls", stacks);
        struct pr_explanation explanation = explain(profile);
        assert_int_equal(explanation.count, 1);
        assert_string_equal(explanation.insight[0].rule->name, "calls");
        assert_int_equal(outcome_of(&explanation, "time"), PR_OUTCOME_NOT_JUDGED);
        pr_explanation_clear(&explanation);
        pr_profile_free(profile);
    }
}

#define COPY "/usr/lib/python3.12/copy.py"

static void costly_calls_are_known_by_name_and_file(void **state)
{
    (void)state;
    static const struct stack costly[] = {{"main@app.py:1 handle@app.py:12 deepcopy@" COPY ":100", 200000000, 200},
                                          {"main@app.py:1 run@app.py:2", 800000000, 800},
                                          {NULL, 0, 0}};
    static const struct stack own[] = {{"main@app.py:1 handle@app.py:12 deepcopy@copy.py:100", 200000000, 200},
                                       {"main@app.py:1 run@app.py:2", 800000000, 800},
                                       {NULL, 0, 0}};
    static const struct stack little[] = {{"main@app.py:1 handle@app.py:12 deepcopy@" COPY ":100", 90000000, 90},
                                          {"main@app.py:1 run@app.py:2", 910000000, 910},
                                          {NULL, 0, 0}};
    assert_finds(profile_of_time(costly), "known-calls", true);
    static const struct stack regex[] = {
        {"main@Main.java:1 java.util.regex.Pattern.compile@Pattern.java:7", 200000000, 200},
        {"main@Main.java:5", 800000000, 800},
        {NULL, 0, 0}};
    static const struct stack like_regex[] = {{"main@Main.java:1 shop.Pattern.compile@Pattern.java:7", 200000000, 200},
                                              {"main@Main.java:5", 800000000, 800},
                                              {NULL, 0, 0}};
    static const struct stack method[] = {
        {"main@app.py:1 Formatter.format@/usr/lib/python3.12/logging/__init__.py:7", 200000000, 200},
        {"main@app.py:5", 800000000, 800},
        {NULL, 0, 0}};
    assert_finds(profile_of_time(regex), "known-calls", true);
    assert_finds(profile_of_time(like_regex), "known-calls", false);
    assert_finds(profile_of_time(method), "known-calls", true);
    assert_finds(profile_of_time(own), "known-calls", false);
    assert_finds(profile_of_time(little), "known-calls", false);
}

#define FIND_MODULE "_find_and_load@/usr/lib/python3.12/importlib/_bootstrap.py:1 "
#define IMPORT "<module>@app.py:1 " FIND_MODULE

static void imports_are_the_modules_that_they_run(void **state)
{
    (void)state;
    static const struct stack slow[] = {
        {IMPORT "<module>@/usr/lib/python3.12/site-packages/big/__init__.py:1", 300000000, 300},
        {"<module>@app.py:3 run@app.py:9", 700000000, 700},
        {NULL, 0, 0}};
    static const struct stack quick[] = {
        {IMPORT "<module>@/usr/lib/python3.12/site-packages/big/__init__.py:1", 190000000, 190},
        {"<module>@app.py:3 run@app.py:9", 810000000, 810},
        {NULL, 0, 0}};
    static const struct stack wrapped[] = {{IMPORT "run@app.py:9", 900000000, 900}, {NULL, 0, 0}};
    /* Many small parts, all of them of imports: the largest of them is no other cause. */
    static const struct stack parts[] = {
        {FIND_MODULE "<module>@/usr/lib/python3.12/a.py:1 loads@big.py:2", 100000000, 100},
        {FIND_MODULE "<module>@/usr/lib/python3.12/a.py:1", 450000000, 450},
        {FIND_MODULE "<module>@/usr/lib/python3.12/b.py:3", 450000000, 450},
        {NULL, 0, 0}};
    /* A script that does little but import: its top level is no other cause, a function that imports is one. */
    static const struct stack script[] = {
        {IMPORT "<module>@/usr/lib/python3.12/site-packages/big/__init__.py:1", 950000000, 950},
        {"<module>@app.py:3 run@app.py:9", 50000000, 50},
        {NULL, 0, 0}};
    static const struct stack function[] = {
        {"<module>@app.py:3 load@app.py:9 " FIND_MODULE "<module>@/usr/lib/python3.12/site-packages/big/__init__.py:1",
         950000000, 950},
        {"<module>@app.py:3 run@app.py:9", 50000000, 50},
        {NULL, 0, 0}};
    assert_finds(profile_of_time(script), "imports", true);
    assert_finds(profile_of_time(script), "time", false);
    assert_finds(profile_of_time(function), "imports", true);
    assert_finds(profile_of_time(function), "time", true);
    assert_finds(profile_of_time(parts), "imports", true);
    assert_finds(profile_of_time(parts), "time", false);
    assert_finds(profile_of_time(slow), "imports", true);
    assert_finds(profile_of_time(quick), "imports", false);
    assert_finds(profile_of_time(wrapped), "imports", false);
}

static void few_samples_are_fewer_than_a_hundred(void **state)
{
    (void)state;
    static const struct stack few[] = {{"main@app.py:1", 99000000, 99}, {NULL, 0, 0}};
    static const struct stack enough[] = {{"main@app.py:1", 100000000, 100}, {NULL, 0, 0}};
    assert_finds(profile_of_time(few), "few-samples", true);
    assert_finds(profile_of_time(enough), "few-samples", false);
    /* No time between them is known, as in a profile of stackprof without its raw samples. */
    static const struct stack alone[] = {{"main@app.py:1", 99, 0}, {NULL, 0, 0}};
    static const struct stack hundred[] = {{"main@app.py:1", 100, 0}, {NULL, 0, 0}};
    assert_finds(profile_of("samples", PR_UNIT_COUNT, NULL, alone), "few-samples", true);
    assert_finds(profile_of("samples", PR_UNIT_COUNT, NULL, hundred), "few-samples", false);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* A value for each of TICKS moments, TICK_MS apart. */
static void add_lane(struct maker *maker, const char *name, enum pr_unit unit, int64_t (*value)(unsigned number))
{
    const unsigned series = maker_series(maker, name, name, unit);
    for (unsigned i = 0; i < TICKS; i++)
        maker_point(maker, series, CAPTURE_START_MS + i * TICK_MS, value(i));
}

static int64_t idle_third(unsigned number)
{
    return number >= 30 && number < 65 ? 10 : 900;
}

static int64_t idle_fifth(unsigned number)
{
    return number >= 30 && number < 50 ? 10 : 900;
}

static int64_t one_core(unsigned number)
{
    return 980 + number % 3;
}

static int64_t two_cores_at_times(unsigned number)
{
    return number % 20 ? 950 : 1900;
}

static struct pr_profile *run_of(int64_t (*cpu)(unsigned number))
{
    struct maker *maker = maker_new();
    add_lane(maker, "cpu", PR_UNIT_CORES, cpu);
    maker_meta(maker)->start_ms = (struct pr_maybe){true, CAPTURE_START_MS};
    maker_meta(maker)->end_ms = (struct pr_maybe){true, CAPTURE_START_MS + TICKS * TICK_MS};
    struct pr_profile *profile = maker_finish(maker);
    profile->run.machine_cpus = (struct pr_maybe){true, 8};
    return profile;
}

static void a_run_that_stood_still_is_idle(void **state)
{
    (void)state;
    struct pr_profile *profile = run_of(idle_third);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "idle");
    assert_non_null(insight);
    assert_in_range(phrase_of(insight, PR_PHRASE_AMOUNT, 0)->value, INT64_C(3400000000), INT64_C(3600000000));
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    assert_finds(run_of(idle_fifth), "idle", false);
}

/* The same run with a profile of time: work until 3 s, and again from 6.5 s on, THEN between. */
static struct pr_profile *idle_run_in(const char *then)
{
    static const struct pr_slice slices[] = {
        {0, 3000000000, 0, 0}, {3000000000, 3500000000, 1, 0}, {6500000000, 3500000000, 0, 0}};
    struct maker *maker = maker_new();
    add_lane(maker, "cpu", PR_UNIT_CORES, idle_third);
    maker_meta(maker)->start_ms = (struct pr_maybe){true, CAPTURE_START_MS};
    maker_meta(maker)->end_ms = (struct pr_maybe){true, CAPTURE_START_MS + TICKS * TICK_MS};
    const unsigned wall = maker_metric(maker, "wall", "Wall time", PR_UNIT_NANOSECONDS, NULL);
    maker_value(maker, maker_fact(maker, maker_stack(maker, "main@app.py:1 work@app.py:9"), 0, PR_ALLOC_NONE), wall,
                6500000000, 1);
    maker_value(maker, maker_fact(maker, maker_stack(maker, then), 0, PR_ALLOC_NONE), wall, 3500000000, 1);
    struct pr_profile *profile = maker_finish(maker);
    profile->slices = slices;
    profile->slice_count = 3;
    return profile;
}

static void where_an_idle_run_stood_is_named(void **state)
{
    (void)state;
    struct pr_profile *profile = idle_run_in("main@app.py:1 poll@app.py:31");
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "idle");
    assert_non_null(insight);
    const pr_frame_id frame = phrase_of(insight, PR_PHRASE_FUNCTION, 0)->frame;
    assert_string_equal(pr_profile_text(profile, profile->frames[frame].function).bytes, "poll");
    pr_explanation_clear(&explanation);
    profile->slices_lack_clock = true; /* the order is known, and no time */
    explanation = explain(profile);
    insight = insight_of(&explanation, "idle");
    for (size_t i = 0; i < insight->rest.count; i++)
        assert_int_not_equal(insight->rest.phrase[i].kind, PR_PHRASE_FUNCTION);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

static bool speaks_of_one_core(struct pr_profile *profile)
{
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "cores");
    assert_non_null(insight);
    const struct pr_text begin = insight->headline.phrase[0].text;
    const bool answer = begin.length > 13 && !memcmp(begin.bytes, "Only one core", 13);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    return answer;
}

static void one_busy_core_of_many_is_named(void **state)
{
    (void)state;
    assert_true(speaks_of_one_core(run_of(one_core)));
    assert_false(speaks_of_one_core(run_of(two_cores_at_times)));
}

static int64_t heap_up_and_down(unsigned number)
{
    return number >= 20 && number < 50 ? 500 * MIB : 20 * MIB;
}

static int64_t rss_stays(unsigned number)
{
    return number >= 20 ? 560 * MIB : 60 * MIB;
}

static int64_t rss_follows(unsigned number)
{
    return heap_up_and_down(number) + 40 * MIB;
}

static int64_t rss_is_low(unsigned number)
{
    return number >= 20 && number < 50 ? 300 * MIB : 60 * MIB;
}

/* One odd sample at the end says nothing of the others. */
static int64_t rss_follows_but_ends_high(unsigned number)
{
    return number == TICKS - 1 ? 560 * MIB : rss_follows(number);
}

static int64_t rss_stays_but_ends_low(unsigned number)
{
    return number == TICKS - 1 ? 60 * MIB : rss_stays(number);
}

/* Given back a while after the heap fell. */
static int64_t rss_follows_late(unsigned number)
{
    return number >= 20 && number < 50 + (TICKS - 50) / 2 ? 560 * MIB : 60 * MIB;
}

static struct pr_profile *run_with_memory(int64_t (*rss)(unsigned number))
{
    struct maker *maker = maker_new();
    add_lane(maker, "rss", PR_UNIT_BYTES, rss);
    add_lane(maker, "heap", PR_UNIT_BYTES, heap_up_and_down);
    return maker_finish(maker);
}

static void heap_and_resident_memory_are_compared(void **state)
{
    (void)state;
    static const char *const rules[] = {"kept-resident", "not-heap", "not-resident"};
    static const struct {
        int64_t (*rss)(unsigned number);
        bool finds[3];
    } runs[] = {{rss_stays, {true, true, false}},
                {rss_follows, {false, false, false}},
                {rss_follows_but_ends_high, {false, true, false}},
                {rss_stays_but_ends_low, {true, true, false}},
                {rss_follows_late, {false, true, false}},
                {rss_is_low, {false, false, true}}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        for (size_t k = 0; k < 3; k++)
            assert_finds(run_with_memory(runs[i].rss), rules[k], runs[i].finds[k]);
    }
}

/* Files of different days in one folder: after its last sample the heap is not compared with anything. */
static void resident_memory_after_the_heap_is_not_compared(void **state)
{
    (void)state;
    enum { HEAP_ENDS = 30 };
    struct maker *maker = maker_new();
    const unsigned heap = maker_series(maker, "heap", "heap", PR_UNIT_BYTES);
    for (unsigned i = 0; i < HEAP_ENDS; i++)
        maker_point(maker, heap, CAPTURE_START_MS + i * TICK_MS, 500 * MIB);
    const unsigned rss = maker_series(maker, "rss", "rss", PR_UNIT_BYTES);
    for (unsigned i = HEAP_ENDS; i < TICKS; i++)
        maker_point(maker, rss, CAPTURE_START_MS + i * TICK_MS, 60 * MIB);
    assert_finds(maker_finish(maker), "not-resident", false);
}

/* The amounts of bytes that a sentence has, in its order. */
static size_t bytes_in(const struct pr_sentence *sentence, int64_t *bytes, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < sentence->count; i++)
        if (sentence->phrase[i].kind == PR_PHRASE_AMOUNT && sentence->phrase[i].unit == PR_UNIT_BYTES && count < most)
            bytes[count++] = sentence->phrase[i].value;
    return count;
}

static int64_t ten_of_files(unsigned number)
{
    (void)number;
    return 10 * MIB;
}

static int64_t some_processes(unsigned number)
{
    return number > 5 ? 2 : 1;
}

/* 60 MiB with 20 of the heap at first; then the heap has had 500 and has 20, and 560 are resident. */
static void what_is_not_the_heap_is_split_as_far_as_known(void **state)
{
    (void)state;
    enum { RSS, HEAP, PARTS };
    static const struct {
        bool has_files, has_processes;
        int64_t parts[4];
        size_t count;
    } runs[] = {{false, false, {40, 480, 20}, 3},
                {true, false, {10, 30, 480, 20}, 4},
                {true, true, {40, 480, 20}, 3}}; /* files of all processes are not those of the captured one */
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct maker *maker = maker_new();
        add_lane(maker, "rss", PR_UNIT_BYTES, rss_stays);
        add_lane(maker, "heap", PR_UNIT_BYTES, heap_up_and_down);
        if (runs[i].has_files)
            add_lane(maker, "rss_file", PR_UNIT_BYTES, ten_of_files);
        if (runs[i].has_processes)
            add_lane(maker, "processes", PR_UNIT_COUNT, some_processes);
        struct pr_profile *profile = maker_finish(maker);
        struct pr_explanation explanation = explain(profile);
        const struct pr_insight *insight = insight_of(&explanation, "not-heap");
        int64_t bytes[8] = {0};
        assert_non_null(insight);
        assert_int_equal(bytes_in(&insight->rest, bytes, 8), PARTS + runs[i].count);
        assert_int_equal(bytes[RSS], 560 * MIB);
        assert_int_equal(bytes[HEAP], 20 * MIB);
        int64_t sum = bytes[HEAP];
        for (size_t k = 0; k < runs[i].count; k++) {
            assert_int_equal(bytes[PARTS + k], runs[i].parts[k] * MIB);
            sum += bytes[PARTS + k];
        }
        assert_int_equal(sum, bytes[RSS]);
        pr_explanation_clear(&explanation);
        pr_profile_free(profile);
    }
}

/* ---- held long, doubled ----------------------------------------------------------------------------------------- */

/* 50 MiB of WHAT, read at tick FIRST, and 60 MiB of `work` at the end. */
static void take_at(struct program *program, unsigned number, unsigned first, enum function what)
{
    if (!number)
        take(program, STEP, MIB);
    if (number == first)
        program->kept = take(program, what, 50 * MIB);
    if (number == first + 1 && program->is_better)
        give(program, program->kept);
    give(program, take(program, STEP, MIB / 16));
    if (number == 90)
        take(program, WORK, 60 * MIB);
}

static void load_early(struct program *program, unsigned number)
{
    take_at(program, number, 5, LOAD);
}

static void load_late(struct program *program, unsigned number)
{
    take_at(program, number, 70, LOAD);
}

/* A module stays as long as the program. */
static void import_early(struct program *program, unsigned number)
{
    take_at(program, number, 5, IMPORTING);
}

/* Nobody adds anything to what `load` holds. */
static void load_only(struct program *program, unsigned number)
{
    if (number == 5)
        take(program, LOAD, 50 * MIB);
    give(program, take(program, STEP, MIB / 16));
}

static void what_is_held_long_before_the_peak_is_named(void **state)
{
    (void)state;
    struct pr_profile *profile = run(load_early), *better = run_better(load_early);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "held-long");
    assert_about(profile, insight, "load");
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 0)->value, 50 * MIB);
    const int64_t saving = total_of(profile, "peak") - total_of(better, "peak");
    assert_int_equal(insight->saving.value, saving);
    assert_in_range(saving, 49 * MIB, 50 * MIB);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    pr_profile_free(better);
    assert_finds(run(load_late), "held-long", false);
    assert_finds(run(load_only), "held-long", false);
    assert_finds(run(import_early), "held-long", false);
}

/* A buffer that has RATIO times its size every five ticks; better: its last size from the start. */
static void grow(struct program *program, unsigned number, double ratio, bool frees)
{
    static const unsigned every = 5, last = 50;
    double bytes = 65536;
    for (unsigned i = 0; i < (program->is_better ? last : number); i += every)
        bytes *= i + every <= last ? ratio : 1;
    give(program, take(program, STEP, 4096));
    if (number % every || number > (program->is_better ? 0 : last))
        return;
    const uint64_t next = take(program, WORK, (int64_t)bytes);
    if (frees && program->kept)
        give(program, program->kept);
    program->kept = next;
}

static void double_it(struct program *program, unsigned number)
{
    grow(program, number, 2, true);
}

static void add_a_half(struct program *program, unsigned number)
{
    grow(program, number, 1.5, true);
}

static void keep_the_old_ones(struct program *program, unsigned number)
{
    grow(program, number, 2, false);
}

static void a_buffer_that_doubles_is_named(void **state)
{
    (void)state;
    struct pr_profile *profile = run(double_it), *better = run_better(double_it);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "doubling");
    assert_non_null(insight);
    assert_int_equal(phrase_of(insight, PR_PHRASE_COUNT, 0)->value, 11);
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 1)->value, 64 * MIB);
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 2)->value,
                     total_of(profile, "allocated") - total_of(better, "allocated"));
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    pr_profile_free(better);
    assert_finds(run(add_a_half), "doubling", false);
    assert_finds(run(keep_the_old_ones), "doubling", false);
}

/* ---- churn ------------------------------------------------------------------------------------------------------ */

static void allocate_again(struct program *program, int64_t bytes)
{
    give(program, take(program, WORK, bytes));
    give(program, take(program, STEP, MIB));
}

static void churn(struct program *program, unsigned number)
{
    (void)number;
    allocate_again(program, 16 * MIB);
}

/* As often, and less than a gibibyte. */
static void churn_little(struct program *program, unsigned number)
{
    (void)number;
    allocate_again(program, 8 * MIB);
}

/* As much, with a heap that is not small next to it. */
static void churn_in_a_large_heap(struct program *program, unsigned number)
{
    if (!number)
        take(program, LOAD, 100 * MIB);
    allocate_again(program, 16 * MIB);
}

static void what_is_allocated_again_and_again_is_named(void **state)
{
    (void)state;
    struct pr_profile *profile = run(churn), *without = run_without(churn, true);
    const struct pr_explain_options all = {.keep_repeated = true};
    struct pr_explanation explanation;
    struct pr_error err = {0};
    assert_int_equal(pr_explain(profile, &all, &explanation, &err), PR_OK);
    const struct pr_insight *insight = insight_of(&explanation, "churn");
    assert_about(profile, insight, "work");
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 0)->value,
                     total_of(profile, "allocated") - total_of(without, "allocated"));
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    pr_profile_free(without);
    assert_finds(run(churn_little), "churn", false);
    assert_finds(run(churn_in_a_large_heap), "churn", false);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

/* The other thread adds OTHER while the first one makes the peak. */
static void two_threads(struct program *program, unsigned number, int64_t other)
{
    if (!number)
        take(program, LOAD, 20 * MIB);
    give(program, take(program, STEP, MIB / 16));
    if (number != 90)
        return;
    take(program, WORK, 60 * MIB);
    capture_thread(&program->capture, 2);
    take(program, STEP, other);
    capture_thread(&program->capture, 1);
}

static void both_add(struct program *program, unsigned number)
{
    two_threads(program, number, 15 * MIB);
}

static void one_adds(struct program *program, unsigned number)
{
    two_threads(program, number, 4096);
}

/* Little, whatever its share. */
static void little(struct program *program, unsigned number)
{
    take(program, WORK, 4096);
    capture_thread(&program->capture, 2);
    take(program, STEP, number == 90 ? 512 * 1024 : 16);
    capture_thread(&program->capture, 1);
}

static void the_moment_of_the_peak_has_its_threads(void **state)
{
    (void)state;
    struct pr_profile *profile = run(both_add);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "peak-moment");
    assert_non_null(insight);
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 0)->value, 60 * MIB);
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 1)->value, 15 * MIB);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    profile = run(one_adds);
    explanation = explain(profile);
    insight = insight_of(&explanation, "peak-moment");
    assert_non_null(insight);
    assert_true(pr_text_is(insight->rest.phrase[insight->rest.count - 2].text,
                           " The other thread added little or nothing"));
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    assert_finds(run(little), "peak-moment", false);
    assert_finds(run(leak), "peak-moment", false);
}

/* Time of threads, each with its function; NAME: of the second one, which then has no number. */
static struct pr_profile *time_of_threads_and(const char *name, const int64_t *ms, const char *const *stack,
                                              unsigned count)
{
    struct maker *maker = maker_new();
    const unsigned cpu = maker_metric(maker, "cpu", "CPU time", PR_UNIT_NANOSECONDS, "samples");
    for (unsigned i = 0; i < count; i++) {
        const bool is_group = name && i == 1;
        const uint32_t thread = maker_thread(maker, is_group ? 0 : 100 + i, is_group ? name : "");
        const size_t fact = maker_fact(maker, maker_stack(maker, stack[i]), thread, PR_ALLOC_NONE);
        maker_value(maker, fact, cpu, ms[i] * 1000000, ms[i]);
    }
    return maker_finish(maker);
}

static struct pr_profile *time_of_threads(const int64_t *ms, const char *const *stack, unsigned count)
{
    return time_of_threads_and(NULL, ms, stack, count);
}

static void threads_that_share_work_unevenly_are_named(void **state)
{
    (void)state;
    static const char work[] = "run@app.py:1 work@app.py:9", other[] = "look@app.py:30 wait@app.py:31";
    static const char *const same[] = {work, work, work, work}, *const apart[] = {other, work, other, other};
    static const int64_t uneven[] = {200, 1200, 200, 200}, even[] = {400, 600, 400, 400};
    struct pr_profile *profile = time_of_threads(uneven, same, 4);
    struct pr_explanation explanation = explain(profile);
    const struct pr_insight *insight = insight_of(&explanation, "uneven-threads");
    assert_non_null(insight);
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 0)->value, 1200 * 1000000);
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 2)->value, 200 * 1000000);
    assert_int_equal(phrase_of(insight, PR_PHRASE_AMOUNT, 3)->value, 1800 / 4 * 1000000);
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
    assert_finds(time_of_threads(even, same, 4), "uneven-threads", false);
    assert_finds(time_of_threads(uneven, apart, 4), "uneven-threads", false);
    assert_finds(time_of_threads(uneven, same, 2), "uneven-threads", false);
    assert_finds(time_of_threads_and("renderer", uneven, same, 4), "uneven-threads", true);
    assert_finds(time_of_threads_and("virtual threads", uneven, same, 4), "uneven-threads", false);
    assert_finds(time_of_threads_and("", uneven, same, 4), "uneven-threads", false);
}

/* Each of these threads was compared with all others: 4 * 10^10 comparisons. */
static void many_threads_are_compared_by_their_work(void **state)
{
    (void)state;
    enum { THREADS = 200000 };
    const char **stack = malloc(THREADS * sizeof *stack);
    int64_t *ms = malloc(THREADS * sizeof *ms);
    assert_non_null(stack);
    assert_non_null(ms);
    for (unsigned i = 0; i < THREADS; i++) {
        stack[i] = "run@app.py:1 work@app.py:9";
        ms[i] = i == 5 ? THREADS : 1;
    }
    assert_finds(time_of_threads(ms, stack, THREADS), "uneven-threads", true);
    free(stack);
    free(ms);
}

/* ---- all rules -------------------------------------------------------------------------------------------------- */

static void every_rule_answers_and_has_a_name(void **state)
{
    (void)state;
    struct pr_profile *profile = run(leak);
    struct pr_explanation explanation = explain(profile);
    size_t rules = 0;
    for (const struct pr_rule *rule; (rule = pr_rule_at(rules)); rules++) {
        assert_ptr_equal(pr_rule_find(rule->name), rule);
        assert_ptr_equal(explanation.outcome[rules].rule, rule);
        assert_true(*rule->summary && *rule->trigger);
        if (explanation.outcome[rules].outcome == PR_OUTCOME_NOT_JUDGED)
            assert_true(*explanation.outcome[rules].why);
    }
    assert_int_equal(rules, explanation.outcome_count);
    assert_null(pr_rule_find("no such rule"));
    pr_explanation_clear(&explanation);
    pr_profile_free(profile);
}

/* The index of many runs asks for what functions hold, without what is below them. */
static void holders_alone_are_those_of_the_findings(void **state)
{
    enum { MOST = 8 };
    struct pr_profile *profile = run(short_spike);
    const struct pr_column peak = {profile->metrics[pr_profile_metric(profile, "peak")].value, NULL};
    struct pr_holder with[MOST], alone[MOST];
    struct pr_code code;
    (void)state;
    assert_int_equal(pr_code_make(&code, profile, NULL, NULL), PR_OK);
    assert_true(pr_code_find_holders(&code, &peak, with, MOST, 1));
    assert_true(pr_code_list_holders(profile, &peak, alone, MOST, 1));
    assert_true(with[0].known && with[0].total >= with[0].own);
    for (size_t i = 0; i < MOST; i++) {
        assert_int_equal(alone[i].known, with[i].known);
        assert_int_equal(alone[i].frame, with[i].frame);
        assert_int_equal(alone[i].own, with[i].own);
        assert_int_equal(alone[i].total, 0);
    }
    pr_code_clear(&code);
    for (unsigned long n = 1;; n++) {
        alloc_fail_at(n);
        const bool done = pr_code_list_holders(profile, &peak, alone, MOST, 1);
        if (!alloc_fail_stop())
            break;
        assert_false(done);
    }
    pr_profile_free(profile);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    struct pr_profile *profile = run(short_spike);
    for (unsigned long n = 1;; n++) {
        struct pr_explanation explanation;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_explain(profile, NULL, &explanation, &err);
        const bool failed = alloc_fail_stop();
        pr_explanation_clear(&explanation);
        if (!failed)
            break;
        assert_int_equal(status, PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY);
    }
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_until_the_end_grows),
        cmocka_unit_test(a_peak_that_has_no_stack_is_told_before_who_holds_the_rest),
        cmocka_unit_test(what_is_not_freed_does_not_explain_a_peak_of_much_more),
        cmocka_unit_test(the_limit_is_reached_at_the_rate_of_growth),
        cmocka_unit_test(what_is_filled_once_is_not_called_a_leak),
        cmocka_unit_test(a_short_spike_is_told_from_a_long_one),
        cmocka_unit_test(the_peak_without_a_function_is_that_of_a_run_without_it),
        cmocka_unit_test(nothing_is_computed_from_a_heap_that_the_stacks_do_not_have),
        cmocka_unit_test(rounds_are_counted),
        cmocka_unit_test(last_growth_is_named_only_where_memory_ran_out),
        cmocka_unit_test(blocks_of_one_size_are_counted),
        cmocka_unit_test(many_small_allocations_are_counted),
        cmocka_unit_test(a_comprehension_counts_for_the_function_around_it),
        cmocka_unit_test(the_figure_of_a_function_includes_what_it_called),
        cmocka_unit_test(where_nothing_stands_out_the_function_above_is_named),
        cmocka_unit_test(a_function_that_waits_takes_no_time_itself),
        cmocka_unit_test(nested_times_have_no_shares),
        cmocka_unit_test(costly_calls_are_known_by_name_and_file),
        cmocka_unit_test(imports_are_the_modules_that_they_run),
        cmocka_unit_test(few_samples_are_fewer_than_a_hundred),
        cmocka_unit_test(a_run_that_stood_still_is_idle),
        cmocka_unit_test(one_busy_core_of_many_is_named),
        cmocka_unit_test(heap_and_resident_memory_are_compared),
        cmocka_unit_test(resident_memory_after_the_heap_is_not_compared),
        cmocka_unit_test(what_is_not_the_heap_is_split_as_far_as_known),
        cmocka_unit_test(what_is_allocated_again_and_again_is_named),
        cmocka_unit_test(where_an_idle_run_stood_is_named),
        cmocka_unit_test(what_is_held_long_before_the_peak_is_named),
        cmocka_unit_test(a_buffer_that_doubles_is_named),
        cmocka_unit_test(the_moment_of_the_peak_has_its_threads),
        cmocka_unit_test(threads_that_share_work_unevenly_are_named),
        cmocka_unit_test(many_threads_are_compared_by_their_work),
        cmocka_unit_test(every_rule_answers_and_has_a_name),
        cmocka_unit_test(holders_alone_are_those_of_the_findings),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
