/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that wait for the program that feeds them. */
#include "capture/explain/inquiry.h"

enum { LEAST_PERCENT = 20 };

static void say_device(struct pr_inquiry *inquiry, const struct pr_device *device)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, PR_UNIT_NANOSECONDS, device->starved_ns.value, device->span_ns);
    insight->proof = "info INPUT";
    PR_SAY(inquiry, &insight->headline, "{} waits for the program that feeds it", pr_phrase_text(device->name));
    PR_SAY(inquiry, &insight->rest,
           ": for {}, {} of the time, it had nothing to do and its next work was not launched yet. It was busy for {}. "
           "Larger batches, fewer and larger operators, torch.compile or CUDA graphs launch less.",
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
        inquiry->why = profile->device_count ? "what launched the work of the GPU was not recorded"
                                             : "no work of a GPU was recorded";
    else if (most)
        say_device(inquiry, most);
}
