/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by the symbol table, sorted by address: libdwfl itself would walk all symbols for each query. */
#include "capture/symbols/elf_internal.h"

/*
 * The same code may have several names. The number of a span is a symbol's index with a rank in the bits above it,
 * as the highest number wins: global names first, then those with fewer leading underscores, as people know
 * `__libc_malloc` as `malloc`.
 */
enum { INDEX_BITS = 28, INDEX_MASK = (1 << INDEX_BITS) - 1 };

static uint32_t rank(unsigned char binding, const char *name)
{
    uint32_t reach = binding == STB_LOCAL ? 0 : binding == STB_WEAK ? 1 : 2;
    uint32_t plain = name[0] != '_' ? 2 : name[1] != '_' ? 1 : 0;
    return reach << 2 | plain;
}

static bool make(struct pr_elf_symbols *symbols, Dwfl_Module *module)
{
    int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count && i <= INDEX_MASK; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, &section, NULL, NULL);
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (!name || !*name || section == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
            continue;
        uint32_t number = rank(GELF_ST_BIND(symbol.st_info), name) << INDEX_BITS | (uint32_t)i;
        if (symbol.st_size <= UINT64_MAX - address &&
            !pr_spans_add(&symbols->spans, address, address + symbol.st_size, number))
            return false;
    }
    return pr_spans_sort(&symbols->spans);
}

bool pr_elf_symbols_find(struct pr_elf_symbols *symbols, Dwfl_Module *module, uint64_t address, const char **name)
{
    *name = NULL;
    if (!symbols->made && !make(symbols, module))
        return false;
    symbols->made = true;
    const struct pr_span *span = pr_spans_find(&symbols->spans, address);
    if (span) {
        GElf_Sym symbol;
        *name = dwfl_module_getsym(module, (int)(span->number & INDEX_MASK), &symbol, NULL);
    }
    return true;
}

void pr_elf_symbols_clear(struct pr_elf_symbols *symbols)
{
    pr_spans_clear(&symbols->spans);
}
