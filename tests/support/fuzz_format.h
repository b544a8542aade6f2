/* SPDX-License-Identifier: Apache-2.0 */
/* What every fuzz target of a reader does with its bytes. */
#ifndef TESTS_SUPPORT_FUZZ_FORMAT_H
#define TESTS_SUPPORT_FUZZ_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads BYTES with the reader called FORMAT: they are refused or become a profile that keeps its rules, the same one
 * whenever they are read. Aborts where that does not hold. Returns 0, as libFuzzer wants it.
 */
int fuzz_format(const char *format, const uint8_t *bytes, size_t length);

/* The same with pr_load_options.tag_root. */
int fuzz_format_by_label(const char *format, const char *tag_root, const uint8_t *bytes, size_t length);

#endif
