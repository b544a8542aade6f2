/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis where nobody asks which facts made a peak: how much is alive in all. An event is a look-up in the live
 * set and a comparison; nothing is counted by fact. What was never freed is known by fact at the end, from what is
 * still in the set.
 *
 * No sum wraps here: before one could, in a damaged file, what is alive is counted by fact, and then the rest too.
 */
#include "capture/heap/heap_internal.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t most_bytes = UINT64_C(1) << 62;

/* What changes with each event; a copy on the stack stays in registers. */
struct sums {
    struct pr_liveset set;
    uint64_t highest, below; /* the level is HIGHEST - BELOW; 0: at a peak */
};

static struct sums sums_begin(const struct pr_heap_analysis *m)
{
    const struct pr_heap_level *level = &m->level;
    return (struct sums){m->live.set, (uint64_t)level->highest_bytes,
                         (uint64_t)level->highest_bytes - (uint64_t)level->bytes};
}

static void sums_end(const struct sums *sums, struct pr_heap_analysis *m)
{
    m->live.set = sums->set;
    m->level.highest_bytes = (int64_t)sums->highest;
    m->level.bytes = (int64_t)(sums->highest - sums->below);
    m->level.at_peak = !sums->below;
}

/* A block was taken out, with which the highest point is left: that was a peak. */
static void end_peak(const struct sums *sums, struct pr_heap_analysis *m)
{
    struct pr_heap_totals *totals = &m->totals;
    m->level.peak_number++;
    totals->peak = (struct pr_held){(int64_t)(sums->highest - totals->replaced_bytes),
                                    (int64_t)sums->set.count + 1 + totals->pieces};
}

/* Growing and choosing another factor, which change the whole set. NULL: out of memory. */
__attribute__((noinline)) static struct pr_live *claim_slowly(struct pr_heap_analysis *m, uint64_t address)
{
    struct pr_live old;
    return pr_liveset_claim(&m->live.set, address, &old);
}

/* False: out of memory. */
__attribute__((always_inline)) static inline bool put(struct pr_heap_analysis *m, struct sums *sums,
                                                      const struct pr_event *e)
{
    struct pr_liveset *set = &sums->set;
    const size_t home = pr_liveset_home(set, e->address);
    size_t at = home;
    bool far = false;
    if (set->slots[at].fact) {
        at = pr_liveset_find_from(set, home, e->address);
        far = ((at - home) & set->mask) >= PR_LIVESET_LONG_PROBE;
    }
    struct pr_live *slot = &set->slots[at];
    if (__builtin_expect(slot->fact != 0, 0)) { /* freed unseen: the heap keeps its bytes, as memray's does */
        m->totals.replaced_bytes += slot->size;
    } else if (__builtin_expect(far || set->count >= set->most, 0)) {
        m->live.set = *set;
        slot = claim_slowly(m, e->address);
        *set = m->live.set;
        if (!slot)
            return false;
    } else {
        set->count++;
    }
    slot->address = e->address;
    slot->size = e->size;
    slot->fact = e->fact + 1;
    return true;
}

static void count_for_fact(void *context, uint32_t fact, uint64_t bytes)
{
    struct pr_heap_fact *f = &((struct pr_heap_analysis *)context)->facts[fact];
    f->live_bytes += (int64_t)bytes;
    f->live_count++;
}

/* Facts are counted from here on, with what they have now. False: out of memory. */
static bool count_facts(struct pr_heap_analysis *m, uint32_t fact_count)
{
    if (!pr_heap_grow_facts(m, fact_count))
        return false;
    pr_heap_each_alive(m, count_for_fact, m);
    for (uint32_t fact = 0; fact < fact_count; fact++) {
        struct pr_heap_fact *f = &m->facts[fact];
        f->peak_number = m->level.peak_number;
        f->peak_bytes = f->live_bytes;
        f->peak_count = f->live_count;
        pr_heap_note(m, fact); /* from here on; what it had at earlier bins, nobody will ask */
    }
    m->totals.known_until = m->level.peak_number;
    m->totals.alone = false;
    return !m->out_of_memory;
}

/* E adds no more than the sums can hold, and no piece of a mapping is shorter than the mapping. */
static bool fits(const struct sums *sums, const struct pr_event *e)
{
    uint64_t end;
    return e->size <= most_bytes - (sums->highest - sums->below) &&
           !(e->op == PR_OP_MAP && __builtin_add_overflow(e->address, e->size, &end));
}

/* False: out of memory. */
static bool consume(struct pr_heap_analysis *m, const struct pr_batch *b)
{
    const struct pr_event *e = b->event, *const end = e + b->count;
    struct sums sums = sums_begin(m);
    for (; e < end; e++) {
        pr_liveset_prefetch(&sums.set, e[PR_BATCH_AHEAD].address);
        if (e->op == PR_OP_ALLOC) {
            if (e->size < sums.below) {
                sums.below -= e->size;
            } else if (fits(&sums, e)) {
                sums.highest += e->size - sums.below;
                sums.below = 0;
            } else {
                break;
            }
            if (!put(m, &sums, e))
                return false;
        } else if (e->op == PR_OP_FREE) {
            struct pr_live old;
            if (!pr_liveset_take(&sums.set, e->address, &old))
                continue;
            if (!sums.below && old.size)
                end_peak(&sums, m);
            sums.below += old.size;
        } else {
            if (e->op == PR_OP_MAP && !fits(&sums, e))
                break;
            sums_end(&sums, m);
            if (!pr_heap_rare_event(m, b, e))
                return false;
            sums = sums_begin(m);
        }
    }
    sums_end(&sums, m);
    if (e < end)
        return count_facts(m, b->fact_count) && pr_heap_consume_from(m, b, e);
    return pr_heap_end_batch(m, b);
}

enum pr_status pr_heap_total_work(void *memory, struct pr_batch *batch, struct pr_error *err)
{
    struct pr_heap_analysis *m = memory;
    if (!m->totals.alone)
        return pr_heap_consume(m, batch, err);
    const enum pr_status status = pr_heap_begin_batch(m, batch, err);
    return status != PR_OK || consume(m, batch) ? status : pr_fail_memory(err);
}
