/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a description of sections names. */
#ifndef PR_CAPTURE_FRAME_SECTION_FILE_H
#define PR_CAPTURE_FRAME_SECTION_FILE_H

#include "profrender/data_sections.h"

/*
 * All of the regular file NAME beneath FOLDER, in ARENA. PR_FAILED: it cannot be opened or read, is outside, or has
 * more than MOST bytes.
 */
enum pr_status pr_section_file(int folder, const char *name, size_t most, struct pr_arena *arena,
                               struct pr_text *bytes, struct pr_error *err);

/* "image/png", by what the bytes are; NULL: none that a page may show. */
const char *pr_section_media(struct pr_text bytes);

#endif
