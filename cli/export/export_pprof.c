/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof's profile.proto, encoded here: it is five messages of numbers and strings. capture/readers/pprof_reader.c reads
 * it.
 * Source: github.com/google/pprof proto/profile.proto, protobuf.dev/programming-guides/encoding.
 */
#include "cli/export/export_formats.h"
#include "capture/base/time.h"

#include "profrender/buf.h"
#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/base/varint.h"
#include "profrender/load.h"
#include "render/words/units.h"

#include <stdio.h>
#include <zlib.h>

/* Fields of the message Profile, and of the messages in it. */
enum {
    PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6, PROFILE_TIME_NANOS = 9, PROFILE_DURATION_NANOS = 10, PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_TYPE = 14,
    TYPE_TYPE = 1, TYPE_UNIT = 2,
    SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,
    LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3,
    MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7,
    LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4,
    LINE_FUNCTION = 1, LINE_LINE = 2,
    FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4, FUNCTION_START_LINE = 5
};

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, KERNEL_MAPPING = 1 };

/* A metric on its way out, with the sample types that it has. */
struct column {
    const struct pr_metric *metric;
    const struct pr_records *records;
    const struct pr_metric *counted_by; /* another metric, whose values are the counts of this one; NULL = none */
    uint32_t value_type, count_type;    /* count_type is 1 less, where there are counts */
};

struct encoder {
    const struct pr_exchange *what;
    const struct pr_profile *profile;
    struct column *columns; /* [column_count] */
    uint32_t column_count, type_count;
    struct pr_buf bytes;        /* the message */
    struct pr_buf strings;      /* fields of the string table, which come after all that refers to them */
    struct pr_buf part, inner;  /* messages on their way in */
    uint32_t *number;           /* [strings] in the table + 1; 0 = not there */
    uint32_t string_count;
    struct pr_idset functions;  /* (name, file), definition line */
    bool *is_used;              /* [frame_count] a stack has it */
    bool failed;
};

/* ---- the encoding ----------------------------------------------------------------------------------------------- */

static void add_varint(struct pr_buf *buf, uint64_t value)
{
    uint8_t bytes[PR_VARINT_BYTES];
    pr_buf_add(buf, bytes, (size_t)(pr_varint_put(bytes, value) - bytes));
}

/* Zeros are a reader's default. */
static void add_number(struct pr_buf *buf, unsigned field, uint64_t value)
{
    if (!value)
        return;
    add_varint(buf, field << 3 | WIRE_VARINT);
    add_varint(buf, value);
}

static void add_bytes(struct pr_buf *buf, unsigned field, const void *bytes, size_t length)
{
    add_varint(buf, field << 3 | WIRE_BYTES);
    add_varint(buf, length);
    pr_buf_add(buf, bytes, length);
}

/* Adds the message in PART, which is emptied. */
static void add_message(struct pr_buf *buf, unsigned field, struct pr_buf *part)
{
    add_bytes(buf, field, part->bytes, part->length);
    buf->failed |= part->failed;
    part->length = 0;
}

static uint64_t add_text(struct encoder *e, const void *bytes, size_t length)
{
    add_bytes(&e->strings, PROFILE_STRING, bytes, length);
    return e->string_count++;
}

static uint64_t add_word(struct encoder *e, const char *word)
{
    return add_text(e, word, strlen(word));
}

static uint64_t string_of(struct encoder *e, pr_str string)
{
    const struct pr_text text = pr_profile_text(e->profile, string);
    if (text.length && !e->number[string])
        e->number[string] = (uint32_t)add_text(e, text.bytes, text.length) + 1;
    return text.length ? e->number[string] - 1 : 0;
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* Values with decimals are whole numbers of this unit. */
static void say_unit(const struct pr_metric *metric, char *text, size_t size)
{
    const bool is_known = metric->unit == PR_UNIT_BYTES || metric->unit == PR_UNIT_NANOSECONDS ||
                          metric->unit == PR_UNIT_COUNT || metric->unit == PR_UNIT_CYCLES;
    if (metric->decimals)
        snprintf(text, size, "10^-%u", metric->decimals);
    else
        snprintf(text, size, "%s", is_known ? pr_units_key(metric->unit) : "");
}

static void add_type(struct encoder *e, const char *name, const char *unit, bool is_main)
{
    const uint64_t type = add_word(e, name);
    add_number(&e->part, TYPE_TYPE, type);
    add_number(&e->part, TYPE_UNIT, *unit ? add_word(e, unit) : 0);
    add_message(&e->bytes, PROFILE_SAMPLE_TYPE, &e->part);
    if (is_main)
        add_number(&e->bytes, PROFILE_DEFAULT_TYPE, type);
}

static void add_column_types(struct encoder *e, struct column *column)
{
    const struct pr_metric *metric = column->metric;
    char unit[24], name[200];
    if (metric->count) {
        snprintf(name, sizeof name, "%s%s%s", e->what->all ? metric->name : "", e->what->all ? "_" : "",
                 metric->count_name);
        add_type(e, column->counted_by ? column->counted_by->name : name, "count", false);
        column->count_type = e->type_count++;
    }
    say_unit(metric, unit, sizeof unit);
    add_type(e, metric->name, unit, metric == e->what->metric);
    column->value_type = e->type_count++;
}

/*
 * No system name: where it is the same as the name, `go tool pprof` takes both for C++ and cuts what is in angle
 * brackets, which leaves nothing of `<module>`.
 */
static void add_function(struct encoder *e, const struct pr_frame *frame, uint64_t id)
{
    const uint64_t name = string_of(e, frame->function), file = string_of(e, frame->file);
    add_number(&e->part, FUNCTION_ID, id);
    add_number(&e->part, FUNCTION_NAME, name);
    add_number(&e->part, FUNCTION_FILE, file);
    add_number(&e->part, FUNCTION_START_LINE, frame->definition_line > 0 ? (uint64_t)frame->definition_line : 0);
    add_message(&e->bytes, PROFILE_FUNCTION, &e->part);
}

/* A location for each frame, a function for those that differ in the line only. Numbers begin with 1. */
static void add_location(struct encoder *e, pr_frame_id id)
{
    const struct pr_frame *frame = &e->profile->frames[id];
    const uint64_t key[2] = {pr_pair(frame->function, frame->file), (uint32_t)frame->definition_line};
    const uint32_t known = e->functions.count, function = pr_idset_add(&e->functions, key, 2);
    if (function == PR_NO_ID) {
        e->failed = true;
        return;
    }
    if (function == known)
        add_function(e, frame, (uint64_t)function + 1);
    add_number(&e->inner, LINE_FUNCTION, (uint64_t)function + 1);
    add_number(&e->inner, LINE_LINE, frame->line > 0 ? (uint64_t)frame->line : 0);
    add_number(&e->part, LOCATION_ID, (uint64_t)id + 1);
    add_number(&e->part, LOCATION_MAPPING, frame->kind == PR_FRAME_KERNEL ? KERNEL_MAPPING : 0);
    add_message(&e->part, LOCATION_LINE, &e->inner);
    add_message(&e->bytes, PROFILE_LOCATION, &e->part);
}

/* Frames of the kernel are recognised by their mapping. */
static void add_kernel(struct encoder *e)
{
    bool has_kernel = false;
    for (pr_frame_id i = 0; i < e->profile->frame_count; i++)
        has_kernel |= e->profile->frames[i].kind == PR_FRAME_KERNEL;
    if (!has_kernel)
        return;
    add_number(&e->part, MAPPING_ID, KERNEL_MAPPING);
    add_number(&e->part, MAPPING_FILE, add_word(e, "[kernel.kallsyms]"));
    add_number(&e->part, MAPPING_HAS_FUNCTIONS, 1);
    add_message(&e->bytes, PROFILE_MAPPING, &e->part);
}

static void add_label(struct encoder *e, uint64_t key, uint64_t text, uint64_t number)
{
    add_number(&e->inner, LABEL_KEY, key);
    add_number(&e->inner, LABEL_TEXT, text);
    add_number(&e->inner, LABEL_NUMBER, number);
    add_message(&e->part, SAMPLE_LABEL, &e->inner);
}

struct keys {
    uint64_t tid, name; /* of labels */
};

/* Zeros for the types of other metrics. */
static void add_values(struct encoder *e, const struct column *column, const struct pr_record *record)
{
    for (uint32_t type = 0; type < e->type_count; type++) {
        const bool is_count = column->metric->count && type == column->count_type;
        add_varint(&e->inner, is_count ? (uint64_t)record->count
                              : type == column->value_type ? (uint64_t)record->value : 0);
    }
    add_message(&e->part, SAMPLE_VALUE, &e->inner);
}

static void add_sample(struct encoder *e, const struct column *column, const struct pr_record *record,
                       const struct keys *keys)
{
    for (pr_node_id node = pr_exchange_leaf(record); node != PR_ROOT; node = e->profile->tree.parent[node]) {
        const pr_frame_id frame = e->profile->tree.frame[node];
        e->is_used[frame] = true;
        add_varint(&e->inner, (uint64_t)frame + 1);
    }
    add_message(&e->part, SAMPLE_LOCATION, &e->inner);
    add_values(e, column, record);
    if (e->what->split_threads) {
        const struct pr_thread *thread = &e->profile->threads[record->thread];
        const uint64_t name = string_of(e, thread->name);
        add_label(e, keys->tid, 0, thread->tid);
        if (name)
            add_label(e, keys->name, name, 0);
    }
    add_message(&e->bytes, PROFILE_SAMPLE, &e->part);
}

/* ---- which metrics ---------------------------------------------------------------------------------------------- */

/* Whether the values of COUNTS are the counts of METRIC, fact by fact. */
static bool is_count_of(const struct pr_profile *profile, const struct pr_metric *counts,
                        const struct pr_metric *metric)
{
    bool same = metric->count && metric->unit != PR_UNIT_COUNT && counts->unit == PR_UNIT_COUNT && !counts->count;
    for (size_t i = 0; i < profile->fact_count && same; i++)
        same = counts->value[i] == metric->count[i];
    return same;
}

static bool is_column(const struct encoder *e, const struct pr_metric *metric)
{
    for (uint32_t i = 0; i < e->column_count; i++) {
        if (e->columns[i].metric == metric || e->columns[i].counted_by == metric)
            return true;
    }
    return false;
}

static void add_column(struct encoder *e, uint32_t number)
{
    const struct pr_profile *profile = e->profile;
    struct column column = {.metric = &profile->metrics[number], .records = &e->what->all[number]};
    for (uint32_t i = 0; i < profile->metric_count && !column.counted_by; i++) {
        const struct pr_metric *counts = &profile->metrics[i];
        if (counts != e->what->metric && !is_column(e, counts) && is_count_of(profile, counts, column.metric))
            column.counted_by = counts;
    }
    e->columns[e->column_count++] = column;
}

/*
 * A reader takes numbers that come before other values for counts of those. So what has no counts comes first, then
 * what has some, and last the numbers that count nothing else.
 */
static void choose_columns(struct encoder *e)
{
    const struct pr_profile *profile = e->profile;
    if (!e->what->all) {
        e->columns[e->column_count++] = (struct column){.metric = e->what->metric, .records = e->what->records};
        return;
    }
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (!profile->metrics[i].count && profile->metrics[i].unit != PR_UNIT_COUNT)
            add_column(e, i);
    }
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].count)
            add_column(e, i);
    }
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (!is_column(e, &profile->metrics[i]))
            add_column(e, i);
    }
}

static void add_times(struct encoder *e)
{
    const struct pr_meta *meta = &e->profile->meta;
    int64_t start_ns, end_ns;
    if (!meta->start_ms.known || __builtin_mul_overflow(meta->start_ms.value, PR_NS_PER_MS, &start_ns) || start_ns < 0)
        return;
    add_number(&e->bytes, PROFILE_TIME_NANOS, (uint64_t)start_ns);
    if (meta->end_ms.known && !__builtin_mul_overflow(meta->end_ms.value, PR_NS_PER_MS, &end_ns) && end_ns > start_ns)
        add_number(&e->bytes, PROFILE_DURATION_NANOS, (uint64_t)end_ns - (uint64_t)start_ns);
}

static void encode(struct encoder *e)
{
    choose_columns(e);
    add_word(e, ""); /* string 0 */
    for (uint32_t i = 0; i < e->column_count; i++)
        add_column_types(e, &e->columns[i]);
    const struct keys keys = {e->what->split_threads ? add_word(e, "tid") : 0,
                              e->what->split_threads ? add_word(e, "thread") : 0};
    for (uint32_t i = 0; i < e->column_count; i++) {
        const struct pr_records *records = e->columns[i].records;
        for (size_t k = 0; k < records->count; k++)
            add_sample(e, &e->columns[i], &records->record[k], &keys);
    }
    add_kernel(e);
    for (pr_frame_id i = 0; i < e->profile->frame_count && !e->failed; i++) {
        if (e->is_used[i])
            add_location(e, i);
    }
    add_times(e);
    char comment[64];
    snprintf(comment, sizeof comment, "made by profrender %s", pr_version());
    add_number(&e->bytes, PROFILE_COMMENT, add_word(e, comment));
    pr_buf_add(&e->bytes, e->strings.bytes, e->strings.length);
    e->failed |= e->bytes.failed || e->strings.failed;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* gzip, without a date: the same profile gives the same bytes. */
static bool write_packed(struct pr_output *out, const struct pr_buf *bytes)
{
    enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
    z_stream stream = {0};
    unsigned char packed[16384];
    size_t left = bytes->length;
    int result = Z_OK;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    stream.next_in = (unsigned char *)bytes->bytes;
    while (result == Z_OK || result == Z_BUF_ERROR) {
        const uInt most = UINT_MAX;
        const uInt added = stream.avail_in ? 0 : left < most ? (uInt)left : most;
        stream.avail_in += added;
        left -= added;
        stream.next_out = packed;
        stream.avail_out = sizeof packed;
        result = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
        pr_output_add(out, packed, sizeof packed - stream.avail_out);
    }
    deflateEnd(&stream);
    return result == Z_STREAM_END;
}

enum pr_status pr_exchange_pprof(struct pr_output *out, const struct pr_exchange *what, struct pr_error *err)
{
    const struct pr_profile *profile = what->profile;
    struct encoder e = {.what = what, .profile = profile, .functions = {.words = 2}};
    e.number = calloc(profile->strings.count + (size_t)1, sizeof *e.number);
    e.is_used = calloc(profile->frame_count + (size_t)1, sizeof *e.is_used);
    e.columns = calloc(profile->metric_count + (size_t)1, sizeof *e.columns);
    e.failed = !e.number || !e.is_used || !e.columns;
    if (!e.failed)
        encode(&e);
    const bool done = !e.failed && write_packed(out, &e.bytes);
    pr_buf_clear(&e.bytes);
    pr_buf_clear(&e.strings);
    pr_buf_clear(&e.part);
    pr_buf_clear(&e.inner);
    pr_idset_clear(&e.functions);
    free(e.number);
    free(e.is_used);
    free(e.columns);
    return done ? PR_OK : pr_fail_memory(err);
}
