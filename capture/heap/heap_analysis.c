/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis of allocation events. Hot path: one look-up in the live set and one cache line of counters an event,
 * both fetched some events ahead.
 */
#include "capture/heap/heap_internal.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MOST_BINS = PR_LIFETIME_NEVER / 2 };

_Static_assert(sizeof(struct pr_heap_fact) * 2 == LINE, "the counters of two facts are one cache line");

enum pr_status pr_heap_init(struct pr_heap_analysis *m, const struct pr_load_options *options, int64_t start_ms,
                            struct pr_error *err)
{
    *m = (struct pr_heap_analysis){
        .options = options,
        .level.at_peak = true,
        .saves_memory = options->max_bins == PR_BINS_AUTO || options->max_memory_bytes,
    };
    uint32_t most = options->max_bins == PR_BINS_AUTO ? PR_AUTO_BINS : options->max_bins;
    pr_bins_init(&m->bins, most < MOST_BINS ? most : MOST_BINS, m->saves_memory, start_ms);
    if (!pr_live_stage_init(&m->live) || !pr_lifetimes_init(&m->moves))
        return pr_fail_memory(err);
    if (options->max_memory_bytes) {
        if (!pr_packed_init(&m->packed))
            return pr_fail_memory(err);
        m->packs = true;
        m->bins.step_limit = pr_fold_room(options->max_memory_bytes);
        pr_lifetimes_bound(&m->moves, pr_fold_room(options->max_memory_bytes));
    }
    return PR_OK;
}

void pr_heap_drop_columns(struct pr_heap_analysis *m)
{
    free(m->columns);
    m->columns = NULL;
}

void pr_heap_clear(struct pr_heap_analysis *m)
{
    free(m->facts);
    pr_liveset_clear(&m->live.set);
    pr_packed_clear(&m->packed);
    pr_mapped_ranges_clear(&m->mappings);
    pr_bins_clear(&m->bins);
    pr_lifetimes_clear(&m->moves);
    pr_memory_samples_clear(&m->samples);
    pr_heap_drop_columns(m);
}

/* Room for facts up to COUNT, zeroed. realloc keeps no alignment beyond 16 bytes, so this copies. */
bool pr_heap_grow_facts(struct pr_heap_analysis *m, uint32_t count)
{
    if (count <= m->fact_count)
        return true;
    if (count > m->fact_capacity) {
        size_t capacity = m->fact_capacity * 2 > count ? m->fact_capacity * 2 : count;
        if (capacity < 1024)
            capacity = 1024;
        void *grown = NULL;
        size_t bytes;
        if (!pr_mul_size(capacity, sizeof *m->facts, &bytes) || posix_memalign(&grown, LINE, bytes))
            return false;
        memset(grown, 0, bytes);
        if (m->fact_count)
            memcpy(grown, m->facts, m->fact_count * sizeof *m->facts);
        free(m->facts);
        m->facts = grown;
        m->fact_capacity = capacity;
    }
    m->fact_count = count;
    return true;
}

void pr_heap_note(struct pr_heap_analysis *m, uint32_t fact)
{
    const struct pr_heap_fact *f = &m->facts[fact];
    const struct pr_fact_state state = {f->peak_number, f->peak_bytes, f->live_bytes, f->peak_count, f->live_count};
    if (!pr_bins_note(&m->bins, fact, &state))
        m->out_of_memory = true;
}

/* The fact is about to change: what it has now, it had at every peak since its last change. */
static inline struct pr_heap_fact *settle(struct pr_heap_analysis *m, uint64_t peak_number, uint32_t fact)
{
    struct pr_heap_fact *f = &m->facts[fact];
    if (f->peak_number != peak_number) {
        if (f->peak_number < m->note_below)
            pr_heap_note(m, fact);
        f->peak_number = peak_number;
        f->peak_bytes = f->live_bytes;
        f->peak_count = f->live_count;
    }
    return f;
}

/* Sizes in a damaged file may be anything: sums wrap, as memray's do, so an allocation and its free cancel out. */
static inline void add(int64_t *sum, uint64_t size)
{
    *sum = (int64_t)((uint64_t)*sum + size);
}

static inline void subtract(int64_t *sum, uint64_t size)
{
    *sum = (int64_t)((uint64_t)*sum - size);
}

static inline void heap_grows(struct pr_heap_level *level, uint64_t size)
{
    add(&level->bytes, size);
    if (level->bytes >= level->highest_bytes) {
        level->highest_bytes = level->bytes;
        level->at_peak = true;
    }
}

/* To be called before any fact changes: a fall from the highest point makes that point a peak. */
static inline void heap_falls(struct pr_heap_level *level, uint64_t size)
{
    if (!size)
        return;
    level->peak_number += level->at_peak;
    level->at_peak = false;
    subtract(&level->bytes, size);
}

/* SIZE bytes of FACT, made when BORN samples had been seen, are gone. */
static inline void move(struct pr_heap_analysis *m, uint32_t fact, uint32_t born, uint64_t size, int64_t count)
{
    const unsigned shift = m->bins.shift;
    if ((born ^ m->samples_seen) >> shift &&
        !pr_lifetimes_add(&m->moves, fact, born >> shift, m->samples_seen >> shift, size, count))
        m->out_of_memory = true;
}

static inline void count_allocation(struct pr_heap_fact *f, uint64_t size)
{
    f->live_count++;
    add(&f->live_bytes, size);
}

/* A block of FACT goes; the fact has what it had at PEAK_NUMBER until now. */
static inline void count_gone(struct pr_heap_analysis *m, uint64_t peak_number, uint32_t fact, uint64_t size)
{
    struct pr_heap_fact *f = settle(m, peak_number, fact);
    f->live_count--;
    subtract(&f->live_bytes, size);
}

/*
 * OLD goes without a record of its own: it was freed at some time before its address was reused. Until now it counts as
 * alive. memray's heap keeps its bytes, and so does ours.
 */
__attribute__((noinline)) static void count_replaced(struct pr_heap_analysis *m, uint64_t peak_number,
                                                     const struct pr_gone *old)
{
    count_gone(m, peak_number, old->fact - 1, old->size);
    move(m, old->fact - 1, old->born, old->size, 1);
}

/* What is gone, up to END, becomes moves, before the current bin changes. */
static void add_gone(struct pr_heap_analysis *m, const struct pr_gone *end)
{
    const unsigned shift = m->bins.shift;
    const uint32_t bin = m->samples_seen >> shift;
    for (const struct pr_gone *gone = m->gone; gone < end; gone++) {
        if (!pr_lifetimes_add(&m->moves, gone->fact - 1, gone->born >> shift, bin, gone->size, 1))
            m->out_of_memory = true;
    }
}

/* The level is at a peak: what is alive now, is what was alive there. */
static void note_total(struct pr_heap_analysis *m)
{
    struct pr_heap_totals *totals = &m->totals;
    totals->peak = (struct pr_held){(int64_t)((uint64_t)m->level.bytes - totals->replaced_bytes),
                                    (int64_t)m->live.set.count + totals->pieces};
}

static bool on_map(struct pr_heap_analysis *m, const struct pr_event *e)
{
    uint32_t fact = e->fact;
    uint64_t size = e->size;
    if (size) { /* else it adds no piece */
        if (!pr_mapped_ranges_add(&m->mappings, e->address, size, fact, m->samples_seen))
            return false;
        if (m->totals.alone)
            m->totals.pieces++;
        else
            count_allocation(settle(m, m->level.peak_number, fact), size);
    }
    heap_grows(&m->level, size);
    return true;
}

static void piece_was_cut(void *context, const struct pr_piece *piece, uint64_t bytes, int count, bool last)
{
    struct pr_heap_analysis *m = context;
    if (m->totals.alone) {
        if (bytes && m->level.at_peak)
            note_total(m);
        heap_falls(&m->level, bytes);
        m->totals.pieces += count;
        return;
    }
    heap_falls(&m->level, bytes);
    struct pr_heap_fact *f = settle(m, m->level.peak_number, piece->fact);
    f->live_count += (uint32_t)count;
    subtract(&f->live_bytes, bytes);
    move(m, piece->fact, piece->born, bytes, last);
}

static bool on_unmap(struct pr_heap_analysis *m, const struct pr_event *e)
{
    return pr_mapped_ranges_cut(&m->mappings, e->address, e->size, piece_was_cut, m);
}

/* Ends the current bin at END_MS. The next one starts with the current heap as its first peak. */
static bool close_bin(struct pr_heap_analysis *m, int64_t end_ms)
{
    struct pr_heap_level *level = &m->level;
    if (level->bytes > level->highest_bytes) { /* by frees of 2^63 bytes and more, in a damaged file */
        level->highest_bytes = level->bytes;
        level->at_peak = true;
    }
    if (level->at_peak) {
        level->peak_number++;
        if (m->totals.alone)
            note_total(m);
    }
    if (!pr_bins_close(&m->bins, end_ms, level->highest_bytes, level->peak_number))
        return false;
    m->bins.bin[m->bins.count - 1].held = m->totals.peak;
    m->note_below = level->peak_number + 1;
    level->highest_bytes = level->bytes;
    level->at_peak = true;
    return true;
}

static bool merge_bins(struct pr_heap_analysis *m)
{
    for (uint32_t fact = 0; fact < m->fact_count; fact++) {
        pr_heap_note(m, fact);
        settle(m, m->level.peak_number, fact);
    }
    return !m->out_of_memory && pr_bins_merge(&m->bins, m->fact_count) && pr_lifetimes_halve(&m->moves);
}

static bool has_too_many_bins(const struct pr_heap_analysis *m)
{
    return pr_bins_are_full(&m->bins) ||
           (m->saves_memory && m->bins.count % 2 == 0 && pr_lifetimes_are_full(&m->moves));
}

static inline bool on_sample(struct pr_heap_analysis *m, const struct pr_batch *b,
                      const struct pr_event *e)
{
    int64_t at_ms = (int64_t)e->address;
    if (e > b->event && e[-1].op != PR_OP_SAMPLE)
        m->samples_at_last_event = m->samples_seen;
    m->samples_seen++;
    if (!pr_memory_samples_add(&m->samples, at_ms, (int64_t)e->size, m->level.bytes))
        return false;
    if (m->samples_seen & (((uint32_t)1 << m->bins.shift) - 1))
        return true;
    if (!close_bin(m, at_ms))
        return false;
    while (has_too_many_bins(m)) {
        if (!merge_bins(m))
            return false;
    }
    return true;
}

/* What is rarer than allocations and frees. */
__attribute__((always_inline)) static inline bool on_rare_event(struct pr_heap_analysis *m, const struct pr_batch *b,
                                                                const struct pr_event *e)
{
    switch ((enum pr_op)e->op) {
    case PR_OP_MAP:
        return on_map(m, e);
    case PR_OP_UNMAP:
        return on_unmap(m, e);
    case PR_OP_SAMPLE:
        return on_sample(m, b, e);
    default:
        return true;
    }
}

bool pr_heap_rare_event(struct pr_heap_analysis *m, const struct pr_batch *b, const struct pr_event *e)
{
    return on_rare_event(m, b, e);
}

/* The first memory sample of the current bin. */
static uint32_t bin_start(const struct pr_heap_analysis *m)
{
    return m->samples_seen >> m->bins.shift << m->bins.shift;
}

__attribute__((always_inline)) static inline bool on_alloc(struct pr_heap_analysis *m, struct pr_heap_level *level,
                                                           const struct pr_event *e, const bool packs)
{
    struct pr_live old;
    const struct pr_live new = {e->address, e->size, e->fact + 1, m->samples_seen};
    if (packs ? !pr_packed_put(&m->packed, &new, &old) : !pr_live_add(&m->live.set, e, m->samples_seen, &old))
        return false;
    if (__builtin_expect(old.fact != 0, 0))
        count_replaced(m, level->peak_number, &(struct pr_gone){old.size, old.fact, old.born});
    count_allocation(settle(m, level->peak_number, e->fact), e->size);
    heap_grows(level, e->size);
    return true;
}

/* Returns where the next block that is gone belongs: after GONE if this one was made before the memory sample START. */
__attribute__((always_inline)) static inline struct pr_gone *
on_free(struct pr_heap_analysis *m, struct pr_heap_level *level, const struct pr_event *e, uint32_t start,
        struct pr_gone *gone, const bool packs)
{
    struct pr_live old;
    if (packs ? !pr_packed_take(&m->packed, e->address, &old) : !pr_liveset_take(&m->live.set, e->address, &old))
        return gone;
    heap_falls(level, old.size);
    count_gone(m, level->peak_number, old.fact - 1, old.size);
    gone->size = old.size; /* in any case: a branch would be taken now and then */
    gone->fact = old.fact;
    gone->born = old.born;
    return old.born < start ? gone + 1 : gone;
}

/* By its number, as what comes next need not be known: without facts there is no array. */
static inline void prefetch_fact(const struct pr_heap_fact *facts, uint32_t fact)
{
    __builtin_prefetch((const void *)((uintptr_t)facts + fact * sizeof *facts), 1);
}

/* GONE: the end of what is gone and not yet added. False: out of memory. */
static bool end_batch(struct pr_heap_analysis *m, const struct pr_batch *b, const struct pr_gone *gone)
{
    add_gone(m, gone);
    return pr_heap_end_batch(m, b);
}

bool pr_heap_end_batch(struct pr_heap_analysis *m, const struct pr_batch *b)
{
    if (b->count && b->event[b->count - 1].op != PR_OP_SAMPLE)
        m->samples_at_last_event = m->samples_seen;
    return !m->out_of_memory;
}

/* From E on. PACKS is m->packs, as a constant. */
__attribute__((always_inline)) static inline bool consume_all(struct pr_heap_analysis *m, const struct pr_batch *b,
                                                              const struct pr_event *e, const bool packs)
{
    const struct pr_heap_fact *const facts = m->facts;
    const struct pr_event *const end = b->event + b->count;
    struct pr_heap_level level = m->level;
    struct pr_gone *gone = m->gone;
    uint32_t start = bin_start(m);
    for (; e < end; e++) {
        if (!packs)
            pr_liveset_prefetch(&m->live.set, e[PR_BATCH_AHEAD].address);
        prefetch_fact(facts, e[PR_BATCH_AHEAD].fact);
        if (e->op == PR_OP_ALLOC) {
            if (!on_alloc(m, &level, e, packs))
                return false;
        } else if (e->op == PR_OP_FREE) {
            gone = on_free(m, &level, e, start, gone, packs);
        } else {
            m->level = level;
            add_gone(m, gone);
            if (!on_rare_event(m, b, e))
                return false;
            level = m->level;
            gone = m->gone;
            start = bin_start(m);
        }
    }
    m->level = level;
    return end_batch(m, b, gone);
}

bool pr_heap_consume_from(struct pr_heap_analysis *m, const struct pr_batch *b, const struct pr_event *e)
{
    return consume_all(m, b, e, false);
}

static bool consume(struct pr_heap_analysis *m, const struct pr_batch *b)
{
    return pr_heap_consume_from(m, b, b->event);
}

static bool consume_packed(struct pr_heap_analysis *m, const struct pr_batch *b)
{
    return consume_all(m, b, b->event, true);
}

/* What the live set made of a free. As on_free. */
static inline struct pr_gone *on_gone(struct pr_heap_analysis *m, struct pr_heap_level *level,
                                      const struct pr_event *e, uint32_t start, struct pr_gone *gone)
{
    const uint32_t born = (uint32_t)e->address;
    heap_falls(level, e->size);
    count_gone(m, level->peak_number, e->fact, e->size);
    *gone = (struct pr_gone){e->size, e->fact + 1, born};
    return born < start ? gone + 1 : gone;
}

/* A batch that has passed the live set. */
static bool count_batch(struct pr_heap_analysis *m, const struct pr_batch *b)
{
    const struct pr_heap_fact *const facts = m->facts;
    const struct pr_event *e = b->event, *const end = e + b->count;
    struct pr_heap_level level = m->level;
    struct pr_gone *gone = m->gone;
    uint32_t start = bin_start(m);
    for (; e < end; e++) {
        prefetch_fact(facts, e[PR_BATCH_AHEAD].fact);
        if (e->op == PR_OP_ALLOC) {
            count_allocation(settle(m, level.peak_number, e->fact), e->size);
            heap_grows(&level, e->size);
            continue;
        }
        if (e->op == PR_OP_GONE) {
            gone = on_gone(m, &level, e, start, gone);
            continue;
        }
        m->level = level;
        add_gone(m, gone);
        if (e->op == PR_OP_REPLACE) {
            count_replaced(m, level.peak_number, &b->replaced[e->address]);
            count_allocation(settle(m, level.peak_number, e->fact), e->size);
            heap_grows(&m->level, e->size);
        } else if (!on_rare_event(m, b, e)) {
            return false;
        }
        level = m->level;
        gone = m->gone;
        start = bin_start(m);
    }
    m->level = level;
    return end_batch(m, b, gone);
}

enum pr_status pr_heap_begin_batch(const struct pr_heap_analysis *m, const struct pr_batch *batch,
                                   struct pr_error *err)
{
    if (m->samples_seen >= (m->bins.most ? UINT32_MAX / 2 : PR_LIFETIME_NEVER))
        return pr_fail(err, PR_ERR_LIMIT, PR_NO_OFFSET, "time bins",
                       "too many memory samples for a bin each: choose a number");
    if (m->options->progress &&
        !m->options->progress(m->options->progress_context, batch->done_bytes, batch->size_bytes))
        return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "interrupted");
    return PR_OK;
}

static enum pr_status consume_by(bool (*consume_batch)(struct pr_heap_analysis *, const struct pr_batch *),
                                 struct pr_heap_analysis *m, const struct pr_batch *batch, struct pr_error *err)
{
    const enum pr_status status = pr_heap_begin_batch(m, batch, err);
    if (status != PR_OK)
        return status;
    return pr_heap_grow_facts(m, batch->fact_count) && consume_batch(m, batch) ? PR_OK : pr_fail_memory(err);
}

enum pr_status pr_heap_consume(struct pr_heap_analysis *m, const struct pr_batch *batch, struct pr_error *err)
{
    return consume_by(m->packs ? consume_packed : consume, m, batch, err);
}

enum pr_status pr_heap_count_work(void *memory, struct pr_batch *batch, struct pr_error *err)
{
    return consume_by(count_batch, memory, batch, err);
}

/* The figures of a fact, where its counters were. */
enum { PEAK_BYTES, PEAK_COUNT, LEAKED_BYTES, LEAKED_COUNT, FIGURES };

_Static_assert(FIGURES * sizeof(int64_t) == sizeof(struct pr_heap_fact), "figures replace the counters of a fact");

/* What each fact has now is what was not freed; its peak is yet to be filled in. All of it was noted. */
static void make_columns(struct pr_heap_analysis *m)
{
    int64_t *columns = (int64_t *)m->facts;
    for (uint32_t fact = 0; fact < m->fact_count; fact++) {
        const struct pr_heap_fact now = m->facts[fact];
        const int64_t figures[FIGURES] = {[LEAKED_BYTES] = now.live_bytes, [LEAKED_COUNT] = now.live_count};
        memcpy(columns + (size_t)fact * FIGURES, figures, sizeof figures);
    }
    m->columns = columns;
    m->facts = NULL;
    m->fact_count = 0;
    m->fact_capacity = 0;
    m->peak = pr_allocations_column("peak", "Peak", columns + PEAK_BYTES, columns + PEAK_COUNT, FIGURES);
    m->leaked = pr_allocations_column("leaked", "Not freed", columns + LEAKED_BYTES, columns + LEAKED_COUNT, FIGURES);
    m->leaked.owner = &m->columns;
}

static void add_leaked(void *context, uint32_t fact, uint64_t bytes)
{
    int64_t *leaked = (int64_t *)context + (size_t)fact * 2;
    add(&leaked[0], bytes);
    leaked[1]++;
}

/* Where nothing was counted by fact: what is still in the live set. The zeros of the peak stay untouched. */
static bool make_columns_of_alive(struct pr_heap_analysis *m, uint32_t fact_count)
{
    const size_t facts = fact_count + (size_t)1;
    int64_t *peak = m->columns = calloc(facts, 4 * sizeof *m->columns);
    if (!peak)
        return false;
    int64_t *leaked = peak + 2 * facts;
    m->peak = pr_allocations_column("peak", "Peak", peak, peak + facts, 1);
    m->leaked = pr_allocations_column("leaked", "Not freed", leaked, leaked + 1, 2);
    pr_heap_each_alive(m, add_leaked, leaked);
    pr_liveset_clear(&m->live.set);
    return true;
}

/* What every fact had at the high-water mark of the run, from its steps. */
static void fill_peak(struct pr_heap_analysis *m)
{
    const struct pr_bins *bins = &m->bins;
    m->run_peak_bin = 0;
    uint32_t last = m->samples_at_last_event >> bins->shift;
    for (uint32_t bin = 0; bin < bins->count && bin <= last; bin++) {
        if (bins->bin[bin].peak_bytes >= bins->bin[m->run_peak_bin].peak_bytes)
            m->run_peak_bin = bin;
    }
    m->run_peak_bytes = bins->bin[m->run_peak_bin].peak_bytes;
    m->run_peak = bins->bin[m->run_peak_bin].held;
    m->peak_is_total = bins->bin[m->run_peak_bin].peak_number <= m->totals.known_until;
    /* Sorted, so a later step of a fact has a later value. */
    for (size_t i = 0; i < bins->step_count && !m->peak_is_total; i++) {
        const struct pr_raw_step *step = &bins->steps[i];
        if (step->bin > m->run_peak_bin)
            continue;
        m->columns[step->fact * m->peak.stride + PEAK_BYTES] = step->bytes;
        m->columns[step->fact * m->peak.stride + PEAK_COUNT] = step->count;
    }
}

/* Live allocations become moves. They are then no longer needed, and may be as large as all the rest. */
static bool add_living(struct pr_heap_analysis *m, struct pr_liveset *set)
{
    const size_t slots = set->mask + 1;
    for (size_t i = 0; i < slots; i++) {
        const struct pr_live *live = &set->slots[i];
        if (live->fact &&
            !pr_lifetimes_add(&m->moves, live->fact - 1, live->born >> m->bins.shift, PR_LIFETIME_NEVER, live->size, 1))
            return false;
    }
    pr_liveset_clear(set);
    return true;
}

/* The same of those that are packed. */
static bool add_packed(struct pr_heap_analysis *m)
{
    for (size_t i = 0; i < m->packed.slot_count; i++) {
        struct pr_live live;
        if (pr_packed_get(&m->packed, i, &live) &&
            !pr_lifetimes_add(&m->moves, live.fact - 1, live.born >> m->bins.shift, PR_LIFETIME_NEVER, live.size, 1))
            return false;
    }
    const bool added = !m->packs || add_living(m, &m->packed.others);
    pr_packed_clear(&m->packed);
    return added;
}

static bool piece_is_living(void *context, const struct pr_piece *piece, bool first)
{
    struct pr_heap_analysis *m = context;
    return pr_lifetimes_add(&m->moves, piece->fact, piece->born >> m->bins.shift, PR_LIFETIME_NEVER,
                            piece->end - piece->start, first);
}

struct living {
    pr_heap_alive_fn *call;
    void *context;
};

static bool piece_is_alive(void *context, const struct pr_piece *piece, bool first)
{
    const struct living *living = context;
    (void)first;
    living->call(living->context, piece->fact, piece->end - piece->start);
    return true;
}

void pr_heap_each_alive(struct pr_heap_analysis *m, pr_heap_alive_fn *call, void *context)
{
    const struct pr_liveset *set = &m->live.set;
    struct living living = {call, context};
    for (size_t i = 0; i <= set->mask; i++) {
        if (set->slots[i].fact)
            call(context, set->slots[i].fact - 1, set->slots[i].size);
    }
    pr_mapped_ranges_each(&m->mappings, piece_is_alive, &living);
}

enum pr_status pr_heap_end(struct pr_heap_analysis *m, uint32_t fact_count, int64_t end_ms, struct pr_error *err)
{
    const struct pr_memory_samples *samples = &m->samples;
    if (samples->count && samples->last_ms > end_ms)
        end_ms = samples->last_ms;
    /* In an order that frees much before taking more: the peak of our own memory is here. */
    bool added = (m->totals.alone || pr_heap_grow_facts(m, fact_count + !fact_count)) && close_bin(m, end_ms) &&
                 add_packed(m);
    if (added && !m->totals.alone)
        added = add_living(m, &m->live.set) && pr_mapped_ranges_each(&m->mappings, piece_is_living, m) &&
                pr_lifetimes_end(&m->moves);
    if (!added || (m->totals.alone && !make_columns_of_alive(m, fact_count)))
        return pr_fail_memory(err);
    for (uint32_t fact = 0; fact < m->fact_count; fact++)
        pr_heap_note(m, fact);
    while (m->bins.most && m->bins.count > m->bins.most) {
        if (!merge_bins(m))
            return pr_fail_memory(err);
    }
    if (!m->bins.most)
        pr_bins_truncate(&m->bins, m->samples_at_last_event + 1);
    pr_bins_stop_noting(&m->bins);
    if (!m->totals.alone)
        make_columns(m);
    if (m->out_of_memory || !pr_bins_sort(&m->bins, fact_count))
        return pr_fail_memory(err);
    fill_peak(m);
    return PR_OK;
}
