/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large the allocations of a run were, and which allocators made them: the figures of `profrender stats`. One line
 * says what is usual; the tables open.
 */
#include "render/html/hover.h"
#include "render/page/section.h"
#include "render/words/allocators.h"

#include <inttypes.h>

static bool wants_sizes(const struct pr_profile *profile)
{
    return profile->stats.known && profile->stats.histogram_count && profile->stats.allocation_count;
}

static void emit_size(uint64_t bytes, struct pr_buf *out)
{
    pr_hover_value(out, PR_UNIT_BYTES, pr_units_signed(bytes));
}

/* The smallest size that at least half of the allocations do not exceed, as far as the histogram knows. */
static uint64_t half_up_to(const struct pr_alloc_stats *stats)
{
    const uint64_t half = stats->allocation_count / 2 + stats->allocation_count % 2;
    uint32_t i = 0;
    for (uint64_t sum = stats->histogram[0].count; i + 1 < stats->histogram_count && sum < half;)
        sum += stats->histogram[++i].count;
    return stats->histogram[i].max_bytes;
}

/* "104,101 allocations: half of them up to 1.36 KiB; 94.3 % by malloc" */
static void emit_usual(const struct pr_alloc_stats *stats, const unsigned *order, unsigned used, struct pr_buf *out)
{
    pr_html(out, "<p class='muted'>%s, half of them at most ",
            pr_units_counted(pr_units_signed(stats->allocation_count), "allocations").text);
    emit_size(half_up_to(stats), out);
    if (used) {
        pr_buf_text(out, ", ");
        pr_hover_part(out,
                      pr_units_percent(pr_units_signed(stats->count_by_allocator[order[0]]),
                                       pr_units_signed(stats->allocation_count)),
                      pr_units_count(pr_units_signed(stats->count_by_allocator[order[0]])),
                      pr_units_count(pr_units_signed(stats->allocation_count)));
        pr_html(out, " by <code>%s</code>", pr_allocator_name(order[0]));
    }
    pr_buf_text(out, "</p>");
}

static void open_table(const char *what, struct pr_buf *out)
{
    pr_html(out, "<div class='tblwrap'><table class='tbl wraps'><thead><tr><th scope='col'>%s</th>"
                 "<th scope='col' class='r'>Allocations</th><th scope='col' class='r'>Share</th>"
                 "<th scope='col' class='hide-s'></th></tr></thead>\n<tbody>\n", what);
}

/* What is before the number is written. */
static void emit_rest_of_row(uint64_t count, uint64_t most, uint64_t all, struct pr_buf *out)
{
    const struct pr_figure number = pr_units_count(pr_units_signed(count));
    pr_html(out, "</th><td class='r'>%s</td><td class='r'>", number.text);
    pr_hover_part(out, pr_units_percent(pr_units_signed(count), pr_units_signed(all)), number,
                  pr_units_count(pr_units_signed(all)));
    pr_buf_printf(out,
                  "</td><td class='hide-s'><svg width='100%%' height='18' viewBox='0 0 100 18' "
                  "preserveAspectRatio='none'><rect y='5' width='%.2f' height='10' fill='#8a8e97'/></svg></td></tr>\n",
                  most ? 100 * (double)count / (double)most : 0);
}

static void emit_histogram(const struct pr_alloc_stats *stats, struct pr_buf *out)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < stats->histogram_count; i++)
        most = stats->histogram[i].count > most ? stats->histogram[i].count : most;
    open_table("Size, up to", out);
    for (uint32_t i = 0; i < stats->histogram_count; i++) {
        pr_buf_text(out, "<tr><th scope='row'>");
        emit_size(stats->histogram[i].max_bytes, out);
        emit_rest_of_row(stats->histogram[i].count, most, stats->allocation_count, out);
    }
    pr_buf_text(out, "</tbody></table></div>\n");
}

static void emit_allocators(const struct pr_alloc_stats *stats, const unsigned *order, unsigned used,
                            struct pr_buf *out)
{
    open_table("Allocator", out);
    for (unsigned i = 0; i < used; i++) {
        pr_html(out, "<tr><th scope='row'>%s", pr_allocator_name(order[i]));
        emit_rest_of_row(stats->count_by_allocator[order[i]], stats->count_by_allocator[order[0]],
                         stats->allocation_count, out);
    }
    pr_buf_text(out, "</tbody></table></div>\n");
}

static enum pr_status emit_sizes(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    const struct pr_alloc_stats *stats = &page->profile->stats;
    unsigned order[PR_ALLOC_COUNT];
    const unsigned used = pr_allocators_order(stats, order);
    (void)err;
    pr_buf_text(out, "<section class='panel sizes' aria-labelledby='h-sizes'>\n<div class='head'>"
                     "<h2 id='h-sizes'>Sizes of allocations</h2>");
    emit_usual(stats, order, used, out);
    pr_buf_text(out, "</div>\n<details class='more'><summary>Tables</summary>\n");
    emit_histogram(stats, out);
    if (used)
        emit_allocators(stats, order, used, out);
    pr_buf_text(out, "</details>\n</section>\n");
    return PR_OK;
}

const struct pr_section pr_section_sizes = {"sizes", "main", wants_sizes, emit_sizes};
