/* SPDX-License-Identifier: Apache-2.0 */
/* For capture/read_ahead.c: WASI has no threads, so each input is read when it is asked for. */
#include "capture/read_ahead.h"

#include <stdlib.h>

struct pr_read_ahead {
    struct pr_read_ahead_inputs inputs;
    const struct pr_load_options *options;
    size_t given;
};

size_t pr_read_ahead_usual_jobs(void)
{
    return 1;
}

struct pr_read_ahead *pr_read_ahead_new(const struct pr_read_ahead_inputs *inputs, size_t jobs,
                                        const struct pr_load_options *options)
{
    struct pr_read_ahead *ahead = malloc(sizeof *ahead);
    (void)jobs;
    if (ahead)
        *ahead = (struct pr_read_ahead){.inputs = *inputs, .options = options};
    return ahead;
}

enum pr_status pr_read_ahead_next(struct pr_read_ahead *ahead, struct pr_profile **profile, struct pr_error *err)
{
    return ahead->inputs.read(ahead->inputs.context, ahead->given++, ahead->options, profile, err);
}

void pr_read_ahead_free(struct pr_read_ahead *ahead)
{
    free(ahead);
}
