/* SPDX-License-Identifier: Apache-2.0 */
/* A recording of perf while it is read; what the parts of its reader share. */
#ifndef PR_CAPTURE_PERF_DATA_PERF_DATA_H
#define PR_CAPTURE_PERF_DATA_PERF_DATA_H

#include "capture/perf_data/perf_attrs.h"
#include "capture/perf_data/perf_callers.h"
#include "capture/perf_data/perf_maps.h"
#include "capture/perf_data/perf_queue.h"
#include "capture/perf_data/perf_stacks.h"

#include <zstd.h>

/* What the recording says of itself, for notes. */
struct pr_perf_facts {
    uint64_t samples, lost, throttled, traces; /* `traces`: bytes of hardware traces, which are not read */
    uint64_t guests;        /* frames of virtual machines */
    pr_str version, host;   /* of perf; the machine */
    bool is_simpleperf;
};

struct pr_perf {
    struct pr_profile_builder c;
    bool big_endian;
    bool has_marks, in_round; /* rounds of records end with a mark; samples came since the last one */
    struct pr_perf_attrs attrs;
    struct pr_perf_processes processes;
    struct pr_perf_places places;
    struct pr_perf_callers callers;
    struct pr_perf_stacks stacks;
    struct pr_perf_queue queue;
    struct pr_perf_facts facts;
    struct pr_idset tids; /* of threads with names */
    pr_str *comm;         /* [tids.count] */
    size_t comm_capacity;
    struct pr_idset build_id_paths; /* of the section of build ids */
    pr_str *build_id;               /* [build_id_paths.count] */
    size_t build_id_capacity;
    struct pr_idset counted; /* (event's id, thread): what a group counted up to its last sample */
    uint64_t *last_count;    /* [counted.count] */
    size_t last_count_capacity;
    ZSTD_DCtx *zstd;        /* one stream for all compressed records */
    struct pr_buf unpacked; /* what they gave and was not taken yet */
};

enum {
    PR_PERF_HEAD = 8 /* bytes of a record's head: type, misc, size */,
    PR_PERF_RECORD_SAMPLE = 9 /* its type */
};

static inline struct pr_perf_bytes pr_perf_bytes_of(const struct pr_perf *r, const uint8_t *at, size_t length)
{
    return (struct pr_perf_bytes){.at = at, .end = at + length, .big_endian = r->big_endian};
}

#endif
