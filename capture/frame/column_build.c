/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/column_build.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/base/hash.h"
#include "capture/frame/cell_hash.h"
#include "capture/frame/column_parts.h"
#include "capture/frame/data_asked.h"
#include "capture/frame/known_cells.h"
#include "capture/frame/row_codes.h"
#include "capture/frame/text_traits.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool pr_column_is_boolean(const struct pr_column_build *column)
{
    uint64_t others = 0;
    for (int kind = PR_KIND_MISSING + 1; kind < PR_KIND_COUNT; kind++)
        others += kind == PR_KIND_BOOLEAN ? 0 : column->kinds[kind];
    return column->kinds[PR_KIND_BOOLEAN] && !others;
}

bool pr_column_has_words(const struct pr_column_build *column)
{
    const enum pr_data_type type = column->asked ? column->asked->type : column->given.type;
    return column->family == PR_FAMILY_BROKEN && !column->kinds[PR_KIND_NESTED] && !pr_column_is_boolean(column) &&
           (type == PR_TYPE_EMPTY || type == PR_TYPE_TEXT || type == PR_TYPE_CATEGORY);
}

/* It is known to be one of texts: the format and the schema say nothing else. */
static bool is_of_texts(const struct pr_column_build *column)
{
    return column->is_text || (column->family == PR_FAMILY_BROKEN && !column->asked && !column->given.is_known &&
                               !pr_column_is_boolean(column));
}

void pr_column_parse(const struct pr_column_build *column, const char *text, uint32_t length,
                     struct pr_cell_value *value)
{
    const struct pr_cell cell = {text, length, PR_FORM_TEXT};
    if (column->asked) {
        pr_cell_convert(column->asked, column->order, &cell, value);
        return;
    }
    pr_cell_parse(text, length, value);
    if (value->order == PR_ORDER_UNKNOWN && column->order == PR_ORDER_DAY_FIRST)
        value->number = value->day_first_number;
}

/* ---- distinct and frequent values ------------------------------------------------------------------------------- */

static bool sample_numbers(struct pr_column_build *column, const double *numbers, size_t count)
{
    enum { PART = 1024 };
    uint64_t hashes[PART];
    for (size_t first = 0; first < count; first += PART) {
        const size_t end = count - first < PART ? count : first + PART;
        size_t known = 0;
        for (size_t i = first; i < end; i++) {
            hashes[known] = pr_hash_of_number(numbers[i]);
            known += (size_t)!isnan(numbers[i]);
        }
        if (!pr_hash_sample_add_all(&column->sample, hashes, known))
            return false;
    }
    return true;
}

bool pr_column_start_sample(struct pr_column_build *column, const double *pending, size_t pending_count)
{
    if (column->sample_is_on)
        return true;
    column->sample_is_on = true;
    column->sample.has_no_counts = true;
    if (column->values && !column->has_wide) /* wide ones are among the frequent values, with all their digits */
        return sample_numbers(column, column->values, column->value_count) &&
               sample_numbers(column, pending, pending_count);
    for (size_t i = 0; i < column->frequent.count; i++) {
        const struct pr_frequent_item *item = &column->frequent.items[i];
        const char *text = column->frequent.bytes + item->at;
        const bool is_read = item->kept == item->length && !column->given.is_known;
        struct pr_cell_value value = {.kind = PR_KIND_TEXT};
        if (is_read)
            pr_column_parse(column, text, item->length, &value);
        uint64_t hash = is_read ? pr_hash_of_value(&value, text, item->length) : item->hash;
        if (is_read && is_of_texts(column))
            hash = pr_hash_of_written(&value, hash, text, item->length);
        const uint32_t count = item->count < UINT32_MAX ? (uint32_t)item->count : UINT32_MAX;
        if (!pr_hash_sample_add(&column->sample, hash, count))
            return false;
    }
    return true;
}

/* A cell as it was read. */
struct reading {
    struct pr_cell_value value;
    uint64_t hash;      /* of what the column compares, as far as it is known what it is */
    uint64_t written;   /* the same if it is one of texts; of PR_FAMILY_BROKEN and missing ones: HASH */
    uint64_t text_hash; /* 0: not known */
};

/* From the first value on that is not kept whole, or of which nothing may be kept, each is taken apart at once. */
static bool is_late(const struct pr_column_build *column, const struct pr_cell *cell)
{
    return column->frequent.count >= PR_FREQUENT_MOST - 1 || cell->length > PR_FREQUENT_BYTES;
}

static bool count_characters(struct pr_column_build *column, const struct pr_cell *cell, uint64_t characters)
{
    struct pr_character_counts *counts = &column->character_counts;
    if (!counts->tally && !is_late(column, cell))
        return true;
    if (!counts->tally && !pr_characters_begin(counts, &column->frequent))
        return false;
    return pr_characters_add(counts, cell->text, cell->length, characters);
}

static bool count_words(struct pr_column_build *column, const struct pr_cell *cell)
{
    if (!column->words.has_begun && (!is_late(column, cell) || !pr_column_has_words(column)))
        return true;
    if (!column->words.has_begun && !pr_words_begin(&column->words, &column->frequent))
        return false;
    return pr_words_add(&column->words, cell->text, cell->length, 1);
}

static bool count_value(struct pr_column_build *column, const struct pr_cell *cell, const struct reading *reading,
                        uint64_t characters)
{
    struct pr_frequent *frequent = &column->frequent;
    const struct pr_cell_value *value = &reading->value;
    const uint64_t hash = reading->hash;
    const bool is_text = pr_family_of(value->kind) == PR_FAMILY_BROKEN;
    if (column->family == PR_FAMILY_BROKEN &&
        (!count_words(column, cell) || !count_characters(column, cell, characters)))
        return false;
    if (frequent->count >= PR_FREQUENT_MOST - 1 && !column->frequent_rests) {
        if (column->values && !column->has_wide)
            column->frequent_rests = true;
        else if (!pr_column_start_sample(column, NULL, 0))
            return false;
    }
    if (column->sample_is_on && !pr_hash_sample_add(&column->sample, hash, 1))
        return false;
    if (column->frequent_rests) {
        pr_frequent_skip(frequent, 1);
        return true;
    }
    if (column->has_number_keys && !is_text)
        return pr_frequent_add(frequent, (const char *)&value->number, sizeof value->number, hash);
    return pr_frequent_add(frequent, cell->text, cell->length,
                           reading->text_hash ? reading->text_hash : pr_hash_bytes(cell->text, cell->length));
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

bool pr_column_leave_memory(struct pr_column_build *column)
{
    size_t count = 0;
    column->in_sketch = true;
    if (!column->values)
        return true;
    const bool lacks_values = column->frequent.error > 0; /* those that are there cannot tell how many differ */
    if (lacks_values && !pr_column_start_sample(column, NULL, 0))
        return false;
    const bool counts_anew = lacks_values && !column->has_wide;
    if (counts_anew) {
        pr_frequent_clear(&column->frequent);
        column->has_number_keys = true;
    }
    column->frequent_rests = false;
    for (size_t i = 0; i < column->value_count; i++) {
        const double number = column->values[i];
        if (isnan(number))
            continue;
        if (counts_anew && !pr_column_count_number(column, number))
            return false;
        if (isfinite(number))
            column->values[count++] = number;
    }
    const bool done = pr_quantile_sketch_add(&column->sketch, column->values, count);
    free(column->values);
    column->values = NULL;
    column->value_count = column->value_capacity = 0;
    return done;
}

/* The column has no numbers after all; those of this batch so far are PENDING. */
static bool break_family(struct pr_column_build *column, const double *pending, size_t pending_count)
{
    column->family = PR_FAMILY_BROKEN;
    if (column->frequent.error && !pr_column_start_sample(column, pending, pending_count))
        return false;
    if (column->has_number_keys) {
        const uint64_t before = column->moments.count + column->infinite;
        pr_frequent_clear(&column->frequent);
        pr_frequent_skip(&column->frequent, before);
    }
    column->frequent_rests = column->has_number_keys = false;
    free(column->values);
    column->values = NULL;
    column->value_count = column->value_capacity = 0;
    pr_quantile_sketch_clear(&column->sketch);
    column->moments = (struct pr_moments){0};
    column->lowest_count = column->highest_count = 0;
    return true;
}

/* Keeps NUMBER if it is among the outermost: those of LIST are in the order of SIGN. */
static void note_extreme(struct pr_extreme *list, uint32_t *count, double number, double sign)
{
    uint32_t at = 0;
    while (at < *count && list[at].number * sign < number * sign)
        at++;
    if (at < *count && list[at].number == number) {
        list[at].count++;
        return;
    }
    if (at == PR_DATA_EXTREMES)
        return;
    const uint32_t last = *count < PR_DATA_EXTREMES ? (*count)++ : PR_DATA_EXTREMES - 1;
    memmove(list + at + 1, list + at, (last - at) * sizeof *list);
    list[at] = (struct pr_extreme){number, 1};
}

/* Infinite numbers have their place too. */
static void note_order(struct pr_column_build *column, const struct pr_column_batch *batch)
{
    double last = column->has_last ? column->last_number : NAN;
    bool rises = false, falls = false, repeats = false;
    const bool all_seen = column->rises && column->falls && column->repeats;
    for (uint32_t i = 0; !all_seen && i < batch->rows; i++) {
        const double number = batch->numbers[i];
        rises |= number > last;
        falls |= number < last;
        repeats |= number == last;
        last = isnan(number) ? last : number;
    }
    column->last_number = last;
    column->has_last = !isnan(last);
    column->rises |= rises;
    column->falls |= falls;
    column->repeats |= repeats;
}

/* What is among the outermost so far, or may be. */
static bool may_be_extreme(const struct pr_column_build *column, double low, double high)
{
    const uint32_t last = PR_DATA_EXTREMES - 1;
    return column->lowest_count <= last || low <= column->lowest[last].number || column->highest_count <= last ||
           high >= column->highest[last].number;
}

/*
 * Each list is filled from the end of NUMBERS where its outermost are if these rise or fall: from the other end, each
 * number would be a new one.
 */
static void note_extremes(struct pr_column_build *column, const double *numbers, size_t count)
{
    const uint32_t last = PR_DATA_EXTREMES - 1;
    const bool rises = numbers[count - 1] > numbers[0];
    for (size_t i = 0; i < count; i++) {
        const double low = numbers[rises ? i : count - 1 - i], high = numbers[rises ? count - 1 - i : i];
        if (column->lowest_count <= last || low <= column->lowest[last].number)
            note_extreme(column->lowest, &column->lowest_count, low, 1);
        if (column->highest_count <= last || high >= column->highest[last].number)
            note_extreme(column->highest, &column->highest_count, high, -1);
    }
}

bool pr_column_note_numbers(struct pr_column_build *column, const struct pr_column_batch *batch)
{
    size_t count = 0;
    size_t zeros = 0, negatives = 0, values = 0;
    double low = INFINITY, high = -INFINITY;
    note_order(column, batch);
    for (uint32_t i = 0; i < batch->rows; i++) { /* without a branch */
        const double number = batch->numbers[i];
        const bool is_finite = fabs(number) <= DBL_MAX;
        batch->scratch[count] = number;
        count += is_finite;
        values += number == number; /* no NaN */
        zeros += number == 0;
        negatives += is_finite && number < 0;
        low = is_finite && number < low ? number : low;
        high = is_finite && number > high ? number : high;
    }
    column->infinite += values - count;
    column->zeros += zeros;
    column->negatives += negatives;
    if (count && may_be_extreme(column, low, high))
        note_extremes(column, batch->scratch, count);
    pr_moments_add(&column->moments, batch->scratch, count);
    if (column->in_sketch)
        return pr_quantile_sketch_add(&column->sketch, batch->scratch, count);
    return true;
}

bool pr_column_keep_numbers(struct pr_column_build *column, const struct pr_column_batch *batch)
{
    const size_t need = (size_t)batch->first_row + batch->rows;
    if (column->in_sketch || column->family == PR_FAMILY_BROKEN || column->family == PR_FAMILY_NONE)
        return true;
    if (!pr_grow(&column->values, &column->value_capacity, need, sizeof *column->values))
        return false;
    while (column->value_count < batch->first_row)
        column->values[column->value_count++] = NAN;
    memcpy(column->values + column->value_count, batch->numbers, batch->rows * sizeof *batch->numbers);
    column->value_count = need;
    return true;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* Of every value, as what looks like a number may be in a column of texts. */
static void note_length(struct pr_column_build *column, uint64_t characters, uint64_t times)
{
    if (!column->lengths || characters < column->shortest)
        column->shortest = characters;
    if (characters > column->longest)
        column->longest = characters;
    column->lengths += times;
    column->characters += characters * times;
}

/* Returns its length in characters. */
static uint64_t note_text(struct pr_column_build *column, const char *text, uint32_t length, uint64_t times)
{
    const struct pr_text_traits traits = pr_text_traits_of(text, length);
    note_length(column, traits.characters, times);
    column->texts += times;
    column->letters += traits.letters * times;
    column->digits += traits.digits * times;
    column->blanks += traits.blanks * times;
    column->others += traits.others * times;
    column->beyond_ascii += traits.beyond_ascii * times;
    column->utf8 += traits.is_utf8 && traits.beyond_ascii ? times : 0;
    column->not_utf8 += traits.is_utf8 ? 0 : times;
    column->padded += length && (pr_is_blank(text[0]) || pr_is_blank(text[length - 1])) ? times : 0;
    column->mails += pr_looks_like_mail(text, length) ? times : 0;
    column->addresses += pr_looks_like_address(text, length) ? times : 0;
    column->cards += pr_looks_like_card(text, length) ? times : 0;
    return traits.characters;
}

static void note_number(struct pr_column_build *column, const struct pr_cell *cell, const struct pr_cell_value *value,
                        uint64_t times)
{
    note_length(column, cell->length, times);
    column->leading_zeros += value->leading_zero ? times : 0;
    if (value->kind == PR_KIND_INTEGER) {
        column->cards += cell->length >= 13 && pr_looks_like_card(cell->text, cell->length) ? times : 0;
    } else if (value->kind == PR_KIND_REAL) {
        const bool is_first = column->kinds[PR_KIND_REAL] == 1;
        column->has_exponent |= !value->is_plain;
        if (is_first || value->places < column->least_places)
            column->least_places = value->places;
        if (is_first || value->places > column->most_places)
            column->most_places = value->places;
    } else if (pr_family_of(value->kind) == PR_FAMILY_MOMENTS) {
        pr_column_note_day(column, value->number, times);
    }
}

/* Of a text whose kind is known: views of the table ask for the numbers of all rows. */
static void read_known(const struct pr_column_build *column, const struct pr_cell *cell, struct pr_cell_value *value)
{
    const enum pr_data_kind kind = column->given.kind;
    if (column->given.has_numbers)
        pr_cell_parse(cell->text, cell->length, value);
    if (!column->given.has_numbers || pr_family_of(value->kind) == pr_family_of(kind))
        value->kind = kind;
    else
        *value = (struct pr_cell_value){.kind = PR_KIND_TEXT};
    if (kind == PR_KIND_BOOLEAN)
        value->number = cell->length == 4; /* "true", not "false" */
}

void pr_column_read(const struct pr_column_build *column, const struct pr_cell *cell, struct pr_cell_value *value)
{
    if (column->asked) {
        pr_cell_convert(column->asked, column->order, cell, value);
        return;
    }
    *value = (struct pr_cell_value){.kind = PR_KIND_MISSING};
    if (cell->form == PR_FORM_ABSENT)
        return;
    value->kind = cell->form == PR_FORM_NESTED ? PR_KIND_NESTED : PR_KIND_TEXT;
    if (cell->form == PR_FORM_KNOWN)
        read_known(column, cell, value);
    if (cell->form == PR_FORM_NESTED || cell->form == PR_FORM_KNOWN)
        return;
    pr_cell_parse(cell->text, cell->length, value);
    const enum pr_family family = pr_family_of(value->kind);
    if (cell->form == PR_FORM_STRING && (family == PR_FAMILY_BROKEN || family == PR_FAMILY_NUMBERS))
        *value = (struct pr_cell_value){.kind = PR_KIND_TEXT};
    pr_cell_put_in_order(column->order, value);
}

/* The first batch with dates such as 03/04/2026 decides which of the numbers is the day. */
static void settle_order(struct pr_column_build *column, const struct pr_column_batch *batch)
{
    struct pr_cell_value value;
    if (column->order_is_settled || column->family == PR_FAMILY_NUMBERS)
        return;
    for (uint32_t i = 0; i < batch->rows; i++) {
        const struct pr_cell *cell = &batch->cells[i];
        if (cell->form == PR_FORM_ABSENT || cell->length < 8 || (cell->text[1] != '/' && cell->text[2] != '/'))
            continue;
        pr_cell_parse(cell->text, cell->length, &value);
        if (value.order == PR_ORDER_NONE)
            continue;
        column->order_is_settled = true;
        column->order = value.order;
        if (value.order != PR_ORDER_UNKNOWN)
            return;
    }
}

/* What the value of CELL says of its column, TIMES over; its length in characters. */
static uint64_t note_value(struct pr_column_build *column, const struct pr_cell *cell,
                           const struct pr_cell_value *value, uint64_t times)
{
    uint64_t characters = cell->length;
    column->kinds[value->kind] += times;
    if (pr_family_of(value->kind) == PR_FAMILY_BROKEN)
        characters = note_text(column, cell->text, cell->length, times);
    else
        note_number(column, cell, value, times);
    column->trues += value->kind == PR_KIND_BOOLEAN && value->number > 0 ? times : 0;
    return characters;
}

/* NUMBERS are those of this batch, of which I are known so far. */
static bool add_value(struct pr_column_build *column, const struct pr_cell *cell, const struct reading *reading,
                      double *numbers, size_t i)
{
    const struct pr_cell_value *value = &reading->value;
    const enum pr_family family = pr_family_of(value->kind);
    const uint64_t characters = note_value(column, cell, value, 1);
    if (family != column->family && column->family != PR_FAMILY_BROKEN) {
        if (column->family == PR_FAMILY_NONE && family != PR_FAMILY_BROKEN)
            column->family = family;
        else if (!break_family(column, numbers, i))
            return false;
    }
    if (column->family != PR_FAMILY_BROKEN && pr_cell_is_wide(value) && !column->has_wide) {
        if (column->frequent.error && !pr_column_start_sample(column, numbers, i))
            return false;
        column->has_wide = true;
        column->frequent_rests = false;
    }
    numbers[i] = value->number;
    return count_value(column, cell, reading, characters);
}

/* The beginning of the first one is kept for messages. */
static bool note_refused(struct pr_column_build *column, const struct pr_cell *cell, uint64_t row)
{
    enum { KEPT = 60 };
    if (column->refused++)
        return true;
    column->first_refused = row;
    pr_buf_add(&column->refused_text, cell->text, cell->length < KEPT ? cell->length : KEPT);
    return !column->refused_text.failed;
}

/* Reads the cell; where its value will be counted is fetched from memory until add_cell needs it. */
static void read_cell(const struct pr_column_build *column, const struct pr_cell *cell, bool of_texts,
                      struct reading *reading)
{
    const struct pr_cell_value *value = &reading->value;
    pr_column_read(column, cell, &reading->value);
    reading->text_hash = 0;
    if (value->kind == PR_KIND_MISSING)
        return;
    reading->hash = pr_hash_of_value(value, cell->text, cell->length);
    reading->written = pr_hash_of_written(value, reading->hash, cell->text, cell->length);
    if (of_texts)
        reading->hash = reading->written;
    if (column->sample_is_on)
        pr_hash_sample_expect(&column->sample, reading->hash);
    if (pr_family_of(value->kind) == PR_FAMILY_BROKEN && value->kind != PR_KIND_BOOLEAN)
        reading->text_hash = reading->hash;
    else if (!column->frequent_rests && !column->has_number_keys)
        reading->text_hash = pr_hash_bytes(cell->text, cell->length);
    if (!column->frequent_rests)
        pr_frequent_expect(&column->frequent, column->has_number_keys ? reading->hash : reading->text_hash);
}

/* COLUMN is one of texts after all: so are those of this batch that were compared as values. */
static void compare_texts(const struct pr_column_build *column, const struct pr_column_batch *batch)
{
    for (uint32_t i = 0; column->rewritten && i < batch->rows; i++)
        batch->row_hashes[i] += batch->as_text[i];
}

static void note_rewritten(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i,
                           const struct reading *reading)
{
    column->rewritten++;
    batch->as_text[i] = pr_hash_two(batch->seed, reading->written) - pr_hash_two(batch->seed, reading->hash);
}

static uint8_t code_of(size_t item)
{
    return item < PR_CODES ? (uint8_t)(item + 1) : PR_CODE_BEYOND;
}

static bool add_cell(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i,
                     const struct reading *reading)
{
    const struct pr_cell_value *value = &reading->value;
    batch->numbers[i] = NAN;
    if (batch->codes)
        batch->codes[i] = 0;
    if (value->kind == PR_KIND_MISSING) {
        column->kinds[PR_KIND_MISSING]++;
        batch->missing_bits[i] |= batch->bit;
        column->missing_in[(batch->first_row + i) / batch->part_rows]++;
        return !value->is_refused || note_refused(column, &batch->cells[i], batch->first_row + i + 1);
    }
    batch->row_hashes[i] += pr_hash_two(batch->seed, reading->hash);
    if (reading->written != reading->hash)
        note_rewritten(column, batch, i, reading);
    if (!add_value(column, &batch->cells[i], reading, batch->numbers, i))
        return false;
    if (batch->codes)
        batch->codes[i] = code_of(column->frequent.last);
    return true;
}

/* ---- cells that a batch repeats --------------------------------------------------------------------------------- */

/* Each different value so far is among the frequent ones, and nothing else counts them. */
static bool may_know_cells(const struct pr_column_build *column)
{
    const struct pr_frequent *frequent = &column->frequent;
    return !column->sample_is_on && !column->frequent_rests && !column->has_number_keys && !column->words.has_begun &&
           !column->character_counts.tally && !frequent->error && frequent->count < PR_FREQUENT_MOST - 1;
}

/* Counts the cells like AT that were only seen. */
static void count_seen(struct pr_column_build *column, struct pr_known_cell *at)
{
    const struct pr_cell cell = pr_known_cell_of(at);
    struct pr_cell_value value;
    if (!at->seen)
        return;
    pr_column_read(column, &cell, &value);
    note_value(column, &cell, &value, at->seen);
    column->frequent.items[at->item].count += at->seen;
    at->seen = 0;
}

/* A cell like AT in row I. */
static void see(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i,
                struct pr_known_cell *at)
{
    at->seen++;
    batch->numbers[i] = at->number;
    batch->row_hashes[i] += at->row_hash;
    if (batch->codes)
        batch->codes[i] = code_of(at->item);
    if (at->is_rewritten) {
        column->rewritten++;
        batch->as_text[i] = at->as_text;
    }
}

/* Adds a cell that is not known, and knows it from then on. AT: its place; NULL: it cannot be known. */
static bool add_unknown(struct pr_column_build *column, const struct pr_column_batch *batch, uint32_t i, bool of_texts,
                        struct pr_known_cell *at, const uint64_t bytes[2])
{
    const struct pr_cell *cell = &batch->cells[i];
    struct reading reading;
    read_cell(column, cell, of_texts, &reading);
    if (!add_cell(column, batch, i, &reading))
        return false;
    if (!at || reading.value.kind == PR_KIND_MISSING || !may_know_cells(column))
        return true;
    if (at->use == batch->known->use)
        count_seen(column, at);
    pr_known_cells_put(batch->known, at, cell, bytes);
    at->item = column->frequent.last;
    at->number = batch->numbers[i];
    at->row_hash = pr_hash_two(batch->seed, reading.hash);
    at->is_rewritten = reading.written != reading.hash;
    at->as_text = at->is_rewritten ? batch->as_text[i] : 0;
    return true;
}

/*
 * Adds the first cells of the batch, as long as most of them are known, and before one that is so long that words and
 * characters are counted from then on. *COUNT: how many these are.
 */
static bool add_known(struct pr_column_build *column, const struct pr_column_batch *batch, bool of_texts,
                      uint32_t *count)
{
    struct pr_known_cells *known = batch->known;
    uint32_t i = 0;
    bool pays = true;
    pr_known_cells_begin(known);
    for (; i < batch->rows && pays && !is_late(column, &batch->cells[i]) && may_know_cells(column); i++) {
        uint64_t bytes[2];
        bool is_known = false;
        struct pr_known_cell *at = NULL;
        if (pr_may_be_known(&batch->cells[i]))
            at = pr_known_cells_find(known, &batch->cells[i], bytes, &is_known);
        if (is_known)
            see(column, batch, i, at);
        else if (!add_unknown(column, batch, i, of_texts, at, bytes))
            return false;
        pays = pr_known_cells_pay(known, is_known);
    }
    for (uint32_t k = 0; k < known->used_count; k++)
        count_seen(column, &known->cells[known->used[k]]);
    *count = i;
    return true;
}

bool pr_column_add(struct pr_column_build *column, const struct pr_column_batch *batch)
{
    enum { AHEAD = 16 };
    struct reading readings[AHEAD];
    const bool of_texts = is_of_texts(column);
    const uint64_t rewritten = column->rewritten;
    settle_order(column, batch);
    if (!of_texts)
        memset(batch->as_text, 0, batch->rows * sizeof *batch->as_text);
    uint32_t first;
    if (!add_known(column, batch, of_texts, &first))
        return false;
    for (uint32_t i = first; i < batch->rows + AHEAD; i++) {
        if (i >= first + AHEAD && !add_cell(column, batch, i - AHEAD, &readings[i % AHEAD]))
            return false;
        if (i < batch->rows)
            read_cell(column, &batch->cells[i], of_texts, &readings[i % AHEAD]);
    }
    if (!of_texts && is_of_texts(column)) {
        column->unsure = rewritten;
        compare_texts(column, batch);
    }
    if (column->family == PR_FAMILY_BROKEN || column->family == PR_FAMILY_NONE)
        return true;
    return pr_column_keep_numbers(column, batch) && pr_column_note_numbers(column, batch);
}

void pr_column_build_clear(struct pr_column_build *column)
{
    free(column->name);
    free(column->values);
    free(column->points);
    pr_buf_clear(&column->refused_text);
    pr_quantile_sketch_clear(&column->sketch);
    pr_frequent_clear(&column->frequent);
    pr_words_clear(&column->words);
    pr_characters_clear(&column->character_counts);
    pr_hash_sample_clear(&column->sample);
}
