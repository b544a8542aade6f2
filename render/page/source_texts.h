/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of the user's own code that go into a page. A capture is strangers' data, and it names the files: only
 * files beneath the root are asked for, with the name of a source file, and none that is hidden or in a hidden folder
 * (".env", ".git/config").
 */
#ifndef PR_RENDER_PAGE_SOURCE_TEXTS_H
#define PR_RENDER_PAGE_SOURCE_TEXTS_H

#include "capture/model/code_path.h"
#include "profrender/buf.h"
#include "profrender/profile.h"

struct pr_page;

struct pr_source_texts {
    struct pr_buf json;  /* [[path, lines], ...] as the island has it; the path is the one that the page shows */
    struct pr_buf names; /* of the files, beneath the root, each with a newline */
    unsigned count;      /* of the names */
};

/*
 * Reads what the frames of PAGE name with its option `read_source`, each file once, in the order of the frames: at most
 * 500 files, 256 KiB of each and 2 MiB of all. None without a `root`.
 *
 * Owner:  pr_source_texts_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_source_texts_make(const struct pr_page *page, struct pr_source_texts *texts, struct pr_error *err);
void pr_source_texts_clear(struct pr_source_texts *texts);

#endif
