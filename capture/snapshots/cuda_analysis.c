/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of a snapshot's traces as allocations and frees, and what follows from them.
 *
 * A trace is a ring: what was alive before its first entry has no entry. It is found in a first pass: what is freed
 * without having been allocated, and blocks in use at the end that no entry allocated. The second pass starts with all
 * of these and merges the devices by time. A block is alive until its free has completed: before that, the allocator
 * cannot use it again. Sizes are those that were asked for.
 */
#include "capture/base/checked.h"
#include "capture/base/time.h"
#include "capture/base/sort.h"
#include "capture/heap/alloc_counters.h"
#include "capture/heap/alloc_stats.h"
#include "capture/heap/history.h"
#include "capture/model/run_times.h"
#include "capture/snapshots/cuda_notes.h"

enum { SAMPLES = 1024, US_PER_MS = 1000, DEVICE_SHIFT = 56, ROUNDING = 512 };

#define ADDRESS_MASK ((UINT64_C(1) << DEVICE_SHIFT) - 1)

/* Alive before the first entry. */
struct initial {
    uint64_t address, size; /* with the device, as of key_of */
    pr_node_id leaf;
    uint32_t stream;
};

/* The next entry of a device. */
struct cursor {
    size_t run, at; /* of the snapshot, in the run */
};

struct analysis {
    struct pr_cuda_snapshot *s;
    const struct pr_load_options *options;
    struct pr_profile *profile;
    struct pr_error *err;
    struct pr_heap_analysis heap;
    struct pr_alloc_counters tally;
    struct pr_time_moments moments; /* of all before moment_ns */
    int64_t moment_ns;              /* since start_ms, a whole number of ms */
    struct pr_batch batch;
    struct pr_cuda_facts facts; /* for the notes */
    enum pr_cuda_action free_action;
    struct initial *initial;
    size_t initial_count, initial_capacity;
    struct pr_liveset segments; /* fact: device + 1 */
    pr_node_id before;          /* the stack of what was allocated before, by nobody knows whom */
    struct cursor cursors[PR_CUDA_MOST_DEVICES];
    int64_t reserved[PR_CUDA_MOST_DEVICES];
    int64_t start_ms, end_ms, next_ms, step_ms;
    bool has_times, no_memory;
};

static uint64_t key_of(uint64_t address, uint32_t device)
{
    return (address & ADDRESS_MASK) | (uint64_t)device << DEVICE_SHIFT;
}

/* ---- entries in order ------------------------------------------------------------------------------------------- */

static const struct pr_cuda_entry *peek(struct analysis *a, uint32_t device)
{
    struct cursor *c = &a->cursors[device];
    const struct pr_cuda_snapshot *s = a->s;
    while (c->run < s->run_count && (s->runs[c->run].device != device || c->at == s->runs[c->run].count))
        *c = (struct cursor){c->run + 1, 0};
    return c->run < s->run_count ? &s->entries[s->runs[c->run].first + c->at] : NULL;
}

/* The next entry in time, and its device; NULL: there is no other. */
static const struct pr_cuda_entry *next_entry(struct analysis *a, uint32_t *device)
{
    const struct pr_cuda_entry *next = NULL;
    for (uint32_t i = 0; i < a->s->device_count; i++) {
        const struct pr_cuda_entry *entry = peek(a, i);
        if (entry && (!next || entry->time_us < next->time_us)) {
            next = entry;
            *device = i;
        }
    }
    if (next)
        a->cursors[*device].at++;
    return next;
}

static void rewind_all(struct analysis *a)
{
    memset(a->cursors, 0, sizeof a->cursors);
}

/* ---- first pass: what was there before -------------------------------------------------------------------------- */

/* The span of time, and which action frees: some recordings leave out when frees complete. */
static void survey(struct analysis *a)
{
    const struct pr_cuda_snapshot *s = a->s;
    int64_t first = INT64_MAX, last = INT64_MIN;
    a->free_action = PR_CUDA_FREE_REQUESTED;
    for (size_t i = 0; i < s->entry_count; i++) {
        const struct pr_cuda_entry *entry = &s->entries[i];
        if (entry->action == PR_CUDA_FREE_COMPLETED)
            a->free_action = PR_CUDA_FREE_COMPLETED;
        if (entry->time_us <= 0)
            continue;
        first = entry->time_us < first ? entry->time_us : first;
        last = entry->time_us > last ? entry->time_us : last;
    }
    a->has_times = first <= last;
    if (!a->has_times)
        return;
    a->start_ms = first / US_PER_MS;
    a->end_ms = last / US_PER_MS + 1;
    a->step_ms = (a->end_ms - a->start_ms) / SAMPLES + 1;
    a->next_ms = a->start_ms + a->step_ms;
}

static void add_initial(struct analysis *a, const struct initial *initial)
{
    if (a->no_memory || !pr_grow(&a->initial, &a->initial_capacity, a->initial_count + 1, sizeof *a->initial)) {
        a->no_memory = true;
        return;
    }
    a->initial[a->initial_count++] = *initial;
    a->facts.before_bytes += initial->size;
}

static void put(struct analysis *a, struct pr_liveset *set, uint64_t key, uint64_t size, uint32_t device)
{
    const struct pr_live entry = {key, size, device + 1, 0};
    struct pr_live old;
    if (!pr_liveset_put(set, &entry, &old))
        a->no_memory = true;
}

static bool is_there(const struct pr_liveset *set, uint64_t key)
{
    return set->slots[pr_liveset_find(set, key)].fact != 0;
}

static void reserve(struct analysis *a, uint32_t device, int64_t more)
{
    a->reserved[device] = pr_add_saturated(a->reserved[device], more);
}

static void survey_entry(struct analysis *a, struct pr_liveset *blocks, struct pr_liveset *segments,
                         const struct pr_cuda_entry *entry, uint32_t device)
{
    const uint64_t key = key_of(entry->address, device);
    struct pr_live old;
    if (entry->action == PR_CUDA_ALLOC)
        put(a, blocks, key, entry->size, device);
    else if (entry->action == a->free_action && !pr_liveset_take(blocks, key, &old))
        add_initial(a, &(struct initial){key, entry->size, a->before, entry->stream});
    else if (entry->action == PR_CUDA_SEGMENT_ALLOC)
        put(a, segments, key, entry->size, device);
    else if (entry->action == PR_CUDA_SEGMENT_FREE && !pr_liveset_take(segments, key, &old))
        put(a, &a->segments, key, entry->size, device);
    if (entry->action == PR_CUDA_SEGMENT_ALLOC || entry->action == PR_CUDA_SEGMENT_MAP)
        reserve(a, device, -pr_signed_saturated(entry->size));
    else if (entry->action == PR_CUDA_SEGMENT_FREE || entry->action == PR_CUDA_SEGMENT_UNMAP)
        reserve(a, device, pr_signed_saturated(entry->size));
}

static void survey_blocks(struct analysis *a, const struct pr_liveset *blocks, const struct pr_liveset *segments)
{
    const struct pr_cuda_snapshot *s = a->s;
    for (size_t i = 0; i < s->block_count; i++) {
        const struct pr_cuda_block *block = &s->blocks[i];
        const struct pr_cuda_segment *segment = &s->segments[block->segment];
        const uint64_t key = key_of(block->address, segment->device);
        if (block->active && !is_there(blocks, key))
            add_initial(a, &(struct initial){key, block->requested, block->leaf, segment->stream});
    }
    for (size_t i = 0; i < s->segment_count; i++) {
        const struct pr_cuda_segment *segment = &s->segments[i];
        const uint64_t key = key_of(segment->address, segment->device);
        reserve(a, segment->device, pr_signed_saturated(segment->size));
        a->facts.has_expandable |= segment->expandable;
        if (!is_there(segments, key))
            put(a, &a->segments, key, segment->size, segment->device);
    }
}

static bool find_initial(struct analysis *a)
{
    struct pr_liveset blocks = {0}, segments = {0};
    uint32_t device = 0;
    bool good = pr_liveset_init(&blocks) && pr_liveset_init(&segments) && pr_liveset_init(&a->segments);
    for (const struct pr_cuda_entry *entry; good && !a->no_memory && (entry = next_entry(a, &device));)
        survey_entry(a, &blocks, &segments, entry, device);
    if (good && !a->no_memory)
        survey_blocks(a, &blocks, &segments);
    for (uint32_t i = 0; i < PR_CUDA_MOST_DEVICES; i++)
        if (a->reserved[i] < 0) /* entries of segments were lost */
            a->reserved[i] = 0;
    pr_liveset_clear(&blocks);
    pr_liveset_clear(&segments);
    rewind_all(a);
    return good && !a->no_memory;
}

/* ---- second pass: allocations and frees ------------------------------------------------------------------------- */

static enum pr_status flush(struct analysis *a)
{
    a->batch.fact_count = a->s->stacks.facts.count;
    const enum pr_status status = a->batch.count ? pr_heap_consume(&a->heap, &a->batch, a->err) : PR_OK;
    a->batch.count = 0;
    return status;
}

static enum pr_status send(struct analysis *a, enum pr_op op, uint64_t address, uint64_t size, uint32_t fact)
{
    struct pr_batch *batch = &a->batch;
    batch->event[batch->count++] = (struct pr_event){address, size, fact, op};
    return batch->count == PR_BATCH_EVENTS ? flush(a) : PR_OK;
}

/* A stream of a device is a thread. Its number is one more than the stream's: a thread 0 is one that is not known. */
static uint32_t thread_of(struct analysis *a, uint32_t device, uint32_t stream)
{
    const struct pr_cuda_snapshot *s = a->s;
    const uint64_t number = stream < s->streams.count ? s->streams.keys[stream] : 0;
    const uint32_t known = s->stacks.threads.count;
    const uint32_t thread = pr_stacks_thread(&a->s->stacks, (number + 1) ^ (uint64_t)device << (DEVICE_SHIFT - 8));
    if (thread == known && thread != PR_NO_ID)
        s->stacks.thread_name[thread] = pr_cuda_thread_name(a->profile, device, number);
    return thread;
}

/* Each device has a peak of its own. */
static void count_device(struct analysis *a, uint64_t key, uint64_t more)
{
    uint64_t *live = &a->facts.live_bytes[key >> DEVICE_SHIFT], *peak = &a->facts.peak_bytes[key >> DEVICE_SHIFT];
    *live = *live + more; /* wraps in damaged files, as sums of sizes do */
    *peak = *live > *peak ? *live : *peak;
}

static enum pr_status allocate(struct analysis *a, uint64_t key, uint64_t size, pr_node_id leaf, uint32_t stream,
                               bool in_trace)
{
    const struct pr_cuda_snapshot *s = a->s;
    const uint32_t thread = thread_of(a, (uint32_t)(key >> DEVICE_SHIFT), stream), native = s->has_native ? leaf : 0;
    const pr_node_id python = pr_cuda_shown_stack(s, leaf);
    uint32_t fact = PR_NO_ID;
    if (thread != PR_NO_ID)
        fact = pr_stacks_fact(&a->s->stacks, python, thread, PR_ALLOC_NONE, native, 0);
    if (fact == PR_NO_ID || (in_trace && !pr_alloc_counters_alloc(&a->tally, fact, thread, key, size)))
        return pr_fail_memory(a->err);
    count_device(a, key, size);
    return send(a, PR_OP_ALLOC, key, size, fact);
}

/* By all devices; never below 0, even if entries of segments were lost. */
static uint64_t all_reserved(const struct analysis *a)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < a->s->device_count; i++)
        sum = pr_add_saturated(sum, a->reserved[i] > 0 ? a->reserved[i] : 0);
    return (uint64_t)sum;
}

static enum pr_status sample_until(struct analysis *a, int64_t now_ms)
{
    enum pr_status status = PR_OK;
    for (; status == PR_OK && a->has_times && a->next_ms <= now_ms; a->next_ms += a->step_ms)
        status = send(a, PR_OP_SAMPLE, (uint64_t)a->next_ms, all_reserved(a), 0);
    return status;
}

static void segment_comes(struct analysis *a, const struct pr_cuda_entry *entry, uint64_t key)
{
    put(a, &a->segments, key, entry->size, (uint32_t)(key >> DEVICE_SHIFT));
    reserve(a, (uint32_t)(key >> DEVICE_SHIFT), pr_signed_saturated(entry->size));
}

static void segment_goes(struct analysis *a, const struct pr_cuda_entry *entry, uint64_t key)
{
    struct pr_live old;
    pr_liveset_take(&a->segments, key, &old);
    reserve(a, (uint32_t)(key >> DEVICE_SHIFT), -pr_signed_saturated(entry->size));
}

static int by_address(const void *a, const void *b, const void *context)
{
    const uint64_t *left = a, *right = b;
    (void)context;
    return PR_ORDER(*left, *right);
}

/* The parts of SET that are of DEVICE, in the order of their addresses. NULL: none, or no memory. */
static uint64_t *ranges_of(const struct pr_liveset *set, uint32_t device, size_t *count)
{
    const size_t slots = set->mask + 1;
    uint64_t *ranges = malloc((set->count + 1) * 2 * sizeof *ranges);
    *count = 0;
    for (size_t i = 0; ranges && i < slots; i++) {
        const struct pr_live *live = &set->slots[i];
        if (!live->fact || live->address >> DEVICE_SHIFT != device)
            continue;
        ranges[*count * 2] = live->address & ADDRESS_MASK;
        ranges[(*count)++ * 2 + 1] = live->size;
    }
    if (ranges && !pr_sort(ranges, *count, 2 * sizeof *ranges, by_address, NULL)) {
        free(ranges);
        ranges = NULL;
    }
    return ranges;
}

static uint64_t rounded(uint64_t size)
{
    return size > UINT64_MAX - ROUNDING ? size : (size + ROUNDING - 1) / ROUNDING * ROUNDING;
}

/* The largest part of a segment that no block is in. Blocks take whole multiples of 512 bytes. */
static uint64_t largest_gap(const uint64_t *segments, size_t segment_count, const uint64_t *blocks, size_t block_count)
{
    uint64_t largest = 0;
    size_t block = 0;
    for (size_t i = 0; i < segment_count; i++) {
        uint64_t at = segments[i * 2], end = at + segments[i * 2 + 1];
        for (; block < block_count && blocks[block * 2] < end; block++) {
            const uint64_t start = blocks[block * 2], size = rounded(blocks[block * 2 + 1]);
            largest = start > at && start - at > largest ? start - at : largest;
            at = start + size > at ? start + size : at;
        }
        largest = end > at && end - at > largest ? end - at : largest;
    }
    return largest;
}

static uint64_t rounded_sum(const uint64_t *blocks, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += rounded(blocks[i * 2 + 1]);
    return sum;
}

/* What the allocator had when the device had no more to give. */
static enum pr_status out_of_memory(struct analysis *a, const struct pr_cuda_entry *entry, uint32_t device)
{
    struct pr_cuda_oom oom = {.device = device, .asked = entry->size, .device_free = entry->address,
                              .time_us = entry->time_us};
    size_t segment_count, block_count;
    if (!pr_cuda_shows_oom(&a->facts, device)) { /* only counted: each lays out all blocks that are alive */
        pr_cuda_note_oom(&a->facts, &oom);
        return PR_OK;
    }
    if (flush(a) != PR_OK)
        return PR_FAILED;
    uint64_t *segments = ranges_of(&a->segments, device, &segment_count);
    uint64_t *blocks = ranges_of(&a->heap.live.set, device, &block_count);
    if (segments && blocks) {
        const uint64_t used = rounded_sum(blocks, block_count);
        const int64_t reserved = a->reserved[device];
        oom.reserved = reserved > 0 ? (uint64_t)reserved : 0;
        oom.free = oom.reserved > used ? oom.reserved - used : 0;
        oom.largest = a->facts.has_expandable ? 0 : largest_gap(segments, segment_count, blocks, block_count);
    }
    free(segments);
    free(blocks);
    pr_cuda_note_oom(&a->facts, &oom);
    return segments && blocks ? PR_OK : pr_fail_memory(a->err);
}

/* What was allocated in one millisecond is one moment; the next one begins at TIME_US or before. False: no memory. */
static bool end_moment(struct analysis *a, int64_t time_us)
{
    const int64_t at_ms = pr_subtract_saturated(time_us / US_PER_MS, a->start_ms), far_ms = INT64_MAX / PR_NS_PER_MS;
    const int64_t at_ns = (at_ms < far_ms ? at_ms : far_ms) * PR_NS_PER_MS;
    const bool is_next = at_ns > a->moment_ns;
    const bool done = !is_next || pr_alloc_counters_moments(&a->tally, a->moment_ns, &a->moments);
    a->moment_ns = is_next ? at_ns : a->moment_ns;
    return done;
}

/* False: no memory. */
static bool finish_moments(struct analysis *a)
{
    if (a->moments.resolution_ns < PR_NS_PER_MS)
        a->moments.resolution_ns = PR_NS_PER_MS;
    return !a->has_times || pr_time_moments_finish(&a->moments, a->s->stacks.merged, 0, a->profile);
}

static enum pr_status use_entry(struct analysis *a, const struct pr_cuda_entry *entry, uint32_t device)
{
    const uint64_t key = key_of(entry->address, device);
    if (entry->time_us > 0 && !end_moment(a, entry->time_us))
        return pr_fail_memory(a->err);
    if (entry->time_us > 0 && sample_until(a, entry->time_us / US_PER_MS) != PR_OK)
        return PR_FAILED;
    switch (entry->action) {
    case PR_CUDA_ALLOC:
        a->profile->records.allocations++;
        return allocate(a, key, entry->size, entry->leaf, entry->stream, true);
    case PR_CUDA_SEGMENT_ALLOC:
    case PR_CUDA_SEGMENT_MAP: segment_comes(a, entry, key); return PR_OK;
    case PR_CUDA_SEGMENT_FREE:
    case PR_CUDA_SEGMENT_UNMAP: segment_goes(a, entry, key); return PR_OK;
    case PR_CUDA_OOM: return out_of_memory(a, entry, device);
    default: break;
    }
    if (entry->action != a->free_action)
        return PR_OK;
    a->profile->records.frees++;
    pr_alloc_counters_free(&a->tally, thread_of(a, device, entry->stream), key, false, 0);
    a->facts.live_bytes[device] -= entry->size;
    return send(a, PR_OP_FREE, key, 0, 0);
}

static enum pr_status run_through(struct analysis *a)
{
    enum pr_status status = PR_OK;
    uint32_t device = 0;
    for (size_t i = 0; i < a->initial_count && status == PR_OK; i++) {
        const struct initial *initial = &a->initial[i];
        status = allocate(a, initial->address, initial->size, initial->leaf, initial->stream, false);
    }
    for (const struct pr_cuda_entry *entry; status == PR_OK && (entry = next_entry(a, &device));)
        status = use_entry(a, entry, device);
    if (status == PR_OK)
        status = sample_until(a, a->end_ms + a->step_ms - 1);
    if (status == PR_OK)
        status = flush(a);
    return a->no_memory ? pr_fail_memory(a->err) : status;
}

/* ---- the profile ------------------------------------------------------------------------------------------------ */

/* The samples have what the allocator had reserved, which memray's have as the process's memory. */
static enum pr_status finish_series(struct analysis *a)
{
    struct pr_profile *profile = a->profile;
    if (!a->has_times)
        return PR_OK;
    if (pr_memory_samples_finish(&a->heap.samples, true, profile, a->err) == PR_FAILED)
        return PR_FAILED;
    struct pr_series *series = pr_arena_array(&profile->arena, profile->series_count, sizeof *series);
    if (!series)
        return pr_fail_memory(a->err);
    for (uint32_t i = 0; i < profile->series_count; i++)
        series[i] = profile->series[i];
    series[0].name = "reserved";
    series[0].title = "Reserved";
    profile->series = series;
    return PR_OK;
}

/* Marks the stacks with frames of C++ that a fact has, and all above them. */
static void want(const struct pr_splice_job *job, bool *wanted)
{
    const struct pr_stack_table *stacks = job->stacks;
    for (uint32_t fact = 0; fact < stacks->facts.count; fact++)
        if (job->leaf[fact] != PR_NO_NODE)
            wanted[pr_stacks_fact_native(stacks, fact)] = true;
    for (pr_node_id node = stacks->nodes.count; node-- > 1;)
        if (wanted[node])
            wanted[pr_stacks_parent(stacks, node)] = true;
}

/* The second stacks: those with frames of C++. A node's parent comes before it. */
static enum pr_status make_hybrid(const void *context, const struct pr_splice_job *job, struct pr_error *err)
{
    const struct pr_stack_table *stacks = job->stacks;
    pr_node_id *seen = calloc(stacks->nodes.count, sizeof *seen);
    bool *wanted = calloc(stacks->nodes.count, sizeof *wanted), good = seen && wanted;
    (void)context;
    if (good)
        want(job, wanted);
    for (pr_node_id node = 1; good && node < stacks->nodes.count; node++) {
        if (!wanted[node])
            continue;
        const uint64_t key =
            (uint64_t)seen[pr_stacks_parent(stacks, node)] << 32 | pr_stacks_node_frame(stacks, node);
        seen[node] = pr_idset_add(job->tree, &key, 1);
        good = seen[node] != PR_NO_ID;
    }
    for (uint32_t fact = 0; good && fact < stacks->facts.count; fact++)
        job->hybrid[fact] = seen[pr_stacks_fact_native(stacks, fact)];
    free(seen);
    free(wanted);
    return good ? PR_OK : pr_fail_memory(err);
}

static enum pr_status finish(struct analysis *a)
{
    struct pr_stack_table *stacks = &a->s->stacks;
    struct pr_profile *profile = a->profile;
    if (!pr_alloc_counters_moments(&a->tally, a->moment_ns, &a->moments) ||
        !pr_alloc_counters_settle(&a->tally, stacks->facts.count))
        return pr_fail_memory(a->err);
    const struct pr_fact_column allocated = pr_alloc_counters_allocated(&a->tally);
    const struct pr_fact_column metrics[] = {a->heap.peak, a->heap.leaked, pr_alloc_counters_temporary(&a->tally),
                                             allocated};
    const struct pr_splice splice = {make_hybrid, NULL};
    const bool unwanted = a->options->native == PR_NATIVE_OFF || a->options->native == PR_NATIVE_OFFSETS;
    stacks->splice = a->s->has_native && !unwanted ? &splice : NULL;
    const enum pr_status status =
        pr_stacks_finish(stacks, 0, 0, metrics, sizeof metrics / sizeof *metrics, a->err);
    stacks->splice = NULL;
    if (status == PR_FAILED)
        return PR_FAILED;
    pr_heap_drop_columns(&a->heap);
    if (!finish_moments(a))
        return pr_fail_memory(a->err);
    if (finish_series(a) == PR_FAILED || pr_history_finish(stacks, &a->heap, a->err) == PR_FAILED)
        return PR_FAILED;
    profile->peak_bytes = a->heap.run_peak_bytes;
    profile->peak_bin = a->heap.run_peak_bin;
    if (a->heap.run_peak_bytes && a->has_times)
        profile->peak_at_ms = (struct pr_maybe){true, pr_times_peak_of_bin_ms(profile, a->heap.run_peak_bin)};
    return pr_alloc_stats_make(stacks, &allocated, &a->tally.sizes, a->err);
}

static void describe(struct analysis *a)
{
    struct pr_profile *profile = a->profile;
    profile->meta.python_allocator = "";
    profile->meta.no_date = !a->has_times;
    if (a->has_times) {
        profile->meta.start_ms = (struct pr_maybe){true, a->start_ms};
        profile->meta.end_ms = (struct pr_maybe){true, a->end_ms};
    }
    profile->meta.has_native_traces = a->s->has_native;
    profile->records.frames = a->s->frames;
    profile->records.samples = profile->series_count ? profile->series[0].count : 0;
    a->facts.before_count = a->initial_count;
    a->facts.entry_count = a->s->entry_count;
    a->facts.has_times = a->has_times;
}

static enum pr_status analyse(struct analysis *a)
{
    enum pr_status status = find_initial(a) ? run_through(a) : pr_fail_memory(a->err);
    free(a->s->entries); /* before the profile is made, which needs memory too */
    a->s->entries = NULL;
    a->s->entry_capacity = 0;
    if (status != PR_OK || pr_heap_end(&a->heap, a->s->stacks.facts.count, a->end_ms, a->err) == PR_FAILED)
        return PR_FAILED;
    if (finish(a) == PR_FAILED)
        return PR_FAILED;
    describe(a);
    if (a->has_times && pr_cuda_phases_finish(a->s, a->profile, a->err) == PR_FAILED)
        return PR_FAILED;
    if (a->facts.oom_count && pr_cuda_keep_ooms(&a->facts, a->profile, a->err) == PR_FAILED)
        return PR_FAILED;
    return pr_cuda_add_notes(&a->facts, a->s, a->profile, a->err);
}

enum pr_status pr_cuda_make_profile(struct pr_cuda_snapshot *s, const struct pr_load_options *options,
                                    struct pr_profile *profile, struct pr_error *err)
{
    struct analysis *a = NULL;
    if (posix_memalign((void **)&a, _Alignof(struct analysis), sizeof *a))
        return pr_fail_memory(err);
    memset(a, 0, sizeof *a);
    a->s = s;
    a->options = options;
    a->profile = profile;
    a->err = err;
    a->before = pr_cuda_stack(s, &(pr_frame_id){pr_cuda_before(s)}, 1);
    survey(a);
    pr_alloc_counters_init(&a->tally, true, options->temporary_threshold, true);
    a->moments.most = PR_MOST_MOMENTS;
    enum pr_status status = pr_heap_init(&a->heap, options, a->start_ms, err);
    if (status == PR_OK)
        status = s->no_memory ? pr_fail_memory(err) : analyse(a);
    free(a->initial);
    pr_liveset_clear(&a->segments);
    pr_alloc_counters_clear(&a->tally);
    pr_time_moments_clear(&a->moments);
    pr_heap_clear(&a->heap);
    free(a);
    return status == PR_FAILED ? PR_FAILED : PR_OK;
}
