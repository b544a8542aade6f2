/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long Python objects lived, by the stack that made them: memray's object records.
 *
 * The records have no time; the memory samples between them have. An object lived from the last sample before its
 * creation to the last one before its destruction, so a life is known to about one interval between samples. Lives of a
 * fact are kept as a histogram with PR_LIFE_DIGITS binary digits: below 1.6 % of error, and memory for each (fact,
 * length) instead of each object. What is kept for each object is one entry while it is alive.
 *
 * It runs on the reader's core, as capture/heap/alloc_counters.h does.
 */
#ifndef PR_CAPTURE_HEAP_OBJECT_LIVES_H
#define PR_CAPTURE_HEAP_OBJECT_LIVES_H

#include "capture/builder/stack_table.h"
#include "capture/heap/live_set.h"

enum { PR_LIFE_DIGITS = 7 };

struct pr_object_lives {
    struct pr_liveset live;  /* `size` of an entry: when it was made, in ms of now_ms */
    struct pr_idset kinds;   /* (fact, length of life) */
    struct pr_life *lives;   /* [kinds.count] */
    size_t life_capacity;
    int64_t *created, *alive; /* [fact_capacity] */
    size_t fact_capacity;
    uint64_t samples, now_ms; /* since the start of the run */
    uint64_t destroyed, replaced, older;
};

bool pr_object_lives_init(struct pr_object_lives *lives); /* false: out of memory */
void pr_object_lives_clear(struct pr_object_lives *lives);

/* Time goes on: a memory sample, MS after the start. Time never goes back; a sample that does is counted only. */
void pr_object_lives_sample(struct pr_object_lives *lives, uint64_t ms);

/* An object at ADDRESS was made by FACT. False: out of memory. */
bool pr_object_lives_create(struct pr_object_lives *lives, uint32_t fact, uint64_t address);

/* The object at ADDRESS is gone; one that was made before the recording began counts as `older`. */
bool pr_object_lives_destroy(struct pr_object_lives *lives, uint64_t address);

/* Room for COUNT facts, so that `created` and `alive` can be columns. False: out of memory. */
bool pr_object_lives_reach(struct pr_object_lives *lives, uint32_t count);

/* Fills `objects` of the builder's profile, after pr_stacks_finish. False: out of memory. */
bool pr_object_lives_finish(const struct pr_object_lives *lives, const struct pr_stack_table *builder);

#endif
