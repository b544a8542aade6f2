/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a change to the code touched: files, and lines as they are numbered afterwards. From `git diff`, or any other
 * difference in the unified format; from `git diff --numstat` files only.
 *
 *     struct pr_changes changes;
 *     if (pr_changes_parse(text, length, &changes)) {
 *         enum pr_touch touch = pr_changes_touch(&changes, file, line);
 *         pr_changes_clear(&changes);
 *     }
 *
 * Source: GNU diffutils, "Detailed Description of Unified Format"; git, "Generating patch text with -p" (some names are
 * quoted as C strings; they begin with "b/" unless --no-prefix is given; a deleted file is /dev/null), and
 * "--numstat" (a renamed file is "old => new", with what both have in common outside of braces).
 */
#ifndef PR_CAPTURE_PARSE_CHANGES_H
#define PR_CAPTURE_PARSE_CHANGES_H

#include "profrender/buf.h"
#include "profrender/string_table.h"

/* Lines that were added or changed. */
struct pr_line_range {
    int32_t first, last;
};

struct pr_changed_file {
    char *path;
    struct pr_line_range *range; /* [count] ascending */
    size_t count, capacity;
};

struct pr_changes {
    struct pr_changed_file *file; /* [count] in the order of the difference */
    size_t count, capacity;
};

/*
 * Reads the text of a difference, or of `git diff --numstat`, which names files without lines. False: it is neither,
 * or there is no memory; then there is nothing to clear.
 */
bool pr_changes_parse(const char *text, size_t length, struct pr_changes *changes);

void pr_changes_clear(struct pr_changes *changes);

/* Whether a change touched a place in the code: not, its file, or its very line. */
enum pr_touch { PR_UNTOUCHED, PR_TOUCHED_FILE, PR_TOUCHED_LINE };

/*
 * Whether FILE, as a profile names it, is among them, and whether LINE of it is (0: unknown). Profiles name a file from
 * the root of the machine or from some folder on, differences from that of the repository: the shorter name must be
 * the end of the longer one, at a '/'.
 */
enum pr_touch pr_changes_touch(const struct pr_changes *changes, struct pr_text file, int32_t line);

#endif
