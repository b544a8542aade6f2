/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a figure usually is: its range in earlier runs, where the two runs of a difference are in it, and whether
 * `check` calls the newer one a regression.
 *
 *     usually 9.80 to 10.3 MiB in 8 runs; before is inside, after is above: a regression, the limit is 10.6 MiB
 */
#ifndef PR_RENDER_WORDS_USUAL_WORDS_H
#define PR_RENDER_WORDS_USUAL_WORDS_H

#include "capture/base/bounds.h"
#include "profrender/buf.h"
#include "profrender/profile.h"
#include "profrender/string_table.h"
#include "render/words/units.h"

/* Of RUNS earlier runs; 0: there are none. */
struct pr_usual_range {
    size_t runs;
    int64_t lowest, highest;
};

/* A figure of the whole run. */
struct pr_usual {
    struct pr_metric metric; /* name, title and unit */
    struct pr_usual_range range;
    int64_t before, after;
    bool is_apart;           /* all values are without arenas of pymalloc */
    bool is_level;           /* it is broken because its level rose, however little by this run */
    enum pr_answer answer;   /* of `check` */
    int64_t limit;           /* beyond which `check` calls it a regression */
};

/* A function, by all that it has after. */
struct pr_usual_function {
    struct pr_text function, file;
    int64_t after;
    struct pr_usual_range range;
};

/* Those of a figure, by AFTER. */
struct pr_usual_functions {
    struct pr_usual_function *at; /* [count] */
    size_t count;
};

struct pr_usuals {
    const char *const *named;             /* [named_count] files and folders of earlier runs, as the user gave them */
    size_t named_count;
    struct pr_usual *figure;              /* [count] */
    struct pr_usual_functions *functions; /* [count] of each figure */
    size_t count;
    char **sentence; /* [sentence_count] of functions that `check` calls a regression */
    size_t sentence_count;
    const char *const *note; /* [note_count] what to know of the earlier runs: sentences without a full stop */
    size_t note_count;
};

/* The figure of that name, or NULL; USUALS may be NULL. */
const struct pr_usual *pr_usual_named(const struct pr_usuals *usuals, const char *name);

/* The range of the one function of that name, file and value; no runs: there is none, or there are several. */
struct pr_usual_range pr_usual_function_range(const struct pr_usuals *usuals, const char *metric,
                                              struct pr_text function, struct pr_text file, int64_t after);

/* "9.80 to 10.3 MiB", or "10.0 MiB" where all had that; EXACT: with all digits. "": there is no run. */
struct pr_figure pr_usual_range_text(const struct pr_metric *metric, const struct pr_usual_range *range, bool exact);

/* "below", "inside", "above" */
const char *pr_usual_place(const struct pr_usual_range *range, int64_t value);

/* ": a regression, the limit is 10.6 MiB", ", within the tolerance"; "": inside the range, and kept. */
void pr_usual_judgement(struct pr_buf *out, const struct pr_usual *usual, bool exact);

/* "before is inside, after is above: a regression, the limit is 10.6 MiB" */
void pr_usual_where(struct pr_buf *out, const struct pr_usual *usual, bool exact);

/* "usually 9.80 to 10.3 MiB in 8 runs; before and after are inside" */
void pr_usual_sentence(struct pr_buf *out, const struct pr_usual *usual, bool exact);

#endif
