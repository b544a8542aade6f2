/* SPDX-License-Identifier: Apache-2.0 */
/* Where an exception was raised, as people look for it: which frame did it, and which of their own lines led there. */
#ifndef PR_RENDER_SECTIONS_RAISE_SITE_H
#define PR_RENDER_SECTIONS_RAISE_SITE_H

#include "render/page/page.h"

struct pr_raise_site {
    const struct pr_exception *exception;   /* whose frames these are; NULL: there was none */
    const struct pr_trace_frame *innermost; /* NULL: no frame is known */
    const struct pr_trace_frame *own;       /* the user's own one nearest to it; NULL: none, or it is the innermost */
};

/*
 * Where exception number WHICH of the failure was raised. One that came from another process was raised there: its
 * cause has the same kind and message, with the frames of that process. All is borrowed from the page.
 */
struct pr_raise_site pr_raise_site_find(const struct pr_page *page, uint32_t which);

/* Whether exception number WHICH repeats the one that caused it. */
bool pr_raise_site_is_again(const struct pr_failure *failure, uint32_t which);

/* True if the exception explains why the run ended. After a signal from outside it is only what was said before. */
bool pr_raise_site_explains(const struct pr_profile *profile, const struct pr_exception *exception);

/* The function of one of EXCEPTION's frames; a comprehension counts for the one of the same file around it. */
struct pr_text pr_raise_site_function(const struct pr_profile *profile, const struct pr_exception *exception,
                                      const struct pr_trace_frame *frame);

/* Whether a frame is of the user's own code. */
bool pr_raise_site_frame_is_own(const struct pr_page *page, const struct pr_trace_frame *frame);

#endif
