/* SPDX-License-Identifier: Apache-2.0 */
/* Units, and frames of locations: with functions, or with the functions at an address of the mapping's file. */
#include "capture/readers/pprof_frames.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/lines.h"

#include <inttypes.h>

/*
 * The call tree may not be far larger than the file: locations with thousands of lines, two to a sample, would
 * multiply. Real profiles have less than one node for each byte.
 */
enum { NODES_A_BYTE = 4, FREE_NODES = 1 << 16 };

/* Where a location with more lines leads is cached: a million samples of one with thousands would take minutes. */
enum { MANY_LINES = 16 };

enum pr_unit pr_pprof_unit(struct pr_text unit, int64_t *factor)
{
    static const struct {
        const char *name;
        enum pr_unit unit;
        int64_t factor;
    } known[] = {
        {"nanoseconds", PR_UNIT_NANOSECONDS, 1},
        {"ns", PR_UNIT_NANOSECONDS, 1},
        {"microseconds", PR_UNIT_NANOSECONDS, 1000},
        {"us", PR_UNIT_NANOSECONDS, 1000},
        {"milliseconds", PR_UNIT_NANOSECONDS, PR_NS_PER_MS},
        {"ms", PR_UNIT_NANOSECONDS, PR_NS_PER_MS},
        {"seconds", PR_UNIT_NANOSECONDS, PR_NS_PER_S},
        {"s", PR_UNIT_NANOSECONDS, PR_NS_PER_S},
        {"bytes", PR_UNIT_BYTES, 1},
        {"By", PR_UNIT_BYTES, 1},
        {"byte", PR_UNIT_BYTES, 1},
        {"kilobytes", PR_UNIT_BYTES, 1024},
        {"megabytes", PR_UNIT_BYTES, 1024 * 1024},
        {"count", PR_UNIT_COUNT, 1},
        {"1", PR_UNIT_COUNT, 1},
        {"cycles", PR_UNIT_CYCLES, 1},
    };
    *factor = 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (pr_text_is(unit, known[i].name)) {
            *factor = known[i].factor;
            return known[i].unit;
        }
    }
    return PR_UNIT_NONE;
}

int64_t pr_pprof_scaled(int64_t value, int64_t factor)
{
    if (value > INT64_MAX / factor || value < INT64_MIN / factor)
        return value < 0 ? INT64_MIN : INT64_MAX;
    return value * factor;
}

static bool is_kernel(struct pr_text file)
{
    return pr_text_starts(file, "[kernel") || pr_text_starts(file, "[guest.kernel");
}

/* As `go tool pprof` calls it. */
static pr_frame_id unknown_frame(struct pr_pprof *r)
{
    if (!r->has_unknown)
        r->unknown = pr_build_frame(&r->c, &(struct pr_place){.function = pr_build_text(&r->c, "<unknown>"),
                                                              .kind = PR_FRAME_NATIVE});
    r->has_unknown = true;
    return r->unknown;
}

/* Go's runtime fills stacks of threadcreate up with addresses of 0, and writes each less 1, as of a call. */
static bool is_no_address(uint64_t address)
{
    return address == 0 || address == UINT64_MAX;
}

/* The frame of a location without a function. */
static pr_frame_id address_frame(struct pr_pprof *r, const struct pr_pprof_location *location)
{
    const uint64_t id = location->mapping;
    uint32_t found = pr_idset_find(&r->mapping_ids, &id, 1);
    const struct pr_pprof_mapping none = {0}, *mapping = id && found != PR_NO_ID ? &r->mappings[found] : &none;
    struct pr_text file = pr_pprof_text(r, mapping->file);
    uint64_t address = location->address;
    if (!file.length && is_no_address(address))
        return unknown_frame(r);
    if (mapping->file && address >= mapping->start)
        address = address - mapping->start + mapping->offset;
    struct pr_buf name = {0};
    pr_buf_printf(&name, "%s%s0x%" PRIx64, pr_text_file_name(file).bytes, file.length ? "+" : "", address);
    struct pr_place place = {.file = pr_pprof_string(r, mapping->file),
                             .kind = is_kernel(file) ? PR_FRAME_KERNEL : PR_FRAME_NATIVE};
    place.function = pr_build_buf(&r->c, &name);
    return pr_build_frame(&r->c, &place);
}

static pr_frame_id line_frame(struct pr_pprof *r, const struct pr_pprof_location *location,
                              const struct pr_pprof_line *line)
{
    const uint64_t id = line->function, mapping = location->mapping;
    uint32_t found = pr_idset_find(&r->function_ids, &id, 1), at = pr_idset_find(&r->mapping_ids, &mapping, 1);
    pr_build_damage(&r->c, PR_DAMAGE_FRAMES, found == PR_NO_ID && id);
    if (found == PR_NO_ID)
        return address_frame(r, location);
    const struct pr_pprof_function *function = &r->functions[found];
    struct pr_place place = {.function = pr_pprof_string(r, function->name),
                             .file = pr_pprof_string(r, function->file),
                             .line = line->line,
                             .definition_line = function->start_line};
    if (!place.function)
        place.function = pr_pprof_string(r, function->system_name);
    if (!place.function && !place.file)
        return address_frame(r, location);
    place.kind = at != PR_NO_ID && is_kernel(pr_pprof_text(r, r->mappings[at].file))
                     ? PR_FRAME_KERNEL
                     : pr_frame_kind_of(pr_profile_text(r->c.profile, place.function),
                                        pr_profile_text(r->c.profile, place.file));
    return pr_build_frame(&r->c, &place);
}

/* The functions at the address of a location without lines. */
static bool find_place(struct pr_pprof *r, const struct pr_pprof_location *location, struct pr_native_place *place)
{
    const uint64_t id = location->mapping;
    const uint32_t found = id ? pr_idset_find(&r->mapping_ids, &id, 1) : PR_NO_ID;
    const struct pr_pprof_mapping *mapping = found != PR_NO_ID ? &r->mappings[found] : NULL;
    if (!mapping || location->address < mapping->start || location->address >= mapping->limit)
        return false;
    const struct pr_address_question question = {
        .number = found,
        .path = pr_pprof_string(r, mapping->file),
        .mapping = {mapping->offset, mapping->limit - mapping->start, pr_pprof_text(r, mapping->build_id)},
        .offset = location->address - mapping->start + mapping->offset};
    return pr_address_names_find(&r->names, &question, place);
}

/* Room for COUNT more lines, and for the frames of all. */
static bool grow_lines(struct pr_pprof *r, size_t count)
{
    const bool grown = pr_grow(&r->lines, &r->line_capacity, r->line_count + count, sizeof *r->lines) &&
                       pr_grow(&r->frame_of_line, &r->frame_capacity, r->line_count + count, sizeof *r->frame_of_line);
    if (!grown)
        pr_build_no_memory(&r->c);
    return grown;
}

/* A location without lines gets one of its own, or one for each function at its address. */
static void make_lines(struct pr_pprof *r, struct pr_pprof_location *location)
{
    struct pr_native_place place;
    if (!find_place(r, location, &place))
        pr_address_names_put(&r->names, address_frame(r, location), &place);
    location->first_line = r->line_count;
    location->line_count = place.count;
    if (!grow_lines(r, place.count))
        return;
    for (uint32_t i = 0; i < place.count; i++) {
        r->lines[r->line_count] = (struct pr_pprof_line){0};
        r->frame_of_line[r->line_count++] = pr_address_names_frame(&r->names, &place, i);
    }
}

/* Fills frame_of_line for LOCATION. */
static void resolve(struct pr_pprof *r, struct pr_pprof_location *location)
{
    location->resolved = true;
    if (!location->line_count)
        make_lines(r, location);
    else if (grow_lines(r, 0))
        for (uint32_t i = 0; i < location->line_count; i++)
            r->frame_of_line[location->first_line + i] = line_frame(r, location, &r->lines[location->first_line + i]);
}

/* Of what fills a stack up, one frame is enough. */
static bool fills_up(const struct pr_pprof *r, pr_node_id node, const struct pr_pprof_location *location)
{
    return r->has_unknown && location->line_count == 1 &&
           r->frame_of_line[location->first_line] == r->unknown && node != PR_ROOT &&
           pr_stacks_node_frame(&r->c.builder, node) == r->unknown;
}

static pr_node_id walk(struct pr_pprof *r, pr_node_id node, const struct pr_pprof_location *location)
{
    if (fills_up(r, node, location))
        return node;
    for (uint32_t i = location->line_count; i-- > 0 && r->c.status == PR_OK;)
        node = pr_build_child(&r->c, node, r->frame_of_line[location->first_line + i]);
    return node;
}

static pr_node_id walk_again(struct pr_pprof *r, pr_node_id node, const struct pr_pprof_location *location)
{
    const uint64_t key = pr_pair(node, (uint32_t)(location - r->locations));
    const uint32_t known = r->walk_ids.count;
    const uint32_t at = pr_grow(&r->walks, &r->walk_capacity, known + (size_t)1, sizeof *r->walks)
                            ? pr_idset_add(&r->walk_ids, &key, 1)
                            : PR_NO_ID;
    if (at == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return node;
    }
    if (at == known)
        r->walks[at] = walk(r, node, location);
    return r->walks[at];
}

pr_node_id pr_pprof_walk_location(struct pr_pprof *r, pr_node_id node, uint64_t id, size_t *depth)
{
    uint32_t found = pr_idset_find(&r->location_ids, &id, 1);
    pr_build_damage(&r->c, PR_DAMAGE_FRAMES, found == PR_NO_ID);
    if (found == PR_NO_ID)
        return node;
    struct pr_pprof_location *location = &r->locations[found];
    if (!location->resolved)
        resolve(r, location);
    *depth += location->line_count;
    if (r->c.status == PR_OK && *depth > r->c.options->limits.max_depth)
        r->c.status = pr_cut(r->c.err, PR_ERR_LIMIT, PR_NO_OFFSET, "sample", "a stack is too deep");
    const uint64_t bytes = pr_source_offset(r->c.src);
    const uint64_t nodes = (uint64_t)r->c.builder.nodes.count + location->line_count;
    if (r->c.status == PR_OK && nodes > bytes * NODES_A_BYTE + FREE_NODES)
        r->c.status = pr_cut(r->c.err, PR_ERR_LIMIT, PR_NO_OFFSET, "sample", "the stacks are far larger than the file");
    return location->line_count > MANY_LINES ? walk_again(r, node, location) : walk(r, node, location);
}
