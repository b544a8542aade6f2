/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes to memray captures that keep most records readable, for fuzzing: blind ones seldom get past the first record
 * that they hit.
 */
#ifndef TESTS_SUPPORT_CAPTURE_MUTATOR_H
#define TESTS_SUPPORT_CAPTURE_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* A mutator of plain bytes that ignores records: libFuzzer's. Returns the new length, at most MAX. */
typedef size_t mutate_bytes(uint8_t *bytes, size_t length, size_t max);

/* Changes the capture in BYTES, which have room for MAX. An LZ4 frame is unpacked first. Returns the new length. */
size_t mutate_capture(uint8_t *bytes, size_t length, size_t max, unsigned seed, mutate_bytes *blind);

/* The head and some records of A followed by some records of B, into OUT; 0 if they do not have the same form. */
size_t cross_captures(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length, uint8_t *out, size_t max,
                      unsigned seed);

#endif
