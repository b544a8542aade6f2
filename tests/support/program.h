/* SPDX-License-Identifier: Apache-2.0 */
/* A capture with a given number of allocations, shaped like that of a busy program. */
#ifndef TESTS_SUPPORT_PROGRAM_H
#define TESTS_SUPPORT_PROGRAM_H

#include "tests/support/capture_writer.h"

/*
 * COUNT allocations and as many frees: four threads in turns, each of them deep in one of thousands of stacks. A call
 * allocates some hundred blocks; a quarter of them die at once, most of the others take the place of an older block,
 * and a few stay. Addresses are those of a simple allocator, which gives out again first what was freed last.
 *
 * CAPTURE has begun; the same count gives the same records.
 */
void program_capture(struct capture *capture, uint64_t count);

#endif
