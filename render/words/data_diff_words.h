/* SPDX-License-Identifier: Apache-2.0 */
/* What is different between two tables, as people read it. */
#ifndef PR_RENDER_WORDS_DATA_DIFF_WORDS_H
#define PR_RENDER_WORDS_DATA_DIFF_WORDS_H

#include "profrender/data_diff.h"
#include "render/words/data_words.h"

/* The change as the rest of a sentence about its column: "is gone", "has 2 new categories: a, b". Not escaped. */
void pr_data_change_words(struct pr_buf *out, const struct pr_data_diff *diff, const struct pr_data_change *change);

/* The column that a change is about, as the later table has it, or the earlier one if it is gone. */
const struct pr_data_column *pr_data_diff_column(const struct pr_data_diff *diff, uint32_t column);

/* "0.312"; "about 0.312 (± 0.004)". */
struct pr_figure pr_data_distance_text(const struct pr_data_column_diff *column);

/* The line under a figure that is AFTER now: "before 9"; with the bounds of estimates, "7 to 11; before 6 to 10". */
void pr_data_before_words(struct pr_buf *out, struct pr_data_count before, struct pr_data_count after);

/* What the list of changes leaves open: that it is empty, or that a table has no rows. Nothing where neither is so. */
void pr_data_diff_note(struct pr_buf *out, const struct pr_data_diff *diff);

#endif
