/* SPDX-License-Identifier: Apache-2.0 */
/* Known metrics have words of their own; the others keep the profile's names. */
#include "render/model/views.h"

#include "capture/base/ascii.h"
#include "capture/base/checked.h"
#include "capture/model/run_times.h"
#include "profrender/heap_words.h"
#include "render/model/heat_scale.h"
#include "render/words/ending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
    const char *metric;
    enum pr_unit unit;
    bool is_heap;
    const char *id, *tab, *heading, *nothing;
};

static const char all_zero[] = "It is 0 everywhere.";

static const struct words known[] = {
    {"peak", PR_UNIT_BYTES, true, "peak", "Peak", NULL, NULL}, /* of pr_heap_words() */
    {"leaked", PR_UNIT_BYTES, true, "leaks", "Not freed", "Not freed at the end",
     "Everything that was allocated was freed."},
    {"temporary", PR_UNIT_BYTES, true, "temporary", "Temporary", "Temporary allocations",
     "No allocation was freed right after it was made."},
    {"temporary", PR_UNIT_COUNT, false, "temporary", "Temporary", "Temporary allocations",
     "No allocation was freed right after it was made."},
    {"allocated", PR_UNIT_BYTES, false, "allocated", "Allocated", "Allocated in total", all_zero},
    {"allocations", PR_UNIT_COUNT, false, "allocations", "Allocations", "Allocations", all_zero},
    {"inuse_space", PR_UNIT_BYTES, false, "in-use", "In use", "Memory in use", all_zero},
    {"inuse_objects", PR_UNIT_COUNT, false, "objects", "Objects in use", "Objects in use", all_zero},
    {"alloc_space", PR_UNIT_BYTES, false, "allocated", "Allocated", "Memory allocated", all_zero},
    {"objects", PR_UNIT_COUNT, false, "objects", "Objects", "Objects created", "No object was created."},
    {"objects_alive", PR_UNIT_COUNT, false, "objects-alive", "Objects alive", "Objects alive at the end",
     "Every object that was created was destroyed."},
    {"retained", PR_UNIT_BYTES, false, "retained", "Retained", "Retained memory", all_zero},
    {"held_by", PR_UNIT_BYTES, false, "held-by", "Held by", "Held by single objects", all_zero},
    {"unreachable", PR_UNIT_BYTES, false, "unreachable", "Not retained", "Not retained", all_zero},
    {"shallow", PR_UNIT_BYTES, false, "shallow", "Shallow", "Shallow sizes by class", all_zero},
    {"alloc_objects", PR_UNIT_COUNT, false, "allocated-objects", "Allocated objects", "Objects allocated",
     all_zero},
};

/* Titles that are bare names from a file are not for people; these are, where the name says what it is. */
static const struct {
    const char *name, *title;
} titles[] = {{"cpu", "CPU time"}, {"samples", "Samples"}, {"contentions", "Contentions"}, {"delay", "Delay"}};

static const struct words *find_words(const struct pr_metric *metric)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (metric->unit == known[i].unit && !strcmp(metric->name, known[i].metric))
            return &known[i];
    }
    return NULL;
}

static const char *title_of(const struct pr_metric *metric)
{
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (!strcmp(metric->title, metric->name) && !strcmp(metric->name, titles[i].name))
            return titles[i].title;
    }
    return metric->title;
}

/* HEADING, or that of the memory at its peak, which has none of its own. */
static const char *heading_of(const struct pr_profile *profile, const struct words *words)
{
    return words->heading ? words->heading : pr_heap_words(profile)->title_at_peak;
}

const char *pr_view_heading(const struct pr_profile *profile, const struct pr_metric *metric)
{
    const struct words *words = find_words(metric);
    return words ? heading_of(profile, words) : title_of(metric);
}

static bool is_taken(const struct pr_views *views, const char *id)
{
    static const char table[] = "table";
    for (uint32_t i = 0; i < views->count; i++) {
        if (!strcmp(views->view[i].id, id))
            return true;
    }
    return !strcmp(id, table);
}

/* What is left of NAME as an id: "Cycles:u" is "cycles-u". Names that leave none, or one that is taken: a number. */
static void choose_id(const struct pr_views *views, struct pr_view *view, const char *name)
{
    size_t length = 0;
    for (; *name && length < sizeof view->id - 1; name++) {
        if (pr_is_alphanumeric(*name))
            view->id[length++] = pr_ascii_lower(*name);
        else if (length && view->id[length - 1] != '-')
            view->id[length++] = '-';
    }
    view->id[length] = '\0';
    if (!length || is_taken(views, view->id))
        snprintf(view->id, sizeof view->id, "metric.%u", view->metric);
}

static void add_view(const struct pr_profile *profile, unsigned number, struct pr_views *views)
{
    const struct pr_metric *metric = &profile->metrics[number];
    const struct words *words = find_words(metric);
    struct pr_view view = {.metric = number, .nothing = all_zero};
    if (words) {
        view.tab = words->tab;
        view.heading = heading_of(profile, words);
        view.nothing = words->nothing ? words->nothing : pr_heap_words(profile)->always_empty;
        view.is_heap = words->is_heap;
    } else {
        view.tab = view.heading = title_of(metric);
    }
    if (pr_ending_is_in_use(profile, metric)) {
        view.tab = "Still in use";
        view.heading = pr_ending_metric(profile, metric);
    }
    choose_id(views, &view, words ? words->id : metric->name);
    views->view[views->count++] = view;
}

/*
 * Everything that memray ever saw allocated has a tab where the heat map shows when that was; elsewhere it only shows
 * how busy a place is, and people look for where memory is held. In a difference, what a metric is compared with is
 * in the tab of that metric.
 */
static bool is_shown(const struct pr_profile *profile, const struct pr_metric *metric)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].base && &profile->metrics[profile->metrics[i].base - 1] == metric)
            return false;
    }
    if (!pr_profile_has_allocations(profile) || strcmp(metric->name, "allocated") != 0)
        return true;
    return pr_heat_has_moments(profile) && pr_profile_moment_metric(profile) == metric - profile->metrics &&
           pr_heat_scale_of(profile, &(struct pr_heat_scale){0});
}

/* ---- the news of a difference ------------------------------------------------------------------------------------ */

bool pr_change_is_news(int64_t before, int64_t after)
{
    enum { WORTH = 20 };
    const int64_t change = pr_subtract_saturated(after, before);
    return (change < 0 ? pr_subtract_saturated(0, change) : change) > before / WORTH;
}

bool pr_view_is_news(const struct pr_profile *profile, const struct pr_metric *after)
{
    return pr_change_is_news(profile->metrics[after->base - 1].total_value, after->total_value);
}

/* The peak is what ends runs, then time; of other metrics the first one that changed. */
static unsigned rank_of(const struct pr_profile *profile, const struct pr_view *view)
{
    enum { NOT_NEWS = 4, NOT_COMPARED = 8 };
    const struct pr_metric *metric = &profile->metrics[view->metric];
    const unsigned rank = !strcmp(metric->name, "peak") ? 0 : metric->unit == PR_UNIT_NANOSECONDS ? 1 : 2;
    return !metric->base ? NOT_COMPARED : pr_view_is_news(profile, metric) ? rank : rank + NOT_NEWS;
}

static void put_news_first(const struct pr_profile *profile, struct pr_views *views)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < views->count; i++)
        if (rank_of(profile, &views->view[i]) < rank_of(profile, &views->view[best]))
            best = i;
    const struct pr_view news = views->view[best];
    memmove(&views->view[1], views->view, best * sizeof news);
    views->view[0] = news;
}

enum pr_status pr_views_make(const struct pr_profile *profile, struct pr_views *views, struct pr_error *err)
{
    *views = (struct pr_views){.view = calloc(profile->metric_count + (size_t)1, sizeof *views->view)};
    if (!views->view)
        return pr_fail_memory(err);
    /* Time comes first, except for a run that ended for lack of memory; otherwise the order is that of the file. */
    const bool time_is_first = !pr_ending_is_of_memory(profile);
    for (int rest = 0; rest < 2; rest++) {
        for (unsigned i = 0; i < profile->metric_count; i++) {
            const struct pr_metric *metric = &profile->metrics[i];
            const bool is_time = metric->unit == PR_UNIT_NANOSECONDS;
            if (is_time == (time_is_first != rest) && is_shown(profile, metric))
                add_view(profile, i, views);
        }
    }
    if (profile->is_difference && views->count)
        put_news_first(profile, views);
    return PR_OK;
}

void pr_views_clear(struct pr_views *views)
{
    free(views->view);
    *views = (struct pr_views){0};
}
