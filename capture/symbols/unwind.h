/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a function to its caller, by rules that say where its registers were saved.
 *
 *     struct pr_unwind_rules rules = {0};
 *     const uint32_t row = pr_elf_rules(elf, address, PR_UNWIND_X86_64, &rules);      // of elf_file.h
 *     while (pr_unwind_step(&rules, row, &stack, &state) == PR_UNWIND_STEP)
 *         ...     // state.pc is in the caller, and its rules are the next row
 *     pr_unwind_clear(&rules);
 *
 * Registers have DWARF's numbers. Rules are kept without the file that they are from, so that one step costs no more
 * than reading what it restores. Whatever rules and memory hold, a step ends, and reads nothing but that memory.
 *
 * Source: DWARF 5, 2.5 and 6.4; System V ABI, AMD64 supplement, 3.6.2; DWARF for the Arm 64-bit architecture, 4.1.
 */
#ifndef PR_CAPTURE_SYMBOLS_UNWIND_H
#define PR_CAPTURE_SYMBOLS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pr_unwind_machine { PR_UNWIND_X86_64, PR_UNWIND_AARCH64 };

enum { PR_UNWIND_REGISTERS = 33, PR_UNWIND_MAX_OPS = 256 /* of an expression; x86-64 has 17 registers */ };

/* A part of an expression. */
struct pr_unwind_op {
    uint64_t number, number2;
    uint32_t target; /* of a branch: the index of the operation, from the first one of its expression */
    uint8_t code;    /* DW_OP_* */
};

enum pr_unwind_kind {
    PR_UNWIND_SAVED,            /* in memory at CFA + offset */
    PR_UNWIND_VALUE,            /* CFA + offset */
    PR_UNWIND_COPY,             /* in register `offset` */
    PR_UNWIND_SAVED_EXPRESSION, /* in memory where the expression says */
    PR_UNWIND_VALUE_EXPRESSION
};

/* How one register of the caller is found. Those without a rule keep their value. */
struct pr_unwind_rule {
    int64_t offset;
    uint32_t first_op, op_count; /* in `op` */
    uint8_t of, kind;            /* which register; enum pr_unwind_kind */
};

/* The rules at an address. */
struct pr_unwind_row {
    bool is_known;  /* false: there are none */
    bool is_signal; /* its caller was interrupted, and did not call */
    uint8_t return_register;
    uint8_t cfa_register; /* the CFA is this register + offset, or an expression if there are operations */
    int64_t cfa_offset;
    uint32_t cfa_first_op, cfa_op_count;
    uint64_t undefined; /* a bit for each register whose value is lost */
    uint32_t first_rule, rule_count;
};

struct pr_unwind_rules {
    struct pr_unwind_row *row; /* [row_count] */
    struct pr_unwind_rule *rule;
    struct pr_unwind_op *op;
    size_t row_count, rule_count, op_count;
    size_t row_capacity, rule_capacity, op_capacity;
};

/* What is known of the memory: a copy of the stack. */
struct pr_unwind_memory {
    uint64_t start; /* its address */
    const uint8_t *bytes;
    size_t size;
    bool big_endian;
};

/* A function that runs, or that waits for the one it called. */
struct pr_unwind_state {
    uint64_t pc;
    uint64_t reg[PR_UNWIND_REGISTERS];
    uint64_t known;   /* a bit for each */
    bool is_exact;    /* pc is that of an instruction, and not where a call returns to */
    enum pr_unwind_machine machine;
};

enum pr_unwind_result {
    PR_UNWIND_STEP,    /* the state is now the caller's */
    PR_UNWIND_END,     /* the outermost function has no caller */
    PR_UNWIND_MEMORY,  /* what was saved is not in the memory */
    PR_UNWIND_NO_RULES /* there are no rules, or they make no sense */
};

/* The caller's state by row number ROW. */
enum pr_unwind_result pr_unwind_step(const struct pr_unwind_rules *rules, uint32_t row,
                                     const struct pr_unwind_memory *memory, struct pr_unwind_state *state);

/* The caller's state where there are no rules, if the frame pointer leads to one: a guess. */
enum pr_unwind_result pr_unwind_frame_pointer(const struct pr_unwind_memory *memory, struct pr_unwind_state *state);

/* The stack pointer. */
uint64_t pr_unwind_stack_pointer(const struct pr_unwind_state *state);

/* Forgets all rows, and keeps the room that they took. */
void pr_unwind_reset(struct pr_unwind_rules *rules);

void pr_unwind_clear(struct pr_unwind_rules *rules);

#endif
