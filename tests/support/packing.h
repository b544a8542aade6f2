/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes for the tests of sources: content, its packed forms, and ways to bring them to a source. Running out of memory
 * or of files ends the test.
 *
 *     struct bytes content = make_content(100000), packed = pack_lz4(content);
 *     struct pr_source *src = open_by(VIA_PIPE, packed);
 *     assert_int_equal(drain(src, content), content.length);
 *     close_by(VIA_PIPE, src);
 */
#ifndef TESTS_SUPPORT_PACKING_H
#define TESTS_SUPPORT_PACKING_H

#include "capture/input/source.h"

/* Owned by the holder: bytes_free. */
struct bytes {
    uint8_t *at;
    size_t length;
};

struct bytes bytes_of(const void *at, size_t length);
void bytes_append(struct bytes *bytes, const void *more, size_t length);
void bytes_free(struct bytes *bytes);

/* LENGTH bytes that pack about as well as a capture does: repeats from near and from up to 64 KiB away, some noise. */
struct bytes make_content(size_t length);

/* As memray writes it: one frame, linked blocks of 64 KiB, nothing optional. */
struct bytes pack_lz4(struct bytes content);

/* As a frame may choose: block size 4 (64 KiB) to 7 (4 MiB); from level 3 on all matches are found, however far. */
struct lz4_choice {
    bool independent, block_checksum, content_checksum, content_size;
    int block_size_id, level;
};
struct bytes pack_lz4_as(struct bytes content, struct lz4_choice choice);

/* With their checksums. */
struct bytes pack_zstd(struct bytes content);
struct bytes pack_gzip(struct bytes content);

struct packing {
    const char *name; /* as pr_source.packing */
    struct bytes (*pack)(struct bytes content);
};
enum { PACKING_COUNT = 3 };
extern const struct packing packings[PACKING_COUNT];

/* Ways to an open source. Its bytes must live until close_by; one source at a time through a pipe. */
enum via { VIA_MEMORY, VIA_FILE, VIA_PIPE, VIA_COUNT };
struct pr_source *open_by(enum via via, struct bytes bytes);
void close_by(enum via via, struct pr_source *src);

/* Path of a new file that holds BYTES, good until the next call; the file is removed at exit. */
const char *file_with(struct bytes bytes);

/* Reads SRC to its end, checks that CONTENT begins with the bytes read, and returns their number. */
size_t drain(struct pr_source *src, struct bytes content);

#endif
