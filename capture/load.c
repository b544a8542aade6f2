/* SPDX-License-Identifier: Apache-2.0 */
/* The door: open the source, choose the reader, hand out the profile. */
#include "profrender/load.h"
#include "capture/builder/reader.h"
#include "capture/run_folder.h"
#include "capture/input/source.h"
#include "capture/input/tar.h"

#include <stdlib.h>

struct pr_load_options pr_load_options_default(void)
{
    return (struct pr_load_options){
        .limits =
            {
                .max_string_bytes = UINT64_C(16) << 20,
                .max_frames = UINT64_C(1) << 28,
                .max_nodes = UINT64_C(1) << 30,
                .max_depth = UINT64_C(1) << 20,
                .max_threads = UINT64_C(1) << 24,
                .max_table_bytes = UINT64_C(16) << 20,
            },
        .temporary_threshold = 1,
        .max_bins = PR_BINS_AUTO,
    };
}

/* The content decides; where it says nothing, two names do: capture/run_folder.h. */
static enum pr_status choose(struct pr_source *src, const char *format, const char *name,
                             const struct pr_reader **reader, struct pr_error *err)
{
    const char *by_name = format ? NULL : pr_run_format_of_name(name);
    struct pr_error problem = {0};
    if (pr_reader_choose(src, format, reader, &problem) == PR_OK)
        return PR_OK;
    if (by_name && problem.code == PR_ERR_UNKNOWN)
        return pr_reader_choose(src, by_name, reader, err);
    if (err && err->code == PR_ERR_NONE)
        *err = problem;
    return PR_FAILED;
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
    uint64_t done, size;
    pr_run_drop_negative(&profile->run);
    if (status != PR_FAILED)
        pr_source_drain(src);
    pr_source_progress(src, &done, &size);
    if (profile->origin.digest_major) /* it says how large its capture was */
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

enum pr_status pr_load_opened(const char *name, struct pr_source *src, const struct pr_load_options *options,
                              struct pr_profile **profile, struct pr_error *err)
{
    if (!pr_tar_is_one(src))
        return pr_load_source(name, src, options, profile, err);
    enum pr_status status = pr_run_load_archive(src, options, profile, err);
    pr_source_close(src);
    pr_error_name(err, name);
    return status;
}

enum pr_status pr_load(const char *path, const struct pr_load_options *options, struct pr_profile **profile,
                       struct pr_error *err)
{
    struct pr_source *src;
    *profile = NULL;
    if (pr_run_is_folder(path)) {
        enum pr_status status = pr_run_load_folder(path, options, profile, err);
        pr_error_name(err, path);
        return status;
    }
    if (pr_source_open(path, &src, err) == PR_FAILED) {
        pr_error_name(err, path);
        return PR_FAILED;
    }
    return pr_load_opened(path, src, options, profile, err);
}

enum pr_status pr_load_memory(const char *name, const void *bytes, size_t length, const struct pr_load_options *options,
                              struct pr_profile **profile, struct pr_error *err)
{
    struct pr_source *src;
    *profile = NULL;
    if (pr_source_open_memory(name, bytes, length, &src, err) == PR_FAILED) {
        pr_error_name(err, name);
        return PR_FAILED;
    }
    return pr_load_opened(name, src, options, profile, err);
}
