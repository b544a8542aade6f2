/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/code_version.h"

#include <stddef.h>
#include <stdlib.h>

const char *pr_code_version(void)
{
    static const char *const variables[] = {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILDKITE_COMMIT"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *commit = getenv(variables[i]);
        if (commit && *commit)
            return commit;
    }
    return NULL;
}
