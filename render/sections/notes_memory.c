/* SPDX-License-Identifier: Apache-2.0 */
/* All blocks are in a list: when one is missing, we jump out of cmark, and the others are freed. */
#include "render/sections/notes_memory.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Before the bytes of each block. */
union block {
    struct {
        union block *before, *after;
    } list;
    max_align_t align;
};

struct pool {
    union block *blocks; /* the newest */
    jmp_buf way_out;
};

static _Thread_local struct pool *pool; /* cmark calls its allocator without a context */

/* Puts BLOCK at the head of the list and returns its bytes. */
static void *enter(union block *block)
{
    if (!block)
        longjmp(pool->way_out, 1);
    block->list.before = NULL;
    block->list.after = pool->blocks;
    if (pool->blocks)
        pool->blocks->list.before = block;
    pool->blocks = block;
    return block + 1;
}

static union block *leave(void *bytes)
{
    union block *block = (union block *)bytes - 1;
    if (block->list.before)
        block->list.before->list.after = block->list.after;
    else
        pool->blocks = block->list.after;
    if (block->list.after)
        block->list.after->list.before = block->list.before;
    return block;
}

static void *allocate(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - sizeof(union block))
        return enter(NULL);
    return enter(calloc(1, sizeof(union block) + bytes));
}

static void *resize(void *bytes, size_t size)
{
    if (!bytes)
        return allocate(1, size);
    union block *old = leave(bytes), *block = size > SIZE_MAX - sizeof *old ? NULL : realloc(old, sizeof *old + size);
    if (!block)
        enter(old); /* is freed with the others */
    return enter(block);
}

static void release(void *bytes)
{
    if (bytes)
        free(leave(bytes));
}

bool pr_notes_try(void (*work)(cmark_mem *memory, void *context), void *context)
{
    cmark_mem memory = {allocate, resize, release};
    struct pool mine = {.blocks = NULL}, *const outer = pool;
    pool = &mine;
    const bool is_out = setjmp(mine.way_out);
    if (!is_out)
        work(&memory, context);
    pool = outer;
    for (union block *block = mine.blocks, *after; block; block = after) {
        after = block->list.after;
        free(block);
    }
    return !is_out;
}
