/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/insight_html.h"

#include "capture/base/text.h"
#include "capture/model/nameless.h"
#include "render/page/source_links.h"
#include "render/words/insight_words.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TITLE_LENGTH = 300 };

void pr_code_name_html(struct pr_text name, struct pr_buf *out)
{
    pr_buf_text(out, "<code>");
    pr_html_name(out, name);
    pr_buf_text(out, "</code>");
}

/* "etl.py:41" */
static void emit_place(const struct pr_page *page, const struct pr_phrase *phrase, struct pr_buf *out)
{
    const int32_t line = (int32_t)phrase->value;
    const bool linked = pr_code_frame_link(page, phrase->frame, line, out);
    pr_buf_text(out, "<code title='");
    pr_html_cut(out, pr_profile_text(page->profile, page->profile->frames[phrase->frame].file), TITLE_LENGTH);
    pr_buf_text(out, "'>");
    pr_html_name(out, pr_insight_file(page->profile, phrase));
    if (line > 0)
        pr_html(out, ":%" PRId32, line);
    pr_buf_text(out, linked ? "</code></a>" : "</code>");
}

/* A figure, all its digits on hover; a count has them already. */
static void emit_figure(const struct pr_page *page, const struct pr_phrase *phrase, struct pr_buf *out)
{
    const struct pr_figure figure = pr_insight_figure(page->profile, phrase);
    struct pr_buf exact = {0};
    if (phrase->kind == PR_PHRASE_COUNT || !*figure.text) {
        pr_html(out, "%s", figure.text);
        return;
    }
    pr_insight_exact(page->profile, phrase, &exact);
    pr_html(out, "<span title='%s'>%s</span>", exact.bytes ? exact.bytes : "", figure.text);
    out->failed |= exact.failed;
    pr_buf_clear(&exact);
}

static void emit_piece(const struct pr_page *page, const struct pr_phrase *phrase, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    switch (phrase->kind) {
    case PR_PHRASE_TEXT:
        pr_html(out, "%.*s", PR_TEXT(phrase->text));
        break;
    case PR_PHRASE_FUNCTION:
        pr_code_name_html(pr_shown_function(profile, phrase->frame), out);
        break;
    case PR_PHRASE_NAME:
        pr_code_name_html(pr_profile_text(profile, phrase->name), out);
        break;
    case PR_PHRASE_PLACE:
        emit_place(page, phrase, out);
        break;
    default:
        emit_figure(page, phrase, out);
        break;
    }
}

void pr_insight_html(const struct pr_page *page, const struct pr_sentence *sentence, struct pr_buf *out)
{
    for (size_t i = 0; i < sentence->count; i++)
        emit_piece(page, &sentence->phrase[i], out);
}

enum pr_status pr_insight_explain(const struct pr_page *page, struct pr_explanation *explanation, struct pr_error *err)
{
    const uint32_t frames = page->profile->frame_count;
    bool *is_own = calloc(frames + (size_t)1, sizeof *is_own);
    *explanation = (struct pr_explanation){0};
    if (!is_own)
        return pr_fail_memory(err);
    for (pr_frame_id i = 0; i < frames; i++)
        is_own[i] = pr_traits_is_own(&page->traits, i);
    const struct pr_explain_options options = {.is_own = is_own};
    const enum pr_status status = pr_explain(page->profile, &options, explanation, err);
    free(is_own);
    return status;
}
