/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door of the renderer: a profile becomes one self-contained HTML page.
 *
 *     struct pr_buf page = {0};
 *     if (pr_render_card(profile, NULL, &page, &err) == PR_FAILED) ...
 *     write_all(page.bytes, page.length);
 *     pr_buf_clear(&page);
 *
 * Same profile and options, same bytes: no clock, no host name, no hash order.
 */
#ifndef PR_RENDER_CARD_H
#define PR_RENDER_CARD_H

#include "profrender/buf.h"
#include "profrender/profile.h"
#include "render/card_options.h"

/* A file that a page made with `split` refers to; its name changes with its bytes. Both are constants. */
struct pr_asset {
    const char *name;
    const void *bytes;
    size_t size;
};
void pr_card_assets(struct pr_asset assets[2]);

/*
 * Appends the page to PAGE. OPTIONS may be NULL.
 *
 * Errors: PR_FAILED: out of memory. PAGE then holds what it held before.
 */
enum pr_status pr_render_card(const struct pr_profile *profile, const struct pr_card_options *options,
                              struct pr_buf *page, struct pr_error *err);

/* No page of pr_render_lite is larger. */
enum { PR_LITE_BYTES = 20000 };

/*
 * Appends a page for comments, tickets and mail: figures, findings, and the first levels of the call tree as a picture,
 * without a script, in at most PR_LITE_BYTES. OPTIONS may be NULL; `split`, `fragment` and sources do not apply.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_render_lite(const struct pr_profile *profile, const struct pr_card_options *options,
                              struct pr_buf *page, struct pr_error *err);

#endif
