/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof: the protobuf that Go's runtime, continuous profilers and many exporters write, nearly always packed by gzip.
 *
 * - Fields of all messages come in any order, lists packed or not, and ids are any numbers: samples are kept as they
 *   are until everything else is known (pprof_messages.h).
 * - A sample has a value for each sample type; each type is a metric. The main one is default_sample_type, else the
 *   last. A type that counts (alloc_objects, samples) right before one that measures (alloc_space, cpu) is also its
 *   count.
 * - A stack is leaf first; of the lines of one location the first is the innermost, the others called it inlined.
 * - A location without a function is `binary+0xaddress`, with the address as the file has it, or has the functions at
 *   that place in the mapping's file. Addresses are within calls, not after them.
 * - Labels `thread`, `thread_name`, `thread_id`, `tid` identify the thread; any label can be the first level of the
 *   stacks, see capture/readers/pprof_labels.h.
 *
 * Source: google/pprof proto/profile.proto; runtime/pprof of Go 1.26 for the types and their order.
 */
#include "capture/base/time.h"
#include "capture/parse/lines.h"
#include "capture/readers/pprof_frames.h"
#include "capture/builder/reader.h"

#include "capture/base/checked.h"
#include "capture/base/varint.h"

#include <inttypes.h>
#include <string.h>

enum { LOOK_BYTES = 64 * 1024 };

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

/* "alloc_objects" counts "objects". */
static const char *counted(const char *name)
{
    const char *last = strrchr(name, '_');
    return last && last[1] ? last + 1 : name;
}

static bool is_taken(const struct pr_pprof *r, const char *name)
{
    for (uint32_t i = 0; i < r->c.metric_count; i++)
        if (!strcmp(r->c.metrics[i].name, name))
            return true;
    return false;
}

/* The name of a sample type, followed by its number where an earlier metric has the same. */
static const char *name_of(struct pr_pprof *r, uint32_t number)
{
    struct pr_text name = pr_pprof_text(r, r->types[number].type);
    struct pr_buf other = {0};
    const char *word = pr_build_word(&r->c, name.length ? name : (struct pr_text){"value", 5});
    if (!is_taken(r, word))
        return word;
    pr_buf_printf(&other, "%s %" PRIu32, word, number + 1);
    if (other.failed)
        pr_build_no_memory(&r->c);
    else
        word = pr_build_word(&r->c, (struct pr_text){other.bytes, (uint32_t)other.length});
    pr_buf_clear(&other);
    return word;
}

static void make_metric(struct pr_pprof *r, uint32_t number)
{
    struct pr_pprof_type *type = &r->types[number];
    enum pr_unit unit = pr_pprof_unit(pr_pprof_text(r, type->unit), &type->factor);
    struct pr_pprof_type *before = number ? &r->types[number - 1] : NULL;
    int64_t factor;
    bool counts = before && unit != PR_UNIT_COUNT &&
                  pr_pprof_unit(pr_pprof_text(r, before->unit), &factor) == PR_UNIT_COUNT;
    const char *name = name_of(r, number);
    const char *count_name = counts ? counted(pr_build_word(&r->c, pr_pprof_text(r, before->type))) : NULL;
    type->metric = pr_build_metric(&r->c, name, name, unit, count_name);
    r->c.skips_allocators = r->c.skips_allocators || unit == PR_UNIT_BYTES;
    if (counts)
        before->count_of = number;
}

/* The string table comes last, so that of a cut input is missing. */
static bool lacks_names_of_types(const struct pr_pprof *r)
{
    for (uint32_t i = 0; i < r->type_count; i++)
        if (r->types[i].type >= r->string_count || r->types[i].unit >= r->string_count)
            return true;
    return false;
}

static void make_metrics(struct pr_pprof *r)
{
    uint32_t main = r->type_count ? r->type_count - 1 : 0;
    for (uint32_t i = 0; i < r->type_count; i++)
        if (r->default_type && pr_pprof_string(r, r->types[i].type) == pr_pprof_string(r, r->default_type))
            main = i;
    if (!r->type_count) {
        r->types[r->type_count++] =
            (struct pr_pprof_type){.metric = PR_PPROF_NONE, .count_of = PR_PPROF_NONE, .factor = 1};
        pr_build_note(&r->c, "the profile does not say what its values are");
    } else if (lacks_names_of_types(r)) {
        pr_build_note(&r->c, "the input ends before the names and units of its values: they are plain numbers");
    }
    make_metric(r, main);
    for (uint32_t i = 0; i < r->type_count; i++)
        if (i != main)
            make_metric(r, i);
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

/* A parsed sample. */
struct sample {
    size_t depth; /* of the stack in the reader */
    uint64_t value[PR_PPROF_MAX_TYPES];
    uint32_t value_count;
    uint64_t tid;
    pr_str thread_name;
};

static void read_label(struct pr_pprof *r, struct pr_protobuf_span message, struct sample *sample)
{
    struct pr_protobuf_field field;
    struct pr_pprof_label label = {0};
    bool damaged = false;
    while (pr_protobuf_next(&message, &field, &damaged)) {
        switch (field.number) {
        case 1:
            label.key = pr_pprof_string(r, field.value);
            break;
        case 2:
            label.text = pr_pprof_string(r, field.value);
            break;
        case 3: label.number = (int64_t)field.value; break;
        case 4:
            label.unit = pr_pprof_string(r, field.value);
            break;
        default: break;
        }
    }
    struct pr_text name = pr_profile_text(r->c.profile, label.key);
    bool is_name = pr_text_is(name, "thread") || pr_text_is(name, "thread_name") || pr_text_is(name, "thread name");
    bool is_id = pr_text_is(name, "thread_id") || pr_text_is(name, "thread id") || pr_text_is(name, "tid");
    label.is_shown = is_id || is_name;
    if (is_id || (is_name && !label.text)) {
        uint64_t number = (uint64_t)label.number;
        if (label.text && !pr_text_number(pr_profile_text(r->c.profile, label.text), &number))
            number = label.text;
        sample->tid = number;
    } else if (is_name) {
        sample->thread_name = label.text;
    }
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, damaged);
    pr_pprof_labels_add(&r->labels, &label);
}

/* A number of one of a sample's lists. */
static void take_item(struct pr_pprof *r, struct sample *sample, uint32_t list, uint64_t value)
{
    if (list == 2) {
        if (sample->value_count < PR_PPROF_MAX_TYPES)
            sample->value[sample->value_count++] = value;
    } else if (!pr_grow(&r->stack, &r->stack_capacity, sample->depth + 1, sizeof *r->stack)) {
        pr_build_no_memory(&r->c);
    } else {
        r->stack[sample->depth++] = value;
    }
}

/* A list, packed or one number at a time. */
static bool take_list(struct pr_pprof *r, struct sample *sample, struct pr_protobuf_field *field)
{
    if (field->wire != PR_WIRE_BYTES) {
        take_item(r, sample, field->number, field->value);
        return field->wire == PR_WIRE_VARINT;
    }
    while (field->bytes.at < field->bytes.end && r->c.status == PR_OK) {
        uint64_t value;
        size_t taken = pr_varint_get(field->bytes.at, field->bytes.end, &value);
        if (!taken)
            return false;
        field->bytes.at += taken;
        take_item(r, sample, field->number, value);
    }
    return true;
}

static bool read_sample(struct pr_pprof *r, struct pr_protobuf_span message, struct sample *sample)
{
    struct pr_protobuf_field field;
    bool damaged = false;
    while (!damaged && pr_protobuf_next(&message, &field, &damaged)) {
        if (field.number == 3 && field.wire == PR_WIRE_BYTES)
            read_label(r, field.bytes, sample);
        else if (field.number == 1 || field.number == 2)
            damaged = !take_list(r, sample, &field);
    }
    return !damaged;
}

static void add_values(struct pr_pprof *r, uint32_t fact, const struct sample *sample)
{
    for (uint32_t i = 0; i < sample->value_count && i < r->type_count; i++) {
        const struct pr_pprof_type *type = &r->types[i];
        int64_t value = (int64_t)sample->value[i];
        pr_build_add(&r->c, fact, type->metric, pr_pprof_scaled(value, type->factor), 0);
        if (type->count_of != PR_PPROF_NONE)
            pr_build_add(&r->c, fact, r->types[type->count_of].metric, 0, value);
    }
}

static bool add_sample(struct pr_pprof *r, struct pr_protobuf_span message)
{
    struct sample sample = {0};
    pr_pprof_labels_begin(&r->labels);
    if (!read_sample(r, message, &sample))
        return false;
    uint64_t tid = sample.tid ? sample.tid : sample.thread_name; /* the number of a name is its own too */
    uint32_t thread = pr_build_thread(&r->c, pr_build_process(&r->c, 0, r->program), tid);
    pr_build_name_thread(&r->c, thread, sample.thread_name);
    size_t depth = r->labels.count;
    pr_node_id node = pr_pprof_labels_root(&r->labels);
    while (sample.depth && r->c.status == PR_OK)
        node = pr_pprof_walk_location(r, node, r->stack[--sample.depth], &depth);
    if (sample.value_count < r->type_count)
        pr_build_damage(&r->c, PR_DAMAGE_ASSUMED, r->type_count - sample.value_count);
    add_values(r, pr_build_fact(&r->c, node, thread), &sample);
    return true;
}

/* The first mapping is that of the program, by the format; a library or "[vdso]" is not. */
static pr_str name_program(struct pr_pprof *r)
{
    const struct pr_text file = r->mapping_ids.count ? pr_pprof_text(r, r->mappings[0].file) : (struct pr_text){"", 0};
    const struct pr_text name = pr_text_mapped_program(file);
    return name.length ? pr_build_string(&r->c, name.bytes, name.length) : 0;
}

static void add_samples(struct pr_pprof *r)
{
    const uint8_t *at = (const uint8_t *)r->samples.bytes, *end = at ? at + r->samples.length : NULL;
    while (at < end && r->c.status == PR_OK) {
        uint32_t length;
        memcpy(&length, at, sizeof length);
        at += sizeof length;
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, !add_sample(r, (struct pr_protobuf_span){at, at + length}));
        at += length;
    }
}

static void fill_meta(struct pr_pprof *r)
{
    struct pr_meta *meta = &r->c.profile->meta;
    if (r->time_ns <= 0)
        return;
    meta->start_ms = (struct pr_maybe){true, r->time_ns / PR_NS_PER_MS};
    if (r->duration_ns > 0)
        meta->end_ms = (struct pr_maybe){true, pr_add_saturated(r->time_ns, r->duration_ns) / PR_NS_PER_MS};
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_pprof r = {.mapping_ids = {.words = 1},
                         .location_ids = {.words = 1},
                         .function_ids = {.words = 1},
                         .walk_ids = {.words = 1}};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    if (status == PR_OK)
        status = pr_pprof_read_messages(&r);
    if (status == PR_CUT && !r.type_count && !r.samples.length)
        status = PR_FAILED;
    if (status != PR_FAILED) {
        pr_pprof_labels_init(&r.labels, &r.c, options->tag_root); /* here: string numbers do not depend on it */
        pr_address_names_init(&r.names, &r.c, r.mapping_ids.count);
        r.program = name_program(&r);
        make_metrics(&r);
        add_samples(&r);
        pr_address_names_end(&r.names);
        pr_pprof_labels_end(&r.labels);
        fill_meta(&r);
    }
    if (status != PR_FAILED && status != PR_CUT && r.lacks_strings)
        status = pr_cut(err, PR_ERR_TRUNCATED, pr_source_offset(src), "string table",
                        "the input ends before some names");
    pr_pprof_clear(&r);
    return pr_build_finish(&r.c, status);
}

/* ---- probing ---------------------------------------------------------------------------------------------------- */

/* A field of the profile in the form that it must have. */
static bool is_plausible(const struct pr_protobuf_field *field)
{
    static const bool is_message[PR_PPROF_LAST_FIELD + 1] = {
        [PR_PPROF_SAMPLE_TYPE] = true, [PR_PPROF_SAMPLE] = true,   [PR_PPROF_MAPPING] = true,
        [PR_PPROF_LOCATION] = true,    [PR_PPROF_FUNCTION] = true, [PR_PPROF_STRING_TABLE] = true};
    if (field->number > PR_PPROF_LAST_FIELD)
        return false;
    if (is_message[field->number])
        return field->wire == PR_WIRE_BYTES;
    bool is_list = field->number == PR_PPROF_COMMENT, is_type = field->number == 11; /* period_type */
    return field->wire == (is_type ? PR_WIRE_BYTES : PR_WIRE_VARINT) || (is_list && field->wire == PR_WIRE_BYTES);
}

/* A ValueType has nothing but two numbers. */
static bool is_value_type(struct pr_protobuf_span message)
{
    struct pr_protobuf_field field;
    bool damaged = false;
    unsigned count = 0;
    while (pr_protobuf_next(&message, &field, &damaged)) {
        if (field.wire != PR_WIRE_VARINT || field.number > 2)
            return false;
        count++;
    }
    return !damaged && count;
}

/* No magic, but each key holds one of few numbers and one of few forms: 4 of its bits, over and over to the end. */
static unsigned probe(struct pr_source *src)
{
    enum { BITS_A_FIELD = 4, BITS_A_TYPE = 16, MOST_BITS = 48 };
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_protobuf_span span = {view.at, view.end};
    unsigned bits = 0;
    bool typed = false;
    while (span.at < span.end) {
        struct pr_protobuf_field field;
        size_t taken = pr_protobuf_head(span, &field);
        if (!taken && span.end - span.at < PR_PROTOBUF_HEAD_BYTES)
            break; /* the look, or a cut input, ends in a key */
        if (!taken || !is_plausible(&field)) {
            if (bits < MOST_BITS)
                return 0;
            break; /* what came before is evidence enough, and damage is for the reader to report */
        }
        span.at += taken;
        if (field.wire == PR_WIRE_BYTES && field.value > (uint64_t)(span.end - span.at)) {
            if (view.end == src->end && src->at_eof && field.value > (1u << 24))
                return 0;
            break;
        }
        size_t length = field.wire == PR_WIRE_BYTES ? (size_t)field.value : 0;
        if (field.number == PR_PPROF_SAMPLE_TYPE &&
            !is_value_type((struct pr_protobuf_span){span.at, span.at + length}))
            return 0;
        typed = typed || field.number == PR_PPROF_SAMPLE_TYPE;
        bits += field.number == PR_PPROF_SAMPLE_TYPE ? BITS_A_TYPE : BITS_A_FIELD;
        span.at += length;
    }
    return !typed ? 0 : bits < MOST_BITS ? bits : MOST_BITS;
}

const struct pr_reader pr_pprof_reader = {"pprof", "pprof profile", probe, read};
