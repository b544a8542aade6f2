/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/publish/publish_entries.h"

#include "cli/publish/publish_holders.h"
#include "cli/publish/site_folder.h"
#include "render/html/html.h"

#include <string.h>

/* A path of PATH_MAX bytes that all had to be made visible is still shorter. */
enum { MOST_TEXT_BYTES = 32768 };

/* The end of the year 9999, in milliseconds since the epoch: later ones have no ISO 8601 form of four digits. */
#define LATEST_MS INT64_C(253402300799999)

enum kind { STATUS, KEY, TEXT, NUMBER, TIME, HOLDERS };

static const struct field {
    const char *name;
    enum kind kind;
    bool needed; /* of a run */
} fields[] = {
    {"status", STATUS, true},
    {"name", TEXT, true},
    {"source", TEXT, true},
    {"key", KEY, false},
    {"problem", TEXT, false},
    {"format", TEXT, false},
    {"flow", TEXT, false},
    {"run", TEXT, false},
    {"step", TEXT, false},
    {"task", TEXT, false},
    {"attempt", TEXT, false},
    {"commit", TEXT, false},
    {"start_ms", TIME, false},
    {"end_ms", TIME, false},
    {"peak_heap_bytes", NUMBER, false},
    {"heap_chance_percent", NUMBER, false},
    {"holders", HOLDERS, false},
    {"peak_rss_bytes", NUMBER, false},
    {"peak_memory_bytes", NUMBER, false},
    {"memory_limit_bytes", NUMBER, false},
    {"cpu_ns", NUMBER, false},
    {"before", KEY, false},
};

static const char *const status_words[] = {
    [PR_RUN_RECORDED] = "recorded", [PR_RUN_OK] = "ok", [PR_RUN_FAILED] = "failed", [PR_RUN_CUT] = "incomplete",
    [PR_RUN_UNREADABLE] = "unreadable"};

enum { STATUSES = sizeof status_words / sizeof *status_words };

/* ---- one field --------------------------------------------------------------------------------------------------- */

static json_t *copy_text(const json_t *value)
{
    const size_t length = json_string_length(value);
    struct pr_buf visible = {0};
    json_t *copy = NULL;
    if (!json_is_string(value) || !length || length > MOST_TEXT_BYTES)
        return NULL;
    pr_visible(&visible, (struct pr_text){json_string_value(value), (uint32_t)length});
    if (visible.length && !visible.failed)
        copy = json_stringn(visible.bytes, visible.length);
    pr_buf_clear(&visible);
    return copy;
}

static json_t *copy_number(const json_t *value, json_int_t most)
{
    const json_int_t number = json_integer_value(value);
    return json_is_integer(value) && number >= 0 && number <= most ? json_integer(number) : NULL;
}

static json_t *copy_status(const json_t *value)
{
    const char *word = json_string_value(value);
    for (size_t i = 0; word && i < STATUSES; i++)
        if (strcmp(word, status_words[i]) == 0)
            return json_string(word);
    return NULL;
}

static json_t *copy_key(const json_t *value)
{
    const char *key = json_string_value(value);
    return key && strlen(key) == 16 && strspn(key, "0123456789abcdef") == 16 ? json_string(key) : NULL;
}

static json_t *copy_field(const struct field *field, const json_t *entry)
{
    const json_t *value = json_object_get(entry, field->name);
    switch (field->kind) {
    case STATUS:
        return copy_status(value);
    case KEY:
        return copy_key(value);
    case TEXT:
        return copy_text(value);
    case NUMBER:
        return copy_number(value, INT64_MAX);
    case TIME:
        return copy_number(value, LATEST_MS);
    case HOLDERS:
        return pr_publish_copy_holders(value);
    }
    return NULL;
}

/* ---- an entry ---------------------------------------------------------------------------------------------------- */

json_t *pr_publish_entry(const json_t *entry, const char **why)
{
    static const char no_card[] = "its card is not one of this site";
    const json_t *card = json_object_get(entry, "card");
    const bool ignored = pr_publish_is_ignored(entry);
    *why = json_is_string(card) && strlen(json_string_value(card)) == json_string_length(card) &&
                   pr_site_is_card(json_string_value(card))
               ? NULL
               : no_card;
    if (*why)
        return NULL;
    json_t *copy = json_object();
    json_object_set_new(copy, "card", json_string(json_string_value(card)));
    if (ignored)
        json_object_set_new(copy, "ignored", json_true());
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !*why; i++) {
        if (ignored && fields[i].kind != KEY)
            continue;
        json_t *value = copy_field(&fields[i], entry);
        if (value)
            json_object_set_new(copy, fields[i].name, value);
        else if (fields[i].needed && !ignored)
            *why = "its status, name or source is missing or wrong";
    }
    if (!*why)
        return copy;
    json_decref(copy);
    return NULL;
}

const char *pr_publish_status_word(enum pr_run_status status)
{
    return status_words[status];
}

const char *pr_publish_text(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text ? text : "";
}

enum pr_run_status pr_publish_status(const json_t *entry)
{
    for (size_t i = 0; i < STATUSES; i++)
        if (strcmp(pr_publish_text(entry, "status"), status_words[i]) == 0)
            return (enum pr_run_status)i;
    return PR_RUN_RECORDED;
}

bool pr_publish_is_ignored(const json_t *entry)
{
    return json_is_true(json_object_get(entry, "ignored"));
}

bool pr_publish_has_card(const json_t *entry)
{
    return entry && !pr_publish_is_ignored(entry) && pr_publish_status(entry) != PR_RUN_UNREADABLE;
}

static struct pr_maybe number_at(const json_t *entry, const char *key)
{
    const json_t *value = json_object_get(entry, key);
    return (struct pr_maybe){json_is_integer(value), json_integer_value(value)};
}

struct pr_index_run pr_publish_row(const json_t *entry)
{
    struct pr_index_run run = {.name = pr_publish_text(entry, "name"),
                               .source = pr_publish_text(entry, "source"),
                               .card = pr_publish_has_card(entry) ? pr_publish_text(entry, "card") : "",
                               .problem = pr_publish_text(entry, "problem"),
                               .flow = pr_publish_text(entry, "flow"),
                               .run = pr_publish_text(entry, "run"),
                               .step = pr_publish_text(entry, "step"),
                               .commit = pr_publish_text(entry, "commit"),
                               .status = pr_publish_status(entry),
                               .start_ms = number_at(entry, "start_ms"),
                               .end_ms = number_at(entry, "end_ms"),
                               .heap_bytes = number_at(entry, "peak_heap_bytes"),
                               .heap_chance_percent = number_at(entry, "heap_chance_percent"),
                               .rss_bytes = number_at(entry, "peak_rss_bytes"),
                               .memory_bytes = number_at(entry, "peak_memory_bytes"),
                               .memory_limit_bytes = number_at(entry, "memory_limit_bytes"),
                               .cpu_ns = number_at(entry, "cpu_ns")};
    pr_publish_read_holders(json_object_get(entry, "holders"), &run);
    return run;
}
