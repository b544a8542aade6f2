/* SPDX-License-Identifier: Apache-2.0 */
/*
 * V8's CPU profiles within a trace, as Chrome's DevTools record them: a Profile event names the thread, ProfileChunk
 * events of the same process and id have nodes and samples.
 *
 *     struct pr_trace_v8 v8;
 *     pr_trace_v8_begin(&v8, &c, &json);
 *     pr_trace_v8_read(&v8);                          // after the key "data" of an event's args, whatever it is
 *     pr_trace_v8_take_chunk(&v8, pid, id, thread);   // it was that of a ProfileChunk; of others:
 *     pr_trace_v8_forget(&v8);
 *     pr_trace_v8_finish(&v8);                        // adds all samples to the metric "js"
 *     pr_trace_v8_end(&v8);
 *
 * A sample lasts until the next one of its profile; the last one, and (idle), count for nothing, as in .cpuprofile.
 * Times are those of the trace, from the `startTime` of the Profile event on; a profile without it has none.
 *
 * Source: Chrome 148, --trace-startup=disabled-by-default-v8.cpu_profiler; speedscope 1.25.0 src/import/chrome.ts.
 */
#ifndef PR_CAPTURE_READERS_TRACE_V8_H
#define PR_CAPTURE_READERS_TRACE_V8_H

#include "capture/builder/profile_builder.h"
#include "capture/readers/v8_nodes.h"

enum { PR_V8_LAYER = 3 /* of the slices of time */ };

struct pr_trace_v8 {
    struct pr_profile_builder *c;
    struct pr_v8_nodes nodes; /* those of all chunks; only their list is used */
    struct pr_trace_v8_sample {
        uint64_t node;    /* its id; after all was read, the number of the place */
        int64_t at_us;    /* since the sample before; then since the profile's first */
        uint32_t profile;
    } *samples;
    size_t sample_count, sample_capacity;
    struct pr_trace_v8_chunk {
        uint32_t profile;
        size_t first_node, first_sample; /* until those of the next chunk */
    } *chunks;
    size_t chunk_count, chunk_capacity;
    struct pr_idset ids; /* process and id of each profile */
    struct pr_trace_v8_profile {
        uint32_t thread;
        struct pr_maybe start_us; /* by the clock of the trace */
    } *profiles; /* [ids.count] */
    size_t profile_capacity;
    struct pr_maybe pending_start_us;
    size_t node_count, taken_count;   /* of the chunks that were taken: nodes, samples */
    size_t pending_ids, pending_deltas; /* of the event at hand */
    uint64_t timeless; /* samples of profiles without a start */
    int64_t idle_ns;
};

void pr_trace_v8_begin(struct pr_trace_v8 *v8, struct pr_profile_builder *c, struct pr_json_stream *json);

/* After a key: takes the value, with what it has of a profile. */
void pr_trace_v8_read(struct pr_trace_v8 *v8);

/* Whether the profile is known, by a Profile event or a chunk. */
bool pr_trace_v8_knows(const struct pr_trace_v8 *v8, uint64_t pid, uint64_t id);

/* What was read is that of a Profile event on THREAD; of a ProfileChunk, where THREAD counts if its profile is new. */
void pr_trace_v8_take_profile(struct pr_trace_v8 *v8, uint64_t pid, uint64_t id, uint32_t thread);
void pr_trace_v8_take_chunk(struct pr_trace_v8 *v8, uint64_t pid, uint64_t id, uint32_t thread);

/* What was read is of neither. */
void pr_trace_v8_forget(struct pr_trace_v8 *v8);

/* Adds the samples; after the trace was read. */
void pr_trace_v8_finish(struct pr_trace_v8 *v8);

void pr_trace_v8_end(struct pr_trace_v8 *v8);

#endif
