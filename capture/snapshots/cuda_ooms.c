/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of the moments at which a device had no memory: the first of each device, and how often. */
#include "capture/snapshots/cuda_notes.h"

#include "capture/base/checked.h"
#include "profrender/buf.h"

#include <inttypes.h>

bool pr_cuda_shows_oom(const struct pr_cuda_facts *facts, uint32_t device)
{
    return facts->oom_count < PR_CUDA_SHOWN_OOMS || !facts->oom_times[device];
}

void pr_cuda_note_oom(struct pr_cuda_facts *facts, const struct pr_cuda_oom *oom)
{
    if (facts->oom_count < PR_CUDA_SHOWN_OOMS)
        facts->ooms[facts->oom_count] = *oom;
    if (!facts->oom_times[oom->device]++)
        facts->first_oom[oom->device] = *oom;
    facts->oom_count++;
}

static const char *device_name(struct pr_profile *profile, uint32_t device)
{
    struct pr_buf name = {0};
    pr_buf_printf(&name, "device %" PRIu32, device);
    const char *copy = name.failed ? NULL : pr_arena_copy(&profile->arena, name.bytes, name.length);
    pr_buf_clear(&name);
    return copy;
}

enum pr_status pr_cuda_keep_ooms(const struct pr_cuda_facts *facts, struct pr_profile *profile, struct pr_error *err)
{
    enum { US_PER_MS = 1000 };
    struct pr_device_oom *ooms = pr_arena_array(&profile->arena, PR_CUDA_MOST_DEVICES, sizeof *ooms);
    if (!ooms)
        return pr_fail_memory(err);
    for (uint32_t i = 0; i < PR_CUDA_MOST_DEVICES; i++) {
        const struct pr_cuda_oom *oom = &facts->first_oom[i];
        if (!facts->oom_times[i])
            continue;
        struct pr_device_oom *kept = &ooms[profile->device_oom_count];
        *kept = (struct pr_device_oom){.name = device_name(profile, i),
                                       .at_ms = {oom->time_us > 0, oom->time_us / US_PER_MS},
                                       .times = facts->oom_times[i],
                                       .asked_bytes = pr_signed_saturated(oom->asked),
                                       .device_free_bytes = pr_signed_saturated(oom->device_free),
                                       .reserved_bytes = pr_signed_saturated(oom->reserved),
                                       .free_bytes = pr_signed_saturated(oom->free),
                                       .largest_bytes = {oom->largest != 0, pr_signed_saturated(oom->largest)}};
        if (!kept->name)
            return pr_fail_memory(err);
        profile->device_oom_count++;
    }
    profile->device_ooms = ooms;
    return PR_OK;
}
