/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of tracebacks are not frames of the profile: their files show whose code they are. */
#include "render/sections/raise_site.h"

#include "capture/base/text.h"
#include "capture/model/nameless.h"

bool pr_raise_site_frame_is_own(const struct pr_page *page, const struct pr_trace_frame *frame)
{
    if (frame->file >= page->profile->strings.count)
        return false;
    const struct pr_text file = page->paths.local[frame->file]; /* what is shown may lack its folders */
    return file.length && pr_traits_owner_of_file(page->profile, page->options.root, file) == PR_OWNER_MINE;
}

struct pr_text pr_raise_site_function(const struct pr_profile *profile, const struct pr_exception *exception,
                                      const struct pr_trace_frame *frame)
{
    while (frame > exception->frames && frame[-1].file == frame->file && frame[-1].function &&
           pr_nameless_is_comprehension(pr_profile_text(profile, frame->function)))
        frame--;
    return pr_profile_text(profile, frame->function);
}

bool pr_raise_site_is_again(const struct pr_failure *failure, uint32_t which)
{
    const struct pr_exception *exception = &failure->exceptions[which];
    return which && exception->link == PR_LINK_CAUSE && exception[-1].depth == exception->depth &&
           exception[-1].type == exception->type && exception[-1].message == exception->message &&
           exception[-1].frame_count;
}

struct pr_raise_site pr_raise_site_find(const struct pr_page *page, uint32_t which)
{
    const struct pr_failure *failure = &page->profile->run.failure;
    struct pr_raise_site raised = {0};
    if (which >= failure->exception_count)
        return raised;
    while (pr_raise_site_is_again(failure, which))
        which--;
    raised.exception = &failure->exceptions[which];
    for (uint32_t i = raised.exception->frame_count; i-- > 0 && !raised.own;) {
        const struct pr_trace_frame *frame = &raised.exception->frames[i];
        if (pr_raise_site_frame_is_own(page, frame))
            raised.own = frame;
    }
    if (raised.exception->frame_count)
        raised.innermost = &raised.exception->frames[raised.exception->frame_count - 1];
    if (raised.own == raised.innermost)
        raised.own = NULL;
    return raised;
}

/* Signals by which a program ends itself: what it wrote just before is why. */
static bool is_of_its_own(int64_t signal)
{
    return signal == 4 || signal == 6 || signal == 7 || signal == 8 || signal == 11;
}

bool pr_raise_site_explains(const struct pr_profile *profile, const struct pr_exception *exception)
{
    const struct pr_maybe signal = profile->run.failure.signal;
    const struct pr_text type = pr_profile_text(profile, exception->type);
    if (!signal.known || !signal.value)
        return true;
    if (signal.value == 2)
        return pr_text_is(type, "KeyboardInterrupt");
    /* An ordinary exception of Python may have been caught long before; a final message of C++ has no frames. */
    return is_of_its_own(signal.value) && (pr_text_is(type, "Fatal Python error") || !exception->frame_count);
}
