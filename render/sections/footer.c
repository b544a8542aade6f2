/* SPDX-License-Identifier: Apache-2.0 */
/* What was read, by which version of this program, and how much of it is in the page. */
#include "render/page/section.h"

#include "profrender/load.h"

#include <inttypes.h>
#include <string.h>

static void emit_format(const char *format, int version, const char *compression, uint64_t size_bytes,
                        struct pr_buf *out)
{
    pr_html(out, "<span>%s", format && *format ? format : "unknown format");
    if (version)
        pr_html(out, " %d", version);
    if (size_bytes) /* a difference has no file of its own */
        pr_html(out, ", %s, %s", compression ? compression : "not compressed",
                pr_units_exact(PR_UNIT_BYTES, pr_units_signed(size_bytes)).text);
}

static void emit_state(const struct pr_profile *profile, struct pr_buf *out)
{
    if (profile->complete)
        pr_buf_text(out, ", complete</span>\n");
    else if (profile->problem.offset != PR_NO_OFFSET && profile->problem.code != PR_ERR_PARTIAL)
        pr_html(out, ", read up to byte %s</span>\n", pr_units_count(pr_units_signed(profile->problem.offset)).text);
    else
        pr_buf_text(out, ", incomplete</span>\n");
}

static void emit_input(const struct pr_profile *profile, struct pr_buf *out)
{
    const struct pr_meta *meta = &profile->meta;
    for (uint32_t i = 0; i < profile->part_count; i++) {
        const struct pr_part *part = &profile->parts[i];
        emit_format(part->format, part->format_version, part->compression, part->size_bytes, out);
        pr_buf_text(out, "</span>\n");
    }
    if (profile->part_count)
        return;
    emit_format(meta->format, meta->format_version, meta->compression, meta->size_bytes, out);
    emit_state(profile, out);
}

static void emit_size(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_records_read *records = &page->profile->records;
    const struct pr_fold *fold = &page->payload.fold;
    if (!page->profile->metric_count) /* a timeline alone has no stacks to count */
        return;
    const bool has_objects = pr_metric_is_of_objects(&page->profile->metrics[0]);
    pr_buf_text(out, "<span>");
    if (pr_profile_has_allocations(page->profile))
        pr_html(out, "%s, %s, ", pr_units_counted(pr_units_signed(records->allocations), "allocations").text,
                pr_units_counted(pr_units_signed(records->frees), "frees").text);
    pr_html(out, "%s</span>\n", pr_units_counted(pr_fold_frames(fold), has_objects ? "paths" : "call paths").text);
    if (fold->folded_frames)
        pr_html(out, "<span>%s smaller frames are summed up in %s, totals are exact</span>\n",
                pr_units_count(fold->folded_frames).text, pr_units_counted(fold->boxes, "boxes").text);
}

/* Anyone who passes the page on should know what it contains of this machine. */
static void emit_sources(const struct pr_source_texts *sources, struct pr_buf *out)
{
    if (!sources->names.length)
        return;
    pr_html(out, "<details><summary>The text of %s is in this page</summary>\n<ul class='mono'>\n",
            pr_units_counted(sources->count, "files").text);
    for (const char *at = sources->names.bytes, *end; (end = strchr(at, '\n')); at = end + 1)
        pr_html(out, "<li>%.*s</li>\n", PR_TEXT(((struct pr_text){at, (uint32_t)(end - at)})));
    pr_buf_text(out, "</ul></details>\n");
}

static enum pr_status emit_footer(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    (void)err;
    pr_html(out, "<span>profrender %s</span>\n", pr_version());
    emit_input(page->profile, out);
    emit_size(page, out);
    pr_buf_text(out, "<span>Times are UTC</span>\n");
    emit_sources(&page->sources, out);
    return PR_OK;
}

const struct pr_section pr_section_footer = {"footer", "footer", NULL, emit_footer};
