/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers from copies of stacks: that of this very program, read as a recording of it, and then the same with registers
 * and stacks that no program has.
 */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"
#include "tests/support/perf_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { PID = 7, STACK_BYTES = 4096, MOST_REGISTERS = 33 };

/* Where this program was, as the kernel would have sampled it. */
struct moment {
    uint64_t mask, reg[MOST_REGISTERS]; /* in perf's order; the stack pointer and the address are SP and PC */
    unsigned count, sp, pc;
    uint64_t stack_start;
    uint8_t stack[STACK_BYTES];
    size_t size;
};

static struct moment moment;
static volatile uintptr_t stack_end; /* of main's part of it */

#if defined(__x86_64__)
static void take_registers(const ucontext_t *context)
{
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
                                REG_EFL, -1, -1, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    moment.mask = 0xff0fff;
    moment.count = sizeof order / sizeof *order;
    moment.sp = 7;
    moment.pc = 8;
    for (unsigned i = 0; i < moment.count; i++)
        moment.reg[i] = order[i] < 0 ? 0 : (uint64_t)context->uc_mcontext.gregs[order[i]];
}
#elif defined(__aarch64__)
static void take_registers(const ucontext_t *context)
{
    moment.mask = UINT64_C(0x1ffffffff);
    moment.count = MOST_REGISTERS;
    moment.sp = 31;
    moment.pc = 32;
    for (unsigned i = 0; i < 31; i++)
        moment.reg[i] = context->uc_mcontext.regs[i];
    moment.reg[31] = context->uc_mcontext.sp;
    moment.reg[32] = context->uc_mcontext.pc;
}
#else
static void take_registers(const ucontext_t *context)
{
    (void)context;
}
#endif

/* Byte by byte: what is between the variables belongs to nobody, as sanitizers have it. */
__attribute__((noinline, no_sanitize("address"))) static void copy_stack(void)
{
    const volatile uint8_t *from = (const volatile uint8_t *)(uintptr_t)moment.reg[moment.sp];
    moment.stack_start = moment.reg[moment.sp];
    for (moment.size = 0; moment.size < STACK_BYTES && (uintptr_t)(from + moment.size) < stack_end; moment.size++)
        moment.stack[moment.size] = from[moment.size];
}

__attribute__((noinline, no_sanitize("address"))) void callers_inner(volatile int *depth)
{
    ucontext_t context;
    if (!getcontext(&context))
        take_registers(&context);
    if (moment.count)
        copy_stack();
    ++*depth;
}

__attribute__((noinline, no_sanitize("address"))) void callers_middle(volatile int *depth)
{
    callers_inner(depth);
    ++*depth;
}

__attribute__((noinline, no_sanitize("address"))) void callers_outer(volatile int *depth)
{
    callers_middle(depth);
    ++*depth;
}

/* ---- recordings of it ------------------------------------------------------------------------------------------- */

static void add_maps(struct perf_writer *w)
{
    char line[512], path[256];
    FILE *maps = fopen("/proc/self/maps", "re");
    uint64_t start, end, offset;
    char code;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %*s %*s %255s", &start, &end, &code, &offset,
                   path) == 5 && code == 'x')
            perf_map(w, PID, start, end - start, offset, path, 1);
    fclose(maps);
}

static void begin(struct perf_writer *w)
{
    enum { SAMPLE_TYPE = 24, REGISTERS = 80 };
    perf_attr(w, 1, 0, 4000, "cpu-clock");
    w->attrs[0].bytes[SAMPLE_TYPE] |= 1;        /* the address */
    w->attrs[0].bytes[SAMPLE_TYPE + 1] |= 0x30; /* registers, stack */
    memcpy(w->attrs[0].bytes + REGISTERS, &moment.mask, 8);
    perf_comm(w, PID, PID, "self", 1);
    add_maps(w);
}

/* A sample in user code; its copy of the stack was of COPIED bytes at most. */
static void add_sample(struct perf_writer *w, const struct moment *at, uint64_t abi, size_t copied)
{
    const uint64_t head[] = {100, at->reg[at->pc], PID | (uint64_t)PID << 32, 1000, 5, 0, abi};
    struct pr_buf content = {0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        perf_put(&content, false, head[i], 8);
    for (unsigned i = 0; abi && i < at->count; i++)
        perf_put(&content, false, at->reg[i], 8);
    perf_put(&content, false, copied, 8);
    for (size_t i = 0; i < copied; i++)
        pr_buf_byte(&content, i < at->size ? at->stack[i] : 0);
    perf_put(&content, false, at->size < copied ? at->size : copied, 8);
    perf_record(w, 9, 2, &content);
}

static struct pr_profile *read_recording(struct perf_writer *w)
{
    struct pr_buf file = perf_file(w);
    struct pr_profile *profile = reading(NULL, file.bytes, file.length, PR_OK);
    pr_buf_clear(&file);
    perf_clear(w);
    return profile;
}

static bool has_note(const struct pr_profile *profile, const char *words)
{
    for (size_t i = 0; i < profile->note_count; i++)
        if (strstr(profile->notes[i], words))
            return true;
    return false;
}

static void assert_noted(struct perf_writer *w, const char *words)
{
    struct pr_profile *profile = read_recording(w);
    if (!has_note(profile, words))
        fail_msg("no note has: %s", words);
    pr_profile_free(profile);
}

static void take_moment(void)
{
    volatile int depth = 0;
    stack_end = (uintptr_t)__builtin_frame_address(0);
    callers_outer(&depth);
    if (!moment.count)
        skip();
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static void callers_are_found_in_a_copy_of_the_stack(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    take_moment();
    begin(&w);
    add_sample(&w, &moment, 2, STACK_BYTES);
    struct pr_profile *profile = read_recording(&w);
    char *stacks = reading_stacks(profile, "cpu-clock");
    const char *outer = strstr(stacks, "callers_outer");
    const char *middle = outer ? strstr(outer, "callers_middle") : NULL;
    if (!middle || !strstr(middle, "callers_inner"))
        fail_msg("stacks are %s", stacks);
    assert_false(has_note(profile, "guessed"));
    free(stacks);
    pr_profile_free(profile);
}

static void a_copy_that_is_too_short_says_so(void **state)
{
    enum { SHORT = 64 };
    struct perf_writer w = {.big_endian = false};
    (void)state;
    take_moment();
    begin(&w);
    add_sample(&w, &moment, 2, SHORT);
    assert_noted(&w, "1 stack was longer than what perf copied");
}

static void registers_of_other_machines_are_counted_and_leave_the_function(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    take_moment();
    begin(&w);
    add_sample(&w, &moment, 1, STACK_BYTES);
    struct pr_profile *profile = read_recording(&w);
    char *stacks = reading_stacks(profile, "cpu-clock");
    assert_true(has_note(profile, "not from 64-bit x86 or Arm"));
    if (!strstr(stacks, "callers_inner") || strstr(stacks, "callers_middle"))
        fail_msg("stacks are %s", stacks);
    free(stacks);
    pr_profile_free(profile);
}

static void a_file_that_is_not_here_is_named(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    take_moment();
    begin(&w);
    perf_map(&w, PID, moment.reg[moment.pc] & ~UINT64_C(0xfff), 0x1000, 0, "/nowhere/program", 2);
    struct moment lost = moment;
    memset(lost.stack, 0, sizeof lost.stack);
    add_sample(&w, &lost, 2, STACK_BYTES);
    assert_noted(&w, "1 stack ends in code whose file is missing or changed on this machine (/nowhere/program)");
}

/* Each value, whatever it is: reading ends, and what is read keeps its rules. */
static void registers_and_stacks_may_hold_anything(void **state)
{
    static const uint64_t values[] = {0, 1, 7, UINT64_MAX, UINT64_MAX - 15, INT64_MAX, (uint64_t)INT64_MIN, 0x1000};
    (void)state;
    take_moment();
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        struct perf_writer w = {.big_endian = false};
        begin(&w);
        for (unsigned i = 0; i < moment.count; i++) {
            struct moment hostile = moment;
            hostile.reg[i] = values[v];
            add_sample(&w, &hostile, 2, STACK_BYTES);
        }
        for (size_t i = 0; i + 8 <= moment.size; i += 8) {
            struct moment hostile = moment;
            memcpy(hostile.stack + i, &values[v], 8);
            add_sample(&w, &hostile, 2, STACK_BYTES);
        }
        pr_profile_free(read_recording(&w));
    }
}

/* Frames that point to themselves, and to one another. */
static void stacks_that_never_end_are_left(void **state)
{
    (void)state;
    take_moment();
    struct perf_writer w = {.big_endian = false};
    begin(&w);
    for (size_t step = 8; step <= 64; step += 8) {
        struct moment hostile = moment;
        for (size_t i = 0; i + 8 <= sizeof hostile.stack; i += 8) {
            const uint64_t value = i % 16 ? moment.reg[moment.pc] : moment.stack_start + i % step;
            memcpy(hostile.stack + i, &value, 8);
        }
        hostile.size = sizeof hostile.stack;
        add_sample(&w, &hostile, 2, STACK_BYTES);
    }
    pr_profile_free(read_recording(&w));
}

static void missing_memory_is_reported(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    take_moment();
    begin(&w);
    add_sample(&w, &moment, 2, STACK_BYTES);
    struct pr_buf file = perf_file(&w);
    assert_needs_memory(file.bytes, file.length);
    pr_buf_clear(&file);
    perf_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_are_found_in_a_copy_of_the_stack),
        cmocka_unit_test(a_copy_that_is_too_short_says_so),
        cmocka_unit_test(registers_of_other_machines_are_counted_and_leave_the_function),
        cmocka_unit_test(a_file_that_is_not_here_is_named),
        cmocka_unit_test(registers_and_stacks_may_hold_anything),
        cmocka_unit_test(stacks_that_never_end_are_left),
        cmocka_unit_test(missing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
