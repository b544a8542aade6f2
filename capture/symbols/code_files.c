/* SPDX-License-Identifier: Apache-2.0 */
/* Each file is opened once, its answers are kept as frames. */
#include "capture/symbols/code_files.h"

#include "capture/base/checked.h"
#include "capture/base/processors.h"
#include "capture/base/text.h"
#include "capture/model/code_path.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_OPENED = 8192, /* a capture that names more files than a process could have loaded gets names from the first */
    MOST_THREADS = 8
};

_Static_assert(PR_ELF_FRAMES <= UINT8_MAX, "a place counts its functions in a byte");

enum pr_status pr_code_names_init(struct pr_code_names *names, struct pr_stack_table *builder,
                                  const struct pr_load_options *options, uint32_t file_count, struct pr_error *err)
{
    *names = (struct pr_code_names){.builder = builder, .options = options, .file_count = file_count,
                                    .paths = {.words = 1}, .answers = {.files = {.words = 1}}};
    names->file = calloc(file_count + (size_t)1, sizeof *names->file);
    return names->file ? PR_OK : pr_fail_memory(err);
}

void pr_code_names_clear(struct pr_code_names *names)
{
    for (uint32_t i = 0; names->file && i < names->file_count; i++)
        if (!names->file[i].is_shared)
            pr_elf_close(names->file[i].elf);
    free(names->file);
    pr_code_answers_clear(&names->answers);
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

/* Opens file NUMBER, once. */
static struct pr_code_file *try_file(struct pr_code_names *names, uint32_t number, pr_str path,
                                     const struct pr_elf_origin *origin)
{
    struct pr_code_file *file = &names->file[number];
    if (file->tried)
        return file;
    const struct pr_text module = pr_path_last(pr_profile_text(names->builder->profile, path));
    *file = (struct pr_code_file){
        .tried = true,
        .is_interpreter = pr_text_starts(module, "python") || pr_text_starts(module, "libpython"),
        .path = path,
        .module = module,
    };
    file->trouble = open_once(names, file, origin);
    return file;
}

enum pr_status pr_code_names_open(struct pr_code_names *names, uint32_t number, pr_str path,
                                  const struct pr_elf_origin *origin, struct pr_error *err)
{
    struct pr_meta *meta = &names->builder->profile->meta;
    if (names->file[number].asked)
        return PR_OK;
    struct pr_code_file *file = try_file(names, number, path, origin);
    file->asked = true;
    meta->native_files++;
    if (file->trouble == PR_ELF_NO_MEMORY)
        return pr_fail_memory(err);
    if (file->elf)
        return PR_OK;
    if (names->options->native == PR_NATIVE_REQUIRE)
        return missing(pr_profile_text(names->builder->profile, path), file->trouble, err);
    if (!meta->native_files_unnamed++)
        meta->native_unnamed_file = path;
    return PR_OK;
}

bool pr_code_names_ask(struct pr_code_names *names, uint32_t number, pr_str path, const struct pr_elf_origin *origin,
                       uint64_t address)
{
    const struct pr_code_file *file = try_file(names, number, path, origin);
    return file->trouble != PR_ELF_NO_MEMORY && pr_code_answers_ask(&names->answers, file->elf, address);
}

unsigned pr_code_names_threads(const struct pr_code_names *names)
{
    const unsigned here = pr_processors(), wanted = names->options->threads ? names->options->threads : here;
    /* Fetching debug information waits for the network; its server is asked for one thing at a time. */
    if (names->options->debuginfod || here == 1)
        return 1;
    return wanted < MOST_THREADS ? wanted : MOST_THREADS;
}

void pr_code_names_find(struct pr_code_names *names)
{
    pr_code_answers_find(&names->answers, pr_code_names_threads(names));
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static pr_str add_text(struct pr_code_names *names, const char *text)
{
    return pr_strings_add(&names->builder->profile->strings, text, strlen(text));
}

/* FUNCTION, in FILE, becomes one of PLACE, which is the last place. */
static bool add_function(struct pr_code_names *names, struct pr_native_place *place,
                         const struct pr_code_function *function, pr_str file)
{
    const pr_str name =
        pr_strings_add(&names->builder->profile->strings, function->name, function->name_length);
    if (name == PR_NO_STR || file == PR_NO_STR || names->function_count >= UINT32_MAX ||
        !pr_grow(&names->function, &names->function_capacity, names->function_count + 1, sizeof *names->function))
        return false;
    const bool runs = function->runs_python;
    const pr_frame_id frame = pr_stacks_frame(names->builder, name, file, function->line, PR_FRAME_NATIVE);
    names->function[names->function_count++] = (struct pr_native_function){frame, runs};
    place->count++;
    place->running_python += runs;
    return frame != PR_NO_ID;
}

static bool add_known(struct pr_code_names *names, struct pr_native_place *place,
                      const struct pr_code_function *function, pr_str path)
{
    return !names->name.failed &&
           add_function(names, place, function, function->file ? add_text(names, function->file) : path);
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
    struct pr_buf *name = &names->name;
    name->length = 0;
    pr_buf_add(name, file->module.bytes, file->module.length);
    pr_buf_text(name, "+0x");
    add_hex(name, offset);
    const struct pr_code_function unknown = {.name = name->bytes, .name_length = name->length};
    return !name->failed && add_function(names, place, &unknown, file->path);
}

static void begin_place(const struct pr_code_names *names, const struct pr_code_file *file,
                        struct pr_native_place *place)
{
    *place = (struct pr_native_place){.first = (uint32_t)names->function_count,
                                      .in_interpreter = file->is_interpreter};
}

bool pr_code_names_add(struct pr_code_names *names, uint32_t number, uint64_t address, uint64_t offset,
                       struct pr_native_place *place)
{
    struct pr_elf_frame known[PR_ELF_FRAMES];
    const struct pr_code_file *file = &names->file[number];
    int count = file->elf ? pr_elf_frames(file->elf, address, known) : 0;
    bool good = count >= 0;
    begin_place(names, file, place);
    for (int i = count; good && i-- > 0;) {
        names->name.length = 0;
        const struct pr_code_function function = pr_code_function_of(&known[i], &names->name);
        good = add_known(names, place, &function, file->path);
    }
    return good && !count ? add_unknown(names, place, file, offset) : good;
}

bool pr_code_names_add_found(struct pr_code_names *names, size_t question, uint32_t number, uint64_t address,
                             uint64_t offset, struct pr_native_place *place)
{
    const struct pr_code_file *file = &names->file[number];
    const struct pr_code_answer *answer = pr_code_answers_get(&names->answers, question);
    if (!answer)
        return pr_code_names_add(names, number, address, offset, place);
    bool good = true;
    begin_place(names, file, place);
    for (uint32_t i = 0; good && i < answer->count; i++) {
        const struct pr_code_function function = pr_code_answers_function(&names->answers, answer, i);
        good = add_known(names, place, &function, file->path);
    }
    return good && !answer->count ? add_unknown(names, place, file, offset) : good;
}
