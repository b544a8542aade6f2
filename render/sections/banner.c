/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader must know before the numbers: that the capture ends early and where, or how far it can be trusted. */
#include "capture/base/time.h"
#include "render/html/hover.h"
#include "render/page/section.h"

#include <inttypes.h>
#include <string.h>

static bool wants_banner(const struct pr_profile *profile)
{
    return !profile->complete || profile->meta.python_unverified;
}

/* As the figures below have it. */
static struct pr_figure span(int64_t ms)
{
    const struct pr_maybe ns = pr_maybe_times((struct pr_maybe){true, ms}, PR_NS_PER_MS);
    return ns.known ? pr_units_duration(ns.value) : pr_units_milliseconds(ms);
}

static void emit_span(int64_t ms, struct pr_buf *out)
{
    pr_hover(out, span(ms), pr_units_milliseconds(ms));
}

/* ": the first 3 min 24 s of 6 min 28 s could be read", as far as the times are known. */
static void emit_part(const struct pr_profile *profile, struct pr_buf *out)
{
    const struct pr_maybe took = pr_times_duration_ns(profile), reached = pr_times_reached_ms(profile);
    const struct pr_maybe read =
        reached.known ? pr_times_offset_ms(profile, reached.value) : (struct pr_maybe){false, 0};
    if (!read.known)
        return;
    const int64_t took_ms = pr_nearest_ms(took.value);
    const bool of_span = took.known && !profile->meta.end_is_last_sample &&
                         reached.value <= profile->meta.end_ms.value &&
                         strcmp(span(read.value).text, span(took_ms).text) != 0;
    pr_buf_text(out, ": the first ");
    emit_span(read.value, out);
    if (of_span) {
        pr_buf_text(out, " of ");
        emit_span(took_ms, out);
    }
    pr_buf_text(out, of_span ? " could be read" : " were recorded");
}

static void emit_title(const struct pr_profile *profile, struct pr_buf *out)
{
    if (profile->origin.runs > 1) { /* no time applies to all of them */
        pr_buf_text(out, "<h2>Some captures are incomplete</h2>\n");
        return;
    }
    if (pr_damage_is_of_recording(&profile->damage)) {
        pr_buf_text(out, "<h2>The capture is incomplete: part of the run was not recorded</h2>\n");
        return;
    }
    if (profile->problem.code == PR_ERR_PARTIAL) { /* it was read to its end */
        pr_buf_text(out, "<h2>The capture is damaged: part of it is missing here or differs from the file</h2>\n");
        return;
    }
    pr_html(out, "<h2>The capture %s", profile->problem.code == PR_ERR_DAMAGED ? "is damaged" : "is incomplete");
    emit_part(profile, out);
    pr_buf_text(out, "</h2>\n");
}

static void emit_where(const struct pr_error *problem, struct pr_buf *out)
{
    pr_buf_text(out, "<p>");
    if (problem->code == PR_ERR_PARTIAL) {
        pr_html(out, "%s", problem->text);
        if (problem->offset != PR_NO_OFFSET)
            pr_html(out, ", the first at byte %s of the unpacked data",
                    pr_units_count(pr_units_signed(problem->offset)).text);
        pr_buf_text(out, ".</p>\n");
        return;
    }
    if (problem->offset != PR_NO_OFFSET) {
        pr_html(out, "The file could be read up to byte %s of the unpacked data",
                pr_units_count(pr_units_signed(problem->offset)).text);
        if (*problem->doing)
            pr_html(out, " (%s)", problem->doing);
        pr_buf_text(out, *problem->text ? ": " : ".");
    }
    if (*problem->text)
        pr_html(out, "%s%s.", problem->offset == PR_NO_OFFSET ? "Reason: " : "", problem->text);
    pr_buf_text(out, "</p>\n");
}

/* What was left out of a capture that ends early as well. */
static void emit_damage(const struct pr_damage *damage, struct pr_buf *out)
{
    struct pr_error all = {0};
    if (pr_damage_status(damage, &all) != PR_OK)
        pr_html(out, "<p>Also: %s.</p>\n", all.text);
}

/* A recorder that was stopped with its run, or before it. */
static void emit_cut_off(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_maybe last = pr_times_span_ms(page->profile);
    pr_buf_text(out, "<section class='banner cut' role='status'>"
                     "<svg class='i' width='20' height='20' viewBox='0 0 16 16' fill='none' stroke='currentColor' "
                     "aria-hidden='true'><path d='M8 5v3.6M8 11v.1'/><path d='M8 1.8 1.6 13.5h12.8z'/></svg>\n");
    pr_buf_text(out, "<h2>The recording is cut off");
    if (last.known) {
        pr_buf_text(out, " after ");
        emit_span(last.value, out);
    }
    pr_buf_text(out, "</h2>\n");
    pr_buf_text(out,
                "<p>The recorder was stopped too: perhaps the whole job was killed or the machine was lost. How the "
                "run ended is not known; everything below is from before that.</p>\n</section>\n");
}

static void emit_incomplete(const struct pr_profile *profile, struct pr_buf *out)
{
    uint64_t allocations = profile->records.allocations;
    pr_buf_text(out, "<section class='banner cut' role='status'>"
                     "<svg class='i' width='20' height='20' viewBox='0 0 16 16' fill='none' stroke='currentColor' "
                     "aria-hidden='true'><path d='M8 5v3.6M8 11v.1'/><path d='M8 1.8 1.6 13.5h12.8z'/></svg>\n");
    emit_title(profile, out);
    emit_where(&profile->problem, out);
    if (profile->problem.code == PR_ERR_PARTIAL) {
        pr_buf_text(out, "<p>Everything below covers the rest.</p>\n</section>\n");
        return;
    }
    emit_damage(&profile->damage, out);
    if (pr_profile_has_allocations(profile))
        pr_html(out,
                "<p>Everything below is from the part that could be read: %s. "
                "Some of it may have been freed later.</p>\n",
                pr_units_counted(pr_units_signed(allocations), "allocations").text);
    else
        pr_buf_text(out, "<p>Everything below is from the part that could be read.</p>\n");
    pr_buf_text(out, "</section>\n");
}

static void emit_unverified(struct pr_buf *out)
{
    pr_buf_text(out, "<section class='banner note' role='note'>"
                     "<svg class='i' width='20' height='20' viewBox='0 0 16 16' fill='none' stroke='currentColor' "
                     "aria-hidden='true'><circle cx='8' cy='8' r='6'/><path d='M8 7.2V11M8 5v.1'/></svg>\n"
                     "<h2>Line numbers are not verified for this Python</h2>\n"
                     "<p>It is newer than 3.13, the last version whose line tables were checked; they were read with "
                     "the rules of 3.13.</p>\n</section>\n");
}

static enum pr_status emit_banner(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    (void)err;
    if (page->profile->run.cut_off)
        emit_cut_off(page, out);
    else if (!page->profile->complete)
        emit_incomplete(page->profile, out);
    if (page->profile->meta.python_unverified)
        emit_unverified(out);
    return PR_OK;
}

const struct pr_section pr_section_banner = {"banner", "main", wants_banner, emit_banner};
