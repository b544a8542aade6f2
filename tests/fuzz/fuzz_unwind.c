/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any registers, stack and rules: steps to callers end, and read nothing but the stack. The rules are those of this
 * program at any address, and others that no file has.
 */
#include "capture/symbols/elf_file.h"
#include "tests/support/self_code.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { STEPS = 64, OPS = 24, RULES = 6, ROWS = 4096 };

struct input {
    const uint8_t *at, *end;
};

static uint64_t take(struct input *input, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(input->end - input->at) < size)
        size = (size_t)(input->end - input->at);
    memcpy(&value, input->at, size);
    input->at += size;
    return value;
}

static struct pr_elf *open_self(struct self_code *self)
{
    *self = self_code();
    const struct pr_elf_loaded file = {0, (const char *)self->segments, (uint32_t)self->count};
    enum pr_elf_trouble trouble;
    return pr_elf_open(self->path, &(struct pr_elf_origin){.recorded = &file}, false, &trouble);
}

/* Registers near the stack are found more often than by chance. */
static void take_state(struct input *input, uint64_t start, struct pr_unwind_state *state)
{
    const uint64_t kinds = take(input, 8);
    state->machine = kinds & 1 ? PR_UNWIND_AARCH64 : PR_UNWIND_X86_64;
    state->known = take(input, 8);
    for (unsigned i = 0; i < PR_UNWIND_REGISTERS; i++)
        state->reg[i] = kinds >> (i + 1) & 1 ? start + take(input, 1) * 8 : take(input, 8);
    state->pc = take(input, 8);
}

/* A row that refers to nothing outside of RULES, as files give it. */
static void take_row(struct input *input, struct pr_unwind_rule *rule, struct pr_unwind_op *op,
                     struct pr_unwind_row *row)
{
    for (unsigned i = 0; i < OPS; i++)
        op[i] = (struct pr_unwind_op){.code = (uint8_t)take(input, 1), .number = (uint64_t)(int8_t)take(input, 1),
                                      .number2 = take(input, 1), .target = (uint32_t)take(input, 1) % (OPS + 1)};
    for (unsigned i = 0; i < RULES; i++)
        rule[i] = (struct pr_unwind_rule){
            .of = (uint8_t)(take(input, 1) % PR_UNWIND_REGISTERS), .kind = (uint8_t)(take(input, 1) % 5),
            .offset = (int8_t)take(input, 1), .first_op = (uint32_t)take(input, 1) % (OPS / 2),
            .op_count = (uint32_t)take(input, 1) % (OPS / 2 + 1)};
    *row = (struct pr_unwind_row){
        .is_known = true, .is_signal = take(input, 1) & 1, .return_register = (uint8_t)take(input, 1),
        .cfa_register = (uint8_t)take(input, 1), .cfa_offset = (int8_t)take(input, 1),
        .cfa_first_op = (uint32_t)take(input, 1) % (OPS / 2), .cfa_op_count = (uint32_t)take(input, 1) % (OPS / 2 + 1),
        .undefined = take(input, 4), .rule_count = (uint32_t)take(input, 1) % (RULES + 1)};
}

static void walk_by_row(const struct pr_unwind_memory *memory, struct pr_unwind_state state, struct input input)
{
    struct pr_unwind_rule rule[RULES];
    struct pr_unwind_op op[OPS];
    struct pr_unwind_row row;
    take_row(&input, rule, op, &row);
    const struct pr_unwind_rules rules = {.row = &row, .rule = rule, .op = op, .row_count = 1, .rule_count = RULES,
                                          .op_count = OPS};
    for (unsigned i = 0; i < STEPS && pr_unwind_step(&rules, 0, memory, &state) == PR_UNWIND_STEP; i++)
        ;
    for (unsigned i = 0; i < STEPS && pr_unwind_frame_pointer(memory, &state) == PR_UNWIND_STEP; i++)
        ;
}

/* By what this program's own code has at the addresses that come up. */
static void walk_by_file(const struct pr_unwind_memory *memory, struct pr_unwind_state state)
{
    static struct self_code self;
    static struct pr_elf *elf;
    static struct pr_unwind_rules rules;
    if (!elf && !(elf = open_self(&self)))
        abort();
    if (rules.row_count > ROWS)
        pr_unwind_reset(&rules);
    for (unsigned i = 0; i < STEPS; i++) {
        uint64_t address = UINT64_MAX;
        pr_elf_address(elf, self.code_offset + state.pc % self.code_size, &address);
        const uint32_t row = pr_elf_rules(elf, address, state.machine, &rules);
        if (row == PR_NO_RULES)
            abort();
        if (pr_unwind_step(&rules, row, memory, &state) != PR_UNWIND_STEP)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    enum { MOST_STACK = 512 };
    struct input input = {bytes, bytes + length};
    struct pr_unwind_state state = {.is_exact = true};
    const uint64_t start = take(&input, 8);
    take_state(&input, start, &state);
    const size_t left = (size_t)(input.end - input.at), size = left < MOST_STACK ? left : MOST_STACK;
    const struct pr_unwind_memory memory = {start, input.at, size, state.pc & 1};
    input.at += size;
    walk_by_row(&memory, state, input);
    walk_by_file(&memory, state);
    return 0;
}
