/* SPDX-License-Identifier: Apache-2.0 */
/* From what was recorded to a profile: what is stripped, merged and left out. */
#include "tests/support/unit.h"

#include "capture/builder/stack_table.h"
#include "tests/support/invariants.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 5, THREADS = 3, MAX_FACTS = 400, MAX_DEPTH = 8 };

/* A builder over a new profile, and a column of values by fact. */
struct work {
    struct pr_profile *profile;
    struct pr_stack_table builder;
    pr_frame_id frame[FRAMES];
    int64_t value[MAX_FACTS], count[MAX_FACTS];
};

static void begin_limited(struct work *work, const struct pr_limits *limits)
{
    *work = (struct work){.profile = calloc(1, sizeof *work->profile)};
    assert_non_null(work->profile);
    assert_int_equal(pr_strings_init(&work->profile->strings, NULL), PR_OK);
    assert_int_equal(pr_stacks_init(&work->builder, work->profile, limits, NULL), PR_OK);
}

static void begin(struct work *work)
{
    const struct pr_load_options options = pr_load_options_default();
    begin_limited(work, &options.limits);
    char name[] = "f0";
    for (unsigned i = 0; i < FRAMES; i++) {
        name[1] = (char)('0' + i);
        pr_str string = pr_strings_add(&work->profile->strings, name, 2);
        work->frame[i] = pr_stacks_frame(&work->builder, string, 0, 1, PR_FRAME_PYTHON);
        assert_int_equal(work->frame[i], i);
    }
    for (uint64_t tid = 0; tid < THREADS; tid++)
        assert_int_equal(pr_stacks_thread(&work->builder, 100 + tid), tid);
}

/* The recorded node of PATH, which is digits from the root; odd positions are entered from C. */
static pr_node_id node_of(struct work *work, const char *path)
{
    pr_node_id node = PR_ROOT;
    for (unsigned i = 0; path[i]; i++)
        node = pr_stacks_node(&work->builder, node, work->frame[path[i] - '0'], i % 2);
    return node;
}

static void fact(struct work *work, const char *path, uint32_t thread, int64_t value)
{
    uint32_t number = pr_stacks_fact(&work->builder, node_of(work, path), thread, PR_ALLOC_MALLOC, 0, 0);
    assert_true(number < MAX_FACTS);
    work->value[number] += value;
    work->count[number] += value != 0;
}

static void finish(struct work *work, uint64_t main_tid, uint64_t skipped)
{
    const struct pr_fact_column metric = {.name = "bytes",
                                          .title = "Bytes",
                                          .unit = PR_UNIT_BYTES,
                                          .count_name = "things",
                                          .value = work->value,
                                          .count = work->count};
    assert_int_equal(pr_stacks_finish(&work->builder, main_tid, skipped, &metric, 1, NULL), PR_OK);
    work->profile->complete = true;
    check_invariants(work->profile);
}

static void end(struct work *work)
{
    pr_stacks_clear(&work->builder);
    pr_profile_free(work->profile);
}

/* The path of a profile's node, as digits. */
static void path_of(const struct pr_profile *profile, pr_node_id node, char path[MAX_DEPTH + 1])
{
    char reversed[MAX_DEPTH + 1];
    unsigned length = 0;
    for (; node != PR_ROOT; node = profile->tree.parent[node])
        reversed[length++] =
            pr_profile_text(profile, profile->frames[profile->tree.frame[node]].function).bytes[1];
    for (unsigned i = 0; i < length; i++)
        path[i] = reversed[length - 1 - i];
    path[length] = '\0';
}

/* The value of PATH on THREAD; 0 when there is no such fact. */
static int64_t value_of(const struct pr_profile *profile, const char *path, uint32_t thread)
{
    char found[MAX_DEPTH + 1];
    int64_t value = 0;
    unsigned facts = 0;
    for (size_t i = 0; i < profile->fact_count; i++) {
        path_of(profile, profile->fact_leaf[i], found);
        if (profile->fact_thread[i] != thread || strcmp(found, path) != 0)
            continue;
        value = profile->metrics[0].value[i];
        facts++;
    }
    assert_true(facts <= 1); /* facts of one key are one fact */
    return value;
}

static void outermost_frames_go_on_the_main_thread_only(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    fact(&work, "", 0, 1);
    fact(&work, "0", 0, 2);
    fact(&work, "01", 0, 4);
    fact(&work, "012", 0, 8);
    fact(&work, "0123", 0, 16);
    fact(&work, "412", 0, 32);
    fact(&work, "012", 1, 64);
    finish(&work, 100, 2);
    assert_true(value_of(work.profile, "", 0) == 1 + 2 + 4);
    assert_true(value_of(work.profile, "2", 0) == 8 + 32); /* the same location once everything above it is removed */
    assert_true(value_of(work.profile, "23", 0) == 16);
    assert_true(value_of(work.profile, "012", 1) == 64);
    assert_int_equal(work.profile->fact_count, 4);
    assert_int_equal(work.profile->tree.count, 1 + 2 + 3);
    end(&work);
}

static void an_unknown_main_thread_strips_nothing(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    fact(&work, "01", 0, 5);
    finish(&work, 999, 1);
    assert_true(value_of(work.profile, "01", 0) == 5);
    end(&work);
}

static void what_nothing_refers_to_is_left_out(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    fact(&work, "0123", 0, 0);
    fact(&work, "01", 0, 5);
    node_of(&work, "4444");
    finish(&work, 0, 0);
    assert_int_equal(work.profile->fact_count, 1);
    assert_int_equal(work.profile->tree.count, 3);
    assert_int_equal(work.builder.merged[0], PR_NO_ID);
    assert_int_equal(work.builder.merged[1], 0);
    assert_int_equal(work.profile->thread_count, THREADS);
    end(&work);
}

static void native_parts_of_a_fact_are_added_up(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    pr_node_id node = node_of(&work, "01");
    for (uint32_t native = 0; native < 4; native++) {
        uint32_t number = pr_stacks_fact(&work.builder, node, 0, PR_ALLOC_MALLOC, native, native % 2);
        assert_int_equal(number, native);
        assert_int_equal(pr_stacks_fact_native(&work.builder, number), native);
        assert_int_equal(pr_stacks_fact_generation(&work.builder, number), native % 2);
        work.value[number] = 10;
    }
    uint32_t other = pr_stacks_fact(&work.builder, node, 0, PR_ALLOC_CALLOC, 0, 0);
    work.value[other] = 1;
    finish(&work, 0, 0);
    assert_int_equal(work.profile->fact_count, 2);
    assert_true(work.profile->metrics[0].value[0] == 40);
    assert_int_equal(work.profile->fact_allocator[1], PR_ALLOC_CALLOC);
    end(&work);
}

static void a_native_frame_may_have_further_facts_than_its_first(void **state)
{
    (void)state;
    struct work work;
    uint32_t first[2] = {0};
    begin(&work);
    const pr_node_id node = node_of(&work, "01");
    for (unsigned again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t native = i % 2, thread = i / 2;
            assert_int_equal(pr_stacks_native_fact(&work.builder, node, thread, PR_ALLOC_MALLOC, native + 1, 0,
                                                   &first[native]), i);
            assert_int_equal(first[native], native + 1);
            assert_int_equal(pr_stacks_fact_native(&work.builder, i), native + 1);
            assert_int_equal(pr_stacks_fact_thread(&work.builder, i), thread);
        }
    }
    assert_int_equal(work.builder.facts.count, 6);
    end(&work);
}

static void nodes_that_are_seen_through_become_their_parents(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    fact(&work, "01", 0, 1);
    fact(&work, "012", 0, 2);
    fact(&work, "02", 0, 4);
    pr_stacks_set_frame(&work.builder, node_of(&work, "01"), PR_SEEN_THROUGH);
    finish(&work, 0, 0);
    assert_true(value_of(work.profile, "0", 0) == 1);
    assert_true(value_of(work.profile, "02", 0) == 2 + 4);
    assert_int_equal(work.profile->tree.count, 3);
    end(&work);
}

static void children_that_became_the_same_are_one(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    fact(&work, "013", 0, 1);
    fact(&work, "023", 0, 2);
    pr_stacks_set_frame(&work.builder, node_of(&work, "02"), work.frame[1]);
    finish(&work, 0, 0);
    assert_true(value_of(work.profile, "013", 0) == 3);
    assert_int_equal(work.profile->tree.count, 4);
    end(&work);
}

/* Sums by path and thread, from the same random facts. */
static void random_facts_agree_with_a_list(void **state)
{
    (void)state;
    static struct work work;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        static char paths[MAX_FACTS][MAX_DEPTH + 1];
        uint32_t thread[MAX_FACTS];
        int64_t value[MAX_FACTS];
        uint64_t random = seed;
        const uint32_t skipped = random_below(&random, 4);
        begin(&work);
        for (unsigned i = 0; i < MAX_FACTS; i++) {
            uint32_t depth = random_below(&random, MAX_DEPTH);
            for (uint32_t d = 0; d < depth; d++)
                paths[i][d] = (char)('0' + random_below(&random, 2));
            paths[i][depth] = '\0';
            thread[i] = random_below(&random, THREADS);
            value[i] = random_below(&random, 3);
            fact(&work, paths[i], thread[i], value[i]);
        }
        finish(&work, 101, skipped);
        for (unsigned i = 0; i < MAX_FACTS; i++) {
            int64_t expected = 0;
            const char *path[2] = {paths[i], NULL};
            size_t cut = thread[i] == 1 ? skipped : 0;
            path[0] += strlen(path[0]) < cut ? strlen(path[0]) : cut;
            for (unsigned k = 0; k < MAX_FACTS; k++) {
                path[1] = paths[k] + (strlen(paths[k]) < cut ? strlen(paths[k]) : cut);
                expected += thread[k] == thread[i] && !strcmp(path[0], path[1]) ? value[k] : 0;
            }
            assert_true(value_of(work.profile, path[0], thread[i]) == expected);
        }
        end(&work);
    }
}

static void a_line_below_0_is_unknown(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    pr_frame_id unknown = pr_stacks_frame(&work.builder, 0, 0, 0, PR_FRAME_PYTHON);
    assert_int_equal(pr_stacks_frame(&work.builder, 0, 0, -1, PR_FRAME_PYTHON), unknown);
    assert_int_equal(pr_stacks_frame(&work.builder, 0, 0, INT32_MIN, PR_FRAME_PYTHON), unknown);
    assert_int_equal(pr_stacks_frame_get(&work.builder, unknown).line, 0);
    pr_frame_id last = pr_stacks_frame(&work.builder, 1, 2, INT32_MAX, PR_FRAME_NATIVE);
    struct pr_frame frame = pr_stacks_frame_get(&work.builder, last);
    assert_true(frame.function == 1 && frame.file == 2 && frame.line == INT32_MAX && frame.kind == PR_FRAME_NATIVE);
    end(&work);
}

static void a_full_builder_says_so(void **state)
{
    (void)state;
    struct pr_limits limits = pr_load_options_default().limits;
    struct work work;
    limits.max_frames = 2;
    limits.max_nodes = 3;
    limits.max_threads = 2;
    begin_limited(&work, &limits);
    assert_int_equal(pr_stacks_frame(&work.builder, 0, 0, 1, PR_FRAME_PYTHON), 0);
    assert_false(pr_stacks_is_full(&work.builder));
    assert_int_equal(pr_stacks_frame(&work.builder, 0, 0, 2, PR_FRAME_PYTHON), 1);
    assert_int_equal(pr_stacks_frame(&work.builder, 0, 0, 3, PR_FRAME_PYTHON), PR_NO_ID);
    assert_true(pr_stacks_is_full(&work.builder));
    assert_int_equal(pr_stacks_node(&work.builder, PR_ROOT, 0, true), 1);
    assert_int_equal(pr_stacks_node(&work.builder, PR_ROOT, 1, true), 2);
    assert_int_equal(pr_stacks_node(&work.builder, 1, 1, true), PR_NO_ID);
    assert_int_equal(pr_stacks_node(&work.builder, PR_ROOT, 1, true), 2);
    for (uint64_t tid = 0; tid < 2; tid++)
        assert_int_equal(pr_stacks_thread(&work.builder, tid), tid);
    assert_int_equal(pr_stacks_thread(&work.builder, 2), PR_NO_ID);
    end(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outermost_frames_go_on_the_main_thread_only),
        cmocka_unit_test(an_unknown_main_thread_strips_nothing),
        cmocka_unit_test(what_nothing_refers_to_is_left_out),
        cmocka_unit_test(native_parts_of_a_fact_are_added_up),
        cmocka_unit_test(a_native_frame_may_have_further_facts_than_its_first),
        cmocka_unit_test(nodes_that_are_seen_through_become_their_parents),
        cmocka_unit_test(children_that_became_the_same_are_one),
        cmocka_unit_test(random_facts_agree_with_a_list),
        cmocka_unit_test(a_line_below_0_is_unknown),
        cmocka_unit_test(a_full_builder_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
