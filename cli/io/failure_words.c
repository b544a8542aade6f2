/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/failure_words.h"

#include "cli/io/terminal_names.h"
#include "render/words/ending.h"

#include <string.h>

enum { MESSAGE_COLUMNS = 160 };

static void add_exception(const struct pr_profile *profile, const struct pr_exception *exception, struct pr_buf *out)
{
    pr_text_add(out, pr_profile_text(profile, exception->type));
    pr_buf_text(out, exception->message ? ": " : "");
    pr_text_cut_end(out, pr_profile_text(profile, exception->message), MESSAGE_COLUMNS);
    if (exception->frame_count) {
        const struct pr_trace_frame *frame = &exception->frames[exception->frame_count - 1];
        pr_buf_text(out, " (");
        pr_text_cut_place(out, pr_profile_text(profile, frame->file), frame->line, MESSAGE_COLUMNS);
        pr_buf_byte(out, ')');
    }
}

void pr_failure_words(const struct pr_profile *profile, struct pr_buf *out)
{
    const struct pr_failure *failure = &profile->run.failure;
    const struct pr_exception *exception = pr_ending_exception(failure);
    const size_t before = out->length;
    if (!pr_failure_is_one(failure))
        return;
    pr_ending_words(failure, out);
    if (pr_ending_is_of_memory(profile))
        pr_buf_printf(out, "%s%sout of memory", out->length > before ? ", " : "",
                      failure->oom == PR_OOM_LIKELY ? "likely " : "");
    if (exception) {
        pr_buf_text(out, out->length > before ? ", " : "");
        add_exception(profile, exception, out);
    }
}

void pr_failure_last_line(const struct pr_profile *profile, struct pr_buf *out)
{
    struct pr_text text = pr_profile_text(profile, profile->run.failure.stderr_tail);
    while (text.length && (text.bytes[text.length - 1] == '\n' || text.bytes[text.length - 1] == '\r'))
        text.length--;
    const char *before = memrchr(text.bytes, '\n', text.length);
    const size_t start = before ? (size_t)(before - text.bytes) + 1 : 0;
    pr_text_cut_end(out, (struct pr_text){text.bytes + start, text.length - (uint32_t)start}, MESSAGE_COLUMNS);
}
