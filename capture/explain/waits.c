/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/explain/waits.h"

#include "capture/base/ascii.h"
#include "capture/base/text.h"

#include <string.h>

bool pr_counts_waits(const struct pr_metric *metric)
{
    enum { CPU = 3 };
    const size_t length = strlen(metric->title); /* "cpu" is the name of any first metric of samples */
    for (size_t i = 0; i + CPU <= length; i++)
        if (pr_ascii_same(metric->title + i, "cpu", CPU))
            return false;
    return metric->unit == PR_UNIT_NANOSECONDS;
}

/* What is between BEFORE and the next of a quote, a space or an angle; TEXT itself if it does not start with BEFORE. */
static struct pr_text inside(struct pr_text text, const char *before)
{
    const uint32_t length = (uint32_t)strlen(before);
    if (!pr_text_starts(text, before))
        return text;
    text = pr_text_from(text, length);
    for (uint32_t i = 0; i < text.length; i++)
        if (memchr("' >", text.bytes[i], 3))
            return (struct pr_text){text.bytes, i};
    return text;
}

/*
 * The name without its class, module or namespace: "lock.acquire" is "acquire", and so is cProfile's "<method 'acquire'
 * of '_thread.lock' objects>".
 */
static struct pr_text last_part(struct pr_text name)
{
    name = inside(inside(name, "<method '"), "<built-in method ");
    for (uint32_t i = name.length; i > 0; i--)
        if (memchr(".:#", name.bytes[i - 1], 3))
            return pr_text_from(name, i);
    return name;
}

bool pr_is_wait(const struct pr_inquiry *inquiry, pr_frame_id frame)
{
    static const char *const waits[] = {"acquire",
                                        "_wait_for_tstate_lock",
                                        "wait",
                                        "sleep",
                                        "nanosleep",
                                        "clock_nanosleep",
                                        "usleep",
                                        "select",
                                        "poll",
                                        "ppoll",
                                        "epoll_wait",
                                        "epoll_pwait",
                                        "kevent",
                                        "pthread_cond_wait",
                                        "pthread_cond_timedwait",
                                        "pthread_join",
                                        "sem_wait",
                                        "do_futex_wait",
                                        "futex_wait",
                                        "futex",
                                        "futex_abstimed_wait",
                                        "__futex_abstimed_wait_common",
                                        "waitpid",
                                        "wait4",
                                        "accept",
                                        "cudaDeviceSynchronize",
                                        "cudaStreamSynchronize",
                                        "cudaEventSynchronize",
                                        "cuCtxSynchronize",
                                        "cuStreamSynchronize",
                                        "cuEventSynchronize",
                                        "hipDeviceSynchronize",
                                        "hipStreamSynchronize",
                                        "hipEventSynchronize",
                                        "gopark",
                                        "notesleep",
                                        "notetsleepg",
                                        "park",
                                        "parkNanos"};
    const struct pr_text name = last_part(pr_profile_text(inquiry->profile, inquiry->profile->frames[frame].function));
    if (inquiry->code.is_own[frame])
        return false;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (pr_text_is(name, waits[i]))
            return true;
    return false;
}

static bool counts_wait(const struct pr_inquiry *inquiry, pr_frame_id frame, const void *context)
{
    (void)context;
    return pr_is_wait(inquiry, frame);
}

int64_t pr_waits_below(struct pr_inquiry *inquiry, const struct pr_metric *metric, const struct pr_holder *holder)
{
    return pr_counts_waits(metric) ? pr_inquiry_sum_below(inquiry, metric, holder, counts_wait, NULL) : 0;
}
