/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions for the addresses of a profile that has nothing but these and the map of the process.
 *
 *     struct pr_address_names names;
 *     pr_address_names_init(&names, &collect, mapping_count);
 *     struct pr_native_place place;
 *     if (!pr_address_names_find(&names, &question, &place))
 *         ...     // no names are wanted, or there are none: "module+0xoffset"
 *     pr_address_names_end(&names);
 *
 * A name is taken where the file is on this machine, and has the build id that the profile names or, where it names
 * none, an executable segment that fills the mapping to the page: a note says that this is not proof.
 */
#ifndef PR_CAPTURE_READERS_ADDRESS_NAMES_H
#define PR_CAPTURE_READERS_ADDRESS_NAMES_H

#include "capture/symbols/code_files.h"
#include "capture/builder/profile_builder.h"

struct pr_address_names {
    struct pr_profile_builder *c;
    struct pr_code_names code;
    bool unproven, proven; /* a file without a build id gave names; one with it did */
    pr_str missing;        /* the program whose file gave none, the first of them; 0: each gave some */
};

struct pr_address_question {
    uint32_t number; /* of the mapping, below the count of them */
    pr_str path;
    struct pr_elf_mapping mapping;
    uint64_t offset; /* in the file */
    bool is_return;  /* a return address: the call is meant */
};

/* C is borrowed until pr_address_names_end. Errors are stored there. */
void pr_address_names_init(struct pr_address_names *names, struct pr_profile_builder *c, uint32_t mapping_count);

/* The functions at an address. False: there are none, or the collection failed. */
bool pr_address_names_find(struct pr_address_names *names, const struct pr_address_question *question,
                           struct pr_native_place *place);

/* Fills *PLACE with one frame that is already known. */
void pr_address_names_put(struct pr_address_names *names, pr_frame_id frame, struct pr_native_place *place);

/* The frame of what has no function: "libc.so.6+0x124a" for OFFSET in the file at PATH. */
pr_frame_id pr_address_offset(struct pr_profile_builder *c, pr_str path, uint64_t offset);

/* Function I of the place, 0 being the innermost. */
static inline pr_frame_id pr_address_names_frame(const struct pr_address_names *names,
                                                 const struct pr_native_place *place, uint32_t i)
{
    return names->code.function[place->first + place->count - 1 - i].frame;
}

/* Notes what names are worth; frees. */
void pr_address_names_end(struct pr_address_names *names);

#endif
