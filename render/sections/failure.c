/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a run failed, before anything else: what ended it, after how long, whether memory ran out and which numbers show
 * it, where it was raised, what it said. Plain HTML, so that it works without scripts; absent from a good run.
 */
#include "capture/base/ascii.h"
#include "capture/base/text.h"
#include "capture/model/failure_text.h"
#include "profrender/heap_words.h"
#include "render/words/program_name.h"
#include "render/words/ending.h"
#include "render/html/hover.h"
#include "render/sections/failure_stack.h"
#include "render/page/section.h"

#include <inttypes.h>
#include <string.h>

enum { MESSAGE_LENGTH = 400, FILE_LENGTH = 300, SHOWN_EXCEPTIONS = 12, SHOWN_DEPTH = 3,
       OPEN_LINES = 14, SAID_LENGTH = 2000, MATCHED_FRAMES = 64 };

static bool wants_failure(const struct pr_profile *profile)
{
    return pr_failure_is_one(&profile->run.failure);
}

/* ---- where it is in the graph ----------------------------------------------------------------------------------- */

static bool is_same_place(const struct pr_profile *profile, const struct pr_frame *frame,
                          const struct pr_trace_frame *trace)
{
    return frame->function == trace->function && trace->function &&
           (frame->file == trace->file ||
            !pr_text_compare(pr_text_file_name_anywhere(pr_profile_text(profile, frame->file)),
                             pr_text_file_name_anywhere(pr_profile_text(profile, trace->file))));
}

/* The heaviest node of a frame of the traceback; PR_NO_NODE: it was never measured. */
static pr_node_id find_node(const struct pr_profile *profile, const struct pr_trace_frame *trace, const int64_t *total)
{
    const struct pr_tree *tree = &profile->tree;
    pr_node_id best = PR_NO_NODE;
    int64_t most = 0;
    for (pr_node_id node = 1; node < tree->count; node++) {
        if (total[node] > most && is_same_place(profile, &profile->frames[tree->frame[node]], trace)) {
            most = total[node];
            best = node;
        }
    }
    return best;
}

/* What the profile has of the frames that the banner names: those from the user's own one to the one that raised. */
struct shown_failure {
    const struct pr_view *view;
    pr_node_id node; /* PR_NO_NODE: none of them */
};

static enum pr_status find_shown(const struct pr_page *page, const struct pr_raise_site *raised,
                                 struct shown_failure *shown, struct pr_error *err)
{
    const struct pr_trace_frame *outermost = raised->own ? raised->own : raised->innermost;
    const size_t count = raised->innermost ? (size_t)(raised->innermost - outermost) + 1 : 0;
    for (uint32_t i = 0; count && i < page->views.count && pr_view_is_static(&page->views, &page->views.view[i]);
         i++) {
        const struct pr_choice all = pr_choice_all(page->views.view[i].metric);
        struct pr_sums sums;
        shown->view = &page->views.view[i];
        if (pr_tree_sum(page->profile, &all, &sums, err) == PR_FAILED)
            return PR_FAILED;
        for (size_t back = 0; back < count && back < MATCHED_FRAMES && shown->node == PR_NO_NODE; back++)
            shown->node = find_node(page->profile, raised->innermost - back, sums.total);
        pr_sums_clear(&sums);
        if (shown->node != PR_NO_NODE)
            return PR_OK;
    }
    return PR_OK;
}

static void emit_view_link(const struct pr_page *page, const struct pr_view *view, pr_node_id node, const char *words,
                           struct pr_buf *out)
{
    pr_html(out, "<a class='btn' href='#%s%s' data-view='%s' data-node='%" PRIu32 "'>%s</a>\n", pr_view_prefix(view),
            view->id, view->id, page->payload.fold.number[node], words);
}

/* What the heap still held at the end, where that was recorded. */
static const struct pr_view *find_heap(const struct pr_page *page)
{
    for (uint32_t i = 0; i < page->views.count && pr_view_is_static(&page->views, &page->views.view[i]); i++) {
        const struct pr_metric *metric = &page->profile->metrics[page->views.view[i].metric];
        if (page->views.view[i].is_heap && !strcmp(metric->name, "leaked") && metric->total_value)
            return &page->views.view[i];
    }
    return NULL;
}

/* Buttons: to the frame that raised, and to the heap at that moment. */
static void emit_links(const struct pr_page *page, const struct shown_failure *shown, struct pr_buf *out)
{
    const struct pr_view *heap = page->profile->complete ? find_heap(page) : NULL;
    if (shown->node == PR_NO_NODE && !heap)
        return;
    pr_buf_text(out, "<p class='actions'>");
    if (shown->node != PR_NO_NODE)
        emit_view_link(page, shown->view, shown->node, "Show in the graph", out);
    if (heap)
        emit_view_link(page, heap, PR_ROOT, pr_heap_words(page->profile)->when_failed, out);
    pr_buf_text(out, "</p>\n");
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

static void emit_without_folders(struct pr_text text, struct pr_buf *out)
{
    struct pr_buf shown = {0};
    pr_leave_folders_out(text, &shown);
    if (shown.length)
        pr_html_cut(out, (struct pr_text){shown.bytes, (uint32_t)shown.length}, MESSAGE_LENGTH);
    out->failed |= shown.failed;
    pr_buf_clear(&shown);
}

static void emit_exception(const struct pr_page *page, const struct pr_exception *exception, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    const struct pr_text message = pr_profile_text(profile, exception->message);
    pr_buf_text(out, "<code>");
    pr_html_cut(out, pr_profile_text(profile, exception->type), MESSAGE_LENGTH);
    pr_buf_text(out, "</code>");
    if (message.length && exception->message != exception->type) {
        pr_buf_text(out, ": ");
        if (page->options.redact_paths)
            emit_without_folders(message, out);
        else
            pr_html_cut(out, message, MESSAGE_LENGTH);
    }
}

static void emit_words(struct pr_buf *words, bool begins, struct pr_buf *out)
{
    if (begins && words->length && pr_is_lower(words->bytes[0]))
        words->bytes[0] = (char)(words->bytes[0] - 'a' + 'A');
    pr_html(out, "%.*s", (int)words->length, words->length ? words->bytes : "");
}

static bool was_signalled(const struct pr_failure *failure)
{
    return failure->signal.known && failure->signal.value != 0;
}

static bool is_headed_by_memory(const struct pr_failure *failure)
{
    return failure->oom == PR_OOM_YES || (failure->oom == PR_OOM_LIKELY && was_signalled(failure));
}

/* Whether the heading is what the system says about the end: nothing says more. */
static bool is_headed_by_words(const struct pr_profile *profile, const struct pr_exception *exception)
{
    return !is_headed_by_memory(&profile->run.failure) && !(exception && pr_raise_site_explains(profile, exception));
}

/* What ended it: lack of memory or a signal, which leave no time for exceptions; else the exception; else status. */
static void emit_heading(const struct pr_page *page, const struct pr_exception *exception, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    const struct pr_failure *failure = &profile->run.failure;
    struct pr_buf words = {0};
    pr_buf_text(out, "<h2>");
    if (is_headed_by_memory(failure))
        pr_buf_text(out, failure->oom == PR_OOM_YES ? "Killed: out of memory" : "Likely killed: out of memory");
    else if (!is_headed_by_words(profile, exception))
        emit_exception(page, exception, out);
    else {
        pr_ending_words(failure, &words);
        emit_words(&words, true, out);
    }
    pr_buf_text(out, "</h2>\n");
    out->failed |= words.failed;
    pr_buf_clear(&words);
}

/* "crawl.py:45", the path on hover. */
static void emit_file(const struct pr_page *page, const struct pr_trace_frame *frame, struct pr_buf *out)
{
    const struct pr_text file = pr_profile_text(page->profile, frame->file);
    pr_buf_text(out, "<code title='");
    pr_html_cut(out, page->options.redact_paths ? pr_text_file_name_anywhere(file) : file, FILE_LENGTH);
    pr_buf_text(out, "'>");
    pr_html_cut(out, pr_text_file_name_anywhere(file), FILE_LENGTH);
    if (frame->line)
        pr_html(out, ":%" PRId32, frame->line);
    pr_buf_text(out, "</code>");
}

static void emit_place(const struct pr_page *page, const struct pr_exception *exception,
                       const struct pr_trace_frame *frame, struct pr_buf *out)
{
    if (frame->function) {
        pr_buf_text(out, "<code>");
        pr_html_cut(out, pr_raise_site_function(page->profile, exception, frame), FILE_LENGTH);
        pr_buf_text(out, "</code>, ");
    }
    emit_file(page, frame, out);
}

/* "raised in concat, concat.py:395, called from add_lags, features.py:139" */
static void emit_where(const struct pr_page *page, const struct pr_raise_site *raised, struct pr_buf *out)
{
    pr_buf_text(out, "raised in ");
    emit_place(page, raised->exception, raised->innermost, out);
    if (raised->own) {
        pr_buf_text(out, ", called from ");
        emit_place(page, raised->exception, raised->own, out);
    }
}

/* Why the graph does not have what raised. Of allocations each is recorded: then it made none that is in a view. */
static const char *why_missing(const struct pr_page *page)
{
    for (uint32_t i = 0; i < page->views.count; i++) {
        if (!page->views.view[i].is_heap)
            return ", which was too short to be sampled";
    }
    return page->views.count ? ", which held no memory shown in the graph" : "";
}

/* "Exit status 1 after 3 min 42 s, raised in add_lags, features.py:139." */
static void emit_circumstances(const struct pr_page *page, const struct pr_raise_site *raised, bool is_shown,
                               struct pr_buf *out)
{
    const struct pr_run *run = &page->profile->run;
    const bool has_place = raised->innermost && pr_raise_site_explains(page->profile, raised->exception);
    struct pr_buf words = {0};
    if (!is_headed_by_words(page->profile, raised->exception))
        pr_ending_words(&run->failure, &words);
    const bool is_known = words.length;
    const bool has_length = run->wall_ns.known && run->wall_ns.value > 0;
    if (is_known || has_length || has_place) {
        pr_buf_text(out, "<p>");
        emit_words(&words, true, out);
        if (has_length) {
            pr_buf_text(out, is_known ? " after " : "After ");
            pr_hover_value(out, PR_UNIT_NANOSECONDS, run->wall_ns.value);
        }
        if (has_place) {
            pr_buf_text(out, is_known || has_length ? ", " : "It was ");
            emit_where(page, raised, out);
            pr_buf_text(out, is_shown ? "" : why_missing(page));
        }
        pr_buf_text(out, ".</p>\n");
    }
    out->failed |= words.failed;
    pr_buf_clear(&words);
}

static void emit_memory(const struct pr_failure *failure, struct pr_buf *out)
{
    struct pr_buf words = {0};
    pr_ending_memory(failure, &words);
    /* What the heading says is not repeated. */
    const char *numbers = words.length && is_headed_by_memory(failure) ? strstr(words.bytes, ": ") : NULL;
    if (numbers) {
        words.length -= (size_t)(numbers + 2 - words.bytes);
        memmove(words.bytes, numbers + 2, words.length + 1);
    }
    if (words.length) {
        pr_buf_text(out, "<p");
        if (failure->peak_bytes.known)
            pr_html(out, " title='%s", pr_units_exact(PR_UNIT_BYTES, failure->peak_bytes.value).text);
        if (failure->peak_bytes.known && failure->limit_bytes.known)
            pr_html(out, " of %s", pr_units_exact(PR_UNIT_BYTES, failure->limit_bytes.value).text);
        pr_buf_text(out, failure->peak_bytes.known ? "'>" : ">");
        emit_words(&words, true, out);
        pr_buf_text(out, "</p>\n");
    }
    out->failed |= words.failed;
    pr_buf_clear(&words);
}

static void emit_other(const struct pr_page *page, uint32_t which, struct pr_buf *out)
{
    const struct pr_raise_site raised = pr_raise_site_find(page, which);
    emit_exception(page, &page->profile->run.failure.exceptions[which], out);
    if (raised.innermost) {
        pr_buf_text(out, ", ");
        emit_where(page, &raised, out);
    }
}

/* Exceptions before the one that ended the run, by how they relate to the next; returns how many were shown. */
static uint32_t emit_causes(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_failure *failure = &page->profile->run.failure;
    uint32_t shown = 0;
    for (uint32_t i = failure->exception_count; i-- > 1 && shown < SHOWN_EXCEPTIONS;) {
        const struct pr_exception *exception = &failure->exceptions[i];
        if (exception->depth || exception[-1].depth || exception->link == PR_LINK_NONE ||
            pr_raise_site_is_again(failure, i))
            continue;
        pr_buf_text(out, exception->link == PR_LINK_CAUSE ? "<p>Caused by " : "<p>While handling ");
        emit_other(page, i - 1, out);
        pr_buf_text(out, ".</p>\n");
        shown++;
    }
    return shown;
}

/* True if exception number WHICH is what the next one came from. */
static bool is_cause(const struct pr_failure *failure, uint32_t which)
{
    const struct pr_exception *next = which + 1 < failure->exception_count ? &failure->exceptions[which + 1] : NULL;
    return next && next->link != PR_LINK_NONE && next->depth == failure->exceptions[which].depth;
}

/* Members of an exception group, those of nested groups indented further, each with what it came from. */
static void emit_members(const struct pr_page *page, uint32_t room, struct pr_buf *out)
{
    const struct pr_failure *failure = &page->profile->run.failure;
    uint32_t shown = 0, left_out = 0;
    for (uint32_t i = 0; i < failure->exception_count; i++) {
        const uint32_t depth = failure->exceptions[i].depth;
        if (!depth || is_cause(failure, i))
            continue;
        if (shown == room) {
            left_out++;
            continue;
        }
        if (!shown++)
            pr_buf_text(out, "<ul class='members'>\n");
        pr_html(out, "<li class='d%u'>", depth < SHOWN_DEPTH ? depth : (uint32_t)SHOWN_DEPTH);
        emit_other(page, i, out);
        if (i && is_cause(failure, i - 1) && !pr_raise_site_is_again(failure, i)) {
            pr_buf_text(out, failure->exceptions[i].link == PR_LINK_CAUSE ? "; caused by " : "; while handling ");
            emit_other(page, i - 1, out);
        }
        pr_buf_text(out, "</li>\n");
    }
    if (left_out && shown)
        pr_html(out, "<li>%s</li>", pr_units_counted(left_out, "more exceptions").text);
    if (shown)
        pr_buf_text(out, "</ul>\n");
}

static uint32_t count_lines(struct pr_text text)
{
    uint32_t lines = 0;
    for (uint32_t i = 0; i < text.length; i++)
        lines += text.bytes[i] == '\n';
    return lines + (text.length && text.bytes[text.length - 1] != '\n');
}

/* None if folders are hidden: a raw traceback is full of them. A short one is open. */
static bool shows_traceback(const struct pr_page *page)
{
    return !page->options.redact_paths && page->profile->run.failure.traceback;
}

static bool is_short(struct pr_text text)
{
    return count_lines(text) <= OPEN_LINES;
}

/* A short one that the table of its frames would only repeat without its code. */
static bool opens_traceback(const struct pr_page *page, const struct pr_raise_site *raised)
{
    return shows_traceback(page) && is_short(pr_profile_text(page->profile, page->profile->run.failure.traceback)) &&
           !pr_failure_stack_has_code(page, raised);
}

/* Lines as they were written; tabs, which are made visible elsewhere, are space here. */
static void emit_lines(struct pr_text text, struct pr_buf *out)
{
    while (text.length) {
        const char *end = text.bytes;
        while (end < text.bytes + text.length && *end != '\n' && *end != '\t')
            end++;
        const uint32_t length = (uint32_t)(end - text.bytes), taken = length + (length < text.length);
        pr_html(out, "%.*s", (int)length, text.bytes);
        pr_buf_text(out, length < text.length && *end == '\t' ? "    " : "\n");
        text = (struct pr_text){text.bytes + taken, text.length - taken};
    }
}

static void emit_pre(const char *label, struct pr_text text, struct pr_buf *out)
{
    pr_html(out, "<pre tabindex='0' role='group' aria-label='%s'>", label);
    emit_lines(text, out);
    pr_buf_text(out, "</pre></details>\n");
}

/* All of it; closed, its line has what the table leaves out. */
static void emit_traceback(const struct pr_page *page, const struct pr_raise_site *raised, struct pr_buf *out)
{
    const struct pr_text text = pr_profile_text(page->profile, page->profile->run.failure.traceback);
    const bool is_open = opens_traceback(page, raised);
    if (!shows_traceback(page))
        return;
    pr_html(out, "<details%s><summary>", is_open ? " open" : "");
    if (is_open || !pr_failure_stack_emit_others(page, raised, out))
        pr_buf_text(out, "Traceback");
    pr_buf_text(out, "</summary>");
    emit_pre("Traceback", text, out);
}

static void emit_last_output(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_text text = pr_profile_text(page->profile, page->profile->run.failure.stderr_tail);
    if (!text.length || page->options.redact_paths)
        return;
    pr_buf_text(out, "<details open><summary>Last output on standard error</summary>");
    emit_pre("Last output on standard error", text, out);
}

/* What follows the exception in its traceback: notes, and the other lines of its message. */
static void emit_said(const struct pr_page *page, struct pr_buf *out)
{
    const struct pr_failure *failure = &page->profile->run.failure;
    struct pr_text said = pr_failure_said(page->profile, failure);
    if (!said.length || page->options.redact_paths)
        return;
    const bool is_cut = said.length > SAID_LENGTH;
    if (is_cut) {
        said.length = SAID_LENGTH;
        while (said.length && ((unsigned char)said.bytes[said.length] & 0xC0) == 0x80) /* in the middle of a letter */
            said.length--;
    }
    pr_buf_text(out, "<pre class='said'>");
    emit_lines(said, out);
    pr_buf_text(out, is_cut ? "\xE2\x80\xA6</pre>\n" : "</pre>\n");
}

/* An exception that does not explain the end is only the last one before it. */
static void emit_exceptions(const struct pr_page *page, const struct pr_raise_site *raised, struct pr_buf *out)
{
    const struct pr_failure *failure = &page->profile->run.failure;
    const bool explains = pr_raise_site_explains(page->profile, raised->exception);
    if (failure->oom == PR_OOM_YES || !explains) {
        pr_buf_text(out, "<p>Its last exception: ");
        emit_exception(page, raised->exception, out);
        pr_buf_text(out, "</p>\n");
    }
    if (explains && !opens_traceback(page, raised))
        pr_failure_stack_emit(page, raised, out);
    const uint32_t shown = emit_causes(page, out);
    emit_members(page, SHOWN_EXCEPTIONS - shown, out);
}

static enum pr_status emit_failure(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_profile *profile = page->profile;
    const struct pr_failure *failure = &profile->run.failure;
    const struct pr_raise_site raised = pr_raise_site_find(page, failure->final_exception);
    const bool has_place = raised.exception && pr_raise_site_explains(profile, raised.exception);
    struct shown_failure shown = {NULL, PR_NO_NODE};
    if (find_shown(page, &raised, &shown, err) == PR_FAILED)
        return PR_FAILED;
    pr_buf_text(out, "<section class='banner failed' role='alert' aria-label='How the run failed'>"
                     "<svg class='i' width='20' height='20' viewBox='0 0 16 16' fill='none' stroke='currentColor' "
                     "aria-hidden='true'><path d='M5.5 1.8h5l3.7 3.7v5l-3.7 3.7h-5l-3.7-3.7v-5z'/>"
                     "<path d='M8 4.8v3.6M8 11v.1'/></svg>\n");
    emit_heading(page, raised.exception, out);
    if (has_place && !opens_traceback(page, &raised))
        emit_said(page, out);
    emit_circumstances(page, &raised, shown.node != PR_NO_NODE, out);
    emit_memory(failure, out);
    if (raised.exception)
        emit_exceptions(page, &raised, out);
    emit_links(page, &shown, out);
    emit_traceback(page, &raised, out);
    emit_last_output(page, out);
    pr_buf_text(out, "</section>\n");
    return PR_OK;
}

const struct pr_section pr_section_failure = {"failure", "main", wants_failure, emit_failure};
