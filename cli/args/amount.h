/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts as people write them: "2GiB", "1.5 s", "200ms", "12000". The metric decides which are valid. */
#ifndef PR_CLI_ARGS_AMOUNT_H
#define PR_CLI_ARGS_AMOUNT_H

#include "profrender/profile.h"

/*
 * TEXT as a value of METRIC: bytes (500000, 500k, 10MB in thousands; 8MiB, 1.5GiB in 1,024s), a duration (1.5s, 200ms,
 * 30us, 2min; seconds without a unit), or a number. False: it is none of these, below 0 or too large.
 */
bool pr_amount_parse(const struct pr_metric *metric, const char *text, int64_t *value);

/* The same for a count: a whole number. */
bool pr_count_parse(const char *text, int64_t *count);

/* How such an amount is written, for messages: "a size such as 500k, 10MB or 2GiB". */
const char *pr_amount_example(const struct pr_metric *metric);

#endif
