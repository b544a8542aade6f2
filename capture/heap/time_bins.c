/* SPDX-License-Identifier: Apache-2.0 */
/* Time bins: steps written down in order of time, sorted by fact only when bins are merged and at the end. */
#include "capture/heap/time_bins.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 20 }; /* 24 bytes each; a bin of all facts may add more before the next merge */

void pr_bins_init(struct pr_bins *bins, uint32_t most, bool saves_memory, int64_t start_ms)
{
    *bins = (struct pr_bins){.most = most, .start_ms = start_ms, .step_limit = saves_memory ? MOST_STEPS : SIZE_MAX};
}

void pr_bins_clear(struct pr_bins *bins)
{
    free(bins->bin);
    free(bins->steps);
    free(bins->noted);
}

bool pr_bins_close(struct pr_bins *bins, int64_t end_ms, int64_t peak_bytes, uint64_t peak_number)
{
    if (bins->count == UINT32_MAX - 1 ||
        !pr_grow(&bins->bin, &bins->bin_capacity, bins->count + (size_t)1, sizeof *bins->bin))
        return false;
    if (end_ms < bins->start_ms) /* samples of a damaged file may go back in time, bins do not */
        end_ms = bins->start_ms;
    bins->bin[bins->count++] = (struct pr_raw_bin){bins->start_ms, end_ms, peak_bytes, peak_number, {0, 0}};
    bins->start_ms = end_ms;
    return true;
}

static bool write_down(struct pr_bins *bins, struct pr_noted *noted, uint32_t fact, uint32_t bin, int64_t bytes,
                       uint32_t count)
{
    if (noted->bytes == bytes && noted->count == count)
        return true;
    if (!pr_grow(&bins->steps, &bins->step_capacity, bins->step_count + 1, sizeof *bins->steps))
        return false;
    bins->steps[bins->step_count++] = (struct pr_raw_step){fact, bin, bytes, count};
    noted->bytes = bytes;
    noted->count = count;
    return true;
}

static struct pr_noted *noted_of(struct pr_bins *bins, uint32_t fact)
{
    size_t known = bins->noted_capacity;
    if (!pr_grow(&bins->noted, &bins->noted_capacity, fact + (size_t)1, sizeof *bins->noted))
        return NULL;
    memset(bins->noted + known, 0, (bins->noted_capacity - known) * sizeof *bins->noted);
    return &bins->noted[fact];
}

bool pr_bins_note(struct pr_bins *bins, uint32_t fact, const struct pr_fact_state *state)
{
    struct pr_noted *noted = noted_of(bins, fact);
    if (!noted)
        return false;
    uint32_t bin = noted->next_bin;
    /*
     * At most the first of these bins has a peak that the fact knows of; at the later ones it had what it has now.
     */
    if (bin < bins->count && bins->bin[bin].peak_number == state->peak_number &&
        !write_down(bins, noted, fact, bin++, state->peak_bytes, state->peak_count))
        return false;
    if (bin < bins->count && !write_down(bins, noted, fact, bin, state->live_bytes, state->live_count))
        return false;
    noted->next_bin = bins->count;
    return true;
}

bool pr_bins_are_full(const struct pr_bins *bins)
{
    return bins->most && bins->count % 2 == 0 && bins->count > 1 &&
           (bins->count > bins->most || bins->step_count > bins->step_limit);
}

void pr_bins_stop_noting(struct pr_bins *bins)
{
    free(bins->noted);
    bins->noted = NULL;
    bins->noted_capacity = 0;
}

static bool is_sorted(const struct pr_bins *bins)
{
    for (size_t i = 1; i < bins->step_count; i++) {
        if (bins->steps[i].fact < bins->steps[i - 1].fact)
            return false;
    }
    return true;
}

/* Step I goes to PLACE[I], along the cycles that this makes. */
static void move_steps(struct pr_raw_step *steps, uint32_t count, uint32_t *place)
{
    for (uint32_t i = 0; i < count; i++) {
        while (place[i] != i) {
            const uint32_t to = place[i];
            const struct pr_raw_step step = steps[i];
            steps[i] = steps[to];
            steps[to] = step;
            place[i] = place[to];
            place[to] = to;
        }
    }
}

/* In place, as a second array of steps would be the peak of our own memory. */
bool pr_bins_sort(struct pr_bins *bins, uint32_t fact_count)
{
    if (is_sorted(bins))
        return true;
    if (bins->step_count > UINT32_MAX)
        return false;
    uint32_t *start = calloc(fact_count + (size_t)1, sizeof *start);
    uint32_t *place = malloc(bins->step_count * sizeof *place);
    if (start && place) {
        for (size_t i = 0; i < bins->step_count; i++)
            start[bins->steps[i].fact + 1]++;
        for (uint32_t fact = 0; fact < fact_count; fact++)
            start[fact + 1] += start[fact];
        for (size_t i = 0; i < bins->step_count; i++) /* stable, so each fact's steps stay in order of time */
            place[i] = start[bins->steps[i].fact]++;
        move_steps(bins->steps, (uint32_t)bins->step_count, place);
    }
    const bool done = start && place;
    free(start);
    free(place);
    return done;
}

/* The one of bins 2 * PAIR and 2 * PAIR + 1 whose peak is that of both. */
static uint32_t higher(const struct pr_bins *bins, uint32_t pair)
{
    uint32_t first = pair * 2, second = first + 1;
    return second < bins->count && bins->bin[second].peak_bytes >= bins->bin[first].peak_bytes ? second : first;
}

/* Steps of one fact over merged bins, from [from, to) to OUT; returns how many. The fact's last value stays noted. */
static size_t merge_steps(const struct pr_bins *bins, const struct pr_raw_step *steps, size_t count,
                          struct pr_raw_step *out)
{
    size_t made = 0;
    struct pr_raw_step now = {.fact = count ? steps[0].fact : 0}, last = now;
    for (size_t i = 0; i < count;) {
        uint32_t pair = steps[i].bin / 2, chosen = higher(bins, pair);
        while (i < count && steps[i].bin <= chosen && steps[i].bin / 2 == pair)
            now = steps[i++];
        if (now.bytes != last.bytes || now.count != last.count) {
            last = now;
            last.bin = pair;
            out[made++] = last;
        }
        /* Steps after the chosen bin of this pair count from the next pair on. */
        bool behind = false;
        while (i < count && steps[i].bin / 2 == pair) {
            now = steps[i++];
            behind = true;
        }
        bool next_pair_steps_first =
            i < count && steps[i].bin / 2 == pair + 1 && steps[i].bin <= higher(bins, pair + 1);
        if (behind && !next_pair_steps_first && (pair + 1) * 2 < bins->count &&
            (now.bytes != last.bytes || now.count != last.count)) {
            last = now;
            last.bin = pair + 1;
            out[made++] = last;
        }
    }
    return made;
}

bool pr_bins_merge(struct pr_bins *bins, uint32_t fact_count)
{
    if (!pr_bins_sort(bins, fact_count))
        return false;
    size_t made = 0;
    for (size_t from = 0, to; from < bins->step_count; from = to) {
        uint32_t fact = bins->steps[from].fact;
        for (to = from; to < bins->step_count && bins->steps[to].fact == fact; to++)
            continue;
        made += merge_steps(bins, &bins->steps[from], to - from, &bins->steps[made]);
        const struct pr_raw_step *last = made ? &bins->steps[made - 1] : NULL;
        bool any = last && last->fact == fact;
        bins->noted[fact].bytes = any ? last->bytes : 0;
        bins->noted[fact].count = any ? (uint32_t)last->count : 0;
    }
    bins->step_count = made;

    uint32_t pairs = (bins->count + 1) / 2;
    for (uint32_t pair = 0; pair < pairs; pair++) {
        struct pr_raw_bin merged = bins->bin[higher(bins, pair)];
        merged.start_ms = bins->bin[pair * 2].start_ms;
        merged.end_ms = bins->bin[pair * 2 + 1 < bins->count ? pair * 2 + 1 : pair * 2].end_ms;
        bins->bin[pair] = merged;
    }
    bins->count = pairs;
    bins->shift++;
    for (size_t fact = 0; fact < bins->noted_capacity; fact++)
        bins->noted[fact].next_bin = pairs;
    return true;
}

void pr_bins_truncate(struct pr_bins *bins, uint32_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < bins->step_count; i++) {
        if (bins->steps[i].bin < count)
            bins->steps[kept++] = bins->steps[i];
    }
    bins->step_count = kept;
    bins->count = count;
}
