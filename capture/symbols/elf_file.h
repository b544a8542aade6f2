/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of machine code on this machine, and which function an address in it belongs to.
 *
 *     enum pr_elf_trouble trouble;
 *     struct pr_elf *elf = pr_elf_open("/usr/lib/libz.so.1", &recorded, false, &trouble);
 *     struct pr_elf_frame frames[PR_ELF_FRAMES];
 *     int count = elf ? pr_elf_frames(elf, address, frames) : 0;
 *     pr_elf_close(elf);
 *
 * Paths come from captures, so only regular files are opened, and only for reading. Tables are made when first needed,
 * and only for what is. Once memory has run out, the file gives no more answers.
 */
#ifndef PR_CAPTURE_SYMBOLS_ELF_FILE_H
#define PR_CAPTURE_SYMBOLS_ELF_FILE_H

#include "capture/symbols/unwind.h"
#include "profrender/string_table.h"

#include <stdbool.h>
#include <string.h>

struct pr_elf;

/* A part of a file of code as loaded into memory. Kept as bytes, so without padding. */
struct pr_elf_segment {
    uint64_t address; /* as the file has it; in memory the load bias is added */
    uint64_t size_bytes;
};

/* A file of code, as it was loaded. */
struct pr_elf_loaded {
    pr_str path;
    const char *segments; /* [segment_count] of struct pr_elf_segment, unaligned; see pr_elf_segment_at */
    uint32_t segment_count;
};

/* Segment number INDEX of FILE. */
static inline struct pr_elf_segment pr_elf_segment_at(const struct pr_elf_loaded *file, uint32_t index)
{
    struct pr_elf_segment segment;
    memcpy(&segment, file->segments + (size_t)index * sizeof segment, sizeof segment);
    return segment;
}

enum pr_elf_trouble {
    PR_ELF_GOOD,
    PR_ELF_ABSENT,      /* no such file, not a regular one, or it may not be read */
    PR_ELF_NO_CODE,     /* neither a program nor a shared library */
    PR_ELF_OTHER_BUILD, /* its segments are not those that were recorded */
    PR_ELF_NO_MEMORY
};

/* One function at an address: the function itself, or one that was inlined into it. */
struct pr_elf_frame {
    const char *function; /* mangled; borrowed until pr_elf_close */
    const char *file;     /* NULL = unknown */
    int32_t line;         /* 0 = unknown */
};

enum { PR_ELF_FRAMES = 128 /* maximum of functions at one address: deeper inlining is cut */ };

/* A part of the file that was mapped as executable, as /proc/PID/maps shows it. */
struct pr_elf_mapping {
    uint64_t offset, size_bytes;
    struct pr_text build_id; /* hexadecimal; empty = not known */
};

/* What is known of the file that ran; the other pointer is NULL. */
struct pr_elf_origin {
    const struct pr_elf_loaded *recorded; /* all segments, without a build id */
    const struct pr_elf_mapping *mapping;
};

/*
 * The file at PATH, if it is the one that ran. Without a build id the loaded parts have to match: all segments, or the
 * executable one of the mapping. DEBUGINFOD: see struct pr_load_options. Owned: pr_elf_close. NULL: *TROUBLE says why.
 */
struct pr_elf *pr_elf_open(const char *path, const struct pr_elf_origin *origin, bool debuginfod,
                           enum pr_elf_trouble *trouble);

/* PR_ELF_GOOD: by this ORIGIN too the open file is the one that ran; else PR_ELF_OTHER_BUILD or PR_ELF_NO_MEMORY. */
enum pr_elf_trouble pr_elf_compare(struct pr_elf *elf, const struct pr_elf_origin *origin);

/* The address (without load bias) of the code at OFFSET of the file. False: not code. */
bool pr_elf_address(struct pr_elf *elf, uint64_t offset, uint64_t *address);

/*
 * The functions at ADDRESS (as the file has it, without load bias), innermost first; 0 when none is known. By debug
 * information if it exists, in the file or separately, else by the symbol table: then without file and line. -1: out of
 * memory, now and from now on.
 */
int pr_elf_frames(struct pr_elf *elf, uint64_t address, struct pr_elf_frame frames[PR_ELF_FRAMES]);

#define PR_NO_RULES UINT32_MAX

/*
 * Adds the rules at ADDRESS (as of pr_elf_frames) to RULES, and returns their row: one that is not known if there are
 * none, or the file is not of that MACHINE. PR_NO_RULES: out of memory, and the file gives no more answers.
 */
uint32_t pr_elf_rules(struct pr_elf *elf, uint64_t address, enum pr_unwind_machine machine,
                      struct pr_unwind_rules *rules);

/* NULL is fine. */
void pr_elf_close(struct pr_elf *elf);

#endif
