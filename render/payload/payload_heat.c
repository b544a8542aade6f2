/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pack of the heat map: what ran and what was allocated when, on a grid that is as fine as the page has room for.
 * Edges are rounded to the grid, so neighbours stay neighbours, and what is shorter than a step is in it or not by
 * where it lies: the sums of a window stay right to about a step, however many stretches it has. Amounts are those of
 * whole steps.
 */
#include "render/payload/payload_internal.h"

#include "capture/base/checked.h"
#include "capture/base/sort.h"
#include "capture/model/run_times.h"
#include "capture/model/time_moments.h"
#include "render/html/pack.h"
#include "render/model/heat_scale.h"

#include <inttypes.h>

enum { FIRST_GRID_NS = 1000, FIRST_GRID_OF_MOMENTS_NS = 1000000 };

/* What the map shows, taken anew for each grid. */
struct heat {
    const struct pr_encoder *encoder;
    struct pr_heat_scale scale;
    int64_t grid_ns, cell_ns;
    uint32_t *fact_thread; /* [group_count] */
    struct pr_slice *slices; /* room for all slices, or all moments */
    size_t slice_count;
    struct pr_moment *moments; /* at: in steps of the grid */
    size_t moment_count;
};

static int64_t end_of(const struct pr_slice *slice)
{
    return pr_add_saturated(slice->start_ns, slice->duration_ns);
}

bool pr_payload_has_heat(const struct pr_profile *profile)
{
    return pr_heat_has_slices(profile) || pr_heat_has_moments(profile);
}

/* The next coarser step: 1 us, 10 us, 100 us, then those of moments. All divide a cell of the map. */
static int64_t coarser(int64_t grid_ns)
{
    return grid_ns < FIRST_GRID_OF_MOMENTS_NS ? grid_ns * 10 : pr_time_moments_coarser(grid_ns);
}

static int64_t on_grid(int64_t ns, int64_t grid_ns)
{
    return ns / grid_ns + (ns % grid_ns >= grid_ns - grid_ns / 2);
}

/*
 * Stretches on the grid, in place, the first from FROM_NS on: what has no length there is gone, neighbours with one
 * stack are one.
 */
static size_t put_on_grid(struct pr_slice *slices, size_t count, int64_t from_ns, int64_t grid_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t start = on_grid(pr_add_saturated(slices[i].start_ns, from_ns), grid_ns);
        const int64_t length = on_grid(pr_add_saturated(end_of(&slices[i]), from_ns), grid_ns) - start;
        struct pr_slice *last = kept ? &slices[kept - 1] : NULL;
        if (length <= 0)
            continue;
        if (last && last->fact == slices[i].fact && last->layer == slices[i].layer && end_of(last) == start)
            last->duration_ns += length;
        else
            slices[kept++] = (struct pr_slice){start, length, slices[i].fact, slices[i].layer};
    }
    return kept;
}

static int compare_threads(const void *a, const void *b, const void *context)
{
    const uint32_t *fact_thread = context;
    const struct pr_moment *x = a, *y = b;
    const int order = PR_ORDER(fact_thread[x->fact], fact_thread[y->fact]);
    return order ? order : PR_ORDER(x->at_ns, y->at_ns);
}

/* By thread, then time. False: no memory. */
static bool take_moments(struct heat *heat)
{
    const struct pr_profile *profile = heat->encoder->profile;
    heat->moment_count = pr_heat_has_moments(profile) ? profile->moment_count : 0;
    for (size_t i = 0; i < heat->moment_count; i++) {
        const struct pr_moment *moment = &profile->moments[i];
        const int64_t at_ns = pr_add_saturated(moment->at_ns, heat->scale.moments_ns);
        heat->moments[i] =
            (struct pr_moment){at_ns / heat->grid_ns, moment->bytes, heat->encoder->group[moment->fact]};
    }
    heat->moment_count = pr_time_moments_join(heat->moments, heat->moment_count);
    return heat->moment_count != SIZE_MAX &&
           pr_sort(heat->moments, heat->moment_count, sizeof *heat->moments, compare_threads, heat->fact_thread);
}

static void write_stretches(struct pr_columns *columns, const struct heat *heat, const struct pr_slice *slices,
                            size_t count, const char *const names[3])
{
    struct pr_payload_clock clock = {0};
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_uv(columns, slices[i].fact);
    pr_columns_end(columns, names[0], "uv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_sv(columns, pr_payload_gap(&clock, &slices[i], heat->fact_thread));
    pr_columns_end(columns, names[1], "sv");
    pr_columns_begin(columns);
    for (size_t i = 0; i < count; i++)
        pr_columns_uv(columns, (uint64_t)slices[i].duration_ns);
    pr_columns_end(columns, names[2], "uv");
}

/* Each is a stretch of one step. */
static void write_moments(struct pr_columns *columns, struct heat *heat)
{
    for (size_t i = 0; i < heat->moment_count; i++)
        heat->slices[i] = (struct pr_slice){heat->moments[i].at_ns, 1, heat->moments[i].fact, 0};
    write_stretches(columns, heat, heat->slices, heat->moment_count,
                    (const char *const[]){"moments.fact", "moments.gap", "moments.length"});
    pr_columns_begin(columns);
    for (size_t i = 0; i < heat->moment_count; i++)
        pr_columns_uv(columns, (uint64_t)heat->moments[i].bytes);
    pr_columns_end(columns, "moments.bytes", "uv");
}

static void write_head(struct pr_buf *head, const struct heat *heat)
{
    const struct pr_profile *profile = heat->encoder->profile;
    pr_buf_printf(head, PR_PAYLOAD_HEAD ",\"gridNs\":%" PRId64 ",\"slotNs\":%" PRId64 ",\"slots\":%" PRId64
                  ",\"rows\":%u", heat->grid_ns, heat->cell_ns, heat->scale.end_ns / heat->cell_ns + 1,
                  heat->scale.rows);
    if (heat->scale.is_of_run)
        pr_buf_printf(head, ",\"startMs\":%" PRId64, pr_times_origin_ms(profile).value);
    if (heat->slice_count) {
        pr_buf_printf(head, ",\"time\":{\"resolutionNs\":%" PRId64, profile->slice_resolution_ns);
        pr_payload_add_layers(profile, heat->slices, heat->slice_count, head);
        pr_buf_byte(head, '}');
    }
    if (heat->moment_count)
        pr_buf_printf(head, ",\"moments\":{\"metric\":%d,\"resolutionNs\":%" PRId64 "}",
                      pr_profile_moment_metric(profile), profile->moment_resolution_ns);
}

/* One try; *FITS says whether it is short enough, *LEAST for which limit. What is far too long is not packed. */
static enum pr_status try_grid(struct heat *heat, size_t max_bytes, struct pr_buf *text, bool *fits, size_t *least,
                               struct pr_error *err)
{
    enum { BEST_PACKING = 8 };
    struct pr_columns columns = {0};
    struct pr_buf head = {0}, bytes = {0};
    const size_t before = text->length;
    write_head(&head, heat);
    if (heat->slice_count)
        write_stretches(&columns, heat, heat->slices, heat->slice_count,
                        (const char *const[]){"heat.fact", "heat.gap", "heat.length"});
    if (heat->moment_count)
        write_moments(&columns, heat);
    pr_columns_join(&head, &columns, &bytes);
    pr_buf_byte(text, ' ');
    enum pr_status status = bytes.failed ? pr_fail_memory(err) : PR_OK;
    *least = bytes.length / BEST_PACKING;
    *fits = *least <= max_bytes;
    if (status != PR_FAILED && *fits)
        status = pr_pack(&bytes, PR_PACK_HEAT, text, err);
    *least = text->length - before > *least ? text->length - before : *least;
    *fits = *least <= max_bytes;
    if (!*fits)
        text->length = before;
    pr_columns_clear(&columns);
    pr_buf_clear(&head);
    pr_buf_clear(&bytes);
    return status;
}

/* What is known of the map on its grid. False: no memory. */
static bool put_all_on_grid(struct heat *heat)
{
    heat->cell_ns = pr_heat_cell_on(&heat->scale, heat->grid_ns);
    heat->slice_count = 0;
    if (pr_heat_has_slices(heat->encoder->profile)) {
        heat->slice_count = pr_payload_take_slices(heat->encoder, heat->slices);
        heat->slice_count = put_on_grid(heat->slices, heat->slice_count, heat->scale.slices_ns, heat->grid_ns);
    }
    return take_moments(heat);
}

static enum pr_status add_heat(struct heat *heat, size_t max_bytes, struct pr_buf *text, size_t *least,
                               struct pr_error *err)
{
    const struct pr_profile *profile = heat->encoder->profile;
    enum pr_status status = PR_OK;
    bool fits = false;
    for (size_t i = 0; i < profile->fact_count; i++)
        heat->fact_thread[heat->encoder->group[i]] = profile->fact_thread[i];
    heat->grid_ns = pr_heat_has_slices(profile) ? FIRST_GRID_NS : FIRST_GRID_OF_MOMENTS_NS;
    for (; status != PR_FAILED && !fits && heat->grid_ns < INT64_MAX / 4; heat->grid_ns = coarser(heat->grid_ns)) {
        if (heat->scale.end_ns / heat->grid_ns >= UINT32_MAX)
            continue; /* the script counts in 32 bits */
        if (!put_all_on_grid(heat))
            return pr_fail_memory(err);
        if (heat->slice_count < 2 && heat->moment_count < 2)
            break;
        status = try_grid(heat, max_bytes, text, &fits, least, err);
    }
    *least = fits ? *least : 0;
    return status;
}

enum pr_status pr_payload_add_heat(const struct pr_encoder *encoder, size_t max_bytes, struct pr_buf *text,
                                   size_t *least, struct pr_error *err)
{
    const struct pr_profile *profile = encoder->profile;
    struct heat heat = {.encoder = encoder};
    *least = 0;
    if (!pr_payload_has_heat(profile) || !pr_heat_scale_of(profile, &heat.scale))
        return PR_OK;
    const size_t most = profile->slice_count > profile->moment_count ? profile->slice_count : profile->moment_count;
    heat.slices = malloc((most + 1) * sizeof *heat.slices);
    heat.moments = malloc((profile->moment_count + 1) * sizeof *heat.moments);
    heat.fact_thread = calloc(encoder->group_count + (size_t)1, sizeof *heat.fact_thread);
    const enum pr_status status = heat.slices && heat.moments && heat.fact_thread
                                      ? add_heat(&heat, max_bytes, text, least, err)
                                      : pr_fail_memory(err);
    free(heat.slices);
    free(heat.moments);
    free(heat.fact_thread);
    return status;
}
