/* SPDX-License-Identifier: Apache-2.0 */
/* What the text of `perf script` and perf.data have in common: units of events, names of Python's functions. */
#ifndef PR_CAPTURE_READERS_PERF_NAMES_H
#define PR_CAPTURE_READERS_PERF_NAMES_H

#include "capture/builder/profile_builder.h"

/* A function that CPython 3.12 and later lists for perf, `py::name:file`. False: SYMBOL is not one. */
bool pr_perf_python(struct pr_profile_builder *c, struct pr_text symbol, struct pr_place *place);

/* Of a clock the period is nanoseconds. */
bool pr_perf_is_clock(struct pr_text event);

/*
 * What an event measures, in its own words: without how exactly the processor is to note the place, which `perf record`
 * adds by itself ("cycles:P", "cpu-clock:ppp"). Of user space only stays: "cycles:u".
 */
struct pr_text pr_perf_title(struct pr_text event);

/* The unit of the event's periods. */
enum pr_unit pr_perf_unit(struct pr_text event);

#endif
