/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What separates the fields of a CSV file, and whether its first record has the names of the columns.
 *
 * The separator is the one of comma, tab, semicolon and bar that divides most of the first records into equally many
 * fields; a file in which none does has one column. The first record is a header if some column has a number or a date
 * in the others and a text there; if all is text, the first record is a header when its fields are there and differ.
 */
#ifndef PR_CAPTURE_FRAME_CSV_SHAPE_H
#define PR_CAPTURE_FRAME_CSV_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

struct pr_csv_shape {
    char separator;
    bool has_header;
    size_t columns; /* of the first record */
};

/* Of LENGTH bytes at the beginning; IS_ALL: nothing follows. SEPARATOR: 0, or the one that is given. */
struct pr_csv_shape pr_csv_shape_of(const char *text, size_t length, bool is_all, char separator);

#endif
