/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of one name: the second of two columns `a` is `a.1`, as in pandas and R, so that findings, charts, rules and
 * documents can name it.
 */
#include "capture/frame/data_build.h"

#include "profrender/string_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of COLUMN, then a point and the first number from *NEXT on that makes it a name that TAKEN has not. */
static bool number_name(struct pr_column_build *column, struct pr_strings *taken, uint32_t *next)
{
    enum { DIGITS = 12 };
    const uint32_t length = column->name_length;
    char *name = realloc(column->name, length + DIGITS);
    if (!name)
        return false;
    column->name = name;
    column->given_length = length;
    for (uint32_t known = taken->count; taken->count == known;) {
        column->name_length = length + (uint32_t)snprintf(name + length, DIGITS, ".%u", ++*next);
        if (pr_strings_add(taken, name, column->name_length) == PR_NO_STR)
            return false;
    }
    return true;
}

bool pr_data_build_number_names(struct pr_data_build *build)
{
    struct pr_error err;
    struct pr_strings taken;
    const size_t count = build->column_count;
    uint32_t *strings = calloc(2 * count + 1, sizeof *strings), *last = strings ? strings + count : NULL;
    bool done = strings && pr_strings_init(&taken, &err) == PR_OK;
    const bool has_taken = done;
    for (size_t c = 0; done && c < count; c++) {
        const uint32_t known = taken.count;
        const pr_str name = pr_strings_add(&taken, build->columns[c].name, build->columns[c].name_length);
        done = name != PR_NO_STR;
        strings[c] = taken.count == known ? name : PR_NO_STR;
    }
    for (size_t c = 0; done && c < count; c++)
        if (strings[c] != PR_NO_STR)
            done = number_name(&build->columns[c], &taken, &last[strings[c]]);
    if (has_taken)
        pr_strings_clear(&taken);
    free(strings);
    return done;
}
