/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/jfr/jfr_timings.h"

#include "capture/base/checked.h"

#include <stdlib.h>

static struct pr_jfr_timed *timed_of(struct pr_jfr *r, uint32_t fact)
{
    struct pr_jfr_timings *timings = &r->timings;
    const uint64_t key = fact;
    const uint32_t known = timings->facts.count;
    const size_t need = known + (size_t)1;
    const bool has_room = pr_grow(&timings->timed, &timings->capacity, need, sizeof *timings->timed);
    const uint32_t number = has_room ? pr_idset_add(&timings->facts, &key, 1) : PR_NO_ID;
    if (number == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return NULL;
    }
    if (number == known)
        timings->timed[number] = (struct pr_jfr_timed){
            .at_ns = INT64_MIN, .chunk_offset = r->chunk.offset, .chunk_start_ns = r->chunk.start_ns};
    return &timings->timed[number];
}

/* Whether an event of the chunk in hand is of another recording than the latest one of its method. */
static bool is_of_another(const struct pr_jfr *r, const struct pr_jfr_timed *timed, int64_t at_ns, int64_t calls)
{
    const bool is_later_chunk =
        r->chunk.offset == timed->chunk_offset || r->chunk.start_ns > timed->chunk_start_ns;
    return !is_later_chunk || (at_ns > timed->at_ns && calls < timed->calls);
}

/* The mean is missing, so below 0, of a method that was not called, or where the clock is too coarse for one. */
static int64_t taken_ns(const struct pr_jfr *r, const struct pr_jfr_seen *event, int64_t calls)
{
    const int64_t mean_ns = pr_jfr_seen_span(r, event, PR_JFR_C);
    int64_t ns;
    return mean_ns <= 0 ? 0 : __builtin_mul_overflow(mean_ns, calls, &ns) ? INT64_MAX : ns;
}

void pr_jfr_timing(struct pr_jfr *r, const struct pr_jfr_seen *event, uint32_t fact)
{
    const int64_t calls = pr_jfr_seen_number(event, PR_JFR_B), at_ns = pr_jfr_seen_time(r, event, PR_JFR_START);
    if (calls < 0) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    struct pr_jfr_timed *timed = timed_of(r, fact);
    if (!timed)
        return;
    if (is_of_another(r, timed, at_ns, calls)) {
        pr_add_to(&timed->before_calls, timed->calls);
        pr_add_to(&timed->before_ns, timed->ns);
        timed->at_ns = INT64_MIN;
        timed->calls = 0;
    }
    timed->chunk_offset = r->chunk.offset;
    timed->chunk_start_ns = r->chunk.start_ns;
    if (calls < timed->calls)
        return;
    timed->at_ns = at_ns > timed->at_ns ? at_ns : timed->at_ns;
    timed->calls = calls;
    timed->ns = taken_ns(r, event, calls);
}

void pr_jfr_timings_finish(struct pr_jfr *r)
{
    for (uint32_t i = 0; r->c.status == PR_OK && i < r->timings.facts.count; i++) {
        struct pr_jfr_timed *timed = &r->timings.timed[i];
        pr_add_to(&timed->ns, timed->before_ns);
        pr_add_to(&timed->calls, timed->before_calls);
        pr_build_add(&r->c, (uint32_t)r->timings.facts.keys[i],
                     pr_build_metric(&r->c, PR_JFR_TIMED, "In timed methods", PR_UNIT_NANOSECONDS, "calls"), timed->ns,
                     timed->calls);
    }
}

void pr_jfr_timings_clear(struct pr_jfr *r)
{
    free(r->timings.timed);
    pr_idset_clear(&r->timings.facts);
}
