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
    struct pr_index_jobs jobs;
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
        pr_index_header(page->index, &page->jobs, out);
    else if (!strcmp(name, "news"))
        pr_index_news(&page->jobs, out);
    else if (!strcmp(name, "filters"))
        pr_index_filters(page->index, &page->jobs, out);
    else if (!strcmp(name, "grid"))
        pr_index_grid(&page->jobs, out);
    else if (!strcmp(name, "trends"))
        pr_index_trends(&page->jobs, out);
    else if (!strcmp(name, "flows"))
        pr_index_flows(page->runs, page->index->count, out);
    else if (!strcmp(name, "runs"))
        pr_index_table(page->runs, page->index->count, &page->jobs, out);
    else if (!strcmp(name, "version"))
        pr_html(out, "%s", pr_version());
    return PR_OK;
}

enum pr_status pr_render_index(const struct pr_index *index, struct pr_buf *page, struct pr_error *err)
{
    struct index_page content = {.index = index};
    const bool done = pr_index_order(index, &content.runs) &&
                      pr_index_jobs_make(&content.jobs, index, content.runs);
    enum pr_status status = done ? PR_OK : pr_fail_memory(err);
    if (status == PR_OK)
        status = pr_template_fill(pr_template_index, pr_template_index_size, fill, &content, page, err);
    pr_index_jobs_clear(&content.jobs);
    free(content.runs);
    return status;
}
