/* SPDX-License-Identifier: Apache-2.0 */
/* A row that is shorter than the schema has no value for its last columns: Gecko's writer omits what is null there. */
#include "capture/readers/firefox_tables.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *table, *column;
    int32_t exponent;
    unsigned place; /* in a row, by the schemas of Gecko, for data that come before their schema */
} known[PR_FIREFOX_COLUMNS] = {
    {"frameTable", "location", 0, 0},        {"frameTable", "func", 0, UINT_MAX},
    {"frameTable", "address", 0, UINT_MAX},  {"frameTable", "line", 0, 4},
    {"frameTable", "lib", 0, UINT_MAX},      {"frameTable", "flags", 0, UINT_MAX},
    {"funcTable", "name", 0, UINT_MAX},      {"funcTable", "resource", 0, UINT_MAX},
    {"funcTable", "fileName", 0, UINT_MAX},  {"funcTable", "source", 0, UINT_MAX},
    {"funcTable", "lineNumber", 0, UINT_MAX}, {"funcTable", "flags", 0, UINT_MAX},
    {"resourceTable", "lib", 0, UINT_MAX},   {"sources", "filename", 0, UINT_MAX},
    {"stackTable", "prefix", 0, 0},          {"stackTable", "prefixOffset", 0, UINT_MAX},
    {"stackTable", "frame", 0, 1},           {"samples", "stack", 0, 0},
    {"samples", "time", 6, 1},              {"samples", "timeDeltas", 6, UINT_MAX},
    {"samples", "weight", 6, UINT_MAX},     {"samples", "threadCPUDelta", 6, 3},
    {"jsAllocations", "stack", 0, UINT_MAX}, {"jsAllocations", "weight", 6, UINT_MAX},
    {"jsAllocations", "time", 6, UINT_MAX},
    {"nativeAllocations", "stack", 0, UINT_MAX}, {"nativeAllocations", "weight", 6, UINT_MAX},
    {"nativeAllocations", "time", 6, UINT_MAX},
};

/* The columns of one table. */
struct table {
    struct pr_profile_builder *c;
    struct pr_json_stream *json;
    struct pr_firefox_columns *columns;
    unsigned first, end;
    unsigned place[PR_FIREFOX_COLUMNS]; /* in a row */
};

static bool is_text(const struct pr_json_stream *json, const char *text)
{
    return json->text.length == strlen(text) && !memcmp(json->text.bytes, text, json->text.length);
}

/* The value at hand, which is taken. Anything but a number that fits is counted. */
static int64_t read_cell(struct table *t, int32_t exponent)
{
    const int64_t value = pr_json_scaled(t->json, exponent, PR_FIREFOX_NONE);
    if (t->json->token == PR_JSON_NUMBER)
        pr_build_damage(t->c, PR_DAMAGE_BOUNDED, value == INT64_MAX || value == INT64_MIN);
    else if (t->json->token == PR_JSON_OBJECT || t->json->token == PR_JSON_ARRAY)
        pr_build_damage(t->c, PR_DAMAGE_NOT_NUMBERS, 1);
    pr_json_skip(t->json);
    return value;
}

static void put(struct table *t, unsigned name, int64_t value)
{
    struct pr_firefox_column *column = &t->columns->of[name];
    if (!pr_grow(&column->value, &column->capacity, column->count + 1, sizeof *column->value))
        pr_build_no_memory(t->c);
    else
        column->value[column->count++] = value;
}

static void read_column(struct table *t, unsigned name)
{
    t->columns->of[name].count = 0;
    if (!pr_json_enter(t->json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(t->c) && pr_json_item(t->json))
        put(t, name, read_cell(t, known[name].exponent));
}

static void read_schema(struct table *t)
{
    if (!pr_json_enter(t->json, PR_JSON_OBJECT))
        return;
    for (unsigned i = t->first; i < t->end; i++)
        t->place[i] = UINT_MAX;
    while (pr_json_key(t->json)) {
        unsigned name = t->first;
        while (name < t->end && !is_text(t->json, known[name].column))
            name++;
        pr_json_next(t->json);
        uint64_t place;
        if (pr_json_index(t->json, &place) && place < UINT_MAX && name < t->end)
            t->place[name] = (unsigned)place;
        pr_json_skip(t->json);
    }
}

static void read_row(struct table *t)
{
    int64_t cells[PR_FIREFOX_COLUMNS];
    for (unsigned i = t->first; i < t->end; i++)
        cells[i] = PR_FIREFOX_NONE;
    if (t->json->token != PR_JSON_ARRAY) {
        pr_build_damage(t->c, PR_DAMAGE_RECORDS, 1);
        pr_json_skip(t->json);
    } else {
        for (unsigned place = 0; pr_json_item(t->json); place += place < UINT_MAX - 1) {
            unsigned name = t->first;
            while (name < t->end && t->place[name] != place)
                name++;
            if (name < t->end)
                cells[name] = read_cell(t, known[name].exponent);
            else
                pr_json_skip(t->json);
        }
        if (t->json->token == PR_JSON_BAD) /* the input ends in the row */
            return;
    }
    for (unsigned i = t->first; i < t->end; i++)
        put(t, i, cells[i]);
}

static void read_rows(struct table *t)
{
    for (unsigned i = t->first; i < t->end; i++)
        t->columns->of[i].count = 0;
    if (!pr_json_enter(t->json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(t->c) && pr_json_item(t->json))
        read_row(t);
}

static void read_weight_type(struct table *t)
{
    pr_json_next(t->json);
    const char type = t->json->token == PR_JSON_STRING && t->json->text.length ? *t->json->text.bytes : '\0';
    if (t->first == PR_FIREFOX_SAMPLE_STACK)
        t->columns->weight_type = type;
    else if (t->first == PR_FIREFOX_JS_STACK)
        t->columns->js_type = type;
    pr_json_skip(t->json);
}

static void read_member(struct table *t)
{
    for (unsigned i = t->first; i < t->end; i++) {
        if (is_text(t->json, known[i].column)) {
            read_column(t, i);
            return;
        }
    }
    if (pr_json_is(t->json, "schema"))
        read_schema(t);
    else if (pr_json_is(t->json, "data"))
        read_rows(t);
    else if (pr_json_is(t->json, "weightType"))
        read_weight_type(t);
    else
        pr_json_skip(t->json);
}

bool pr_firefox_read_table(struct pr_profile_builder *c, struct pr_json_stream *json,
                           struct pr_firefox_columns *columns)
{
    struct table t = {.c = c, .json = json, .columns = columns};
    while (t.first < PR_FIREFOX_COLUMNS && !is_text(json, known[t.first].table))
        t.first++;
    if (t.first == PR_FIREFOX_COLUMNS)
        return false;
    for (t.end = t.first; t.end < PR_FIREFOX_COLUMNS && !strcmp(known[t.end].table, known[t.first].table); t.end++) {
        t.place[t.end] = known[t.end].place;
        columns->of[t.end].count = 0;
    }
    if (pr_json_enter(json, PR_JSON_OBJECT))
        while (pr_build_going(c) && pr_json_key(json))
            read_member(&t);
    return true;
}

void pr_firefox_columns_clear(struct pr_firefox_columns *columns)
{
    for (unsigned i = 0; i < PR_FIREFOX_COLUMNS; i++)
        free(columns->of[i].value);
    *columns = (struct pr_firefox_columns){.weight_type = 's'};
}
