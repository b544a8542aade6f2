/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of frames, taken apart from the right: names hold anything, places do not. */
#include "capture/parse/frame_text.h"
#include "capture/base/ascii.h"
#include "capture/base/text.h"

#include <string.h>

static bool is_word(char c)
{
    return pr_is_alphanumeric(c) || c == '_';
}

bool pr_text_without_addresses(struct pr_text text, struct pr_buf *out)
{
    static const char mark[] = " at 0x";
    const char *at = memmem(text.bytes, text.length, mark, sizeof mark - 1);
    if (!at)
        return false;
    for (; at; at = memmem(text.bytes, text.length, mark, sizeof mark - 1)) {
        uint64_t address;
        at += sizeof mark - 1;
        pr_buf_add(out, text.bytes, (size_t)(at - text.bytes));
        pr_buf_text(out, "…");
        text = pr_text_from(text, (size_t)(at - text.bytes));
        text = pr_text_from(text, pr_text_hex(text, &address));
    }
    pr_buf_add(out, text.bytes, text.length);
    return true;
}

/* "libc.so.6", "etl.py": some bytes, a point, a word; no brackets. */
static bool looks_like_file(struct pr_text text)
{
    size_t at = text.length;
    while (at && is_word(text.bytes[at - 1]))
        at--;
    return at > 1 && at < text.length && text.bytes[at - 1] == '.' && !memchr(text.bytes, '(', text.length) &&
           !memchr(text.bytes, ')', text.length);
}

/* Splits "file:line". */
static bool split_line(struct pr_text place, struct pr_frame_text *frame)
{
    size_t at = place.length;
    uint64_t line;
    while (at && pr_is_digit(place.bytes[at - 1]))
        at--;
    if (at < 2 || at == place.length || place.bytes[at - 1] != ':')
        return false;
    if (!pr_text_number(pr_text_from(place, at), &line) || line > INT32_MAX)
        line = 0;
    frame->file = (struct pr_text){place.bytes, (uint32_t)at - 1};
    frame->line = (int32_t)line;
    return true;
}

/* Where the last " (" of TEXT is; its length without one. */
static size_t find_place(struct pr_text text)
{
    for (size_t at = text.length; at-- > 1;)
        if (text.bytes[at] == '(' && text.bytes[at - 1] == ' ')
            return at - 1;
    return text.length;
}

/* "cart - /app/shop.rb:3" and "sleep [c function] - (unknown)", as rbspy writes frames. */
static bool split_dash(struct pr_text text, struct pr_frame_text *frame)
{
    static const char dash[] = " - ", unknown[] = "(unknown)";
    const size_t length = sizeof dash - 1;
    for (size_t at = text.length > length ? text.length - length : 0; at > 0; at--) {
        if (memcmp(text.bytes + at, dash, length) != 0)
            continue;
        const struct pr_text place = pr_text_from(text, at + length);
        if (!pr_text_is(place, unknown) && !split_line(place, frame))
            return false;
        frame->name.length = (uint32_t)at;
        return true;
    }
    return false;
}

/* "/app/shop.py:3 (cart)", as Fil writes frames: TEXT up to AT is a place, what follows a name in brackets. */
static bool split_name_behind(struct pr_text text, size_t at, struct pr_frame_text *frame)
{
    struct pr_frame_text place = *frame;
    if (!split_line((struct pr_text){text.bytes, (uint32_t)at}, &place))
        return false;
    const struct pr_text file = place.file;
    if (!looks_like_file(file) && (*file.bytes != '<' || file.bytes[file.length - 1] != '>'))
        return false;
    *frame = place;
    frame->name = (struct pr_text){text.bytes + at + 2, text.length - (uint32_t)at - 3};
    return true;
}

struct pr_frame_text pr_frame_text_parse(struct pr_text text)
{
    struct pr_frame_text frame = {.name = text, .file = {"", 0}};
    size_t at = find_place(text);
    if (split_dash(text, &frame) || at == text.length || text.bytes[text.length - 1] != ')')
        return frame;
    struct pr_text place = {text.bytes + at + 2, text.length - (uint32_t)at - 3};
    if (split_line(place, &frame)) {
        frame.name.length = (uint32_t)at;
    } else if (!split_name_behind(text, at, &frame) && looks_like_file(place)) {
        frame.name.length = (uint32_t)at;
        frame.file = place;
    }
    return frame;
}

bool pr_frame_text_is_of_fil(struct pr_text text)
{
    const size_t at = find_place(text);
    struct pr_frame_text frame = {.name = text};
    return at < text.length && text.bytes[text.length - 1] == ')' && split_name_behind(text, at, &frame);
}

static bool is_compiled(struct pr_text file)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".h",  ".hpp",   ".rs",  ".go",  ".s",  ".S",
                                          ".m", ".mm", ".f90", ".zig", ".exe", ".cu", ".cuh"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (pr_text_ends(file, endings[i]))
            return true;
    return pr_text_is_shared_object(file);
}

enum pr_frame_kind pr_frame_kind_of(struct pr_text name, struct pr_text file)
{
    if (pr_text_ends(name, "_[k]"))
        return PR_FRAME_KERNEL;
    if (pr_text_starts(name, "0x") || pr_text_is(name, "(below main)")) /* no symbol, in an object without an ending */
        return PR_FRAME_NATIVE;
    if (pr_text_ends(name, " [c function]")) /* of Ruby, as rbspy marks it */
        return PR_FRAME_NATIVE;
    if (file.length)
        return is_compiled(file) ? PR_FRAME_NATIVE : PR_FRAME_PYTHON;
    bool marked = name.length > 1 && *name.bytes == '[' && name.bytes[name.length - 1] == ']';
    return marked && !pr_text_is(name, "[unknown]") ? PR_FRAME_OTHER : PR_FRAME_NATIVE;
}
