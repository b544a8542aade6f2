/* SPDX-License-Identifier: Apache-2.0 */
/* Reading bins and windows; numbers are taken as written, with nothing after them. */
#include "cli/args/window_option.h"
#include "capture/base/ascii.h"
#include "capture/base/time.h"
#include "capture/model/run_times.h"

#include "capture/base/checked.h"
#include "cli/args/options.h"
#include "cli/io/say.h"
#include "profrender/phases.h"
#include "render/words/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTION_SIZE = 100 };
#define PHASE "phase:"

bool pr_bins_parse(const char *text, uint32_t *max_bins)
{
    if (!strcmp(text, "samples")) {
        *max_bins = 0;
        return true;
    }
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (!pr_is_digit(*text) || *end || errno || !number || number >= UINT32_MAX)
        return false;
    *max_bins = (uint32_t)number;
    return true;
}

/*
 * One end of a window: a number, after a `b` when it is that of a bin; *TEXT then points after it. Where nothing is
 * written, it is OPEN.
 */
static bool read_end(const char **text, bool in_bins, double open, double *number)
{
    *number = open;
    if (!**text || **text == ':')
        return true;
    if (in_bins && *(*text)++ != 'b')
        return false;
    if (!pr_is_digit(**text) && !(**text == '.' && !in_bins))
        return false;
    char *end;
    *number = strtod(*text, &end);
    *text = end;
    return isfinite(*number) && (!in_bins || *number == floor(*number));
}

enum pr_window_form pr_window_parse(const char *text, struct pr_window_option *option)
{
    const char *at = text;
    *option = (struct pr_window_option){0};
    if (!strncmp(text, PHASE, strlen(PHASE))) {
        option->phase = text + strlen(PHASE);
        return *option->phase ? PR_WINDOW_GOOD : PR_WINDOW_UNREADABLE;
    }
    option->in_bins = strchr(text, 'b') != NULL;
    if (strlen(text) < 2 || !read_end(&at, option->in_bins, 0, &option->from) || *at++ != ':' ||
        !read_end(&at, option->in_bins, INFINITY, &option->to) || *at)
        return text[0] == '-' && pr_is_digit(text[1]) ? PR_WINDOW_EARLY : PR_WINDOW_UNREADABLE;
    return option->from <= option->to ? PR_WINDOW_GOOD : PR_WINDOW_BACKWARD;
}

int pr_window_read(const struct pr_command *command, const char *name, const char *text,
                   struct pr_window_option *option)
{
    switch (pr_window_parse(text, option)) {
    case PR_WINDOW_GOOD: break;
    case PR_WINDOW_BACKWARD: return pr_wrong_usage(command, "--%s %s ends before it starts", name, text);
    case PR_WINDOW_EARLY:
        return pr_wrong_usage(command, "--%s %s starts before the run; seconds count from its start", name, text);
    case PR_WINDOW_UNREADABLE:
        return pr_wrong_usage(
            command, "--%s takes FROM:TO in seconds (12.5:60, 60: or :5) or in bins (b3:b17), or phase:NAME, not '%s'",
            name, text);
    }
    return PR_EXIT_DONE;
}

/* Seconds count from where the run begins, as on the card: its heap may be known only later. */
static int64_t origin_of(const struct pr_profile *profile)
{
    const struct pr_maybe origin = pr_times_origin_ms(profile);
    const int64_t first_ms = profile->bins[0].start_ms;
    return origin.known && origin.value < first_ms ? origin.value : first_ms;
}

/* To the end of the heap, or of the run. */
static int64_t length_of(const struct pr_profile *profile)
{
    const struct pr_maybe end = profile->meta.end_ms;
    const int64_t last_ms = profile->bins[profile->bin_count - 1].end_ms;
    return pr_subtract_saturated(end.known && end.value > last_ms ? end.value : last_ms, origin_of(profile));
}

bool pr_window_find(const struct pr_window_option *option, const struct pr_profile *profile, struct pr_window *window)
{
    int64_t from_ms, to_ms;
    if (!profile->bin_count)
        return false;
    if (option->phase)
        return pr_phase_find(profile, option->phase, &from_ms, &to_ms) &&
               pr_phase_window(profile, from_ms, to_ms, window);
    if (!option->in_bins) {
        const double start = (double)origin_of(profile), first = (double)profile->bins[0].start_ms, far = 1e15;
        const double from = start + option->from * 1000, to = start + option->to * 1000;
        if (to < first || (to == first && from < to)) /* before anything is known of the heap */
            return false;
        return from < far && from <= (double)profile->bins[profile->bin_count - 1].end_ms &&
               pr_window_of_time(profile, (int64_t)floor(from), (int64_t)ceil(to < far ? to : far), window);
    }
    if (option->from >= profile->bin_count)
        return false;
    window->first = (uint32_t)option->from;
    window->last = option->to < profile->bin_count ? (uint32_t)option->to : profile->bin_count - 1;
    return true;
}

static struct pr_figure seconds(int64_t ms)
{
    const int64_t most_ms = INT64_MAX / PR_NS_PER_MS;
    return pr_units_duration((ms < most_ms ? ms : most_ms) * PR_NS_PER_MS);
}

/* "it lasts 3.80 s", or "its time bins are b0 to b511", or what is known of its phases. */
static void describe_run(const struct pr_window_option *option, const struct pr_profile *profile, int64_t length_ms,
                         char text[DESCRIPTION_SIZE])
{
    const uint32_t phases = pr_phase_count(profile);
    if (option->phase && !phases)
        snprintf(text, DESCRIPTION_SIZE, "the run made no marks");
    else if (option->phase)
        snprintf(text, DESCRIPTION_SIZE, "the run has %s; profrender info lists them",
                 pr_units_counted(phases, "phases").text);
    else if (option->in_bins)
        snprintf(text, DESCRIPTION_SIZE, "the run has the time bins b0 to b%" PRIu32, profile->bin_count - 1);
    else
        snprintf(text, DESCRIPTION_SIZE, "the run lasts %s", seconds(length_ms).text);
}

static int nothing_there(const char *name, const char *text, const char *run)
{
    pr_say("%s: nothing was recorded in the window %s; %s", name, text, run);
    return PR_EXIT_INPUT;
}

/* A window that was asked for and reaches past the end of the run is smaller than it looks. */
static void tell_shorter(const char *name, const char *text, const char *run)
{
    pr_say("%s: the window %s reaches past the end of the run; %s", name, text, run);
}

/* How much pr_units_duration rounds away at most: of three digits, of "6 min 28 s", of "1 h 20 min", of "2 d 02 h". */
static int64_t rounded_away(int64_t ns)
{
    const int64_t minute = INT64_C(60000000000);
    if (ns < minute)
        return ns / 200;
    return ns < 60 * minute ? minute / 120 : ns < 48 * 60 * minute ? minute / 2 : 30 * minute;
}

/* With as many digits as the part needs: it may be short and late in a long run. */
static void set_span(struct pr_part_of_run *part, int64_t start_ms, int64_t from_ns, int64_t to_ns)
{
    const bool is_clear = rounded_away(to_ns) <= pr_subtract_saturated(to_ns, from_ns) / 2;
    part->when = (struct pr_span_of_run){start_ms, from_ns, to_ns};
    snprintf(part->words, sizeof part->words, "%s to %s",
             (is_clear ? pr_units_duration(from_ns) : pr_units_exact(PR_UNIT_NANOSECONDS, from_ns)).text,
             (is_clear ? pr_units_duration(to_ns) : pr_units_exact(PR_UNIT_NANOSECONDS, to_ns)).text);
}

static int64_t ns_since(int64_t ms, int64_t start_ms)
{
    int64_t ns;
    return __builtin_mul_overflow(pr_subtract_saturated(ms, start_ms), PR_NS_PER_MS, &ns) ? INT64_MAX : ns;
}

/* To the nearest nanosecond, within 64 bits: seconds have no exact double. */
static int64_t whole(double ns)
{
    return ns >= (double)INT64_MAX ? INT64_MAX : ns <= (double)INT64_MIN ? INT64_MIN : (int64_t)floor(ns + 0.5);
}

static int cannot(const char *name, const struct pr_error *err)
{
    pr_say("%s: %s", name, err->text);
    return PR_EXIT_INPUT;
}

static int part_in_bins(const struct pr_window_option *option, const char *name, const char *text,
                        const struct pr_profile *profile, struct pr_part_of_run *part)
{
    struct pr_window window;
    struct pr_error err = {0};
    char run[DESCRIPTION_SIZE];
    describe_run(option, profile, length_of(profile), run);
    if (!pr_window_find(option, profile, &window))
        return nothing_there(name, text, run);
    if (option->in_bins && isfinite(option->to) && option->to >= profile->bin_count)
        tell_shorter(name, text, run);
    if (pr_window_view(profile, &window, &part->view, &part->columns, &err) == PR_FAILED)
        return cannot(name, &err);
    const int64_t start_ms = origin_of(profile);
    set_span(part, start_ms, ns_since(profile->bins[window.first].start_ms, start_ms),
             ns_since(profile->bins[window.last].end_ms, start_ms));
    return PR_EXIT_DONE;
}

static int64_t end_of_time(const struct pr_profile *profile)
{
    int64_t end_ns = 0;
    for (size_t i = 0; i < profile->slice_count; i++) {
        const int64_t end = pr_add_saturated(profile->slices[i].start_ns, profile->slices[i].duration_ns);
        end_ns = end > end_ns ? end : end_ns;
    }
    return end_ns;
}

/* As above; what was allocated at the last moment is in a window that ends there. */
static int64_t end_of_moments(const struct pr_profile *profile)
{
    return profile->moments[profile->moment_count - 1].at_ns + 1;
}

/* Where a trace has marks and nothing else has points in time, the marks are its own: of one clock with its slices. */
static bool has_own_marks(const struct pr_profile *profile)
{
    return profile->run.mark_count && !profile->series_count && !profile->bin_count && profile->meta.start_ms.known &&
           profile->meta.format && !strcmp(profile->meta.format, "trace-event");
}

/* The seconds of a phase, since START_MS. False: there is none of that name. */
static bool seconds_of_phase(struct pr_window_option *option, const struct pr_profile *profile, int64_t start_ms)
{
    const double ms_per_s = 1000;
    int64_t from_ms, to_ms;
    if (!pr_phase_find(profile, option->phase, &from_ms, &to_ms))
        return false;
    option->from = (double)pr_subtract_saturated(from_ms, start_ms) / ms_per_s;
    option->to = (double)pr_subtract_saturated(to_ms, start_ms) / ms_per_s;
    return true;
}

/*
 * Seconds since the run began where its timeline and the samples have one clock; else since the first slice or moment,
 * where the time of these begins. METRIC is that of either.
 */
static int part_in_time(const struct pr_window_option *given, const char *name, const char *text,
                        const struct pr_profile *profile, int metric, struct pr_part_of_run *part)
{
    struct pr_window_option of_phase = *given;
    const struct pr_window_option *option = &of_phase;
    const bool of_moments = metric == pr_profile_moment_metric(profile);
    const struct pr_maybe shift = pr_times_of_slices_ns(profile);
    const double ns_per_s = 1e9, first_ns = (double)shift.value,
                 end_ns = first_ns + (double)(of_moments ? end_of_moments(profile) : end_of_time(profile));
    const struct pr_maybe start = shift.known                           ? pr_times_origin_ms(profile)
                                  : pr_profile_has_allocations(profile) ? (struct pr_maybe){0}
                                                                        : profile->meta.start_ms;
    struct pr_error err = {0};
    if (option->phase && (shift.known || has_own_marks(profile))) {
        char run[DESCRIPTION_SIZE];
        describe_run(option, profile, 0, run);
        if (!seconds_of_phase(&of_phase, profile, start.value))
            return nothing_there(name, text, run);
    } else if (option->phase) {
        pr_say("%s: the samples of '%s' have no clock on which to find marks; give seconds", name,
               profile->metrics[metric].name);
        return PR_EXIT_INPUT;
    }
    if (option->in_bins) {
        pr_say("%s: only memory captures have time bins; give the window of '%s' in seconds", name,
               profile->metrics[metric].name);
        return PR_EXIT_INPUT;
    }
    if (option->from * ns_per_s > end_ns || option->to * ns_per_s < first_ns) {
        char run[DESCRIPTION_SIZE];
        describe_run(option, profile, (int64_t)(end_ns / (double)PR_NS_PER_MS), run);
        return nothing_there(name, text, run);
    }
    const int64_t from_ns = whole(option->from * ns_per_s);
    const int64_t to_ns = whole(option->to * ns_per_s < end_ns ? option->to * ns_per_s : end_ns);
    const int64_t first = pr_subtract_saturated(from_ns, shift.value), /* by the clock of the samples */
                  last = pr_subtract_saturated(to_ns, shift.value);
    const enum pr_status status =
        of_moments ? pr_window_view_of_moments(profile, first, last, &part->view, &part->columns, &err)
                   : pr_window_view_of_time(profile, metric, first, last, &part->view, &part->columns, &err);
    if (status == PR_FAILED)
        return cannot(name, &err);
    set_span(part, start.value, from_ns, to_ns);
    return PR_EXIT_DONE;
}

static double to_ns(int64_t ms, int64_t start_ms)
{
    return (double)pr_subtract_saturated(ms, start_ms) * (double)PR_NS_PER_MS;
}

/* Of a memory capture, whose moments are known more exactly than its bins: a window in seconds is taken as given. */
static int part_of_allocations(const struct pr_window_option *option, const char *name, const char *text,
                               const struct pr_profile *profile, struct pr_part_of_run *part)
{
    const int64_t start_ms = profile->bins[0].start_ms, end_ms = profile->bins[profile->bin_count - 1].end_ms;
    const double ns_per_s = 1e9, run_ns = to_ns(end_ms, start_ms), last_ns = (double)end_of_moments(profile);
    const double end_ns = run_ns > last_ns ? run_ns : last_ns;
    struct pr_window window;
    struct pr_error err = {0};
    char run[DESCRIPTION_SIZE];
    int64_t phase_from, phase_to;
    const int64_t origin_ms = origin_of(profile);
    double from = option->from * ns_per_s - to_ns(start_ms, origin_ms),
           to = option->to * ns_per_s - to_ns(start_ms, origin_ms);
    from = from > 0 ? from : 0;
    describe_run(option, profile, length_of(profile), run);
    if (!pr_window_find(option, profile, &window))
        return nothing_there(name, text, run);
    if (option->in_bins && isfinite(option->to) && option->to >= profile->bin_count)
        tell_shorter(name, text, run);
    if (option->phase && pr_phase_find(profile, option->phase, &phase_from, &phase_to)) {
        from = to_ns(phase_from, start_ms);
        to = to_ns(phase_to, start_ms);
    } else if (option->in_bins) {
        from = to_ns(profile->bins[window.first].start_ms, start_ms);
        to = to_ns(profile->bins[window.last].end_ms, start_ms);
    }
    to = to < end_ns ? to : end_ns;
    if (pr_window_view_of_moments(profile, whole(from), whole(to), &part->view, &part->columns, &err) == PR_FAILED)
        return cannot(name, &err);
    const int64_t before_ns = ns_since(start_ms, origin_ms);
    set_span(part, origin_ms, pr_add_saturated(before_ns, whole(from)), pr_add_saturated(before_ns, whole(to)));
    return PR_EXIT_DONE;
}

int pr_part_of_run_make(const struct pr_window_option *option, const char *name, const char *text,
                        const struct pr_profile *profile, int metric, struct pr_part_of_run *part)
{
    *part = (struct pr_part_of_run){0};
    const bool is_memory = pr_metric_has_allocations(profile, &profile->metrics[metric]);
    if (is_memory && profile->bin_count && metric == pr_profile_moment_metric(profile))
        return part_of_allocations(option, name, text, profile, part);
    if (is_memory && profile->bin_count)
        return part_in_bins(option, name, text, profile, part);
    if (!is_memory &&
        (pr_profile_slices_of(profile, metric).count || metric == pr_profile_moment_metric(profile)))
        return part_in_time(option, name, text, profile, metric, part);
    if (is_memory && profile->meta.aggregated)
        pr_say("%s: an aggregated capture has no history of allocations, so --window cannot select a part of it", name);
    else if (!is_memory && pr_profile_moment_metric(profile) >= 0)
        pr_say("%s: of '%s' no times are kept, only those of '%s', so --window cannot select a part of it", name,
               profile->metrics[metric].name, profile->metrics[pr_profile_moment_metric(profile)].name);
    else
        pr_say("%s: '%s' was recorded without times, so --window cannot select a part of it", name,
               profile->metrics[metric].name);
    return PR_EXIT_INPUT;
}

void pr_part_of_run_clear(struct pr_part_of_run *part)
{
    free(part->columns);
    *part = (struct pr_part_of_run){0};
}
