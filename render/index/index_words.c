/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about a run wherever it is named. */
#include "capture/base/text.h"
#include "render/index/index_internal.h"

#include "render/html/hover.h"
#include "render/html/nonbreaking.h"
#include "render/words/commit_words.h"

#include <string.h>

struct pr_index_peak pr_index_peak(const struct pr_index_run *run)
{
    if (run->heap_bytes.known)
        return (struct pr_index_peak){run->heap_bytes, "heap"};
    return (struct pr_index_peak){run->rss_bytes, "RSS"};
}

enum { NAME_LENGTH = 160, COMMIT_LENGTH = 40 };

void pr_index_value(struct pr_maybe value, enum pr_unit unit, struct pr_buf *out)
{
    if (!value.known)
        pr_buf_text(out, "<span class='none'>not recorded</span>");
    else
        pr_hover_value(out, unit, value.value);
}

bool pr_index_start(const struct pr_index_run *run, struct pr_buf *out)
{
    if (!run->start_ms.known || !*pr_units_time(run->start_ms.value).text)
        return false;
    const struct pr_figure exact = pr_units_iso_time(run->start_ms.value);
    pr_html(out, "<time datetime='%s' title='%s'>%s</time>", exact.text, exact.text,
            pr_units_time(run->start_ms.value).text);
    return true;
}

void pr_index_link(const struct pr_index_run *run, const char *text, struct pr_buf *out)
{
    if (*run->card)
        pr_html(out, "<a href='%s'>", run->card);
    pr_html_cut(out, pr_text_of(text), NAME_LENGTH);
    if (*run->card)
        pr_buf_text(out, "</a>");
}

static void open_commit(const char *url, const char *commit, struct pr_buf *out)
{
    static const char mark[] = "{commit}";
    struct pr_buf address = {0};
    for (const char *at; (at = strstr(url, mark)); url = at + sizeof mark - 1)
        pr_buf_printf(&address, "%.*s%s", (int)(at - url), url, commit);
    pr_buf_printf(&address, "%s", url);
    pr_buf_byte(&address, '\0');
    out->failed |= address.failed;
    if (!address.failed)
        pr_html(out, "<a href='%s' rel='noreferrer'>", address.bytes);
    pr_buf_clear(&address);
}

void pr_index_commit(const struct pr_index_job *job, const struct pr_index_run *run, struct pr_buf *out)
{
    const struct pr_text commit = pr_text_of(run->commit);
    const bool is_linked = job->commit_url && pr_commit_is_hash(commit);
    if (!commit.length)
        return;
    pr_buf_text(out, " <span class='commit'>");
    if (is_linked)
        open_commit(job->commit_url, run->commit, out);
    pr_html(out, "<code title='%s'>", run->commit);
    pr_html_cut(out, pr_commit_short(commit), COMMIT_LENGTH);
    pr_buf_text(out, is_linked ? "</code></a></span>" : "</code></span>");
}

void pr_index_compare_link(const struct pr_index_run *run, const struct pr_index_run *before, bool is_alone,
                           struct pr_buf *out)
{
    const char *slash = strrchr(before->card, '/');
    pr_html(out, "<a href='%s#against=%s'>", run->card, slash ? slash + 1 : before->card);
    if (is_alone)
        pr_html_cut(out, pr_text_of(pr_index_run_name(run)), NAME_LENGTH);
    pr_buf_text(out, is_alone ? " with " : "with ");
    pr_html_cut(out, pr_text_of(pr_index_run_name(before)), NAME_LENGTH);
    pr_buf_text(out, "</a>");
}

const char *pr_index_class(enum pr_run_status status)
{
    static const char *const classes[] = {[PR_RUN_RECORDED] = "recorded",
                                          [PR_RUN_OK] = "ok",
                                          [PR_RUN_FAILED] = "bad",
                                          [PR_RUN_CUT] = "cut",
                                          [PR_RUN_UNREADABLE] = "cut"};
    return classes[status];
}

static const struct {
    const char *path, *word;
} signs[] = {
    [PR_RUN_RECORDED] = {"M4 8h8", "Complete"},
    [PR_RUN_OK] = {"m3 8.5 3.2 3.2L13 4.8", "Succeeded"},
    [PR_RUN_FAILED] = {"m4 4 8 8M12 4l-8 8", "Failed"},
    [PR_RUN_CUT] = {"M8 5v3.6M8 11v.1M8 1.8 1.6 13.5h12.8z", "Incomplete"},
    [PR_RUN_UNREADABLE] = {"M8 3v6M8 12v.1", "Unreadable"},
};

static void emit_icon(const char *path, struct pr_buf *out)
{
    pr_html(out, "<svg class='i' width='14' height='14' viewBox='0 0 16 16' fill='none' stroke='currentColor' "
                 "aria-hidden='true'><path d='%s'/></svg>", path);
}

const char *pr_index_word(enum pr_run_status status)
{
    return signs[status].word;
}

void pr_index_status(enum pr_run_status status, struct pr_buf *out)
{
    pr_html(out, "<span class='how %s'>", pr_index_class(status));
    emit_icon(signs[status].path, out);
    pr_html(out, "%s</span>", signs[status].word);
}

void pr_index_sign(enum pr_index_sign sign, struct pr_buf *out)
{
    emit_icon(sign == PR_INDEX_GREW ? "M8 3 2.5 12.5h11z" : signs[PR_RUN_FAILED].path, out);
}

const char *pr_index_run_name(const struct pr_index_run *run)
{
    return *run->run ? run->run : *run->source ? run->source : run->name;
}

void pr_index_job_name(const struct pr_index_run *run, struct pr_buf *out)
{
    if (pr_index_is_step(run))
        pr_html(out, "%s / %s", run->flow, run->step);
    else
        pr_html(out, "%s", run->name);
}

static void emit_link(const struct pr_index_run *run, bool with_run, struct pr_buf *out)
{
    struct pr_buf name = {0};
    if (pr_index_is_step(run))
        pr_buf_printf(&name, "%s / %s", run->flow, run->step);
    else
        pr_buf_text(&name, run->name);
    if (with_run && pr_index_is_step(run) && *run->run)
        pr_buf_printf(&name, " %s", run->run);
    pr_buf_byte(&name, '\0');
    out->failed |= name.failed;
    if (!name.failed)
        pr_index_link(run, name.bytes, out);
    pr_buf_clear(&name);
}

void pr_index_job_link(const struct pr_index_run *run, struct pr_buf *out)
{
    emit_link(run, false, out);
}

void pr_index_run_link(const struct pr_index_run *run, struct pr_buf *out)
{
    emit_link(run, true, out);
}

void pr_index_growth(const struct pr_index_change *change, enum pr_unit unit, struct pr_buf *out)
{
    const struct pr_figure growth = pr_units_growth(change->before, change->now);
    pr_html(out, "<span title='%s; the median of the runs before is %s'>", pr_units_exact(unit, change->now).text,
            pr_units_exact(unit, change->before).text);
    pr_together_add(out, growth.text, strlen(growth.text));
    pr_buf_text(out, *growth.text ? "</span>" : "no change</span>");
}
