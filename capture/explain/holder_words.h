/* SPDX-License-Identifier: Apache-2.0 */
/* What rules say about a function that holds much of a metric, or about none that does. */
#ifndef PR_CAPTURE_EXPLAIN_HOLDER_WORDS_H
#define PR_CAPTURE_EXPLAIN_HOLDER_WORDS_H

#include "capture/explain/inquiry.h"

/* A function that has less than this share of a metric does not stand out. In percent. */
enum { PR_LEAST_SHARE = 5 };

/* "53 allocations (113 MiB at etl.py:41), including the libraries it calls." */
void pr_say_holding(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const struct pr_metric *metric,
                    const struct pr_holder *holder);

/* "thread worker-1", "the main thread", "thread 140231"; of several processes, " of process 71" too. */
void pr_say_thread(struct pr_inquiry *inquiry, struct pr_sentence *sentence, uint32_t thread);

/* "process 71": that of the thread. */
void pr_say_process(struct pr_inquiry *inquiry, struct pr_sentence *sentence, uint32_t thread);

/*
 * No function stands out: the lowest one with half of METRIC below it, or that own code has next to nothing. LARGEST is
 * the one that has most; WHOLE is what the metric is a part of: "heap peak".
 */
void pr_say_spread(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *largest,
                   const char *whole);

/* " 4.00 MiB of it is arenas of pymalloc, which may hold small objects of any function." Nothing if less than half. */
void pr_say_arenas(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const struct pr_metric *metric,
                   const struct pr_holder *holder);

/* " At this rate the limit of 8.00 GiB is reached 2 h 10 min later." Nothing where there is no limit. */
void pr_say_limit(struct pr_inquiry *inquiry, struct pr_insight *insight, double bytes_a_second);

#endif
