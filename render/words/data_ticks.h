/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an axis has its labels: at round numbers, or at whole seconds, hours, days, months, years.
 *
 *     struct pr_data_ticks ticks = pr_data_ticks_of(column, from, to, 6);
 *     for (unsigned i = 0; i < ticks.count; i++)
 *         label(ticks.at[i], pr_data_tick_text(column, &ticks, i).text);
 */
#ifndef PR_RENDER_WORDS_DATA_TICKS_H
#define PR_RENDER_WORDS_DATA_TICKS_H

#include "render/words/data_words.h"

enum { PR_DATA_TICKS = 24 };

struct pr_data_ticks {
    double at[PR_DATA_TICKS];
    unsigned count;
    double step; /* of dates and times: in microseconds, 0 for months and years */
    unsigned months;
};

/* At most MOST ticks (and PR_DATA_TICKS) from FROM to TO, values of COLUMN. None if they are not finite, or equal. */
struct pr_data_ticks pr_data_ticks_of(const struct pr_data_column *column, double from, double to, unsigned most);

/* Its label: as much of a date or time as the step needs. */
struct pr_figure pr_data_tick_text(const struct pr_data_column *column, const struct pr_data_ticks *ticks,
                                   unsigned tick);

#endif
