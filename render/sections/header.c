/* SPDX-License-Identifier: Apache-2.0 */
/* What ran: title, when, by which Python, with which command, and what was captured. */
#include "capture/base/text.h"
#include "capture/redact/redact.h"
#include "render/page/section.h"
#include "render/words/python_version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TASK_LENGTH = 80 };

static void emit_state(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_failure *failure = &page->profile->run.failure;
    if (pr_failure_is_one(failure))
        pr_buf_text(out, "<span class='state bad'><svg class='i' width='14' height='14' viewBox='0 0 16 16' "
                         "fill='none' stroke='currentColor' aria-hidden='true'>"
                         "<path d='M5.5 1.8h5l3.7 3.7v5l-3.7 3.7h-5l-3.7-3.7v-5z'/><path d='M8 4.8v3.6M8 11v.1'/></svg>"
                         "Failed</span>");
    else if (failure->exit.known)
        pr_buf_text(out, "<span class='state' title='exit status 0'><svg class='i' width='14' height='14' "
                         "viewBox='0 0 16 16' fill='none' stroke='currentColor' aria-hidden='true'>"
                         "<path d='M3 8.5l3.2 3.2L13 4.8'/></svg>Succeeded</span>");
    if (page->profile->is_difference)
        pr_buf_text(out, "<span class='state'>Difference</span>");
    if (page->profile->complete)
        return;
    const enum pr_error_code code = page->profile->problem.code;
    const bool is_damaged =
        code == PR_ERR_DAMAGED || (code == PR_ERR_PARTIAL && !pr_damage_is_of_recording(&page->profile->damage));
    pr_html(out,
            "<span class='state cut'><svg class='i' width='14' height='14' viewBox='0 0 16 16' fill='none' "
            "stroke='currentColor' aria-hidden='true'><path d='M8 5v3.6M8 11v.1'/>"
            "<path d='M8 1.8 1.6 13.5h12.8z'/></svg>%s %s</span>",
            page->profile->run.cut_off ? "Recording" : "Capture",
            is_damaged ? "damaged" : "incomplete");
}

/* "sales / 1837 / train": what a scheduler calls the run. */
static void emit_task(const struct pr_profile *profile, struct pr_buf *out)
{
    const struct pr_run *run = &profile->run;
    const pr_str names[] = {run->flow, run->run, run->step, run->task};
    const char *between = "";
    pr_buf_text(out, "<span class='task'>");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!names[i])
            continue;
        pr_buf_text(out, between);
        pr_html_cut(out, pr_profile_text(profile, names[i]), TASK_LENGTH);
        between = " / ";
    }
    pr_buf_text(out, "</span>");
}

static void emit_meta(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_meta *meta = &page->profile->meta;
    pr_buf_text(out, "<p class='meta'>");
    if (meta->start_ms.known && *pr_units_time(meta->start_ms.value).text)
        pr_html(out, "<time datetime='%s' title='%s'>%s</time> ", pr_units_iso_time(meta->start_ms.value).text,
                pr_units_iso_time(meta->start_ms.value).text, pr_units_time(meta->start_ms.value).text);
    if (meta->python_version)
        pr_html(out, "<span>Python %s</span> ", pr_python_version(meta->python_version).text);
    emit_task(page->profile, out);
    pr_buf_text(out, "</p>\n");
}

/* Frameworks start tasks with commands of several hundred characters: two lines of one, and all when it is opened. */
static void emit_command_line(const struct pr_page *page, struct pr_buf *out)
{
    enum { LONG = 120 };
    struct pr_text line = pr_profile_text(page->profile, page->profile->meta.command_line);
    struct pr_buf shown = {0};
    if (!line.length || pr_text_is(line, "-")) /* some tools write this for unknown */
        return;
    pr_redact(&shown, line);
    if (shown.failed) {
        out->failed = true;
    } else if (shown.length != page->title.length || memcmp(shown.bytes, page->title.bytes, shown.length)) {
        const bool is_long = shown.length > LONG;
        pr_buf_text(out, is_long ? "<details class='cmdline'><summary><code>" : "<p class='cmdline'><code>");
        pr_html_name(out, (struct pr_text){shown.bytes, (uint32_t)shown.length});
        pr_buf_text(out, is_long ? "</code></summary></details>\n" : "</code></p>\n");
    }
    pr_buf_clear(&shown);
}

enum { TITLE_LENGTH = 300 }; /* of a tooltip */

static void emit_native_chip(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    const struct pr_meta *meta = &profile->meta;
    if (!meta->has_native_traces && !profile->fact_hybrid)
        return;
    pr_buf_text(out, "<li class='chip'>Native frames <b>");
    if (!profile->fact_hybrid)
        pr_buf_text(out, "recorded, left out");
    else if (meta->native_files)
        pr_html(out, "from %s", pr_units_counted(meta->native_files, "files").text);
    else
        pr_buf_text(out, "recorded");
    if (meta->native_files_unnamed) {
        pr_html(out, ", %s of them without names: <span title='", pr_units_count(meta->native_files_unnamed).text);
        pr_html_cut(out, pr_profile_text(profile, meta->native_unnamed_file), TITLE_LENGTH);
        pr_buf_text(out, meta->native_files_unnamed == 1 ? "'>it is missing here or is another build</span>"
                                                         : "'>they are missing here or are other builds</span>");
    }
    pr_buf_text(out, "</b></li>");
}

static void emit_memory_chips(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_meta *meta = &page->profile->meta;
    const char *name = meta->format_version ? meta->format : meta->format_title;
    pr_html(out, "<li class='chip'>Memory <b>%s, %s</b></li>", name && *name ? name : "unknown format",
            meta->aggregated ? "totals of each stack" : "every allocation");
    if (meta->python_allocator && *meta->python_allocator)
        pr_html(out, "<li class='chip'>Python allocator <b title='%s'>%s%s</b></li>",
                meta->trace_python_allocators ? "each of its blocks was recorded"
                                              : "the memory it requested was recorded, not its individual blocks",
                meta->python_allocator, meta->trace_python_allocators ? ", each block" : "");
    emit_native_chip(page, out);
}

static void emit_format_chip(const char *what, const char *title, struct pr_buf *out)
{
    pr_html(out, "<li class='chip'>%s <b>%s</b></li>", what, title && *title ? title : "unknown format");
}

/* "Profile: cProfile statistics": what other tools measured is in the tabs. */
static void emit_profile_chips(const struct pr_profile *profile, struct pr_buf *out)
{
    for (uint32_t i = 0; i < profile->part_count; i++) {
        if (!profile->parts[i].has_allocations)
            emit_format_chip("Profile", profile->parts[i].format_title, out);
    }
    if (!profile->part_count && !pr_profile_has_allocations(profile))
        emit_format_chip(profile->metric_count ? "Profile" : "Recorded", profile->meta.format_title, out);
    if (profile->tree_estimated)
        pr_buf_text(out, "<li class='chip'>Call tree <b>estimated</b></li>");
}

/* What a scheduler calls the run. */
static void emit_run_chips(const struct pr_profile *profile, struct pr_buf *out)
{
    const struct pr_run *run = &profile->run;
    const struct {
        const char *title;
        pr_str value;
    } chips[] = {{"Flow", run->flow}, {"Run", run->run}, {"Step", run->step}, {"Task", run->task},
                 {"Attempt", run->attempt}};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        if (!chips[i].value)
            continue;
        pr_html(out, "<li class='chip'>%s <b>", chips[i].title);
        pr_html_cut(out, pr_profile_text(profile, chips[i].value), TITLE_LENGTH);
        pr_buf_text(out, "</b></li>");
    }
}

/* What was captured, for those who ask. */
static void emit_about(const struct pr_page *page, struct pr_buf *out)
{
    pr_buf_text(out, "<details class='about'><summary>About</summary>\n"
                     "<ul class='chips' aria-label='What was captured'>");
    emit_run_chips(page->profile, out);
    if (pr_profile_has_allocations(page->profile))
        emit_memory_chips(page, out);
    emit_profile_chips(page->profile, out);
    if (page->profile->meta.pid.known)
        pr_html(out, "<li class='chip'>pid <b>%" PRId64 "</b></li>", page->profile->meta.pid.value);
    pr_buf_text(out, "</ul>\n</details>\n");
}

/* Back to the other runs. Which one is next is not known yet: the index will know, and the script asks it. */
static void emit_site(const struct pr_page *page, struct pr_buf *out)
{
    if (!page->options.index)
        return;
    pr_html(out, "<nav class='site' aria-label='Other runs'><a href='%s'>\xE2\x80\xB9 All runs</a>"
                 "<span data-mount='site'></span></nav>\n",
            page->options.index);
}

static enum pr_status emit_header(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    (void)err;
    pr_buf_text(out, "<div>\n");
    emit_site(page, out);
    pr_buf_text(out, "<div class='title'><h1>");
    pr_html_name(out, (struct pr_text){page->title.bytes, (uint32_t)page->title.length});
    pr_buf_text(out, "</h1>");
    emit_state(page, out);
    const bool has_sides = page->profile->is_difference && page->options.source_count == 2;
    if (!has_sides) {
        pr_buf_text(out, "</div>\n<div class='facts'>\n");
        emit_meta(page, out);
    }
    emit_about(page, out);
    pr_buf_text(out, "</div>\n");
    if (!has_sides)
        emit_command_line(page, out);
    pr_buf_text(out, "</div>\n<div class='actions' data-live data-mount='actions' hidden></div>\n");
    return PR_OK;
}

const struct pr_section pr_section_header = {"header", "header", NULL, emit_header};
