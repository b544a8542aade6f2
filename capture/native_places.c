/* SPDX-License-Identifier: Apache-2.0 */
/* An address, its image, the image's file, the functions there: each step looked up once. */
#include "capture/native_places.h"

#include "capture/base/checked.h"
#include "capture/codepath.h"
#include "capture/demangle.h"

#include <string.h>

/* A capture that names more files than a process could have loaded gets names from the first ones only. */
enum { MAX_OPENED = 8192 };

_Static_assert(PR_ELF_FRAMES <= UINT8_MAX, "a place counts its functions in a byte");

/* A file of code, once it was asked for. */
struct pr_native_code {
    bool asked, is_interpreter;
    struct pr_elf *elf;    /* NULL = no names from it */
    struct pr_text module; /* the last part of its path */
};

enum pr_status pr_native_places_init(struct pr_native_places *places, const struct pr_native *native,
                                     struct pr_builder *builder, const struct pr_load_options *options,
                                     struct pr_error *err)
{
    static const uint64_t no_key[2] = {UINT64_MAX, UINT64_MAX};
    *places = (struct pr_native_places){.native = native, .builder = builder, .options = options, .ids = {.words = 2}};
    builder->frames.limit = UINT32_MAX >> 1; /* that of the input counted what the input defined */
    places->code = calloc(native->files.count + (size_t)1, sizeof *places->code);
    if (!places->code || pr_idset_add(&places->ids, no_key, 2) != PR_NATIVE_NOWHERE ||
        !pr_grow(&places->place, &places->place_capacity, 1, sizeof *places->place))
        return pr_fail_memory(err);
    places->place[PR_NATIVE_NOWHERE] = (struct pr_native_place){0};
    return PR_OK;
}

void pr_native_places_clear(struct pr_native_places *places)
{
    for (uint32_t i = 0; places->code && i < places->native->files.count; i++)
        pr_elf_close(places->code[i].elf);
    free(places->code);
    free(places->place);
    free(places->function);
    pr_spans_clear(&places->map);
    pr_idset_clear(&places->ids);
    pr_buf_clear(&places->name);
    *places = (struct pr_native_places){0};
}

/* ---- from an address to the image -------------------------------------------------------------------------------- */

static bool map_image(struct pr_native_places *places, uint32_t image)
{
    struct pr_native_file file = pr_native_file_get(places->native, pr_native_image_file(places->native, image));
    uint64_t bias = pr_native_image_bias(places->native, image);
    for (uint32_t i = 0; i < file.segment_count; i++) {
        struct pr_native_segment segment = pr_native_segment_at(&file, i);
        uint64_t start = bias + segment.address;
        uint64_t room = UINT64_MAX - start;
        if (!pr_spans_add(&places->map, start, start + (segment.size_bytes < room ? segment.size_bytes : room), image))
            return false;
    }
    return true;
}

static bool map_generation(struct pr_native_places *places, uint32_t generation)
{
    size_t end, first = pr_native_generation(places->native, generation, &end);
    places->map.count = 0;
    places->mapped = generation;
    for (size_t i = first; i < end; i++) {
        if (!map_image(places, places->native->listed[i]))
            return false;
    }
    return pr_spans_sort(&places->map);
}

/* ---- from an address in a file to its functions ------------------------------------------------------------------ */

static struct pr_text path_of(const struct pr_native_places *places, uint32_t file)
{
    return pr_strings_get(&places->builder->profile->strings, pr_native_file_get(places->native, file).path);
}

static enum pr_status missing(const struct pr_native_places *places, uint32_t file, enum pr_elf_trouble trouble,
                              struct pr_error *err)
{
    const char *why = trouble == PR_ELF_OTHER_BUILD ? "is another build than the one that was recorded"
                      : trouble == PR_ELF_NO_CODE   ? "is neither a program nor a shared library"
                                                    : "cannot be read here";
    /* Of a long path the end says which file it is. */
    enum { MOST = 100 };
    const struct pr_text path = path_of(places, file);
    const char *tail = path.length > MOST ? path.bytes + path.length - MOST : path.bytes;
    return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, "name native frames", "%s%s %s",
                   path.length > MOST ? "..." : "", tail, why);
}

static enum pr_status open_code(struct pr_native_places *places, uint32_t file, struct pr_error *err)
{
    struct pr_native_code *code = &places->code[file];
    struct pr_meta *meta = &places->builder->profile->meta;
    const struct pr_native_file recorded = pr_native_file_get(places->native, file);
    enum pr_elf_trouble trouble = PR_ELF_ABSENT;
    if (code->asked)
        return PR_OK;
    code->asked = true;
    code->module = pr_path_last(path_of(places, file));
    code->is_interpreter = pr_path_starts(code->module, "python") || pr_path_starts(code->module, "libpython");
    if (places->opened++ < MAX_OPENED)
        code->elf = pr_elf_open(path_of(places, file).bytes, &recorded, places->options->debuginfod, &trouble);
    meta->native_files++;
    if (code->elf)
        return PR_OK;
    if (trouble == PR_ELF_NO_MEMORY)
        return pr_fail_memory(err);
    if (places->options->native == PR_NATIVE_REQUIRE)
        return missing(places, file, trouble, err);
    if (!meta->native_files_unnamed++)
        meta->native_unnamed_file = recorded.path;
    return PR_OK;
}

static bool runs_python(const char *symbol)
{
    return strstr(symbol, "_PyEval_EvalFrameDefault") || !strncmp(symbol, "_TAIL_CALL_", strlen("_TAIL_CALL_"));
}

static pr_str add_text(struct pr_native_places *places, const char *text)
{
    return pr_strings_add(&places->builder->profile->strings, text, strlen(text));
}

/* What is in `name` becomes a function of the place, which is the last one. False: out of memory. */
static bool add_function(struct pr_native_places *places, struct pr_native_place *place, pr_str file, int32_t line,
                         bool runs)
{
    struct pr_buf *name = &places->name;
    pr_str function =
        name->failed ? PR_NO_STR : pr_strings_add(&places->builder->profile->strings, name->bytes, name->length);
    if (function == PR_NO_STR || file == PR_NO_STR || places->function_count >= UINT32_MAX ||
        !pr_grow(&places->function, &places->function_capacity, places->function_count + 1, sizeof *places->function))
        return false;
    pr_frame_id frame = pr_builder_frame(places->builder, function, file, line, PR_FRAME_NATIVE);
    places->function[places->function_count++] = (struct pr_native_function){frame, runs};
    place->count++;
    place->running_python += runs;
    return frame != PR_NO_ID;
}

static bool add_known(struct pr_native_places *places, struct pr_native_place *place, const struct pr_elf_frame *known,
                      pr_str path)
{
    places->name.length = 0;
    pr_demangle(known->function, &places->name);
    return add_function(places, place, known->file ? add_text(places, known->file) : path, known->line,
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

static bool add_unknown(struct pr_native_places *places, struct pr_native_place *place, uint32_t file, uint64_t address)
{
    const struct pr_text module = places->code[file].module;
    places->name.length = 0;
    pr_buf_add(&places->name, module.bytes, module.length);
    pr_buf_text(&places->name, "+0x");
    add_hex(&places->name, address);
    return add_function(places, place, pr_native_file_get(places->native, file).path, 0, false);
}

/* False: out of memory, or a file is missing that the options require. */
static bool make_place(struct pr_native_places *places, uint32_t file, uint64_t address, struct pr_native_place *place,
                       struct pr_error *err)
{
    struct pr_elf_frame known[PR_ELF_FRAMES];
    if (open_code(places, file, err) == PR_FAILED)
        return false;
    const struct pr_native_code *code = &places->code[file];
    int count = code->elf ? pr_elf_frames(code->elf, address, known) : 0;
    bool good = count >= 0;
    *place = (struct pr_native_place){.first = (uint32_t)places->function_count,
                                      .in_interpreter = code->is_interpreter};
    for (int i = count; good && i-- > 0;)
        good = add_known(places, place, &known[i], pr_native_file_get(places->native, file).path);
    if (good && !count)
        good = add_unknown(places, place, file, address);
    if (!good)
        pr_fail_memory(err);
    return good;
}

/* What tells the place of IP from all others. False: in no image. */
static bool key_of(const struct pr_native_places *places, uint64_t ip, uint64_t key[2])
{
    /* A return address may be the first one of another function: the call itself is meant. */
    const struct pr_span *span = pr_spans_find(&places->map, ip - 1);
    if (!span)
        return false;
    key[0] = pr_native_image_file(places->native, span->number);
    key[1] = ip - 1 - pr_native_image_bias(places->native, span->number);
    return true;
}

void pr_native_places_prefetch(const struct pr_native_places *places, uint64_t ip)
{
    uint64_t key[2];
    if (key_of(places, ip, key))
        pr_idset_prefetch(&places->ids, key, 2);
}

uint32_t pr_native_places_find(struct pr_native_places *places, uint64_t ip, uint32_t generation, struct pr_error *err)
{
    if (generation != places->mapped && !map_generation(places, generation)) {
        pr_fail_memory(err);
        return PR_NO_ID;
    }
    uint64_t key[2];
    if (!key_of(places, ip, key))
        return PR_NATIVE_NOWHERE;
    uint32_t known = places->ids.count, id = pr_idset_add(&places->ids, key, 2);
    if (id == PR_NO_ID || !pr_grow(&places->place, &places->place_capacity, id + (size_t)1, sizeof *places->place)) {
        pr_fail_memory(err);
        return PR_NO_ID;
    }
    if (id == known && !make_place(places, (uint32_t)key[0], key[1], &places->place[id], err))
        return PR_NO_ID;
    return id;
}
