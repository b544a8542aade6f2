/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks as numbers of addresses; each address becomes frames once, or twice: as a leaf it may mean something else. */
#include "capture/readers/address_samples.h"

#include "capture/readers/address_names.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/lines.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void pr_address_sample_begin(struct pr_address_samples *samples, const struct pr_address_values *values)
{
    if (!pr_grow(&samples->samples, &samples->sample_capacity, samples->sample_count + 1, sizeof *samples->samples))
        pr_build_no_memory(samples->c);
    else
        samples->samples[samples->sample_count++] = (struct pr_address_sample){samples->stack_count, *values};
}

void pr_address_sample_push(struct pr_address_samples *samples, uint64_t address)
{
    uint32_t number = pr_idset_add(&samples->addresses, &address, 1);
    if (number == PR_NO_ID ||
        !pr_grow(&samples->stacks, &samples->stack_capacity, samples->stack_count + 1, sizeof *samples->stacks))
        pr_build_no_memory(samples->c);
    else
        samples->stacks[samples->stack_count++] = number;
}

/* ---- the map ---------------------------------------------------------------------------------------------------- */

/* Reads the hexadecimal number at *AT and moves past it; false: not a number. */
static bool take_hex(struct pr_text text, uint32_t *at, uint64_t *number)
{
    const uint32_t digits = pr_text_hex(pr_text_from(text, *at), number);
    *at += digits;
    return digits;
}

/* Moves *AT past the next word and the blanks before it. */
static void skip_word(struct pr_text text, uint32_t *at)
{
    while (*at < text.length && text.bytes[*at] == ' ')
        ++*at;
    while (*at < text.length && text.bytes[*at] != ' ')
        ++*at;
}

/* From AT on: ` perms offset device inode`, or a colon in the short form, whose offsets are 0. False: neither. */
static bool skip_to_path(struct pr_text line, uint32_t *at, uint64_t *offset)
{
    *offset = 0;
    if (*at < line.length && line.bytes[*at] == ':') {
        ++*at;
        return true;
    }
    skip_word(line, at);
    *at += *at < line.length;
    if (!take_hex(line, at, offset))
        return false;
    skip_word(line, at);
    skip_word(line, at);
    return true;
}

/* `start-end perms offset device inode path`, `start-end: path` */
bool pr_address_map_line(struct pr_address_samples *samples, struct pr_text line)
{
    uint64_t start, end, offset;
    uint32_t at = 0;
    line = pr_text_trim(line);
    if (!take_hex(line, &at, &start) || at >= line.length || line.bytes[at++] != '-' || !take_hex(line, &at, &end) ||
        !skip_to_path(line, &at, &offset))
        return false;
    struct pr_text path = pr_text_trim((struct pr_text){line.bytes + at, line.length - at});
    if (!path.length)
        return true;
    pr_str string = pr_build_string(samples->c, path.bytes, path.length);
    if (samples->map_count >= UINT32_MAX ||
        !pr_grow(&samples->maps, &samples->map_capacity, samples->map_count + 1, sizeof *samples->maps) ||
        !pr_spans_add(&samples->spans, start, end, (uint32_t)samples->map_count)) {
        pr_build_no_memory(samples->c);
        return true;
    }
    samples->maps[samples->map_count++] = (struct pr_address_map){start, end - start, offset, string};
    return true;
}

void pr_address_map_is_cut(struct pr_address_samples *samples)
{
    pr_build_damage(samples->c, PR_DAMAGE_LINES, 1);
    pr_build_note(samples->c,
                  "the map of the files of code ends in the middle of a line: the addresses after it have no file");
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

static struct pr_text name_of(const struct pr_address_samples *samples, const struct pr_address_map *map)
{
    return pr_text_file_name(pr_profile_text(samples->c->profile, map->path));
}

/* The frame of an address that has no name. */
static pr_frame_id make_frame(struct pr_address_samples *samples, const struct pr_address_map *map, uint64_t address)
{
    struct pr_place place = {.kind = PR_FRAME_NATIVE};
    char name[24];
    if (map)
        return pr_address_offset(samples->c, map->path, address - map->start + map->offset);
    snprintf(name, sizeof name, "0x%" PRIx64, address);
    place.function = pr_build_text(samples->c, name);
    return pr_build_frame(samples->c, &place);
}

static void make_place(struct pr_address_samples *samples, struct pr_address_names *names, uint64_t address,
                       bool is_return, struct pr_native_place *place)
{
    const struct pr_span *span = pr_spans_find(&samples->spans, address);
    const struct pr_address_map *map = span ? &samples->maps[span->number] : NULL;
    if (map) {
        const struct pr_address_question question = {.number = span->number,
                                                     .path = map->path,
                                                     .mapping = {map->offset, map->size_bytes, {"", 0}},
                                                     .offset = address - map->start + map->offset,
                                                     .is_return = is_return};
        if (pr_address_names_find(names, &question, place))
            return;
    }
    pr_address_names_put(names, make_frame(samples, map, address), place);
}

static bool is_in_allocator(const struct pr_address_samples *samples, uint64_t address)
{
    const struct pr_span *span = pr_spans_find(&samples->spans, address);
    if (!span)
        return false;
    const struct pr_text name = name_of(samples, &samples->maps[span->number]);
    return pr_text_starts(name, "libjemalloc") || pr_text_starts(name, "libtcmalloc");
}

/* Where the stack from FIRST to END (leaf first) begins: after frames of the allocator, unless it has no others. */
static size_t skip_allocator(const struct pr_address_samples *samples, size_t first, size_t end)
{
    size_t at = first;
    while (samples->skips_allocator && at < end &&
           is_in_allocator(samples, samples->addresses.keys[samples->stacks[at]]))
        at++;
    return at < end ? at : first;
}

/* The places of all addresses, twice: as return addresses, then as leaves. Without functions: not looked up yet. */
struct places {
    struct pr_address_names names;
    struct pr_native_place *place; /* [2 * addresses] */
};

/* The child of NODE for address number NUMBER, innermost function last. */
static pr_node_id add_address(struct pr_address_samples *samples, struct places *places, pr_node_id node,
                              uint32_t number, bool is_return)
{
    struct pr_native_place *place = &places->place[number * (size_t)2 + !is_return];
    if (!place->count)
        make_place(samples, &places->names, samples->addresses.keys[number], is_return, place);
    for (uint32_t i = place->count; i-- > 0 && samples->c->status == PR_OK;)
        node = pr_build_child(samples->c, node, pr_address_names_frame(&places->names, place, i));
    return node;
}

static pr_node_id add_stack(struct pr_address_samples *samples, struct places *places, size_t first, size_t end)
{
    const size_t leaf = skip_allocator(samples, first, end);
    pr_node_id node = PR_ROOT;
    while (end-- > leaf && samples->c->status == PR_OK)
        node = add_address(samples, places, node, samples->stacks[end], end > first || !samples->leaf_is_exact);
    return node;
}

/*
 * The first file of the map that is a program, as in google/pprof's profile.go, massageMappings: where Linux lays
 * programs is below all that it or the program maps later. 0: none.
 */
static pr_str name_program(const struct pr_address_samples *samples)
{
    struct pr_text name = {"", 0};
    for (size_t i = 0; i < samples->map_count && !name.length; i++)
        name = pr_text_mapped_program(pr_profile_text(samples->c->profile, samples->maps[i].path));
    return name.length ? pr_build_string(samples->c, name.bytes, name.length) : 0;
}

void pr_address_samples_collect(struct pr_address_samples *samples, const unsigned *metrics, unsigned metric_count)
{
    struct pr_profile_builder *c = samples->c;
    const uint32_t thread = pr_build_thread(c, pr_build_process(c, 0, name_program(samples)), 0);
    struct places places = {.place = calloc(samples->addresses.count * (size_t)2 + 1, sizeof *places.place)};
    if (!places.place || !pr_spans_sort(&samples->spans))
        pr_build_no_memory(c);
    pr_address_names_init(&places.names, c, (uint32_t)samples->map_count);
    for (size_t i = 0; i < samples->sample_count && c->status == PR_OK; i++) {
        const struct pr_address_sample *sample = &samples->samples[i];
        const size_t end = i + 1 < samples->sample_count ? sample[1].first : samples->stack_count;
        uint32_t fact = pr_build_fact(c, add_stack(samples, &places, sample->first, end), thread);
        for (unsigned m = 0; m < metric_count; m++)
            pr_build_add(c, fact, metrics[m], sample->values.value[m], sample->values.count[m]);
    }
    pr_address_names_end(&places.names);
    free(places.place);
}

void pr_address_samples_clear(struct pr_address_samples *samples)
{
    pr_idset_clear(&samples->addresses);
    pr_spans_clear(&samples->spans);
    free(samples->stacks);
    free(samples->samples);
    free(samples->maps);
}
