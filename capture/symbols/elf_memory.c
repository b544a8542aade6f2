/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfutils when memory runs out. libdw would end the process, unless it is given a handler, which must not return: ours
 * jumps out of libdw, to who asked it. It is called between changes of libdw's state, and with none of its locks held,
 * so what it was asked about can still be freed; no more than that.
 *
 * The tables of abbreviations, one for each unit, are what libdw takes memory for without a check and without the
 * handler. They are small, so whoever lets libdw make some asks first whether there is room for them.
 * Source: elfutils, libdw/libdw_alloc.c, libdw/libdw_findcu.c, lib/dynamicsizehash_concurrent.c.
 */
#include "capture/symbols/elf_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>

enum { ROOM_BYTES = 1 << 20 /* for the abbreviations of a unit: 16,000 of them */ };

static _Thread_local jmp_buf *way_out;

__attribute__((noreturn)) static void leave(void) /* _Noreturn is no part of the type for every compiler */
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
        left = errno == ENOMEM; /* what elfutils makes of it is often the same as of a file that has nothing to say */
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
