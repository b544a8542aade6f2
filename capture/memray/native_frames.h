/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native frames as captures record them: return addresses in a tree, and which files of code were loaded where and
 * when.
 *
 * Frames have ids from 1, a parent is one frame outward. Each list of loaded images is a generation, counted from 1;
 * images are listed anew in every one, so each distinct image is kept once. Nothing in here looks at files: see
 * native_places.h.
 * Source: doc/formats/memray.md, "Native stacks".
 */
#ifndef PR_CAPTURE_MEMRAY_NATIVE_FRAMES_H
#define PR_CAPTURE_MEMRAY_NATIVE_FRAMES_H

#include "profrender/buf.h"
#include "capture/base/idset.h"
#include "profrender/string_table.h"
#include "capture/symbols/elf_file.h"

struct pr_native {
    bool ignored;        /* set before reading: nothing is wanted or kept */
    uint64_t max_frames; /* set before reading; 0 = as many as there are ids */
    uint32_t room;       /* set before reading: as many frames are kept, those after them are left out; 0 = all are */
    uint64_t left_out;

    uint32_t frame_count;
    uint64_t *ip;     /* [frame_count] of frame id - 1: the address after the call */
    uint32_t *parent; /* [frame_count] id, 0 = none; always below the frame's own */
    uint32_t *fact;   /* the first one that has the frame, + 1; 0 = none yet. For pr_stacks_native_fact */
    size_t ip_capacity, parent_capacity, fact_capacity;

    struct pr_strings segment_lists;
    struct pr_idset files;  /* path and list of segments */
    struct pr_idset images; /* file, load bias */
    struct pr_buf segments; /* of the image that is being read */

    uint32_t generation_count;
    size_t *first_listed; /* [generation_count] into `listed` */
    uint32_t *listed;     /* images of all generations, one after another */
    size_t listed_count, first_capacity, listed_capacity;
};

/* The next frame. A parent that is not before it counts as none. False: no memory, or too many. */
bool pr_native_add_frame(struct pr_native *native, uint64_t ip, uint64_t parent);

/* The frame ID of an allocation; 0, none, for one that was left out or is wanted by nobody. */
static inline uint32_t pr_native_kept(const struct pr_native *native, uint64_t id)
{
    const bool is_gone = native->ignored || id > UINT32_MAX || (native->left_out && id > native->frame_count);
    return is_gone ? 0 : (uint32_t)id;
}

/* No further frame can be added. */
bool pr_native_is_full(const struct pr_native *native);

/* A new generation begins. False: no memory. */
bool pr_native_add_generation(struct pr_native *native);

/* A segment of the image that is being read. False: no memory. */
bool pr_native_add_segment(struct pr_native *native, uint64_t address, uint64_t size_bytes);

/* The image whose segments were added, loaded in the current generation; ignored before the first. False: no memory. */
bool pr_native_add_image(struct pr_native *native, pr_str path, uint64_t bias);

/* File number FILE. */
struct pr_elf_loaded pr_native_file_get(const struct pr_native *native, uint32_t file);

/* Images first_listed to *END - 1 of `listed` are those of GENERATION (from 1). Returns the first. */
size_t pr_native_generation(const struct pr_native *native, uint32_t generation, size_t *end);

static inline uint32_t pr_native_image_file(const struct pr_native *native, uint32_t image)
{
    return (uint32_t)native->images.keys[(size_t)image * 2];
}

static inline uint64_t pr_native_image_bias(const struct pr_native *native, uint32_t image)
{
    return native->images.keys[(size_t)image * 2 + 1];
}

void pr_native_clear(struct pr_native *native);

#endif
