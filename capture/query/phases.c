/* SPDX-License-Identifier: Apache-2.0 */
/* Phases: sums over the samples between two marks, and over what the heap did in the bins between them. */
#include "profrender/phases.h"

#include "capture/base/checked.h"
#include "capture/model/run_figures.h"

#include <stdlib.h>
#include <string.h>

/* When a run that made marks began and ended, as far as anything of it is known, and how many phases that makes. */
struct span {
    int64_t from_ms, to_ms;
    bool has_beginning; /* before the first mark */
    uint32_t phases;
};

static struct span span_of(const struct pr_profile *profile)
{
    const struct pr_run *run = &profile->run;
    const struct pr_meta *meta = &profile->meta;
    if (!run->mark_count)
        return (struct span){0};
    struct span span = {.from_ms = run->marks[0].at_ms, .to_ms = run->marks[run->mark_count - 1].at_ms};
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const struct pr_series *series = &profile->series[i];
        for (size_t k = 0; k < series->count; k++) {
            span.from_ms = series->at_ms[k] < span.from_ms ? series->at_ms[k] : span.from_ms;
            span.to_ms = series->at_ms[k] > span.to_ms ? series->at_ms[k] : span.to_ms;
        }
    }
    if (meta->start_ms.known && meta->start_ms.value < span.from_ms)
        span.from_ms = meta->start_ms.value;
    if (meta->end_ms.known && meta->end_ms.value > span.to_ms)
        span.to_ms = meta->end_ms.value;
    span.has_beginning = span.from_ms < run->marks[0].at_ms;
    span.phases = run->mark_count + span.has_beginning;
    return span;
}

uint32_t pr_phase_count(const struct pr_profile *profile)
{
    return span_of(profile).phases;
}

/* The highest sample in a phase, and its growth: from the last sample at or before its beginning, else its first. */
static void measure_resident(const struct pr_series *rss, struct pr_phase *phase)
{
    struct pr_maybe before = {0}, last = {0};
    for (size_t i = 0; rss && i < rss->count; i++) {
        const int64_t value = rss->value[i];
        if (rss->at_ms[i] <= phase->from_ms)
            before = (struct pr_maybe){true, value};
        if (rss->at_ms[i] < phase->from_ms || rss->at_ms[i] > phase->to_ms)
            continue;
        before = before.known ? before : (struct pr_maybe){true, value};
        last = (struct pr_maybe){true, value};
        if (!phase->peak_bytes.known || value > phase->peak_bytes.value)
            phase->peak_bytes = last;
    }
    if (last.known)
        phase->growth_bytes = (struct pr_maybe){true, pr_subtract_saturated(last.value, before.value)};
}

/* The sum of a rate in the phase: a sample's rate is that of the time since the one before. ONE is a second of it. */
static struct pr_maybe sum_of(const struct pr_profile *profile, const char *name, const struct pr_phase *phase,
                              double one)
{
    const struct pr_series *series = pr_run_series(profile, name);
    const double ms_per_s = 1000;
    double sum = 0;
    if (!series)
        return (struct pr_maybe){0};
    for (size_t i = 0; i < series->count; i++) {
        const int64_t before = i ? series->at_ms[i - 1] : profile->meta.start_ms.known ? profile->meta.start_ms.value
                                                                                        : series->at_ms[i];
        const int64_t from = before > phase->from_ms ? before : phase->from_ms;
        const int64_t to = series->at_ms[i] < phase->to_ms ? series->at_ms[i] : phase->to_ms;
        if (from < to)
            sum += (double)series->value[i] * ((double)to - (double)from) / ms_per_s * one;
    }
    return (struct pr_maybe){true, sum < (double)(INT64_MAX / 2) ? (int64_t)(sum + 0.5) : INT64_MAX / 2};
}

bool pr_phase_window(const struct pr_profile *profile, int64_t from_ms, int64_t to_ms, struct pr_window *window)
{
    uint32_t first = 0;
    while (first < profile->bin_count && profile->bins[first].end_ms <= from_ms)
        first++;
    if (first == profile->bin_count || profile->bins[first].start_ms >= to_ms)
        return false;
    uint32_t last = first;
    while (last + 1 < profile->bin_count && profile->bins[last + 1].end_ms <= to_ms)
        last++;
    *window = (struct pr_window){first, last};
    return true;
}

/* Not known in a phase that has no bin for itself: its heap is that of what came before or after as well. */
static void measure_heap(const struct pr_profile *profile, struct pr_phase *phase)
{
    struct pr_window window;
    uint64_t retained = 0;
    if (!pr_phase_window(profile, phase->from_ms, phase->to_ms, &window))
        return;
    const struct pr_bin *first = &profile->bins[window.first];
    if (window.first == window.last && (first->start_ms < phase->from_ms || first->end_ms > phase->to_ms))
        return;
    const size_t moves = profile->fact_first_lifetime[profile->fact_count];
    for (size_t i = 0; i < moves; i++) {
        const struct pr_lifetime *move = &profile->moves[i];
        if (move->from >= window.first && move->from <= window.last && move->to > window.last)
            retained += (uint64_t)move->bytes;
    }
    phase->retained_bytes = (struct pr_maybe){true, (int64_t)retained};
    const uint32_t highest = pr_window_highest(profile, &window);
    phase->heap_bytes = (struct pr_maybe){true, (int64_t)profile->bins[highest].peak_bytes};
}

/* Name and times of the phase NUMBER. */
static struct pr_phase bounds_of(const struct pr_profile *profile, const struct span *span, uint32_t number)
{
    const struct pr_run *run = &profile->run;
    struct pr_phase phase = {.from_ms = span->from_ms, .to_ms = span->to_ms};
    const uint32_t next = number + 1 - span->has_beginning; /* the mark that ends it */
    if (next > 0) {
        phase.name = run->marks[next - 1].name;
        phase.from_ms = run->marks[next - 1].at_ms;
    }
    if (next < run->mark_count)
        phase.to_ms = run->marks[next].at_ms;
    return phase;
}

static struct pr_phase measured(const struct pr_profile *profile, const struct span *span, uint32_t number)
{
    const double ns_per_millicore_second = 1e6;
    struct pr_phase phase = bounds_of(profile, span, number);
    const struct pr_series *rss = pr_run_series(profile, "rss");
    measure_resident(rss, &phase);
    measure_heap(profile, &phase);
    phase.cpu_ns = sum_of(profile, "cpu", &phase, ns_per_millicore_second);
    phase.read_bytes = sum_of(profile, "disk_read", &phase, 1);
    phase.written_bytes = sum_of(profile, "disk_write", &phase, 1);
    phase.received_bytes = sum_of(profile, "net_recv", &phase, 1);
    phase.sent_bytes = sum_of(profile, "net_sent", &phase, 1);
    return phase;
}

struct pr_phase pr_phase_at(const struct pr_profile *profile, uint32_t number)
{
    const struct span span = span_of(profile);
    return measured(profile, &span, number);
}

enum pr_status pr_phases_make(const struct pr_profile *profile, struct pr_phases *phases, struct pr_error *err)
{
    const struct span span = span_of(profile);
    *phases = (struct pr_phases){.at = calloc(span.phases + (size_t)1, sizeof *phases->at)};
    if (!phases->at)
        return pr_fail_memory(err);
    for (; phases->count < span.phases; phases->count++)
        phases->at[phases->count] = measured(profile, &span, phases->count);
    return PR_OK;
}

void pr_phases_clear(struct pr_phases *phases)
{
    free(phases->at);
    *phases = (struct pr_phases){.count = 0};
}

bool pr_phase_find(const struct pr_profile *profile, const char *name, int64_t *from_ms, int64_t *to_ms)
{
    const struct span span = span_of(profile);
    for (uint32_t i = 0; i < span.phases; i++) {
        const struct pr_phase phase = bounds_of(profile, &span, i);
        const struct pr_text text = pr_profile_text(profile, phase.name);
        if (!phase.name || text.length != strlen(name) || memcmp(text.bytes, name, text.length) != 0)
            continue;
        *from_ms = phase.from_ms;
        *to_ms = phase.to_ms;
        return true;
    }
    return false;
}
