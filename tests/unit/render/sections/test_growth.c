/* SPDX-License-Identifier: Apache-2.0 */
/* What a card shows for a difference: both sides, who grew and who shrank, and how much of it all that is. */
#include "render/card.h"
#include "tests/support/unit.h"

#include "profrender/diff.h"
#include "render/sections/growth.h"
#include "render/html/nonbreaking.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"

#include <stdlib.h>
#include <string.h>

#define LIBRARY "/usr/lib/python3.12/site-packages/io.py"

struct holding {
    const char *stack;
    int64_t bytes;
};

/* A capture of HOLDINGS, which an empty stack ends, that took that number of seconds. */
static struct pr_profile *capture(const struct holding *holdings, int64_t seconds)
{
    struct maker *maker = maker_new();
    const unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    struct pr_meta *meta = maker_meta(maker);
    meta->start_ms = (struct pr_maybe){true, 1000};
    meta->end_ms = (struct pr_maybe){true, 1000 + seconds * 1000};
    for (; holdings->stack; holdings++)
        maker_value(maker, maker_fact(maker, maker_stack(maker, holdings->stack), 0, PR_ALLOC_MALLOC), peak,
                    holdings->bytes, 1);
    return maker_finish(maker);
}

static const struct holding base[] = {{"main@app.py:1 load@app.py:9 read@" LIBRARY ":3", 1000},
                                      {"main@app.py:2 parse@app.py:20", 4000},
                                      {"main@app.py:3 old@app.py:30", 500},
                                      {NULL, 0}};
static const struct holding changed[] = {{"main@app.py:1 load@app.py:9 read@" LIBRARY ":3", 6000},
                                         {"main@app.py:1 load@app.py:9", 1000},
                                         {"main@app.py:2 parse@app.py:20", 3000},
                                         {"main@app.py:4 fresh@app.py:40", 2000},
                                         {NULL, 0}};

static struct pr_diff *difference(const struct holding *before, const struct holding *after)
{
    struct pr_profile *old = capture(before, 20), *new = capture(after, 50);
    struct pr_diff *diff = NULL;
    assert_int_equal(pr_diff_new(&diff, NULL), PR_OK);
    assert_int_equal(pr_diff_add(diff, new, NULL), PR_OK);
    assert_int_equal(pr_diff_add(diff, old, NULL), PR_OK);
    assert_int_equal(pr_diff_finish(diff, NULL), PR_OK);
    pr_profile_free(old);
    pr_profile_free(new);
    return diff;
}

static void assert_page(const struct holding *before, const struct holding *after, const char *const *wanted)
{
    static const char *const sides[] = {"a.prz", "b.prz"};
    struct pr_diff *diff = difference(before, after);
    struct pr_card_options options = pr_card_options_default();
    struct pr_buf page = {0};
    options.sources = sides;
    options.source_count = 2;
    assert_int_equal(pr_render_card(diff->profile, &options, &page, NULL), PR_OK);
    with_plain_spaces(page.bytes);
    for (; *wanted; wanted++)
        if (!strstr(page.bytes, *wanted))
            fail_msg("the page lacks: %s", *wanted);
    pr_buf_clear(&page);
    pr_diff_free(diff);
}

static void libraries_count_for_the_function_that_called_them(void **state)
{
    static const struct {
        const char *name;
        int64_t before, after;
    } expected[] = {{"load", 1000, 7000}, {"fresh", 0, 2000}, {"parse", 4000, 3000}, {"old", 500, 0}};
    (void)state;
    struct pr_diff *diff = difference(base, changed);
    struct pr_page page;
    struct pr_growth_sides sides;
    assert_int_equal(pr_page_make(&page, diff->profile, NULL, NULL), PR_OK);
    pr_node_id *own = pr_growth_find_own(&page);
    assert_int_equal(pr_growth_sides_make(&page, 0, own, &sides, NULL), PR_OK);
    assert_int_equal(sides.count, 4);
    assert_int_equal(sides.grown_count, 2);
    assert_int_equal(sides.all.before, 5500);
    assert_int_equal(sides.all.after, 12000);
    assert_int_equal(sides.grown, 8000);
    assert_int_equal(sides.shrunk, 1500);
    assert_int_equal(sides.largest, 6000);
    for (size_t i = 0; i < sides.count; i++) {
        const struct pr_growth *growth = &sides.growth[i];
        const struct pr_frame *frame = &page.profile->frames[growth->frame];
        assert_string_equal(pr_profile_text(page.profile, frame->function).bytes, expected[i].name);
        assert_int_equal(growth->before, expected[i].before);
        assert_int_equal(growth->after, expected[i].after);
        const pr_node_id node = pr_growth_sides_node(&page, &sides, own, growth->frame);
        assert_int_not_equal(node, PR_NO_NODE);
        assert_int_equal(page.profile->tree.frame[node], growth->frame);
    }
    pr_growth_sides_clear(&sides);
    free(own);
    pr_page_clear(&page);
    pr_diff_free(diff);
}

static void a_card_tells_of_both_sides(void **state)
{
    (void)state;
    assert_page(base, changed, (const char *[]){
        "<title>b.prz</title>", "<span class='state'>Difference</span>",
        "<div class='panel'><p>Before <b>a.prz</b></p>", "<div class='panel'><p>After <b>b.prz</b></p>",
        "<dt>Duration</dt><dd class='v' title='20 \xE2\x86\x92 50 s'>",
        "<dt>Heap at its peak</dt><dd class='v' title='5,500 \xE2\x86\x92 12,000 bytes'>5.37 "
        "<small>\xE2\x86\x92</small> 11.7 <small>KiB</small></dd>",
        "<dd class='s up' title='6,500 bytes of 5,500 bytes'>\xE2\x96\xB2 6.35 KiB, +118.2 %</dd>",
        "<strong><code>load</code> <span class='up'><span title='6,000 bytes'>\xE2\x96\xB2 5.86 KiB</span></span>"
        "</strong> at <code>app.py:9</code>: <span title='1,000 bytes'>1,000 B</span> before, "
        "<span title='7,000 bytes'>6.84 KiB</span> after, <span title='1,000 bytes of 5,500 bytes'>18.2 %</span> and "
        "<span title='7,000 bytes of 12,000 bytes'>58.3 %</span> of the whole.",
        "<strong><code>fresh</code> is new: <span class='up'><span title='2,000 bytes'>\xE2\x96\xB2 1.95 KiB</span>"
        "</span></strong> at <code>app.py:40</code>.",
        NULL});
    assert_page(changed, base, (const char *[]){
        "<strong><code>load</code> <span class='down'>", "<strong><code>fresh</code> is gone: ",
        "'>Show in the graph</a>", NULL});
    assert_page(base, base, (const char *[]){"is the same", "Nothing changed.", NULL});
}

/* Imports vary from run to run; who reads of a growth in load wants to know of load. */
static void start_up_is_not_news_where_own_code_is(void **state)
{
    static const struct holding before[] = {{"main@app.py:1 load@app.py:9", 1000}, {"boot@" LIBRARY ":3", 900},
                                            {"main@app.py:2 parse@app.py:20", 800}, {NULL, 0}};
    static const struct holding after[] = {{"main@app.py:1 load@app.py:9", 9000}, {"boot@" LIBRARY ":3", 0},
                                           {"main@app.py:2 parse@app.py:20", 800}, {NULL, 0}};
    static const struct holding parsed[] = {{"main@app.py:1 load@app.py:9", 9000}, {"boot@" LIBRARY ":3", 900},
                                            {"main@app.py:2 parse@app.py:20", 0}, {NULL, 0}};
    (void)state;
    assert_page(before, after, (const char *[]){"all of it in <code>load</code>.</span></p>", NULL});
    assert_page(before, parsed, (const char *[]){"all of it in <code>load</code>; <code>parse</code> is gone (", NULL});
}

/* What a finding says of a function is by function; its link leads to a frame, which has all below it. */
static void a_finding_says_what_its_frame_has(void **state)
{
    static const struct holding before[] = {{"main@app.py:1 load@app.py:9", 1000},
                                            {"main@app.py:1 load@app.py:9 clean@app.py:20", 500}, {NULL, 0}};
    static const struct holding after[] = {{"main@app.py:1 load@app.py:9", 9000},
                                           {"main@app.py:1 load@app.py:9 clean@app.py:20", 600}, {NULL, 0}};
    (void)state;
    assert_page(before, after, (const char *[]){
        "all of it in <code>load</code>.</span></p>", /* and nothing of clean, which has 1 % of it */
        " of the whole. In the graph, with all it calls there: <span title='1,500 bytes'>1.46 KiB</span> before, "
        "<span title='9,600 bytes'>9.38 KiB</span> after.</p>", NULL});
}

static const struct holding only_old[] = {{"main@app.py:3 old@app.py:30", 500}, {NULL, 0}};
static const struct holding only_new[] = {{"main@app.py:3 young@app.py:30", 500}, {NULL, 0}};

static void what_left_one_function_for_another_has_moved(void **state)
{
    (void)state;
    assert_page(only_old, only_new, (const char *[]){
        "Peak memory is the same",
        "; <span title='500 bytes'>500 B</span> moved from <code>old</code> to <code>young</code>.",
        "<strong>\xE2\x87\x84 <span title='500 bytes'>500 B</span> moved</strong> from <code>old</code> to "
        "<code>young</code> at <code>app.py:30</code>: it did not grow.",
        "<tr class='moved'><th scope='row'>young</th>", "<td class='hide-s'>moved from old</td>",
        "<td class='hide-s'>moved to young</td>", NULL});
}

static void numbers_stay_with_their_units(void **state)
{
    static const char html[] = "<b title='5 B'>12.5 MiB</b> of <code>f 5 s</code>, 3 Bad, 7 %, 2 \xC2\xB5s: 1 s.";
    (void)state;
    struct pr_buf out = {0};
    pr_together_add(&out, html, sizeof html - 1);
    assert_string_equal(out.bytes, "<b title='5 B'>12.5\xC2\xA0MiB</b> of <code>f 5 s</code>, 3 Bad, 7\xC2\xA0%, "
                                   "2\xC2\xA0\xC2\xB5s: 1\xC2\xA0s.");
    pr_buf_clear(&out);
}

static void the_ends_of_the_range_are_kept(void **state)
{
    (void)state;
    assert_int_equal(pr_growth_change(&(struct pr_growth){0, INT64_MIN, INT64_MAX}), INT64_MAX);
    assert_int_equal(pr_growth_change(&(struct pr_growth){0, INT64_MAX, INT64_MIN}), INT64_MIN);
    assert_int_equal(pr_growth_size(INT64_MIN), INT64_MAX);
    assert_string_equal(pr_growth_percent(&(struct pr_growth){0, 0, 5}).text, "new");
    assert_string_equal(pr_growth_percent(&(struct pr_growth){0, 5, 0}).text, "gone");
    assert_string_equal(pr_growth_percent(&(struct pr_growth){0, 5, 5}).text, "");
}

static void out_of_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    struct pr_diff *diff = difference(base, changed);
    enum pr_status status = PR_FAILED;
    for (unsigned n = 1; status == PR_FAILED; n++) {
        struct pr_buf page = {0};
        struct pr_error err = {0};
        alloc_fail_at(n);
        status = pr_render_card(diff->profile, NULL, &page, &err);
        alloc_fail_stop();
        assert_int_equal(err.code, status == PR_FAILED ? PR_ERR_MEMORY : PR_ERR_NONE);
        pr_buf_clear(&page);
    }
    pr_diff_free(diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_count_for_the_function_that_called_them),
        cmocka_unit_test(a_card_tells_of_both_sides),
        cmocka_unit_test(start_up_is_not_news_where_own_code_is),
        cmocka_unit_test(a_finding_says_what_its_frame_has),
        cmocka_unit_test(what_left_one_function_for_another_has_moved),
        cmocka_unit_test(numbers_stay_with_their_units),
        cmocka_unit_test(the_ends_of_the_range_are_kept),
        cmocka_unit_test(out_of_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
