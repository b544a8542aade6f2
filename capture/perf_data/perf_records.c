/* SPDX-License-Identifier: Apache-2.0 */
/* What a record changes: the maps of a process, the name of a thread, or the sums of a stack. */
#include "capture/perf_data/perf_records.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/perf_data/perf_build_ids.h"
#include "capture/perf_data/perf_sample.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    RECORD_MMAP = 1,
    RECORD_LOST = 2,
    RECORD_COMM = 3,
    RECORD_EXIT = 4,
    RECORD_THROTTLE = 5,
    RECORD_FORK = 7,
    RECORD_MMAP2 = 10,
    RECORD_LOST_SAMPLES = 13,
    RECORD_KSYMBOL = 17
};

/* Bits of `misc`: where it was, and what a bit means in records of one type. */
enum {
    MODES = 7,
    MODE_KERNEL = 1,
    MODE_USER = 2,
    MODE_HYPERVISOR = 3,
    MODE_GUEST_KERNEL = 4,
    MODE_GUEST_USER = 5,
    MISC_DATA = 1 << 13, /* of a mapping that is not code */
    MISC_BUILD_ID = 1 << 14
};

#define PROT_CODE 4u /* PROT_EXEC */

/* Addresses of a call chain from here on say where those after them are. */
#define CONTEXT_MAX ((uint64_t)-4095)
#define CONTEXT_HYPERVISOR ((uint64_t)-32)
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define CONTEXT_GUEST ((uint64_t)-2048)

static unsigned type_of(const struct pr_perf_queued *record)
{
    return record->kind & 0xffff;
}

static unsigned misc_of(const struct pr_perf_queued *record)
{
    return record->kind >> 16;
}

static pr_str intern(struct pr_perf *r, struct pr_text text)
{
    return pr_build_string(&r->c, text.bytes, text.length);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

/* Where the name of a thread is kept; NULL: no memory. */
static pr_str *name_of(struct pr_perf *r, uint32_t tid)
{
    const uint64_t key = tid;
    r->tids.words = 1;
    const uint32_t known = r->tids.count;
    uint32_t index = PR_NO_ID;
    if (pr_grow(&r->comm, &r->comm_capacity, known + (size_t)1, sizeof *r->comm))
        index = pr_idset_add(&r->tids, &key, 1);
    if (index == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return NULL;
    }
    if (index == known)
        r->comm[index] = 0;
    return &r->comm[index];
}

static void take_comm(struct pr_perf *r, struct pr_perf_bytes content)
{
    pr_perf_skip(&content, sizeof(uint32_t));
    const uint32_t tid = pr_perf_u32(&content);
    pr_str *name = content.failed ? NULL : name_of(r, tid);
    if (name)
        *name = intern(r, pr_perf_text(content));
}

static void take_fork(struct pr_perf *r, struct pr_perf_bytes content)
{
    const uint32_t pid = pr_perf_u32(&content), parent = pr_perf_u32(&content);
    const uint32_t tid = pr_perf_u32(&content), parent_tid = pr_perf_u32(&content);
    if (content.failed)
        return;
    pr_str *name = name_of(r, parent_tid);
    const pr_str inherited = name ? *name : 0;
    name = name_of(r, tid);
    if (name && inherited)
        *name = inherited;
    if (pid != parent)
        pr_perf_map_fork(&r->processes, pid, parent);
}

static void take_exit(struct pr_perf *r, struct pr_perf_bytes content)
{
    const uint32_t pid = pr_perf_u32(&content);
    pr_perf_skip(&content, sizeof(uint32_t));
    const uint32_t tid = pr_perf_u32(&content);
    if (!content.failed && pid == tid)
        pr_perf_map_exit(&r->processes, pid);
}

/* ---- mappings --------------------------------------------------------------------------------------------------- */

struct mapping {
    uint32_t pid, protection;
    uint64_t start, size_bytes, offset;
    pr_str build_id;
    struct pr_text path;
};

/* What MMAP2 has between the offset and the protection: a build id, or which file it was by its number. */
static void take_identity(struct pr_perf *r, struct pr_perf_bytes *content, bool is_build_id, struct mapping *mapping)
{
    struct pr_perf_bytes identity = pr_perf_take(content, 24);
    if (!is_build_id || identity.failed)
        return;
    const uint64_t size = pr_perf_number(&identity, 1);
    pr_perf_skip(&identity, 3);
    if (size <= pr_perf_left(&identity))
        mapping->build_id = pr_perf_build_id(r, identity.at, (size_t)size);
}

static bool parse_mapping(struct pr_perf *r, struct pr_perf_bytes content, unsigned type, unsigned misc,
                          struct mapping *mapping)
{
    *mapping = (struct mapping){.pid = pr_perf_u32(&content)};
    pr_perf_skip(&content, sizeof(uint32_t));
    mapping->start = pr_perf_u64(&content);
    mapping->size_bytes = pr_perf_u64(&content);
    mapping->offset = pr_perf_u64(&content);
    mapping->protection = misc & MISC_DATA ? 0 : PROT_CODE;
    if (type == RECORD_MMAP2) {
        take_identity(r, &content, misc & MISC_BUILD_ID, mapping);
        mapping->protection = pr_perf_u32(&content);
        pr_perf_skip(&content, sizeof(uint32_t));
    }
    mapping->path = pr_perf_text(content);
    return !content.failed;
}

/* "[kernel.kallsyms]_text": the rest is the function that its offset is the address of. */
static void take_kernel(struct pr_perf *r, const struct mapping *mapping)
{
    struct pr_text name = mapping->path;
    const bool is_text = pr_text_starts(name, "[kernel");
    const char *end = is_text ? memchr(name.bytes, ']', name.length) : NULL;
    if (end)
        name.length = (uint32_t)(end + 1 - name.bytes);
    if (is_text && !r->places.kernel_text) {
        r->places.kernel_text = mapping->offset;
        r->places.kernel_build_id = mapping->build_id;
    }
    const struct pr_perf_kernel_part part = {mapping->start, mapping->size_bytes, intern(r, name), false};
    pr_perf_kernel_add(&r->places, &part);
}

/* Source: Linux tools/perf/util/map.c, is_anon_memory. */
static bool is_anonymous(struct pr_text path)
{
    static const char *const names[] = {"//anon", "/dev/zero", "/anon_hugepage", "[heap]", "[stack", "/SYSV", "[anon",
                                        "/memfd:"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pr_text_starts(path, names[i]))
            return true;
    return !path.length;
}

static void take_mapping(struct pr_perf *r, struct pr_perf_bytes content, const struct pr_perf_queued *record)
{
    struct mapping mapping;
    const unsigned mode = misc_of(record) & MODES;
    if (!parse_mapping(r, content, type_of(record), misc_of(record), &mapping)) {
        pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, record->offset);
        return;
    }
    if (mode == MODE_KERNEL) {
        take_kernel(r, &mapping);
    } else if (mode != MODE_GUEST_KERNEL && mode != MODE_GUEST_USER &&
               mapping.size_bytes <= UINT64_MAX - mapping.start) {
        const bool is_code = mapping.protection & PROT_CODE;
        const pr_str path = intern(r, mapping.path);
        const struct pr_perf_file file = {
            .path = path,
            .build_id = mapping.build_id ? mapping.build_id : pr_perf_build_id_of(r, path),
            .is_path = pr_text_starts(mapping.path, "/"),
            .is_anonymous = is_anonymous(mapping.path),
            .offset = mapping.offset,
            .size_bytes = is_code ? mapping.size_bytes : 0,
        };
        const uint32_t number = pr_perf_file_add(&r->places, &file);
        const struct pr_perf_map map = {mapping.start, mapping.start + mapping.size_bytes, mapping.offset, number,
                                        is_code};
        if (number != PR_NO_ID)
            pr_perf_map_add(&r->processes, mapping.pid, &map);
    }
}

/* A program of BPF, or another part of the kernel that came later. */
static void take_kernel_symbol(struct pr_perf *r, struct pr_perf_bytes content)
{
    enum { REMOVED = 1 };
    const uint64_t start = pr_perf_u64(&content);
    const uint32_t size = pr_perf_u32(&content);
    pr_perf_skip(&content, sizeof(uint16_t));
    const uint16_t flags = pr_perf_u16(&content);
    const struct pr_text name = pr_perf_text(content);
    if (content.failed || flags & REMOVED || !name.length)
        return;
    const struct pr_perf_kernel_part part = {start, size, intern(r, name), true};
    pr_perf_kernel_add(&r->places, &part);
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

static uint32_t user_place(struct pr_perf *r, uint32_t pid, uint64_t address)
{
    const struct pr_perf_map *map = pr_perf_map_find(&r->processes, pid, address);
    if (!map)
        return pr_perf_place(&r->places, PR_PERF_UNKNOWN, 0, 0);
    const struct pr_perf_file *file = &r->places.file[map->file];
    if (map->is_code && file->is_anonymous)
        return pr_perf_place(&r->places, PR_PERF_JIT, pid, address);
    const uint64_t offset = file->is_path ? address - map->start + map->offset : 0;
    return pr_perf_place(&r->places, PR_PERF_FILE, map->file, offset);
}

static uint32_t find_place(struct pr_perf *r, uint32_t pid, unsigned mode, uint64_t address)
{
    switch (mode) {
    case MODE_KERNEL:
        return pr_perf_place(&r->places, PR_PERF_KERNEL, 0, address);
    case MODE_USER:
        return user_place(r, pid, address);
    case MODE_HYPERVISOR:
        return pr_perf_place(&r->places, PR_PERF_HYPERVISOR, 0, 0);
    case MODE_GUEST_KERNEL:
    case MODE_GUEST_USER:
        return pr_perf_place(&r->places, PR_PERF_GUEST, 0, 0);
    default:
        return pr_perf_place(&r->places, PR_PERF_UNKNOWN, 0, 0);
    }
}

static uint32_t place_of(struct pr_perf *r, uint32_t pid, unsigned mode, uint64_t address)
{
    const uint32_t place = find_place(r, pid, mode, address);
    if (place == PR_NO_ID)
        pr_build_no_memory(&r->c);
    return place;
}

/* Where the addresses after MARKER are; 0: nobody knows. */
static unsigned mode_after(uint64_t marker)
{
    if (marker == CONTEXT_KERNEL)
        return MODE_KERNEL;
    if (marker == CONTEXT_USER || marker == CONTEXT_USER_DEFERRED)
        return MODE_USER;
    if (marker == CONTEXT_HYPERVISOR)
        return MODE_HYPERVISOR;
    return marker >= CONTEXT_GUEST - 512 && marker <= CONTEXT_GUEST ? MODE_GUEST_KERNEL : 0;
}

enum { MAX_CHAIN = 1 << 13 /* a record has 64 KiB, an address 8 */ };

/* How many places user code has that a copy of the stack holds: PLACE has room for ROOM, at most MAX_CHAIN. */
static size_t unwound_places(struct pr_perf *r, const struct pr_perf_attr *attr, const struct pr_perf_sample *sample,
                             uint32_t *place, size_t room)
{
    uint64_t address[MAX_CHAIN];
    const struct pr_perf_stack_source source = {&r->c, &r->processes, &r->places, attr, sample};
    const size_t count = pr_perf_callers_find(&r->callers, &source, address, room);
    for (size_t i = 0; i < count; i++)
        place[i] = place_of(r, sample->pid, MODE_USER, address[i]);
    return count;
}

/* The address that the sample itself has: 1 place, or none. */
static size_t own_place(struct pr_perf *r, const struct pr_perf_sample *sample, unsigned mode, uint32_t *place)
{
    if (sample->has_ip)
        *place = place_of(r, sample->pid, mode, sample->ip);
    return sample->has_ip;
}

/* The places of a sample in code of OWN_MODE, leaf first, in PLACE, [MAX_CHAIN + 1]. */
static size_t places_of(struct pr_perf *r, const struct pr_perf_attr *attr, const struct pr_perf_sample *sample,
                        const unsigned own_mode, uint32_t *place)
{
    const uint64_t limit = r->c.options->limits.max_depth;
    const size_t most = limit < MAX_CHAIN ? (size_t)limit : MAX_CHAIN;
    struct pr_perf_bytes chain = sample->chain;
    size_t count = sample->has_chain ? 0 : own_place(r, sample, own_mode, place);
    unsigned mode = own_mode;
    bool has_user = !sample->has_chain && mode == MODE_USER;
    while (pr_perf_left(&chain) >= sizeof(uint64_t) && count < MAX_CHAIN) {
        const uint64_t address = pr_perf_u64(&chain);
        if (address >= CONTEXT_MAX)
            mode = mode_after(address);
        else
            place[count++] = place_of(r, sample->pid, mode, address);
        has_user = has_user || (address < CONTEXT_MAX && mode == MODE_USER);
    }
    if (pr_perf_left(&sample->stack) && !has_user && count < most)
        count += unwound_places(r, attr, sample, place + count, most - count);
    return count ? count : own_place(r, sample, own_mode, place); /* an empty chain, a stack that was not unwound */
}

static uint32_t thread_of(struct pr_perf *r, const struct pr_perf_sample *sample)
{
    const pr_str *found = name_of(r, sample->tid); /* until the next one is looked up, which may move it */
    pr_str own = found ? *found : 0;
    found = found && sample->pid != sample->tid ? name_of(r, sample->pid) : found;
    if (!found)
        return 0;
    const pr_str leader = *found;
    if (!own && !sample->tid)
        own = pr_build_text(&r->c, "swapper");
    const uint32_t process = pr_build_process(&r->c, sample->pid, leader ? leader : own);
    const uint32_t thread = pr_build_thread(&r->c, process, sample->tid);
    pr_build_name_thread(&r->c, thread, own);
    return thread;
}

/* PERIOD of ATTR's event on the stack that ends in NODE. */
static void add_period(struct pr_perf *r, const struct pr_perf_attr *attr, const struct pr_perf_sample *sample,
                       pr_node_id node, uint32_t thread, uint64_t period)
{
    const uint32_t event = (uint32_t)(attr - r->attrs.attr);
    const int64_t value = pr_signed_saturated(period);
    const uint32_t fact = pr_perf_stacks_add(&r->stacks, &r->c, node, thread, event, value);
    if (!sample->has_time || sample->time > INT64_MAX)
        return;
    if (pr_perf_attr_is_clock(attr))
        pr_perf_stacks_slice(&r->stacks, &r->c, fact, pr_subtract_saturated((int64_t)sample->time, value), value);
    else
        pr_perf_stacks_moment(&r->stacks, &r->c, fact, event, (int64_t)sample->time, value);
}

/* What event ID counted on the thread since it was last read, up to VALUE. */
static uint64_t counted_since(struct pr_perf *r, uint64_t id, uint32_t thread, uint64_t value)
{
    const uint64_t key[2] = {id, thread};
    const uint32_t known = r->counted.count;
    uint32_t index = PR_NO_ID;
    r->counted.words = 2;
    if (pr_grow(&r->last_count, &r->last_count_capacity, known + (size_t)1, sizeof *r->last_count))
        index = pr_idset_add(&r->counted, key, 2);
    if (index == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return 0;
    }
    const uint64_t last = index == known ? 0 : r->last_count[index];
    r->last_count[index] = value;
    return value > last ? value - last : 0;
}

/*
 * A sample of a group is one of each event that counted something.
 * Source: Linux tools/perf/util/session.c, deliver_sample_group.
 */
static void add_group(struct pr_perf *r, const struct pr_perf_sample *sample, pr_node_id node, uint32_t thread)
{
    struct pr_perf_bytes counts = sample->counts;
    while (pr_perf_left(&counts) && r->c.status == PR_OK) {
        const uint64_t value = pr_perf_u64(&counts), id = pr_perf_u64(&counts);
        const struct pr_perf_attr *attr = pr_perf_attrs_find(&r->attrs, id);
        pr_perf_skip(&counts, (sample->count_words - 2) * sizeof(uint64_t));
        const uint64_t period = attr ? counted_since(r, id, attr->inherit ? thread : 0, value) : 0;
        if (period)
            add_period(r, attr, sample, node, thread, period);
    }
}

static void add_sample(struct pr_perf *r, const struct pr_perf_attr *attr, const struct pr_perf_sample *sample,
                       unsigned mode)
{
    uint32_t place[MAX_CHAIN + 1];
    pr_node_id node = PR_ROOT;
    size_t depth = places_of(r, attr, sample, mode, place);
    if (depth > r->c.options->limits.max_depth && r->c.status == PR_OK)
        r->c.status = pr_cut(r->c.err, PR_ERR_LIMIT, pr_source_offset(r->c.src), "sample", "a stack is too deep");
    while (depth && r->c.status == PR_OK)
        node = pr_perf_stacks_child(&r->stacks, &r->c, node, place[--depth]);
    const uint32_t thread = thread_of(r, sample);
    if (sample->count_words)
        add_group(r, sample, node, thread);
    else
        add_period(r, attr, sample, node, thread, sample->period);
    r->facts.samples++;
}

static void take_sample(struct pr_perf *r, struct pr_perf_bytes content, const struct pr_perf_queued *record)
{
    struct pr_perf_sample sample;
    const struct pr_perf_attr *attr = pr_perf_event_of(&r->attrs, content, true);
    if (attr && pr_perf_sample_parse(attr, content, &sample))
        add_sample(r, attr, &sample, misc_of(record) & MODES);
    else
        pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, record->offset);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

void pr_perf_apply(void *context, const struct pr_perf_queued *record, const uint8_t *bytes)
{
    struct pr_perf *r = context;
    struct pr_perf_bytes content = pr_perf_bytes_of(r, bytes, record->length);
    if (!pr_build_going(&r->c))
        return;
    switch (type_of(record)) {
    case PR_PERF_RECORD_SAMPLE:
        take_sample(r, content, record);
        break;
    case RECORD_MMAP:
    case RECORD_MMAP2:
        take_mapping(r, content, record);
        break;
    case RECORD_COMM:
        take_comm(r, content);
        break;
    case RECORD_FORK:
        take_fork(r, content);
        break;
    case RECORD_EXIT:
        take_exit(r, content);
        break;
    case RECORD_KSYMBOL:
        take_kernel_symbol(r, content);
        break;
    case RECORD_LOST:
        pr_perf_skip(&content, sizeof(uint64_t));
        r->facts.lost += pr_perf_u64(&content);
        break;
    case RECORD_LOST_SAMPLES:
        r->facts.lost += pr_perf_u64(&content);
        break;
    case RECORD_THROTTLE:
        r->facts.throttled++;
        break;
    default:
        break;
    }
    if (r->places.no_memory || r->processes.no_memory)
        pr_build_no_memory(&r->c);
}

void pr_perf_order(struct pr_perf *r, struct pr_perf_queued record, const uint8_t *content)
{
    const struct pr_perf_bytes bytes = pr_perf_bytes_of(r, content, record.length);
    const bool is_sample = type_of(&record) == PR_PERF_RECORD_SAMPLE;
    const struct pr_perf_attr *attr = pr_perf_event_of(&r->attrs, bytes, is_sample);
    const bool has_time = attr && (is_sample ? pr_perf_sample_time(attr, bytes, &record.time)
                                             : pr_perf_trailer_time(attr, bytes, &record.time));
    if (!has_time || !record.time || record.time == UINT64_MAX) {
        pr_perf_apply(r, &record, content);
        return;
    }
    if (!pr_perf_queue_add(&r->queue, &record, content) ||
        (pr_perf_queue_is_full(&r->queue) && !pr_perf_queue_flush(&r->queue, pr_perf_apply, r)))
        pr_build_no_memory(&r->c);
}
