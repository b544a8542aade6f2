/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as Arrow, a stream or a file: what holds for every table holds for them. */
#define FUZZED_FORMAT "arrow"
#include "fuzz_frame.c"
