/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arenas of pymalloc among the allocations of a capture.
 *
 * CPython puts objects of up to 512 bytes into arenas, which it takes from the system whole. Unless memray traces
 * Python's own allocators, a capture has these arenas and not the objects: one falls into whichever function needed
 * room when the last one was full, and stays as long as one object in it lives. How many there are, and where, differs
 * from run to run of the same program. So they are a kind of memory of their own, not what a function allocated, and
 * not a leak.
 *
 * Source: CPython, Objects/obmalloc.c (ARENA_BITS: 256 KiB to 3.9, 1 MiB since 3.10 on machines of 64 bits) and
 * Python/pystate.c (since 3.11 stacks of Python frames grow by chunks of 16 KiB from the same allocator).
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_PYMALLOC_H
#define PR_API_PYMALLOC_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

/* A number of arenas, and their size in all. */
struct pr_pymalloc {
    int64_t count, bytes;
};

/* Whether captures of PROFILE's kind have arenas: the objects in them were not traced. */
PR_API bool pr_pymalloc_has_arenas(const struct pr_profile *profile);

/*
 * The arenas in the value of METRIC, an index, for FACT: its memory mappings of exactly their size, apart from chunks
 * of the frame stack. Where the version of Python is not known, both sizes are arenas. A fact with mappings of other
 * sizes has none: what is not known to be an arena is not called one.
 */
PR_API struct pr_pymalloc pr_pymalloc_of_fact(const struct pr_profile *profile, uint32_t metric, size_t fact);

/* Those of all facts. */
PR_API struct pr_pymalloc pr_pymalloc_of(const struct pr_profile *profile, uint32_t metric);

PR_DECLS_END

#endif
