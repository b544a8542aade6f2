/* SPDX-License-Identifier: Apache-2.0 */
/* The page: templates/index.html, with its slots filled. */
#include "render/index/index.h"

#include "assets/assets.h"
#include "capture/base/sort.h"
#include "profrender/load.h"
#include "render/html/hover.h"
#include "render/index/index_internal.h"
#include "render/html/template.h"

#include <stdlib.h>
#include <string.h>

struct index_page {
    const struct pr_index *index;
    const struct pr_index_run **runs;
};

static int by_time(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct pr_index_run *x = *(const struct pr_index_run *const *)a, *y = *(const struct pr_index_run *const *)b;
    if (x->start_ms.known != y->start_ms.known)
        return x->start_ms.known ? -1 : 1;
    if (x->start_ms.known && x->start_ms.value != y->start_ms.value)
        return PR_ORDER(y->start_ms.value, x->start_ms.value);
    return strcmp(x->source, y->source);
}

bool pr_index_order(const struct pr_index *index, const struct pr_index_run ***runs)
{
    *runs = malloc((index->count ? index->count : 1) * sizeof **runs);
    if (!*runs)
        return false;
    for (size_t i = 0; i < index->count; i++)
        (*runs)[i] = &index->runs[i];
    return pr_sort(*runs, index->count, sizeof **runs, by_time, NULL);
}

struct pr_maybe pr_index_duration_ns(const struct pr_index_run *run)
{
    int64_t ms;
    if (!run->start_ms.known || !run->end_ms.known ||
        __builtin_sub_overflow(run->end_ms.value, run->start_ms.value, &ms))
        return (struct pr_maybe){false, 0};
    return pr_maybe_times((struct pr_maybe){true, ms}, 1000000); /* what is below 0 is unknown */
}

struct pr_index_peak pr_index_peak(const struct pr_index_run *run)
{
    if (run->heap_bytes.known)
        return (struct pr_index_peak){run->heap_bytes, "heap"};
    return (struct pr_index_peak){run->rss_bytes, "RSS"};
}

void pr_index_value(struct pr_maybe value, enum pr_unit unit, struct pr_buf *out)
{
    if (!value.known)
        pr_buf_text(out, "<span class='none'>not recorded</span>");
    else
        pr_hover_value(out, unit, value.value);
}

void pr_index_link(const struct pr_index_run *run, const char *text, struct pr_buf *out)
{
    enum { NAME_LENGTH = 160 };
    if (*run->card)
        pr_html(out, "<a href='%s'>", run->card);
    pr_html_cut(out, (struct pr_text){text, (uint32_t)strlen(text)}, NAME_LENGTH);
    if (*run->card)
        pr_buf_text(out, "</a>");
}

const char *pr_index_class(enum pr_run_status status)
{
    static const char *const classes[] = {[PR_RUN_RECORDED] = "recorded", [PR_RUN_OK] = "ok", [PR_RUN_FAILED] = "bad",
                                          [PR_RUN_CUT] = "cut", [PR_RUN_UNREADABLE] = "cut"};
    return classes[status];
}

void pr_index_status(enum pr_run_status status, struct pr_buf *out)
{
    static const struct {
        const char *path, *word;
    } signs[] = {
        [PR_RUN_RECORDED] = {"M4 8h8", "Complete"},
        [PR_RUN_OK] = {"m3 8.5 3.2 3.2L13 4.8", "Succeeded"},
        [PR_RUN_FAILED] = {"m4 4 8 8M12 4l-8 8", "Failed"},
        [PR_RUN_CUT] = {"M8 5v3.6M8 11v.1M8 1.8 1.6 13.5h12.8z", "Incomplete"},
        [PR_RUN_UNREADABLE] = {"M8 3v6M8 12v.1", "Unreadable"},
    };
    pr_html(out,
            "<span class='how %s'><svg class='i' width='14' height='14' viewBox='0 0 16 16' fill='none' "
            "stroke='currentColor' aria-hidden='true'><path d='%s'/></svg>%s</span>",
            pr_index_class(status), signs[status].path, signs[status].word);
}

static size_t count_status(const struct pr_index *index, enum pr_run_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < index->count; i++)
        count += index->runs[i].status == status;
    return count;
}

static void emit_counted(const struct pr_index *index, enum pr_run_status status, const char *word, struct pr_buf *out)
{
    const size_t count = count_status(index, status);
    if (count)
        pr_html(out, "<li class='chip'>%s <b>%s</b></li>", pr_units_count((int64_t)count).text, word);
}

static void emit_header(const struct pr_index *index, struct pr_buf *out)
{
    pr_html(out, "<div><h1>%s</h1>\n<ul class='chips'><li class='chip'>%s</li>", index->title,
            pr_units_counted((int64_t)index->count, "runs").text);
    emit_counted(index, PR_RUN_OK, "succeeded", out);
    emit_counted(index, PR_RUN_FAILED, "failed", out);
    emit_counted(index, PR_RUN_CUT, "incomplete", out);
    emit_counted(index, PR_RUN_UNREADABLE, "unreadable", out);
    emit_counted(index, PR_RUN_RECORDED, "complete", out);
    pr_buf_text(out, "</ul></div>\n<div class='actions' data-mount='actions'></div>\n");
}

static enum pr_status fill(const void *context, const char *name, struct pr_buf *out, struct pr_error *err)
{
    const struct index_page *page = context;
    (void)err;
    if (pr_template_shared(name, page->index->theme, out))
        return PR_OK;
    if (!strcmp(name, "style"))
        pr_buf_add(out, pr_asset_index_style, pr_asset_index_style_size);
    else if (!strcmp(name, "script"))
        pr_buf_add(out, pr_asset_index_script, pr_asset_index_script_size);
    else if (!strcmp(name, "style-hash"))
        pr_html(out, "%s", pr_asset_index_style_sha256);
    else if (!strcmp(name, "script-hash"))
        pr_html(out, "%s", pr_asset_index_script_sha256);
    else if (!strcmp(name, "title"))
        pr_html(out, "%s", page->index->title);
    else if (!strcmp(name, "header"))
        emit_header(page->index, out);
    else if (!strcmp(name, "trends"))
        pr_index_trends(page->runs, page->index->count, out);
    else if (!strcmp(name, "flows"))
        pr_index_flows(page->runs, page->index->count, out);
    else if (!strcmp(name, "runs"))
        pr_index_table(page->runs, page->index->count, out);
    else if (!strcmp(name, "version"))
        pr_html(out, "%s", pr_version());
    return PR_OK;
}

enum pr_status pr_render_index(const struct pr_index *index, struct pr_buf *page, struct pr_error *err)
{
    struct index_page content = {.index = index};
    enum pr_status status = pr_index_order(index, &content.runs) ? PR_OK : pr_fail_memory(err);
    if (status == PR_OK)
        status = pr_template_fill(pr_template_index, pr_template_index_size, fill, &content, page, err);
    free(content.runs);
    return status;
}
