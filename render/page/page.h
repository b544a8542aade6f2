/* SPDX-License-Identifier: Apache-2.0 */
/* What the sections of a card share while it is written: the profile, and what was computed from it once. Read-only. */
#ifndef PR_RENDER_PAGE_PAGE_H
#define PR_RENDER_PAGE_PAGE_H

#include "profrender/tree_sums.h"
#include "profrender/owner.h"
#include "render/html/html.h"
#include "render/model/shown_paths.h"
#include "render/payload/payload.h"
#include "render/card_options.h"
#include "render/words/profile_times.h"
#include "render/words/units.h"
#include "render/model/views.h"
#include "render/page/source_texts.h"

struct pr_page {
    const struct pr_profile *profile; /* the one of `paths` */
    struct pr_paths paths;
    struct pr_card_options options;
    struct pr_traits traits;
    struct pr_children children;
    struct pr_payload payload;
    struct pr_payload first; /* where the other is large: what the page shows until it has read that; else no nodes */
    struct pr_views views;
    struct pr_source_texts sources;
    struct pr_buf title; /* visible text, not HTML */
};

/*
 * Computes PAGE, but of the payload only which nodes it has. OPTIONS may be NULL; its strings and PROFILE are borrowed.
 *
 * Owner:  pr_page_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_page_make(struct pr_page *page, const struct pr_profile *profile,
                            const struct pr_card_options *options, struct pr_error *err);
void pr_page_clear(struct pr_page *page);

/* The path of an input as the page shows it: without its folders if they are to be hidden. Borrowed from PATH. */
const char *pr_page_input_name(const struct pr_card_options *options, const char *path);

#endif
