/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a recording: what was counted, and what its samples consist of.
 *
 * Source: Linux include/uapi/linux/perf_event.h (struct perf_event_attr, PERF_SAMPLE_*, PERF_FORMAT_*).
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_ATTRS_H
#define PR_CAPTURE_PERF_DATA_PERF_ATTRS_H

#include "capture/base/idset.h"
#include "capture/perf_data/perf_bytes.h"

#include "profrender/profile.h"

/* PERF_SAMPLE_*, in the order in which a sample has them, but for IDENTIFIER, which comes first. */
#define PR_PERF_SAMPLE_IP (UINT64_C(1) << 0)
#define PR_PERF_SAMPLE_TID (UINT64_C(1) << 1)
#define PR_PERF_SAMPLE_TIME (UINT64_C(1) << 2)
#define PR_PERF_SAMPLE_ADDR (UINT64_C(1) << 3)
#define PR_PERF_SAMPLE_READ (UINT64_C(1) << 4)
#define PR_PERF_SAMPLE_CALLCHAIN (UINT64_C(1) << 5)
#define PR_PERF_SAMPLE_ID (UINT64_C(1) << 6)
#define PR_PERF_SAMPLE_CPU (UINT64_C(1) << 7)
#define PR_PERF_SAMPLE_PERIOD (UINT64_C(1) << 8)
#define PR_PERF_SAMPLE_STREAM_ID (UINT64_C(1) << 9)
#define PR_PERF_SAMPLE_RAW (UINT64_C(1) << 10)
#define PR_PERF_SAMPLE_BRANCH_STACK (UINT64_C(1) << 11)
#define PR_PERF_SAMPLE_REGS_USER (UINT64_C(1) << 12)
#define PR_PERF_SAMPLE_STACK_USER (UINT64_C(1) << 13)
#define PR_PERF_SAMPLE_IDENTIFIER (UINT64_C(1) << 16)

#define PR_PERF_READ_ENABLED (UINT64_C(1) << 0)
#define PR_PERF_READ_RUNNING (UINT64_C(1) << 1)
#define PR_PERF_READ_ID (UINT64_C(1) << 2)
#define PR_PERF_READ_GROUP (UINT64_C(1) << 3)
#define PR_PERF_READ_LOST (UINT64_C(1) << 4)

#define PR_PERF_BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define PR_PERF_BRANCH_COUNTERS (UINT64_C(1) << 19)

struct pr_perf_attr {
    uint32_t type;
    uint64_t config, period; /* the period of each sample, or how many there are a second: `by_frequency` */
    uint64_t sample_type, read_format, branch_type, user_registers;
    bool inherit, by_frequency, sample_id_all, no_kernel, no_user, no_hypervisor;
    const char *name; /* of EVENT_DESC, borrowed; NULL: pr_perf_attr_name makes one */
};

struct pr_perf_attrs {
    struct pr_perf_attr *attr; /* [count] */
    size_t count, capacity;
    struct pr_idset ids;  /* what samples and other records refer to */
    uint32_t *attr_of_id; /* [ids.count] */
    size_t id_capacity;
    bool no_memory;
};

/*
 * Takes a struct perf_event_attr of SIZE bytes, which BYTES moves past, and adds it. False: it makes no sense, there
 * are too many, or no memory.
 */
bool pr_perf_attrs_add(struct pr_perf_attrs *attrs, struct pr_perf_bytes *bytes, uint64_t size);

/* The ids of event number ATTR: all the rest of BYTES. */
void pr_perf_attrs_add_ids(struct pr_perf_attrs *attrs, uint32_t attr, struct pr_perf_bytes bytes);

/* The event with that id; NULL: unknown. With one event, or without ids, it is the first. */
const struct pr_perf_attr *pr_perf_attrs_find(const struct pr_perf_attrs *attrs, uint64_t id);

/* Of a clock the period is nanoseconds: cpu-clock, task-clock. */
bool pr_perf_attr_is_clock(const struct pr_perf_attr *attr);

/* Of its periods: by what the event is, as `perf record -e cpu-clock/name=mine/` names it freely, else by NAME. */
enum pr_unit pr_perf_attr_unit(const struct pr_perf_attr *attr, const char *name);

/* What perf calls the event, of EVENT_DESC or made of its numbers. */
void pr_perf_attr_name(const struct pr_perf_attr *attr, char *text, size_t size);

void pr_perf_attrs_clear(struct pr_perf_attrs *attrs);

#endif
