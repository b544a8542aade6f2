/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for cmark, which has no way to report that it got none: its own allocator ends the program.
 *
 *     if (!pr_notes_try(work, &mine)) // work(memory, &mine) parses with cmark_parser_new_with_mem
 *         return pr_fail_memory(err);
 *
 * Source: cmark 0.30, src/cmark.c (xcalloc, xrealloc) and src/cmark.h (cmark_mem).
 */
#ifndef PR_RENDER_SECTIONS_NOTES_MEMORY_H
#define PR_RENDER_SECTIONS_NOTES_MEMORY_H

#include <cmark.h>
#include <stdbool.h>

/*
 * Calls WORK; what it takes from MEMORY is freed when this returns. False: there was too little, and WORK was left in
 * the middle: what it allocates by other means must be the context's.
 */
bool pr_notes_try(void (*work)(cmark_mem *memory, void *context), void *context);

#endif
