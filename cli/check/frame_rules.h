/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `profrender check --frame` demands of a table of data: "missing below 1 %", "price: mean within 3 %". A rule
 * without a column is one for each column that it can be about, or for the table.
 *
 *     missing below|at most SHARE %       of the values of a column
 *     repeated below|at most SHARE %      of the rows, of the table
 *     rows|mean|median|min|max|sum|std at least|at most NUMBER
 *     distinct at least|at most NUMBER
 *     rows|distinct|mean|median|min|max|sum|std|missing within SHARE %    of the baseline; of missing: points
 *     unique, no missing, no repeated rows
 *     type NAME                           as in schemas/frame.schema.json
 *     no new category, no lost category, not moved, same type, same columns        against the baseline
 */
#ifndef PR_CLI_CHECK_FRAME_RULES_H
#define PR_CLI_CHECK_FRAME_RULES_H

#include "cli/args/command.h"
#include "profrender/buf.h"
#include "profrender/data_diff.h"

enum pr_frame_answer { PR_FRAME_BROKEN, PR_FRAME_CANNOT_TELL, PR_FRAME_KEPT };

/* A rule applied to a column, or to the table. */
struct pr_frame_finding {
    const char *rule;     /* as it was written, without its column; borrowed */
    struct pr_text column; /* borrowed from the table; empty, NULL: the table */
    enum pr_frame_answer answer;
    struct pr_buf sentence; /* "has no value in 2.4 % of the rows; the limit is 1 %" */
};

struct pr_frame_verdict {
    const struct pr_data_frame *frame;
    const struct pr_data_diff *diff; /* with its baseline; NULL: there is none */
    const char *input, *baseline;    /* their names; NULL: none */
    struct pr_frame_finding *findings; /* owned; broken ones first, then the undecided */
    size_t count, capacity, broken, untold;
};

/* Whether RULE is one, of a column or the table; the table that it is applied to may lack its column. */
bool pr_frame_rule_is_one(const char *rule);

/* The same; if it is not, it is reported, for COMMAND. */
bool pr_frame_rule_check(const struct pr_command *command, const char *rule);

/* Applies the rule. False, with the reason reported: no memory, or its column is not there. */
bool pr_frame_rule_apply(struct pr_frame_verdict *verdict, const char *rule);

/* Once all rules are applied: puts the findings in order. False: no memory. */
bool pr_frame_verdict_finish(struct pr_frame_verdict *verdict);
void pr_frame_verdict_clear(struct pr_frame_verdict *verdict);

#endif
