/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the C libraries of Linux and FreeBSD declare in <string.h> and <unistd.h>, and macOS elsewhere, later
 * than the oldest version that the program is for, or nowhere. The build includes it before each source.
 */
#ifndef PR_PLATFORM_MACOS_FUNCTIONS_H
#define PR_PLATFORM_MACOS_FUNCTIONS_H

#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

/* The last BYTE of the COUNT bytes at START; NULL: there is none. */
static inline void *pr_macos_last(const void *start, int byte, size_t count)
{
    const unsigned char *bytes = start;
    while (count)
        if (bytes[--count] == (unsigned char)byte)
            return (void *)(bytes + count);
    return NULL;
}

/* The first LETTER of TEXT, or its end. */
static inline char *pr_macos_first_or_end(const char *text, int letter)
{
    const char *found = strchr(text, letter);
    return (char *)(found ? found : text + strlen(text));
}

#define memrchr(start, byte, count) pr_macos_last(start, byte, count)
#define strchrnul(text, letter) pr_macos_first_or_end(text, letter)

#endif
