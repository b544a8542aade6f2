/* SPDX-License-Identifier: Apache-2.0 */
/* What brought the heap to its peak, and what other threads did meanwhile: the rise to it, by thread and function. */
#include "capture/explain/holder_words.h"

#include "capture/model/run_times.h"

#include <string.h>

/* The rise begins where the heap was last below this share of the peak. In percent. */
enum { LOW_PERCENT = 80, LEAST_PERCENT = 5, MOST_OTHERS = 3, LEAST_BYTES = 1 << 20 };

struct rise {
    uint32_t from, to; /* bins */
    int64_t bytes;     /* of the threads that added any */
    int64_t *by_fact;  /* [fact_count] what each added, or gave back */
    int64_t *by_thread; /* [thread_count] */
    bool *is_heap;      /* [thread_count] it ever held some: others are of another profiler of the run */
    uint32_t threads;   /* that did */
};

/* What a fact holds at the peak of BIN. */
static int64_t held_at(const struct pr_profile *profile, size_t fact, uint32_t bin)
{
    int64_t bytes = 0;
    for (size_t i = profile->fact_first_step[fact]; i < profile->fact_first_step[fact + 1]; i++) {
        if (profile->steps[i].bin > bin)
            break;
        bytes = profile->steps[i].bytes;
    }
    return bytes;
}

static bool rise_make(const struct pr_profile *profile, struct rise *rise)
{
    const uint32_t peak = profile->peak_bin;
    *rise = (struct rise){.from = peak,
                          .to = peak,
                          .by_fact = calloc(profile->fact_count + 1, sizeof *rise->by_fact),
                          .by_thread = calloc(profile->thread_count + (size_t)1, sizeof *rise->by_thread),
                          .is_heap = calloc(profile->thread_count + (size_t)1, sizeof *rise->is_heap)};
    if (!rise->by_fact || !rise->by_thread || !rise->is_heap)
        return false;
    const double low = (double)profile->bins[peak].peak_bytes * LOW_PERCENT / 100;
    while (rise->from && (double)profile->bins[rise->from].peak_bytes > low)
        rise->from--;
    for (size_t i = 0; i < profile->fact_count; i++) {
        rise->by_fact[i] =
            pr_subtract_saturated(held_at(profile, i, rise->to), held_at(profile, i, rise->from));
        pr_add_to(&rise->by_thread[profile->fact_thread[i]], rise->by_fact[i]);
        bool *is_heap = &rise->is_heap[profile->fact_thread[i]];
        const bool has_steps = profile->fact_first_step[i] < profile->fact_first_step[i + 1];
        rise->threads += has_steps && !*is_heap;
        *is_heap |= has_steps;
    }
    for (uint32_t i = 0; i < profile->thread_count; i++)
        pr_add_to(&rise->bytes, rise->by_thread[i] > 0 ? rise->by_thread[i] : 0);
    return true;
}

static void rise_clear(struct rise *rise)
{
    free(rise->by_fact);
    free(rise->by_thread);
    free(rise->is_heap);
}

/* The thread with most that is not in TAKEN; UINT32_MAX: no other added a worthwhile part. */
static uint32_t next_thread(const struct pr_profile *profile, const struct rise *rise, const bool *taken)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        if (!taken[i] && pr_is_share(rise->by_thread[i], rise->bytes, LEAST_PERCENT) &&
            (best == UINT32_MAX || rise->by_thread[i] > rise->by_thread[best]))
            best = i;
    }
    return best;
}

/* Who added most of what THREAD added. False: nobody, or no memory. */
static bool find_holder(struct pr_inquiry *inquiry, const struct rise *rise, uint32_t thread, struct pr_holder *holder)
{
    const struct pr_profile *profile = inquiry->profile;
    int64_t *part = calloc(profile->fact_count + 1, sizeof *part);
    const struct pr_column column = {part, NULL};
    for (size_t i = 0; part && i < profile->fact_count; i++)
        part[i] = profile->fact_thread[i] == thread ? rise->by_fact[i] : 0;
    const bool done = part && pr_code_find_holder(&inquiry->code, &column, holder);
    inquiry->failed |= !done;
    free(part);
    return done && holder->known;
}

/* " Meanwhile thread worker-1 added 24.0 MiB, 20.0 MiB of it in parse; 2 other threads added nothing of note." */
static void say_others(struct pr_inquiry *inquiry, struct pr_insight *insight, const struct pr_metric *metric,
                       const struct rise *rise, bool *taken)
{
    const struct pr_profile *profile = inquiry->profile;
    uint32_t thread, said = 0, rest = 0;
    for (; said < MOST_OTHERS && (thread = next_thread(profile, rise, taken)) != UINT32_MAX; said++) {
        struct pr_holder holder = {0};
        taken[thread] = true;
        PR_SAY_TEXT(inquiry, &insight->rest, said ? "; " : " Meanwhile ");
        pr_say_thread(inquiry, &insight->rest, thread);
        PR_SAY(inquiry, &insight->rest, " added {}", pr_phrase_amount(metric, rise->by_thread[thread]));
        if (find_holder(inquiry, rise, thread, &holder))
            PR_SAY(inquiry, &insight->rest, ", most of it in {}", pr_phrase_function(holder.frame));
    }
    for (uint32_t i = 0; i < profile->thread_count; i++)
        rest += rise->is_heap[i] && !taken[i];
    if (said && rest)
        PR_SAY(inquiry, &insight->rest, "; {} of {} added little or nothing",
               pr_phrase_value(PR_UNIT_COUNT, rest, ""), pr_phrase_count(rise->threads, "threads"));
    if (!said && rest == 1)
        PR_SAY_TEXT(inquiry, &insight->rest, " The other thread added little or nothing");
    if (!said && rest > 1)
        PR_SAY(inquiry, &insight->rest, " The other {} added little or nothing", pr_phrase_count(rest, "threads"));
    PR_SAY_TEXT(inquiry, &insight->rest, ".");
}

/* "Just before the peak, thread pool_1 added 148 MiB, most of it in lag_matrix: 98 % of what all threads added ..." */
static void say(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct rise *rise, uint32_t thread,
                const struct pr_holder *holder, bool *taken)
{
    const struct pr_profile *profile = inquiry->profile;
    const int64_t from_ms = profile->bins[rise->from].end_ms, to_ms = profile->bins[rise->to].end_ms;
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_locate(inquiry, insight, metric, holder);
    insight->frame = PR_NO_NODE; /* about a moment: who holds the peak may be the same function, and is said too */
    insight->score = 4000;
    insight->from_ms = (struct pr_maybe){true, from_ms};
    insight->to_ms = (struct pr_maybe){true, to_ms};
    insight->proof = "export INPUT --view series";
    PR_SAY_TEXT(inquiry, &insight->headline, "Just before the peak, ");
    pr_say_thread(inquiry, &insight->headline, thread);
    PR_SAY(inquiry, &insight->headline, " added {}", pr_phrase_amount(metric, rise->by_thread[thread]));
    PR_SAY(inquiry, &insight->rest, ", most of it in {}: {} of what all threads added from {} to {}.",
           pr_phrase_function(holder->frame), pr_phrase_share(metric, rise->by_thread[thread], rise->bytes),
           pr_phrase_moment(from_ms), pr_phrase_moment(to_ms));
    say_others(inquiry, insight, metric, rise, taken);
}

/* Streams of a device are called threads, and allocate nothing: the host's threads do for them. */
static bool has_streams(const struct pr_profile *profile)
{
    return profile->meta.format && !strcmp(profile->meta.format, "torch-memory");
}

/* With one thread it would say no more than who holds the peak. */
void pr_rule_peak_moment(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_metric *metric = pr_inquiry_metric(inquiry, "peak");
    struct rise rise;
    struct pr_holder holder = {0};
    if (profile->thread_count < 2 || has_streams(profile)) {
        inquiry->why = "allocations of one thread were recorded";
        return;
    }
    bool *taken = calloc(profile->thread_count, sizeof *taken);
    inquiry->failed |= !taken || !rise_make(profile, &rise);
    const uint32_t thread = inquiry->failed ? UINT32_MAX : next_thread(profile, &rise, taken);
    if (!inquiry->failed && rise.threads < 2)
        inquiry->why = "allocations of one thread were recorded";
    else if (thread != UINT32_MAX && rise.from < rise.to && find_holder(inquiry, &rise, thread, &holder) &&
        (holder.is_own || !inquiry->code.has_own) && rise.by_thread[thread] >= LEAST_BYTES &&
        pr_is_share(rise.by_thread[thread], metric->total_value, LEAST_PERCENT)) {
        taken[thread] = true;
        say(inquiry, metric, &rise, thread, &holder, taken);
    }
    if (taken)
        rise_clear(&rise);
    free(taken);
}
