/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an address to the entry of its function: first the compilation unit by the ranges of the units, then the
 * function by an index of that unit's functions, which is made when it is first needed. libdw has no such index: it
 * would walk the entries of a unit from the start for each query.
 */
#include "capture/base/checked.h"
#include "capture/symbols/elf_internal.h"

#include <dwarf.h>

enum { MAX_DEPTH = 128 /* of nested entries */ };

/* Adds the code that ENTRY covers. False: out of memory. */
static bool add_ranges(struct pr_spans *spans, Dwarf_Die *entry, uint32_t number)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;
    while ((next = dwarf_ranges(entry, next, &base, &start, &end)) > 0) {
        if (start && !pr_spans_add(spans, start, end, number)) /* code that the linker dropped is left at 0 */
            return false;
    }
    return true;
}

static bool add_unit(struct pr_elf_debug *debug, const Dwarf_Die *die)
{
    if (debug->unit_count >= UINT32_MAX ||
        !pr_grow(&debug->units, &debug->unit_capacity, debug->unit_count + 1, sizeof *debug->units))
        return false;
    struct pr_elf_unit *unit = &debug->units[debug->unit_count];
    *unit = (struct pr_elf_unit){.die = *die};
    return add_ranges(&debug->spans, &unit->die, (uint32_t)debug->unit_count++);
}

static bool make_units(struct pr_elf_debug *debug, Dwfl_Module *module)
{
    Dwarf_Addr bias;
    debug->dwarf = dwfl_module_getdwarf(module, &bias);
    if (!debug->dwarf)
        return true;
    debug->bias = bias;
    pr_elf_watch(debug->dwarf);
    Dwarf_CU *unit = NULL;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Die die;
    bool good = pr_elf_has_room();
    while (good && !dwarf_get_units(debug->dwarf, unit, &unit, &version, &type, &die, NULL)) {
        if (dwarf_tag(&die) == DW_TAG_compile_unit)
            good = add_unit(debug, &die);
        good = good && pr_elf_has_room();
    }
    return good && pr_spans_sort(&debug->spans);
}

static bool add_function(struct pr_elf_unit *unit, Dwarf_Die *entry)
{
    if (unit->function_count >= UINT32_MAX ||
        !pr_grow(&unit->functions, &unit->function_capacity, unit->function_count + 1, sizeof *unit->functions))
        return false;
    size_t before = unit->spans.count;
    if (!add_ranges(&unit->spans, entry, (uint32_t)unit->function_count))
        return false;
    if (unit->spans.count > before) /* else a declaration */
        unit->functions[unit->function_count++] = dwarf_dieoffset(entry);
    return true;
}

/* All functions below PARENT: they may be in namespaces and classes, and nested. */
static bool add_functions(struct pr_elf_unit *unit, Dwarf_Die *parent, int depth)
{
    Dwarf_Die entry;
    if (depth > MAX_DEPTH || dwarf_child(parent, &entry))
        return true;
    do {
        if (dwarf_tag(&entry) == DW_TAG_subprogram && !add_function(unit, &entry))
            return false;
        if (dwarf_haschildren(&entry) > 0 && !add_functions(unit, &entry, depth + 1))
            return false;
    } while (!dwarf_siblingof(&entry, &entry));
    return true;
}

int pr_elf_debug_find(struct pr_elf_debug *debug, Dwfl_Module *module, uint64_t address,
                      struct pr_elf_frame frames[PR_ELF_FRAMES])
{
    if (!debug->looked_for && !make_units(debug, module))
        return -1;
    debug->looked_for = true;
    address -= debug->bias;
    if (!pr_elf_has_room())
        return -1;
    const struct pr_span *span = pr_spans_find(&debug->spans, address);
    if (!span)
        return 0;
    struct pr_elf_unit *unit = &debug->units[span->number];
    if (!unit->indexed && (!add_functions(unit, &unit->die, 0) || !pr_spans_sort(&unit->spans)))
        return -1;
    unit->indexed = true;
    span = pr_spans_find(&unit->spans, address);
    Dwarf_Die function;
    if (!span || !dwarf_offdie(debug->dwarf, unit->functions[span->number], &function))
        return 0;
    return pr_elf_inlined(&unit->die, &function, address, frames);
}

void pr_elf_debug_clear(struct pr_elf_debug *debug)
{
    for (size_t i = 0; i < debug->unit_count; i++) {
        pr_spans_clear(&debug->units[i].spans);
        free(debug->units[i].functions);
    }
    free(debug->units);
    pr_spans_clear(&debug->spans);
}
