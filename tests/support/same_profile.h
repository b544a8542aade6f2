/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two profiles are the same, member by member and in the same order: what a digest has to keep. */
#ifndef TESTS_SUPPORT_SAME_PROFILE_H
#define TESTS_SUPPORT_SAME_PROFILE_H

#include "profrender/profile.h"

/*
 * NULL, or what differs. Their origins (profile->origin) and the name of the input in the problem may differ;
 * strings that nothing refers to may be missing.
 */
const char *profiles_differ(const struct pr_profile *a, const struct pr_profile *b);

#endif
