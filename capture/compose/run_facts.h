/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one profile knows of a run, given to another one: the first one that knows something wins.
 *
 *     struct pr_run_facts attach = {.to = sum, .from = part};
 *     pr_run_facts_run(&attach);
 *     if (attach.no_memory) ...
 */
#ifndef PR_CAPTURE_COMPOSE_RUN_FACTS_H
#define PR_CAPTURE_COMPOSE_RUN_FACTS_H

#include "profrender/profile.h"

struct pr_run_facts {
    struct pr_profile *to;
    const struct pr_profile *from; /* nothing of it is borrowed */
    bool no_memory;                /* set, and never reset */
};

/* A string of `from` as one of `to`; 0 when out of memory. */
pr_str pr_run_facts_string(struct pr_run_facts *attach, pr_str string);

/* *TO becomes FROM, unless already known. */
void pr_run_facts_maybe(struct pr_maybe *to, struct pr_maybe from);

/* Fills what is not known of pr_profile.run, but draws no conclusions: pr_failure_settle. */
void pr_run_facts_run(struct pr_run_facts *attach);

#endif
