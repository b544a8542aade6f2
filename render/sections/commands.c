/* SPDX-License-Identifier: Apache-2.0 */
/* The same numbers in a terminal: commands to copy. */
#include "capture/base/text.h"
#include "render/html/hover.h"
#include "render/page/section.h"
#include "render/words/shell_word.h"
#include "render/words/usual_words.h"

#include <inttypes.h>
#include <string.h>

/* What the page was made from, as one would type it; what came through a pipe has no name. */
static void add_inputs(const struct pr_card_options *options, struct pr_buf *out)
{
    const char *source = options->source_count ? options->sources[0] : options->source;
    if (options->source_count < 2) {
        pr_shell_word(source && *source && strcmp(source, "-") ? pr_page_input_name(options, source) : "capture.bin",
                      out);
        return;
    }
    for (uint32_t i = 0; i < options->source_count; i++) {
        if (i && options->parts && !strcmp(options->sources[0], options->sources[i]))
            continue; /* two parts of one run */
        pr_buf_text(out, i ? " " : "");
        pr_shell_word(pr_page_input_name(options, options->sources[i]), out);
    }
}

static void emit_command(const char *what, const char *before, const struct pr_buf *input, const char *after,
                         struct pr_buf *out)
{
    pr_html(out, "<div class='cmd'><p>%s</p><code>%s%.*s%s</code></div>\n", what, before, (int)input->length,
            input->bytes, after);
}

/* Windows of page and program are the same when both have as many bins. The script fills in the chosen one. */
static void emit_window_command(const struct pr_page *page, const struct pr_buf *input, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    const uint32_t bins = page->payload.bin_count;
    const double span_ms = (double)profile->bins[profile->bin_count - 1].end_ms - (double)profile->bins[0].start_ms;
    const double width_ns = span_ms / bins * 1e6, longest = 9e18; /* times may be hostile */
    pr_html(out, "<div class='cmd'><p>The selected time window, in the %s of this page, about ",
            pr_units_counted(bins, "time bins").text);
    pr_hover_value(out, PR_UNIT_NANOSECONDS, (int64_t)(width_ns < longest ? width_ns : longest));
    pr_buf_text(out, " each");
    if (bins < profile->bin_count)
        pr_html(out, "; all %" PRIu32 " bins of the capture would exceed the size limit of the page (--max-size)",
                profile->bin_count);
    pr_html(out,
            "</p><code>profrender export %.*s --bins %" PRIu32
            " --window <span data-mount='command-window'>b0:b%" PRIu32
            "</span> --view <span data-mount='command-view'>peak</span></code></div>\n",
            (int)input->length, input->bytes, bins, bins - 1);
}

static void emit_time_command(const struct pr_buf *input, struct pr_buf *out)
{
    emit_command("A time window, in seconds from the start; the time bins would exceed the size limit of this page "
                 "(--max-size)",
                 "profrender export ", input, " --window 0:10 --view peak", out);
}

/* The table of a metric; the main one needs no option. */
static void emit_table_command(const struct pr_page *page, const struct pr_view *view, const struct pr_buf *input,
                               struct pr_buf *out)
{
    struct pr_buf option = {0};
    if (view->metric) {
        pr_buf_text(&option, " --metric ");
        pr_shell_word(page->profile->metrics[view->metric].name, &option);
    }
    out->failed |= option.failed;
    pr_html(out, "<div class='cmd'><p>Functions: ");
    pr_html_name(out, pr_text_of(view->heading));
    pr_html(out, "</p><code>profrender table %.*s%.*s</code></div>\n", (int)input->length, input->bytes,
            (int)option.length, option.bytes ? option.bytes : "");
    pr_buf_clear(&option);
}

/* The command of a single view is in sight already. */
static void emit_tables(const struct pr_page *page, const struct pr_buf *input, struct pr_buf *out)
{
    for (uint32_t i = 0; page->views.count > 1 && i < page->views.count && i < PR_MAX_SECTIONS; i++)
        emit_table_command(page, &page->views.view[i], input, out);
}

static void emit_memory_commands(const struct pr_page *page, const struct pr_buf *input, struct pr_buf *out)
{
    if (page->profile->part_count) {
        emit_tables(page, input, out);
    } else {
        emit_command("What held the peak", "profrender table ", input, "", out);
        emit_command("What was not freed", "profrender table --leaks ", input, "", out);
    }
    emit_command("Statistics", "profrender stats ", input, "", out);
    emit_command("Every stack at the peak, as JSON", "profrender export ", input, " --view peak --format json",
                 out);
    if (page->payload.bin_count)
        emit_window_command(page, input, out);
    else if (page->profile->bin_count > 1)
        emit_time_command(input, out);
}

/* Which parts of the runs are compared. The base is the first of the two. */
static void add_windows(const struct pr_card_options *options, struct pr_buf *out)
{
    static const char *const names[] = {" --base-window ", " --window "};
    for (uint32_t i = 0; options->parts && i < options->source_count && i < 2; i++) {
        if (!options->parts[i].window)
            continue;
        pr_buf_text(out, names[i]);
        pr_shell_word(options->parts[i].window, out);
    }
}

static void add_history(const struct pr_card_options *options, struct pr_buf *out)
{
    for (size_t i = 0; options->usuals && i < options->usuals->named_count; i++) {
        pr_buf_text(out, " --history ");
        pr_shell_word(pr_page_input_name(options, options->usuals->named[i]), out);
    }
}

/* A difference has two inputs. */
static void emit_difference_commands(const struct pr_page *page, const struct pr_buf *input, struct pr_buf *out)
{
    for (uint32_t i = 0; i < page->views.count && i < PR_MAX_SECTIONS; i++) {
        struct pr_buf option = {0};
        pr_buf_text(&option, " --by own --metric ");
        pr_shell_word(page->profile->metrics[page->views.view[i].metric].name, &option);
        add_windows(&page->options, &option);
        add_history(&page->options, &option);
        emit_command(page->views.view[i].heading, "profrender diff ", input, option.failed ? "" : option.bytes, out);
        out->failed |= option.failed;
        pr_buf_clear(&option);
    }
}

static void emit_profile_commands(const struct pr_page *page, const struct pr_buf *input, struct pr_buf *out)
{
    emit_tables(page, input, out);
    if (page->options.source_count < 2)
        emit_command("About this file", "profrender info ", input, "", out);
    emit_command("Every stack, as JSON", "profrender export ", input, " --format json", out);
}

/* Each of the two runs of a difference by itself: `info` takes one. */
static void emit_info_of_sides(const struct pr_card_options *options, struct pr_buf *out)
{
    static const char *const titles[] = {"About the run before", "About the run after"};
    for (uint32_t i = 0; i < options->source_count && i < 2; i++) {
        struct pr_buf input = {0};
        pr_shell_word(pr_page_input_name(options, options->sources[i]), &input);
        emit_command(titles[i], "profrender info ", &input, "", out);
        out->failed |= input.failed;
        pr_buf_clear(&input);
    }
}

/* What has no stacks: a timeline, or how a run ended. */
static void emit_run_commands(const struct pr_page *page, const struct pr_buf *input, struct pr_buf *out)
{
    if (page->profile->is_difference) {
        emit_info_of_sides(&page->options, out);
        return;
    }
    if (page->options.source_count < 2)
        emit_command("About this run", "profrender info ", input, "", out);
    /* Cards are compared by their stacks. */
    emit_command("Compare with another run (without stacks, only the program can)", "profrender diff ", input,
                 " OTHER -o difference.html", out);
    if (page->profile->series_count)
        emit_command("All points of the timeline, as JSON", "profrender export ", input, " --view series", out);
}

/* The command for what is in view, which the script keeps up to date. */
static void emit_view_command(const struct pr_page *page, const struct pr_buf *input, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    const char *verb = profile->is_difference ? "diff" : profile->metric_count ? "table" : "info";
    struct pr_buf line = {0};
    pr_buf_printf(&line, "profrender %s %.*s", verb, (int)input->length, input->bytes);
    if (profile->is_difference) {
        add_windows(&page->options, &line);
        add_history(&page->options, &line);
    }
    pr_html(out, "<div class='cmd now'><h2 id='h-cmd'>Same view in a terminal</h2>"
                 "<code data-mount='command' data-command='%s' data-kind='%s'>%s</code></div>\n",
            line.failed ? "" : line.bytes, verb, line.failed ? "" : line.bytes);
    out->failed |= line.failed;
    pr_buf_clear(&line);
}

static enum pr_status emit_commands(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    if (page->options.no_commands)
        return PR_OK;
    struct pr_buf input = {0};
    add_inputs(&page->options, &input);
    if (input.failed) {
        pr_buf_clear(&input);
        return pr_fail_memory(err);
    }
    pr_buf_text(out, "<section class='panel terminal' aria-labelledby='h-cmd'>\n");
    emit_view_command(page, &input, out);
    pr_buf_text(out, "<details class='more'><summary>More commands</summary>\n<div class='cmds'>\n");
    if (!page->profile->metric_count)
        emit_run_commands(page, &input, out);
    else if (pr_profile_has_allocations(page->profile))
        emit_memory_commands(page, &input, out);
    else if (page->profile->is_difference)
        emit_difference_commands(page, &input, out);
    else
        emit_profile_commands(page, &input, out);
    pr_buf_text(out, "</div>\n</details>\n</section>\n");
    pr_buf_clear(&input);
    return PR_OK;
}

const struct pr_section pr_section_commands = {"commands", "main", NULL, emit_commands};
