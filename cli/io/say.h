/* SPDX-License-Identifier: Apache-2.0 */
/* What the program tells people, on stderr: a line at a time, never a raw control character. */
#ifndef PR_CLI_IO_SAY_H
#define PR_CLI_IO_SAY_H

#include "profrender/error.h"

#include <stdarg.h>
#include <stdbool.h>

/* "profrender: ", the text with everything unprintable in it escaped, a line end. */
void pr_say(const char *format, ...) PR_PRINTF(1, 2);
void pr_say_list(const char *format, va_list arguments);

/* The same without "profrender: ": no problem, just news. */
void pr_say_quietly(const char *format, ...) PR_PRINTF(1, 2);

/* A line that belongs to the one before. */
void pr_say_hint(const char *format, ...) PR_PRINTF(1, 2);

/* From now on all of that is added to a file, until the process ends. False, with errno: it cannot be opened. */
bool pr_say_to(const char *path);

#endif
