/* SPDX-License-Identifier: Apache-2.0 */
/* What is left out counts for its callers, in the tree, in facts and in tables by package. */
#include "tests/support/unit.h"

#include "capture/model/charged_modules.h"
#include "capture/model/code_groups.h"
#include "profrender/table.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

#include <stdlib.h>
#include <string.h>

/* 10 bytes in main, 5 in the import system below it, 3 in a library that it loaded, 2 in an import alone. */
static struct pr_profile *importing(void)
{
    struct maker *maker = maker_new();
    const unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    const uint32_t thread = maker_thread(maker, 1, "main");
    const pr_frame_id import =
        maker_frame(maker, "_find_and_load", "<frozen importlib._bootstrap>", 7, PR_FRAME_PYTHON);
    const pr_frame_id six =
        maker_frame(maker, "f", "/usr/lib/python3.12/site-packages/six.py", 1, PR_FRAME_PYTHON);
    const pr_node_id main_node = maker_stack(maker, "main@/srv/app/jobs/main.py:1");
    const pr_node_id below = maker_node(maker, main_node, import);
    const pr_node_id leaf[] = {main_node, below, maker_node(maker, below, six), maker_node(maker, PR_ROOT, import)};
    static const int64_t bytes[] = {10, 5, 3, 2};
    for (size_t i = 0; i < 4; i++)
        maker_value(maker, maker_fact(maker, leaf[i], thread, PR_ALLOC_MALLOC), peak, bytes[i], 1);
    return maker_finish(maker);
}

static const struct pr_row *row_of(const struct pr_profile *profile, const struct pr_table *table, const char *file)
{
    for (size_t i = 0; i < table->count; i++)
        if (!table->row[i].no_stack && !strcmp(pr_profile_text(profile, table->row[i].file).bytes, file))
            return &table->row[i];
    return NULL;
}

static void make_table(const struct pr_profile *profile, struct pr_table *table)
{
    assert_int_equal(pr_table_make(profile, 0, PR_BY_FILE, false, table, NULL), PR_OK);
}

static void what_is_left_out_counts_for_its_callers(void **state)
{
    (void)state;
    struct pr_profile *profile = importing();
    struct pr_table table;
    assert_int_equal(pr_profile_leave_out(profile, PR_GROUP_IMPORTS, NULL), PR_OK);
    assert_int_equal(pr_profile_by_package(profile, NULL), PR_OK);
    make_table(profile, &table);
    assert_int_equal(table.count, 3);
    assert_null(row_of(profile, &table, "Python"));
    assert_int_equal(row_of(profile, &table, "jobs/")->self, 15);
    assert_int_equal(row_of(profile, &table, "jobs/")->total, 18);
    assert_int_equal(row_of(profile, &table, "six")->self, 3);
    int64_t on_no_stack = 0;
    for (size_t i = 0; i < table.count; i++)
        on_no_stack += table.row[i].no_stack ? table.row[i].self : 0;
    assert_int_equal(on_no_stack, 2);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void other_groups_stay(void **state)
{
    (void)state;
    struct pr_profile *profile = importing();
    struct pr_table table;
    assert_int_equal(pr_profile_leave_out(profile, PR_GROUP_LIBRARY | PR_GROUP_KERNEL, NULL), PR_OK);
    assert_int_equal(pr_profile_by_package(profile, NULL), PR_OK);
    make_table(profile, &table);
    assert_null(row_of(profile, &table, "six"));
    assert_int_equal(row_of(profile, &table, "Python")->self, 10);
    assert_int_equal(row_of(profile, &table, "jobs/")->total, 18);
    pr_table_clear(&table);
    pr_profile_free(profile);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct pr_profile *profile = importing();
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = pr_profile_leave_out(profile, PR_GROUP_IMPORTS, &err);
        if (status == PR_OK)
            status = pr_profile_by_package(profile, &err);
        const bool failed = alloc_fail_stop();
        assert_int_equal(status, failed ? PR_FAILED : PR_OK);
        assert_int_equal(err.code, failed ? PR_ERR_MEMORY : PR_ERR_NONE);
        pr_profile_free(profile);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_counts_for_its_callers),
        cmocka_unit_test(other_groups_stay),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
