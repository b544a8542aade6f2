/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/publish/build_id.h"

#include <elf.h>
#include <link.h>
#include <string.h>

static size_t padded(size_t length)
{
    return (length + 3) & ~(size_t)3;
}

/* The build id among the notes in LENGTH bytes AT; nothing if there isn't one. */
static struct pr_text find_note(const char *at, size_t length)
{
    ElfW(Nhdr) note;
    while (length >= sizeof note) {
        memcpy(&note, at, sizeof note);
        const size_t name = sizeof note, value = name + padded(note.n_namesz), end = value + padded(note.n_descsz);
        if (value < name || end < value || end > length)
            break;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            !memcmp(at + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU))
            return (struct pr_text){at + value, note.n_descsz};
        at += end;
        length -= end;
    }
    return (struct pr_text){"", 0};
}

static int take_program(struct dl_phdr_info *program, size_t size, void *found)
{
    struct pr_text *id = found;
    (void)size;
    for (size_t i = 0; i < program->dlpi_phnum && !id->length; i++) {
        const ElfW(Phdr) *part = &program->dlpi_phdr[i];
        if (part->p_type == PT_NOTE)
            *id = find_note((const char *)(program->dlpi_addr + part->p_vaddr), part->p_memsz);
    }
    return 1; /* libraries follow */
}

struct pr_text pr_build_id(void)
{
    struct pr_text id = {"", 0};
    dl_iterate_phdr(take_program, &id);
    return id;
}
