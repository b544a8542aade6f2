/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about a run wherever it is named. */
#include "capture/base/text.h"
#include "render/index/index_internal.h"
#include "capture/base/time.h"

#include "render/html/hover.h"

#include <string.h>

struct pr_maybe pr_index_duration_ns(const struct pr_index_run *run)
{
    int64_t ms;
    if (!run->start_ms.known || !run->end_ms.known ||
        __builtin_sub_overflow(run->end_ms.value, run->start_ms.value, &ms))
        return (struct pr_maybe){false, 0};
    return pr_maybe_times((struct pr_maybe){true, ms}, PR_NS_PER_MS); /* what is below 0 is unknown */
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
    pr_html_cut(out, pr_text_of(text), NAME_LENGTH);
    if (*run->card)
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
