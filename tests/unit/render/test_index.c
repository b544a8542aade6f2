/* SPDX-License-Identifier: Apache-2.0 */
/* The index of many cards: what is on it, in which order, and what becomes of it without memory. */
#include "tests/support/unit.h"

#include "render/index/index.h"
#include "tests/support/alloc_fail.h"

#include <string.h>

#define KNOWN(number) ((struct pr_maybe){true, number})

static const struct pr_index_run nothing = {.name = "", .source = "", .card = "", .problem = "", .flow = "", .run = "",
                                            .step = ""};

static struct pr_index_run made(const char *name, const char *source, int64_t start_ms, int64_t heap_bytes)
{
    struct pr_index_run run = nothing;
    run.name = name;
    run.source = source;
    run.card = "cards/x.html";
    run.status = PR_RUN_OK;
    run.start_ms = KNOWN(start_ms);
    run.end_ms = KNOWN(start_ms + 1000);
    run.heap_bytes = KNOWN(heap_bytes);
    return run;
}

static struct pr_buf page_of(const struct pr_index_run *runs, size_t count)
{
    struct pr_index index = {.title = "Runs", .runs = runs, .count = count};
    struct pr_buf page = {0};
    struct pr_error err = {0};
    assert_int_equal(pr_render_index(&index, &page, &err), PR_OK);
    return page;
}

static bool has(const struct pr_buf *page, const char *text)
{
    return memmem(page->bytes, page->length, text, strlen(text));
}

static size_t place_of(const struct pr_buf *page, const char *text)
{
    const char *at = memmem(page->bytes, page->length, text, strlen(text));
    assert_non_null(at);
    return (size_t)(at - page->bytes);
}

static void the_latest_comes_first_whatever_the_order(void **state)
{
    struct pr_index_run runs[] = {made("a", "source-1", 1000, 1), made("b", "source-3", 3000, 1),
                                  made("c", "source-2", 2000, 1), nothing};
    struct pr_index_run turned[] = {nothing, runs[2], runs[0], runs[1]};
    (void)state;
    runs[3].name = runs[3].source = "source-0";
    turned[0] = runs[3];
    struct pr_buf page = page_of(runs, 4), same = page_of(turned, 4);
    assert_int_equal(page.length, same.length);
    assert_memory_equal(page.bytes, same.bytes, page.length);
    assert_true(place_of(&page, "source-3<") < place_of(&page, "source-2<"));
    assert_true(place_of(&page, "source-2<") < place_of(&page, "source-1<"));
    assert_true(place_of(&page, "source-1<") < place_of(&page, "source-0<")); /* its time is not known */
    pr_buf_clear(&page);
    pr_buf_clear(&same);
}

static void a_trend_is_against_the_median_of_those_before(void **state)
{
    const struct pr_index_run runs[] = {made("job", "1", 1000, 100), made("job", "2", 2000, 900),
                                        made("job", "3", 3000, 200), made("job", "4", 4000, 250)};
    (void)state;
    struct pr_buf page = page_of(runs, 4);
    assert_true(has(&page, "the median of the runs before is 200 bytes"));
    assert_true(has(&page, "+25.0\xC2\xA0%"));
    pr_buf_clear(&page);
    page = page_of(runs, 1);
    assert_false(has(&page, "Trends"));
    pr_buf_clear(&page);
}

static void memory_says_how_it_was_measured(void **state)
{
    struct pr_index_run runs[] = {made("job", "1", 1000, 100), made("job", "2", 2000, 200), made("job", "3", 3000, 0)};
    (void)state;
    runs[2].heap_bytes = (struct pr_maybe){0};
    runs[2].rss_bytes = KNOWN(4096);
    struct pr_buf page = page_of(runs, 3);
    assert_true(has(&page, "Peak heap</th>") && has(&page, "Peak RSS</th>"));
    assert_true(has(&page, "not recorded</span></td><td class='change'></td>")); /* the latest has no heap to compare */
    pr_buf_clear(&page);
    runs[0].rss_bytes = KNOWN(2048);
    runs[0].heap_bytes = runs[1].heap_bytes = (struct pr_maybe){0};
    page = page_of(runs, 3);
    assert_true(has(&page, "<span class='kind'> RSS</span>") && has(&page, "+100\xC2\xA0%"));
    assert_true(has(&page, "no-heap"));
    pr_buf_clear(&page);
    page = page_of(runs + 1, 1);
    assert_true(has(&page, " no-rss'"));
    pr_buf_clear(&page);
}

static void unknown_is_not_zero(void **state)
{
    struct pr_index_run run = nothing;
    (void)state;
    run.name = run.source = "x";
    struct pr_buf page = page_of(&run, 1);
    assert_true(has(&page, "not recorded"));
    assert_false(has(&page, ">0 B<"));
    pr_buf_clear(&page);
}

/* Times of a damaged run may be anything; no arithmetic overflows (UBSan looks on). */
static void absurd_times_do_no_harm(void **state)
{
    struct pr_index_run runs[] = {made("a", "1", 0, INT64_MAX), made("a", "2", 0, 0), made("a", "3", 0, INT64_MIN)};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        runs[i].flow = "flow";
        runs[i].run = "1";
        runs[i].step = "step";
    }
    runs[0].start_ms = KNOWN(INT64_MIN);
    runs[0].end_ms = KNOWN(INT64_MIN + 5);
    runs[1].start_ms = KNOWN(INT64_MAX - 5);
    runs[1].end_ms = KNOWN(INT64_MAX);
    runs[2].start_ms = KNOWN(INT64_MIN);
    runs[2].end_ms = KNOWN(INT64_MAX);
    struct pr_buf page = page_of(runs, 3);
    assert_true(has(&page, "All runs"));
    assert_false(has(&page, "id='flows'")); /* no axis holds them */
    pr_buf_clear(&page);
}

static void without_memory_it_fails(void **state)
{
    struct pr_index_run runs[] = {made("a", "1", 1000, 1), made("a", "2", 2000, 2)};
    const struct pr_index index = {.title = "Runs", .runs = runs, .count = 2};
    unsigned long n = 1;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        runs[i].flow = "flow";
        runs[i].run = "1";
        runs[i].step = "step";
    }
    for (;; n++) {
        struct pr_buf page = {0};
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_render_index(&index, &page, &err);
        const bool failed = alloc_fail_stop();
        assert_int_equal(status, failed ? PR_FAILED : PR_OK);
        assert_int_equal(err.code, failed ? PR_ERR_MEMORY : PR_ERR_NONE);
        pr_buf_clear(&page);
        if (!failed)
            break;
    }
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_comes_first_whatever_the_order),
        cmocka_unit_test(a_trend_is_against_the_median_of_those_before),
        cmocka_unit_test(memory_says_how_it_was_measured),
        cmocka_unit_test(unknown_is_not_zero),
        cmocka_unit_test(absurd_times_do_no_harm),
        cmocka_unit_test(without_memory_it_fails),
    };
    return cmocka_run_group_tests_name("index", tests, NULL, NULL);
}
