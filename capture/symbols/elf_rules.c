/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of unwinding from a file's call frame information: that of `.eh_frame`, which every program has, else that of
 * its debug information. libdw finds and runs its instructions; what comes of it is kept in a form of our own.
 */
#include "capture/base/checked.h"
#include "capture/symbols/elf_internal.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>

struct machine {
    unsigned elf, registers;
    uint8_t stack, back; /* registers: the stack pointer, where the return address is */
};

static const struct machine machines[] = {
    [PR_UNWIND_X86_64] = {EM_X86_64, 17, 7, 16},
    [PR_UNWIND_AARCH64] = {EM_AARCH64, 33, 31, 30},
};

struct making {
    struct pr_elf_cfi *cfi;
    Dwfl_Module *module;
    uint64_t address; /* of the module */
    unsigned registers;
    struct pr_unwind_rules *rules;
    struct pr_unwind_row row;
    bool no_memory;
};

static void look_for(struct pr_elf_cfi *cfi, Dwfl_Module *module)
{
    Dwarf_Addr bias = 0;
    if (cfi->looked_for)
        return;
    cfi->looked_for = true;
    cfi->frames = dwfl_module_eh_cfi(module, &bias);
    cfi->frames_bias = bias;
}

static void look_for_debug(struct pr_elf_cfi *cfi, Dwfl_Module *module)
{
    Dwarf_Addr bias = 0;
    if (cfi->looked_for_debug)
        return;
    cfi->looked_for_debug = true;
    cfi->debug = dwfl_module_dwarf_cfi(module, &bias);
    cfi->debug_bias = bias;
}

/* Looks in FRAMES, which may be NULL. elfutils often reports missing memory like missing information. */
static Dwarf_Frame *find_in(struct making *m, Dwarf_CFI *frames, uint64_t bias)
{
    Dwarf_Frame *frame = NULL;
    if (frames && dwarf_cfi_addrframe(frames, m->address - bias, &frame))
        frame = NULL;
    m->no_memory = m->no_memory || (!frame && errno == ENOMEM);
    return frame;
}

/* The frame at the address; NULL: there is none. Owned: free it. */
static Dwarf_Frame *find_frame(struct making *m)
{
    look_for(m->cfi, m->module);
    Dwarf_Frame *frame = find_in(m, m->cfi->frames, m->cfi->frames_bias);
    if (frame || m->no_memory)
        return frame;
    look_for_debug(m->cfi, m->module);
    return find_in(m, m->cfi->debug, m->cfi->debug_bias);
}

/* Adds COUNT operations. False: they cannot be kept, or no memory. */
static bool add_ops(struct making *m, const Dwarf_Op *from, size_t count, uint32_t *first, uint32_t *added)
{
    struct pr_unwind_rules *rules = m->rules;
    if (count > PR_UNWIND_MAX_OPS || rules->op_count > UINT32_MAX - count)
        return false;
    if (!pr_grow(&rules->op, &rules->op_capacity, rules->op_count + count, sizeof *rules->op)) {
        m->no_memory = true;
        return false;
    }
    *first = (uint32_t)rules->op_count;
    *added = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct pr_unwind_op op = {.number = from[i].number, .number2 = from[i].number2, .target = (uint32_t)count,
                                  .code = from[i].atom};
        for (size_t at = 0; (op.code == DW_OP_bra || op.code == DW_OP_skip) && at < count; at++)
            if (from[at].offset == from[i].offset + 3 + (uint64_t)(int64_t)(int16_t)from[i].number)
                op.target = (uint32_t)at;
        rules->op[rules->op_count++] = op;
    }
    return true;
}

static bool add_rule(struct making *m, const struct pr_unwind_rule *rule)
{
    struct pr_unwind_rules *rules = m->rules;
    if (!pr_grow(&rules->rule, &rules->rule_capacity, rules->rule_count + 1, sizeof *rules->rule)) {
        m->no_memory = true;
        return false;
    }
    rules->rule[rules->rule_count++] = *rule;
    m->row.rule_count++;
    return true;
}

static bool is_register(const Dwarf_Op *op, uint64_t *number)
{
    if (op->atom == DW_OP_regx)
        *number = op->number;
    else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        *number = (uint64_t)op->atom - DW_OP_reg0;
    else
        return false;
    return true;
}

/* The offset from the CFA that operations from number 1 on add, up to COUNT. */
static bool is_offset(const Dwarf_Op *op, size_t count, int64_t *offset)
{
    *offset = count == 2 ? (int64_t)op[1].number : 0;
    return op[0].atom == DW_OP_call_frame_cfa && (count == 1 || (count == 2 && op[1].atom == DW_OP_plus_uconst));
}

/* The rule for register NUMBER. False: no memory. */
static bool take_register(struct making *m, Dwarf_Frame *frame, uint8_t number)
{
    Dwarf_Op own[3], *op = NULL;
    size_t count = 0;
    uint64_t from;
    struct pr_unwind_rule rule = {.of = number, .kind = PR_UNWIND_SAVED};
    const bool failed = dwarf_frame_register(frame, number, own, &op, &count) != 0;
    if (!failed && !count && !op)
        return true; /* it keeps its value */
    const bool is_value = count && op[count - 1].atom == DW_OP_stack_value;
    if (failed || !count) {
        m->row.undefined |= UINT64_C(1) << number;
        return true;
    }
    if (count == 1 && is_register(op, &from)) {
        rule.kind = PR_UNWIND_COPY;
        rule.offset = (int64_t)(from < PR_UNWIND_REGISTERS ? from : PR_UNWIND_REGISTERS);
    } else if (is_offset(op, count - is_value, &rule.offset)) {
        rule.kind = is_value ? PR_UNWIND_VALUE : PR_UNWIND_SAVED;
    } else {
        rule.kind = is_value ? PR_UNWIND_VALUE_EXPRESSION : PR_UNWIND_SAVED_EXPRESSION;
        if (!add_ops(m, op, count, &rule.first_op, &rule.op_count)) {
            m->row.undefined |= UINT64_C(1) << number;
            return !m->no_memory;
        }
    }
    return add_rule(m, &rule);
}

static bool take_cfa(struct making *m, Dwarf_Frame *frame)
{
    Dwarf_Op *op = NULL;
    size_t count = 0;
    struct pr_unwind_row *row = &m->row;
    if (dwarf_frame_cfa(frame, &op, &count) || !count)
        return false;
    if (count == 1 && op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
        row->cfa_register = (uint8_t)(op->atom - DW_OP_breg0);
        row->cfa_offset = (int64_t)op->number;
        return true;
    }
    if (count == 1 && op->atom == DW_OP_bregx && op->number < PR_UNWIND_REGISTERS) {
        row->cfa_register = (uint8_t)op->number;
        row->cfa_offset = (int64_t)op->number2;
        return true;
    }
    return add_ops(m, op, count, &row->cfa_first_op, &row->cfa_op_count);
}

static void make_row(void *context)
{
    struct making *m = context;
    Dwarf_Frame *frame = find_frame(m);
    bool is_signal = false;
    m->row = (struct pr_unwind_row){.first_rule = (uint32_t)m->rules->rule_count};
    if (!frame)
        return;
    const int back = dwarf_frame_info(frame, NULL, NULL, &is_signal);
    m->row.is_signal = is_signal;
    m->row.return_register = (uint8_t)(back >= 0 && back < PR_UNWIND_REGISTERS ? back : PR_UNWIND_REGISTERS);
    m->row.is_known = take_cfa(m, frame);
    for (unsigned i = 0; i < m->registers && m->row.is_known && !m->no_memory; i++)
        take_register(m, frame, (uint8_t)i);
    free(frame);
}

/* Where a program begins, nothing has called; the dynamic linker has no rules there that say so. */
static void make_entry_row(struct making *m, uint64_t address, const GElf_Ehdr *header, const struct machine *machine)
{
    enum { SIZE = 64 /* of the code there */ };
    if (m->row.is_known || !header->e_entry || address < header->e_entry || address - header->e_entry >= SIZE)
        return;
    m->row.is_known = true;
    m->row.cfa_register = machine->stack;
    m->row.return_register = machine->back;
    m->row.undefined = UINT64_C(1) << machine->back;
}

uint32_t pr_elf_rules_make(struct pr_elf_cfi *cfi, Dwfl_Module *module, uint64_t address,
                           enum pr_unwind_machine machine, struct pr_unwind_rules *rules)
{
    struct making m = {.cfi = cfi, .module = module, .address = address, .registers = machines[machine].registers,
                       .rules = rules};
    GElf_Addr bias = 0;
    GElf_Ehdr header;
    Elf *file = dwfl_module_getelf(module, &bias);
    const bool fits = file && gelf_getehdr(file, &header) && header.e_machine == machines[machine].elf;
    if (fits && (!pr_elf_try(make_row, &m) || m.no_memory))
        return PR_NO_RULES;
    if (fits)
        make_entry_row(&m, address - bias, &header, &machines[machine]);
    if (rules->row_count >= PR_NO_RULES || rules->rule_count > UINT32_MAX - PR_UNWIND_REGISTERS ||
        !pr_grow(&rules->row, &rules->row_capacity, rules->row_count + 1, sizeof *rules->row))
        return PR_NO_RULES;
    rules->row[rules->row_count] = m.row;
    return (uint32_t)rules->row_count++;
}
