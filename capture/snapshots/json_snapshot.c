/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot of PyTorch's memory as JSON: the same keys as in the pickle, with each stack written out each time. Read
 * entry by entry, so its size does not matter.
 */
#include "capture/base/checked.h"
#include "capture/parse/json_stream.h"
#include "capture/snapshots/cuda_snapshot.h"

struct json_snapshot {
    struct pr_cuda_snapshot *s;
    struct pr_json_stream json;
    struct pr_profile *profile;
    const struct pr_load_options *options;
    pr_frame_id *frames; /* of the stack at hand, innermost first */
    size_t frame_count, frame_capacity;
    uint64_t reported;
};

/* The fields of a dictionary that anything here has. */
struct fields {
    enum pr_cuda_action action;
    uint64_t address, size, requested, device_free, device, total_size;
    int64_t stream, time_us;
    pr_node_id leaf;
    bool has_address, has_size, has_requested, has_free, has_total, active, allocated, expandable;
};

static void read_blocks(struct json_snapshot *r);

static bool going(struct json_snapshot *r)
{
    enum { EVERY_BYTES = 1 << 20 };
    uint64_t done, size;
    const uint64_t at = pr_source_offset(r->json.src);
    if (r->s->no_memory || r->s->full)
        return false;
    if (!r->options->progress || at - r->reported < EVERY_BYTES)
        return true;
    r->reported = at;
    pr_source_progress(r->json.src, &done, &size);
    return r->options->progress(r->options->progress_context, done, size) ||
           pr_fail(r->json.err, PR_ERR_IO, PR_NO_OFFSET, NULL, "interrupted") == PR_OK;
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

static void read_frame(struct json_snapshot *r)
{
    struct pr_json_stream *json = &r->json;
    pr_str function = 0, file = 0;
    struct pr_maybe line = {0};
    while (pr_json_key(json)) {
        if (pr_json_is(json, "line")) {
            line = pr_json_value(json, 0);
        } else if (pr_json_is(json, "name") || pr_json_is(json, "filename")) {
            pr_str *string = pr_json_is(json, "name") ? &function : &file;
            pr_json_next(json);
            *string = pr_json_intern(json, &r->profile->strings);
            if (*string == PR_NO_STR)
                r->s->no_memory = true;
        } else {
            pr_json_skip(json);
        }
    }
    if (r->s->no_memory || !pr_grow(&r->frames, &r->frame_capacity, r->frame_count + 1, sizeof *r->frames)) {
        r->s->no_memory = true;
        return;
    }
    r->s->frames++;
    r->frames[r->frame_count++] = pr_cuda_frame(r->s, function, file, line.known ? line.value : 0);
}

static pr_node_id read_stack(struct json_snapshot *r)
{
    r->frame_count = 0;
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return PR_ROOT;
    while (pr_json_object(&r->json)) {
        if (r->frame_count < r->options->limits.max_depth)
            read_frame(r);
        else
            pr_json_skip(&r->json);
    }
    return pr_cuda_stack(r->s, r->frames, (uint32_t)r->frame_count);
}

/* ---- dictionaries ----------------------------------------------------------------------------------------------- */

static bool read_number(struct json_snapshot *r, uint64_t *number)
{
    pr_json_next(&r->json);
    const bool good = pr_json_index(&r->json, number);
    if (!good)
        pr_json_skip(&r->json);
    return good;
}

static void read_state(struct json_snapshot *r, struct fields *f)
{
    pr_json_next(&r->json);
    f->active = r->json.token == PR_JSON_STRING && r->json.text.length >= 6 && !memcmp(r->json.text.bytes, "active", 6);
    f->allocated = r->json.token == PR_JSON_STRING && pr_json_is(&r->json, "active_allocated");
    pr_json_skip(&r->json);
}

/* Microseconds since the epoch; 0: not known. */
static int64_t read_time(struct json_snapshot *r)
{
    const uint64_t offset = r->json.offset;
    const int64_t time_us = pr_json_value(&r->json, 0).value;
    if (time_us >= 0 && time_us < INT64_MAX)
        return time_us;
    pr_damage_add(&r->profile->damage, time_us < 0 ? PR_DAMAGE_RECORDS : PR_DAMAGE_BOUNDED, 1, offset);
    return 0;
}

/* The value of the key at hand. */
static void read_field(struct json_snapshot *r, struct fields *f)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_is(json, "action")) {
        pr_json_next(json);
        f->action = json->token == PR_JSON_STRING ? pr_cuda_action_of(json->text) : PR_CUDA_ACTIONS;
        pr_json_skip(json);
    } else if (pr_json_is(json, "addr") || pr_json_is(json, "address")) {
        f->has_address = read_number(r, &f->address);
    } else if (pr_json_is(json, "size")) {
        f->has_size = read_number(r, &f->size);
    } else if (pr_json_is(json, "requested_size")) {
        f->has_requested = read_number(r, &f->requested);
    } else if (pr_json_is(json, "total_size")) {
        f->has_total = read_number(r, &f->total_size);
    } else if (pr_json_is(json, "device_free")) {
        f->has_free = read_number(r, &f->device_free);
    } else if (pr_json_is(json, "device")) {
        read_number(r, &f->device);
    } else if (pr_json_is(json, "stream")) {
        f->stream = pr_json_value(json, 0).value;
    } else if (pr_json_is(json, "time_us")) {
        f->time_us = read_time(r);
    } else if (pr_json_is(json, "state")) {
        read_state(r, f);
    } else if (pr_json_is(json, "is_expandable")) {
        f->expandable = pr_json_next(json) == PR_JSON_TRUE;
        pr_json_skip(json);
    } else if (pr_json_is(json, "frames")) {
        f->leaf = read_stack(r);
    } else {
        pr_json_skip(json);
    }
}

static void damaged(struct json_snapshot *r, uint64_t offset)
{
    if (pr_json_status(&r->json) == PR_OK)
        pr_damage_add(&r->profile->damage, PR_DAMAGE_RECORDS, 1, offset);
}

static void read_entry(struct json_snapshot *r, uint32_t device)
{
    struct fields f = {.action = PR_CUDA_ACTIONS};
    const uint64_t offset = r->json.offset;
    while (pr_json_key(&r->json))
        read_field(r, &f);
    const bool is_oom = f.action == PR_CUDA_OOM;
    if (f.action == PR_CUDA_ACTIONS || !(is_oom ? f.has_free : f.has_address) || !f.has_size) {
        damaged(r, offset);
        return;
    }
    const struct pr_cuda_entry entry = {.address = is_oom ? f.device_free : f.address,
                                        .size = f.size,
                                        .time_us = f.time_us,
                                        .leaf = f.leaf,
                                        .stream = pr_cuda_stream(r->s, f.stream) & PR_CUDA_MOST_STREAMS,
                                        .action = f.action & 0xFF};
    pr_cuda_add_entry(r->s, device, &entry);
}

/* Arrays of entries, one for each device. */
static void read_traces(struct json_snapshot *r)
{
    uint32_t device = 0;
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    for (; pr_json_item(&r->json); device++) {
        if (r->json.token != PR_JSON_ARRAY || device >= PR_CUDA_MOST_DEVICES) {
            pr_json_skip(&r->json);
            continue;
        }
        while (going(r) && pr_json_object(&r->json))
            read_entry(r, device);
        pr_cuda_set_device(r->s, device, device);
        if (!going(r))
            return;
    }
}

/* A segment is known when its own fields are; its blocks may come before some of these. */
static void read_segment(struct json_snapshot *r)
{
    struct fields f = {0};
    const uint64_t offset = r->json.offset;
    const size_t first = r->s->segment_count;
    pr_cuda_add_segment(r->s, &(struct pr_cuda_segment){0});
    while (pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "blocks"))
            read_blocks(r);
        else
            read_field(r, &f);
    }
    const bool good = f.has_total && f.has_address && f.device < PR_CUDA_MOST_DEVICES;
    if (!good)
        damaged(r, offset);
    if (r->s->segment_count == first) /* no memory */
        return;
    r->s->segments[first] = (struct pr_cuda_segment){.address = f.address,
                                                     .size = good ? f.total_size : 0,
                                                     .device = good ? (uint32_t)f.device : 0,
                                                     .stream = pr_cuda_stream(r->s, f.stream),
                                                     .expandable = f.expandable};
    if (good && f.device >= r->s->device_count)
        r->s->device_count = (uint32_t)f.device + 1;
}

static void read_blocks(struct json_snapshot *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (going(r) && pr_json_object(&r->json)) {
        struct fields f = {0};
        const uint64_t offset = r->json.offset;
        while (pr_json_key(&r->json))
            read_field(r, &f);
        const struct pr_cuda_block block = {.address = f.address,
                                            .size = f.size,
                                            .requested = f.has_requested ? f.requested : f.size,
                                            .leaf = f.leaf,
                                            .active = f.active,
                                            .allocated = f.allocated};
        if (f.has_size && f.has_address)
            pr_cuda_add_block(r->s, &block);
        else
            damaged(r, offset);
    }
}

static void read_annotation(struct json_snapshot *r)
{
    struct pr_json_stream *json = &r->json;
    struct pr_cuda_annotation annotation = {0};
    while (pr_json_key(json)) {
        if (pr_json_is(json, "stage")) {
            pr_json_next(json);
            annotation.starts = json->token == PR_JSON_STRING && pr_json_is(json, "START");
            annotation.ends = json->token == PR_JSON_STRING && pr_json_is(json, "END");
            pr_json_skip(json);
        } else if (pr_json_is(json, "name")) {
            pr_json_next(json);
            annotation.name = pr_json_intern(json, &r->profile->strings);
            r->s->no_memory = r->s->no_memory || annotation.name == PR_NO_STR;
            pr_json_skip(json);
        } else if (pr_json_is(json, "device")) {
            read_number(r, &annotation.device);
        } else if (pr_json_is(json, "time_us")) {
            annotation.time_us = read_time(r);
        } else {
            pr_json_skip(json);
        }
    }
    if (!r->s->no_memory)
        pr_cuda_annotate(r->s, &annotation);
}

static void read_settings(struct json_snapshot *r)
{
    struct pr_json_stream *json = &r->json;
    if (!pr_json_enter(json, PR_JSON_OBJECT))
        return;
    while (pr_json_key(json)) {
        if (!pr_json_is(json, "PYTORCH_CUDA_ALLOC_CONF")) {
            pr_json_skip(json);
            continue;
        }
        pr_json_next(json);
        r->s->settings = pr_json_intern(json, &r->profile->strings);
        r->s->no_memory = r->s->no_memory || r->s->settings == PR_NO_STR;
    }
}

static void read_root(struct json_snapshot *r)
{
    while (going(r) && pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "segments")) {
            if (pr_json_enter(&r->json, PR_JSON_ARRAY))
                while (going(r) && pr_json_object(&r->json))
                    read_segment(r);
        } else if (pr_json_is(&r->json, "device_traces")) {
            read_traces(r);
        } else if (pr_json_is(&r->json, "external_annotations")) {
            if (pr_json_enter(&r->json, PR_JSON_ARRAY))
                while (going(r) && pr_json_object(&r->json))
                    read_annotation(r);
        } else if (pr_json_is(&r->json, "allocator_settings")) {
            read_settings(r);
        } else {
            pr_json_skip(&r->json);
        }
    }
}

enum pr_status pr_cuda_read_json(struct pr_cuda_snapshot *s, struct pr_source *src,
                                 const struct pr_load_options *options, struct pr_profile *profile,
                                 struct pr_error *err)
{
    struct json_snapshot r = {.s = s, .profile = profile, .options = options};
    pr_json_begin(&r.json, src, &options->limits, err);
    r.json.damage = &profile->damage;
    if (pr_json_next(&r.json) == PR_JSON_OBJECT)
        read_root(&r);
    else
        pr_json_unexpected(&r.json, "an object");
    enum pr_status status = PR_CUT;
    if (s->no_memory)
        status = pr_fail_memory(err);
    else if (s->full)
        pr_cut(err, PR_ERR_LIMIT, pr_source_offset(src), "snapshot", "there are too many stacks or streams");
    else if (err->code == PR_ERR_NONE)
        status = pr_json_finish(&r.json);
    else
        status = pr_json_status(&r.json) == PR_FAILED ? PR_FAILED : PR_CUT;
    pr_json_end(&r.json);
    free(r.frames);
    return status;
}
