/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/new_baseline.h"

#include "capture/base/sha256.h"
#include "cli/args/input.h"
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

int pr_new_baseline_check(const struct pr_command *command, const struct pr_common *common, const char *path)
{
    int status = PR_EXIT_DONE;
    for (size_t i = 0; path && i < common->input_count && status == PR_EXIT_DONE; i++) {
        if (strcmp(common->inputs[i], "-") == 0)
            return pr_wrong_usage(command, "--update-baseline reads the input again: standard input cannot be");
        status = is_folder(path) ? PR_EXIT_DONE : pr_output_check(path, common->inputs[i]);
    }
    return status;
}

/* Why it is no measure for later runs; NULL: it is one. */
static const char *unfit(const struct pr_verdict *verdict, const struct pr_profile *profile)
{
    if (verdict->broken)
        return "a rule is broken";
    if (pr_failure_is_one(&profile->run.failure))
        return "the run failed";
    return profile->complete ? NULL : "the input is incomplete";
}

/* FOLDER/2026-11-22T04:05:06Z-0123456789ab.prz; runs without a date have only the hash. */
static bool name_in(char name[PATH_MAX], const char *folder, const struct pr_profile *profile,
                    const struct pr_buf *bytes)
{
    char hex[PR_SHA256_HEX];
    size_t end = strlen(folder);
    struct pr_figure start = {.text = ""};
    if (profile->meta.start_ms.known)
        start = pr_units_iso_time(profile->meta.start_ms.value);
    while (end > 1 && folder[end - 1] == '/')
        end--;
    pr_sha256(bytes->bytes, bytes->length, hex);
    const int length = snprintf(name, PATH_MAX, "%.*s/%s%s%.*s.prz", (int)end, folder, start.text,
                                *start.text ? "-" : "", HASH_DIGITS, hex);
    return length > 0 && length < PATH_MAX;
}

static int save(const struct pr_common *common, const struct pr_profile *profile, const char *path)
{
    struct pr_buf bytes = {0};
    struct pr_error err = {0};
    char name[PATH_MAX];
    int status = PR_EXIT_OUTPUT;
    if (pr_digest_write(profile, &bytes, &err) == PR_FAILED)
        pr_say("%s: %s", pr_input_name(common), err.text);
    else if (!is_folder(path))
        status = pr_output_write(path, bytes.bytes, bytes.length);
    else if (name_in(name, path, profile, &bytes))
        status = pr_output_write(name, bytes.bytes, bytes.length);
    else
        pr_say("%s: the name is too long", path);
    pr_buf_clear(&bytes);
    return status;
}

int pr_new_baseline_save(const struct pr_common *common, const struct pr_verdict *verdict, const char *path)
{
    struct pr_load_options how = pr_load_options_default();
    struct pr_profile *profile = NULL;
    how.native = PR_NATIVE_OFF;
    int status = pr_input_load(common, &how, &profile);
    const char *why = status == PR_EXIT_DONE ? unfit(verdict, profile) : NULL;
    if (why)
        pr_say("%s is not saved as a baseline: %s", verdict->input, why);
    else if (status == PR_EXIT_DONE)
        status = save(common, profile, path);
    pr_profile_free(profile);
    return status;
}
