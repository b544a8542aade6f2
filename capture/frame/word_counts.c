/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/word_counts.h"

#include "capture/base/ascii.h"
#include "capture/base/hash.h"
#include "capture/base/utf8.h"

#include <string.h>

/* A longer word stays as it is written. */
enum { LONGEST_WORD = 256 };

/* So many show whether values are single words. */
enum { SURE_VALUES = 1000 };
static const double several = 1.2; /* words a value */

bool pr_words_are_several(const struct pr_word_counts *counts)
{
    return (double)counts->total >= several * (double)counts->values && counts->total > 0;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= 9 && c <= 13);
}

static bool is_punctuation(char c)
{
    return c > ' ' && c < 127 && !pr_is_alphanumeric(c);
}

/* Of the letters that languages in Latin, Greek and Cyrillic script have beyond ASCII. */
static uint32_t lower(uint32_t c)
{
    if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9) || (c >= 0x410 && c <= 0x42F))
        return c + 0x20;
    if (c >= 0x400 && c <= 0x40F)
        return c + 0x50;
    if (c == 0x178)
        return 0xFF;
    if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E))
        return c + (c & 1);
    return c >= 0x100 && c <= 0x177 && c != 0x130 && c != 0x138 ? c | 1 : c;
}

/* All of these letters have two bytes in UTF-8, in lower case too. */
static void make_lower(char *word, size_t length)
{
    size_t size;
    for (size_t at = 0; at < length; at += size) {
        const uint32_t c = pr_utf8_next(word + at, length - at, &size);
        if (c < 0x80) {
            word[at] = pr_ascii_lower(word[at]);
        } else if (c != PR_UTF8_BAD && size == 2) {
            const uint32_t small = lower(c);
            word[at] = (char)(0xC0 | small >> 6);
            word[at + 1] = (char)(0x80 | (small & 0x3F));
        }
    }
}

static bool add_word(struct pr_word_counts *counts, const char *text, size_t length, uint64_t count)
{
    char word[LONGEST_WORD];
    while (length && is_punctuation(*text))
        text++, length--;
    while (length && is_punctuation(text[length - 1]))
        length--;
    if (!length)
        return true;
    if (length <= sizeof word) {
        memcpy(word, text, length);
        make_lower(word, length);
        text = word;
    }
    counts->total += count;
    return pr_frequent_add_times(&counts->words, text, (uint32_t)length, pr_hash_bytes(text, length), count);
}

bool pr_words_add(struct pr_word_counts *counts, const char *text, size_t length, uint64_t count)
{
    if (counts->values >= SURE_VALUES && !pr_words_are_several(counts))
        return true;
    counts->values += count;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && !is_space(text[end]))
            end++;
        if (end > at && !add_word(counts, text + at, end - at, count))
            return false;
        at = end + 1;
    }
    return true;
}

bool pr_words_begin(struct pr_word_counts *counts, const struct pr_frequent *values)
{
    counts->has_begun = true;
    pr_frequent_skip(&counts->words, values->error);
    for (size_t i = 0; i < values->count; i++) {
        const struct pr_frequent_item *item = &values->items[i];
        if (!pr_words_add(counts, values->bytes + item->at, item->kept, item->count))
            return false;
    }
    return true;
}

void pr_words_clear(struct pr_word_counts *counts)
{
    pr_frequent_clear(&counts->words);
}
