/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pack of the heat map: what ran when, on a grid that is as fine as the page has room for. Edges are rounded to the
 * grid, so neighbours stay neighbours, and what is shorter than a step is in it or not by where it lies: the sums of a
 * window stay right to about a step, however many stretches it has.
 */
#include "render/payload/payload_internal.h"

#include "capture/base/checked.h"
#include "render/html/pack.h"

#include <inttypes.h>

enum { ROWS = 50, FIRST_GRID_NS = 1000, SLOT_NS = 20000000, MOST_SLOTS = 1 << 23 };

/* With fewer columns there is nothing to see. */
enum { LEAST_COLUMNS = 20 };

/* Cells, the widest first; each is a multiple of the grids up to its own length. */
static const int64_t cells_ns[] = {SLOT_NS, SLOT_NS / 4, SLOT_NS / 20};
enum { CELLS = sizeof cells_ns / sizeof *cells_ns };

struct pr_heat_grid {
    int64_t grid_ns, slot_ns;
    uint64_t slots;
};

static int64_t end_of(const struct pr_slice *slice)
{
    return pr_add_saturated(slice->start_ns, slice->duration_ns);
}

static int64_t end_of_all(const struct pr_slice *slices, size_t count)
{
    int64_t end_ns = 0;
    for (size_t i = 0; i < count; i++)
        end_ns = end_of(&slices[i]) > end_ns ? end_of(&slices[i]) : end_ns;
    return end_ns;
}

bool pr_payload_has_heat(const struct pr_profile *profile)
{
    return pr_profile_time_metric(profile) >= 0 && !profile->slices_lack_clock && profile->slice_count > 1;
}

/* The next coarser step: 1 us, 10 us, ..., 1 ms, 5 ms, 20 ms, then twice as much. All divide a cell of the map. */
static int64_t coarser(int64_t grid_ns)
{
    const int64_t ms = 1000000;
    if (grid_ns < ms)
        return grid_ns * 10;
    return grid_ns == ms ? 5 * ms : grid_ns == 5 * ms ? SLOT_NS : grid_ns * 2;
}

/* The widest cell that makes enough columns of END_NS; 0: none does. */
static int64_t cell_for(int64_t end_ns)
{
    for (size_t i = 0; i < CELLS; i++) {
        if (end_ns / (cells_ns[i] * ROWS) >= LEAST_COLUMNS)
            return cells_ns[i];
    }
    return 0;
}

/* Cells of 20 ms, or as long as what is known; shorter ones in a short run. */
static struct pr_heat_grid grid_of(int64_t grid_ns, int64_t end_ns, int64_t resolution_ns)
{
    struct pr_heat_grid grid = {.grid_ns = grid_ns, .slot_ns = cell_for(end_ns)};
    while ((grid.slot_ns < resolution_ns || grid.slot_ns < grid_ns || end_ns / grid.slot_ns >= MOST_SLOTS) &&
           grid.slot_ns < INT64_MAX / 2)
        grid.slot_ns *= 2;
    grid.slots = (uint64_t)end_ns / (uint64_t)grid.slot_ns + 1;
    return grid;
}

static int64_t on_grid(int64_t ns, int64_t grid_ns)
{
    return ns / grid_ns + (ns % grid_ns >= grid_ns - grid_ns / 2);
}

/* Stretches on the grid, in place: what has no length there is gone, neighbours with one stack are one. */
static size_t put_on_grid(struct pr_slice *slices, size_t count, int64_t grid_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t start = on_grid(slices[i].start_ns, grid_ns);
        const int64_t length = on_grid(end_of(&slices[i]), grid_ns) - start;
        struct pr_slice *last = kept ? &slices[kept - 1] : NULL;
        if (length <= 0)
            continue;
        if (last && last->fact == slices[i].fact && end_of(last) == start)
            last->duration_ns += length;
        else
            slices[kept++] = (struct pr_slice){start, length, slices[i].fact};
    }
    return kept;
}

static void write_columns(struct pr_columns *columns, const struct pr_slice *slices, size_t count,
                          const uint32_t *fact_thread)
{
    uint32_t thread = UINT32_MAX;
    int64_t now = 0;
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_uv(columns, slices[i].fact);
    pr_columns_end(columns, "heat.fact", "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++) {
        now = thread == fact_thread[slices[i].fact] ? now : 0;
        thread = fact_thread[slices[i].fact];
        pr_columns_sv(columns, slices[i].start_ns - now);
        now = end_of(&slices[i]);
    }
    pr_columns_end(columns, "heat.gap", "sv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_uv(columns, (uint64_t)slices[i].duration_ns);
    pr_columns_end(columns, "heat.length", "uv");
}

/* One try; *FITS says whether it is short enough. What is twice too long before it is packed is not packed. */
static enum pr_status try_grid(const struct pr_encoder *encoder, const struct pr_slice *slices, size_t count,
                               const struct pr_heat_grid *grid, const uint32_t *fact_thread, size_t max_bytes,
                               struct pr_buf *text, bool *fits, struct pr_error *err)
{
    enum { BEST_PACKING = 8 };
    struct pr_columns columns = {0};
    struct pr_buf head = {0}, bytes = {0};
    const size_t before = text->length;
    write_columns(&columns, slices, count, fact_thread);
    pr_buf_printf(&head, PR_PAYLOAD_HEAD ",\"metric\":%d,\"gridNs\":%" PRId64 ",\"slotNs\":%" PRId64
                  ",\"slots\":%" PRIu64 ",\"rows\":%d,\"resolutionNs\":%" PRId64,
                  pr_profile_time_metric(encoder->profile), grid->grid_ns, grid->slot_ns, grid->slots, ROWS,
                  encoder->profile->slice_resolution_ns);
    pr_columns_join(&head, &columns, &bytes);
    pr_buf_byte(text, ' ');
    enum pr_status status = bytes.failed ? pr_fail_memory(err) : PR_OK;
    *fits = bytes.length / BEST_PACKING <= max_bytes;
    if (status != PR_FAILED && *fits)
        status = pr_pack(&bytes, PR_PACK_HEAT, text, err);
    *fits = *fits && text->length - before <= max_bytes;
    if (!*fits)
        text->length = before;
    pr_columns_clear(&columns);
    pr_buf_clear(&head);
    pr_buf_clear(&bytes);
    return status;
}

static enum pr_status add_heat(const struct pr_encoder *encoder, struct pr_slice *slices, uint32_t *fact_thread,
                               size_t max_bytes, struct pr_buf *text, struct pr_error *err)
{
    const struct pr_profile *profile = encoder->profile;
    enum pr_status status = PR_OK;
    bool fits = false;
    for (size_t i = 0; i < profile->fact_count; i++)
        fact_thread[encoder->group[i]] = profile->fact_thread[i];
    for (int64_t grid_ns = FIRST_GRID_NS; status != PR_FAILED && !fits && grid_ns < INT64_MAX / 4;
         grid_ns = coarser(grid_ns)) {
        size_t count = pr_payload_take_slices(encoder, slices);
        const int64_t end_ns = end_of_all(slices, count);
        if (!cell_for(end_ns))
            break;
        const struct pr_heat_grid grid = grid_of(grid_ns, end_ns, profile->slice_resolution_ns);
        if (end_ns / grid_ns >= UINT32_MAX)
            continue; /* the script counts in 32 bits */
        count = put_on_grid(slices, count, grid_ns);
        if (count < 2)
            break;
        status = try_grid(encoder, slices, count, &grid, fact_thread, max_bytes, text, &fits, err);
    }
    return status;
}

enum pr_status pr_payload_add_heat(const struct pr_encoder *encoder, size_t max_bytes, struct pr_buf *text,
                                   struct pr_error *err)
{
    const struct pr_profile *profile = encoder->profile;
    if (!pr_payload_has_heat(profile))
        return PR_OK;
    struct pr_slice *slices = malloc(profile->slice_count * sizeof *slices);
    uint32_t *fact_thread = calloc(encoder->group_count + (size_t)1, sizeof *fact_thread);
    const enum pr_status status = slices && fact_thread
                                      ? add_heat(encoder, slices, fact_thread, max_bytes, text, err)
                                      : pr_fail_memory(err);
    free(slices);
    free(fact_thread);
    return status;
}
