/* SPDX-License-Identifier: Apache-2.0 */
/* What the sections of a card share while it is written: the profile, and what was computed of it once. Read-only. */
#ifndef PR_RENDER_PAGE_PAGE_H
#define PR_RENDER_PAGE_PAGE_H

#include "profrender/tree_sums.h"
#include "profrender/owner.h"
#include "render/html/html.h"
#include "render/model/shown_paths.h"
#include "render/payload/payload.h"
#include "render/card.h"
#include "render/words/units.h"
#include "render/model/views.h"

struct pr_page {
    const struct pr_profile *profile; /* the one of `paths` */
    struct pr_paths paths;
    struct pr_card_options options;
    struct pr_traits traits;
    struct pr_children children;
    struct pr_payload payload;
    struct pr_views views;
    struct pr_buf title; /* visible text, no HTML */
};

/*
 * Computes PAGE. OPTIONS may be NULL; its strings and PROFILE are borrowed.
 *
 * Owner:  pr_page_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_page_make(struct pr_page *page, const struct pr_profile *profile,
                            const struct pr_card_options *options, struct pr_error *err);
void pr_page_clear(struct pr_page *page);

/* Whether PROFILE is a difference, profrender/diff.h: its metrics have others that they are compared with. */
bool pr_page_is_difference(const struct pr_profile *profile);

/* Milliseconds from start to end of the run; unknown when one of them is. */
struct pr_maybe pr_page_span_ms(const struct pr_profile *profile);

/* How far the capture could be read, in milliseconds since the epoch: to its end, else to its last sample. */
struct pr_maybe pr_page_reached_ms(const struct pr_profile *profile);

/* When the heap was at its peak, in milliseconds since the epoch. */
struct pr_maybe pr_page_peak_ms(const struct pr_profile *profile);

/* A moment of the run as an offset from its start, "3:38", "218.361 s after the start"; "" when that is unknown. */
struct pr_figure pr_page_moment(const struct pr_profile *profile, int64_t ms);
struct pr_figure pr_page_moment_exact(const struct pr_profile *profile, int64_t ms);

/* The path of an input as the page shows it: without its folders if nobody is to see them. Borrowed from PATH. */
const char *pr_page_input_name(const struct pr_card_options *options, const char *path);

#endif
