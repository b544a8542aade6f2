/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of Austin, a line for each sample:
 *
 *     # mode: wall
 *     P26662;T0:26662;/app/etl.py:<module>:57;/app/etl.py:main:50 27900
 *
 * - Process, thread (with the number of its interpreter before a colon since version 3.5), frames from the root, and
 *   after the last space what was measured: microseconds, bytes, or in full mode `microseconds,idle,bytes`.
 * - A frame is file, function and the line that ran; a file may hold colons. `:INVALID:` and `:GC:` are not functions.
 *   A stack may be empty.
 * - Lines with `#` are metadata.
 *
 * Source: Austin 3.7.0, README and src/stack.h; the three files of the collection.
 */
#include "capture/readers/austin_samples.h"
#include "capture/base/text.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"

#include <string.h>

enum { LOOK_BYTES = 64 * 1024 };

/* `P26662;T0:26662;...`: the rest is the stack. */
struct sample_line {
    uint64_t pid, tid;
    struct pr_text stack, values;
};

/* Takes what is before the next END off TEXT, and END itself. */
static struct pr_text take_until(struct pr_text *text, char end)
{
    const char *found = memchr(text->bytes, end, text->length);
    uint32_t length = found ? (uint32_t)(found - text->bytes) : text->length;
    struct pr_text part = {text->bytes, length};
    *text = pr_text_from(*text, found ? length + (size_t)1 : length);
    return part;
}

/* A thread id: decimal, or hexadecimal where it has letters. */
static bool parse_tid(struct pr_text text, uint64_t *tid)
{
    uint32_t digits = 0;
    if (!text.length || pr_text_hex(text, tid) != text.length)
        return false;
    while (digits < text.length && pr_is_digit(text.bytes[digits]))
        digits++;
    return digits < text.length || pr_text_number(text, tid);
}

/* `P`, digits, `;T` and a thread. */
static bool parse_line(struct pr_text line, struct sample_line *out)
{
    uint32_t space = line.length;
    while (space && line.bytes[space - 1] != ' ')
        space--;
    if (!space || *line.bytes != 'P')
        return false;
    out->values = pr_text_from(line, space);
    struct pr_text rest = {line.bytes + 1, space >= 2 ? space - 2 : 0};
    struct pr_text pid = take_until(&rest, ';'), thread = take_until(&rest, ';');
    if (!pid.length || !thread.length || *thread.bytes != 'T')
        return false;
    for (uint32_t i = 0; i < pid.length; i++)
        if (!pr_is_digit(pid.bytes[i]))
            return false;
    thread = pr_text_from(thread, 1);
    const char *colon = memchr(thread.bytes, ':', thread.length);
    if (colon)
        thread = pr_text_from(thread, (size_t)(colon - thread.bytes) + 1);
    out->stack = rest;
    return pr_text_number(pid, &out->pid) && parse_tid(thread, &out->tid);
}

/* `27900`, or `27900,0,622592` */
static bool parse_values(struct pr_text text, bool memory_mode, struct pr_austin_sample *sample)
{
    int64_t value[3];
    unsigned count = 0;
    while (text.length && count < 3) {
        struct pr_text part = take_until(&text, ',');
        struct pr_decimal number;
        if (!part.length || pr_decimal_parse(part.bytes, part.length, &number) != part.length)
            return false;
        value[count++] = pr_decimal_scaled(number, 0);
    }
    if (text.length || count == 0 || count == 2)
        return false;
    sample->has_memory = count == 3 || memory_mode;
    sample->has_time = count == 3 || !memory_mode;
    sample->time_us = sample->has_time ? value[0] : 0;
    sample->memory_bytes = sample->has_memory ? value[count - 1] : 0;
    sample->idle = count == 3 && value[1];
    return true;
}

static pr_str intern(struct pr_austin *austin, struct pr_text text)
{
    return pr_build_string(&austin->c, text.bytes, text.length);
}

static uint32_t last_colon(struct pr_text text)
{
    const char *colon = text.length ? memrchr(text.bytes, ':', text.length) : NULL;
    return colon ? (uint32_t)(colon - text.bytes) : text.length;
}

/* `file:function:line` */
static pr_node_id add_frame(struct pr_austin *austin, pr_node_id parent, struct pr_text text)
{
    uint32_t at = last_colon(text);
    struct pr_text head = {text.bytes, at};
    uint32_t before = last_colon(head);
    uint64_t line;
    if (at == text.length || before == at || !pr_text_number(pr_text_from(text, at + (size_t)1), &line))
        return pr_austin_child(austin, parent, intern(austin, text), 0, 0);
    struct pr_text file = {text.bytes, before};
    return pr_austin_child(austin, parent, intern(austin, pr_text_from(head, before + (size_t)1)), intern(austin, file),
                           line > INT32_MAX ? 0 : (int64_t)line);
}

static bool take_sample(struct pr_austin *austin, struct pr_text text)
{
    struct sample_line line;
    struct pr_text mode = pr_profile_text(austin->c.profile, austin->mode);
    if (!parse_line(text, &line))
        return false;
    struct pr_austin_sample sample = {.pid = line.pid, .tid = line.tid, .leaf = PR_ROOT};
    if (!parse_values(line.values, pr_text_is(mode, "memory"), &sample))
        return false;
    while (line.stack.length)
        sample.leaf = add_frame(austin, sample.leaf, take_until(&line.stack, ';'));
    pr_austin_add(austin, &sample);
    return true;
}

static void take_metadata(struct pr_austin *austin, struct pr_text text)
{
    struct pr_text value = pr_text_from(text, 1);
    struct pr_text key = take_until(&value, ':');
    pr_austin_metadata(austin, pr_text_trim(key), pr_text_trim(value));
}

static enum pr_status read_lines(struct pr_austin *austin)
{
    struct pr_lines lines = pr_lines_begin(austin->c.src, austin->c.err);
    while (pr_build_going(&austin->c) && pr_lines_next(&lines)) {
        if (!pr_text_trim(lines.text).length)
            continue;
        if (!lines.ended) /* a number or a stack may be cut short */
            return pr_cut(austin->c.err, PR_ERR_TRUNCATED, lines.offset, "sample", "the input ends in a line");
        if (*lines.text.bytes == '#')
            take_metadata(austin, lines.text);
        else if (!take_sample(austin, lines.text))
            pr_build_damage_at(&austin->c, PR_DAMAGE_LINES, lines.offset);
    }
    const bool strange = austin->c.profile->damage.kind[PR_DAMAGE_LINES].count;
    if (!lines.failed && strange && !austin->sample_count)
        return pr_fail(austin->c.err, PR_ERR_DAMAGED, 0, "sample", "it has no samples");
    return pr_lines_status(&lines);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_austin austin = {.sample_count = 0};
    enum pr_status status = pr_build_init(&austin.c, src, options, profile, err);
    if (status == PR_OK)
        status = read_lines(&austin);
    if (status == PR_CUT && !austin.sample_count)
        status = PR_FAILED;
    pr_austin_clear(&austin);
    return pr_build_finish(&austin.c, status);
}

/* 10 bytes of the header; without it, 3 bytes in every line. */
static unsigned probe(struct pr_source *src)
{
    static const char header[] = "# austin: ";
    enum { BITS_A_LINE = 24, MOST_BITS = 72 };
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    unsigned bits = 0;
    while (pr_lines_next(&lines) && (lines.ended || src->at_eof)) {
        struct sample_line line;
        if (pr_text_starts(lines.text, header))
            return (sizeof header - 1) * 8;
        if (!lines.text.length || *lines.text.bytes == '#')
            continue;
        if (!parse_line(lines.text, &line))
            return 0;
        bits += BITS_A_LINE;
    }
    return bits < MOST_BITS ? bits : MOST_BITS;
}

const struct pr_reader pr_austin_reader = {"austin", "Austin samples", probe, read};
