/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/io/csv_writer.h"

#include "profrender/buf.h"
#include "capture/base/utf8.h"
#include "cli/io/terminal_names.h"

#include <inttypes.h>
#include <string.h>

struct pr_csv pr_csv_start(struct pr_output *out, bool for_terminal)
{
    return (struct pr_csv){.out = out, .for_terminal = for_terminal};
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

void pr_csv_part(struct pr_csv *csv, struct pr_text part)
{
    struct pr_buf visible = {0};
    if (csv->for_terminal) {
        pr_text_add(&visible, part);
        part = (struct pr_text){.bytes = visible.bytes, .length = (uint32_t)visible.length};
    }
    quoted(csv, part);
    pr_buf_clear(&visible);
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

void pr_csv_name(struct pr_csv *csv, struct pr_text name)
{
    if (!is_plain(name)) {
        pr_csv_open(csv);
        pr_csv_part(csv, name);
        pr_csv_close(csv);
        return;
    }
    before_field(csv);
    pr_output_add(csv->out, name.bytes, name.length);
}

void pr_csv_text(struct pr_csv *csv, const char *text)
{
    pr_csv_name(csv, pr_text_of(text));
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
