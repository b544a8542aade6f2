/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of a traceback that help: one's own, and where it was raised. The outermost is first, as in Python. */
#include "render/sections/failure_stack.h"

#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "capture/model/failure_text.h"
#include "render/html/html.h"
#include "render/words/units.h"

#include <inttypes.h>

enum { MOST_ROWS = 6, NAME_LENGTH = 300, CODE_LENGTH = 300, MOST_PACKAGES = 2 };

/* A recursion passes the same line again and again. */
static bool is_same_line(const struct pr_trace_frame *a, const struct pr_trace_frame *b)
{
    return a->function == b->function && a->file == b->file && a->line == b->line;
}

/* The frames in the table, the innermost first. Returns their number. */
static uint32_t choose_rows(const struct pr_page *page, const struct pr_raise_site *raised,
                            const struct pr_trace_frame *rows[MOST_ROWS])
{
    const struct pr_exception *exception = raised->exception;
    uint32_t count = 0;
    for (uint32_t i = exception ? exception->frame_count : 0; i-- > 0 && count < MOST_ROWS;) {
        const struct pr_trace_frame *frame = &exception->frames[i];
        if (frame != raised->innermost && !pr_raise_site_frame_is_own(page, frame))
            continue;
        if (!count || !is_same_line(frame, rows[count - 1]))
            rows[count++] = frame;
    }
    return count;
}

static struct pr_text code_of(const struct pr_page *page, const struct pr_trace_frame *frame)
{
    const struct pr_text none = {"", 0};
    return page->options.redact_paths ? none
                                      : pr_failure_code(page->profile, &page->profile->run.failure, frame);
}

static void emit_row(const struct pr_page *page, const struct pr_trace_frame *frame, struct pr_buf *out)
{
    const struct pr_text file = pr_profile_text(page->profile, frame->file);
    pr_buf_text(out, "<tr><th scope='row'><code title='");
    pr_html_cut(out, page->options.redact_paths ? pr_text_file_name_anywhere(file) : file, NAME_LENGTH);
    pr_buf_text(out, "'>");
    pr_html_cut(out, pr_text_file_name_anywhere(file), NAME_LENGTH);
    if (frame->line)
        pr_html(out, ":%" PRId32, frame->line);
    pr_buf_text(out, "</code></th> <td><code>");
    pr_html_cut(out, pr_profile_text(page->profile, frame->function), NAME_LENGTH);
    pr_buf_text(out, "</code></td> <td><code>");
    pr_html_cut(out, code_of(page, frame), CODE_LENGTH);
    pr_buf_text(out, "</code></td></tr>\n");
}

void pr_failure_stack_emit(const struct pr_page *page, const struct pr_raise_site *raised, struct pr_buf *out)
{
    const struct pr_trace_frame *rows[MOST_ROWS];
    uint32_t count = choose_rows(page, raised, rows);
    if (!count || (count == 1 && !code_of(page, rows[0]).length)) /* the place of one has been said */
        return;
    pr_buf_text(out, "<table class='trace' aria-label='Where it was raised, most recent call last'><tbody>\n");
    while (count--)
        emit_row(page, rows[count], out);
    pr_buf_text(out, "</tbody></table>\n");
}

bool pr_failure_stack_has_code(const struct pr_page *page, const struct pr_raise_site *raised)
{
    const struct pr_trace_frame *rows[MOST_ROWS];
    const uint32_t count = choose_rows(page, raised, rows);
    for (uint32_t i = 0; i < count; i++) {
        if (code_of(page, rows[i]).length)
            return true;
    }
    return false;
}

/* "memray" of .../site-packages/memray/run.py, "runpy" of <frozen runpy>; empty: not of a package that is known. */
static struct pr_text package_of(struct pr_text file)
{
    struct pr_text part = {"", 0};
    uint32_t at = pr_path_in_packages(file);
    if (pr_path_is_frozen(file))
        part = pr_text_part(file, sizeof "<frozen", file.length - 1);
    else if (at || (at = pr_path_in_stdlib(file)))
        pr_path_part(file, &at, &part);
    for (uint32_t i = 0; i < part.length; i++) {
        if (part.bytes[i] == '.')
            return pr_text_part(part, 0, i);
    }
    return part;
}

/* As it was written: what is shown may lack its folders. */
static struct pr_text file_of(const struct pr_page *page, const struct pr_trace_frame *frame)
{
    const struct pr_text none = {"", 0};
    return frame->file < page->profile->strings.count ? page->paths.local[frame->file] : none;
}

static bool is_row(const struct pr_trace_frame *frame, const struct pr_trace_frame *const *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_same_line(frame, rows[i]))
            return true;
    }
    return false;
}

static bool is_known(struct pr_text name, const struct pr_text *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!pr_text_compare(name, names[i]))
            return true;
    }
    return false;
}

bool pr_failure_stack_emit_others(const struct pr_page *page, const struct pr_raise_site *raised, struct pr_buf *out)
{
    const struct pr_trace_frame *rows[MOST_ROWS];
    const uint32_t count = choose_rows(page, raised, rows);
    const struct pr_exception *exception = raised->exception;
    struct pr_text names[MOST_PACKAGES];
    unsigned named = 0;
    int64_t others = 0;
    bool has_more = false;
    for (uint32_t i = 0; exception && i < exception->frame_count; i++) {
        if (is_row(&exception->frames[i], rows, count))
            continue;
        const struct pr_text name = package_of(file_of(page, &exception->frames[i]));
        others++;
        if (name.length && is_known(name, names, named))
            continue;
        if (name.length && named < MOST_PACKAGES)
            names[named++] = name;
        else
            has_more = true;
    }
    if (!others)
        return false;
    pr_html(out, "%s", pr_units_counted(others, count ? "more frames" : "frames").text);
    for (unsigned i = 0; i < named; i++) {
        pr_buf_text(out, !i ? " of " : has_more || i + 1 < named ? ", " : " and ");
        pr_html_cut(out, names[i], NAME_LENGTH);
    }
    if (has_more && named)
        pr_buf_text(out, " and others");
    return true;
}
