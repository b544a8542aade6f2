/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args/hide_option.h"

#include "cli/args/options.h"
#include "cli/io/exit.h"

#include <string.h>

const char *const pr_hide_words[] = {"imports", "library", "stdlib", "native", "kernel", NULL};

/* The bit of the LENGTH bytes at NAME; 0: there is no such group. */
static unsigned group_named(const char *name, size_t length)
{
    for (unsigned i = 0; pr_hide_words[i]; i++)
        if (strlen(pr_hide_words[i]) == length && !memcmp(name, pr_hide_words[i], length))
            return 1u << i;
    return 0;
}

int pr_hide_read(const struct pr_command *command, const char *text, unsigned *groups)
{
    for (const char *name = text;; name++) {
        const size_t length = strcspn(name, ",");
        const unsigned group = group_named(name, length);
        if (!group)
            return pr_wrong_usage(command, "--hide takes imports, library, stdlib, native and kernel, not '%.*s'",
                                  (int)(length < 64 ? length : 64), name);
        *groups |= group;
        name += length;
        if (!*name)
            return PR_EXIT_DONE;
    }
}
