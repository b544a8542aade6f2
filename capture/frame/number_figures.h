/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a column's numbers: quantiles, histogram, different and frequent ones. */
#ifndef PR_CAPTURE_FRAME_NUMBER_FIGURES_H
#define PR_CAPTURE_FRAME_NUMBER_FIGURES_H

#include "capture/frame/column_build.h"

/* Fills the figures of numbers in COLUMN; those of BUILD in memory are sorted and gone. False: no memory. */
bool pr_number_figures(struct pr_column_build *build, struct pr_data_column *column);

/* The kind that a value of COLUMN is shown as. */
enum pr_data_kind pr_kind_of_type(enum pr_data_type type);

/* Keeps VALUE if it is among the most frequent in LIST; of two that are equally frequent, the first one. */
void pr_note_frequent(struct pr_data_value list[PR_DATA_FREQUENT], uint32_t *count, const struct pr_data_value *value);

#endif
