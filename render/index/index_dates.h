/* SPDX-License-Identifier: Apache-2.0 */
/* Days of runs in words: "3 to 21 November 2026". */
#ifndef PR_RENDER_INDEX_INDEX_DATES_H
#define PR_RENDER_INDEX_INDEX_DATES_H

#include "render/words/units.h"

/* "21 November 2026"; "" for a time that has no such form. In UTC, as all times of the page. */
struct pr_figure pr_index_day(int64_t ms);

/* From the one to the other, without repeating what they share: "30 October to 2 November 2026"; "" as above. */
struct pr_figure pr_index_days(int64_t first_ms, int64_t last_ms);

/* "21"; with the month where that is another one than that of BEFORE_MS, or where there is none: "1 Nov". */
struct pr_figure pr_index_short_day(const int64_t *before_ms, int64_t ms);

#endif
