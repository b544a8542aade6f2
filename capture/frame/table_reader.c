/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/table_reader.h"

void pr_table_damage(struct pr_table_reading *reading, enum pr_data_damage damage, uint64_t row)
{
    if (!reading->frame->damage[damage].count++)
        reading->frame->damage[damage].first = row;
}

bool pr_table_progress(struct pr_table_reading *reading)
{
    uint64_t done, size;
    if (!reading->options->progress)
        return true;
    pr_source_progress(reading->src, &done, &size);
    reading->interrupted = !reading->options->progress(reading->options->progress_context, done, size);
    return !reading->interrupted;
}
