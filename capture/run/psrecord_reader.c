/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of psrecord, a line for each sample:
 *
 *     # Elapsed time   CPU (%)     Real (MB)   Virtual (MB)
 *            0.077       18.800       14.957      163.902
 *
 * - Seconds since its start, percent of one core, MiB. There is no date.
 * - --include-io adds counts of reads and writes, and the bytes of both: totals since the start, made rates here.
 *
 * Source: psrecord 1.4, psrecord/main.py; the two files of the collection.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/words.h"
#include "capture/builder/reader.h"
#include "capture/builder/series_builder.h"

#include "capture/base/checked.h"

static const char head[] = "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)";

enum { MAX_COLUMNS = 8, WITHOUT_IO = 4, CORES_EXPONENT = 1, MS_A_SECOND = 1000 };

/* Columns of a line. */
enum { ELAPSED, CPU, REAL, VIRTUAL, READS, WRITES, READ_BYTES, WRITTEN_BYTES };

struct psrecord {
    struct pr_profile_builder c;
    struct pr_timeline t;
    uint64_t samples;
    int64_t before_ms, before_read, before_written; /* the previous sample */
};

static void add_rate(struct psrecord *r, const char *name, const char *title, int64_t at_ms, int64_t bytes)
{
    const int64_t span_ms = pr_subtract_saturated(at_ms, r->before_ms);
    if (r->samples && span_ms > 0 && bytes >= 0)
        pr_timeline_add(&r->t, pr_timeline_series(&r->t, name, title, PR_UNIT_BYTES_PER_SECOND), at_ms,
                        pr_double_scaled((double)bytes / (double)span_ms, MS_A_SECOND));
}

static void add_sample(struct psrecord *r, const struct pr_decimal *column, unsigned columns)
{
    const int64_t at_ms = pr_decimal_scaled(column[ELAPSED], 3);
    pr_timeline_add(&r->t, pr_timeline_series(&r->t, "cpu", "CPU", PR_UNIT_CORES), at_ms,
                    pr_decimal_scaled(column[CPU], CORES_EXPONENT));
    pr_timeline_add(&r->t, pr_timeline_series(&r->t, "rss", "RSS", PR_UNIT_BYTES), at_ms,
                    pr_mib_to_bytes(column[REAL]));
    pr_timeline_add(&r->t, pr_timeline_series(&r->t, "virtual_memory", "Virtual memory", PR_UNIT_BYTES), at_ms,
                    pr_mib_to_bytes(column[VIRTUAL]));
    if (columns > WITHOUT_IO) {
        const int64_t read_bytes = pr_decimal_scaled(column[READ_BYTES], 0),
                      written_bytes = pr_decimal_scaled(column[WRITTEN_BYTES], 0);
        add_rate(r, "disk_read", "Disk read", at_ms, pr_subtract_saturated(read_bytes, r->before_read));
        add_rate(r, "disk_write", "Disk written", at_ms, pr_subtract_saturated(written_bytes, r->before_written));
        r->before_read = read_bytes > 0 ? read_bytes : 0;
        r->before_written = written_bytes > 0 ? written_bytes : 0;
    }
    r->before_ms = at_ms;
    r->samples++;
}

/* How many columns of numbers the line has; 0: it has something else, or fewer than a sample. */
static unsigned parse_line(struct pr_text line, struct pr_decimal *column)
{
    unsigned count = 0;
    while (count < MAX_COLUMNS && pr_fields_number(&line, &column[count]))
        count++;
    return pr_text_trim(line).length || (count != WITHOUT_IO && count != MAX_COLUMNS) ? 0 : count;
}

/* Whether no column is below 0 or beyond 64 bits in its smallest unit. */
static bool makes_sense(const struct pr_decimal *column, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++) {
        const int64_t value = i < READS ? pr_mib_to_bytes(column[i]) : pr_decimal_scaled(column[i], 0);
        if ((column[i].negative && column[i].digits) || pr_at_end_of_range(value))
            return false;
    }
    return true;
}

static enum pr_status read_lines(struct psrecord *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    struct pr_decimal column[MAX_COLUMNS];
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        if (!pr_text_trim(lines.text).length || *lines.text.bytes == '#')
            continue;
        if (!lines.ended) /* a number without its last digits is one, too */
            return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "line", "the last line is incomplete");
        const unsigned columns = parse_line(lines.text, column);
        if (columns && !makes_sense(column, columns))
            pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, lines.offset);
        else if (columns)
            add_sample(r, column, columns);
        else
            pr_build_damage_at(&r->c, PR_DAMAGE_LINES, lines.offset);
    }
    return pr_lines_status(&lines);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct psrecord r = {.samples = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    pr_timeline_init(&r.t, profile);
    profile->meta.no_date = true;
    if (status == PR_OK)
        status = read_lines(&r);
    if (status != PR_FAILED && !r.samples)
        status = pr_fail(err, PR_ERR_DAMAGED, 0, "sample", "it has no samples after its header");
    if (pr_timeline_finish(&r.t, err) == PR_FAILED)
        status = PR_FAILED;
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    struct pr_source view = pr_source_view(src, sizeof head - 1);
    const struct pr_text start = {(const char *)view.at, (uint32_t)(view.end - view.at)};
    return start.length && pr_text_starts(start, head) ? 8 * (sizeof head - 1) : 0;
}

const struct pr_reader pr_psrecord_reader = {"psrecord", "psrecord log", probe, read};
