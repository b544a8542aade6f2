/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers that a seed repeats, and random captures: one seed gives the same run in every header version.
 */
#ifndef TESTS_SUPPORT_RANDOM_CAPTURE_H
#define TESTS_SUPPORT_RANDOM_CAPTURE_H

#include "tests/support/capture_writer.h"

/* splitmix64; its state is any number. */
uint64_t random_next(uint64_t *state);

/* 0 to BOUND - 1. */
uint32_t random_below(uint64_t *state, uint32_t bound);

/*
 * Writes RECORDS records of every kind that the capture can have, but no end: threads, pushes and pops, allocations
 * and frees that meet and miss, mappings that are cut, samples. Allocators are those that all versions have; addresses
 * are few, so that they are used again, and multiples of 8.
 */
void story_tell(struct capture *capture, uint64_t seed, unsigned records);

/* A whole small capture of VERSION. */
void story_capture(struct capture *capture, const struct capture_head *head, uint64_t seed, unsigned records);

#endif
