/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys for s3://, from where the AWS command line has them: the environment, else a profile in the shared files.
 *
 *     struct pr_aws aws;
 *     pr_aws_load(&aws);
 *     if (!*aws.id) complain about aws.profile
 *
 * Profiles that have no keys of their own, but get them from a login, a role or a process, are left to `aws configure
 * export-credentials`.
 *
 * Source: botocore 1.40, configloader.py and credentials.py; "Configuration and credential file settings" of the AWS
 * command line's manual.
 */
#ifndef PR_CLI_PUBLISH_AWS_CREDENTIALS_H
#define PR_CLI_PUBLISH_AWS_CREDENTIALS_H

#include "profrender/string_table.h"

#include <stdbool.h>
#include <stddef.h>

struct pr_aws {
    const char *profile;       /* AWS_PROFILE, or "default" */
    bool is_known;             /* a file has that profile */
    char id[256], secret[256]; /* "": there are none */
    char session[8192];        /* of temporary keys, else "" */
    char region[64], endpoint[1024]; /* "": not said */
};

/* Keys of the environment go together; what it does not have is that of the profile. */
void pr_aws_load(struct pr_aws *aws);

/*
 * The value of KEY in a section of FILE, whose lines are `[section]` and `key = value`; the last one counts. False:
 * there is none, or none that fits. FOUND becomes true where the section is there.
 */
bool pr_aws_find(struct pr_text file, const char *section, const char *key, char *value, size_t size, bool *found);

#endif
