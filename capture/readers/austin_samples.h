/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of Austin, which its text and its binary form (MOJO) have in common: what the modes measure, and when.
 *
 * A sample holds the time since the previous one of its thread, in microseconds, or bytes of memory, or (full mode)
 * both and whether the thread was idle. Modes `wall` and `cpu` are one metric of that name; `memory` is bytes, which
 * may be below 0; full mode has the three: `wall`, `cpu` (what was not idle) and `memory`.
 */
#ifndef PR_CAPTURE_READERS_AUSTIN_SAMPLES_H
#define PR_CAPTURE_READERS_AUSTIN_SAMPLES_H

#include "capture/builder/profile_builder.h"

struct pr_austin_sample {
    uint64_t pid, tid;
    pr_node_id leaf; /* PR_ROOT: the thread had no frames */
    int64_t time_us, memory_bytes;
    bool has_time, has_memory, idle;
};

struct pr_austin {
    struct pr_profile_builder c;
    pr_str mode;           /* of the header, 0 = unknown */
    int64_t latest_ns;     /* end of the last sample of any thread */
    int64_t *thread_ns;    /* end of the last sample of each; NOT_SEEN */
    size_t thread_capacity;
    uint64_t sample_count;
};

/* A line of metadata, such as "mode" and "wall". */
void pr_austin_metadata(struct pr_austin *austin, struct pr_text key, struct pr_text value);

void pr_austin_add(struct pr_austin *austin, const struct pr_austin_sample *sample);

/* The child of PARENT for a frame; the special functions `:INVALID:` and `:GC:` have no file. */
pr_node_id pr_austin_child(struct pr_austin *austin, pr_node_id parent, pr_str function, pr_str file, int64_t line);

/* Frees what the collector does not own. */
void pr_austin_clear(struct pr_austin *austin);

#endif
