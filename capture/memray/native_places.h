/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places in native code: from the address that a capture recorded to the functions that ran there.
 *
 *     struct pr_native_places places;
 *     pr_native_places_init(&places, &native, &builder, &options, &err);
 *     uint32_t place = pr_native_places_find(&places, ip, generation, &err);
 *     const struct pr_native_function *functions = &places.names.function[places.place[place].first];
 *
 * An address belongs to the image that was loaded there in its generation; the image's file is asked for the functions,
 * once for each address in it: see code_names.h. The offset of "module+0xoffset" is the address in the file, as
 * addr2line takes it. An address that belongs to no image (code generated at run time) has no functions.
 */
#ifndef PR_CAPTURE_MEMRAY_NATIVE_PLACES_H
#define PR_CAPTURE_MEMRAY_NATIVE_PLACES_H

#include "capture/base/spans.h"
#include "capture/symbols/code_files.h"
#include "capture/memray/native_frames.h"

struct pr_native_places {
    const struct pr_native *native;
    struct pr_code_names names; /* of native->files */
    struct pr_spans map; /* segments of `mapped`, the generation; numbers are images */
    uint32_t mapped;

    struct pr_idset ids;           /* file, address in it */
    struct pr_native_place *place; /* [ids.count] */
    size_t place_capacity;
    uint32_t asked; /* places from 1 on that pr_native_places_ask noted */
};

enum { PR_NATIVE_NOWHERE = 0 /* the place of an address in no image; it has no functions */ };

/* All are borrowed until pr_native_places_clear. PR_FAILED: out of memory. */
enum pr_status pr_native_places_init(struct pr_native_places *places, const struct pr_native *native,
                                     struct pr_stack_table *builder, const struct pr_load_options *options,
                                     struct pr_error *err);

/* Whether pr_native_places_ask may save time: there may be more threads than one, and several files are here. */
bool pr_native_places_help(const struct pr_native_places *places);

/*
 * Before the first place is looked up, and in the order in which they will be: notes that the place of IP will be
 * needed. False: no more of them are noted, as there are many, or memory ran out; that fails nothing.
 */
bool pr_native_places_ask(struct pr_native_places *places, uint64_t ip, uint32_t generation);

/* Finds the functions of all places that were asked for, each file by a thread of its own. */
void pr_native_places_find_asked(struct pr_native_places *places);

/*
 * The place of return address IP. Fastest when generations come one after another. PR_NO_ID: out of memory, or
 * PR_ERR_ABSENT if the options require all files of code.
 */
uint32_t pr_native_places_find(struct pr_native_places *places, uint64_t ip, uint32_t generation, struct pr_error *err);

/* Starts fetching what pr_native_places_find will need for IP in the generation of its last call. */
void pr_native_places_prefetch(const struct pr_native_places *places, uint64_t ip);

void pr_native_places_clear(struct pr_native_places *places);

#endif
