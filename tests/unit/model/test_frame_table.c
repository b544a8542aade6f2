/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit.h"

#include "capture/model/frame_table.h"
#include "capture/model/own_code.h"

static bool is_same(const struct pr_frame *a, const struct pr_frame *b)
{
    return a->function == b->function && a->file == b->file && a->line == b->line && a->kind == b->kind &&
           a->definition_line == b->definition_line;
}

/* Each differs from the first in one thing. */
static const struct pr_frame frames[] = {
    {1, 2, 3, PR_FRAME_PYTHON, 4},         {2, 2, 3, PR_FRAME_PYTHON, 4},         {1, 1, 3, PR_FRAME_PYTHON, 4},
    {1, 2, -3, PR_FRAME_PYTHON, 4},        {1, 2, 3, PR_FRAME_OTHER, 4},          {1, 2, 3, PR_FRAME_PYTHON, 0},
    {1, 2, INT32_MAX, PR_FRAME_NATIVE, 4}, {1, 2, 3, PR_FRAME_PYTHON, INT32_MIN},
};
enum { FRAMES = sizeof frames / sizeof *frames };

static void a_frame_keeps_its_number_and_all_its_parts(void **state)
{
    (void)state;
    struct pr_frame_table table;
    pr_frame_table_init(&table);
    for (unsigned again = 0; again < 2; again++)
        for (pr_frame_id i = 0; i < FRAMES; i++)
            assert_int_equal(pr_frame_table_add(&table, &frames[i]), i);
    for (pr_frame_id i = 0; i < FRAMES; i++) {
        const struct pr_frame frame = pr_frame_table_get(&table, i);
        assert_true(is_same(&frame, &frames[i]));
    }
    pr_frame_table_clear(&table);
}

static void a_frame_without_its_strings_has_no_number(void **state)
{
    (void)state;
    struct pr_frame_table table;
    pr_frame_table_init(&table);
    assert_true(pr_frame_table_add(&table, &(struct pr_frame){.function = PR_NO_STR}) == PR_NO_ID);
    assert_true(pr_frame_table_add(&table, &(struct pr_frame){.file = PR_NO_STR}) == PR_NO_ID);
    assert_int_equal(pr_frame_table_add(&table, &(struct pr_frame){.function = 1}), 0);
    pr_frame_table_clear(&table);
}

static void a_packed_frame_is_the_same_when_unpacked(void **state)
{
    (void)state;
    const struct pr_frame widest = {UINT32_MAX, UINT32_MAX - 1, INT32_MAX, PR_FRAME_OTHER, PR_MAX_DEFINITION_LINE};
    const struct pr_frame *const all[] = {&frames[0], &frames[4], &frames[6], &widest};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint64_t key[2];
        pr_frame_pack(all[i], key);
        const struct pr_frame frame = pr_frame_unpack(key);
        assert_true(is_same(&frame, all[i]));
    }
}

static void the_nearest_own_function_is_at_or_above_a_node(void **state)
{
    (void)state;
    const pr_node_id parent[] = {0, 0, 1, 2, 0, 4}; /* main > numpy > callback; thread > numpy */
    const pr_frame_id frame[] = {0, 0, 1, 2, 3, 1};
    const bool is_own[] = {true, false, true, false};
    const struct pr_tree tree = {6, parent, frame};
    pr_node_id nearest[6];
    pr_own_nearest(&tree, is_own, nearest);
    const pr_node_id expected[] = {PR_ROOT, 1, 1, 3, PR_ROOT, PR_ROOT};
    assert_memory_equal(nearest, expected, sizeof expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_keeps_its_number_and_all_its_parts),
        cmocka_unit_test(a_frame_without_its_strings_has_no_number),
        cmocka_unit_test(a_packed_frame_is_the_same_when_unpacked),
        cmocka_unit_test(the_nearest_own_function_is_at_or_above_a_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
