/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a file descriptor is a terminal, how wide that is, whether it may be coloured. */
#ifndef PR_CLI_IO_TERMINAL_H
#define PR_CLI_IO_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum pr_color { PR_COLOR_AUTO, PR_COLOR_ALWAYS, PR_COLOR_NEVER };

struct pr_term {
    bool is_terminal;
    bool erases;    /* a line that was written can be wiped again: the terminal is not "dumb" */
    size_t columns; /* of the terminal; else of $COLUMNS, else 120 */
    size_t rows;    /* of the terminal, else 0 */
    bool color;     /* auto: on a terminal that is not "dumb", and NO_COLOR is not set */
};

struct pr_term pr_term_of(int fd, enum pr_color when);

/* The styles of reports; each is the empty string without colour. */
struct pr_style {
    const char *bold, *dim, *mine, *warn, *off;
};

struct pr_style pr_style_of(bool color);

#endif
