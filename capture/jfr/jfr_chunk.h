/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chunk of a recording: a header of 68 bytes, then events, each with its size and the number of its type. Types
 * (event 0) and constants (event 1) may come after what refers to them, so a chunk is read as a whole; a JVM writes
 * 12 MB into one, async-profiler 100.
 *
 *     0  "FLR\0"                       32  start, nanoseconds since the epoch
 *     4  version, 2 + 2 bytes          40  duration, nanoseconds
 *     8  size of the chunk             48  start, ticks
 *    16  offset of the last constants  56  ticks per second
 *    24  offset of the types           64  state: 0 = finished; 67: flags, 1 = numbers are compressed
 *
 * All of it is big-endian. The writer fills size, offsets and duration in from time to time, and the state is not 0
 * until it is done: a JVM that was killed leaves what was true at the last flush, or a size of 0. So the offsets are
 * not used: events are walked from the first one, to the size if the chunk is finished, else for as long as there are
 * any.
 *
 * Source: OpenJDK 17 to 25, jdk/jfr/internal/consumer/ChunkHeader.java;
 * src/hotspot/share/jfr/recorder/repository/jfrChunkWriter.cpp.
 */
#ifndef PR_CAPTURE_JFR_JFR_CHUNK_H
#define PR_CAPTURE_JFR_JFR_CHUNK_H

#include "capture/jfr/jfr_bytes.h"

#include "capture/input/source.h"

enum { PR_JFR_HEADER_BYTES = 68 };

struct pr_jfr_chunk {
    uint8_t *bytes; /* [length] with its header */
    size_t length, capacity;
    uint64_t offset; /* in the stream */
    unsigned major, minor;
    bool compressed, finished;
    uint64_t size; /* as the header has it */
    int64_t start_ns, duration_ns, start_ticks, ticks_per_second;
};

/* An event, without its size and number. */
struct pr_jfr_event {
    uint64_t type;
    struct pr_jfr_bytes bytes;
};

/* Whether FIRST, 4 bytes, are those of a chunk. */
bool pr_jfr_is_chunk(const uint8_t *first);

/*
 * Reads the next chunk into CHUNK, instead of the one before. PR_END: there is no more. PR_CUT: CHUNK is what there is
 * of it, perhaps nothing (length 0), and ERR says what is wrong. PR_FAILED: out of memory.
 */
enum pr_status pr_jfr_chunk_read(struct pr_jfr_chunk *chunk, struct pr_source *src, struct pr_error *err);

void pr_jfr_chunk_clear(struct pr_jfr_chunk *chunk);

/* The cursor at the first event. */
struct pr_jfr_bytes pr_jfr_chunk_events(const struct pr_jfr_chunk *chunk);

/* The next event. False: there is no more; REST->failed: what follows is not an event, or not all of one. */
bool pr_jfr_next_event(struct pr_jfr_bytes *rest, struct pr_jfr_event *event);

/* TICKS of the clock as nanoseconds since the epoch, and a number of ticks as a duration. */
int64_t pr_jfr_time_ns(const struct pr_jfr_chunk *chunk, int64_t ticks);
int64_t pr_jfr_span_ns(const struct pr_jfr_chunk *chunk, int64_t ticks);

#endif
