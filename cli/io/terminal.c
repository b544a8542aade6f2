/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/terminal.h"

#include "cli/io/system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_COLUMNS = 120, MAX_COLUMNS = 1000 };

static size_t columns_of_environment(void)
{
    const char *text = getenv("COLUMNS");
    long columns = text ? strtol(text, NULL, 10) : 0;
    return columns > 0 && columns <= MAX_COLUMNS ? (size_t)columns : DEFAULT_COLUMNS;
}

/* It knows escape sequences. */
static bool is_clever(void)
{
    const char *term = getenv("TERM");
    return term && *term && strcmp(term, "dumb") != 0;
}

static bool may_color(void)
{
    const char *no_color = getenv("NO_COLOR");
    return is_clever() && !(no_color && *no_color);
}

struct pr_term pr_term_of(int fd, enum pr_color when)
{
    struct pr_term term = {.is_terminal = isatty(fd) == 1, .columns = 0, .rows = 0};
    term.erases = term.is_terminal && is_clever();
    if (term.is_terminal)
        pr_system_terminal_size(fd, &term.columns, &term.rows);
    if (!term.columns)
        term.columns = columns_of_environment();
    term.color = when == PR_COLOR_ALWAYS || (when == PR_COLOR_AUTO && term.is_terminal && may_color());
    return term;
}

struct pr_style pr_style_of(bool color)
{
    if (!color)
        return (struct pr_style){"", "", "", "", ""};
    /* The hues of the card: warm says "your code". 256 colours, so that they read on light and dark grounds alike. */
    return (struct pr_style){
        .bold = "\033[1m", .dim = "\033[2m", .mine = "\033[38;5;172m", .warn = "\033[33m", .off = "\033[0m"};
}
