/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths of code as a page shows them: mapped from where the program ran to where its code is, and without what they
 * say about a person. Everything that writes the page asks the profile for its strings, so it is given one with other
 * paths: a view, which borrows all else.
 */
#ifndef PR_RENDER_MODEL_SHOWN_PATHS_H
#define PR_RENDER_MODEL_SHOWN_PATHS_H

#include "profrender/buf.h"
#include "profrender/profile.h"
#include "render/card_options.h"

struct pr_paths {
    struct pr_profile view;      /* the profile, with other texts */
    const struct pr_text *local; /* [strings] the same before pr_paths_redact: where files are */
    struct pr_arena arena;  /* owns the texts */
};

/*
 * A view of PROFILE. Paths of code are mapped by the options' `path_maps`, including those of the failure's frames.
 *
 * Owner:  pr_paths_clear, also after an error; all else in the view is PROFILE's.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_paths_make(struct pr_paths *paths, const struct pr_profile *profile,
                             const struct pr_card_options *options, struct pr_error *err);
void pr_paths_clear(struct pr_paths *paths);

/*
 * Reduces every path in the view to what names no person: below the root, site-packages or the standard library, what
 * follows them; relative paths unchanged; of others, and of words of the command line, the last part.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_paths_redact(struct pr_paths *paths, const char *root, struct pr_error *err);

/*
 * Appends LINE, a command line, to OUT. Words that are paths lose their folders: "--out=/data/jobs/x" becomes
 * "--out=x". Web addresses stay.
 */
void pr_paths_shorten_words(struct pr_text line, struct pr_buf *out);

#endif
