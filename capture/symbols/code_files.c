/* SPDX-License-Identifier: Apache-2.0 */
/* Each file is opened once, its answers are kept as frames. */
#include "capture/symbols/code_files.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/model/code_path.h"
#include "capture/symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

/* A capture that names more files than a process could have loaded gets names from the first ones only. */
enum { MAX_OPENED = 8192 };

_Static_assert(PR_ELF_FRAMES <= UINT8_MAX, "a place counts its functions in a byte");

enum pr_status pr_code_names_init(struct pr_code_names *names, struct pr_stack_table *builder,
                                  const struct pr_load_options *options, uint32_t file_count, struct pr_error *err)
{
    *names = (struct pr_code_names){.builder = builder, .options = options, .file_count = file_count,
                                    .paths = {.words = 1}};
    names->file = calloc(file_count + (size_t)1, sizeof *names->file);
    return names->file ? PR_OK : pr_fail_memory(err);
}

void pr_code_names_clear(struct pr_code_names *names)
{
    for (uint32_t i = 0; names->file && i < names->file_count; i++)
        if (!names->file[i].is_shared)
            pr_elf_close(names->file[i].elf);
    free(names->file);
    pr_idset_clear(&names->paths);
    free(names->of_path);
    free(names->function);
    pr_buf_clear(&names->name);
    *names = (struct pr_code_names){0};
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static enum pr_status missing(struct pr_text path, enum pr_elf_trouble trouble, struct pr_error *err)
{
    const char *why = trouble == PR_ELF_OTHER_BUILD ? "is another build than the one that was recorded"
                      : trouble == PR_ELF_NO_CODE   ? "is neither a program nor a shared library"
                                                    : "cannot be read here";
    /* The end of a long path shows which file it is. */
    enum { MOST = 100 };
    const char *tail = path.length > MOST ? path.bytes + path.length - MOST : path.bytes;
    return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, "name native frames", "%s%s %s",
                   path.length > MOST ? "..." : "", tail, why);
}

/* Opens FILE, or takes what is already open for its path. */
static enum pr_elf_trouble open_once(struct pr_code_names *names, struct pr_code_file *file,
                                     const struct pr_elf_origin *origin)
{
    const uint64_t key = file->path;
    const uint32_t known = pr_idset_find(&names->paths, &key, 1);
    enum pr_elf_trouble trouble = PR_ELF_ABSENT;
    if (known != PR_NO_ID) {
        trouble = pr_elf_compare(names->of_path[known], origin);
        file->is_shared = trouble == PR_ELF_GOOD;
        file->elf = file->is_shared ? names->of_path[known] : NULL;
        return trouble;
    }
    if (names->opened++ >= MAX_OPENED)
        return trouble;
    const struct pr_text path = pr_profile_text(names->builder->profile, file->path);
    file->elf = pr_elf_open(path.bytes, origin, names->options->debuginfod, &trouble);
    if (!file->elf)
        return trouble;
    if (!pr_grow(&names->of_path, &names->path_capacity, names->paths.count + (size_t)1, sizeof *names->of_path) ||
        pr_idset_add(&names->paths, &key, 1) == PR_NO_ID)
        return PR_ELF_NO_MEMORY;
    names->of_path[names->paths.count - 1] = file->elf;
    return PR_ELF_GOOD;
}

enum pr_status pr_code_names_open(struct pr_code_names *names, uint32_t number, pr_str path,
                                  const struct pr_elf_origin *origin, struct pr_error *err)
{
    struct pr_code_file *file = &names->file[number];
    struct pr_meta *meta = &names->builder->profile->meta;
    const struct pr_text text = pr_profile_text(names->builder->profile, path);
    if (file->asked)
        return PR_OK;
    const struct pr_text module = pr_path_last(text);
    *file = (struct pr_code_file){
        .asked = true,
        .is_interpreter = pr_text_starts(module, "python") || pr_text_starts(module, "libpython"),
        .path = path,
        .module = module,
    };
    const enum pr_elf_trouble trouble = open_once(names, file, origin);
    meta->native_files++;
    if (trouble == PR_ELF_NO_MEMORY)
        return pr_fail_memory(err);
    if (file->elf)
        return PR_OK;
    if (names->options->native == PR_NATIVE_REQUIRE)
        return missing(text, trouble, err);
    if (!meta->native_files_unnamed++)
        meta->native_unnamed_file = path;
    return PR_OK;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static bool runs_python(const char *symbol)
{
    return strstr(symbol, "_PyEval_EvalFrameDefault") || !strncmp(symbol, "_TAIL_CALL_", strlen("_TAIL_CALL_"));
}

static pr_str add_text(struct pr_code_names *names, const char *text)
{
    return pr_strings_add(&names->builder->profile->strings, text, strlen(text));
}

/* The text in `name` becomes a function of PLACE, which is the last place. */
static bool add_function(struct pr_code_names *names, struct pr_native_place *place, pr_str file, int32_t line,
                         bool runs)
{
    struct pr_buf *name = &names->name;
    pr_str function =
        name->failed ? PR_NO_STR : pr_strings_add(&names->builder->profile->strings, name->bytes, name->length);
    if (function == PR_NO_STR || file == PR_NO_STR || names->function_count >= UINT32_MAX ||
        !pr_grow(&names->function, &names->function_capacity, names->function_count + 1, sizeof *names->function))
        return false;
    pr_frame_id frame = pr_stacks_frame(names->builder, function, file, line, PR_FRAME_NATIVE);
    names->function[names->function_count++] = (struct pr_native_function){frame, runs};
    place->count++;
    place->running_python += runs;
    return frame != PR_NO_ID;
}

static bool add_known(struct pr_code_names *names, struct pr_native_place *place, const struct pr_elf_frame *known,
                      pr_str path)
{
    names->name.length = 0;
    pr_demangle(known->function, &names->name);
    return add_function(names, place, known->file ? add_text(names, known->file) : path, known->line,
                        runs_python(known->function));
}

static void add_hex(struct pr_buf *text, uint64_t number)
{
    char digits[16];
    size_t at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    pr_buf_add(text, digits + at, sizeof digits - at);
}

static bool add_unknown(struct pr_code_names *names, struct pr_native_place *place, const struct pr_code_file *file,
                        uint64_t offset)
{
    names->name.length = 0;
    pr_buf_add(&names->name, file->module.bytes, file->module.length);
    pr_buf_text(&names->name, "+0x");
    add_hex(&names->name, offset);
    return add_function(names, place, file->path, 0, false);
}

bool pr_code_names_add(struct pr_code_names *names, uint32_t number, uint64_t address, uint64_t offset,
                       struct pr_native_place *place)
{
    struct pr_elf_frame known[PR_ELF_FRAMES];
    const struct pr_code_file *file = &names->file[number];
    int count = file->elf ? pr_elf_frames(file->elf, address, known) : 0;
    bool good = count >= 0;
    *place = (struct pr_native_place){.first = (uint32_t)names->function_count,
                                      .in_interpreter = file->is_interpreter};
    for (int i = count; good && i-- > 0;)
        good = add_known(names, place, &known[i], file->path);
    return good && !count ? add_unknown(names, place, file, offset) : good;
}
