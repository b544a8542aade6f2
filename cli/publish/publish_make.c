/* SPDX-License-Identifier: Apache-2.0 */
/* One run: read, made into a card, and what the index says of it. Runs in a process of its own. */
#include "capture/base/text.h"
#include "capture/base/beneath.h"
#include "capture/base/time.h"
#include "capture/model/run_figures.h"
#include "capture/model/run_times.h"
#include "capture/run_folder.h"
#include "cli/args/input.h"
#include "cli/args/redact_option.h"
#include "cli/check/chance.h"
#include "cli/io/local_file.h"
#include "cli/publish/publish.h"
#include "cli/publish/publish_holders.h"
#include "cli/io/terminal_names.h"
#include "render/words/ending.h"
#include "render/html/html.h"
#include "render/page/card_proof.h"
#include "render/words/program_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MOST_RUN_JSON_BYTES = 1 << 20, MOST_CARD_BYTES = 1 << 28, MOST_TEXT_BYTES = 4096 };

/* ---- facts ------------------------------------------------------------------------------------------------------- */

static void set_status(json_t *facts, enum pr_run_status status)
{
    json_object_set_new(facts, "status", json_string(pr_publish_status_word(status)));
}

/* Sets a text that is not empty, or its beginning; what is not visible in it is escaped, so it is UTF-8. */
static void set_text(json_t *facts, const char *key, struct pr_text text)
{
    struct pr_buf visible = {0};
    text.length = text.length < MOST_TEXT_BYTES ? text.length : MOST_TEXT_BYTES;
    pr_visible(&visible, text);
    if (visible.length && !visible.failed)
        json_object_set_new(facts, key, json_stringn(visible.bytes, visible.length));
    pr_buf_clear(&visible);
}

static void set_maybe(json_t *facts, const char *key, struct pr_maybe value)
{
    if (value.known)
        json_object_set_new(facts, key, json_integer(value.value));
}

/* The name of the file without its folder and its endings; of the folder itself: what it is called. */
static struct pr_text stem_of(const struct pr_publish_item *item)
{
    const char *path = strcmp(item->source, ".") == 0 && !item->hides_names ? item->path : item->listed;
    size_t length = strlen(path);
    while (length && (path[length - 1] == '.' || path[length - 1] == '/'))
        length--;
    const char *slash = memrchr(path, '/', length);
    const char *name = slash ? slash + 1 : path;
    length -= (size_t)(name - path);
    const char *dot = item->kind == PR_PUBLISH_RUN ? NULL : memchr(name, '.', length);
    return (struct pr_text){name, (uint32_t)(dot && dot > name ? (size_t)(dot - name) : length)};
}

static json_t *new_facts(const struct pr_publish_item *item, enum pr_run_status status)
{
    json_t *facts = json_object();
    set_status(facts, status);
    set_text(facts, "source", pr_text_of(item->listed));
    return facts;
}

/* What a scheduler calls the run; a file that cannot be read contributes nothing. */
static void set_run(json_t *facts, int run_fd)
{
    static const char *const texts[] = {"name", "flow", "run", "step", "task", "attempt", "commit"};
    static const char *const times[] = {"start_ms", "end_ms"};
    struct pr_buf text = {0};
    const int fd = run_fd < 0 ? -1 : pr_open_beneath(run_fd, "run.json");
    json_t *run = fd >= 0 && pr_local_file_read_fd(fd, MOST_RUN_JSON_BYTES, &text) && text.length
                      ? json_loadb(text.bytes, text.length, 0, NULL)
                      : NULL;
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const json_t *value = json_object_get(run, texts[i]);
        char number[24];
        if (json_is_integer(value)) {
            snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
            set_text(facts, texts[i], pr_text_of(number));
        } else if (json_is_string(value)) {
            set_text(facts, texts[i], pr_text_of(json_string_value(value)));
        }
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (json_is_integer(json_object_get(run, times[i])))
            json_object_set(facts, times[i], json_object_get(run, times[i]));
    json_decref(run);
    pr_buf_clear(&text);
}

/* RUN_FD: the folder of a run, or -1. */
static json_t *unreadable(const struct pr_publish_item *item, int run_fd, const char *problem, bool passing)
{
    json_t *facts = new_facts(item, PR_RUN_UNREADABLE);
    if (!item->hides_names)
        set_run(facts, run_fd);
    if (!json_object_get(facts, "name"))
        set_text(facts, "name", stem_of(item));
    if (!json_object_get(facts, "name"))
        set_text(facts, "name", pr_text_of(item->listed));
    set_text(facts, "problem", pr_text_of(problem));
    json_object_set_new(facts, "passing", json_boolean(passing));
    return facts;
}

json_t *pr_publish_unreadable(const struct pr_publish_item *item, const char *problem, bool passing)
{
    return unreadable(item, -1, problem, passing);
}

/* Problems of this machine at this moment, not of the file. */
static bool is_passing(const struct pr_error *err)
{
    return err->code == PR_ERR_IO || err->code == PR_ERR_MEMORY;
}

/* The maximum that was allocated at once, where that was traced. */
static struct pr_maybe heap_of(const struct pr_profile *profile)
{
    const int peak = pr_profile_metric(profile, "peak");
    if (peak < 0 || profile->metrics[peak].unit != PR_UNIT_BYTES)
        return (struct pr_maybe){0};
    return (struct pr_maybe){true, profile->peak_bytes ? profile->peak_bytes : profile->metrics[peak].total_value};
}

/* As on the card; else what a profile of CPU time has. One of wall time is added up over its threads. */
static struct pr_maybe cpu_of(const struct pr_profile *profile)
{
    const struct pr_run_figure used = pr_run_cpu_time(profile);
    const int cpu = pr_profile_metric(profile, "cpu");
    if (used.known)
        return (struct pr_maybe){true, used.value};
    const struct pr_metric *metric = cpu < 0 ? NULL : &profile->metrics[cpu];
    if (!metric || metric->unit != PR_UNIT_NANOSECONDS || strncasecmp(metric->title, "cpu", strlen("cpu")))
        return (struct pr_maybe){0};
    return (struct pr_maybe){true, metric->total_value};
}

/* Of a program read from a pipe, "-" is known. */
static bool is_name(struct pr_text text)
{
    return text.length > 1 || (text.length && text.bytes[0] != '-');
}

static void set_name(json_t *facts, const struct pr_publish_item *item, const struct pr_profile *profile)
{
    const char *flow = json_string_value(json_object_get(facts, "flow"));
    const char *step = json_string_value(json_object_get(facts, "step"));
    if (json_object_get(facts, "name"))
        return;
    if (flow && step) {
        json_object_set_new(facts, "name", json_sprintf("%s/%s", flow, step));
        return;
    }
    const struct pr_text program = pr_program_of(profile);
    set_text(facts, "name", is_name(program) ? program : stem_of(item));
}

/* The exception that ended the run, else its status or signal. */
static void add_reason(struct pr_buf *words, const struct pr_profile *profile)
{
    const struct pr_exception *exception = pr_ending_exception(&profile->run.failure);
    if (!exception) {
        pr_ending_words(&profile->run.failure, words);
        return;
    }
    const struct pr_text type = pr_profile_text(profile, exception->type);
    const struct pr_text message = pr_profile_text(profile, exception->message);
    pr_buf_add(words, type.bytes, type.length);
    pr_buf_text(words, message.length ? ": " : "");
    pr_buf_add(words, message.bytes, message.length);
}

/* How it ended, where that was recorded; without a failure, a cut file counts as cut. */
static void set_ending(json_t *facts, const struct pr_profile *profile, bool redact_paths)
{
    const struct pr_failure *failure = &profile->run.failure;
    struct pr_buf words = {0}, shown = {0};
    if (pr_failure_is_one(failure)) {
        set_status(facts, PR_RUN_FAILED);
        add_reason(&words, profile);
        const struct pr_text reason = {words.bytes, (uint32_t)words.length};
        if (redact_paths && words.length)
            pr_leave_folders_out(reason, &shown);
        if (words.length && !words.failed && !shown.failed)
            set_text(facts, "problem", redact_paths ? (struct pr_text){shown.bytes, (uint32_t)shown.length} : reason);
    } else if (!profile->complete) {
        set_status(facts, PR_RUN_CUT);
        set_text(facts, "problem", pr_text_of(profile->problem.text));
    } else if (failure->exit.known) {
        set_status(facts, PR_RUN_OK);
    }
    pr_buf_clear(&words);
    pr_buf_clear(&shown);
}

/*
 * The end that makes the duration that of the card. run.json says when it was, and its end is when its recorder was
 * done as well; where its clock is another one than that of the capture, only the latter knows how long it took.
 */
static struct pr_maybe end_of_card(const json_t *facts, const struct pr_profile *profile)
{
    const json_t *start = json_object_get(facts, "start_ms");
    const struct pr_maybe took = pr_times_duration_ns(profile);
    struct pr_maybe end = {.known = json_is_integer(start) && took.known};
    end.known = end.known && !__builtin_add_overflow(json_integer_value(start), took.value / PR_NS_PER_MS,
                                                     &end.value);
    return end;
}

/* What the recording says of the run, where run.json did not. */
static void set_recorded(json_t *facts, const struct pr_profile *profile)
{
    const struct {
        const char *key;
        pr_str text;
    } texts[] = {{"name", profile->run.name}, {"flow", profile->run.flow},       {"run", profile->run.run},
                 {"step", profile->run.step}, {"task", profile->run.task}, {"attempt", profile->run.attempt},
                 {"commit", profile->run.commit}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!json_object_get(facts, texts[i].key))
            set_text(facts, texts[i].key, pr_profile_text(profile, texts[i].text));
    if (!json_object_get(facts, "start_ms"))
        set_maybe(facts, "start_ms", profile->meta.start_ms);
    const struct pr_maybe end = end_of_card(facts, profile);
    if (end.known || !json_object_get(facts, "end_ms"))
        set_maybe(facts, "end_ms", end.known ? end : profile->meta.end_ms);
}

/* How far chance alone may move the peak of the heap: `check` and the index judge by it. */
static struct pr_maybe heap_chance(const struct pr_profile *profile)
{
    const struct pr_chance chance = pr_chance_of(profile);
    return (struct pr_maybe){true, (int64_t)(100 * pr_chance_share(&chance) + 0.5)};
}

/* The memory limit of the run, and what its card compares with it. */
static void set_limit(json_t *facts, const struct pr_profile *profile)
{
    int64_t at_ms;
    const struct pr_run_figure peak = pr_run_peak_memory(profile, &at_ms);
    if (!peak.known || !profile->run.memory_limit_bytes.known)
        return;
    set_maybe(facts, "peak_memory_bytes", (struct pr_maybe){true, peak.value});
    set_maybe(facts, "memory_limit_bytes", profile->run.memory_limit_bytes);
}

static json_t *facts_of(const struct pr_publish_item *item, int run_fd, const struct pr_profile *profile,
                        bool redact_paths)
{
    json_t *facts = new_facts(item, PR_RUN_RECORDED);
    if (!item->hides_names)
        set_run(facts, run_fd);
    set_recorded(facts, profile);
    set_name(facts, item, profile);
    set_ending(facts, profile, redact_paths);
    set_text(facts, "format", pr_text_of(profile->meta.format ? profile->meta.format : ""));
    set_maybe(facts, "peak_heap_bytes", heap_of(profile));
    if (heap_of(profile).known)
        set_maybe(facts, "heap_chance_percent", heap_chance(profile));
    json_object_set_new(facts, "holders", pr_publish_holders(profile));
    set_maybe(facts, "peak_rss_bytes", pr_run_peak_rss(profile));
    set_limit(facts, profile);
    set_maybe(facts, "cpu_ns", cpu_of(profile));
    if (!profile->complete && is_passing(&profile->problem))
        json_object_set_new(facts, "passing", json_true());
    return facts;
}

/* ---- cards ------------------------------------------------------------------------------------------------------- */

static void replace(json_t **place, json_t *value)
{
    json_decref(*place);
    *place = value;
}

static int render_card(const struct pr_publish_settings *settings, const struct pr_publish_item *item, int run_fd,
                       const struct pr_profile *profile, json_t **facts)
{
    struct pr_card_options how = *settings->how;
    struct pr_buf page = {0};
    struct pr_error err = {0};
    int status = PR_EXIT_DONE;
    char room[PR_REDACTED_INPUT];
    how.index = PR_SITE_INDEX;
    how.source = pr_redact_input(&settings->common, item->path, room);
    if (pr_render_card(profile, &how, &page, &err) == PR_FAILED)
        replace(facts, unreadable(item, run_fd, err.text, is_passing(&err)));
    else
        status = pr_site_write(&settings->site, item->card, page.bytes, page.length);
    pr_buf_clear(&page);
    return status;
}

/* The title of a page of ours: between <title> and </title>, with its references decoded. */
static void set_title(json_t *facts, const char *page)
{
    static const char *const references[][2] = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
    struct pr_buf title = {0};
    const char *at = strstr(page, "<title>"), *end = at ? strstr(at, "</title>") : NULL;
    for (at = at ? at + strlen("<title>") : NULL; at && at < end;) {
        size_t i = 0;
        while (i < sizeof references / sizeof *references && strncmp(at, references[i][0], strlen(references[i][0])))
            i++;
        const bool found = i < sizeof references / sizeof *references;
        pr_buf_byte(&title, found ? (unsigned char)references[i][1][0] : (unsigned char)*at);
        at += found ? strlen(references[i][0]) : 1;
    }
    if (title.length && !title.failed)
        set_text(facts, "name", (struct pr_text){title.bytes, (uint32_t)title.length});
    pr_buf_clear(&title);
}

/*
 * A card that was made before: all that is known of its run is the title. It is published only if nothing but this
 * program can have written its markup and its script; someone else's page would run on the site.
 */
static int take_card(const struct pr_publish_settings *settings, int input_fd, const struct pr_publish_item *item,
                     json_t **facts)
{
    struct pr_buf page = {0};
    int status = PR_EXIT_DONE;
    const char *why = NULL;
    if (item->hides_names) {
        *facts = pr_publish_unreadable(item, "a finished card keeps its names: publish what it was made from", false);
        return PR_EXIT_DONE;
    }
    const int fd = pr_open_beneath(input_fd, item->source);
    if (fd < 0 || !pr_local_file_read_fd(fd, MOST_CARD_BYTES, &page)) {
        *facts = pr_publish_unreadable(item, fd < 0 ? pr_beneath_why(errno) : "the card cannot be read", true);
    } else if (!pr_card_is_ours(page.bytes ? page.bytes : "", page.length, &why)) {
        *facts = pr_publish_unreadable(item, why, false);
    } else {
        *facts = new_facts(item, PR_RUN_RECORDED);
        set_title(*facts, page.bytes);
        if (!json_object_get(*facts, "name"))
            set_text(*facts, "name", stem_of(item));
        json_object_set_new(*facts, "before", json_string(PR_PUBLISH_BEFORE_OTHERS));
        status = pr_site_write(&settings->site, item->card, page.bytes, page.length);
    }
    if (fd >= 0)
        close(fd);
    pr_buf_clear(&page);
    return status;
}

/* Opens what ITEM is, a file or the folder of a run, and loads it. *RUN_FD becomes that folder, else -1. */
static enum pr_status load(const struct pr_publish_settings *settings, int input_fd, const struct pr_publish_item *item,
                           int *run_fd, struct pr_profile **profile, struct pr_error *err)
{
    struct pr_load_options load = pr_load_options_default();
    struct pr_source *src;
    const bool is_run = item->kind == PR_PUBLISH_RUN;
    const int fd = is_run ? pr_open_folder_beneath(input_fd, item->source) : pr_open_beneath(input_fd, item->source);
    load.format = settings->common.input_format;
    pr_input_set_limits(&settings->common, &load.limits);
    struct pr_unpack_budget budget = pr_unpack_budget_of(&load.limits);
    *run_fd = is_run ? fd : -1;
    if (fd < 0)
        return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "cannot be opened: %s",
                       is_run ? strerror(errno) : pr_beneath_why(errno));
    if (is_run)
        return pr_run_load_opened_folder(fd, &load, &budget, profile, err);
    if (pr_source_open_fd(fd, item->path, &budget, &src, err) == PR_FAILED)
        return PR_FAILED;
    return pr_load_opened(item->path, src, &load, profile, err);
}

static int make(const struct pr_publish_settings *settings, const struct pr_publish_item *item, int run_fd,
                const struct pr_profile *profile, const struct pr_error *err, json_t **facts)
{
    const bool is_file = item->kind == PR_PUBLISH_FILE;
    if (!profile ? is_file && (err->code == PR_ERR_UNKNOWN || err->code == PR_ERR_EMPTY)
                 : is_file && pr_input_is_nothing(profile)) {
        *facts = json_pack("{s:b}", "ignored", 1);
        return PR_EXIT_DONE;
    }
    if (!profile) {
        *facts = unreadable(item, run_fd, err->text, is_passing(err));
        return PR_EXIT_DONE;
    }
    *facts = facts_of(item, run_fd, profile, settings->how->redact_paths);
    return render_card(settings, item, run_fd, profile, facts);
}

int pr_publish_make(const struct pr_publish_settings *settings, int input_fd, const struct pr_publish_item *item,
                    json_t **facts)
{
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    int run_fd;
    if (item->kind == PR_PUBLISH_CARD)
        return take_card(settings, input_fd, item, facts);
    const enum pr_status loaded = load(settings, input_fd, item, &run_fd, &profile, &err);
    pr_input_hide_names(&settings->common, &profile, loaded, &err);
    const int status = make(settings, item, run_fd, profile, &err, facts);
    pr_profile_free(profile);
    if (run_fd >= 0)
        close(run_fd);
    return status;
}
