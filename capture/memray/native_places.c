/* SPDX-License-Identifier: Apache-2.0 */
/* An address, its image, the image's file, the functions there: each step looked up once. */
#include "capture/memray/native_places.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    MOST_ASKED = 1 << 16,  /* the others are found one by one */
    MOST_LOOKED_FOR = 8192 /* files */
};

#define NOT_MAPPED UINT32_MAX /* the generation, until all of it is */
#define NOT_MADE UINT32_MAX   /* the first function of a place that was only asked for */

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
    places->mapped = NOT_MAPPED;
    for (size_t i = first; i < end; i++) {
        if (!map_image(places, places->native->listed[i]))
            return false;
    }
    if (!pr_spans_sort(&places->map))
        return false;
    places->mapped = generation;
    return true;
}

/* ---- from an address in a file to its functions ------------------------------------------------------------------ */

/* False: out of memory, or a file is missing that the options require. */
static bool make_place(struct pr_native_places *places, uint32_t id, uint32_t file, uint64_t address,
                       struct pr_error *err)
{
    struct pr_native_place *place = &places->place[id];
    const struct pr_elf_loaded recorded = pr_native_file_get(places->native, file);
    if (pr_code_names_open(&places->names, file, recorded.path, &(struct pr_elf_origin){.recorded = &recorded}, err) ==
        PR_FAILED)
        return false;
    const bool good = id <= places->asked
                          ? pr_code_names_add_found(&places->names, id - (size_t)1, file, address, address, place)
                          : pr_code_names_add(&places->names, file, address, address, place);
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

/* The place with KEY, which may be not made yet; PR_NO_ID: out of memory. */
static uint32_t place_of(struct pr_native_places *places, const uint64_t key[2])
{
    const uint32_t known = places->ids.count;
    if (!pr_grow(&places->place, &places->place_capacity, known + (size_t)1, sizeof *places->place))
        return PR_NO_ID;
    const uint32_t id = pr_idset_add(&places->ids, key, 2);
    if (id == known)
        places->place[id].first = NOT_MADE;
    return id;
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
    const uint32_t id = place_of(places, key);
    if (id == PR_NO_ID) {
        pr_fail_memory(err);
        return PR_NO_ID;
    }
    if (places->place[id].first == NOT_MADE && !make_place(places, id, (uint32_t)key[0], key[1], err))
        return PR_NO_ID;
    return id;
}

/* ---- the functions of many places at once ------------------------------------------------------------------------ */

bool pr_native_places_help(const struct pr_native_places *places)
{
    const struct pr_native *native = places->native;
    uint32_t here = 0;
    if (pr_code_names_threads(&places->names) == 1)
        return false;
    for (uint32_t i = 0; i < native->files.count && i < MOST_LOOKED_FOR && here < 2; i++) {
        const pr_str path = pr_native_file_get(native, i).path;
        here += !access(pr_profile_text(places->names.builder->profile, path).bytes, R_OK);
    }
    return here > 1;
}

bool pr_native_places_ask(struct pr_native_places *places, uint64_t ip, uint32_t generation)
{
    uint64_t key[2];
    if ((generation != places->mapped && !map_generation(places, generation)) || places->asked >= MOST_ASKED)
        return false;
    const uint32_t known = places->ids.count;
    if (!key_of(places, ip, key))
        return true;
    const uint32_t id = place_of(places, key);
    if (id != known)
        return id != PR_NO_ID;
    const struct pr_elf_loaded recorded = pr_native_file_get(places->native, (uint32_t)key[0]);
    if (!pr_code_names_ask(&places->names, (uint32_t)key[0], recorded.path,
                           &(struct pr_elf_origin){.recorded = &recorded}, key[1]))
        return false;
    places->asked++;
    return true;
}

void pr_native_places_find_asked(struct pr_native_places *places)
{
    pr_code_names_find(&places->names);
}
