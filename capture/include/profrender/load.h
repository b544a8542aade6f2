/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door of the library: a file becomes a profile.
 *
 *     struct pr_profile *profile = NULL;
 *     struct pr_error err = {0};
 *     switch (pr_load(path, NULL, &profile, &err)) {
 *     case PR_FAILED: return complain(&err);          // nothing usable; profile is NULL
 *     case PR_CUT:    warn(&profile->problem);        // everything before the problem is there
 *     default:        break;
 *     }
 *
 * Threads: calls on different inputs may run at the same time. A load uses a second thread of its own while it runs.
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_LOAD_H
#define PR_API_LOAD_H

#include "profrender/load_options.h"
#include "profrender/profile.h"

PR_DECLS_BEGIN

/*
 * Loads PATH ("-": standard input), whatever its format and its compression: by content, except for notes (*.md) and a
 * standard error without a traceback, known only by their names. A folder with a run in it, or an archive of one (tar),
 * becomes one profile: capture/run_folder.h.
 *
 * Owner:  *PROFILE is owned by the caller: pr_profile_free. It is NULL after PR_FAILED.
 * Errors: PR_FAILED with ERR filled. PR_CUT when only a part could be read: the profile is good up to there, and
 *         profile->problem says where and why (ERR has the same).
 */
PR_API enum pr_status pr_load(const char *path, const struct pr_load_options *options, struct pr_profile **profile,
                              struct pr_error *err);

/*
 * Whether a file called NAME in the folder of a run is read as a part of it: hidden files, pages and what the command
 * wrote to its standard output are not.
 */
PR_API bool pr_run_reads(const char *name);

/* The same for LENGTH bytes in memory, borrowed during the call. NAME is for messages. */
PR_API enum pr_status pr_load_memory(const char *name, const void *bytes, size_t length,
                                     const struct pr_load_options *options, struct pr_profile **profile,
                                     struct pr_error *err);

/* The formats that can be read: name for pr_load_options ("memray"), title for people; NULL past the last one. */
PR_API const char *pr_format_name(size_t index);
PR_API const char *pr_format_title(size_t index);

/* The version of the library, such as "0.1.0". */
PR_API const char *pr_version(void);

PR_DECLS_END

#endif
