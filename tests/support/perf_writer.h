/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of perf, written record by record, in either byte order; as a file or a pipe.
 *
 *     struct perf_writer w = {.big_endian = true};
 *     perf_attr(&w, 1, 0, 1000, "cpu-clock");              // cpu-clock, every 1000
 *     perf_comm(&w, 7, 7, "tally", 0);
 *     perf_sample(&w, 0, 7, 7, 1000, 500, (uint64_t[]){PERF_USER, 0x1010}, 2);
 *     struct pr_buf file = perf_file(&w);                  // the caller clears it, and w by perf_clear
 */
#ifndef TESTS_SUPPORT_PERF_WRITER_H
#define TESTS_SUPPORT_PERF_WRITER_H

#include "profrender/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define PERF_KERNEL ((uint64_t)-128)
#define PERF_USER ((uint64_t)-512)

/* Samples have an identifier, process and thread, time, call chain and period; so have other records, at their end. */
struct perf_writer {
    bool big_endian;
    struct pr_buf attrs[4], names; /* of EVENT_DESC */
    struct pr_buf records;
    unsigned attr_count;
    uint64_t data_size; /* 0: as it is */
};

/* An event; its id is its number from 100 on. NAME NULL: without one. */
void perf_attr(struct perf_writer *w, uint32_t type, uint64_t config, uint64_t period, const char *name);

void perf_put(struct pr_buf *buf, bool big_endian, uint64_t number, unsigned bytes);

/* A record of TYPE with what CONTENT has, which is cleared. */
void perf_record(struct perf_writer *w, uint32_t type, unsigned misc, struct pr_buf *content);

void perf_comm(struct perf_writer *w, uint32_t pid, uint32_t tid, const char *name, uint64_t time);
void perf_fork(struct perf_writer *w, uint32_t pid, uint32_t parent, uint32_t tid, uint64_t time);
void perf_exit(struct perf_writer *w, uint32_t pid, uint64_t time);
void perf_map(struct perf_writer *w, uint32_t pid, uint64_t start, uint64_t size, uint64_t offset, const char *path,
              uint64_t time);
void perf_sample(struct perf_writer *w, unsigned event, uint32_t pid, uint32_t tid, uint64_t time, uint64_t period,
                 const uint64_t *chain, size_t count);

/* A record without content: a round ends, or what was there before the program. */
enum perf_mark { PERF_ROUND = 68, PERF_INIT = 82 };
void perf_mark(struct perf_writer *w, enum perf_mark type);

/* All records so far become records of the type COMPRESSED, of PIECE bytes each. */
void perf_compress(struct perf_writer *w, size_t piece);

/* The whole. Owner: pr_buf_clear. */
struct pr_buf perf_file(const struct perf_writer *w);
struct pr_buf perf_pipe(const struct perf_writer *w);

void perf_clear(struct perf_writer *w);

#endif
