/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray: from an instruction to a line, by the line tables of CPython 3.8 to 3.13.
 * Source: doc/formats/memray.md, "Line numbers"; CPython's Objects/lnotab_notes.txt and Objects/locations.md.
 */
#include "capture/base/checked.h"
#include "capture/memray/memray.h"

/* A running line; hostile tables may push it out of range, so it is summed in 64 bits and cut at the end. */
static int32_t line_number(int64_t line)
{
    return line < INT32_MIN ? INT32_MIN : line > INT32_MAX ? INT32_MAX : (int32_t)line;
}

enum table { LNOTAB, LINETABLE, LOCATIONS };

/* Between two entries of a table. */
struct place {
    const uint8_t *at;
    int64_t unit; /* of code, whose first entry is AT */
    int64_t line; /* of the entry before */
};

/* CPython <= 3.9: pairs of (bytes of code, lines). */
static bool step_lnotab(struct place *p, int64_t unit)
{
    p->unit += p->at[0];
    if (p->unit > unit)
        return true;
    p->line += (int8_t)p->at[1];
    p->at += 2;
    return false;
}

/* CPython 3.10: pairs of (bytes of code, lines); -128 lines: this code has no line. */
static bool step_linetable(struct place *p, int64_t unit)
{
    enum { NO_LINE = -128 };
    const int8_t lines = (int8_t)p->at[1];
    p->unit += p->at[0];
    if (lines != NO_LINE)
        p->line += lines;
    p->at += 2;
    return p->unit > unit;
}

/* 6 bits a byte, low first, bit 6 = more. 11 bytes have all 64 bits: only damage has more, which ends there. */
static const uint8_t *location_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    enum { MOST_BITS = 11 * 6 };
    *value = 0;
    for (unsigned shift = 0; at < end && shift < MOST_BITS; shift += 6) {
        uint8_t byte = *at++;
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
static bool step_locations(struct place *p, const uint8_t *end, int64_t unit)
{
    enum { ONE_LINE = 10, ONE_LINE_LAST = 12, NO_COLUMNS = 13, LONG_FORM = 14 };
    const uint8_t head = *p->at++;
    const unsigned code = head >> 3 & 15;
    int64_t change;
    uint64_t ignored;
    if (code < ONE_LINE) {
        p->at++;
    } else if (code <= ONE_LINE_LAST) {
        p->line += code - ONE_LINE;
        p->at += 2;
    } else if (code == NO_COLUMNS || code == LONG_FORM) {
        p->at = location_svarint(p->at, end, &change);
        p->line = (int64_t)((uint64_t)p->line + (uint64_t)change);
        for (int i = 0; code == LONG_FORM && i < 3; i++)
            p->at = location_varint(p->at, end, &ignored);
    }
    p->unit += (head & 7) + 1;
    return p->unit > unit;
}

/*
 * Counts a look-up. The second one sets some marks. When there were more look-ups than there may be marks, and when
 * these are twice as many again, they are set anew, half as far apart: the table is read as often as that happens.
 */
static void count_look_up(struct pr_line_marks *marks, size_t length)
{
    const uint64_t number = ++marks->look_ups;
    if (number & (number - 1))
        return;
    const size_t most = number > PR_LINE_MARKS_AT_FIRST ? (size_t)number : PR_LINE_MARKS_AT_FIRST;
    const size_t apart = number == 1                          ? length
                         : most > length / PR_LINE_MARKS_APART ? PR_LINE_MARKS_APART
                                                               : length / most;
    marks->count = apart == marks->apart ? marks->count : 0;
    marks->apart = apart;
}

/* From where on the next mark is set, and one at the end; NULL: none is, as there would be no more than that. */
static const uint8_t *next_mark(const struct pr_line_marks *marks, const uint8_t *table, const uint8_t *end)
{
    const size_t length = (size_t)(end - table), last = marks->count ? marks->mark[marks->count - 1].at : 0;
    if (marks->apart > length / 2 || last == length)
        return NULL;
    return length - last < marks->apart ? end : table + last + marks->apart;
}

/* Without memory for it, later look-ups have further to go. */
static void set_mark(struct pr_line_marks *marks, const uint8_t *table, const uint8_t *end, const struct place *p)
{
    const uint8_t *const at = p->at < end ? p->at : end;
    if (pr_grow(&marks->mark, &marks->capacity, marks->count + 1, sizeof *marks->mark))
        marks->mark[marks->count++] = (struct pr_line_mark){(uint32_t)(at - table), p->unit, p->line};
}

/* The last mark that is not past UNIT, or the beginning. */
static struct place nearest_mark(const struct pr_line_marks *marks, const uint8_t *table, int64_t line, int64_t unit)
{
    size_t low = 0, high = marks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (marks->mark[middle].unit <= unit)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return (struct place){table, 0, line};
    const struct pr_line_mark *mark = &marks->mark[low - 1];
    return (struct place){table + mark->at, mark->unit, mark->line};
}

__attribute__((always_inline)) static inline int32_t find_line(enum table kind, struct pr_line_marks *marks,
                                                               const uint8_t *table, size_t length, int64_t line,
                                                               int64_t unit)
{
    const uint8_t *const end = table + (kind == LOCATIONS ? length : length & ~(size_t)1);
    count_look_up(marks, length);
    struct place p = nearest_mark(marks, table, line, unit);
    const uint8_t *unmarked = next_mark(marks, table, end);
    while (p.at < end) {
        if (kind == LNOTAB      ? step_lnotab(&p, unit)
            : kind == LINETABLE ? step_linetable(&p, unit)
                                : step_locations(&p, end, unit))
            return line_number(p.line);
        if (unmarked && p.at >= unmarked) {
            const struct place here = p; /* so that P stays in registers */
            set_mark(marks, table, end, &here);
            unmarked = next_mark(marks, table, end);
        }
    }
    return kind == LOCATIONS ? 0 : line_number(p.line); /* of locations, no entry covers the instruction */
}

int32_t pr_memray_line(int python_version, const uint8_t *table, size_t length, int32_t first_line, int64_t offset,
                       struct pr_line_marks *marks)
{
    enum { PYTHON_3_10 = 0x030A, INSTRUCTION_BYTES = 2 };
    if (offset < 0 || !length)
        return 0;
    if (python_version >> 16 < PYTHON_3_10)
        return find_line(LNOTAB, marks, table, length, first_line, offset);
    if (offset > INT32_MAX)
        return 0;
    if (python_version >> 16 == PYTHON_3_10) /* the offset counts instructions, the table bytes */
        return find_line(LINETABLE, marks, table, length, first_line, offset * INSTRUCTION_BYTES);
    return find_line(LOCATIONS, marks, table, length, first_line, offset / INSTRUCTION_BYTES);
}
