/* SPDX-License-Identifier: Apache-2.0 */
/* A profile without its native stacks: what loading it with PR_NATIVE_OFF would have given. */
#ifndef PR_CAPTURE_DIGEST_DIGEST_DROP_NATIVE_H
#define PR_CAPTURE_DIGEST_DIGEST_DROP_NATIVE_H

#include "profrender/profile.h"

/*
 * Facts that differ only in their native stacks become one, nodes and frames used only by native stacks go. A profile
 * without native stacks stays unchanged. PR_FAILED: out of memory; the profile can only be freed then.
 */
enum pr_status pr_profile_drop_native(struct pr_profile *profile, struct pr_error *err);

#endif
