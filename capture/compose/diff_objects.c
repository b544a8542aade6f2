/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of the objects of heap dumps: V8 keeps the id of an object as long as its process runs, so an id that two
 * dumps have is one object, as in the comparison of Chrome's DevTools.
 */
#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/compose/diff_internal.h"

/*
 * Dumps of other processes use the same numbers for other objects. Of one process, the class of an id changes seldom (a
 * string's form does), and new ids are above all that were given before.
 *
 * Ids of objects of V8's heap are odd. Even ones are of native objects, and node gives these new ones for each dump:
 * unless half of them are in both dumps, they count for nothing.
 */
enum { MOST_OTHERS_PERCENT = 2 };

bool pr_diff_take_objects(struct pr_diff_parts *parts, const struct pr_profile *profile, bool is_first)
{
    struct pr_diff_heap *heap = is_first ? &parts->newest : &parts->oldest;
    free(heap->object);
    *heap = (struct pr_diff_heap){0};
    if (profile->object_count)
        heap->object = malloc(profile->object_count * sizeof *heap->object);
    if (profile->object_count && !heap->object)
        return false;
    pr_str last = 0, ours = 0;
    for (size_t i = 0; i < profile->object_count; i++) {
        heap->object[i] = profile->objects_by_id[i];
        if (!i || heap->object[i].name != last) {
            const struct pr_text name = pr_profile_text(profile, last = heap->object[i].name);
            ours = pr_strings_add(&parts->strings, name.bytes, name.length);
            if (ours == PR_NO_STR)
                return false;
        }
        heap->object[i].name = ours;
        heap->count++;
    }
    return true;
}

void pr_diff_objects_clear(struct pr_diff_parts *parts)
{
    free(parts->newest.object);
    free(parts->oldest.object);
}

static void add_object(struct pr_object_change *change, const struct pr_object *before, const struct pr_object *after)
{
    if (before && after) {
        change->kept_count++;
    } else if (after) {
        change->new_count++;
        pr_add_to(&change->new_bytes, (int64_t)after->size);
    } else {
        change->gone_count++;
        pr_add_to(&change->gone_bytes, (int64_t)before->size);
    }
}

static bool is_native(const struct pr_object *object)
{
    return !(object->id & 1);
}

static uint32_t last_id(const struct pr_diff_heap *heap)
{
    for (size_t i = heap->count; i-- > 0;)
        if (!is_native(&heap->object[i]))
            return heap->object[i].id;
    return 0;
}

/* The next id of both, and its object in each; NULL: it has none. False: there is no other. */
struct pair {
    const struct pr_diff_heap *before, *after;
    size_t b, a;
    const struct pr_object *old, *new;
};

static bool next(struct pair *pair)
{
    pair->old = pair->b < pair->before->count ? &pair->before->object[pair->b] : NULL;
    pair->new = pair->a < pair->after->count ? &pair->after->object[pair->a] : NULL;
    if (pair->old && pair->new && pair->old->id < pair->new->id)
        pair->new = NULL;
    else if (pair->old && pair->new && pair->old->id > pair->new->id)
        pair->old = NULL;
    pair->b += pair->old != NULL;
    pair->a += pair->new != NULL;
    return pair->old || pair->new;
}

struct check {
    uint64_t kept, other, new, new_below, gone, gone_below, native, native_kept;
};

static struct check look(const struct pr_diff_heap *before, const struct pr_diff_heap *after)
{
    const uint32_t last_before = last_id(before), last_after = last_id(after);
    struct check check = {0};
    for (struct pair pair = {.before = before, .after = after}; next(&pair);) {
        const struct pr_object *old = pair.old, *new = pair.new;
        if (is_native(old ? old : new)) {
            check.native++;
            check.native_kept += old && new;
        } else if (old && new) {
            check.kept++;
            check.other += old->name != new->name;
        } else if (new) {
            check.new++;
            check.new_below += new->id < last_before;
        } else {
            check.gone++;
            check.gone_below += old->id < last_after;
        }
    }
    return check;
}

static bool is_few(uint64_t part, uint64_t whole)
{
    return part <= whole / 100 * MOST_OTHERS_PERCENT + whole % 100 * MOST_OTHERS_PERCENT / 100;
}

/* Dumps of one process, whichever was first. */
static bool are_of_one_process(const struct check *check)
{
    return check->kept && is_few(check->other, check->kept) &&
           (is_few(check->new_below, check->new) || is_few(check->gone_below, check->gone));
}

static int by_growth(const void *a, const void *b, const void *context)
{
    const struct pr_object_change *x = a, *y = b;
    const int64_t of_x = x->new_bytes - x->gone_bytes, of_y = y->new_bytes - y->gone_bytes;
    (void)context;
    return of_x != of_y                         ? PR_ORDER(of_y, of_x)
           : x->new_bytes != y->new_bytes       ? PR_ORDER(y->new_bytes, x->new_bytes)
           : x->new_count != y->new_count       ? PR_ORDER(y->new_count, x->new_count)
                                                : PR_ORDER(x->name, y->name);
}

bool pr_diff_make_objects(struct pr_diff *diff)
{
    struct pr_diff_parts *parts = diff->parts;
    struct pr_profile *made = diff->profile;
    const struct pr_diff_heap *before = &parts->oldest, *after = &parts->newest;
    if (!before->count || !after->count)
        return true;
    const uint32_t names = parts->strings.count;
    struct pr_object_change *changes = pr_arena_array(&made->arena, names, sizeof *changes);
    if (!changes)
        return false;
    const struct check check = look(before, after);
    if (!are_of_one_process(&check))
        return true;
    const bool has_native = check.native_kept * 2 >= check.native;
    for (struct pair pair = {.before = before, .after = after}; next(&pair);)
        if (has_native || !is_native(pair.old ? pair.old : pair.new))
            add_object(&changes[pair.new ? pair.new->name : pair.old->name], pair.old, pair.new);
    size_t count = 0;
    for (uint32_t i = 0; i < names; i++) {
        const struct pr_object_change change = changes[i];
        if (!change.new_count && !change.gone_count && !change.kept_count)
            continue;
        changes[count] = change;
        changes[count++].name = i;
    }
    made->object_changes = changes;
    made->object_change_count = count;
    return pr_sort(changes, count, sizeof *changes, by_growth, NULL);
}
