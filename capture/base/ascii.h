/* SPDX-License-Identifier: Apache-2.0 */
/* Letters without regard to case, by ASCII alone: the locale of the process has no say. */
#ifndef PR_CAPTURE_BASE_ASCII_H
#define PR_CAPTURE_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline char pr_ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
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
