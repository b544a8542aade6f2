/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/csv_writer.h"

#include "capture/base/text.h"
#include "profrender/buf.h"
#include "capture/base/utf8.h"
#include "cli/io/terminal_names.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct pr_csv pr_csv_start(struct pr_output *out, bool raw)
{
    return (struct pr_csv){.out = out, .raw = raw && !(out->is_stdout && isatty(STDOUT_FILENO))};
}

static void before_field(struct pr_csv *csv)
{
    if (csv->has_fields)
        pr_output_byte(csv->out, ',');
    csv->has_fields = true;
}

void pr_csv_end_line(struct pr_csv *csv)
{
    pr_output_byte(csv->out, '\n');
    csv->has_fields = false;
}

/* The inside of a quoted field. */
static void quoted(struct pr_csv *csv, struct pr_text text)
{
    for (size_t at = 0, size; at < text.length; at += size) {
        uint32_t code = pr_utf8_next(text.bytes + at, text.length - at, &size);
        if (code == PR_UTF8_BAD)
            pr_output_text(csv->out, "\xEF\xBF\xBD");
        else
            pr_output_add(csv->out, text.bytes + at, size);
        if (code == '"')
            pr_output_byte(csv->out, '"');
    }
}

void pr_csv_open(struct pr_csv *csv)
{
    before_field(csv);
    pr_output_byte(csv->out, '"');
}

/* What a spreadsheet takes for a formula: by its first letter, which in East Asian text may be a wide one. */
static bool is_formula(struct pr_text text)
{
    static const char *const wide[] = {"\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"}; /* = + - @ */
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (text.length >= 3 && memcmp(text.bytes, wide[i], 3) == 0)
            return true;
    return text.length && memchr("=+-@\t\r\n", text.bytes[0], 7);
}

/* Appends NAME as people may open it: visibly escaped, and with a quote before what a spreadsheet would run. */
static void add_harmless(struct pr_buf *buf, struct pr_text name)
{
    if (is_formula(name))
        pr_buf_byte(buf, '\'');
    pr_text_add(buf, name);
}

void pr_csv_part(struct pr_csv *csv, struct pr_text part)
{
    struct pr_buf harmless = {0};
    if (csv->raw) {
        quoted(csv, part);
        return;
    }
    add_harmless(&harmless, part);
    pr_output_needs(csv->out, &harmless);
    quoted(csv, (struct pr_text){.bytes = harmless.bytes, .length = (uint32_t)harmless.length});
    pr_buf_clear(&harmless);
}

void pr_csv_close(struct pr_csv *csv)
{
    pr_output_byte(csv->out, '"');
}

static bool is_plain(struct pr_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.bytes[i] < 0x20 || (unsigned char)text.bytes[i] >= 0x7F ||
            strchr("\",", text.bytes[i]))
            return false;
    return true;
}

static void add_field(struct pr_csv *csv, struct pr_text text)
{
    before_field(csv);
    if (is_plain(text)) {
        pr_output_add(csv->out, text.bytes, text.length);
        return;
    }
    pr_output_byte(csv->out, '"');
    quoted(csv, text);
    pr_output_byte(csv->out, '"');
}

void pr_csv_name(struct pr_csv *csv, struct pr_text name)
{
    struct pr_buf harmless = {0};
    if (csv->raw) {
        add_field(csv, name);
        return;
    }
    add_harmless(&harmless, name);
    pr_output_needs(csv->out, &harmless);
    add_field(csv, (struct pr_text){.bytes = harmless.bytes, .length = (uint32_t)harmless.length});
    pr_buf_clear(&harmless);
}

void pr_csv_text(struct pr_csv *csv, const char *text)
{
    add_field(csv, pr_text_of(text));
}

void pr_csv_int(struct pr_csv *csv, int64_t value)
{
    before_field(csv);
    pr_output_printf(csv->out, "%" PRId64, value);
}

void pr_csv_uint(struct pr_csv *csv, uint64_t value)
{
    before_field(csv);
    pr_output_printf(csv->out, "%" PRIu64, value);
}
