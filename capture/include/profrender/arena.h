/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is freed all at once.
 *
 * An arena hands out pieces of big blocks and frees them together, so that error paths need no ladder of frees.
 * Pieces are aligned for any type, and zero-filled.
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_ARENA_H
#define PR_API_ARENA_H

#include <stddef.h>

struct pr_arena {
    struct pr_arena_block *blocks; /* newest first */
    size_t used, size;             /* of the newest block */
    size_t total_bytes;            /* taken from the system so far */
};

/* SIZE zeroed bytes, owned by the arena; NULL when out of memory. SIZE 0 gives a valid pointer. */
void *pr_arena_alloc(struct pr_arena *arena, size_t size);

/* COUNT zeroed elements; NULL when out of memory or when COUNT * SIZE does not fit. */
void *pr_arena_array(struct pr_arena *arena, size_t count, size_t size);

/* A copy of LENGTH bytes, followed by a NUL. */
char *pr_arena_copy(struct pr_arena *arena, const void *bytes, size_t length);

/*
 * Takes over MEMORY (from malloc, may be NULL): it is freed with the arena, or right away on failure. False: no memory.
 */
int pr_arena_take(struct pr_arena *arena, void *memory);

/* Frees everything; the arena is then empty and usable. */
void pr_arena_clear(struct pr_arena *arena);

#endif
