/* SPDX-License-Identifier: Apache-2.0 */
/* What samples of a GPU prove: how long it stood still, and how full its memory was. Other programs may use it too. */
#include "capture/explain/inquiry.h"
#include "capture/model/gpu_use.h"

static const char no_samples[] = "no GPU was sampled";

/* "GPU 0 was idle for 7.26 s, 58.3 % of the time. Meanwhile the run kept 0.9 cores busy." */
static void say_idle(struct pr_inquiry *inquiry, const struct pr_gpu_use *gpu)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, PR_UNIT_NANOSECONDS, gpu->idle_ns, gpu->span_ns);
    insight->saving.known = false; /* what the program did meanwhile may be needed */
    insight->severity = PR_SEVERITY_NOTE;
    insight->score /= 2;
    insight->proof = "export INPUT --view series";
    PR_SAY(inquiry, &insight->headline, "{} was idle for {}", pr_phrase_text(gpu->name),
           pr_phrase_value(PR_UNIT_NANOSECONDS, gpu->idle_ns, "samples in which no kernel ran"));
    PR_SAY(inquiry, &insight->rest, ", {} of the time.",
           pr_phrase_part(PR_UNIT_NANOSECONDS, gpu->idle_ns, gpu->span_ns));
    if (gpu->cores_while_idle.known)
        PR_SAY(inquiry, &insight->rest, " Meanwhile the run kept {} busy on average.",
               pr_phrase_value(PR_UNIT_CORES, gpu->cores_while_idle.value, "mean of the CPU samples of that time"));
}

/* One that never worked may be meant for others. */
void pr_rule_gpu_idle(struct pr_inquiry *inquiry)
{
    enum { LEAST_PERCENT = 50 };
    const int64_t least_ns = INT64_C(5000000000);
    struct pr_gpu_use gpu, most = {.idle_ns = 0};
    bool is_known = false;
    for (uint32_t at = 0; pr_gpu_use_next(inquiry->profile, &at, &gpu);) {
        is_known |= gpu.load != NULL;
        if (gpu.busy_ns > 0 && gpu.idle_ns >= least_ns && gpu.idle_ns > most.idle_ns &&
            pr_is_share(gpu.idle_ns, gpu.span_ns, LEAST_PERCENT))
            most = gpu;
    }
    if (!is_known)
        inquiry->why = no_samples;
    else if (most.load)
        say_idle(inquiry, &most);
}

/* "GPU 0 memory is 93.6 % full at its highest: 131 GiB of 140 GiB at 5.00 s." */
static void say_memory(struct pr_inquiry *inquiry, const struct pr_gpu_use *gpu, int64_t size_bytes)
{
    struct pr_insight *insight = pr_insight_add(inquiry);
    if (!insight)
        return;
    pr_insight_saves(insight, PR_UNIT_BYTES, gpu->peak_bytes, size_bytes);
    insight->saving.known = false;
    insight->severity = PR_SEVERITY_HIGH;
    insight->proof = "info INPUT";
    PR_SAY(inquiry, &insight->headline, "{} was {} full", pr_phrase_text(gpu->memory->title),
           pr_phrase_part(PR_UNIT_BYTES, gpu->peak_bytes, size_bytes));
    PR_SAY(inquiry, &insight->rest, " at its highest: {} of {} at {}, with all programs that used it.",
           pr_phrase_value(PR_UNIT_BYTES, gpu->peak_bytes, "highest sample"),
           pr_phrase_value(PR_UNIT_BYTES, size_bytes, ""), pr_phrase_moment(gpu->peak_at_ms));
}

void pr_rule_gpu_memory(struct pr_inquiry *inquiry)
{
    enum { LEAST_PERCENT = 90 };
    const struct pr_maybe size = inquiry->profile->run.gpu_memory_bytes;
    struct pr_gpu_use gpu, most = {.peak_bytes = 0};
    bool is_known = false;
    for (uint32_t at = 0; pr_gpu_use_next(inquiry->profile, &at, &gpu);) {
        is_known |= gpu.memory != NULL;
        most = gpu.peak_bytes > most.peak_bytes ? gpu : most;
    }
    if (!is_known || !size.known)
        inquiry->why = is_known ? "how much memory the GPU has was not recorded" : no_samples;
    else if (pr_is_share(most.peak_bytes, size.value, LEAST_PERCENT))
        say_memory(inquiry, &most, size.value);
}
