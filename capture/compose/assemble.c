/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles with stacks are grouped by kind; two of a kind go to a merger. The others wait, and contribute at the end.
 */
#include "profrender/assemble.h"

#include "capture/compose/run_facts.h"
#include "capture/base/checked.h"
#include "capture/model/series.h"
#include "profrender/combine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    struct pr_profile *profile; /* owned */
    const char *name;           /* in its arena */
};

/* Profiles with stacks that measure the same. */
struct group {
    struct part first;        /* what kind it is */
    struct pr_merger *merger; /* from the second one on; the first is in it too */
};

struct pr_assemble {
    struct pr_arena arena;
    struct part *parts; /* what is not merged: all without stacks, and those with stacks that know about the run */
    size_t count, capacity;
    struct group *groups; /* in the order of their first profiles */
    size_t group_count, group_capacity;
    const char **notes;
    size_t note_count, note_capacity;
};

enum pr_status pr_assemble_new(struct pr_assemble **whole, struct pr_error *err)
{
    *whole = calloc(1, sizeof **whole);
    return *whole ? PR_OK : pr_fail_memory(err);
}

void pr_assemble_free(struct pr_assemble *whole)
{
    if (!whole)
        return;
    for (size_t i = 0; i < whole->count; i++)
        pr_profile_free(whole->parts[i].profile);
    for (size_t i = 0; i < whole->group_count; i++) {
        pr_profile_free(whole->groups[i].first.profile);
        pr_merger_free(whole->groups[i].merger);
    }
    free(whole->groups);
    free(whole->parts);
    free(whole->notes);
    pr_arena_clear(&whole->arena);
    free(whole);
}

const char *pr_assemble_left_out(const struct pr_assemble *whole, size_t index)
{
    for (size_t i = 0; i < whole->group_count; i++) {
        const char *name;
        for (size_t k = 0; whole->groups[i].merger && (name = pr_merger_left_out(whole->groups[i].merger, k)); k++) {
            if (!index--)
                return name;
        }
    }
    return NULL;
}

static enum pr_status keep(struct pr_assemble *whole, struct part part, struct pr_error *err)
{
    if (!pr_grow(&whole->parts, &whole->capacity, whole->count + 1, sizeof *whole->parts)) {
        pr_profile_free(part.profile);
        return pr_fail_memory(err);
    }
    whole->parts[whole->count++] = part;
    return PR_OK;
}

/* A profile that was merged or combined is no longer needed, unless it knows about the run. */
static enum pr_status keep_run(struct pr_assemble *whole, struct part part, struct pr_error *err)
{
    if (pr_run_is_known(&part.profile->run)) {
        part.profile->series_count = part.profile->note_count = 0; /* they are in the sum */
        return keep(whole, part, err);
    }
    pr_profile_free(part.profile);
    return PR_OK;
}

static enum pr_status add_group(struct pr_assemble *whole, struct part part, struct pr_error *err)
{
    if (!pr_grow(&whole->groups, &whole->group_capacity, whole->group_count + 1, sizeof *whole->groups)) {
        pr_profile_free(part.profile);
        return pr_fail_memory(err);
    }
    whole->groups[whole->group_count++] = (struct group){part, NULL};
    return PR_OK;
}

static enum pr_status add_to_group(struct pr_assemble *whole, struct group *group, struct part part,
                                   struct pr_error *err)
{
    const struct part *first = &group->first;
    enum pr_status status = PR_OK;
    if (!group->merger) {
        status = pr_merger_new(PR_MERGE_PROCESSES, &group->merger, err);
        if (status == PR_OK)
            status = pr_merger_add(group->merger, first->profile, first->name, err);
    }
    if (status == PR_OK)
        status = pr_merger_add(group->merger, part.profile, part.name, err);
    if (status == PR_OK)
        return keep_run(whole, part, err);
    pr_profile_free(part.profile);
    return status;
}

enum pr_status pr_assemble_add(struct pr_assemble *whole, struct pr_profile *profile, const char *name,
                               struct pr_error *err)
{
    struct part part = {profile, pr_arena_copy(&whole->arena, name ? name : "", name ? strlen(name) : 0)};
    if (!part.name) {
        pr_profile_free(profile);
        return pr_fail_memory(err);
    }
    if (!profile->metric_count)
        return keep(whole, part, err);
    for (size_t i = 0; i < whole->group_count; i++) {
        if (pr_is_same_kind(whole->groups[i].first.profile, profile))
            return add_to_group(whole, &whole->groups[i], part, err);
    }
    return add_group(whole, part, err);
}

static enum pr_status note(struct pr_assemble *whole, const char *text, struct pr_error *err)
{
    if (!pr_grow(&whole->notes, &whole->note_capacity, whole->note_count + 1, sizeof *whole->notes))
        return pr_fail_memory(err);
    whole->notes[whole->note_count] = pr_arena_copy(&whole->arena, text, strlen(text));
    return whole->notes[whole->note_count++] ? PR_OK : pr_fail_memory(err);
}

enum pr_status pr_assemble_leave_out(struct pr_assemble *whole, const char *name, const char *why, struct pr_error *err)
{
    char text[400];
    snprintf(text, sizeof text, "the file %s is left out: %s", name, why);
    return note(whole, text, err);
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

/* Times that are further apart than this are of two clocks, or of two runs: together they would last for years. */
enum { SAME_RUN_MS = 3600 * 1000 };

/* Whether ONE ends long before OTHER begins. */
static bool is_long_before(const struct pr_meta *one, const struct pr_meta *other)
{
    int64_t gap_ms;
    return one->end_ms.known && other->start_ms.known &&
           (__builtin_sub_overflow(other->start_ms.value, one->end_ms.value, &gap_ms) ? other->start_ms.value > 0
                                                                                       : gap_ms > SAME_RUN_MS);
}

/* Whether the times of FROM are on another clock than those of TO, where one of both has points in time of its own. */
static bool has_other_clock(const struct pr_profile *to, const struct pr_profile *from)
{
    const bool to_has_points = to->series_count || to->metric_count, from_has_points = from->series_count;
    return to_has_points != from_has_points &&
           (is_long_before(&to->meta, &from->meta) || is_long_before(&from->meta, &to->meta));
}

/* From the earliest to the latest that any of the files knows. */
static void fill_times(struct pr_meta *to, const struct pr_meta *from)
{
    if (from->start_ms.known && (!to->start_ms.known || from->start_ms.value < to->start_ms.value))
        to->start_ms = from->start_ms;
    if (from->end_ms.known && (!to->end_ms.known || to->end_is_last_sample || from->end_ms.value > to->end_ms.value)) {
        to->end_ms = from->end_ms;
        to->end_is_last_sample = false;
    }
}

/* It took as long as the longer of both says: OTHER counts from another beginning. */
static void last_as_long_as(struct pr_meta *to, const struct pr_meta *other)
{
    int64_t span_ms, end_ms;
    if (!to->start_ms.known || !other->start_ms.known || !other->end_ms.known ||
        __builtin_sub_overflow(other->end_ms.value, other->start_ms.value, &span_ms) ||
        __builtin_add_overflow(to->start_ms.value, span_ms, &end_ms))
        return;
    if (!to->end_ms.known || end_ms > to->end_ms.value) {
        to->end_ms = (struct pr_maybe){true, end_ms};
        to->end_is_last_sample = false;
    }
}

/* Of two clocks, that of the points in time counts; the other one says only how long it took. */
static void fill_other_times(struct pr_meta *to, const struct pr_meta *from, bool from_has_points)
{
    const struct pr_meta before = *to;
    if (from_has_points) {
        to->start_ms = to->end_ms = (struct pr_maybe){0};
        fill_times(to, from);
    }
    last_as_long_as(to, from_has_points ? &before : from);
}

/* What ran, and when. */
static void fill_meta(struct pr_run_facts *a, bool other_clock)
{
    const struct pr_meta *from = &a->from->meta;
    struct pr_meta *to = &a->to->meta;
    if (from->command_line) /* the recorded command, not what it became when run by a profiler */
        to->command_line = pr_run_facts_string(a, from->command_line);
    pr_run_facts_maybe(&to->pid, from->pid);
    if (other_clock)
        fill_other_times(to, from, a->from->series_count);
    else
        fill_times(to, from);
    to->size_bytes = to->size_bytes > UINT64_MAX - from->size_bytes ? UINT64_MAX : to->size_bytes + from->size_bytes;
}

/* ---- series ----------------------------------------------------------------------------------------------------- */

static const char *copy_words(struct pr_run_facts *a, const char *words)
{
    const char *copy = pr_arena_copy(&a->to->arena, words, strlen(words));
    a->no_memory |= !copy;
    return copy;
}

static const int64_t *copy_column(struct pr_run_facts *a, const int64_t *column, size_t count)
{
    int64_t *copy = pr_arena_array(&a->to->arena, count, sizeof *copy);
    if (copy && count)
        memcpy(copy, column, count * sizeof *copy);
    a->no_memory |= !copy;
    return copy;
}

/* A new name for a series of a capture that the whole process tree has too; others of the same name are left out. */
static void rename_captured(struct pr_series *series, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(series[i].name, "rss"))
            continue;
        series[i].name = "rss_captured";
        series[i].title = "RSS, captured";
    }
}

static bool has_series(const struct pr_series *series, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(series[i].name, name))
            return true;
    return false;
}

static void add_series(struct pr_run_facts *a)
{
    struct pr_profile *to = a->to;
    const uint32_t most = to->series_count + a->from->series_count;
    struct pr_series *series = pr_arena_array(&to->arena, most, sizeof *series);
    uint32_t count = to->series_count;
    a->no_memory |= !series;
    if (a->no_memory)
        return;
    if (count)
        memcpy(series, to->series, count * sizeof *series);
    if (has_series(a->from->series, a->from->series_count, "rss") && !has_series(series, count, "rss_captured"))
        rename_captured(series, count);
    for (uint32_t i = 0; i < a->from->series_count; i++) {
        const struct pr_series *one = &a->from->series[i];
        if (has_series(series, count, one->name))
            continue;
        series[count] = *one;
        series[count].name = copy_words(a, one->name);
        series[count].title = copy_words(a, one->title);
        series[count].at_ms = copy_column(a, one->at_ms, one->count);
        series[count++].value = copy_column(a, one->value, one->count);
        if (a->no_memory)
            return;
    }
    a->no_memory |= !pr_series_sort(series, count);
    to->series = series;
    to->series_count = count;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static enum pr_status add_notes(struct pr_assemble *whole, struct pr_profile *to, const struct pr_profile *from,
                                struct pr_error *err)
{
    const uint32_t more = from ? from->note_count : (uint32_t)whole->note_count;
    const char *const *words = from ? from->notes : whole->notes;
    const char **notes = pr_arena_array(&to->arena, to->note_count + (size_t)more, sizeof *notes);
    if (!notes)
        return pr_fail_memory(err);
    if (to->note_count)
        memcpy(notes, to->notes, to->note_count * sizeof *notes);
    for (uint32_t i = 0; i < more; i++) {
        notes[to->note_count] = pr_arena_copy(&to->arena, words[i], strlen(words[i]));
        if (!notes[to->note_count])
            return pr_fail_memory(err);
        to->note_count++;
    }
    to->notes = notes;
    return PR_OK;
}

static bool is_dated(const struct pr_profile *profile)
{
    return profile->series_count && !profile->meta.no_date;
}

/* True if any file with points in time has a date: files without a date then cannot be placed. */
static bool any_dated(const struct pr_assemble *whole, const struct pr_profile *base)
{
    bool dated = base->meta.start_ms.known && !base->meta.no_date;
    for (size_t i = 0; i < whole->count; i++)
        dated = dated || is_dated(whole->parts[i].profile);
    return dated;
}

static enum pr_status attach(struct pr_assemble *whole, const struct part *part, bool dated, struct pr_profile *base,
                             struct pr_error *err)
{
    struct pr_run_facts a = {.to = base, .from = part->profile};
    const struct pr_profile *from = part->profile;
    const bool other_clock = has_other_clock(base, from);
    if (other_clock &&
        note(whole,
             "the times in run.json are not those of the other files: one of the clocks was wrong, or they are of "
             "two runs; moments are those of the other files",
             err) != PR_OK)
        return PR_FAILED;
    fill_meta(&a, other_clock);
    pr_run_facts_run(&a);
    if (from->series_count && from->meta.no_date && dated) {
        if (pr_assemble_leave_out(whole, part->name, "it has no date that aligns it with the others", err) !=
            PR_OK)
            return PR_FAILED;
    } else if (from->series_count) {
        base->meta.no_date = from->meta.no_date;
        add_series(&a);
    }
    pr_damage_add_all(&base->damage, &from->damage);
    if (!from->complete && base->complete) {
        base->complete = false;
        base->problem = from->problem;
    }
    return a.no_memory ? pr_fail_memory(err) : add_notes(whole, base, from, err);
}

/* The sum of a group becomes its first profile. */
static enum pr_status finish_group(struct pr_assemble *whole, struct group *group, struct pr_error *err)
{
    const struct part first = group->first;
    struct pr_profile *sum;
    if (!group->merger)
        return PR_OK;
    if (pr_merger_finish(group->merger, &sum, err) == PR_FAILED)
        return PR_FAILED;
    group->first = (struct part){sum, ""};
    return keep_run(whole, first, err);
}

static enum pr_status combine_groups(struct pr_assemble *whole, struct pr_profile **base, struct pr_error *err)
{
    const struct pr_profile **profiles = calloc(whole->group_count, sizeof *profiles);
    const char **names = calloc(whole->group_count, sizeof *names);
    enum pr_status status = profiles && names ? PR_OK : pr_fail_memory(err);
    for (size_t i = 0; status == PR_OK && i < whole->group_count; i++) {
        profiles[i] = whole->groups[i].first.profile;
        names[i] = whole->groups[i].first.name;
    }
    if (status == PR_OK)
        status = pr_combine(profiles, names, whole->group_count, base, err);
    for (size_t i = 0; status == PR_OK && i < whole->group_count; i++) {
        const struct part part = whole->groups[i].first;
        whole->groups[i].first.profile = NULL;
        status = keep_run(whole, part, err);
    }
    free(profiles);
    free(names);
    return status;
}

/* Everything with stacks; NULL if nothing has any. */
static enum pr_status base_of_stacks(struct pr_assemble *whole, struct pr_profile **base, struct pr_error *err)
{
    enum pr_status status = PR_OK;
    for (size_t i = 0; i < whole->group_count && status == PR_OK; i++)
        status = finish_group(whole, &whole->groups[i], err);
    if (status != PR_OK || !whole->group_count)
        return status;
    if (whole->group_count > 1)
        return combine_groups(whole, base, err);
    *base = whole->groups[0].first.profile;
    whole->groups[0].first.profile = NULL;
    return PR_OK;
}

/* What the rest is added to: the profile with stacks, else a timeline with a date, else the first file. */
static enum pr_status base_of(struct pr_assemble *whole, struct pr_profile **base, struct pr_error *err)
{
    size_t best = 0;
    const enum pr_status status = base_of_stacks(whole, base, err);
    if (status != PR_OK || *base)
        return status;
    if (!whole->count)
        return pr_fail(err, PR_ERR_EMPTY, PR_NO_OFFSET, NULL, "it has nothing to show");
    while (best < whole->count && !is_dated(whole->parts[best].profile))
        best++;
    best = best < whole->count ? best : 0;
    *base = whole->parts[best].profile;
    memmove(&whole->parts[best], &whole->parts[best + 1], (whole->count - best - 1) * sizeof *whole->parts);
    whole->count--;
    return PR_OK;
}

enum pr_status pr_assemble_finish(struct pr_assemble *whole, struct pr_profile **profile, struct pr_error *err)
{
    struct pr_profile *base = NULL;
    *profile = NULL;
    enum pr_status status = base_of(whole, &base, err);
    if (status != PR_OK) {
        pr_profile_free(base);
        return status;
    }
    const bool dated = any_dated(whole, base);
    if (base->meta.no_date && dated)
        base->series_count = 0;
    for (size_t i = 0; i < whole->count && status == PR_OK; i++)
        status = attach(whole, &whole->parts[i], dated, base, err);
    if (status == PR_OK && whole->note_count)
        status = add_notes(whole, base, NULL, err);
    pr_failure_settle(&base->run.failure);
    if (status == PR_OK)
        *profile = base;
    else
        pr_profile_free(base);
    return status;
}
