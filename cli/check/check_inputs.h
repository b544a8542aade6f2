/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a check reads: the input and its baselines, as one difference.
 *
 *     struct pr_check_inputs inputs = {.kept = NULL};
 *     struct pr_verdict verdict = {.input = pr_input_name(&common)};
 *     int status = pr_check_inputs_load(&inputs, &common, &baselines, &rules, &verdict);
 *     if (status == PR_EXIT_DONE) status = pr_verdict_make(&verdict, &rules);
 *     pr_verdict_clear(&verdict);
 *     pr_check_inputs_clear(&inputs);                    // also after an error, and after the verdict
 */
#ifndef PR_CLI_CHECK_CHECK_INPUTS_H
#define PR_CLI_CHECK_CHECK_INPUTS_H

#include "cli/args/options.h"
#include "cli/check/baselines.h"
#include "cli/check/check_rules.h"
#include "cli/check/new_baseline.h"
#include "cli/check/verdict.h"
#include "cli/check/which_run.h"

struct pr_check_inputs {
    struct pr_diff *diff; /* the input first, then the baselines */
    struct pr_baselines baselines;
    const char *branch;           /* whose baselines of a site are meant; set before */
    bool is_store;                /* what is named has baselines by branch, site or not; set before */
    const char *address;          /* that the folder which is named was copied from; NULL: from nowhere; set before */
    struct pr_which_run *runs;    /* [run_count] of the input, then of the baselines */
    size_t run_count, run_room;
    struct pr_new_baseline *kept; /* gets the input, by itself; NULL: nobody wants it; set before */
    struct pr_profile *loaded;    /* the input, taken over; NULL: COMMON names it; set before */
};

/*
 * Loads the input of COMMON and the baselines that are NAMED (VERDICT's `is_history` says of what kind), and sets what
 * VERDICT knows of them: their difference and names, borrowed from INPUTS, the figures of each run, chance, the
 * failure, and notes on what was left out. Returns 0, or an exit status with the reason reported.
 */
int pr_check_inputs_load(struct pr_check_inputs *inputs, const struct pr_common *common, const struct pr_words *named,
                         const struct pr_rules *rules, struct pr_verdict *verdict);

/* Once all is loaded: baselines that were copied are called as where they came from. False: no memory. */
bool pr_check_inputs_name(struct pr_check_inputs *inputs, const struct pr_words *named);

void pr_check_inputs_clear(struct pr_check_inputs *inputs);

#endif
