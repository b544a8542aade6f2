/* SPDX-License-Identifier: Apache-2.0 */
/* A number as text, with a point in every locale and with few digits more than say which number it is, mostly none. */
#ifndef PR_CAPTURE_BASE_REAL_TEXT_H
#define PR_CAPTURE_BASE_REAL_TEXT_H

#include "profrender/buf.h"

/*
 * NUMBER, of the numbers of 32 or 64 BITS: 0.1, 1e+300, nan, -inf. Between 1e-6 and 2^63 its digits are exact; beyond,
 * the last of 17 may be one next to it.
 */
void pr_real_text(struct pr_buf *out, double number, unsigned bits);

#endif
