/* SPDX-License-Identifier: Apache-2.0 */
/* From the entry of a function to the chain of functions at one of its addresses, with their names and lines. */
#include "capture/symbols/elf_internal.h"

#include <dwarf.h>

static bool holds_code(int tag)
{
    return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
           tag == DW_TAG_catch_block;
}

/* The part of SCOPE that holds ADDRESS. */
static bool step_inward(Dwarf_Die *scope, Dwarf_Addr address)
{
    Dwarf_Die part;
    if (dwarf_child(scope, &part))
        return false;
    do {
        if (holds_code(dwarf_tag(&part)) && dwarf_haspc(&part, address) > 0) {
            *scope = part;
            return true;
        }
    } while (!dwarf_siblingof(&part, &part));
    return false;
}

/* CHAIN: the function, then what was inlined into it at ADDRESS, each into the one before. Returns how many. */
static int find_chain(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die chain[PR_ELF_FRAMES])
{
    Dwarf_Die scope = chain[0] = *function;
    int count = 1;
    while (count < PR_ELF_FRAMES && step_inward(&scope, address)) {
        if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
            chain[count++] = scope;
    }
    return count;
}

/* The name to show, the mangled one if it exists; looks through declarations and abstract instances. */
static const char *name_of(Dwarf_Die *entry)
{
    static const unsigned kinds[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Dwarf_Attribute attribute;
        const char *name = dwarf_formstring(dwarf_attr_integrate(entry, kinds[i], &attribute));
        if (name && *name)
            return name;
    }
    return NULL;
}

static uint64_t number_of(Dwarf_Die *entry, unsigned kind)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    return dwarf_formudata(dwarf_attr(entry, kind, &attribute), &number) ? 0 : number;
}

static int32_t line_of(uint64_t line)
{
    return line <= INT32_MAX ? (int32_t)line : 0;
}

static void place_by_lines(Dwarf_Die *unit, Dwarf_Addr address, struct pr_elf_frame *frame)
{
    int number = 0;
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    if (!line)
        return;
    frame->file = dwarf_linesrc(line, NULL, NULL);
    if (!dwarf_lineno(line, &number) && number > 0)
        frame->line = number;
}

/* Where INLINED was called from. */
static void place_by_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct pr_elf_frame *frame)
{
    Dwarf_Files *files;
    size_t count;
    uint64_t file = number_of(inlined, DW_AT_call_file);
    if (!dwarf_getsrcfiles(unit, &files, &count) && file < count)
        frame->file = dwarf_filesrc(files, file, NULL, NULL);
    frame->line = line_of(number_of(inlined, DW_AT_call_line));
}

int pr_elf_inlined(Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Addr address, struct pr_elf_frame frames[PR_ELF_FRAMES])
{
    Dwarf_Die chain[PR_ELF_FRAMES];
    int depth = find_chain(function, address, chain), count = 0;
    for (int i = depth; i-- > 0;) {
        struct pr_elf_frame frame = {.function = name_of(&chain[i])};
        if (!frame.function)
            continue;
        if (i == depth - 1)
            place_by_lines(unit, address, &frame);
        else
            place_by_call(unit, &chain[i + 1], &frame);
        frames[count++] = frame;
    }
    return count;
}
