/* SPDX-License-Identifier: Apache-2.0 */
/* For cli/args/read_ahead.c: WASI has no threads, so each input is read when it is asked for. */
#include "cli/args/read_ahead.h"

#include <stdlib.h>

struct pr_read_ahead {
    const char *const *next;
    const struct pr_load_options *options;
};

struct pr_read_ahead *pr_read_ahead_new(const char *const *paths, size_t count, size_t jobs,
                                        const struct pr_load_options *options)
{
    struct pr_read_ahead *ahead = malloc(sizeof *ahead);
    (void)count;
    (void)jobs;
    if (ahead)
        *ahead = (struct pr_read_ahead){paths, options};
    return ahead;
}

enum pr_status pr_read_ahead_next(struct pr_read_ahead *ahead, struct pr_profile **profile, struct pr_error *err)
{
    return pr_load(*ahead->next++, ahead->options, profile, err);
}

void pr_read_ahead_free(struct pr_read_ahead *ahead)
{
    free(ahead);
}
