/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page is of, and its filters. The page does not say when it was made, so that the same runs give the same
 * bytes: it says how new the newest run is, which is what a reader wants to know.
 */
#include "render/index/index_dates.h"
#include "render/index/index_internal.h"

static size_t count_status(const struct pr_index *index, enum pr_run_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < index->count; i++)
        count += index->runs[i].status == status;
    return count;
}

static size_t count_grown(const struct pr_index *index, const struct pr_index_jobs *jobs)
{
    size_t count = 0;
    for (size_t i = 0; i < index->count; i++)
        count += pr_index_grew(jobs, &index->runs[i]);
    return count;
}

/* From the first to the last start that is known; "" where none is. */
static void emit_days(const struct pr_index *index, struct pr_buf *out)
{
    const struct pr_index_run *first = NULL, *last = NULL;
    for (size_t i = 0; i < index->count; i++) {
        const struct pr_index_run *run = &index->runs[i];
        if (!run->start_ms.known)
            continue;
        first = !first || run->start_ms.value < first->start_ms.value ? run : first;
        last = !last || run->start_ms.value > last->start_ms.value ? run : last;
    }
    if (!first)
        return;
    const struct pr_figure days = pr_index_days(first->start_ms.value, last->start_ms.value);
    if (*days.text)
        pr_html(out, ", %s", days.text);
    pr_buf_text(out, "</span>\n<span>newest ");
    pr_index_run_link(last, out);
    pr_buf_text(out, ", ");
    pr_index_start(last, out);
}

void pr_index_header(const struct pr_index *index, const struct pr_index_jobs *jobs, struct pr_buf *out)
{
    pr_html(out, "<div><h1>%s</h1>\n", index->title);
    if (index->count) {
        pr_html(out, "<p class='facts'><span>%s", pr_units_counted((int64_t)index->count, "runs").text);
        pr_html(out, " of %s", pr_units_counted((int64_t)jobs->count, "jobs").text);
        emit_days(index, out);
        pr_buf_text(out, "</span></p>\n");
    }
    pr_buf_text(out, "</div>\n<div class='actions' data-mount='actions'></div>\n");
}

/* A chip is a filter where scripts run: it shows what is of class SHOW. */
static void emit_chip(size_t count, const char *show, const char *sign, const char *word, struct pr_buf *out)
{
    if (count)
        pr_html(out, "<li class='chip %s' data-show='%s'><span aria-hidden='true'>%s</span>%s <b>%s</b></li>", show,
                show, sign, word, pr_units_count((int64_t)count).text);
}

void pr_index_filters(const struct pr_index *index, const struct pr_index_jobs *jobs, struct pr_buf *out)
{
    if (!index->count)
        return;
    pr_html(out, "<div class='filters'><ul class='chips' data-mount='chips'>"
                 "<li class='chip' data-show=''>All <b>%s</b></li>",
            pr_units_count((int64_t)index->count).text);
    emit_chip(count_status(index, PR_RUN_FAILED), "bad", "\xC3\x97", "Failed", out);
    emit_chip(count_status(index, PR_RUN_CUT), "cut", "!", "Incomplete", out);
    emit_chip(count_status(index, PR_RUN_UNREADABLE), "unreadable", "?", "Unreadable", out);
    emit_chip(count_grown(index, jobs), "grew", "\xE2\x96\xB2", "Grew", out);
    emit_chip(count_status(index, PR_RUN_OK), "ok", "\xE2\x9C\x93", "Succeeded", out);
    emit_chip(count_status(index, PR_RUN_RECORDED), "recorded", "\xE2\x80\x93", "Complete", out);
    pr_buf_text(out, "</ul><div class='find' data-mount='find'></div></div>\n");
}
