/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a profile's allocated memory is called: "heap" where a program's allocator was traced, "device memory" where
 * that of a GPU was, as in PyTorch's snapshots. The one place that decides; sentences, cards and their script ask it.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_HEAP_WORDS_H
#define PR_API_HEAP_WORDS_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

struct pr_heap_words {
    bool of_devices;            /* it is not in the memory of the process */
    const char *name;           /* "heap" */
    const char *title;          /* "Heap" */
    const char *peak;           /* "heap peak", which an amount may precede */
    const char *at_peak;        /* "heap at its peak" */
    const char *title_at_peak;  /* "Heap at its peak" */
    const char *title_of_peak;  /* "Peak heap" */
    const char *when_failed;    /* "Heap when it failed" */
    const char *always_empty;   /* "The heap was always empty." */
    const char *meaning;        /* what TITLE means, without a full stop */
};

/* Static, never NULL. A run with both kinds has a "heap". */
PR_API const struct pr_heap_words *pr_heap_words(const struct pr_profile *profile);

PR_DECLS_END

#endif
