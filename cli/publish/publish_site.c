/* SPDX-License-Identifier: Apache-2.0 */
/* The site as a whole: runs.json, which remembers what was made of what, and index.html. */
#include "cli/publish/publish.h"

#include "capture/base/beneath.h"
#include "cli/io/say.h"
#include "render/words/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "profrender/runs/1"

enum { MOST_LIST_BYTES = 1 << 28, MOST_INDEX_BYTES = 1 << 28, MOST_COMPLAINTS = 10 };

static int no_memory(const struct pr_publish_settings *settings)
{
    pr_say("%s: out of memory", settings->site.path);
    return PR_EXIT_OUTPUT;
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* What was left out of runs.json: the first few are reported, the rest are counted. */
struct complaints {
    const struct pr_publish_settings *settings;
    size_t count;
};

static void complain(struct complaints *complaints, const char *name, const char *why)
{
    if (complaints->count++ < MOST_COMPLAINTS)
        pr_say("%s/runs.json: '%.200s' is left out: %s", complaints->settings->site.path, name, why);
}

static void close_complaints(const struct complaints *complaints)
{
    if (complaints->count > MOST_COMPLAINTS)
        pr_say("%s/runs.json: %s more are left out", complaints->settings->site.path,
               pr_units_count((int64_t)(complaints->count - MOST_COMPLAINTS)).text);
}

static void take_entries(struct complaints *complaints, const json_t *entries, json_t *known)
{
    size_t i;
    json_t *entry;
    json_array_foreach(entries, i, entry) {
        const char *card = pr_publish_text(entry, "card"), *why;
        json_t *checked = pr_publish_entry(entry, &why);
        if (checked && json_object_get(known, card)) {
            why = "another entry has that card";
            json_decref(checked);
            checked = NULL;
        }
        if (checked)
            json_object_set_new(known, card, checked);
        else
            complain(complaints, card, why);
    }
}

/* Whether this program made the page that has the name of the index. Of a site that was cut, it may be all there is. */
static bool is_index_ours(const struct pr_publish_settings *settings, bool *is_there)
{
    static const char mark[] = "<meta name=\"generator\" content=\"profrender publish\">";
    struct pr_buf page = {0};
    const enum pr_site_found found = pr_site_read(&settings->site, "index.html", MOST_INDEX_BYTES, &page);
    const size_t head = page.length < 512 ? page.length : 512;
    const bool ours = found == PR_SITE_FOUND && memmem(page.bytes ? page.bytes : "", head, mark, sizeof mark - 1);
    *is_there = found != PR_SITE_ABSENT;
    pr_buf_clear(&page);
    return ours;
}

/* Only what this program made is overwritten. DOCUMENT is NULL without a readable list. */
static int check_ours(const struct pr_publish_settings *settings, const json_t *document)
{
    static const char family[] = "profrender/runs/";
    const char *schema = pr_publish_text(document, "schema");
    bool is_there = false;
    if (strcmp(schema, SCHEMA) == 0)
        return PR_EXIT_DONE;
    if (strncmp(schema, family, sizeof family - 1) == 0) {
        pr_say("%s/runs.json is '%.40s'; this version writes " SCHEMA, settings->site.path, schema);
        return PR_EXIT_OUTPUT;
    }
    if (!document && (is_index_ours(settings, &is_there) || !is_there))
        return PR_EXIT_DONE;
    pr_say("%s holds other pages; name a folder that is empty or was published before", settings->site.path);
    return PR_EXIT_OUTPUT;
}

static int read_list(const struct pr_publish_settings *settings, json_t **document)
{
    struct pr_buf text = {0};
    const enum pr_site_found found = pr_site_read(&settings->site, "runs.json", MOST_LIST_BYTES, &text);
    if (found == PR_SITE_UNREADABLE) {
        pr_say("cannot read %s/runs.json: %s", settings->site.path,
               errno == ELOOP ? "it is not a regular file" : pr_beneath_why(errno));
        pr_buf_clear(&text);
        return PR_EXIT_OUTPUT;
    }
    *document = text.length ? json_loadb(text.bytes, text.length, JSON_ALLOW_NUL, NULL) : NULL;
    const int status = check_ours(settings, *document);
    if (status == PR_EXIT_DONE && found == PR_SITE_FOUND && !*document)
        pr_say("%s/runs.json is damaged; the list is rebuilt", settings->site.path);
    pr_buf_clear(&text);
    return status;
}

static int write_list(const struct pr_publish_settings *settings, json_t *runs, json_t *ignored)
{
    json_t *document = json_pack("{s:s, s:O, s:O}", "schema", SCHEMA, "runs", runs, "ignored", ignored);
    char *text = document ? json_dumps(document, JSON_INDENT(1)) : NULL;
    const int status = text ? pr_site_write(&settings->site, "runs.json", text, strlen(text)) : no_memory(settings);
    free(text);
    json_decref(document);
    return status;
}

/* A list without entries: from here on the folder is known to be a site, wherever the program is stopped. */
static int begin_list(const struct pr_publish_settings *settings)
{
    json_t *none = json_array();
    const int status = write_list(settings, none, none);
    json_decref(none);
    return status;
}

int pr_publish_read_site(const struct pr_publish_settings *settings, json_t **known)
{
    struct complaints complaints = {.settings = settings};
    json_t *document = NULL;
    *known = json_object();
    int status = read_list(settings, &document);
    if (status == PR_EXIT_DONE && !document)
        status = begin_list(settings);
    if (status == PR_EXIT_DONE) {
        take_entries(&complaints, json_object_get(document, "runs"), *known);
        take_entries(&complaints, json_object_get(document, "ignored"), *known);
        close_complaints(&complaints);
    }
    json_decref(document);
    return status;
}

/* ---- what stays -------------------------------------------------------------------------------------------------- */

/* Whether ENTRY is about ITEM as it is now, and the card is there. */
static bool is_same(const struct pr_publish_settings *settings, const struct pr_publish_item *item, const json_t *entry)
{
    if (!entry || strcmp(pr_publish_text(entry, "key"), item->key) != 0)
        return false;
    if (pr_publish_is_ignored(entry))
        return true;
    if (strcmp(pr_publish_text(entry, "source"), item->shown_source) != 0)
        return false;
    return !pr_publish_has_card(entry) || pr_site_has(&settings->site, item->card);
}

/* Entries of what is no longer found, which lead nowhere; and of sources that have another card by now. */
static void drop_lost(const struct pr_publish_settings *settings, const json_t *sources, json_t *known)
{
    struct complaints complaints = {.settings = settings};
    const char *card;
    json_t *entry;
    void *next;
    json_object_foreach_safe(known, next, card, entry) {
        const bool moved = !pr_publish_is_ignored(entry) && json_object_get(sources, pr_publish_text(entry, "source"));
        const bool lost = pr_publish_has_card(entry) && !pr_site_has(&settings->site, card);
        if (moved)
            pr_site_remove(&settings->site, card);
        else if (lost)
            complain(&complaints, card, "the site has no such file");
        if (moved || lost)
            json_object_del(known, card);
    }
    close_complaints(&complaints);
}

void pr_publish_reuse(const struct pr_publish_settings *settings, struct pr_publish_items *items, json_t *known)
{
    json_t *sources = json_object();
    for (size_t i = 0; i < items->count; i++) {
        struct pr_publish_item *item = &items->items[i];
        json_t *entry = json_object_get(known, item->card);
        if (is_same(settings, item, entry))
            item->entry = json_incref(entry);
        json_object_del(known, item->card);
        json_object_set_new(sources, item->shown_source, json_true());
    }
    drop_lost(settings, sources, known);
    json_decref(sources);
}

/* ---- what is written --------------------------------------------------------------------------------------------- */

static int write_index(const struct pr_publish_settings *settings, const struct pr_index *index)
{
    struct pr_buf page = {0};
    struct pr_error err = {0};
    const int status = pr_render_index(index, &page, &err) == PR_FAILED
                           ? no_memory(settings)
                           : pr_site_write(&settings->site, "index.html", page.bytes, page.length);
    pr_buf_clear(&page);
    return status;
}

/* The cards first: the list says what they say, and the index leads to them. */
static int write_pages(const struct pr_publish_settings *settings, json_t *runs, json_t *ignored)
{
    struct pr_index_run *rows = malloc((json_array_size(runs) + 1) * sizeof *rows);
    if (!rows)
        return no_memory(settings);
    for (size_t i = 0; i < json_array_size(runs); i++)
        rows[i] = pr_publish_row(json_array_get(runs, i));
    const struct pr_index index = {.title = settings->title ? settings->title : "Runs",
                                   .theme = (enum pr_theme)settings->theme,
                                   .commit_url = settings->commit_url,
                                   .runs = rows,
                                   .count = json_array_size(runs)};
    int status = pr_publish_tell_before(settings, &index, runs);
    const int listed = write_list(settings, runs, ignored);
    status = status == PR_EXIT_DONE ? listed : status;
    if (status == PR_EXIT_DONE)
        status = write_index(settings, &index);
    free(rows);
    return status;
}

/* The runs and the other files of ITEMS, as far as they are known, and the runs of KNOWN, which may be NULL. */
static void list_entries(const struct pr_publish_items *items, json_t *known, json_t *runs, json_t *ignored)
{
    const char *card;
    json_t *entry;
    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].entry)
            json_array_append(pr_publish_is_ignored(items->items[i].entry) ? ignored : runs, items->items[i].entry);
    json_object_foreach(known, card, entry) {
        if (!pr_publish_is_ignored(entry))
            json_array_append(runs, entry);
    }
}

static void remove_cards(const struct pr_publish_settings *settings, json_t *known)
{
    const char *card;
    json_t *entry;
    json_object_foreach(known, card, entry) {
        if (pr_publish_has_card(entry))
            pr_site_remove(&settings->site, card);
    }
}

int pr_publish_remember(const struct pr_publish_settings *settings, const struct pr_publish_items *items,
                        json_t *known)
{
    json_t *runs = json_array(), *ignored = json_array();
    list_entries(items, known, runs, ignored);
    const int status = write_list(settings, runs, ignored);
    json_decref(runs);
    json_decref(ignored);
    return status;
}

int pr_publish_write_site(const struct pr_publish_settings *settings, const struct pr_publish_items *items,
                          json_t *known)
{
    json_t *runs = json_array(), *ignored = json_array();
    list_entries(items, settings->prune ? NULL : known, runs, ignored);
    const int status = write_pages(settings, runs, ignored);
    if (status == PR_EXIT_DONE && settings->prune)
        remove_cards(settings, known);
    json_decref(runs);
    json_decref(ignored);
    return status;
}
