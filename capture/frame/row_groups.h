/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows that a table has most often: the ten with most occurrences. A row is taken when its count rises, so when all
 * rows are added each of them had its last word; of equal counts those are kept that reached it first.
 *
 * In a table too large for each row to be counted, counts are those of a sample of rows by content, and of those that
 * were taken before they left it. So each count is exact, but a row that was never in the sample is not among them.
 */
#ifndef PR_CAPTURE_FRAME_ROW_GROUPS_H
#define PR_CAPTURE_FRAME_ROW_GROUPS_H

#include "capture/frame/data_build.h"

/*
 * Row ROW of the batch is the one of COUNT occurrences so far, 0: it is not in the sample; HASH is that of its content.
 * False: no memory.
 */
bool pr_row_groups_add(struct pr_data_build *build, uint32_t row, uint64_t hash, uint32_t count);

/* The most frequent first, then by the row that was kept. */
void pr_row_groups_sort(struct pr_data_build *build);

#endif
