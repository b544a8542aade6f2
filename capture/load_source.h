/* SPDX-License-Identifier: Apache-2.0 */
/* One stream becomes one profile: the content chooses the reader. load.c knows what a path or a folder is. */
#ifndef PR_CAPTURE_LOAD_SOURCE_H
#define PR_CAPTURE_LOAD_SOURCE_H

#include "profrender/load.h"
#include "capture/input/source.h"

/*
 * pr_load of SRC alone, which it takes over and closes; for callers that opened a source themselves. An archive in it
 * is not a run.
 */
enum pr_status pr_load_source(const char *name, struct pr_source *src, const struct pr_load_options *options,
                              struct pr_profile **profile, struct pr_error *err);

#endif
