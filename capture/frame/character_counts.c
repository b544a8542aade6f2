/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/character_counts.h"

#include "capture/base/checked.h"
#include "capture/base/utf8.h"
#include "capture/frame/data_text.h"

#include <math.h>
#include <stdlib.h>

/*
 * Lengths below EXACT have a count each; above, one for each sixty-fourth of what is between two powers of two, up to
 * the longest value that a table may have.
 */
enum { EXACT = 512, EXACT_BITS = 9, PART_BITS = 6, POWERS = 32 - EXACT_BITS, LENGTHS = EXACT + (POWERS << PART_BITS) };

/* Different characters beyond ASCII; and what stands for a byte that is part of none. */
enum { MOST_OTHERS = 4096, BAD_BYTE = 0x110000 };

struct pr_character_tally {
    uint64_t ascii[128];
    struct pr_data_character *others; /* [slots] a count of 0: free; by a hash of the character */
    size_t slots, other_count;
    bool others_cut;
    uint64_t lengths[LENGTHS];
    uint64_t unknown; /* values of which neither is known */
};

/* ---- counting --------------------------------------------------------------------------------------------------- */

static unsigned length_class(uint64_t length)
{
    unsigned power = EXACT_BITS;
    if (length < EXACT)
        return (unsigned)length;
    if (length > UINT32_MAX)
        length = UINT32_MAX;
    while (length >> (power + 1))
        power++;
    return EXACT + ((power - EXACT_BITS) << PART_BITS) +
           (unsigned)(length >> (power - PART_BITS) & ((1U << PART_BITS) - 1));
}

/* The shortest length of a class. */
static uint64_t length_of_class(unsigned number)
{
    const unsigned above = number - EXACT, power = EXACT_BITS + (above >> PART_BITS);
    if (number < EXACT)
        return number;
    return (UINT64_C(1) << power) + ((uint64_t)(above & ((1U << PART_BITS) - 1)) << (power - PART_BITS));
}

static struct pr_data_character *slot_of(struct pr_data_character *others, size_t slots, uint32_t character)
{
    size_t at = character * UINT32_C(0x9E3779B1) & (slots - 1);
    while (others[at].count && others[at].character != character)
        at = (at + 1) & (slots - 1);
    return &others[at];
}

static bool grow_others(struct pr_character_tally *tally)
{
    const size_t slots = tally->slots ? tally->slots * 2 : 64;
    struct pr_data_character *others = calloc(slots, sizeof *others);
    if (!others)
        return false;
    for (size_t i = 0; i < tally->slots; i++)
        if (tally->others[i].count)
            *slot_of(others, slots, tally->others[i].character) = tally->others[i];
    free(tally->others);
    tally->others = others;
    tally->slots = slots;
    return true;
}

static bool count_other(struct pr_character_tally *tally, uint32_t character, uint64_t weight)
{
    if (tally->other_count * 2 >= tally->slots && !grow_others(tally))
        return false;
    struct pr_data_character *slot = slot_of(tally->others, tally->slots, character);
    if (!slot->count && tally->other_count == MOST_OTHERS) {
        tally->others_cut = true;
        return true;
    }
    tally->other_count += slot->count == 0;
    slot->character = character;
    slot->count += weight;
    return true;
}

/* As pr_text_traits_of has it: a text that is not UTF-8 has a character for each byte. */
static bool is_utf8(const char *text, size_t length, uint64_t *characters)
{
    size_t size;
    *characters = 0;
    for (size_t at = 0; at < length; at += size, ++*characters)
        if (pr_utf8_next(text + at, length - at, &size) == PR_UTF8_BAD)
            return false;
    return true;
}

static bool count_characters(struct pr_character_tally *tally, const char *text, size_t length, uint64_t weight)
{
    uint64_t characters;
    size_t size;
    const bool is_text = is_utf8(text, length, &characters);
    for (size_t at = 0; at < length; at += size) {
        uint32_t character = (unsigned char)text[at];
        size = 1;
        if (character < 0x80) {
            tally->ascii[character] += weight;
            continue;
        }
        character = is_text ? pr_utf8_next(text + at, length - at, &size) : BAD_BYTE + character;
        if (!count_other(tally, character, weight))
            return false;
    }
    return true;
}

bool pr_characters_begin(struct pr_character_counts *counts, const struct pr_frequent *values)
{
    struct pr_character_tally *tally = counts->tally = calloc(1, sizeof *tally);
    if (!tally)
        return false;
    tally->unknown = values->error;
    for (size_t i = 0; i < values->count; i++) {
        const struct pr_frequent_item *item = &values->items[i];
        const char *text = values->bytes + item->at;
        uint64_t characters;
        if (!is_utf8(text, item->kept, &characters))
            characters = item->kept;
        tally->lengths[length_class(characters)] += item->count;
        if (!count_characters(tally, text, item->kept, item->count))
            return false;
    }
    return true;
}

bool pr_characters_add(struct pr_character_counts *counts, const char *text, size_t length, uint64_t characters)
{
    const uint64_t chance = ++counts->values * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    counts->tally->lengths[length_class(characters)]++;
    return chance % PR_CHARACTERS_SAMPLED || count_characters(counts->tally, text, length, PR_CHARACTERS_SAMPLED);
}

void pr_characters_clear(struct pr_character_counts *counts)
{
    if (counts->tally)
        free(counts->tally->others);
    free(counts->tally);
    *counts = (struct pr_character_counts){0};
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

/* Between the two in the middle where there is no middle one, as pandas has it. */
static void find_median(const struct pr_character_tally *tally, struct pr_data_column *column)
{
    uint64_t all = 0, before = 0;
    double middle[2] = {0, 0};
    unsigned found = 0;
    for (unsigned i = 0; i < LENGTHS; i++)
        all += tally->lengths[i];
    for (unsigned i = 0; i < LENGTHS && found < 2; i++) {
        before += tally->lengths[i];
        while (found < 2 && before > (all - 1 + found) / 2) {
            const double first = (double)length_of_class(i), last = (double)length_of_class(i + 1) - 1;
            middle[found++] = i < EXACT ? first : (first + last) / 2;
            column->median_length_error = i < EXACT ? 0 : (last - first) / 2;
        }
    }
    column->median_length = (middle[0] + middle[1]) / 2;
}

static void note_character(struct pr_data_column *column, uint32_t character, uint64_t count)
{
    struct pr_data_character *list = column->top_characters;
    uint32_t at = column->top_character_count;
    while (at && (list[at - 1].count < count || (list[at - 1].count == count && list[at - 1].character > character))) {
        if (at < PR_DATA_FREQUENT)
            list[at] = list[at - 1];
        at--;
    }
    if (at == PR_DATA_FREQUENT)
        return;
    list[at] = (struct pr_data_character){character, count};
    column->top_character_count += column->top_character_count < PR_DATA_FREQUENT;
}

/* Bytes that are not UTF-8 are one character, U+FFFD, where they are of no other encoding. */
static void list_others(const struct pr_character_tally *tally, bool from_1252, struct pr_data_column *column)
{
    uint64_t replaced = 0;
    for (size_t i = 0; i < tally->slots; i++) {
        const struct pr_data_character *other = &tally->others[i];
        uint32_t character = other->character;
        if (!other->count)
            continue;
        if (character >= BAD_BYTE && !from_1252) {
            replaced += other->count;
            continue;
        }
        if (character >= BAD_BYTE)
            character = pr_data_character_of_1252((unsigned char)(character - BAD_BYTE));
        column->scripts[pr_data_script_of(character)] += other->count;
        column->different_characters++;
        note_character(column, character, other->count);
    }
    if (!replaced)
        return;
    column->scripts[PR_SCRIPT_UNKNOWN] += replaced;
    column->different_characters++;
    note_character(column, 0xFFFD, replaced);
}

void pr_characters_figures(const struct pr_character_counts *counts, bool from_1252, struct pr_data_column *column)
{
    const struct pr_character_tally *tally = counts->tally;
    if (tally->unknown)
        return;
    find_median(tally, column);
    if (!column->has_characters)
        return;
    for (uint32_t character = 0; character < 128; character++)
        if (tally->ascii[character]) {
            column->different_characters++;
            note_character(column, character, tally->ascii[character]);
        }
    list_others(tally, from_1252, column);
    column->characters_sampled = counts->values > 0;
    column->more_characters = counts->values > 0 || tally->others_cut;
}
