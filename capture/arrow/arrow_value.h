/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of an array: which array really has the value of a row, and the value as a number or as text.
 *
 *     const struct pr_arrow_array *array = &batch.columns[c];
 *     uint64_t at = row;
 *     if (pr_arrow_find(&array, &at))              // through dictionaries, runs, unions
 *         use(pr_arrow_whole(array, at));
 */
#ifndef PR_CAPTURE_ARROW_ARROW_VALUE_H
#define PR_CAPTURE_ARROW_ARROW_VALUE_H

#include "capture/arrow/arrow_batch.h"
#include "profrender/buf.h"

/* Moves *ARRAY and *AT to where the value is. False: it is missing. */
bool pr_arrow_find(const struct pr_arrow_array **array, uint64_t *at);

/* Of INTEGER, DATE, TIME, MOMENT, DURATION and of a DECIMAL that fits: its bits as a signed number. */
int64_t pr_arrow_whole(const struct pr_arrow_array *array, uint64_t at);

/* Of REAL. */
double pr_arrow_real(const struct pr_arrow_array *array, uint64_t at);

/* Of BYTES and FIXED_BYTES: borrowed from the batch. */
struct pr_text pr_arrow_bytes_of(const struct pr_arrow_array *array, uint64_t at);

/*
 * The value of row AT as people write it: numbers with all their digits, dates in ISO 8601, bytes that are no text in
 * hexadecimal, lists and structs like JSON. Of a long list its beginning, up to about MOST bytes.
 */
void pr_arrow_write(struct pr_buf *out, const struct pr_arrow_array *array, uint64_t at, size_t most);

#endif
