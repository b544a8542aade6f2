/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arena: a list of blocks, the newest is filled from its start. A block made by pr_arena_take holds one foreign
 * pointer.
 */
#include "profrender/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pr_arena_block {
    struct pr_arena_block *next;
    void *taken; /* foreign memory to free, or NULL */
    alignas(max_align_t) unsigned char bytes[];
};

enum { BLOCK_BYTES = 64 * 1024 };

static struct pr_arena_block *new_block(struct pr_arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct pr_arena_block))
        return NULL;
    struct pr_arena_block *block = calloc(1, sizeof *block + size);
    if (block)
        arena->total_bytes += sizeof *block + size;
    return block;
}

/* SIZE bytes at a multiple of ALIGN, a power of two. */
static void *alloc(struct pr_arena *arena, size_t size, size_t align)
{
    const size_t start = (arena->used + align - 1) / align * align;
    if (arena->blocks && start <= arena->size && size <= arena->size - start) {
        arena->used = start + size;
        return arena->blocks->bytes + start;
    }
    if (size > BLOCK_BYTES / 4 && arena->blocks) { /* a block of its own, after the one being filled */
        struct pr_arena_block *own = new_block(arena, size);
        if (!own)
            return NULL;
        own->next = arena->blocks->next;
        arena->blocks->next = own;
        return own->bytes;
    }
    size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct pr_arena_block *block = new_block(arena, room);
    if (!block)
        return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->size = room;
    arena->used = size;
    return block->bytes;
}

void *pr_arena_alloc(struct pr_arena *arena, size_t size)
{
    return alloc(arena, size, alignof(max_align_t));
}

void *pr_arena_array(struct pr_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return pr_arena_alloc(arena, count * size);
}

char *pr_arena_copy(struct pr_arena *arena, const void *bytes, size_t length)
{
    char *copy = length < SIZE_MAX ? alloc(arena, length + 1, 1) : NULL; /* there are many, and short */
    if (copy && length)
        memcpy(copy, bytes, length);
    return copy;
}

int pr_arena_take(struct pr_arena *arena, void *memory)
{
    if (!memory)
        return 1;
    struct pr_arena_block *holder = new_block(arena, 0);
    if (!holder) {
        free(memory);
        return 0;
    }
    holder->taken = memory;
    if (arena->blocks) {
        holder->next = arena->blocks->next;
        arena->blocks->next = holder;
    } else {
        arena->blocks = holder;
        arena->size = arena->used = 0;
    }
    return 1;
}

void pr_arena_clear(struct pr_arena *arena)
{
    for (struct pr_arena_block *block = arena->blocks; block;) {
        struct pr_arena_block *next = block->next;
        free(block->taken);
        free(block);
        block = next;
    }
    *arena = (struct pr_arena){0};
}
