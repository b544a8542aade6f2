/* SPDX-License-Identifier: Apache-2.0 */
/* A table of strings, and a number for each. */
#include "capture/base/textmap.h"

#include "capture/base/checked.h"

enum pr_status pr_textmap_init(struct pr_textmap *map, struct pr_error *err)
{
    *map = (struct pr_textmap){.capacity = 0};
    return pr_strings_init(&map->texts, err);
}

void pr_textmap_clear(struct pr_textmap *map)
{
    pr_strings_clear(&map->texts);
    free(map->numbers);
    *map = (struct pr_textmap){.capacity = 0};
}

uint32_t *pr_textmap_at(struct pr_textmap *map, const void *bytes, size_t length)
{
    const size_t known = map->capacity;
    const pr_str text = pr_strings_add(&map->texts, bytes, length);
    if (text == PR_NO_STR || !pr_grow(&map->numbers, &map->capacity, text + (size_t)1, sizeof *map->numbers))
        return NULL;
    for (size_t i = known; i < map->capacity; i++)
        map->numbers[i] = PR_TEXTMAP_NEW;
    return &map->numbers[text];
}
