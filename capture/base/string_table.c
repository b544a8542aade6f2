/* SPDX-License-Identifier: Apache-2.0 */
/* String table: texts in an arena, found through open addressing over their numbers. */
#include "profrender/string_table.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Where the string is, or the free slot where it belongs. */
static struct pr_string_slot *find(const struct pr_strings *table, const void *bytes, size_t length, uint32_t hash)
{
    uint32_t mask = table->slot_count - 1;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        struct pr_string_slot *slot = &table->slots[at];
        if (!slot->number)
            return slot;
        if (slot->hash != hash)
            continue;
        const struct pr_text *text = &table->text[slot->number - 1];
        if (text->length == length && !memcmp(text->bytes, bytes, length))
            return slot;
    }
}

static bool is_full(const struct pr_strings *table)
{
    return table->count >= table->slot_count / 4 * 3;
}

static bool grow_slots(struct pr_strings *table)
{
    uint32_t count = table->slot_count ? table->slot_count * 2 : 1024, mask = count - 1;
    struct pr_string_slot *slots = count ? calloc(count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    if (!table->slot_count)
        table->salt = pr_hash_new_salt();
    for (uint32_t i = 0; i < table->slot_count; i++) {
        const struct pr_string_slot slot = table->slots[i];
        uint32_t at = slot.hash & mask;
        while (slot.number && slots[at].number)
            at = (at + 1) & mask;
        if (slot.number)
            slots[at] = slot;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    return true;
}

pr_str pr_strings_add(struct pr_strings *table, const void *bytes, size_t length)
{
    if (length > UINT32_MAX - 1)
        return PR_NO_STR;
    if (!length && table->count)
        return 0;
    if (is_full(table) && !grow_slots(table))
        return PR_NO_STR;
    const uint32_t hash = (uint32_t)pr_hash_salted(bytes, length, table->salt);
    struct pr_string_slot *slot = find(table, bytes, length, hash);
    if (slot->number)
        return slot->number - 1;
    if (table->count >= PR_NO_STR - 1 ||
        !pr_grow(&table->text, &table->capacity, table->count + (size_t)1, sizeof *table->text))
        return PR_NO_STR;
    char *copy = pr_arena_copy(&table->arena, bytes, length);
    if (!copy)
        return PR_NO_STR;
    table->text[table->count] = (struct pr_text){copy, (uint32_t)length};
    *slot = (struct pr_string_slot){++table->count, hash};
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
