/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray: from an instruction to a line, by the line tables of CPython 3.8 to 3.13.
 * Source: doc/formats/memray.md, "Line numbers"; CPython's Objects/lnotab_notes.txt and Objects/locations.md.
 */
#include "capture/memray/memray.h"

/* A running line; hostile tables may push it out of range, so it is summed in 64 bits and cut at the end. */
static int32_t line_number(int64_t line)
{
    return line < INT32_MIN ? INT32_MIN : line > INT32_MAX ? INT32_MAX : (int32_t)line;
}

/* CPython <= 3.9: pairs of (bytes of code, lines). */
static int32_t line_by_lnotab(const uint8_t *table, size_t length, int64_t line, int64_t offset)
{
    int64_t address = 0;
    for (size_t i = 0; i + 1 < length; i += 2) {
        address += table[i];
        if (address > offset)
            break;
        line += (int8_t)table[i + 1];
    }
    return line_number(line);
}

/* CPython 3.10: pairs of (bytes of code, lines); -128 lines: this code has no line. The offset counts instructions. */
static int32_t line_by_linetable(const uint8_t *table, size_t length, int64_t line, int64_t offset)
{
    enum { NO_LINE = -128, INSTRUCTION_BYTES = 2 };
    int64_t address = 0;
    for (size_t i = 0; i + 1 < length; i += 2) {
        int8_t lines = (int8_t)table[i + 1];
        address += table[i];
        if (lines != NO_LINE)
            line += lines;
        if (address > offset * INSTRUCTION_BYTES)
            break;
    }
    return line_number(line);
}

/* 6 bits a byte, low first, bit 6 = more. */
static const uint8_t *location_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; at < end; shift += 6) {
        uint8_t byte = *at++;
        if (shift < 60)
            *value |= (uint64_t)(byte & 0x3f) << shift;
        if (!(byte & 0x40))
            break;
    }
    return at;
}

static const uint8_t *location_svarint(const uint8_t *at, const uint8_t *end, int64_t *value)
{
    uint64_t raw;
    at = location_varint(at, end, &raw);
    *value = raw & 1 ? -(int64_t)(raw >> 1) : (int64_t)(raw >> 1);
    return at;
}

/* CPython >= 3.11: entries of a head `1ccccnnn`, n + 1 code units, and c says how the line changes. */
static int32_t line_by_locations(const uint8_t *table, size_t length, int64_t line, int64_t offset)
{
    enum { ONE_LINE = 10, ONE_LINE_LAST = 12, NO_COLUMNS = 13, LONG_FORM = 14, CODE_UNIT_BYTES = 2 };
    const uint8_t *at = table, *end = table + length;
    int64_t unit = 0;
    while (at < end) {
        uint8_t head = *at++;
        unsigned code = head >> 3 & 15;
        int64_t change;
        uint64_t ignored;
        if (code < ONE_LINE) {
            at++;
        } else if (code <= ONE_LINE_LAST) {
            line += code - ONE_LINE;
            at += 2;
        } else if (code == NO_COLUMNS || code == LONG_FORM) {
            at = location_svarint(at, end, &change);
            line = (int64_t)((uint64_t)line + (uint64_t)change);
            for (int i = 0; code == LONG_FORM && i < 3; i++)
                at = location_varint(at, end, &ignored);
        }
        unit += (head & 7) + 1;
        if (unit > offset / CODE_UNIT_BYTES)
            return line_number(line);
    }
    return 0; /* no entry covers the instruction */
}

int32_t pr_memray_line(int python_version, const uint8_t *table, size_t length, int32_t first_line, int64_t offset)
{
    enum { PYTHON_3_10 = 0x030A };
    if (offset < 0 || !length)
        return 0;
    if (python_version >> 16 < PYTHON_3_10)
        return line_by_lnotab(table, length, first_line, offset);
    if (offset > INT32_MAX)
        return 0;
    if (python_version >> 16 == PYTHON_3_10)
        return line_by_linetable(table, length, first_line, offset);
    return line_by_locations(table, length, first_line, offset);
}
