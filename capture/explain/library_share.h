/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a metric one library has: what to say where no function has much. */
#ifndef PR_CAPTURE_EXPLAIN_LIBRARY_SHARE_H
#define PR_CAPTURE_EXPLAIN_LIBRARY_SHARE_H

#include "capture/explain/code_sums.h"

struct pr_library_share {
    struct pr_text name; /* as pr_package_of has it, borrowed from the profile; empty: no frame is of a named library */
    int64_t self;        /* what its functions have by themselves, without what they call: as a table by package */
};

/* Sets *SHARE to that of the library with the most of COLUMN. False: no memory. */
bool pr_library_with_most(const struct pr_profile *profile, const struct pr_column *column,
                          struct pr_library_share *share);

#endif
