/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which names several frames of a profile have. What has a name of its own need not be looked up among others: of a
 * million native addresses, nearly all.
 */
#ifndef PR_CAPTURE_MODEL_REPEATED_NAMES_H
#define PR_CAPTURE_MODEL_REPEATED_NAMES_H

#include "profrender/profile.h"

#include <stdbool.h>

/* By string of the profile: whether more than one frame has it as the name of its function. Owned; NULL: no memory. */
bool *pr_names_repeated(const struct pr_profile *profile);

#endif
