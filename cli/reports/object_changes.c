/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reports/object_changes.h"

#include "capture/base/text.h"
#include "cli/io/markdown.h"
#include "cli/io/terminal_names.h"

enum { NAME_COLUMNS = 60, MOST_ROWS = 10 };

enum { NEW, GONE, KEPT, NEW_SIZE, GONE_SIZE, FIGURES };

static const char *const titles[FIGURES] = {"New", "Gone", "Kept", "New size", "Gone size"};

static struct pr_figure figure(const struct pr_object_change *change, int which, bool exact)
{
    switch (which) {
    case NEW: return pr_units_count((int64_t)change->new_count);
    case GONE: return pr_units_count((int64_t)change->gone_count);
    case KEPT: return pr_units_count((int64_t)change->kept_count);
    case NEW_SIZE: return exact ? pr_units_count(change->new_bytes) : pr_units_bytes(change->new_bytes);
    default: return exact ? pr_units_count(change->gone_bytes) : pr_units_bytes(change->gone_bytes);
    }
}

static bool is_changed(const struct pr_object_change *change)
{
    return change->new_count || change->gone_count;
}

static size_t changed(const struct pr_profile *difference)
{
    size_t count = 0;
    for (size_t i = 0; i < difference->object_change_count; i++)
        count += is_changed(&difference->object_changes[i]);
    return count;
}

/* The rows that are shown, in their order: those that changed, the most grown first. */
static size_t shown(const struct pr_profile *difference, const struct pr_object_change *rows[MOST_ROWS])
{
    size_t count = 0;
    for (size_t i = 0; i < difference->object_change_count && count < MOST_ROWS; i++)
        if (is_changed(&difference->object_changes[i]))
            rows[count++] = &difference->object_changes[i];
    return count;
}

void pr_object_changes_report(struct pr_report *report, const struct pr_profile *difference, bool exact)
{
    const struct pr_object_change *rows[MOST_ROWS];
    const size_t count = shown(difference, rows), all = changed(difference);
    if (!count)
        return;
    pr_report_heading(report, "New and gone objects, by their ids in one process");
    pr_output_text(report->out, report->style.dim);
    for (int k = 0; k < FIGURES; k++)
        pr_output_printf(report->out, "  %9s", titles[k]);
    pr_output_printf(report->out, "  Class%s\n", report->style.off);
    for (size_t i = 0; i < count; i++) {
        struct pr_buf line = {0};
        for (int k = 0; k < FIGURES; k++)
            pr_buf_printf(&line, "  %9s", figure(rows[i], k, exact).text);
        pr_buf_text(&line, "  ");
        pr_text_cut_end(&line, pr_profile_text(difference, rows[i]->name), NAME_COLUMNS);
        pr_buf_byte(&line, '\n');
        pr_report_flush(report, &line);
    }
    if (count < all)
        pr_output_printf(report->out, "\n  %s%s more classes have new or gone objects; --json has all%s\n",
                         report->style.dim, pr_units_count((int64_t)(all - count)).text, report->style.off);
}

void pr_object_changes_markdown(struct pr_output *out, const struct pr_profile *difference, bool exact)
{
    const struct pr_object_change *rows[MOST_ROWS];
    const size_t count = shown(difference, rows), all = changed(difference);
    struct pr_buf line = {0};
    if (count)
        pr_buf_text(&line, "\nNew and gone objects, by their ids in one process:\n\n"
                           "| new | gone | kept | new size | gone size | class |\n"
                           "| ---: | ---: | ---: | ---: | ---: | --- |\n");
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < FIGURES; k++)
            pr_buf_printf(&line, "| %s ", figure(rows[i], k, exact).text);
        pr_buf_text(&line, "| ");
        pr_markdown_code(&line, pr_profile_text(difference, rows[i]->name), NAME_COLUMNS);
        pr_buf_text(&line, " |\n");
    }
    if (count < all)
        pr_buf_printf(&line, "\n%s more classes.\n", pr_units_count((int64_t)(all - count)).text);
    pr_output_buf(out, &line);
}

static void put_number(struct pr_json_writer *json, const char *key, int64_t number)
{
    pr_json_put_key(json, key);
    pr_json_put_int(json, number);
}

void pr_object_changes_json(struct pr_json_writer *json, const struct pr_profile *difference)
{
    pr_json_put_key(json, "objects");
    pr_json_put_lines(json, '[');
    for (size_t i = 0; i < difference->object_change_count; i++) {
        const struct pr_object_change *change = &difference->object_changes[i];
        pr_json_put_open(json, '{');
        pr_json_put_key(json, "class");
        pr_json_put_name(json, pr_profile_text(difference, change->name));
        put_number(json, "new", (int64_t)change->new_count);
        put_number(json, "gone", (int64_t)change->gone_count);
        put_number(json, "kept", (int64_t)change->kept_count);
        put_number(json, "new_bytes", change->new_bytes);
        put_number(json, "gone_bytes", change->gone_bytes);
        pr_json_put_close(json, '}');
    }
    pr_json_put_close(json, ']');
}
