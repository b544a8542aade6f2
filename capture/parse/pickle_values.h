/* SPDX-License-Identifier: Apache-2.0 */
/* How pickle.c makes and keeps values; for it alone. What fails is in p->scan, and later calls do nothing. */
#ifndef PR_CAPTURE_PARSE_PICKLE_VALUES_H
#define PR_CAPTURE_PARSE_PICKLE_VALUES_H

#include "capture/parse/pickle.h"

enum pr_pickle_tag {
    PR_TAG_NOTHING,
    PR_TAG_NONE,
    PR_TAG_BOOL,
    PR_TAG_INT,  /* 60 bits */
    PR_TAG_WIDE, /* place of an integer in `wide` */
    PR_TAG_FLOAT,
    PR_TAG_STRING,
    PR_TAG_BYTES,
    PR_TAG_CLASS,
    PR_TAG_HANDLE,
    PR_TAG_CONTAINER, /* place in `objects` */
    PR_TAG_UNSET      /* in the memo: never set */
};

enum { PR_TAG_SHIFT = 60 };

#define PR_PICKLE_MAX_INT ((INT64_C(1) << (PR_TAG_SHIFT - 1)) - 1)

enum { PR_PICKLE_MOST_WAITING = 1 << 16 }; /* values above a mark, before some of them are added early */

static inline pr_pickled pr_tagged(enum pr_pickle_tag tag, uint64_t payload)
{
    return (uint64_t)tag << PR_TAG_SHIFT | (payload & ((UINT64_C(1) << PR_TAG_SHIFT) - 1));
}

static inline enum pr_pickle_tag pr_tag_of(pr_pickled value)
{
    return (enum pr_pickle_tag)(value >> PR_TAG_SHIFT);
}

static inline uint64_t pr_tag_payload(pr_pickled value)
{
    return value & ((UINT64_C(1) << PR_TAG_SHIFT) - 1);
}

/* Ends the reading: what came before is good. Returns PR_PICKLE_NOTHING. */
pr_pickled pr_pickle_broken(struct pr_pickle *p, enum pr_error_code code, const char *format, ...) PR_PRINTF(3, 4);

void pr_pickle_no_memory(struct pr_pickle *p);

/* Room for NEED elements, within the limit. False: there is none, and the reading ends. */
bool pr_pickle_room(struct pr_pickle *p, void *array, size_t *capacity, size_t need, size_t size);

static inline void pr_pickle_push(struct pr_pickle *p, pr_pickled value)
{
    const bool fits = p->stack_count < p->stack_capacity;
    if (p->scan.failed ||
        (!fits && !pr_pickle_room(p, &p->stack, &p->stack_capacity, p->stack_count + 1, sizeof *p->stack)))
        return;
    p->stack[p->stack_count++] = value;
}

/* Whether the last mark has so many values above it that a mark at PLACE should not be set before some are added. */
static inline bool pr_pickle_is_waiting(const struct pr_pickle *p, size_t place)
{
    return p->mark_count && place - p->marks[p->mark_count - 1] >= PR_PICKLE_MOST_WAITING;
}

/*
 * Takes what can be taken at once: references, numbers, marks, memo numbers, containers that begin. Stops before
 * anything else, before what fails, and near the end of the window.
 */
void pr_pickle_run(struct pr_pickle *p);

/* The topmost value above the last mark, taken off. PR_PICKLE_NOTHING with the reading ended: there is none. */
pr_pickled pr_pickle_pop(struct pr_pickle *p);

pr_pickled pr_pickle_make_int(struct pr_pickle *p, int64_t value);
pr_pickled pr_pickle_make_float(struct pr_pickle *p, double value);
pr_pickled pr_pickle_make_string(struct pr_pickle *p, enum pr_pickle_tag tag, const void *bytes, size_t length);
pr_pickled pr_pickle_make_container(struct pr_pickle *p, enum pr_pickle_kind kind);

/* A tuple of COUNT values, shown to the caller. */
pr_pickled pr_pickle_make_tuple(struct pr_pickle *p, const pr_pickled *items, size_t count);

/* VALUE as the caller wants it in CONTAINER. */
pr_pickled pr_pickle_taken(struct pr_pickle *p, pr_pickled container, pr_pickled value);

/* The values from FROM on become parts of CONTAINER, as the caller wants them, and leave the stack. */
void pr_pickle_fill(struct pr_pickle *p, pr_pickled container, size_t from);

/* Adds VALUE to CONTAINER, as it is. False: it was not added. */
bool pr_pickle_add(struct pr_pickle *p, pr_pickled container, pr_pickled value);

void pr_pickle_remember(struct pr_pickle *p, uint64_t number);
void pr_pickle_recall(struct pr_pickle *p, uint64_t number);

/* VALUE is now referred to from one more place. */
void pr_pickle_share(struct pr_pickle *p, pr_pickled value);

#endif
