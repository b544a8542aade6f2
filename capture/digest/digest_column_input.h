/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of one column of a digest, unpacked on demand, and checked at the end.
 *
 *     pr_unpack_begin(&unpack, &entry);
 *     while (pr_unpack_number(&unpack, &value)) ...
 *     pr_unpack_end(&unpack);                     // PR_OK: that was all of it, and its checksum is right
 */
#ifndef PR_CAPTURE_DIGEST_DIGEST_COLUMN_INPUT_H
#define PR_CAPTURE_DIGEST_DIGEST_COLUMN_INPUT_H

#include "capture/base/hash.h"
#include "capture/digest/digest_format.h"
#include "capture/input/source.h"

#include <zstd.h>

/* What the head says about a column. None of it is to be trusted. */
struct pr_digest_entry {
    char name[PR_DIGEST_MAX_NAME + 1];
    uint8_t type, place;
    uint64_t count, raw_bytes, packed_bytes, hash;
    const uint8_t *bytes; /* of a column in the head */
};

enum { PR_UNPACK_BYTES = 64 * 1024 };

/* All zeros but src, progress and err. */
struct pr_unpack {
    struct pr_source *src;
    bool (*progress)(void *context, uint64_t done_bytes, uint64_t size_bytes);
    void *progress_context;
    struct pr_error *err;

    const struct pr_digest_entry *entry;
    char doing[40];
    const uint8_t *at, *end; /* unpacked, not yet taken */
    uint64_t raw_left, packed_left;
    bool failed, frame_ended;
    XXH64_state_t hash;
    ZSTD_DCtx *context;
    uint8_t buffer[PR_UNPACK_BYTES];
};

void pr_unpack_begin(struct pr_unpack *unpack, const struct pr_digest_entry *entry);

/* False: the column ends here, or cannot be read; the error is then set. */
bool pr_unpack_number(struct pr_unpack *unpack, uint64_t *value);
bool pr_unpack_bytes(struct pr_unpack *unpack, void *bytes, size_t length);

/* Skips what is left. */
void pr_unpack_rest(struct pr_unpack *unpack);

/* PR_FAILED: something went wrong, or bytes are left. */
enum pr_status pr_unpack_end(struct pr_unpack *unpack);

void pr_unpack_clear(struct pr_unpack *unpack);

#endif
