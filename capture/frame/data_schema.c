/* SPDX-License-Identifier: Apache-2.0 */
/* The document of a schema, and what it asks of a column by its name. */
#include "profrender/data_schema.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/utf8.h"
#include "capture/frame/data_asked.h"
#include "capture/frame/data_text.h"
#include "capture/parse/json_stream.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_NAME = 60 };

struct reading {
    struct pr_json_stream *json;
    struct pr_data_schema *schema;
    size_t capacity;
    struct pr_error *err;
};

/* NAME for messages. */
static int shown(struct pr_text name)
{
    return name.length < SHOWN_NAME ? (int)name.length : SHOWN_NAME;
}

static bool is_word(struct pr_text text, const char *word)
{
    return strlen(word) == text.length && memcmp(text.bytes, word, text.length) == 0;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

/* What documents call it, or a common word for it. */
static bool find_type(struct pr_text text, struct pr_data_asked *asked)
{
    static const struct {
        const char *word;
        enum pr_data_type type;
    } words[] = {{"bool", PR_TYPE_BOOLEAN},  {"int", PR_TYPE_INTEGER},       {"number", PR_TYPE_REAL},
                 {"float", PR_TYPE_REAL},    {"datetime", PR_TYPE_MOMENT},   {"date and time", PR_TYPE_MOMENT},
                 {"time of day", PR_TYPE_TIME},  {"list", PR_TYPE_NESTED},
                 {"object", PR_TYPE_NESTED}};
    if (is_word(text, "string")) {
        asked->type = PR_TYPE_TEXT;
        asked->is_string = true;
        return true;
    }
    if (is_word(text, "ignore")) {
        asked->is_ignored = true;
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(text, words[i].word)) {
            asked->type = words[i].type;
            return true;
        }
    for (enum pr_data_type type = PR_TYPE_BOOLEAN; type < PR_TYPE_COUNT; type++)
        if (is_word(text, pr_data_type_name(type))) {
            asked->type = type;
            return true;
        }
    return false;
}

static bool refuse(const struct reading *reading, const struct pr_data_asked *asked, const char *what,
                   struct pr_text word, const char *remedy)
{
    if (reading->err && reading->err->code == PR_ERR_NONE)
        pr_fail(reading->err, PR_ERR_DAMAGED, PR_NO_OFFSET, NULL, "column '%.*s': '%.*s' is not %s; %s",
                shown(asked->name), asked->name.bytes, shown(word), word.bytes, what, remedy);
    return false;
}

static bool take_type(const struct reading *reading, struct pr_data_asked *asked)
{
    const struct pr_json_stream *json = reading->json;
    if (json->token == PR_JSON_STRING && find_type(json->text, asked))
        return true;
    return refuse(reading, asked, "a type", json->token >= PR_JSON_STRING ? json->text : (struct pr_text){"", 0},
                  "types are boolean, integer, real, decimal, date, moment (date and time), time, duration, category, "
                  "text, string (a category or text), nested (a list or object), identifier, and ignore");
}

static bool take_unit(const struct reading *reading, struct pr_data_asked *asked)
{
    static const struct {
        const char *word;
        double us;
    } units[] = {{"d", 86400e6}, {"h", 3600e6}, {"min", 60e6}, {"s", 1e6}, {"ms", 1e3}, {"us", 1}, {"ns", 1e-3}};
    const struct pr_json_stream *json = reading->json;
    for (size_t i = 0; json->token == PR_JSON_STRING && i < sizeof units / sizeof *units; i++)
        if (is_word(json->text, units[i].word)) {
            asked->us = units[i].us;
            return true;
        }
    return refuse(reading, asked, "a unit", json->token >= PR_JSON_STRING ? json->text : (struct pr_text){"", 0},
                  "units are d, h, min, s, ms, us and ns");
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static bool take_member(const struct reading *reading, struct pr_data_asked *asked, bool *has_type)
{
    struct pr_json_stream *json = reading->json;
    if (pr_json_is(json, "type")) {
        *has_type = true;
        return pr_json_next(json) > PR_JSON_CLOSE && take_type(reading, asked);
    }
    if (pr_json_is(json, "unit"))
        return pr_json_next(json) > PR_JSON_CLOSE && take_unit(reading, asked);
    if (pr_json_is(json, "day_first")) {
        const enum pr_json_token token = pr_json_next(json);
        asked->has_order = true;
        asked->day_first = token == PR_JSON_TRUE;
        return token == PR_JSON_TRUE || token == PR_JSON_FALSE ||
               refuse(reading, asked, "true or false", json->text, "day_first is one of them");
    }
    return refuse(reading, asked, "known", json->text, "a column has type, unit and day_first");
}

static bool fits(const struct reading *reading, const struct pr_data_asked *asked)
{
    const bool is_dated = asked->type == PR_TYPE_DATE || asked->type == PR_TYPE_MOMENT;
    const struct pr_text type = {pr_data_type_name(asked->type), (uint32_t)strlen(pr_data_type_name(asked->type))};
    if (asked->us != 0 && !is_dated && asked->type != PR_TYPE_DURATION)
        return refuse(reading, asked, "a type with a unit", type, "date, moment and duration are");
    return !asked->has_order || is_dated ||
           refuse(reading, asked, "a type with day_first", type, "date and moment are");
}

static bool take_column(const struct reading *reading, struct pr_data_asked *asked)
{
    struct pr_json_stream *json = reading->json;
    bool has_type = false;
    const enum pr_json_token token = pr_json_next(json);
    if (token != PR_JSON_OBJECT)
        return token > PR_JSON_CLOSE && take_type(reading, asked);
    while (pr_json_key(json))
        if (!take_member(reading, asked, &has_type))
            return false;
    if (json->token == PR_JSON_CLOSE && !has_type)
        return refuse(reading, asked, "a type", (struct pr_text){"", 0}, "the object of a column has a `type`");
    return json->token == PR_JSON_CLOSE && fits(reading, asked);
}

/* An error that is there already says more than that the document is none. */
static enum pr_status unusable(struct reading *reading)
{
    if (reading->err && reading->err->code == PR_ERR_NONE)
        pr_fail(reading->err, PR_ERR_DAMAGED, PR_NO_OFFSET, NULL,
                "is not a schema: a JSON object of column names, each with a type");
    return PR_FAILED;
}

static enum pr_status read_columns(struct reading *reading)
{
    struct pr_data_schema *schema = reading->schema;
    struct pr_json_stream *json = reading->json;
    if (pr_json_next(json) != PR_JSON_OBJECT)
        return unusable(reading);
    while (pr_json_key(json)) {
        if (schema->count == reading->capacity &&
            !pr_grow(&schema->columns, &reading->capacity, schema->count + 1, sizeof *schema->columns))
            return pr_fail_memory(reading->err);
        struct pr_data_asked *asked = &schema->columns[schema->count++];
        const char *name = pr_arena_copy(&schema->arena, json->text.bytes, json->text.length);
        if (!name)
            return pr_fail_memory(reading->err);
        *asked = (struct pr_data_asked){.name = {name, json->text.length}};
        if (!take_column(reading, asked))
            return unusable(reading);
    }
    return pr_json_finish(json) == PR_OK ? PR_OK : unusable(reading);
}

static int by_name(const void *a, const void *b, const void *context)
{
    (void)context;
    return pr_text_compare(((const struct pr_data_asked *)a)->name, ((const struct pr_data_asked *)b)->name);
}

static enum pr_status sort_columns(struct pr_data_schema *schema, struct pr_error *err)
{
    if (!pr_sort(schema->columns, schema->count, sizeof *schema->columns, by_name, NULL))
        return pr_fail_memory(err);
    for (size_t i = 1; i < schema->count; i++) {
        const struct pr_text name = schema->columns[i].name;
        if (pr_text_compare(name, schema->columns[i - 1].name) == 0)
            return pr_fail(err, PR_ERR_DAMAGED, PR_NO_OFFSET, NULL, "has column '%.*s' twice", shown(name),
                           name.bytes);
    }
    return PR_OK;
}

static enum pr_status read_document(struct pr_source *src, struct pr_data_schema *schema, struct pr_error *err)
{
    const struct pr_limits limits = pr_load_options_default().limits;
    struct reading reading = {.json = malloc(sizeof *reading.json), .schema = schema, .err = err};
    if (!reading.json)
        return pr_fail_memory(err);
    pr_json_begin(reading.json, src, &limits, err);
    enum pr_status status = read_columns(&reading);
    pr_json_end(reading.json);
    free(reading.json);
    return status == PR_OK ? sort_columns(schema, err) : PR_FAILED;
}

enum pr_status pr_data_schema_read(const char *path_or_text, struct pr_data_schema **schema, struct pr_error *err)
{
    const char *name = path_or_text + strspn(path_or_text, " \t\r\n");
    const struct pr_limits limits = pr_load_options_default().limits;
    struct pr_unpack_budget budget = pr_unpack_budget_of(&limits);
    struct pr_error own = {0};
    struct pr_source *src;
    err = err ? err : &own;
    *err = (struct pr_error){0};
    *schema = NULL;
    const enum pr_status opened = *name == '{' ? pr_source_open_memory("schema", name, strlen(name), &budget, &src, err)
                                               : pr_source_open(path_or_text, &budget, &src, err);
    if (opened == PR_FAILED)
        return PR_FAILED;
    struct pr_data_schema *new = calloc(1, sizeof *new);
    enum pr_status status = new ? read_document(src, new, err) : pr_fail_memory(err);
    pr_source_close(src);
    if (status == PR_FAILED)
        pr_data_schema_free(new);
    else
        *schema = new;
    return status;
}

const struct pr_data_asked *pr_data_schema_lacking(const struct pr_data_schema *schema)
{
    for (size_t i = 0; i < schema->count; i++)
        if (!schema->columns[i].is_found)
            return &schema->columns[i];
    return NULL;
}

void pr_data_schema_free(struct pr_data_schema *schema)
{
    if (!schema)
        return;
    pr_arena_clear(&schema->arena);
    free(schema->columns);
    free(schema);
}

/* ---- by name ---------------------------------------------------------------------------------------------------- */

static struct pr_data_asked *find(const struct pr_data_schema *schema, struct pr_text name)
{
    size_t low = 0, high = schema->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = pr_text_compare(name, schema->columns[middle].name);
        if (order == 0)
            return &schema->columns[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static bool is_utf8(struct pr_text text)
{
    size_t size;
    for (size_t at = 0; at < text.length; at += size)
        if (pr_utf8_next(text.bytes + at, text.length - at, &size) == PR_UTF8_BAD)
            return false;
    return true;
}

const struct pr_data_asked *pr_data_asked_of(struct pr_data_schema *schema, struct pr_text name)
{
    if (!schema)
        return NULL;
    struct pr_data_asked *asked = find(schema, name);
    if (!asked && !is_utf8(name)) { /* the schema is in UTF-8, the table in Windows-1252 */
        struct pr_arena arena = {0};
        bool failed = false;
        asked = find(schema, pr_data_text(&arena, name.bytes, name.length, true, &failed));
        pr_arena_clear(&arena);
    }
    if (asked)
        asked->is_found = true;
    return asked;
}
