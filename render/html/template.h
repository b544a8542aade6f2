/* SPDX-License-Identifier: Apache-2.0 */
/* Skeletons of pages: our own HTML with slots, {{name}}, and what goes into them. */
#ifndef PR_RENDER_HTML_TEMPLATE_H
#define PR_RENDER_HTML_TEMPLATE_H

#include "render/card_options.h"

/* Appends what replaces {{NAME}}. */
typedef enum pr_status pr_template_slot(const void *context, const char *name, struct pr_buf *out,
                                        struct pr_error *err);

/* Appends the skeleton with its slots filled. PR_FAILED: FILL failed, or out of memory. */
enum pr_status pr_template_fill(const void *skeleton, size_t size, pr_template_slot *fill, const void *context,
                                struct pr_buf *out, struct pr_error *err);

/* The slots that mean the same on every page: "theme". False: NAME is not one of them. */
bool pr_template_shared(const char *name, enum pr_theme theme, struct pr_buf *out);

#endif
