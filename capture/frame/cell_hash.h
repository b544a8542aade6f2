/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When two cells are equal: in a column of numbers, dates or booleans by what they mean, in a column of texts by what
 * is written. "1" and "1.0" are one number and two texts.
 *
 * What a column is, is known only at its end. So both hashes are the same where the text follows from the value, which
 * it does in most cells: a column that turns out to be of texts late has few cells to take back.
 */
#ifndef PR_CAPTURE_FRAME_CELL_HASH_H
#define PR_CAPTURE_FRAME_CELL_HASH_H

#include "capture/frame/cell_value.h"

/* Whether it is a whole number that no double is: its text has all its digits. */
bool pr_cell_is_wide(const struct pr_cell_value *value);

/* The same for the same number or boolean, however it is written. */
uint64_t pr_hash_of_value(const struct pr_cell_value *value, const char *text, uint32_t length);

/* The same for the same text. VALUE is what it can be read as, and HASH that of the value. */
uint64_t pr_hash_of_written(const struct pr_cell_value *value, uint64_t hash, const char *text, uint32_t length);

#endif
