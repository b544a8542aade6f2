/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers in user code, from a copy of the stack and the registers of a sample (`perf record --call-graph dwarf`).
 *
 * A step from a function to its caller needs the call frame information of the function's file, as that is on this
 * machine. What it says about an address is kept, so that later samples cost a look-up a frame. Where there is none, as
 * for code that a program wrote itself, the frame pointer is followed if it leads to code.
 *
 * Source: Linux tools/perf/util/unwind-libdw.c, unwind-libunwind-local.c; arch/x86/include/uapi/asm/perf_regs.h and
 * arch/arm64/include/uapi/asm/perf_regs.h.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_CALLERS_H
#define PR_CAPTURE_PERF_DATA_PERF_CALLERS_H

#include "capture/builder/profile_builder.h"
#include "capture/perf_data/perf_maps.h"
#include "capture/perf_data/perf_places.h"
#include "capture/perf_data/perf_sample.h"
#include "capture/symbols/elf_file.h"

/* Why a stack ends where it does. */
enum pr_perf_stop {
    PR_PERF_STOP_OUTERMOST, /* it is whole */
    PR_PERF_STOP_COPY,      /* the copy ends before the stack does */
    PR_PERF_STOP_FILE,      /* the file of code is not here, or is another build */
    PR_PERF_STOP_RULES,     /* there is nothing that leads on */
    PR_PERF_STOP_DEEP,      /* it has more frames than are read */
    PR_PERF_STOP_MACHINE,   /* registers of another machine than x86-64 and AArch64, or of 32 bits */
    PR_PERF_STOP_OFF,       /* files of this machine shall not be read */
    PR_PERF_STOPS
};

/* A file of code, once a step needed it. */
struct pr_perf_code {
    struct pr_elf *elf; /* NULL: no steps by it */
    pr_str build_id;    /* that it was opened with; 0 = not known then */
    bool asked;
};

struct pr_perf_callers {
    struct pr_perf_code *code; /* [code_count] by number of the file */
    size_t code_count, code_capacity;
    uint32_t opened;
    struct pr_idset keys; /* (file, address) */
    uint32_t *row;        /* [keys.count] of `rules` */
    size_t row_capacity;
    struct pr_unwind_rules rules;
    enum pr_unwind_machine machine; /* of the stack in hand */
    uint64_t stopped[PR_PERF_STOPS]; /* stacks */
    uint64_t guessed;                /* stacks with a step by the frame pointer */
    pr_str missing;                  /* the first file that stopped a stack */
};

/* What a stack is found with. */
struct pr_perf_stack_source {
    struct pr_profile_builder *c;
    const struct pr_perf_processes *processes;
    const struct pr_perf_places *places;
    const struct pr_perf_attr *attr;
    const struct pr_perf_sample *sample;
};

/*
 * The addresses of the user functions of a sample with a stack, innermost first, in ADDRESS, [ROOM]; how many there
 * are. Those of callers are within the call. Errors are stored in the source's builder.
 */
size_t pr_perf_callers_find(struct pr_perf_callers *callers, const struct pr_perf_stack_source *source,
                            uint64_t *address, size_t room);

/* At the end, when all build ids are known: notes about what was found. */
void pr_perf_callers_note(const struct pr_perf_callers *callers, struct pr_profile_builder *c,
                          const struct pr_perf_places *places);

void pr_perf_callers_clear(struct pr_perf_callers *callers);

#endif
