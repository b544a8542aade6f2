/* SPDX-License-Identifier: Apache-2.0 */
/* The site as a whole: runs.json, which remembers what was made of what, and index.html. */
#include "cli/io/local_file.h"
#include "cli/io/output.h"
#include "cli/publish/publish.h"
#include "cli/io/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEMA "profrender/runs/1"

enum { MOST_BYTES = 1 << 30 };

bool pr_publish_place(const struct pr_publish_settings *settings, const char *name, char path[PATH_MAX])
{
    if (snprintf(path, PATH_MAX, "%s/%s", settings->site, name) < PATH_MAX)
        return true;
    pr_say("%s/%s: the path is too long", settings->site, name);
    return false;
}

static const char *text_at(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text ? text : "";
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* Makes the folder and those above it. */
static int make_folder(const char *path)
{
    char part[PATH_MAX];
    const size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i])
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) && errno != EEXIST) {
            pr_say("cannot make the folder %s: %s", part, strerror(errno));
            return PR_EXIT_OUTPUT;
        }
    }
    return PR_EXIT_DONE;
}

/* An index.html without a runs.json of ours is somebody else's. */
static int check_ours(const struct pr_publish_settings *settings, const json_t *document)
{
    char path[PATH_MAX];
    if (strcmp(text_at(document, "schema"), SCHEMA) == 0)
        return PR_EXIT_DONE;
    if (!pr_publish_place(settings, "index.html", path))
        return PR_EXIT_OUTPUT;
    if (document || access(path, F_OK) == 0) {
        pr_say("%s holds other pages; name a folder that is empty or was published before", settings->site);
        return PR_EXIT_OUTPUT;
    }
    return PR_EXIT_DONE;
}

int pr_publish_open_site(const struct pr_publish_settings *settings, json_t **known)
{
    char path[PATH_MAX];
    struct pr_buf text = {0};
    size_t i;
    json_t *entry;
    *known = json_object();
    if (!pr_publish_place(settings, "runs.json", path))
        return PR_EXIT_OUTPUT;
    json_t *document = pr_local_file_read(path, MOST_BYTES, &text) && text.length
                           ? json_loadb(text.bytes, text.length, JSON_ALLOW_NUL, NULL)
                           : NULL;
    int status = check_ours(settings, document);
    json_array_foreach(json_object_get(document, "runs"), i, entry)
        json_object_set(*known, text_at(entry, "card"), entry);
    json_array_foreach(json_object_get(document, "ignored"), i, entry)
        json_object_set(*known, text_at(entry, "card"), entry);
    json_decref(document);
    pr_buf_clear(&text);
    if (status == PR_EXIT_DONE && pr_publish_place(settings, "cards", path))
        status = make_folder(path);
    return status;
}

bool pr_publish_has_card(const json_t *entry)
{
    return entry && !json_is_true(json_object_get(entry, "ignored")) &&
           strcmp(text_at(entry, "status"), "unreadable") != 0;
}

void pr_publish_reuse(const struct pr_publish_settings *settings, struct pr_publish_items *items, json_t *known)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < items->count; i++) {
        struct pr_publish_item *item = &items->items[i];
        json_t *entry = json_object_get(known, item->card);
        const bool same = entry && strcmp(text_at(entry, "key"), item->key) == 0;
        const bool there = same && pr_publish_has_card(entry) && pr_publish_place(settings, item->card, path) &&
                           access(path, F_OK) == 0;
        if (same && (there || !pr_publish_has_card(entry)))
            item->entry = json_incref(entry);
        json_object_del(known, item->card);
    }
}

/* ---- what is written --------------------------------------------------------------------------------------------- */

static enum pr_run_status status_of(const json_t *entry)
{
    static const struct {
        const char *word;
        enum pr_run_status status;
    } words[] = {{"ok", PR_RUN_OK}, {"failed", PR_RUN_FAILED}, {"incomplete", PR_RUN_CUT},
                 {"unreadable", PR_RUN_UNREADABLE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text_at(entry, "status"), words[i].word) == 0)
            return words[i].status;
    return PR_RUN_RECORDED;
}

static struct pr_maybe number_at(const json_t *entry, const char *key)
{
    const json_t *value = json_object_get(entry, key);
    return (struct pr_maybe){json_is_integer(value), json_integer_value(value)};
}

static struct pr_index_run row_of(const json_t *entry)
{
    return (struct pr_index_run){.name = text_at(entry, "name"),
                                 .source = text_at(entry, "source"),
                                 .card = pr_publish_has_card(entry) ? text_at(entry, "card") : "",
                                 .problem = text_at(entry, "problem"),
                                 .flow = text_at(entry, "flow"),
                                 .run = text_at(entry, "run"),
                                 .step = text_at(entry, "step"),
                                 .status = status_of(entry),
                                 .start_ms = number_at(entry, "start_ms"),
                                 .end_ms = number_at(entry, "end_ms"),
                                 .heap_bytes = number_at(entry, "peak_heap_bytes"),
                                 .rss_bytes = number_at(entry, "peak_rss_bytes"),
                                 .cpu_ns = number_at(entry, "cpu_ns")};
}

int pr_publish_write(const struct pr_publish_settings *settings, const char *name, const void *bytes, size_t length)
{
    char path[PATH_MAX];
    return pr_publish_place(settings, name, path) ? pr_output_write(path, bytes, length) : PR_EXIT_OUTPUT;
}

static int no_memory(const struct pr_publish_settings *settings)
{
    pr_say("%s: out of memory", settings->site);
    return PR_EXIT_OUTPUT;
}

static int write_index(const struct pr_publish_settings *settings, const json_t *runs)
{
    struct pr_index_run *rows = malloc((json_array_size(runs) + 1) * sizeof *rows);
    struct pr_buf page = {0};
    struct pr_error err = {0};
    if (!rows)
        return no_memory(settings);
    for (size_t i = 0; i < json_array_size(runs); i++)
        rows[i] = row_of(json_array_get(runs, i));
    struct pr_index index = {.title = settings->title ? settings->title : "Runs",
                             .theme = (enum pr_theme)settings->theme,
                             .runs = rows,
                             .count = json_array_size(runs)};
    int status = pr_render_index(&index, &page, &err) == PR_FAILED
                     ? no_memory(settings)
                     : pr_publish_write(settings, "index.html", page.bytes, page.length);
    pr_buf_clear(&page);
    free(rows);
    return status;
}

static int write_list(const struct pr_publish_settings *settings, json_t *runs, json_t *ignored)
{
    json_t *document = json_pack("{s:s, s:O, s:O}", "schema", SCHEMA, "runs", runs, "ignored", ignored);
    char *text = document ? json_dumps(document, JSON_INDENT(1)) : NULL;
    const int status = text ? pr_publish_write(settings, "runs.json", text, strlen(text)) : no_memory(settings);
    free(text);
    json_decref(document);
    return status;
}

/* The runs and the other files of ITEMS, as far as they are known, and of what the site had. */
static void list_entries(const struct pr_publish_settings *settings, const struct pr_publish_items *items,
                         json_t *known, json_t *runs, json_t *ignored)
{
    const char *card;
    json_t *entry;
    for (size_t i = 0; i < items->count; i++) {
        const struct pr_publish_item *item = &items->items[i];
        if (!item->entry)
            continue;
        json_object_set_new(item->entry, "card", json_string(item->card));
        json_object_set_new(item->entry, "key", json_string(item->key));
        json_array_append(json_is_true(json_object_get(item->entry, "ignored")) ? ignored : runs, item->entry);
    }
    json_object_foreach(known, card, entry) {
        if (!settings->prune && !json_is_true(json_object_get(entry, "ignored")))
            json_array_append(runs, entry);
    }
}

static void remove_cards(const struct pr_publish_settings *settings, json_t *known)
{
    char path[PATH_MAX];
    const char *card;
    json_t *entry;
    json_object_foreach(known, card, entry) {
        if (pr_publish_has_card(entry) && pr_publish_place(settings, card, path))
            unlink(path);
    }
}

int pr_publish_remember(const struct pr_publish_settings *settings, const struct pr_publish_items *items,
                        json_t *known)
{
    json_t *runs = json_array(), *ignored = json_array();
    list_entries(settings, items, known, runs, ignored);
    const int status = write_list(settings, runs, ignored);
    json_decref(runs);
    json_decref(ignored);
    return status;
}

int pr_publish_write_site(const struct pr_publish_settings *settings, const struct pr_publish_items *items,
                          json_t *known)
{
    json_t *runs = json_array(), *ignored = json_array();
    list_entries(settings, items, known, runs, ignored);
    int status = write_index(settings, runs);
    if (status == PR_EXIT_DONE)
        status = write_list(settings, runs, ignored);
    if (status == PR_EXIT_DONE && settings->prune)
        remove_cards(settings, known);
    json_decref(runs);
    json_decref(ignored);
    return status;
}
