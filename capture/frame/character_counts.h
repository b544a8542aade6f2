/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The characters of a column of texts, and how long its texts are.
 *
 * While the different values of the column are all known, nothing is counted: both follow from them at its end. Only
 * when they no longer fit, or a value is longer than what is kept of it, each is looked at as it comes: its length
 * always, its characters in one of PR_CHARACTERS_SAMPLED, by chance that is the same in each run.
 */
#ifndef PR_CAPTURE_FRAME_CHARACTER_COUNTS_H
#define PR_CAPTURE_FRAME_CHARACTER_COUNTS_H

#include "capture/frame/frequent.h"

enum { PR_CHARACTERS_SAMPLED = 16 };

struct pr_character_tally; /* owned */

struct pr_character_counts {
    struct pr_character_tally *tally; /* NULL: not begun */
    uint64_t values;                  /* that came since */
};

/* Looks at all of VALUES, each as often as it is there. False: no memory. */
bool pr_characters_begin(struct pr_character_counts *counts, const struct pr_frequent *values);

/* One more value after that: the LENGTH bytes at TEXT, which are CHARACTERS. False: no memory. */
bool pr_characters_add(struct pr_character_counts *counts, const char *text, size_t length, uint64_t characters);

/* What is known of the column then. FROM_1252: bytes that are not UTF-8 are Windows-1252. */
void pr_characters_figures(const struct pr_character_counts *counts, bool from_1252, struct pr_data_column *column);

void pr_characters_clear(struct pr_character_counts *counts);

#endif
