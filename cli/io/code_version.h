/* SPDX-License-Identifier: Apache-2.0 */
/* Which version of the user's code this process runs beside, as pipelines tell their steps. */
#ifndef PR_CLI_IO_CODE_VERSION_H
#define PR_CLI_IO_CODE_VERSION_H

/*
 * The commit, from GITHUB_SHA (GitHub), CI_COMMIT_SHA (GitLab), GIT_COMMIT (Jenkins) or BUILDKITE_COMMIT. Borrowed from
 * the environment; NULL: not known.
 */
const char *pr_code_version(void);

#endif
