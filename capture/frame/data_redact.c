/* SPDX-License-Identifier: Apache-2.0 */
/* A table without its values: counts, shapes and averages stay, nothing that is in a cell does. */
#include "profrender/data_frame.h"

#include <math.h>

/* The mean of one number is that number; mean, variance, skewness and kurtosis of up to four are those four. */
enum { FEWEST_FOR_MOMENTS = 10 };

static void hide_value(struct pr_data_value *value)
{
    value->text = (struct pr_text){"", 0};
    value->size = 0;
    value->number = NAN;
    value->kind = PR_KIND_MISSING;
}

void pr_data_column_hide_values(struct pr_data_column *column)
{
    for (uint32_t i = 0; i < column->frequent_count; i++)
        hide_value(&column->frequent[i]);
    for (uint32_t i = 0; i < column->word_count; i++)
        hide_value(&column->words[i]);
    column->lowest_count = column->highest_count = 0;
    column->minimum = column->maximum = column->sum = column->mad = NAN;
    for (unsigned i = 0; i < PR_DATA_QUANTILES; i++)
        column->quantiles[i] = NAN; /* most are values of the table, or halfway between two */
    if (column->number_count < FEWEST_FOR_MOMENTS || column->is_constant)
        column->mean = column->variance = column->skewness = column->kurtosis = NAN;
    column->bin_from = column->bin_to = NAN;
    column->top_character_count = 0; /* of short values they are most of what there is */
    column->refused_text = (struct pr_text){"", 0};
}

/* Shapes of points stay, without the numbers of their axes; boxes and categories are made of values. */
static void hide_pairs(struct pr_data_frame *frame)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < frame->pair_count; i++) {
        struct pr_data_pair *pair = &frame->pairs[i];
        pair->x_from = pair->x_to = pair->y_from = pair->y_to = NAN;
        if (pair->kind == PR_PAIR_POINTS)
            frame->pairs[kept++] = *pair;
    }
    frame->pair_count = kept;
}

void pr_data_frame_hide_values(struct pr_data_frame *frame)
{
    frame->is_redacted = true;
    frame->head_count = frame->tail_count = 0;
    for (uint32_t i = 0; i < frame->group_count; i++)
        frame->groups[i].cells = NULL; /* how often they are there stays */
    hide_pairs(frame);
    for (uint32_t c = 0; c < frame->column_count; c++)
        pr_data_column_hide_values(&frame->columns[c]);
}
