/* SPDX-License-Identifier: Apache-2.0 */
/* A card for comments, tickets and mail: figures, findings, the first levels of the call tree; no script. */
#include "render/card.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "render/html/nonbreaking.h"
#include "render/page/box_colours.h"
#include "render/page/first_levels.h"
#include "render/page/insight_html.h"
#include "render/words/ending.h"

#include <stdlib.h>

enum { MOST_FINDINGS = 7, MOST_METRICS = 8, TITLE_LENGTH = 100, ENDING_LENGTH = 400, FINDINGS_BYTES = 9000 };

static const char light[] = "--bg:#fff;--fg:#1c2430;--dim:#5a6675;--line:#d8dee6;"
                            "--m:#f2a65a;--l:#9cc4ee;--s:#9ad8bb;--n:#d3b5e4;--x:#cfd6df;"
                            "--e:#f0b6c3;--f:#d9d27e;--on:#1c2430";
static const char dark[] = "--bg:#12161c;--fg:#e4e9f0;--dim:#98a4b3;--line:#2c3541;"
                           "--m:#a85f1f;--l:#2a5c8f;--s:#1f6b50;--n:#6a4380;--x:#36414f;"
                           "--e:#8a3b50;--f:#6b6420;--on:#fff";

static void add_style(enum pr_theme theme, struct pr_buf *out)
{
    pr_html(out, "<style>\n:root{color-scheme:%s;%s}\n",
            theme == PR_THEME_AUTO ? "light dark" : theme == PR_THEME_DARK ? "dark" : "light",
            theme == PR_THEME_DARK ? dark : light);
    if (theme == PR_THEME_AUTO)
        pr_html(out, "@media(prefers-color-scheme:dark){:root{%s}}\n", dark);
    pr_buf_text(out,
                "body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;max-width:60em;"
                "margin:1em auto;padding:0 1em;overflow-wrap:anywhere}\n"
                "h1{font-size:1.3em;margin:0}p{margin:.4em 0}.dim{color:var(--dim)}.bad{font-weight:600}\n"
                "dl{display:flex;flex-wrap:wrap;gap:.5em 2em;margin:1em 0;padding:.6em 0;"
                "border:solid var(--line);border-width:1px 0}\n"
                "dt{color:var(--dim);font-size:.85em}dd{margin:0;font-weight:600}\n"
                "ol{padding-left:1.4em}li{margin:.5em 0}code{font-size:.92em}\n"
                "svg{width:100%;font:12px system-ui,sans-serif}.m,.a{fill:var(--m)}.l,.b{fill:var(--l)}"
                ".s,.c{fill:var(--s)}.n,.d{fill:var(--n)}.x{fill:var(--x)}.e{fill:var(--e)}.f{fill:var(--f)}"
                "text{fill:var(--on)}\n</style>\n");
}

static void add_head(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_text title = {page->title.bytes, (uint32_t)page->title.length};
    pr_buf_text(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"generator\" content=\"profrender\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    pr_html_cut(out, title, TITLE_LENGTH);
    pr_buf_text(out, "</title>\n");
    add_style(page->options.theme, out);
    pr_buf_text(out, "<h1>");
    pr_html_cut(out, title, TITLE_LENGTH);
    pr_buf_text(out, "</h1>\n");
}

/* How it failed, and whether all of it is there. */
static void add_end(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_failure *failure = &page->profile->run.failure;
    struct pr_buf words = {0};
    if (pr_failure_is_one(failure)) {
        const struct pr_exception *exception = pr_ending_exception(failure);
        pr_ending_words(failure, &words);
        if (exception) {
            pr_buf_text(&words, words.length ? ", " : "");
            pr_visible(&words, pr_profile_text(page->profile, exception->type));
            pr_buf_text(&words, exception->message ? ": " : "");
            pr_visible(&words, pr_profile_text(page->profile, exception->message));
        }
        pr_buf_text(out, "<p class=\"bad\">Failed: ");
        pr_html_cut(out, (struct pr_text){words.length ? words.bytes : "", (uint32_t)words.length}, ENDING_LENGTH);
        pr_buf_text(out, "</p>\n");
    }
    if (!page->profile->complete)
        pr_buf_text(out, "<p class=\"bad\">Not complete: the input could not be read to its end.</p>\n");
    out->failed |= words.failed;
    pr_buf_clear(&words);
}

static struct pr_figure span_words(int64_t ms)
{
    return pr_units_duration(pr_maybe_times((struct pr_maybe){true, ms}, PR_NS_PER_MS).value);
}

static void add_figures(const struct pr_profile *profile, struct pr_buf *out)
{
    const struct pr_meta *meta = &profile->meta;
    int64_t span_ms = 0;
    pr_buf_text(out, "<dl>\n");
    for (uint32_t i = 0; i < profile->metric_count && i < MOST_METRICS; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        pr_buf_text(out, "<div><dt>");
        pr_html_cut(out, pr_text_of(metric->title), TITLE_LENGTH);
        pr_html(out, "</dt><dd>%s</dd></div>\n", pr_units_metric(metric, metric->total_value).text);
    }
    if (meta->start_ms.known && meta->end_ms.known &&
        !__builtin_sub_overflow(meta->end_ms.value, meta->start_ms.value, &span_ms) && span_ms > 0)
        pr_html(out, "<div><dt>Duration</dt><dd>%s</dd></div>\n", span_words(span_ms).text);
    pr_buf_text(out, "</dl>\n");
}

/* As many as there is room for, the most important first. */
static enum pr_status add_findings(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct pr_explanation explanation;
    struct pr_buf items = {0};
    size_t shown = 0;
    if (pr_insight_explain(page, &explanation, err) == PR_FAILED) {
        pr_explanation_clear(&explanation);
        return PR_FAILED;
    }
    for (size_t i = 0; i < explanation.count && shown < MOST_FINDINGS; i++) {
        const size_t start = items.length;
        pr_buf_text(&items, "<li><b>");
        pr_insight_html(page, &explanation.insight[i].headline, &items);
        pr_buf_text(&items, "</b>");
        pr_insight_html(page, &explanation.insight[i].rest, &items);
        pr_buf_text(&items, "</li>\n");
        if (items.length > FINDINGS_BYTES)
            items.length = start;
        else
            shown++;
    }
    if (shown) {
        pr_buf_text(out, "<ol>\n");
        pr_together_add(out, items.bytes, items.length);
        pr_buf_text(out, "</ol>\n");
    }
    out->failed |= items.failed;
    pr_buf_clear(&items);
    pr_explanation_clear(&explanation);
    return PR_OK;
}

static const struct pr_metric *main_metric(const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].total_value > 0)
            return &profile->metrics[i];
    }
    return NULL;
}

static enum pr_status add_graph(const struct pr_page *page, size_t before, struct pr_buf *out, struct pr_error *err)
{
    enum { FOOT = 600 };
    const struct pr_metric *metric = main_metric(page->profile);
    const size_t used = out->length - before;
    if (!metric || used + FOOT >= PR_LITE_BYTES)
        return PR_OK;
    pr_buf_text(out, "<p class=\"dim\">");
    pr_html_cut(out, pr_text_of(metric->title), TITLE_LENGTH);
    char *letters = calloc(page->profile->frame_count + (size_t)1, 1);
    enum pr_box_colours by;
    enum pr_status status = letters ? pr_box_colours_choose(page, metric, letters, &by, err) : pr_fail_memory(err);
    if (status == PR_OK) {
        pr_buf_text(out, pr_metric_is_of_objects(metric) ? ", holders on top; " : " by call path, callers on top; ");
        pr_buf_text(out, by == PR_BOXES_BY_OWNER             ? "orange is your own code.</p>\n"
                         : pr_metric_is_of_objects(metric) ? "a colour is a package or a kind of object.</p>\n"
                                                           : "a colour is a package.</p>\n");
        status = pr_first_levels(page, metric, letters, PR_LITE_BYTES - FOOT - used, out, err);
    }
    free(letters);
    return status;
}

static void add_foot(const struct pr_page *page, struct pr_buf *out)
{
    pr_buf_text(out, "<p class=\"dim\">profrender");
    if (page->options.source && !page->options.no_commands) {
        pr_buf_text(out, " card --lite ");
        pr_html_cut(out, pr_text_of(pr_page_input_name(&page->options, page->options.source)), TITLE_LENGTH);
    }
    pr_buf_text(out, "</p>\n</html>\n");
}

enum pr_status pr_render_lite(const struct pr_profile *profile, const struct pr_card_options *options,
                              struct pr_buf *out, struct pr_error *err)
{
    const size_t before = out->length;
    struct pr_page page;
    enum pr_status status = pr_page_make(&page, profile, options, err);
    if (status != PR_FAILED) {
        add_head(&page, out);
        add_end(&page, out);
        add_figures(page.profile, out);
        status = add_findings(&page, out, err);
    }
    if (status != PR_FAILED)
        status = add_graph(&page, before, out, err);
    if (status != PR_FAILED)
        add_foot(&page, out);
    pr_page_clear(&page);
    return status == PR_FAILED || out->failed ? pr_fail_memory(err) : PR_OK;
}
