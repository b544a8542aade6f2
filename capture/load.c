/* SPDX-License-Identifier: Apache-2.0 */
/* The door: opens a path or memory and passes it on. */
#include "profrender/load.h"
#include "capture/run_folder.h"
#include "capture/input/source.h"

#ifndef PR_VERSION
#define PR_VERSION "0.1.0"
#endif

const char *pr_version(void)
{
    return PR_VERSION;
}

static struct pr_unpack_budget budget_of(const struct pr_load_options *options)
{
    const struct pr_load_options defaults = pr_load_options_default();
    return pr_unpack_budget_of(options ? &options->limits : &defaults.limits);
}

enum pr_status pr_load(const char *path, const struct pr_load_options *options, struct pr_profile **profile,
                       struct pr_error *err)
{
    struct pr_unpack_budget budget = budget_of(options);
    struct pr_source *src;
    *profile = NULL;
    if (pr_run_is_folder(path)) {
        enum pr_status status = pr_run_load_folder(path, options, &budget, profile, err);
        pr_error_name(err, path);
        return status;
    }
    if (pr_source_open(path, &budget, &src, err) == PR_FAILED) {
        pr_error_name(err, path);
        return PR_FAILED;
    }
    return pr_load_opened(path, src, options, profile, err);
}

enum pr_status pr_load_memory(const char *name, const void *bytes, size_t length, const struct pr_load_options *options,
                              struct pr_profile **profile, struct pr_error *err)
{
    struct pr_unpack_budget budget = budget_of(options);
    struct pr_source *src;
    *profile = NULL;
    if (pr_source_open_memory(name, bytes, length, &budget, &src, err) == PR_FAILED) {
        pr_error_name(err, name);
        return PR_FAILED;
    }
    return pr_load_opened(name, src, options, profile, err);
}
