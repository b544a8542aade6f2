/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as a digest: its arrays as rows, their columns packed, then the head that lists them. */
#include "capture/base/text.h"
#include "capture/digest/digest_format.h"

#include "capture/base/checked.h"
#include "capture/base/hash.h"
#include "capture/base/zstd_context.h"
#include "capture/base/varint.h"

#include <stdlib.h>

enum { LEVEL = 9 }; /* higher ones take longer and save one percent */

struct part {
    const void *rows;
    size_t count;
};

/* The rows of each array, in parts where the profile has them in several pieces. */
struct arrays {
    struct part only[PR_DIGEST_ARRAYS];
    struct part *parts[PR_DIGEST_ARRAYS]; /* used instead of `only`, if not NULL */
    size_t part_count[PR_DIGEST_ARRAYS];
    struct pr_digest_run run;
    struct pr_digest_metric *metrics;
    struct pr_digest_series *series;
    struct pr_digest_exception *exceptions;
    pr_str *numbers; /* [string_count] of each string of the profile, in the digest */
    pr_str string_count;
    struct pr_text *texts; /* those that something refers to, owned */
};

struct writer {
    struct pr_buf head, body;
    struct pr_buf column; /* one column, unpacked */
    struct pr_buf packed; /* the same, packed */
    uint64_t raw_bytes;   /* of all columns */
    ZSTD_CCtx *context;
};

/* ---- the profile as rows ---------------------------------------------------------------------------------------- */

static void fill_run(struct pr_digest_run *run, const struct pr_profile *profile)
{
    const struct pr_error *problem = &profile->problem;
    *run = (struct pr_digest_run){
        .meta = profile->meta,
        .origin = profile->origin,
        .records = profile->records,
        .run = profile->run,
        .peak_bytes = profile->peak_bytes,
        .peak_at_ms = profile->peak_at_ms,
        .peak_bin = profile->peak_bin,
        .damage = profile->damage,
        .incomplete = !profile->complete,
        .has_hybrid = profile->fact_hybrid,
        .has_allocators = profile->fact_allocator,
        .has_stats = profile->stats.known,
        .tree_estimated = profile->tree_estimated,
        .slice_resolution_ns = profile->slice_resolution_ns,
        .slices_lack_clock = profile->slices_lack_clock,
        .slices_start_ms = profile->slices_start_ms,
        .moment_resolution_ns = profile->moment_resolution_ns,
        .allocation_count = profile->stats.allocation_count,
        .allocated_bytes = profile->stats.allocated_bytes,
    };
    if (profile->complete)
        return;
    run->problem_code = (uint32_t)problem->code;
    run->problem_offset = (struct pr_maybe){problem->offset != PR_NO_OFFSET, (int64_t)problem->offset};
    run->problem_doing = problem->doing;
    run->problem_text = problem->text;
}

static struct part *new_parts(struct arrays *a, enum pr_digest_array array, size_t count)
{
    return a->parts[array] = calloc(count + 1, sizeof *a->parts[array]);
}

static bool fill_metrics(struct arrays *a, const struct pr_profile *profile)
{
    const size_t count = profile->metric_count;
    struct part *values = new_parts(a, PR_DIGEST_VALUES, count), *counts = new_parts(a, PR_DIGEST_COUNTS, count);
    struct part *exact = new_parts(a, PR_DIGEST_EXACT, count);
    a->metrics = calloc(count + 1, sizeof *a->metrics);
    if (!a->metrics || !values || !counts || !exact)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct pr_metric *metric = &profile->metrics[i];
        a->metrics[i] = (struct pr_digest_metric){.name = metric->name,
                                                  .title = metric->title,
                                                  .count_name = metric->count ? metric->count_name : NULL,
                                                  .unit = (uint32_t)metric->unit,
                                                  .decimals = metric->decimals,
                                                  .has_exact = metric->exact,
                                                  .part = metric->part};
        values[a->part_count[PR_DIGEST_VALUES]++] = (struct part){metric->value, profile->fact_count};
        if (metric->count)
            counts[a->part_count[PR_DIGEST_COUNTS]++] = (struct part){metric->count, profile->fact_count};
        if (metric->exact)
            exact[a->part_count[PR_DIGEST_EXACT]++] = (struct part){metric->exact, profile->exact_count};
    }
    a->only[PR_DIGEST_METRICS] = (struct part){a->metrics, count};
    a->only[PR_DIGEST_EXACT_FRAME] = (struct part){profile->exact_frame, profile->exact_count};
    a->only[PR_DIGEST_EXACT_THREAD] = (struct part){profile->exact_thread, profile->exact_count};
    return true;
}

/* The first series with the same times as series I: itself, if no earlier one has. */
static uint32_t clock_of(const struct pr_profile *profile, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (profile->series[k].at_ms == profile->series[i].at_ms &&
            profile->series[k].count == profile->series[i].count)
            return k;
    }
    return i;
}

static bool fill_series(struct arrays *a, const struct pr_profile *profile)
{
    size_t count = profile->series_count, clocks = 0;
    struct part *times = new_parts(a, PR_DIGEST_TIMES, count), *points = new_parts(a, PR_DIGEST_POINTS, count);
    a->series = calloc(count + 1, sizeof *a->series);
    if (!a->series || !times || !points)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct pr_series *series = &profile->series[i];
        const uint32_t clock = clock_of(profile, i);
        a->series[i] =
            (struct pr_digest_series){series->name, series->title, (uint32_t)series->unit, series->count, clock};
        points[i] = (struct part){series->value, series->count};
        if (clock == i)
            times[clocks++] = (struct part){series->at_ms, series->count};
    }
    a->only[PR_DIGEST_SERIES] = (struct part){a->series, count};
    a->part_count[PR_DIGEST_TIMES] = clocks;
    a->part_count[PR_DIGEST_POINTS] = count;
    return true;
}

static bool fill_failure(struct arrays *a, const struct pr_failure *failure)
{
    const size_t count = failure->exception_count;
    struct part *frames = new_parts(a, PR_DIGEST_TRACE_FRAMES, count);
    a->exceptions = calloc(count + 1, sizeof *a->exceptions);
    if (!a->exceptions || !frames)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct pr_exception *one = &failure->exceptions[i];
        a->exceptions[i] = (struct pr_digest_exception){one->type, one->message, (uint32_t)one->link, one->depth,
                                                        one->frame_count};
        frames[i] = (struct part){one->frames, one->frame_count};
    }
    a->only[PR_DIGEST_EXCEPTIONS] = (struct part){a->exceptions, count};
    a->part_count[PR_DIGEST_TRACE_FRAMES] = count;
    return true;
}

static void fill_time(struct arrays *a, const struct pr_profile *profile)
{
    const size_t facts = profile->fact_count;
    a->only[PR_DIGEST_DEVICES] = (struct part){profile->devices, profile->device_count};
    a->only[PR_DIGEST_DEVICE_OOMS] = (struct part){profile->device_ooms, profile->device_oom_count};
    a->only[PR_DIGEST_SLICES] = (struct part){profile->slices, profile->slice_count};
    a->only[PR_DIGEST_MOMENTS] = (struct part){profile->moments, profile->moment_count};
    if (!profile->bin_count)
        return;
    a->only[PR_DIGEST_BINS] = (struct part){profile->bins, profile->bin_count};
    a->only[PR_DIGEST_FIRST_STEP] = (struct part){profile->fact_first_step, facts + 1};
    a->only[PR_DIGEST_STEPS] = (struct part){profile->steps, profile->fact_first_step[facts]};
    a->only[PR_DIGEST_FIRST_MOVE] = (struct part){profile->fact_first_lifetime, facts + 1};
    a->only[PR_DIGEST_MOVES] = (struct part){profile->moves, profile->fact_first_lifetime[facts]};
}

static void fill_stats(struct arrays *a, const struct pr_alloc_stats *stats)
{
    if (!stats->known)
        return;
    a->only[PR_DIGEST_ALLOCATORS] = (struct part){stats->count_by_allocator, PR_ALLOC_COUNT};
    a->only[PR_DIGEST_HISTOGRAM] = (struct part){stats->histogram, stats->histogram_count};
    a->only[PR_DIGEST_SIZES] = (struct part){stats->sizes, stats->size_count};
    a->only[PR_DIGEST_PLACES_BY_SIZE] = (struct part){stats->by_size, stats->by_size_count};
    a->only[PR_DIGEST_PLACES_BY_COUNT] = (struct part){stats->by_count, stats->by_count_count};
    a->only[PR_DIGEST_MODULES_BY_SIZE] = (struct part){stats->modules_by_size, stats->modules_by_size_count};
    a->only[PR_DIGEST_MODULES_BY_COUNT] = (struct part){stats->modules_by_count, stats->modules_by_count_count};
}

static const struct part *parts_of(const struct arrays *a, const struct pr_digest_column *column, size_t *count)
{
    *count = a->parts[column->array] ? a->part_count[column->array] : 1;
    return a->parts[column->array] ? a->parts[column->array] : &a->only[column->array];
}

static void mark_strings(const struct arrays *a, const struct pr_digest_column *column, const struct part *part)
{
    const char *at = part->count ? (const char *)part->rows + column->offset : NULL;
    for (size_t i = 0; i < part->count; i++, at += pr_digest_row_bytes[column->array]) {
        const uint64_t string = pr_digest_load(at, column->kind);
        if (string < a->string_count)
            a->numbers[string] = 1;
    }
}

/* Only strings that something refers to: the others were replaced, such as a command line with its secrets. */
static bool fill_strings(struct arrays *a, const struct pr_strings *strings)
{
    pr_str count = 0;
    a->string_count = strings->count;
    a->numbers = calloc(strings->count + (size_t)1, sizeof *a->numbers);
    a->texts = calloc(strings->count + (size_t)1, sizeof *a->texts);
    if (!a->numbers || !a->texts)
        return false;
    for (size_t i = 0; i < pr_digest_column_count; i++) {
        const struct pr_digest_column *column = &pr_digest_columns[i];
        size_t part_count;
        const struct part *parts = parts_of(a, column, &part_count);
        for (size_t k = 0; column->below == PR_DIGEST_OF_STRINGS && k < part_count; k++)
            mark_strings(a, column, &parts[k]);
    }
    a->numbers[0] = 0; /* "" */
    for (pr_str i = 1; i < strings->count; i++) {
        if (!a->numbers[i])
            continue;
        a->texts[count] = pr_strings_get(strings, i);
        a->numbers[i] = ++count;
    }
    a->only[PR_DIGEST_STRINGS] = (struct part){a->texts, count};
    return true;
}

static bool fill(struct arrays *a, const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    const size_t facts = profile->fact_count;
    fill_run(&a->run, profile);
    a->only[PR_DIGEST_RUN] = (struct part){&a->run, 1};
    a->only[PR_DIGEST_SITE_PACKAGES] = (struct part){meta->site_packages, meta->site_packages_count};
    a->only[PR_DIGEST_SYS_PATH] = (struct part){meta->sys_path, meta->sys_path_count};
    a->only[PR_DIGEST_NOTES] = (struct part){profile->notes, profile->note_count};
    a->only[PR_DIGEST_INPUTS] = (struct part){profile->parts, profile->part_count};
    a->only[PR_DIGEST_MARKS] = (struct part){profile->run.marks, profile->run.mark_count};
    a->only[PR_DIGEST_PROCESSES] = (struct part){profile->processes, profile->process_count};
    a->only[PR_DIGEST_THREADS] = (struct part){profile->threads, profile->thread_count};
    a->only[PR_DIGEST_FRAMES] = (struct part){profile->frames, profile->frame_count};
    a->only[PR_DIGEST_NODE_PARENT] = (struct part){profile->tree.parent, profile->tree.count};
    a->only[PR_DIGEST_NODE_FRAME] = (struct part){profile->tree.frame, profile->tree.count};
    a->only[PR_DIGEST_FACT_LEAF] = (struct part){profile->fact_leaf, facts};
    a->only[PR_DIGEST_FACT_HYBRID] = (struct part){profile->fact_hybrid, profile->fact_hybrid ? facts : 0};
    a->only[PR_DIGEST_FACT_THREAD] = (struct part){profile->fact_thread, facts};
    a->only[PR_DIGEST_FACT_ALLOCATOR] = (struct part){profile->fact_allocator, profile->fact_allocator ? facts : 0};
    fill_time(a, profile);
    fill_stats(a, &profile->stats);
    return fill_metrics(a, profile) && fill_series(a, profile) && fill_failure(a, &profile->run.failure) &&
           fill_strings(a, &profile->strings);
}

static void clear_arrays(struct arrays *a)
{
    for (int i = 0; i < PR_DIGEST_ARRAYS; i++)
        free(a->parts[i]);
    free(a->metrics);
    free(a->series);
    free(a->exceptions);
    free(a->numbers);
    free(a->texts);
}

/* ---- rows as columns -------------------------------------------------------------------------------------------- */

/* Bytes on their way to a buffer: one call to it for many values. */
struct stream {
    struct pr_buf *out;
    size_t used;
    uint8_t bytes[4096];
};

static void flush(struct stream *s)
{
    pr_buf_add(s->out, s->bytes, s->used);
    s->used = 0;
}

static void put(struct stream *s, uint64_t value)
{
    if (s->used > sizeof s->bytes - PR_VARINT_BYTES)
        flush(s);
    s->used = (size_t)(pr_varint_put(s->bytes + s->used, value) - s->bytes);
}

static void put_text(struct stream *s, struct pr_text text)
{
    put(s, text.length);
    flush(s);
    pr_buf_add(s->out, text.bytes, text.length);
}

static struct pr_text text_at(const void *at, enum pr_digest_kind kind)
{
    struct pr_text text = {"", 0};
    if (kind == PR_DIGEST_BYTES) {
        memcpy(&text, at, sizeof text);
        return text;
    }
    const char *words;
    memcpy(&words, at, sizeof words);
    return words ? pr_text_of(words) : text;
}

/* In the one row of the run, unknown values and 0 are not written: a reader starts with zeros. */
static bool is_absent(const struct pr_digest_column *column, const void *at)
{
    struct pr_maybe maybe;
    const char *words;
    if (column->kind == PR_DIGEST_MAYBE) {
        memcpy(&maybe, at, sizeof maybe);
        return !maybe.known;
    }
    if (column->kind == PR_DIGEST_WORDS) {
        memcpy(&words, at, sizeof words);
        return !words;
    }
    return pr_digest_load(at, column->kind) == 0;
}

static void put_values(struct stream *s, const struct arrays *a, const struct pr_digest_column *column,
                       const struct part *part, uint64_t *before)
{
    const size_t stride = pr_digest_row_bytes[column->array];
    const char *at = part->count ? (const char *)part->rows + column->offset : NULL;
    const enum pr_digest_kind kind = column->kind;
    for (size_t i = 0; i < part->count; i++, at += stride) {
        if (column->type == PR_DIGEST_TEXT) {
            put_text(s, text_at(at, kind));
            continue;
        }
        uint64_t value = pr_digest_load(at, kind);
        if (column->below == PR_DIGEST_OF_STRINGS && value < a->string_count)
            value = a->numbers[value];
        if (column->type == PR_DIGEST_DELTA)
            put(s, pr_zigzag((int64_t)(value - *before)));
        else if (column->type == PR_DIGEST_SIGNED)
            put(s, pr_zigzag((int64_t)value));
        else
            put(s, value);
        *before = value;
    }
}

/* Fills writer->column; returns how many values it has. */
static size_t encode(struct writer *w, const struct arrays *a, const struct pr_digest_column *column)
{
    struct stream s = {.out = &w->column};
    size_t count = 0, part_count;
    const struct part *parts = parts_of(a, column, &part_count);
    uint64_t before = 0;
    w->column.length = 0;
    if (column->array == PR_DIGEST_RUN && is_absent(column, (const char *)parts->rows + column->offset))
        return 0;
    for (size_t i = 0; i < part_count; i++) {
        put_values(&s, a, column, &parts[i], &before);
        count += parts[i].count;
    }
    flush(&s);
    return count;
}

/* ---- columns in the file ---------------------------------------------------------------------------------------- */

static void add_number(struct pr_buf *out, uint64_t value)
{
    struct stream s = {.out = out};
    put(&s, value);
    flush(&s);
}

static void add_fixed(struct pr_buf *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        pr_buf_byte(out, (unsigned)(value >> 8 * i & 0xff));
}

/* Packs writer->column. False: out of memory, the only way in which this can fail. */
static bool pack(struct writer *w)
{
    const size_t bound = ZSTD_compressBound(w->column.length);
    if (!pr_grow(&w->packed.bytes, &w->packed.capacity, bound, 1))
        return false;
    w->packed.length = ZSTD_compress2(w->context, w->packed.bytes, bound, w->column.bytes, w->column.length);
    return !ZSTD_isError(w->packed.length);
}

static void add_entry(struct writer *w, const char *name, enum pr_digest_type type, enum pr_digest_place place,
                      size_t count, const struct pr_buf *bytes)
{
    const size_t length = strlen(name);
    pr_buf_byte(&w->head, (unsigned)length);
    pr_buf_add(&w->head, name, length);
    pr_buf_byte(&w->head, type);
    pr_buf_byte(&w->head, place);
    add_number(&w->head, count);
    add_number(&w->head, w->column.length);
    if (place == PR_DIGEST_IN_HEAD) {
        pr_buf_add(&w->head, bytes->bytes, bytes->length);
    } else {
        add_number(&w->head, bytes->length);
        add_fixed(&w->head, XXH64(bytes->bytes, bytes->length, 0), PR_DIGEST_HASH_BYTES);
        pr_buf_add(&w->body, bytes->bytes, bytes->length);
    }
    w->raw_bytes += w->column.length;
}

static bool add_column(struct writer *w, const struct arrays *a, const struct pr_digest_column *column)
{
    enum { SMALL = 64 }; /* up to this many bytes a frame does not pay */
    const size_t count = encode(w, a, column);
    if (w->column.failed)
        return false;
    if (!count)
        return true;
    if (w->column.length <= SMALL) {
        add_entry(w, column->name, column->type, PR_DIGEST_IN_HEAD, count, &w->column);
        return true;
    }
    if (!pack(w))
        return false;
    if (w->packed.length < w->column.length)
        add_entry(w, column->name, column->type, PR_DIGEST_ZSTD, count, &w->packed);
    else
        add_entry(w, column->name, column->type, PR_DIGEST_PLAIN, count, &w->column);
    return true;
}

/* Readers refuse few bytes that unpack to very many: such a digest gets more bytes. */
static void add_padding(struct writer *w)
{
    const size_t size = w->head.length + w->body.length;
    if (w->raw_bytes <= PR_DIGEST_FREE_BYTES || (w->raw_bytes - PR_DIGEST_FREE_BYTES) / PR_DIGEST_MAX_RATIO < size)
        return;
    const uint64_t missing = (w->raw_bytes - PR_DIGEST_FREE_BYTES) / (PR_DIGEST_MAX_RATIO - 1) - size + 1;
    w->column.length = 0;
    for (uint64_t i = 0; i < missing; i++)
        pr_buf_byte(&w->column, 0);
    add_entry(w, "padding", PR_DIGEST_BYTE, PR_DIGEST_PLAIN, w->column.length, &w->column);
}

static void add_digest(struct pr_buf *out, const struct writer *w)
{
    const size_t start = out->length;
    pr_buf_add(out, PR_DIGEST_MAGIC, PR_DIGEST_MAGIC_BYTES);
    add_fixed(out, PR_DIGEST_MAJOR, 2);
    add_fixed(out, PR_DIGEST_MINOR, 2);
    add_fixed(out, w->head.length, 4);
    if (out->failed)
        return;
    XXH64_state_t hash;
    XXH64_reset(&hash, 0);
    XXH64_update(&hash, out->bytes + start, PR_DIGEST_START_BYTES);
    XXH64_update(&hash, w->head.bytes, w->head.length);
    add_fixed(out, XXH64_digest(&hash), PR_DIGEST_HASH_BYTES);
    pr_buf_add(out, w->head.bytes, w->head.length);
    pr_buf_add(out, w->body.bytes, w->body.length);
}

static bool write_columns(struct writer *w, const struct arrays *a)
{
    w->context = pr_zstd_context(LEVEL);
    if (!w->context || ZSTD_isError(ZSTD_CCtx_setParameter(w->context, ZSTD_c_windowLog, PR_DIGEST_WINDOW_LOG)))
        return false;
    for (size_t i = 0; i < pr_digest_column_count; i++) {
        if (!add_column(w, a, &pr_digest_columns[i]))
            return false;
    }
    add_padding(w);
    return !w->head.failed && !w->body.failed;
}

enum pr_status pr_digest_write(const struct pr_profile *profile, struct pr_buf *out, struct pr_error *err)
{
    struct arrays arrays = {0};
    struct writer w = {0};
    const size_t before = out->length;
    bool good = !out->failed && fill(&arrays, profile) && write_columns(&w, &arrays);
    if (good)
        add_digest(out, &w);
    if (out->failed) /* a half that was appended is taken back; so is the failure, if it was ours */
        out->length = before;
    good = good && !out->failed;
    clear_arrays(&arrays);
    ZSTD_freeCCtx(w.context);
    pr_buf_clear(&w.head);
    pr_buf_clear(&w.body);
    pr_buf_clear(&w.column);
    pr_buf_clear(&w.packed);
    return good ? PR_OK : pr_fail_memory(err);
}
