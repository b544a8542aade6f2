/* SPDX-License-Identifier: Apache-2.0 */
/* How the metric of asynchronous spans is known: by both of these, for a reader that makes it and for all that ask. */
#ifndef PR_CAPTURE_MODEL_ASYNC_SPANS_H
#define PR_CAPTURE_MODEL_ASYNC_SPANS_H

#define PR_ASYNC_METRIC "async"
#define PR_ASYNC_COUNTED "spans"

#endif
