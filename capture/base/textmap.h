/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers by text, for what is written again and again and taken apart once:
 *
 *     struct pr_textmap map;
 *     pr_textmap_init(&map, err);
 *     uint32_t *frame = pr_textmap_at(&map, text, length);
 *     if (frame && *frame == PR_TEXTMAP_NEW)
 *         *frame = take_apart(text, length);
 */
#ifndef PR_CAPTURE_BASE_TEXTMAP_H
#define PR_CAPTURE_BASE_TEXTMAP_H

#include "profrender/string_table.h"

#define PR_TEXTMAP_NEW UINT32_MAX

struct pr_textmap {
    struct pr_strings texts;
    uint32_t *numbers; /* [texts.count] */
    size_t capacity;
};

enum pr_status pr_textmap_init(struct pr_textmap *map, struct pr_error *err);
void pr_textmap_clear(struct pr_textmap *map);

/* Where the number of the text is, PR_TEXTMAP_NEW if none was set; borrowed until the next call. NULL: no memory. */
uint32_t *pr_textmap_at(struct pr_textmap *map, const void *bytes, size_t length);

#endif
