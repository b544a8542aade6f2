/* SPDX-License-Identifier: Apache-2.0 */
/* Steps to callers by rules written here, on stacks written here; and rules that make no sense. */
#include "tests/support/unit.h"

#include "capture/symbols/unwind.h"

#include <string.h>

enum { SP = 7, FP = 6, PC = 16, START = 0x1000, WORDS = 32 };

/* DW_OP_* */
enum { DEREF = 0x06, DUP = 0x12, AND = 0x1a, DIV = 0x1b, PLUS = 0x22, PLUS_CONST = 0x23, SHL = 0x24, SHRA = 0x26,
       BRA = 0x28, GE = 0x2a, SKIP = 0x2f, LIT0 = 0x30, BREG0 = 0x70, CFA = 0x9c };

struct stack {
    uint64_t word[WORDS];
    struct pr_unwind_memory memory;
    struct pr_unwind_state state;
};

/* Word I of the stack is 100 + I; the stack pointer is at the first, the frame pointer at word 4. */
static void make_stack(struct stack *stack)
{
    *stack = (struct stack){.memory = {START, (const uint8_t *)stack->word, sizeof stack->word, false}};
    for (unsigned i = 0; i < WORDS; i++)
        stack->word[i] = 100 + i;
    stack->state = (struct pr_unwind_state){.pc = 0x400, .is_exact = true, .machine = PR_UNWIND_X86_64,
                                            .known = 1u << SP | 1u << FP | 1u << PC};
    stack->state.reg[SP] = START;
    stack->state.reg[FP] = START + 32;
    stack->state.reg[PC] = 0x400;
}

static enum pr_unwind_result step(struct stack *stack, struct pr_unwind_row row, const struct pr_unwind_rule *rule,
                                  size_t count, const struct pr_unwind_op *op, size_t ops)
{
    struct pr_unwind_rule rules[8];
    struct pr_unwind_op copy[32];
    memcpy(rules, rule, count * sizeof *rule);
    if (ops)
        memcpy(copy, op, ops * sizeof *op);
    row.is_known = true;
    row.return_register = PC;
    row.rule_count = (uint32_t)count;
    const struct pr_unwind_rules all = {.row = &row, .rule = rules, .op = copy, .row_count = 1};
    return pr_unwind_step(&all, 0, &stack->memory, &stack->state);
}

static const struct pr_unwind_rule usual[] = {{.of = PC, .kind = PR_UNWIND_SAVED, .offset = -8},
                                              {.of = FP, .kind = PR_UNWIND_SAVED, .offset = -16}};

static void registers_are_where_the_rules_say(void **state)
{
    struct stack stack;
    (void)state;
    make_stack(&stack);
    assert_int_equal(step(&stack, (struct pr_unwind_row){.cfa_register = FP, .cfa_offset = 16}, usual, 2, NULL, 0),
                     PR_UNWIND_STEP);
    assert_int_equal(stack.state.pc, 105);
    assert_int_equal(stack.state.reg[FP], 104);
    assert_int_equal(pr_unwind_stack_pointer(&stack.state), START + 48);
    assert_false(stack.state.is_exact);
}

static void what_is_lost_ends_a_stack_or_stops_it(void **state)
{
    struct stack stack;
    (void)state;
    make_stack(&stack);
    const struct pr_unwind_row by_stack = {.cfa_register = SP, .cfa_offset = 16};
    struct pr_unwind_row outermost = by_stack;
    outermost.undefined = UINT64_C(1) << PC;
    assert_int_equal(step(&stack, outermost, usual, 0, NULL, 0), PR_UNWIND_END);
    assert_int_equal(stack.state.pc, 0x400);
    stack.word[1] = 0;
    assert_int_equal(step(&stack, by_stack, usual, 2, NULL, 0), PR_UNWIND_END);
    const struct pr_unwind_row beyond = {.cfa_register = SP, .cfa_offset = sizeof stack.word + 8};
    assert_int_equal(step(&stack, beyond, usual, 2, NULL, 0), PR_UNWIND_MEMORY);
    const struct pr_unwind_row before = {.cfa_register = SP, .cfa_offset = 0};
    assert_int_equal(step(&stack, before, usual, 2, NULL, 0), PR_UNWIND_MEMORY);
    const struct pr_unwind_row lost = {.cfa_register = 3};
    assert_int_equal(step(&stack, lost, usual, 2, NULL, 0), PR_UNWIND_NO_RULES);
}

/* As of a signal's frame, and of a table of jumps to libraries. */
static void expressions_are_worked_out(void **state)
{
    static const struct pr_unwind_op saved_stack[] = {{.code = BREG0 + SP, .number = 24}, {.code = DEREF}};
    static const struct pr_unwind_op jumps[] = {
        {.code = BREG0 + SP, .number = 8}, {.code = BREG0 + PC}, {.code = LIT0 + 15}, {.code = AND},
        {.code = LIT0 + 11}, {.code = GE}, {.code = LIT0 + 3}, {.code = SHL}, {.code = PLUS}};
    static const struct pr_unwind_op of_return[] = {{.code = CFA}, {.code = PLUS_CONST, .number = 8}};
    struct stack stack;
    (void)state;
    make_stack(&stack);
    stack.word[3] = START + 80;
    const struct pr_unwind_rule by_expression = {.of = PC, .kind = PR_UNWIND_SAVED_EXPRESSION, .first_op = 2,
                                                 .op_count = 2};
    struct pr_unwind_op ops[4];
    memcpy(ops, saved_stack, sizeof saved_stack);
    memcpy(ops + 2, of_return, sizeof of_return);
    const struct pr_unwind_row of_signal = {.cfa_op_count = 2, .is_signal = true};
    assert_int_equal(step(&stack, of_signal, &by_expression, 1, ops, 4), PR_UNWIND_STEP);
    assert_int_equal(stack.state.pc, 111);
    assert_true(stack.state.is_exact);
    make_stack(&stack);
    stack.state.reg[PC] = 0x40b;
    const struct pr_unwind_row row = {.cfa_op_count = sizeof jumps / sizeof *jumps};
    assert_int_equal(step(&stack, row, usual, 1, jumps, sizeof jumps / sizeof *jumps), PR_UNWIND_STEP);
    assert_int_equal(stack.state.reg[SP], START + 16);
    assert_int_equal(stack.state.pc, 101);
}

static void expressions_that_make_no_sense_end(void **state)
{
    static const struct pr_unwind_op endless[] = {{.code = LIT0}, {.code = SKIP, .target = 0}};
    static const struct pr_unwind_op turning[] = {{.code = LIT0 + 1}, {.code = BRA, .target = 0}};
    static const struct pr_unwind_op by_zero[] = {{.code = LIT0}, {.code = LIT0}, {.code = DIV}};
    static const struct pr_unwind_op shifted[] = {{.code = LIT0 + 1}, {.code = 0x0e, .number = 64}, {.code = SHRA},
                                                  {.code = DEREF}};
    static const struct pr_unwind_op nothing[] = {{.code = DUP}};
    static const struct pr_unwind_op unknown[] = {{.code = LIT0}, {.code = LIT0}, {.code = 0xff}};
    static const struct {
        const struct pr_unwind_op *op;
        uint32_t count;
    } bad[] = {{endless, 2}, {turning, 2}, {by_zero, 3}, {shifted, 4}, {nothing, 1}, {unknown, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct stack stack;
        make_stack(&stack);
        const struct pr_unwind_row row = {.cfa_op_count = bad[i].count};
        const enum pr_unwind_result result = step(&stack, row, usual, 2, bad[i].op, bad[i].count);
        assert_true(result == PR_UNWIND_NO_RULES || result == PR_UNWIND_MEMORY);
        assert_int_equal(stack.state.pc, 0x400);
    }
}

static void a_frame_pointer_is_followed_upwards_only(void **state)
{
    struct stack stack;
    (void)state;
    make_stack(&stack);
    assert_int_equal(pr_unwind_frame_pointer(&stack.memory, &stack.state), PR_UNWIND_STEP);
    assert_int_equal(stack.state.pc, 105);
    assert_int_equal(stack.state.reg[FP], 104);
    assert_int_equal(stack.state.reg[SP], START + 48);
    assert_int_equal(pr_unwind_frame_pointer(&stack.memory, &stack.state), PR_UNWIND_NO_RULES);
    make_stack(&stack);
    stack.state.reg[FP] = START + sizeof stack.word - 8;
    assert_int_equal(pr_unwind_frame_pointer(&stack.memory, &stack.state), PR_UNWIND_MEMORY);
}

/* The caller would be the same function at the same place of the stack. */
static void a_step_that_leads_nowhere_is_none(void **state)
{
    struct stack stack;
    (void)state;
    make_stack(&stack);
    assert_int_equal(step(&stack, (struct pr_unwind_row){.cfa_register = SP}, usual, 0, NULL, 0), PR_UNWIND_NO_RULES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_where_the_rules_say),
        cmocka_unit_test(what_is_lost_ends_a_stack_or_stops_it),
        cmocka_unit_test(expressions_are_worked_out),
        cmocka_unit_test(expressions_that_make_no_sense_end),
        cmocka_unit_test(a_frame_pointer_is_followed_upwards_only),
        cmocka_unit_test(a_step_that_leads_nowhere_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
