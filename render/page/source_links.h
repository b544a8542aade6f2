/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source of a person's own code: links to where it is kept, and its text within the page. Code of others has
 * neither.
 */
#ifndef PR_RENDER_PAGE_SOURCE_LINKS_H
#define PR_RENDER_PAGE_SOURCE_LINKS_H

#include "render/page/page.h"

/*
 * Appends the address of a line (0 = only the file) of FILE, a path as the page shows it; nothing without one.
 * "{file}" and "{line}" of `source_url` are replaced; without a line, what follows "{file}" is left out.
 */
void pr_code_url(const struct pr_page *page, struct pr_text file, int32_t line, struct pr_buf *out);

/* Begins a link to a line of a frame's file, if it has one; true if "</a>" must follow. */
bool pr_code_frame_link(const struct pr_page *page, pr_frame_id frame, int32_t line, struct pr_buf *out);

/* The same for a node's frame. NODE may be PR_ROOT or PR_NO_NODE. */
bool pr_code_link(const struct pr_page *page, pr_node_id node, int32_t line, struct pr_buf *out);

/* The file of a frame, if it is a person's own code; else empty. */
struct pr_text pr_code_file(const struct pr_page *page, pr_frame_id frame);

/*
 * What the script needs: where links lead, and the texts of files. Appends an island of data, or nothing.
 *
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_code_island(const struct pr_page *page, struct pr_buf *out, struct pr_error *err);

#endif
