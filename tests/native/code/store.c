/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates in functions of all kinds: exported and not, inlined, recursive, and with callbacks into Python. */
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))
#define APART __attribute__((noinline))

typedef void *callback(long);
void *make(long size, int seen);
void *recurse(long size, int depth);
void *call_back(callback *python, long size);
void give_back(void *memory);
void *outer(long size);

INLINE void *innermost(long size)
{
    return malloc((size_t)size);
}

INLINE void *middle(long size)
{
    char *memory = innermost(size);
    if (memory)
        memory[0] = 1;
    return memory;
}

APART void *outer(long size)
{
    char *memory = middle(size);
    if (memory)
        memory[1] = 2;
    return memory;
}

static APART void *hidden(long size)
{
    char *memory = calloc(1, (size_t)size);
    if (memory)
        memory[0] = 3;
    return memory;
}

void *make(long size, int seen)
{
    char *memory = seen ? outer(size) : hidden(size);
    if (memory)
        memory[2] = 4;
    return memory;
}

void *recurse(long size, int depth)
{
    char *memory = depth ? recurse(size, depth - 1) : outer(size);
    if (memory)
        memory[3] = 5;
    return memory;
}

void *call_back(callback *python, long size)
{
    void *first = python(size), *second = outer(size + 1);
    return second ? second : first;
}

void give_back(void *memory)
{
    free(memory);
}
