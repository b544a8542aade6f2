/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes to digests that keep their checksums right, for fuzzing: blind ones are all refused at once.
 */
#ifndef TESTS_SUPPORT_DIGEST_MUTATOR_H
#define TESTS_SUPPORT_DIGEST_MUTATOR_H

#include "tests/support/capture_mutator.h"

#include <stdbool.h>

bool is_digest(const uint8_t *bytes, size_t length);

/*
 * Changes the digest in BYTES, which have room for MAX: its columns are unpacked, a value, a column or an entry is
 * changed, and the checksums are renewed. Returns the new length.
 */
size_t mutate_digest(uint8_t *bytes, size_t length, size_t max, unsigned seed, mutate_bytes *blind);

#endif
