/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program wrote to its standard error, as a file of its own: what matters is how it ends.
 *
 * Recognised by the head of a traceback; a text without one has nothing that proves what it is, and is read only on
 * request, or as the stderr.log of a run.
 */
#include "capture/builder/profile_builder.h"
#include "capture/run/stderr_tail.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"

enum { LOOK_BYTES = 64 * 1024 };

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_profile_builder c;
    struct pr_failure *failure = &profile->run.failure;
    struct pr_buf words = {0};
    enum pr_status status = pr_build_init(&c, src, options, profile, err);
    struct pr_lines lines = pr_lines_begin(src, err);
    while (status == PR_OK && pr_build_going(&c) && pr_lines_next(&lines))
        pr_last_words_add(&words, lines.text);
    if (status == PR_OK)
        status = pr_lines_status(&lines);
    if (pr_last_words_read(&words, profile, failure, err) == PR_FAILED)
        status = PR_FAILED;
    pr_failure_settle(failure);
    return pr_build_finish(&c, status);
}

/* The head of a traceback, 16 bits: any other reader that knows the text knows it better. */
static unsigned probe(struct pr_source *src)
{
    enum { BITS = 16 };
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    while (pr_lines_next(&lines))
        if (pr_traceback_begins(lines.text))
            return BITS;
    return 0;
}

const struct pr_reader pr_stderr_reader = {"stderr", "standard error of a program", probe, read};
