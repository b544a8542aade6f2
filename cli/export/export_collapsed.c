/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collapsed stacks: the frames of a stack joined by `;`, a space, a number. capture/readers/collapsed_reader.c reads
 * it.
 */
#include "cli/export/export_formats.h"

#include "profrender/buf.h"
#include "capture/base/checked.h"
#include "capture/parse/frame_text.h"
#include "cli/io/json_writer.h"
#include "cli/io/log_commands.h"

#include <inttypes.h>

struct writer {
    struct pr_output *out;
    const struct pr_profile *profile;
    struct pr_buf *frames; /* [frame_count] texts, written when first needed */
    pr_node_id *path;      /* from the leaf */
    size_t path_capacity;
    bool raw; /* names as they were recorded */
    bool failed;
};

/* A name may hold anything. A `;` would divide it, and with control characters the format is not recognised. */
static void add_letters(struct pr_buf *buf, struct pr_text name)
{
    for (uint32_t i = 0; i < name.length; i++) {
        const unsigned char c = (unsigned char)name.bytes[i];
        pr_buf_byte(buf, c == ';' ? ':' : c < ' ' || c == 0x7f ? ' ' : c);
    }
}

/* The same; unless raw, no line of it is a command to the log that it may be printed to. */
static void add_name(struct pr_buf *buf, struct pr_text name, bool raw)
{
    struct pr_buf letters = {0};
    add_letters(raw ? buf : &letters, name);
    if (letters.length)
        pr_add_uncommanding(buf, letters.bytes, letters.length);
    buf->failed |= letters.failed;
    pr_buf_clear(&letters);
}

/* "name (file:line)", or "name (file)" for a file that looks like one. */
static void add_frame(const struct pr_profile *profile, const struct pr_frame *frame, bool raw, struct pr_buf *buf)
{
    const struct pr_text file = pr_profile_text(profile, frame->file);
    add_name(buf, pr_profile_text(profile, frame->function), raw);
    const size_t name_end = buf->length;
    if (!file.length)
        return;
    pr_buf_text(buf, " (");
    add_name(buf, file, raw);
    const size_t file_end = buf->length;
    pr_buf_byte(buf, ')');
    if (frame->line <= 0 && !buf->failed) {
        const struct pr_frame_text back = pr_frame_text_parse((struct pr_text){buf->bytes, (uint32_t)buf->length});
        if (back.name.length == name_end && back.file.length == file.length)
            return;
    }
    buf->length = file_end;
    pr_buf_printf(buf, ":%" PRId32 ")", frame->line > 0 ? frame->line : 0);
}

static void write_buf(struct writer *w, const struct pr_buf *buf)
{
    w->failed |= buf->failed;
    pr_output_add(w->out, buf->bytes, buf->length);
}

/* `process 12:"python x.py"` and `thread (24677): name`, as py-spy has them. */
static void write_thread(struct writer *w, const struct pr_thread *thread, bool with_process)
{
    struct pr_buf text = {0};
    if (with_process) {
        const struct pr_process *process = &w->profile->processes[thread->process];
        pr_buf_printf(&text, "process %" PRIu64 ":\"", process->pid);
        add_name(&text, pr_profile_text(w->profile, process->name), w->raw);
        pr_buf_text(&text, "\";");
    }
    pr_buf_printf(&text, "thread (%" PRIu64 ")", thread->tid);
    if (thread->name) {
        pr_buf_text(&text, ": ");
        add_name(&text, pr_profile_text(w->profile, thread->name), w->raw);
    }
    write_buf(w, &text);
    pr_buf_clear(&text);
}

static void write_stack(struct writer *w, pr_node_id leaf, bool joined)
{
    size_t depth = 0;
    for (pr_node_id node = leaf; node != PR_ROOT && !w->failed; node = w->profile->tree.parent[node]) {
        if (pr_grow(&w->path, &w->path_capacity, depth + 1, sizeof *w->path))
            w->path[depth++] = node;
        else
            w->failed = true;
    }
    while (depth && !w->failed) {
        const pr_frame_id frame = w->profile->tree.frame[w->path[--depth]];
        if (!w->frames[frame].length)
            add_frame(w->profile, &w->profile->frames[frame], w->raw, &w->frames[frame]);
        if (joined)
            pr_output_byte(w->out, ';');
        write_buf(w, &w->frames[frame]);
        joined = true;
    }
}

static void writer_clear(struct writer *w)
{
    for (uint32_t i = 0; w->frames && i < w->profile->frame_count; i++)
        pr_buf_clear(&w->frames[i]);
    free(w->frames);
    free(w->path);
}

enum pr_status pr_exchange_collapsed(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err)
{
    const struct pr_profile *profile = what->profile;
    struct writer w = {out, profile, calloc(profile->frame_count + (size_t)1, sizeof *w.frames), NULL, 0,
                       what->raw, false};
    w.failed = !w.frames;
    for (size_t i = 0; i < what->records->count && !w.failed; i++) {
        const struct pr_record *record = &what->records->record[i];
        char value[PR_FIXED_SIZE];
        if (!record->value)
            continue;
        if (what->split_threads)
            write_thread(&w, &profile->threads[record->thread], profile->process_count > 1);
        write_stack(&w, pr_exchange_leaf(record), what->split_threads);
        pr_output_byte(out, ' ');
        pr_output_text(out, pr_fixed_text(value, record->value, what->metric->decimals));
        pr_output_byte(out, '\n');
    }
    const bool failed = w.failed;
    writer_clear(&w);
    return failed ? pr_fail_memory(err) : PR_OK;
}
