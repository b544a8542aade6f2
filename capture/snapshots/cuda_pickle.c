/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot of PyTorch's memory as a pickle. Parts are known by their keys, wherever they are: a dictionary with a
 * file name is a frame, a list of frames a stack, a dictionary with an action an entry of a trace. Each is taken when
 * it is complete, so a trace is never in memory as objects; a stack that a million entries share is read once.
 */
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/parse/pickle.h"
#include "capture/snapshots/cuda_snapshot.h"

enum key {
    ACTION, ADDR, ADDRESS, ALLOCATOR_SETTINGS, BLOCKS, CONF, DEVICE, DEVICE_FREE, DEVICE_TRACES, EXPANDABLE, FILENAME,
    FRAMES, HISTORY, LINE, NAME, REAL_SIZE, REQUESTED_SIZE, SEGMENTS, SIZE, STAGE, STATE, STREAM, TIME_US, TOTAL_SIZE,
    KEYS
};

static const char *const key_names[KEYS] = {
    [ACTION] = "action",
    [ADDR] = "addr",
    [ADDRESS] = "address",
    [ALLOCATOR_SETTINGS] = "allocator_settings",
    [BLOCKS] = "blocks",
    [CONF] = "PYTORCH_CUDA_ALLOC_CONF",
    [DEVICE] = "device",
    [DEVICE_FREE] = "device_free",
    [DEVICE_TRACES] = "device_traces",
    [EXPANDABLE] = "is_expandable",
    [FILENAME] = "filename",
    [FRAMES] = "frames",
    [HISTORY] = "history",
    [LINE] = "line",
    [NAME] = "name",
    [REAL_SIZE] = "real_size",
    [REQUESTED_SIZE] = "requested_size",
    [SEGMENTS] = "segments",
    [SIZE] = "size",
    [STAGE] = "stage",
    [STATE] = "state",
    [STREAM] = "stream",
    [TIME_US] = "time_us",
    [TOTAL_SIZE] = "total_size",
};

/* The values of a dictionary, by key. */
struct fields {
    pr_pickled of[KEYS];
};

struct cuda_pickle {
    struct pr_cuda_snapshot *s;
    struct pr_pickle p;
    struct pr_pickle_keys keys;
    uint8_t *places; /* in `keys` */
    pr_str actions[PR_CUDA_ACTIONS]; /* their names */
    struct pr_profile *profile;
    const struct pr_load_options *options;
    uint64_t reported; /* bytes, to the caller of the load */
    pr_frame_id *frames; /* of the stack at hand */
    size_t frame_capacity;
};

static bool intern_all(struct pr_strings *strings, const char *const *names, size_t count, pr_str *interned)
{
    for (size_t i = 0; i < count; i++) {
        interned[i] = pr_strings_add(strings, names[i], strlen(names[i]));
        if (interned[i] == PR_NO_STR)
            return false;
    }
    return true;
}

/* False: out of memory. */
static bool intern_names(struct cuda_pickle *r)
{
    pr_str keys[KEYS], limit = 0;
    struct pr_strings *strings = &r->profile->strings;
    if (!intern_all(strings, key_names, KEYS, keys) ||
        !intern_all(strings, pr_cuda_action_names, PR_CUDA_ACTIONS, r->actions))
        return false;
    for (size_t i = 0; i < KEYS; i++)
        limit = keys[i] >= limit ? keys[i] + 1 : limit;
    r->places = malloc(limit);
    if (!r->places)
        return false;
    memset(r->places, PR_PICKLE_NO_KEY, limit);
    for (size_t i = 0; i < KEYS; i++)
        r->places[keys[i]] = (uint8_t)i;
    r->keys = (struct pr_pickle_keys){r->places, limit};
    return true;
}

static struct fields fields_of(const struct cuda_pickle *r, pr_pickled dict)
{
    struct fields fields;
    pr_pickle_find_all(&r->p, dict, r->keys, fields.of, KEYS);
    return fields;
}

/* ---- frames, stacks, entries ------------------------------------------------------------------------------------ */

/* Numbers of frames and of stacks are kept apart by their lowest bit. */
enum { FRAME, STACK, KINDS };

static pr_pickled numbered(uint32_t number, uint32_t kind, pr_pickled otherwise)
{
    return number <= UINT32_MAX / KINDS ? pr_pickle_handle(number * KINDS + kind) : otherwise;
}

static bool is_numbered(pr_pickled value, uint32_t kind, uint32_t *number)
{
    uint32_t handle;
    const bool is = pr_pickle_is_handle(value, &handle) && handle % KINDS == kind;
    *number = is ? handle / KINDS : 0;
    return is;
}

/* The integer of KEY; 0 with false where it is missing or something else. */
static bool integer_of(const struct cuda_pickle *r, const struct fields *fields, enum key key, int64_t *value)
{
    return pr_pickle_integer(&r->p, fields->of[key], value);
}

static struct pr_text text_of(const struct cuda_pickle *r, const struct fields *fields, enum key key)
{
    pr_str string;
    pr_pickle_string(&r->p, fields->of[key], &string);
    return pr_profile_text(r->profile, string);
}

static pr_pickled take_frame(struct cuda_pickle *r, const struct fields *fields, pr_pickled dict)
{
    pr_str function, file;
    int64_t line;
    pr_pickle_string(&r->p, fields->of[FILENAME], &file);
    if (!pr_pickle_string(&r->p, fields->of[NAME], &function))
        return dict;
    integer_of(r, fields, LINE, &line);
    r->s->frames++;
    return numbered(pr_cuda_frame(r->s, function, file, line), FRAME, dict);
}

/* A list of frames, innermost first. */
static pr_pickled take_stack(struct cuda_pickle *r, pr_pickled list)
{
    uint32_t count;
    const pr_pickled *items = pr_pickle_items(&r->p, list, &count);
    if (!count || count > r->options->limits.max_depth || !is_numbered(items[0], FRAME, &(uint32_t){0}))
        return list;
    if (!pr_grow(&r->frames, &r->frame_capacity, count, sizeof *r->frames)) {
        r->s->no_memory = true;
        return list;
    }
    if (!pr_pickle_handles(&r->p, list, r->frames))
        return list;
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; i++) {
        others |= r->frames[i] % KINDS ^ FRAME;
        r->frames[i] /= KINDS;
    }
    return others ? list : numbered(pr_cuda_stack(r->s, r->frames, count), STACK, list);
}

/* The stack of a dictionary; PR_ROOT where it has none. */
static pr_node_id stack_of(const struct fields *fields)
{
    uint32_t leaf;
    is_numbered(fields->of[FRAMES], STACK, &leaf);
    return leaf;
}

static void progress(struct cuda_pickle *r)
{
    enum { EVERY_BYTES = 1 << 20 };
    uint64_t done, size;
    if (!r->options->progress || pr_source_offset(r->p.scan.src) - r->reported < EVERY_BYTES)
        return;
    r->reported = pr_source_offset(r->p.scan.src);
    pr_source_progress(r->p.scan.src, &done, &size);
    if (!r->options->progress(r->options->progress_context, done, size))
        pr_pickle_stop(&r->p, PR_ERR_IO, "interrupted");
}

static enum pr_cuda_action action_of(const struct cuda_pickle *r, const struct fields *fields)
{
    pr_str name;
    pr_pickle_string(&r->p, fields->of[ACTION], &name);
    enum pr_cuda_action action = PR_CUDA_ALLOC;
    while (action < PR_CUDA_ACTIONS && r->actions[action] != name)
        action++;
    return action;
}

/* An entry without size or address makes no sense, except the last one of a file that is cut. */
static pr_pickled take_entry(struct cuda_pickle *r, const struct fields *fields, pr_pickled list)
{
    const enum pr_cuda_action action = action_of(r, fields);
    int64_t address, size, time, stream;
    const bool has_address = integer_of(r, fields, action == PR_CUDA_OOM ? DEVICE_FREE : ADDR, &address);
    const bool has_size = integer_of(r, fields, SIZE, &size);
    integer_of(r, fields, TIME_US, &time);
    integer_of(r, fields, STREAM, &stream);
    progress(r);
    if (action == PR_CUDA_ACTIONS || !has_address || !has_size || size < 0) {
        pr_damage_add(&r->profile->damage, PR_DAMAGE_RECORDS, !r->p.closing, r->p.scan.record_offset);
        return PR_PICKLE_NOTHING;
    }
    if (time < 0) { /* as in JSON, where it is larger than any clock */
        pr_damage_add(&r->profile->damage, PR_DAMAGE_RECORDS, 1, r->p.scan.record_offset);
        time = 0;
    }
    const struct pr_cuda_entry entry = {.address = (uint64_t)address,
                                        .size = (uint64_t)size,
                                        .time_us = time,
                                        .leaf = stack_of(fields),
                                        .stream = pr_cuda_stream(r->s, stream) & PR_CUDA_MOST_STREAMS,
                                        .action = action & 0xFF};
    pr_cuda_add_entry(r->s, list, &entry);
    if (r->s->full)
        pr_pickle_stop(&r->p, PR_ERR_LIMIT, "there are too many stacks or streams");
    return PR_PICKLE_NOTHING;
}

static pr_pickled take_annotation(struct cuda_pickle *r, const struct fields *fields)
{
    struct pr_cuda_annotation annotation = {0};
    int64_t device;
    const struct pr_text stage = text_of(r, fields, STAGE);
    pr_pickle_string(&r->p, fields->of[NAME], &annotation.name);
    integer_of(r, fields, DEVICE, &device);
    integer_of(r, fields, TIME_US, &annotation.time_us);
    annotation.device = (uint64_t)device;
    annotation.starts = pr_text_is(stage, "START");
    annotation.ends = pr_text_is(stage, "END");
    pr_cuda_annotate(r->s, &annotation);
    return PR_PICKLE_NOTHING;
}

static pr_pickled take(void *context, pr_pickled container, pr_pickled value)
{
    struct cuda_pickle *r = context;
    const enum pr_pickle_kind kind = pr_pickle_kind(&r->p, value);
    if (kind == PR_PICKLE_LIST)
        return take_stack(r, value);
    if (kind != PR_PICKLE_DICT)
        return value;
    const struct fields fields = fields_of(r, value);
    if (fields.of[FILENAME] != PR_PICKLE_NOTHING)
        return take_frame(r, &fields, value);
    if (pr_pickle_kind(&r->p, container) != PR_PICKLE_LIST)
        return value;
    if (fields.of[ACTION] != PR_PICKLE_NOTHING)
        return take_entry(r, &fields, container);
    if (fields.of[STAGE] != PR_PICKLE_NOTHING)
        return take_annotation(r, &fields);
    return value;
}

/* ---- what is left when all is read ------------------------------------------------------------------------------ */

/* Before PyTorch 2.1 a block had its stack in a list of what it had been used for, the newest first. */
static pr_pickled newest_use(const struct cuda_pickle *r, const struct fields *block)
{
    uint32_t count;
    const pr_pickled *uses = pr_pickle_items(&r->p, block->of[HISTORY], &count);
    return count ? uses[0] : PR_PICKLE_NOTHING;
}

/* A block that begins at ADDRESS unless it has its own. Returns where the next one begins. */
static uint64_t add_block(struct cuda_pickle *r, pr_pickled dict, uint64_t address)
{
    int64_t size, requested, own;
    const struct fields fields = fields_of(r, dict);
    const struct pr_text state = text_of(r, &fields, STATE);
    const pr_pickled newest = newest_use(r, &fields);
    const struct fields use = fields_of(r, newest);
    if (!integer_of(r, &fields, SIZE, &size) || size < 0) {
        pr_damage_add(&r->profile->damage, PR_DAMAGE_RECORDS, !r->p.closing, PR_NO_OFFSET);
        return address;
    }
    if (integer_of(r, &fields, ADDRESS, &own))
        address = (uint64_t)own;
    if (!integer_of(r, &fields, REQUESTED_SIZE, &requested) && !integer_of(r, &use, REAL_SIZE, &requested))
        requested = size;
    const struct pr_cuda_block block = {
        .address = address,
        .size = (uint64_t)size,
        .requested = requested > 0 ? (uint64_t)requested : 0,
        .leaf = stack_of(newest == PR_PICKLE_NOTHING ? &fields : &use),
        .active = pr_text_starts(state, "active"),
        .allocated = pr_text_is(state, "active_allocated"),
    };
    pr_cuda_add_block(r->s, &block);
    return address + (uint64_t)size;
}

static void add_segment(struct cuda_pickle *r, pr_pickled dict)
{
    int64_t address, size, device, stream, expandable;
    uint32_t count;
    const struct fields fields = fields_of(r, dict);
    if (!integer_of(r, &fields, TOTAL_SIZE, &size) || size < 0 ||
        !integer_of(r, &fields, ADDRESS, &address)) {
        pr_damage_add(&r->profile->damage, PR_DAMAGE_RECORDS, !r->p.closing, PR_NO_OFFSET);
        return;
    }
    integer_of(r, &fields, DEVICE, &device);
    integer_of(r, &fields, STREAM, &stream);
    integer_of(r, &fields, EXPANDABLE, &expandable);
    if (device < 0 || device >= PR_CUDA_MOST_DEVICES) {
        pr_damage_add(&r->profile->damage, PR_DAMAGE_RECORDS, 1, PR_NO_OFFSET);
        return;
    }
    const struct pr_cuda_segment segment = {.address = (uint64_t)address,
                                            .size = (uint64_t)size,
                                            .device = (uint32_t)device,
                                            .stream = pr_cuda_stream(r->s, stream),
                                            .expandable = expandable != 0};
    pr_cuda_add_segment(r->s, &segment);
    const pr_pickled *blocks = pr_pickle_items(&r->p, fields.of[BLOCKS], &count);
    uint64_t next = segment.address;
    for (uint32_t i = 0; i < count; i++)
        next = add_block(r, blocks[i], next);
}

/* ROOT is the dictionary of the snapshot, or (torch.cuda.memory_snapshot) the list of its segments. */
static void add_root(struct cuda_pickle *r, pr_pickled root)
{
    uint32_t count;
    const bool is_list = pr_pickle_kind(&r->p, root) == PR_PICKLE_LIST;
    const struct fields fields = fields_of(r, root);
    const pr_pickled segments = is_list ? root : fields.of[SEGMENTS];
    const pr_pickled *items = pr_pickle_items(&r->p, segments, &count);
    for (uint32_t i = 0; i < count; i++)
        add_segment(r, items[i]);
    items = pr_pickle_items(&r->p, fields.of[DEVICE_TRACES], &count);
    for (uint32_t i = 0; i < count && i < PR_CUDA_MOST_DEVICES; i++)
        pr_cuda_set_device(r->s, items[i], i);
    const struct fields settings = fields_of(r, fields.of[ALLOCATOR_SETTINGS]);
    pr_pickle_string(&r->p, settings.of[CONF], &r->s->settings);
}

enum pr_status pr_cuda_read_pickle(struct pr_cuda_snapshot *s, struct pr_source *src,
                                   const struct pr_load_options *options, struct pr_profile *profile,
                                   struct pr_error *err)
{
    struct cuda_pickle r = {.s = s, .profile = profile, .options = options};
    const struct pr_pickle_rules rules = {.take = take, .context = &r};
    if (!intern_names(&r)) {
        free(r.places);
        return pr_fail_memory(err);
    }
    pr_pickle_begin(&r.p, src, &profile->strings, &rules, &profile->damage, err);
    add_root(&r, pr_pickle_read(&r.p));
    const enum pr_status status = pr_pickle_status(&r.p);
    pr_pickle_end(&r.p);
    free(r.places);
    free(r.frames);
    return s->no_memory ? pr_fail_memory(err) : status;
}
