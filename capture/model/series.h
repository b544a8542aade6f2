/* SPDX-License-Identifier: Apache-2.0 */
/* What applies to all time series of a run. */
#ifndef PR_CAPTURE_MODEL_SERIES_H
#define PR_CAPTURE_MODEL_SERIES_H

#include "profrender/profile.h"

/* Sorts into the order of lanes: CPU, memory, ... False: out of memory. */
bool pr_series_sort(struct pr_series *series, size_t count);

#endif
