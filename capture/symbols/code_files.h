/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of native code that a capture names, and the functions at addresses in them.
 *
 *     struct pr_code_names names;
 *     pr_code_names_init(&names, &builder, &options, file_count, &err);
 *     if (pr_code_names_open(&names, number, path, &origin, &err) == PR_OK)
 *         pr_code_names_add(&names, number, address, address, &place);
 *     for (uint32_t i = 0; i < place.count; i++)
 *         use(names.function[place.first + i].frame);     // outermost first
 *     pr_code_names_clear(&names);
 *
 * Where many addresses are known before the first place is needed, pr_code_names_ask notes them, pr_code_names_find has
 * several threads find their functions, and pr_code_names_add_found takes what was found: the places are the same.
 *
 * Where the file is missing or another build, or has no function there, the frame is "module+0xoffset".
 */
#ifndef PR_CAPTURE_SYMBOLS_CODE_FILES_H
#define PR_CAPTURE_SYMBOLS_CODE_FILES_H

#include "profrender/buf.h"
#include "capture/builder/stack_table.h"
#include "capture/symbols/code_answers.h"

/* A function at a place. */
struct pr_native_function {
    pr_frame_id frame;
    bool runs_python; /* the interpreter's loop: a Python frame replaces it in hybrid stacks */
};

struct pr_native_place {
    uint32_t first;         /* of its functions in `function`, which go from the outermost inward */
    uint8_t count;          /* more than one where functions were inlined */
    uint8_t running_python; /* how many of them run Python frames */
    bool in_interpreter;    /* by the name of its file: python3.11, libpython3.11.so */
};

/* A file of code, once it was used. */
struct pr_code_file {
    bool tried, asked; /* opened, if it can be; used for a place */
    bool is_interpreter;
    enum pr_elf_trouble trouble; /* why it could not be opened */
    pr_str path;
    struct pr_elf *elf;    /* NULL = no names from it */
    bool is_shared;        /* an earlier file has the same path, and closes it */
    struct pr_text module; /* the last part of its path */
};

struct pr_code_names {
    struct pr_stack_table *builder;
    const struct pr_load_options *options;
    struct pr_code_file *file; /* [file_count] */
    uint32_t file_count, opened;
    struct pr_idset paths;   /* of files that are open: a map can name one any number of times */
    struct pr_elf **of_path; /* [paths] */
    size_t path_capacity;
    struct pr_native_function *function; /* [function_count] of all places */
    size_t function_count, function_capacity;
    struct pr_code_answers answers;
    struct pr_buf name; /* scratch */
};

/* BUILDER and OPTIONS are borrowed until pr_code_names_clear. PR_FAILED: out of memory. */
enum pr_status pr_code_names_init(struct pr_code_names *names, struct pr_stack_table *builder,
                                  const struct pr_load_options *options, uint32_t file_count, struct pr_error *err);
void pr_code_names_clear(struct pr_code_names *names);

/*
 * Opens file NUMBER at PATH, if it matches ORIGIN; once. PR_OK also if it has no names: its `elf` is then NULL.
 * PR_FAILED: out of memory, or PR_ERR_ABSENT if the options require all files of code.
 */
enum pr_status pr_code_names_open(struct pr_code_names *names, uint32_t number, pr_str path,
                                  const struct pr_elf_origin *origin, struct pr_error *err);

/*
 * Fills *PLACE with the functions at ADDRESS of file NUMBER, which was opened; OFFSET is that of "module+0xoffset".
 * False: out of memory, or the builder has no room for frames.
 */
bool pr_code_names_add(struct pr_code_names *names, uint32_t number, uint64_t address, uint64_t offset,
                       struct pr_native_place *place);

/*
 * Notes that the functions at ADDRESS of file NUMBER will be needed, and opens the file as pr_code_names_open does, but
 * does not count it as used. Questions have numbers from 0. False: out of memory, the question is not noted.
 */
bool pr_code_names_ask(struct pr_code_names *names, uint32_t number, pr_str path, const struct pr_elf_origin *origin,
                       uint64_t address);

/* How many threads pr_code_names_find may use: the options and the machine decide. At 1, asking ahead saves nothing. */
unsigned pr_code_names_threads(const struct pr_code_names *names);

/* Once, after all questions: finds the functions, by so many threads. */
void pr_code_names_find(struct pr_code_names *names);

/* As pr_code_names_add, where QUESTION is about file NUMBER and ADDRESS; one that was not asked or answered is fine. */
bool pr_code_names_add_found(struct pr_code_names *names, size_t question, uint32_t number, uint64_t address,
                             uint64_t offset, struct pr_native_place *place);

#endif
