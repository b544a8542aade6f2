/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/terminal_names.h"

#include "capture/base/utf8.h"
#include "cli/io/log_commands.h"
#include "render/html/html.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

#define ELLIPSIS "\xE2\x80\xA6"

void pr_text_init(void)
{
    setlocale(LC_CTYPE, "C.UTF-8"); /* for wcwidth: what we write is UTF-8 in any locale */
}

/* Columns of the character at TEXT, and its *SIZE in bytes. */
static size_t character_columns(const char *text, size_t length, size_t *size)
{
    uint32_t code = pr_utf8_next(text, length, size);
    int width = code < 0x7F ? 1 : wcwidth((wchar_t)code);
    return width < 0 ? 1 : (size_t)width; /* unassigned or private: terminals draw a box */
}

size_t pr_text_columns(const char *visible, size_t length)
{
    size_t columns = 0, at = 0;
    while (at < length) {
        size_t size = 1;
        columns += (unsigned char)visible[at] < 0x7F ? 1 : character_columns(visible + at, length - at, &size);
        at += size;
    }
    return columns;
}

/* Bytes at the beginning that fit into COLUMNS. */
static size_t fitting(const char *visible, size_t length, size_t columns)
{
    size_t at = 0;
    for (size_t size; at < length; at += size) {
        size_t width = character_columns(visible + at, length - at, &size);
        if (width > columns)
            break;
        columns -= width;
    }
    return at;
}

size_t pr_text_fitting(const char *visible, size_t length, size_t columns)
{
    size_t bytes = fitting(visible, length, columns), size = 0;
    if (!bytes && length)
        pr_utf8_next(visible, length, &size);
    return bytes + size;
}

/* Bytes at the beginning that must go for the rest to fit into COLUMNS. */
static size_t too_many(const char *visible, size_t length, size_t columns)
{
    size_t all = pr_text_columns(visible, length), at = 0;
    for (size_t size; at < length && all > columns; at += size)
        all -= character_columns(visible + at, length - at, &size);
    return at;
}

static void cut_end(struct pr_buf *buf, const char *visible, size_t length, size_t columns)
{
    if (pr_text_columns(visible, length) <= columns) {
        pr_buf_add(buf, visible, length);
    } else if (columns) {
        pr_buf_add(buf, visible, fitting(visible, length, columns - 1));
        pr_buf_text(buf, ELLIPSIS);
    }
}

/* Bytes of a separator of qualified names: "." of Java and Python, "::" of C++ and Rust, "/" of Go's packages. */
static size_t separator(const char *name, size_t length)
{
    if (length >= 2 && name[0] == ':' && name[1] == ':')
        return 2;
    return length && (name[0] == '.' || name[0] == '/');
}

/*
 * Where the part of a qualified name begins that fits into COLUMNS, and nothing before it does; LENGTH: no part does.
 * What is in brackets has no parts, and of a signature with a result, as "int f(int)", nothing is known.
 */
static size_t last_parts(const char *name, size_t length, size_t columns)
{
    size_t depth = 0;
    for (size_t at = 0, size; at < length; at += size) {
        size = 1;
        if (strchr("<([{", name[at]))
            depth++;
        else if (strchr(">)]}", name[at]))
            depth -= depth > 0;
        else if (!depth && name[at] == ' ')
            break;
        else if (!depth && separator(name + at, length - at)) {
            size = separator(name + at, length - at);
            if (at + size < length && pr_text_columns(name + at + size, length - at - size) <= columns)
                return at + size;
        }
    }
    return length;
}

static void cut_function(struct pr_buf *buf, const char *name, size_t length, size_t columns)
{
    const size_t from = columns && pr_text_columns(name, length) > columns ? last_parts(name, length, columns - 1)
                                                                           : length;
    if (from == length) {
        cut_end(buf, name, length, columns);
        return;
    }
    pr_buf_text(buf, ELLIPSIS);
    pr_buf_add(buf, name + from, length - from);
}

/* The rest of a path from byte FROM on, beginning with a slash if there is one. */
static size_t at_slash(const char *path, size_t length, size_t from)
{
    const char *slash = from < length ? memchr(path + from, '/', length - from) : NULL;
    return slash ? (size_t)(slash - path) : from;
}

static void cut_path(struct pr_buf *buf, const char *path, size_t length, size_t columns)
{
    if (pr_text_columns(path, length) <= columns || !columns) {
        pr_buf_add(buf, path, columns ? length : 0);
        return;
    }
    /* The first folder says something in "pandas/core/frame.py", nothing in "/usr/lib/python3/ast.py". */
    const char *slash = memchr(path, '/', length);
    size_t head = slash == path ? 0 : slash ? (size_t)(slash - path) + 1 : fitting(path, length, columns / 2);
    size_t head_columns = pr_text_columns(path, head);
    size_t tail = length;
    if (head_columns + 1 < columns)
        tail = at_slash(path, length, too_many(path, length, columns - 1 - head_columns));
    if (slash && (tail >= length || path[tail] != '/')) { /* the file's own name needs the room of the folder too */
        head = 0;
        tail = at_slash(path, length, too_many(path, length, columns - 1));
    }
    pr_buf_add(buf, path, head);
    pr_buf_text(buf, ELLIPSIS);
    pr_buf_add(buf, path + tail, length - tail);
}

void pr_text_add(struct pr_buf *buf, struct pr_text name)
{
    struct pr_buf visible = {0};
    pr_visible(&visible, name);
    if (visible.length)
        pr_add_uncommanding(buf, visible.bytes, visible.length);
    buf->failed |= visible.failed;
    pr_buf_clear(&visible);
}

static void cut(struct pr_buf *buf, struct pr_text name, size_t columns,
                void (*how)(struct pr_buf *, const char *, size_t, size_t))
{
    struct pr_buf visible = {0};
    pr_text_add(&visible, name);
    if (visible.failed)
        buf->failed = true;
    else if (visible.length)
        how(buf, visible.bytes, visible.length, columns);
    pr_buf_clear(&visible);
}

void pr_text_cut_end(struct pr_buf *buf, struct pr_text name, size_t columns)
{
    cut(buf, name, columns, cut_end);
}

void pr_text_cut_function(struct pr_buf *buf, struct pr_text name, size_t columns)
{
    cut(buf, name, columns, cut_function);
}

void pr_text_cut_path(struct pr_buf *buf, struct pr_text path, size_t columns)
{
    cut(buf, path, columns, cut_path);
}

void pr_text_cut_place(struct pr_buf *buf, struct pr_text file, int32_t line, size_t columns)
{
    struct pr_buf place = {0};
    pr_buf_add(&place, file.bytes, file.length);
    if (file.length && line > 0)
        pr_buf_printf(&place, ":%d", (int)line);
    if (place.length)
        pr_text_cut_path(buf, (struct pr_text){place.bytes, (uint32_t)place.length}, columns);
    buf->failed |= place.failed;
    pr_buf_clear(&place);
}
