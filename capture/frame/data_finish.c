/* SPDX-License-Identifier: Apache-2.0 */
/* What was counted becomes what is known: types, figures, and the texts that are kept. */
#include "capture/base/hash.h"
#include "capture/base/sort.h"
#include "capture/frame/cell_hash.h"
#include "capture/frame/column_parts.h"
#include "capture/frame/data_asked.h"
#include "capture/frame/data_build.h"
#include "capture/frame/data_text.h"
#include "capture/frame/kendall.h"
#include "capture/frame/number_figures.h"
#include "capture/frame/pair_lanes.h"
#include "capture/frame/rank_relations.h"
#include "capture/frame/row_groups.h"
#include "capture/frame/text_traits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 6, MOST_ASKED_PLACES = 15 };

/* What all columns need. */
struct finish {
    struct pr_data_frame *frame;
    bool from_1252, failed;
};

/* ---- types ------------------------------------------------------------------------------------------------------ */

static enum pr_data_type type_of_numbers(const struct pr_column_build *build)
{
    if (!build->kinds[PR_KIND_REAL])
        return PR_TYPE_INTEGER;
    const bool is_decimal = !build->kinds[PR_KIND_INTEGER] && !build->has_exponent && !build->infinite &&
                            build->least_places == build->most_places && build->most_places > 0 &&
                            build->most_places <= MOST_PLACES;
    return is_decimal ? PR_TYPE_DECIMAL : PR_TYPE_REAL;
}

/* Which text it is, category or not, is known when its different values are. */
static enum pr_data_type type_of(const struct pr_column_build *build, uint64_t count)
{
    if (!count)
        return PR_TYPE_EMPTY;
    if (build->asked)
        return build->asked->type;
    if (build->given.type != PR_TYPE_EMPTY)
        return build->given.type;
    if (build->kinds[PR_KIND_BOOLEAN] == count)
        return PR_TYPE_BOOLEAN;
    if (build->kinds[PR_KIND_NESTED] == count)
        return PR_TYPE_NESTED;
    switch (build->family) {
    case PR_FAMILY_NUMBERS:
        return type_of_numbers(build);
    case PR_FAMILY_MOMENTS:
        return build->kinds[PR_KIND_MOMENT] ? PR_TYPE_MOMENT : PR_TYPE_DATE;
    case PR_FAMILY_TIMES:
        return PR_TYPE_TIME;
    case PR_FAMILY_DURATIONS:
        return PR_TYPE_DURATION;
    default:
        return PR_TYPE_TEXT;
    }
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b, const void *context)
{
    const double x = ((const struct pr_data_value *)a)->number, y = ((const struct pr_data_value *)b)->number;
    (void)context;
    return PR_ORDER(x, y);
}

/* The number that the 8 bytes of KEY are; where no double has all its digits, also its text. */
static void value_of_key(struct finish *finish, const struct pr_column_build *build, const char *key,
                         struct pr_data_value *value)
{
    const struct pr_column_type *type = &build->given;
    int64_t whole;
    char digits[24];
    value->text = (struct pr_text){"", 0};
    value->size = 0;
    memcpy(&value->number, key, sizeof value->number);
    if (!type->has_wholes)
        return;
    memcpy(&whole, key, sizeof whole);
    value->number = pr_column_number_of(type, whole);
    if (type->kind != PR_KIND_INTEGER || !pr_column_is_wide(type, whole))
        return;
    const int length = type->is_unsigned ? snprintf(digits, sizeof digits, "%" PRIu64, (uint64_t)whole)
                                         : snprintf(digits, sizeof digits, "%" PRId64, whole);
    value->text = pr_data_text(&finish->frame->arena, digits, (uint32_t)length, false, &finish->failed);
    value->size = value->text.length;
}

static struct pr_data_value value_of(struct finish *finish, const struct pr_column_build *build,
                                     const struct pr_data_column *column, const struct pr_frequent_item *item)
{
    const char *text = build->frequent.bytes + item->at;
    struct pr_data_value value = {.text = {text, item->kept},
                                  .size = item->length,
                                  .kind = pr_kind_of_type(column->type),
                                  .count = item->count,
                                  .most = item->count + build->frequent.error};
    struct pr_cell_value read;
    if (build->has_number_keys) {
        value_of_key(finish, build, text, &value);
    } else if (column->has_numbers) {
        pr_column_parse(build, text, item->kept, &read);
        value.number = read.number;
        if (pr_cell_is_wide(&read))
            value.size = item->length; /* the text is all that has all its digits */
        else
            value.text = (struct pr_text){"", 0};
    }
    return value;
}

/* Numbers that are written in several ways are one value. */
static bool join_numbers(struct finish *finish, struct pr_column_build *build, struct pr_data_column *column)
{
    const size_t count = build->frequent.count;
    const bool is_given = build->has_number_keys && (build->given.has_wholes || build->given.has_hashes);
    struct pr_data_value *values = malloc((count ? count : 1) * sizeof *values);
    uint64_t distinct = 0;
    for (size_t i = 0; values && i < count; i++)
        values[i] = value_of(finish, build, column, &build->frequent.items[i]);
    if (!values || !pr_sort(values, count, sizeof *values, by_number, NULL)) {
        free(values);
        return false;
    }
    for (size_t i = 0, end; i < count; i = end) {
        struct pr_data_value value = values[i];
        const bool is_one = is_given || value.text.length > 0; /* others may be the same double */
        for (end = i + 1; !is_one && end < count && values[end].number == value.number; end++) {
            value.count += values[end].count;
            value.most += values[end].count;
        }
        pr_note_frequent(column->frequent, &column->frequent_count, &value);
        distinct++;
    }
    free(values);
    column->distinct = (struct pr_data_count){distinct, distinct, distinct};
    return true;
}

/* There are two, however they are written. */
static bool join_booleans(struct pr_column_build *build)
{
    const uint64_t falses = build->kinds[PR_KIND_BOOLEAN] - build->trues;
    struct pr_frequent *frequent = &build->frequent;
    pr_frequent_clear(frequent);
    build->sample_is_on = false;
    if (falses && !pr_frequent_add(frequent, "false", 5, pr_hash_bytes("false", 5)))
        return false;
    if (falses)
        frequent->items[frequent->last].count = falses;
    if (build->trues && !pr_frequent_add(frequent, "true", 4, pr_hash_bytes("true", 4)))
        return false;
    if (build->trues)
        frequent->items[frequent->last].count = build->trues;
    return true;
}

/* Of UNSURE cells it is not known whether they are another value than those that mean the same. */
static struct pr_data_count widened(struct pr_data_count count, uint64_t unsure)
{
    count.low -= unsure < count.low ? unsure : count.low;
    count.high += unsure;
    return count;
}

static bool count_values(struct finish *finish, struct pr_column_build *build, struct pr_data_column *column)
{
    if (column->distinct.value)
        return true; /* numbers in memory have been counted */
    if (column->has_numbers) {
        if (!join_numbers(finish, build, column))
            return false;
    } else {
        for (size_t i = 0; i < build->frequent.count; i++) {
            const struct pr_data_value value = value_of(finish, build, column, &build->frequent.items[i]);
            pr_note_frequent(column->frequent, &column->frequent_count, &value);
        }
        column->distinct = (struct pr_data_count){build->frequent.count, build->frequent.count, build->frequent.count};
    }
    if (build->sample_is_on)
        column->distinct = widened(pr_hash_sample_distinct(&build->sample), build->unsure);
    if (column->distinct.value > column->count)
        column->distinct.value = column->count;
    if (column->distinct.high > column->count)
        column->distinct.high = column->count;
    if (build->frequent.error || column->distinct.low != column->distinct.high)
        finish->frame->is_exact = false;
    return true;
}

/* No value is there more often than there are rows. */
static void bound_counts(const struct finish *finish, struct pr_data_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i].most > finish->frame->rows)
            values[i].most = finish->frame->rows;
}

static void keep_texts(struct finish *finish, struct pr_data_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct pr_text text = values[i].text;
        if (text.length < values[i].size && !finish->from_1252)
            text.length = pr_data_whole_characters(text.bytes, text.length);
        values[i].text =
            pr_data_text(&finish->frame->arena, text.bytes, text.length, finish->from_1252, &finish->failed);
        if (!values[i].size)
            values[i].size = text.length;
    }
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static void finish_texts(const struct pr_column_build *build, struct pr_data_column *column)
{
    column->has_lengths = true;
    column->has_characters = build->texts == column->count;
    column->shortest = build->shortest;
    column->longest = build->longest;
    column->characters = build->characters;
    column->letters = build->letters;
    column->digits = build->digits;
    column->blanks = build->blanks;
    column->others = build->others;
    column->beyond_ascii = build->beyond_ascii;
    column->padded = build->padded;
    column->mails = build->mails;
    column->addresses = build->addresses;
}

/* Of values that are all known, now; else they have been counted. */
static bool finish_characters(const struct finish *finish, struct pr_column_build *build, struct pr_data_column *column)
{
    column->median_length = NAN;
    if (!column->has_lengths || !column->count)
        return true;
    if (!build->character_counts.tally && !pr_characters_begin(&build->character_counts, &build->frequent))
        return false;
    pr_characters_figures(&build->character_counts, finish->from_1252, column);
    pr_characters_clear(&build->character_counts);
    return true;
}

/* Of values that are all known, now; else they have been counted. */
static bool finish_words(struct finish *finish, struct pr_column_build *build, struct pr_data_column *column)
{
    const struct pr_frequent *words = &build->words.words;
    if (!pr_column_has_words(build))
        return true;
    if (!build->words.has_begun && !pr_words_begin(&build->words, &build->frequent))
        return false;
    if (!pr_words_are_several(&build->words))
        return true;
    column->word_total = build->words.total;
    for (size_t i = 0; i < words->count; i++) {
        const struct pr_frequent_item *item = &words->items[i];
        const struct pr_data_value value = {.text = {words->bytes + item->at, item->kept},
                                            .size = item->length,
                                            .kind = PR_KIND_TEXT,
                                            .count = item->count,
                                            .most = item->count + words->error};
        pr_note_frequent(column->words, &column->word_count, &value);
    }
    keep_texts(finish, column->words, column->word_count);
    return true;
}

static int by_text(const void *a, const void *b, const void *context)
{
    (void)context;
    return pr_text_compare(((const struct pr_data_value *)a)->text, ((const struct pr_data_value *)b)->text);
}

/* All values of a column of texts, or the points of one of numbers. */
static bool keep_distribution(struct finish *finish, struct pr_column_build *build, struct pr_data_column *column)
{
    struct pr_arena *arena = &finish->frame->arena;
    column->points = build->points;
    column->point_count = build->point_count;
    build->points = NULL;
    if (!pr_arena_take(arena, column->points))
        return false;
    if (!build->keeps || column->has_numbers)
        return true;
    column->values = pr_arena_array(arena, build->frequent.count, sizeof *column->values);
    if (!column->values)
        return false;
    for (size_t i = 0; i < build->frequent.count; i++)
        column->values[column->value_count++] = value_of(finish, build, column, &build->frequent.items[i]);
    column->values_cut = build->frequent.error > 0;
    keep_texts(finish, column->values, column->value_count);
    bound_counts(finish, column->values, column->value_count);
    return pr_sort(column->values, column->value_count, sizeof *column->values, by_text, NULL);
}

/* What is not as the schema says, here and in all of the table. */
static void finish_asked(struct finish *finish, const struct pr_column_build *build, struct pr_data_column *column)
{
    struct pr_data_frame *frame = finish->frame;
    uint64_t *first = &frame->damage[PR_DATA_REFUSED].first;
    column->is_asked = build->is_asked;
    column->asked = build->asked ? build->asked->type : column->type;
    column->refused = build->refused;
    column->first_refused = build->first_refused;
    if (!build->refused)
        return;
    const char *text = build->refused_text.length ? build->refused_text.bytes : "";
    const uint32_t length = (uint32_t)build->refused_text.length;
    column->refused_text =
        pr_data_text(&frame->arena, text, finish->from_1252 ? length : pr_data_whole_characters(text, length),
                     finish->from_1252, &finish->failed);
    frame->damage[PR_DATA_REFUSED].count += build->refused;
    if (!*first || build->first_refused < *first)
        *first = build->first_refused;
}

static bool finish_column(struct finish *finish, struct pr_column_build *build, struct pr_data_column *column)
{
    struct pr_data_frame *frame = finish->frame;
    memcpy(column->kinds, build->kinds, sizeof column->kinds);
    column->missing = build->kinds[PR_KIND_MISSING];
    column->count = frame->rows - column->missing;
    column->type = type_of(build, column->count);
    if (column->type == PR_TYPE_DECIMAL)
        column->places = build->given.is_known                         ? build->given.places
                         : build->most_places < MOST_ASKED_PLACES ? build->most_places
                                                                  : MOST_ASKED_PLACES;
    column->name = pr_data_text(&frame->arena, build->name ? build->name : "", build->name_length, finish->from_1252,
                                &finish->failed);
    column->given_name = pr_data_text(&frame->arena, build->name ? build->name : "", build->given_length,
                                      finish->from_1252, &finish->failed);
    if (build->family != PR_FAMILY_NONE && build->family != PR_FAMILY_BROKEN && !pr_number_figures(build, column))
        return false;
    if (column->type == PR_TYPE_TEXT || column->type == PR_TYPE_NESTED || column->type == PR_TYPE_IDENTIFIER)
        finish_texts(build, column);
    finish_asked(finish, build, column);
    column->cards = build->cards;
    column->leading_zeros = build->leading_zeros;
    column->day_first = build->order == PR_ORDER_DAY_FIRST;
    column->order_unknown = column->has_numbers && build->order == PR_ORDER_UNKNOWN;
    if (column->type == PR_TYPE_BOOLEAN && !join_booleans(build))
        return false;
    if (column->count && !count_values(finish, build, column))
        return false;
    if (column->rank_error > 0)
        frame->is_exact = false;
    if (column->type == PR_TYPE_TEXT && (!build->asked || build->asked->is_string) &&
        pr_is_category(column->distinct.value, column->count, column->longest))
        column->type = PR_TYPE_CATEGORY;
    keep_texts(finish, column->frequent, column->frequent_count);
    bound_counts(finish, column->frequent, column->frequent_count);
    if (!finish_characters(finish, build, column) || !finish_words(finish, build, column) ||
        !keep_distribution(finish, build, column))
        return false;
    column->is_constant = column->distinct.low == 1 && column->distinct.high == 1 && column->count > 1;
    column->is_unique = column->count > 1 && (build->sample_is_on ? pr_hash_sample_is_unique(&build->sample)
                                                                  : column->distinct.value == column->count);
    memcpy(column->missing_in, build->missing_in, sizeof column->missing_in);
    free(build->values); /* the next column needs the memory to sort */
    build->values = NULL;
    return !finish->failed;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static bool finish_row(struct finish *finish, const struct pr_kept_row *kept, struct pr_data_row *row)
{
    const uint32_t columns = finish->frame->column_count;
    size_t at = 0;
    row->number = kept->number;
    /* Columns that came after the row are missing in it. */
    row->cells = pr_arena_array(&finish->frame->arena, columns < PR_DATA_SHOWN ? columns : PR_DATA_SHOWN,
                                sizeof *row->cells);
    if (!row->cells)
        return false;
    for (uint32_t c = 0; c < kept->count; c++) {
        struct pr_data_value *cell = &row->cells[c];
        struct pr_cell_value value = {.kind = PR_KIND_MISSING};
        cell->text = (struct pr_text){kept->bytes.length ? kept->bytes.bytes + at : "", kept->kept[c]};
        cell->size = kept->size[c];
        const bool is_known = kept->form[c] == PR_FORM_KNOWN, is_whole = cell->text.length == cell->size;
        if ((is_known || kept->form[c] == PR_FORM_TEXT) && is_whole)
            pr_cell_parse(cell->text.bytes, cell->text.length, &value);
        else if (kept->form[c] != PR_FORM_ABSENT)
            value.kind = PR_KIND_TEXT;
        if (is_known)
            value.kind = kept->known[c];
        if (kept->asked[c]) {
            const struct pr_cell given = {cell->text.bytes, cell->text.length, kept->form[c]};
            pr_cell_convert(kept->asked[c], kept->order[c], &given, &value);
            if (pr_family_of(value.kind) > PR_FAMILY_NUMBERS && pr_family_of(value.kind) < PR_FAMILY_BROKEN) {
                cell->text = (struct pr_text){"", 0}; /* a time is shown as it is understood */
                cell->size = 0;
            }
        }
        cell->kind = value.kind;
        cell->number = value.number;
        at += kept->kept[c];
        keep_texts(finish, cell, 1);
    }
    return true;
}

bool pr_finish_row(struct pr_data_frame *frame, const struct pr_kept_row *kept, struct pr_data_row *row)
{
    struct finish finish = {.frame = frame, .from_1252 = strcmp(frame->encoding, "Windows-1252") == 0};
    return finish_row(&finish, kept, row) && !finish.failed;
}

static bool finish_groups(struct finish *finish, struct pr_data_build *build)
{
    struct pr_data_frame *frame = finish->frame;
    frame->groups_are_sampled = frame->duplicates.low != frame->duplicates.high;
    pr_row_groups_sort(build);
    for (; frame->group_count < build->group_count; frame->group_count++) {
        const struct pr_row_group *group = &build->groups[frame->group_count];
        frame->group_rows[frame->group_count] = group->count;
        if (!finish_row(finish, &group->row, &frame->groups[frame->group_count]))
            return false;
    }
    return true;
}

static bool finish_rows(struct finish *finish, struct pr_data_build *build)
{
    struct pr_data_frame *frame = finish->frame;
    const uint64_t rows = build->rows;
    for (; frame->head_count < PR_DATA_ROWS && frame->head_count < rows; frame->head_count++)
        if (!finish_row(finish, &build->head[frame->head_count], &frame->head[frame->head_count]))
            return false;
    const uint64_t rest = rows - frame->head_count, first = rows - (rest < PR_DATA_ROWS ? rest : PR_DATA_ROWS);
    for (uint64_t row = first; row < rows; row++, frame->tail_count++)
        if (!finish_row(finish, &build->tail[row % PR_DATA_ROWS], &frame->tail[frame->tail_count]))
            return false;
    return true;
}

static int by_rows(const void *a, const void *b, const void *context)
{
    (void)context;
    return PR_ORDER(((const struct pr_data_pattern *)b)->rows, ((const struct pr_data_pattern *)a)->rows);
}

static bool finish_patterns(struct pr_data_build *build, struct pr_data_frame *frame)
{
    if (!pr_sort(build->patterns, build->pattern_count, sizeof *build->patterns, by_rows, NULL))
        return false;
    frame->pattern_count = build->pattern_count < PR_DATA_PATTERNS ? build->pattern_count : PR_DATA_PATTERNS;
    frame->patterns_cut =
        build->patterns_cut || frame->pattern_count < build->pattern_count || frame->column_count > 64;
    memcpy(frame->patterns, build->patterns, frame->pattern_count * sizeof *frame->patterns);
    return true;
}

/* By the places of columns among those that are correlated; before the columns, which free their numbers. */
static bool rank_numbers(struct pr_data_build *build, struct pr_data_frame *frame)
{
    const double *columns[PR_DATA_RELATED] = {NULL};
    const uint32_t count = (uint32_t)build->related_count;
    if (build->in_sketch || count < 2 || build->rows > INT32_MAX)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        const struct pr_column_build *column = &build->columns[build->related[i]];
        if (column->family == PR_FAMILY_NUMBERS && column->value_count == build->rows)
            columns[i] = column->values;
    }
    frame->spearman = pr_arena_array(&frame->arena, (size_t)count * count, sizeof *frame->spearman);
    if (!frame->spearman || !pr_spearman(columns, count, (size_t)build->rows, frame->spearman))
        return false;
    if (build->rows * count * (count - 1) / 2 > PR_DATA_CONCORDANT)
        return true;
    frame->kendall = pr_arena_array(&frame->arena, (size_t)count * count, sizeof *frame->kendall);
    return frame->kendall && pr_kendall(columns, count, (size_t)build->rows, frame->kendall);
}

/* From the places of columns that were correlated to those that still are. */
static bool order_ranks(const struct pr_data_build *build, struct pr_data_frame *frame, const int *at, double **matrix)
{
    const uint32_t count = frame->related_count;
    double *ordered = pr_arena_array(&frame->arena, (size_t)count * count, sizeof *ordered);
    if (!*matrix)
        return true;
    for (uint32_t i = 0; ordered && i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            ordered[i * count + k] = (*matrix)[at[i] * build->related_count + at[k]];
    *matrix = ordered;
    return ordered != NULL;
}

static bool finish_related(struct pr_data_build *build, struct pr_data_frame *frame)
{
    int at[PR_DATA_RELATED];
    uint32_t with_numbers = 0;
    frame->related = pr_arena_array(&frame->arena, PR_DATA_RELATED, sizeof *frame->related);
    frame->pearson = pr_arena_array(&frame->arena, PR_DATA_RELATED * PR_DATA_RELATED, sizeof *frame->pearson);
    if (!frame->related || !frame->pearson)
        return false;
    for (uint32_t c = 0; c < frame->column_count; c++) {
        if (build->columns[c].family != PR_FAMILY_NUMBERS || frame->columns[c].is_constant)
            continue;
        with_numbers++;
        if (build->columns[c].related < 0)
            continue;
        at[frame->related_count] = build->columns[c].related;
        frame->related[frame->related_count++] = c;
    }
    frame->related_left_out = with_numbers - frame->related_count;
    const uint32_t count = frame->related_count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++) {
            const int high = at[i] > at[k] ? at[i] : at[k], low = at[i] > at[k] ? at[k] : at[i];
            frame->pearson[i * count + k] =
                i == k ? 1 : pr_comoments_pearson(&build->pairs[high * PR_DATA_RELATED + low]);
        }
    return order_ranks(build, frame, at, &frame->spearman) && order_ranks(build, frame, at, &frame->kendall);
}

/* The file is Windows-1252 if no text or name in it that is not ASCII is UTF-8. */
static bool is_1252(const struct pr_data_build *build, struct pr_data_frame *frame)
{
    uint64_t utf8 = 0, not_utf8 = 0, names = 0;
    for (size_t c = 0; c < build->column_count; c++) {
        const struct pr_column_build *column = &build->columns[c];
        const struct pr_text_traits name = pr_text_traits_of(column->name, column->name_length);
        utf8 += column->utf8 + (name.is_utf8 && name.beyond_ascii);
        not_utf8 += column->not_utf8;
        names += !name.is_utf8;
    }
    if (utf8 || build->is_utf8) {
        frame->damage[PR_DATA_NOT_UTF8].count = not_utf8;
        return false;
    }
    return not_utf8 || names;
}

bool pr_data_finish(struct pr_data_build *build, struct pr_data_frame *frame)
{
    struct finish finish = {.frame = frame};
    uint64_t unsure = 0;
    if (!pr_data_build_flush(build))
        return false;
    free(build->filling); /* what follows may have the room */
    free(build->spare);
    build->filling = build->spare = NULL;
    frame->rows = build->rows;
    frame->column_count = (uint32_t)build->column_count;
    frame->part_rows = build->part_rows ? build->part_rows : 1;
    frame->part_count = (uint32_t)((frame->rows + frame->part_rows - 1) / frame->part_rows);
    frame->is_exact = true;
    frame->columns = pr_arena_array(&frame->arena, build->column_count, sizeof *frame->columns);
    if (!frame->columns)
        return false;
    finish.from_1252 = is_1252(build, frame) && strcmp(frame->encoding, "UTF-8") == 0;
    if (finish.from_1252)
        frame->encoding = "Windows-1252";
    if (!rank_numbers(build, frame) || !pr_pair_measures(build, frame) || !pr_pair_charts(build, frame))
        return false;
    for (size_t c = 0; c < build->column_count; c++) {
        if (!finish_column(&finish, &build->columns[c], &frame->columns[c]))
            return false;
        frame->missing += frame->columns[c].missing;
        unsure += build->columns[c].unsure;
    }
    pr_pairs_finish(build, frame);
    frame->cells = frame->rows * frame->column_count;
    frame->duplicates = widened(pr_hash_sample_repeated(&build->row_sample, frame->rows), unsure);
    if (frame->duplicates.high > frame->rows)
        frame->duplicates.high = frame->rows;
    if (frame->duplicates.low != frame->duplicates.high)
        frame->is_exact = false;
    return finish_rows(&finish, build) && finish_groups(&finish, build) && !finish.failed &&
           finish_patterns(build, frame) && finish_related(build, frame) && pr_data_find(frame);
}
