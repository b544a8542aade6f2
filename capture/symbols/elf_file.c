/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a file of code: whether it is one and the one that was recorded, and where its debug information may be. */
#include "capture/symbols/elf_internal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pr_elf {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Elf *file;     /* the module's */
    uint64_t bias; /* the module's addresses are the file's + bias */
    bool debuginfod;
    bool scarce; /* memory ran out: nothing more can be asked */
    struct pr_elf_symbols symbols;
    struct pr_elf_debug debug;
    struct pr_elf_cfi cfi;
};

/* libdwfl's callback to find debug information that is not in the file itself. An open file, or -1. */
static int find_debuginfo(Dwfl_Module *module, void **context, const char *name, Dwarf_Addr base, const char *path,
                          const char *link, GElf_Word crc, char **found)
{
    const struct pr_elf *elf = *context;
    errno = 0;
    if (elf->debuginfod)
        return dwfl_standard_find_debuginfo(module, context, name, base, path, link, crc, found);
    int fd = dwfl_build_id_find_debuginfo(module, context, name, base, path, link, crc, found);
    if (fd < 0 && path && link)
        fd = pr_elf_debuglink(path, link, crc, found);
    return fd;
}

static bool is_code(int fd)
{
    unsigned char start[EI_NIDENT + sizeof(Elf64_Half)];
    if (pread(fd, start, sizeof start, 0) != (ssize_t)sizeof start || memcmp(start, ELFMAG, SELFMAG))
        return false;
    unsigned low = start[EI_NIDENT], high = start[EI_NIDENT + 1];
    unsigned type = start[EI_DATA] == ELFDATA2MSB ? low << 8 | high : high << 8 | low;
    return type == ET_EXEC || type == ET_DYN;
}

static bool has_segments(Elf *file, const struct pr_elf_loaded *recorded)
{
    size_t headers;
    uint32_t same = 0;
    if (!file || elf_getphdrnum(file, &headers))
        return false;
    for (size_t i = 0; i < headers && i <= INT32_MAX; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(file, (int)i, &header))
            return false;
        if (header.p_type != PT_LOAD)
            continue;
        if (same == recorded->segment_count)
            return false;
        struct pr_elf_segment segment = pr_elf_segment_at(recorded, same++);
        if (segment.address != header.p_vaddr || segment.size_bytes != header.p_memsz)
            return false;
    }
    return same == recorded->segment_count;
}

/* The next executable segment from number *AT on, which is 0 at first. */
static bool next_code(Elf *file, size_t *at, GElf_Phdr *header)
{
    size_t headers;
    if (!file || elf_getphdrnum(file, &headers))
        return false;
    while (*at < headers && *at <= INT32_MAX)
        if (gelf_getphdr(file, (int)(*at)++, header) && header->p_type == PT_LOAD && header->p_flags & PF_X)
            return true;
    return false;
}

/* The executable segment that OFFSET of the file lies in. */
static bool code_at(Elf *file, uint64_t offset, GElf_Phdr *header)
{
    for (size_t at = 0; next_code(file, &at, header);)
        if (offset >= header->p_offset && offset - header->p_offset < header->p_filesz)
            return true;
    return false;
}

/* True if the segment fills the pages of MAPPING, for some page size. */
static bool is_mapping_of(const GElf_Phdr *segment, const struct pr_elf_mapping *mapping)
{
    for (uint64_t page = 4096; page <= 65536; page *= 4) {
        const uint64_t start = segment->p_offset & ~(page - 1), end = segment->p_offset + segment->p_filesz;
        if (mapping->offset == start && mapping->size_bytes == ((end + page - 1) & ~(page - 1)) - start)
            return true;
    }
    return false;
}

/* True if an executable segment may have been mapped like this. */
static bool has_mapping(Elf *file, const struct pr_elf_mapping *mapping)
{
    GElf_Phdr header;
    for (size_t at = 0; next_code(file, &at, &header);)
        if (is_mapping_of(&header, mapping))
            return true;
    return false;
}

static bool has_build_id(Dwfl_Module *module, struct pr_text wanted)
{
    const unsigned char *bits;
    GElf_Addr address;
    const int length = dwfl_module_build_id(module, &bits, &address);
    if (length <= 0 || (uint64_t)length * 2 != wanted.length)
        return false;
    for (uint32_t i = 0; i < wanted.length; i++) {
        const char digit = "0123456789abcdef"[i % 2 ? bits[i / 2] & 15 : bits[i / 2] >> 4];
        if ((wanted.bytes[i] | 0x20) != digit && wanted.bytes[i] != digit)
            return false;
    }
    return true;
}

static bool is_origin(Dwfl_Module *module, Elf *file, const struct pr_elf_origin *origin)
{
    if (origin->recorded)
        return has_segments(file, origin->recorded);
    return origin->mapping->build_id.length ? has_build_id(module, origin->mapping->build_id)
                                            : has_mapping(file, origin->mapping);
}

struct opening {
    struct pr_elf *elf;
    int fd; /* taken over */
    const char *path;
    const struct pr_elf_origin *origin;
    enum pr_elf_trouble trouble;
};

static enum pr_elf_trouble load(struct opening *opening)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf, /* never called: modules are reported with their file */
        .find_debuginfo = find_debuginfo,
    };
    struct pr_elf *elf = opening->elf;
    elf->dwfl = dwfl_begin(&callbacks);
    if (!elf->dwfl) {
        close(opening->fd);
        return PR_ELF_NO_MEMORY;
    }
    dwfl_report_begin(elf->dwfl);
    /* Keeps a mapping, not the descriptor. */
    elf->module = dwfl_report_offline(elf->dwfl, opening->path, opening->path, opening->fd);
    if (!elf->module)
        close(opening->fd);
    if (dwfl_report_end(elf->dwfl, NULL, NULL) || !elf->module)
        return PR_ELF_NO_CODE;
    void **context;
    dwfl_module_info(elf->module, &context, NULL, NULL, NULL, NULL, NULL, NULL);
    *context = elf;
    Dwarf_Addr bias = 0;
    Elf *file = dwfl_module_getelf(elf->module, &bias);
    elf->bias = bias;
    elf->file = file;
    return is_origin(elf->module, file, opening->origin) ? PR_ELF_GOOD : PR_ELF_OTHER_BUILD;
}

static void try_to_load(void *context)
{
    struct opening *opening = context;
    opening->trouble = load(opening);
}

struct pr_elf *pr_elf_open(const char *path, const struct pr_elf_origin *origin, bool debuginfod,
                           enum pr_elf_trouble *trouble)
{
    *trouble = PR_ELF_ABSENT;
    int fd = path[0] == '/' ? pr_open_regular(path) : -1;
    if (fd < 0)
        return NULL;
    if (!is_code(fd)) {
        close(fd);
        *trouble = PR_ELF_NO_CODE;
        return NULL;
    }
    struct pr_elf *elf = calloc(1, sizeof *elf);
    if (!elf) {
        close(fd);
        *trouble = PR_ELF_NO_MEMORY;
        return NULL;
    }
    elf->debuginfod = debuginfod;
    struct opening opening = {elf, fd, path, origin, PR_ELF_NO_MEMORY};
    *trouble = pr_elf_try(try_to_load, &opening) ? opening.trouble : PR_ELF_NO_MEMORY;
    if (*trouble == PR_ELF_GOOD)
        return elf;
    pr_elf_close(elf);
    return NULL;
}

static void compare(void *context)
{
    struct opening *opening = context;
    const bool same = is_origin(opening->elf->module, opening->elf->file, opening->origin);
    opening->trouble = same ? PR_ELF_GOOD : PR_ELF_OTHER_BUILD;
}

enum pr_elf_trouble pr_elf_compare(struct pr_elf *elf, const struct pr_elf_origin *origin)
{
    struct opening opening = {.elf = elf, .fd = -1, .origin = origin, .trouble = PR_ELF_NO_MEMORY};
    return pr_elf_try(compare, &opening) ? opening.trouble : PR_ELF_NO_MEMORY;
}

bool pr_elf_address(struct pr_elf *elf, uint64_t offset, uint64_t *address)
{
    GElf_Phdr header;
    if (!code_at(elf->file, offset, &header))
        return false;
    *address = header.p_vaddr + (offset - header.p_offset);
    return true;
}

struct question {
    struct pr_elf *elf;
    uint64_t address; /* of the module */
    struct pr_elf_frame *frames;
    int count; /* the result, as of pr_elf_frames */
};

static void ask(void *context)
{
    struct question *question = context;
    struct pr_elf *elf = question->elf;
    question->count = pr_elf_debug_find(&elf->debug, elf->module, question->address, question->frames);
    if (question->count)
        return;
    const char *name;
    question->count = -1;
    if (pr_elf_symbols_find(&elf->symbols, elf->module, question->address, &name)) {
        question->frames[0] = (struct pr_elf_frame){.function = name};
        question->count = name != NULL;
    }
}

int pr_elf_frames(struct pr_elf *elf, uint64_t address, struct pr_elf_frame frames[PR_ELF_FRAMES])
{
    struct question question = {elf, address + elf->bias, frames, -1};
    elf->scarce = elf->scarce || !pr_elf_try(ask, &question);
    return elf->scarce ? -1 : question.count;
}

uint32_t pr_elf_rules(struct pr_elf *elf, uint64_t address, enum pr_unwind_machine machine,
                      struct pr_unwind_rules *rules)
{
    const uint32_t row = elf->scarce ? PR_NO_RULES
                                     : pr_elf_rules_make(&elf->cfi, elf->module, address + elf->bias, machine, rules);
    elf->scarce = row == PR_NO_RULES;
    return row;
}

void pr_elf_close(struct pr_elf *elf)
{
    if (!elf)
        return;
    pr_elf_symbols_clear(&elf->symbols);
    pr_elf_debug_clear(&elf->debug);
    if (elf->dwfl)
        dwfl_end(elf->dwfl);
    free(elf);
}
