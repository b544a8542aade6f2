/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of phases as metrics that a rule can name: "phase:fit:heap" is the highest heap in the phase "fit". Of a
 * phase that comes several times the highest value counts.
 */
#ifndef PR_CLI_CHECK_CHECK_PHASES_H
#define PR_CLI_CHECK_CHECK_PHASES_H

#include "profrender/diff.h"

#define PR_PHASE_METRIC "phase:"

/* A figure of a phase, in the input and its baselines. */
struct pr_check_phase {
    char *name, *title;       /* owned, printable: "phase:fit:heap", "Peak heap of phase fit" */
    struct pr_metric *column; /* [profiles] owned; of totals only; without a name: the run has no such figure */
};

struct pr_check_phases {
    struct pr_check_phase *one; /* [count] owned */
    size_t count, capacity;
};

/* Which of pr_phase_figures the name of a metric ends with; -1: it is not that of a phase, or has none of them. */
int pr_check_phase_figure(const char *name);

/*
 * Adds the figure with that NAME, which has one, of the runs of DIFF. Returns its number; -1: no memory. A run that
 * does not have it gets a column without a name.
 */
int pr_check_phases_add(struct pr_check_phases *phases, const struct pr_diff *diff, const char *name);

void pr_check_phases_clear(struct pr_check_phases *phases);

#endif
