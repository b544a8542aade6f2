/* SPDX-License-Identifier: Apache-2.0 */
/* An address, its image, the image's file, the functions there: each step looked up once. */
#include "capture/memray/native_places.h"

#include "capture/base/checked.h"

#include <stdlib.h>

enum pr_status pr_native_places_init(struct pr_native_places *places, const struct pr_native *native,
                                     struct pr_stack_table *builder, const struct pr_load_options *options,
                                     struct pr_error *err)
{
    static const uint64_t no_key[2] = {UINT64_MAX, UINT64_MAX};
    *places = (struct pr_native_places){.native = native, .ids = {.words = 2}};
    builder->frames.limit = UINT32_MAX >> 1; /* the input's limit was for what the input defined */
    if (pr_code_names_init(&places->names, builder, options, native->files.count, err) == PR_FAILED)
        return PR_FAILED;
    if (pr_idset_add(&places->ids, no_key, 2) != PR_NATIVE_NOWHERE ||
        !pr_grow(&places->place, &places->place_capacity, 1, sizeof *places->place))
        return pr_fail_memory(err);
    places->place[PR_NATIVE_NOWHERE] = (struct pr_native_place){0};
    return PR_OK;
}

void pr_native_places_clear(struct pr_native_places *places)
{
    pr_code_names_clear(&places->names);
    free(places->place);
    pr_spans_clear(&places->map);
    pr_idset_clear(&places->ids);
    *places = (struct pr_native_places){0};
}

/* ---- from an address to the image -------------------------------------------------------------------------------- */

static bool map_image(struct pr_native_places *places, uint32_t image)
{
    struct pr_elf_loaded file = pr_native_file_get(places->native, pr_native_image_file(places->native, image));
    uint64_t bias = pr_native_image_bias(places->native, image);
    for (uint32_t i = 0; i < file.segment_count; i++) {
        struct pr_elf_segment segment = pr_elf_segment_at(&file, i);
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

/* False: out of memory, or a file is missing that the options require. */
static bool make_place(struct pr_native_places *places, uint32_t file, uint64_t address, struct pr_native_place *place,
                       struct pr_error *err)
{
    const struct pr_elf_loaded recorded = pr_native_file_get(places->native, file);
    if (pr_code_names_open(&places->names, file, recorded.path, &(struct pr_elf_origin){.recorded = &recorded}, err) ==
        PR_FAILED)
        return false;
    const bool good = pr_code_names_add(&places->names, file, address, address, place);
    if (!good)
        pr_fail_memory(err);
    return good;
}

/* What distinguishes the place of IP from all others. False: in no image. */
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
