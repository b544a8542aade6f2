/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For capture/symbols/elf_*.c: what ran is on another machine, so no file of machine code is here. Native frames are
 * "module+0xoffset", as they are natively for a file that is missing.
 */
#include "capture/symbols/elf_file.h"

struct pr_elf *pr_elf_open(const char *path, const struct pr_elf_origin *origin, bool debuginfod,
                           enum pr_elf_trouble *trouble)
{
    (void)path;
    (void)origin;
    (void)debuginfod;
    *trouble = PR_ELF_ABSENT;
    return NULL;
}

enum pr_elf_trouble pr_elf_compare(struct pr_elf *elf, const struct pr_elf_origin *origin)
{
    (void)elf;
    (void)origin;
    return PR_ELF_OTHER_BUILD;
}

bool pr_elf_address(struct pr_elf *elf, uint64_t offset, uint64_t *address)
{
    (void)elf;
    (void)offset;
    (void)address;
    return false;
}

int pr_elf_frames(struct pr_elf *elf, uint64_t address, struct pr_elf_frame frames[PR_ELF_FRAMES])
{
    (void)elf;
    (void)address;
    (void)frames;
    return 0;
}

uint32_t pr_elf_rules(struct pr_elf *elf, uint64_t address, enum pr_unwind_machine machine,
                      struct pr_unwind_rules *rules)
{
    (void)elf;
    (void)address;
    (void)machine;
    (void)rules;
    return PR_NO_RULES;
}

void pr_elf_close(struct pr_elf *elf)
{
    (void)elf;
}
