/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/say.h"

#include "capture/base/text.h"
#include "profrender/buf.h"
#include "cli/io/terminal_names.h"

#include <stdio.h>

/* A message is cut here; texts of errors are far shorter, but a name in one may be of any length. */
enum { MAX_MESSAGE = 4096 };

static FILE *place; /* of messages; NULL: stderr */

#define HINT_INDENT "            " /* as wide as "profrender: " */

bool pr_say_to(const char *path)
{
    place = fopen(path, "ae");
    if (place)
        setvbuf(place, NULL, _IOLBF, 0);
    return place != NULL;
}

static void say(const char *before, const char *format, va_list arguments)
{
    char message[MAX_MESSAGE];
    struct pr_buf line = {0};
    FILE *const to = place ? place : stderr;
    vsnprintf(message, sizeof message, format, arguments);
    pr_buf_text(&line, before);
    pr_text_add(&line, pr_text_of(message));
    pr_buf_byte(&line, '\n');
    if (!line.failed)
        fwrite(line.bytes, 1, line.length, to);
    else
        fprintf(to, "%sout of memory\n", before);
    pr_buf_clear(&line);
}

void pr_say_list(const char *format, va_list arguments)
{
    say("profrender: ", format, arguments);
}

void pr_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("profrender: ", format, arguments);
    va_end(arguments);
}

void pr_say_quietly(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
}

void pr_say_hint(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(HINT_INDENT, format, arguments);
    va_end(arguments);
}
