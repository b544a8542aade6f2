/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run as a whole can be checked for, with stacks or without: its memory as the system counts it, how long it
 * took, and whether it failed. Each is a metric of totals only, with the name that rules and reports call it by.
 */
#ifndef PR_CLI_CHECK_CHECK_FIGURES_H
#define PR_CLI_CHECK_CHECK_FIGURES_H

#include "profrender/profile.h"

enum { PR_FIGURE_RSS, PR_FIGURE_DURATION, PR_FIGURE_FAILED, PR_FIGURES };

/* Those of one run. A figure that is not known has no name. */
struct pr_figures {
    struct pr_metric metric[PR_FIGURES];
    struct pr_maybe worked_ns; /* the time of all processors: it hardly differs where others use them too */
    struct pr_maybe start_ms;  /* since the epoch */
};

struct pr_figures pr_figures_of(const struct pr_profile *profile);

/* The figure called NAME, or -1. */
int pr_figure_named(const char *name);

/* What an input without the figure lacks, and the way out: "nothing says how much memory ..., record it with ...". */
const char *pr_figure_missing(int figure);

/* The metric of findings about arenas of pymalloc. */
extern const struct pr_metric pr_arenas_metric;

#endif
