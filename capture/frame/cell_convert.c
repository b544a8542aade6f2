/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/ascii.h"
#include "capture/frame/data_asked.h"

#include <math.h>
#include <string.h>

bool pr_data_asked_is_text(const struct pr_data_asked *asked)
{
    return asked->type == PR_TYPE_CATEGORY || asked->type == PR_TYPE_TEXT || asked->type == PR_TYPE_IDENTIFIER;
}

void pr_cell_put_in_order(enum pr_cell_order order, struct pr_cell_value *value)
{
    if (value->order == PR_ORDER_UNKNOWN && order == PR_ORDER_DAY_FIRST)
        value->number = value->day_first_number;
    if ((value->order == PR_ORDER_DAY_FIRST && order == PR_ORDER_MONTH_FIRST) ||
        (value->order == PR_ORDER_MONTH_FIRST && order == PR_ORDER_DAY_FIRST))
        *value = (struct pr_cell_value){.kind = PR_KIND_TEXT};
}

/* ---- booleans --------------------------------------------------------------------------------------------------- */

static bool is_one_of(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == length && pr_ascii_same(text, *words, length))
            return true;
    return false;
}

void pr_cells_to_booleans(struct pr_cell *cells, uint32_t rows)
{
    static const char *const yes[] = {"true", "t", "yes", "y", "on", "1", "1.0", NULL};
    static const char *const no[] = {"false", "f", "no", "n", "off", "0", "0.0", NULL};
    for (uint32_t i = 0; i < rows; i++) {
        struct pr_cell *cell = &cells[i];
        const char *text = cell->text;
        size_t length = cell->length;
        if (cell->form != PR_FORM_TEXT && cell->form != PR_FORM_STRING)
            continue;
        while (length && pr_is_blank(*text))
            text++, length--;
        while (length && pr_is_blank(text[length - 1]))
            length--;
        if (is_one_of(text, length, yes))
            *cell = (struct pr_cell){"true", 4, cell->form};
        else if (is_one_of(text, length, no))
            *cell = (struct pr_cell){"false", 5, cell->form};
    }
}

/* ---- numbers and times ------------------------------------------------------------------------------------------ */

static bool is_number(const struct pr_cell_value *value)
{
    return value->kind == PR_KIND_INTEGER || value->kind == PR_KIND_REAL;
}

/* A number without a fraction is an integer, however it is written. */
static bool to_integer(struct pr_cell_value *value)
{
    if (value->kind == PR_KIND_REAL && value->number == floor(value->number) && isfinite(value->number))
        *value = (struct pr_cell_value){.kind = PR_KIND_INTEGER, .is_plain = true, .number = value->number};
    else if (value->kind == PR_KIND_BOOLEAN)
        *value = (struct pr_cell_value){.kind = PR_KIND_INTEGER, .is_plain = true, .number = value->number};
    return value->kind == PR_KIND_INTEGER;
}

static bool to_real(struct pr_cell_value *value)
{
    if (!is_number(value))
        return false;
    value->kind = PR_KIND_REAL;
    value->whole = 0;
    return true;
}

/* A number of a unit becomes what KIND is. */
static bool from_number(const struct pr_data_asked *asked, enum pr_data_kind kind, struct pr_cell_value *value)
{
    if (!is_number(value) || asked->us == 0 || !isfinite(value->number * asked->us))
        return false;
    *value = (struct pr_cell_value){.kind = kind, .number = value->number * asked->us};
    return true;
}

static bool to_moment(const struct pr_data_asked *asked, struct pr_cell_value *value)
{
    if (value->kind != PR_KIND_DATE && value->kind != PR_KIND_MOMENT)
        return from_number(asked, PR_KIND_MOMENT, value);
    value->kind = PR_KIND_MOMENT;
    return true;
}

static bool to_date(const struct pr_data_asked *asked, struct pr_cell_value *value)
{
    if (!to_moment(asked, value))
        return false;
    value->kind = PR_KIND_DATE;
    value->number = floor(value->number / (double)PR_US_PER_DAY) * (double)PR_US_PER_DAY;
    return true;
}

static bool to_duration(const struct pr_data_asked *asked, struct pr_cell_value *value)
{
    if (value->kind != PR_KIND_TIME && value->kind != PR_KIND_DURATION)
        return from_number(asked, PR_KIND_DURATION, value);
    value->kind = PR_KIND_DURATION;
    return true;
}

static bool to_nested(const struct pr_cell *cell, struct pr_cell_value *value)
{
    uint32_t at = 0;
    while (at < cell->length && pr_is_blank(cell->text[at]))
        at++;
    *value = (struct pr_cell_value){.kind = PR_KIND_NESTED};
    return at < cell->length && (cell->text[at] == '[' || cell->text[at] == '{');
}

static bool convert(const struct pr_data_asked *asked, const struct pr_cell *cell, struct pr_cell_value *value)
{
    switch (asked->type) {
    case PR_TYPE_BOOLEAN:
        return value->kind == PR_KIND_BOOLEAN;
    case PR_TYPE_INTEGER:
        return to_integer(value);
    case PR_TYPE_REAL:
    case PR_TYPE_DECIMAL:
        return to_real(value);
    case PR_TYPE_DATE:
        return to_date(asked, value);
    case PR_TYPE_MOMENT:
        return to_moment(asked, value);
    case PR_TYPE_TIME:
        return value->kind == PR_KIND_TIME;
    case PR_TYPE_DURATION:
        return to_duration(asked, value);
    case PR_TYPE_NESTED:
        return to_nested(cell, value);
    default:
        *value = (struct pr_cell_value){.kind = PR_KIND_TEXT};
        return true;
    }
}

void pr_cell_convert(const struct pr_data_asked *asked, enum pr_cell_order order, const struct pr_cell *cell,
                     struct pr_cell_value *value)
{
    *value = (struct pr_cell_value){.kind = PR_KIND_MISSING};
    if (cell->form == PR_FORM_ABSENT)
        return;
    if (cell->form == PR_FORM_NESTED)
        value->kind = PR_KIND_NESTED;
    else if (cell->form == PR_FORM_STRING && pr_data_asked_is_text(asked))
        value->kind = PR_KIND_TEXT; /* "NA" in quotes is a word */
    else
        pr_cell_parse(cell->text, cell->length, value);
    if (value->kind == PR_KIND_MISSING)
        return;
    pr_cell_put_in_order(order, value);
    if (!convert(asked, cell, value))
        *value = (struct pr_cell_value){.kind = PR_KIND_MISSING, .is_refused = true};
}
