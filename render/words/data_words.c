/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/data_words.h"

#include "capture/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char minus[] = "\xE2\x88\x92";

#define US_PER_SECOND INT64_C(1000000)
#define SECONDS_PER_DAY INT64_C(86400)

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* DIGITS, up to the point or the end, in groups of three. */
static struct pr_figure grouped(bool negative, const char *digits)
{
    struct pr_figure figure;
    const size_t whole = strcspn(digits, ".");
    size_t at = (size_t)snprintf(figure.text, sizeof figure.text, "%s", negative ? minus : "");
    for (size_t i = 0; i < whole && at + 2 < sizeof figure.text; i++) {
        if (i && (whole - i) % 3 == 0)
            figure.text[at++] = ',';
        figure.text[at++] = digits[i];
    }
    snprintf(figure.text + at, sizeof figure.text - at, "%s", digits + whole);
    return figure;
}

static void drop_zeros(char *digits)
{
    char *end = digits + strlen(digits);
    if (!strchr(digits, '.'))
        return;
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        *--end = '\0';
}

/* SIZE, 0 or more, with DIGITS significant digits, without zeros at its end. */
static struct pr_figure with_digits(bool negative, double size, int digits)
{
    char text[40];
    const int places = digits - 1 - (size >= 1 ? (int)floor(log10(size)) : (int)floor(log10(size > 0 ? size : 1)));
    snprintf(text, sizeof text, "%.*f", places < 0 ? 0 : places > 17 ? 17 : places, size);
    drop_zeros(text);
    return grouped(negative, text);
}

static struct pr_figure number_text(double number, int digits)
{
    struct pr_figure figure;
    const bool negative = number < 0;
    const double size = fabs(number);
    if (isnan(number))
        return (struct pr_figure){"unknown"};
    if (isinf(number))
        snprintf(figure.text, sizeof figure.text, "%s\xE2\x88\x9E", negative ? minus : "");
    else if (size >= 1e15 || (size > 0 && size < 1e-4))
        snprintf(figure.text, sizeof figure.text, "%s%.*g", negative ? minus : "", digits, size);
    else
        return with_digits(negative, size, size == floor(size) ? 16 : digits);
    return figure;
}

struct pr_figure pr_data_number(double number)
{
    return number_text(number, 6);
}

struct pr_figure pr_data_measure(double measure)
{
    return pr_data_number(round(measure * 1000) / 1000);
}

const char *pr_data_pair_words(const struct pr_data_pair *pair, uint32_t *first, uint32_t *second)
{
    static const char *const between[] = {" against ", " by ", " and "};
    const bool is_boxes = pair->kind == PR_PAIR_BOXES;
    *first = is_boxes ? pair->x : pair->y;
    *second = is_boxes ? pair->y : pair->x;
    return between[pair->kind];
}

struct pr_figure pr_data_count_text(uint64_t count)
{
    return pr_units_count(pr_units_signed(count));
}

struct pr_figure pr_data_share(uint64_t part, uint64_t whole)
{
    return pr_units_percent(pr_units_signed(part), pr_units_signed(whole));
}

struct pr_figure pr_data_about(struct pr_data_count count)
{
    struct pr_figure figure = pr_data_count_text(count.value);
    if (count.low == count.high)
        return figure;
    memmove(figure.text + 1, figure.text, sizeof figure.text - 1); /* no count fills it */
    figure.text[0] = '~';
    return figure;
}

struct pr_data_estimate_words pr_data_estimate(struct pr_data_count count)
{
    struct pr_data_estimate_words words;
    if (count.low == count.high)
        snprintf(words.text, sizeof words.text, "%s", pr_data_count_text(count.value).text);
    else
        snprintf(words.text, sizeof words.text, "about %s (%s to %s)", pr_data_count_text(count.value).text,
                 pr_data_count_text(count.low).text, pr_data_count_text(count.high).text);
    return words;
}

/* ---- dates and times -------------------------------------------------------------------------------------------- */

/* Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days. */
enum { PART_SIZE = 48 };

static void date_text(int64_t days, char text[PART_SIZE])
{
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097, of_era = days - era * 146097;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100), part = (5 * of_year + 2) / 153;
    const int64_t month = part < 10 ? part + 3 : part - 9;
    snprintf(text, PART_SIZE, "%04" PRId64 "-%02d-%02d", year + era * 400 + (month <= 2), (int)month,
             (int)(of_year - (153 * part + 2) / 5 + 1));
}

/* Seconds of a day and what is left of a second. */
static void time_text(int64_t us, char text[PART_SIZE])
{
    const int64_t seconds = us / US_PER_SECOND, rest = us % US_PER_SECOND;
    const int length = snprintf(text, PART_SIZE, "%02d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60),
                                (int)(seconds % 60));
    if (rest) {
        snprintf(text + length, PART_SIZE - (size_t)length, ".%06d", (int)rest);
        drop_zeros(text);
    }
}

static bool fits_us(double us)
{
    return isfinite(us) && fabs(us) < 9e17;
}

static struct pr_figure moment_text(double us, bool is_date)
{
    struct pr_figure figure;
    char date[PART_SIZE], time[PART_SIZE];
    if (!fits_us(us))
        return pr_data_number(us);
    const double day = floor(us / (double)(SECONDS_PER_DAY * US_PER_SECOND));
    const int64_t rest = (int64_t)us - (int64_t)day * SECONDS_PER_DAY * US_PER_SECOND;
    date_text((int64_t)day, date);
    time_text(rest, time);
    if (is_date && rest == 0)
        snprintf(figure.text, sizeof figure.text, "%.20s", date);
    else
        snprintf(figure.text, sizeof figure.text, "%.20s %.20s", date, time);
    return figure;
}

/* IN_DAYS: between two dates, where "0 d" is as exact as "00:00:00". */
static struct pr_figure span_text(double us, bool in_days)
{
    struct pr_figure figure;
    char time[PART_SIZE];
    if (!fits_us(us))
        return pr_data_number(us);
    const int64_t size = (int64_t)fabs(us), days = size / US_PER_SECOND / SECONDS_PER_DAY;
    const int64_t rest = size - days * SECONDS_PER_DAY * US_PER_SECOND;
    time_text(rest, time);
    if (days || (in_days && !rest))
        snprintf(figure.text, sizeof figure.text, "%s%.20s d%s%.20s", us < 0 ? minus : "",
                 pr_data_count_text((uint64_t)days).text, rest ? " " : "", rest ? time : "");
    else
        snprintf(figure.text, sizeof figure.text, "%s%.20s", us < 0 ? minus : "", time);
    return figure;
}

/* A quantile or a deviation of days is shown to the second. */
static double of_date(const struct pr_data_column *column, double us)
{
    return column->type == PR_TYPE_DATE ? round(us / 1e6) * 1e6 : us;
}

struct pr_figure pr_data_figure(const struct pr_data_column *column, double number)
{
    switch (column->type) {
    case PR_TYPE_DATE:
    case PR_TYPE_MOMENT:
        return moment_text(of_date(column, number), column->type == PR_TYPE_DATE);
    case PR_TYPE_TIME:
    case PR_TYPE_DURATION:
        return span_text(number, false);
    default:
        return pr_data_number(number);
    }
}

struct pr_figure pr_data_distance(const struct pr_data_column *column, double number)
{
    const bool is_time = column->type >= PR_TYPE_DATE && column->type <= PR_TYPE_DURATION;
    return is_time ? span_text(of_date(column, number), column->type == PR_TYPE_DATE) : pr_data_number(number);
}

/* All digits that the number has, 17 at most. */
static struct pr_figure exact_number(const struct pr_data_column *column, double number)
{
    char fixed[64];
    if (column->type == PR_TYPE_DECIMAL && fabs(number) < 1e15) {
        snprintf(fixed, sizeof fixed, "%.*f", (int)column->places, fabs(number));
        return grouped(number < 0, fixed);
    }
    return number_text(number, 15);
}

void pr_data_value_text(struct pr_buf *out, const struct pr_data_column *column, const struct pr_data_value *value,
                        size_t most_bytes)
{
    size_t length = value->text.length < most_bytes ? value->text.length : most_bytes;
    if (!value->text.length && column->has_numbers && value->kind != PR_KIND_MISSING) {
        const bool is_number = column->type <= PR_TYPE_DECIMAL;
        pr_buf_text(out,
                    is_number ? exact_number(column, value->number).text : pr_data_figure(column, value->number).text);
        return;
    }
    while (length && length < value->text.length && ((unsigned char)value->text.bytes[length] & 0xC0) == 0x80)
        length--;
    pr_buf_add(out, value->text.bytes, length);
    if (length < value->size && value->text.length)
        pr_buf_text(out, "\xE2\x80\xA6");
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

const char *pr_data_type_words(enum pr_data_type type)
{
    static const char *const words[PR_TYPE_COUNT] = {"empty",    "boolean",  "integer",       "real",
                                                     "decimal",  "date",     "date and time", "time of day",
                                                     "duration", "category", "text",          "nested",
                                                     "identifier"};
    return type < PR_TYPE_COUNT ? words[type] : "";
}

const char *pr_data_script_words(enum pr_data_script script)
{
    static const char *const words[PR_SCRIPT_COUNT] = {
        "Latin",  "Greek",      "Cyrillic", "Armenian", "Georgian", "Hebrew",
        "Arabic", "Devanagari", "Bengali",  "Tamil",    "Telugu",   "Thai",
        "Hangul", "Kana",       "Han",      "Other scripts",        "accents by themselves",
        "Signs and emoji",      "Control characters",   "Not UTF-8 or of no script"};
    return script < PR_SCRIPT_COUNT ? words[script] : "";
}

static bool is_seen(uint32_t character)
{
    const enum pr_data_script script = pr_data_script_of(character);
    const bool is_format = (character >= 0x200B && character <= 0x200F) ||
                           (character >= 0x2028 && character <= 0x202F) ||
                           (character >= 0x2060 && character <= 0x206F) ||
                           (character >= 0xFE00 && character <= 0xFE0F) ||
                           character == 0xA0 || character == 0xAD || character == 0xFEFF || character == 0x3000;
    return pr_utf8_is_plain(character) && !is_format && script != PR_SCRIPT_MARKS && script != PR_SCRIPT_CONTROLS &&
           (script != PR_SCRIPT_UNKNOWN || character == 0xFFFD);
}

void pr_data_character_text(struct pr_buf *out, uint32_t character)
{
    if (character == ' ')
        pr_buf_text(out, "space");
    else if (is_seen(character))
        pr_utf8_add(out, character);
    else
        pr_buf_printf(out, "U+%04" PRIX32, character);
}

void pr_data_format_words(struct pr_buf *out, const struct pr_data_frame *frame)
{
    if (strcmp(frame->format, "arrow") == 0) {
        pr_buf_text(out, "Arrow");
        return;
    }
    if (strcmp(frame->format, "csv") != 0) {
        pr_buf_printf(out, "JSON lines, %s", frame->encoding);
        return;
    }
    const char *separator = frame->separator == ','    ? "commas"
                            : frame->separator == '\t' ? "tabs"
                            : frame->separator == ';'  ? "semicolons"
                            : frame->separator == '|'  ? "bars"
                                                       : NULL;
    pr_buf_text(out, "CSV");
    if (frame->column_count > 1 && separator)
        pr_buf_printf(out, " with %s", separator);
    else if (frame->column_count > 1)
        pr_buf_printf(out, " separated by \"%c\"", frame->separator);
    pr_buf_printf(out, ", %s, %s", frame->encoding, frame->has_header ? "with a header" : "without a header");
    if (frame->mixed_line_ends)
        pr_buf_text(out, ", line ends of several kinds");
}

static void share_words(struct pr_buf *out, uint64_t part, uint64_t whole)
{
    pr_buf_printf(out, "%s (%s of %s)", pr_data_share(part, whole).text, pr_data_count_text(part).text,
                  pr_data_count_text(whole).text);
}

static void quoted(struct pr_buf *out, struct pr_text name)
{
    enum { MOST = 60 };
    pr_buf_text(out, "\xE2\x80\x9C");
    size_t length = name.length < MOST ? name.length : MOST;
    while (length && length < name.length && ((unsigned char)name.bytes[length] & 0xC0) == 0x80)
        length--;
    pr_buf_add(out, name.bytes, length);
    pr_buf_text(out, length < name.length ? "\xE2\x80\xA6\xE2\x80\x9D" : "\xE2\x80\x9D");
}

static void duplicates_words(struct pr_buf *out, const struct pr_data_frame *frame)
{
    const struct pr_data_count *count = &frame->duplicates;
    if (count->low == count->high)
        pr_buf_printf(out, "%s %s an earlier one: %s of all rows",
                      pr_units_counted(pr_units_signed(count->value), "rows").text,
                      count->value == 1 ? "repeats" : "repeat", pr_data_share(count->value, frame->rows).text);
    else
        pr_buf_printf(out, "%s rows repeat an earlier one", pr_data_estimate(*count).text);
}

static void count_words(struct pr_buf *out, const struct pr_data_finding *finding, uint64_t all)
{
    const struct pr_figure figure = pr_data_count_text(finding->count);
    const char *count = figure.text;
    switch (finding->kind) {
    case PR_FOUND_SUSPICIOUS_DATES:
        pr_buf_printf(out, "has %s that often %s \xE2\x80\x9Cunknown\xE2\x80\x9D, such as 1900-01-01 or 1970-01-01",
                      pr_units_counted(pr_units_signed(finding->count), "dates").text,
                      finding->count == 1 ? "means" : "mean");
        break;
    case PR_FOUND_LEADING_ZEROS:
        pr_buf_printf(out, "has leading zeros, as codes have: %s of %s; read as numbers unless --schema says string",
                      count, pr_data_count_text(all).text);
        break;
    case PR_FOUND_PADDED:
        pr_buf_printf(out, "has values that begin or end with a space: %s of %s", count, pr_data_count_text(all).text);
        break;
    case PR_FOUND_INFINITE:
        pr_buf_printf(out, "has infinite values (%s), which are left out of its figures", count);
        break;
    case PR_FOUND_MAILS:
        pr_buf_text(out, "likely has personal data, e-mail addresses: ");
        share_words(out, finding->count, all);
        break;
    case PR_FOUND_ADDRESSES:
        pr_buf_text(out, "likely has personal data, IP addresses: ");
        share_words(out, finding->count, all);
        break;
    default:
        pr_buf_text(out, "likely has personal data, payment card numbers: ");
        share_words(out, finding->count, all);
        break;
    }
}

static void value_words(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_finding *finding)
{
    const struct pr_data_column *column = &frame->columns[finding->column];
    switch (finding->kind) {
    case PR_FOUND_CONSTANT:
        pr_buf_printf(out, "has the same value in all %s%s",
                      pr_units_counted(pr_units_signed(column->count), "rows").text,
                      column->missing ? " that have one" : "");
        break;
    case PR_FOUND_MIXED:
        pr_buf_printf(out, "is mostly %s, but %s cannot be read as one",
                      finding->number == PR_KIND_DATE ? "dates" : "numbers",
                      pr_units_counted(pr_units_signed(finding->count), "values").text);
        break;
    case PR_FOUND_UNIQUE:
        pr_buf_printf(out, "has a different value in each row%s, like an identifier",
                      column->distinct.low == column->distinct.high ? "" : ", judging by a sample");
        break;
    case PR_FOUND_NOT_UNIQUE:
        pr_buf_printf(out, "is an identifier in the schema, but its values repeat: %s different values in %s rows",
                      pr_data_estimate(column->distinct).text, pr_data_count_text(column->count).text);
        break;
    case PR_FOUND_HIGH_CARDINALITY:
        pr_buf_printf(out, "has many different values: %s of %s", pr_data_estimate(column->distinct).text,
                      pr_data_count_text(column->count).text);
        break;
    case PR_FOUND_IMBALANCE:
        pr_buf_printf(out, "has one value in %s of its rows", pr_data_share(finding->count, column->count).text);
        break;
    case PR_FOUND_SKEWED:
        pr_buf_printf(out, "is strongly skewed: skewness %s", pr_data_number(finding->number).text);
        break;
    case PR_FOUND_ZEROS:
        pr_buf_text(out, "is zero in ");
        share_words(out, finding->count, column->count);
        break;
    case PR_FOUND_DAY_OR_MONTH:
        pr_buf_text(out,
                    "has dates such as 03/04/2026 in which day and month cannot be distinguished; read: month first");
        break;
    default:
        count_words(out, finding, column->count);
        break;
    }
}

void pr_data_finding_words(struct pr_buf *out, const struct pr_data_frame *frame, const struct pr_data_finding *finding)
{
    static const char *const coefficients[] = {
        [PR_PEARSON] = "Pearson", [PR_SPEARMAN] = "Spearman", [PR_CRAMERS_V] = "Cram\u00e9r's V",
        [PR_PHI_K] = "phi-k"};
    switch (finding->kind) {
    case PR_FOUND_DUPLICATES:
        duplicates_words(out, frame);
        break;
    case PR_FOUND_EMPTY:
        pr_buf_text(out, "has no value in any row");
        break;
    case PR_FOUND_MOSTLY_MISSING:
    case PR_FOUND_MISSING:
        pr_buf_printf(out, "has no value in %s of the rows (%s of %s)", pr_data_share(finding->count, frame->rows).text,
                      pr_data_count_text(finding->count).text, pr_data_count_text(frame->rows).text);
        break;
    case PR_FOUND_CORRELATED:
        pr_buf_text(out, "is highly correlated with ");
        quoted(out, frame->columns[finding->other].name);
        if (finding->count > 1)
            pr_buf_printf(out, " and %s more", pr_data_count_text(finding->count - 1).text);
        pr_buf_printf(out, ": %s %s", coefficients[finding->coefficient], pr_data_measure(finding->number).text);
        if (finding->coefficient >= PR_CRAMERS_V && frame->paired_rows < frame->rows)
            pr_buf_text(out, ", of a sample");
        break;
    case PR_FOUND_PERSONAL_NAME:
        pr_buf_text(out, "likely has personal data, judging by its name");
        break;
    case PR_FOUND_SAME_NAME:
        pr_buf_text(out, "repeats the name ");
        quoted(out, frame->columns[finding->column].given_name);
        pr_buf_text(out, " of an earlier column");
        break;
    default:
        value_words(out, frame, finding);
        break;
    }
}

/* Which columns have values that are not of their type, and the first value of each. */
static void refused_words(struct pr_buf *out, const struct pr_data_frame *frame)
{
    enum { NAMED = 5 };
    uint32_t named = 0, others = 0;
    for (uint32_t c = 0; c < frame->column_count; c++) {
        const struct pr_data_column *column = &frame->columns[c];
        if (!column->refused)
            continue;
        if (named == NAMED) {
            others++;
            continue;
        }
        pr_buf_text(out, named++ ? ", " : ": ");
        pr_buf_printf(out, "%s in ", pr_data_count_text(column->refused).text);
        quoted(out, column->name);
        pr_buf_printf(out, " (%s", pr_data_type_words(column->asked));
        if (column->refused_text.length) {
            pr_buf_text(out, ", the first is ");
            quoted(out, column->refused_text);
        }
        pr_buf_byte(out, ')');
    }
    if (others)
        pr_buf_printf(out, ", and %s", pr_units_counted(others, "other columns").text);
}

bool pr_data_damage_words(struct pr_buf *out, const struct pr_data_frame *frame, enum pr_data_damage damage)
{
    static const char *const one[PR_DATA_DAMAGES] = {"row has fewer fields than the header; the others are missing",
                                                     "row has more fields than the header; the extra ones are left out",
                                                     "row has a misplaced quote",
                                                     "row has NUL bytes",
                                                     "value is not UTF-8",
                                                     "row is longer than 32 MiB and is left out",
                                                     "line is not a JSON object and is left out",
                                                     "key is left out",
                                                     ("value does not have its type in the schema and counts as "
                                                      "missing")};
    static const char *const several[PR_DATA_DAMAGES] = {
        "rows have fewer fields than the header; the others are missing",
        "rows have more fields than the header; the extra ones are left out",
        "rows have misplaced quotes",
        "rows have NUL bytes",
        "values are not UTF-8",
        "rows are longer than 32 MiB and are left out",
        "lines are not JSON objects and are left out",
        "keys are left out",
        "values do not have their type in the schema and count as missing"};
    const uint64_t count = frame->damage[damage].count, first = frame->damage[damage].first;
    if (!count)
        return false;
    pr_buf_printf(out, "%s %s", pr_data_count_text(count).text, count == 1 ? one[damage] : several[damage]);
    if (first)
        pr_buf_printf(out, " (%srow %s)", count == 1 ? "" : "the first: ", pr_data_count_text(first).text);
    if (damage == PR_DATA_REFUSED)
        refused_words(out, frame);
    return true;
}

bool pr_data_gantt_words(struct pr_buf *out, const struct pr_data_frame *frame)
{
    const struct pr_data_gantt *gantt = &frame->gantt;
    const struct {
        uint64_t count;
        const char *words;
    } all[] = {{gantt->left_out, "left out, over the limit on bars"},
               {gantt->untimed, "left out: neither end is known"},
               {gantt->reversed, "left out: the finish is before the start"},
               {gantt->open, "open: only one end is known"}};
    bool any = gantt->count == 0;
    if (any)
        pr_buf_text(out, "No bars");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].count)
            continue;
        pr_buf_printf(out, "%s%s %s", any ? "; " : "", pr_units_counted(pr_units_signed(all[i].count), "rows").text,
                      all[i].words);
        any = true;
    }
    return any;
}
