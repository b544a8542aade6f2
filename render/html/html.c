/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping: one walk over the characters, and what each of them becomes. */
#include "render/html/html.h"

#include "capture/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum target { PLAIN, HTML, JSON };

/* What an element or a string must not contain unescaped, in the printable part of ASCII. */
static const char *escape_of(unsigned char byte, enum target target)
{
    if (target == HTML) {
        switch (byte) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return NULL;
        }
    }
    if (target == JSON && byte == '"')
        return "\\\"";
    if (target == JSON && byte == '\\')
        return "\\\\";
    return NULL;
}

struct range {
    uint32_t first, last;
};

/* Characters that show nothing, end a line or turn its direction. Sorted. */
static const struct range hidden[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F}, /* controls */
    {0x00AD, 0x00AD},                     /* soft hyphen */
    {0x061C, 0x061C},                     /* Arabic letter mark */
    {0x180E, 0x180E},                     /* Mongolian vowel separator */
    {0x200B, 0x200F},                     /* zero width, direction marks */
    {0x2028, 0x202E},                     /* line and paragraph separator, embeddings, overrides */
    {0x2060, 0x206F},                     /* invisible operators, isolates */
    {0xFDD0, 0xFDEF},                     /* noncharacters */
    {0xFEFF, 0xFEFF},                     /* byte order mark */
    {0xFFF9, 0xFFFB},                     /* interlinear annotation */
    {0xE0000, 0xE0FFF},                   /* tags, more variation selectors */
};

static bool is_hidden(uint32_t code)
{
    if (code >= 0x20 && code < 0x7F)
        return false;
    if ((code & 0xFFFE) == 0xFFFE) /* the last two of each plane are noncharacters */
        return true;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && hidden[i].first <= code; i++) {
        if (code <= hidden[i].last)
            return true;
    }
    return false;
}

/* The visible form of a character that has none, as Python would write it. */
static void add_hidden(struct pr_buf *out, uint32_t code, const char *slash)
{
    if (code == '\n' || code == '\t' || code == '\r')
        pr_buf_printf(out, "%s%c", slash, code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    else if (code <= 0xFF)
        pr_buf_printf(out, "%sx%02x", slash, (unsigned)code);
    else
        pr_buf_printf(out, code <= 0xFFFF ? "%su%04x" : "%sU%08x", slash, (unsigned)code);
}

static void add_character(struct pr_buf *out, const char *bytes, size_t size, uint32_t code, enum target target)
{
    const char *slash = target == JSON ? "\\\\" : "\\";
    if (code == PR_UTF8_BAD) {
        for (size_t i = 0; i < size; i++)
            pr_buf_printf(out, "%sx%02x", slash, (unsigned)(unsigned char)bytes[i]);
    } else if (is_hidden(code)) {
        add_hidden(out, code, slash);
    } else {
        const char *escape = size == 1 ? escape_of((unsigned char)*bytes, target) : NULL;
        if (escape)
            pr_buf_text(out, escape);
        else
            pr_buf_add(out, bytes, size);
    }
}

static bool is_plain(unsigned char byte, enum target target)
{
    return byte >= 0x20 && byte < 0x7F && !escape_of(byte, target);
}

/* How many bytes at the beginning are printable ASCII, by eights: the others are for the caller to look at. */
static size_t printable(const char *bytes, size_t length)
{
    const uint64_t each = 0x0101010101010101, high = 0x80 * each;
    size_t size = 0;
    for (uint64_t eight; size + sizeof eight <= length; size += sizeof eight) {
        memcpy(&eight, bytes + size, sizeof eight);
        if ((eight | (eight - 0x20 * each) | (eight + each)) & high) /* over 0x7E, below 0x20, 0x7F */
            break;
    }
    return size;
}

static void add_escaped(struct pr_buf *out, const char *bytes, size_t length, enum target target)
{
    for (size_t at = 0; at < length;) {
        size_t size = target == PLAIN ? printable(bytes + at, length - at) : 0;
        while (at + size < length && is_plain((unsigned char)bytes[at + size], target))
            size++; /* most names are only this */
        if (size) {
            pr_buf_add(out, bytes + at, size);
        } else {
            uint32_t code = pr_utf8_next(bytes + at, length - at, &size);
            add_character(out, bytes + at, size, code, target);
        }
        at += size;
    }
}

void pr_visible(struct pr_buf *out, struct pr_text text)
{
    add_escaped(out, text.bytes, text.length, PLAIN);
}

void pr_json_string(struct pr_buf *out, const char *text)
{
    pr_buf_byte(out, '"');
    add_escaped(out, text, strlen(text), JSON);
    pr_buf_byte(out, '"');
}

void pr_html_name(struct pr_buf *out, struct pr_text text)
{
    enum { LONGEST_PIECE = 24, LONGEST_NAME = 1000 }; /* a piece fits the narrowest column of names on a phone */
    size_t piece = 0, count = 0;
    for (size_t at = 0, size; at < text.length; at += size) {
        if (count++ == LONGEST_NAME) {
            pr_html(out, "\xE2\x80\xA6 and %zu more bytes", text.length - at);
            return;
        }
        uint32_t code = pr_utf8_next(text.bytes + at, text.length - at, &size);
        add_character(out, text.bytes + at, size, code, HTML);
        bool is_last = at + size >= text.length;
        piece = code == ' ' ? 0 : piece + 1; /* breaks by itself */
        if ((code == '/' || code == '\\' || piece >= LONGEST_PIECE) && !is_last) {
            pr_buf_text(out, "<wbr>");
            piece = 0;
        }
    }
}

void pr_html_cut(struct pr_buf *out, struct pr_text text, size_t max_characters)
{
    size_t count = 0;
    for (size_t at = 0, size; at < text.length; at += size, count++) {
        if (count == max_characters) {
            pr_buf_text(out, "\xE2\x80\xA6");
            return;
        }
        uint32_t code = pr_utf8_next(text.bytes + at, text.length - at, &size);
        add_character(out, text.bytes + at, size, code, HTML);
    }
}

/* One integer by its directive ("d", "lu", "zu"); digits and signs need no escape. False: not a directive we know. */
static bool add_integer(struct pr_buf *out, const char *directive, va_list *args)
{
    if (!strcmp(directive, "d"))
        pr_buf_printf(out, "%d", va_arg(*args, int));
    else if (!strcmp(directive, "u"))
        pr_buf_printf(out, "%u", va_arg(*args, unsigned));
    else if (!strcmp(directive, "ld"))
        pr_buf_printf(out, "%ld", va_arg(*args, long));
    else if (!strcmp(directive, "lu"))
        pr_buf_printf(out, "%lu", va_arg(*args, unsigned long));
    else if (!strcmp(directive, "lld"))
        pr_buf_printf(out, "%lld", va_arg(*args, long long));
    else if (!strcmp(directive, "llu"))
        pr_buf_printf(out, "%llu", va_arg(*args, unsigned long long));
    else if (!strcmp(directive, "zu"))
        pr_buf_printf(out, "%zu", va_arg(*args, size_t));
    else
        return false;
    return true;
}

/* What follows a '%'; returns the number of characters of the directive, 0 for an unknown one. */
static size_t add_directive(struct pr_buf *out, const char *directive, va_list *args)
{
    if (*directive == '%') {
        pr_buf_byte(out, '%');
        return 1;
    }
    if (*directive == 's') {
        const char *text = va_arg(*args, const char *);
        add_escaped(out, text, strlen(text), HTML);
        return 1;
    }
    if (!strncmp(directive, ".*s", 3)) {
        int length = va_arg(*args, int);
        const char *bytes = va_arg(*args, const char *);
        add_escaped(out, bytes, length > 0 ? (size_t)length : 0, HTML);
        return 3;
    }
    char name[4] = "";
    size_t size = strspn(directive, "lz");
    size += directive[size] != '\0';
    if (size >= sizeof name)
        return 0;
    memcpy(name, directive, size);
    return add_integer(out, name, args) ? size : 0;
}

void pr_html(struct pr_buf *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    while (*format && !out->failed) {
        size_t markup = strcspn(format, "%");
        pr_buf_add(out, format, markup);
        format += markup;
        if (*format != '%')
            continue;
        size_t size = add_directive(out, format + 1, &args);
        if (!size) /* a mistake of ours, which no test may miss */
            out->failed = true;
        format += 1 + size;
    }
    va_end(args);
}
