/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one pass over a capture against a plain model, which replays the run from its start for every question. Both get
 * the same random run; the reader gets it as a capture.
 */
#include "tests/support/unit.h"

#include "profrender/load.h"
#include "capture/heap/history.h"
#include "profrender/window.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, FRAMES = 4, NO_FRAME = FRAMES, MAX_STEPS = 400, MAX_SAMPLES = 100 };

/* Facts by thread, frame and allocator. */
enum { KEYS = THREADS * (FRAMES + 1) * PR_ALLOC_COUNT };

struct step {
    enum pr_allocator allocator; /* PR_ALLOC_NONE: a memory sample */
    uint64_t address, size;
    uint32_t thread, frame;
};

struct run {
    struct step step[MAX_STEPS];
    unsigned count;
    unsigned sample_at[MAX_SAMPLES + 1]; /* steps before the end of each span between samples */
    unsigned samples;
};

struct amounts {
    int64_t bytes[KEYS], count[KEYS];
};

static unsigned key_of(const struct step *step)
{
    return (step->thread * (FRAMES + 1) + step->frame) * PR_ALLOC_COUNT + step->allocator;
}

/* ---- the model -------------------------------------------------------------------------------------------------- */

struct piece {
    uint64_t start, end; /* of a simple allocation: its address and size */
    unsigned key, made_at;
};

struct model {
    struct piece live[MAX_STEPS], pieces[4 * MAX_STEPS];
    unsigned live_count, piece_count;
    int64_t heap;
    bool gone_at_once[MAX_STEPS]; /* a mapping whose last pieces, several, went in one munmap */
};

/* The place of ADDRESS among the live ones; live_count when it is not there. */
static unsigned model_find(const struct model *m, uint64_t address)
{
    unsigned at = 0;
    while (at < m->live_count && m->live[at].start != address)
        at++;
    return at;
}

static void model_free(struct model *m, uint64_t address)
{
    unsigned at = model_find(m, address);
    if (at == m->live_count)
        return;
    m->heap -= (int64_t)m->live[at].end;
    m->live[at] = m->live[--m->live_count];
}

/* An allocation whose address is given out again was alive until then. The heap keeps its bytes. */
static void model_alloc(struct model *m, const struct piece *piece)
{
    unsigned at = model_find(m, piece->start);
    m->live_count += at == m->live_count;
    m->live[at] = *piece;
    m->heap += (int64_t)piece->end;
}

static void model_unmap(struct model *m, uint64_t start, uint64_t end)
{
    unsigned hits[MAX_STEPS] = {0};
    for (unsigned i = 0; i < m->piece_count; i++) {
        struct piece old = m->pieces[i];
        uint64_t from = old.start > start ? old.start : start, to = old.end < end ? old.end : end;
        if (from >= to)
            continue;
        m->heap -= (int64_t)(to - from);
        hits[old.made_at]++;
        m->pieces[i].end = from; /* what is before the hole; maybe nothing, which stays as an empty piece */
        struct piece behind = {to, old.end, old.key, old.made_at};
        if (behind.start < behind.end)
            m->pieces[m->piece_count++] = behind; /* beyond the hole: the loop passes over it */
    }
    for (unsigned made = 0; made < MAX_STEPS; made++) {
        bool left = false;
        for (unsigned i = 0; i < m->piece_count; i++)
            left |= m->pieces[i].made_at == made && m->pieces[i].start < m->pieces[i].end;
        m->gone_at_once[made] |= hits[made] > 1 && !left;
    }
}

static void model_step(struct model *m, const struct run *run, unsigned at)
{
    const struct step *step = &run->step[at];
    switch (step->allocator) {
    case PR_ALLOC_NONE:
        break;
    case PR_ALLOC_FREE:
    case PR_ALLOC_PYMALLOC_FREE:
        model_free(m, step->address);
        break;
    case PR_ALLOC_MUNMAP:
        model_unmap(m, step->address, step->address + step->size);
        break;
    case PR_ALLOC_MMAP:
        if (step->size)
            m->pieces[m->piece_count++] =
                (struct piece){step->address, step->address + step->size, key_of(step), at};
        m->heap += (int64_t)step->size;
        break;
    default:
        model_alloc(m, &(struct piece){step->address, step->size, key_of(step), at});
        break;
    }
}

/* The state after the first STEPS steps. */
static void model_at(struct model *m, const struct run *run, unsigned steps)
{
    memset(m, 0, sizeof *m);
    for (unsigned at = 0; at < steps; at++)
        model_step(m, run, at);
}

static void model_amounts(const struct model *m, struct amounts *amounts)
{
    memset(amounts, 0, sizeof *amounts);
    for (unsigned i = 0; i < m->live_count; i++) {
        amounts->bytes[m->live[i].key] += (int64_t)m->live[i].end;
        amounts->count[m->live[i].key]++;
    }
    for (unsigned i = 0; i < m->piece_count; i++) {
        amounts->bytes[m->pieces[i].key] += (int64_t)(m->pieces[i].end - m->pieces[i].start);
        amounts->count[m->pieces[i].key] += m->pieces[i].end > m->pieces[i].start;
    }
}

/* The last of the states after FROM to TO steps in which the heap is highest, and how high that is. */
static unsigned model_peak(const struct run *run, unsigned from, unsigned to, int64_t *heap)
{
    static struct model m;
    unsigned peak = from;
    model_at(&m, run, from);
    *heap = m.heap;
    for (unsigned at = from; at < to; at++) {
        model_step(&m, run, at);
        if (m.heap >= *heap) {
            *heap = m.heap;
            peak = at + 1;
        }
    }
    return peak;
}

/* What was allocated in the steps FROM to TO and is alive after them. A mapping counts once, however many pieces. */
static void model_leaks(const struct run *run, unsigned from, unsigned to, struct amounts *amounts)
{
    static struct model m, end;
    bool counted[MAX_STEPS] = {false};
    memset(amounts, 0, sizeof *amounts);
    model_at(&m, run, to);
    model_at(&end, run, run->count);
    for (unsigned i = 0; i < m.live_count; i++) {
        if (m.live[i].made_at < from)
            continue;
        amounts->bytes[m.live[i].key] += (int64_t)m.live[i].end;
        amounts->count[m.live[i].key]++;
    }
    for (unsigned i = 0; i < m.piece_count; i++) {
        const struct piece *piece = &m.pieces[i];
        if (piece->made_at < from || piece->start >= piece->end)
            continue;
        amounts->bytes[piece->key] += (int64_t)(piece->end - piece->start);
        amounts->count[piece->key] += !counted[piece->made_at] && !end.gone_at_once[piece->made_at];
        counted[piece->made_at] = true;
    }
}

static bool is_free(enum pr_allocator allocator)
{
    return allocator == PR_ALLOC_FREE || allocator == PR_ALLOC_PYMALLOC_FREE || allocator == PR_ALLOC_MUNMAP;
}

static void model_allocated(const struct run *run, struct amounts *amounts)
{
    memset(amounts, 0, sizeof *amounts);
    for (unsigned at = 0; at < run->count; at++) {
        const struct step *step = &run->step[at];
        if (step->allocator == PR_ALLOC_NONE || is_free(step->allocator))
            continue;
        amounts->bytes[key_of(step)] += (int64_t)step->size;
        amounts->count[key_of(step)]++;
    }
}

/* Each deallocation looks among the last THRESHOLD + 1 allocations of its thread, the newest first. */
static void model_temporary(const struct run *run, uint32_t threshold, struct amounts *amounts)
{
    memset(amounts, 0, sizeof *amounts);
    for (unsigned at = 0; at < run->count; at++) {
        const struct step *gone = &run->step[at];
        uint32_t left = threshold + 1;
        for (unsigned before = at; is_free(gone->allocator) && before-- > 0 && left;) {
            const struct step *made = &run->step[before];
            if (made->allocator == PR_ALLOC_NONE || is_free(made->allocator) || made->thread != gone->thread)
                continue;
            left--;
            if (made->address != gone->address || (gone->allocator == PR_ALLOC_MUNMAP && made->size != gone->size))
                continue;
            amounts->bytes[key_of(made)] += (int64_t)made->size;
            amounts->count[key_of(made)]++;
            break;
        }
    }
}

/* ---- the run as a capture --------------------------------------------------------------------------------------- */

/* PLACES addresses, sizes up to MOST_BYTES. */
static void draw_run(struct run *run, uint64_t seed, unsigned steps, uint32_t places, uint32_t most_bytes)
{
    static const enum pr_allocator simple[] = {PR_ALLOC_MALLOC, PR_ALLOC_PYMALLOC_MALLOC, PR_ALLOC_CALLOC};
    memset(run, 0, sizeof *run);
    for (; run->count < steps; run->count++) {
        struct step *step = &run->step[run->count];
        uint32_t kind = random_below(&seed, 20);
        step->thread = random_below(&seed, THREADS);
        step->frame = random_below(&seed, FRAMES + 1);
        step->address = 16 * (uint64_t)random_below(&seed, places); /* 0 too */
        step->size = random_below(&seed, 6) ? random_below(&seed, most_bytes) : 0;
        if (kind < 8) {
            step->allocator = simple[random_below(&seed, 3)];
        } else if (kind < 15) {
            step->allocator = kind < 12 ? PR_ALLOC_FREE : PR_ALLOC_PYMALLOC_FREE;
        } else if (kind < 19) {
            step->allocator = kind < 17 ? PR_ALLOC_MMAP : PR_ALLOC_MUNMAP;
            step->address = 0x10000 + 8 * (uint64_t)random_below(&seed, 10);
            step->size = 8 * (uint64_t)random_below(&seed, 10);
        } else if (run->samples < MAX_SAMPLES) {
            run->sample_at[run->samples++] = run->count + 1;
        }
    }
}

static struct pr_profile *load(const struct run *run, uint32_t threshold, uint32_t max_bins)
{
    struct capture capture;
    uint64_t frames[FRAMES];
    char name[] = "f0";
    uint32_t on_stack[THREADS];
    uint64_t samples = 0;
    capture_begin(&capture, &(struct capture_head){.version = 13});
    for (unsigned i = 0; i < FRAMES; i++) {
        name[1] = (char)('0' + i);
        frames[i] = capture_frame(&capture, name, "app.py", 1);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        capture_thread(&capture, i);
        on_stack[i] = NO_FRAME;
    }
    for (unsigned at = 0; at < run->count; at++) {
        const struct step *step = &run->step[at];
        if (step->allocator == PR_ALLOC_NONE) {
            capture_sample(&capture, 10 * ++samples, 4096);
            continue;
        }
        capture_thread(&capture, step->thread);
        if (on_stack[step->thread] != step->frame) {
            capture_pop(&capture, on_stack[step->thread] != NO_FRAME);
            if (step->frame != NO_FRAME)
                capture_push(&capture, frames[step->frame]);
            on_stack[step->thread] = step->frame;
        }
        capture_event(&capture, step->allocator, step->address, step->size, 0);
    }
    capture_end(&capture);
    struct pr_load_options options = pr_load_options_default();
    options.temporary_threshold = threshold;
    options.max_bins = max_bins;
    static unsigned turn;
    options.threads = 1 + turn++ % PR_MOST_THREADS; /* whatever their number */
    struct pr_profile *profile;
    assert_int_equal(pr_load_memory("run", capture.out.bytes, capture.out.length, &options, &profile, NULL), PR_OK);
    capture_clear(&capture);
    return profile;
}

static unsigned key_of_fact(const struct pr_profile *profile, size_t fact)
{
    struct step step = {.allocator = profile->fact_allocator[fact], .frame = NO_FRAME};
    step.thread = (uint32_t)profile->threads[profile->fact_thread[fact]].tid;
    pr_node_id leaf = profile->fact_leaf[fact];
    if (leaf != PR_ROOT)
        step.frame =
            (uint32_t)(pr_profile_text(profile, profile->frames[profile->tree.frame[leaf]].function).bytes[1] - '0');
    return key_of(&step);
}

/* VALUE and COUNT are columns by fact. */
static void assert_amounts(const struct pr_profile *profile, const int64_t *value, const int64_t *count,
                           const struct amounts *expected, const char *what)
{
    static struct amounts found;
    memset(&found, 0, sizeof found);
    for (size_t fact = 0; fact < profile->fact_count; fact++) {
        found.bytes[key_of_fact(profile, fact)] += value[fact];
        found.count[key_of_fact(profile, fact)] += count[fact];
    }
    for (unsigned key = 0; key < KEYS; key++)
        if (found.bytes[key] != expected->bytes[key] || found.count[key] != expected->count[key])
            fail_msg("%s, key %u: %ld bytes in %ld, should be %ld in %ld", what, key, (long)found.bytes[key],
                     (long)found.count[key], (long)expected->bytes[key], (long)expected->count[key]);
}

static void assert_metric(const struct pr_profile *profile, const char *name, const struct amounts *expected)
{
    int metric = pr_profile_metric(profile, name);
    assert_true(metric >= 0);
    assert_amounts(profile, profile->metrics[metric].value, profile->metrics[metric].count, expected, name);
}

static void assert_whole_run(const struct run *run, const struct pr_profile *profile, uint32_t threshold)
{
    static struct model m;
    static struct amounts amounts;
    int64_t heap;
    model_at(&m, run, model_peak(run, 0, run->count, &heap));
    model_amounts(&m, &amounts);
    assert_metric(profile, "peak", &amounts);
    assert_true(profile->peak_bytes == heap);
    model_at(&m, run, run->count);
    model_amounts(&m, &amounts);
    assert_metric(profile, "leaked", &amounts);
    model_allocated(run, &amounts);
    assert_metric(profile, "allocated", &amounts);
    model_temporary(run, threshold, &amounts);
    assert_metric(profile, "temporary", &amounts);
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static void peak_leaks_totals_and_temporaries_agree_with_a_replay(void **state)
{
    (void)state;
    static const uint32_t thresholds[] = {0, 1, 3, 50};
    static struct run run;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        uint32_t threshold = thresholds[seed % 4];
        /* Few sizes, so that the heap often comes back to where it was: peaks move on at ties. */
        draw_run(&run, seed, 20 + (unsigned)seed * 3, seed % 2 ? 4 : 12, seed % 3 ? 3 : 5000);
        struct pr_profile *profile = load(&run, threshold, 512);
        assert_whole_run(&run, profile, threshold);
        pr_profile_free(profile);
    }
}

/* After how many steps BIN ends: bins end at samples, which are 10 ms apart, and the last one at the end. */
static unsigned steps_at_end(const struct run *run, const struct pr_profile *profile, uint32_t bin)
{
    if (bin + 1 == profile->bin_count)
        return run->count;
    uint64_t samples = (uint64_t)(profile->bins[bin].end_ms - CAPTURE_START_MS) / 10;
    assert_in_range(samples, 1, run->samples);
    return run->sample_at[samples - 1];
}

static void assert_window(const struct run *run, const struct pr_profile *profile, struct pr_window window)
{
    static struct model m;
    static struct amounts amounts;
    static int64_t value[KEYS], count[KEYS];
    unsigned from = window.first ? steps_at_end(run, profile, window.first - 1) : 0;
    unsigned to = steps_at_end(run, profile, window.last);
    int64_t heap;
    assert_true(profile->fact_count <= KEYS);
    model_at(&m, run, model_peak(run, from, to, &heap));
    model_amounts(&m, &amounts);
    pr_window_peak(profile, &window, value, count);
    assert_amounts(profile, value, count, &amounts, "peak of a window");
    assert_true(profile->bins[pr_window_highest(profile, &window)].peak_bytes == heap);
    model_leaks(run, from, to, &amounts);
    pr_window_leaks(profile, &window, value, count);
    assert_amounts(profile, value, count, &amounts, "leaks of a window");
}

static void every_window_of_bins_agrees_with_a_replay(void **state)
{
    (void)state;
    static const uint32_t most[] = {0, 4, 7, 512};
    static struct run run;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        draw_run(&run, seed, 100 + (unsigned)seed * 5, seed % 2 ? 4 : 12, seed % 3 ? 3 : 5000);
        for (unsigned i = 0; i < 4; i++) {
            struct pr_profile *profile = load(&run, 1, most[i]);
            assert_whole_run(&run, profile, 1);
            assert_true(profile->bin_count > 0 && (!most[i] || profile->bin_count <= most[i]));
            for (uint32_t first = 0; first < profile->bin_count; first += 1 + first / 3)
                for (uint32_t last = first; last < profile->bin_count; last += 1 + (last - first) / 2)
                    assert_window(&run, profile, (struct pr_window){first, last});
            pr_profile_free(profile);
        }
    }
}

/* The facts of PROFILE in GROUPS groups, dealt out like cards. */
static struct pr_history grouped(const struct pr_profile *profile, uint32_t groups)
{
    static uint32_t group[KEYS];
    struct pr_history history;
    for (uint32_t fact = 0; fact < profile->fact_count; fact++)
        group[fact] = fact % groups;
    assert_int_equal(pr_history_group(profile, group, groups, PR_HISTORY_ALL, &history, NULL), PR_OK);
    return history;
}

/* The facts of HISTORY are those of PROFILE. */
static void assert_same_history(const struct pr_history *history, const struct pr_profile *profile)
{
    size_t step = 0, move = 0;
    assert_int_equal(history->bins.count, profile->bin_count);
    for (uint32_t bin = 0; bin < profile->bin_count; bin++) {
        assert_true(history->bins.bin[bin].start_ms == profile->bins[bin].start_ms);
        assert_true(history->bins.bin[bin].end_ms == profile->bins[bin].end_ms);
        assert_true(history->bins.bin[bin].peak_bytes == profile->bins[bin].peak_bytes);
    }
    for (uint32_t fact = 0; fact < profile->fact_count; fact++) {
        for (; step < profile->fact_first_step[fact + 1]; step++) {
            const struct pr_raw_step *ours = &history->bins.steps[step];
            const struct pr_step *theirs = &profile->steps[step];
            assert_int_equal(ours->fact, fact);
            assert_int_equal(ours->bin, theirs->bin);
            assert_true(ours->bytes == theirs->bytes && ours->count == theirs->count);
        }
        for (; move < profile->fact_first_lifetime[fact + 1]; move++) {
            const struct pr_raw_lifetime *ours = &history->moves.sorted[move];
            const struct pr_lifetime *theirs = &profile->moves[move];
            assert_int_equal(pr_lifetime_fact(ours->key), fact);
            assert_int_equal(pr_lifetime_from(ours->key), theirs->from);
            assert_int_equal(pr_lifetime_to(ours->key), theirs->to == PR_NEVER ? PR_LIFETIME_NEVER : theirs->to);
            assert_true(ours->bytes == theirs->bytes && ours->count == theirs->count);
        }
    }
    assert_int_equal(step, history->bins.step_count);
    assert_int_equal(move, history->moves.sorted_count);
}

static void halved_bins_are_those_of_a_load_with_as_many(void **state)
{
    (void)state;
    static struct run run;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        draw_run(&run, seed, 60 + (unsigned)seed * 11, seed % 2 ? 4 : 12, seed % 3 ? 3 : 5000);
        for (uint32_t most = 3; most < 600; most = most * 5 + 1) {
            struct pr_profile *profile = load(&run, 1, most > 512 ? PR_BINS_AUTO : most);
            struct pr_history history = grouped(profile, (uint32_t)profile->fact_count + 1);
            while (history.bins.count > 1) {
                struct pr_profile *coarse = load(&run, 1, history.bins.count);
                assert_same_history(&history, coarse);
                pr_profile_free(coarse);
                assert_int_equal(pr_history_halve(&history, NULL), PR_OK);
            }
            pr_history_clear(&history);
            pr_profile_free(profile);
        }
    }
}

/* What GROUP has at the peak of BIN, from its steps. */
static int64_t bytes_at(const struct pr_history *history, uint32_t group, uint32_t bin)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < history->bins.step_count; i++) {
        if (history->bins.steps[i].fact == group && history->bins.steps[i].bin <= bin)
            bytes = history->bins.steps[i].bytes;
    }
    return bytes;
}

/* What GROUP allocated in the bins up to LAST and had after it, from its moves. */
static int64_t bytes_left(const struct pr_history *history, uint32_t group, uint32_t last)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < history->moves.sorted_count; i++) {
        const struct pr_raw_lifetime *move = &history->moves.sorted[i];
        if (pr_lifetime_fact(move->key) == group && pr_lifetime_from(move->key) <= last &&
            pr_lifetime_to(move->key) > last)
            bytes += move->bytes;
    }
    return bytes;
}

static void a_group_has_what_its_facts_have(void **state)
{
    (void)state;
    enum { GROUPS = 3 };
    static struct run run;
    static int64_t value[KEYS], count[KEYS], left[KEYS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        draw_run(&run, seed, 300, 12, 5000);
        struct pr_profile *profile = load(&run, 1, 16);
        struct pr_history history = grouped(profile, GROUPS);
        for (uint32_t bin = 0; bin < profile->bin_count; bin++) {
            const struct pr_window one = {bin, bin}, all = {0, bin};
            int64_t peak[GROUPS] = {0}, leaks[GROUPS] = {0};
            pr_window_peak(profile, &one, value, count);
            pr_window_leaks(profile, &all, left, count);
            for (size_t fact = 0; fact < profile->fact_count; fact++) {
                peak[fact % GROUPS] += value[fact];
                leaks[fact % GROUPS] += left[fact];
            }
            for (uint32_t group = 0; group < GROUPS; group++) {
                assert_true(bytes_at(&history, group, bin) == peak[group]);
                assert_true(bytes_left(&history, group, bin) == leaks[group]);
            }
        }
        pr_history_clear(&history);
        pr_profile_free(profile);
    }
}

enum { MANY = 60000, MANY_BINS = 7 };

/* Fact I has 10 + I bytes in one block from bin I % 5 on, and nothing two bins later. */
static struct pr_profile many_facts(void)
{
    static struct pr_bin bins[MANY_BINS];
    static struct pr_step steps[2 * MANY];
    static struct pr_lifetime moves[MANY];
    static size_t first_step[MANY + 1], first_move[MANY + 1];
    for (uint32_t i = 0; i < MANY; i++) {
        steps[2 * (size_t)i] = (struct pr_step){i % 5, 10 + i, 1};
        steps[2 * (size_t)i + 1] = (struct pr_step){i % 5 + 2, 0, 0};
        moves[i] = (struct pr_lifetime){i % 5, i % 5 + 2, 10 + i, 1};
        first_step[i + 1] = 2 * ((size_t)i + 1);
        first_move[i + 1] = (size_t)i + 1;
    }
    return (struct pr_profile){.fact_count = MANY, .bin_count = MANY_BINS, .bins = bins, .steps = steps, .moves = moves,
                               .fact_first_step = first_step, .fact_first_lifetime = first_move};
}

/* Asked for apart, steps and moves are what they are together. */
static void steps_and_moves_can_be_taken_apart(void **state)
{
    (void)state;
    static uint32_t group[MANY];
    const struct pr_profile profile = many_facts();
    struct pr_history all, steps, moves;
    for (uint32_t i = 0; i < MANY; i++)
        group[i] = MANY - 1 - i; /* in another order */
    assert_int_equal(pr_history_group(&profile, group, MANY, PR_HISTORY_ALL, &all, NULL), PR_OK);
    assert_int_equal(pr_history_group(&profile, group, MANY, PR_HISTORY_STEPS, &steps, NULL), PR_OK);
    assert_int_equal(pr_history_group(&profile, group, MANY, PR_HISTORY_MOVES, &moves, NULL), PR_OK);
    for (int halvings = 0; halvings < 3; halvings++) {
        assert_true(all.bins.step_count > 0 && all.moves.sorted_count > 0);
        assert_int_equal(steps.bins.count, all.bins.count);
        assert_int_equal(steps.bins.step_count, all.bins.step_count);
        assert_memory_equal(steps.bins.steps, all.bins.steps, all.bins.step_count * sizeof *all.bins.steps);
        assert_int_equal(steps.moves.sorted_count, 0);
        assert_int_equal(moves.bins.step_count, 0);
        assert_int_equal(moves.moves.sorted_count, all.moves.sorted_count);
        assert_memory_equal(moves.moves.sorted, all.moves.sorted, all.moves.sorted_count * sizeof *all.moves.sorted);
        if (halvings < 2) {
            assert_int_equal(pr_history_halve(&all, NULL), PR_OK);
            assert_int_equal(pr_history_halve(&steps, NULL), PR_OK);
            assert_int_equal(pr_history_halve(&moves, NULL), PR_OK);
        }
    }
    pr_history_clear(&all);
    pr_history_clear(&steps);
    pr_history_clear(&moves);
}

/* More steps and moves than are kept before they are added up. */
static void many_facts_are_added_up_in_few_groups_or_many(void **state)
{
    (void)state;
    static uint32_t group[MANY];
    const struct pr_profile profile = many_facts();
    for (uint32_t groups = 1; groups <= MANY; groups = groups < 4 ? groups + 1 : groups * 11) {
        struct pr_history history;
        for (uint32_t i = 0; i < MANY; i++)
            group[i] = i % 4 == 3 ? PR_NO_ID : i % groups;
        assert_int_equal(pr_history_group(&profile, group, groups, PR_HISTORY_ALL, &history, NULL), PR_OK);
        int64_t (*change)[MANY_BINS][2] = calloc(groups, sizeof *change);
        int64_t (*moved)[MANY_BINS][2] = calloc(groups, sizeof *moved);
        assert_true(change && moved);
        for (uint32_t i = 0; i < MANY; i++) {
            if (group[i] == PR_NO_ID)
                continue;
            int64_t (*of)[2] = change[group[i]], *move = moved[group[i]][i % 5];
            of[i % 5][0] += 10 + i;
            of[i % 5][1]++;
            of[i % 5 + 2][0] -= 10 + i;
            of[i % 5 + 2][1]--;
            move[0] += 10 + i;
            move[1]++;
        }
        size_t step = 0, move = 0;
        for (uint32_t g = 0; g < groups; g++) {
            int64_t bytes = 0, count = 0;
            for (uint32_t bin = 0; bin < MANY_BINS; bin++) {
                if (change[g][bin][0] || change[g][bin][1]) {
                    const struct pr_raw_step *ours = &history.bins.steps[step++];
                    bytes += change[g][bin][0];
                    count += change[g][bin][1];
                    assert_true(ours->fact == g && ours->bin == bin && ours->bytes == bytes && ours->count == count);
                }
                if (moved[g][bin][1]) {
                    const struct pr_raw_lifetime *ours = &history.moves.sorted[move++];
                    assert_true(ours->key == pr_lifetime_key(g, bin, bin + 2));
                    assert_true(ours->bytes == moved[g][bin][0] && ours->count == moved[g][bin][1]);
                }
            }
        }
        assert_int_equal(step, history.bins.step_count);
        assert_int_equal(move, history.moves.sorted_count);
        free(change);
        free(moved);
        pr_history_clear(&history);
    }
}

static void grouping_says_when_there_is_no_memory(void **state)
{
    (void)state;
    static struct run run;
    draw_run(&run, 7, 300, 12, 5000);
    struct pr_profile *profile = load(&run, 1, 16);
    uint32_t *group = calloc(profile->fact_count, sizeof *group);
    for (unsigned long n = 1;; n++) {
        struct pr_history history;
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = pr_history_group(profile, group, 1, PR_HISTORY_ALL, &history, &err);
        if (status == PR_OK)
            status = pr_history_halve(&history, &err);
        const bool failed = alloc_fail_stop();
        pr_history_clear(&history);
        if (!failed)
            break;
        assert_int_equal(status, PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY);
    }
    free(group);
    pr_profile_free(profile);
}

static struct run few_steps(const struct step *step, unsigned count)
{
    struct run run = {.count = count};
    memcpy(run.step, step, count * sizeof *step);
    return run;
}

static void a_peak_that_is_reached_again_moves_on(void **state)
{
    (void)state;
    const struct step steps[] = {
        {PR_ALLOC_MALLOC, 16, 100, 0, 0}, {PR_ALLOC_FREE, 16, 0, 0, 0}, {PR_ALLOC_MALLOC, 32, 100, 0, 1},
        {PR_ALLOC_MALLOC, 48, 0, 0, 2}, /* nothing, but alive at the peak */
        {PR_ALLOC_FREE, 32, 0, 0, 0},
    };
    struct run run = few_steps(steps, 5);
    struct pr_profile *profile = load(&run, 1, 512);
    struct amounts expected = {0};
    expected.bytes[key_of(&steps[2])] = 100;
    expected.count[key_of(&steps[2])] = 1;
    expected.count[key_of(&steps[3])] = 1;
    assert_metric(profile, "peak", &expected);
    assert_true(profile->peak_bytes == 100);
    pr_profile_free(profile);
}

static void a_replaced_allocation_is_gone_but_the_heap_keeps_its_bytes(void **state)
{
    (void)state;
    const struct step steps[] = {{PR_ALLOC_MALLOC, 16, 100, 0, 0}, {PR_ALLOC_MALLOC, 16, 30, 0, 1}};
    struct run run = few_steps(steps, 2);
    struct pr_profile *profile = load(&run, 1, 512);
    assert_true(profile->peak_bytes == 130);
    assert_true(profile->metrics[pr_profile_metric(profile, "peak")].total_value == 30);
    assert_true(profile->metrics[pr_profile_metric(profile, "leaked")].total_value == 30);
    assert_true(profile->metrics[pr_profile_metric(profile, "leaked")].total_count == 1);
    pr_profile_free(profile);
}

static void what_was_freed_before_the_capture_began_does_not_matter(void **state)
{
    (void)state;
    const struct step steps[] = {{PR_ALLOC_FREE, 16, 0, 0, 0}, {PR_ALLOC_MUNMAP, 0x10000, 4096, 0, 0}};
    struct run run = few_steps(steps, 2);
    struct pr_profile *profile = load(&run, 1, 512);
    assert_int_equal(profile->fact_count, 0);
    assert_true(profile->peak_bytes == 0);
    assert_int_equal(profile->records.frees, 2);
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peak_leaks_totals_and_temporaries_agree_with_a_replay),
        cmocka_unit_test(every_window_of_bins_agrees_with_a_replay),
        cmocka_unit_test(halved_bins_are_those_of_a_load_with_as_many),
        cmocka_unit_test(a_group_has_what_its_facts_have),
        cmocka_unit_test(many_facts_are_added_up_in_few_groups_or_many),
        cmocka_unit_test(steps_and_moves_can_be_taken_apart),
        cmocka_unit_test(grouping_says_when_there_is_no_memory),
        cmocka_unit_test(a_peak_that_is_reached_again_moves_on),
        cmocka_unit_test(a_replaced_allocation_is_gone_but_the_heap_keeps_its_bytes),
        cmocka_unit_test(what_was_freed_before_the_capture_began_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
