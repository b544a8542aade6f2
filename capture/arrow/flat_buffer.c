/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/arrow/flat_buffer.h"

#include "capture/base/little_endian.h"

static bool holds(struct pr_flat *flat, uint64_t at, uint64_t count)
{
    if (at <= flat->size && count <= flat->size - at)
        return true;
    flat->is_broken = true;
    return false;
}

static uint16_t u16_at(const struct pr_flat *flat, uint32_t at)
{
    return (uint16_t)(flat->bytes[at] | flat->bytes[at + 1] << 8);
}

static struct pr_flat_table table_at(struct pr_flat *flat, uint64_t at)
{
    const struct pr_flat_table none = {0};
    if (!holds(flat, at, 4))
        return none;
    const int64_t vtable = (int64_t)at - (int32_t)pr_le32(flat->bytes + at);
    if (vtable < 0 || !holds(flat, (uint64_t)vtable, 4)) {
        flat->is_broken = true;
        return none;
    }
    const uint16_t bytes = u16_at(flat, (uint32_t)vtable), size = u16_at(flat, (uint32_t)vtable + 2);
    if (bytes < 4 || !holds(flat, (uint64_t)vtable, bytes) || !holds(flat, at, size)) {
        flat->is_broken = true;
        return none;
    }
    return (struct pr_flat_table){flat, (uint32_t)at, (uint32_t)vtable, (uint16_t)((bytes - 4) / 2), size};
}

/* Where the COUNT bytes of FIELD are; 0: absent, or broken. */
static uint32_t place_of(struct pr_flat_table table, unsigned field, unsigned count)
{
    if (!table.flat || field >= table.field_count)
        return 0;
    const uint16_t offset = u16_at(table.flat, table.vtable + 4 + 2 * field);
    if (!offset)
        return 0;
    if ((uint32_t)offset + count > table.size) {
        table.flat->is_broken = true;
        return 0;
    }
    return table.at + offset;
}

/* What the offset at AT points to. */
static uint64_t target_of(const struct pr_flat *flat, uint32_t at)
{
    return (uint64_t)at + pr_le32(flat->bytes + at);
}

struct pr_flat_table pr_flat_root(struct pr_flat *flat)
{
    if (!holds(flat, 0, 4))
        return (struct pr_flat_table){0};
    return table_at(flat, target_of(flat, 0));
}

int64_t pr_flat_number(struct pr_flat_table table, unsigned field, unsigned width, int64_t fallback)
{
    const uint32_t at = place_of(table, field, width);
    if (!at)
        return fallback;
    const uint8_t *bytes = table.flat->bytes + at;
    switch (width) {
    case 1:
        return (int8_t)bytes[0];
    case 2:
        return (int16_t)u16_at(table.flat, at);
    case 4:
        return (int32_t)pr_le32(bytes);
    default:
        return (int64_t)pr_le64(bytes);
    }
}

struct pr_flat_table pr_flat_child(struct pr_flat_table table, unsigned field)
{
    const uint32_t at = place_of(table, field, 4);
    return at ? table_at(table.flat, target_of(table.flat, at)) : (struct pr_flat_table){0};
}

struct pr_flat_vector pr_flat_vector(struct pr_flat_table table, unsigned field, unsigned element_bytes)
{
    const struct pr_flat_vector none = {0};
    const uint32_t at = place_of(table, field, 4);
    if (!at)
        return none;
    const uint64_t target = target_of(table.flat, at);
    if (!holds(table.flat, target, 4))
        return none;
    const uint32_t count = pr_le32(table.flat->bytes + target);
    if (!holds(table.flat, target + 4, (uint64_t)count * element_bytes))
        return none;
    return (struct pr_flat_vector){table.flat, (uint32_t)target + 4, count};
}

struct pr_text pr_flat_text(struct pr_flat_table table, unsigned field)
{
    const struct pr_flat_vector bytes = pr_flat_vector(table, field, 1);
    return bytes.count ? (struct pr_text){(const char *)bytes.flat->bytes + bytes.at, bytes.count}
                       : (struct pr_text){"", 0};
}

struct pr_flat_table pr_flat_element(struct pr_flat_vector vector, uint32_t index)
{
    return table_at(vector.flat, target_of(vector.flat, vector.at + 4 * index));
}
