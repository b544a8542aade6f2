/* SPDX-License-Identifier: Apache-2.0 */
/* Files of code by mapping; a return address is looked up one byte before, but shown as it was recorded. */
#include "capture/readers/address_names.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void pr_address_names_init(struct pr_address_names *names, struct pr_profile_builder *c, uint32_t mapping_count)
{
    *names = (struct pr_address_names){.c = c};
    if (c->status == PR_OK)
        c->status = pr_code_names_init(&names->code, &c->builder, c->options, mapping_count, c->err);
}

/* There was no room for a frame: by the limit, or by memory. */
static void no_room(struct pr_profile_builder *c)
{
    if (pr_stacks_is_full(&c->builder))
        c->status = pr_cut(c->err, PR_ERR_LIMIT, pr_source_offset(c->src), "name native frames", "too many frames");
    else
        pr_build_no_memory(c);
}

/* Libraries of the system differ from machine to machine, and matter less. */
static void note_missing(struct pr_address_names *names, pr_str path)
{
    if (!names->missing && !pr_text_is_shared_object(pr_profile_text(names->c->profile, path)))
        names->missing = path;
}

bool pr_address_names_find(struct pr_address_names *names, const struct pr_address_question *question,
                           struct pr_native_place *place)
{
    struct pr_profile_builder *c = names->c;
    const struct pr_text path = pr_profile_text(c->profile, question->path);
    const struct pr_elf_origin origin = {.mapping = &question->mapping};
    uint64_t address;
    if (c->status != PR_OK || c->options->native == PR_NATIVE_OFFSETS || !path.length || *path.bytes != '/')
        return false; /* "[vdso]", "[stack]" and the like are not files */
    c->status = pr_code_names_open(&names->code, question->number, question->path, &origin, c->err);
    struct pr_elf *elf = names->code.file[question->number].elf;
    const uint64_t before = question->is_return && question->offset;
    if (c->status == PR_OK && !elf)
        note_missing(names, question->path);
    if (c->status != PR_OK || !elf || !pr_elf_address(elf, question->offset - before, &address))
        return false;
    if (!pr_code_names_add(&names->code, question->number, address, question->offset, place))
        no_room(c);
    names->unproven = names->unproven || !question->mapping.build_id.length;
    names->proven = names->proven || question->mapping.build_id.length;
    return c->status == PR_OK;
}

void pr_address_names_put(struct pr_address_names *names, pr_frame_id frame, struct pr_native_place *place)
{
    struct pr_code_names *code = &names->code;
    *place = (struct pr_native_place){.first = (uint32_t)code->function_count};
    if (code->function_count >= UINT32_MAX ||
        !pr_grow(&code->function, &code->function_capacity, code->function_count + 1, sizeof *code->function)) {
        pr_build_no_memory(names->c);
        return;
    }
    code->function[code->function_count++] = (struct pr_native_function){.frame = frame};
    place->count = 1;
}

pr_frame_id pr_address_offset(struct pr_profile_builder *c, pr_str path, uint64_t offset)
{
    struct pr_place place = {.file = path, .kind = PR_FRAME_NATIVE};
    char name[280];
    const struct pr_text module = pr_text_file_name(pr_profile_text(c->profile, path));
    const int length = snprintf(name, sizeof name, "%.255s+0x%" PRIx64, module.bytes, offset);
    place.function = pr_build_string(c, name, (size_t)length);
    return pr_build_frame(c, &place);
}

void pr_address_names_end(struct pr_address_names *names)
{
    if (names->unproven)
        pr_build_note(names->c, "functions are named from the code files as they are now on this machine: the "
                                "profile has no build ids %s", names->proven ? "of some of them" : "to compare");
    const struct pr_text missing = pr_profile_text(names->c->profile, names->missing);
    if (missing.length)
        pr_build_note(names->c, "functions of %.*s are not named: that file is missing or changed on this machine",
                      (int)(missing.length < 200 ? missing.length : 200), missing.bytes);
    pr_code_names_clear(&names->code);
}
