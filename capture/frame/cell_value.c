/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers first, then words, then dates: the first byte rules most of them out. */
#include "capture/frame/cell_value.h"

#include "capture/base/ascii.h"
#include "capture/base/date.h"
#include "capture/base/decimal.h"
#include "capture/frame/csv_scan.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 64 }; /* nothing but text is longer */

static bool is_word(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == length && memcmp(*words, text, length) == 0)
            return true;
    return false;
}

/* Few cells are missing, and most of the others show it by their first bytes. */
static bool may_be_missing(const char *text, size_t length)
{
    switch (*text) {
    case '#':
    case '<':
    case 'N':
    case 'n':
        return true;
    case '-':
        return length >= 4 && (text[1] == 'n' || text[1] == 'N' || text[3] == '#');
    case '1':
        return length >= 6 && text[2] == '#';
    default:
        return false;
    }
}

static bool is_missing(const char *text, size_t length)
{
    static const char *const words[] = {"#N/A",   "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN", "-nan",
                                        "1.#IND", "1.#QNAN",  "<NA>", "N/A",     "NA",       "NULL", "NaN",
                                        "None",   "n/a",      "nan",  "null",    NULL};
    return length == 0 || (length <= 8 && may_be_missing(text, length) && is_word(text, length, words));
}

static bool parse_boolean(const char *text, size_t length, struct pr_cell_value *value)
{
    const bool is_true = length == 4 && (memcmp(text, "True", 4) == 0 || memcmp(text, "true", 4) == 0 ||
                                         memcmp(text, "TRUE", 4) == 0);
    const bool is_false = length == 5 && (memcmp(text, "False", 5) == 0 || memcmp(text, "false", 5) == 0 ||
                                          memcmp(text, "FALSE", 5) == 0);
    if (!is_true && !is_false)
        return false;
    value->kind = PR_KIND_BOOLEAN;
    value->number = is_true;
    return true;
}

static bool parse_infinite(const char *text, size_t length, struct pr_cell_value *value)
{
    const bool is_signed = *text == '-' || *text == '+';
    const char *word = text + is_signed;
    const size_t rest = length - is_signed;
    if (!(rest == 3 && pr_ascii_same(word, "inf", 3)) && !(rest == 8 && pr_ascii_same(word, "infinity", 8)))
        return false;
    value->kind = PR_KIND_REAL;
    value->number = *text == '-' ? -INFINITY : INFINITY;
    return true;
}

/* DIGITS times ten to EXPONENT, correctly rounded where both are exact as doubles; else as pr_decimal_double. */
static double double_of(const struct pr_decimal *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->exponent < -22 || number->exponent > 22)
        return pr_decimal_double(*number);
    if (number->digits > UINT64_C(1) << 53) {
        if (number->exponent > 0)
            return pr_decimal_double(*number);
        const double longer = (double)((long double)number->digits / (long double)powers[-number->exponent]);
        return number->negative ? -longer : longer;
    }
    const double digits = (double)number->digits;
    const double size = number->exponent < 0 ? digits / powers[-number->exponent] : digits * powers[number->exponent];
    return number->negative ? -size : size;
}

/* ---- digits and a point, eight bytes at a time ------------------------------------------------------------------ */

struct plain {
    uint64_t digits;
    uint8_t places;
    bool has_point;
};

/*
 * Eight digits less '0', the first in the lowest byte: neighbours are added up, three times.
 * Source: Lemire, "Number Parsing at a Gigabyte per Second", 2021.
 */
static uint64_t number_of_eight(uint64_t digits)
{
    digits = digits * 2561 >> 8;
    digits = (digits & UINT64_C(0x00FF00FF00FF00FF)) * 6553601 >> 16;
    return (digits & UINT64_C(0x0000FFFF0000FFFF)) * UINT64_C(42949672960001) >> 32;
}

/* The last COUNT bytes of WORD, before which it has zeros. False: it has something else than digits and one point. */
static bool take_word(struct plain *number, uint64_t word, unsigned count)
{
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const uint64_t zeros = PR_EACH_BYTE * '0', rest = word ^ (PR_EACH_BYTE * '.');
    const uint64_t low = ~(PR_EACH_BYTE << 7), points = ~(((rest & low) + low) | rest | low);
    if (points) {
        const unsigned at = (unsigned)__builtin_ctzll(points) & ~7u; /* the bits before it */
        const uint64_t before = (UINT64_C(1) << at) - 1;
        if (number->has_point || (points & (points - 1)))
            return false;
        word = (word & ~(before | UINT64_C(0xFF) << at)) | (word & before) << 8 | '0';
        number->has_point = true;
        number->places = (uint8_t)(7 - at / 8);
        count--;
    } else if (number->has_point) {
        number->places = (uint8_t)(number->places + count);
    }
    word ^= zeros;
    if ((word | (word + PR_EACH_BYTE * 0x76)) & PR_EACH_BYTE << 7)
        return false;
    number->digits = number->digits * powers[count] + number_of_eight(word);
    return true;
}

/* COUNT bytes, less than eight, at the end of a word with zeros before them. */
static uint64_t short_word(const char *text, unsigned count)
{
    const unsigned before = 8 * (8 - count);
    uint64_t word = PR_EACH_BYTE * '0' & ((UINT64_C(1) << before) - 1);
    if (count >= 4) {
        uint32_t first, last;
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + count - 4, sizeof last);
        return word | (uint64_t)first << before | (uint64_t)last << 32;
    }
    for (unsigned i = 0; i < count; i++)
        word |= (uint64_t)(unsigned char)text[i] << (before + 8 * i);
    return word;
}

/* What most numbers are: a sign, and as few digits as surely fit with a point. Others are read by parse_number. */
static bool parse_plain(const char *text, size_t length, struct pr_cell_value *value)
{
    enum { SURE_DIGITS = 18 };
    if (!length || *text < '+' || *text > '9')
        return false;
    const bool is_signed = *text == '-' || *text == '+';
    const char *digits = text + is_signed;
    const size_t count = length - is_signed;
    struct plain number = {0};
    if (!count || count > SURE_DIGITS)
        return false;
    const unsigned first = count % 8;
    if (first && !take_word(&number, short_word(digits, first), first))
        return false;
    for (size_t at = first; at < count; at += 8) {
        uint64_t word;
        memcpy(&word, digits + at, sizeof word);
        if (!take_word(&number, word, 8))
            return false;
    }
    if (count == number.has_point)
        return false;
    const struct pr_decimal decimal = {number.digits, -(int32_t)number.places, *text == '-'};
    value->kind = number.has_point ? PR_KIND_REAL : PR_KIND_INTEGER;
    value->number = double_of(&decimal);
    value->is_plain = true;
    value->places = number.places;
    value->leading_zero = count > 1 && digits[0] == '0' && pr_is_digit(digits[1]);
    value->whole = number.has_point ? 0 : decimal.negative ? -(int64_t)number.digits : (int64_t)number.digits;
    return true;
}

/* ---- other numbers ---------------------------------------------------------------------------------------------- */

static bool parse_number(const char *text, size_t length, struct pr_cell_value *value)
{
    struct pr_decimal number;
    const size_t sign = *text == '-' || *text == '+';
    const char *digits = text + sign;
    if (sign && length < 2)
        return false;
    if (pr_decimal_parse(digits, length - sign, &number) != length - sign || !(length - sign) || *digits == '-' ||
        *digits == '+')
        return false;
    number.negative = *text == '-';
    const char *point = memchr(digits, '.', length - sign);
    const bool has_exponent = memchr(digits, 'e', length - sign) || memchr(digits, 'E', length - sign);
    value->number = double_of(&number);
    value->is_plain = !has_exponent;
    value->leading_zero = length - sign > 1 && digits[0] == '0' && pr_is_digit(digits[1]);
    if (point || has_exponent) {
        value->kind = PR_KIND_REAL;
        value->places = point ? (uint8_t)(digits + (length - sign) - point - 1) : 0;
        return true;
    }
    value->kind = PR_KIND_INTEGER;
    const uint64_t most = (uint64_t)INT64_MAX + number.negative;
    if (number.exponent == 0 && number.digits <= most)
        value->whole = number.negative ? (int64_t)-number.digits : (int64_t)number.digits;
    return true;
}

/* ---- dates and times -------------------------------------------------------------------------------------------- */

struct cursor {
    const char *at, *end;
};

static bool take(struct cursor *text, char c)
{
    if (text->at >= text->end || *text->at != c)
        return false;
    text->at++;
    return true;
}

/* LEAST to MOST digits. */
static bool take_digits(struct cursor *text, unsigned least, unsigned most, int64_t *number)
{
    unsigned count = 0;
    *number = 0;
    for (; count < most && text->at < text->end && pr_is_digit(*text->at); count++)
        *number = *number * 10 + (*text->at++ - '0');
    return count >= least;
}

static bool is_date(int64_t year, int64_t month, int64_t day)
{
    static const uint8_t days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
        return false;
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month != 2 || day < 29 || leap;
}

static double us_of_date(int64_t year, int64_t month, int64_t day)
{
    return (double)(pr_days_of_date(year, (unsigned)month, (unsigned)day) * PR_US_PER_DAY);
}

/* Up to nine digits after a point, in microseconds; the rest of them is dropped. */
static bool take_fraction(struct cursor *text, int64_t *us)
{
    *us = 0;
    if (!take(text, '.') && !take(text, ','))
        return true;
    unsigned count = 0;
    for (; text->at < text->end && pr_is_digit(*text->at) && count < 9; count++, text->at++)
        if (count < 6)
            *us = *us * 10 + (*text->at - '0');
    for (unsigned i = count; i < 6; i++)
        *us *= 10;
    return count > 0;
}

/* 12:34, 12:34:56, 12:34:56.789. */
static bool take_time(struct cursor *text, int64_t *us)
{
    int64_t hours, minutes, seconds = 0, fraction = 0;
    if (!take_digits(text, 1, 2, &hours) || !take(text, ':') || !take_digits(text, 2, 2, &minutes))
        return false;
    if (take(text, ':') && (!take_digits(text, 2, 2, &seconds) || !take_fraction(text, &fraction)))
        return false;
    *us = ((hours * 60 + minutes) * 60 + seconds) * 1000000 + fraction;
    return hours < 24 && minutes < 60 && seconds < 61;
}

/* Z, +02:00, -0530, +02; in microseconds. */
static bool take_zone(struct cursor *text, int64_t *us)
{
    int64_t hours, minutes = 0;
    *us = 0;
    if (text->at == text->end || take(text, 'Z') || take(text, 'z'))
        return true;
    const bool west = *text->at == '-';
    if (!take(text, '+') && !take(text, '-'))
        return false;
    if (!take_digits(text, 2, 2, &hours))
        return false;
    if (text->at < text->end && (take(text, ':'), !take_digits(text, 2, 2, &minutes)))
        return false;
    *us = (hours * 60 + minutes) * 60000000 * (west ? -1 : 1);
    return hours < 24 && minutes < 60;
}

/* What may follow a date: nothing, or a time of day. */
static bool finish_date(struct cursor *text, struct pr_cell_value *value)
{
    int64_t us, zone;
    value->kind = PR_KIND_DATE;
    if (text->at == text->end)
        return true;
    if (!take(text, 'T') && !take(text, ' ') && !take(text, 't'))
        return false;
    if (!take_time(text, &us))
        return false;
    if (text->end - text->at == 4 && memcmp(text->at, " UTC", 4) == 0)
        text->at = text->end;
    if (!take_zone(text, &zone) || text->at != text->end)
        return false;
    value->kind = PR_KIND_MOMENT;
    value->number += (double)(us - zone);
    value->day_first_number += (double)(us - zone);
    return true;
}

/* 2026-11-18, 2026/11/18. */
static bool parse_year_first(struct cursor text, struct pr_cell_value *value)
{
    int64_t year, month, day;
    if (!take_digits(&text, 4, 4, &year) || text.at == text.end || (*text.at != '-' && *text.at != '/'))
        return false;
    const char between = *text.at++;
    if (!take_digits(&text, 1, 2, &month) || !take(&text, between) || !take_digits(&text, 1, 2, &day) ||
        !is_date(year, month, day))
        return false;
    value->number = value->day_first_number = us_of_date(year, month, day);
    return finish_date(&text, value);
}

/* 18.11.2026; 11/18/2026 or 18/11/2026. */
static bool parse_year_last(struct cursor text, struct pr_cell_value *value)
{
    int64_t first, second, year;
    if (!take_digits(&text, 1, 2, &first) || text.at == text.end || (*text.at != '.' && *text.at != '/'))
        return false;
    const char between = *text.at++;
    if (!take_digits(&text, 1, 2, &second) || !take(&text, between) || !take_digits(&text, 4, 4, &year))
        return false;
    const bool day_first = is_date(year, second, first);
    const bool month_first = between == '/' && is_date(year, first, second);
    if (!day_first && !month_first)
        return false;
    value->day_first_number = day_first ? us_of_date(year, second, first) : 0;
    value->number = month_first ? us_of_date(year, first, second) : value->day_first_number;
    if (between == '/')
        value->order = !day_first        ? PR_ORDER_MONTH_FIRST
                       : !month_first    ? PR_ORDER_DAY_FIRST
                       : first == second ? PR_ORDER_NONE
                                         : PR_ORDER_UNKNOWN;
    return finish_date(&text, value);
}

static bool parse_time(struct cursor text, struct pr_cell_value *value)
{
    int64_t us;
    if (!take_time(&text, &us) || text.at != text.end)
        return false;
    value->kind = PR_KIND_TIME;
    value->number = (double)us;
    return true;
}

/* "3 days, 2:00:00", "-1 days +02:03:04.5", "1 day". */
static bool parse_days(struct cursor text, struct pr_cell_value *value)
{
    int64_t days, us = 0;
    const bool negative = take(&text, '-');
    if (!take_digits(&text, 1, 9, &days) || text.end - text.at < 4 || memcmp(text.at, " day", 4) != 0)
        return false;
    text.at += 4;
    take(&text, 's');
    take(&text, ',');
    if (text.at != text.end) {
        if (!take(&text, ' '))
            return false;
        take(&text, '+');
        if (!take_time(&text, &us) || text.at != text.end)
            return false;
    }
    value->kind = PR_KIND_DURATION;
    value->number = (double)days * (double)PR_US_PER_DAY * (negative ? -1 : 1) + (double)us;
    return true;
}

static bool take_part(struct cursor *text, bool in_time, double *us)
{
    static const struct {
        char letter;
        bool in_time;
        double us;
    } units[] = {
        {'W', false, 604800e6}, {'D', false, 86400e6}, {'H', true, 3600e6}, {'M', true, 60e6}, {'S', true, 1e6}};
    int64_t number, fraction;
    if (!take_digits(text, 1, 9, &number) || !take_fraction(text, &fraction) || text->at == text->end)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].letter == *text->at && units[i].in_time == in_time) {
            text->at++;
            *us += ((double)number + (double)fraction / 1e6) * units[i].us;
            return true;
        }
    return false; /* years and months have no length of their own */
}

/* P3DT4H30M, PT0.5S. */
static bool parse_iso_duration(struct cursor text, struct pr_cell_value *value)
{
    const bool negative = take(&text, '-');
    bool in_time = false, any = false;
    double us = 0;
    if (!take(&text, 'P'))
        return false;
    while (text.at != text.end) {
        if (!in_time && take(&text, 'T'))
            in_time = true;
        else if (!take_part(&text, in_time, &us))
            return false;
        else
            any = true;
    }
    value->kind = PR_KIND_DURATION;
    value->number = negative ? -us : us;
    return any;
}

static bool parse_date_or_time(const char *text, size_t length, struct pr_cell_value *value)
{
    const struct cursor all = {text, text + length};
    const struct pr_cell_value none = *value;
    static bool (*const forms[])(struct cursor, struct pr_cell_value *) = {parse_year_first, parse_year_last,
                                                                           parse_time, parse_days, parse_iso_duration};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i](all, value))
            return true;
        *value = none;
    }
    return false;
}

void pr_cell_parse(const char *text, size_t length, struct pr_cell_value *value)
{
    *value = (struct pr_cell_value){.kind = PR_KIND_TEXT};
    if (parse_plain(text, length, value))
        return;
    if (is_missing(text, length)) {
        value->kind = PR_KIND_MISSING;
        return;
    }
    while (length && pr_is_blank(*text))
        text++, length--;
    while (length && pr_is_blank(text[length - 1]))
        length--;
    if (!length || length > LONGEST)
        return;
    const char first = *text;
    if (length >= 10 && text[4] == '-' && text[7] == '-' && parse_date_or_time(text, length, value))
        return;
    if (pr_is_digit(first) || first == '-' || first == '+' || first == '.') {
        if (!parse_number(text, length, value) && !parse_infinite(text, length, value)) {
            *value = (struct pr_cell_value){.kind = PR_KIND_TEXT};
            parse_date_or_time(text, length, value);
        }
        return;
    }
    if (first == 'P')
        parse_date_or_time(text, length, value);
    else if (first == 'T' || first == 't' || first == 'F' || first == 'f')
        parse_boolean(text, length, value);
    else if (first == 'i' || first == 'I')
        parse_infinite(text, length, value);
}
