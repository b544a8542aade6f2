/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a pickle: one word each, containers in a table. A container that the caller takes gives its place to the
 * next one, unless something else may still refer to it; the memo is told what became of it.
 */
#include "capture/parse/pickle_values.h"

#include "capture/base/checked.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

enum { KEPT_ITEMS = 64 }; /* the room that an unused container keeps */

pr_pickled pr_pickle_broken(struct pr_pickle *p, enum pr_error_code code, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!p->scan.failed)
        pr_cut(p->scan.err, code, p->scan.record_offset, p->scan.doing, "%s", text);
    p->scan.failed = true;
    return PR_PICKLE_NOTHING;
}

void pr_pickle_no_memory(struct pr_pickle *p)
{
    if (!p->scan.failed)
        pr_fail_memory(p->scan.err);
    p->scan.failed = true;
    p->no_memory = true;
}

bool pr_pickle_room(struct pr_pickle *p, void *array, size_t *capacity, size_t need, size_t size)
{
    const size_t before = *capacity;
    if (need <= before)
        return true;
    if (p->used_bytes + (need - before) * size > PR_PICKLE_MAX_BYTES) {
        pr_pickle_broken(p, PR_ERR_LIMIT, "it has more in memory at once than %d MiB", PR_PICKLE_MAX_BYTES >> 20);
        return false;
    }
    if (!pr_grow(array, capacity, need, size)) {
        pr_pickle_no_memory(p);
        return false;
    }
    p->used_bytes += (*capacity - before) * size;
    return true;
}

pr_pickled pr_pickle_pop(struct pr_pickle *p)
{
    const size_t floor = p->mark_count ? p->marks[p->mark_count - 1] : 0;
    if (p->stack_count <= floor)
        return pr_pickle_broken(p, PR_ERR_DAMAGED, "a value is missing");
    return p->stack[--p->stack_count];
}

/* ---- scalars ---------------------------------------------------------------------------------------------------- */

static pr_pickled make_wide(struct pr_pickle *p, enum pr_pickle_tag tag, uint64_t word)
{
    if (p->scan.failed || !pr_pickle_room(p, &p->wide, &p->wide_capacity, p->wide_count + 1, sizeof *p->wide))
        return PR_PICKLE_NOTHING;
    p->wide[p->wide_count] = word;
    return pr_tagged(tag, p->wide_count++);
}

pr_pickled pr_pickle_make_int(struct pr_pickle *p, int64_t value)
{
    if (value >= -PR_PICKLE_MAX_INT - 1 && value <= PR_PICKLE_MAX_INT)
        return pr_tagged(PR_TAG_INT, (uint64_t)value);
    return make_wide(p, PR_TAG_WIDE, (uint64_t)value);
}

pr_pickled pr_pickle_make_float(struct pr_pickle *p, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return make_wide(p, PR_TAG_FLOAT, word);
}

pr_pickled pr_pickle_make_string(struct pr_pickle *p, enum pr_pickle_tag tag, const void *bytes, size_t length)
{
    if (p->scan.failed)
        return PR_PICKLE_NOTHING;
    const pr_str string = pr_strings_add(p->strings, bytes, length);
    if (string != PR_NO_STR)
        return pr_tagged(tag, string);
    pr_pickle_no_memory(p);
    return PR_PICKLE_NOTHING;
}

/* ---- containers ------------------------------------------------------------------------------------------------- */

static struct pr_pickle_object *object_of(const struct pr_pickle *p, pr_pickled value)
{
    if (pr_tag_of(value) != PR_TAG_CONTAINER)
        return NULL;
    assert(pr_tag_payload(value) < p->object_count);
    return &p->objects[pr_tag_payload(value)];
}

pr_pickled pr_pickle_make_container(struct pr_pickle *p, enum pr_pickle_kind kind)
{
    if (p->scan.failed)
        return PR_PICKLE_NOTHING;
    if (p->unused_count) {
        const uint32_t place = p->unused[--p->unused_count];
        p->objects[place].kind = (uint8_t)kind;
        return pr_tagged(PR_TAG_CONTAINER, place);
    }
    if (!pr_pickle_room(p, &p->objects, &p->object_capacity, p->object_count + 1, sizeof *p->objects))
        return PR_PICKLE_NOTHING;
    p->objects[p->object_count] = (struct pr_pickle_object){.kind = (uint8_t)kind};
    return pr_tagged(PR_TAG_CONTAINER, p->object_count++);
}

static void drop_items(struct pr_pickle *p, struct pr_pickle_object *object, uint32_t most)
{
    object->count = 0;
    if (object->capacity <= most)
        return;
    p->used_bytes -= (uint64_t)object->capacity * sizeof *object->items;
    free(object->items);
    object->items = NULL;
    object->capacity = 0;
}

/* The container VALUE is from now on BY. */
static void replace(struct pr_pickle *p, pr_pickled value, pr_pickled by)
{
    const uint32_t place = (uint32_t)pr_tag_payload(value);
    struct pr_pickle_object *object = &p->objects[place];
    object->kind = PR_PICKLE_ABSENT;
    if (object->memo)
        p->memo[object->memo - 1] = by;
    if (object->shared) {
        drop_items(p, object, 0);
        object->replaced = by;
        return;
    }
    drop_items(p, object, KEPT_ITEMS);
    object->memo = 0;
    if (pr_pickle_room(p, &p->unused, &p->unused_capacity, p->unused_count + 1, sizeof *p->unused))
        p->unused[p->unused_count++] = place;
}

/* What VALUE has become. */
static pr_pickled current(const struct pr_pickle *p, pr_pickled value)
{
    const struct pr_pickle_object *object = object_of(p, value);
    return object && object->kind == PR_PICKLE_ABSENT ? object->replaced : value;
}

pr_pickled pr_pickle_taken(struct pr_pickle *p, pr_pickled container, pr_pickled value)
{
    value = current(p, value);
    if (!p->rules->take || pr_tag_of(value) != PR_TAG_CONTAINER)
        return value;
    const pr_pickled by = p->rules->take(p->rules->context, container, value);
    if (by != value)
        replace(p, value, by);
    return by;
}

/* CONTAINER with room for COUNT more parts; NULL: there is no room, or it was replaced. */
static struct pr_pickle_object *with_room(struct pr_pickle *p, pr_pickled container, size_t count)
{
    struct pr_pickle_object *object = object_of(p, container);
    if (!object || object->kind == PR_PICKLE_ABSENT || (p->scan.failed && !p->closing) ||
        count > UINT32_MAX - 2 - object->count)
        return NULL;
    size_t capacity = object->capacity;
    if (!pr_pickle_room(p, &object->items, &capacity, object->count + count, sizeof *object->items))
        return NULL;
    object->capacity = (uint32_t)capacity;
    return object;
}

bool pr_pickle_add(struct pr_pickle *p, pr_pickled container, pr_pickled value)
{
    struct pr_pickle_object *object = with_room(p, container, 1);
    if (object)
        object->items[object->count++] = value;
    return object;
}

/* A part as the caller wants it. */
static inline pr_pickled part(struct pr_pickle *p, pr_pickled container, pr_pickled item)
{
    return pr_tag_of(item) == PR_TAG_CONTAINER ? pr_pickle_taken(p, container, item) : item;
}

/* OBJECT, which is CONTAINER, has room for all parts; NULL: they are dropped, as after it was taken as its own part. */
static void fill_list(struct pr_pickle *p, struct pr_pickle_object *object, pr_pickled container, size_t from)
{
    for (size_t i = from; i < p->stack_count; i++) {
        const pr_pickled value = part(p, container, p->stack[i]);
        if (value != PR_PICKLE_NOTHING && object && object->kind != PR_PICKLE_ABSENT)
            object->items[object->count++] = value;
    }
}

static void fill_pairs(struct pr_pickle *p, struct pr_pickle_object *object, pr_pickled container, size_t from)
{
    for (size_t i = from; i + 1 < p->stack_count; i += 2) {
        const pr_pickled value = part(p, container, p->stack[i + 1]);
        if (value == PR_PICKLE_NOTHING || !object || object->kind == PR_PICKLE_ABSENT)
            continue;
        object->items[object->count++] = p->stack[i];
        object->items[object->count++] = value;
    }
}

void pr_pickle_fill(struct pr_pickle *p, pr_pickled container, size_t from)
{
    struct pr_pickle_object *object =
        p->stack_count > from ? with_room(p, container, p->stack_count - from) : NULL;
    if (pr_pickle_kind(p, container) == PR_PICKLE_DICT)
        fill_pairs(p, object, container, from);
    else
        fill_list(p, object, container, from);
    if (p->stack_count > from)
        p->stack_count = from;
}

pr_pickled pr_pickle_make_tuple(struct pr_pickle *p, const pr_pickled *items, size_t count)
{
    const pr_pickled tuple = pr_pickle_make_container(p, PR_PICKLE_TUPLE);
    for (size_t i = 0; i < count && tuple != PR_PICKLE_NOTHING; i++) {
        const pr_pickled item = pr_pickle_taken(p, tuple, items[i]);
        if (item != PR_PICKLE_NOTHING)
            pr_pickle_add(p, tuple, item);
    }
    return pr_pickle_taken(p, PR_PICKLE_NOTHING, tuple);
}

/* ---- the memo --------------------------------------------------------------------------------------------------- */

void pr_pickle_share(struct pr_pickle *p, pr_pickled value)
{
    struct pr_pickle_object *object = object_of(p, value);
    if (object)
        object->shared = true;
}

void pr_pickle_remember(struct pr_pickle *p, uint64_t number)
{
    if (p->scan.failed || !p->stack_count) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "there is nothing to remember");
        return;
    }
    /* Each number was given to an object, and each object takes a byte. */
    if (number > pr_source_offset(p->scan.src)) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a value gets a number that is too high");
        return;
    }
    if (!pr_pickle_room(p, &p->memo, &p->memo_capacity, (size_t)number + 1, sizeof *p->memo))
        return;
    while (p->memo_count <= number)
        p->memo[p->memo_count++] = pr_tagged(PR_TAG_UNSET, 0);
    const pr_pickled value = p->stack[p->stack_count - 1];
    struct pr_pickle_object *object = object_of(p, value), *old = object_of(p, p->memo[number]);
    if (old && old->memo == number + 1)
        old->memo = 0;
    if (object && object->memo)
        object->shared = true;
    else if (object && number < UINT32_MAX)
        object->memo = (uint32_t)number + 1;
    p->memo_used += pr_tag_of(p->memo[number]) == PR_TAG_UNSET;
    p->memo[number] = value;
}

void pr_pickle_recall(struct pr_pickle *p, uint64_t number)
{
    if (number >= p->memo_count || pr_tag_of(p->memo[number]) == PR_TAG_UNSET) {
        pr_pickle_broken(p, PR_ERR_DAMAGED, "a reference leads to no value");
        return;
    }
    const pr_pickled value = current(p, p->memo[number]);
    if (value == PR_PICKLE_NOTHING)
        pr_damage_add(p->damage, PR_DAMAGE_RECORDS, 1, p->scan.record_offset);
    pr_pickle_share(p, value);
    pr_pickle_push(p, value);
}

/* ---- what was read ---------------------------------------------------------------------------------------------- */

enum pr_pickle_kind pr_pickle_kind(const struct pr_pickle *p, pr_pickled value)
{
    static const enum pr_pickle_kind kinds[] = {
        [PR_TAG_NOTHING] = PR_PICKLE_ABSENT, [PR_TAG_NONE] = PR_PICKLE_NONE,     [PR_TAG_BOOL] = PR_PICKLE_BOOL,
        [PR_TAG_INT] = PR_PICKLE_INT,        [PR_TAG_WIDE] = PR_PICKLE_INT,      [PR_TAG_FLOAT] = PR_PICKLE_FLOAT,
        [PR_TAG_STRING] = PR_PICKLE_STRING,  [PR_TAG_BYTES] = PR_PICKLE_BYTES,   [PR_TAG_CLASS] = PR_PICKLE_CLASS,
        [PR_TAG_HANDLE] = PR_PICKLE_HANDLE,  [PR_TAG_CONTAINER] = PR_PICKLE_ABSENT, [PR_TAG_UNSET] = PR_PICKLE_ABSENT};
    const pr_pickled now = current(p, value);
    const struct pr_pickle_object *object = object_of(p, now);
    return object ? (enum pr_pickle_kind)object->kind : kinds[pr_tag_of(now)];
}

const pr_pickled *pr_pickle_items(const struct pr_pickle *p, pr_pickled value, uint32_t *count)
{
    const struct pr_pickle_object *object = object_of(p, value);
    *count = object ? object->count : 0;
    return object ? object->items : NULL;
}

pr_pickled pr_pickle_find(const struct pr_pickle *p, pr_pickled dict, pr_str key)
{
    const struct pr_pickle_object *object = object_of(p, dict);
    if (!object || object->kind != PR_PICKLE_DICT)
        return PR_PICKLE_NOTHING;
    assert(object->count % 2 == 0);
    for (uint32_t i = object->count; i >= 2; i -= 2)
        if (object->items[i - 2] == pr_tagged(PR_TAG_STRING, key))
            return current(p, object->items[i - 1]);
    return PR_PICKLE_NOTHING;
}

void pr_pickle_find_all(const struct pr_pickle *p, pr_pickled dict, struct pr_pickle_keys keys, pr_pickled *values,
                        size_t count)
{
    const struct pr_pickle_object *object = object_of(p, dict);
    memset(values, 0, count * sizeof *values); /* PR_PICKLE_NOTHING */
    if (!object || object->kind != PR_PICKLE_DICT)
        return;
    assert(object->count % 2 == 0);
    for (uint32_t i = 0; i < object->count; i += 2) {
        const pr_pickled key = object->items[i];
        const uint64_t string = pr_tag_payload(key);
        if (pr_tag_of(key) != PR_TAG_STRING || string >= keys.limit || keys.places[string] == PR_PICKLE_NO_KEY)
            continue;
        assert(keys.places[string] < count);
        values[keys.places[string]] = current(p, object->items[i + 1]);
    }
}

bool pr_pickle_handles(const struct pr_pickle *p, pr_pickled container, uint32_t *numbers)
{
    uint32_t count;
    const pr_pickled *items = pr_pickle_items(p, container, &count);
    uint64_t others = 0;
    for (uint32_t i = 0; i < count; i++) {
        others |= pr_tag_of(items[i]) ^ PR_TAG_HANDLE;
        numbers[i] = (uint32_t)pr_tag_payload(items[i]);
    }
    return !others;
}

bool pr_pickle_integer(const struct pr_pickle *p, pr_pickled value, int64_t *integer)
{
    const enum pr_pickle_tag tag = pr_tag_of(value);
    *integer = 0;
    if (tag == PR_TAG_INT)
        *integer = (int64_t)(value << (64 - PR_TAG_SHIFT)) >> (64 - PR_TAG_SHIFT);
    else if (tag == PR_TAG_WIDE)
        *integer = (int64_t)p->wide[pr_tag_payload(value)];
    else if (tag == PR_TAG_BOOL)
        *integer = (int64_t)pr_tag_payload(value);
    return tag == PR_TAG_INT || tag == PR_TAG_WIDE || tag == PR_TAG_BOOL;
}

bool pr_pickle_real(const struct pr_pickle *p, pr_pickled value, double *real)
{
    int64_t integer;
    if (pr_tag_of(value) == PR_TAG_FLOAT) {
        memcpy(real, &p->wide[pr_tag_payload(value)], sizeof *real);
        return true;
    }
    const bool is_integer = pr_pickle_integer(p, value, &integer);
    *real = (double)integer;
    return is_integer;
}

bool pr_pickle_string(const struct pr_pickle *p, pr_pickled value, pr_str *string)
{
    const enum pr_pickle_tag tag = pr_tag_of(value);
    (void)p;
    *string = tag == PR_TAG_STRING || tag == PR_TAG_BYTES ? (pr_str)pr_tag_payload(value) : 0;
    return tag == PR_TAG_STRING || tag == PR_TAG_BYTES;
}

struct pr_text pr_pickle_class(const struct pr_pickle *p, pr_pickled value)
{
    const struct pr_pickle_object *object = object_of(p, value);
    if (object && object->kind == PR_PICKLE_OBJECT && object->count)
        value = object->items[0];
    return pr_strings_get(p->strings, pr_tag_of(value) == PR_TAG_CLASS ? (pr_str)pr_tag_payload(value) : 0);
}

pr_pickled pr_pickle_handle(uint32_t number)
{
    return pr_tagged(PR_TAG_HANDLE, number);
}

bool pr_pickle_is_handle(pr_pickled value, uint32_t *number)
{
    *number = (uint32_t)pr_tag_payload(value);
    return pr_tag_of(value) == PR_TAG_HANDLE;
}
