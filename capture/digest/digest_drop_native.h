/* SPDX-License-Identifier: Apache-2.0 */
/* A profile without its native stacks: what loading it with PR_NATIVE_OFF would have given. */
#ifndef PR_CAPTURE_DIGEST_DIGEST_DROP_NATIVE_H
#define PR_CAPTURE_DIGEST_DIGEST_DROP_NATIVE_H

#include "profrender/profile.h"

/*
 * Facts that differ only in their native stacks become one, nodes and frames that only native stacks had go. A profile
 * without native stacks stays as it is. PR_FAILED: out of memory; the profile can only be freed then.
 */
enum pr_status pr_profile_drop_native(struct pr_profile *profile, struct pr_error *err);

#endif
