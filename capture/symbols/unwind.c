/* SPDX-License-Identifier: Apache-2.0 */
/* A step reads the saved registers into a copy of the state, which it becomes only if all went well. */
#include "capture/symbols/unwind.h"

#include <stdlib.h>
#include <string.h>

/* Which register is what. */
struct machine {
    uint8_t stack, frame, back; /* `back`: where a call leaves its return address */
    uint8_t registers;
    bool has_back; /* else it is on the stack */
};

static const struct machine machines[] = {
    [PR_UNWIND_X86_64] = {.stack = 7, .frame = 6, .registers = 17},
    [PR_UNWIND_AARCH64] = {.stack = 31, .frame = 29, .back = 30, .registers = 33, .has_back = true},
};

static const struct machine *machine_of(const struct pr_unwind_state *state)
{
    return &machines[state->machine];
}

uint64_t pr_unwind_stack_pointer(const struct pr_unwind_state *state)
{
    return state->reg[machine_of(state)->stack];
}

/* The SIZE bytes at ADDRESS as a number. */
static bool load(const struct pr_unwind_memory *memory, uint64_t address, unsigned size, uint64_t *value)
{
    const uint64_t at = address - memory->start;
    if (address < memory->start || at > memory->size || memory->size - at < size)
        return false;
    *value = 0;
    for (unsigned i = 0; i < size; i++)
        *value = *value << 8 | memory->bytes[at + (memory->big_endian ? i : size - 1 - i)];
    return true;
}

static bool get(const struct pr_unwind_state *state, uint64_t number, uint64_t *value)
{
    if (number >= PR_UNWIND_REGISTERS || !(state->known >> number & 1))
        return false;
    *value = state->reg[number];
    return true;
}

static void set(struct pr_unwind_state *state, uint8_t number, uint64_t value)
{
    state->reg[number] = value;
    state->known |= UINT64_C(1) << number;
}

static void lose(struct pr_unwind_state *state, uint8_t number)
{
    state->known &= ~(UINT64_C(1) << number);
}

/* ---- expressions ------------------------------------------------------------------------------------------------ */

/* DWARF 5, table 7.9: those that rules of real programs have. */
enum {
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONSTS = 0x11,
    OP_DUP = 0x12,
    OP_DROP = 0x13,
    OP_OVER = 0x14,
    OP_PICK = 0x15,
    OP_SWAP = 0x16,
    OP_ROT = 0x17,
    OP_ABS = 0x19,
    OP_AND = 0x1a,
    OP_DIV = 0x1b,
    OP_MINUS = 0x1c,
    OP_MOD = 0x1d,
    OP_MUL = 0x1e,
    OP_NEG = 0x1f,
    OP_NOT = 0x20,
    OP_OR = 0x21,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_SHL = 0x24,
    OP_SHR = 0x25,
    OP_SHRA = 0x26,
    OP_XOR = 0x27,
    OP_BRA = 0x28,
    OP_EQ = 0x29,
    OP_GE = 0x2a,
    OP_GT = 0x2b,
    OP_LE = 0x2c,
    OP_LT = 0x2d,
    OP_NE = 0x2e,
    OP_SKIP = 0x2f,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    OP_BREGX = 0x92,
    OP_DEREF_SIZE = 0x94,
    OP_NOP = 0x96,
    OP_CALL_FRAME_CFA = 0x9c,
    OP_STACK_VALUE = 0x9f
};

enum { MAX_STACK = 64, MAX_STEPS = 1000 };

struct evaluation {
    const struct pr_unwind_state *state;
    const struct pr_unwind_memory *memory;
    uint64_t cfa;
    uint64_t value[MAX_STACK];
    unsigned depth;
    bool failed, no_memory; /* `no_memory`: it read what the memory does not hold */
};

static void push(struct evaluation *e, uint64_t value)
{
    if (e->depth == MAX_STACK)
        e->failed = true;
    else
        e->value[e->depth++] = value;
}

static uint64_t pop(struct evaluation *e)
{
    if (e->depth)
        return e->value[--e->depth];
    e->failed = true;
    return 0;
}

/* The value INDEX below the top. */
static uint64_t peek(struct evaluation *e, uint64_t index)
{
    if (index < e->depth)
        return e->value[e->depth - 1 - index];
    e->failed = true;
    return 0;
}

static void push_register(struct evaluation *e, uint64_t number, uint64_t offset)
{
    uint64_t value = 0;
    if (!get(e->state, number, &value))
        e->failed = true;
    push(e, value + offset);
}

static void dereference(struct evaluation *e, uint64_t size)
{
    uint64_t value = 0;
    if (!size || size > 8 || !load(e->memory, pop(e), (unsigned)size, &value))
        e->failed = e->no_memory = true;
    push(e, value);
}

static uint64_t divide(struct evaluation *e, int64_t a, int64_t b)
{
    if (!b || (a == INT64_MIN && b == -1)) {
        e->failed = true;
        return 0;
    }
    return (uint64_t)(a / b);
}

static uint64_t shift_signed(uint64_t a, uint64_t count)
{
    const uint64_t fill = a >> 63 ? UINT64_MAX : 0;
    if (count > 63)
        return fill;
    return count ? a >> count | fill << (64 - count) : a;
}

/* A of one or, with B, two operands; the first that was pushed is A. */
static uint64_t operate(struct evaluation *e, uint8_t code, uint64_t a, uint64_t b)
{
    const int64_t x = (int64_t)a, y = (int64_t)b;
    switch (code) {
    case OP_AND:
        return a & b;
    case OP_DIV:
        return divide(e, x, y);
    case OP_MINUS:
        return a - b;
    case OP_MOD:
        e->failed = e->failed || !b;
        return b ? a % b : 0;
    case OP_MUL:
        return a * b;
    case OP_OR:
        return a | b;
    case OP_PLUS:
        return a + b;
    case OP_SHL:
        return b > 63 ? 0 : a << b;
    case OP_SHR:
        return b > 63 ? 0 : a >> b;
    case OP_SHRA:
        return shift_signed(a, b);
    case OP_XOR:
        return a ^ b;
    case OP_EQ:
        return x == y;
    case OP_GE:
        return x >= y;
    case OP_GT:
        return x > y;
    case OP_LE:
        return x <= y;
    case OP_LT:
        return x < y;
    case OP_NE:
        return x != y;
    default:
        e->failed = true;
        return 0;
    }
}

static void exchange(struct evaluation *e, uint8_t code)
{
    const uint64_t a = pop(e), b = pop(e), c = code == OP_ROT ? pop(e) : 0;
    push(e, a);
    if (code == OP_ROT)
        push(e, c);
    push(e, b);
}

static void change_top(struct evaluation *e, const struct pr_unwind_op *op)
{
    const uint64_t a = pop(e);
    if (op->code == OP_PLUS_UCONST)
        push(e, a + op->number);
    else if (op->code == OP_NOT)
        push(e, ~a);
    else
        push(e, op->code == OP_NEG || a >> 63 ? 0 - a : a);
}

static void apply(struct evaluation *e, const struct pr_unwind_op *op)
{
    if (op->code >= OP_LIT0 && op->code <= OP_LIT31) {
        push(e, (uint64_t)op->code - OP_LIT0);
    } else if (op->code >= OP_BREG0 && op->code <= OP_BREG31) {
        push_register(e, (uint64_t)op->code - OP_BREG0, op->number);
    } else if (op->code >= OP_CONST1U && op->code <= OP_CONSTS) {
        push(e, op->number);
    } else {
        switch (op->code) {
        case OP_BREGX:
            push_register(e, op->number, op->number2);
            break;
        case OP_DEREF:
            dereference(e, 8);
            break;
        case OP_DEREF_SIZE:
            dereference(e, op->number);
            break;
        case OP_DUP:
        case OP_OVER:
        case OP_PICK:
            push(e, peek(e, op->code == OP_PICK ? op->number : op->code - OP_DUP != 0));
            break;
        case OP_DROP:
            pop(e);
            break;
        case OP_SWAP:
        case OP_ROT:
            exchange(e, op->code);
            break;
        case OP_ABS:
        case OP_NEG:
        case OP_NOT:
        case OP_PLUS_UCONST:
            change_top(e, op);
            break;
        case OP_CALL_FRAME_CFA:
            push(e, e->cfa);
            break;
        case OP_NOP:
        case OP_STACK_VALUE:
            break;
        default: {
            const uint64_t b = pop(e), a = pop(e);
            push(e, operate(e, op->code, a, b));
        }
        }
    }
}

/* The value of an expression. CFA is pushed first, if there is one. */
static enum pr_unwind_result evaluate(struct evaluation *e, const struct pr_unwind_op *op, uint32_t count,
                                      uint64_t *value)
{
    unsigned steps = 0;
    for (uint32_t i = 0; i < count && !e->failed; i++) {
        bool is_taken = op[i].code == OP_SKIP;
        if (++steps > MAX_STEPS)
            return PR_UNWIND_NO_RULES;
        if (op[i].code == OP_BRA)
            is_taken = pop(e) != 0;
        else if (!is_taken)
            apply(e, &op[i]);
        if (is_taken)
            i = op[i].target - 1; /* the loop adds it again; targets beyond the end end it */
    }
    *value = pop(e);
    if (!e->failed)
        return PR_UNWIND_STEP;
    return e->no_memory ? PR_UNWIND_MEMORY : PR_UNWIND_NO_RULES;
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

static enum pr_unwind_result find_cfa(const struct pr_unwind_rules *rules, const struct pr_unwind_row *row,
                                      const struct pr_unwind_memory *memory, const struct pr_unwind_state *state,
                                      uint64_t *cfa)
{
    struct evaluation e = {.state = state, .memory = memory};
    if (row->cfa_op_count)
        return evaluate(&e, rules->op + row->cfa_first_op, row->cfa_op_count, cfa);
    if (!get(state, row->cfa_register, cfa))
        return PR_UNWIND_NO_RULES;
    *cfa += (uint64_t)row->cfa_offset;
    return PR_UNWIND_STEP;
}

static enum pr_unwind_result find_register(const struct pr_unwind_rules *rules, const struct pr_unwind_rule *rule,
                                           const struct pr_unwind_memory *memory, const struct pr_unwind_state *state,
                                           uint64_t cfa, uint64_t *value)
{
    struct evaluation e = {.state = state, .memory = memory, .cfa = cfa};
    enum pr_unwind_result result = PR_UNWIND_STEP;
    switch ((enum pr_unwind_kind)rule->kind) {
    case PR_UNWIND_COPY:
        return get(state, (uint64_t)rule->offset, value) ? PR_UNWIND_STEP : PR_UNWIND_NO_RULES;
    case PR_UNWIND_VALUE:
        *value = cfa + (uint64_t)rule->offset;
        return PR_UNWIND_STEP;
    case PR_UNWIND_VALUE_EXPRESSION:
        return evaluate(&e, rules->op + rule->first_op, rule->op_count, value);
    case PR_UNWIND_SAVED_EXPRESSION:
        result = evaluate(&e, rules->op + rule->first_op, rule->op_count, value);
        break;
    default:
        *value = cfa + (uint64_t)rule->offset;
        break;
    }
    if (result == PR_UNWIND_STEP && !load(memory, *value, 8, value))
        return PR_UNWIND_MEMORY;
    return result;
}

/* The caller is where the return register says. A register that cannot be found is lost, and matters only if used. */
static enum pr_unwind_result finish_step(const struct pr_unwind_row *row, enum pr_unwind_result of_return,
                                         struct pr_unwind_state *caller)
{
    if (of_return != PR_UNWIND_STEP)
        return of_return;
    if (row->undefined >> row->return_register & 1 || !get(caller, row->return_register, &caller->pc) || !caller->pc)
        return PR_UNWIND_END;
    caller->is_exact = row->is_signal;
    return PR_UNWIND_STEP;
}

enum pr_unwind_result pr_unwind_step(const struct pr_unwind_rules *rules, uint32_t number,
                                     const struct pr_unwind_memory *memory, struct pr_unwind_state *state)
{
    const struct pr_unwind_row *row = &rules->row[number];
    struct pr_unwind_state caller = *state;
    enum pr_unwind_result of_return = PR_UNWIND_STEP;
    uint64_t cfa = 0, value = 0;
    if (!row->is_known || row->return_register >= PR_UNWIND_REGISTERS)
        return PR_UNWIND_NO_RULES;
    const enum pr_unwind_result found = find_cfa(rules, row, memory, state, &cfa);
    if (found != PR_UNWIND_STEP)
        return found;
    caller.known &= ~row->undefined;
    set(&caller, machine_of(state)->stack, cfa);
    for (uint32_t i = 0; i < row->rule_count; i++) {
        const struct pr_unwind_rule *rule = &rules->rule[row->first_rule + i];
        const enum pr_unwind_result result = find_register(rules, rule, memory, state, cfa, &value);
        if (result == PR_UNWIND_STEP)
            set(&caller, rule->of, value);
        else
            lose(&caller, rule->of);
        if (rule->of == row->return_register)
            of_return = result;
    }
    const bool is_stuck = caller.reg[row->return_register] == state->pc &&
                          pr_unwind_stack_pointer(&caller) == pr_unwind_stack_pointer(state);
    const enum pr_unwind_result result = finish_step(row, of_return, &caller);
    if (result != PR_UNWIND_STEP)
        return result;
    if (is_stuck)
        return PR_UNWIND_NO_RULES;
    *state = caller;
    return PR_UNWIND_STEP;
}

/* On both machines the frame pointer points to the caller's, and above that is the return address. */
enum pr_unwind_result pr_unwind_frame_pointer(const struct pr_unwind_memory *memory, struct pr_unwind_state *state)
{
    enum { FURTHEST = 0x4000 /* a frame is hardly larger; libunwind has the same bound */ };
    const struct machine *machine = machine_of(state);
    const uint64_t stack = pr_unwind_stack_pointer(state);
    uint64_t frame, next, back;
    if (!get(state, machine->frame, &frame) || frame < stack || frame - stack > FURTHEST)
        return PR_UNWIND_NO_RULES;
    if (!load(memory, frame, 8, &next) || !load(memory, frame + 8, 8, &back))
        return PR_UNWIND_MEMORY;
    if (!back)
        return PR_UNWIND_END;
    for (uint8_t i = 0; i < machine->registers; i++)
        lose(state, i);
    set(state, machine->frame, next);
    set(state, machine->stack, frame + 16);
    state->pc = back;
    state->is_exact = false;
    return PR_UNWIND_STEP;
}

void pr_unwind_reset(struct pr_unwind_rules *rules)
{
    rules->row_count = rules->rule_count = rules->op_count = 0;
}

void pr_unwind_clear(struct pr_unwind_rules *rules)
{
    free(rules->row);
    free(rules->rule);
    free(rules->op);
    *rules = (struct pr_unwind_rules){0};
}
