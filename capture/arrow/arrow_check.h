/* SPDX-License-Identifier: Apache-2.0 */
/* Whether all that the values of an array point to is there. */
#ifndef PR_CAPTURE_ARROW_ARROW_CHECK_H
#define PR_CAPTURE_ARROW_ARROW_CHECK_H

#include "capture/arrow/arrow_batch.h"

/* How many bytes the values of LENGTH rows take in `data`, where all take the same; UINT64_MAX: that does not fit. */
uint64_t pr_arrow_data_bytes(const struct pr_arrow_array *array);

/* Of an array whose buffers are long enough, and whose children have been checked. NULL: nothing is wrong. */
const char *pr_arrow_what_is_wrong(const struct pr_arrow_array *array);

#endif
