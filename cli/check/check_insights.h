/* SPDX-License-Identifier: Apache-2.0 */
/* What `explain` finds in the input of a check, of the rules that were asked for. */
#ifndef PR_CLI_CHECK_CHECK_INSIGHTS_H
#define PR_CLI_CHECK_CHECK_INSIGHTS_H

#include "cli/check/check_rules.h"

/* A rule's answer; one that found several things has several. */
struct pr_check_insight {
    const struct pr_rule *rule;
    enum pr_outcome outcome;
    const char *why;        /* of PR_OUTCOME_NOT_JUDGED */
    char *sentence;         /* as `explain` has it, owned, safe to print: of PR_OUTCOME_FOUND, and of a rule that says
                               itself that it found nothing ("no single function ..."); NULL otherwise */
    char *function, *file;  /* owned; NULL: it is not about a function */
    int32_t line;           /* 0 = unknown */
};

struct pr_check_insights {
    struct pr_check_insight *one; /* [count] owned */
    size_t count, capacity;
};

/* Asks the rules of RULES about PROFILE, which need not live on. False: no memory. */
bool pr_check_insights_find(const struct pr_profile *profile, const struct pr_rules *rules,
                            struct pr_check_insights *insights);
void pr_check_insights_clear(struct pr_check_insights *insights);

#endif
