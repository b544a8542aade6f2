/* SPDX-License-Identifier: Apache-2.0 */
/* Fields in the kernel's order, each of them only if the event has its bit. */
#include "capture/perf_data/perf_sample.h"

static bool has(const struct pr_perf_attr *attr, uint64_t bit)
{
    return attr->sample_type & bit;
}

/* How many of the fields of BITS the event has. */
static unsigned count_of(const struct pr_perf_attr *attr, uint64_t bits)
{
    return (unsigned)__builtin_popcountll(attr->sample_type & bits);
}

/* The id of a sample or record. Events of one file have it in the same place, as perf itself needs that. */
static uint64_t id_of(const struct pr_perf_attr *attr, struct pr_perf_bytes content, bool is_sample)
{
    const uint64_t before = PR_PERF_SAMPLE_IP | PR_PERF_SAMPLE_TID | PR_PERF_SAMPLE_TIME | PR_PERF_SAMPLE_ADDR;
    const size_t word = sizeof(uint64_t);
    size_t at = 0;
    if (has(attr, PR_PERF_SAMPLE_IDENTIFIER))
        at = is_sample ? 0 : pr_perf_left(&content) - word;
    else if (!has(attr, PR_PERF_SAMPLE_ID))
        return 0;
    else if (is_sample)
        at = count_of(attr, before) * word;
    else
        at = pr_perf_left(&content) -
             word * (1 + count_of(attr, PR_PERF_SAMPLE_STREAM_ID | PR_PERF_SAMPLE_CPU));
    pr_perf_skip(&content, at);
    return pr_perf_u64(&content);
}

const struct pr_perf_attr *pr_perf_event_of(const struct pr_perf_attrs *attrs, struct pr_perf_bytes content,
                                            bool is_sample)
{
    if (!attrs->count)
        return NULL;
    const uint64_t id = attrs->count > 1 ? id_of(&attrs->attr[0], content, is_sample) : 0;
    const struct pr_perf_attr *attr = pr_perf_attrs_find(attrs, id);
    /* Records that perf made up itself have an id of 0. */
    return attr || (is_sample && id) ? attr : &attrs->attr[0];
}

bool pr_perf_trailer_time(const struct pr_perf_attr *attr, struct pr_perf_bytes content, uint64_t *time)
{
    const uint64_t after =
        PR_PERF_SAMPLE_ID | PR_PERF_SAMPLE_STREAM_ID | PR_PERF_SAMPLE_CPU | PR_PERF_SAMPLE_IDENTIFIER;
    const size_t from_end = sizeof(uint64_t) * (1 + count_of(attr, after));
    if (!attr->sample_id_all || !has(attr, PR_PERF_SAMPLE_TIME) || pr_perf_left(&content) < from_end)
        return false;
    pr_perf_skip(&content, pr_perf_left(&content) - from_end);
    *time = pr_perf_u64(&content);
    return true;
}

bool pr_perf_sample_time(const struct pr_perf_attr *attr, struct pr_perf_bytes content, uint64_t *time)
{
    const uint64_t before = PR_PERF_SAMPLE_IDENTIFIER | PR_PERF_SAMPLE_IP | PR_PERF_SAMPLE_TID;
    if (!has(attr, PR_PERF_SAMPLE_TIME))
        return false;
    pr_perf_skip(&content, sizeof(uint64_t) * count_of(attr, before));
    *time = pr_perf_u64(&content);
    return !content.failed;
}

/* ---- the fields ------------------------------------------------------------------------------------------------- */

/* The values of the event, or of its group. Those of a group come after how long it was counted, one alone before. */
static void take_counts(const struct pr_perf_attr *attr, struct pr_perf_bytes *content, struct pr_perf_sample *sample)
{
    const uint64_t format = attr->read_format, word = sizeof(uint64_t);
    const unsigned times = (unsigned)__builtin_popcountll(format & (PR_PERF_READ_ENABLED | PR_PERF_READ_RUNNING));
    const unsigned each = 1 + (unsigned)__builtin_popcountll(format & (PR_PERF_READ_ID | PR_PERF_READ_LOST));
    const bool is_group = format & PR_PERF_READ_GROUP;
    const uint64_t count = is_group ? pr_perf_u64(content) : 1;
    if (!is_group) {
        pr_perf_skip(content, (times + each) * word);
        return;
    }
    pr_perf_skip(content, times * word);
    sample->counts = pr_perf_take(content, count > UINT16_MAX ? UINT64_MAX : count * each * word);
    sample->count_words = format & PR_PERF_READ_ID ? each : 0;
}

/* A count, and that many numbers. */
static struct pr_perf_bytes take_chain(struct pr_perf_bytes *content)
{
    const uint64_t count = pr_perf_u64(content);
    return pr_perf_take(content, count > UINT16_MAX ? UINT64_MAX : count * sizeof(uint64_t));
}

static void skip_raw(struct pr_perf_bytes *content)
{
    pr_perf_skip(content, pr_perf_u32(content));
}

static void skip_branches(const struct pr_perf_attr *attr, struct pr_perf_bytes *content)
{
    const uint64_t count = pr_perf_u64(content), words = attr->branch_type & PR_PERF_BRANCH_COUNTERS ? 4 : 3;
    if (attr->branch_type & PR_PERF_BRANCH_HW_INDEX)
        pr_perf_skip(content, sizeof(uint64_t));
    pr_perf_skip(content, count > UINT16_MAX ? UINT64_MAX : count * words * sizeof(uint64_t));
}

static void take_registers(const struct pr_perf_attr *attr, struct pr_perf_bytes *content,
                           struct pr_perf_sample *sample)
{
    sample->register_abi = pr_perf_u64(content);
    if (sample->register_abi)
        sample->registers =
            pr_perf_take(content, sizeof(uint64_t) * (unsigned)__builtin_popcountll(attr->user_registers));
}

/* The copy is as large as was asked for; how much of it is stack follows. */
static void take_stack(struct pr_perf_bytes *content, struct pr_perf_sample *sample)
{
    const uint64_t size = pr_perf_u64(content);
    if (!size)
        return;
    sample->stack = pr_perf_take(content, size);
    const uint64_t used = pr_perf_u64(content);
    if (used < size && !content->failed)
        sample->stack.end = sample->stack.at + used;
    sample->is_stack_cut = used >= size;
}

static void take_head(const struct pr_perf_attr *attr, struct pr_perf_bytes *content, struct pr_perf_sample *sample)
{
    if (has(attr, PR_PERF_SAMPLE_IDENTIFIER))
        sample->id = pr_perf_u64(content);
    if ((sample->has_ip = has(attr, PR_PERF_SAMPLE_IP)))
        sample->ip = pr_perf_u64(content);
    if ((sample->has_tid = has(attr, PR_PERF_SAMPLE_TID))) {
        sample->pid = pr_perf_u32(content);
        sample->tid = pr_perf_u32(content);
    }
    if ((sample->has_time = has(attr, PR_PERF_SAMPLE_TIME)))
        sample->time = pr_perf_u64(content);
    pr_perf_skip(content, sizeof(uint64_t) * count_of(attr, PR_PERF_SAMPLE_ADDR | PR_PERF_SAMPLE_ID |
                                                                PR_PERF_SAMPLE_STREAM_ID | PR_PERF_SAMPLE_CPU));
    sample->period = attr->by_frequency || !attr->period ? 1 : attr->period;
    if (has(attr, PR_PERF_SAMPLE_PERIOD))
        sample->period = pr_perf_u64(content);
}

bool pr_perf_sample_parse(const struct pr_perf_attr *attr, struct pr_perf_bytes content, struct pr_perf_sample *sample)
{
    *sample = (struct pr_perf_sample){0};
    take_head(attr, &content, sample);
    if (has(attr, PR_PERF_SAMPLE_READ))
        take_counts(attr, &content, sample);
    if ((sample->has_chain = has(attr, PR_PERF_SAMPLE_CALLCHAIN)))
        sample->chain = take_chain(&content);
    if (has(attr, PR_PERF_SAMPLE_RAW))
        skip_raw(&content);
    if (has(attr, PR_PERF_SAMPLE_BRANCH_STACK))
        skip_branches(attr, &content);
    if (has(attr, PR_PERF_SAMPLE_REGS_USER))
        take_registers(attr, &content, sample);
    if (has(attr, PR_PERF_SAMPLE_STACK_USER))
        take_stack(&content, sample);
    return !content.failed;
}
