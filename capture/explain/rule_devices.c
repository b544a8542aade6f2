/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that wait for the program that feeds them, and devices without memory. */
#include "capture/base/checked.h"
#include "capture/explain/inquiry.h"
#include "capture/model/gpu_use.h"

#include <string.h>

enum { LEAST_PERCENT = 20 };

/* Samples of a GPU prove that there is one, not what it did. */
static const char *why_no_gpu(const struct pr_profile *profile)
{
    uint32_t at = 0;
    return pr_gpu_use_next(profile, &at, &(struct pr_gpu_use){0})
               ? "the GPU was only sampled; what it did was not recorded"
               : "no GPU work was recorded";
}

static void say_device(struct pr_inquiry *inquiry, const struct pr_device *device)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, PR_UNIT_NANOSECONDS, device->starved_ns.value, device->span_ns);
    insight->proof = "info INPUT";
    PR_SAY(inquiry, &insight->headline, "{} waits for the program that feeds it", pr_phrase_text(device->name));
    PR_SAY(inquiry, &insight->rest,
           ": for {}, {} of the time, it was idle and its next work had not been launched yet. It was busy for {}. "
           "Larger batches, fewer and larger operators, torch.compile or CUDA graphs reduce the number of launches.",
           pr_phrase_value(PR_UNIT_NANOSECONDS, device->starved_ns.value, ""),
           pr_phrase_part(PR_UNIT_NANOSECONDS, device->starved_ns.value, device->span_ns),
           pr_phrase_part(PR_UNIT_NANOSECONDS, device->busy_ns, device->span_ns));
}

/* "GPU 0 waits for the program that feeds it: for 6.20 ms, 50.4 % of the time, ...". The one that waits longest. */
void pr_rule_gpu_waits(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    const struct pr_device *most = NULL;
    bool known = false;
    for (uint32_t i = 0; i < profile->device_count; i++) {
        const struct pr_device *device = &profile->devices[i];
        known |= device->starved_ns.known;
        if (device->starved_ns.known && pr_is_share(device->starved_ns.value, device->span_ns, LEAST_PERCENT) &&
            (!most || device->starved_ns.value > most->starved_ns.value))
            most = device;
    }
    if (!known)
        inquiry->why =
            profile->device_count ? "what launched the GPU's work was not recorded" : why_no_gpu(profile);
    else if (most)
        say_device(inquiry, most);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Why it did not fit, as far as the figures prove it. */
static void say_why(struct pr_inquiry *inquiry, struct pr_sentence *sentence, const struct pr_device_oom *oom)
{
    enum { GRANULE_BYTES = 64 << 20 }; /* more than a driver rounds up to */
    if (oom->asked_bytes > pr_add_saturated(oom->reserved_bytes, oom->device_free_bytes))
        PR_SAY_TEXT(inquiry, sentence,
                    " The request exceeds both together: freeing all its own memory would not have helped.");
    else if (oom->largest_bytes.known && oom->free_bytes >= oom->asked_bytes)
        PR_SAY_TEXT(inquiry, sentence,
                    " Together the free parts are large enough, but no single one is: fragmentation. "
                    "expandable_segments:True in PYTORCH_CUDA_ALLOC_CONF lets the allocator join them.");
    if (pr_add_saturated(oom->asked_bytes, GRANULE_BYTES) <= oom->device_free_bytes)
        PR_SAY_TEXT(inquiry, sentence,
                    " The device had room for it, so a limit of the process stopped it, such as that of "
                    "torch.cuda.set_per_process_memory_fraction.");
}

static void say_oom(struct pr_inquiry *inquiry, const struct pr_device_oom *oom)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    insight->severity = PR_SEVERITY_HIGH;
    insight->score = 2 * 100000; /* twice all of the peak */
    insight->proof = "info INPUT";
    PR_SAY(inquiry, &insight->headline, "Allocating {} on {} failed",
           pr_phrase_value(PR_UNIT_BYTES, oom->asked_bytes, ""), pr_phrase_text(oom->name));
    if (oom->at_ms.known)
        PR_SAY(inquiry, &insight->rest, " at {}", pr_phrase_moment(oom->at_ms.value));
    PR_SAY(inquiry, &insight->rest, ": the program had reserved {}, of which {} was free",
           pr_phrase_value(PR_UNIT_BYTES, oom->reserved_bytes, ""),
           pr_phrase_value(PR_UNIT_BYTES, oom->free_bytes, ""));
    if (oom->largest_bytes.known)
        PR_SAY(inquiry, &insight->rest, " in parts of at most {}",
               pr_phrase_value(PR_UNIT_BYTES, oom->largest_bytes.value, ""));
    PR_SAY(inquiry, &insight->rest, ", and {} of the device was free.",
           pr_phrase_value(PR_UNIT_BYTES, oom->device_free_bytes, ""));
    say_why(inquiry, &insight->rest, oom);
    if (oom->times > 1)
        PR_SAY(inquiry, &insight->rest, " This happened {}.",
               pr_phrase_count(pr_signed_saturated(oom->times), "times"));
}

static bool is_snapshot(const char *format)
{
    return !strcmp(format, "torch-memory");
}

/* Whether the profile, or one of the files it is made of, has what a device had allocated. */
static bool has_snapshot(const struct pr_profile *profile)
{
    bool has = is_snapshot(profile->meta.format);
    for (uint32_t i = 0; i < profile->part_count; i++)
        has |= is_snapshot(profile->parts[i].format);
    return has;
}

/* "Allocating 2.00 GiB on device 0 failed at 5.87 s: the program had reserved ...". Each device once. */
void pr_rule_device_memory(struct pr_inquiry *inquiry)
{
    const struct pr_profile *profile = inquiry->profile;
    if (!profile->device_oom_count && !has_snapshot(profile))
        inquiry->why = profile->device_count ? "GPU allocations were not recorded" : why_no_gpu(profile);
    for (uint32_t i = 0; i < profile->device_oom_count; i++)
        say_oom(inquiry, &profile->device_ooms[i]);
}
