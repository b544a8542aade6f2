/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the newer run of a difference usually has: the verdict of `check --history` on it, figure by figure.
 *
 *     struct pr_usual_runs runs = {.inputs.branch = "main"};
 *     int status = pr_usual_runs_load(&runs, &common, &named, name, profile);
 *     ...                                                       // the difference is finished
 *     if (status == PR_EXIT_DONE) status = pr_usual_runs_compare(&runs, diff, PR_DIFF_OWN);
 *     pr_usual_runs_clear(&runs);
 */
#ifndef PR_CLI_CHECK_USUAL_H
#define PR_CLI_CHECK_USUAL_H

#include "cli/check/check_inputs.h"
#include "render/words/usual_words.h"

struct pr_usual_runs {
    struct pr_check_inputs inputs;
    struct pr_verdict verdict;
    struct pr_rules rules;
    struct pr_usuals usuals;
    const char *note[1]; /* the one where there is no verdict */
};

/*
 * Loads the runs that are NAMED, as `check --history` does. PROFILE is the newer run, called NAME; it is taken over,
 * also after an error. An incomplete one is compared with none: a note says so. Returns 0, or an exit status with the
 * reason reported.
 */
int pr_usual_runs_load(struct pr_usual_runs *runs, const struct pr_common *common, const struct pr_words *named,
                       const char *name, struct pr_profile *profile);

/*
 * Makes USUALS, of what DIFF has of both of its runs, the newer one first, with the range of each function as BY says;
 * of whole paths none is known. Returns 0, or an exit status with the reason reported.
 */
int pr_usual_runs_compare(struct pr_usual_runs *runs, const struct pr_diff *diff, enum pr_diff_by by);

void pr_usual_runs_clear(struct pr_usual_runs *runs);

#endif
