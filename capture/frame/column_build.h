/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column while it is read: counts of all that its values may turn out to be.
 *
 * What a column is, is known after its last row. Until then it counts its values as texts, and as numbers as long as
 * all of them are numbers of one family: a date among numbers ends the numbers. Numbers are kept in memory, one for
 * each row, up to the budget of the table; then a sketch has them.
 */
#ifndef PR_CAPTURE_FRAME_COLUMN_BUILD_H
#define PR_CAPTURE_FRAME_COLUMN_BUILD_H

#include "capture/frame/cell_value.h"
#include "capture/frame/character_counts.h"
#include "capture/frame/frequent.h"
#include "capture/frame/hash_sample.h"
#include "capture/frame/moments.h"
#include "capture/frame/quantile_sketch.h"
#include "capture/frame/suspicious_dates.h"
#include "capture/frame/word_counts.h"
#include "profrender/buf.h"

/*
 * How a cell is given: text as in a CSV file, which may be a number; a string that is surely not; nothing; nested; the
 * text of a value of which the column says what it is.
 */
enum pr_cell_form { PR_FORM_ABSENT, PR_FORM_TEXT, PR_FORM_STRING, PR_FORM_NESTED, PR_FORM_KNOWN };

struct pr_cell {
    const char *text; /* borrowed until the batch was added */
    uint32_t length;
    enum pr_cell_form form;
};

struct pr_data_asked;  /* profrender/data_schema.h */
struct pr_known_cells; /* known_cells.h */

/* What numbers can be compared with one another. */
enum pr_family {
    PR_FAMILY_NONE,
    PR_FAMILY_NUMBERS,
    PR_FAMILY_MOMENTS,
    PR_FAMILY_TIMES,
    PR_FAMILY_DURATIONS,
    PR_FAMILY_BROKEN
};

/*
 * What the format says of a column, before its first row. Where HAS_NUMBERS, its values are numbers, not text; where
 * also HAS_WHOLES, whole ones, each of which is MULTIPLY and divided by DIVIDE as much (one of them is 1).
 */
struct pr_column_type {
    /* No double has all digits of its numbers; WHOLES have a hash of each, all that is known of which are equal. */
    bool has_hashes;
    bool is_known, has_numbers, has_wholes, is_unsigned;
    enum pr_data_kind kind;
    enum pr_data_type type; /* PR_TYPE_EMPTY: what the values show */
    uint32_t places;
    int64_t multiply, divide;
};

enum { PR_NOT_CODED = -1, PR_NEVER_CODED = -2 };

struct pr_extreme {
    double number;
    uint64_t count;
};

struct pr_column_build {
    char *name; /* owned; name_length bytes */
    uint32_t name_length;
    uint32_t given_length; /* of the name in the file, where NAME is that and a number; 0: NAME is that */
    struct pr_column_type given;
    const struct pr_data_asked *asked; /* by the schema; NULL: nothing, or what it is anyway */
    bool is_asked;
    uint64_t refused, first_refused;    /* values that are not of that type; the row of the first, from 1 */
    struct pr_buf refused_text;         /* its beginning */
    uint64_t kinds[PR_KIND_COUNT];
    uint64_t trues; /* of its booleans, however they are written */
    enum pr_family family;
    bool is_text; /* whatever its cells are so far */
    enum pr_cell_order order;
    bool order_is_settled;

    double *values; /* [value_count] NaN: missing. One for each row, from the first; NULL: none, or in the sketch */
    size_t value_count, value_capacity;
    bool keeps; /* its distribution, for the finished column */
    struct pr_data_point *points; /* [point_count] owned, once it is finished */
    size_t point_count;
    bool in_sketch, has_wide; /* HAS_WIDE: whole numbers that no double has */
    struct pr_quantile_sketch sketch;
    struct pr_moments moments;
    struct pr_extreme lowest[PR_DATA_EXTREMES], highest[PR_DATA_EXTREMES];
    uint32_t lowest_count, highest_count;
    uint64_t zeros, negatives, infinite;
    double last_number; /* of the rows so far */
    bool has_last, rises, falls, repeats; /* some number is more, less, the same as the one before */
    uint32_t least_places, most_places;
    bool has_exponent;

    struct pr_frequent frequent;
    bool frequent_rests;  /* while the values in memory can answer */
    bool has_number_keys; /* its texts are 8 bytes of a double, or of a whole number as it is given */
    struct pr_hash_sample sample;
    bool sample_is_on;

    struct pr_word_counts words;
    struct pr_character_counts character_counts;
    uint64_t lengths; /* values of which the length is known */
    uint64_t texts, shortest, longest, characters, letters, digits, blanks, others, beyond_ascii, padded;
    uint64_t utf8, not_utf8; /* texts beyond ASCII that are UTF-8, or not */
    uint64_t mails, addresses, cards, leading_zeros;
    uint64_t suspicious[PR_SUSPICIOUS_DAYS]; /* values on days that may be; suspicious_dates.h */
    uint64_t missing_in[PR_DATA_PARTS];
    uint64_t rewritten; /* cells whose text does not follow from their value, while the column is not one of texts */
    uint64_t unsure;    /* those of them that came before it was known to be one: they are compared as values */
    uint64_t took; /* nanoseconds that a batch of it takes lately, where several threads add columns */
    size_t turn;   /* at place I among the columns: which of them is begun as number I */
    int related; /* its place among those that are correlated; -1: none */
    int coded;   /* its place among those of which categories are kept by row; or one of the following */
};

/* What a column needs of the batch that it is in. */
struct pr_column_batch {
    const struct pr_cell *cells; /* [rows] */
    uint32_t rows;
    uint64_t first_row, part_rows;
    uint64_t seed;          /* of the column, for hashes of cells */
    uint64_t bit;           /* of the column in MISSING_BITS */
    uint64_t *row_hashes;   /* [rows] those of values are added: a column that comes late makes no row another */
    uint64_t *missing_bits; /* [rows] */
    uint64_t *as_text;      /* [rows] scratch: what makes the hash of a row that of the text */
    double *numbers;        /* [rows] out: NaN where there is none */
    double *scratch;        /* [rows] */
    uint64_t *hashes;       /* [rows] scratch */
    const int64_t *wholes;  /* [rows] of a column that has them, or hashes */
    struct pr_known_cells *known;
    uint8_t *codes;         /* [rows] out: the place of each text among the frequent ones; NULL: nowhere */
};

/* False: no memory. */
bool pr_column_add(struct pr_column_build *column, const struct pr_column_batch *batch);

/* What the cell is, with dates read in the order of the column. */
void pr_column_read(const struct pr_column_build *column, const struct pr_cell *cell, struct pr_cell_value *value);

/* The same where NUMBERS are filled already, and WHOLES if the column has them: one that is given numbers. */
bool pr_column_add_numbers(struct pr_column_build *column, const struct pr_column_batch *batch);

/* What WHOLE, as it is given, means. */
double pr_column_number_of(const struct pr_column_type *type, int64_t whole);

/* From now on its numbers are in the sketch. False: no memory. */
bool pr_column_leave_memory(struct pr_column_build *column);

void pr_column_build_clear(struct pr_column_build *column);

/* All its values are. */
bool pr_column_is_boolean(const struct pr_column_build *column);

#endif
