/* SPDX-License-Identifier: Apache-2.0 */
/* Names are bytes: one character of them at a time, with what is not UTF-8 told apart. */
#ifndef PR_BASE_UTF8_H
#define PR_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define PR_UTF8_BAD UINT32_MAX

/*
 * The character at TEXT, which has LENGTH > 0 bytes; *SIZE is the number of bytes it takes.
 *
 * PR_UTF8_BAD when they are no character (Unicode, table 3-7: surrogates and long forms are none). *SIZE is then the
 * longest beginning of a character that stands there, else 1: Python's bytes.decode("utf-8", "replace") and browsers
 * show one U+FFFD for exactly these bytes.
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

#endif
