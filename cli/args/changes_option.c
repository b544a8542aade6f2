/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args/changes_option.h"

#include "cli/io/exit.h"
#include "cli/io/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 };

static bool read_all(FILE *file, struct pr_buf *text)
{
    char part[16384];
    size_t got;
    while (text->length <= MOST_BYTES && (got = fread(part, 1, sizeof part, file)) > 0)
        pr_buf_add(text, part, got);
    return !ferror(file);
}

static int refuse(const char *path, const char *why)
{
    pr_say("%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, why);
    return PR_EXIT_INPUT;
}

int pr_changes_read(const char *path, struct pr_changes *changes)
{
    const bool is_standard = strcmp(path, "-") == 0;
    FILE *file = is_standard ? stdin : fopen(path, "re");
    struct pr_buf text = {0};
    int status = PR_EXIT_DONE;
    if (!file)
        return refuse(path, strerror(errno));
    errno = 0;
    if (!read_all(file, &text))
        status = refuse(path, strerror(errno));
    else if (text.length > MOST_BYTES)
        status = refuse(path, "the difference is larger than 64 MiB");
    else if (text.failed || !pr_changes_parse(text.length ? text.bytes : "", text.length, changes))
        status = refuse(path, "it is neither a unified diff, as `git diff -U0 main...` writes, nor the output of "
                              "--numstat");
    if (!is_standard)
        fclose(file);
    pr_buf_clear(&text);
    return status;
}
