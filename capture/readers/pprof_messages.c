/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and their parts, each kept under its id. */
#include "capture/readers/pprof_messages.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <stdlib.h>

pr_str pr_pprof_string(struct pr_pprof *r, uint64_t index)
{
    if (index < r->string_count)
        return r->strings[index];
    r->lacks_strings = r->lacks_strings || index; /* 0 is "" */
    return 0;
}

struct pr_text pr_pprof_text(struct pr_pprof *r, uint64_t index)
{
    return pr_profile_text(r->c.profile, pr_pprof_string(r, index));
}

/* The number of ID; makes room for it in *ARRAY; a second message of an id replaces the first. */
static uint32_t number_of(struct pr_pprof *r, struct pr_idset *ids, uint64_t id, void *array, size_t *capacity,
                          size_t size)
{
    if (r->c.status == PR_OK && !pr_grow(array, capacity, ids->count + (size_t)1, size))
        pr_build_no_memory(&r->c);
    uint32_t number = r->c.status == PR_OK ? pr_idset_add(ids, &id, 1) : 0;
    if (number == PR_NO_ID)
        pr_build_no_memory(&r->c);
    return number;
}

bool pr_pprof_read_numbers(struct pr_protobuf_span message, uint64_t *numbers, uint32_t count)
{
    struct pr_protobuf_field field;
    bool damaged = false;
    while (pr_protobuf_next(&message, &field, &damaged))
        if (field.number >= 1 && field.number <= count)
            numbers[field.number - 1] = field.value;
    return !damaged;
}

static bool read_type(struct pr_pprof *r, struct pr_protobuf_span message)
{
    uint64_t field[2] = {0};
    const bool good = pr_pprof_read_numbers(message, field, 2);
    const struct pr_pprof_type type = {
        .type = field[0], .unit = field[1], .metric = PR_PPROF_NONE, .count_of = PR_PPROF_NONE, .factor = 1};
    if (r->type_count == PR_PPROF_MAX_TYPES)
        r->c.status = pr_cut(r->c.err, PR_ERR_LIMIT, pr_source_offset(r->c.src), "sample type", "more than %d of them",
                             PR_PPROF_MAX_TYPES);
    else
        r->types[r->type_count++] = type;
    return good;
}

void pr_pprof_add_mapping(struct pr_pprof *r, uint64_t id, const struct pr_pprof_mapping *mapping)
{
    uint32_t number = number_of(r, &r->mapping_ids, id, &r->mappings, &r->mapping_capacity, sizeof *r->mappings);
    if (r->c.status == PR_OK)
        r->mappings[number] = *mapping;
}

static bool read_mapping(struct pr_pprof *r, struct pr_protobuf_span message)
{
    enum { ID, START, LIMIT, OFFSET, FILE_NAME, BUILD_ID, FIELDS };
    uint64_t field[FIELDS] = {0};
    const bool good = pr_pprof_read_numbers(message, field, FIELDS);
    const struct pr_pprof_mapping mapping = {.start = field[START], .limit = field[LIMIT], .offset = field[OFFSET],
                                             .file = field[FILE_NAME], .build_id = field[BUILD_ID]};
    pr_pprof_add_mapping(r, field[ID], &mapping);
    return good;
}

bool pr_pprof_add_line(struct pr_pprof *r, struct pr_protobuf_span message)
{
    uint64_t field[2] = {0};
    const bool good = pr_pprof_read_numbers(message, field, 2);
    if (!pr_grow(&r->lines, &r->line_capacity, r->line_count + 1, sizeof *r->lines))
        pr_build_no_memory(&r->c);
    else
        r->lines[r->line_count++] = (struct pr_pprof_line){.function = field[0], .line = (int64_t)field[1]};
    return good;
}

void pr_pprof_add_location(struct pr_pprof *r, uint64_t id, const struct pr_pprof_location *location)
{
    uint32_t number =
        number_of(r, &r->location_ids, id, &r->locations, &r->location_capacity, sizeof *r->locations);
    if (r->c.status == PR_OK)
        r->locations[number] = *location;
}

static bool read_location(struct pr_pprof *r, struct pr_protobuf_span message)
{
    struct pr_pprof_location location = {.first_line = r->line_count};
    struct pr_protobuf_field field;
    uint64_t id = 0;
    bool damaged = false;
    while (pr_protobuf_next(&message, &field, &damaged)) {
        switch (field.number) {
        case 1: id = field.value; break;
        case 2: location.mapping = field.value; break;
        case 3: location.address = field.value; break;
        case 4: damaged = !pr_pprof_add_line(r, field.bytes) || damaged; break;
        default: break;
        }
    }
    location.line_count = (uint32_t)(r->line_count - location.first_line);
    pr_pprof_add_location(r, id, &location);
    return !damaged;
}

void pr_pprof_add_function(struct pr_pprof *r, uint64_t id, const struct pr_pprof_function *function)
{
    uint32_t number =
        number_of(r, &r->function_ids, id, &r->functions, &r->function_capacity, sizeof *r->functions);
    if (r->c.status == PR_OK)
        r->functions[number] = *function;
}

static bool read_function(struct pr_pprof *r, struct pr_protobuf_span message)
{
    enum { ID, NAME, SYSTEM_NAME, FILE_NAME, START_LINE, FIELDS };
    uint64_t field[FIELDS] = {0};
    const bool good = pr_pprof_read_numbers(message, field, FIELDS);
    const struct pr_pprof_function function = {.name = field[NAME], .system_name = field[SYSTEM_NAME],
                                               .file = field[FILE_NAME], .start_line = (int64_t)field[START_LINE]};
    pr_pprof_add_function(r, field[ID], &function);
    return good;
}

void pr_pprof_add_string(struct pr_pprof *r, struct pr_protobuf_span bytes)
{
    pr_str string = pr_build_string(&r->c, bytes.at, (size_t)(bytes.end - bytes.at));
    if (!pr_grow(&r->strings, &r->string_capacity, r->string_count + 1, sizeof *r->strings))
        pr_build_no_memory(&r->c);
    else
        r->strings[r->string_count++] = string;
}

static bool keep_sample(struct pr_pprof *r, struct pr_protobuf_span message)
{
    uint32_t length = (uint32_t)(message.end - message.at);
    pr_buf_add(&r->samples, &length, sizeof length);
    pr_buf_add(&r->samples, message.at, length);
    if (r->samples.failed)
        pr_build_no_memory(&r->c);
    return true;
}

/* ---- the profile message ---------------------------------------------------------------------------------------- */

static bool take_message(struct pr_pprof *r, uint32_t number, struct pr_protobuf_span message)
{
    switch (number) {
    case PR_PPROF_SAMPLE_TYPE: return read_type(r, message);
    case PR_PPROF_SAMPLE: return keep_sample(r, message);
    case PR_PPROF_MAPPING: return read_mapping(r, message);
    case PR_PPROF_LOCATION: return read_location(r, message);
    case PR_PPROF_FUNCTION: return read_function(r, message);
    case PR_PPROF_STRING_TABLE: pr_pprof_add_string(r, message); return true;
    default: return true;
    }
}

static void take_number(struct pr_pprof *r, uint32_t number, uint64_t value)
{
    if (number == PR_PPROF_TIME_NANOS)
        r->time_ns = (int64_t)value;
    else if (number == PR_PPROF_DURATION_NANOS)
        r->duration_ns = (int64_t)value;
    else if (number == PR_PPROF_DEFAULT_SAMPLE_TYPE)
        r->default_type = value;
}

static enum pr_status ended(struct pr_pprof *r)
{
    const struct pr_source *src = r->c.src;
    if (src->error.code != PR_ERR_NONE)
        return pr_cut(r->c.err, src->error.code, pr_source_offset(src), "profile message", "%s", src->error.text);
    if (src->at_eof && (size_t)(src->end - src->at) < PR_PROTOBUF_HEAD_BYTES)
        return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(src), "profile message",
                      "the input ends in a field");
    return pr_cut(r->c.err, PR_ERR_DAMAGED, pr_source_offset(src), "profile message", "this is not a field");
}

enum pr_status pr_pprof_read_messages(struct pr_pprof *r)
{
    struct pr_source *src = r->c.src;
    while (pr_build_going(&r->c)) {
        struct pr_protobuf_field field;
        if (!pr_source_need(src, PR_PROTOBUF_HEAD_BYTES) && src->at == src->end && src->error.code == PR_ERR_NONE)
            return PR_OK;
        size_t taken = pr_protobuf_head((struct pr_protobuf_span){src->at, src->end}, &field);
        uint64_t offset = pr_source_offset(src), most = r->c.options->limits.max_string_bytes;
        if (!taken)
            return ended(r);
        pr_source_skip(src, taken);
        if (field.wire != PR_WIRE_BYTES) {
            take_number(r, field.number, field.value);
            continue;
        }
        if (field.value > most)
            return pr_cut(r->c.err, PR_ERR_LIMIT, offset, "profile message", "a field of %" PRIu64 " bytes",
                          field.value);
        size_t length = (size_t)field.value;
        if (!pr_source_need(src, length))
            return src->error.code != PR_ERR_NONE
                       ? ended(r)
                       : pr_cut(r->c.err, PR_ERR_TRUNCATED, offset, "profile message", "the input ends in a field");
        if (!take_message(r, field.number, (struct pr_protobuf_span){src->at, src->at + length}))
            return pr_cut(r->c.err, PR_ERR_DAMAGED, offset, "profile message", "field %" PRIu32 " breaks",
                          field.number);
        pr_source_skip(src, length);
    }
    return PR_OK;
}

void pr_pprof_clear(struct pr_pprof *r)
{
    pr_idset_clear(&r->mapping_ids);
    pr_idset_clear(&r->location_ids);
    pr_idset_clear(&r->function_ids);
    pr_pprof_labels_clear(&r->labels);
    pr_idset_clear(&r->walk_ids);
    free(r->walks);
    free(r->strings);
    free(r->mappings);
    free(r->locations);
    free(r->functions);
    free(r->lines);
    free(r->frame_of_line);
    free(r->stack);
    pr_buf_clear(&r->samples);
}
