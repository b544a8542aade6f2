/* SPDX-License-Identifier: Apache-2.0 */
/* A crew does each item of each job once. */
#include "tests/support/unit.h"

#include "capture/base/crew.h"
#include "tests/support/alloc_fail.h"

#include <stdatomic.h>

enum { WORKERS = 4, ITEMS = 300, JOBS = 500 };

struct seen {
    _Atomic unsigned times[ITEMS];
    unsigned by[WORKERS]; /* each is one worker's own */
    size_t fails_at;
};

static bool see(void *context, unsigned worker, size_t item)
{
    struct seen *seen = context;
    atomic_fetch_add(&seen->times[item], 1);
    seen->by[worker]++;
    return item != seen->fails_at;
}

static void each_item_is_done_once(void **state)
{
    (void)state;
    struct pr_crew *crew = pr_crew_new(WORKERS);
    assert_int_equal(pr_crew_size(crew), WORKERS);
    for (unsigned job = 0; job < JOBS; job++) {
        struct seen seen = {.fails_at = ITEMS};
        const size_t count = job % 7 ? job % ITEMS : ITEMS;
        pr_crew_begin(crew, count, see, &seen);
        assert_true(pr_crew_end(crew));
        size_t all = 0;
        for (unsigned i = 0; i < WORKERS; i++)
            all += seen.by[i];
        assert_int_equal(all, count);
        for (size_t i = 0; i < ITEMS; i++)
            assert_int_equal(seen.times[i], i < count);
    }
    pr_crew_free(crew);
}

static void an_item_that_fails_ends_its_job_only(void **state)
{
    (void)state;
    struct pr_crew *crew = pr_crew_new(WORKERS);
    for (unsigned job = 0; job < JOBS; job++) {
        struct seen seen = {.fails_at = job % 2 ? job % ITEMS : ITEMS};
        assert_int_equal(pr_crew_run(crew, ITEMS, see, &seen), !(job % 2));
    }
    pr_crew_free(crew);
}

static void the_caller_works_alone_without_a_crew(void **state)
{
    (void)state;
    struct seen seen = {.fails_at = 20};
    assert_null(pr_crew_new(1));
    assert_int_equal(pr_crew_size(NULL), 1);
    assert_false(pr_crew_run(NULL, ITEMS, see, &seen));
    assert_int_equal(seen.by[0], 21);
    pr_crew_free(NULL);
}

static void without_memory_there_is_no_crew(void **state)
{
    (void)state;
    alloc_fail_at(1);
    struct pr_crew *crew = pr_crew_new(WORKERS);
    assert_true(alloc_fail_stop());
    assert_null(crew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_is_done_once),
        cmocka_unit_test(an_item_that_fails_ends_its_job_only),
        cmocka_unit_test(the_caller_works_alone_without_a_crew),
        cmocka_unit_test(without_memory_there_is_no_crew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
