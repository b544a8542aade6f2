/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/self_code.h"

#include <link.h>
#include <stdlib.h>
#include <unistd.h>

static void __attribute__((noinline)) note_return(struct self_code *self)
{
    self->return_address = (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static inline void __attribute__((always_inline)) self_inlined(struct self_code *self)
{
    self->inlined_line = __LINE__ + 1;
    note_return(self);
    __asm__ volatile("" ::: "memory"); /* so that the call is not the last thing, which would make it a jump */
}

static void __attribute__((noinline)) self_outer(struct self_code *self)
{
    self->outer_line = __LINE__ + 1;
    self_inlined(self);
    __asm__ volatile("" ::: "memory");
}

static void note_code(struct self_code *self, const ElfW(Phdr) *segment)
{
    const uint64_t page = 4096, into_page = segment->p_offset % page;
    self->code_start = self->bias + segment->p_vaddr - into_page;
    self->code_offset = segment->p_offset - into_page;
    self->code_size = (into_page + segment->p_filesz + page - 1) / page * page;
}

/* The program itself is the first one. */
static int note_segments(struct dl_phdr_info *info, size_t size, void *context)
{
    struct self_code *self = context;
    (void)size;
    self->bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && self->count < SELF_SEGMENTS)
            self->segments[self->count++] =
                (struct capture_segment){info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz};
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
            note_code(self, &info->dlpi_phdr[i]);
    }
    return 1;
}

struct self_code self_code(void)
{
    struct self_code self = {.count = 0};
    if (readlink("/proc/self/exe", self.path, sizeof self.path - 1) < 0)
        abort();
    dl_iterate_phdr(note_segments, &self);
    self_outer(&self);
    return self;
}
