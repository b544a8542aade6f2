/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For render/sections/notes_memory.c: WASI has no long jump, so cmark's own allocator ends the program where memory
 * runs out. What it took is not freed: the memory of a call is small, and ends with the program.
 */
#include "render/sections/notes_memory.h"

bool pr_notes_try(void (*work)(cmark_mem *memory, void *context), void *context)
{
    work(cmark_get_default_mem_allocator(), context);
    return true;
}
