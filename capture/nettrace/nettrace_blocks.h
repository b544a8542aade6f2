/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as the blocks that it consists of, one at a time. Versions 4 and 5 wrap them in tagged objects, whose types
 * are written out each time, and align them to 4 bytes of the file; version 6 has a header of 4 bytes.
 *
 *     struct pr_nettrace_stream stream;
 *     struct pr_nettrace_block block;
 *     enum pr_status status = pr_nettrace_open(&stream, src, err);
 *     while (status == PR_OK && (status = pr_nettrace_next(&stream, &block, err)) == PR_OK)
 *         ...                                         // block.bytes until the next call
 *
 * Source: doc/formats/nettrace.md.
 */
#ifndef PR_CAPTURE_NETTRACE_NETTRACE_BLOCKS_H
#define PR_CAPTURE_NETTRACE_NETTRACE_BLOCKS_H

#include "capture/input/source.h"
#include "capture/nettrace/nettrace_bytes.h"

enum { PR_NETTRACE_MAGIC_BYTES = 8 };
#define PR_NETTRACE_MAGIC "Nettrace"

/* The numbers of version 6. */
enum pr_nettrace_kind {
    PR_NETTRACE_END,
    PR_NETTRACE_TRACE,
    PR_NETTRACE_EVENTS,
    PR_NETTRACE_METADATA,
    PR_NETTRACE_SEQUENCE_POINT,
    PR_NETTRACE_STACKS,
    PR_NETTRACE_THREADS,
    PR_NETTRACE_OTHER
};

struct pr_nettrace_stream {
    struct pr_source *src;
    unsigned version; /* 4, 5 or 6 */
    size_t taken;     /* bytes of the block in hand */
    bool in_object;   /* a tag ends it */
};

struct pr_nettrace_block {
    enum pr_nettrace_kind kind;
    struct pr_nettrace_bytes bytes;
    uint64_t offset; /* of BYTES in the input */
    bool is_cut;     /* the input ends in it */
};

/* Reads what comes before the first block. SRC is borrowed. PR_FAILED: it is no trace of a version that is read. */
enum pr_status pr_nettrace_open(struct pr_nettrace_stream *stream, struct pr_source *src, struct pr_error *err);

/*
 * The next block. PR_END: there is none, the trace is complete. PR_CUT with bytes in BLOCK: the input ends in it;
 * without bytes: it ends before, or what follows is no block.
 */
enum pr_status pr_nettrace_next(struct pr_nettrace_stream *stream, struct pr_nettrace_block *block,
                                struct pr_error *err);

#endif
