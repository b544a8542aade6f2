/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test program itself as a file of native code: its path, which parts are loaded where, and an address in it.
 */
#ifndef TESTS_SUPPORT_SELF_CODE_H
#define TESTS_SUPPORT_SELF_CODE_H

#include "tests/support/capture_writer.h"

enum { SELF_SEGMENTS = 16 };

struct self_code {
    char path[4096];
    uint64_t bias;
    struct capture_segment segments[SELF_SEGMENTS];
    size_t count;
    uint64_t code_start, code_offset, code_size; /* the mapping of what is executable, and where it is in the file */
    /* After a call in self_inlined, which was inlined into self_outer: what a capture has for a frame. */
    uint64_t return_address;
    int32_t inlined_line, outer_line; /* of that call, and of the call that was inlined */
};

struct self_code self_code(void);

#endif
