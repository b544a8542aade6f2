/* SPDX-License-Identifier: Apache-2.0 */
/* Names are bytes: one character of them at a time, with invalid UTF-8 distinguished. */
#ifndef PR_CAPTURE_BASE_UTF8_H
#define PR_CAPTURE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PR_UTF8_BAD UINT32_MAX

/*
 * The character at TEXT, which has LENGTH > 0 bytes; *SIZE is the number of bytes it takes.
 *
 * PR_UTF8_BAD when they are not a character (Unicode, table 3-7; nor are surrogates and long forms). *SIZE is then the
 * longest beginning of a character that is there, else 1: Python's bytes.decode("utf-8", "replace") and browsers show
 * one U+FFFD for exactly these bytes.
 */
static inline uint32_t pr_utf8_next(const char *text, size_t length, size_t *size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned first = bytes[0];
    *size = 1;
    if (first < 0x80)
        return first;
    if (first < 0xC2 || first > 0xF4)
        return PR_UTF8_BAD;
    unsigned following = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    /* Only the second byte has a range of its own: no long forms, no surrogates, nothing over U+10FFFF. */
    unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    uint32_t code = first & (0x3Fu >> following);
    for (unsigned i = 1; i <= following; i++, low = 0x80, high = 0xBF) {
        if (i >= length || bytes[i] < low || bytes[i] > high)
            return PR_UTF8_BAD;
        code = code << 6 | (bytes[i] & 0x3F);
        *size = i + 1;
    }
    return code;
}

struct pr_buf;

/* Appends the character CODE, at most 21 bits; a surrogate gets its three bytes, which are not UTF-8. */
void pr_utf8_add(struct pr_buf *out, uint32_t code);

/*
 * Appends what UNIT of UTF-16 completes. *HIGH, 0 at first, is the half of a character that waits for its other one; a
 * half alone becomes U+FFFD, at the end of the text too.
 */
void pr_utf8_add_utf16(struct pr_buf *out, uint32_t *high, uint32_t unit);
void pr_utf8_end_utf16(struct pr_buf *out, uint32_t high);

/* Whether CHARACTER may be in a message or a name of ours: not a control, and not bad UTF-8. */
static inline bool pr_utf8_is_plain(uint32_t character)
{
    return character != PR_UTF8_BAD && character >= ' ' && (character < 0x7f || character > 0x9f);
}

/*
 * Replaces each byte of what is not plain by '?'. Returns whether there was any. For words from a file that are used
 * like our own, such as the name of a metric; names of code stay bytes.
 */
static inline bool pr_utf8_make_plain(char *text, size_t length)
{
    bool changed = false;
    size_t size;
    for (size_t at = 0; at < length; at += size) {
        if (pr_utf8_is_plain(pr_utf8_next(text + at, length - at, &size)))
            continue;
        for (size_t i = at; i < at + size; i++)
            text[i] = '?';
        changed = true;
    }
    return changed;
}

#endif
