/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the reader of a stream and hands out the profile. */
#include "capture/load_source.h"

#include "capture/base/text.h"
#include "capture/builder/reader.h"
#include "capture/hide_secrets.h"
#include "capture/model/owner_settle.h"

#include <stdlib.h>
#include <string.h>

/* The format that the name of a file shows where its content shows none: "notes", "stderr", or NULL. */
static const char *format_of_name(const char *name)
{
    const char *file = pr_path_last_part(name);
    if (pr_string_ends(file, ".md"))
        return "notes";
    return strstr(file, "stderr") ? "stderr" : NULL;
}

/* A text of a run by its own name: "12 files done 11" in it is no stack that was seen 11 times. */
static bool is_text_of_run(const char *name)
{
    const char *file = pr_path_last_part(name);
    return !strcmp(file, "stderr.log") || !strcmp(file, "notes.md");
}

/* The content decides; where it shows nothing, two names do. */
static enum pr_status choose(struct pr_source *src, const char *format, const char *name,
                             const struct pr_reader **reader, struct pr_error *err)
{
    const char *by_name = format ? NULL : format_of_name(name);
    struct pr_error problem = {0};
    const bool found = pr_reader_choose(src, format, reader, &problem) == PR_OK;
    if (found && !(by_name && *reader == &pr_collapsed_reader && is_text_of_run(name)))
        return PR_OK;
    if (by_name && (found || problem.code == PR_ERR_UNKNOWN))
        return pr_reader_choose(src, by_name, reader, err);
    if (err && err->code == PR_ERR_NONE)
        *err = problem;
    return PR_FAILED;
}

/* Whose code each frame is, unless the caller has no use for it. */
static enum pr_status settle_owners(struct pr_profile *profile, const struct pr_load_options *options,
                                    struct pr_error *err)
{
    if ((options->unneeded & PR_UNNEEDED_CODE_OF_HEAP) && pr_profile_has_allocations(profile))
        return PR_OK;
    return pr_owner_settle(profile, err);
}

static enum pr_status load(const char *name, struct pr_source *src, const struct pr_load_options *options,
                           struct pr_profile *profile, struct pr_error *err)
{
    const struct pr_reader *reader;
    if (pr_strings_init(&profile->strings, err) == PR_FAILED ||
        choose(src, options->format, name, &reader, err) == PR_FAILED)
        return PR_FAILED;
    profile->meta.format = reader->name;
    profile->meta.format_title = reader->title;
    profile->meta.python_allocator = "";
    profile->meta.compression = src->packing;
    profile->origin = (struct pr_origin){.temporary_threshold = options->temporary_threshold,
                                         .max_bins = options->max_bins,
                                         .native = (uint32_t)options->native,
                                         .runs = 1};
    enum pr_status status = reader->read(src, options, profile, err);
    if (status == PR_OK || status == PR_END)
        status = pr_damage_status(&profile->damage, err);
    uint64_t done, size;
    pr_run_drop_negative(&profile->run);
    if (status != PR_FAILED)
        pr_source_drain(src);
    if (status != PR_FAILED &&
        (pr_hide_secrets(profile, err) == PR_FAILED || settle_owners(profile, options, err) == PR_FAILED))
        return PR_FAILED;
    pr_source_progress(src, &done, &size);
    if (profile->origin.digest_major) /* it records how large its capture was */
        profile->origin.digest_bytes = size > done ? size : done;
    else
        profile->meta.size_bytes = size > done ? size : done;
    return status;
}

enum pr_status pr_load_source(const char *name, struct pr_source *src, const struct pr_load_options *options,
                              struct pr_profile **profile, struct pr_error *err)
{
    const struct pr_load_options defaults = pr_load_options_default();
    struct pr_error problem = {0};
    struct pr_profile *made = calloc(1, sizeof *made);
    enum pr_status status =
        made ? load(name, src, options ? options : &defaults, made, &problem) : pr_fail_memory(&problem);
    pr_source_close(src);
    pr_error_name(&problem, name);
    if (err && err->code == PR_ERR_NONE && problem.code != PR_ERR_NONE)
        *err = problem;
    if (status == PR_FAILED) {
        pr_profile_free(made);
        return PR_FAILED;
    }
    made->complete = status == PR_OK;
    if (!made->complete)
        made->problem = problem;
    *profile = made;
    return status;
}
