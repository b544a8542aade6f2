/* SPDX-License-Identifier: Apache-2.0 */
/* The index of many cards: what is on it, in which order, and what becomes of it without memory. */
#include "tests/support/unit.h"

#include "render/index/index.h"
#include "tests/support/alloc_fail.h"

#include <string.h>

#define KNOWN(number) ((struct pr_maybe){true, number})

static const struct pr_index_run nothing = {.name = "", .source = "", .card = "", .problem = "", .flow = "", .run = "",
                                            .step = "", .commit = ""};

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
    assert_true(has(&page, "not recorded</span></b></p>")); /* the latest has no heap to compare */
    pr_buf_clear(&page);
    runs[0].rss_bytes = KNOWN(2048);
    runs[0].heap_bytes = runs[1].heap_bytes = (struct pr_maybe){0};
    page = page_of(runs, 3);
    assert_true(has(&page, "<span class='kind'>Peak RSS</span>") && has(&page, "+100\xC2\xA0%"));
    assert_true(has(&page, "no-heap"));
    pr_buf_clear(&page);
    page = page_of(runs + 1, 1);
    assert_true(has(&page, " no-rss no-cpu'"));
    pr_buf_clear(&page);
}

static void a_job_near_its_memory_limit_wants_a_look(void **state)
{
    struct pr_index_run runs[] = {made("far", "1", 1000, 100), made("near", "2", 2000, 100),
                                  made("near", "3", 1500, 1)};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        runs[i].memory_limit_bytes = KNOWN(1024 << 20);
    runs[0].memory_bytes = KNOWN(921 << 20);
    runs[1].memory_bytes = KNOWN(922 << 20);
    runs[2].memory_bytes = KNOWN(1023 << 20); /* not its latest */
    struct pr_buf page = page_of(runs, 3);
    assert_true(has(&page, "1 job used 90 % or more of its memory limit in its latest run"));
    assert_true(has(&page, ">922 MiB</span> of <span title='1,073,741,824 bytes'>1.00 GiB</span>, "
                           "<span title='966,787,072 bytes of 1,073,741,824 bytes'>90.0 %</span>"));
    pr_buf_clear(&page);
    runs[1].memory_bytes = KNOWN(100 << 20);
    page = page_of(runs, 3);
    assert_false(has(&page, "memory limit"));
    pr_buf_clear(&page);
}

/* COUNT runs of a job, the oldest first, one every hour. */
static void fill_job(struct pr_index_run *runs, const char *name, const int64_t *heap_mib, size_t count)
{
    static const char *const sources[] = {"01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"};
    for (size_t i = 0; i < count; i++) {
        runs[i] = made(name, sources[i], 1000000 + (int64_t)i * 3600000, heap_mib[i] << 20);
        runs[i].run = sources[i];
        runs[i].heap_chance_percent = KNOWN(0);
    }
}

static void a_growth_is_told_first_with_the_run_since_which_it_is_there(void **state)
{
    static const int64_t heap[] = {100, 101, 99, 100, 100, 140, 141, 139};
    struct pr_index_run runs[8];
    (void)state;
    fill_job(runs, "job", heap, 8);
    struct pr_buf page = page_of(runs, 8);
    assert_true(has(&page, "The only job uses more memory (<span title='145,752,064 bytes; the median of the"));
    assert_true(has(&page, "+39.0\xC2\xA0%</span>) since run 06 on 1 January 1970</span></h2>"));
    assert_true(has(&page, "the median of the runs before is 104,857,600 bytes"));
    const size_t since = place_of(&page, "06</a><span class='kind'>");
    const size_t last = place_of(&page, "05</a><span class='kind'>");
    assert_true(since < last && last < place_of(&page, "id='grid'") && place_of(&page, "id='grid'") <
                place_of(&page, "id='trends'"));
    assert_true(has(&page, "Grew <b>3</b>"));
    pr_buf_clear(&page);
}

/* Steps are marked, the last one with the first run of its level; an outlier and what `check` ignores are not. */
static void a_level_that_changes_is_marked_with_its_first_run(void **state)
{
    static const int64_t step[] = {100, 101, 99, 100, 100, 140, 141, 139, 140, 141},
                         twice[] = {100, 101, 99, 100, 140, 141, 139, 140, 190, 191, 189, 190},
                         fallen[] = {140, 141, 139, 140, 140, 100, 101, 99, 100},
                         slight[] = {100, 100, 100, 100, 102, 102, 102, 102},
                         outlier[] = {100, 101, 99, 100, 300, 100, 101, 99};
    (void)state;
    struct pr_index_run runs[12];
    fill_job(runs, "job", step, 10);
    struct pr_buf page = page_of(runs, 10);
    assert_true(has(&page, "\xE2\x96\xB2 +41.0 % since 06</text>"));
    assert_false(has(&page, "before'>level ")); /* it is the growth that is told: one number for one change */
    pr_buf_clear(&page);
    fill_job(runs, "job", twice, 12);
    page = page_of(runs, 12);
    assert_true(has(&page, " since 05</text>") && has(&page, "<path class='level up'"));
    const char *since = strstr(page.bytes + place_of(&page, " before'>level "), "since ");
    assert_memory_equal(strchr(since, '>'), ">09<", 4);
    pr_buf_clear(&page);
    fill_job(runs, "job", fallen, 9);
    page = page_of(runs, 9);
    since = strstr(page.bytes + place_of(&page, " before'>level "), "since ");
    assert_non_null(since);
    assert_memory_equal(strchr(since, '>'), ">06<", 4);
    assert_true(has(&page, "\xE2\x96\xBC \xE2\x88\x92" "28.6 % since 06</text>"));
    assert_true(has(&page, "<path class='level down'"));
    assert_true(place_of(&page, "not 140 MiB, since ") < place_of(&page, "id='trends'"));
    pr_buf_clear(&page);
    const int64_t *const none[] = {slight, outlier};
    for (size_t i = 0; i < 2; i++) {
        fill_job(runs, "job", none[i], 8);
        page = page_of(runs, 8);
        assert_false(has(&page, "class='level ") || has(&page, "before'>level "));
        pr_buf_clear(&page);
    }
}

/* The run since which a level is there, and its commit: a link only where that is a hash. */
static void a_change_has_the_commit_of_its_run(void **state)
{
    static const int64_t step[] = {100, 101, 99, 100, 100, 140, 141, 139, 140, 141};
    static const char url[] = "https://git.example.com/app/commit/{commit}?from={commit}";
    const struct {
        const char *commit, *shown;
        bool is_linked;
    } cases[] = {
        {"0123456789abcdef0123456789abcdef01234567", "'>0123456789</code>", true},
        {"ABCDEF0", "'>ABCDEF0</code>", true},
        {"abcdef", "'>abcdef</code>", false},
        {"v1.2'onclick=x", "'>v1.2&#39;onclick=x</code>", false},
        {"../../0123456789", "'>../../0123456789</code>", false},
        {"", NULL, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_index_run runs[10];
        struct pr_buf page = {0};
        fill_job(runs, "job", step, 10);
        runs[5].commit = cases[i].commit;
        const struct pr_index index = {.title = "Runs", .commit_url = url, .runs = runs, .count = 10};
        struct pr_error err = {0};
        assert_int_equal(PR_OK, pr_render_index(&index, &page, &err));
        pr_buf_byte(&page, '\0');
        assert_int_equal(has(&page, "class='commit'"), *cases[i].commit != '\0');
        if (cases[i].shown)
            assert_true(place_of(&page, cases[i].shown) < place_of(&page, "id='trends'"));
        assert_int_equal(has(&page, "href='https://git.example.com/app/commit/"), cases[i].is_linked);
        if (cases[i].is_linked)
            assert_non_null(strstr(page.bytes + place_of(&page, "id='trends'"), "?from="));
        pr_buf_clear(&page);
    }
}

/* Small or single changes, those that chance explains, and old ones are no news. */
static void what_check_allows_is_no_growth(void **state)
{
    static const int64_t small[] = {100, 101, 99, 100, 102}, single[] = {100, 100, 180, 100, 100},
                         wide[] = {100, 150, 90, 130, 155}, large[] = {100, 101, 99, 100, 100, 140};
    const struct {
        const int64_t *heap;
        size_t count;
        int64_t chance_percent;
    } jobs[] = {{small, 5, 0}, {single, 5, 0}, {wide, 5, 0}, {large, 6, 300}};
    (void)state;
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        struct pr_index_run runs[6];
        fill_job(runs, "job", jobs[j].heap, jobs[j].count);
        for (size_t i = 0; i < jobs[j].count; i++)
            runs[i].heap_chance_percent = KNOWN(jobs[j].chance_percent);
        struct pr_buf page = page_of(runs, jobs[j].count);
        assert_false(has(&page, "uses more memory ("));
        assert_true(has(&page, "No job uses more memory or takes longer than before: the only one was compared."));
        pr_buf_clear(&page);
    }
}

/* What a failed or cut run has is a part: it neither raises an alarm nor hides one. */
static void failed_and_cut_runs_are_not_compared(void **state)
{
    static const int64_t heap[] = {100, 100, 400, 100, 140, 20, 141};
    struct pr_index_run runs[7];
    (void)state;
    fill_job(runs, "job", heap, 7);
    runs[2].status = PR_RUN_FAILED;
    runs[5].status = PR_RUN_CUT;
    struct pr_buf page = page_of(runs, 7);
    assert_true(has(&page, "The only job uses more memory (<span") && has(&page, "+41.0\xC2\xA0%</span>)"));
    assert_true(has(&page, "Grew <b>2</b>"));
    assert_true(has(&page, "<text class='bad'") && has(&page, "<text class='cut'"));
    pr_buf_clear(&page);
    runs[4] = runs[6] = runs[3];
    runs[4].source = "5", runs[6].source = "7";
    page = page_of(runs, 7);
    assert_false(has(&page, "uses more memory ("));
    assert_true(has(&page, "The only failure: "));
    pr_buf_clear(&page);
}

/* Later runs went well: the failures are no news, and those for the same reason are one line. */
static void earlier_failures_are_grouped_by_their_reason(void **state)
{
    static const int64_t heap[] = {100, 100, 100, 100, 100};
    struct pr_index_run runs[5];
    (void)state;
    fill_job(runs, "job", heap, 5);
    runs[0].status = runs[1].status = runs[3].status = PR_RUN_FAILED;
    runs[0].problem = runs[3].problem = "ValueError: empty";
    runs[1].problem = "KeyError: <b>";
    struct pr_buf page = page_of(runs, 5);
    const char *also = page.bytes + place_of(&page, "id='also'"), *end = strstr(also, "</section>");
    const char *first = strstr(also, "\xC3\x97 2</b>"), *second = strstr(also, "\xC3\x97 1</b>");
    assert_true(first && second && first < second && second < end);
    assert_true(strstr(first, "04") < second && strstr(first, "01") < second);
    assert_true(strstr(also, "KeyError: &lt;b&gt;") < end);
    pr_buf_clear(&page);
}

/* How far the runs reach, which is the newest, and what each is against the runs before it. */
static void the_page_says_what_it_is_of(void **state)
{
    static const int64_t heap[] = {100, 100, 140};
    struct pr_index_run runs[3];
    (void)state;
    fill_job(runs, "job", heap, 3);
    runs[0].start_ms = KNOWN(INT64_C(1793671215087));
    runs[1].start_ms = KNOWN(INT64_C(1794000000000));
    runs[2].start_ms = KNOWN(INT64_C(1795231219077));
    struct pr_buf page = page_of(runs, 3);
    assert_true(has(&page, "3 runs of 1 job, 3 to 21 November 2026</span>\n<span>newest "));
    assert_true(has(&page, "first run</span></td>"));
    const char *row = page.bytes + place_of(&page, "data-sort='0.400'");
    assert_non_null(strstr(row, "\xE2\x96\xB2 <span title='146,800,640 bytes; the median of the runs before is"));
    pr_buf_clear(&page);
    runs[0].start_ms = KNOWN(INT64_C(1761955200000)); /* 2025-11-01 */
    page = page_of(runs, 3);
    assert_true(has(&page, "1 November 2025 to 21 November 2026<"));
    pr_buf_clear(&page);
}

static void jobs_that_fail_now_are_named_with_their_problem(void **state)
{
    static const int64_t heap[] = {100, 100, 100};
    struct pr_index_run runs[3];
    (void)state;
    fill_job(runs, "job", heap, 3);
    runs[2].status = PR_RUN_FAILED;
    runs[2].problem = "ValueError: <none>";
    struct pr_buf page = page_of(runs, 3);
    assert_true(has(&page, "1 job failed in its latest run</h2>"));
    assert_true(has(&page, "<span class='why'>ValueError: &lt;none&gt;</span>"));
    pr_buf_clear(&page);
}

static void steps_of_a_flow_share_columns(void **state)
{
    struct pr_index_run runs[5];
    static const char *const steps[] = {"load", "fit", "load", "load", "fit"}, *const of[] = {"1", "1", "2", "3", "3"};
    static const char *const sources[] = {"a", "b", "c", "d", "e"};
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        runs[i] = made("sales", sources[i], 1000 + (int64_t)i * 1000, 1 << 20);
        runs[i].flow = "sales";
        runs[i].step = steps[i];
        runs[i].run = of[i];
    }
    runs[2].status = PR_RUN_FAILED;
    struct pr_buf page = page_of(runs, 5);
    assert_true(has(&page, "<caption>sales</caption>"));
    assert_true(has(&page, "<th scope='col'>1</th><th scope='col'>2</th><th scope='col'>3</th>"));
    assert_true(place_of(&page, "title='load'") < place_of(&page, "title='fit'"));
    assert_true(has(&page, "did not run</span>") && has(&page, "title='Failed, run 2, "));
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

static void without_memory_nothing_is_said_of_the_runs_before(void **state)
{
    struct pr_index_run runs[] = {made("a", "1", 1000, 1 << 20), made("a", "2", 2000, 5 << 20)};
    const struct pr_index index = {.title = "Runs", .runs = runs, .count = 2};
    bool failed = true;
    (void)state;
    for (unsigned long n = 1; failed; n++) {
        struct pr_before_texts texts[2] = {{{{0}}}};
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_render_before(&index, texts, &err);
        failed = alloc_fail_stop();
        assert_int_equal(status, failed ? PR_FAILED : PR_OK);
        if (!failed)
            assert_non_null(strstr(texts[1].kind[PR_BEFORE_HEAP].bytes, "against the run before"));
        for (int kind = 0; kind < PR_BEFORE_KINDS; kind++) {
            assert_int_equal(texts[0].kind[kind].length, 0);
            pr_buf_clear(&texts[0].kind[kind]);
            pr_buf_clear(&texts[1].kind[kind]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_comes_first_whatever_the_order),
        cmocka_unit_test(a_trend_is_against_the_median_of_those_before),
        cmocka_unit_test(memory_says_how_it_was_measured),
        cmocka_unit_test(a_job_near_its_memory_limit_wants_a_look),
        cmocka_unit_test(a_growth_is_told_first_with_the_run_since_which_it_is_there),
        cmocka_unit_test(a_level_that_changes_is_marked_with_its_first_run),
        cmocka_unit_test(a_change_has_the_commit_of_its_run),
        cmocka_unit_test(what_check_allows_is_no_growth),
        cmocka_unit_test(failed_and_cut_runs_are_not_compared),
        cmocka_unit_test(earlier_failures_are_grouped_by_their_reason),
        cmocka_unit_test(the_page_says_what_it_is_of),
        cmocka_unit_test(jobs_that_fail_now_are_named_with_their_problem),
        cmocka_unit_test(steps_of_a_flow_share_columns),
        cmocka_unit_test(unknown_is_not_zero),
        cmocka_unit_test(absurd_times_do_no_harm),
        cmocka_unit_test(without_memory_it_fails),
        cmocka_unit_test(without_memory_nothing_is_said_of_the_runs_before),
    };
    return cmocka_run_group_tests_name("index", tests, NULL, NULL);
}
