/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/arrow/arrow_check.h"

#include "capture/base/little_endian.h"

static uint64_t times(uint64_t count, uint64_t size)
{
    return size && count > UINT64_MAX / size ? UINT64_MAX : count * size;
}

uint64_t pr_arrow_data_bytes(const struct pr_arrow_array *array)
{
    const struct pr_arrow_field *field = array->field;
    const uint64_t rows = array->length, offset = field->is_large ? 8 : 4;
    if (array->is_index)
        return times(rows, field->index_bits / 8);
    switch (field->kind) {
    case PR_ARROW_BOOLEAN:
        return rows / 8 + (rows % 8 != 0);
    case PR_ARROW_BYTES:
        if (field->is_view)
            return times(rows, 16);
        return rows ? times(rows + 1, offset) : 0;
    case PR_ARROW_LIST:
        if (field->is_view)
            return times(rows, offset);
        return rows ? times(rows + 1, offset) : 0;
    case PR_ARROW_FIXED_BYTES:
        return times(rows, (uint64_t)field->size);
    case PR_ARROW_UNION:
        return rows;
    case PR_ARROW_NULL:
    case PR_ARROW_FIXED_LIST:
    case PR_ARROW_STRUCT:
    case PR_ARROW_RUNS:
        return 0;
    default:
        return times(rows, field->bits / 8);
    }
}

uint64_t pr_arrow_offset(const struct pr_arrow_array *array, uint64_t i)
{
    return array->field->is_large ? pr_le64(array->data + 8 * i) : pr_le32(array->data + 4 * i);
}

int64_t pr_arrow_integer(const uint8_t *integers, unsigned bits, bool is_signed, uint64_t i)
{
    switch (bits) {
    case 8:
        return is_signed ? (int64_t)(int8_t)integers[i] : (int64_t)integers[i];
    case 16: {
        const uint16_t number = (uint16_t)(integers[2 * i] | integers[2 * i + 1] << 8);
        return is_signed ? (int64_t)(int16_t)number : (int64_t)number;
    }
    case 32: {
        const uint32_t number = pr_le32(integers + 4 * i);
        return is_signed ? (int64_t)(int32_t)number : (int64_t)number;
    }
    default:
        return (int64_t)pr_le64(integers + 8 * i);
    }
}

static bool is_there(const struct pr_arrow_array *array, uint64_t i)
{
    return !array->validity || pr_arrow_bit(array->validity, i);
}

/* Negative offsets are huge ones here. */
static const char *wrong_offsets(const struct pr_arrow_array *array, uint64_t end)
{
    uint64_t before = array->length ? pr_arrow_offset(array, 0) : 0;
    if (before > end)
        return "has an offset beyond its end";
    for (uint64_t i = 1; array->length && i <= array->length; i++) {
        const uint64_t offset = pr_arrow_offset(array, i);
        if (offset < before)
            return "has offsets that go back";
        if (offset > end)
            return "has an offset beyond its end";
        before = offset;
    }
    return NULL;
}

static const char *wrong_views(const struct pr_arrow_array *array)
{
    for (uint64_t i = 0; i < array->length; i++) {
        const uint8_t *view = array->data + 16 * i;
        const uint32_t size = pr_le32(view), part = pr_le32(view + 8), offset = pr_le32(view + 12);
        if (!is_there(array, i) || size <= 12)
            continue;
        if (size > INT32_MAX || part >= array->part_count || offset > array->parts[part].size ||
            size > array->parts[part].size - offset)
            return "has a view beyond what it points into";
    }
    return NULL;
}

static const char *wrong_list_views(const struct pr_arrow_array *array)
{
    const unsigned bits = array->field->is_large ? 64 : 32;
    const uint64_t end = array->children[0].length;
    for (uint64_t i = 0; i < array->length; i++) {
        const uint64_t offset = (uint64_t)pr_arrow_integer(array->data, bits, true, i);
        const uint64_t size = (uint64_t)pr_arrow_integer(array->more, bits, true, i);
        if (is_there(array, i) && (offset > end || size > end - offset))
            return "has a list beyond its values";
    }
    return NULL;
}

static const char *wrong_indices(const struct pr_arrow_array *array)
{
    const struct pr_arrow_field *field = array->field;
    for (uint64_t i = 0; i < array->length; i++) {
        const uint64_t index = (uint64_t)pr_arrow_integer(array->data, field->index_bits, field->index_is_signed, i);
        if (is_there(array, i) && index >= array->dictionary->length)
            return array->dictionary->count ? "has an index beyond its dictionary"
                                            : "comes before its dictionary";
    }
    return NULL;
}

static const char *wrong_children(const struct pr_arrow_array *array, uint64_t need)
{
    for (uint32_t i = 0; i < array->field->child_count; i++)
        if (array->children[i].length < need)
            return "has fewer values in its parts than rows";
    return NULL;
}

static const char *wrong_union(const struct pr_arrow_array *array)
{
    const struct pr_arrow_field *field = array->field;
    for (uint64_t i = 0; i < array->length; i++) {
        const uint8_t id = array->data[i];
        if (id > 127 || field->members[id] < 0)
            return "has a value of a type that its union lacks";
        if (field->is_dense && pr_le32(array->more + 4 * i) >= array->children[field->members[id]].length)
            return "has a value beyond those of its union";
    }
    return field->is_dense ? NULL : wrong_children(array, array->length);
}

static const char *wrong_runs(const struct pr_arrow_array *array)
{
    const struct pr_arrow_array *ends = &array->children[0];
    int64_t before = 0;
    if (ends->validity || array->children[1].length < ends->length)
        return "has runs without values";
    for (uint64_t i = 0; i < ends->length; i++) {
        const int64_t end = pr_arrow_integer(ends->data, ends->field->bits, true, i);
        if (end <= before)
            return "has runs that end before they begin";
        before = end;
    }
    return (uint64_t)before < array->length ? "has fewer values in its runs than rows" : NULL;
}

const char *pr_arrow_what_is_wrong(const struct pr_arrow_array *array)
{
    if (array->is_index)
        return wrong_indices(array);
    switch (array->field->kind) {
    case PR_ARROW_BYTES:
        return array->field->is_view ? wrong_views(array) : wrong_offsets(array, array->more_size);
    case PR_ARROW_LIST:
        return array->field->is_view ? wrong_list_views(array) : wrong_offsets(array, array->children[0].length);
    case PR_ARROW_FIXED_LIST:
        return wrong_children(array, times(array->length, (uint64_t)array->field->size));
    case PR_ARROW_STRUCT:
        return wrong_children(array, array->length);
    case PR_ARROW_UNION:
        return wrong_union(array);
    case PR_ARROW_RUNS:
        return wrong_runs(array);
    default:
        return NULL;
    }
}
