/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sample holds, and the trailer that other records have where `sample_id_all` is set.
 *
 * Source: Linux include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE and struct sample_id;
 * tools/perf/util/evsel.c, evsel__parse_sample.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_SAMPLE_H
#define PR_CAPTURE_PERF_DATA_PERF_SAMPLE_H

#include "capture/perf_data/perf_attrs.h"

struct pr_perf_sample {
    uint64_t ip, time, id, period;
    uint32_t pid, tid;
    bool has_ip, has_tid, has_time, has_chain;
    struct pr_perf_bytes counts;    /* of events that are read together: a value, an id, for some others lost samples */
    unsigned count_words;           /* how many uint64_t each of them takes; 0 = there are none with ids */
    struct pr_perf_bytes chain;     /* of uint64_t: addresses and markers of where they are, innermost first */
    uint64_t register_abi;          /* of the user registers: 1 = 32 bits, 2 = 64 bits; 0 = none */
    struct pr_perf_bytes registers; /* of uint64_t, those of attr->user_registers from the lowest bit on */
    struct pr_perf_bytes stack;     /* a copy of the user stack, from its pointer on */
    bool is_stack_cut;              /* the copy is as large as it may be: the stack may go on after it */
};

/*
 * The event of the sample or record whose CONTENT is given; NULL: no event has its id. IS_SAMPLE: it is a sample, else
 * its id is in the trailer.
 */
const struct pr_perf_attr *pr_perf_event_of(const struct pr_perf_attrs *attrs, struct pr_perf_bytes content,
                                            bool is_sample);

/* The sample with that CONTENT, by ATTR. False: it is cut, or makes no sense. */
bool pr_perf_sample_parse(const struct pr_perf_attr *attr, struct pr_perf_bytes content, struct pr_perf_sample *sample);

/* The time of a record that is not a sample, from its trailer. False: it has none. */
bool pr_perf_trailer_time(const struct pr_perf_attr *attr, struct pr_perf_bytes content, uint64_t *time);

/* The time of a sample, without parsing all of it. False: it has none. */
bool pr_perf_sample_time(const struct pr_perf_attr *attr, struct pr_perf_bytes content, uint64_t *time);

#endif
