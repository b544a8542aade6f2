/* SPDX-License-Identifier: Apache-2.0 */
/* A struct perf_event_attr has grown with the kernel: what an older one lacks is 0. */
#include "capture/perf_data/perf_attrs.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/readers/perf_names.h"

#include <inttypes.h>
#include <stdio.h>

/* PERF_ATTR_SIZE_VER0, and far more than any later one. The most events: as many as a profile can have metrics. */
enum { MIN_ATTR_BYTES = 64, MAX_ATTR_BYTES = 4096, MAX_ATTRS = 65536, MAX_IDS = 1 << 24 };

/* PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE. */
enum { HARDWARE = 0, SOFTWARE = 1 };

/* Bits of the flags after read_format, in the order of their declaration. */
enum { INHERIT = 1, EXCLUDE_USER = 4, EXCLUDE_KERNEL = 5, EXCLUDE_HYPERVISOR = 6, FREQUENCY = 10, SAMPLE_ID_ALL = 18 };

/* A bit field begins at the lowest bit of a little-endian machine's number, and at the highest of a big-endian's. */
static bool flag(uint64_t flags, bool big_endian, unsigned bit)
{
    return flags >> (big_endian ? 63 - bit : bit) & 1;
}

/* The rest of an older struct is zeros. */
static uint64_t optional(struct pr_perf_bytes *bytes, unsigned count)
{
    return pr_perf_left(bytes) < count ? (pr_perf_skip(bytes, pr_perf_left(bytes)), UINT64_C(0))
                                         : pr_perf_number(bytes, count);
}

static struct pr_perf_attr parse(struct pr_perf_bytes *bytes)
{
    struct pr_perf_attr attr = {.type = pr_perf_u32(bytes)};
    pr_perf_skip(bytes, sizeof(uint32_t)); /* its size */
    attr.config = pr_perf_u64(bytes);
    attr.period = pr_perf_u64(bytes);
    attr.sample_type = pr_perf_u64(bytes);
    attr.read_format = pr_perf_u64(bytes);
    const uint64_t flags = pr_perf_u64(bytes);
    attr.inherit = flag(flags, bytes->big_endian, INHERIT);
    attr.no_user = flag(flags, bytes->big_endian, EXCLUDE_USER);
    attr.no_kernel = flag(flags, bytes->big_endian, EXCLUDE_KERNEL);
    attr.no_hypervisor = flag(flags, bytes->big_endian, EXCLUDE_HYPERVISOR);
    attr.by_frequency = flag(flags, bytes->big_endian, FREQUENCY);
    attr.sample_id_all = flag(flags, bytes->big_endian, SAMPLE_ID_ALL);
    pr_perf_skip(bytes, MIN_ATTR_BYTES - 48); /* wakeup, bp_type, config1 */
    optional(bytes, 8);                       /* config2 */
    attr.branch_type = optional(bytes, 8);
    attr.user_registers = optional(bytes, 8);
    return attr;
}

bool pr_perf_attrs_add(struct pr_perf_attrs *attrs, struct pr_perf_bytes *bytes, uint64_t size)
{
    if (size < MIN_ATTR_BYTES || size > MAX_ATTR_BYTES || attrs->count >= MAX_ATTRS)
        return false;
    struct pr_perf_bytes part = pr_perf_take(bytes, size);
    const struct pr_perf_attr attr = parse(&part);
    if (bytes->failed)
        return false;
    if (!pr_grow(&attrs->attr, &attrs->capacity, attrs->count + 1, sizeof *attrs->attr)) {
        attrs->no_memory = true;
        return false;
    }
    attrs->attr[attrs->count++] = attr;
    return true;
}

void pr_perf_attrs_add_ids(struct pr_perf_attrs *attrs, uint32_t attr, struct pr_perf_bytes bytes)
{
    attrs->ids.words = 1;
    while (pr_perf_left(&bytes) >= sizeof(uint64_t) && attrs->ids.count < MAX_IDS && !attrs->no_memory) {
        const uint64_t id = pr_perf_u64(&bytes);
        const uint32_t known = attrs->ids.count;
        uint32_t index = PR_NO_ID;
        if (pr_grow(&attrs->attr_of_id, &attrs->id_capacity, known + (size_t)1, sizeof *attrs->attr_of_id))
            index = pr_idset_add(&attrs->ids, &id, 1);
        attrs->no_memory = index == PR_NO_ID;
        if (index == known)
            attrs->attr_of_id[index] = attr;
    }
}

const struct pr_perf_attr *pr_perf_attrs_find(const struct pr_perf_attrs *attrs, uint64_t id)
{
    if (attrs->count == 1 || (attrs->count && !attrs->ids.count))
        return &attrs->attr[0];
    const uint32_t index = attrs->ids.count ? pr_idset_find(&attrs->ids, &id, 1) : PR_NO_ID;
    return index == PR_NO_ID ? NULL : &attrs->attr[attrs->attr_of_id[index]];
}

bool pr_perf_attr_is_clock(const struct pr_perf_attr *attr)
{
    return attr->type == SOFTWARE && attr->config <= 1;
}

enum pr_unit pr_perf_attr_unit(const struct pr_perf_attr *attr, const char *name)
{
    if (pr_perf_attr_is_clock(attr))
        return PR_UNIT_NANOSECONDS;
    const bool is_cycles = attr->type == HARDWARE && !(uint32_t)attr->config; /* above is the kind of core */
    return is_cycles ? PR_UNIT_CYCLES : pr_perf_unit(pr_text_of(name));
}

/* Source: Linux tools/perf/util/evsel.c, evsel__hw_names, evsel__sw_names and evsel__add_modifiers. */
void pr_perf_attr_name(const struct pr_perf_attr *attr, char *text, size_t size)
{
    static const char *const hardware[] = {"cycles", "instructions", "cache-references", "cache-misses", "branches",
                                           "branch-misses", "bus-cycles", "stalled-cycles-frontend",
                                           "stalled-cycles-backend", "ref-cycles"};
    static const char *const software[] = {"cpu-clock", "task-clock", "page-faults", "context-switches",
                                           "cpu-migrations", "minor-faults", "major-faults", "alignment-faults",
                                           "emulation-faults", "dummy", "bpf-output", "cgroup-switches"};
    const bool partly = attr->no_kernel || attr->no_user || attr->no_hypervisor;
    const char *rest[] = {partly ? ":" : "", partly && !attr->no_kernel ? "k" : "", partly && !attr->no_user ? "u" : "",
                          partly && !attr->no_hypervisor ? "h" : ""};
    if (attr->name && *attr->name)
        snprintf(text, size, "%s", attr->name);
    else if (attr->type == HARDWARE && attr->config < sizeof hardware / sizeof *hardware)
        snprintf(text, size, "%s%s%s%s%s", hardware[attr->config], rest[0], rest[1], rest[2], rest[3]);
    else if (attr->type == SOFTWARE && attr->config < sizeof software / sizeof *software)
        snprintf(text, size, "%s%s%s%s%s", software[attr->config], rest[0], rest[1], rest[2], rest[3]);
    else
        snprintf(text, size, "event-%" PRIu32 "-0x%" PRIx64, attr->type, attr->config);
}

void pr_perf_attrs_clear(struct pr_perf_attrs *attrs)
{
    free(attrs->attr);
    free(attrs->attr_of_id);
    pr_idset_clear(&attrs->ids);
    *attrs = (struct pr_perf_attrs){0};
}
