/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/csv_scan.h"

/* The highest bit of each byte that is 0, and no other. */
static uint64_t zero_bytes_alone(uint64_t word)
{
    const uint64_t low = ~(PR_EACH_BYTE << 7);
    return ~(((word & low) + low) | word | low);
}

uint64_t pr_csv_marks_plain(const char bytes[64], char separator)
{
    const uint64_t separators = PR_EACH_BYTE * (unsigned char)separator;
    uint64_t marks = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * (size_t)i, sizeof word);
        const uint64_t found = zero_bytes_alone(word ^ separators) | zero_bytes_alone(word ^ (PR_EACH_BYTE * '\n')) |
                               zero_bytes_alone(word ^ (PR_EACH_BYTE * '\r'));
        marks |= ((found >> 7) * UINT64_C(0x0102040810204080) >> 56) << (8 * i); /* bit 7 of byte k becomes bit k */
    }
    return marks;
}

void pr_csv_marks_begin(struct pr_csv_marks *marks, const char *at)
{
    const size_t rest = (size_t)(marks->end - at);
    char last[64] = {0};
    marks->block = at;
    if (rest >= sizeof last) {
        marks->left = pr_csv_marks_of(at, marks->separator);
        return;
    }
    memcpy(last, at, rest);
    marks->left = pr_csv_marks_of(last, marks->separator) & ~(~UINT64_C(0) << rest);
}

/* What follows the field that ends at AT. */
static void finish(struct pr_csv_field *field, const char *at, const char *end, char separator)
{
    field->next = at;
    field->end = PR_CSV_CUT;
    if (at == end)
        return;
    field->next = at + 1;
    field->end = *at == separator ? PR_CSV_FIELD : PR_CSV_RECORD;
    if (*at == '\r' && separator != '\r') {
        if (at + 1 < end && at[1] == '\n')
            field->next = at + 2;
        else if (at + 1 == end)
            field->end = PR_CSV_CUT; /* a \n may follow */
    }
}

/* The closing quote of the one at AT; END: none. *DOUBLED: there are others in between. */
static const char *closing_quote(const char *at, const char *end, bool *doubled)
{
    for (at++; at < end; at += 2) {
        at = memchr(at, '"', (size_t)(end - at));
        if (!at)
            return end;
        if (at + 1 == end || at[1] != '"')
            return at;
        *doubled = true;
    }
    return end;
}

struct pr_csv_field pr_csv_next(const char *at, const char *end, char separator, bool takes_quotes)
{
    struct pr_csv_field field = {.text = at};
    if (at < end && *at == '"' && takes_quotes) {
        field.is_quoted = true;
        const char *close = closing_quote(at, end, &field.has_quotes);
        if (close == end) {
            field.is_open = true;
            field.next = end;
            field.end = PR_CSV_CUT;
            return field;
        }
        const char *stop = pr_csv_field_end(close + 1, end, separator);
        field.is_odd = stop != close + 1;
        field.text = at + 1;
        field.length = (size_t)((field.is_odd ? stop : close) - field.text);
        field.has_quotes |= field.is_odd;
        finish(&field, stop, end, separator);
        return field;
    }
    const char *stop = pr_csv_field_end(at, end, separator);
    field.length = (size_t)(stop - at);
    finish(&field, stop, end, separator);
    return field;
}

size_t pr_csv_unquote(const struct pr_csv_field *field, char *out)
{
    size_t made = 0;
    bool inside = true;
    for (size_t i = 0; i < field->length; i++) {
        const char c = field->text[i];
        if (c != '"') {
            out[made++] = c;
        } else if (inside && i + 1 < field->length && field->text[i + 1] == '"') {
            out[made++] = field->text[++i];
        } else if (inside) {
            inside = false;
        } else {
            out[made++] = c;
        }
    }
    return made;
}
