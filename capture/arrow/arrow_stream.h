/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow IPC, read in one pass: a stream, or a file, which is a stream between two marks with a list of its batches at
 * the end.
 *
 *     struct pr_arrow_stream stream;
 *     if (pr_arrow_open(&stream, src, err) == PR_OK)
 *         while ((status = pr_arrow_next(&stream, err)) == PR_OK)
 *             use(&stream.batch);                  // until the next call
 *     pr_arrow_close(&stream);
 *
 * Memory: one batch, and the dictionaries. It grows with what is really in the input, not with what a header claims.
 * In a file, rows may come before the dictionaries that they use, as polars writes them: those are held until its end.
 *
 * Source: arrow.apache.org, "Arrow Columnar Format" 1.5, "Serialization and Interprocess Communication"; apache/arrow
 *         format/Message.fbs and format/File.fbs. A Feather file of version 2 is an Arrow file.
 */
#ifndef PR_CAPTURE_ARROW_ARROW_STREAM_H
#define PR_CAPTURE_ARROW_ARROW_STREAM_H

#include "capture/arrow/arrow_batch.h"
#include "capture/input/source.h"

/* A batch whose dictionaries are still to come. */
struct pr_arrow_held {
    struct pr_arena arena; /* has the header and the body */
    struct pr_flat flat;
    struct pr_arrow_bytes body;
};

struct pr_arrow_stream {
    struct pr_source *src; /* borrowed */
    struct pr_arrow_schema schema;
    struct pr_arrow_dictionaries dictionaries;
    struct pr_arrow_batch batch; /* the current one */
    bool is_file, is_version_4;
    uint64_t batches; /* found so far */
    struct pr_arrow_held *held; /* [held_count], of which held_done were given out */
    size_t held_count, held_capacity, held_done;
    bool is_ended;
    uint8_t *header; /* owned: of the current message */
    size_t header_room;
};

/* What the first bytes of an input are. */
bool pr_arrow_is_file(const struct pr_source *src);
bool pr_arrow_is_stream(const struct pr_source *src);

/* Reads the schema. PR_FAILED: it cannot be read. The stream must be closed then as well. */
enum pr_status pr_arrow_open(struct pr_arrow_stream *stream, struct pr_source *src, struct pr_error *err);

/* PR_OK: a batch. PR_END. PR_CUT: the input is cut or damaged here, ERR says how. PR_FAILED: no memory. */
enum pr_status pr_arrow_next(struct pr_arrow_stream *stream, struct pr_error *err);

void pr_arrow_close(struct pr_arrow_stream *stream);

#endif
