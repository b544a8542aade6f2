/* SPDX-License-Identifier: Apache-2.0 */
/* Appending to the tables of native frames, each file and each image once. */
#include "capture/memray/native_frames.h"

#include "capture/base/checked.h"

bool pr_native_is_full(const struct pr_native *native)
{
    return native->frame_count >= UINT32_MAX - 1 || (native->max_frames && native->frame_count >= native->max_frames);
}

bool pr_native_add_frame(struct pr_native *native, uint64_t ip, uint64_t parent)
{
    uint32_t count = native->frame_count;
    if (native->ignored)
        return true;
    if (native->room && count >= native->room) {
        native->left_out++;
        return true;
    }
    if (pr_native_is_full(native) ||
        !pr_grow(&native->ip, &native->ip_capacity, count + (size_t)1, sizeof *native->ip) ||
        !pr_grow(&native->parent, &native->parent_capacity, count + (size_t)1, sizeof *native->parent) ||
        !pr_grow(&native->fact, &native->fact_capacity, count + (size_t)1, sizeof *native->fact))
        return false;
    native->ip[count] = ip;
    native->parent[count] = parent <= count ? (uint32_t)parent : 0;
    native->fact[count] = 0;
    native->frame_count++;
    return true;
}

bool pr_native_add_generation(struct pr_native *native)
{
    if (native->ignored)
        return true;
    if (!pr_grow(&native->first_listed, &native->first_capacity, native->generation_count + (size_t)1,
                 sizeof *native->first_listed))
        return false;
    native->first_listed[native->generation_count++] = native->listed_count;
    return true;
}

bool pr_native_add_segment(struct pr_native *native, uint64_t address, uint64_t size_bytes)
{
    const struct pr_elf_segment segment = {address, size_bytes};
    if (!native->ignored)
        pr_buf_add(&native->segments, &segment, sizeof segment);
    return !native->segments.failed;
}

static bool list_image(struct pr_native *native, pr_str path, uint64_t bias)
{
    native->files.words = 1;
    native->images.words = 2;
    if (!native->segment_lists.count && pr_strings_init(&native->segment_lists, NULL) == PR_FAILED)
        return false;
    pr_str segments = pr_strings_add(&native->segment_lists, native->segments.length ? native->segments.bytes : "",
                                     native->segments.length);
    if (segments == PR_NO_STR)
        return false;
    const uint64_t file_key = pr_pair(path, segments);
    uint32_t file = pr_idset_add(&native->files, &file_key, 1);
    const uint64_t image_key[2] = {file, bias};
    uint32_t image = file == PR_NO_ID ? PR_NO_ID : pr_idset_add(&native->images, image_key, 2);
    if (image == PR_NO_ID ||
        !pr_grow(&native->listed, &native->listed_capacity, native->listed_count + 1, sizeof *native->listed))
        return false;
    native->listed[native->listed_count++] = image;
    return true;
}

bool pr_native_add_image(struct pr_native *native, pr_str path, uint64_t bias)
{
    bool good = native->ignored || !native->generation_count || list_image(native, path, bias);
    native->segments.length = 0;
    return good;
}

struct pr_elf_loaded pr_native_file_get(const struct pr_native *native, uint32_t file)
{
    uint64_t key = native->files.keys[file];
    struct pr_text list = pr_strings_get(&native->segment_lists, pr_low(key));
    return (struct pr_elf_loaded){pr_high(key), list.bytes, list.length / (uint32_t)sizeof(struct pr_elf_segment)};
}

size_t pr_native_generation(const struct pr_native *native, uint32_t generation, size_t *end)
{
    *end = 0;
    if (!generation || generation > native->generation_count)
        return 0;
    *end = generation < native->generation_count ? native->first_listed[generation] : native->listed_count;
    return native->first_listed[generation - 1];
}

void pr_native_clear(struct pr_native *native)
{
    free(native->ip);
    free(native->parent);
    free(native->fact);
    free(native->first_listed);
    free(native->listed);
    pr_strings_clear(&native->segment_lists);
    pr_idset_clear(&native->files);
    pr_idset_clear(&native->images);
    pr_buf_clear(&native->segments);
    *native = (struct pr_native){0};
}
