/* SPDX-License-Identifier: Apache-2.0 */
/* A capture with a given number of different call paths, shaped like a real program. */
#ifndef TESTS_SUPPORT_PATHS_H
#define TESTS_SUPPORT_PATHS_H

#include "tests/support/capture_writer.h"

/*
 * COUNT call paths: thousands of functions of the program, of libraries and of the standard library, in four threads;
 * most paths a dozen frames deep, some sixty; many callees here and none there. Each path holds a block of its own to
 * the end, where every other one is freed; memory samples are taken all along. CAPTURE has begun; the same count gives
 * the same records.
 */
void paths_capture(struct capture *capture, uint64_t count);

#endif
