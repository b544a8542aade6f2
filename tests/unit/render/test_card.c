/* SPDX-License-Identifier: Apache-2.0 */
/* The page: its contents, that it adds up, and that no name escapes from its place. */
#include "tests/support/unit.h"

#include "capture/base/sha256.h"
#include "profrender/load.h"
#include "profrender/diff.h"
#include "render/card.h"
#include "render/html/pack.h"
#include "render/page/parts.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"
#include "tests/support/random_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct made {
    struct maker *maker;
    unsigned peak, leaked, temporary, rss, heap;
};

static struct made new_maker(void)
{
    struct made made = {.maker = maker_new()};
    struct pr_meta *meta = maker_meta(made.maker);
    meta->format = "memray";
    meta->format_title = "memray capture";
    meta->format_version = 13;
    meta->command_line = maker_string(made.maker, "/opt/memray/__main__.py run -o x.bin jobs/etl.py --token abc");
    meta->pid = (struct pr_maybe){true, 4242};
    meta->start_ms = (struct pr_maybe){true, 1795250798361};
    meta->end_ms = (struct pr_maybe){true, 1795250798361 + 388214};
    meta->python_version = 0x030c04f0;
    meta->size_bytes = 2091843584;
    made.peak = maker_metric(made.maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    made.leaked = maker_metric(made.maker, "leaked", "Leaked", PR_UNIT_BYTES, "allocations");
    made.temporary = maker_metric(made.maker, "temporary", "Temporary", PR_UNIT_BYTES, "allocations");
    made.rss = maker_series(made.maker, "rss", "RSS", PR_UNIT_BYTES);
    made.heap = maker_series(made.maker, "heap", "Heap", PR_UNIT_BYTES);
    return made;
}

static void add_at(struct made *made, pr_node_id leaf, int64_t peak, int64_t leaked, int64_t temporary)
{
    size_t fact = maker_fact(made->maker, leaf, 0, PR_ALLOC_MALLOC);
    maker_value(made->maker, fact, made->peak, peak, peak > 0);
    maker_value(made->maker, fact, made->leaked, leaked, leaked > 0);
    maker_value(made->maker, fact, made->temporary, temporary, temporary > 0);
}

static void add(struct made *made, const char *stack, int64_t peak, int64_t leaked, int64_t temporary)
{
    add_at(made, maker_stack(made->maker, stack), peak, leaked, temporary);
}

static struct pr_profile *good_profile(void)
{
    struct made made = new_maker();
    for (int i = 0; i <= 100; i++) {
        maker_point(made.maker, made.rss, 1795250798361 + 3882 * i, 1000000 + 1000 * i);
        maker_point(made.maker, made.heap, 1795250798361 + 3882 * i, i == 56 ? 3000000 : 1000 * i);
    }
    add(&made, "main@jobs/etl.py:9 load@jobs/etl.py:41 read@/usr/lib/python3.12/site-packages/pd/io.py:7", 2000000, 0,
        0);
    add(&made, "main@jobs/etl.py:9 load@jobs/etl.py:41 copy@/usr/lib/python3.12/site-packages/pd/io.py:8", 500000, 0,
        0);
    add(&made, "main@jobs/etl.py:9 keep@jobs/etl.py:50", 400000, 300000, 0);
    add(&made, "main@jobs/etl.py:9 hash@jobs/etl.py:60", 0, 0, 170000);
    for (int i = 0; i < 40; i++) {
        char stack[64];
        snprintf(stack, sizeof stack, "main@jobs/etl.py:9 small%d@jobs/etl.py:%d", i, 100 + i);
        add(&made, stack, 100 + i, 0, 0);
    }
    return maker_finish(made.maker);
}

/* The page of PROFILE, which is taken over. To be freed. */
static char *render(struct pr_profile *profile, const struct pr_card_options *options)
{
    struct pr_buf page = {0};
    struct pr_error err = {0};
    assert_int_equal(pr_render_card(profile, options, &page, &err), PR_OK);
    assert_int_equal(strlen(page.bytes), page.length); /* no NUL in it */
    pr_profile_free(profile);
    return with_plain_spaces(page.bytes);
}

static void assert_has(const char *page, const char *text)
{
    if (!strstr(page, text))
        fail_msg("the page lacks: %s", text);
}

static void assert_lacks(const char *page, const char *text)
{
    if (strstr(page, text))
        fail_msg("the page has: %s", text);
}

static size_t count_of(const char *page, const char *text)
{
    size_t count = 0;
    for (; (page = strstr(page, text)); page += strlen(text))
        count++;
    return count;
}

/* The page without its script, style and payload: what C wrote. To be freed. */
static char *written_part(const char *page)
{
    const char *body = strstr(page, "<body>"), *end = strstr(page, "<script type=\"application/octet-stream\"");
    assert_non_null(body);
    assert_non_null(end);
    return strndup(body, (size_t)(end - body));
}

static void a_good_run_tells_what_ran_and_how_much(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    options.source = "my runs/it's.bin";
    char *page = render(good_profile(), &options);
    assert_has(page, "<html lang=\"en\" data-state=\"ok\">");
    assert_has(page, "<title>etl.py</title>");
    assert_has(page, "<time datetime='2026-11-21T08:46:38.361Z' title='2026-11-21T08:46:38.361Z'>"
                     "2026-11-21 08:46:38 UTC</time>");
    assert_has(page, "Python 3.12.4");
    assert_has(page, "pid <b>4242</b>");
    assert_has(page, "--token [redacted]");
    assert_has(page, "title='388.214 s'>6 <small>min</small> 28 <small>s</small>");
    assert_has(page, "<dt>Peak heap</dt><dd class='v' title='2,904,780 bytes; click for the functions'>"
                     "<a href='#peak' data-view='peak' data-node='0'>2.77 <small>MiB</small></a>");
    assert_has(page, "<dt>Not freed at the end</dt><dd class='v' title='300,000 bytes; click for the functions'>"
                     "<a href='#leaks' data-view='leaks' data-node='0'>293 <small>KiB</small></a>");
    assert_has(page,
               "<dt>Allocated in total</dt><dd class='v none'>not recorded</dd>"); /* made by hand: no statistics */
    assert_int_equal(count_of(page, "<dl class='stats'>"), 2); /* five figures in the first line */
    assert_has(page, "<details class='more'><summary>");
    assert_has(page, "data-kind='table'>profrender table &#39;my runs/");
    assert_has(page, "<code>profrender table --leaks &#39;my runs/it&#39;\\&#39;&#39;s.bin&#39;</code>");
    assert_has(page, "<dt>RSS</dt><dd>resident memory");
    assert_lacks(page, "<dt>PSS</dt>"); /* words that the card does not use are not explained */
    assert_has(page, "<kbd>P</kbd>");
    assert_lacks(page, "class='banner");
    free(page);
}

static void findings_put_bytes_down_to_the_line_of_the_user(void **state)
{
    (void)state;
    char *page = render(good_profile(), NULL);
    assert_has(page,
               "<code>load</code> holds <span title='2,500,000 bytes'>2.38 MiB</span></strong> of the "
               "<span title='2,904,780 bytes'>2.77 MiB</span> heap peak ("
               "<span title='2,500,000 bytes of 2,904,780 bytes'>86.1 %</span>): 2 allocations at "
               "<code title='jobs/etl.py'>etl.py:41</code>, including the libraries it calls.");
    assert_has(page,
               "<span title='300,000 bytes'>293 KiB</span> from <code>keep</code> is not freed</strong>: "
               "<span title='300,000 bytes of 300,000 bytes'>100 %</span>");
    assert_has(page, "<code>hash</code> makes <span title='170,000 bytes'>166 KiB</span> of temporary allocations");
    assert_has(page, "<a href='#peak' data-view='peak' data-node='2'>Show in the graph</a>");
    free(page);
}

static void findings_are_of_functions_and_name_the_heaviest_line(void **state)
{
    (void)state;
    struct made made = new_maker();
    add(&made, "main@jobs/etl.py:9 load@jobs/etl.py:41", 1000000, 0, 0);
    add(&made, "main@jobs/etl.py:9 load@jobs/etl.py:43 read@/usr/lib/python3.12/site-packages/io.py:7", 1500000, 0, 0);
    add(&made, "main@jobs/etl.py:10 load@jobs/etl.py:44", 1000000, 0, 0);
    add(&made, "main@jobs/etl.py:9 keep@jobs/etl.py:50", 1800000, 0, 0); /* the heaviest line, not the function */
    char *page = render(maker_finish(made.maker), NULL);
    assert_has(page,
               "<code>load</code> holds <span title='3,500,000 bytes'>3.34 MiB</span></strong> of the "
               "<span title='5,300,000 bytes'>5.05 MiB</span> heap peak ("
               "<span title='3,500,000 bytes of 5,300,000 bytes'>66.0 %</span>): 3 allocations ("
               "<span title='1,500,000 bytes'>1.43 MiB</span> at <code title='jobs/etl.py'>etl.py:43</code>), "
               "including the libraries it calls.");
    free(page);
}

static void findings_put_native_allocations_down_to_the_python_frame_above(void **state)
{
    (void)state;
    struct made made = new_maker();
    pr_node_id library = maker_stack(made.maker, "read@jobs/io.py:7");
    pr_node_id native = maker_node(made.maker, library,
                                   maker_frame(made.maker, "PyList_New", "listobject.c", 5, PR_FRAME_NATIVE));
    size_t fact = maker_fact(made.maker, library, 0, PR_ALLOC_MALLOC);
    maker_hybrid(made.maker, fact, native);
    maker_value(made.maker, fact, made.peak, 1000000, 1);
    char *page = render(maker_finish(made.maker), NULL);
    assert_has(page, "<code>read</code> holds <span title='1,000,000 bytes'>");
    assert_has(page, "1 allocation at <code title='jobs/io.py'>io.py:7</code>, including the libraries it calls.");
    assert_has(page, "data-node='1'>Show in the graph");
    assert_has(page, "2 call paths");
    free(page);
}

/* What a policy that has KEY must name: the hash of what is between the last OPEN and its CLOSE. */
static void assert_policy(const char *page, const char *key, const char *open, const char *close)
{
    const char *from = page, *next;
    unsigned char hash[PR_SHA256_SIZE];
    struct pr_buf policy = {0};
    while ((next = strstr(from, open)))
        from = next + strlen(open);
    pr_sha256_bytes(from, (size_t)(strstr(from, close) - from), hash);
    pr_buf_text(&policy, key);
    pr_base64(&policy, hash, sizeof hash);
    pr_buf_text(&policy, "'");
    pr_buf_add(&policy, "", 1);
    assert_false(policy.failed);
    assert_has(page, policy.bytes);
    pr_buf_clear(&policy);
}

static void the_policy_names_what_is_in_the_page(void **state)
{
    (void)state;
    char *page = render(good_profile(), NULL);
    assert_has(page, "default-src 'none'; img-src data: blob:; style-src 'sha256-");
    assert_policy(page, "style-src 'sha256-", "<style>", "</style>");
    assert_policy(page, "script-src 'sha256-", "<script>", "</script>");
    assert_int_equal(count_of(page, "<script"), 2);
    assert_int_equal(count_of(page, "</script"), 2);
    assert_int_equal(count_of(page, "<style"), 1);
    assert_lacks(page, "{{");
    char *written = written_part(page);
    assert_lacks(written, " style=");
    free(written);
    free(page);
}

static void style_and_script_show_which_set_of_parts_they_are_of(void **state)
{
    (void)state;
    const struct pr_pieces style = pr_parts_style(), script = pr_parts_script();
    /* A page of many nodes has a part besides: with one set it says as much as with all. */
    for (unsigned i = 0; i <= PR_PART_SETS; i++) {
        const unsigned set = i < PR_PART_SETS ? i : PR_PART_LARGE | PR_PART_PROFILE | PR_PART_DARK;
        struct pr_buf css = {0}, code = {0};
        pr_parts_add(&style, set, &css);
        pr_parts_add(&script, set, &code);
        pr_buf_text(&css, "</style>");
        assert_false(css.failed || code.failed);
        const unsigned styled = pr_parts_find(&style, css.bytes, css.length);
        assert_int_equal(pr_parts_match(&style, set, css.bytes, css.length), css.length - strlen("</style>"));
        assert_int_equal(pr_parts_match(&style, set, css.bytes, css.length / 2), 0);
        const unsigned found = pr_parts_find(&script, code.bytes, code.length);
        assert_int_equal(styled | found, set);
        assert_int_equal(pr_parts_match(&script, found, code.bytes, code.length), code.length);
        pr_buf_clear(&css);
        pr_buf_clear(&code);
    }
}

/* The bytes of the next box of the static graph and its level; false: no more. */
static bool next_box(const char **at, int64_t *total, int *level)
{
    const char *box = strstr(*at, "<svg class='"), *end = strstr(*at, "</svg>\n</svg>");
    if (!box || (end && box > end))
        return false;
    const char *y = strstr(box, " y='"), *number = strchr(strstr(box, "<title>"), '\n');
    *level = atoi(y + 4) / 22;
    *total = 0;
    for (number++; *number != ' '; number++) {
        if (*number != ',')
            *total = *total * 10 + (*number - '0');
    }
    *at = number;
    return true;
}

static void the_boxes_below_a_box_add_up_to_it(void **state)
{
    (void)state;
    char *page = render(good_profile(), NULL);
    const char *at = strstr(strstr(page, "id='peak'"), "<svg class='ice'");
    int64_t open[16] = {0}, below[16] = {0};
    int last = -1, level;
    for (int64_t total; next_box(&at, &total, &level); last = level) {
        for (int i = level; i <= last; i++) {
            assert_true(!below[i] || below[i] == open[i]); /* this profile allocates in leaves only */
            below[i] = 0;
        }
        open[level] = total;
        if (level)
            below[level - 1] += total;
    }
    assert_int_equal(open[0], 2904780);
    assert_int_equal(below[0], 2904780);
    assert_has(page, "40 smaller");
    free(page);
}

static void the_table_adds_up_to_the_whole(void **state)
{
    (void)state;
    char *page = render(good_profile(), NULL);
    const char *table = strstr(strstr(page, "id='peak'"), "<tbody>"), *end = strstr(table, "</tbody>");
    int64_t sum = 0;
    size_t rows = 0;
    const char *const number = "<td class='r'><span title='";
    while ((table = strstr(table, number)) && table < end) {
        int64_t value = 0;
        for (table += strlen(number); *table != ' '; table++)
            value = *table == ',' ? value : value * 10 + (*table - '0');
        sum += value;
        rows++;
        const char *total = strstr(table, number), *row_end = strstr(table, "</tr>");
        if (total && total < row_end)
            table = total + 1;
    }
    assert_int_equal(rows, 21);
    assert_int_equal(sum, 2904780);
    assert_has(page, "25 more places"); /* 20 of the 45 are listed */
    free(page);
}

static void a_cut_capture_says_where_and_makes_no_claims(void **state)
{
    (void)state;
    struct pr_profile *profile = good_profile();
    profile->complete = false;
    profile->meta.end_ms.value += 600000;       /* as its header says, which was written at the end */
    profile->peak_at_ms = profile->meta.end_ms; /* the end of the last bin */
    profile->problem = (struct pr_error){.code = PR_ERR_TRUNCATED,
                                         .offset = 1482301440,
                                         .doing = "frame push record",
                                         .text = "the input ends in the middle of a record"};
    char *page = render(profile, NULL);
    assert_has(page, "data-state=\"damaged\"");
    assert_has(page, "<section class='banner cut' role='status'>");
    assert_has(page, "The capture is incomplete: the first <span title='388.2 s'>6 min 28 s</span> of "
                     "<span title='988.214 s'>16 min 28 s</span> could be read");
    assert_has(page,
               "The file could be read up to byte 1,482,301,440 of the unpacked data (frame push record): the input "
               "ends in the middle of a record.");
    assert_has(page, "<dt>Not freed at the end</dt><dd class='v none'>unknown</dd>");
    assert_has(page, "highest in the part read");
    assert_lacks(page, "heap peak at");
    assert_has(page, "was still held when the capture ended");
    assert_lacks(page, "is not freed</strong>");
    free(page);
}

static void a_capture_that_ends_early_has_one_time_in_banner_and_figures(void **state)
{
    (void)state;
    struct pr_profile *profile = good_profile();
    profile->complete = false;
    profile->problem = (struct pr_error){.code = PR_ERR_TRUNCATED, .offset = PR_NO_OFFSET, .text = "no end mark"};
    profile->meta.start_ms.value += 600; /* the last sample is 387.6 s after it */
    profile->meta.end_ms = pr_times_reached_ms(profile);
    profile->meta.end_is_last_sample = true;
    char *page = render(profile, NULL);
    assert_has(page, "The capture is incomplete: the first <span title='387.6 s'>6 min 28 s</span> were recorded");
    assert_has(page, "title='387.6 s'>6 <small>min</small> 28 <small>s</small>");
    free(page);
}

static void an_empty_capture_says_so(void **state)
{
    (void)state;
    static const uint8_t no_allocator[1];
    struct made made = new_maker();
    struct pr_profile *profile = maker_finish(made.maker);
    profile->fact_allocator = no_allocator; /* of no fact; it is a profile of allocations still */
    char *page = render(profile, NULL);
    assert_has(page, "data-state=\"empty\"");
    assert_has(page, "No allocations in this capture");
    assert_has(page, "<dt>Peak heap</dt><dd class='v' title='0 bytes'>0 <small>B</small></dd>");
    assert_has(page, "<dt>Peak RSS</dt><dd class='v none'>not recorded</dd>");
    assert_lacks(page, "role='tablist'");
    assert_lacks(page, "id='h-find'");
    assert_lacks(page, "id='h-time'");
    free(page);
}

static void what_was_not_measured_has_no_tab(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    maker_meta(maker)->aggregated = true;
    maker_value(maker, maker_fact(maker, maker_stack(maker, "main@a.py:1"), 0, PR_ALLOC_MALLOC), peak, 10, 1);
    char *page = render(maker_finish(maker), NULL);
    assert_has(page, "data-tab='peak'");
    assert_lacks(page, "data-tab='temporary'");
    assert_has(page, "<dt>Temporary</dt><dd class='v none'>not recorded</dd>");
    assert_has(page, "the capture has totals only");
    assert_has(page, "<dt>Duration</dt><dd class='v none'>not recorded</dd>");
    assert_lacks(page, "Python version"); /* what is unknown is left out */
    free(page);
}

/* A CPU profile: 3 s of main, of which parse has 1.2 s and a library below it 1 s. */
static struct pr_profile *cpu_profile(void)
{
    struct maker *maker = maker_new();
    const unsigned wall = maker_metric(maker, "wall", "Wall time", PR_UNIT_NANOSECONDS, "samples");
    const unsigned weight = maker_metric(maker, "x:y", "<b>weight", PR_UNIT_NONE, NULL);
    static const struct {
        const char *stack;
        int64_t ms;
    } stacks[] = {{"main@etl.py:9 parse@etl.py:41", 700},
                  {"main@etl.py:9 parse@etl.py:42", 500},
                  {"main@etl.py:9 parse@etl.py:41 next@/usr/lib/python3.12/site-packages/csv.py:7", 1000},
                  {"main@etl.py:9", 800}};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        const size_t fact = maker_fact(maker, maker_stack(maker, stacks[i].stack), 0, PR_ALLOC_NONE);
        maker_value(maker, fact, wall, stacks[i].ms * 1000000, stacks[i].ms / 10);
        maker_value(maker, fact, weight, 1, 0);
    }
    return maker_finish(maker);
}

static void a_cpu_profile_speaks_of_time_and_samples(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    options.source = "run.speedscope.json";
    char *page = render(cpu_profile(), &options);
    assert_has(page, "<strong><code>parse</code> takes <span title='2.2 s of 3 s'>73.3 %</span> of the wall time"
                     "</strong>: <span title='2.2 s'>2.20 s</span> (<span title='1.7 s'>1.70 s</span> at "
                     "<code title='etl.py'>etl.py:41</code>");
    assert_lacks(page, "<strong>Highest self time"); /* it is the same function */
    assert_has(page, "<a href='#v-wall' data-view='wall' data-node='2'>Show in the graph</a>");
    assert_has(page, "id='t-wall' data-tab='wall' data-metric='0' aria-controls='panel-graph' aria-selected='true'>");
    assert_has(page, "id='t-x-y' data-tab='x-y' data-metric='1'");
    assert_has(page, "&lt;b&gt;weight<span title='4'>4</span>");
    assert_has(page, "<dt>Wall time</dt><dd class='v' title='3 s; click for the functions'>"
                     "<a href='#v-wall' data-view='wall' data-node='0'>3.00 <small>s</small></a></dd>");
    assert_has(page, "300 samples");
    assert_has(page, "<code>profrender table run.speedscope.json</code>");
    assert_has(page, "<code>profrender table run.speedscope.json --metric x:y</code>");
    char *written = written_part(page);
    assert_lacks(written, "alloc");
    assert_lacks(written, "heap");
    free(written);
    free(page);
}

static void an_estimate_is_called_one(void **state)
{
    (void)state;
    static const char *const notes[] = {"the recorder's <buffer> was full"};
    static const uint32_t thread[1];
    const pr_frame_id parse = 1;
    const struct pr_exact row = {1300000000, 2300000000, 130, 230};
    struct pr_profile *profile = cpu_profile();
    struct pr_metric metric = profile->metrics[0];
    metric.exact = &row;
    profile->metrics = &metric;
    profile->metric_count = 1;
    profile->exact_frame = &parse;
    profile->exact_thread = thread;
    profile->exact_count = 1;
    profile->tree_estimated = true;
    profile->notes = notes;
    profile->note_count = 1;
    char *page = render(profile, NULL);
    assert_has(page, "<h2>The call tree is estimated, the table is exact</h2>");
    assert_has(page, "<p>The recorder&#39;s &lt;buffer&gt; was full.</p>");
    assert_lacks(page, " takes "); /* what a function took with its callees is not known */
    assert_has(page, "<strong>Highest self time: <code>parse</code></strong> at <code title='etl.py'>etl.py</code>, "
                     "<span title='1.3 s'>1.30 s</span>, <span title='1.3 s of 3 s'>43.3 %</span> of the wall time.");
    free(page);
}

/* Metrics that a file may name: ids are unique, and only some have a section of their own. */
static void many_metrics_have_a_tab_each(void **state)
{
    (void)state;
    static const char *const names[] = {"table", "Cycles:u", "cycles-u", "'><script>", "\xC3\xA9", "e", "f", "g"};
    enum { COUNT = sizeof names / sizeof *names };
    struct maker *maker = maker_new();
    const size_t fact = maker_fact(maker, maker_stack(maker, "main@a.py:1"), 0, PR_ALLOC_NONE);
    for (unsigned i = 0; i < COUNT; i++)
        maker_value(maker, fact, maker_metric(maker, names[i], names[i], PR_UNIT_COUNT, NULL), 5, 0);
    char *page = render(maker_finish(maker), NULL);
    static const char *const ids[] = {"metric.0", "cycles-u", "metric.2", "script-", "metric.4", "e", "f", "g"};
    for (unsigned i = 0; i < COUNT; i++) {
        char tab[64];
        snprintf(tab, sizeof tab, "id='t-%s' data-tab='%s' data-metric='%u'", ids[i], ids[i], i);
        assert_int_equal(count_of(page, tab), 1);
    }
    assert_int_equal(count_of(page, "<section class='view'"), 6);
    assert_has(page, "This page shows 2 more metrics with JavaScript enabled");
    free(page);
}

static void a_sum_says_of_what(void **state)
{
    (void)state;
    struct pr_profile *profile = good_profile();
    profile->origin.runs = 900;
    profile->origin.incomplete_runs = 2;
    profile->origin.highest_peak_bytes = 4096;
    profile->origin.longest_ms = 61000;
    profile->complete = false;
    pr_cut(&profile->problem, PR_ERR_TRUNCATED, PR_NO_OFFSET, NULL, "2 of 900 inputs are not complete");
    char *page = render(profile, NULL);
    assert_has(page, "the peaks of 900 runs together, the highest 4.00 KiB");
    assert_has(page, "<dt>Longest run</dt>");
    assert_has(page, "Some captures are incomplete");
    assert_has(page, "Reason: 2 of 900 inputs are not complete.");
    free(page);
}

static void an_unverified_python_is_named(void **state)
{
    (void)state;
    struct pr_profile *profile = good_profile();
    profile->meta.python_version = 0x030e00c1;
    profile->meta.python_unverified = true;
    profile->meta.has_native_traces = true;
    char *page = render(profile, NULL);
    assert_has(page, "Python 3.14.0rc1");
    assert_has(page, "Line numbers are not verified for this Python");
    assert_has(page, "Native frames <b>recorded, left out</b>");
    free(page);
}

/* Versions of formats mean nothing to people; those who ask find them in the footer. */
static void what_was_captured_has_no_version_of_its_format(void **state)
{
    (void)state;
    struct pr_profile *profile = good_profile();
    profile->meta.format = "memray";
    profile->meta.format_version = 13;
    char *page = render(profile, NULL);
    assert_has(page, "<li class='chip'>Memory <b>memray, every allocation</b></li>");
    assert_has(page, "memray 13, ");
    free(page);
}

static void options_reach_the_page(void **state)
{
    (void)state;
    struct pr_card_options options = pr_card_options_default();
    options.title = "Nightly <run>";
    options.theme = PR_THEME_DARK;
    char *page = render(good_profile(), &options);
    assert_has(page, " data-theme='dark'>");
    assert_has(page, "<title>Nightly &lt;run&gt;</title>");
    assert_has(page, "<h1>Nightly &lt;run&gt;</h1>");
    free(page);
}

static void runner_frames_are_one_box(void **state)
{
    (void)state;
    struct made made = new_maker();
    add(&made, "run_path@<frozen_runpy>:9 main@jobs/etl.py:9", 10, 0, 0);
    pr_frame_id outer = maker_frame(made.maker, "_run_module_as_main", "<frozen runpy>", 198, PR_FRAME_PYTHON);
    pr_frame_id inner = maker_frame(made.maker, "_run_code", "<frozen runpy>", 88, PR_FRAME_PYTHON);
    pr_frame_id own = maker_frame(made.maker, "main", "etl.py", 1, PR_FRAME_PYTHON);
    pr_node_id node = maker_node(made.maker, maker_node(made.maker, PR_ROOT, outer), inner);
    add_at(&made, maker_node(made.maker, node, own), 1000, 0, 0);
    add_at(&made, node, 24, 0, 0);
    char *page = render(maker_finish(made.maker), NULL);
    assert_has(page, "<title>2 start-up frames\n1,024 bytes, 99.0 % of 1,034 bytes\n2 allocations</title>");
    assert_has(page, "<title>main, etl.py:1\n1,000 bytes, 96.7 % of 1,034 bytes\n1 allocation</title>");
    free(page);
}

/* The graph of the script joins them too, so both count the same frames. */
static void runner_frames_side_by_side_are_one_box(void **state)
{
    (void)state;
    struct made made = new_maker();
    pr_frame_id one = maker_frame(made.maker, "_run_module_as_main", "<frozen runpy>", 198, PR_FRAME_PYTHON);
    pr_frame_id other = maker_frame(made.maker, "_run_module_as_main", "<frozen runpy>", 88, PR_FRAME_PYTHON);
    pr_frame_id unused = maker_frame(made.maker, "_run_code", "<frozen runpy>", 7, PR_FRAME_PYTHON);
    pr_frame_id own = maker_frame(made.maker, "main", "etl.py", 1, PR_FRAME_PYTHON);
    add_at(&made, maker_node(made.maker, maker_node(made.maker, PR_ROOT, one), own), 1000, 0, 0);
    pr_node_id node = maker_node(made.maker, PR_ROOT, other);
    add_at(&made, node, 24, 0, 0);
    maker_node(made.maker, node, unused);
    char *page = render(maker_finish(made.maker), NULL);
    assert_has(page, "<title>3 start-up frames\n1,024 bytes, 100 % of 1,024 bytes\n2 allocations</title>");
    assert_has(page, "<title>main, etl.py:1\n1,000 bytes, 97.7 % of 1,024 bytes\n1 allocation</title>");
    assert_null(strstr(page, "<title>1 start-up frame"));
    free(page);
}

static const char *const hostile[] = {
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "<b>",
    "-->",
    "]]>",
    "</title>",
    "</style>",
    "{{payload}}",
    "\" onmouseover=\"alert(1)",
    "' x='",
    "\xe2\x80\xa8",
    "\xe2\x80\xae\x20...",
    "\x1b[31m",
    "\xed\xa0\x80",
    "\xff\xfe\x80",
    "__proto__",
    "",
    "&lt;script&gt;",
    "%s%n",
    "javascript:alert(1)",
    "\r\n",
};

static void add_hostile_names(struct made *made)
{
    const size_t count = sizeof hostile / sizeof *hostile;
    char *long_name = malloc(1 << 20);
    assert_non_null(long_name);
    memset(long_name, 'A', (1 << 20) - 1);
    long_name[(1 << 20) - 1] = '\0';
    pr_node_id node = PR_ROOT;
    for (size_t i = 0; i < count; i++) {
        pr_frame_id frame = maker_frame(made->maker, hostile[i], hostile[(i + 1) % count], -1, PR_FRAME_PYTHON);
        node = maker_node(made->maker, i % 5 ? node : PR_ROOT, frame);
        add_at(made, node, 1000, 1000, 1000);
        maker_thread(made->maker, i, hostile[i]);
    }
    pr_frame_id frame = maker_frame(made->maker, long_name, long_name, 1, PR_FRAME_PYTHON);
    add_at(made, maker_node(made->maker, PR_ROOT, frame), 1 << 20, 1 << 20, 1 << 20);
    free(long_name);
}

static void hostile_names_stay_in_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct made made = new_maker();
        struct pr_card_options options = pr_card_options_default();
        add_hostile_names(&made);
        maker_meta(made.maker)->command_line = maker_string(made.maker, hostile[i]);
        options.title = i % 2 ? hostile[i] : NULL;
        options.source = hostile[i];
        char *page = render(maker_finish(made.maker), &options), *written = written_part(page);
        assert_int_equal(count_of(page, "<script"), 2);
        assert_lacks(written, "<img");
        assert_lacks(written, "<!--");
        assert_lacks(written, "<b>alert");
        assert_lacks(written, "\" onmouseover");
        assert_lacks(written, "\x1b");
        assert_lacks(written, "\xe2\x80\xa8");
        assert_lacks(written, "\xe2\x80\xae");
        assert_lacks(written, "\xff");
        assert_has(written, "&lt;img src=x onerror=alert(1)&gt;");
        assert_has(written, "{{payload}}"); /* a name is not a slot */
        assert_string_equal(page + strlen(page) - 8, "</html>\n");
        free(written);
        free(page);
    }
}

static void a_name_with_a_nul_is_shown_whole(void **state)
{
    (void)state;
    struct pr_profile *profile = good_profile();
    for (uint32_t i = 0; i < profile->strings.count; i++) {
        if (!strcmp(profile->strings.text[i].bytes, "load"))
            profile->strings.text[i] = (struct pr_text){"lo\0ad", 5};
    }
    char *page = render(profile, NULL);
    assert_has(page, "<code>lo\\x00ad</code> holds");
    free(page);
}

static void a_difference_tells_which_parts_it_is_of(void **state)
{
    (void)state;
    static const char *const one[] = {"run.bin", "run.bin"}, *const two[] = {"a.bin", "b.bin"};
    static const struct pr_card_part parts[] = {{"0:10", "0 s to 10.0 s", "0 s to 9.95 s"},
                                              {"b5:b6", "50.0 s to 1 min 0 s", "50 s to 60 s"}},
                                     last[] = {{NULL, "", ""}, {"9:10", "9.00 s to 10.0 s", "9 s to 10 s"}};
    struct pr_profile *profile = good_profile();
    struct pr_card_options options = pr_card_options_default();
    struct pr_buf page = {0}, other = {0};
    struct pr_error err = {0};
    struct pr_diff *diff;
    assert_int_equal(pr_diff_new(&diff, &err), PR_OK);
    assert_int_equal(pr_diff_add(diff, profile, &err), PR_OK);
    assert_int_equal(pr_diff_add(diff, profile, &err), PR_OK);
    assert_int_equal(pr_diff_finish(diff, &err), PR_OK);
    options.sources = one;
    options.source_count = 2;
    options.parts = parts;
    assert_int_equal(pr_render_card(diff->profile, &options, &page, &err), PR_OK);
    assert_has(page.bytes, "<p>Before <b>run.bin</b>, <span title='0 s to 9.95 s'>0 s to 10.0 s</span></p>");
    assert_has(page.bytes, "<p>After <b>run.bin</b>, <span title='50 s to 60 s'>50.0 s to 1 min 0 s</span></p>");
    assert_has(page.bytes, "profrender diff run.bin --by own --metric peak --base-window 0:10 --window b5:b6<");
    options.sources = two;
    options.parts = last;
    assert_int_equal(pr_render_card(diff->profile, &options, &other, &err), PR_OK);
    assert_has(other.bytes, "<p>Before <b>a.bin</b></p>");
    assert_has(other.bytes, "profrender diff a.bin b.bin --by own --metric peak --window 9:10<");
    pr_buf_clear(&page);
    pr_buf_clear(&other);
    pr_diff_free(diff);
    pr_profile_free(profile);
}

static void the_same_profile_gives_the_same_bytes(void **state)
{
    (void)state;
    char *first = render(good_profile(), NULL), *second = render(good_profile(), NULL);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void strange_times_and_sizes_do_no_harm(void **state)
{
    static const int64_t extremes[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 5; k++) {
            struct made made = new_maker();
            maker_meta(made.maker)->start_ms.value = extremes[i];
            maker_meta(made.maker)->end_ms.value = extremes[k];
            maker_point(made.maker, made.rss, extremes[k], extremes[i]);
            maker_point(made.maker, made.rss, extremes[i], extremes[k]);
            add(&made, "a@b:1", extremes[i], extremes[k], 5);
            add(&made, "a@b:1 c@d:2", extremes[k], extremes[i], 5);
            struct pr_profile *profile = maker_finish(made.maker);
            profile->peak_at_ms = (struct pr_maybe){true, extremes[k]};
            profile->peak_bytes = extremes[i];
            free(render(profile, NULL));
        }
    }
}

static void the_page_is_appended_and_taken_back_on_failure(void **state)
{
    (void)state;
    struct pr_profile *profile = good_profile();
    struct pr_buf page = {0};
    unsigned long n = 1;
    pr_buf_text(&page, "before");
    for (;; n++) {
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = pr_render_card(profile, NULL, &page, &err);
        if (!alloc_fail_stop())
            break;
        assert_int_equal(status, PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY);
        assert_false(page.failed);
        assert_string_equal(page.bytes, "before");
    }
    assert_true(n > 50);
    assert_memory_equal(page.bytes, "before<!doctype html>", 21);
    pr_buf_clear(&page);
    pr_profile_free(profile);
}

static void a_page_has_as_many_bins_as_fit(void **state)
{
    (void)state;
    struct capture capture;
    struct pr_profile *profile;
    struct pr_card_options options = pr_card_options_default();
    size_t without = 0, most = options.max_size_bytes;
    uint32_t before = UINT32_MAX;
    story_capture(&capture, &(struct capture_head){.version = 13}, 9, 6000);
    assert_int_equal(pr_load_memory("story", capture.out.bytes, capture.out.length, NULL, &profile, NULL), PR_OK);
    capture_clear(&capture);
    while (!without) {
        struct pr_buf page = {0};
        options.max_size_bytes = most;
        assert_int_equal(pr_render_card(profile, &options, &page, NULL), PR_OK);
        const char *command = strstr(page.bytes, " --bins ");
        const uint32_t bins = command ? (uint32_t)strtoul(command + 8, NULL, 10) : 0;
        assert_true(before == UINT32_MAX ? bins == profile->bin_count : bins < before);
        assert_true(!bins || page.length <= most);
        assert_true(bins || strstr(page.bytes, " --window 0:10 "));
        without = bins ? 0 : page.length;
        before = bins;
        most = page.length - 1;
        pr_buf_clear(&page);
    }
    assert_true(without > 1000);
    pr_profile_free(profile);
}

/* With all its bins, and where these have to be merged. */
static void several_threads_write_the_same_page(void **state)
{
    enum { LARGE = 10000 }; /* smaller ones are not worth a thread */
    (void)state;
    struct capture capture;
    struct pr_profile *profile;
    struct pr_card_options options = pr_card_options_default();
    story_capture(&capture, &(struct capture_head){.version = 13}, 9, 60000);
    assert_int_equal(pr_load_memory("story", capture.out.bytes, capture.out.length, NULL, &profile, NULL), PR_OK);
    capture_clear(&capture);
    assert_true(profile->tree.count + profile->fact_count + profile->moment_count > LARGE);
    for (unsigned i = 0; i < 2; i++) {
        struct pr_buf alone = {0}, together = {0};
        options.threads = 1;
        assert_int_equal(pr_render_card(profile, &options, &alone, NULL), PR_OK);
        options.threads = 4;
        assert_int_equal(pr_render_card(profile, &options, &together, NULL), PR_OK);
        assert_int_equal(alone.length, together.length);
        assert_memory_equal(alone.bytes, together.bytes, alone.length);
        options.max_size_bytes = alone.length - alone.length / 8;
        pr_buf_clear(&alone);
        pr_buf_clear(&together);
    }
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_run_tells_what_ran_and_how_much),
        cmocka_unit_test(findings_put_bytes_down_to_the_line_of_the_user),
        cmocka_unit_test(findings_are_of_functions_and_name_the_heaviest_line),
        cmocka_unit_test(findings_put_native_allocations_down_to_the_python_frame_above),
        cmocka_unit_test(the_policy_names_what_is_in_the_page),
        cmocka_unit_test(style_and_script_show_which_set_of_parts_they_are_of),
        cmocka_unit_test(the_boxes_below_a_box_add_up_to_it),
        cmocka_unit_test(the_table_adds_up_to_the_whole),
        cmocka_unit_test(a_cut_capture_says_where_and_makes_no_claims),
        cmocka_unit_test(a_capture_that_ends_early_has_one_time_in_banner_and_figures),
        cmocka_unit_test(an_empty_capture_says_so),
        cmocka_unit_test(what_was_not_measured_has_no_tab),
        cmocka_unit_test(a_cpu_profile_speaks_of_time_and_samples),
        cmocka_unit_test(an_estimate_is_called_one),
        cmocka_unit_test(many_metrics_have_a_tab_each),
        cmocka_unit_test(a_sum_says_of_what),
        cmocka_unit_test(an_unverified_python_is_named),
        cmocka_unit_test(what_was_captured_has_no_version_of_its_format),
        cmocka_unit_test(options_reach_the_page),
        cmocka_unit_test(a_page_has_as_many_bins_as_fit),
        cmocka_unit_test(several_threads_write_the_same_page),
        cmocka_unit_test(runner_frames_are_one_box),
        cmocka_unit_test(runner_frames_side_by_side_are_one_box),
        cmocka_unit_test(hostile_names_stay_in_their_place),
        cmocka_unit_test(a_name_with_a_nul_is_shown_whole),
        cmocka_unit_test(a_difference_tells_which_parts_it_is_of),
        cmocka_unit_test(the_same_profile_gives_the_same_bytes),
        cmocka_unit_test(strange_times_and_sizes_do_no_harm),
        cmocka_unit_test(the_page_is_appended_and_taken_back_on_failure),
    };
    return cmocka_run_group_tests_name("card", tests, NULL, NULL);
}
