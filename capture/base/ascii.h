/* SPDX-License-Identifier: Apache-2.0 */
/* Letters and digits by ASCII alone: the locale of the process has no say. Bytes above 0x7f are neither. */
#ifndef PR_CAPTURE_BASE_ASCII_H
#define PR_CAPTURE_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool pr_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline bool pr_is_lower(int c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool pr_is_upper(int c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool pr_is_letter(int c)
{
    return pr_is_lower(c) || pr_is_upper(c);
}

static inline bool pr_is_alphanumeric(int c)
{
    return pr_is_letter(c) || pr_is_digit(c);
}

static inline bool pr_is_blank(int c)
{
    return c == ' ' || c == '\t';
}

static inline char pr_ascii_lower(char c)
{
    return pr_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static inline char pr_ascii_upper(char c)
{
    return pr_is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

/* Whether the first LENGTH bytes of both are the same, except for the case of letters. */
static inline bool pr_ascii_same(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (pr_ascii_lower(a[i]) != pr_ascii_lower(b[i]))
            return false;
    return true;
}

#endif
