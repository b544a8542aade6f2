/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfutils when memory runs out. libdw would end the process, unless it is given a handler, which must not return: ours
 * jumps out of libdw to the caller. It is called between changes of libdw's state, and with none of its locks held, so
 * libdw's objects can still be freed, but nothing else.
 *
 * libdw allocates the abbreviation tables, one for each unit, without a check and without the handler. They are small,
 * so callers that let libdw make some first check that there is room.
 * Source: elfutils, libdw/libdw_alloc.c, libdw/libdw_findcu.c, lib/dynamicsizehash_concurrent.c.
 */
#include "capture/symbols/elf_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>

enum { ROOM_BYTES = 1 << 20 /* for the abbreviations of a unit: 16,000 of them */ };

static _Thread_local jmp_buf *way_out;

__attribute__((noreturn)) static void leave(void) /* _Noreturn is not part of the type for every compiler */
{
    longjmp(*way_out, 1);
}

bool pr_elf_try(void (*work)(void *context), void *context)
{
    jmp_buf here, *const before = way_out;
    bool left = setjmp(here);
    if (!left) {
        way_out = &here;
        errno = 0;
        work(context);
        left = errno == ENOMEM; /* elfutils often reports it like a file that has no information */
    }
    way_out = before;
    return !left;
}

void pr_elf_watch(Dwarf *dwarf)
{
    dwarf_new_oom_handler(dwarf, leave);
    Dwarf *shared = dwarf_getalt(dwarf);
    if (shared)
        dwarf_new_oom_handler(shared, leave);
}

bool pr_elf_has_room(void)
{
    void *volatile room = malloc(ROOM_BYTES);
    const bool has_room = room;
    free(room);
    return has_room;
}
