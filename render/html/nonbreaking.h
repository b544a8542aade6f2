/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers stay on one line with their units: "82.8 %" never ends a line with "82.8". */
#ifndef PR_RENDER_HTML_NONBREAKING_H
#define PR_RENDER_HTML_NONBREAKING_H

#include "profrender/buf.h"

/* Appends HTML, whose spaces between a number and its unit become nonbreaking; those in tags stay. */
void pr_together_add(struct pr_buf *out, const char *html, size_t length);

#endif
