/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of data and what it contains: rows and columns of a CSV, TSV, JSON lines or Arrow file, profiled in one pass;
 * in two where a column turns out to be of texts late, unless the input is a pipe.
 *
 *     struct pr_data_frame *frame = NULL;
 *     if (pr_data_frame_read("sales.csv", NULL, &frame, &err) == PR_FAILED)
 *         fprintf(stderr, "%s: %s\n", err.source, err.text);
 *     for (uint32_t i = 0; i < frame->column_count; i++)
 *         use(frame->columns[i].name, frame->columns[i].mean);
 *     pr_data_frame_free(frame);
 *
 * Types are those of the file, or inferred from all rows. Figures are exact unless they say otherwise: memory is
 * bounded, so counts of distinct and of frequent values, quantiles and repeated rows of large tables are estimates,
 * each with its bound.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_DATA_FRAME_H
#define PR_API_DATA_FRAME_H

#include "profrender/arena.h"
#include "profrender/data_pairs.h"
#include "profrender/error.h"
#include "profrender/load_options.h"
#include "profrender/string_table.h"

PR_DECLS_BEGIN

/* What one cell can be read as. Whole numbers are real ones too, and a date is a moment too. */
enum pr_data_kind {
    PR_KIND_MISSING,
    PR_KIND_BOOLEAN,
    PR_KIND_INTEGER,
    PR_KIND_REAL,
    PR_KIND_DATE,
    PR_KIND_MOMENT, /* a date with a time of day */
    PR_KIND_TIME,   /* a time of day */
    PR_KIND_DURATION,
    PR_KIND_TEXT,
    PR_KIND_NESTED, /* a list or an object, as text */
    PR_KIND_COUNT
};

/* What a column is. A type other than text is one that all values of the column have. */
enum pr_data_type {
    PR_TYPE_EMPTY, /* all values are missing */
    PR_TYPE_BOOLEAN,
    PR_TYPE_INTEGER,
    PR_TYPE_REAL,
    PR_TYPE_DECIMAL, /* a real number that is always written with the same number of decimal places */
    PR_TYPE_DATE,
    PR_TYPE_MOMENT,
    PR_TYPE_TIME,
    PR_TYPE_DURATION,
    PR_TYPE_CATEGORY, /* a text with few different values */
    PR_TYPE_TEXT,
    PR_TYPE_NESTED,
    PR_TYPE_IDENTIFIER, /* a text that names its row: only a schema says so */
    PR_TYPE_COUNT
};

/* A count. Exact if LOW and HIGH are VALUE; else it is between LOW and HIGH. */
struct pr_data_count {
    uint64_t value, low, high;
};

/*
 * A value and how often it occurs: COUNT times or more, MOST times at most. Where the column has numbers, NUMBER is
 * what it means, and TEXT may be empty; the text of a long value is its beginning, SIZE how long all of it is.
 */
struct pr_data_value {
    struct pr_text text;
    uint32_t size;
    enum pr_data_kind kind;
    double number;
    uint64_t count, most;
};

enum {
    PR_DATA_FREQUENT = 10, /* most frequent values of a column */
    PR_DATA_EXTREMES = 5,  /* lowest and highest ones */
    PR_DATA_BINS = 40,     /* of a histogram, at most */
    PR_DATA_PARTS = 50,    /* parts of a table in which missing values are counted, at most */
    PR_DATA_QUANTILES = 9,
    PR_DATA_ROWS = 10,    /* rows at either end that are kept */
    PR_DATA_SHOWN = 60,   /* columns of which cells are kept for them */
    PR_DATA_RELATED = 40, /* columns of which correlations are computed: the first with numbers */
    PR_DATA_PATTERNS = 12,
    PR_DATA_CONCORDANT = 500000 /* numbers of Kendall's correlations: rows times pairs of columns */
};

/* Ranks of the quantiles: 0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1. */
PR_API double pr_data_rank(unsigned quantile);

/* How the numbers of a column follow one another from row to row; missing ones are passed over. */
enum pr_data_order {
    PR_ORDERED_UNKNOWN, /* there are none; or numbers that no double tells apart */
    PR_ORDERED_NOT,
    PR_ORDERED_SAME, /* all are equal */
    PR_ORDERED_UP,   /* each is more than the one before, or the same */
    PR_ORDERED_UP_STRICTLY,
    PR_ORDERED_DOWN,
    PR_ORDERED_DOWN_STRICTLY
};

/* A number and how many values it stands for. */
struct pr_data_point {
    double value;
    uint64_t count;
};

/* The writing system of a character beyond ASCII; or what else it is. */
enum pr_data_script {
    PR_SCRIPT_LATIN,
    PR_SCRIPT_GREEK,
    PR_SCRIPT_CYRILLIC,
    PR_SCRIPT_ARMENIAN,
    PR_SCRIPT_GEORGIAN,
    PR_SCRIPT_HEBREW,
    PR_SCRIPT_ARABIC,
    PR_SCRIPT_DEVANAGARI,
    PR_SCRIPT_BENGALI,
    PR_SCRIPT_TAMIL,
    PR_SCRIPT_TELUGU,
    PR_SCRIPT_THAI,
    PR_SCRIPT_HANGUL,
    PR_SCRIPT_KANA,
    PR_SCRIPT_HAN,
    PR_SCRIPT_OTHER, /* one that is not in this list */
    PR_SCRIPT_MARKS, /* accents that are characters of their own */
    PR_SCRIPT_SIGNS, /* punctuation, currencies, symbols, emoji */
    PR_SCRIPT_CONTROLS,
    PR_SCRIPT_UNKNOWN, /* not UTF-8, or of nobody's */
    PR_SCRIPT_COUNT
};

/* PR_SCRIPT_COUNT of ASCII. */
PR_API enum pr_data_script pr_data_script_of(uint32_t character);

struct pr_data_character {
    uint32_t character; /* of Unicode */
    uint64_t count;
};

struct pr_data_column {
    struct pr_text name;       /* no other column has it */
    struct pr_text given_name; /* in the file, where an earlier column has it too: NAME is then numbered; else empty */
    enum pr_data_type type;
    uint64_t count, missing;       /* values that are there; and that are not */
    uint64_t kinds[PR_KIND_COUNT]; /* cells that can be read as each kind */
    struct pr_data_count distinct; /* different values */
    bool is_constant, is_unique; /* one value only, two rows or more; no value occurs twice, as far as DISTINCT knows */
    uint32_t places;             /* PR_TYPE_DECIMAL: decimal places */

    /* A schema says the type; values that are not of it are missing, and where the first is, and its beginning. */
    bool is_asked;
    enum pr_data_type asked; /* what the schema says, even where no value is of that type and TYPE is empty */
    uint64_t refused, first_refused; /* FIRST_REFUSED: row, from 1 */
    struct pr_text refused_text;

    /*
     * Integer, real, decimal; dates and moments: microseconds since 1970; times and durations: microseconds. Variance,
     * skewness and kurtosis are those of a sample, as pandas has them; NaN where there are too few values.
     */
    bool has_numbers;
    uint64_t number_count; /* finite ones: infinite ones are only counted */
    double minimum, maximum, sum, mean, variance, skewness, kurtosis;
    uint64_t zeros, negatives, infinite;
    double quantiles[PR_DATA_QUANTILES]; /* pr_data_rank; interpolated like those of pandas where they are exact */
    double rank_error;                   /* 0: exact; else the rank of a quantile is off by this share at most */
    double mad; /* the median of how far values are from their median; an estimate where quantiles are */
    enum pr_data_order order;
    struct pr_data_box box;
    uint32_t bin_count;
    double bin_from, bin_to;
    uint64_t bins[PR_DATA_BINS];
    struct pr_data_value lowest[PR_DATA_EXTREMES], highest[PR_DATA_EXTREMES]; /* different ones, from the outside in */
    uint32_t lowest_count, highest_count;

    /* Texts: in characters. What they are made of is known where no value looks like a number or a date. */
    bool has_lengths, has_characters;
    uint64_t shortest, longest, characters;
    uint64_t letters, digits, blanks, others, beyond_ascii; /* bytes by class; BEYOND_ASCII in characters */
    uint64_t padded;                                        /* values that begin or end with a blank */
    double median_length, median_length_error; /* NaN: not known; off by the error at most */
    /* The following, where HAS_CHARACTERS. SAMPLED: estimates, from one value in 16 once they no longer fit. */
    bool characters_sampled, more_characters; /* MORE: there may be more different ones */
    uint64_t different_characters;
    struct pr_data_character top_characters[PR_DATA_FREQUENT]; /* the most frequent ones */
    uint32_t top_character_count;
    uint64_t scripts[PR_SCRIPT_COUNT]; /* of characters beyond ASCII */

    struct pr_data_value frequent[PR_DATA_FREQUENT];
    uint32_t frequent_count;

    /* The words of texts that have several, in lower case and without punctuation around them, and the top ones. */
    uint64_t word_total;
    struct pr_data_value words[PR_DATA_FREQUENT];
    uint32_t word_count;

    /* With keep_distributions: numbers in ascending order, each once; or all texts, as far as they are counted. */
    struct pr_data_point *points;
    uint64_t point_count;
    struct pr_data_value *values; /* by their bytes */
    uint32_t value_count;
    bool values_cut; /* there are more */

    uint64_t mails, addresses, cards; /* values in the form of e-mail addresses, IP addresses, payment card numbers */
    uint64_t leading_zeros;           /* whole numbers such as 007 */
    uint64_t suspicious;              /* dates that likely stand for "unknown", as 1970-01-01 far from all others */
    bool order_unknown;               /* all dates can be read with the month or the day first; read: the month */
    bool day_first;
    uint64_t missing_in[PR_DATA_PARTS];
};

/* A row of cells, of the first PR_DATA_SHOWN columns. */
struct pr_data_row {
    uint64_t number; /* from 1 */
    struct pr_data_value *cells;
};

/* Which columns are missing together, of the first 64. */
struct pr_data_pattern {
    uint64_t columns; /* bits */
    uint64_t rows;
};

enum pr_data_finding_kind {
    PR_FOUND_CONSTANT,
    PR_FOUND_EMPTY,
    PR_FOUND_MOSTLY_MISSING, /* COUNT of the rows */
    PR_FOUND_MISSING,
    PR_FOUND_MIXED, /* COUNT values are unlike the others, which are of KIND */
    PR_FOUND_UNIQUE,
    PR_FOUND_HIGH_CARDINALITY,
    PR_FOUND_SKEWED, /* NUMBER: skewness */
    PR_FOUND_ZEROS,
    PR_FOUND_INFINITE,
    PR_FOUND_CORRELATED, /* with COUNT columns after it, most with OTHER; NUMBER: its COEFFICIENT */
    PR_FOUND_DUPLICATES, /* of the table */
    PR_FOUND_SUSPICIOUS_DATES,
    PR_FOUND_DAY_OR_MONTH,
    PR_FOUND_LEADING_ZEROS,
    PR_FOUND_PADDED,
    PR_FOUND_IMBALANCE, /* one value is COUNT of all */
    PR_FOUND_MAILS,     /* likely personal data */
    PR_FOUND_ADDRESSES,
    PR_FOUND_CARDS,
    PR_FOUND_PERSONAL_NAME, /* by the name of the column */
    PR_FOUND_SAME_NAME,     /* in the file, as an earlier column */
    PR_FOUND_NOT_UNIQUE     /* of an identifier: COUNT different values */
};

enum pr_data_coefficient { PR_PEARSON, PR_SPEARMAN, PR_CRAMERS_V, PR_PHI_K };

struct pr_data_finding {
    enum pr_data_finding_kind kind;
    uint32_t column, other; /* PR_DATA_NONE: none */
    uint64_t count;
    double number;
    enum pr_data_coefficient coefficient;
};
#define PR_DATA_NONE UINT32_MAX

/* What of the input did not fit, and the first line or row of each. */
enum pr_data_damage {
    PR_DATA_SHORT_ROWS, /* fewer fields than the header: the others are missing */
    PR_DATA_LONG_ROWS,  /* more: what is beyond is left out */
    PR_DATA_QUOTES,     /* text after a closing quote, or a quote that is never closed */
    PR_DATA_NULS,       /* rows with NUL bytes, which are kept */
    PR_DATA_NOT_UTF8,   /* values that are not UTF-8, in a file where others are */
    PR_DATA_TOO_LONG,   /* rows beyond 32 MiB: left out */
    PR_DATA_BAD_LINES,  /* lines that are not JSON objects: left out */
    PR_DATA_KEYS,       /* keys beyond the limit of columns: left out */
    PR_DATA_REFUSED,    /* values that are not of the type of the schema: missing */
    PR_DATA_DAMAGES
};

struct pr_data_frame {
    struct pr_arena arena; /* all that follows is in it */
    const char *format;    /* "csv", "jsonl", "arrow" */
    char separator;        /* of csv */
    bool has_header, header_is_given;
    bool mixed_line_ends;
    const char *encoding; /* "UTF-8", "Windows-1252", ... */
    uint64_t bytes;       /* unpacked */
    uint64_t rows, blank_lines;
    uint64_t cells, missing;
    struct pr_data_count duplicates; /* rows that are equal to an earlier one */
    bool is_exact;                   /* no figure is an estimate */
    bool is_redacted;                /* words about it leave values out; pr_data_frame_hide_values */

    uint32_t column_count;
    struct pr_data_column *columns;

    uint32_t related_count, related_left_out; /* columns in the matrix, and others with numbers */
    uint32_t *related;                        /* [related_count] */
    double *pearson;                          /* [related_count][related_count]; NaN: no such number */
    double *spearman;                         /* the same; NULL: the numbers were not in memory */
    double *kendall; /* tau-b, the same; NULL: beyond PR_DATA_CONCORDANT, or not in memory */

    /* Of PAIRED_ROWS, a sample where they are fewer than ROWS. None where views or distributions are asked for. */
    uint64_t paired_rows;
    struct pr_data_matrix cramers_v; /* of categories and booleans, with the correction of its bias */
    struct pr_data_matrix phi_k;     /* of these and of numbers */
    struct pr_data_pair *pairs;
    uint32_t pair_count, pairs_left_out; /* LEFT_OUT: of dates, in a table of which numbers are not in memory */

    struct pr_data_row head[PR_DATA_ROWS], tail[PR_DATA_ROWS];
    uint32_t head_count, tail_count;
    /* The rows that are there most often, and how often, exactly; ARE_SAMPLED: others may be there as often. */
    bool groups_are_sampled;
    struct pr_data_row groups[PR_DATA_ROWS];
    uint64_t group_rows[PR_DATA_ROWS];
    uint32_t group_count;

    uint32_t section;       /* on a page of several, from 1; 0: it has a page of its own */
    enum pr_data_view view; /* which of the following three there is */
    struct {
        struct pr_data_row *rows;
        uint32_t count, sort; /* SORT: column; PR_DATA_NONE: in the order of the table */
        bool descending;
    } sheet;
    struct pr_data_boxes boxes;
    struct pr_data_gantt gantt;

    uint64_t part_rows; /* rows in each part of missing_in */
    uint32_t part_count;
    struct pr_data_pattern patterns[PR_DATA_PATTERNS];
    uint32_t pattern_count;
    bool patterns_cut; /* there are more, or columns beyond the 64th */

    struct pr_data_finding *findings; /* the gravest first */
    uint32_t finding_count;
    struct {
        uint64_t count, first; /* rows from 1, the header is not one */
    } damage[PR_DATA_DAMAGES];
    struct pr_error problem; /* why the input ended early; code 0: it did not */
};

struct pr_data_schema; /* data_schema.h */

enum pr_data_header { PR_HEADER_AUTO, PR_HEADER_YES, PR_HEADER_NO };

struct pr_data_options {
    const char *format; /* "csv", "jsonl", "arrow"; NULL: by content */
    char separator;     /* 0: by content */
    enum pr_data_header header;
    struct pr_data_schema *schema; /* types of columns; notes in it which columns there are; NULL: none */
    uint64_t exact_values;   /* numbers kept in memory for exact quantiles, of all columns together; 3,000,000 */
    struct pr_data_wanted wanted;
    bool keep_distributions; /* for pr_data_frame_diff */
    struct pr_limits limits; /* of packed inputs */
    unsigned threads;        /* at most this many; 0: as many as help. The frame is the same for any number */
    bool (*progress)(void *context, uint64_t done_bytes, uint64_t size_bytes); /* as in struct pr_load_options */
    void *progress_context;
};

PR_API struct pr_data_options pr_data_options_default(void);

/*
 * Reads PATH ("-": standard input), unpacking it. OPTIONS may be NULL.
 *
 * Owner:  pr_data_frame_free.
 * Errors: PR_FAILED: cannot be read, empty, not a table of a kind that is known, or out of memory. An input that ends
 *         early or has rows that do not fit is a frame: see `damage` and `problem`.
 */
PR_API enum pr_status pr_data_frame_read(const char *path, const struct pr_data_options *options,
                                         struct pr_data_frame **frame, struct pr_error *err);

/* The same from an open file, which is closed, even after an error. NAME is for messages. */
PR_API enum pr_status pr_data_frame_read_fd(int fd, const char *name, const struct pr_data_options *options,
                                            struct pr_data_frame **frame, struct pr_error *err);

/* The same from LENGTH bytes at BYTES. */
PR_API enum pr_status pr_data_frame_read_memory(const char *name, const void *bytes, size_t length,
                                                const struct pr_data_options *options, struct pr_data_frame **frame,
                                                struct pr_error *err);

/*
 * Leaves out every value: rows, frequent and extreme values, quantiles, sums, the ends of histograms. Names of columns
 * stay, and so do counts, means, standard deviations and shapes.
 */
PR_API void pr_data_frame_hide_values(struct pr_data_frame *frame);

/* The same for one column, which may be a copy: nothing that it points to changes. */
PR_API void pr_data_column_hide_values(struct pr_data_column *column);

PR_API void pr_data_frame_free(struct pr_data_frame *frame);

/*
 * Figures that follow from others: the standard deviation; it divided by the mean, of numbers that have a zero; the
 * range and what is between the quartiles; the mean length of texts. NaN: there is none, or it is hidden.
 */
struct pr_data_spread {
    double deviation, variation, range, iqr, mean_length;
};
PR_API struct pr_data_spread pr_data_spread_of(const struct pr_data_column *column);

/* Names for documents: "integer", "mostly_missing", "short_rows". */
PR_API const char *pr_data_script_name(enum pr_data_script script);
PR_API const char *pr_data_type_name(enum pr_data_type type);
PR_API const char *pr_data_kind_name(enum pr_data_kind kind);
PR_API const char *pr_data_order_name(enum pr_data_order order); /* NULL: unknown */
PR_API const char *pr_data_finding_name(enum pr_data_finding_kind kind);
PR_API const char *pr_data_damage_name(enum pr_data_damage damage);

PR_DECLS_END

#endif
