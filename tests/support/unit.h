/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, after the headers that it requires. */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A page with plain spaces where its lines must not break, so that it can be searched for sentences; in place. */
static inline char *with_plain_spaces(char *page)
{
    char *to = page;
    for (const char *from = page; *from; from++) {
        const int skips = from[0] == '\xC2' && from[1] == '\xA0';
        from += skips;
        *to++ = skips ? ' ' : *from;
    }
    *to = '\0';
    return page;
}

#endif
