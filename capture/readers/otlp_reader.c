/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenTelemetry's profiles (OTLP, v1development): protobuf of ProfilesData or ExportProfilesServiceRequest, which have
 * the same bytes. Samples come before the dictionary that they refer to, so they are kept as they are until its end.
 *
 * Messages that hold messages are entered as they come, never kept whole: a profile may be larger than any window, and
 * of one that is cut everything before the cut is there.
 *
 * Source: doc/formats/otlp.md.
 */
#include "capture/base/checked.h"
#include "capture/base/time.h"
#include "capture/builder/reader.h"
#include "capture/readers/otlp_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Messages that hold others, and the form that their fields must have. */
enum kind { DATA, RESOURCE_PROFILES, SCOPE_PROFILES, PROFILE, DICTIONARY, KINDS };

enum { KIND_FIELDS = 12, MAX_NESTING = 4, LOOK_BYTES = 64 * 1024, SKIP_BYTES = 64 * 1024 };

/* Of the ids of threads that have a name alone: no system numbers a thread so high. */
#define NAMED_BIT (UINT64_C(1) << 62)

#define FORM(wire) (1u << (wire))

static const struct {
    unsigned forms;
    enum kind inner; /* DATA: a message that holds no such */
} layout[KINDS][KIND_FIELDS] = {
    [DATA] = {[1] = {FORM(PR_WIRE_BYTES), RESOURCE_PROFILES}, [2] = {FORM(PR_WIRE_BYTES), DICTIONARY}},
    [RESOURCE_PROFILES] = {[1] = {FORM(PR_WIRE_BYTES), DATA},
                           [2] = {FORM(PR_WIRE_BYTES), SCOPE_PROFILES},
                           [3] = {FORM(PR_WIRE_BYTES), DATA}},
    [SCOPE_PROFILES] = {[1] = {FORM(PR_WIRE_BYTES), DATA},
                        [2] = {FORM(PR_WIRE_BYTES), PROFILE},
                        [3] = {FORM(PR_WIRE_BYTES), DATA}},
    [PROFILE] = {[1] = {FORM(PR_WIRE_BYTES), DATA},
                 [2] = {FORM(PR_WIRE_BYTES), DATA},
                 [3] = {FORM(PR_WIRE_FIXED64), DATA},
                 [4] = {FORM(PR_WIRE_VARINT), DATA},
                 [5] = {FORM(PR_WIRE_BYTES), DATA},
                 [6] = {FORM(PR_WIRE_VARINT), DATA},
                 [7] = {FORM(PR_WIRE_BYTES), DATA},
                 [8] = {FORM(PR_WIRE_VARINT), DATA},
                 [9] = {FORM(PR_WIRE_BYTES), DATA},
                 [10] = {FORM(PR_WIRE_BYTES), DATA},
                 [11] = {FORM(PR_WIRE_BYTES) | FORM(PR_WIRE_VARINT), DATA}},
    [DICTIONARY] = {[1] = {FORM(PR_WIRE_BYTES), DATA},
                    [2] = {FORM(PR_WIRE_BYTES), DATA},
                    [3] = {FORM(PR_WIRE_BYTES), DATA},
                    [4] = {FORM(PR_WIRE_BYTES), DATA},
                    [5] = {FORM(PR_WIRE_BYTES), DATA},
                    [6] = {FORM(PR_WIRE_BYTES), DATA},
                    [7] = {FORM(PR_WIRE_BYTES), DATA}}};

/* Attributes of a resource or a profile that are used: each sample has them all. */
enum { MAX_SHARED = 64 };

struct resource {
    size_t at; /* in `kept` */
    uint32_t length;
};

struct profile {
    uint32_t resource;
    uint64_t type[2], period_type[2]; /* strings: name, unit */
    int64_t period;
    uint64_t start_ns, duration_ns;
    struct pr_otlp_list attributes;
    unsigned metric;
    int64_t factor;       /* of values */
    int64_t lasts_ns;     /* a sample whose value is no time; 0: not known */
    bool is_time;
};

struct shared {
    struct pr_otlp_attribute attribute[MAX_SHARED];
    uint32_t count, of_resource, resource;
    bool has_resource;
};

struct otlp {
    struct pr_otlp_tables t;
    struct resource *resources;
    size_t resource_count, resource_capacity;
    struct profile *profiles;
    size_t profile_count, profile_capacity;
    struct pr_buf kept;    /* messages of resources */
    struct pr_buf samples; /* each after the number of its profile and its length, of 4 bytes each */
    struct pr_pprof_type types[PR_PPROF_MAX_TYPES];
    uint32_t type_count;
    struct pr_idset walked; /* node, stack */
    pr_node_id *leaf;       /* [walked.count] */
    size_t leaf_capacity;
    struct shared shared;   /* of the profile in hand */
    uint64_t base_ns;       /* the earliest profile */
    bool several_resources;
    uint64_t named_threads; /* those that have no number */
    bool values_first;      /* samples as opentelemetry-proto 1.40 to 1.42 have them */
};

/* ---- messages --------------------------------------------------------------------------------------------------- */

static void keep(struct otlp *r, struct pr_buf *buf, struct pr_protobuf_span message)
{
    pr_buf_add(buf, message.at, (size_t)(message.end - message.at));
    if (buf->failed)
        pr_build_no_memory(&r->t.p.c);
}

static void begin(struct otlp *r, enum kind kind)
{
    const struct resource resource = {.at = r->kept.length};
    const struct profile profile = {.resource = (uint32_t)r->resource_count - 1};
    if (kind == RESOURCE_PROFILES) {
        if (!pr_grow(&r->resources, &r->resource_capacity, r->resource_count + 1, sizeof *r->resources))
            pr_build_no_memory(&r->t.p.c);
        else
            r->resources[r->resource_count++] = resource;
    } else if (kind == PROFILE) {
        if (!pr_grow(&r->profiles, &r->profile_capacity, r->profile_count + 1, sizeof *r->profiles))
            pr_build_no_memory(&r->t.p.c);
        else
            r->profiles[r->profile_count++] = profile;
    }
}

static void take_attribute(void *context, uint64_t value)
{
    struct otlp *r = context;
    struct profile *profile = &r->profiles[r->profile_count - 1];
    if (profile->attributes.count == MAX_SHARED)
        return;
    if (!profile->attributes.count) /* rows of the dictionary come in no other message, so the list is in one piece */
        profile->attributes.first = r->t.item_count;
    if (!pr_grow(&r->t.items, &r->t.item_capacity, r->t.item_count + 1, sizeof *r->t.items)) {
        pr_build_no_memory(&r->t.p.c);
        return;
    }
    r->t.items[r->t.item_count++] = value;
    profile->attributes.count++;
}

static bool take_profile_field(struct otlp *r, const struct pr_protobuf_field *field)
{
    struct profile *profile = &r->profiles[r->profile_count - 1];
    switch (field->number) {
    case 1: return pr_pprof_read_numbers(field->bytes, profile->type, 2);
    case 2: {
        if (field->wire != PR_WIRE_BYTES)
            return false;
        const uint32_t head[2] = {(uint32_t)r->profile_count - 1, (uint32_t)field->value};
        pr_buf_add(&r->samples, head, sizeof head);
        keep(r, &r->samples, field->bytes);
        return true;
    }
    case 3: profile->start_ns = field->wire == PR_WIRE_FIXED64 ? pr_otlp_fixed64(field) : 0; return true;
    case 4: profile->duration_ns = field->value; return true;
    case 5: return pr_pprof_read_numbers(field->bytes, profile->period_type, 2);
    case 6: profile->period = (int64_t)field->value; return true;
    case 11: return pr_otlp_numbers(field, false, take_attribute, r);
    default: return true;
    }
}

/* A field without messages that are entered; false: it is damaged. */
static bool take_field(struct otlp *r, enum kind kind, const struct pr_protobuf_field *field)
{
    if (kind == DICTIONARY)
        return field->wire == PR_WIRE_BYTES && pr_otlp_read_row(&r->t, field->number, field->bytes);
    if (kind == PROFILE)
        return take_profile_field(r, field);
    if (kind == RESOURCE_PROFILES && field->number == 1 && field->wire == PR_WIRE_BYTES) {
        struct resource *resource = &r->resources[r->resource_count - 1];
        resource->at = r->kept.length;
        resource->length = (uint32_t)field->value;
        keep(r, &r->kept, field->bytes);
    }
    return true;
}

static bool is_used(enum kind kind, uint32_t number)
{
    if (kind == DICTIONARY)
        return number <= PR_OTLP_STACK && number != PR_OTLP_LINK;
    return kind == PROFILE ? number < 7 || number == 11 : kind == RESOURCE_PROFILES && number == 1;
}

static enum pr_status ended(struct otlp *r)
{
    const struct pr_source *src = r->t.p.c.src;
    if (src->error.code != PR_ERR_NONE)
        return pr_cut(r->t.p.c.err, src->error.code, pr_source_offset(src), "profiles", "%s", src->error.text);
    if (src->at_eof && (size_t)(src->end - src->at) < PR_PROTOBUF_HEAD_BYTES)
        return pr_cut(r->t.p.c.err, PR_ERR_TRUNCATED, pr_source_offset(src), "profiles", "the input ends in a message");
    return pr_cut(r->t.p.c.err, PR_ERR_DAMAGED, pr_source_offset(src), "profiles", "this is not a field");
}

/* Moves past LENGTH bytes that are not used. */
static bool skip_bytes(struct pr_source *src, uint64_t length)
{
    while (length) {
        const size_t step = length < SKIP_BYTES ? (size_t)length : SKIP_BYTES;
        if (!pr_source_need(src, step))
            return false;
        pr_source_skip(src, step);
        length -= step;
    }
    return true;
}

/* The bytes of FIELD, after its head. */
static enum pr_status read_content(struct otlp *r, enum kind kind, struct pr_protobuf_field *field)
{
    struct pr_profile_builder *c = &r->t.p.c;
    const uint64_t offset = pr_source_offset(c->src), length = field->value;
    if (!is_used(kind, field->number))
        return skip_bytes(c->src, length) ? PR_OK : ended(r);
    if (length > c->options->limits.max_string_bytes || length > PR_SOURCE_MAX_WINDOW)
        return pr_cut(c->err, PR_ERR_LIMIT, offset, "profiles", "a field of %" PRIu64 " bytes", length);
    if (!pr_source_need(c->src, (size_t)length))
        return pr_cut(c->err, PR_ERR_TRUNCATED, offset, "profiles", "the input ends in a message");
    field->bytes = (struct pr_protobuf_span){c->src->at, c->src->at + length};
    pr_build_damage(c, PR_DAMAGE_RECORDS, !take_field(r, kind, field));
    pr_source_skip(c->src, (size_t)length);
    return PR_OK;
}

struct level {
    enum kind kind;
    uint64_t end;
};

/* Leaves the messages that end at OFFSET, and returns the one that a field there is in. */
static const struct level *leave(const struct level *levels, unsigned *depth, uint64_t offset)
{
    while (*depth && offset == levels[*depth].end)
        --*depth;
    return &levels[*depth];
}

/* How many bytes follow the head of FIELD, which ends at AT. False: more than LEVEL has left. */
static bool length_of(const struct pr_protobuf_field *field, const struct level *level, uint64_t at, uint64_t *length)
{
    *length = field->wire == PR_WIRE_BYTES ? field->value : 0;
    return at <= level->end && *length <= level->end - at;
}

/* One field, or the end of messages. */
static enum pr_status read_field(struct otlp *r, struct level *levels, unsigned *depth)
{
    struct pr_source *src = r->t.p.c.src;
    struct pr_protobuf_field field;
    uint64_t length;
    const struct level *level = leave(levels, depth, pr_source_offset(src));
    const bool is_more = pr_source_need(src, PR_PROTOBUF_HEAD_BYTES) || src->at != src->end;
    if (!is_more && !*depth && src->error.code == PR_ERR_NONE)
        return PR_END;
    const size_t taken = pr_protobuf_head((struct pr_protobuf_span){src->at, src->end}, &field);
    if (!taken)
        return ended(r);
    const uint64_t at = pr_source_offset(src) + taken;
    if (!length_of(&field, level, at, &length))
        return pr_cut(r->t.p.c.err, PR_ERR_DAMAGED, at, "profiles", "a field is longer than its message");
    const enum kind inner = field.number < KIND_FIELDS ? layout[level->kind][field.number].inner : DATA;
    if (field.wire != PR_WIRE_BYTES) {
        field.bytes = (struct pr_protobuf_span){src->at + taken, src->at + taken}; /* after a number of fixed size */
        if (is_used(level->kind, field.number))
            pr_build_damage(&r->t.p.c, PR_DAMAGE_RECORDS, !take_field(r, level->kind, &field));
        pr_source_skip(src, taken);
        return PR_OK;
    }
    pr_source_skip(src, taken);
    if (inner == DATA)
        return read_content(r, level->kind, &field);
    begin(r, inner);
    levels[++*depth] = (struct level){inner, at + length};
    return PR_OK;
}

static enum pr_status read_messages(struct otlp *r)
{
    struct level levels[MAX_NESTING + 1] = {{DATA, UINT64_MAX}};
    unsigned depth = 0;
    enum pr_status status = PR_OK;
    while (status == PR_OK && pr_build_going(&r->t.p.c))
        status = read_field(r, levels, &depth);
    return status == PR_END ? PR_OK : status;
}

/* ---- metrics ---------------------------------------------------------------------------------------------------- */

/* The metric of a profile's type: profiles of one type and unit share it. */
static void make_metric(struct otlp *r, struct profile *profile)
{
    struct pr_pprof *p = &r->t.p;
    const uint64_t name = pr_pprof_string(p, profile->type[0]), unit = pr_pprof_string(p, profile->type[1]);
    int64_t factor;
    const enum pr_unit period = pr_pprof_unit(pr_pprof_text(p, profile->period_type[1]), &factor);
    const enum pr_unit is = pr_pprof_unit(pr_pprof_text(p, profile->type[1]), &profile->factor);
    profile->is_time = is == PR_UNIT_NANOSECONDS;
    if (period == PR_UNIT_NANOSECONDS && profile->period > 0)
        profile->lasts_ns = pr_pprof_scaled(profile->period, factor);
    uint32_t i = 0;
    bool taken = false;
    for (; i < r->type_count && (r->types[i].type != name || r->types[i].unit != unit); i++)
        taken = taken || r->types[i].type == name;
    if (i < r->type_count) {
        profile->metric = r->types[i].metric;
        return;
    }
    if (i == PR_PPROF_MAX_TYPES) {
        p->c.status = pr_cut(p->c.err, PR_ERR_LIMIT, PR_NO_OFFSET, "sample type", "more than %d of them",
                             PR_PPROF_MAX_TYPES);
        return;
    }
    const struct pr_text text = pr_pprof_text(p, profile->type[0]);
    struct pr_buf word = {0};
    pr_buf_text(&word, text.length ? text.bytes : "samples");
    if (taken)
        pr_buf_printf(&word, " (%s)", pr_pprof_text(p, profile->type[1]).bytes);
    const char *title = "";
    if (word.failed)
        pr_build_no_memory(&p->c);
    else
        title = pr_build_word(&p->c, (struct pr_text){word.bytes, (uint32_t)word.length});
    pr_buf_clear(&word);
    profile->metric = pr_build_metric(&p->c, title, title, text.length || unit ? is : PR_UNIT_COUNT, NULL);
    p->c.skips_allocators = p->c.skips_allocators || is == PR_UNIT_BYTES;
    r->types[r->type_count++] = (struct pr_pprof_type){.type = name, .unit = unit, .metric = profile->metric};
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

struct sample {
    struct otlp *r;
    uint64_t pid, tid;
    pr_str thread_name, process_name, service;
    uint64_t stack;
    int64_t total;
    uint64_t value_count, time_count;
    struct pr_protobuf_span values, times; /* the last list of each, for times of single events */
};

static void take_role(struct otlp *r, struct sample *sample, const struct pr_otlp_attribute *attribute)
{
    const struct pr_pprof_label *label = &attribute->label;
    switch (attribute->role) {
    case PR_OTLP_THREAD_ID: sample->tid = attribute->number; break;
    case PR_OTLP_THREAD_NAME: sample->thread_name = label->text; break;
    case PR_OTLP_PROCESS_ID: sample->pid = attribute->number; break;
    case PR_OTLP_PROCESS_NAME: sample->process_name = label->text; break;
    case PR_OTLP_SERVICE_NAME: sample->service = label->text; break;
    default: break;
    }
    if (label->key)
        pr_pprof_labels_add(&r->t.p.labels, label);
}

static void take_attribute_of_sample(void *context, uint64_t value)
{
    struct sample *sample = context;
    struct otlp *r = sample->r;
    if (value < r->t.attribute_count)
        take_role(r, sample, &r->t.attributes[value]);
    else
        pr_build_damage(&r->t.p.c, PR_DAMAGE_RECORDS, 1);
}

static void take_value(void *context, uint64_t value)
{
    struct sample *sample = context;
    sample->value_count++;
    pr_build_damage(&sample->r->t.p.c, PR_DAMAGE_BOUNDED, pr_add_bounded(&sample->total, (int64_t)value));
}

static void take_time(void *context, uint64_t value)
{
    struct sample *sample = context;
    (void)value;
    sample->time_count++;
}

static bool read_sample(struct otlp *r, struct pr_protobuf_span message, struct sample *sample)
{
    struct pr_protobuf_field field;
    bool damaged = false, good = true;
    for (uint32_t i = 0; i < r->shared.count; i++)
        take_role(r, sample, &r->shared.attribute[i]);
    while (pr_protobuf_next(&message, &field, &damaged)) {
        if (field.number == 1)
            sample->stack = field.value;
        else if (field.number == (r->values_first ? 3 : 2))
            good = pr_otlp_numbers(&field, false, take_attribute_of_sample, sample) && good;
        else if (field.number == (r->values_first ? 2 : 4))
            good = pr_otlp_numbers(&field, false, take_value, sample) && good;
        else if (field.number == 5)
            good = pr_otlp_numbers(&field, true, take_time, sample) && good;
    }
    return good && !damaged;
}

static pr_node_id walk(struct otlp *r, pr_node_id node, const struct pr_otlp_list *stack)
{
    size_t depth = r->t.p.labels.count;
    for (uint32_t i = stack->count; i-- > 0 && r->t.p.c.status == PR_OK;)
        node = pr_pprof_walk_location(&r->t.p, node, r->t.items[stack->first + i], &depth);
    return node;
}

/* The innermost node of a stack below ROOT: samples of a profile for each metric share theirs. */
static pr_node_id node_of(struct otlp *r, pr_node_id root, uint64_t stack)
{
    struct pr_profile_builder *c = &r->t.p.c;
    if (stack >= r->t.stack_count || stack > UINT32_MAX) {
        pr_build_damage(c, PR_DAMAGE_FRAMES, 1);
        return root;
    }
    const uint64_t key = pr_pair(root, (uint32_t)stack);
    const uint32_t known = r->walked.count;
    const uint32_t at = pr_grow(&r->leaf, &r->leaf_capacity, known + (size_t)1, sizeof *r->leaf)
                            ? pr_idset_add(&r->walked, &key, 1)
                            : PR_NO_ID;
    if (at == PR_NO_ID) {
        pr_build_no_memory(c);
        return root;
    }
    if (at == known)
        r->leaf[at] = walk(r, root, &r->t.stacks[stack]);
    return r->leaf[at];
}

/* What a slice needs of each event. */
struct events {
    struct otlp *r;
    uint32_t fact;
    int64_t lasts_ns;
};

static void take_moment(void *context, uint64_t value)
{
    const struct events *events = context;
    struct otlp *r = events->r;
    if (value > INT64_MAX) {
        pr_build_damage(&r->t.p.c, PR_DAMAGE_BOUNDED, 1);
        return;
    }
    const int64_t start = pr_subtract_saturated((int64_t)value, (int64_t)r->base_ns);
    pr_build_slice(&r->t.p.c, events->fact, start, events->lasts_ns);
}

/* Its moments, of the main metric only: those of another are the same ones. */
static void add_slices(struct events *events, struct pr_protobuf_span message)
{
    struct pr_protobuf_field field;
    bool damaged = false;
    while (pr_protobuf_next(&message, &field, &damaged))
        if (field.number == 5)
            pr_otlp_numbers(&field, true, take_moment, events);
}

/* Threads without a number are told apart by their names, and counted from 1. */
static uint32_t thread_of(struct otlp *r, uint32_t process, const struct sample *sample)
{
    struct pr_profile_builder *c = &r->t.p.c;
    const bool is_named = !sample->tid && sample->thread_name;
    const uint32_t known = c->thread_ids.count;
    const uint32_t thread = pr_build_thread(c, process, is_named ? NAMED_BIT + sample->thread_name : sample->tid);
    if (is_named && thread == known)
        pr_build_number_thread(c, thread, process, ++r->named_threads);
    pr_build_name_thread(c, thread, sample->thread_name);
    return thread;
}

static void add_sample(struct otlp *r, const struct profile *profile, struct pr_protobuf_span message)
{
    struct pr_profile_builder *c = &r->t.p.c;
    struct sample sample = {.r = r};
    pr_pprof_labels_begin(&r->t.p.labels);
    if (!read_sample(r, message, &sample)) {
        pr_build_damage(c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    const pr_str service = sample.service && !(r->several_resources && !sample.pid) ? sample.service : 0;
    const uint32_t process = pr_build_process(c, sample.pid, sample.process_name ? sample.process_name : service);
    const uint32_t thread = thread_of(r, process, &sample);
    const pr_node_id node = node_of(r, pr_pprof_labels_root(&r->t.p.labels), sample.stack);
    const bool differs = sample.value_count && sample.time_count && sample.value_count != sample.time_count;
    pr_build_damage(c, PR_DAMAGE_ASSUMED, differs || (!sample.value_count && !sample.time_count));
    const int64_t total = sample.value_count ? sample.total : (int64_t)sample.time_count;
    struct events events = {.r = r, .fact = pr_build_fact(c, node, thread)};
    const int64_t scaled = pr_pprof_scaled(total, profile->factor);
    pr_build_add(c, events.fact, profile->metric, scaled, 0);
    if (profile->metric || !sample.time_count)
        return;
    events.lasts_ns = !profile->is_time     ? profile->lasts_ns
                      : !sample.value_count ? profile->factor
                      : scaled > 0          ? scaled / (int64_t)sample.time_count
                                            : 0;
    add_slices(&events, message);
}

/* ---- attributes that samples share ------------------------------------------------------------------------------ */

static void share(struct otlp *r, const struct pr_otlp_attribute *attribute)
{
    if (r->shared.count < MAX_SHARED)
        r->shared.attribute[r->shared.count++] = *attribute;
}

static void share_resource(struct otlp *r, const struct resource *resource)
{
    if (!resource->length)
        return;
    const uint8_t *at = (const uint8_t *)r->kept.bytes + resource->at;
    struct pr_protobuf_span message = {at, at + resource->length};
    struct pr_protobuf_field field;
    bool damaged = false;
    while (r->shared.count < MAX_SHARED && pr_protobuf_next(&message, &field, &damaged)) {
        struct pr_otlp_attribute attribute;
        if (field.number != 1 || field.wire != PR_WIRE_BYTES)
            continue;
        damaged = !pr_otlp_read_attribute(&r->t, field.bytes, true, &attribute) || damaged;
        pr_otlp_resolve_attribute(&r->t, &attribute);
        share(r, &attribute);
    }
    pr_build_damage(&r->t.p.c, PR_DAMAGE_RECORDS, damaged);
}

/* Those of a resource come first, and are read once for all its profiles; those of a profile may be more precise. */
static void share_attributes(struct otlp *r, const struct profile *profile)
{
    if (!r->shared.has_resource || r->shared.resource != profile->resource) {
        r->shared.count = 0;
        r->shared.has_resource = true;
        r->shared.resource = profile->resource;
        share_resource(r, &r->resources[profile->resource]);
        r->shared.of_resource = r->shared.count;
    }
    r->shared.count = r->shared.of_resource;
    for (uint32_t i = 0; i < profile->attributes.count; i++) {
        const uint64_t index = r->t.items[profile->attributes.first + i];
        if (index < r->t.attribute_count)
            share(r, &r->t.attributes[index]);
        else
            pr_build_damage(&r->t.p.c, PR_DAMAGE_RECORDS, 1);
    }
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* What the form of a sample's fields says. */
enum order { UNKNOWN, VALUES_FIRST, VALUES_FOURTH };

/*
 * Where the attributes are field 3 they are a list, which is packed; where the link is, it is a number. Without either,
 * 4 has the values, or else 2, unless there are times, which need none.
 */
static enum order order_of(struct pr_protobuf_span message)
{
    struct pr_protobuf_field field;
    bool damaged = false, has_list = false, is_packed = false, has_times = false;
    while (pr_protobuf_next(&message, &field, &damaged)) {
        const bool is_list = field.wire == PR_WIRE_BYTES;
        if (field.number == 3)
            return is_list ? VALUES_FIRST : VALUES_FOURTH;
        if (field.number == 4) /* async-profiler packs neither list; a number after a packed one is the link */
            return is_packed && !is_list ? VALUES_FIRST : VALUES_FOURTH;
        has_list = has_list || field.number == 2;
        is_packed = is_packed || (field.number == 2 && is_list);
        has_times = has_times || field.number == 5;
    }
    return has_list && !has_times ? VALUES_FIRST : UNKNOWN;
}

/* All samples of a file have one order: the first of which it is known decides. */
static void find_order(struct otlp *r)
{
    const uint8_t *at = (const uint8_t *)r->samples.bytes, *end = at ? at + r->samples.length : NULL;
    enum order order = UNKNOWN;
    uint32_t head[2];
    while (at < end && order == UNKNOWN && r->t.p.c.status == PR_OK) {
        memcpy(head, at, sizeof head);
        at += sizeof head;
        order = order_of((struct pr_protobuf_span){at, at + head[1]});
        at += head[1];
    }
    r->values_first = order == VALUES_FIRST;
}

static void add_samples(struct otlp *r)
{
    find_order(r);
    const uint8_t *at = (const uint8_t *)r->samples.bytes, *end = at ? at + r->samples.length : NULL;
    uint32_t current = UINT32_MAX, head[2];
    while (at < end && r->t.p.c.status == PR_OK) {
        memcpy(head, at, sizeof head);
        at += sizeof head;
        if (head[0] != current)
            share_attributes(r, &r->profiles[head[0]]);
        current = head[0];
        add_sample(r, &r->profiles[current], (struct pr_protobuf_span){at, at + head[1]});
        at += head[1];
    }
}

static void fill_meta(struct otlp *r)
{
    struct pr_meta *meta = &r->t.p.c.profile->meta;
    uint64_t end = 0;
    for (size_t i = 0; i < r->profile_count; i++) {
        const struct profile *profile = &r->profiles[i];
        if (!profile->start_ns || profile->start_ns > INT64_MAX)
            continue;
        r->base_ns = r->base_ns && r->base_ns < profile->start_ns ? r->base_ns : profile->start_ns;
        if (profile->duration_ns && profile->duration_ns <= INT64_MAX - profile->start_ns &&
            profile->start_ns + profile->duration_ns > end)
            end = profile->start_ns + profile->duration_ns;
    }
    if (r->base_ns)
        meta->start_ms = (struct pr_maybe){true, (int64_t)r->base_ns / PR_NS_PER_MS};
    r->t.p.c.slices_epoch_ns = (struct pr_maybe){r->base_ns != 0, (int64_t)r->base_ns};
    if (end)
        meta->end_ms = (struct pr_maybe){true, (int64_t)end / PR_NS_PER_MS};
}

static void make_profile(struct otlp *r, const struct pr_load_options *options)
{
    struct pr_pprof *p = &r->t.p;
    pr_pprof_labels_init(&p->labels, &p->c, options->tag_root);
    pr_otlp_resolve(&r->t);
    pr_address_names_init(&p->names, &p->c, p->mapping_ids.count);
    for (size_t i = 0; i < r->profile_count && p->c.status == PR_OK; i++)
        make_metric(r, &r->profiles[i]);
    r->several_resources = r->resource_count > 1;
    fill_meta(r);
    add_samples(r);
    pr_address_names_end(&p->names);
    pr_pprof_labels_end(&p->labels);
    pr_build_damage(&p->c, PR_DAMAGE_FRAMES, p->lacks_strings);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct otlp r = {.t.p = {.mapping_ids = {.words = 1},
                             .location_ids = {.words = 1},
                             .function_ids = {.words = 1},
                             .walk_ids = {.words = 1}},
                     .walked = {.words = 1}};
    enum pr_status status = pr_build_init(&r.t.p.c, src, options, profile, err);
    if (status == PR_OK)
        status = read_messages(&r);
    if (status == PR_CUT && !r.samples.length && !r.t.p.string_count)
        status = PR_FAILED;
    if (status != PR_FAILED)
        make_profile(&r, options);
    const enum pr_status finished = pr_build_finish(&r.t.p.c, status);
    pr_otlp_tables_clear(&r.t);
    pr_idset_clear(&r.walked);
    pr_buf_clear(&r.kept);
    pr_buf_clear(&r.samples);
    free(r.leaf);
    free(r.resources);
    free(r.profiles);
    return finished;
}

/* ---- probing ---------------------------------------------------------------------------------------------------- */

/*
 * No magic, but each key holds one of few numbers in the one form that it may have: 4 bits each, as in pprof's probe.
 * A pprof begins with types, whose fields are numbers: no message here begins like that.
 */
static unsigned probe(struct pr_source *src)
{
    enum { BITS_A_FIELD = 4, LEAST_BITS = 16, MOST_BITS = 48 };
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_protobuf_span span = {view.at, view.end};
    struct level levels[MAX_NESTING + 1] = {{DATA, UINT64_MAX}};
    unsigned depth = 0, bits = 0;
    while (span.at < span.end && bits < MOST_BITS) {
        struct pr_protobuf_field field;
        uint64_t length;
        const struct level *level = leave(levels, &depth, (uint64_t)(span.at - view.at));
        const size_t taken = pr_protobuf_head(span, &field);
        if (!taken && span.end - span.at < PR_PROTOBUF_HEAD_BYTES)
            break; /* the look, or a cut input, ends in a key */
        if (!taken || field.number >= KIND_FIELDS ||
            !(layout[level->kind][field.number].forms & FORM(field.wire)))
            return 0;
        const uint64_t at = (uint64_t)(span.at - view.at) + taken;
        if (!length_of(&field, level, at, &length))
            return 0;
        bits += BITS_A_FIELD;
        span.at += taken;
        const enum kind inner = layout[level->kind][field.number].inner;
        if (inner != DATA)
            levels[++depth] = (struct level){inner, at + length};
        else if (length > (uint64_t)(span.end - span.at))
            break;
        else
            span.at += length;
    }
    return bits < LEAST_BITS ? 0 : bits;
}

const struct pr_reader pr_otlp_reader = {"otlp", "OpenTelemetry profiles", probe, read};
