/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/csv_shape.h"

#include "capture/frame/cell_value.h"
#include "capture/frame/csv_scan.h"

enum { MOST_RECORDS = 200, MOST_FIELDS = 1 << 14, COMPARED_FIELDS = 400 };

struct cursor {
    const char *at, *end;
    char separator;
    bool is_all;
};

/* Counts the fields of the next record that is not an empty line. 0: none, or it may go on. */
static size_t count_fields(struct cursor *cursor)
{
    while (cursor->at < cursor->end) {
        size_t count = 0;
        const char *at = cursor->at;
        struct pr_csv_field field;
        do {
            field = pr_csv_next(at, cursor->end, cursor->separator, true);
            at = field.next;
            count++;
        } while (field.end == PR_CSV_FIELD);
        if (field.end == PR_CSV_CUT && (!cursor->is_all || field.is_open))
            return 0;
        const bool is_blank = count == 1 && !field.length && !field.is_quoted;
        cursor->at = at;
        if (!is_blank)
            return count;
    }
    return 0;
}

/*
 * How well SEPARATOR divides the text: the share of records with the usual number of fields, and that number; and
 * whether it is in the first record too.
 */
static double judge(const char *text, const char *end, bool is_all, char separator, size_t *usual, bool *in_header)
{
    static const size_t most = MOST_FIELDS;
    size_t counts[MOST_RECORDS], records = 0, best = 0;
    struct cursor cursor = {text, end, separator, is_all};
    while (records < MOST_RECORDS && (counts[records] = count_fields(&cursor)) > 0)
        records++;
    *usual = 1;
    for (size_t i = 0; i < records; i++) {
        size_t same = 0;
        for (size_t k = 0; k < records; k++)
            same += counts[k] == counts[i];
        if (same > best || (same == best && counts[i] > *usual && counts[i] < most)) {
            best = same;
            *usual = counts[i];
        }
    }
    *in_header = !records || counts[0] > 1 || *usual == 1;
    return records ? (double)best / (double)records : 0;
}

static char find_separator(const char *text, const char *end, bool is_all)
{
    static const char separators[] = {',', '\t', ';', '|'};
    static const double least_share = 0.5;
    char found = ',';
    double best = 0;
    for (size_t i = 0; i < sizeof separators; i++) {
        size_t usual;
        bool in_header;
        const double share = judge(text, end, is_all, separators[i], &usual, &in_header);
        /*
         * Fields count, but a separator that divides every record the same way is worth more than one with more; and
         * one that is not in the header less, as the comma of 1,234.50 is.
         */
        const double score = share * share * share * (usual > 20 ? 20 : (double)usual) * (in_header ? 1 : 0.25);
        if (usual > 1 && share >= least_share && score > best) {
            best = score;
            found = separators[i];
        }
    }
    return found;
}

/* ---- the header ------------------------------------------------------------------------------------------------- */

static enum pr_data_kind kind_of(const struct pr_csv_field *field)
{
    struct pr_cell_value value;
    pr_cell_parse(field->text, field->length, &value);
    return value.kind;
}

/* The kinds of the fields of the next record; how many there are, at most COMPARED_FIELDS. */
static size_t read_kinds(struct cursor *cursor, enum pr_data_kind kinds[COMPARED_FIELDS])
{
    struct cursor before = *cursor;
    size_t count = 0;
    if (!count_fields(cursor))
        return 0;
    const char *at = before.at;
    while (at < cursor->at && (*at == '\n' || *at == '\r'))
        at++;
    struct pr_csv_field field;
    do {
        field = pr_csv_next(at, cursor->end, cursor->separator, true);
        at = field.next;
        kinds[count++] = kind_of(&field);
    } while (field.end == PR_CSV_FIELD && count < COMPARED_FIELDS);
    return count;
}

static bool is_typed(enum pr_data_kind kind)
{
    return kind != PR_KIND_TEXT && kind != PR_KIND_MISSING;
}

static bool has_header(struct cursor cursor)
{
    enum { LOOKED_AT = 50 };
    enum pr_data_kind first[COMPARED_FIELDS], next[COMPARED_FIELDS];
    size_t typed_in_first = 0, names_over_types = 0, types_over_types = 0, missing = 0;
    bool was_counted[COMPARED_FIELDS] = {false};
    const size_t count = read_kinds(&cursor, first);
    for (size_t i = 0; i < count; i++) {
        typed_in_first += is_typed(first[i]);
        missing += first[i] == PR_KIND_MISSING;
    }
    for (size_t record = 0; record < LOOKED_AT; record++) {
        const size_t fields = read_kinds(&cursor, next);
        if (!fields)
            break;
        for (size_t i = 0; i < fields && i < count; i++) {
            if (!is_typed(next[i]) || was_counted[i])
                continue;
            was_counted[i] = true;
            names_over_types += first[i] == PR_KIND_TEXT;
            types_over_types += is_typed(first[i]);
        }
    }
    if (names_over_types || types_over_types)
        return names_over_types > types_over_types || (names_over_types && typed_in_first * 2 <= count);
    return !typed_in_first && missing <= count / 2;
}

struct pr_csv_shape pr_csv_shape_of(const char *text, size_t length, bool is_all, char separator)
{
    const char *end = text + length;
    struct pr_csv_shape shape = {.separator = separator ? separator : find_separator(text, end, is_all)};
    const struct cursor cursor = {text, end, shape.separator, is_all};
    struct cursor counting = cursor;
    shape.columns = count_fields(&counting);
    shape.has_header = has_header(cursor);
    return shape;
}
