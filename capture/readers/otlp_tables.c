/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are kept as they come: the string that a row names may come after it. */
#include "capture/readers/otlp_tables.h"

#include "capture/base/checked.h"
#include "capture/base/little_endian.h"
#include "capture/base/varint.h"
#include "capture/parse/lines.h"

#include <stdlib.h>

enum { FIXED_BYTES = 8 };

uint64_t pr_otlp_fixed64(const struct pr_protobuf_field *field)
{
    return pr_le64(field->bytes.at - FIXED_BYTES); /* the bytes of a number of fixed size end where it does */
}

bool pr_otlp_numbers(const struct pr_protobuf_field *field, bool is_fixed, pr_otlp_take *take, void *context)
{
    struct pr_protobuf_span left = field->bytes;
    if (field->wire != PR_WIRE_BYTES) {
        if (field->wire != (is_fixed ? PR_WIRE_FIXED64 : PR_WIRE_VARINT))
            return false;
        take(context, is_fixed ? pr_otlp_fixed64(field) : field->value);
        return true;
    }
    while (left.at < left.end) {
        uint64_t value = 0;
        const size_t rest = (size_t)(left.end - left.at);
        const size_t taken = is_fixed ? rest < FIXED_BYTES ? 0 : FIXED_BYTES : pr_varint_get(left.at, left.end, &value);
        if (!taken)
            return false;
        take(context, is_fixed ? pr_le64(left.at) : value);
        left.at += taken;
    }
    return true;
}

static void take_item(void *context, uint64_t value)
{
    struct pr_otlp_tables *t = context;
    if (!pr_grow(&t->items, &t->item_capacity, t->item_count + 1, sizeof *t->items))
        pr_build_no_memory(&t->p.c);
    else
        t->items[t->item_count++] = value;
}

static bool read_mapping(struct pr_otlp_tables *t, struct pr_protobuf_span message)
{
    struct pr_pprof_mapping mapping = {0};
    struct pr_otlp_list list = {.first = t->item_count};
    struct pr_protobuf_field field;
    const uint32_t number = t->p.mapping_ids.count;
    bool damaged = false;
    while (pr_protobuf_next(&message, &field, &damaged)) {
        switch (field.number) {
        case 1: mapping.start = field.value; break;
        case 2: mapping.limit = field.value; break;
        case 3: mapping.offset = field.value; break;
        case 4: mapping.file = field.value; break;
        case 5: damaged = !pr_otlp_numbers(&field, false, take_item, t) || damaged; break;
        default: break;
        }
    }
    list.count = (uint32_t)(t->item_count - list.first);
    if (!pr_grow(&t->mapping_attributes, &t->mapping_attributes_capacity, number + (size_t)1,
                 sizeof *t->mapping_attributes)) {
        pr_build_no_memory(&t->p.c);
        return !damaged;
    }
    t->mapping_attributes[number] = list;
    pr_pprof_add_mapping(&t->p, number, &mapping);
    return !damaged;
}

static bool read_location(struct pr_otlp_tables *t, struct pr_protobuf_span message)
{
    struct pr_pprof_location location = {.first_line = t->p.line_count};
    struct pr_protobuf_field field;
    bool damaged = false;
    while (pr_protobuf_next(&message, &field, &damaged)) {
        if (field.number == 1)
            location.mapping = field.value;
        else if (field.number == 2)
            location.address = field.value;
        else if (field.number == 3)
            damaged = !pr_pprof_add_line(&t->p, field.bytes) || damaged;
    }
    location.line_count = (uint32_t)(t->p.line_count - location.first_line);
    pr_pprof_add_location(&t->p, t->p.location_ids.count, &location);
    return !damaged;
}

static bool read_function(struct pr_otlp_tables *t, struct pr_protobuf_span message)
{
    enum { NAME, SYSTEM_NAME, FILE_NAME, START_LINE, FIELDS };
    uint64_t field[FIELDS] = {0};
    const bool good = pr_pprof_read_numbers(message, field, FIELDS);
    const struct pr_pprof_function function = {.name = field[NAME], .system_name = field[SYSTEM_NAME],
                                               .file = field[FILE_NAME], .start_line = (int64_t)field[START_LINE]};
    pr_pprof_add_function(&t->p, t->p.function_ids.count, &function);
    return good;
}

static bool read_stack(struct pr_otlp_tables *t, struct pr_protobuf_span message)
{
    struct pr_otlp_list stack = {.first = t->item_count};
    struct pr_protobuf_field field;
    bool damaged = false;
    while (pr_protobuf_next(&message, &field, &damaged))
        if (field.number == 1)
            damaged = !pr_otlp_numbers(&field, false, take_item, t) || damaged;
    stack.count = (uint32_t)(t->item_count - stack.first);
    if (!pr_grow(&t->stacks, &t->stack_capacity, t->stack_count + 1, sizeof *t->stacks))
        pr_build_no_memory(&t->p.c);
    else
        t->stacks[t->stack_count++] = stack;
    return !damaged;
}

/* ---- attributes ------------------------------------------------------------------------------------------------- */

/* An AnyValue. Fractions, lists, maps and bytes have no value that a label could show. */
static bool read_value(struct pr_otlp_tables *t, struct pr_protobuf_span message, struct pr_otlp_attribute *attribute)
{
    enum { TEXT = 1, BOOL = 2, INT = 3, TEXT_INDEX = 8 };
    struct pr_protobuf_field field;
    bool damaged = false;
    while (pr_protobuf_next(&message, &field, &damaged)) {
        if (field.number == TEXT && field.wire == PR_WIRE_BYTES) {
            attribute->label.text =
                pr_build_string(&t->p.c, field.bytes.at, (size_t)(field.bytes.end - field.bytes.at));
        } else if (field.number == BOOL) {
            attribute->label.text = pr_build_text(&t->p.c, field.value ? "true" : "false");
        } else if (field.number == INT) {
            attribute->label.number = (int64_t)field.value;
        } else if (field.number == TEXT_INDEX) {
            attribute->text_index = field.value;
        }
    }
    return !damaged;
}

bool pr_otlp_read_attribute(struct pr_otlp_tables *t, struct pr_protobuf_span message, bool is_text,
                            struct pr_otlp_attribute *attribute)
{
    struct pr_protobuf_field field;
    bool damaged = false;
    *attribute = (struct pr_otlp_attribute){0};
    while (pr_protobuf_next(&message, &field, &damaged)) {
        const size_t length = (size_t)(field.bytes.end - field.bytes.at);
        if (field.number == 2)
            damaged = !read_value(t, field.bytes, attribute) || damaged;
        else if (is_text && field.number == 1)
            attribute->label.key = pr_build_string(&t->p.c, field.bytes.at, length);
        else if (field.number == (is_text ? 3 : 1))
            attribute->key_index = field.value;
        else if (field.number == 3)
            attribute->unit_index = field.value;
    }
    return !damaged;
}

static bool read_row_of_attributes(struct pr_otlp_tables *t, struct pr_protobuf_span message)
{
    struct pr_otlp_attribute attribute;
    const bool good = pr_otlp_read_attribute(t, message, false, &attribute);
    if (!pr_grow(&t->attributes, &t->attribute_capacity, t->attribute_count + 1, sizeof *t->attributes))
        pr_build_no_memory(&t->p.c);
    else
        t->attributes[t->attribute_count++] = attribute;
    return good;
}

static enum pr_otlp_role role_of(struct pr_text key)
{
    static const struct {
        const char *key;
        enum pr_otlp_role role;
    } known[] = {
        {"thread.id", PR_OTLP_THREAD_ID},
        {"thread.name", PR_OTLP_THREAD_NAME},
        {"process.pid", PR_OTLP_PROCESS_ID},
        {"process.executable.name", PR_OTLP_PROCESS_NAME},
        {"service.name", PR_OTLP_SERVICE_NAME},
        {"process.executable.build_id.gnu", PR_OTLP_BUILD_ID},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pr_text_is(key, known[i].key))
            return known[i].role;
    return PR_OTLP_LABEL;
}

void pr_otlp_resolve_attribute(struct pr_otlp_tables *t, struct pr_otlp_attribute *attribute)
{
    if (attribute->key_index)
        attribute->label.key = pr_pprof_string(&t->p, attribute->key_index);
    if (attribute->text_index)
        attribute->label.text = pr_pprof_string(&t->p, attribute->text_index);
    attribute->label.unit = pr_pprof_string(&t->p, attribute->unit_index);
    attribute->role = role_of(pr_profile_text(t->p.c.profile, attribute->label.key));
    attribute->number = (uint64_t)attribute->label.number;
    const struct pr_text text = pr_profile_text(t->p.c.profile, attribute->label.text);
    if ((attribute->role == PR_OTLP_THREAD_ID || attribute->role == PR_OTLP_PROCESS_ID) && text.length &&
        !pr_text_number(text, &attribute->number))
        attribute->number = attribute->label.text;
    attribute->label.is_shown = attribute->role != PR_OTLP_LABEL && attribute->role != PR_OTLP_SERVICE_NAME;
}

/* A build id that is given as text gets a number of the string table, as pprof's mappings have it. */
static void resolve_row(struct pr_otlp_tables *t, struct pr_otlp_attribute *attribute)
{
    pr_otlp_resolve_attribute(t, attribute);
    if (attribute->role != PR_OTLP_BUILD_ID || attribute->text_index)
        return;
    const struct pr_text text = pr_profile_text(t->p.c.profile, attribute->label.text);
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    attribute->text_index = t->p.string_count;
    pr_pprof_add_string(&t->p, (struct pr_protobuf_span){bytes, bytes + text.length});
}

static void name_build(struct pr_otlp_tables *t, uint32_t mapping)
{
    const struct pr_otlp_list *list = &t->mapping_attributes[mapping];
    for (uint32_t i = 0; i < list->count; i++) {
        const uint64_t index = t->items[list->first + i];
        if (index < t->attribute_count && t->attributes[index].role == PR_OTLP_BUILD_ID) {
            t->p.mappings[mapping].build_id = t->attributes[index].text_index;
            return;
        }
    }
}

void pr_otlp_resolve(struct pr_otlp_tables *t)
{
    for (size_t i = 0; i < t->attribute_count && t->p.c.status == PR_OK; i++)
        resolve_row(t, &t->attributes[i]);
    for (uint32_t i = 0; i < t->p.mapping_ids.count && t->p.c.status == PR_OK; i++)
        name_build(t, i);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

bool pr_otlp_read_row(struct pr_otlp_tables *t, uint32_t field, struct pr_protobuf_span message)
{
    switch (field) {
    case PR_OTLP_MAPPING: return read_mapping(t, message);
    case PR_OTLP_LOCATION: return read_location(t, message);
    case PR_OTLP_FUNCTION: return read_function(t, message);
    case PR_OTLP_STRING: pr_pprof_add_string(&t->p, message); return true;
    case PR_OTLP_ATTRIBUTE: return read_row_of_attributes(t, message);
    case PR_OTLP_STACK: return read_stack(t, message);
    default: return true;
    }
}

void pr_otlp_tables_clear(struct pr_otlp_tables *t)
{
    pr_pprof_clear(&t->p);
    free(t->attributes);
    free(t->stacks);
    free(t->mapping_attributes);
    free(t->items);
}
