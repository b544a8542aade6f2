/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds for every profile, whatever bytes it came from. Aborts with the broken rule on stderr, as fuzzers like it.
 */
#ifndef TESTS_SUPPORT_INVARIANTS_H
#define TESTS_SUPPORT_INVARIANTS_H

#include "profrender/profile.h"

void check_invariants(const struct pr_profile *profile);

#endif
