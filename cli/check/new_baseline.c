/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/new_baseline.h"

#include "capture/base/sha256.h"
#include "cli/check/remote_store.h"
#include "cli/check/site_baselines.h"
#include "cli/io/code_version.h"
#include "cli/io/output.h"
#include "cli/io/say.h"
#include "profrender/digest.h"
#include "render/words/units.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { HASH_DIGITS = 12 };

static bool is_folder(const char *path)
{
    struct stat about;
    const size_t length = strlen(path);
    return (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) || (length && path[length - 1] == '/');
}

int pr_new_baseline_check(const struct pr_common *common, const char *path)
{
    int status = PR_EXIT_DONE;
    if (path && pr_remote_is_address(path))
        return status;
    for (size_t i = 0; path && i < common->input_count && status == PR_EXIT_DONE; i++)
        if (strcmp(common->inputs[i], "-") != 0 && !is_folder(path))
            status = pr_output_check(path, common->inputs[i]);
    return status;
}

/* Why it is no measure for later runs; NULL: it is one. */
static const char *unfit(const struct pr_profile *profile)
{
    if (pr_failure_is_one(&profile->run.failure))
        return "the run failed";
    return profile->complete ? NULL : "the input is incomplete";
}

static void give_name(struct pr_new_baseline *kept, const struct pr_profile *profile)
{
    char hex[PR_SHA256_HEX];
    struct pr_figure start = {.text = ""};
    if (profile->meta.start_ms.known)
        start = pr_units_iso_time(profile->meta.start_ms.value);
    pr_sha256(kept->digest.bytes, kept->digest.length, hex);
    snprintf(kept->name, sizeof kept->name, "%.40s%s%.*s.prz", start.text, *start.text ? "-" : "", HASH_DIGITS, hex);
}

/* A capture does not know the version of its code, the pipeline that checks it does. False: no memory. */
static bool add_commit(const struct pr_common *common, struct pr_profile *profile)
{
    const char *commit = pr_code_version();
    if (!commit || profile->run.commit || common->redact == PR_REDACT_NAMES)
        return true;
    const pr_str string = pr_strings_add(&profile->strings, commit, strlen(commit));
    profile->run.commit = string == PR_NO_STR ? 0 : string;
    return string != PR_NO_STR;
}

int pr_new_baseline_take(struct pr_new_baseline *kept, const struct pr_common *common, const char *input,
                         struct pr_profile *profile)
{
    struct pr_error err = {0};
    kept->why = unfit(profile);
    if (kept->why)
        return PR_EXIT_DONE;
    if (!add_commit(common, profile)) {
        pr_say("%s: out of memory", input);
        return PR_EXIT_OUTPUT;
    }
    if (pr_digest_write(profile, &kept->digest, &err) == PR_FAILED) {
        pr_say("%s: %s", input, err.text);
        return PR_EXIT_OUTPUT;
    }
    give_name(kept, profile);
    return PR_EXIT_DONE;
}

static int save_in(const struct pr_new_baseline *kept, const char *folder)
{
    char path[PATH_MAX];
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/')
        end--;
    const int length = snprintf(path, sizeof path, "%.*s/%s", (int)end, folder, kept->name);
    if (length > 0 && (size_t)length < sizeof path)
        return pr_output_write(path, kept->digest.bytes, kept->digest.length);
    pr_say("%s: the name is too long", folder);
    return PR_EXIT_OUTPUT;
}

int pr_new_baseline_save(const struct pr_new_baseline *kept, const struct pr_verdict *verdict, const char *path,
                         const char *branch)
{
    char folder[PATH_MAX];
    const char *why = verdict->broken ? "a rule is broken" : kept->why;
    if (why) {
        pr_say("%s is not saved as a baseline: %s", verdict->input, why);
        return PR_EXIT_DONE;
    }
    if (branch && pr_remote_is_address(path))
        return pr_remote_send(path, branch, kept->name, kept->digest.bytes, kept->digest.length);
    if (branch) {
        const int status = pr_site_baselines_make(folder, path, branch);
        return status == PR_EXIT_DONE ? save_in(kept, folder) : status;
    }
    return is_folder(path) ? save_in(kept, path) : pr_output_write(path, kept->digest.bytes, kept->digest.length);
}

void pr_new_baseline_clear(struct pr_new_baseline *kept)
{
    pr_buf_clear(&kept->digest);
}
