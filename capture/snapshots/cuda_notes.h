/* SPDX-License-Identifier: Apache-2.0 */
/* What a snapshot of PyTorch's memory says in sentences: how full segments are, errors of memory, what is missing. */
#ifndef PR_CAPTURE_SNAPSHOTS_CUDA_NOTES_H
#define PR_CAPTURE_SNAPSHOTS_CUDA_NOTES_H

#include "capture/heap/heap_analysis.h"
#include "capture/snapshots/cuda_snapshot.h"

/* The device had no memory for the allocator; the figures are of that moment. */
struct pr_cuda_oom {
    uint32_t device;
    uint64_t asked, device_free;
    uint64_t reserved, free; /* by the allocator; free of blocks */
    uint64_t largest;        /* of the free parts; 0 = not known, as expandable segments are pieced together */
    int64_t time_us;         /* 0 = not known */
};

enum { PR_CUDA_SHOWN_OOMS = 4 };

struct pr_cuda_facts {
    uint64_t entry_count, before_count, before_bytes;
    bool has_expandable, has_times;
    uint64_t live_bytes[PR_CUDA_MOST_DEVICES], peak_bytes[PR_CUDA_MOST_DEVICES];
    struct pr_cuda_oom ooms[PR_CUDA_SHOWN_OOMS]; /* the first ones */
    uint64_t oom_count;
    struct pr_cuda_oom first_oom[PR_CUDA_MOST_DEVICES]; /* of each device */
    uint64_t oom_times[PR_CUDA_MOST_DEVICES];
};

void pr_cuda_note_oom(struct pr_cuda_facts *facts, const struct pr_cuda_oom *oom);

/* Whether the next one of DEVICE is shown: only then its figures are needed. */
bool pr_cuda_shows_oom(const struct pr_cuda_facts *facts, uint32_t device);

/* Makes profile->device_ooms. PR_FAILED: out of memory. */
enum pr_status pr_cuda_keep_ooms(const struct pr_cuda_facts *facts, struct pr_profile *profile, struct pr_error *err);

/* Notes for people: profile->notes. PR_FAILED: out of memory. */
enum pr_status pr_cuda_add_notes(const struct pr_cuda_facts *facts, const struct pr_cuda_snapshot *s,
                                 struct pr_profile *profile, struct pr_error *err);

/* "device 1, stream 3"; 0 without memory. */
pr_str pr_cuda_thread_name(struct pr_profile *profile, uint32_t device, uint64_t stream);

/* The frame of what was allocated where no entry shows. */
pr_frame_id pr_cuda_before(struct pr_cuda_snapshot *s);

#endif
