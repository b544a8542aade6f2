/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an opened file of code: its symbols and its debug information, each a table used by elf_file.h. */
#ifndef PR_CAPTURE_SYMBOLS_ELF_INTERNAL_H
#define PR_CAPTURE_SYMBOLS_ELF_INTERNAL_H

#include "capture/base/spans.h"
#include "capture/symbols/elf_file.h"

#include <elfutils/libdwfl.h>

/* Functions of the symbol table; numbers of the spans are symbols of the module. */
struct pr_elf_symbols {
    bool made;
    struct pr_spans spans;
};

/* A compilation unit: its functions, once one of them was needed. */
struct pr_elf_unit {
    Dwarf_Die die;
    bool indexed;
    struct pr_spans spans; /* numbers are indexes into `functions` */
    Dwarf_Off *functions;  /* [function_count] offsets of their entries */
    size_t function_count, function_capacity;
};

struct pr_elf_debug {
    bool looked_for;
    Dwarf *dwarf;              /* borrowed from the module; NULL = without */
    uint64_t bias;             /* its addresses + bias = ours */
    struct pr_spans spans;     /* numbers are indexes into `units` */
    struct pr_elf_unit *units; /* [unit_count] */
    size_t unit_count, unit_capacity;
};

/* Call frame information, of the file itself and of its debug information; both borrowed from the module. */
struct pr_elf_cfi {
    bool looked_for, looked_for_debug;
    Dwarf_CFI *frames, *debug;
    uint64_t frames_bias, debug_bias; /* their addresses + bias = ours */
};

/* As pr_elf_rules; ADDRESS is the module's. */
uint32_t pr_elf_rules_make(struct pr_elf_cfi *cfi, Dwfl_Module *module, uint64_t address,
                           enum pr_unwind_machine machine, struct pr_unwind_rules *rules);

/* The name of the function at ADDRESS in *NAME, NULL when none is known. False: out of memory. */
bool pr_elf_symbols_find(struct pr_elf_symbols *symbols, Dwfl_Module *module, uint64_t address, const char **name);
void pr_elf_symbols_clear(struct pr_elf_symbols *symbols);

/* As pr_elf_frames, by debug information only. */
int pr_elf_debug_find(struct pr_elf_debug *debug, Dwfl_Module *module, uint64_t address,
                      struct pr_elf_frame frames[PR_ELF_FRAMES]);
void pr_elf_debug_clear(struct pr_elf_debug *debug);

/* The functions at ADDRESS (of the debug information) in the one whose entry is FUNCTION. */
int pr_elf_inlined(Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Addr address, struct pr_elf_frame frames[PR_ELF_FRAMES]);

/*
 * Calls WORK(CONTEXT), which may call elfutils. False: memory ran out in it, and what WORK used must not be used any
 * more, only freed.
 */
bool pr_elf_try(void (*work)(void *context), void *context);

/* From now on DWARF is used only within pr_elf_try, which is left when memory runs out. */
void pr_elf_watch(Dwarf *dwarf);

/* True if there is room for what libdw allocates unchecked while it reads a compilation unit. False: out of memory. */
bool pr_elf_has_room(void);

/*
 * Opens PATH for reading, if it is a regular file: opening one neither blocks nor changes anything. -1: it is not.
 */
int pr_open_regular(const char *path);

/*
 * The separate debug information of the file at PATH, by its debug link NAME with checksum CRC: an open file, its path
 * (malloc) in *FOUND; or -1.
 */
int pr_elf_debuglink(const char *path, const char *name, uint32_t crc, char **found);

#endif
