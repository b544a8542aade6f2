/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit.h"

#include "capture/builder/stack_table.h"

#include <stdlib.h>
#include <string.h>

enum { RARE = 400000, OFTEN = 50000, DEPTH = 20 };

struct work {
    struct pr_profile *profile;
    struct pr_stack_table stacks;
    uint32_t most;
};

static void begin(struct work *work)
{
    const struct pr_load_options options = pr_load_options_default();
    *work = (struct work){.profile = calloc(1, sizeof *work->profile), .most = pr_fold_room(PR_LEAST_MEMORY)};
    assert_non_null(work->profile);
    assert_int_equal(pr_strings_init(&work->profile->strings, NULL), PR_OK);
    assert_int_equal(pr_stacks_init(&work->stacks, work->profile, &options.limits, NULL), PR_OK);
    pr_stacks_bound(&work->stacks, PR_LEAST_MEMORY);
}

static void end(struct work *work)
{
    pr_stacks_clear(&work->stacks);
    pr_profile_free(work->profile);
}

/* The node of a stack of DEPTH frames: FIRST, then the same ones for all. */
static pr_node_id stack(struct work *work, int32_t first, unsigned depth)
{
    pr_node_id node = PR_ROOT;
    for (unsigned i = 0; i < depth; i++) {
        const pr_frame_id frame =
            pr_stacks_frame(&work->stacks, 0, 0, i ? (int32_t)i : 1000 + first, PR_FRAME_PYTHON);
        node = pr_stacks_node(&work->stacks, node, frame, false);
        assert_int_not_equal(node, PR_NO_ID);
    }
    return node;
}

static void nodes_stay_within_the_bound(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    for (int32_t i = 0; i < RARE; i++)
        stack(&work, i, 3);
    assert_true(work.stacks.nodes.count <= work.most);
    assert_true(work.stacks.nodes.count > work.most / 2);
    assert_true(pr_stacks_is_folded(&work.stacks, stack(&work, RARE, 3)));
    char words[PR_FOLD_WORDS];
    assert_true(pr_stacks_fold_words(&work.stacks, words));
    assert_non_null(strstr(words, PR_FOLDED_NAME));
    end(&work);
}

/* What comes late, but often, is not folded for long. */
static void a_late_stack_that_is_common_has_its_frames(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    for (int32_t i = 0; i < (int32_t)work.most; i++)
        stack(&work, i, 1);
    pr_node_id node = PR_ROOT;
    for (int i = 0; i < OFTEN; i++)
        node = stack(&work, RARE, DEPTH);
    assert_false(pr_stacks_is_folded(&work.stacks, node));
    unsigned depth = 0;
    for (; node != PR_ROOT; node = pr_stacks_parent(&work.stacks, node))
        depth++;
    assert_int_equal(depth, DEPTH);
    end(&work);
}

static void without_room_for_facts_there_is_one_for_each_thread(void **state)
{
    (void)state;
    struct work work;
    begin(&work);
    const uint32_t room = work.stacks.facts.limit;
    uint32_t last = 0;
    for (uint32_t i = 0; i < room + 1000; i++) {
        last = pr_stacks_fact(&work.stacks, PR_ROOT, i % 3, PR_ALLOC_MALLOC, i, 0);
        assert_int_not_equal(last, PR_NO_ID);
    }
    assert_true(work.stacks.facts.count <= room + 3);
    assert_true(pr_stacks_is_folded(&work.stacks, pr_stacks_fact_node(&work.stacks, last)));
    assert_int_equal(pr_stacks_fact_thread(&work.stacks, last), (room + 999) % 3);
    assert_int_equal(pr_stacks_fact_allocator(&work.stacks, last), PR_ALLOC_MALLOC);
    end(&work);
}

static void nothing_is_folded_without_a_bound(void **state)
{
    (void)state;
    struct work work;
    char words[PR_FOLD_WORDS];
    begin(&work);
    pr_stacks_clear(&work.stacks);
    const struct pr_load_options options = pr_load_options_default();
    assert_int_equal(pr_stacks_init(&work.stacks, work.profile, &options.limits, NULL), PR_OK);
    pr_stacks_bound(&work.stacks, 0);
    for (int32_t i = 0; i < RARE; i++)
        stack(&work, i, 1);
    assert_int_equal(work.stacks.nodes.count, RARE + 1);
    assert_false(pr_stacks_fold_words(&work.stacks, words));
    end(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_stay_within_the_bound),
        cmocka_unit_test(a_late_stack_that_is_common_has_its_frames),
        cmocka_unit_test(without_room_for_facts_there_is_one_for_each_thread),
        cmocka_unit_test(nothing_is_folded_without_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
