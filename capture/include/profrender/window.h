/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the run: what was held at its highest moment, what was made in it and not freed by its end.
 *
 *     struct pr_window window;
 *     if (pr_window_of_time(profile, from_ms, to_ms, &window)) ...
 *     pr_window_peak(profile, &window, value, count);        // columns by fact, instead of a metric's
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_WINDOW_H
#define PR_API_WINDOW_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

/* Bins `first` to `last`, both included. */
struct pr_window {
    uint32_t first, last;
};

/* All bins. The profile must have some. */
PR_API struct pr_window pr_window_all(const struct pr_profile *profile);

/* The bins that [FROM_MS, TO_MS] (since the epoch) touches: snaps outward. False: none, or the profile has no bins. */
PR_API bool pr_window_of_time(const struct pr_profile *profile, int64_t from_ms, int64_t to_ms,
                              struct pr_window *window);

/* The bin with the highest high-water mark, the last of equal ones. */
PR_API uint32_t pr_window_highest(const struct pr_profile *profile, const struct pr_window *window);

/*
 * Bytes and allocations of every fact at the highest moment of the window, and what was allocated in it and is alive at
 * its end. VALUE and COUNT have profile->fact_count elements, owned by the caller.
 */
PR_API void pr_window_peak(const struct pr_profile *profile, const struct pr_window *window, int64_t *value,
                           int64_t *count);
PR_API void pr_window_leaks(const struct pr_profile *profile, const struct pr_window *window, int64_t *value,
                            int64_t *count);

/*
 * VIEW becomes PROFILE as it was in the window: the same, but "peak" and "leaked" are those of the window, and metrics
 * that are not known for a part of the run are missing. Everything that takes a profile takes a view.
 *
 * Owner:  VIEW borrows from PROFILE, which must outlive it; *COLUMNS, owned by the caller, holds what is new: free(3).
 * Errors: PR_FAILED: out of memory.
 */
PR_API enum pr_status pr_window_view(const struct pr_profile *profile, const struct pr_window *window,
                                     struct pr_profile *view, void **columns, struct pr_error *err);

/*
 * VIEW becomes PROFILE with what ran from FROM_NS to TO_NS after the first slice: the same, but its one metric is
 * METRIC, without counts. The profile must have slices of it.
 *
 * Owner, errors: as of pr_window_view.
 */
PR_API enum pr_status pr_window_view_of_time(const struct pr_profile *profile, int metric, int64_t from_ns,
                                             int64_t to_ns, struct pr_profile *view, void **columns,
                                             struct pr_error *err);

/*
 * VIEW becomes PROFILE with what was allocated from FROM_NS to TO_NS, as the moments count time: the same, but its one
 * metric is that of pr_profile_moment_metric, without counts. The profile must have one.
 *
 * Owner, errors: as of pr_window_view.
 */
PR_API enum pr_status pr_window_view_of_moments(const struct pr_profile *profile, int64_t from_ns, int64_t to_ns,
                                                struct pr_profile *view, void **columns, struct pr_error *err);

PR_DECLS_END

#endif
