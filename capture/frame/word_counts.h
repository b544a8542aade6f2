/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of a column of texts and how often they are there: what is between blanks, in lower case, without
 * punctuation at its ends. A column whose values are mostly single words, or whose first thousand are, has none: its
 * values are its words.
 *
 * While the different values of the column are all known, nothing is counted: its words follow from them at its end.
 * Only when they no longer fit, or a value is longer than what is kept of it, each value is taken apart as it comes.
 */
#ifndef PR_CAPTURE_FRAME_WORD_COUNTS_H
#define PR_CAPTURE_FRAME_WORD_COUNTS_H

#include "capture/frame/frequent.h"

struct pr_word_counts {
    struct pr_frequent words;
    uint64_t values, total; /* values that were taken apart, and their words */
    bool has_begun;
};

/* Takes apart all of VALUES, each as often as it is there. False: no memory. */
bool pr_words_begin(struct pr_word_counts *counts, const struct pr_frequent *values);

/* COUNT times the LENGTH bytes at TEXT; nothing where it turned out that values are single words. False: no memory. */
bool pr_words_add(struct pr_word_counts *counts, const char *text, size_t length, uint64_t count);

/* Whether the values that were taken apart have several words, on the whole. */
bool pr_words_are_several(const struct pr_word_counts *counts);

void pr_words_clear(struct pr_word_counts *counts);

#endif
