/* SPDX-License-Identifier: Apache-2.0 */
/* What a run used, as cells, each figure with its source on hover. */
#include "render/model/series_notes.h"
#include "capture/model/gpu_use.h"
#include "capture/model/run_figures.h"
#include "render/sections/total_cell.h"

#include <stdio.h>
#include <string.h>

/* Two figures of memory are the same when they differ by a twentieth. */
enum { SAME_MEMORY = 105 };

/* "3.3" */
static struct pr_figure short_cores(int64_t millicores)
{
    struct pr_figure figure;
    const int64_t tenths = millicores / 100 + (millicores % 100 + 50) / 100; /* also for the maximum */
    snprintf(figure.text, sizeof figure.text, "%lld.%d", (long long)(tenths / 10), (int)(tenths % 10));
    return figure;
}

/* "8 cores", "2.5 cores" */
static struct pr_figure whole_cores(int64_t millicores)
{
    return millicores % 1000 ? pr_units_value(PR_UNIT_CORES, millicores) : pr_units_counted(millicores / 1000, "cores");
}

static void add_figure(const struct pr_page *page, struct pr_total_cell *cell, enum pr_unit unit,
                        struct pr_run_figure figure, struct pr_totals *totals)
{
    if (!figure.known)
        return;
    cell->value = pr_units_value(unit, figure.value);
    cell->exact = pr_units_exact(unit, figure.value);
    cell->source = figure.source;
    pr_total_cell_add(page, cell, totals);
}

static void add_cpu(const struct pr_page *page, struct pr_totals *totals)
{
    struct pr_total_cell cell = {
        .name = "CPU time", .rank = PR_RANK_FIRST, .series = pr_run_series(page->profile, "cpu")};
    const struct pr_run_figure busy = pr_run_busy_cores(page->profile), cores = pr_run_usable_cores(page->profile);
    if (busy.known && cores.known)
        PR_CELL_NOTE(&cell, "%s of %s busy on average", short_cores(busy.value).text, whole_cores(cores.value).text);
    else if (busy.known)
        PR_CELL_NOTE(&cell, "%s busy on average", pr_units_value(PR_UNIT_CORES, busy.value).text);
    if (busy.known)
        PR_CELL_NOTE_EXACT(&cell, "%s; %s%s", pr_units_exact(PR_UNIT_CORES, busy.value).text, busy.source,
                           pr_run_cpu_is_missed(page->profile, busy)
                               ? "; " PR_CPU_IS_MISSED : "");
    add_figure(page, &cell, PR_UNIT_NANOSECONDS, pr_run_cpu_time(page->profile), totals);
}

/* Where memory was sampled near the top of its largest process, the two figures are one. */
static bool shows_as_much(const struct pr_profile *profile, int64_t bytes)
{
    const struct pr_series *rss = pr_run_series(profile, "rss");
    return rss && pr_series_most(rss) / 100 >= bytes / SAME_MEMORY;
}

/* For a run without a capture; else the grid has a cell for it. */
static void add_memory(const struct pr_page *page, struct pr_totals *totals)
{
    int64_t at_ms = 0;
    struct pr_total_cell cell = {.name = "Peak memory", .rank = PR_RANK_FIRST};
    const struct pr_run_figure peak = pr_run_peak_memory(page->profile, &at_ms);
    const struct pr_maybe limit = page->profile->run.memory_limit_bytes,
                          largest = page->profile->run.max_rss_bytes, rss = pr_run_peak_rss(page->profile);
    bool has_rss = pr_profile_has_allocations(page->profile); /* a cell of its own */
    cell.series = pr_run_memory_series(page->profile);
    if (peak.known && (limit.known || !pr_profile_has_allocations(page->profile))) {
        const struct pr_figure moment = pr_times_moment(page->profile, at_ms);
        const char *comma = *moment.text && limit.known ? ", " : "";
        if (at_ms == PR_NO_MOMENT)
            PR_CELL_NOTE(&cell, "at least, for one process%s", limit.known ? ", " : "");
        else
            PR_CELL_NOTE(&cell, "%s%s%s", *moment.text ? "at " : "", moment.text, comma);
        PR_CELL_NOTE_EXACT(&cell, "%s%s", pr_times_moment_exact(page->profile, at_ms).text, comma);
        if (limit.known) {
            const size_t used = strlen(cell.note), used_exact = strlen(cell.note_exact);
            snprintf(cell.note + used, sizeof cell.note - used, "%s of the %s limit",
                     pr_units_percent(peak.value, limit.value).text, pr_units_bytes(limit.value).text);
            snprintf(cell.note_exact + used_exact, sizeof cell.note_exact - used_exact, "%s of %s",
                     pr_units_exact(PR_UNIT_BYTES, peak.value).text, pr_units_exact(PR_UNIT_BYTES, limit.value).text);
        }
        if (!has_rss && rss.known && rss.value == peak.value)
            cell.before = PR_BEFORE_RSS;
        has_rss |= cell.before;
        add_figure(page, &cell, PR_UNIT_BYTES, peak, totals);
    }
    const bool is_the_peak = peak.known && peak.value == largest.value; /* not said twice */
    if (largest.known && !is_the_peak && !shows_as_much(page->profile, largest.value)) {
        struct pr_total_cell process = {.name = "Largest process", .note = "highest resident memory"};
        add_figure(page, &process, PR_UNIT_BYTES,
                    (struct pr_run_figure){true, largest.value, "counted by the system (ru_maxrss)"}, totals);
    }
    if (page->options.index && !has_rss && rss.known) { /* what the index compares */
        cell = (struct pr_total_cell){.name = "Peak RSS", .before = PR_BEFORE_RSS, .note = "highest resident memory"};
        add_figure(page, &cell, PR_UNIT_BYTES, (struct pr_run_figure){true, rss.value, NULL}, totals);
    }
}

/* What was always 0 is listed in a line below the lanes. */
static bool is_worth_a_cell(const struct pr_total_cell *cell)
{
    return !cell->series || !pr_series_note_is_quiet(cell->series);
}

/* "up to 12.3 MiB/s" */
static void note_highest(struct pr_total_cell *cell, const char *of_what)
{
    const int64_t most = pr_series_most(cell->series);
    PR_CELL_NOTE(cell, "up to %s%s", pr_units_value(cell->series->unit, most).text, of_what);
    PR_CELL_NOTE_EXACT(cell, "%s", pr_units_exact(cell->series->unit, most).text);
}

/* Bytes in all, and the highest rate. What only the system counted has no rate. */
static void add_transfer(const struct pr_page *page, const char *name, const char *series_name,
                          struct pr_maybe counted, struct pr_totals *totals)
{
    struct pr_total_cell cell = {.name = name, .series = pr_run_series(page->profile, series_name)};
    struct pr_run_figure sum = pr_run_sum(page->profile, series_name);
    if (!is_worth_a_cell(&cell))
        return;
    if (cell.series)
        note_highest(&cell, "");
    else if (counted.known)
        sum = (struct pr_run_figure){true, counted.value, "blocks of 512 bytes, counted by the system"};
    add_figure(page, &cell, PR_UNIT_BYTES, sum, totals);
}

/* Time waited per time the run's threads wanted a core, in thousandths of a percent; unknown: they hardly did. */
static struct pr_maybe waited_share(const struct pr_profile *profile, struct pr_run_figure waited)
{
    const struct pr_run_figure cpu = pr_run_cpu_time(profile);
    const bool is_known = waited.known && cpu.known && waited.value > 0;
    const double wanted = (double)waited.value + (double)cpu.value;
    return (struct pr_maybe){is_known, is_known ? (int64_t)((double)waited.value / wanted * 100000) : 0};
}

static void add_waiting(const struct pr_page *page, struct pr_totals *totals)
{
    struct pr_total_cell cell = {.name = "Waited for a core", .series = pr_run_series(page->profile, "cpu_wait")};
    const struct pr_run_figure waited = pr_run_waited(page->profile);
    const struct pr_maybe share = waited_share(page->profile, waited);
    if (!cell.series || !is_worth_a_cell(&cell) || !share.known)
        return;
    PR_CELL_NOTE(&cell, "%s of the time its threads wanted one", pr_units_value(PR_UNIT_PERCENT, share.value).text);
    add_figure(page, &cell, PR_UNIT_NANOSECONDS, waited, totals);
}

/* How busy the GPUs were, all together. */
static void add_gpu_load(const struct pr_page *page, struct pr_totals *totals)
{
    struct pr_total_cell cell = {.name = "GPU busy", .rank = PR_RANK_EARLY};
    int64_t sum = 0, lowest = INT64_MAX, most = 0, count = 0;
    struct pr_gpu_use gpu;
    for (uint32_t at = 0; pr_gpu_use_next(page->profile, &at, &gpu);) {
        if (!gpu.load)
            continue;
        const int64_t mean = pr_gpu_use_mean(&gpu);
        sum += mean;
        lowest = mean < lowest ? mean : lowest;
        most = mean > most ? mean : most;
        cell.series = count++ ? NULL : gpu.load;
    }
    if (!most) /* nobody used them: that is said below the lanes */
        return;
    if (count == 1)
        PR_CELL_NOTE(&cell, "on average");
    else
        PR_CELL_NOTE(&cell, "mean of %s, %s to %s", pr_units_counted(count, "GPUs").text,
                     pr_units_value(PR_UNIT_PERCENT, lowest).text, pr_units_value(PR_UNIT_PERCENT, most).text);
    add_figure(page, &cell, PR_UNIT_PERCENT,
               (struct pr_run_figure){true, sum / count, "of the time, as the driver samples it"}, totals);
}

/* The memory of the GPU that was fullest. */
static void add_gpu_memory(const struct pr_page *page, struct pr_totals *totals)
{
    const struct pr_maybe size = page->profile->run.gpu_memory_bytes;
    struct pr_gpu_use gpu, fullest = {.peak_bytes = 0};
    for (uint32_t at = 0; pr_gpu_use_next(page->profile, &at, &gpu);)
        fullest = gpu.peak_bytes > fullest.peak_bytes ? gpu : fullest;
    if (!fullest.peak_bytes)
        return;
    struct pr_total_cell cell = {.name = fullest.memory->title, .rank = PR_RANK_EARLY, .series = fullest.memory};
    PR_CELL_NOTE(&cell, "at its highest");
    if (size.known) {
        PR_CELL_NOTE(&cell, "%s of %s", pr_units_percent(fullest.peak_bytes, size.value).text,
                     pr_units_bytes(size.value).text);
        PR_CELL_NOTE_EXACT(&cell, "%s", pr_units_exact(PR_UNIT_BYTES, size.value).text);
    }
    add_figure(page, &cell, PR_UNIT_BYTES, (struct pr_run_figure){true, fullest.peak_bytes, "highest sample"}, totals);
}

void pr_run_stats_add(const struct pr_page *page, struct pr_totals *totals)
{
    const struct pr_run *run = &page->profile->run;
    add_cpu(page, totals);
    add_memory(page, totals);
    add_transfer(page, "Disk read", "disk_read", run->read_bytes, totals);
    add_transfer(page, "Disk written", "disk_write", run->written_bytes, totals);
    add_transfer(page, "Network received", "net_recv", (struct pr_maybe){false, 0}, totals);
    add_transfer(page, "Network sent", "net_sent", (struct pr_maybe){false, 0}, totals);
    add_waiting(page, totals);
    add_gpu_load(page, totals);
    add_gpu_memory(page, totals);
}
