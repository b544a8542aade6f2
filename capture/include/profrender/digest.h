/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest: a profile saved. What CI keeps of a run instead of the capture, what a job sends home.
 *
 *     struct pr_buf bytes = {0};
 *     if (pr_digest_write(profile, &bytes, &err) == PR_FAILED) ...
 *     write_all(bytes.bytes, bytes.length);
 *
 * It is read by pr_load like any capture and gives the same profile: each view, each total, each name, in the same
 * order. Same profile, same bytes. It answers for the options that the profile was loaded with and refuses others: see
 * pr_load_options.insist. doc/formats/digest.md has the format.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_DIGEST_H
#define PR_API_DIGEST_H

#include "profrender/buf.h"
#include "profrender/profile.h"

PR_DECLS_BEGIN

/* What is written. A reader of this major version reads all minor ones: they only add columns. */
enum { PR_DIGEST_MAJOR = 1, PR_DIGEST_MINOR = 6 };

/*
 * Appends PROFILE as a digest to OUT.
 *
 * Errors: PR_FAILED: out of memory. OUT then holds what it held before.
 */
PR_API enum pr_status pr_digest_write(const struct pr_profile *profile, struct pr_buf *out, struct pr_error *err);

PR_DECLS_END

#endif
