/* SPDX-License-Identifier: Apache-2.0 */
/* The name of an input without the endings of its packing and format. */
#include "cli/args/output_name.h"

#include "capture/base/text.h"
#include "cli/args/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *name, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length > size && memcmp(name + length - size, ending, size) == 0;
}

/* LENGTH of NAME without one of the ENDINGS. */
static size_t without(const char *name, size_t length, const char *const *endings)
{
    for (; *endings; endings++) {
        if (ends_with(name, length, *endings))
            return length - strlen(*endings);
    }
    return length;
}

int pr_output_choose(const struct pr_command *command, struct pr_common *common, const char *what, const char *ending,
                     char path[PATH_MAX])
{
    static const char *const packings[] = {".lz4", ".zst", ".gz", NULL}, *const formats[] = {".bin", ".prz", NULL};
    if (common->output)
        return PR_EXIT_DONE;
    if (strcmp(common->input, "-") == 0) {
        if (isatty(STDOUT_FILENO))
            return pr_wrong_usage(command, "the %s needs a name: profrender %s - -o %s%s", what, command->name,
                                  command->name, ending);
        return PR_EXIT_DONE;
    }
    const char *name = pr_path_last_part(common->input);
    const size_t length = without(name, without(name, strlen(name), packings), formats);
    if (snprintf(path, PATH_MAX, "%.*s%s", (int)length, name, ending) >= PATH_MAX)
        return pr_wrong_usage(command, "the name of the input is too long to name the %s after; use -o FILE", what);
    common->output = path;
    return PR_EXIT_DONE;
}
