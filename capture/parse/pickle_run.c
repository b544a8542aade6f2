/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearly all of a pickle is references, numbers, marks and the beginnings of containers: a loop takes runs of those
 * from the window. What is rare, fails or needs more memory is left to pickle.c, which can do all the same steps.
 */
#include "capture/base/little_endian.h"
#include "capture/parse/pickle_values.h"

enum { LONGEST_OP = 10 }; /* an integer of 8 bytes, with its opcode and length */

/* The value that has NUMBER in the memo is referred to once more. False: there is none, or it was replaced. */
static inline bool recall(struct pr_pickle *p, uint32_t number, pr_pickled *value)
{
    if (number >= p->memo_count)
        return false;
    *value = p->memo[number];
    const enum pr_pickle_tag tag = pr_tag_of(*value);
    if (tag != PR_TAG_CONTAINER)
        return tag != PR_TAG_UNSET && tag != PR_TAG_NOTHING;
    struct pr_pickle_object *object = &p->objects[pr_tag_payload(*value)];
    if (object->kind == PR_PICKLE_ABSENT)
        return false;
    object->shared = true;
    return true;
}

/* VALUE gets NUMBER. False: that is not the next one, VALUE has another one, or there is no room. */
static inline bool remember(struct pr_pickle *p, size_t number, pr_pickled value)
{
    if (number != p->memo_count || number >= p->memo_capacity || number >= UINT32_MAX)
        return false;
    if (pr_tag_of(value) == PR_TAG_CONTAINER) {
        struct pr_pickle_object *object = &p->objects[pr_tag_payload(value)];
        if (object->memo)
            return false;
        object->memo = (uint32_t)number + 1;
    }
    p->memo[p->memo_count++] = value;
    p->memo_used++;
    return true;
}

/* A container in a place that was used before. False: there is none. */
static inline bool reuse(struct pr_pickle *p, enum pr_pickle_kind kind, pr_pickled *value)
{
    if (!p->unused_count)
        return false;
    const uint32_t place = p->unused[--p->unused_count];
    p->objects[place].kind = (uint8_t)kind;
    *value = pr_tagged(PR_TAG_CONTAINER, place);
    return true;
}

/* An integer of COUNT bytes. False: it has more than one word holds, or none. */
static inline bool integer(const uint8_t *at, unsigned count, pr_pickled *value)
{
    if (!count || count > sizeof *value)
        return false;
    const unsigned unused = 64 - 8 * count;
    const int64_t number = (int64_t)(pr_le64(at) << unused) >> unused;
    *value = pr_tagged(PR_TAG_INT, (uint64_t)number);
    return number >= -PR_PICKLE_MAX_INT - 1 && number <= PR_PICKLE_MAX_INT;
}

/* The length of the step at AT, which pushes *VALUE. 0: it is another one. */
static inline unsigned value_step(struct pr_pickle *p, const uint8_t *at, pr_pickled *value)
{
    switch (*at) {
    case 'h': return recall(p, at[1], value) ? 2 : 0;
    case 'j': return recall(p, pr_le32(at + 1), value) ? 5 : 0;
    case 'K': *value = pr_tagged(PR_TAG_INT, at[1]); return 2;
    case 'M': *value = pr_tagged(PR_TAG_INT, at[1] | (uint32_t)at[2] << 8); return 3;
    case 'J': return integer(at + 1, 4, value) ? 5 : 0;
    case 0x8a: return integer(at + 2, at[1], value) ? 2 + (unsigned)at[1] : 0;
    case ']': return reuse(p, PR_PICKLE_LIST, value) ? 1 : 0;
    case '}': return reuse(p, PR_PICKLE_DICT, value) ? 1 : 0;
    default: return 0;
    }
}

/* The same for a mark at PLACE, and for what gives VALUE, the topmost one, a number. */
static inline unsigned note_step(struct pr_pickle *p, const uint8_t *at, size_t place, pr_pickled value)
{
    switch (*at) {
    case '(':
        if (p->mark_count == p->mark_capacity || pr_pickle_is_waiting(p, place))
            return 0;
        p->marks[p->mark_count++] = place;
        return 1;
    case 0x94: return remember(p, p->memo_used, value) ? 1 : 0;
    case 'q': return remember(p, at[1], value) ? 2 : 0;
    case 'r': return remember(p, pr_le32(at + 1), value) ? 5 : 0;
    default: return 0;
    }
}

void pr_pickle_run(struct pr_pickle *p)
{
    if (!p->stack_count)
        return;
    struct pr_source *src = p->scan.src;
    const uint8_t *at = src->at;
    pr_pickled *top = p->stack + p->stack_count, *const limit = p->stack + p->stack_capacity;
    while (src->end - at >= LONGEST_OP && top != limit) {
        pr_pickled value;
        unsigned length = value_step(p, at, &value);
        if (length)
            *top++ = value;
        else
            length = note_step(p, at, (size_t)(top - p->stack), top[-1]);
        if (!length)
            break;
        at += length;
    }
    p->stack_count = (size_t)(top - p->stack);
    src->at = at;
}
