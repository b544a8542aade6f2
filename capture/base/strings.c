/* SPDX-License-Identifier: Apache-2.0 */
/* String table: texts in an arena, found through open addressing over their numbers. */
#include "capture/base/strings.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *find(const struct pr_strings *table, const void *bytes, size_t length)
{
    uint32_t mask = table->slot_count - 1;
    for (uint32_t at = (uint32_t)pr_hash_bytes(bytes, length) & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &table->slots[at];
        if (!*slot)
            return slot;
        const struct pr_text *text = &table->text[*slot - 1];
        if (text->length == length && !memcmp(text->bytes, bytes, length))
            return slot;
    }
}

static bool grow_slots(struct pr_strings *table)
{
    uint32_t count = table->slot_count ? table->slot_count * 2 : 1024;
    uint32_t *slots = count ? calloc(count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    for (uint32_t i = 0; i < table->count; i++)
        *find(table, table->text[i].bytes, table->text[i].length) = i + 1;
    return true;
}

pr_str pr_strings_add(struct pr_strings *table, const void *bytes, size_t length)
{
    if (length > UINT32_MAX - 1)
        return PR_NO_STR;
    if (!length && table->count)
        return 0;
    if (table->count >= table->slot_count / 2 && !grow_slots(table))
        return PR_NO_STR;
    uint32_t *slot = find(table, bytes, length);
    if (*slot)
        return *slot - 1;
    if (table->count >= PR_NO_STR - 1 ||
        !pr_grow(&table->text, &table->capacity, table->count + (size_t)1, sizeof *table->text))
        return PR_NO_STR;
    char *copy = pr_arena_copy(&table->arena, bytes, length);
    if (!copy)
        return PR_NO_STR;
    table->text[table->count] = (struct pr_text){copy, (uint32_t)length};
    *slot = ++table->count;
    return table->count - 1;
}

enum pr_status pr_strings_init(struct pr_strings *table, struct pr_error *err)
{
    *table = (struct pr_strings){0};
    if (pr_strings_add(table, "", 0) == PR_NO_STR) {
        pr_strings_clear(table);
        return pr_fail_memory(err);
    }
    return PR_OK;
}

struct pr_text pr_strings_get(const struct pr_strings *table, pr_str string)
{
    if (string >= table->count)
        return (struct pr_text){"", 0};
    return table->text[string];
}

void pr_strings_clear(struct pr_strings *table)
{
    pr_arena_clear(&table->arena);
    free(table->text);
    free(table->slots);
    *table = (struct pr_strings){0};
}

int pr_text_compare(struct pr_text a, struct pr_text b)
{
    uint32_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.bytes, b.bytes, shorter) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}
