/* SPDX-License-Identifier: Apache-2.0 */
/* The columns bins.*, steps.* and moves.* of the payload: what each fact had at what time, as differences. */
#include "render/payload/payload_internal.h"

void pr_payload_add_bins(struct pr_columns *columns, const struct pr_history *history)
{
    const struct pr_bins *bins = &history->bins;
    pr_columns_begin(columns);
    for (uint32_t i = 0; i < bins->count; i++)
        pr_columns_dv(columns, bins->bin[i].start_ms);
    pr_columns_end(columns, "bins.start", "dv");
    pr_columns_begin(columns);
    for (uint32_t i = 0; i < bins->count; i++)
        pr_columns_dv(columns, bins->bin[i].end_ms);
    pr_columns_end(columns, "bins.end", "dv");
    pr_columns_begin(columns);
    for (uint32_t i = 0; i < bins->count; i++)
        pr_columns_dv(columns, bins->bin[i].peak_bytes);
    pr_columns_end(columns, "bins.peak", "dv");
}

static int64_t difference(int64_t now, int64_t before)
{
    return (int64_t)((uint64_t)now - (uint64_t)before);
}

/* The step before the I-th one of its fact: nothing in bin 0 when that is the first. */
static struct pr_raw_step step_before(const struct pr_raw_step *steps, size_t i)
{
    return i && steps[i - 1].fact == steps[i].fact ? steps[i - 1] : (struct pr_raw_step){0};
}

void pr_payload_add_steps(struct pr_columns *columns, const struct pr_history *history)
{
    const struct pr_raw_step *steps = history->bins.steps;
    const size_t count = history->bins.step_count, facts = history->group_count;
    pr_columns_begin(columns);
    for (size_t fact = 0, i = 0; fact < facts; fact++) {
        const size_t first = i;
        while (i < count && steps[i].fact == fact)
            i++;
        pr_columns_uv(columns, i - first);
    }
    pr_columns_end(columns, "steps.count", "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_uv(columns, steps[i].bin - step_before(steps, i).bin);
    pr_columns_end(columns, "steps.bin", "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_sv(columns, difference(steps[i].bytes, step_before(steps, i).bytes));
    pr_columns_end(columns, "steps.bytes", "sv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_sv(columns, difference(steps[i].count, step_before(steps, i).count));
    pr_columns_end(columns, "steps.allocations", "sv");
}

static uint32_t from_before(const struct pr_raw_lifetime *moves, size_t i)
{
    return i && pr_lifetime_fact(moves[i - 1].key) == pr_lifetime_fact(moves[i].key)
               ? pr_lifetime_from(moves[i - 1].key)
               : 0;
}

void pr_payload_add_moves(struct pr_columns *columns, const struct pr_history *history)
{
    const struct pr_raw_lifetime *moves = history->moves.sorted;
    const size_t count = history->moves.sorted_count, facts = history->group_count;
    pr_columns_begin(columns);
    for (size_t fact = 0, i = 0; fact < facts; fact++) {
        const size_t first = i;
        while (i < count && pr_lifetime_fact(moves[i].key) == fact)
            i++;
        pr_columns_uv(columns, i - first);
    }
    pr_columns_end(columns, "moves.count", "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_uv(columns, pr_lifetime_from(moves[i].key) - from_before(moves, i));
    pr_columns_end(columns, "moves.from", "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++) {
        const uint32_t to = pr_lifetime_to(moves[i].key);
        pr_columns_uv(columns, to == PR_LIFETIME_NEVER ? 0 : to - pr_lifetime_from(moves[i].key));
    }
    pr_columns_end(columns, "moves.to", "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_sv(columns, moves[i].bytes);
    pr_columns_end(columns, "moves.bytes", "sv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_sv(columns, moves[i].count);
    pr_columns_end(columns, "moves.allocations", "sv");
}
