/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of Tachyon's samples, unpacked if need be, and the stacks that they change from sample to sample.
 *
 * Source: doc/formats/tachyon.md.
 */
#ifndef PR_CAPTURE_READERS_TACHYON_SAMPLES_H
#define PR_CAPTURE_READERS_TACHYON_SAMPLES_H

#include "capture/builder/profile_builder.h"

#include <zstd.h>

/* A part of the file, read byte by byte. */
struct pr_tachyon_bytes {
    struct pr_profile_builder *c;
    uint64_t left;   /* bytes of the part that are not read from the source yet */
    ZSTD_DCtx *zstd; /* NULL: they are not packed */
    uint8_t *out;    /* [PR_TACHYON_STEP] */
    size_t at, end;  /* of `out` */
    size_t packed;   /* bytes at the source that are unpacked next */
    bool is_cut;     /* the input ends before the part, or it cannot be unpacked: the error is stored */
    bool failed;     /* the part ends in a value */
    bool big_endian;
    enum pr_status status; /* PR_OK, or how the reading of the part ended */
};

enum { PR_TACHYON_STEP = 64 * 1024 };

/* LENGTH bytes of the source of C from here on. False: no memory. End it by pr_tachyon_bytes_clear. */
bool pr_tachyon_bytes_init(struct pr_tachyon_bytes *bytes, struct pr_profile_builder *c, uint64_t length,
                           bool is_packed);
void pr_tachyon_bytes_clear(struct pr_tachyon_bytes *bytes);

/* Whether a byte is left. */
bool pr_tachyon_more(struct pr_tachyon_bytes *bytes);

/* A number of COUNT bytes, at most 8; 0 once it failed. */
uint64_t pr_tachyon_number(struct pr_tachyon_bytes *bytes, unsigned count);

/* A number in bytes of 7 bits. */
uint64_t pr_tachyon_varint(struct pr_tachyon_bytes *bytes);

/* A thread of an interpreter, and its last stack, innermost frame last. */
struct pr_tachyon_thread {
    uint32_t thread;
    uint64_t time_us; /* of its last sample */
    uint32_t *stack;  /* [depth] numbers of frames */
    size_t depth, capacity;
    pr_node_id leaf;
};

/*
 * Keeps the outermost KEPT frames of the stack and adds COUNT, which BYTES has innermost first. False: too many, or no
 * memory: C then knows, or the record makes no sense.
 */
bool pr_tachyon_stack_change(struct pr_tachyon_bytes *bytes, struct pr_tachyon_thread *thread, uint64_t kept,
                             uint64_t count);

#endif
