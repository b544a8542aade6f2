/* SPDX-License-Identifier: Apache-2.0 */
/* Resident memory next to the heap: what is not the heap's, what was never touched, what stays after the heap fell. */
#include "capture/explain/inquiry.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/base/time.h"
#include "capture/model/run_figures.h"
#include "profrender/heap_words.h"
#include "profrender/resident.h"

#include <string.h>

/* Python and its libraries alone have some ten MiB that are not the heap. */
enum { LEAST_BYTES = 32 * 1024 * 1024, LEAST_REST = 256 * 1024 * 1024, LEAST_PERCENT = 20, MOST_OF_IT = 60 };

/* Resident memory of the process whose heap it is, and the heap. False: one of them is not known. */
static bool find_lanes(struct pr_inquiry *inquiry, const struct pr_series **rss, const struct pr_series **heap)
{
    if (pr_heap_words(inquiry->profile)->of_devices) {
        inquiry->why = "device memory is not resident memory";
        return false;
    }
    *rss = pr_run_series(inquiry->profile, "rss_captured");
    *rss = *rss ? *rss : pr_run_series(inquiry->profile, "rss");
    *heap = pr_run_series(inquiry->profile, "heap");
    if (*rss && *heap && (*heap)->count > 2 && (*rss)->count > 2)
        return true;
    inquiry->why = "heap and resident memory were not both sampled";
    return false;
}

/* The last sample of SERIES at or before MS; -1: none. AT goes on from call to call. */
static int64_t value_at(const struct pr_series *series, int64_t ms, size_t *at)
{
    while (*at + 1 < series->count && series->at_ms[*at + 1] <= ms)
        (*at)++;
    return series->at_ms[*at] <= ms ? series->value[*at] : -1;
}

/* The sample of RSS at which it is furthest above the heap, or below it. */
struct gap {
    int64_t bytes, rss, heap, at_ms;
};

static struct gap find_gap(const struct pr_series *rss, const struct pr_series *heap, bool is_above)
{
    struct gap gap = {0};
    size_t at = 0;
    /* After its last sample the heap is not known: the two may be of files that do not belong together. */
    for (size_t i = 0; i < rss->count && rss->at_ms[i] <= heap->at_ms[heap->count - 1]; i++) {
        const int64_t held = value_at(heap, rss->at_ms[i], &at);
        const int64_t bytes =
            is_above ? pr_subtract_saturated(rss->value[i], held) : pr_subtract_saturated(held, rss->value[i]);
        if (held >= 0 && bytes > gap.bytes)
            gap = (struct gap){bytes, rss->value[i], held, rss->at_ms[i]};
    }
    return gap;
}

static struct pr_insight *begin(struct pr_inquiry *inquiry, int64_t bytes, int64_t whole, int64_t at_ms)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return NULL;
    pr_insight_saves(insight, PR_UNIT_BYTES, bytes, whole);
    insight->score /= 4; /* it says where to look elsewhere */
    insight->saving.known = false;
    insight->severity = PR_SEVERITY_NOTE;
    insight->from_ms = insight->to_ms = (struct pr_maybe){true, at_ms};
    insight->proof = "export INPUT --view series";
    return insight;
}

/* Whether what the system counted for the run is of the captured process: it never had another one. */
static bool is_one_process(const struct pr_profile *profile)
{
    const struct pr_series *processes = pr_run_series(profile, "processes");
    for (size_t i = 0; processes && i < processes->count; i++)
        if (processes->value[i] > 1)
            return false;
    return true;
}

/* The parts of RSS at the moment of GAP, which is one of its samples. */
static struct pr_resident_parts parts_at(struct pr_inquiry *inquiry, const struct pr_series *rss, struct gap gap)
{
    struct pr_resident_parts parts = {.known = false};
    struct pr_resident_walk walk;
    if (!pr_resident_begin(inquiry->profile, &walk))
        return parts;
    if (!is_one_process(inquiry->profile))
        walk.files = walk.shared = NULL;
    for (size_t i = 0; i < rss->count && rss->at_ms[i] <= gap.at_ms; i++)
        parts = pr_resident_at(&walk, rss->at_ms[i], rss->value[i]);
    return parts;
}

/* "Of the rest, 15.6 MiB is files and shared memory, 40.1 MiB was there when both were first sampled, ..." */
static void say_parts(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const struct pr_resident_parts *parts)
{
    static const struct {
        enum pr_resident_part part;
        const char *words;
    } said[] = {
        {PR_RESIDENT_FILES, "{} is files and shared memory"},
        {PR_RESIDENT_BASE, "{} was there when both were first sampled"},
        {PR_RESIDENT_FREED, "up to {} was freed, but the allocator may still hold it"},
        {PR_RESIDENT_REST, "{} is stacks or memory that the tracker does not see"},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const int64_t bytes = parts->bytes[said[i].part];
        if (!bytes)
            continue;
        PR_SAY_TEXT(inquiry, sentence, count++ ? ", " : " Of the rest, ");
        PR_SAY(inquiry, sentence, said[i].words, pr_phrase_value(PR_UNIT_BYTES, bytes, ""));
    }
    PR_SAY_TEXT(inquiry, sentence, count ? "." : "");
}

/* "349 MiB of resident memory is not heap: at 5.60 s, 669 MiB is resident and the heap is 320 MiB." */
void pr_rule_not_heap(struct pr_inquiry *inquiry)
{
    const struct pr_series *rss, *heap;
    struct pr_insight *insight;
    if (!find_lanes(inquiry, &rss, &heap))
        return;
    const struct gap gap = find_gap(rss, heap, true);
    if (gap.bytes < LEAST_REST || !pr_is_share(gap.bytes, gap.rss, MOST_OF_IT) ||
        !(insight = begin(inquiry, gap.bytes, gap.rss, gap.at_ms)))
        return;
    PR_SAY(inquiry, &insight->headline, "{} of resident memory is not heap",
           pr_phrase_value(PR_UNIT_BYTES, gap.bytes, ""));
    PR_SAY(inquiry, &insight->rest,
           ": at {}, {} is resident and the heap is {}.", pr_phrase_moment(gap.at_ms),
           pr_phrase_value(PR_UNIT_BYTES, gap.rss, rss->title), pr_phrase_value(PR_UNIT_BYTES, gap.heap, heap->title));
    const struct pr_resident_parts parts = parts_at(inquiry, rss, gap);
    if (parts.known)
        say_parts(inquiry, &insight->rest, &parts);
    else
        PR_SAY_TEXT(inquiry, &insight->rest,
                    " The rest is code, mapped files, stacks, memory that the allocator keeps, or memory that the "
                    "tracker does not see.");
}

/* "At least 0.70 GiB of the heap was not resident: at 5.60 s, the heap is 1.38 GiB and 669 MiB is resident." */
void pr_rule_not_resident(struct pr_inquiry *inquiry)
{
    const struct pr_series *rss, *heap;
    struct pr_insight *insight;
    if (!find_lanes(inquiry, &rss, &heap))
        return;
    const struct gap gap = find_gap(rss, heap, false);
    if (gap.bytes < LEAST_BYTES || !pr_is_share(gap.bytes, gap.heap, LEAST_PERCENT) ||
        !(insight = begin(inquiry, gap.bytes, gap.heap, gap.at_ms)))
        return;
    PR_SAY(inquiry, &insight->headline, "At least {} of the heap was not resident",
           pr_phrase_value(PR_UNIT_BYTES, gap.bytes, ""));
    PR_SAY(inquiry, &insight->rest,
           ": at {}, the heap is {} and {} is resident. Memory that is allocated but untouched, or swapped out, "
           "counts as heap only.",
           pr_phrase_moment(gap.at_ms), pr_phrase_value(PR_UNIT_BYTES, gap.heap, heap->title),
           pr_phrase_value(PR_UNIT_BYTES, gap.rss, rss->title));
}

/* The highest sample, the last of equal ones. */
static size_t find_highest(const struct pr_series *series)
{
    size_t best = 0;
    for (size_t i = 1; i < series->count; i++)
        best = series->value[i] >= series->value[best] ? i : best;
    return best;
}

/* Resident memory while the heap was low: what three of four samples have at least. */
struct run_of_samples {
    size_t count;
    int64_t most_have;
};

/* The samples of SERIES from FROM_MS on. False: no memory. */
static bool agree(const struct pr_series *series, int64_t from_ms, struct run_of_samples *run)
{
    size_t first = 0;
    while (first < series->count && series->at_ms[first] < from_ms)
        first++;
    *run = (struct run_of_samples){.count = series->count - first};
    if (!run->count)
        return true;
    int64_t *value = calloc(run->count, sizeof *value);
    if (value)
        memcpy(value, series->value + first, run->count * sizeof *value);
    const bool done = value && pr_sort(value, run->count, sizeof *value, pr_compare_numbers, NULL);
    if (done)
        run->most_have = value[run->count / 4];
    free(value);
    return done;
}

/* When HEAP came to half of its sample TOP or less, and stayed there until its end. */
static int64_t find_fall_ms(const struct pr_series *heap, size_t top)
{
    int64_t fallen_ms = heap->at_ms[heap->count - 1];
    for (size_t i = heap->count - 1; i > top && heap->value[i] <= heap->value[top] / 2; i--)
        fallen_ms = heap->at_ms[i];
    return fallen_ms;
}

/* "The heap fell, but resident memory did not: from 5.00 s on, the heap is at most half of its peak and ..." */
void pr_rule_kept_resident(struct pr_inquiry *inquiry)
{
    enum { LEAST_SAMPLES = 4, LEAST_KEPT = 80, LEAST_TIME = 10 };
    const struct pr_series *rss, *heap;
    struct pr_insight *insight;
    struct run_of_samples low;
    if (!find_lanes(inquiry, &rss, &heap))
        return;
    const size_t top = find_highest(heap), last = heap->count - 1;
    const int64_t fallen_ms = find_fall_ms(heap, top);
    if (!agree(rss, fallen_ms, &low)) {
        inquiry->failed = true;
        return;
    }
    size_t at = 0;
    const int64_t base = rss->value[0], at_top = value_at(rss, heap->at_ms[top], &at);
    const int64_t kept = pr_subtract_saturated(low.most_have, base), rose = pr_subtract_saturated(at_top, base);
    const int64_t span = pr_subtract_saturated(heap->at_ms[last], heap->at_ms[0]);
    if (low.count < LEAST_SAMPLES || heap->value[last] > heap->value[top] / 2 || rose < LEAST_BYTES ||
        !pr_is_share(kept, rose, LEAST_KEPT) ||
        !pr_is_share(pr_subtract_saturated(heap->at_ms[last], fallen_ms), span, LEAST_TIME) ||
        !(insight = begin(inquiry, pr_subtract_saturated(low.most_have, heap->value[last]), low.most_have, fallen_ms)))
        return;
    insight->to_ms.value = heap->at_ms[last];
    PR_SAY(inquiry, &insight->headline, "The heap fell, but resident memory did not");
    PR_SAY(inquiry, &insight->rest,
           ": from {} on, the heap is at most half of its peak and ends at {}. Three of four samples still have at "
           "least {} resident; at the heap's peak it was {}.",
           pr_phrase_moment(fallen_ms), pr_phrase_value(PR_UNIT_BYTES, heap->value[last], heap->title),
           pr_phrase_value(PR_UNIT_BYTES, low.most_have, rss->title),
           pr_phrase_value(PR_UNIT_BYTES, at_top, rss->title));
}
