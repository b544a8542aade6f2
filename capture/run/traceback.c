/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the lines. A beginning that is not linked to what came before starts over, so that the last story
 * remains.
 */
#include "capture/run/traceback.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/parse/lines.h"
#include "capture/parse/terminal_text.h"
#include "capture/redact/redact.h"
#include "capture/parse/frame_text.h"

#include <string.h>

enum { MAX_EXCEPTIONS = 1000, MAX_FRAMES = 20000, TAIL_LINES = 20, TAIL_BYTES = 4096, SAID_LINES = 8 };

static const char python_head[] = "Traceback (most recent call last):";
static const char group_head[] = "+ Exception Group Traceback (most recent call last):";
static const char fatal_head[] = "Fatal Python error: ";
static const char terminate_head[] = "terminate called after throwing an instance of '";
static const char panic_head[] = "panic: ";
static const char file_head[] = "  File \"";

/* What the next lines are part of. */
enum inside { NOTHING, PYTHON, SYNTAX, SAID, FATAL, FATAL_STACK, TERMINATE, PANIC, PANIC_STACK };

struct raw_exception {
    struct pr_exception exception;
    size_t first_frame;
    bool innermost_first; /* as the frames were printed */
};

struct traceback {
    struct pr_profile *profile;
    struct pr_text text;
    size_t line_end; /* in text, after the line at hand and its newline */
    enum inside inside;
    unsigned said_lines; /* SAID: so far */
    bool in_group, member_due; /* members of an exception group: a separator came, and nothing after it yet */
    enum pr_exception_link link; /* said by the last line that was not blank */
    size_t from, to; /* of the story in the text */
    struct raw_exception *exceptions;
    size_t count, capacity;
    struct pr_trace_frame *frames;
    size_t frame_count, frame_capacity;
    pr_str function_due; /* PANIC_STACK: the line before */
    bool no_memory;
};

static pr_str keep(struct traceback *r, struct pr_text text)
{
    pr_str string = pr_strings_add(&r->profile->strings, text.bytes, text.length);
    r->no_memory |= string == PR_NO_STR;
    return string == PR_NO_STR ? 0 : string;
}

static struct pr_text cut_at(struct pr_text text, size_t length)
{
    return (struct pr_text){text.bytes, length < text.length ? (uint32_t)length : text.length};
}

/* Where PART last occurs in TEXT; TEXT.length: nowhere. */
static uint32_t find_last(struct pr_text text, const char *part)
{
    const uint32_t length = (uint32_t)strlen(part);
    for (uint32_t at = text.length; at >= length; at--)
        if (!memcmp(text.bytes + at - length, part, length))
            return at - length;
    return text.length;
}

bool pr_traceback_begins(struct pr_text line)
{
    return pr_text_starts(line, python_head) || pr_text_starts(line, fatal_head) ||
           pr_text_starts(line, terminate_head) ||
           (pr_text_starts(line, "  ") && pr_text_starts(pr_text_from(line, 2), group_head));
}

/* ---- exceptions ------------------------------------------------------------------------------------------------- */

/* Begins a story that has nothing to do with the previous one. */
static void start_over(struct traceback *r, size_t line_start)
{
    r->count = r->frame_count = 0;
    r->from = line_start;
    r->in_group = r->member_due = false;
}

static struct raw_exception *begin(struct traceback *r, enum inside inside, uint32_t depth, enum pr_exception_link link)
{
    r->inside = NOTHING;
    if (r->count == MAX_EXCEPTIONS)
        return NULL;
    if (!pr_grow(&r->exceptions, &r->capacity, r->count + 1, sizeof *r->exceptions)) {
        r->no_memory = true;
        return NULL;
    }
    struct raw_exception *raw = &r->exceptions[r->count++];
    *raw = (struct raw_exception){.exception = {.link = link, .depth = depth}, .first_frame = r->frame_count};
    r->inside = inside;
    return raw;
}

static void add_frame(struct traceback *r, struct pr_trace_frame frame)
{
    if (r->frame_count == MAX_FRAMES || !r->count)
        return;
    if (!pr_grow(&r->frames, &r->frame_capacity, r->frame_count + 1, sizeof *r->frames)) {
        r->no_memory = true;
        return;
    }
    r->frames[r->frame_count++] = frame;
    r->exceptions[r->count - 1].exception.frame_count++;
}

/* The line number at the beginning of TEXT; 0: none. */
static int32_t line_number(struct pr_text text)
{
    int64_t line = 0;
    for (uint32_t i = 0; i < text.length && pr_is_digit(text.bytes[i]) && line < INT32_MAX; i++)
        line = line * 10 + (text.bytes[i] - '0');
    return line < INT32_MAX ? (int32_t)line : 0;
}

/* `  File "PATH", line 12, in function`; faulthandler has no comma before "in", a syntax error no function. */
static bool read_file_line(struct traceback *r, struct pr_text line, struct pr_trace_frame *frame)
{
    static const char between[] = "\", line ";
    if (!pr_text_starts(line, file_head))
        return false;
    struct pr_text rest = pr_text_from(line, sizeof file_head - 1);
    const uint32_t end = find_last(rest, between);
    if (end == rest.length)
        return false;
    struct pr_text place = pr_text_from(rest, end + sizeof between - 1);
    *frame = (struct pr_trace_frame){.file = keep(r, cut_at(rest, end)), .line = line_number(place)};
    for (uint32_t i = 0; i + 4 <= place.length; i++) {
        if (!memcmp(place.bytes + i, " in ", 4)) {
            frame->function = keep(r, pr_text_from(place, i + (size_t)4));
            break;
        }
    }
    return true;
}

static bool is_word(char c)
{
    return pr_is_alphanumeric(c) || c == '_' || c == '.' || (c & 0x80);
}

/* `Type: message` or `Type`: what Python writes after the frames. */
static bool read_exception_line(struct traceback *r, struct pr_text line, struct pr_exception *exception)
{
    uint32_t length = 0;
    while (length < line.length && is_word(line.bytes[length]))
        length++;
    const bool alone = length == line.length, told = length + 1 < line.length && line.bytes[length] == ':';
    if (!length || pr_is_digit(line.bytes[0]) ||
        !(alone || told || (length + 1 == line.length && line.bytes[length] == ':')))
        return false;
    exception->type = keep(r, cut_at(line, length));
    exception->message = told ? keep(r, pr_text_trim(pr_text_from(line, length + (size_t)1))) : 0;
    return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* A line of an exception group without its margin: `    | ValueError: a` is of depth 1. */
struct inner_line {
    struct pr_text text;
    uint32_t depth;
    bool separates; /* members: `  +-+---------------- 1 ----------------` */
};

static struct inner_line without_margin(const struct traceback *r, struct pr_text line)
{
    struct inner_line inner = {line, 0, false};
    uint32_t spaces = 0;
    while (spaces < line.length && line.bytes[spaces] == ' ')
        spaces++;
    if (spaces < 2 || spaces == line.length)
        return inner;
    struct pr_text rest = pr_text_from(line, spaces);
    const uint32_t depth = spaces / 2 - 1;
    if (pr_text_starts(rest, group_head))
        return (struct inner_line){rest, depth, false};
    if (!r->in_group)
        return inner;
    if (pr_text_starts(rest, "| ") || (rest.length == 1 && *rest.bytes == '|'))
        return (struct inner_line){pr_text_from(rest, rest.length == 1 ? 1 : 2), depth, false};
    if (pr_text_starts(rest, "+-"))
        return (struct inner_line){pr_text_from(rest, rest.length), depth + pr_text_starts(rest, "+-+"), true};
    return inner;
}

static bool is_link(struct pr_text line, enum pr_exception_link *link)
{
    *link = pr_text_starts(line, "The above exception was the direct cause of") ? PR_LINK_CAUSE
            : pr_text_starts(line, "During handling of the above exception")    ? PR_LINK_CONTEXT
                                                                                : PR_LINK_NONE;
    return *link != PR_LINK_NONE;
}

/* After the line with the type: whatever comes next, the story could end here. */
static void begin_said(struct traceback *r)
{
    r->inside = SAID;
    r->said_lines = 0;
    r->member_due = false;
    r->to = r->line_end;
}

/* The heads of tracebacks in all their forms. */
static bool read_head(struct traceback *r, const struct inner_line *line, size_t line_start)
{
    const bool group = pr_text_starts(line->text, group_head);
    if (!group && !pr_text_starts(line->text, python_head))
        return false;
    const enum pr_exception_link link = r->link;
    if (!line->depth && link == PR_LINK_NONE)
        start_over(r, line_start);
    r->in_group = r->in_group || group;
    begin(r, PYTHON, line->depth, link);
    return true;
}

/* What other runtimes print before they end a program. */
static bool read_other_head(struct traceback *r, struct pr_text line, size_t line_start)
{
    struct raw_exception *raw;
    struct pr_trace_frame frame;
    if (pr_text_starts(line, fatal_head)) {
        start_over(r, line_start);
        raw = begin(r, FATAL, 0, PR_LINK_NONE);
        if (raw) {
            raw->innermost_first = true;
            raw->exception.type = keep(r, cut_at(line, strlen("Fatal Python error")));
            raw->exception.message = keep(r, pr_text_from(line, sizeof fatal_head - 1));
        }
    } else if (pr_text_starts(line, terminate_head)) {
        struct pr_text type = pr_text_from(line, sizeof terminate_head - 1);
        start_over(r, line_start);
        raw = begin(r, TERMINATE, 0, PR_LINK_NONE);
        if (raw)
            raw->exception.type = keep(r, cut_at(type, find_last(type, "'")));
    } else if (pr_text_starts(line, panic_head)) {
        start_over(r, line_start);
        raw = begin(r, PANIC, 0, PR_LINK_NONE);
        if (raw) {
            raw->innermost_first = true;
            raw->exception.type = keep(r, cut_at(line, strlen("panic")));
            raw->exception.message = keep(r, pr_text_from(line, sizeof panic_head - 1));
        }
    } else if (r->inside == NOTHING && read_file_line(r, line, &frame) && !frame.function && frame.line) {
        start_over(r, line_start);
        if (begin(r, SYNTAX, 0, PR_LINK_NONE))
            add_frame(r, frame);
        return true; /* whether it is one becomes known when the error comes */
    } else {
        return false;
    }
    r->to = r->line_end;
    return true;
}

/* Lines after the head of a Python traceback. */
static void read_python(struct traceback *r, struct pr_text line)
{
    struct pr_trace_frame frame;
    if (read_file_line(r, line, &frame))
        add_frame(r, frame);
    else if (line.length && *line.bytes != ' ' &&
             read_exception_line(r, line, &r->exceptions[r->count - 1].exception))
        begin_said(r);
}

/* More lines of the message, and notes: they belong to the story, up to a blank line or the end of a quoted one. */
static void read_said(struct traceback *r, const struct inner_line *line)
{
    const bool is_quote = line->text.length == 3 && !memcmp(line->text.bytes, "\"\"\"", 3);
    if (!pr_text_trim(line->text).length || is_quote || r->said_lines == SAID_LINES ||
        line->depth != r->exceptions[r->count - 1].exception.depth) {
        r->inside = NOTHING;
        return;
    }
    r->said_lines++;
    r->to = r->line_end;
}

/* faulthandler: the stack of the thread that failed, the innermost frame first, up to a blank line. */
static void read_fatal(struct traceback *r, struct pr_text line)
{
    struct pr_trace_frame frame;
    if (r->inside == FATAL) {
        const bool is_its = pr_text_starts(line, "Current thread ") || pr_text_starts(line, "Stack (most recent call");
        r->inside = is_its ? FATAL_STACK : FATAL;
    } else if (read_file_line(r, line, &frame)) {
        add_frame(r, frame);
        r->to = r->line_end;
    } else {
        r->inside = NOTHING;
    }
}

/* Go: a line with the function, then one with a tab, the file and the line; the running goroutine comes first. */
static void read_panic(struct traceback *r, struct pr_text line)
{
    if (r->inside == PANIC) {
        r->inside = pr_text_starts(line, "goroutine ") ? PANIC_STACK : PANIC;
        return;
    }
    if (!line.length) {
        r->inside = NOTHING;
    } else if (*line.bytes != '\t') {
        const uint32_t bracket = find_last(line, "(");
        r->function_due = keep(r, cut_at(line, bracket));
    } else if (r->function_due) {
        struct pr_text place = pr_text_trim(cut_at(line, find_last(line, " +0x")));
        const uint32_t colon = find_last(place, ":");
        add_frame(r, (struct pr_trace_frame){r->function_due, keep(r, cut_at(place, colon)),
                                             colon < place.length ? line_number(pr_text_from(place, colon + (size_t)1))
                                                                  : 0});
        r->function_due = 0;
        r->to = r->line_end;
    }
}

static void read_inside(struct traceback *r, const struct inner_line *line)
{
    static const char what[] = "  what():  ";
    switch (r->inside) {
    case PYTHON:
    case SYNTAX:
        read_python(r, line->text);
        break;
    case FATAL:
    case FATAL_STACK:
        read_fatal(r, line->text);
        break;
    case PANIC:
    case PANIC_STACK:
        read_panic(r, line->text);
        break;
    case TERMINATE:
        if (pr_text_starts(line->text, what)) {
            r->exceptions[r->count - 1].exception.message = keep(r, pr_text_from(line->text, sizeof what - 1));
            r->to = r->line_end;
        }
        r->inside = NOTHING;
        break;
    case SAID:
        read_said(r, line);
        break;
    case NOTHING:
        break;
    }
}

static void read_line(struct traceback *r, struct pr_text whole, size_t line_start)
{
    const struct inner_line line = without_margin(r, whole);
    const bool blank = !pr_text_trim(line.text).length;
    enum pr_exception_link link;
    if (line.separates) {
        r->inside = NOTHING;
        r->member_due = true;
        r->to = r->line_end;
    } else if (read_head(r, &line, line_start) || (!line.depth && read_other_head(r, line.text, line_start))) {
        r->member_due = false;
    } else if (r->inside != NOTHING) {
        read_inside(r, &line);
    } else if (is_link(line.text, &link)) {
        r->link = link;
        return;
    } else if (r->member_due && line.depth && !blank) { /* one that was never raised has no traceback */
        struct raw_exception *raw = begin(r, NOTHING, line.depth, PR_LINK_NONE);
        if (raw && read_exception_line(r, line.text, &raw->exception))
            begin_said(r);
        else if (raw)
            r->count--;
    }
    if (!blank)
        r->link = PR_LINK_NONE;
}

/* ---- the result ------------------------------------------------------------------------------------------------- */

static void drop_unfinished(struct traceback *r)
{
    while (r->count && !r->exceptions[r->count - 1].exception.type)
        r->count--;
}

static bool copy_exceptions(struct traceback *r, struct pr_failure *failure)
{
    struct pr_arena *arena = &r->profile->arena;
    struct pr_exception *exceptions = pr_arena_array(arena, r->count, sizeof *exceptions);
    struct pr_trace_frame *frames = pr_arena_array(arena, r->frame_count, sizeof *frames);
    if (!exceptions || !frames)
        return false;
    for (size_t i = 0; i < r->count; i++) {
        const struct raw_exception *raw = &r->exceptions[i];
        const uint32_t count = raw->exception.frame_count;
        for (uint32_t k = 0; k < count; k++)
            frames[raw->first_frame + k] = r->frames[raw->first_frame + (raw->innermost_first ? count - 1 - k : k)];
        exceptions[i] = raw->exception;
        exceptions[i].frames = frames + raw->first_frame;
        if (!raw->exception.depth)
            failure->final_exception = (uint32_t)i;
    }
    failure->exceptions = exceptions;
    failure->exception_count = (uint32_t)r->count;
    return true;
}

/* The last lines, where nothing in them could be read. */
static struct pr_text tail_of(struct pr_text text)
{
    uint32_t from = text.length;
    unsigned lines = 0;
    while (text.length && text.bytes[text.length - 1] == '\n')
        text.length--;
    from = text.length;
    while (from && text.length - from < TAIL_BYTES && lines < TAIL_LINES)
        lines += text.bytes[--from] == '\n';
    if (lines == TAIL_LINES)
        from++;
    return cut_at(pr_text_from(text, from), text.length - from);
}

static enum pr_status finish(struct traceback *r, struct pr_failure *failure, struct pr_error *err)
{
    drop_unfinished(r);
    if (r->count) {
        failure->traceback = keep(r, cut_at(pr_text_from(r->text, r->from), r->to - r->from));
        r->no_memory |= !copy_exceptions(r, failure);
    } else {
        failure->stderr_tail = keep(r, tail_of(r->text));
    }
    free(r->exceptions);
    free(r->frames);
    return r->no_memory ? pr_fail_memory(err) : PR_OK;
}

static enum pr_status read_plain(struct pr_profile *profile, struct pr_text text, struct pr_failure *failure,
                                 struct pr_error *err)
{
    struct traceback r = {.profile = profile, .text = text};
    for (size_t at = 0; at < text.length && !r.no_memory; at = r.line_end) {
        const char *newline = memchr(text.bytes + at, '\n', text.length - at);
        size_t end = newline ? (size_t)(newline - text.bytes) : text.length;
        r.line_end = newline ? end + 1 : end;
        if (end > at && text.bytes[end - 1] == '\r')
            end--;
        read_line(&r, cut_at(pr_text_from(text, at), end - at), at);
    }
    return finish(&r, failure, err);
}

static enum pr_status read_redacted(struct pr_profile *profile, struct pr_text text, struct pr_failure *failure,
                                    struct pr_error *err)
{
    struct pr_buf redacted = {0};
    pr_buf_text(&redacted, ""); /* a text, even if an empty one */
    pr_redact_log(&redacted, text);
    const struct pr_text kept = {redacted.bytes, (uint32_t)redacted.length};
    const enum pr_status status = redacted.failed ? pr_fail_memory(err) : read_plain(profile, kept, failure, err);
    pr_buf_clear(&redacted);
    return status;
}

/* Since 3.13 Python colours the tracebacks that it writes to a terminal, also in the middle of a line. */
enum pr_status pr_traceback_read(struct pr_profile *profile, struct pr_text text, struct pr_failure *failure,
                                 struct pr_error *err)
{
    struct pr_buf plain = {0};
    if (!pr_plain_needed(text))
        return read_redacted(profile, text, failure, err);
    pr_plain_add(&plain, text);
    const struct pr_text kept = {plain.bytes ? plain.bytes : "", (uint32_t)plain.length};
    const enum pr_status status = plain.failed ? pr_fail_memory(err) : read_redacted(profile, kept, failure, err);
    pr_buf_clear(&plain);
    return status;
}
