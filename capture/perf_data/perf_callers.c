/* SPDX-License-Identifier: Apache-2.0 */
/* Files are opened when a step first needs them; rules are kept by file and address until there are too many. */
#include "capture/perf_data/perf_callers.h"

#include "capture/base/checked.h"

#include <inttypes.h>

enum { MAX_ROWS = 1 << 18 /* some 50 MB */, MAX_OPENED = 4096 };

/* ---- registers -------------------------------------------------------------------------------------------------- */

/* Those that perf asks for on AArch64: x0 to x30, the stack pointer, the address; DWARF has the same numbers. */
#define AARCH64_REGISTERS UINT64_C(0x1ffffffff)
#define X86_64_REGISTERS UINT64_C(0xff0fff)

enum { NOT_KEPT = PR_UNWIND_REGISTERS, X86_64_IP = 16, AARCH64_PC = 32 };

/* DWARF's numbers of perf's registers: flags and segments have none. */
static unsigned x86_64_number(unsigned perf)
{
    static const uint8_t low[] = {0, 3, 2, 1, 4, 5, 6, 7, X86_64_IP};
    if (perf < sizeof low)
        return low[perf];
    return perf >= 16 && perf < 24 ? perf - 8 : NOT_KEPT;
}

/* False: it is none of the machines whose stacks are read, or lacks the registers that matter. */
static bool find_machine(const struct pr_perf_stack_source *source, enum pr_unwind_machine *machine)
{
    const uint64_t mask = source->attr->user_registers, needed = UINT64_C(3) << 7; /* stack pointer, address */
    *machine = (mask & AARCH64_REGISTERS) == AARCH64_REGISTERS ? PR_UNWIND_AARCH64 : PR_UNWIND_X86_64;
    if (source->sample->register_abi != 2)
        return false;
    return *machine == PR_UNWIND_AARCH64 || ((mask & needed) == needed && !(mask & ~X86_64_REGISTERS));
}

static bool take_state(const struct pr_perf_stack_source *source, struct pr_unwind_state *state)
{
    struct pr_perf_bytes registers = source->sample->registers;
    if (!find_machine(source, &state->machine))
        return false;
    for (unsigned i = 0; i < 64; i++) {
        if (!(source->attr->user_registers >> i & 1))
            continue;
        const uint64_t value = pr_perf_u64(&registers);
        const unsigned number = state->machine == PR_UNWIND_X86_64 ? x86_64_number(i) : i;
        if (number < NOT_KEPT) {
            state->reg[number] = value;
            state->known |= UINT64_C(1) << number;
        }
    }
    state->pc = state->reg[state->machine == PR_UNWIND_X86_64 ? X86_64_IP : AARCH64_PC];
    state->is_exact = true;
    return !registers.failed;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static struct pr_perf_code *code_of(struct pr_perf_callers *callers, struct pr_profile_builder *c, uint32_t file)
{
    if (file >= callers->code_count) {
        if (!pr_grow(&callers->code, &callers->code_capacity, file + (size_t)1, sizeof *callers->code)) {
            pr_build_no_memory(c);
            return NULL;
        }
        memset(callers->code + callers->code_count, 0,
               (file + (size_t)1 - callers->code_count) * sizeof *callers->code);
        callers->code_count = file + (size_t)1;
    }
    return &callers->code[file];
}

static struct pr_elf_mapping mapping_of(const struct pr_profile_builder *c, const struct pr_perf_file *file)
{
    return (struct pr_elf_mapping){file->offset, file->size_bytes, pr_profile_text(c->profile, file->build_id)};
}

/* The file of code that a map shows; NULL: it is not here. */
static struct pr_elf *open_once(struct pr_perf_callers *callers, const struct pr_perf_stack_source *source,
                                uint32_t number)
{
    struct pr_profile_builder *c = source->c;
    struct pr_perf_code *code = code_of(callers, c, number);
    const struct pr_perf_file *file = &source->places->file[number];
    const struct pr_text path = pr_profile_text(c->profile, file->path);
    if (!code || code->asked)
        return code ? code->elf : NULL;
    *code = (struct pr_perf_code){.asked = true, .build_id = file->build_id};
    if (!path.length || *path.bytes != '/' || callers->opened >= MAX_OPENED)
        return NULL;
    const struct pr_elf_mapping mapping = mapping_of(c, file);
    enum pr_elf_trouble trouble;
    code->elf = pr_elf_open(path.bytes, &(struct pr_elf_origin){.mapping = &mapping}, c->options->debuginfod, &trouble);
    callers->opened += code->elf != NULL;
    if (trouble == PR_ELF_NO_MEMORY)
        pr_build_no_memory(c);
    return code->elf;
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* Room for one more row. Too many are forgotten, all of them: a program has its functions again soon. */
static bool make_room(struct pr_perf_callers *callers)
{
    if (callers->keys.count >= MAX_ROWS) {
        pr_idset_clear(&callers->keys);
        pr_unwind_reset(&callers->rules);
    }
    callers->keys.words = 2;
    return pr_grow(&callers->row, &callers->row_capacity, callers->keys.count + (size_t)1, sizeof *callers->row);
}

/* The row at OFFSET of file NUMBER, which is ELF; PR_NO_RULES: no memory. */
static uint32_t find_row(struct pr_perf_callers *callers, struct pr_elf *elf, uint32_t number, uint64_t offset)
{
    const uint64_t key[2] = {number, offset};
    const uint32_t known = callers->keys.count ? pr_idset_find(&callers->keys, key, 2) : PR_NO_ID;
    uint64_t address = 0;
    if (known != PR_NO_ID)
        return callers->row[known];
    if (!make_room(callers))
        return PR_NO_RULES;
    if (!pr_elf_address(elf, offset, &address))
        address = UINT64_MAX; /* not code: there are no rules either */
    const uint32_t row = pr_elf_rules(elf, address, callers->machine, &callers->rules);
    const uint32_t index = row == PR_NO_RULES ? PR_NO_ID : pr_idset_add(&callers->keys, key, 2);
    if (index == PR_NO_ID)
        return PR_NO_RULES;
    callers->row[index] = row;
    return row;
}

/* ---- a stack ---------------------------------------------------------------------------------------------------- */

struct walk {
    struct pr_perf_callers *callers;
    const struct pr_perf_stack_source *source;
    struct pr_unwind_memory memory;
    struct pr_unwind_state state;
    const struct pr_perf_map *map; /* that holds the address */
    uint32_t row;                  /* PR_NO_RULES: there are none */
    bool is_missing;               /* the file is not here */
    bool is_guessed;
};

/* An address for look-ups: a call is before where it returns to. */
static uint64_t looked_up(const struct pr_unwind_state *state)
{
    return state->is_exact ? state->pc : state->pc - 1;
}

/* Pointers may be signed, in the bits that an address in user code does not have. */
static void strip(struct walk *walk)
{
    const uint64_t plain = walk->state.pc & ((UINT64_C(1) << 48) - 1);
    if (walk->map || walk->state.machine != PR_UNWIND_AARCH64 || plain == walk->state.pc)
        return;
    walk->map = pr_perf_map_find(walk->source->processes, walk->source->sample->pid, plain);
    if (walk->map)
        walk->state.pc = plain;
}

static void look_up(struct walk *walk)
{
    const struct pr_perf_stack_source *source = walk->source;
    walk->map = pr_perf_map_find(source->processes, source->sample->pid, looked_up(&walk->state));
    walk->row = PR_NO_RULES;
    walk->is_missing = false;
    strip(walk);
    if (!walk->map)
        return;
    struct pr_elf *elf = open_once(walk->callers, source, walk->map->file);
    const struct pr_perf_file *file = &source->places->file[walk->map->file];
    walk->is_missing = !elf && walk->map->is_code && file->is_path && !file->is_anonymous;
    if (!elf || source->c->status != PR_OK)
        return;
    const uint64_t offset = looked_up(&walk->state) - walk->map->start + walk->map->offset;
    walk->row = find_row(walk->callers, elf, walk->map->file, offset);
    if (walk->row == PR_NO_RULES)
        pr_build_no_memory(source->c);
    else if (!walk->callers->rules.row[walk->row].is_known)
        walk->row = PR_NO_RULES;
}

/* The frame pointer is followed only to code; that it leads nowhere does not prove that nothing called. */
static enum pr_unwind_result guess(struct walk *walk)
{
    struct pr_unwind_state caller = walk->state;
    const enum pr_unwind_result result = pr_unwind_frame_pointer(&walk->memory, &caller);
    if (result != PR_UNWIND_STEP)
        return result == PR_UNWIND_END ? PR_UNWIND_NO_RULES : result;
    const struct pr_perf_map *map =
        pr_perf_map_find(walk->source->processes, walk->source->sample->pid, looked_up(&caller));
    if (!map || !map->is_code)
        return PR_UNWIND_NO_RULES;
    walk->state = caller;
    walk->is_guessed = true;
    return PR_UNWIND_STEP;
}

static enum pr_perf_stop reason_of(const struct walk *walk, enum pr_unwind_result result)
{
    const struct pr_perf_sample *sample = walk->source->sample;
    if (result == PR_UNWIND_END)
        return PR_PERF_STOP_OUTERMOST;
    if (result == PR_UNWIND_MEMORY && walk->row != PR_NO_RULES && sample->is_stack_cut)
        return PR_PERF_STOP_COPY;
    return walk->is_missing ? PR_PERF_STOP_FILE : PR_PERF_STOP_RULES;
}

static size_t walk_stack(struct walk *walk, uint64_t *address, size_t room, enum pr_perf_stop *stop)
{
    const struct pr_unwind_rules *rules = &walk->callers->rules;
    enum pr_unwind_result result = PR_UNWIND_STEP;
    size_t count = 0;
    *stop = PR_PERF_STOP_DEEP;
    while (count < room && walk->source->c->status == PR_OK) {
        look_up(walk);
        const bool is_exact = walk->row != PR_NO_RULES && rules->row[walk->row].is_signal;
        address[count++] = is_exact ? walk->state.pc : looked_up(&walk->state);
        if (!walk->map)
            result = PR_UNWIND_NO_RULES;
        else if (walk->row == PR_NO_RULES)
            result = guess(walk);
        else
            result = pr_unwind_step(rules, walk->row, &walk->memory, &walk->state);
        if (result != PR_UNWIND_STEP) {
            *stop = reason_of(walk, result);
            break;
        }
    }
    return count;
}

size_t pr_perf_callers_find(struct pr_perf_callers *callers, const struct pr_perf_stack_source *source,
                            uint64_t *address, size_t room)
{
    const struct pr_perf_sample *sample = source->sample;
    struct walk walk = {.callers = callers, .source = source};
    enum pr_perf_stop stop = PR_PERF_STOP_OFF;
    size_t count = 0;
    if (source->c->options->native == PR_NATIVE_OFFSETS) {
        callers->stopped[stop]++;
        return 0;
    }
    if (!take_state(source, &walk.state)) {
        callers->stopped[PR_PERF_STOP_MACHINE]++;
        return 0;
    }
    walk.memory = (struct pr_unwind_memory){pr_unwind_stack_pointer(&walk.state), sample->stack.at,
                                            pr_perf_left(&sample->stack), sample->stack.big_endian};
    callers->machine = walk.state.machine;
    count = walk_stack(&walk, address, room, &stop);
    callers->stopped[stop]++;
    callers->guessed += walk.is_guessed;
    if (stop == PR_PERF_STOP_FILE && !callers->missing)
        callers->missing = source->places->file[walk.map->file].path;
    return count;
}

/* ---- what is said of them --------------------------------------------------------------------------------------- */

/* A file that a pipe's records named before its build id was known, and that is another build. 0: there is none. */
static pr_str find_other_build(const struct pr_perf_callers *callers, struct pr_profile_builder *c,
                               const struct pr_perf_places *places)
{
    for (size_t i = 0; i < callers->code_count; i++) {
        const struct pr_perf_code *code = &callers->code[i];
        if (!code->elf || code->build_id || !places->file[i].build_id)
            continue;
        const struct pr_elf_mapping mapping = mapping_of(c, &places->file[i]);
        const enum pr_elf_trouble trouble = pr_elf_compare(code->elf, &(struct pr_elf_origin){.mapping = &mapping});
        if (trouble == PR_ELF_NO_MEMORY)
            pr_build_no_memory(c);
        else if (trouble != PR_ELF_GOOD)
            return places->file[i].path;
    }
    return 0;
}

static void note_stops(const struct pr_perf_callers *callers, struct pr_profile_builder *c)
{
    const uint64_t *stopped = callers->stopped;
    const struct pr_text missing = pr_profile_text(c->profile, callers->missing);
    const int length = (int)(missing.length < 200 ? missing.length : 200);
    if (stopped[PR_PERF_STOP_COPY])
        pr_build_note(c, "%" PRIu64 " stack%s longer than what perf copied: the outermost callers are missing; perf "
                         "record --call-graph dwarf,65528 copies more",
                      stopped[PR_PERF_STOP_COPY], stopped[PR_PERF_STOP_COPY] == 1 ? " was" : "s were");
    if (stopped[PR_PERF_STOP_FILE])
        pr_build_note(c, "%" PRIu64 " stack%s in code whose file is missing or changed on this machine (%.*s%s): the "
                         "callers are missing",
                      stopped[PR_PERF_STOP_FILE], stopped[PR_PERF_STOP_FILE] == 1 ? " ends" : "s end", length,
                      missing.bytes, missing.length > 200 ? "..." : "");
    if (stopped[PR_PERF_STOP_RULES])
        pr_build_note(c, "%" PRIu64 " stack%s in code without unwind tables: the callers are missing",
                      stopped[PR_PERF_STOP_RULES], stopped[PR_PERF_STOP_RULES] == 1 ? " ends" : "s end");
    if (stopped[PR_PERF_STOP_DEEP])
        pr_build_note(c, "%" PRIu64 " stack%s deeper than can be read: the outermost callers are missing",
                      stopped[PR_PERF_STOP_DEEP], stopped[PR_PERF_STOP_DEEP] == 1 ? " is" : "s are");
}

void pr_perf_callers_note(const struct pr_perf_callers *callers, struct pr_profile_builder *c,
                          const struct pr_perf_places *places)
{
    const uint64_t off = callers->stopped[PR_PERF_STOP_OFF], other = callers->stopped[PR_PERF_STOP_MACHINE];
    const struct pr_text changed = pr_profile_text(c->profile, find_other_build(callers, c, places));
    note_stops(callers, c);
    if (callers->guessed)
        pr_build_note(c, "callers in %" PRIu64 " stack%s are guessed from frame pointers, where code has no unwind "
                         "tables",
                      callers->guessed, callers->guessed == 1 ? "" : "s");
    if (changed.length)
        pr_build_note(c, "callers found by %.*s may be wrong: the file is another build now",
                      (int)(changed.length < 200 ? changed.length : 200), changed.bytes);
    if (off)
        pr_build_note(c, "%" PRIu64 " sample%s a copy of the user stack, which is not unwound, because no files of "
                      "this machine were to be read: callers in user code are missing", off,
                      off == 1 ? " has" : "s have");
    if (other)
        pr_build_note(c, "%" PRIu64 " sample%s a copy of the user stack, which is not unwound, because it is not from "
                                    "64-bit x86 or Arm: callers in user code are missing; perf record -g keeps those "
                                    "of code with frame pointers",
                      other, other == 1 ? " has" : "s have");
}

void pr_perf_callers_clear(struct pr_perf_callers *callers)
{
    for (size_t i = 0; i < callers->code_count; i++)
        pr_elf_close(callers->code[i].elf);
    free(callers->code);
    pr_idset_clear(&callers->keys);
    free(callers->row);
    pr_unwind_clear(&callers->rules);
}
