/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the runs that are compared, and how their memory and CPU went over time, from the same start. */
#include "capture/base/checked.h"
#include "capture/compose/diff_internal.h"
#include "capture/model/run_figures.h"
#include "profrender/heap_words.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *title;
} compared[] = {{"rss", "RSS"}, {"heap", "Heap"}, {"cpu", "CPU"}};

enum { COMPARED = sizeof compared / sizeof *compared };

static bool take_text(struct pr_diff_parts *parts, const struct pr_profile *profile, pr_str from, pr_str *to)
{
    const struct pr_text text = pr_profile_text(profile, from);
    *to = pr_strings_add(&parts->strings, text.bytes, text.length);
    return *to != PR_NO_STR;
}

static bool take_facts(struct pr_diff_parts *parts, const struct pr_profile *profile)
{
    const struct pr_run *run = &profile->run;
    const struct pr_failure *failure = &run->failure;
    const struct pr_run_figure cpu = pr_run_cpu_time(profile);
    if (!pr_grow(&parts->runs, &parts->run_capacity, parts->run_count + 1, sizeof *parts->runs))
        return false;
    struct pr_diff_run *made = &parts->runs[parts->run_count++];
    *made = (struct pr_diff_run){.python_version = profile->meta.python_version,
                                 .start_ms = profile->meta.start_ms,
                                 .wall_ns = run->wall_ns,
                                 .cpu_ns = {cpu.known, cpu.value},
                                 .peak_rss_bytes = pr_run_peak_rss(profile),
                                 .memory_limit_bytes = run->memory_limit_bytes,
                                 .machine_cpus = run->machine_cpus,
                                 .exit = failure->exit,
                                 .signal = failure->signal,
                                 .failed = pr_failure_is_one(failure),
                                 .complete = profile->complete};
    const bool ended = failure->exception_count && failure->final_exception < failure->exception_count;
    const pr_str type = ended ? failure->exceptions[failure->final_exception].type : 0;
    return take_text(parts, profile, profile->meta.command_line, &made->command_line) &&
           take_text(parts, profile, run->flow, &made->flow) && take_text(parts, profile, run->run, &made->run) &&
           take_text(parts, profile, run->step, &made->step) &&
           take_text(parts, profile, run->host, &made->host) &&
           take_text(parts, profile, run->commit, &made->commit) &&
           take_text(parts, profile, run->recorder, &made->recorder) &&
           take_text(parts, profile, type, &made->exception);
}

static bool take_phases(struct pr_diff_parts *parts, const struct pr_profile *profile)
{
    struct pr_phases *phases = &parts->runs[parts->run_count - 1].phases;
    bool done = !profile->run.mark_count || pr_phases_make(profile, phases, NULL) != PR_FAILED;
    for (uint32_t i = 0; done && i < phases->count; i++)
        done = take_text(parts, profile, phases->at[i].name, &phases->at[i].name);
    return done;
}

/* When it began: what it says of itself, or its first point. */
static int64_t start_of(const struct pr_profile *profile)
{
    bool known = profile->meta.start_ms.known || profile->meta.no_date;
    int64_t start = profile->meta.start_ms.known ? profile->meta.start_ms.value : 0;
    for (uint32_t i = 0; i < profile->series_count && !known; i++) {
        known = profile->series[i].count > 0;
        start = known ? profile->series[i].at_ms[0] : start;
    }
    return start;
}

/* The highest moment of the heap is known of every allocation; a curve of samples may pass below it. */
static void add_peak(struct pr_diff_curve *curve, const struct pr_profile *profile, int64_t start)
{
    if (strcmp(curve->name, "heap") != 0 || !profile->peak_at_ms.known)
        return;
    const int64_t at = pr_subtract_saturated(profile->peak_at_ms.value, start);
    size_t place = curve->count;
    for (; place > 0 && curve->at_ms[place - 1] > at; place--) {
        curve->at_ms[place] = curve->at_ms[place - 1];
        curve->value[place] = curve->value[place - 1];
    }
    curve->at_ms[place] = at;
    curve->value[place] = profile->peak_bytes;
    curve->count++;
}

static bool take_curve(struct pr_diff_parts *parts, const struct pr_profile *profile, size_t which)
{
    const int index = pr_profile_series(profile, compared[which].name);
    const struct pr_series *series = index < 0 ? NULL : &profile->series[index];
    if (!series || !series->count)
        return true;
    struct pr_diff_curve curve = {.profile = (uint32_t)parts->run_count - 1,
                                  .name = compared[which].name,
                                  .title = !strcmp(compared[which].name, "heap") ? pr_heap_words(profile)->title
                                                                                 : compared[which].title,
                                  .unit = series->unit,
                                  .count = series->count,
                                  .at_ms = calloc(series->count + 1, sizeof *curve.at_ms),
                                  .value = calloc(series->count + 1, sizeof *curve.value)};
    if (!curve.at_ms || !curve.value ||
        !pr_grow(&parts->curves, &parts->curve_capacity, parts->curve_count + 1, sizeof *parts->curves)) {
        free(curve.at_ms);
        free(curve.value);
        return false;
    }
    const int64_t start = start_of(profile);
    for (size_t i = 0; i < curve.count; i++) {
        curve.at_ms[i] = pr_subtract_saturated(series->at_ms[i], start);
        curve.value[i] = series->value[i];
    }
    add_peak(&curve, profile, start);
    parts->curves[parts->curve_count++] = curve;
    return true;
}

bool pr_diff_take_run(struct pr_diff_parts *parts, const struct pr_profile *profile)
{
    bool done = take_facts(parts, profile) && take_phases(parts, profile);
    for (size_t i = 0; done && i < COMPARED; i++)
        done = take_curve(parts, profile, i);
    return done;
}

/* ---- in the difference ------------------------------------------------------------------------------------------ */

/* The curve of one of the two profiles that is compared with CURVE, or NULL. */
static const struct pr_diff_curve *other_of(const struct pr_diff_parts *parts, const struct pr_diff_curve *curve)
{
    for (size_t i = 0; i < parts->curve_count; i++) {
        const struct pr_diff_curve *other = &parts->curves[i];
        if (other->profile != curve->profile && other->name == curve->name && other->unit == curve->unit)
            return other;
    }
    return NULL;
}

static bool make_curve(struct pr_profile *made, const struct pr_diff_curve *curve, int64_t start_ms,
                       struct pr_series *series)
{
    const char *side = curve->profile ? "before" : "after";
    char name[40], title[40];
    snprintf(name, sizeof name, "%s %s", curve->name, side);
    snprintf(title, sizeof title, "%s %s", curve->title, side);
    int64_t *at_ms = pr_arena_array(&made->arena, curve->count, sizeof *at_ms);
    int64_t *value = pr_arena_array(&made->arena, curve->count, sizeof *value);
    *series = (struct pr_series){.name = pr_arena_copy(&made->arena, name, strlen(name)),
                                 .title = pr_arena_copy(&made->arena, title, strlen(title)),
                                 .unit = curve->unit,
                                 .count = curve->count,
                                 .at_ms = at_ms,
                                 .value = value};
    for (size_t i = 0; at_ms && value && i < curve->count; i++) {
        at_ms[i] = pr_add_saturated(curve->at_ms[i], start_ms);
        value[i] = curve->value[i];
    }
    return series->name && series->title && at_ms && value;
}

static bool make_curves(struct pr_diff *diff)
{
    const struct pr_diff_parts *parts = diff->parts;
    struct pr_profile *made = diff->profile;
    struct pr_series *series = pr_arena_array(&made->arena, parts->curve_count, sizeof *series);
    if (!series)
        return false;
    const int64_t start_ms = made->meta.start_ms.known ? made->meta.start_ms.value : 0;
    for (size_t i = 0; i < parts->curve_count; i++) {
        const struct pr_diff_curve *after = &parts->curves[i], *before = other_of(parts, after);
        if (after->profile || !before)
            continue;
        if (!make_curve(made, after, start_ms, &series[made->series_count++]) ||
            !make_curve(made, before, start_ms, &series[made->series_count++]))
            return false;
    }
    made->series = series;
    return true;
}

bool pr_diff_make_runs(struct pr_diff *diff)
{
    const struct pr_diff_parts *parts = diff->parts;
    struct pr_diff_run *runs = pr_arena_array(&diff->profile->arena, parts->run_count, sizeof *runs);
    if (!runs)
        return false;
    memcpy(runs, parts->runs, parts->run_count * sizeof *runs);
    diff->runs = runs;
    return diff->count != 2 || make_curves(diff);
}

void pr_diff_runs_clear(struct pr_diff_parts *parts)
{
    for (size_t i = 0; i < parts->curve_count; i++) {
        free(parts->curves[i].at_ms);
        free(parts->curves[i].value);
    }
    for (size_t i = 0; i < parts->run_count; i++)
        pr_phases_clear(&parts->runs[i].phases);
    free(parts->curves);
    free(parts->runs);
}
